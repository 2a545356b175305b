// Functions on texts.
#include <string.h>

#include "base/text.h"
#include "helm/functions.h"

static struct kvb_helm_value keep(const struct kvb_helm_arguments *call, struct kvb_buffer *text)
{
    return kvb_helm_keep(call->room, text);
}

static struct kvb_helm_value part(const struct kvb_helm_arguments *call, const char *text, size_t length)
{
    return kvb_helm_text(kvb_helm_copy(call->room, text, length));
}

static struct kvb_helm_value run_quote(const struct kvb_helm_arguments *call)
{
    struct kvb_buffer out;
    if (call->args[0].kind == KVB_HELM_NIL) {
        return kvb_helm_unknown(call->whole);
    }
    kvb_buffer_init(&out);
    kvb_helm_write_quoted(kvb_helm_text_at(call, 0), &out);
    return keep(call, &out);
}

static struct kvb_helm_value run_squote(const struct kvb_helm_arguments *call)
{
    struct kvb_buffer out;
    if (call->args[0].kind == KVB_HELM_NIL) {
        return kvb_helm_unknown(call->whole);
    }
    kvb_buffer_init(&out);
    kvb_buffer_printf(&out, "'%s'", kvb_helm_text_at(call, 0));
    return keep(call, &out);
}

static struct kvb_helm_value run_to_string(const struct kvb_helm_arguments *call)
{
    return call->args[0].kind == KVB_HELM_NIL ? kvb_helm_unknown(call->whole)
                                              : kvb_helm_to_text(call->room, &call->args[0]);
}

static bool holds_hole(const char *text)
{
    return strstr(text, "$_") != NULL;
}

static struct kvb_helm_value run_to_yaml(const struct kvb_helm_arguments *call)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_helm_write_yaml(call->room, &call->args[0], &out);
    struct kvb_helm_value text = keep(call, &out);
    text.holes = holds_hole(text.text);
    return text;
}

static struct kvb_helm_value run_to_json(const struct kvb_helm_arguments *call)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_helm_write_json(call->room, &call->args[0], &out);
    struct kvb_helm_value text = keep(call, &out);
    text.holes = holds_hole(text.text);
    return text;
}

// Every line begins with as many blanks.
static struct kvb_helm_value indented(const struct kvb_helm_arguments *call, const char *before)
{
    struct kvb_buffer out;
    int64_t width = 0;
    const char *text = kvb_helm_text_at(call, 1);
    if (!kvb_helm_whole_at(call, 0, &width) || width < 0 || width > 200) {
        return kvb_helm_call_open(call);
    }
    kvb_buffer_init(&out);
    kvb_buffer_add(&out, before);
    for (bool more = true; more && kvb_helm_step(call->room, 1);) {
        size_t length = strcspn(text, "\n");
        kvb_buffer_fill(&out, ' ', (size_t)width);
        more = text[length] == '\n';
        kvb_buffer_add_n(&out, text, length + more);
        text += length + more;
    }
    return keep(call, &out);
}

static struct kvb_helm_value run_indent(const struct kvb_helm_arguments *call)
{
    return indented(call, "");
}

static struct kvb_helm_value run_nindent(const struct kvb_helm_arguments *call)
{
    return indented(call, "\n");
}

// One verb of a format; false: it is none that is known here.
static bool add_verb(const struct kvb_helm_arguments *call, char verb, uint32_t index, struct kvb_buffer *out)
{
    const struct kvb_helm_value *value = &call->args[index];
    static const char *const verbs[] = {
        [KVB_HELM_NIL] = "",   [KVB_HELM_BOOL] = "vt", [KVB_HELM_NUMBER] = "vg",      [KVB_HELM_TEXT] = "vsq",
        [KVB_HELM_LIST] = "v", [KVB_HELM_MAP] = "v",   [KVB_HELM_UNKNOWN] = "vsqdtg",
    };
    const char *fitting = value->holes ? verbs[KVB_HELM_UNKNOWN] : value->whole ? "vgd" : verbs[value->kind];
    if (verb == 'q') {
        kvb_helm_write_quoted(kvb_helm_text_at(call, index), out);
    } else {
        kvb_buffer_add(out, kvb_helm_text_at(call, index));
    }
    return strchr(fitting, verb) != NULL;
}

