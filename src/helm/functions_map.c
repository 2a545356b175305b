// Functions on mappings, and those that look into values.
#include <string.h>

#include "helm/functions.h"

static struct kvb_helm_value nil(void)
{
    return (struct kvb_helm_value){.kind = KVB_HELM_NIL};
}

static struct kvb_helm_value run_dict(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value map = kvb_helm_map(call->room);
    for (uint32_t i = 0; i < call->count; i += 2) {
        if (call->args[i].kind != KVB_HELM_TEXT) {
            return kvb_helm_call_open(call);
        }
        kvb_helm_set(call->room, &map, call->args[i].text, i + 1 < call->count ? call->args[i + 1] : kvb_helm_text(""));
    }
    return map;
}

static bool has_key(const struct kvb_helm_arguments *call)
{
    return call->args[0].kind == KVB_HELM_MAP && call->args[1].kind == KVB_HELM_TEXT && !call->args[1].holes;
}

static struct kvb_helm_value run_get(const struct kvb_helm_arguments *call)
{
    const struct kvb_helm_value *found = has_key(call) ? kvb_helm_get(&call->args[0], call->args[1].text) : NULL;
    return !has_key(call) ? kvb_helm_call_open(call) : found != NULL ? *found : kvb_helm_text("");
}

static struct kvb_helm_value run_set(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value map = call->args[0];
    if (!has_key(call)) {
        return kvb_helm_call_open(call);
    }
    kvb_helm_set(call->room, &map, call->args[1].text, call->args[2]);
    return map;
}

static struct kvb_helm_value run_unset(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value map = call->args[0];
    if (!has_key(call)) {
        return kvb_helm_call_open(call);
    }
    kvb_helm_remove(&map, call->args[1].text);
    return map;
}

static struct kvb_helm_value run_has_key(const struct kvb_helm_arguments *call)
{
    return has_key(call) ? kvb_helm_bool(kvb_helm_get(&call->args[0], call->args[1].text) != NULL)
                         : kvb_helm_call_open(call);
}

static struct kvb_helm_value listed(const struct kvb_helm_arguments *call, bool keys)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    if (call->args[0].kind != KVB_HELM_MAP) {
        return kvb_helm_call_open(call);
    }
    for (uint32_t i = 0; i < kvb_helm_count(&call->args[0]) && kvb_helm_step(call->room, 1); i++) {
        const struct kvb_helm_entry *entry = &call->args[0].items->entries[i];
        kvb_helm_append(call->room, &list, keys ? kvb_helm_text(entry->key) : entry->value);
    }
    return list;
}

static struct kvb_helm_value run_keys(const struct kvb_helm_arguments *call)
{
    return listed(call, true);
}

static struct kvb_helm_value run_values(const struct kvb_helm_arguments *call)
{
    return listed(call, false);
}

