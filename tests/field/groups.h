// What a run belongs to: an era of releases, a family or kind of models, a GPU or a class of cards.
#ifndef FIELD_GROUPS_H
#define FIELD_GROUPS_H

#include "figures.h"

typedef const char *group_of_run(const struct run *run);
group_of_run group_era;    // releases that charge alike
group_of_run group_family; // by the name of the model whose shape was planned
group_of_run group_gpu;
group_of_run group_card_class; // by what the card is bought for
group_of_run group_kind;       // by what the model keeps of the past
group_of_run group_start;      // by whether compiled graphs were found, which decides what 0.20 and later charge

// The kind a model belongs to: the rarest thing it has decides.
const char *group_of_model(const struct kvb_model *model);

#endif
