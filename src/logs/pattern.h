// Literal text with typed holes, matched in one pass: the whole language of the recognisers.
//
//   ' '      one or more blanks, several likewise; a line break that wrapping put in counts as one
//   {size}   number and unit (bytes, KiB, MiB, GiB, ... "GB" means GiB, as engines print it)
//   {gib}    number of GiB without a unit            {mib}   number of MiB without a unit
//   {mem}    GiB when the unit follows, else bytes    {bytes} whole number of bytes
//   {count}  whole number, commas allowed             {dec}   decimal, in hundredths
//   {ppm}    decimal fraction, in millionths
//   {num}    decimal as metrics print it ("3.0", "1.2e+06"), to the nearest whole; {part} likewise, in millionths
//   {word}   up to a blank, comma, bracket or quote   {any}   skips to the next literal, same line
//   {name}   up to a round bracket, a quote or the end of the line
//   {sep}    blanks and : = | * ` ~, as lists, tables and emphasis put between a name and its figure
//   {!x}     the next character is not x
#ifndef KVB_LOGS_PATTERN_H
#define KVB_LOGS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVB_HOLES_MAX 8

struct kvb_hole {
    int64_t value;
    const char *text; // the slice of the input
    size_t length;
};

// Matches `pattern` at `start` of `text`; fills the holes that carry a value, in order. `end` receives
// the offset behind the match, or where it failed.
bool kvb_pattern_match(const char *pattern, const char *text, size_t length, size_t start,
                       struct kvb_hole holes[KVB_HOLES_MAX], size_t *end);

// The literal that identifies a pattern: its first literal run. `leading_hole` tells that a hole stands before it.
size_t kvb_pattern_anchor(const char *pattern, const char **anchor, bool *leading_hole);

// How many holes carry a value.
unsigned kvb_pattern_holes(const char *pattern);

#endif
