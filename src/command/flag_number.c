// Values of flags that take JSON, as settings.
#include "command/json_flag.h"
#include "command/plain_number.h"
#include "text/strict.h"

enum kvb_status kvb_flag_number(const struct kvb_flag_part *part, const struct kvb_node *node, enum kvb_setting setting)
{
    char why[256], plain[KVB_PLAIN_CAPACITY];
    uint64_t number;
    if (node->kind != KVB_NODE_SCALAR) {
        return kvb_expected(part->tree, node, KVB_BAD_TYPE, "one value", part->problems);
    }
    const char *text = kvb_setting_row_of(setting)->words == NULL ? kvb_as_plain_member(node, plain) : node->text;
    if (!kvb_setting_parse(setting, text, &number, why)) {
        return kvb_problem_add(part->problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(part->tree, node), "%s%s%s",
                               node->key ? node->key : "", node->key ? ": " : "", why);
    }
    kvb_flag_set(part, setting, number);
    return KVB_OK;
}

void kvb_flag_set(const struct kvb_flag_part *part, enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&part->deployment->settings, setting, number, part->origin);
}
