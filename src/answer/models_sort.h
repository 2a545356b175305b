// The order in which models are shown.
#ifndef KVB_ANSWER_MODELS_SORT_H
#define KVB_ANSWER_MODELS_SORT_H

#include <kvbudget/models.h>

// Sorts the rows and marks the best of each family.
void kvb_models_sort(struct kvb_models *models);

#endif
