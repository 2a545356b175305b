// What is said of a flag that nobody knows: whose it is, how it is written here, or which one was meant.
#include "cli/unknown_flag.h"

#include <string.h>

#include "base/text.h"
#include "command/setting_flag.h"

// Each part of what was typed begins a part of the name, in its order: gpu-mem-util, max-len.
static bool abbreviates(const char *wanted, const char *name)
{
    while (*wanted != '\0') {
        size_t part = strcspn(wanted, "-");
        while (strncmp(name, wanted, part) != 0) {
            name += strcspn(name, "-");
            if (*name++ == '\0') {
                return false;
            }
        }
        name += strcspn(name, "-");
        name += *name == '-';
        wanted += part;
        wanted += *wanted == '-';
    }
    return true;
}

// The shortest flag that what was typed abbreviates, or else the nearest one; NULL: none.
static const char *nearest_flag(const struct option_list *list, const char *wanted)
{
    struct kvb_nearest nearest;
    const char *completed = NULL;
    kvb_nearest_init(&nearest, wanted);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct option_row *row = &list->rows[i];
        if (row->short_name != NULL && strcmp(row->short_name + 1, wanted) == 0) {
            return row->name;
        }
        kvb_nearest_offer(&nearest, row->name);
        bool begins = strlen(wanted) >= 3 && abbreviates(wanted, row->name);
        if (begins && (completed == NULL || strlen(row->name) < strlen(completed))) {
            completed = row->name;
        }
    }
    return completed != NULL ? completed : nearest.best;
}

// A flag that another engine has; when this one has the same setting, its own flag of it.
static enum kvb_status flag_of_another(struct arguments *arguments, const struct option_list *list, const char *name,
                                       size_t length, const struct kvb_engine_rows *other,
                                       const struct kvb_serve_flag *flag)
{
    const struct kvb_engine_rows *engine = list->engine;
    char own_name[KVB_FLAG_CAPACITY];
    int shown = (int)(length < 80 ? length : 80);
    const struct kvb_serve_flag *own =
        flag->kind == KVB_SERVE_SETTING ? kvb_serve_flag_of(engine, (enum kvb_setting)flag->id, flag->number) : NULL;
    if (own != NULL) {
        return kvb_options_mistake(arguments, "%s has no flag '%.*s': there it is %s; %s has it: --engine %s",
                                   engine->title, shown, name, kvb_serve_flag_name(own_name, own), other->title,
                                   other->name);
    }
    return kvb_options_mistake(arguments, "%s has no flag '%.*s'; %s has: --engine %s", engine->title, shown, name,
                               other->title, other->name);
}

// A second spelling of the engine's own, which a serve command takes; NULL: it has none.
static const struct kvb_serve_flag *first_spelling(const struct option_list *list, const char *name, size_t length)
{
    const struct kvb_engine_rows *engine = list->engine;
    const struct kvb_serve_flag *flag = NULL;
    bool asked = engine != NULL && length > 2 && strncmp(name, "--", 2) == 0;
    if (!asked || kvb_serve_flag_find(engine, name + 2, length - 2, &flag) != KVB_SERVE_MATCH || !flag->serve_only ||
        flag->kind != KVB_SERVE_SETTING) {
        return NULL;
    }
    return kvb_serve_flag_of(engine, (enum kvb_setting)flag->id, flag->number);
}

enum kvb_status kvb_unknown_flag(struct arguments *arguments, const struct option_list *list, const char *name,
                                 size_t length)
{
    char wanted[128], spelled[KVB_FLAG_CAPACITY];
    const struct kvb_serve_flag *first = first_spelling(list, name, length);
    if (first != NULL) {
        return kvb_options_mistake(arguments, "'%.*s' is written %s here", (int)(length < 80 ? length : 80), name,
                                   kvb_serve_flag_name(spelled, first));
    }
    size_t dashes = strncmp(name, "--", 2) == 0 ? 2 : 1;
    size_t kept = length - dashes < sizeof wanted - 1 ? length - dashes : sizeof wanted - 1;
    memcpy(wanted, name + dashes, kept);
    wanted[kept] = '\0';
    for (char *c = wanted; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    const struct kvb_serve_flag *flag = NULL;
    const struct kvb_engine_rows *other = kvb_options_engine_with(list, name, length, &flag);
    if (other != NULL) {
        return flag_of_another(arguments, list, name, length, other, flag);
    }
    const char *best = nearest_flag(list, wanted);
    if (kvb_options_is_of_line(list, name, length)) {
        return kvb_options_mistake(arguments, "'%.*s' is read in a serve command: put it behind --, as in -- %s %.*s",
                                   (int)length, name, kvb_options_line_of(list), (int)length, name);
    }
    if (best == NULL) {
        return kvb_options_mistake(arguments, "unknown flag '%.*s'", (int)(length < 80 ? length : 80), name);
    }
    return kvb_options_mistake(arguments, "unknown flag '%.*s'; did you mean '--%s'?", (int)(length < 80 ? length : 80),
                               name, best);
}
