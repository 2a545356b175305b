// Profiles of every kind but models: strict pass, binding and conversion.
#include "fuzz_check.h"

#include <kvbudget/input.h>

#include "catalogue/profile.h"
#include "deployment/schemas.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;

static enum kvb_status read_as(enum kvb_profile_kind kind, const char *text, size_t length)
{
    struct kvb_gpu gpu;
    struct kvb_engine engine;
    struct kvb_settings settings = {0};
    switch (kind) {
    case KVB_PROFILE_GPU:
        return kvb_gpu_read("fuzz", text, length, &gpu, &problems);
    case KVB_PROFILE_ENGINE:
        return kvb_engine_read("fuzz", text, length, &engine, &settings, &problems);
    case KVB_PROFILE_DEPLOYMENT:
        kvb_deployment_init(&deployment);
        return kvb_deployment_read("fuzz", text, length, &deployment, &problems);
    default:
        return KVB_OK;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct kvb_tree tree;
    enum kvb_profile_kind kind;
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_profile_open(&tree, "fuzz", text, size, &kind, &problems);
    kvb_tree_free(&tree);
    if (status == KVB_OK) {
        kvb_problems_init(&problems);
        status = read_as(kind, text, size);
    }
    fuzz_check(status, &problems);
    return 0;
}
