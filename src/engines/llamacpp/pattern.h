// Regular expressions as --override-tensor takes them (ECMAScript's, by std::regex_search): found anywhere in a name.
// Matched without going back, in time that grows with pattern and name alone, and without memory of its own: the C
// library's regcomp takes other escapes, allocates, and has no bound on time.
#ifndef KVB_ENGINES_LLAMACPP_PATTERN_H
#define KVB_ENGINES_LLAMACPP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVB_PATTERN_STEPS 240
#define KVB_PATTERN_SETS 12
#define KVB_PATTERN_WHY 96

enum kvb_pattern_op {
    KVB_STEP_LETTER,
    KVB_STEP_ANY,
    KVB_STEP_SET,
    KVB_STEP_SPLIT,
    KVB_STEP_JUMP,
    KVB_STEP_BEGIN,
    KVB_STEP_END,
    KVB_STEP_FOUND,
};
struct kvb_pattern_step {
    uint8_t op, letter; // enum kvb_pattern_op; the number of a set
    int16_t first, second;
};
struct kvb_pattern {
    struct kvb_pattern_step steps[KVB_PATTERN_STEPS];
    uint32_t sets[KVB_PATTERN_SETS][8]; // one bit for each character
    uint16_t count;
    uint8_t set_count;
};

// False: `why` says what is wrong or not read ("a group that is not closed").
bool kvb_pattern_read(struct kvb_pattern *out, const char *text, size_t length, char why[KVB_PATTERN_WHY]);
bool kvb_pattern_is_in(const struct kvb_pattern *pattern, const char *name);

#endif
