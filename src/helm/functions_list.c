// Functions on lists.
#include <string.h>

#include "helm/functions.h"

#define COUNT_MAX 100000

static struct kvb_helm_value run_list(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    for (uint32_t i = 0; i < call->count; i++) {
        kvb_helm_append(call->room, &list, call->args[i]);
    }
    return list;
}

static bool is_list(const struct kvb_helm_value *value)
{
    return value->kind == KVB_HELM_LIST || value->kind == KVB_HELM_NIL;
}

static void append_all(const struct kvb_helm_arguments *call, struct kvb_helm_value *into,
                       const struct kvb_helm_value *from)
{
    for (uint32_t i = 0; i < kvb_helm_count(from) && kvb_helm_step(call->room, 1); i++) {
        kvb_helm_append(call->room, into, from->items->entries[i].value);
    }
}

static struct kvb_helm_value run_concat(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    for (uint32_t i = 0; i < call->count; i++) {
        if (!is_list(&call->args[i])) {
            return kvb_helm_call_open(call);
        }
        append_all(call, &list, &call->args[i]);
    }
    return list;
}

static struct kvb_helm_value run_append(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    if (!is_list(&call->args[0])) {
        return kvb_helm_call_open(call);
    }
    append_all(call, &list, &call->args[0]);
    kvb_helm_append(call->room, &list, call->args[1]);
    return list;
}

static struct kvb_helm_value run_prepend(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    if (!is_list(&call->args[0])) {
        return kvb_helm_call_open(call);
    }
    kvb_helm_append(call->room, &list, call->args[1]);
    append_all(call, &list, &call->args[0]);
    return list;
}

// Those from `first` on that are not behind the last of `most`.
static struct kvb_helm_value cut(const struct kvb_helm_arguments *call, uint32_t first, uint32_t most)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    uint32_t count = kvb_helm_count(&call->args[0]);
    for (uint32_t i = first; i < count && i < most && kvb_helm_step(call->room, 1); i++) {
        kvb_helm_append(call->room, &list, call->args[0].items->entries[i].value);
    }
    return call->args[0].kind == KVB_HELM_LIST ? list : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_rest(const struct kvb_helm_arguments *call)
{
    return cut(call, 1, UINT32_MAX);
}

static struct kvb_helm_value run_initial(const struct kvb_helm_arguments *call)
{
    uint32_t count = kvb_helm_count(&call->args[0]);
    return cut(call, 0, count > 0 ? count - 1 : 0);
}

static struct kvb_helm_value one_of(const struct kvb_helm_arguments *call, uint32_t index)
{
    if (call->args[0].kind != KVB_HELM_LIST) {
        return kvb_helm_call_open(call);
    }
    return index < kvb_helm_count(&call->args[0]) ? call->args[0].items->entries[index].value
                                                  : (struct kvb_helm_value){.kind = KVB_HELM_NIL};
}

static struct kvb_helm_value run_first(const struct kvb_helm_arguments *call)
{
    return one_of(call, 0);
}

static struct kvb_helm_value run_last(const struct kvb_helm_arguments *call)
{
    return one_of(call, kvb_helm_count(&call->args[0]) - 1U);
}

// 1: it is there, 0: it is not, -1: that cannot be said.
static int search(const struct kvb_helm_arguments *call, const struct kvb_helm_value *wanted,
                  const struct kvb_helm_value *list)
{
    int found = 0, order = 1;
    for (uint32_t i = 0; i < kvb_helm_count(list) && kvb_helm_step(call->room, 1); i++) {
        const struct kvb_helm_value *value = &list->items->entries[i].value;
        if (kvb_helm_compare(wanted, value, &order) && order == 0) {
            return 1;
        }
        bool holds = value->kind == wanted->kind && (value->kind == KVB_HELM_LIST || value->kind == KVB_HELM_MAP);
        found = holds || kvb_helm_is_open(value) ? -1 : found;
    }
    return found;
}

static struct kvb_helm_value run_has(const struct kvb_helm_arguments *call)
{
    int found = search(call, &call->args[0], &call->args[1]);
    return found < 0 || !is_list(&call->args[1]) ? kvb_helm_call_open(call) : kvb_helm_bool(found > 0);
}

