// Every flag and every class at every release, against a second reading of the tags: tests/fixtures/releases holds what
// a plain search finds at each of them, as ranges of releases. Flags: add_argument("--NAME" in
// vllm/engine/arg_utils.py, entrypoints/openai/cli_args.py and api_server.py, the fields of FrontendArgs,
// serve_parser.add_argument in scripts.py and entrypoints/cli/serve.py, four flags of a loop at 0.11 (arg_utils.py
// v0.11.0:632). Classes: keys of models/registry.py, models/__init__.py and model_executor/model_loader.py. Choices:
// the text of nine Literal types, the names in register_module( and _PARSERS_TO_REGISTER of the two kinds of parsers.
// The tables themselves are made from the syntax tree by scripts/release-tables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/release_tables.h"
#include "unit/test.h"

#define TAGS_MAX 128
#define LINE_MAX_BYTES 512

static uint32_t tags[TAGS_MAX];
static size_t tag_count;

static FILE *open_fixture(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/releases/%s", KVB_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static void read_tags(void)
{
    char line[LINE_MAX_BYTES];
    FILE *file = open_fixture("tags.txt");
    tag_count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        assert_true(tag_count < TAGS_MAX && kvb_release_parse(line, &tags[tag_count++]));
    }
    (void)fclose(file);
    assert_int_equal(tags[tag_count - 1], KVB_NEWEST_VLLM);
}

// "0.2.0-0.12.0 0.14.0-"
static bool is_inside(const char *ranges, uint32_t release)
{
    char text[LINE_MAX_BYTES];
    (void)snprintf(text, sizeof text, "%s", ranges);
    for (char *range = strtok(text, " "); range != NULL; range = strtok(NULL, " ")) {
        uint32_t first, last = UINT32_MAX;
        char *dash = strchr(range, '-');
        assert_non_null(dash);
        *dash = '\0';
        assert_true(kvb_release_parse(range, &first) && (dash[1] == '\0' || kvb_release_parse(dash + 1, &last)));
        if (release >= first && release <= last) {
            return true;
        }
    }
    return false;
}

static bool has_flag(const char *name, uint32_t release)
{
    unsigned matches;
    const struct kvb_known_flag *row = kvb_flag_of(name, strlen(name), release, &matches);
    return row != NULL && strlen(row->name) == strlen(name);
}

static bool has_class(const char *name, uint32_t release)
{
    return kvb_class_of(name, release) != NULL;
}

// "kv-cache-dtype fp8"
static bool has_choice(const char *name, uint32_t release)
{
    char flag[64];
    size_t size = strcspn(name, " ");
    (void)snprintf(flag, sizeof flag, "%.*s", (int)size, name);
    const struct kvb_known_choice *row = kvb_choices_of(flag, release);
    while (row != NULL && strcmp(row->word, name + size + 1) != 0) {
        row = kvb_choice_after(row, release);
    }
    return row != NULL;
}

static void walk(const char *fixture, bool (*has)(const char *, uint32_t), size_t least_rows)
{
    char line[LINE_MAX_BYTES];
    size_t rows = 0, different = 0;
    FILE *file = open_fixture(fixture);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *comma = strchr(line, ',');
        assert_non_null(comma);
        *comma = '\0';
        for (size_t i = 0; i < tag_count; i++) {
            bool wanted = is_inside(comma + 1, tags[i]);
            if (has(line, tags[i]) != wanted) {
                char release[32];
                print_error("%s at %s: wanted %d\n", line, kvb_release_format(release, tags[i]), wanted);
                different++;
            }
        }
        rows++;
    }
    (void)fclose(file);
    print_message("%zu rows at %zu releases, %zu different\n", rows, tag_count, different);
    assert_true(rows >= least_rows);
    assert_int_equal(different, 0);
}

static void flags(void **state)
{
    (void)state;
    read_tags();
    walk("flags.csv", has_flag, 250);
}

static void classes(void **state)
{
    (void)state;
    read_tags();
    walk("classes.csv", has_class, 350);
}

static void choices(void **state)
{
    (void)state;
    read_tags();
    walk("choices.csv", has_choice, 120);
}

// The first release that knows a built-in model is that of its class, which the walk above has seen.
static void built_in_models(void **state)
{
    (void)state;
    static struct kvb_model model;
    static struct kvb_problems problems;
    size_t count, models = 0, wrong = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_model_source source;
        kvb_problems_init(&problems);
        if (rows[i].kind == KVB_PROFILE_MODEL &&
            kvb_model_load(rows[i].id, NULL, &model, &source, &problems) == KVB_OK && model.architecture[0] != '\0') {
            models++;
            if (!kvb_class_is_known(model.architecture)) {
                print_error("%s: is %s in a release?\n", rows[i].id, model.architecture);
                wrong++;
            }
        }
    }
    assert_true(models >= 500);
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(flags), cmocka_unit_test(classes), cmocka_unit_test(choices),
              cmocka_unit_test(built_in_models))
