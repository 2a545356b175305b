// Charts of Helm: the values that a template is filled with.
#ifndef KVB_MANIFEST_CHART_H
#define KVB_MANIFEST_CHART_H

#include <kvbudget/problem.h>

#include "helm/eval.h"
#include "text/files.h"

#define KVB_CHART_OVERLAYS_MAX 16U
#define KVB_CHART_PATH_CAPACITY 1024 // of a path in a chart; several of them are held at a time

// One template with the values of its chart.
struct kvb_chart {
    struct kvb_helm_room room;
    struct kvb_helm_run run;
    bool rendered;       // run.out is the text
    size_t failed_at;    // byte of the template, where it is not rendered
    const char *failure; // and why
    bool speaks;         // its values or helpers have words of an engine
};

// The folder of the chart below whose templates/ the file lies, "" or with a slash behind it; false: there is none.
bool kvb_chart_folder(const struct kvb_files *files, const char *file, char folder[KVB_CHART_PATH_CAPACITY]);
// Fills the template, which has to stay, with the chart's values and those of the file `overlay` beside them (or NULL).
// False: no memory. To be freed whatever it returns.
bool kvb_chart_render(struct kvb_chart *chart, const struct kvb_files *files, const char *folder, const char *text,
                      const char *overlay, bool (*speaks)(const char *text));
void kvb_chart_free(struct kvb_chart *chart);

// Files of values beside values.yaml, for other places: "values-prod.yaml", "values/prod.yaml".
struct kvb_chart_overlays {
    char names[KVB_CHART_OVERLAYS_MAX][128];
    uint32_t count;
};
void kvb_chart_list_overlays(struct kvb_chart_overlays *overlays, const struct kvb_files *files, const char *folder);

#endif
