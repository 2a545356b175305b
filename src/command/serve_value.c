// What one flag of a serve command with its value does to the deployment.
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/text.h"
#include "command/plain_number.h"
#include "command/serve_reading.h"
#include "text/tree.h"

#define HERE ((struct kvb_place){0})

enum kvb_status kvb_serve_set_model(struct kvb_serve_reading *reading, const char *value)
{
    reading->model_said = true;
    reading->deployment->inline_model = false;
    if (!kvb_copy(reading->deployment->model, sizeof reading->deployment->model, value)) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "the model's name is too long");
    }
    return KVB_OK;
}

static enum kvb_status set_number(struct kvb_serve_reading *reading, enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&reading->deployment->settings, setting, number, KVB_ORIGIN_COMMAND);
    return KVB_OK;
}

// A word that some release takes and nobody here can count.
static bool is_uncounted(const struct kvb_serve_flag *flag, const char *value)
{
    for (const char *at = flag->uncounted; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        if (strlen(value) == size && strncmp(at, value, size) == 0) {
            return true;
        }
        at += size;
    }
    return false;
}

// What a number with something behind it is to an engine that reads the digits alone.
static void say_read(struct kvb_serve_reading *reading, const char *value, const char *text)
{
    const char *from = value + strspn(value, " \t");
    if (strcmp(from + (*from == '+' ? 1 : 0), text) != 0) {
        (void)kvb_problem_add(reading->problems, KVB_WARNING, KVB_BAD_TYPE, HERE,
                              "in the serve command: %s reads %s of '%.60s'", reading->engine->title, text, value);
    }
}

static bool is_below_one(const char *number)
{
    return strcmp(number, "0") == 0 || (number[0] == '-' && kvb_is_digit(number[1]));
}

static enum kvb_status set_setting(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                   const char *value)
{
    const struct kvb_setting_row *row = kvb_setting_row_of((enum kvb_setting)flag->id);
    uint64_t number = 0;
    char why[256], plain[KVB_PLAIN_CAPACITY];
    const char *text = kvb_as_plain_number(value, row, reading->engine->traits, plain);
    if (is_uncounted(flag, value)) {
        return kvb_problem_add(
            reading->problems, KVB_ERROR, KVB_NOT_ALLOWED, HERE,
            "in the serve command: %s: what '%s' keeps in memory is not counted here; without the flag "
            "the checkpoint counts as it is",
            row->key, value);
    }
    if (text == plain && (reading->engine->traits & KVB_SERVE_C_NUMBERS) != 0) {
        say_read(reading, value, text);
    }
    if (flag->below_is_least && text == plain && is_below_one(text)) {
        text = row->minimum > 0 ? "1" : "0";
    }
    if (kvb_serve_value_read(flag, text, &number, why) != KVB_OK) {
        const char *typed = reading->abbreviated != NULL ? reading->abbreviated : "";
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_TYPE, HERE, "in the serve command: %.*s%s%s: %s",
                               (int)strcspn(typed, "="), typed, typed[0] != '\0' ? " is read as " : "",
                               flag->name != NULL && !flag->serve_only ? flag->name : row->key, why);
    }
    return set_number(reading, (enum kvb_setting)flag->id, number);
}

static enum kvb_status set_json(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag, const char *value)
{
    return kvb_json_flag(flag->part, value, KVB_ORIGIN_COMMAND, reading->deployment, reading->problems);
}

static enum kvb_status set_draft_model(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                       const char *value)
{
    char ignored[256];
    if (flag->read != NULL) {
        (void)flag->read(value, KVB_ORIGIN_COMMAND, reading->deployment, ignored);
    }
    bool ngram = strcmp(value, "[ngram]") == 0;
    if (!ngram) {
        (void)kvb_copy(reading->deployment->draft_model, sizeof reading->deployment->draft_model, value);
    }
    if (!ngram && reading->deployment->settings.values[KVB_SET_SPECULATIVE_METHOD].set) {
        return KVB_OK; // the path of what another flag names
    }
    return set_number(reading, KVB_SET_SPECULATIVE_METHOD, ngram ? KVB_SPECULATIVE_NGRAM : KVB_SPECULATIVE_DRAFT_MODEL);
}

// The first flag of this kind; the engine has one, or nobody would ask.
static const struct kvb_serve_flag *of_kind(const struct kvb_serve_reading *reading, enum kvb_serve_kind kind)
{
    const struct kvb_serve_flag *flag = reading->engine->flag(0);
    for (unsigned i = 1; flag->kind != kind; i++) {
        flag = reading->engine->flag(i);
    }
    return flag;
}

static enum kvb_status two_overrides(struct kvb_serve_reading *reading)
{
    const struct kvb_serve_flag *key = of_kind(reading, KVB_SERVE_CONFIG_KEY);
    const char *overrides = of_kind(reading, KVB_SERVE_OVERRIDES)->name;
    return kvb_problem_add(reading->problems, KVB_ERROR, KVB_NOT_ALLOWED, HERE,
                           "in the serve command: --%s and --%s together are not read; say %s inside --%s", key->name,
                           overrides, key->part, overrides);
}

