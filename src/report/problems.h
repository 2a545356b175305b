// Problems as the list every JSON document carries.
#ifndef KVB_REPORT_PROBLEMS_H
#define KVB_REPORT_PROBLEMS_H

#include <kvbudget/problem.h>

#include "report/json_writer.h"

const char *kvb_severity_name(enum kvb_severity severity);

// Writes "problems": [...].
void kvb_render_problems_json(struct kvb_json *json, const struct kvb_problems *problems);

#endif
