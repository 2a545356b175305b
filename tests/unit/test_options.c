// The reading of our own command line, word by word: what is a flag, a value, a file or a model, and where a list, a
// name and the number of flags end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/run.h"
#include "unit/test.h"
#include "unit/words.h"

static struct arguments *arguments;

static int stand_at_the_top(void **state)
{
    (void)state;
    bool set = setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? 0 : -1;
}

static void read_these(const char *command, int count, const char *const *words)
{
    kvb_run_end(arguments);
    arguments = kvb_run_begin(kvb_commands_find(command));
    assert_non_null(arguments);
    (void)kvb_options_read(arguments, count, words);
}

static void read_line(const char *line)
{
    static struct words words; // as long as what is read of them
    words_of(line, &words);
    read_these(words.words[0], words.count - 1, words.words + 1);
}

static const char *problem(void)
{
    return arguments->problems.count > 0 ? arguments->problems.items[0].text : "";
}

static int end(void **state)
{
    (void)state;
    kvb_run_end(arguments);
    arguments = NULL;
    return 0;
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *line, *problem; // "": it is taken
    } rows[] = {
        {"plan --gpu l4 --gpu l4", "--gpu is given twice"},
        {"plan --env A=1 --env A=2 --gpu l4", ""},
        {"plan --gpu", "--gpu needs a value: --gpu NAME"},
        {"plan --gpu --json", "--gpu needs a value: --gpu NAME"},
        {"plan --gpu -j", "--gpu needs a value: --gpu NAME"},
        {"plan --json=1", "--json takes no value; found '1'"},
        {"plan --no-json", "unknown flag '--no-json'"},
        {"plan --no-enforce-eager=1", "--no-enforce-eager takes no value; found '1'"},
        {"plan --no-enforce-eager --no-enforce-eager", "--enforce-eager is given twice"},
        {"plan --no-", "unknown flag '--no-'"},
        {"plan --gpu-m 3", "unknown flag '--gpu-m'; did you mean '--gpu-memory'?"}, // the shortest that begins so
        {"plan --enforce_eager", "unknown flag '--enforce_eager'; did you mean '--enforce-eager'?"},
        {"plan --max-model-len -1 --gpu l4", ""}, // a number is a value
        {"plan --max-model-len -9 --gpu l4", "--max-model-len: '-9' is not a whole number"},
        {"plan a b", "unexpected word 'b'; a serve command goes behind --"},
        {"schema a b", "unexpected word 'b'"},
        {"plan --", "nothing follows --; expected a command such as 'vllm serve MODEL'"},
        {"explain --", "'explain' takes no serve command after --"},
        {"schema", "'schema' needs COMMAND|request"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_line(rows[i].line);
        bool right = rows[i].problem[0] == '\0' ? arguments->problems.count == 0
                                                : strncmp(problem(), rows[i].problem, strlen(rows[i].problem)) == 0;
        if (!right) {
            print_message("%s: '%s'\n", rows[i].line, problem());
            fail();
        }
    }
}

// A word names a model where it neither looks like a path nor is one; a folder of another machine does, too.
static void operands(void **state)
{
    (void)state;
    static const struct {
        const char *line, *model; // NULL: a file
    } rows[] = {
        {"plan Qwen/Qwen3-8B", "Qwen/Qwen3-8B"},
        {"plan /models/mine", "/models/mine"},
        {"plan /models/mine.yaml", NULL},
        {"plan /models/mine.yml", NULL},
        {"plan /models/mine.json", NULL},
        {"plan mine.yaml", NULL},
        {"plan ./mine", NULL},
        {"plan tests", NULL}, // a folder that is here
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_line(rows[i].line);
        assert_int_equal(arguments->names_model, rows[i].model != NULL);
        assert_string_equal(arguments->question.deployment.model, rows[i].model != NULL ? rows[i].model : "");
    }
    char name[KVB_PATH_CAPACITY + 2];
    for (size_t length = KVB_PATH_CAPACITY - 1; length <= KVB_PATH_CAPACITY; length++) {
        const char *const words[] = {name};
        memset(name, 'm', length);
        name[length] = '\0';
        read_these("plan", 1, words);
        assert_string_equal(problem(), length < KVB_PATH_CAPACITY ? "" : "the model's name is too long");
    }
    static const char *many[OPERANDS_MAX + 1];
    for (unsigned i = 0; i <= OPERANDS_MAX; i++) {
        many[i] = i < 2 ? "--" : "x"; // behind -- everything is a file
    }
    read_these("check", OPERANDS_MAX + 1, many);
    assert_int_equal(arguments->operand_count, OPERANDS_MAX);
    assert_string_equal(arguments->operands[0], "--");
    assert_string_equal(problem(), "");
    many[0] = "x";
    read_these("check", OPERANDS_MAX + 1, many);
    assert_string_equal(arguments->operands[0], "x");
    assert_int_equal(arguments->operand_count, OPERANDS_MAX);
}

