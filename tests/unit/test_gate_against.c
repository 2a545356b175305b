// A comparison with an earlier commit: pairs of deployments, and what became of each.
#include "text/folder.h"
#include "unit/gate_files.h"

#define LONGER "vllm serve Qwen/Qwen3-0.6B --max-model-len 8192\n"

static const struct kvb_case_change *change_of(const struct kvb_against *against, const char *file)
{
    for (uint32_t i = 0; i < against->count; i++) {
        const struct kvb_case_change *change = &against->changes[i];
        if (strcmp((change->after != NULL ? change->after : change->before)->file, file) == 0) {
            return change;
        }
    }
    fail_msg("nothing moved in %s", file);
    return NULL;
}

// Deployments are paired by file and name, then by what became of the name or of the file.
static void pairs(void **state)
{
    (void)state;
    (void)strcpy(flags.deployment.gpu, "l4");
    compose("files/a.yaml", "one", "4096");
    compose("files/b.yaml", "two", "4096");
    compose("files/c.yaml", "three", "4096");
    compose("files/d.yaml", "four", "40960");
    put("files/e.sh", "vllm serve Qwen/Qwen3-0.6B --enforce-eager\n");
    put("files/f.yaml", "services: [\n");
    put("files/h.sh", SMALL);
    if (!commit()) {
        skip();
    }
    compose("files/a.yaml", "renamed", "4096"); // the only one of its file
    (void)rename("files/b.yaml", "files/moved.yaml");
    (void)unlink("files/c.yaml");
    compose("files/d.yaml", "four", "4096");
    put("files/e.sh", "vllm serve Qwen/Qwen3-0.6B --no-enforce-eager --max-num-seqs 4\n");
    compose("files/g.yaml", "five", "40960");
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(compare(gate), KVB_OK);
    const struct kvb_against *against = kvb_gate_count(gate).against;
    assert_non_null(against);
    assert_int_equal(against->trends[KVB_TREND_BETTER], 1);
    assert_int_equal(change_of(against, "files/d.yaml")->trend, KVB_TREND_BETTER);
    assert_int_equal(change_of(against, "files/c.yaml")->trend, KVB_TREND_GONE);
    assert_int_equal(change_of(against, "files/g.yaml")->trend, KVB_TREND_NEW);
    const struct kvb_case_change *flag = change_of(against, "files/e.sh");
    assert_int_equal(flag->trend, KVB_TREND_SAME);
    bool switched = false, added = false;
    for (uint32_t i = 0; i < flag->moved_count; i++) {
        switched = switched || strstr(flag->moved[i].what, "enforce-eager") != NULL;
        added = added || (strcmp(flag->moved[i].what, "--max-num-seqs") == 0 && flag->moved[i].before == NULL &&
                          strcmp(flag->moved[i].after, "4") == 0);
    }
    assert_true(switched && added);
    assert_string_equal(change_of(against, "files/a.yaml")->moved[0].after, "services.renamed");
    assert_string_equal(change_of(against, "files/moved.yaml")->moved[0].before, "files/b.yaml");
    assert_int_equal(against->trends[KVB_TREND_SAME], 3);
    assert_int_equal(against->untouched, 1);
    kvb_gate_free(gate);
}

static uint32_t trend(const struct kvb_gate *gate, enum kvb_trend trend)
{
    return kvb_gate_count(gate).against->trends[trend];
}

// Of several of one name nobody knows which became which: those are gone, and these are new.
static void pairs_that_may_be_others(void **state)
{
    (void)state;
    static const char *const paths[] = {"files", "-", "files/a.yaml"};
    (void)strcpy(flags.deployment.gpu, "l4");
    compose("files/a.yaml", "one", "4096");
    compose("files/b.yaml", "one", "4096");
    compose("files/c.yaml", "two", "4096");
    put("files/f.yaml", "services: [ # vllm serve\n");
    if (!commit()) {
        skip();
    }
    (void)rename("files/a.yaml", "files/x.yaml");
    (void)rename("files/b.yaml", "files/y.yaml");
    (void)unlink("files/c.yaml");
    compose("files/p.yaml", "two", "4096"); // two of them where there was one
    compose("files/q.yaml", "two", "4096");
    (void)rename("files/f.yaml", "files/g.yaml"); // what could not be read has no name to be known by
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(compare(gate), KVB_OK);
    assert_int_equal(trend(gate, KVB_TREND_GONE), 4); // a, b, c and f
    assert_int_equal(trend(gate, KVB_TREND_NEW), 5);  // x, y, p, q and g
    assert_int_equal(trend(gate, KVB_TREND_SAME) + trend(gate, KVB_TREND_WORSE) + trend(gate, KVB_TREND_BETTER), 0);
    kvb_gate_free(gate);
    // Standard input was in no commit, and a file that is gone now is still compared.
    gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(kvb_gate_compare(gate, "HEAD", paths + 1, 2, &problems), KVB_OK);
    assert_int_equal(trend(gate, KVB_TREND_GONE), 1);
    kvb_gate_free(gate);
    gate = gate_of(20261122);
    assert_non_null(gate);
    kvb_problems_init(&problems);
    assert_int_not_equal(kvb_gate_compare(gate, "no-such-commit", paths, 1, &problems), KVB_OK);
    assert_true(problems.count > 0);
    kvb_gate_free(gate);
}

