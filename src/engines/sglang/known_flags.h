// Which flags each SGLang release knows: a generated table (scripts/sglang-tables) and how it is asked.
#ifndef KVB_ENGINES_SGLANG_KNOWN_FLAGS_H
#define KVB_ENGINES_SGLANG_KNOWN_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include <kvbudget/plan.h>

struct kvb_sgl_known_flag {
    char name[64]; // held here: a pointer costs the start a relocation; without two dashes in front; a short form with
                   // its one dash
    uint32_t since, until; // the first release with it, 0: all before the next; the first without, 0: none
    char values;           // '0' none, 'b' none and a --no- form, '1' one, '?' one or none, '+' several
    char type;             // of each: 'i' int(), 'h' human_readable_int, 'f' float(), 'j' JSON, 'w' one of its words,
                           // 'd' an int() that is one, 's' any
};
extern const struct kvb_sgl_known_flag kvb_sgl_known_flags[];
extern const size_t kvb_sgl_known_flag_count;

// A word that a flag of type 'w' or 'd' takes.
struct kvb_sgl_known_word {
    char flag[40], word[32]; // held here, as above
    uint32_t since, until;
};
extern const struct kvb_sgl_known_word kvb_sgl_known_words[];
extern const size_t kvb_sgl_known_word_count;

// The row that the release's parser takes `name` for, whole or as the beginning of one flag alone; NULL: none, or
// several (`matches`). Release 0: any.
const struct kvb_sgl_known_flag *kvb_sgl_known_flag_of(const char *name, size_t length, uint32_t release,
                                                       unsigned *matches);
// The words of a flag at that release: the first from `*next` on, or NULL.
const char *kvb_sgl_known_word_of(const char *flag, uint32_t release, size_t *next);
// The flag of any release that is spelled most like `name`; NULL: none is near.
const char *kvb_sgl_known_flag_near(const char *name, size_t length);

#endif
