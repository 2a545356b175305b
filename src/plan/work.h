// Work memory of the questions that try changed plans. It is too large for a small stack, and this room allocates
// nothing: whoever asks brings it (src/answer/work_memory.c, where the public functions stand).
#ifndef KVB_PLAN_WORK_H
#define KVB_PLAN_WORK_H

#include <kvbudget/machine.h>
#include <kvbudget/residents.h>

#include "budget/reuse.h"

struct kvb_plan_work {
    struct kvb_plan plan; // the copy that is changed
    struct kvb_budget budget, tried, room;
    struct kvb_problems problems;
    struct kvb_reuse reuse; // between the tries of one question
};

enum kvb_status kvb_advise_in(struct kvb_plan_work *work, const struct kvb_plan *plan, const struct kvb_budget *budget,
                              struct kvb_advice *advice) KVB_MUST_USE;
enum kvb_status kvb_calibrate_in(struct kvb_plan_work *work, const struct kvb_plan *logged,
                                 const struct kvb_measured *measured, struct kvb_calibration *calibration) KVB_MUST_USE;
enum kvb_status kvb_side_by_side_in(struct kvb_plan_work *work, const struct kvb_gpu *gpu,
                                    const struct kvb_resident *residents, uint32_t count,
                                    struct kvb_side_by_side *answer, struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_training_in(struct kvb_plan_work *work, const struct kvb_trainer *trainer,
                                const struct kvb_plan *engine, uint64_t others_bytes, struct kvb_training *training,
                                struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_machine_rank_in(struct kvb_plan_work *work, const struct kvb_plan *plan,
                                    const struct kvb_machine *machine, const bool *pool, struct kvb_ranking *ranking,
                                    struct kvb_problems *problems) KVB_MUST_USE;

#endif
