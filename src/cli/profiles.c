// The profiles command: what is built in, one of them as YAML, a check, an import.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "report/columns.h"
#include "report/json_writer.h"
#include "report/safe_text.h"
#include "report/style.h"

#define DESCRIPTION_CAPACITY 112

static const char *const plural_names[KVB_PROFILE_KIND_COUNT] = {
    [KVB_PROFILE_MODEL] = "models",
    [KVB_PROFILE_GPU] = "gpus",
    [KVB_PROFILE_ENGINE] = "engines",
    [KVB_PROFILE_DEPLOYMENT] = "deployments",
};

// What `profiles list` shows: kinds and a part of the name, both optional.
struct filter {
    unsigned kinds; // bit set
    const char *pattern;
};

static bool read_filter(struct arguments *arguments, struct filter *filter)
{
    *filter = (struct filter){.kinds = (1U << KVB_PROFILE_KIND_COUNT) - 1};
    for (int i = 1; i < arguments->operand_count; i++) {
        unsigned kind = 0;
        while (kind < KVB_PROFILE_KIND_COUNT && strcmp(arguments->operands[i], plural_names[kind]) != 0) {
            kind++;
        }
        if (i == 1 && kind < KVB_PROFILE_KIND_COUNT) {
            filter->kinds = 1U << kind;
        } else if (filter->pattern == NULL) {
            filter->pattern = arguments->operands[i];
        } else {
            (void)kvb_options_mistake(arguments, "unexpected word '%.80s'", arguments->operands[i]);
            return false;
        }
    }
    return true;
}

// The value of a plain `key: value` line at the start of a line, cut to `capacity`; "" when absent.
static void top_level_value(const struct kvb_builtin *builtin, const char *key, char *out, size_t capacity)
{
    const char *line = builtin->text;
    size_t key_length = strlen(key);
    out[0] = '\0';
    while (line != NULL) {
        if (strncmp(line, key, key_length) == 0 && kvb_starts_with(line + key_length, ": ")) {
            const char *value = line + key_length + 2;
            size_t length = strcspn(value, "\r\n#");
            while (length > 0 && strchr(" \"'[]", value[length - 1]) != NULL) {
                length--;
            }
            size_t quote = length > 0 && strchr("\"'[", value[0]) != NULL ? 1 : 0;
            length = length - quote < capacity - 1 ? length - quote : capacity - 1;
            memcpy(out, value + quote, length);
            out[length] = '\0';
            return;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
}

static bool passes(const struct filter *filter, const struct kvb_builtin *builtin)
{
    char name[DESCRIPTION_CAPACITY];
    if (!(filter->kinds >> builtin->kind & 1U)) {
        return false;
    }
    if (filter->pattern == NULL || kvb_contains_ignoring_case(builtin->id, filter->pattern)) {
        return true;
    }
    top_level_value(builtin, "name", name, sizeof name);
    return kvb_contains_ignoring_case(name, filter->pattern);
}

// "23.64 GiB measured, NVIDIA GeForce RTX 4090"; the name alone when the profile cannot be read.
static void describe_gpu(const struct kvb_builtin *builtin, char out[DESCRIPTION_CAPACITY])
{
    struct kvb_problems problems;
    struct kvb_gpu gpu;
    char gib[32];
    kvb_problems_init(&problems);
    if (kvb_gpu_load(builtin->id, &gpu, &problems) != KVB_OK) {
        top_level_value(builtin, "name", out, DESCRIPTION_CAPACITY);
        return;
    }
    (void)snprintf(out, DESCRIPTION_CAPACITY, "%7s GiB %-10s %.60s", kvb_format_gib(gib, (int64_t)gpu.memory_bytes, 2),
                   kvb_basis_name(gpu.memory_basis), gpu.name);
}

// One line about a profile: a GPU's memory, what the others say of themselves.
static void describe(const struct kvb_builtin *builtin, char out[DESCRIPTION_CAPACITY])
{
    static const char *const keys[KVB_PROFILE_KIND_COUNT] = {
        [KVB_PROFILE_MODEL] = "  architectures", // inside config:
        [KVB_PROFILE_ENGINE] = "version",
        [KVB_PROFILE_DEPLOYMENT] = "name",
    };
    if (builtin->kind == KVB_PROFILE_GPU) {
        describe_gpu(builtin, out);
    } else {
        top_level_value(builtin, keys[builtin->kind], out, DESCRIPTION_CAPACITY);
    }
}

static void list_text(const struct filter *filter, struct kvb_buffer *answer)
{
    size_t count;
    const struct kvb_builtin *builtins = kvb_builtins(&count);
    if (answer->page_columns == 0) { // a program reads it: one line each
        answer->page_columns = KVB_PAGE_UNBROKEN;
    }
    for (unsigned kind = 0; kind < KVB_PROFILE_KIND_COUNT; kind++) {
        struct kvb_columns columns;
        unsigned shown = 0;
        kvb_columns_init(&columns, "ll", 2, 2);
        for (size_t i = 0; i < count; i++) {
            if (builtins[i].kind == kind && passes(filter, &builtins[i])) {
                char about[DESCRIPTION_CAPACITY];
                describe(&builtins[i], about);
                kvb_columns_cell(&columns, builtins[i].id);
                kvb_columns_cell(&columns, about);
                kvb_columns_end_row(&columns);
                shown++;
            }
        }
        if (shown > 0) {
            kvb_buffer_printf(answer, "%s%s (%u)\n", answer->length > 0 ? "\n" : "", plural_names[kind], shown);
        }
        kvb_columns_write(&columns, answer);
    }
}

static void list_one_json(struct kvb_json *json, const struct kvb_builtin *builtin)
{
    struct kvb_problems problems;
    struct kvb_gpu gpu;
    char about[DESCRIPTION_CAPACITY];
    kvb_problems_init(&problems);
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "id", builtin->id);
    if (builtin->kind != KVB_PROFILE_GPU) {
        describe(builtin, about);
        kvb_json_text_or_null(json, "about", about);
    } else if (kvb_gpu_load(builtin->id, &gpu, &problems) == KVB_OK) {
        kvb_json_text(json, "name", gpu.name);
        kvb_json_count(json, "memory_bytes", gpu.memory_bytes);
        kvb_json_text(json, "basis", kvb_basis_name(gpu.memory_basis));
    }
    kvb_json_close_object(json);
}

static void list_json(const struct filter *filter, struct kvb_buffer *answer)
{
    size_t count;
    struct kvb_json json;
    const struct kvb_builtin *builtins = kvb_builtins(&count);
    kvb_json_init(&json, answer);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.profiles/1");
    for (unsigned kind = 0; kind < KVB_PROFILE_KIND_COUNT; kind++) {
        kvb_json_open_list(&json, plural_names[kind]);
        for (size_t i = 0; i < count; i++) {
            if (builtins[i].kind == kind && passes(filter, &builtins[i])) {
                list_one_json(&json, &builtins[i]);
            }
        }
        kvb_json_close_list(&json);
    }
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}

static const struct kvb_builtin *find_builtin(const char *id)
{
    size_t count;
    const struct kvb_builtin *builtins = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        if (kvb_equal_ignoring_case(builtins[i].id, id)) {
            return &builtins[i];
        }
    }
    return NULL;
}