static struct kvb_helm_value run_printf(const struct kvb_helm_arguments *call)
{
    struct kvb_buffer out;
    const char *format = kvb_helm_text_at(call, 0);
    uint32_t used = 1;
    bool fine = true;
    kvb_buffer_init(&out);
    for (; *format != '\0' && fine; format++) {
        if (*format != '%') {
            kvb_buffer_add_n(&out, format, 1);
        } else if (*++format == '%') {
            kvb_buffer_add(&out, "%");
        } else {
            fine = *format != '\0' && used < call->count && add_verb(call, *format, used, &out);
            used++;
        }
        fine = fine && *format != '\0';
    }
    struct kvb_helm_value text = keep(call, &out);
    return fine && used == call->count ? text : kvb_helm_call_open(call);
}

// Between two that are no texts `print` puts a blank, `cat` between all, and leaves out what is nothing.
static struct kvb_helm_value joined(const struct kvb_helm_arguments *call, bool all)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    bool first = true;
    for (uint32_t i = 0; i < call->count; i++) {
        if (all && call->args[i].kind == KVB_HELM_NIL) {
            continue;
        }
        bool texts = i > 0 && (call->args[i].kind == KVB_HELM_TEXT || call->args[i - 1].kind == KVB_HELM_TEXT);
        kvb_buffer_add(&out, !first && (all || !texts) ? " " : "");
        first = false;
        kvb_buffer_add(&out, kvb_helm_text_at(call, i));
    }
    return keep(call, &out);
}

static struct kvb_helm_value run_print(const struct kvb_helm_arguments *call)
{
    return joined(call, false);
}

static struct kvb_helm_value run_cat(const struct kvb_helm_arguments *call)
{
    return joined(call, true);
}

static struct kvb_helm_value trimmed(const struct kvb_helm_arguments *call, const char *text, const char *set)
{
    size_t front = strspn(text, set), length = strlen(text);
    while (length > front && strchr(set, text[length - 1]) != NULL) {
        length--;
    }
    return part(call, text + front, length - front);
}

static struct kvb_helm_value run_trim(const struct kvb_helm_arguments *call)
{
    return trimmed(call, kvb_helm_text_at(call, 0), " \t\r\n");
}

