// Pipelines: operands, fields, calls. With the steps of templates it stands in a circle: a call may include a template.
#include <string.h>

#include "base/text.h"
#include "helm/eval.h"

#define ARGUMENTS_MAX 64U

struct reading {
    struct kvb_helm_run *run;
    const struct kvb_helm_scope *scope;
    const char *at;
    bool wrong; // it is no pipeline
};

static const char blanks[] = " \t\r\n";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static struct kvb_helm_value pipeline(struct reading *reading);

static void skip_blanks(struct reading *reading)
{
    reading->at += strspn(reading->at, blanks);
}

static const char *copy_between(struct reading *reading, const char *begin, const char *end)
{
    while (end > begin && strchr(blanks, end[-1]) != NULL) {
        end--;
    }
    return kvb_helm_copy(reading->run->room, begin, (size_t)(end - begin));
}

// The rest is not read.
static struct kvb_helm_value give_up(struct reading *reading, const char *begin)
{
    struct kvb_helm_value value = kvb_helm_unknown(copy_between(reading, begin, begin + strlen(begin)));
    reading->wrong = true;
    reading->at += strlen(reading->at);
    return value;
}

static struct kvb_helm_value quoted(struct reading *reading)
{
    const char *begin = reading->at, *at = begin + 1;
    char quote = *begin;
    bool wrong = false;
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    for (; *at != '\0' && *at != quote; at++) {
        bool escape = *at == '\\' && quote != '`';
        at += escape;
        wrong = wrong || (escape && strchr("nt\"\\'", *at) == NULL);
        const char *written = escape && *at == 'n' ? "\n" : escape && *at == 't' ? "\t" : at;
        kvb_buffer_add_n(&text, written, 1);
    }
    struct kvb_helm_value value = kvb_helm_keep(reading->run->room, &text);
    reading->at = at + (*at == quote);
    return *at == quote && !wrong ? value : give_up(reading, begin);
}

static struct kvb_helm_value number(struct reading *reading)
{
    const char *begin = reading->at;
    struct kvb_helm_value value;
    reading->at += 1 + strcspn(begin + 1, " \t\r\n|),");
    const char *text = copy_between(reading, begin, reading->at);
    return kvb_helm_read_number(reading->run->room, text, &value) ? value : kvb_helm_unknown(text);
}

// `.a.b` behind a value.
static struct kvb_helm_value fields(struct reading *reading, struct kvb_helm_value value, const char *begin)
{
    while (reading->at[0] == '.' && reading->at[1] != '\0' && strchr(letters, reading->at[1]) != NULL) {
        size_t length = strspn(reading->at + 1, name_characters);
        const char *name = kvb_helm_copy(reading->run->room, reading->at + 1, length);
        const struct kvb_helm_value *found = kvb_helm_get(&value, name);
        reading->at += 1 + length;
        if (value.kind != KVB_HELM_MAP) {
            value = kvb_helm_unknown(copy_between(reading, begin, reading->at));
        } else {
            value = found != NULL ? *found : (struct kvb_helm_value){.kind = KVB_HELM_NIL};
        }
    }
    return value;
}

static struct kvb_helm_value variable(struct reading *reading)
{
    const char *begin = reading->at++;
    size_t length = strspn(reading->at, name_characters);
    const char *name = kvb_helm_copy(reading->run->room, reading->at, length);
    reading->at += length;
    if (length == 0) {
        return fields(reading, reading->scope->root, begin);
    }
    for (const struct kvb_helm_variable *at = reading->scope->variables; at != NULL; at = at->older) {
        if (strcmp(at->name, name) == 0) {
            return fields(reading, at->value, begin);
        }
    }
    return fields(reading, kvb_helm_unknown(copy_between(reading, begin, reading->at)), begin);
}

static struct kvb_helm_value parentheses(struct reading *reading)
{
    const char *begin = reading->at++;
    if (++reading->run->depth > KVB_HELM_DEPTH_MAX) {
        reading->run->depth--;
        return give_up(reading, begin);
    }
    struct kvb_helm_value value = pipeline(reading);
    reading->run->depth--;
    if (*reading->at != ')') {
        return give_up(reading, begin);
    }
    reading->at++;
    struct kvb_helm_value field = fields(reading, value, begin);
    return value.kind == KVB_HELM_NIL ? value : field; // (.a).b of nothing is nothing, where .a.b ends the rendering
}

static bool is_end(const char *at)
{
    return *at == '\0' || *at == '|' || *at == ')';
}

