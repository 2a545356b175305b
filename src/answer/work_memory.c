// Public questions whose arithmetic tries changed plans: the memory for that is taken here, so that the rooms of
// arithmetic allocate nothing and a thread with a small stack may ask.
#include "base/memory.h"
#include "plan/work.h"

enum kvb_status kvb_advise(const struct kvb_plan *plan, const struct kvb_budget *budget, struct kvb_advice *advice)
{
    struct kvb_plan_work *work = kvb_reallocate(NULL, sizeof *work);
    enum kvb_status status = work != NULL ? kvb_advise_in(work, plan, budget, advice) : KVB_NO_MEMORY;
    kvb_free(work);
    return status;
}

enum kvb_status kvb_calibrate(const struct kvb_plan *logged, const struct kvb_measured *measured,
                              struct kvb_calibration *calibration)
{
    struct kvb_plan_work *work = kvb_reallocate(NULL, sizeof *work);
    enum kvb_status status = work != NULL ? kvb_calibrate_in(work, logged, measured, calibration) : KVB_NO_MEMORY;
    kvb_free(work);
    return status;
}

enum kvb_status kvb_side_by_side_compute(const struct kvb_gpu *gpu, const struct kvb_resident *residents,
                                         uint32_t count, struct kvb_side_by_side *answer, struct kvb_problems *problems)
{
    struct kvb_plan_work *work = kvb_reallocate(NULL, sizeof *work);
    enum kvb_status status =
        work != NULL ? kvb_side_by_side_in(work, gpu, residents, count, answer, problems) : KVB_NO_MEMORY;
    kvb_free(work);
    return status;
}

enum kvb_status kvb_training_compute(const struct kvb_trainer *trainer, const struct kvb_plan *engine,
                                     uint64_t others_bytes, struct kvb_training *training,
                                     struct kvb_problems *problems)
{
    struct kvb_plan_work *work = kvb_reallocate(NULL, sizeof *work);
    enum kvb_status status =
        work != NULL ? kvb_training_in(work, trainer, engine, others_bytes, training, problems) : KVB_NO_MEMORY;
    kvb_free(work);
    return status;
}

enum kvb_status kvb_machine_rank(const struct kvb_plan *plan, const struct kvb_machine *machine, const bool *pool,
                                 struct kvb_ranking *ranking, struct kvb_problems *problems)
{
    struct kvb_plan_work *work = kvb_reallocate(NULL, sizeof *work);
    enum kvb_status status =
        work != NULL ? kvb_machine_rank_in(work, plan, machine, pool, ranking, problems) : KVB_NO_MEMORY;
    kvb_free(work);
    return status;
}