static struct kvb_helm_value run_without(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room), others = kvb_helm_list(call->room);
    for (uint32_t i = 1; i < call->count; i++) {
        kvb_helm_append(call->room, &others, call->args[i]);
    }
    for (uint32_t i = 0; i < kvb_helm_count(&call->args[0]) && kvb_helm_step(call->room, 1); i++) {
        const struct kvb_helm_value *value = &call->args[0].items->entries[i].value;
        int found = search(call, value, &others);
        if (found < 0) {
            return kvb_helm_call_open(call);
        }
        if (found == 0) {
            kvb_helm_append(call->room, &list, *value);
        }
    }
    return call->args[0].kind == KVB_HELM_LIST ? list : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_uniq(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    for (uint32_t i = 0; i < kvb_helm_count(&call->args[0]) && kvb_helm_step(call->room, 1); i++) {
        const struct kvb_helm_value *value = &call->args[0].items->entries[i].value;
        int found = search(call, value, &list);
        if (found < 0) {
            return kvb_helm_call_open(call);
        }
        if (found == 0) {
            kvb_helm_append(call->room, &list, *value);
        }
    }
    return call->args[0].kind == KVB_HELM_LIST ? list : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_compact(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    for (uint32_t i = 0; i < kvb_helm_count(&call->args[0]) && kvb_helm_step(call->room, 1); i++) {
        const struct kvb_helm_value *value = &call->args[0].items->entries[i].value;
        if (kvb_helm_is_open(value) || kvb_helm_is_true(value)) {
            kvb_helm_append(call->room, &list, *value);
        }
    }
    return call->args[0].kind == KVB_HELM_LIST ? list : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_join(const struct kvb_helm_arguments *call)
{
    struct kvb_buffer out;
    bool open = false, first = true;
    const char *between = kvb_helm_text_at(call, 0);
    if (call->args[1].kind != KVB_HELM_LIST) {
        return kvb_helm_text(call->args[1].kind == KVB_HELM_NIL ? "" : kvb_helm_text_at(call, 1));
    }
    kvb_buffer_init(&out);
    for (uint32_t i = 0; i < kvb_helm_count(&call->args[1]) && kvb_helm_step(call->room, 1 + strlen(between) / 16);
         i++) {
        const struct kvb_helm_value *value = &call->args[1].items->entries[i].value;
        if (value->kind == KVB_HELM_NIL) {
            continue;
        }
        kvb_buffer_add(&out, first ? "" : between);
        kvb_helm_print(call->room, value, &out);
        first = false;
        open = open || kvb_helm_is_open(value);
    }
    struct kvb_helm_value text = kvb_helm_keep(call->room, &out);
    text.holes = open;
    return text;
}

static struct kvb_helm_value run_split(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    const char *between = kvb_helm_text_at(call, 0), *text = kvb_helm_text_at(call, 1);
    size_t length = strlen(between);
    if (length == 0 || !kvb_helm_step(call->room, strlen(text))) {
        return kvb_helm_call_open(call);
    }
    for (const char *found; (found = strstr(text, between)) != NULL && kvb_helm_step(call->room, 1);
         text = found + length) {
        kvb_helm_append(call->room, &list, kvb_helm_text(kvb_helm_copy(call->room, text, (size_t)(found - text))));
    }
    kvb_helm_append(call->room, &list, kvb_helm_text(text));
    return list;
}

static struct kvb_helm_value counted(const struct kvb_helm_arguments *call, int64_t from, int64_t to, int64_t by)
{
    struct kvb_helm_value list = kvb_helm_list(call->room);
    if (by == 0 || (to - from) / by > COUNT_MAX) {
        return kvb_helm_call_open(call);
    }
    for (int64_t i = from; (by > 0 ? i < to : i > to) && kvb_helm_step(call->room, 1); i += by) {
        kvb_helm_append(call->room, &list, kvb_helm_whole(call->room, i));
    }
    return list;
}

static struct kvb_helm_value run_until(const struct kvb_helm_arguments *call)
{
    int64_t to = 0;
    return kvb_helm_whole_at(call, 0, &to) ? counted(call, 0, to, to < 0 ? -1 : 1) : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_until_step(const struct kvb_helm_arguments *call)
{
    int64_t from = 0, to = 0, by = 0;
    bool whole =
        kvb_helm_whole_at(call, 0, &from) && kvb_helm_whole_at(call, 1, &to) && kvb_helm_whole_at(call, 2, &by);
    return whole ? counted(call, from, to, by) : kvb_helm_call_open(call);
}

const struct kvb_helm_function_row *kvb_helm_list_functions(size_t *count)
{
    static const struct kvb_helm_function_row rows[] = {
        {"list", 0, 0, KVB_HELM_OPEN_HELD, run_list},         {"tuple", 0, 0, KVB_HELM_OPEN_HELD, run_list},
        {"concat", 1, 0, KVB_HELM_OPEN_STOPS, run_concat},    {"append", 2, 2, KVB_HELM_OPEN_HELD, run_append},
        {"mustAppend", 2, 2, KVB_HELM_OPEN_HELD, run_append}, {"prepend", 2, 2, KVB_HELM_OPEN_HELD, run_prepend},
        {"rest", 1, 1, KVB_HELM_OPEN_STOPS, run_rest},        {"initial", 1, 1, KVB_HELM_OPEN_STOPS, run_initial},
        {"first", 1, 1, KVB_HELM_OPEN_STOPS, run_first},      {"last", 1, 1, KVB_HELM_OPEN_STOPS, run_last},
        {"has", 2, 2, KVB_HELM_OPEN_STOPS, run_has},          {"without", 2, 0, KVB_HELM_OPEN_STOPS, run_without},
        {"uniq", 1, 1, KVB_HELM_OPEN_STOPS, run_uniq},        {"compact", 1, 1, KVB_HELM_OPEN_STOPS, run_compact},
        {"join", 2, 2, KVB_HELM_OPEN_STOPS, run_join},        {"splitList", 2, 2, KVB_HELM_STRINGS_STOP, run_split},
        {"until", 1, 1, KVB_HELM_OPEN_STOPS, run_until},      {"untilStep", 3, 3, KVB_HELM_OPEN_STOPS, run_until_step},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
