// Items per prompt: what an entry of --limit-mm-per-prompt may hold beside its count.
// Source: vllm/config/multimodal.py _validate_limit_per_prompt, v0.11.1 to v0.28.0; before, ModelConfig of
// vllm/config.py from v0.9.1 took counts alone.
#include <string.h>

#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define CHECKED_SINCE KVB_RELEASE(0, 9, 1)
#define OPTIONS_SINCE KVB_RELEASE(0, 11, 1)

static const struct option_row {
    const char *modality, *class;
    const char *keys[4];
} rows[] = {
    {"video", "VideoDummyOptions", {"count", "num_frames", "width", "height"}},
    {"image", "ImageDummyOptions", {"count", "width", "height", "count"}},
    {"audio", "AudioDummyOptions", {"count", "length", "count", "count"}},
};

static void say(char out[256], const struct option_row *row, const char *key, const char *what)
{
    out[0] = '\0';
    kvb_add_text(out, 256, "1 validation error for ");
    kvb_add_text(out, 256, row->class);
    kvb_add_text(out, 256, ", ");
    kvb_add_text(out, 256, key);
    kvb_add_text(out, 256, ": ");
    kvb_add_text(out, 256, what);
}

static bool has_key(const struct option_row *row, const char *key)
{
    bool found = false;
    for (size_t i = 0; i < sizeof row->keys / sizeof row->keys[0]; i++) {
        found |= strcmp(row->keys[i], key) == 0;
    }
    return found;
}

static bool refuses(const struct option_row *row, const char *entry, uint32_t release, char out[256])
{
    static const struct kvb_known_key_type count = {"", "", 0, 0, "i", '=', 0, ""};
    static const struct kvb_known_key_type size = {"", "", 0, 0, "in", '>', 0, ""};
    struct kvb_member member;
    char sentence[64];
    for (const char *at = entry; kvb_member_next(&at, &member);) {
        if (!has_key(row, member.key)) {
            say(out, row, member.key, "Unexpected keyword argument");
            return true;
        }
        bool counts = strcmp(member.key, "count") == 0;
        if (memchr(member.value, '$', member.size) == NULL &&
            kvb_vllm_member_slips(counts ? &count : &size, &member, release, sentence)) {
            say(out, row, member.key, sentence);
            return true;
        }
    }
    return false;
}

static bool judge_mapping(const char *mapping, const struct kvb_plan *plan, char out[256])
{
    struct kvb_member entry;
    uint32_t release = plan->engine.release;
    for (const char *at = mapping; kvb_member_next(&at, &entry);) {
        bool options = entry.value[0] == '{';
        if (options && release < OPTIONS_SINCE) {
            (void)kvb_copy(out, 256, "1 validation error for ModelConfig, limit_mm_per_prompt.");
            kvb_add_text(out, 256, entry.key);
            kvb_add_text(out, 256, ": Input should be a valid integer");
            return true;
        }
        options &= kvb_model_is_multimodal(&plan->model);
        for (size_t i = 0; options && i < sizeof rows / sizeof rows[0]; i++) {
            if (strcmp(rows[i].modality, entry.key) == 0 && refuses(&rows[i], entry.value, release, out)) {
                return true;
            }
        }
    }
    return false;
}

void kvb_vllm_judge_limits(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    char flag[KVB_MEMBER_CAPACITY], dotted[KVB_DOTTED_CAPACITY];
    uint32_t release = plan->engine.release;
    bool asked = release >= CHECKED_SINCE && kvb_vllm_is_release(&plan->engine) && plan->command_error[0] == '\0';
    for (const char *line = deployment->serve_flags; asked && *line != '\0'; line = kvb_vllm_next_line(line)) {
        const char *mapping = kvb_json_of_line(line, release, flag, dotted);
        if (mapping != NULL && strcmp(flag, "limit-mm-per-prompt") == 0 &&
            judge_mapping(mapping, plan, plan->command_error)) {
            return;
        }
    }
}