static struct kvb_helm_value run_trim_all(const struct kvb_helm_arguments *call)
{
    return trimmed(call, kvb_helm_text_at(call, 1), kvb_helm_text_at(call, 0));
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

static struct kvb_helm_value run_trim_suffix(const struct kvb_helm_arguments *call)
{
    const char *ending = kvb_helm_text_at(call, 0), *text = kvb_helm_text_at(call, 1);
    return part(call, text, strlen(text) - (ends_with(text, ending) ? strlen(ending) : 0));
}

static struct kvb_helm_value run_trim_prefix(const struct kvb_helm_arguments *call)
{
    const char *front = kvb_helm_text_at(call, 0), *text = kvb_helm_text_at(call, 1);
    return kvb_helm_text(text + (kvb_starts_with(text, front) ? strlen(front) : 0));
}

static struct kvb_helm_value run_trunc(const struct kvb_helm_arguments *call)
{
    const char *text = kvb_helm_text_at(call, 1);
    size_t length = strlen(text);
    int64_t most = 0;
    if (!kvb_helm_whole_at(call, 0, &most)) {
        return kvb_helm_call_open(call);
    }
    uint64_t count = most < 0 ? (uint64_t)-most : (uint64_t)most;
    if (count >= length) {
        return kvb_helm_text(text);
    }
    return most < 0 ? kvb_helm_text(text + length - count) : part(call, text, (size_t)count);
}

static struct kvb_helm_value run_replace(const struct kvb_helm_arguments *call)
{
    const char *old = kvb_helm_text_at(call, 0), *new = kvb_helm_text_at(call, 1), *text = kvb_helm_text_at(call, 2);
    size_t length = strlen(old);
    struct kvb_buffer out;
    if (length == 0 || !kvb_helm_step(call->room, strlen(text))) {
        return kvb_helm_text(text);
    }
    kvb_buffer_init(&out);
    for (const char *found; (found = strstr(text, old)) != NULL && kvb_helm_step(call->room, 1 + strlen(new) / 16);) {
        kvb_buffer_add_n(&out, text, (size_t)(found - text));
        kvb_buffer_add(&out, new);
        text = found + length;
    }
    kvb_buffer_add(&out, text);
    return keep(call, &out);
}

static struct kvb_helm_value in_case(const struct kvb_helm_arguments *call, char first, char last, int shift)
{
    const char *text = kvb_helm_text_at(call, 0);
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (; *text != '\0'; text++) {
        char c = *text >= first && *text <= last ? (char)(*text + shift) : *text;
        kvb_buffer_add_n(&out, &c, 1);
    }
    return keep(call, &out);
}

static struct kvb_helm_value run_lower(const struct kvb_helm_arguments *call)
{
    return in_case(call, 'A', 'Z', 'a' - 'A');
}

static struct kvb_helm_value run_upper(const struct kvb_helm_arguments *call)
{
    return in_case(call, 'a', 'z', 'A' - 'a');
}

static struct kvb_helm_value run_contains(const struct kvb_helm_arguments *call)
{
    return kvb_helm_bool(strstr(kvb_helm_text_at(call, 1), kvb_helm_text_at(call, 0)) != NULL);
}

static struct kvb_helm_value run_has_prefix(const struct kvb_helm_arguments *call)
{
    return kvb_helm_bool(kvb_starts_with(kvb_helm_text_at(call, 1), kvb_helm_text_at(call, 0)));
}

static struct kvb_helm_value run_has_suffix(const struct kvb_helm_arguments *call)
{
    return kvb_helm_bool(ends_with(kvb_helm_text_at(call, 1), kvb_helm_text_at(call, 0)));
}

const struct kvb_helm_function_row *kvb_helm_text_functions(size_t *count)
{
    static const struct kvb_helm_function_row rows[] = {
        {"quote", 1, 1, KVB_HELM_OPEN_TEXT, run_quote},
        {"squote", 1, 1, KVB_HELM_OPEN_TEXT, run_squote},
        {"toString", 1, 1, KVB_HELM_OPEN_TEXT, run_to_string},
        {"toYaml", 1, 1, KVB_HELM_OPEN_TEXT, run_to_yaml},
        {"mustToYaml", 1, 1, KVB_HELM_OPEN_TEXT, run_to_yaml},
        {"toJson", 1, 1, KVB_HELM_OPEN_TEXT, run_to_json},
        {"mustToJson", 1, 1, KVB_HELM_OPEN_TEXT, run_to_json},
        {"toRawJson", 1, 1, KVB_HELM_OPEN_TEXT, run_to_json},
        {"indent", 2, 2, KVB_HELM_STRINGS_TEXT, run_indent},
        {"nindent", 2, 2, KVB_HELM_STRINGS_TEXT, run_nindent},
        {"printf", 1, 0, KVB_HELM_OPEN_TEXT, run_printf},
        {"print", 1, 0, KVB_HELM_OPEN_TEXT, run_print},
        {"cat", 1, 0, KVB_HELM_OPEN_TEXT, run_cat},
        {"trim", 1, 1, KVB_HELM_STRINGS_TEXT, run_trim},
        {"trimAll", 2, 2, KVB_HELM_STRINGS_STOP, run_trim_all},
        {"trimSuffix", 2, 2, KVB_HELM_STRINGS_STOP, run_trim_suffix},
        {"trimPrefix", 2, 2, KVB_HELM_STRINGS_STOP, run_trim_prefix},
        {"trunc", 2, 2, KVB_HELM_STRINGS_STOP, run_trunc},
        {"replace", 3, 3, KVB_HELM_STRINGS_STOP, run_replace},
        {"lower", 1, 1, KVB_HELM_STRINGS_STOP, run_lower},
        {"upper", 1, 1, KVB_HELM_STRINGS_STOP, run_upper},
        {"contains", 2, 2, KVB_HELM_STRINGS_STOP, run_contains},
        {"hasPrefix", 2, 2, KVB_HELM_STRINGS_STOP, run_has_prefix},
        {"hasSuffix", 2, 2, KVB_HELM_STRINGS_STOP, run_has_suffix},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
