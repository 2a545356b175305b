// Readers of all manifest kinds: any bytes under the name the first byte chooses.
#include "fuzz_check.h"

#include <string.h>

#include <kvbudget/manifest.h>

static struct kvb_problems problems;

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    if (found->kind == NULL || found->problems.count > KVB_PROBLEMS_MAX) {
        abort();
    }
    return KVB_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.yaml", "a.sh", "Dockerfile", "a.service", "Procfile", "a", "-", "Modelfile"};
    static const char *const environment[] = {"A=1"};
    const struct kvb_manifest_options options = {
        .environment = environment, .environment_count = 1, .lenient = size > 0 && data[0] % 2 == 1};
    struct kvb_manifest_seen seen_there = {0};
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_manifest_read(names[data[0] / 2 % (sizeof names / sizeof names[0])], text, size - 1,
                                               &options, take, NULL, &seen_there, &problems);
    fuzz_check(status, &problems);
    free(text);
    return 0;
}
