// From a row of a table to the answer of the library: what `kvbudget plan` would have said before launch.
#ifndef FIELD_QUESTION_H
#define FIELD_QUESTION_H

#include <kvbudget/kvbudget.h>

#include "table.h"

struct answer {
    bool answered;
    char why_not[KVB_PROBLEM_TEXT_CAPACITY]; // the first error, when not answered
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_budget budget;
};

void question_ask(const struct table *table, size_t row, struct answer *answer);

#endif
