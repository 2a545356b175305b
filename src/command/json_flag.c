// The table of flags with a mapping or list as value, and the way from a command line to it.
#include "command/json_flag.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "text/strict.h"

#define FLAG_CAPACITY 64

const struct kvb_flag_row kvb_flag_rows[] = {
    {"speculative-config", kvb_read_speculative_config},
    {"limit-mm-per-prompt", kvb_read_limit_mm_per_prompt},
    {"mm-processor-kwargs", kvb_read_mm_processor_kwargs},
    {"compilation-config", kvb_read_compilation_config},
    {"cudagraph-capture-sizes", kvb_read_cudagraph_capture_sizes},
    {"kv-transfer-config", kvb_read_kv_transfer_config},
    {"hf-overrides", kvb_read_hf_overrides},
};
const size_t kvb_flag_row_count = sizeof kvb_flag_rows / sizeof kvb_flag_rows[0];

const struct kvb_flag_row *kvb_flag_row_find(const char *flag)
{
    char dashed[FLAG_CAPACITY];
    if (!kvb_copy(dashed, sizeof dashed, flag)) {
        return NULL;
    }
    for (char *c = dashed; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    for (size_t i = 0; i < kvb_flag_row_count; i++) {
        if (strcmp(kvb_flag_rows[i].flag, dashed) == 0) {
            return &kvb_flag_rows[i];
        }
    }
    return NULL;
}

enum kvb_status kvb_json_flag(const char *flag, const char *value, enum kvb_origin origin,
                              struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    const struct kvb_flag_row *row = kvb_flag_row_find(flag);
    char place[FLAG_CAPACITY + 2];
    (void)snprintf(place, sizeof place, "--%s", row ? row->flag : flag);
    if (!row) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0},
                               "no flag takes JSON under the name '%.60s'", flag);
    }
    struct kvb_deployment *changed = kvb_room(sizeof *changed, problems);
    if (changed == NULL) {
        return KVB_NO_MEMORY;
    }
    struct kvb_tree tree;
    enum kvb_status status = kvb_tree_read(&tree, place, value, strlen(value), problems);
    if (status == KVB_OK) {
        memcpy(changed, deployment, sizeof *changed);
        struct kvb_flag_part part = {&tree, tree.root, origin, changed, problems, false};
        status = row->read(&part);
    }
    if (status == KVB_OK) {
        memcpy(deployment, changed, sizeof *changed);
    }
    kvb_tree_free(&tree);
    kvb_free(changed);
    return status;
}
