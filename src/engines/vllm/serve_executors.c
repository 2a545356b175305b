// Names of executors and of what starts data-parallel ranks, which argparse takes as they are and the engine looks up.
// Source: vllm/engine/arg_utils.py create_engine_config v0.9.1, vllm/v1/executor/abstract.py get_class v0.10.2.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define RANKS_TYPED_SINCE R(11, 1)
#define ANY_CLASS_SINCE R(10, 2) // a list of choices before

static bool is_one_of(const char *value, size_t size, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == size && memcmp(words[i], value, size) == 0) {
            return true;
        }
    }
    return false;
}

// Asked only where no address is given (vllm/engine/arg_utils.py v0.9.1:1083), until the field lists both.
static bool judge_ranks(const struct kvb_deployment *deployment, uint32_t release, char out[256])
{
    static const char *const known[] = {"mp", "ray"};
    const char *value = kvb_vllm_said(deployment, "data-parallel-backend", release);
    size_t size = value != NULL ? strcspn(value, "\n") : 0;
    if (size == 0 || is_one_of(value, size, known, 2) ||
        (release < RANKS_TYPED_SINCE && kvb_vllm_said(deployment, "data-parallel-address", release) != NULL)) {
        return false;
    }
    kvb_add_text(out, 256, "('data_parallel_backend can only be ray or mp, got %s', '");
    kvb_append(out, 256, value, size);
    kvb_add_text(out, 256, "')");
    return true;
}

// What is no name of the engine's own is the path of a class, and so has a dot.
static bool judge_executor(const struct kvb_deployment *deployment, uint32_t release, char out[256])
{
    static const char *const known[] = {"ray", "mp", "uni", "external_launcher", "None"};
    const char *value = kvb_vllm_said(deployment, "distributed-executor-backend", release);
    size_t size = value != NULL ? strcspn(value, "\n") : 0;
    if (size == 0 || release < ANY_CLASS_SINCE || is_one_of(value, size, known, 5) ||
        memchr(value, '.', size) != NULL || memchr(value, '$', size) != NULL) {
        return false;
    }
    kvb_add_text(out, 256, "resolve_obj_by_qualname('");
    kvb_append(out, 256, value, size);
    kvb_add_text(out, 256, "'): ValueError: not enough values to unpack (expected 2, got 1)");
    return true;
}

bool kvb_vllm_judge_executors(const struct kvb_deployment *deployment, uint32_t release, char out[256])
{
    return judge_ranks(deployment, release, out) || judge_executor(deployment, release, out);
}
