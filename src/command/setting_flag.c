// A setting as the vLLM flag that makes it, JSON flags included.
#include "command/setting_flag.h"

#include <stdio.h>
#include <string.h>

static const struct kvb_setting_part parts[] = {
    {KVB_SET_LIMIT_IMAGES, "limit-mm-per-prompt", "image"},
    {KVB_SET_LIMIT_VIDEOS, "limit-mm-per-prompt", "video"},
    {KVB_SET_LIMIT_AUDIOS, "limit-mm-per-prompt", "audio"},
    {KVB_SET_MM_MAX_PIXELS, "mm-processor-kwargs", "max_pixels"},
    {KVB_SET_CUDAGRAPH_MODE, "compilation-config", "cudagraph_mode"},
    {KVB_SET_SPECULATIVE_METHOD, "speculative-config", "method"},
    {KVB_SET_NUM_SPECULATIVE_TOKENS, "speculative-config", "num_speculative_tokens"},
};

const struct kvb_setting_part *kvb_setting_part(enum kvb_setting setting)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].setting == setting) {
            return &parts[i];
        }
    }
    return NULL;
}

char *kvb_setting_part_value(char out[64], const struct kvb_setting_part *part, uint64_t number)
{
    char text[48];
    kvb_setting_format(text, part->setting, number);
    bool word = kvb_setting_row_of(part->setting)->words != NULL;
    for (char *c = text; part->setting == KVB_SET_CUDAGRAPH_MODE && *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
    (void)snprintf(out, 64, word ? "\"%s\"" : "%s", text);
    return out;
}

char *kvb_setting_flag(char out[KVB_FLAG_CAPACITY], enum kvb_setting setting, uint64_t number)
{
    const struct kvb_setting_row *row = kvb_setting_row_of(setting);
    const struct kvb_setting_part *part = kvb_setting_part(setting);
    char value[64];
    if (part != NULL) {
        (void)snprintf(out, KVB_FLAG_CAPACITY, "--%s '{\"%s\": %s}'", part->flag, part->key,
                       kvb_setting_part_value(value, part, number));
        return out;
    }
    if (row->kind == KVB_VALUE_SWITCH) {
        (void)snprintf(out, KVB_FLAG_CAPACITY, "--%s%s", number != 0 ? "" : "no-", row->key);
    } else {
        char plain[48];
        (void)snprintf(out, KVB_FLAG_CAPACITY, "--%s %s", row->key, kvb_setting_format(plain, setting, number));
    }
    size_t name = strcspn(out, " ");
    for (size_t i = 0; i < name; i++) {
        out[i] = out[i] == '_' ? '-' : out[i];
    }
    return out;
}
