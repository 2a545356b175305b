// One answered plan, as the commands that need one share it.
#ifndef KVB_CLI_PLAN_H
#define KVB_CLI_PLAN_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "cli/arguments.h"
#include "report/cards_report.h"

struct answer {
    struct kvb_plan plan;
    struct kvb_model draft; // plan.draft points here
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_advice advice;
};

// Resolves, computes and advises.
enum kvb_status plan_answer(const struct kvb_deployment *deployment, struct answer *answer,
                            struct kvb_problems *problems);

// Computes and advises on answer->plan as it is.
enum kvb_status plan_compute(struct answer *answer, struct kvb_problems *problems);

// Reads the log at `path` ("-": standard input) into answer->plan.calibration.
enum kvb_status plan_calibrate(const char *path, const struct kvb_deployment *deployment, struct answer *answer,
                               struct kvb_problems *problems);

// The page or document; `cards`: no GPU was named and these start it, or NULL.
void plan_render(const struct arguments *arguments, const struct answer *answer, const struct kvb_cards *cards,
                 struct kvb_buffer *out);

int plan_exit_code(const struct kvb_budget *budget); // 0: it starts and fits, 1: it does not

#endif
