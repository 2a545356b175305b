// Policies of the gate: any bytes; what is read is judged by, and every pattern in it is matched.
#include "fuzz_check.h"

#include <kvbudget/policy.h>

static struct kvb_problems problems;
static struct kvb_policy policy;
static struct kvb_found found;
static struct kvb_budget budget;
static struct kvb_findings findings;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_policy_read("fuzz", (const char *)data, size, &policy, &problems);
    fuzz_check(status, &problems);
    if (status != KVB_OK) {
        return 0;
    }
    findings.count = findings.dropped = 0;
    kvb_policy_judge(&policy, "a/b/compose.yaml", &found, &budget, &findings);
    kvb_policy_waive(&policy, "a/b/compose.yaml", "services.x", 20261122, &findings);
    (void)kvb_policy_find_gpu(&policy, "a/b/compose.yaml", "pool=l4");
    (void)kvb_policy_find_model(&policy, "Qwen/Qwen3-8B");
    if (findings.count > KVB_FINDINGS_MAX) {
        abort();
    }
    return 0;
}