static enum kvb_status set_overrides(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                     const char *value)
{
    reading->overrides_said = true;
    if (reading->key_said) {
        return two_overrides(reading);
    }
    if (!kvb_copy(reading->deployment->overrides, sizeof reading->deployment->overrides, value)) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "--%s is too long", flag->name);
    }
    return KVB_OK;
}

// One key of the config, as --rope-scaling replaced it before --hf-overrides could.
static enum kvb_status set_config_key(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                      const char *value)
{
    struct kvb_buffer json;
    reading->key_said = true;
    if (reading->overrides_said) {
        return two_overrides(reading);
    }
    kvb_buffer_init(&json);
    kvb_buffer_printf(&json, "{\"%s\": %s}", flag->part, value);
    bool whole =
        !json.failed && kvb_copy(reading->deployment->overrides, sizeof reading->deployment->overrides, json.data);
    kvb_buffer_free(&json);
    return whole
               ? KVB_OK
               : kvb_problem_add(reading->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "--%s is too long", flag->name);
}

static enum kvb_status set_own(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag, const char *value)
{
    char why[256] = "";
    if (value[0] == '{' && flag->part != NULL) {
        return set_json(reading, flag, value);
    }
    if (!flag->read(value, KVB_ORIGIN_COMMAND, reading->deployment, why)) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "in the serve command: %s", why);
    }
    return KVB_OK;
}

// NAME=PATH, or JSON with "path"; what cannot be read is the engine's to refuse, as it costs no memory.
static enum kvb_status add_adapter(struct kvb_serve_reading *reading, const char *value, bool bare)
{
    struct kvb_deployment *deployment = reading->deployment;
    struct kvb_tree tree;
    const char *equals = strchr(value, '=');
    if (deployment->adapter_count == KVB_ADAPTERS_MAX) {
        return KVB_OK;
    }
    char *out = deployment->adapters[deployment->adapter_count];
    if (value[0] != '{') {
        const char *path = equals != NULL ? equals + 1 : bare ? value : NULL;
        deployment->adapter_count += path != NULL && kvb_copy(out, KVB_NAME_CAPACITY, path) ? 1 : 0;
        return KVB_OK;
    }
    enum kvb_status status = kvb_tree_read(&tree, "--lora-modules", value, strlen(value), NULL);
    if (status == KVB_NO_MEMORY) {
        return kvb_problem_add(reading->problems, KVB_ERROR, status, HERE, "out of memory");
    }
    if (status == KVB_OK) {
        bool mapping = tree.root->kind == KVB_NODE_MAPPING;
        const struct kvb_node *path = mapping ? kvb_node_get(tree.root, bare ? "lora_path" : "path") : NULL;
        bool text = path != NULL && path->kind == KVB_NODE_SCALAR;
        deployment->adapter_count += text && kvb_copy(out, KVB_NAME_CAPACITY, path->text) ? 1 : 0;
        kvb_tree_free(&tree);
    }
    return KVB_OK;
}

enum kvb_status kvb_serve_set(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag, const char *value)
{
    if (flag->none_is_unsaid && strcmp(value, "None") == 0) {
        return KVB_OK;
    }
    switch (flag->kind) {
    case KVB_SERVE_SETTING:
        return set_setting(reading, flag, value);
    case KVB_SERVE_SETS:
        return set_number(reading, (enum kvb_setting)flag->id, flag->number);
    case KVB_SERVE_JSON:
    case KVB_SERVE_LIST:
        return set_json(reading, flag, value);
    case KVB_SERVE_MODEL:
        if (flag->read != NULL) {
            char ignored[256];
            (void)flag->read(value, KVB_ORIGIN_COMMAND, reading->deployment, ignored);
        }
        return kvb_serve_set_model(reading, value);
    case KVB_SERVE_REVISION:
        (void)kvb_copy(reading->deployment->revision, sizeof reading->deployment->revision, value);
        return KVB_OK;
    case KVB_SERVE_ADAPTERS:
        if (flag->number != 0) { // nobody said the setting: it follows
            enum kvb_setting follows = (enum kvb_setting)flag->id;
            kvb_settings_set(&reading->deployment->settings, follows, flag->number, KVB_ORIGIN_DEFAULT);
        }
        return add_adapter(reading, value, flag->number != 0);
    case KVB_SERVE_DRAFT_MODEL:
        return set_draft_model(reading, flag, value);
    case KVB_SERVE_OVERRIDES:
        return set_overrides(reading, flag, value);
    case KVB_SERVE_CONFIG_KEY:
        return set_config_key(reading, flag, value);
    case KVB_SERVE_OWN:
        return set_own(reading, flag, value);
    case KVB_SERVE_CONFIG_FILE:
        (void)kvb_problem_add(reading->problems, KVB_WARNING, KVB_NOT_ALLOWED, HERE,
                              "--%s %.200s is not read: %s looks for it as two words, --%s FILE", flag->name, value,
                              reading->engine->title, flag->name);
        return KVB_OK;
    case KVB_SERVE_OTHER_CONFIG:
        (void)kvb_problem_add(reading->problems, KVB_WARNING, KVB_NOT_ALLOWED, HERE,
                              "--%s %.200s is not read: the plan is of the model's own config", flag->name, value);
        return KVB_OK;
    case KVB_SERVE_NOTHING:
    case KVB_SERVE_VALUE:
    case KVB_SERVE_VALUES:
        break;
    }
    return KVB_OK;
}
