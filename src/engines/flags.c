// Asking an engine's table of flags.
#include "engines/flags.h"

#include <string.h>

#include "base/text.h"
#include "release/settings_value.h"

static enum kvb_name_match match(const struct kvb_engine_rows *engine, const char *name, size_t length,
                                 const char *candidate)
{
    unsigned both = KVB_SERVE_UNDERSCORES | KVB_SERVE_DASHES;
    bool alike = (engine->traits & both) != 0 || strncmp(name, candidate, length) == 0;
    enum kvb_name_match found = alike ? kvb_match_name(name, length, candidate) : KVB_NAME_DIFFERS;
    bool whole = (engine->traits & KVB_SERVE_ABBREVIATES) == 0;
    return whole && found == KVB_NAME_BEGINS ? KVB_NAME_DIFFERS : found;
}

enum kvb_serve_match kvb_serve_flag_find(const struct kvb_engine_rows *engine, const char *name, size_t length,
                                         const struct kvb_serve_flag **flag)
{
    const struct kvb_serve_flag *candidate;
    unsigned beginnings = 0;
    for (unsigned i = 0; length > 0 && (candidate = engine->flag(i)) != NULL; i++) {
        enum kvb_name_match found =
            candidate->name != NULL ? match(engine, name, length, candidate->name) : KVB_NAME_DIFFERS;
        if (found == KVB_NAME_EQUAL) {
            *flag = candidate;
            return KVB_SERVE_MATCH;
        }
        if (found == KVB_NAME_BEGINS) {
            *flag = candidate;
            beginnings++;
        }
    }
    return beginnings == 0 ? KVB_SERVE_NO_MATCH : beginnings == 1 ? KVB_SERVE_MATCH : KVB_SERVE_AMBIGUOUS;
}

const struct kvb_serve_flag *kvb_serve_short_find(const struct kvb_engine_rows *engine, const char *word, size_t length,
                                                  size_t *used)
{
    const struct kvb_serve_flag *candidate, *best = NULL;
    *used = 0;
    for (unsigned i = 0; (candidate = engine->flag(i)) != NULL; i++) {
        size_t size = candidate->short_name != NULL ? strlen(candidate->short_name) : 0;
        bool begins = size > 0 && size <= length && strncmp(word, candidate->short_name, size) == 0;
        bool digits = begins && strspn(word + size, "0123456789") >= length - size;
        bool whole = (engine->traits & KVB_SERVE_ABBREVIATES) == 0 ? size == length : size == length || digits;
        if (begins && size > *used && (whole || candidate->attached)) {
            best = candidate;
            *used = size;
        }
    }
    return best;
}

const struct kvb_serve_flag *kvb_serve_flag_of(const struct kvb_engine_rows *engine, enum kvb_setting setting,
                                               uint64_t number)
{
    const struct kvb_serve_flag *candidate;
    for (unsigned i = 0; (candidate = engine->flag(i)) != NULL; i++) {
        bool sets = candidate->kind == KVB_SERVE_SETS && candidate->number == number;
        bool says = candidate->kind == KVB_SERVE_SETTING || sets;
        if (says && candidate->id == (uint32_t)setting && !candidate->serve_only) {
            return candidate;
        }
    }
    return NULL;
}

static const struct kvb_setting_part *find_part(const struct kvb_engine_rows *engine, enum kvb_setting setting)
{
    size_t count = 0;
    const struct kvb_setting_part *parts = engine->parts != NULL ? engine->parts(&count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].setting == setting) {
            return &parts[i];
        }
    }
    return NULL;
}

const struct kvb_setting_part *kvb_part_of_setting(const struct kvb_engine_rows *engine, enum kvb_setting setting)
{
    const struct kvb_setting_part *part = find_part(engine, setting);
    return part != NULL && part->key != NULL ? part : NULL;
}

static bool says_setting(const struct kvb_serve_flag *flag)
{
    return (flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS) && !flag->serve_only;
}

bool kvb_engine_has(const struct kvb_engine_rows *engine, enum kvb_setting setting, uint32_t *since, uint32_t *until)
{
    const struct kvb_setting_part *part = find_part(engine, setting);
    *since = part != NULL ? part->since : 0;
    *until = part != NULL ? part->until : 0;
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; part == NULL && (flag = engine->flag(i)) != NULL; i++) {
        if (says_setting(flag) && flag->id == (uint32_t)setting) {
            *since = flag->since;
            *until = flag->until;
            return true;
        }
    }
    return part != NULL;
}

void kvb_engine_shown(const struct kvb_engine_rows *engine, bool shown[KVB_SETTING_COUNT])
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        shown[i] = !kvb_setting_row_of((enum kvb_setting)i)->own; // no part of a flag with JSON is one engine's own
    }
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = engine->flag(i)) != NULL; i++) {
        if (says_setting(flag)) {
            shown[flag->id] = true;
        }
    }
}

enum kvb_status kvb_serve_value_read(const struct kvb_serve_flag *flag, const char *text, uint64_t *number,
                                     char why[256])
{
    struct kvb_setting_row row = *kvb_setting_row_of((enum kvb_setting)flag->id);
    for (uint32_t i = 0; row.kind == KVB_VALUE_LENGTH && i < flag->word_count; i++) { // words beside numbers
        if (strcmp(flag->words[i].text, text) == 0) {
            *number = flag->words[i].number == KVB_WORD_AUTO ? KVB_AUTO : flag->words[i].number;
            return KVB_OK;
        }
    }
    bool own = flag->words != NULL && row.kind != KVB_VALUE_LENGTH;
    row.words = own ? flag->words : row.words;
    row.word_count = own ? flag->word_count : row.word_count;
    return kvb_setting_read(&row, text, number, why);
}

char *kvb_serve_value_format(char out[48], const struct kvb_serve_flag *flag, uint64_t number)
{
    struct kvb_setting_row row = *kvb_setting_row_of((enum kvb_setting)flag->id);
    bool own = flag->words != NULL && row.kind != KVB_VALUE_LENGTH;
    row.words = own ? flag->words : row.words;
    row.word_count = own ? flag->word_count : row.word_count;
    return kvb_setting_write(out, &row, number);
}