static void number_of_flags(void **state)
{
    (void)state;
    static const char *words[2 * 257];
    for (unsigned i = 0; i < 257; i++) {
        words[2 * i] = "--env";
        words[2 * i + 1] = "A=1";
    }
    read_these("plan", 2 * 256, words);
    assert_string_not_equal(problem(), "more than 256 flags");
    read_these("plan", 2 * 257, words);
    assert_string_equal(problem(), "more than 256 flags");
}

// Numbers behind a list flag are its values, up to the first word that is none, and as many as there is room for.
static void lists(void **state)
{
    (void)state;
    read_line("plan --gpu l4 --cudagraph-capture-sizes 1 2 4 --json");
    assert_string_equal(problem(), "");
    assert_int_equal(arguments->list_count, 1);
    assert_string_equal(arguments->list_values[0], "1 2 4");
    read_line("plan --cudagraph-capture-sizes 1 2 4");
    assert_string_equal(arguments->list_values[0], "1 2 4");
    read_line("plan --cudagraph-capture-sizes 1 2 Qwen/Qwen3-8B");
    assert_string_equal(arguments->list_values[0], "1 2");
    assert_string_equal(arguments->question.deployment.model, "Qwen/Qwen3-8B");
    read_line("plan --cudagraph-capture-sizes x 2");
    assert_int_equal(arguments->list_count, 0);
    read_line("plan --cudagraph-capture-sizes [1,2]");
    assert_int_equal(arguments->list_count, 0);
    static const char *words[300] = {"--cudagraph-capture-sizes"};
    for (unsigned digits = 1; digits <= 2; digits++) { // 511 characters: 256 of one digit, or 170 of two and one more
        for (unsigned i = 1; i < 300; i++) {
            words[i] = digits == 1 ? "8" : "16";
        }
        read_these("plan", 300, words);
        assert_int_equal(strlen(arguments->list_values[0]), digits == 1 ? 511 : 509);
        assert_non_null(strstr(problem(), "unexpected word '")); // what is beyond is no value, and refused
    }
}

// A document is wanted in the words before a serve command.
static void documents(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool wanted;
    } rows[] = {
        {"x --json", true},
        {"x y --json", true},
        {"x --format json", true},
        {"x --format=json", true},
        {"x --format text", false},
        {"x --format", false},
        {"x json", false},
        {"x json --format", false},
        {"x -- --json", false},
        {"x -- --format json", false},
        {"x --format -- json", false},
        {"x --jsonl", false},
        {"x y --format json", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct words words;
        words_of(rows[i].line, &words);
        if (kvb_options_want_json(words.count - 1, words.words + 1) != rows[i].wanted) {
            fail_msg("%s", rows[i].line);
        }
    }
    assert_false(kvb_options_want_json(0, NULL));
}

// The model's word in a serve command, for which --model may stand.
static void serve_commands(void **state)
{
    (void)state;
    read_line("plan --gpu l4 -- vllm serve Qwen/Qwen3-8B --max-model-len 4096");
    assert_int_equal(arguments->question.serve_count, 5);
    assert_int_equal(arguments->question.serve_model, 2);
    assert_string_equal(arguments->question.serve_words[0], "vllm");
    read_line("plan --gpu l4");
    assert_int_equal(arguments->question.serve_model, -1);
    assert_int_equal(arguments->question.serve_count, 0);
}

#define EACH(test) cmocka_unit_test_teardown(test, end)

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, EACH(refusals), EACH(operands), EACH(number_of_flags), EACH(lists),
                   EACH(documents), EACH(serve_commands))
