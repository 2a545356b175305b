// What a run's numbers come to: shared by checks and remedies.
#ifndef KVB_LOGS_EXPLAIN_H
#define KVB_LOGS_EXPLAIN_H

#include <kvbudget/logs.h>

#include "engines/table.h"

// One figure of the budget, logged, given or worked out.
struct kvb_figure {
    bool known;
    int64_t value;
};

struct kvb_reckoning {
    struct kvb_log_report *report;
    const struct kvb_log_given *given;
    uint32_t release;                     // 0 = not known
    const struct kvb_engine_rows *engine; // whose log it is; NULL: not known, or not planned here
    struct kvb_release_facts facts;       // of the engine, or of the usual one where it is not known
    bool v0;
    bool graphs_charged; // the estimate of CUDA graphs comes out of the KV cache
    bool multimodal;
    bool parted; // the peak was printed with the estimate of graphs in it
    struct kvb_figure total, free, utilization, requested, weights, activation, non_torch, graphs, estimate, pool,
        needed, length;
    struct kvb_figure other_than_pool; // requested - pool
};

// 0 = not known.
static inline uint32_t kvb_log_release_of(const struct kvb_log_report *report, const struct kvb_log_given *given)
{
    return given->release != 0 ? given->release : report->release;
}

static inline bool kvb_is_observed(const struct kvb_reckoning *r, enum kvb_observation what)
{
    return r->report->observed[what].set;
}

static inline int64_t kvb_observed(const struct kvb_reckoning *r, enum kvb_observation what)
{
    return r->report->observed[what].value;
}

void kvb_reckon(struct kvb_reckoning *r, struct kvb_log_report *report, const struct kvb_log_given *given);
void kvb_check_all(struct kvb_reckoning *r);
void kvb_remedy_all(struct kvb_reckoning *r);

// Parts per million of `whole`, rounded up or down; 0 when whole is 0.
int64_t kvb_share_ppm(int64_t part, int64_t whole, bool up);
// value x ppm, rounded down.
int64_t kvb_scale(int64_t value, int64_t ppm);

#endif
