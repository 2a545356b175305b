// The functions of templates: Go's own and those of Sprig that decide commands, one row each.
#ifndef KVB_HELM_FUNCTIONS_H
#define KVB_HELM_FUNCTIONS_H

#include "helm/eval.h"

struct kvb_helm_arguments {
    struct kvb_helm_room *room;
    struct kvb_helm_value *args;
    uint32_t count;
    const char *whole; // the expression it stands in
};
typedef struct kvb_helm_value kvb_helm_function(const struct kvb_helm_arguments *call);

// How what is not known goes through a function.
enum kvb_helm_open_rule {
    KVB_HELM_OPEN_STOPS,   // the result is not known
    KVB_HELM_OPEN_TEXT,    // a hole is text like any other
    KVB_HELM_OPEN_HELD,    // it only holds values
    KVB_HELM_STRINGS_STOP, // as OPEN_STOPS, and nothing is no text either
    KVB_HELM_STRINGS_TEXT, // as OPEN_TEXT, and nothing is no text
};

struct kvb_helm_function_row {
    const char *name;
    uint32_t least, most; // arguments
    enum kvb_helm_open_rule open;
    kvb_helm_function *run;
};

// The rows of each file; `count` receives how many there are.
const struct kvb_helm_function_row *kvb_helm_text_functions(size_t *count);
const struct kvb_helm_function_row *kvb_helm_logic_functions(size_t *count);
const struct kvb_helm_function_row *kvb_helm_list_functions(size_t *count);
const struct kvb_helm_function_row *kvb_helm_map_functions(size_t *count);

// Not known: the expression, or of an argument that is not known its own.
struct kvb_helm_value kvb_helm_call_open(const struct kvb_helm_arguments *call);
const char *kvb_helm_text_at(const struct kvb_helm_arguments *call, uint32_t index);
bool kvb_helm_whole_at(const struct kvb_helm_arguments *call, uint32_t index, int64_t *number);

#endif
