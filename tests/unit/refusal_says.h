// One rule of vLLM's refusals asked alone, whatever comes before it in the table.
#ifndef KVB_TESTS_REFUSAL_SAYS_H
#define KVB_TESTS_REFUSAL_SAYS_H

#include <string.h>

#include "engines/vllm/refusal.h"
#include "unit/plans.h"

// Fails unless the rule refuses the plan with a sentence that has this part; NULL: unless it lets the plan pass.
static inline void says(kvb_refusal_test *rule, const struct kvb_plan *plan, const char *part)
{
    char out[KVB_ERROR_TEXT_CAPACITY] = "";
    bool refused = rule(resolved(plan), out);
    bool right = part == NULL ? !refused : refused && strstr(out, part) != NULL;
    if (!right) {
        fail_msg("wanted '%s', got '%s'", part != NULL ? part : "nothing", refused ? out : "nothing");
    }
}

static inline void give(struct kvb_plan *plan, enum kvb_plain_number which, uint64_t number)
{
    plan->plain_numbers[which] = (struct kvb_plain_value){.set = true, .number = number};
}

#endif
