// What the release's own argument parser refuses.
#include <string.h>

#include "budget/reuse.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define AUTO_LENGTH_SINCE R(14, 0)
#define SUFFIX_SINCE R(8, 4)

static void add(char out[KVB_ERROR_TEXT_CAPACITY], const char *text)
{
    size_t length = strlen(out), size = strlen(text), room = KVB_ERROR_TEXT_CAPACITY - 1 - length;
    size = size < room ? size : room;
    memcpy(out + length, text, size);
    out[length + size] = '\0';
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
    return !says_nothing && kvb_vllm_has_flag(setting) && row->kind != KVB_VALUE_PART;
}

static bool is_out_of_range(const struct kvb_context *context, unsigned setting)
{
    const char *key = kvb_setting_row_of((enum kvb_setting)setting)->key;
    unsigned matches;
    return is_asked(context, setting) && kvb_flag_of(key, strlen(key), context->release, &matches) == NULL;
}

// Plans with the same flags at the same release: what was found in order stays so.
static struct kvb_reuse_slot *find_slot(const struct kvb_context *context)
{
    unsigned char key[KVB_SETTING_COUNT + sizeof context->release];
    if (context->plan->reuse == NULL) {
        return NULL;
    }
    memcpy(key, &context->release, sizeof context->release);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        key[sizeof context->release + i] = is_asked(context, i);
    }
    return kvb_reuse_find(context->plan->reuse, KVB_REUSE_FLAGS, key, sizeof key);
}

bool kvb_refusal_flags(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *command = context->plan->command_error;
    if (command[0] != '\0') {
        kvb_refusal_say(out, "{0}", &command);
        return true;
    }
    struct kvb_reuse_slot *slot = find_slot(context);
    if (slot != NULL && slot->used) {
        return false;
    }
    bool found = false;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        char text[48];
        if (!is_out_of_range(context, i)) {
            continue;
        }
        if (!found) {
            kvb_refusal_say(out, "vllm: error: unrecognized arguments:", NULL);
        }
        found = true;
        add_dashed(out, kvb_setting_row_of((enum kvb_setting)i)->key);
        if (kvb_setting_row_of((enum kvb_setting)i)->kind != KVB_VALUE_SWITCH) {
            add(out, " ");
            add(out, kvb_setting_format(text, (enum kvb_setting)i, context->plan->settings.values[i].number));
        }
    }
    kvb_reuse_keep(found ? NULL : slot, &found, sizeof found);
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
