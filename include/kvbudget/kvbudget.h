// kvbudget: whether an LLM server will start and where every byte of GPU memory goes.
//
// Fill a kvb_deployment (by hand, kvb_deployment_load or kvb_serve_command_read), turn it into a
// kvb_plan with kvb_deployment_resolve, answer it with kvb_budget_compute and kvb_advise. Structs are
// plain values owned by the caller; functions that can fail return a kvb_status and describe why in a
// kvb_problems. Any thread may call anything, with its own structs; no call takes more than 64 KiB of stack, but the
// structs themselves are large, so keep them off a small one.
#ifndef KVBUDGET_H
#define KVBUDGET_H

#include <kvbudget/answer.h>
#include <kvbudget/ask.h>
#include <kvbudget/budget.h>
#include <kvbudget/checkpoint.h>
#include <kvbudget/gate.h>
#include <kvbudget/gpu.h>
#include <kvbudget/graphs.h>
#include <kvbudget/hub.h>
#include <kvbudget/input.h>
#include <kvbudget/logs.h>
#include <kvbudget/machine.h>
#include <kvbudget/manifest.h>
#include <kvbudget/model.h>
#include <kvbudget/models.h>
#include <kvbudget/plain.h>
#include <kvbudget/plan.h>
#include <kvbudget/policy.h>
#include <kvbudget/problem.h>
#include <kvbudget/record.h>
#include <kvbudget/residents.h>
#include <kvbudget/sweep.h>
#include <kvbudget/units.h>
#include <kvbudget/version.h>

#endif