static enum kvb_status say_unknown(struct arguments *arguments, const char *name)
{
    size_t count;
    struct kvb_nearest nearest;
    const struct kvb_builtin *builtins = kvb_builtins(&count);
    kvb_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) {
        kvb_nearest_offer(&nearest, builtins[i].id);
    }
    return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                           "no built-in profile is called '%.120s'%s%s%s; `kvbudget profiles list` names them all",
                           name, nearest.best != NULL ? ", did you mean '" : "",
                           nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "'" : "");
}

static bool matches(const struct filter *filter)
{
    size_t count;
    const struct kvb_builtin *builtins = kvb_builtins(&count);
    bool any = filter->pattern == NULL;
    for (size_t i = 0; !any && i < count; i++) {
        any = passes(filter, &builtins[i]);
    }
    return any;
}

static int list(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct filter filter;
    if (!read_filter(arguments, &filter)) {
        return kvb_status_exit_code(KVB_BAD_ARGUMENT);
    }
    if (arguments->format == FORMAT_JSON) {
        list_json(&filter, answer);
    } else {
        list_text(&filter, answer);
    }
    if (matches(&filter)) {
        return 0;
    }
    (void)kvb_problem_add(&arguments->problems, KVB_WARNING, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                          "no built-in profile's name holds '%.120s'; `kvbudget profiles list` names them all",
                          filter.pattern);
    return 1;
}

