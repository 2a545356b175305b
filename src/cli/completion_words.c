// The words and names that the scripts of all shells complete.
#include "cli/completion.h"

#include <string.h>

#include <kvbudget/input.h>

void kvb_completion_words(struct kvb_buffer *out, const struct option_row *row)
{
    if (row->words != NULL) {
        for (unsigned i = 0; row->words[i] != NULL; i++) {
            kvb_buffer_printf(out, "%s%s", i > 0 ? " " : "", row->words[i]);
        }
        return;
    }
    if (row->flag == NULL || row->argument == NULL || row->flag->kind != KVB_SERVE_SETTING) {
        return;
    }
    const struct kvb_setting_row *setting = kvb_setting_row_of((enum kvb_setting)row->flag->id);
    const struct kvb_word *words = row->flag->words != NULL ? row->flag->words : setting->words;
    uint32_t count = row->flag->words != NULL ? row->flag->word_count : setting->word_count;
    for (uint32_t i = 0; setting->kind == KVB_VALUE_WORD && i < count; i++) {
        kvb_buffer_printf(out, "%s%s", i > 0 ? " " : "", words[i].text);
    }
}

// Lists of names: the operand that prints one, and the flag that takes one of them.
static const struct {
    const char *operand, *flag;
    enum kvb_profile_kind kind;
} name_lists[] = {
    {"models", "model", KVB_PROFILE_MODEL},
    {"gpus", "gpu", KVB_PROFILE_GPU},
    {"engines", "engine", KVB_PROFILE_ENGINE},
    {"deployments", NULL, KVB_PROFILE_DEPLOYMENT},
};
#define NAME_LIST_COUNT (sizeof name_lists / sizeof name_lists[0])

const char *kvb_completion_names_of(const struct option_row *row)
{
    for (size_t i = 0; row->argument != NULL && i < NAME_LIST_COUNT; i++) {
        if (name_lists[i].flag != NULL && strcmp(row->name, name_lists[i].flag) == 0) {
            return name_lists[i].operand;
        }
    }
    return NULL;
}

bool kvb_completion_write_names(struct kvb_buffer *out, const char *operand)
{
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < NAME_LIST_COUNT; i++) {
        if (strcmp(name_lists[i].operand, operand) != 0) {
            continue;
        }
        for (size_t r = 0; r < count; r++) {
            if (rows[r].kind == name_lists[i].kind) {
                kvb_buffer_printf(out, "%s\n", rows[r].id);
            }
        }
        return true;
    }
    return false;
}
