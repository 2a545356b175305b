// vLLM's own flags: one per row of kvb_setting_row_of, and those that take JSON or a list.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/options.h"

static bool set_setting(struct arguments *arguments, const struct option_row *row, const char *value)
{
    enum kvb_setting setting = (enum kvb_setting)row->id;
    uint64_t number = 0;
    char why[256];
    const char *text = value == NULL ? "true" : value;
    if (!kvb_setting_parse(setting, text, &number, why)) {
        (void)options_mistake(arguments, "--%s: %s", row->name, why);
        return false;
    }
    kvb_settings_set(&arguments->question.deployment.settings, setting, number, KVB_ORIGIN_FLAG);
    arguments->question.setting_texts[setting] = text;
    return true;
}

static bool set_json(struct arguments *arguments, const struct option_row *row, const char *value)
{
    kvb_question_keep(&arguments->question, row->name, value);
    return kvb_json_flag(row->name, value, KVB_ORIGIN_FLAG, &arguments->question.deployment, &arguments->problems) ==
           KVB_OK;
}

static bool set_overrides(struct arguments *arguments, const struct option_row *row, const char *value)
{
    kvb_question_keep(&arguments->question, row->name, value);
    if (!kvb_copy(arguments->question.deployment.overrides, sizeof arguments->question.deployment.overrides, value)) {
        (void)options_mistake(arguments, "--%s is longer than %zu characters", row->name,
                              sizeof arguments->question.deployment.overrides - 1);
        return false;
    }
    return true;
}

#define ENGINE .set_bit = OPTIONS_ENGINE

static const struct option_row json_rows[] = {
    {"limit-mm-per-prompt", NULL, "JSON", "pictures and videos per request: {\"image\": 2}", NULL, set_json, ENGINE},
    {"mm-processor-kwargs", NULL, "JSON", "{\"max_pixels\": 1003520}", NULL, set_json, ENGINE},
    {"speculative-config", "-sc", "JSON", "{\"method\": \"mtp\", \"num_speculative_tokens\": 2}", NULL, set_json,
     ENGINE},
    {"compilation-config", "-cc", "JSON", "{\"cudagraph_mode\": \"NONE\"}", NULL, set_json, ENGINE},
    {"cudagraph-capture-sizes", NULL, "LIST", "batch sizes with a CUDA graph: 1 2 4 8 or [1,2,4,8]", NULL, set_json,
     ENGINE, .list = true},
    {"kv-transfer-config", NULL, "JSON", "a KV connector", NULL, set_json, ENGINE},
    {"hf-overrides", NULL, "JSON", "keys of config.json to replace", NULL, set_overrides, ENGINE},
};

static void dash(char *out, size_t capacity, const char *key)
{
    (void)kvb_copy(out, capacity, key);
    for (; *out != '\0'; out++) {
        *out = *out == '_' ? '-' : *out;
    }
}

void options_add_engine(struct option_list *list)
{
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *setting = kvb_setting_row_of(i);
        if (setting->kind == KVB_VALUE_PART) {
            continue;
        }
        dash(list->names[i], sizeof list->names[i], setting->key);
        struct option_row row = {
            .name = list->names[i],
            .short_name = setting->short_name,
            .argument = setting->argument,
            .help = setting->help,
            .set = set_setting,
            ENGINE,
            .id = i,
            .negatable = setting->negatable,
        };
        options_add(list, &row, 1);
    }
    options_add(list, json_rows, sizeof json_rows / sizeof json_rows[0]);
}
