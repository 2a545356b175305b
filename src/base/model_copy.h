// Copies of models and plans without the room for tensor classes that they do not use: two thirds of a model, which few
// fill. Memory nobody touched costs nothing.
#ifndef KVB_BASE_MODEL_COPY_H
#define KVB_BASE_MODEL_COPY_H

#include <stddef.h>
#include <string.h>

#include <kvbudget/plan.h>

static inline void kvb_checkpoint_clear(struct kvb_checkpoint *checkpoint)
{
    memset(checkpoint, 0, offsetof(struct kvb_checkpoint, classes));
}

static inline void kvb_model_clear(struct kvb_model *model)
{
    memset(model, 0, offsetof(struct kvb_model, checkpoint));
    kvb_checkpoint_clear(&model->checkpoint);
}

static inline void kvb_model_copy(struct kvb_model *to, const struct kvb_model *from)
{
    size_t classes_bytes = from->checkpoint.class_count * sizeof from->checkpoint.classes[0];
    memcpy(to, from, offsetof(struct kvb_model, checkpoint.classes) + classes_bytes);
}

static inline void kvb_plan_clear(struct kvb_plan *plan)
{
    size_t behind = offsetof(struct kvb_plan, draft);
    kvb_model_clear(&plan->model);
    memset((char *)plan + behind, 0, sizeof *plan - behind);
}

static inline void kvb_plan_copy(struct kvb_plan *to, const struct kvb_plan *from)
{
    size_t behind = offsetof(struct kvb_plan, draft);
    kvb_model_copy(&to->model, &from->model);
    memcpy((char *)to + behind, (const char *)from + behind, sizeof *to - behind);
}

#endif