// Those among the arguments, or all but them.
static struct kvb_helm_value chosen(const struct kvb_helm_arguments *call, bool those)
{
    struct kvb_helm_value map = kvb_helm_map(call->room);
    for (uint32_t i = 0; i < kvb_helm_count(&call->args[0]) && kvb_helm_step(call->room, call->count); i++) {
        const struct kvb_helm_entry *entry = &call->args[0].items->entries[i];
        bool named = false;
        for (uint32_t k = 1; k < call->count; k++) {
            named = named || (call->args[k].kind == KVB_HELM_TEXT && strcmp(call->args[k].text, entry->key) == 0);
        }
        if (named == those) {
            kvb_helm_set(call->room, &map, entry->key, entry->value);
        }
    }
    return call->args[0].kind == KVB_HELM_MAP ? map : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_pick(const struct kvb_helm_arguments *call)
{
    return chosen(call, true);
}

static struct kvb_helm_value run_omit(const struct kvb_helm_arguments *call)
{
    return chosen(call, false);
}

static struct kvb_helm_value merged(const struct kvb_helm_arguments *call, bool wins)
{
    struct kvb_helm_value map = call->args[0];
    for (uint32_t i = 0; i < call->count; i++) {
        if (call->args[i].kind != KVB_HELM_MAP && (i == 0 || call->args[i].kind != KVB_HELM_NIL)) {
            return kvb_helm_call_open(call);
        }
        kvb_helm_merge(call->room, &map, &call->args[i], wins, false);
    }
    return map;
}

static struct kvb_helm_value run_merge(const struct kvb_helm_arguments *call)
{
    return merged(call, false);
}

static struct kvb_helm_value run_overwrite(const struct kvb_helm_arguments *call)
{
    return merged(call, true);
}

static struct kvb_helm_value run_deep_copy(const struct kvb_helm_arguments *call)
{
    return kvb_helm_deep_copy(call->room, &call->args[0]);
}

// A mapping's key or a list's place.
static struct kvb_helm_value step_into(const struct kvb_helm_arguments *call, const struct kvb_helm_value *value,
                                       uint32_t index)
{
    int64_t place = 0;
    const struct kvb_helm_value *key = &call->args[index], *found = NULL;
    if (value->kind == KVB_HELM_MAP && key->kind == KVB_HELM_TEXT && !key->holes) {
        found = kvb_helm_get(value, key->text);
        return found != NULL ? *found : nil();
    }
    bool fits = value->kind == KVB_HELM_LIST && key->kind == KVB_HELM_NUMBER && kvb_helm_whole_at(call, index, &place);
    if (!fits || place < 0 || place >= (int64_t)kvb_helm_count(value)) {
        return value->kind == KVB_HELM_UNKNOWN ? *value : kvb_helm_unknown(call->whole);
    }
    return value->items->entries[place].value;
}

static struct kvb_helm_value run_index(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value value = call->args[0];
    for (uint32_t i = 1; i < call->count; i++) {
        value = step_into(call, &value, i);
    }
    return value;
}

// dig KEY... DEFAULT MAPPING
static struct kvb_helm_value run_dig(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value value = call->args[call->count - 1];
    for (uint32_t i = 0; i + 2 < call->count; i++) {
        if (value.kind != KVB_HELM_MAP || call->args[i].kind != KVB_HELM_TEXT) {
            return kvb_helm_call_open(call);
        }
        const struct kvb_helm_value *found = kvb_helm_get(&value, call->args[i].text);
        if (found == NULL) {
            return call->args[call->count - 2];
        }
        value = *found;
    }
    return value;
}

static struct kvb_helm_value run_len(const struct kvb_helm_arguments *call)
{
    const struct kvb_helm_value *value = &call->args[0];
    bool counts = value->kind == KVB_HELM_LIST || value->kind == KVB_HELM_MAP;
    if (!counts && value->kind != KVB_HELM_TEXT) {
        return kvb_helm_call_open(call);
    }
    return kvb_helm_whole(call->room, counts ? (int64_t)kvb_helm_count(value) : (int64_t)strlen(value->text));
}

static struct kvb_helm_value from_yaml(const struct kvb_helm_arguments *call, enum kvb_node_kind otherwise)
{
    struct kvb_tree tree;
    const char *text = kvb_helm_text_at(call, 0);
    struct kvb_helm_value value = otherwise == KVB_NODE_MAPPING ? kvb_helm_map(call->room) : kvb_helm_list(call->room);
    enum kvb_status status = kvb_helm_step(call->room, strlen(text))
                                 ? kvb_tree_read_manifest(&tree, "", text, strlen(text), NULL)
                                 : KVB_TOO_LARGE;
    if (status == KVB_NO_MEMORY) {
        call->room->spent = call->room->out_of_memory = true;
    }
    if (status != KVB_OK) {
        return text[strspn(text, " \t\r\n")] == '\0' ? value : kvb_helm_call_open(call);
    }
    if (tree.root != NULL && tree.root->kind == otherwise) {
        value = kvb_helm_from_node(call->room, tree.root);
    } else if (tree.root != NULL && !kvb_node_is_null(tree.root)) {
        value = kvb_helm_call_open(call);
    }
    kvb_tree_free(&tree);
    return value;
}

static struct kvb_helm_value run_from_yaml(const struct kvb_helm_arguments *call)
{
    return from_yaml(call, KVB_NODE_MAPPING);
}

static struct kvb_helm_value run_from_yaml_array(const struct kvb_helm_arguments *call)
{
    return from_yaml(call, KVB_NODE_SEQUENCE);
}

// Without a cluster nothing is found in it, as helm template has it.
static struct kvb_helm_value run_lookup(const struct kvb_helm_arguments *call)
{
    return kvb_helm_map(call->room);
}

const struct kvb_helm_function_row *kvb_helm_map_functions(size_t *count)
{
    static const struct kvb_helm_function_row rows[] = {
        {"dict", 0, 0, KVB_HELM_OPEN_HELD, run_dict},
        {"get", 2, 2, KVB_HELM_OPEN_STOPS, run_get},
        {"set", 3, 3, KVB_HELM_OPEN_HELD, run_set},
        {"unset", 2, 2, KVB_HELM_OPEN_STOPS, run_unset},
        {"hasKey", 2, 2, KVB_HELM_OPEN_STOPS, run_has_key},
        {"keys", 1, 1, KVB_HELM_OPEN_STOPS, run_keys},
        {"values", 1, 1, KVB_HELM_OPEN_STOPS, run_values},
        {"pick", 2, 0, KVB_HELM_OPEN_STOPS, run_pick},
        {"omit", 2, 0, KVB_HELM_OPEN_STOPS, run_omit},
        {"merge", 1, 0, KVB_HELM_OPEN_STOPS, run_merge},
        {"mustMerge", 1, 0, KVB_HELM_OPEN_STOPS, run_merge},
        {"mergeOverwrite", 1, 0, KVB_HELM_OPEN_STOPS, run_overwrite},
        {"mustMergeOverwrite", 1, 0, KVB_HELM_OPEN_STOPS, run_overwrite},
        {"deepCopy", 1, 1, KVB_HELM_OPEN_STOPS, run_deep_copy},
        {"index", 2, 0, KVB_HELM_OPEN_STOPS, run_index},
        {"dig", 3, 0, KVB_HELM_OPEN_STOPS, run_dig},
        {"len", 1, 1, KVB_HELM_OPEN_STOPS, run_len},
        {"fromYaml", 1, 1, KVB_HELM_STRINGS_STOP, run_from_yaml},
        {"fromJson", 1, 1, KVB_HELM_STRINGS_STOP, run_from_yaml},
        {"fromYamlArray", 1, 1, KVB_HELM_STRINGS_STOP, run_from_yaml_array},
        {"lookup", 4, 4, KVB_HELM_OPEN_STOPS, run_lookup},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
