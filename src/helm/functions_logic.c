// Functions that choose, compare and count.
#include <string.h>

#include "helm/functions.h"

static struct kvb_helm_value run_default(const struct kvb_helm_arguments *call)
{
    const struct kvb_helm_value *given = &call->args[1];
    if (given->kind == KVB_HELM_UNKNOWN) {
        return *given;
    }
    return given->holes || kvb_helm_is_true(given) ? *given : call->args[0];
}

// The first that is there.
static struct kvb_helm_value run_coalesce(const struct kvb_helm_arguments *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        if (kvb_helm_is_open(&call->args[i]) || kvb_helm_is_true(&call->args[i])) {
            return call->args[i];
        }
    }
    return (struct kvb_helm_value){.kind = KVB_HELM_NIL};
}

static struct kvb_helm_value run_required(const struct kvb_helm_arguments *call)
{
    const struct kvb_helm_value *given = &call->args[1];
    bool empty = given->kind == KVB_HELM_NIL || (given->kind == KVB_HELM_TEXT && given->text[0] == '\0');
    return empty ? kvb_helm_unknown(call->whole) : *given;
}

static struct kvb_helm_value run_ternary(const struct kvb_helm_arguments *call)
{
    const struct kvb_helm_value *test = &call->args[2];
    return test->kind == KVB_HELM_BOOL ? call->args[test->truth ? 0 : 1] : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_empty(const struct kvb_helm_arguments *call)
{
    return kvb_helm_bool(!kvb_helm_is_true(&call->args[0]));
}

// The first that decides; nothing that is known to decide lies behind what is not known.
static struct kvb_helm_value run_and(const struct kvb_helm_arguments *call)
{
    bool open = false;
    for (uint32_t i = 0; i < call->count; i++) {
        bool unknown = kvb_helm_is_open(&call->args[i]);
        if (!unknown && !kvb_helm_is_true(&call->args[i])) {
            return call->args[i];
        }
        open = open || unknown;
    }
    return open ? kvb_helm_call_open(call) : call->args[call->count - 1];
}

static struct kvb_helm_value run_or(const struct kvb_helm_arguments *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        if (kvb_helm_is_open(&call->args[i])) {
            return kvb_helm_call_open(call);
        }
        if (kvb_helm_is_true(&call->args[i])) {
            return call->args[i];
        }
    }
    return call->args[call->count - 1];
}

static struct kvb_helm_value run_eq(const struct kvb_helm_arguments *call)
{
    int order = 1;
    bool equal = false;
    for (uint32_t i = 1; i < call->count && !equal; i++) {
        bool nil = call->args[0].kind == KVB_HELM_NIL || call->args[i].kind == KVB_HELM_NIL;
        bool compared = nil || kvb_helm_compare(&call->args[0], &call->args[i], &order);
        if (!compared) {
            return kvb_helm_call_open(call);
        }
        equal = nil ? call->args[0].kind == call->args[i].kind : order == 0;
    }
    return kvb_helm_bool(equal);
}

static struct kvb_helm_value run_ne(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value equal = run_eq(call);
    return equal.kind == KVB_HELM_BOOL ? kvb_helm_bool(!equal.truth) : equal;
}

// -1: less, 1: greater; `or_equal` takes in 0.
static struct kvb_helm_value ordered(const struct kvb_helm_arguments *call, int wanted, bool or_equal)
{
    int order = 0;
    bool ranks = call->args[0].kind == KVB_HELM_NUMBER || call->args[0].kind == KVB_HELM_TEXT;
    if (!ranks || !kvb_helm_compare(&call->args[0], &call->args[1], &order)) {
        return kvb_helm_call_open(call);
    }
    order = (order > 0) - (order < 0);
    return kvb_helm_bool(order == wanted || (or_equal && order == 0));
}

static struct kvb_helm_value run_lt(const struct kvb_helm_arguments *call)
{
    return ordered(call, -1, false);
}

static struct kvb_helm_value run_le(const struct kvb_helm_arguments *call)
{
    return ordered(call, -1, true);
}

static struct kvb_helm_value run_gt(const struct kvb_helm_arguments *call)
{
    return ordered(call, 1, false);
}

static struct kvb_helm_value run_ge(const struct kvb_helm_arguments *call)
{
    return ordered(call, 1, true);
}

static struct kvb_helm_value run_not(const struct kvb_helm_arguments *call)
{
    return kvb_helm_bool(!kvb_helm_is_true(&call->args[0]));
}

// What is no number is 0, and a fraction is cut off.
static struct kvb_helm_value run_int(const struct kvb_helm_arguments *call)
{
    const struct kvb_helm_value *value = &call->args[0];
    struct kvb_helm_value read;
    if (value->kind == KVB_HELM_NUMBER) {
        return value->whole ? *value : kvb_helm_whole(call->room, value->number / 1000000);
    }
    if (value->kind == KVB_HELM_TEXT && kvb_helm_read_number(call->room, value->text, &read)) {
        return read.whole ? read : kvb_helm_call_open(call);
    }
    return kvb_helm_whole(call->room, value->kind == KVB_HELM_BOOL && value->truth);
}

static struct kvb_helm_value run_float(const struct kvb_helm_arguments *call)
{
    struct kvb_helm_value number = call->args[0];
    bool read = number.kind == KVB_HELM_TEXT && kvb_helm_read_number(call->room, call->args[0].text, &number);
    return number.kind == KVB_HELM_NUMBER || read ? number : kvb_helm_call_open(call);
}