// A model by what a plan takes for its name: Qwen3-8B.
static const struct kvb_builtin *find_model(const char *text, struct kvb_problems *notes)
{
    const struct kvb_builtin *found = NULL;
    struct kvb_model_source source;
    struct kvb_problems problems;
    struct kvb_model *model = kvb_reallocate(NULL, sizeof *model);
    kvb_problems_init(&problems);
    if (model != NULL && kvb_model_load(text, NULL, model, &source, &problems) == KVB_OK) {
        found = find_builtin(model->name);
    }
    if (found != NULL) {
        (void)kvb_problem_add(notes, KVB_NOTICE, KVB_OK, (struct kvb_place){0}, "'%.120s' is taken for %s", text,
                              found->id);
    }
    kvb_free(model);
    return found;
}

// A GPU is found by its aliases, too, and a model by its name alone.
static int show(struct arguments *arguments, struct kvb_buffer *answer)
{
    const char *name = arguments->operands[1];
    const struct kvb_builtin *builtin = find_builtin(name);
    struct kvb_problems problems;
    struct kvb_gpu gpu;
    kvb_problems_init(&problems);
    if (builtin == NULL && kvb_gpu_load(name, &gpu, &problems) == KVB_OK) {
        builtin = find_builtin(gpu.id);
    }
    builtin = builtin != NULL ? builtin : find_model(name, &arguments->problems);
    if (builtin == NULL) {
        return kvb_status_exit_code(say_unknown(arguments, name));
    }
    answer->page_columns = KVB_PAGE_UNBROKEN;
    kvb_buffer_add_n(answer, builtin->text, builtin->length);
    return 0;
}

static void say_checked(struct kvb_buffer *answer, struct kvb_json *json, const char *path, enum kvb_profile_kind kind)
{
    if (json != NULL) {
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "file", path);
        kvb_json_text(json, "kind", kvb_profile_kind_name(kind));
        kvb_json_close_object(json);
        return;
    }
    kvb_text_add_safe(answer, path);
    kvb_buffer_printf(answer, ": a valid %s profile\n", kvb_profile_kind_name(kind));
}

static int check(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct kvb_json json;
    bool as_json = arguments->format == FORMAT_JSON;
    enum kvb_status status = KVB_OK;
    kvb_json_init(&json, answer);
    if (as_json) {
        kvb_json_open_object(&json, NULL);
        kvb_json_text(&json, "schema", "kvbudget.profiles/1");
        kvb_json_open_list(&json, "checked");
    }
    for (int i = 1; i < arguments->operand_count; i++) {
        enum kvb_profile_kind kind = KVB_PROFILE_MODEL;
        enum kvb_status one = kvb_profile_check(arguments->operands[i], &kind, &arguments->problems);
        if (one == KVB_OK) {
            say_checked(answer, as_json ? &json : NULL, arguments->operands[i], kind);
        }
        status = status == KVB_OK ? one : status;
    }
    if (as_json) {
        kvb_json_close_list(&json);
        kvb_json_close_object(&json);
        kvb_json_finish(&json);
    }
    return kvb_status_exit_code(status);
}

static int import(struct arguments *arguments, struct kvb_buffer *answer)
{
    char *text = NULL;
    size_t length = 0;
    enum kvb_status status = kvb_model_import(arguments->operands[1], NULL, NULL, &text, &length, &arguments->problems);
    if (status == KVB_OK) {
        answer->page_columns = KVB_PAGE_UNBROKEN;
        kvb_buffer_add_n(answer, text, length);
        free(text);
    }
    return kvb_status_exit_code(status);
}

int kvb_run_profiles(struct arguments *arguments, struct kvb_buffer *answer)
{
    static const struct {
        const char *name, *operand;
        int most;
        int (*run)(struct arguments *arguments, struct kvb_buffer *answer);
    } actions[] = {{"list", NULL, 3, list},
                   {"show", "NAME", 2, show},
                   {"check", "FILE", OPERANDS_MAX, check},
                   {"import", "PATH", 2, import}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(arguments->operands[0], actions[i].name) != 0) {
            continue;
        }
        if (actions[i].operand != NULL && arguments->operand_count < 2) {
            return kvb_status_exit_code(
                kvb_options_mistake(arguments, "'profiles %s' needs a %s", actions[i].name, actions[i].operand));
        }
        if (arguments->operand_count > actions[i].most) {
            return kvb_status_exit_code(
                kvb_options_mistake(arguments, "unexpected word '%.80s'", arguments->operands[actions[i].most]));
        }
        return actions[i].run(arguments, answer);
    }
    return kvb_status_exit_code(kvb_options_mistake(
        arguments, "'profiles %.60s' is not known; expected list, show, check or import", arguments->operands[0]));
}
