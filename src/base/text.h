// Small helpers on NUL-ended text; ASCII only, no locale.
#ifndef KVB_BASE_TEXT_H
#define KVB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Copies and always ends in NUL; false when the text was cut.
bool kvb_copy(char *out, size_t capacity, const char *text);
// Adds the first `size` characters of `text` to the text in `out`, as far as there is room.
void kvb_append(char *out, size_t capacity, const char *text, size_t size);
void kvb_add_text(char *out, size_t capacity, const char *text); // all of it, as far as there is room
char kvb_lower(char c);
static inline bool kvb_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
bool kvb_equal_ignoring_case(const char *a, const char *b);
bool kvb_starts_with(const char *text, const char *prefix);
bool kvb_starts_with_ignoring_case(const char *text, const char *prefix);
bool kvb_ends_with(const char *text, const char *ending); // case ignored
bool kvb_cut_ending(char *text, const char *ending);      // case ignored; false when it ends otherwise or is no more
bool kvb_contains_ignoring_case(const char *text, const char *part);

// The first `part` that begins in the first `most` bytes; NULL: there is none. What lies behind them is not looked at.
const char *kvb_find_within(const char *text, size_t most, const char *part);

// Replaces what must not reach a terminal (control characters, direction marks, broken UTF-8) by '?'.
void kvb_make_printable(char *text);

// Behind the last slash; all of it when there is none.
const char *kvb_last_part(const char *path);

// A path rather than a name, by its looks alone: "-", "./x", "/x", "~/x", "a/b/c", "a\\b", "x.yaml", "x.json",
// "x.gguf". OWNER/NAME is a name.
bool kvb_is_path(const char *text);

// What went wrong while a word was pasted, to be said behind it: a dash that is no hyphen, a blank in front. "":
// nothing.
const char *kvb_word_slip(const char *word);

// "x.gguf": more than the ending alone.
bool kvb_is_gguf(const char *path);

// NAME=VALUE with a name that a shell would take.
bool kvb_is_assignment(const char *word);

// How the first `length` characters of a flag's name match a key, dashes and underscores being alike.
enum kvb_name_match { KVB_NAME_DIFFERS, KVB_NAME_BEGINS, KVB_NAME_EQUAL };
enum kvb_name_match kvb_match_name(const char *name, size_t length, const char *key);

// Letters to add, drop, change or swap with their neighbour; case ignored, both cut at 128 characters.
unsigned kvb_edit_distance(const char *a, const char *b);

// A running "did you mean": offer each candidate, then ask for the best one within reach.
struct kvb_nearest {
    const char *wanted;
    const char *best; // NULL when nothing is near enough (distance over a third of its length, but at least 1)
    unsigned distance;
};
void kvb_nearest_init(struct kvb_nearest *nearest, const char *wanted);
void kvb_nearest_offer(struct kvb_nearest *nearest, const char *candidate);

#endif
