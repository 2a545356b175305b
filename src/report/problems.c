// Problems as the list every JSON document carries.
#include "report/problems.h"

const char *kvb_severity_name(enum kvb_severity severity)
{
    switch (severity) {
    case KVB_NOTICE:
        return "notice";
    case KVB_WARNING:
        return "warning";
    case KVB_ERROR:
        break;
    }
    return "error";
}

void kvb_render_problems_json(struct kvb_json *json, const struct kvb_problems *problems)
{
    kvb_json_open_list(json, "problems");
    for (uint32_t i = 0; i < problems->count; i++) {
        const struct kvb_problem *problem = &problems->items[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "severity", kvb_severity_name(problem->severity));
        kvb_json_text(json, "code", kvb_status_name(problem->status));
        kvb_json_text_or_null(json, "file", problem->file);
        kvb_json_count_or_null(json, "line", problem->line);
        kvb_json_count_or_null(json, "column", problem->column);
        kvb_json_text(json, "text", problem->text);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}
