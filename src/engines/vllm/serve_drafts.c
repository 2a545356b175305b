// What a speculative config needs beside its method. Source: vllm/config/speculative.py __post_init__ and
// vllm/transformers_utils/config.py get_config by tag.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define OPTIONAL_CAPACITY 256

// The inside of a text that the mapping gives; "" where it gives none.
static void find_text(const char *mapping, const char *key, char out[KVB_MEMBER_CAPACITY])
{
    struct kvb_member member;
    out[0] = '\0';
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, key) == 0 && member.value[0] == '"') {
            out[0] = '\0';
            kvb_append(out, KVB_MEMBER_CAPACITY, member.value + 1, member.size - 2);
        }
    }
}

// Methods whose model is a checkpoint of its own.
static bool loads_model(const char *method)
{
    static const char *const words[] = {"eagle", "eagle3", "medusa", "mlp_speculator", "dflash", "dspark"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], method) == 0) {
            return true;
        }
    }
    return false;
}

bool kvb_vllm_judge_draft(const char *mapping, char out[OPTIONAL_CAPACITY])
{
    char method[KVB_MEMBER_CAPACITY], model[KVB_MEMBER_CAPACITY];
    find_text(mapping, "method", method);
    find_text(mapping, "model", model);
    bool counted = kvb_vllm_has_member(mapping, "num_speculative_tokens"); // asked for first
    if (strcmp(method, "custom_class") == 0 && counted && !kvb_vllm_has_member(mapping, "model")) {
        (void)kvb_copy(out, OPTIONAL_CAPACITY,
                       "method='custom_class' requires 'model' to contain the custom proposer module path (e.g., "
                       "'my_module.MyProposer').");
        return true;
    }
    if (!loads_model(method) || (strcmp(model, "[ngram]") != 0 && strcmp(model, "ngram") != 0)) {
        return false;
    }
    (void)kvb_copy(out, OPTIONAL_CAPACITY, "Invalid repository ID or local directory specified: '");
    kvb_add_text(out, OPTIONAL_CAPACITY, model);
    kvb_add_text(out, OPTIONAL_CAPACITY, "'.");
    return true;
}
