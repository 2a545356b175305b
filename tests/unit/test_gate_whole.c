// Files that are no deployment as a whole: too large to be one, too large inside, not there.
#include "base/memory.h"
#include "unit/gate_files.h"

#define COMPOSE                                                                                                        \
    "services:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model Qwen/Qwen3-0.6B --max-model-len "      \
    "4096\n"

static struct kvb_gate_totals check(void)
{
    static struct kvb_gate *gate;
    kvb_gate_free(gate); // of the row before
    (void)strcpy(flags.deployment.gpu, "l4");
    kvb_problems_init(&problems);
    gate = gate_of(20261122);
    assert_non_null(gate);
    return kvb_gate_count(gate);
}

// Ten aliases of ten, six deep, are a million values: said with its place, and nothing passes for it.
static void too_large_inside(void **state)
{
    (void)state;
    char text[2048] = COMPOSE "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (unsigned i = 1; i < 7; i++) {
        char name[8];
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "x%u: &x%u [", i, i);
        (void)snprintf(name, sizeof name, "*x%u", i - 1);
        for (unsigned k = 0; k < 10; k++) {
            strcat(strcat(text, k > 0 ? ", " : ""), name);
        }
        strcat(text, "]\n");
    }
    put("files/a.yaml", text);
    struct kvb_gate_totals totals = check();
    assert_int_equal(totals.count, 1);
    assert_int_equal(totals.errors, 1);
    assert_int_equal(totals.files_read, 1);
    assert_int_equal(totals.files_with, 0);
    assert_int_equal(totals.cases[0].place.line, 10);
    assert_non_null(strstr(totals.cases[0].findings[0].text, "aliases stand for more than 200000 values"));
    assert_int_equal(problems.count, 0);
    assert_false(totals.system_failed);
}

// What is too large for any deployment's file is only said, and the files beside it are judged.
static void too_large(void **state)
{
    (void)state;
    FILE *file = fopen("files/a.yaml", "w");
    assert_non_null(file);
    assert_true(fputs(COMPOSE "# ", file) >= 0);
    for (unsigned i = 0; i < 4U << 10; i++) {
        char kib[1025];
        memset(kib, 'x', 1024);
        kib[1024] = '\0';
        assert_true(fputs(kib, file) >= 0);
    }
    assert_int_equal(fclose(file), 0);
    put("files/b.sh", SMALL);
    struct kvb_gate_totals totals = check();
    assert_int_equal(totals.count, 1);
    assert_int_equal(totals.passed, 1);
    assert_string_equal(totals.cases[0].file, "files/b.sh");
    assert_int_equal(totals.files_seen, 2);
    assert_int_equal(totals.files_with, 1);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_string_equal(problems.items[0].file, "files/a.yaml");
    assert_string_equal(problems.items[0].text, "too large for a manifest, so not looked at");
}

// Variables that stand for more text than is read: neither the deployment they cut off nor its file passes.
static void grown_too_large(void **state)
{
    (void)state;
    char text[2048] = "A0=xxxxxxxxxxxxxxxx\n";
    for (unsigned i = 1; i < 40; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "A%u=$A%u$A%u\n", i, i - 1, i - 1);
    }
    put("files/a.sh", strcat(text, "vllm serve Qwen/Qwen3-0.6B --served-model-name $A39\n"));
    struct kvb_gate_totals totals = check();
    assert_int_equal(totals.passed, 0);
    assert_true(totals.errors > 0);
    const struct kvb_check_case *last = &totals.cases[totals.count - 1];
    assert_non_null(strstr(last->findings[0].text, "its variables stand for more text than any deployment has"));
    assert_int_equal(problems.count, 0);
}

// What is found and cannot be read as a whole never passes, though no other sentence is said of it.
static void found_in_part(void **state)
{
    (void)state;
    static char text[256 << 10];
    (void)strcpy(text, "models:\n  a:\n    cmd: \"vllm serve x ");
    for (size_t at = strlen(text); at < sizeof text - 32; at += 2) {
        memcpy(text + at, "${", 3); // a variable in the name of a variable, each in the one before
    }
    put("files/a.yaml", strcat(text, "\"\n"));
    struct kvb_gate_totals totals = check();
    assert_int_equal(totals.passed, 0);
    assert_true(totals.errors > 0);
}

// A file that cannot be opened is an error of the machine, which no policy lets pass.
static void not_readable(void **state)
{
    (void)state;
    if (geteuid() == 0) { // who reads everything
        skip();
    }
    put("files/a.sh", SMALL);
    assert_int_equal(system("chmod 0 files/a.sh"), 0);
    struct kvb_gate_totals totals = check();
    assert_int_equal(totals.errors, 1);
    assert_true(totals.system_failed);
}

// As many variables as are kept of a command line, and one more.
static void many_variables(void **state)
{
    (void)state;
    put("files/a.sh", SMALL);
    for (uint32_t i = 0; i < KVB_TYPED_MAX; i++) {
        flags.typed[i] = (struct kvb_typed){.name = "env", .value = "A=1"};
    }
    flags.typed_count = KVB_TYPED_MAX;
    struct kvb_gate_totals totals = check();
    assert_int_equal(totals.count, 1);
    assert_int_equal(totals.passed, 1);
    assert_int_equal(totals.cases[0].finding_count, 0);
}

// A gate that lacks a part of its memory is none.
static void no_part_of_a_gate(void **state)
{
    (void)state;
    put("files/a.sh", SMALL);
    unsigned refused = 0;
    for (unsigned long n = 1; n <= 40; n++) {
        const struct kvb_gate_options options = {.flags = &flags, .today = 20261122, .no_policy = true};
        enum kvb_status status = KVB_OK;
        kvb_problems_init(&problems);
        (void)kvb_memory_fail_once(n);
        struct kvb_gate *gate = kvb_gate_new(&options, &status, &problems);
        bool failed = kvb_memory_fail_once(0) == 0;
        refused += failed;
        assert_int_equal(gate == NULL, failed);
        assert_int_equal(status, failed ? KVB_NO_MEMORY : KVB_OK);
        kvb_gate_free(gate);
    }
    assert_true(refused > 1 && refused < 40);
}

KVB_TEST_MAIN_WITH(make_root, remove_root, TEST(too_large_inside), TEST(too_large), TEST(grown_too_large),
                   TEST(found_in_part), TEST(not_readable), TEST(many_variables), TEST(no_part_of_a_gate))
