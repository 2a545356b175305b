// What the release's own argument parser refuses.
#include <string.h>

#include "base/text.h"
#include "budget/reuse.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define AUTO_LENGTH_SINCE R(14, 0)
#define SUFFIX_SINCE R(8, 4)

static void add(char out[KVB_ERROR_TEXT_CAPACITY], const char *text)
{
    kvb_append(out, KVB_ERROR_TEXT_CAPACITY, text, strlen(text));
}

static void add_dashed(char out[KVB_ERROR_TEXT_CAPACITY], const char *key)
{
    char letter[2] = "";
    add(out, " --");
    for (; *key != '\0'; key++) {
        letter[0] = *key == '_' ? '-' : *key;
        add(out, letter);
    }
}

// A setting said as a flag of ours stands for the engine's flag of that name; a cache of given size is asked of
// every release.
static bool is_asked(const struct kvb_context *context, unsigned setting)
{
    const struct kvb_setting_value *value = &context->plan->settings.values[setting];
    if (!value->set || value->origin != KVB_ORIGIN_FLAG || setting == KVB_SET_KV_CACHE_MEMORY_BYTES) {
        return false;
    }
    const struct kvb_setting_row *row = kvb_setting_row_of((enum kvb_setting)setting);
    bool is_size = row->kind == KVB_VALUE_COUNT && row->minimum == 1 && value->number == 1;
    bool says_nothing = is_size || (row->kind == KVB_VALUE_SWITCH && value->number == 0);
    return !says_nothing && kvb_vllm_has_flag(setting); // of a part of another setting there is none
}

enum known { NOT_ASKED, IS_KNOWN, IS_MISSING };

static enum known look_up(uint32_t release, unsigned setting)
{
    const char *key = kvb_setting_row_of((enum kvb_setting)setting)->key;
    unsigned matches;
    return kvb_flag_of(key, strlen(key), release, &matches) == NULL ? IS_MISSING : IS_KNOWN;
}

// Plans at one release ask for the same few flags: what was looked up once stands in `seen`.
static bool is_missing(const struct kvb_context *context, unsigned setting, uint8_t *seen)
{
    if (seen == NULL) {
        return look_up(context->release, setting) == IS_MISSING;
    }
    if (seen[setting] == NOT_ASKED) {
        seen[setting] = (uint8_t)look_up(context->release, setting);
    }
    return seen[setting] == IS_MISSING;
}

static uint8_t *seen_at(const struct kvb_context *context)
{
    static const uint8_t nothing[KVB_SETTING_COUNT];
    struct kvb_reuse_slot *slot =
        kvb_reuse_find(context->plan->reuse, KVB_REUSE_FLAGS, &context->release, sizeof context->release);
    if (slot != NULL && !slot->used) {
        kvb_reuse_keep(slot, nothing, sizeof nothing);
    }
    return slot != NULL ? slot->value : NULL;
}

static void add_setting(const struct kvb_context *context, unsigned setting, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_setting_row *row = kvb_setting_row_of((enum kvb_setting)setting);
    char text[48];
    add_dashed(out, row->key);
    if (row->kind != KVB_VALUE_SWITCH) {
        add(out, " ");
        add(out, kvb_setting_format(text, (enum kvb_setting)setting, context->plan->settings.values[setting].number));
    }
}

bool kvb_refusal_flags(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *command = context->plan->command_error;
    if (command[0] != '\0') {
        kvb_refusal_say(out, "{0}", &command);
        return true;
    }
    uint8_t *seen = seen_at(context);
    bool found = false;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (!is_asked(context, i) || !is_missing(context, i, seen)) {
            continue;
        }
        if (!found) {
            kvb_refusal_say(out, "vllm: error: unrecognized arguments:", NULL);
        }
        found = true;
        add_setting(context, i, out);
    }
    return found;
}

bool kvb_refusal_length_word(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool automatic = context->auto_length && context->release < AUTO_LENGTH_SINCE;
    if (!automatic) {
        return false;
    }
    const char *type = context->release < SUFFIX_SINCE ? "int" : "human_readable_int";
    kvb_refusal_say(out, "argument --max-model-len: invalid {0} value: 'auto'", &type);
    return true;
}
