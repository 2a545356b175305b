// What functions ask of their arguments.
#include "helm/functions.h"

struct kvb_helm_value kvb_helm_call_open(const struct kvb_helm_arguments *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        if (call->args[i].kind == KVB_HELM_UNKNOWN) {
            return call->args[i];
        }
    }
    return kvb_helm_unknown(call->whole);
}

const char *kvb_helm_text_at(const struct kvb_helm_arguments *call, uint32_t index)
{
    struct kvb_helm_value text = kvb_helm_to_text(call->room, &call->args[index]);
    return text.text;
}

bool kvb_helm_whole_at(const struct kvb_helm_arguments *call, uint32_t index, int64_t *number)
{
    const struct kvb_helm_value *value = &call->args[index];
    struct kvb_helm_value read;
    if (value->kind == KVB_HELM_TEXT && kvb_helm_read_number(call->room, value->text, &read)) {
        value = &read;
    }
    *number = value->number;
    bool small = value->number < INT64_C(1000000000000) && value->number > -INT64_C(1000000000000);
    return value->kind == KVB_HELM_NUMBER && value->whole && small;
}
