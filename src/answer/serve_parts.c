// Flags of a serve command that are made of several settings: JSON flags, and which of them change.
#include "answer/serve_parts.h"

#include <string.h>

#include "base/text.h"
#include "command/setting_flag.h"

static const char *const parts[] = {"limit-mm-per-prompt", "mm-processor-kwargs",     "compilation-config",
                                    "speculative-config",  "cudagraph-capture-sizes", "kv-transfer-config",
                                    "hf-overrides"};
#define PART_COUNT (sizeof parts / sizeof parts[0])

unsigned kvb_serve_part_count(void)
{
    return PART_COUNT;
}

const char *kvb_serve_part_name(unsigned part)
{
    return parts[part];
}

// The member that a setting is of this flag, or NULL.
static const struct kvb_setting_part *member_of(unsigned part, unsigned setting)
{
    const struct kvb_setting_part *member = kvb_setting_part((enum kvb_setting)setting);
    return member != NULL && strcmp(member->flag, parts[part]) == 0 ? member : NULL;
}

bool kvb_serve_part_is_advised(unsigned part, const struct serve_settings *settings,
                               const struct kvb_question *question)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct serve_setting *value = &settings->values[i];
        const struct kvb_setting_value *asked = &question->deployment.settings.values[i];
        if (member_of(part, i) != NULL && value->changed &&
            (!value->written || !asked->set || asked->number != value->number)) {
            return true;
        }
    }
    return false;
}

void kvb_serve_part_write(struct kvb_buffer *out, unsigned part, const struct serve_settings *settings,
                          const struct kvb_deployment *deployment)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_part *member = member_of(part, i);
        char value[64];
        if (member != NULL && settings->values[i].written) {
            kvb_buffer_printf(out, "%s\"%s\": %s", out->length == 0 ? "{" : ", ", member->key,
                              kvb_setting_part_value(value, member, settings->values[i].number));
        }
    }
    if (out->length > 0 && strcmp(parts[part], "speculative-config") == 0 && deployment->draft_model[0] != '\0') {
        kvb_buffer_printf(out, ", \"model\": \"%s\"", deployment->draft_model);
    }
    kvb_buffer_add(out, out->length > 0 ? "}" : "");
}

static bool is_short_form(const char *word, size_t length, const struct kvb_setting_row *row)
{
    return row->short_name != NULL && strlen(row->short_name) == length && strncmp(word, row->short_name, length) == 0;
}

static bool part_is_said(unsigned part, const struct serve_settings *settings, const struct kvb_question *question)
{
    for (uint32_t i = 0; i < question->typed_count; i++) {
        if (strcmp(question->typed[i].name, parts[part]) == 0) {
            return true;
        }
    }
    return kvb_serve_part_is_advised(part, settings, question);
}

static bool json_flag_is_changed(const char *name, size_t length, const struct serve_settings *settings,
                                 const struct kvb_question *question)
{
    for (unsigned i = 0; i < PART_COUNT; i++) {
        if (kvb_match_name(name, length, parts[i]) == KVB_NAME_EQUAL) {
            return part_is_said(i, settings, question);
        }
    }
    return false;
}

bool kvb_serve_flag_is_changed(const char *word, const struct serve_settings *settings,
                               const struct kvb_question *question, bool *takes_value)
{
    size_t whole = strcspn(word, "=");
    bool is_long = kvb_starts_with(word, "--");
    bool negated = kvb_starts_with(word, "--no-") || kvb_starts_with(word, "--no_");
    const char *name = word + (negated ? 5 : 2);
    size_t length = whole - (size_t)(name - word);
    unsigned best = KVB_SETTING_COUNT;
    enum kvb_name_match best_match = KVB_NAME_DIFFERS;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of(i);
        enum kvb_name_match found = KVB_NAME_DIFFERS;
        if (is_short_form(word, whole, row)) {
            found = KVB_NAME_EQUAL;
        } else if (row->kind != KVB_VALUE_PART && is_long && whole > 4) {
            found = kvb_match_name(name, length, row->key);
        }
        if (found > best_match) {
            best = i;
            best_match = found;
        }
    }
    if (best == KVB_SETTING_COUNT) {
        *takes_value = true;
        return is_long && json_flag_is_changed(name, length, settings, question);
    }
    *takes_value = kvb_setting_row_of(best)->kind != KVB_VALUE_SWITCH;
    return settings->values[best].changed;
}
