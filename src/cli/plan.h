// One answered plan, as the commands that need one share it.
#ifndef KVB_CLI_PLAN_H
#define KVB_CLI_PLAN_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "cli/arguments.h"
#include "report/cards_report.h"

int kvb_plan_exit_code(const struct kvb_budget *budget); // 0: it starts and fits, 1: it does not

#endif
