// Where the settings and the mistakes of a serve command stand in its file, and what is said of values nobody knows.
#include "manifest/manifest_serve.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "manifest/templates.h"

const char *kvb_serve_remedy(struct kvb_manifest *manifest, const char *unknown)
{
    bool variable = unknown[0] != '\0';
    for (const char *at = unknown; *at != '\0'; at++) {
        variable = variable && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
                                (*at >= '0' && *at <= '9'));
    }
    const char *core = kvb_template_variable(manifest, unknown);
    if (core != NULL) {
        const char *first = unknown[0] == '$' ? "give it with --env " : "render the template, or give it with --env ";
        return kvb_manifest_join(manifest, first, core, "=VALUE"); // no renderer has the values of a workflow
    }
    return variable ? kvb_manifest_join(manifest, "give it with --env ", unknown, "=VALUE")
                    : "write its value in its place";
}

const char *kvb_serve_unknown(const struct kvb_manifest_serve *serve, uint32_t index)
{
    const struct kvb_words *words = &serve->words;
    if (words->items[index].unknown != NULL) {
        return words->items[index].unknown;
    }
    return index + 1 < words->count && words->items[index + 1].text[0] != '-' ? words->items[index + 1].unknown : NULL;
}

static void say_unknown(struct kvb_manifest_serve *serve, uint32_t index, struct kvb_problem *problem)
{
    const char *unknown = kvb_serve_unknown(serve, index);
    if (problem->severity != KVB_ERROR || unknown == NULL) {
        return;
    }
    problem->status = KVB_MISSING_KEY;
    size_t flag = strcspn(serve->words.items[index].text, "=");
    (void)snprintf(problem->text, sizeof problem->text, "%.*s depends on %.80s, which is not known; %.120s",
                   (int)(flag < 80 ? flag : 80), serve->words.items[index].text, unknown,
                   kvb_serve_remedy(serve->manifest, unknown));
    kvb_make_printable(problem->text);
}

// Behind a name or value that ends here.
static bool is_end(char c)
{
    return c == '\0' || strchr(" \t\r\n\"',;)]}\\#", c) != NULL;
}

// A word as it is written at the offset, with or without a quote in front.
static size_t written_at(const struct kvb_manifest *manifest, size_t offset, const char *text)
{
    size_t length = strlen(text);
    if (offset == KVB_NOWHERE || offset >= manifest->length || length == 0) {
        return KVB_NOWHERE;
    }
    const char *at = manifest->text + offset;
    at += *at == '"' || *at == '\'';
    return strncmp(at, text, length) == 0 && is_end(at[length]) ? (size_t)(at - manifest->text) : KVB_NOWHERE;
}

// `key: value` and `key=value`: the value behind the key on the same line.
static size_t behind_key(const struct kvb_manifest *manifest, size_t offset, const char *text)
{
    if (offset == KVB_NOWHERE || offset >= manifest->length) {
        return KVB_NOWHERE;
    }
    const char *at = manifest->text + offset;
    at += strspn(at, "\"'");
    at += strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    at += strspn(at, "\"'");
    size_t blanks = strspn(at, " \t"), sign = at[blanks] == ':' || at[blanks] == '=';
    if (sign == 0) {
        return KVB_NOWHERE;
    }
    at += blanks + sign;
    at += strspn(at, " \t");
    return written_at(manifest, (size_t)(at - manifest->text), text);
}

static struct kvb_region region_of(const struct kvb_manifest *manifest, size_t offset, const char *text)
{
    struct kvb_region region = {.first = kvb_source_spot(manifest, offset)};
    bool plain = offset != KVB_NOWHERE;
    for (const char *c = text; *c != '\0'; c++) {
        plain = plain && *c > ' ' && *c <= '~';
    }
    region.characters = (uint32_t)strlen(text);
    return plain ? region : (struct kvb_region){.first = {0}};
}

// What a file says that the flag names stands there.
static bool names_file(const struct kvb_arg *flag)
{
    return strcmp(flag->text, "--config") == 0;
}

// The value of the flag at `index`, where the file writes it as it is.
static struct kvb_region value_region(const struct kvb_manifest_serve *serve, uint32_t index)
{
    const struct kvb_words *words = &serve->words;
    const struct kvb_arg *flag = &words->items[index];
    if (names_file(flag)) {
        return (struct kvb_region){.first = {0}};
    }
    const char *sign = strchr(flag->text, '='), *value = NULL;
    size_t at = KVB_NOWHERE;
    if (flag->text[0] == '-' && sign != NULL) {
        value = sign + 1;
        size_t whole = written_at(serve->manifest, flag->offset, flag->text);
        at = whole != KVB_NOWHERE ? whole + (size_t)(value - flag->text) : KVB_NOWHERE;
    } else if (index + 1 < words->count) {
        value = words->items[index + 1].text;
        at = written_at(serve->manifest, words->items[index + 1].offset, value);
    }
    if (value != NULL && at == KVB_NOWHERE) {
        at = behind_key(serve->manifest, flag->offset, value);
    }
    return value != NULL ? region_of(serve->manifest, at, value) : (struct kvb_region){.first = {0}};
}

static struct kvb_region flag_region(const struct kvb_manifest_serve *serve, uint32_t index)
{
    const struct kvb_arg *flag = &serve->words.items[index];
    size_t at = names_file(flag) ? KVB_NOWHERE : written_at(serve->manifest, flag->offset, flag->text);
    struct kvb_region region = region_of(serve->manifest, at, flag->text);
    region.characters = region.first.line > 0 ? (uint32_t)strcspn(flag->text, "=") : 0;
    return region;
}

// The place in a file that the command names goes into the sentence: the case is the command's.
static void say_file(struct kvb_problem *problem)
{
    char text[sizeof problem->text], place[32] = "";
    if (problem->file[0] == '\0') {
        return;
    }
    if (problem->line > 0) {
        (void)snprintf(place, sizeof place, ":%u:%u", (unsigned)problem->line, (unsigned)problem->column);
    }
    (void)kvb_copy(text, sizeof text, problem->text);
    (void)snprintf(problem->text, sizeof problem->text, "--config %.200s%s: %.250s", problem->file, place, text);
}

void kvb_serve_place(struct kvb_manifest_serve *serve, const struct kvb_serve_trace *trace, uint32_t problems_before)
{
    struct kvb_found *found = serve->found;
    for (uint32_t i = problems_before; i < found->problems.count; i++) {
        struct kvb_problem *problem = &found->problems.items[i];
        uint32_t index = (uint32_t)trace->problems[i];
        size_t offset = serve->words.items[index].offset;
        say_file(problem);
        struct kvb_spot spot = offset == KVB_NOWHERE ? found->place : kvb_source_spot(serve->manifest, offset);
        problem->line = spot.line;
        problem->column = spot.column;
        (void)kvb_copy(problem->file, sizeof problem->file, serve->manifest->file);
        say_unknown(serve, index, problem);
        found->mistakes[i] = flag_region(serve, index);
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (trace->settings[i] > 0) {
            found->settings[i] = kvb_source_spot(serve->manifest, serve->words.items[trace->settings[i]].offset);
            found->values[i] = value_region(serve, (uint32_t)trace->settings[i]);
        }
    }
    if (trace->model > 0) {
        found->model = kvb_source_spot(serve->manifest, serve->words.items[trace->model].offset);
    }
}
