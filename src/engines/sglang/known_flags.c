// Asks the generated table which flags a release knows.
#include "engines/sglang/known_flags.h"

#include <string.h>

#include "base/text.h"

static bool covers(uint32_t since, uint32_t until, uint32_t release)
{
    return release == 0 || (since <= release && (until == 0 || release < until));
}

const struct kvb_sgl_known_flag *kvb_sgl_known_flag_of(const char *name, size_t length, uint32_t release,
                                                       unsigned *matches)
{
    const struct kvb_sgl_known_flag *found = NULL;
    *matches = 0;
    for (size_t i = 0; i < kvb_sgl_known_flag_count; i++) {
        const struct kvb_sgl_known_flag *row = &kvb_sgl_known_flags[i];
        if (!covers(row->since, row->until, release) || strncmp(row->name, name, length) != 0) {
            continue;
        }
        if (row->name[length] == '\0') {
            *matches = 1;
            return row;
        }
        bool again = found != NULL && strcmp(found->name, row->name) == 0; // a row more of the same flag
        *matches += again ? 0 : 1;
        found = row;
    }
    return *matches == 1 ? found : NULL;
}

const char *kvb_sgl_known_word_of(const char *flag, uint32_t release, size_t *next)
{
    while (*next < kvb_sgl_known_word_count) {
        const struct kvb_sgl_known_word *row = &kvb_sgl_known_words[(*next)++];
        if (strcmp(row->flag, flag) == 0 && covers(row->since, row->until, release)) {
            return row->word;
        }
    }
    return NULL;
}

const char *kvb_sgl_known_flag_near(const char *name, size_t length)
{
    char wanted[80] = ""; // longer than any flag
    struct kvb_nearest nearest;
    kvb_append(wanted, sizeof wanted, name, length);
    for (char *c = wanted; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c; // argparse takes dashes alone
    }
    kvb_nearest_init(&nearest, wanted);
    for (size_t i = 0; i < kvb_sgl_known_flag_count; i++) {
        const struct kvb_sgl_known_flag *row = &kvb_sgl_known_flags[i];
        if (row->name[0] != '-') { // one of a single dash
            kvb_nearest_offer(&nearest, row->name);
        }
    }
    return nearest.best;
}
