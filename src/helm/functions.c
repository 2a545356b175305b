// Which function a name is, and what becomes of arguments that are not known.
#include "helm/functions.h"

#include <string.h>

#define MOST 64U

typedef const struct kvb_helm_function_row *rows_of(size_t *count);

static const struct kvb_helm_function_row *find(const char *name)
{
    static rows_of *const tables[] = {kvb_helm_text_functions, kvb_helm_logic_functions, kvb_helm_list_functions,
                                      kvb_helm_map_functions};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        size_t count;
        const struct kvb_helm_function_row *rows = tables[i](&count);
        for (size_t k = 0; k < count; k++) {
            if (strcmp(rows[k].name, name) == 0) {
                return &rows[k];
            }
        }
    }
    return NULL;
}

struct kvb_helm_value kvb_helm_call(struct kvb_helm_room *room, const char *name, struct kvb_helm_value *args,
                                    uint32_t count, const char *whole)
{
    const struct kvb_helm_function_row *row = find(name);
    const struct kvb_helm_arguments call = {room, args, count, whole};
    bool open = false, nothing = false;
    for (uint32_t i = 0; i < count; i++) {
        open = open || kvb_helm_is_open(&args[i]);
        nothing = nothing || args[i].kind == KVB_HELM_NIL;
    }
    uint32_t most = row != NULL && row->most > 0 ? row->most : MOST;
    if (row == NULL || count < row->least || count > most || !kvb_helm_step(room, 1)) {
        return row == NULL ? kvb_helm_unknown(whole) : kvb_helm_call_open(&call);
    }
    bool strings = row->open == KVB_HELM_STRINGS_STOP || row->open == KVB_HELM_STRINGS_TEXT;
    bool stops = row->open == KVB_HELM_STRINGS_STOP || row->open == KVB_HELM_OPEN_STOPS;
    if ((open && stops) || (nothing && strings)) {
        return kvb_helm_call_open(&call);
    }
    struct kvb_helm_value value = row->run(&call);
    if (open && value.kind == KVB_HELM_TEXT && row->open != KVB_HELM_OPEN_HELD) {
        value.holes = true;
    }
    return value;
}
