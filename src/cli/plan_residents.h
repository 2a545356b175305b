// The other residents of a deployment's GPUs: from its profile and from --with.
#ifndef KVB_CLI_PLAN_RESIDENTS_H
#define KVB_CLI_PLAN_RESIDENTS_H

#include <kvbudget/kvbudget.h>

#include "cli/arguments.h"
#include "report/residents_report.h"

struct neighbour {
    struct kvb_plan plan; // engines; of trainers only the model
    struct kvb_model draft;
};

struct residents {
    uint32_t count;
    struct kvb_resident_entry entries[KVB_RESIDENTS_MAX];
    struct neighbour neighbours[KVB_RESIDENTS_MAX];
    struct kvb_plan own_plan; // before anybody holds anything
    uint64_t used_bytes;      // --reserve, and what --gpu-free leaves out: before all of them
    struct kvb_resident rows[KVB_RESIDENTS_MAX + 2];
    struct kvb_side_by_side side;
    struct kvb_training training;
    struct kvb_alternative alternatives[KVB_ALTERNATIVES_MAX];
    struct kvb_residents_report report;
};

// Reads and places the residents, and makes `plan` hold what those before it do. *residents stays NULL
// when there are none; the caller frees it with kvb_release.
enum kvb_status residents_place(struct arguments *arguments, struct kvb_plan *plan, struct residents **residents);

// Everybody starts, one after another, and every phase fits.
bool residents_fit(const struct residents *residents);

#endif
