// Which figures of two budgets are set side by side.
#include <stddef.h>

#include "report/plan_report.h"

static int64_t whole(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static struct kvb_compared other_term(const struct kvb_budget *from, const struct kvb_budget *to, unsigned index)
{
    const struct kvb_compared terms[] = {
        {"needed_bytes", whole(from->needed_bytes), whole(to->needed_bytes), true},
        {"balance_bytes", from->balance_bytes, to->balance_bytes, true},
        {"outside_bytes", from->outside_bytes, to->outside_bytes, true},
        {"slack_bytes", from->slack_bytes, to->slack_bytes, true},
        {"num_blocks", whole(from->kv.num_blocks), whole(to->kv.num_blocks), false},
        {"tokens", whole(from->kv.tokens), whole(to->kv.tokens), false},
        {"max_model_len_that_fits", whole(from->kv.max_model_len_that_fits), whole(to->kv.max_model_len_that_fits),
         false},
    };
    return index < sizeof terms / sizeof terms[0] ? terms[index] : (struct kvb_compared){0};
}

bool kvb_report_compared(const struct kvb_budget *from, const struct kvb_budget *to, unsigned index,
                         struct kvb_compared *compared)
{
    if (index == 0) {
        *compared =
            (struct kvb_compared){"requested_bytes", whole(from->requested_bytes), whole(to->requested_bytes), true};
    } else if (index <= KVB_ITEM_COUNT) {
        *compared = (struct kvb_compared){kvb_item_row_of(index - 1)->key, from->items[index - 1].bytes,
                                          to->items[index - 1].bytes, true};
    } else {
        *compared = other_term(from, to, index - 1 - KVB_ITEM_COUNT);
    }
    return compared->key != NULL;
}
