// What a run belongs to: an era of releases, a family of models, a GPU.
#ifndef FIELD_GROUPS_H
#define FIELD_GROUPS_H

#include "figures.h"

typedef const char *group_of_run(const struct run *run);
group_of_run group_era;    // releases that charge alike
group_of_run group_family; // by the name of the model whose shape was planned
group_of_run group_gpu;

#endif