static struct kvb_helm_value call(struct reading *reading, const char *begin, const char *name,
                                  struct kvb_helm_value *args, uint32_t count)
{
    const char *whole = copy_between(reading, begin, reading->at);
    bool includes = strcmp(name, "include") == 0, fills = strcmp(name, "tpl") == 0;
    if (!includes && !fills) {
        return kvb_helm_call(reading->run->room, name, args, count, whole);
    }
    if (count != 2 || kvb_helm_is_open(&args[0]) || args[0].kind != KVB_HELM_TEXT) {
        return kvb_helm_unknown(count == 2 && args[0].kind == KVB_HELM_UNKNOWN ? args[0].text : whole);
    }
    struct kvb_helm_value text = includes ? kvb_helm_include(reading->run, args[0].text, &args[1])
                                          : kvb_helm_tpl(reading->run, args[0].text, &args[1]);
    return text.kind == KVB_HELM_UNKNOWN && text.text[0] == '\0' ? kvb_helm_unknown(whole) : text;
}

static struct kvb_helm_value operand(struct reading *reading)
{
    char c = *reading->at;
    const char *begin = reading->at;
    if (c == '"' || c == '`') {
        return quoted(reading);
    }
    if (c == '(') {
        return parentheses(reading);
    }
    if (c == '$') {
        return variable(reading);
    }
    if (c == '.') {
        bool field = reading->at[1] != '\0' && strchr(letters, reading->at[1]) != NULL;
        reading->at += !field;
        return field ? fields(reading, reading->scope->dot, begin) : reading->scope->dot;
    }
    if (kvb_is_digit(c) || ((c == '-' || c == '+') && kvb_is_digit(reading->at[1]))) {
        return number(reading);
    }
    size_t length = strspn(begin, name_characters);
    const char *name = kvb_helm_copy(reading->run->room, begin, length);
    if (length == 0) {
        return give_up(reading, begin);
    }
    reading->at += length;
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        return kvb_helm_bool(name[0] == 't');
    }
    if (strcmp(name, "nil") == 0) {
        return (struct kvb_helm_value){.kind = KVB_HELM_NIL};
    }
    return call(reading, begin, name, NULL, 0);
}

// One command of a pipeline; `piped` is the value of the one before it, or NULL.
static struct kvb_helm_value command(struct reading *reading, const struct kvb_helm_value *piped)
{
    struct kvb_helm_value *args = NULL;
    uint32_t count = 0;
    skip_blanks(reading);
    const char *begin = reading->at;
    size_t length = strchr(letters, *begin) != NULL && *begin != '\0' ? strspn(begin, name_characters) : 0;
    const char *name = kvb_helm_copy(reading->run->room, begin, length);
    bool constant = strcmp(name, "true") == 0 || strcmp(name, "false") == 0 || strcmp(name, "nil") == 0;
    struct kvb_helm_value value = {.kind = KVB_HELM_NIL};
    if (length == 0 || constant) {
        value = operand(reading);
    } else {
        reading->at += length;
    }
    for (skip_blanks(reading); !is_end(reading->at) && !reading->run->room->spent; skip_blanks(reading)) {
        if (count >= ARGUMENTS_MAX) {
            return give_up(reading, begin);
        }
        args = args != NULL ? args : kvb_helm_take(reading->run->room, (ARGUMENTS_MAX + 1) * sizeof *args);
        struct kvb_helm_value arg = operand(reading);
        if (args != NULL) {
            args[count++] = arg;
        }
    }
    if (length == 0 || constant) { // only what is a function takes arguments
        return count > 0 || piped != NULL ? kvb_helm_unknown(copy_between(reading, begin, reading->at)) : value;
    }
    if (piped != NULL) {
        args = args != NULL ? args : kvb_helm_take(reading->run->room, sizeof *args);
        if (args != NULL) {
            args[count++] = *piped;
        }
    }
    return call(reading, begin, name, args, count);
}

static struct kvb_helm_value pipeline(struct reading *reading)
{
    struct kvb_helm_value value = command(reading, NULL);
    while (*reading->at == '|' && !reading->wrong && !reading->run->room->spent) {
        reading->at++;
        struct kvb_helm_value piped = value;
        value = command(reading, &piped);
    }
    return value;
}

struct kvb_helm_value kvb_helm_evaluate(struct kvb_helm_run *run, const struct kvb_helm_scope *scope, const char *text)
{
    struct reading reading = {.run = run, .scope = scope, .at = text};
    if (!kvb_helm_step(run->room, 1 + strlen(text) / 16)) {
        return kvb_helm_unknown(text);
    }
    struct kvb_helm_value value = pipeline(&reading);
    bool whole = *reading.at == '\0' && !reading.wrong;
    return whole ? value : kvb_helm_unknown(text);
}
