// Flags of a serve command that are made of several settings: JSON flags, and which of them change.
#include "cli/serve_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/json_writer.h"

#define PART_SETTINGS_MAX 3

struct part_row {
    const char *name;
    struct {
        enum kvb_setting setting;
        const char *key;
    } settings[PART_SETTINGS_MAX];
    unsigned count;
    bool upper_case; // words are written in capitals
};

static const struct part_row parts[] = {
    {"limit-mm-per-prompt",
     {{KVB_SET_LIMIT_IMAGES, "image"}, {KVB_SET_LIMIT_VIDEOS, "video"}, {KVB_SET_LIMIT_AUDIOS, "audio"}},
     3,
     false},
    {"mm-processor-kwargs", {{KVB_SET_MM_MAX_PIXELS, "max_pixels"}}, 1, false},
    {"compilation-config", {{KVB_SET_CUDAGRAPH_MODE, "cudagraph_mode"}}, 1, true},
    {"speculative-config",
     {{KVB_SET_SPECULATIVE_METHOD, "method"}, {KVB_SET_NUM_SPECULATIVE_TOKENS, "num_speculative_tokens"}},
     2,
     false},
    {"cudagraph-capture-sizes", {{KVB_SET_CUDAGRAPH_CAPTURE_SIZES, NULL}}, 0, false},
    {"kv-transfer-config", {{KVB_SET_KV_TRANSFER, NULL}}, 0, false},
    {"hf-overrides", {{KVB_SETTING_COUNT, NULL}}, 0, false},
};
#define PART_COUNT (sizeof parts / sizeof parts[0])

unsigned serve_part_count(void)
{
    return PART_COUNT;
}

const char *serve_part_name(unsigned part)
{
    return parts[part].name;
}

bool serve_part_is_advised(unsigned part, const struct serve_settings *settings, const struct arguments *arguments)
{
    for (unsigned i = 0; i < parts[part].count; i++) {
        enum kvb_setting setting = parts[part].settings[i].setting;
        const struct serve_setting *value = &settings->values[setting];
        const struct kvb_setting_value *asked = &arguments->deployment.settings.values[setting];
        if (value->changed && (!value->written || !asked->set || asked->number != value->number)) {
            return true;
        }
    }
    return false;
}

static void add_member(struct kvb_buffer *out, const char *key, bool quoted, const char *value)
{
    kvb_buffer_printf(out, "%s\"%s\": %s%s%s", out->length == 0 ? "{" : ", ", key, quoted ? "\"" : "", value,
                      quoted ? "\"" : "");
}

static void add_upper(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
    }
}

void serve_part_write(struct kvb_buffer *out, unsigned part, const struct serve_settings *settings,
                      const struct kvb_deployment *deployment)
{
    const struct part_row *row = &parts[part];
    for (unsigned i = 0; i < row->count; i++) {
        enum kvb_setting setting = row->settings[i].setting;
        const struct serve_setting *value = &settings->values[setting];
        char text[48];
        if (!value->written) {
            continue;
        }
        kvb_setting_format(text, setting, value->number);
        if (row->upper_case) {
            add_upper(text);
        }
        add_member(out, row->settings[i].key, kvb_setting_rows[setting].words != NULL, text);
    }
    if (out->length > 0 && strcmp(row->name, "speculative-config") == 0 && deployment->draft_model[0] != '\0') {
        add_member(out, "model", true, deployment->draft_model);
    }
    if (out->length > 0) {
        kvb_buffer_add(out, "}");
    }
}

// Compares a flag's name with a key, dashes and underscores being alike; 2: equal, 1: a prefix, 0: neither.
static int match(const char *name, size_t length, const char *key)
{
    for (size_t i = 0; i < length; i++) {
        char a = name[i] == '_' ? '-' : name[i];
        char b = key[i] == '_' ? '-' : key[i];
        if (a != b) {
            return 0;
        }
    }
    return key[length] == '\0' ? 2 : 1;
}

static bool is_short_form(const char *word, size_t length, const struct kvb_setting_row *row)
{
    return row->short_name != NULL && strlen(row->short_name) == length && strncmp(word, row->short_name, length) == 0;
}

static bool part_is_said(unsigned part, const struct serve_settings *settings, const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->typed_count; i++) {
        if (strcmp(arguments->typed[i].name, parts[part].name) == 0) {
            return true;
        }
    }
    return serve_part_is_advised(part, settings, arguments);
}

static bool json_flag_is_changed(const char *name, size_t length, const struct serve_settings *settings,
                                 const struct arguments *arguments)
{
    for (unsigned i = 0; i < PART_COUNT; i++) {
        if (match(name, length, parts[i].name) == 2) {
            return part_is_said(i, settings, arguments);
        }
    }
    return false;
}

bool serve_flag_is_changed(const char *word, const struct serve_settings *settings, const struct arguments *arguments,
                           bool *takes_value)
{
    size_t whole = strcspn(word, "=");
    bool is_long = kvb_starts_with(word, "--");
    bool negated = kvb_starts_with(word, "--no-") || kvb_starts_with(word, "--no_");
    const char *name = word + (negated ? 5 : 2);
    size_t length = whole - (size_t)(name - word);
    int best = -1, best_match = 0;
    for (int i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = &kvb_setting_rows[i];
        int found = row->kind == KVB_VALUE_PART       ? 0
                    : is_short_form(word, whole, row) ? 2
                    : is_long && whole > 4            ? match(name, length, row->key)
                                                      : 0;
        if (found > best_match) {
            best = i;
            best_match = found;
        }
    }
    if (best < 0) {
        *takes_value = true;
        return is_long && json_flag_is_changed(name, length, settings, arguments);
    }
    *takes_value = kvb_setting_rows[best].kind != KVB_VALUE_SWITCH;
    return settings->values[best].changed;
}
