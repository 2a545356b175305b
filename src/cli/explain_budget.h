// What the flags of plan add to a log, and what the budget makes of both.
#ifndef KVB_CLI_EXPLAIN_BUDGET_H
#define KVB_CLI_EXPLAIN_BUDGET_H

#include <kvbudget/kvbudget.h>

// Resolves the names given on the command line; what the log itself names is tried without complaint.
enum kvb_status explain_given(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                              struct kvb_log_given *given, struct kvb_problems *problems) KVB_MUST_USE;

// Adds checks that need the model: tokens from the pool, need from the length.
void explain_budget_checks(const struct kvb_deployment *deployment, struct kvb_log_report *log,
                           const struct kvb_log_given *given);

#endif
