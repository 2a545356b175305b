// The parser that a reasoning config asks for where it does not say itself how reasoning begins and ends.
// Source: vllm/config/reasoning.py initialize_token_ids, vllm/engine/arg_utils.py _set_default_reasoning_config_args
// v0.18.0 to v0.28.0.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define ERROR_CAPACITY 256

static bool is_listed(const char *name, size_t size, uint32_t release)
{
    const struct kvb_known_choice *row = kvb_choices_of("reasoning-parser", release);
    while (row != NULL && !(strlen(row->word) == size && strncmp(row->word, name, size) == 0)) {
        row = kvb_choice_after(row, release);
    }
    return row != NULL;
}

// The inside of a member that is text; "" of any other.
static const char *text_of(const char *mapping, const char *key, size_t *size)
{
    struct kvb_member member;
    const char *text = "";
    *size = 0;
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, key) == 0 && member.value[0] == '"') {
            text = member.value + 1;
            *size = member.size - 2;
        }
    }
    return text;
}

bool kvb_vllm_judge_reasoning(const struct kvb_deployment *deployment, const char *mapping, uint32_t release,
                              char out[ERROR_CAPACITY])
{
    size_t start, end, size;
    (void)text_of(mapping, "reasoning_start_str", &start);
    (void)text_of(mapping, "reasoning_end_str", &end);
    const char *name = text_of(mapping, "reasoning_parser", &size);
    const char *said = kvb_vllm_said(deployment, "reasoning-parser", release);
    bool plugin = kvb_vllm_said(deployment, "reasoning-parser-plugin", release) != NULL;
    if ((start > 0 && end > 0) || said != NULL || plugin || is_listed(name, size, release)) {
        return false;
    }
    (void)kvb_copy(out, ERROR_CAPACITY, "KeyError: Reasoning parser '");
    kvb_append(out, ERROR_CAPACITY, name, size);
    kvb_add_text(out, ERROR_CAPACITY, "' not found.");
    return true;
}
