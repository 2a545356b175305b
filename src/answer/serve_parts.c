// Flags of a serve command that are made of several settings: JSON flags, and which of them change.
#include "answer/serve_parts.h"

#include <string.h>

#include "base/text.h"
#include "command/setting_flag.h"
#include "text/tree.h"
#include "text/tree_text.h"

const struct kvb_serve_flag *kvb_serve_part_at(const struct kvb_engine_rows *engine, unsigned index)
{
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = engine->flag(i)) != NULL; i++) {
        bool json = flag->kind == KVB_SERVE_JSON || flag->kind == KVB_SERVE_LIST || flag->kind == KVB_SERVE_OVERRIDES;
        if (json && !flag->serve_only && index-- == 0) {
            return flag;
        }
    }
    return NULL;
}

// The member that a setting is of this flag, or NULL.
static const struct kvb_setting_part *member_of(const struct kvb_engine_rows *engine, const struct kvb_serve_flag *flag,
                                                unsigned setting)
{
    const struct kvb_setting_part *member = kvb_part_of_setting(engine, (enum kvb_setting)setting);
    return member != NULL && strcmp(member->flag, flag->part) == 0 ? member : NULL;
}

bool kvb_serve_part_is_advised(const struct kvb_engine_rows *engine, const struct kvb_serve_flag *flag,
                               const struct serve_settings *settings, const struct kvb_question *question)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct serve_setting *value = &settings->values[i];
        const struct kvb_setting_value *asked = &question->deployment.settings.values[i];
        if (member_of(engine, flag, i) != NULL && value->changed &&
            (!value->written || !asked->set || asked->number != value->number)) {
            return true;
        }
    }
    return false;
}

void kvb_serve_part_write(struct kvb_buffer *out, const struct kvb_engine_rows *engine,
                          const struct kvb_serve_flag *flag, const struct serve_settings *settings,
                          const struct kvb_deployment *deployment)
{
    bool drafts = false;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_part *member = member_of(engine, flag, i);
        char value[64];
        if (member != NULL && settings->values[i].written) {
            drafts = drafts || i == KVB_SET_SPECULATIVE_METHOD || i == KVB_SET_NUM_SPECULATIVE_TOKENS;
            kvb_buffer_printf(out, "%s\"%s\": %s", out->length == 0 ? "{" : ", ", member->key,
                              kvb_setting_part_value(value, member, settings->values[i].number));
        }
    }
    if (drafts && deployment->draft_model[0] != '\0') {
        const struct kvb_node model = {.kind = KVB_NODE_SCALAR, .quoted = true, .text = deployment->draft_model};
        kvb_buffer_add(out, ", \"model\": ");
        kvb_node_write_json(out, &model);
    }
    kvb_buffer_add(out, out->length > 0 ? "}" : "");
}

static bool part_is_said(const struct kvb_engine_rows *engine, const struct kvb_serve_flag *flag,
                         const struct serve_settings *settings, const struct kvb_question *question)
{
    for (uint32_t i = 0; i < question->typed_count; i++) {
        if (strcmp(question->typed[i].name, flag->name) == 0) {
            return true;
        }
    }
    return kvb_serve_part_is_advised(engine, flag, settings, question);
}

// The flag that the engine reads a word of the command as, or NULL.
static const struct kvb_serve_flag *flag_of(const struct kvb_engine_rows *engine, const char *word)
{
    const struct kvb_serve_flag *flag = NULL;
    size_t whole = strcspn(word, "="), used;
    if (!kvb_starts_with(word, "--")) {
        flag = kvb_serve_short_find(engine, word, whole, &used);
        return flag != NULL && used == whole ? flag : NULL;
    }
    if (kvb_serve_flag_find(engine, word + 2, whole - 2, &flag) == KVB_SERVE_MATCH) {
        return flag;
    }
    bool negated = kvb_starts_with(word, "--no-") || kvb_starts_with(word, "--no_");
    return negated && kvb_serve_flag_find(engine, word + 5, whole - 5, &flag) == KVB_SERVE_MATCH ? flag : NULL;
}

bool kvb_serve_flag_is_changed(const struct kvb_engine_rows *engine, const char *word,
                               const struct serve_settings *settings, const struct kvb_question *question,
                               bool *takes_value)
{
    const struct kvb_serve_flag *flag = flag_of(engine, word);
    *takes_value = true;
    if (flag == NULL) {
        return false;
    }
    if (flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS) {
        *takes_value =
            flag->kind == KVB_SERVE_SETTING && kvb_setting_row_of((enum kvb_setting)flag->id)->kind != KVB_VALUE_SWITCH;
        return settings->values[flag->id].changed;
    }
    return flag->part != NULL && part_is_said(engine, flag, settings, question);
}
