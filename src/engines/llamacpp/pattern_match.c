// The machine of a pattern run over a name: all readings are followed at once.
#include "engines/llamacpp/pattern.h"

#include <string.h>

struct places {
    uint16_t at[KVB_PATTERN_STEPS];
    uint32_t known[KVB_PATTERN_STEPS / 32 + 1];
    uint16_t count;
};

static void go_to(struct places *places, int step)
{
    uint32_t bit = UINT32_C(1) << step % 32;
    if ((places->known[step / 32] & bit) == 0) {
        places->known[step / 32] |= bit;
        places->at[places->count++] = (uint16_t)step;
    }
}

// All that is reached without a character; true: the end is.
static bool spread(const struct kvb_pattern *pattern, struct places *places, bool begin, bool end)
{
    for (uint16_t i = 0; i < places->count; i++) {
        int at = places->at[i];
        const struct kvb_pattern_step *step = &pattern->steps[at];
        switch (step->op) {
        case KVB_STEP_SPLIT:
            go_to(places, at + step->first);
            go_to(places, at + step->second);
            break;
        case KVB_STEP_JUMP:
            go_to(places, at + step->first);
            break;
        case KVB_STEP_BEGIN:
        case KVB_STEP_END:
            if (step->op == KVB_STEP_BEGIN ? begin : end) {
                go_to(places, at + 1);
            }
            break;
        case KVB_STEP_FOUND:
            return true;
        default:
            break;
        }
    }
    return false;
}

static bool takes(const struct kvb_pattern *pattern, const struct kvb_pattern_step *step, unsigned char c)
{
    bool in_set = (pattern->sets[step->letter < KVB_PATTERN_SETS ? step->letter : 0][c / 32] >> c % 32 & 1) != 0;
    return step->op == KVB_STEP_ANY || (step->op == KVB_STEP_LETTER && step->letter == c) ||
           (step->op == KVB_STEP_SET && in_set);
}

bool kvb_pattern_is_in(const struct kvb_pattern *pattern, const char *name)
{
    struct places both[2] = {{.count = 0}, {.count = 0}};
    struct places *now = &both[0], *next = &both[1];
    for (const char *at = name;; at++) {
        go_to(now, 0); // it may begin at any character
        if (spread(pattern, now, at == name, *at == '\0')) {
            return true;
        }
        if (*at == '\0') {
            return false;
        }
        memset(next, 0, sizeof *next);
        for (uint16_t i = 0; i < now->count; i++) {
            if (takes(pattern, &pattern->steps[now->at[i]], (unsigned char)*at)) {
                go_to(next, now->at[i] + 1);
            }
        }
        struct places *other = now;
        now = next;
        next = other;
    }
}
