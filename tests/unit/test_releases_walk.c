// Every flag and every class at every release, against a second reading of the tags: tests/fixtures/releases holds what
// a plain search finds at each of them, as ranges of releases. Flags: add_argument("--NAME" in
// vllm/engine/arg_utils.py, entrypoints/openai/cli_args.py and api_server.py, the fields of FrontendArgs,
// serve_parser.add_argument in scripts.py and entrypoints/cli/serve.py, four flags of a loop at 0.11 (arg_utils.py
// v0.11.0:632). Classes: keys of models/registry.py, models/__init__.py and model_executor/model_loader.py. Choices:
// the text of nine Literal types, the names in register_module( and _PARSERS_TO_REGISTER of the two kinds of parsers.
// The tables themselves are made from the syntax tree by scripts/release-tables.
#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/release_tables.h"
#include "unit/release_tags.h"
#include "unit/test.h"

static uint32_t tags[TAGS_MAX];
static size_t tag_count;

// "0.2.0-0.12.0 0.14.0-"
static bool is_inside(const char *ranges, uint32_t release)
{
    char text[ROW_MAX_BYTES];
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

static bool (*has)(const char *name, uint32_t release); // of what is walked

static bool look(char *const *cells, struct seen_rows *seen)
{
    bool same = true;
    (void)seen;
    for (size_t i = 0; i < tag_count; i++) {
        bool wanted = is_inside(cells[1], tags[i]);
        if (has(cells[0], tags[i]) != wanted) {
            char release[32];
            print_error("at %s: wanted %d\n", kvb_release_format(release, tags[i]), wanted);
            same = false;
        }
    }
    return same;
}

static void walk(const char *fixture, bool (*asked)(const char *, uint32_t), size_t least_rows)
{
    struct seen_rows seen;
    has = asked;
    tag_count = tags_since(0, tags);
    walk_rows(fixture, 2, look, &seen);
    assert_true(seen.rows >= least_rows);
    assert_int_equal(seen.different, 0);
}

static void flags(void **state)
{
    (void)state;
    walk("fixtures/releases/flags.csv", has_flag, 250);
}

static void classes(void **state)
{
    (void)state;
    walk("fixtures/releases/classes.csv", has_class, 350);
}

static void choices(void **state)
{
    (void)state;
    walk("fixtures/releases/choices.csv", has_choice, 120);
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