// No deployment there, none here, neither.
static void nothing_to_compare(void **state)
{
    (void)state;
    (void)strcpy(flags.deployment.gpu, "l4");
    put("files/README.md", "x\n");
    if (!commit()) {
        skip();
    }
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(compare(gate), KVB_OK);
    const struct kvb_against *against = kvb_gate_count(gate).against;
    assert_int_equal(against->count + against->untouched, 0);
    assert_string_equal(against->ref, "HEAD");
    kvb_gate_free(gate);
    put("files/a.sh", SMALL);
    gate = gate_of(20261122);
    assert_int_equal(compare(gate), KVB_OK);
    against = kvb_gate_count(gate).against;
    assert_int_equal(against->count, 1);
    assert_int_equal(against->trends[KVB_TREND_NEW], 1);
    assert_null(against->changes[0].before);
    assert_int_equal(against->changes[0].moved_count, 0);
    kvb_gate_free(gate);
    assert_true(commit());
    (void)unlink("files/a.sh");
    gate = gate_of(20261122);
    assert_int_equal(compare(gate), KVB_OK);
    against = kvb_gate_count(gate).against;
    assert_int_equal(against->count, 1);
    assert_int_equal(against->trends[KVB_TREND_GONE], 1);
    assert_null(against->changes[0].after);
    kvb_gate_free(gate);
}

// A folder that the commit does not have is no mistake; several deployments of one file find their own by name,
// wherever they stand.
static void names_in_one_file(void **state)
{
    (void)state;
    static const char service[] =
        "  %s:\n    image: vllm/vllm-openai:v0.11.0\n    environment: "
        "[CUDA_VISIBLE_DEVICES=%u]\n    command: --model Qwen/Qwen3-0.6B --max-model-len %u\n";
    static const char *const order[] = {"abc", "cab"};
    (void)strcpy(flags.deployment.gpu, "l4");
    for (unsigned now = 0; now < 2; now++) {
        char text[1024] = "services:\n";
        for (unsigned i = 0; i < 3; i++) {
            const char name[2] = {order[now][i], '\0'};
            unsigned index = (unsigned)(name[0] - 'a'), length = 4096 * (index + 1) + (now != 0 && index == 1 ? 16 : 0);
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), service, name, index, length);
        }
        put("files/a.yaml", text);
        put("files/b.sh", now == 0 ? SMALL LONGER "# x\n" : "# x\n" SMALL LONGER); // of one name
        if (now == 0 && !commit()) {
            skip();
        }
    }
    assert_int_equal(system("mkdir files/new"), 0);
    put("files/new/c.sh", SMALL);
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(compare(gate), KVB_OK);
    const struct kvb_against *against = kvb_gate_count(gate).against;
    assert_int_equal(against->untouched, 4); // a and c, and the two of b.sh
    assert_int_equal(against->count, 2);
    const struct kvb_case_change *change = change_of(against, "files/a.yaml");
    assert_string_equal(change->after->name, "services.b");
    assert_string_equal(change->before->name, "services.b");
    assert_string_equal(change->moved[change->moved_count - 1].before, "8192");
    assert_string_equal(change->moved[change->moved_count - 1].after, "8208");
    assert_int_equal(change_of(against, "files/new/c.sh")->trend, KVB_TREND_NEW);
    kvb_gate_free(gate);
    static const char *const added[] = {"files/new"};
    gate = gate_of(20261122);
    assert_int_equal(kvb_gate_compare(gate, "HEAD", added, 1, &problems), KVB_OK);
    assert_int_equal(problems.count, 0);
    kvb_gate_free(gate);
    assert_int_equal(kvb_folder_remove("files/new", &problems), KVB_OK);
}

KVB_TEST_MAIN_WITH(make_root, remove_root, TEST(pairs), TEST(pairs_that_may_be_others), TEST(nothing_to_compare),
                   TEST(names_in_one_file))