static struct kvb_helm_value folded(const struct kvb_helm_arguments *call, char operation)
{
    int64_t sum = 0, next = 0;
    bool fine = kvb_helm_whole_at(call, 0, &sum);
    for (uint32_t i = 1; i < call->count && fine; i++) {
        fine = kvb_helm_whole_at(call, i, &next) && (next != 0 || (operation != '/' && operation != '%')) &&
               sum < INT64_C(1000000000000) && sum > -INT64_C(1000000000000);
        switch (fine ? operation : ' ') {
        case '+':
            sum += next;
            break;
        case '-':
            sum -= next;
            break;
        case '*':
            fine = next == 0 || (sum <= INT64_MAX / 1000000000000 && sum >= -(INT64_MAX / 1000000000000)) ||
                   (next <= 1000000 && next >= -1000000);
            sum *= fine ? next : 1;
            break;
        case '/':
            sum /= next;
            break;
        case '%':
            sum %= next;
            break;
        case '<':
            sum = next < sum ? next : sum;
            break;
        case '>':
            sum = next > sum ? next : sum;
            break;
        default:
            break;
        }
    }
    return fine ? kvb_helm_whole(call->room, sum) : kvb_helm_call_open(call);
}

static struct kvb_helm_value run_add(const struct kvb_helm_arguments *call)
{
    return folded(call, '+');
}

static struct kvb_helm_value run_sub(const struct kvb_helm_arguments *call)
{
    return folded(call, '-');
}

static struct kvb_helm_value run_mul(const struct kvb_helm_arguments *call)
{
    return folded(call, '*');
}

static struct kvb_helm_value run_div(const struct kvb_helm_arguments *call)
{
    return folded(call, '/');
}

static struct kvb_helm_value run_mod(const struct kvb_helm_arguments *call)
{
    return folded(call, '%');
}

static struct kvb_helm_value run_min(const struct kvb_helm_arguments *call)
{
    return folded(call, '<');
}

static struct kvb_helm_value run_max(const struct kvb_helm_arguments *call)
{
    return folded(call, '>');
}

static struct kvb_helm_value run_add1(const struct kvb_helm_arguments *call)
{
    int64_t number = 0;
    return kvb_helm_whole_at(call, 0, &number) ? kvb_helm_whole(call->room, number + 1) : kvb_helm_call_open(call);
}

// Whether a value of a file is called int or something with more bits is the reader's choice: of numbers nothing is
// said but that they are none of the others.
static struct kvb_helm_value is_kind(const struct kvb_helm_arguments *call, const char *none, const char *map,
                                     const char *list)
{
    const char *wanted = kvb_helm_text_at(call, 0);
    const char *const kinds[] = {none, "bool", "", "string", list, map};
    const struct kvb_helm_value *value = &call->args[1];
    bool numeric = strncmp(wanted, "int", 3) == 0 || strncmp(wanted, "float", 5) == 0;
    if (value->kind == KVB_HELM_NUMBER && numeric) {
        return kvb_helm_call_open(call);
    }
    return kvb_helm_bool(strcmp(kinds[value->kind], wanted) == 0);
}

static struct kvb_helm_value run_kind_is(const struct kvb_helm_arguments *call)
{
    return is_kind(call, "invalid", "map", "slice");
}

static struct kvb_helm_value run_type_is(const struct kvb_helm_arguments *call)
{
    return is_kind(call, "<nil>", "map[string]interface {}", "[]interface {}");
}

const struct kvb_helm_function_row *kvb_helm_logic_functions(size_t *count)
{
    static const struct kvb_helm_function_row rows[] = {
        {"default", 2, 2, KVB_HELM_OPEN_HELD, run_default},
        {"coalesce", 1, 0, KVB_HELM_OPEN_HELD, run_coalesce},
        {"required", 2, 2, KVB_HELM_OPEN_HELD, run_required},
        {"ternary", 3, 3, KVB_HELM_OPEN_HELD, run_ternary},
        {"empty", 1, 1, KVB_HELM_OPEN_STOPS, run_empty},
        {"and", 1, 0, KVB_HELM_OPEN_HELD, run_and},
        {"or", 1, 0, KVB_HELM_OPEN_HELD, run_or},
        {"not", 1, 1, KVB_HELM_OPEN_STOPS, run_not},
        {"eq", 2, 0, KVB_HELM_OPEN_STOPS, run_eq},
        {"ne", 2, 2, KVB_HELM_OPEN_STOPS, run_ne},
        {"lt", 2, 2, KVB_HELM_OPEN_STOPS, run_lt},
        {"le", 2, 2, KVB_HELM_OPEN_STOPS, run_le},
        {"gt", 2, 2, KVB_HELM_OPEN_STOPS, run_gt},
        {"ge", 2, 2, KVB_HELM_OPEN_STOPS, run_ge},
        {"int", 1, 1, KVB_HELM_OPEN_STOPS, run_int},
        {"int64", 1, 1, KVB_HELM_OPEN_STOPS, run_int},
        {"atoi", 1, 1, KVB_HELM_OPEN_STOPS, run_int},
        {"float64", 1, 1, KVB_HELM_OPEN_STOPS, run_float},
        {"add", 1, 0, KVB_HELM_OPEN_STOPS, run_add},
        {"add1", 1, 1, KVB_HELM_OPEN_STOPS, run_add1},
        {"sub", 2, 2, KVB_HELM_OPEN_STOPS, run_sub},
        {"mul", 1, 0, KVB_HELM_OPEN_STOPS, run_mul},
        {"div", 2, 2, KVB_HELM_OPEN_STOPS, run_div},
        {"mod", 2, 2, KVB_HELM_OPEN_STOPS, run_mod},
        {"min", 1, 0, KVB_HELM_OPEN_STOPS, run_min},
        {"max", 1, 0, KVB_HELM_OPEN_STOPS, run_max},
        {"kindIs", 2, 2, KVB_HELM_OPEN_STOPS, run_kind_is},
        {"typeIs", 2, 2, KVB_HELM_OPEN_STOPS, run_type_is},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
