// Engines on one GPU: public pairs of starts, the table of what releases charge, and mistakes in the list.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "unit/test.h"

#define GIB_HUNDREDTH (KVB_GIB / 100)

static struct kvb_problems problems;
static struct kvb_plan plans[3];
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_resident residents[3];
static struct kvb_side_by_side answer;

struct asked {
    const char *model, *engine;
    uint64_t length, ppm;
};

static void ask(struct kvb_plan *plan, const struct asked *asked, uint64_t memory_bytes)
{
    static struct kvb_deployment deployment;
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", asked->model);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "%s", asked->engine);
    deployment.gpu_memory_bytes = memory_bytes;
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, asked->length, KVB_ORIGIN_FLAG);
    kvb_settings_set(&deployment.settings, KVB_SET_GPU_MEMORY_UTILIZATION, asked->ppm, KVB_ORIGIN_FLAG);
    deployment.environment.use_v1 = KVB_YES;
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_NUM_SEQS, 64, KVB_ORIGIN_FLAG); // a small sampler peak
    kvb_problems_init(&problems);
    assert_int_equal(kvb_deployment_resolve(&deployment, plan, &draft, &source, &problems), KVB_OK);
}

static void place(uint32_t count)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_side_by_side_compute(&plans[0].gpu, residents, count, &answer, &problems), KVB_OK);
}

static void two_engines(const struct asked *first, const struct asked *second, uint64_t memory_bytes)
{
    ask(&plans[0], first, memory_bytes);
    ask(&plans[1], second, memory_bytes);
    residents[0] = (struct kvb_resident){.kind = KVB_RESIDENT_ENGINE, .name = "first", .plan = &plans[0]};
    residents[1] = (struct kvb_resident){.kind = KVB_RESIDENT_ENGINE, .name = "second", .plan = &plans[1]};
    place(2);
}

// vllm-project/vllm issue 14376: two TinyLlama at 0.2 on an L40S, V1 of 0.7.3: the second one refuses with
// the first one's 0.2 x 44.4 = 8.88 GiB on the card; 0.3 was enough.
static void second_needs_a_cumulative_share(void **state)
{
    (void)state;
    struct asked first = {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", "vllm@0.7.3", 1024, 200000};
    struct asked second = first;
    two_engines(&first, &second, 44 * KVB_GIB + 40 * GIB_HUNDREDTH);
    assert_int_equal(answer.rows[0].charge, KVB_CHARGE_DEVICE);
    assert_true(answer.rows[0].starts);
    assert_false(answer.rows[1].starts);
    assert_true(answer.rows[1].charged_bytes > 8 * KVB_GIB);
    assert_non_null(strstr(answer.rows[1].error, "No available memory for the cache blocks"));
    assert_in_range(answer.rows[1].needs_ppm, 200001, 300000);
    second.ppm = 300000;
    two_engines(&first, &second, 44 * KVB_GIB + 40 * GIB_HUNDREDTH);
    assert_true(answer.rows[1].starts);
    assert_true(answer.all_start);
}

// vllm-project/vllm issue 16141: 0.8.3 at 0.1 of 44.55 GiB beside another such instance: refused. Releases
// with pull request 18974 (0.9.1 and later) count their own memory only.
static void snapshot_releases_count_their_own(void **state)
{
    (void)state;
    struct asked old = {"Qwen/Qwen2.5-0.5B-Instruct-AWQ", "vllm@0.8.3", 512, 100000};
    struct asked new = {"Qwen/Qwen2.5-0.5B-Instruct-AWQ", "vllm@0.9.2", 512, 100000};
    uint64_t memory_bytes = 44 * KVB_GIB + 55 * GIB_HUNDREDTH;
    two_engines(&old, &old, memory_bytes);
    assert_true(answer.rows[0].starts);
    assert_false(answer.rows[1].starts);
    two_engines(&new, &new, memory_bytes);
    assert_true(answer.all_start);
    assert_int_equal(answer.rows[0].kv_cache_bytes, answer.rows[1].kv_cache_bytes);
    assert_int_equal(answer.rows[1].charged_bytes, 0);
}

static void state_terms(struct kvb_plan *plan, uint64_t weights, uint64_t activation)
{
    plan->stated[KVB_STATED_WEIGHTS] = (struct kvb_stated_term){true, weights * GIB_HUNDREDTH};
    plan->stated[KVB_STATED_ACTIVATION] = (struct kvb_stated_term){true, activation * GIB_HUNDREDTH};
    plan->stated[KVB_STATED_NON_TORCH] = (struct kvb_stated_term){true, 10 * GIB_HUNDREDTH};
    plan->stated[KVB_STATED_CUDA_GRAPH] = (struct kvb_stated_term){true, 0};
}

// vllm-project/vllm issue 55827, in hundredths of a GiB. Beside the KV cache an engine has its share less
// what it got in sequence: RTX 5090, 31.36: 0.35 x 31.36 - 4.72 = 6.26 and 0.20 x 31.36 - 2.82 = 3.45;
// RTX 6000 Ada, 47.37: 16.58 - 10.82 = 5.76 and 9.47 - 6.50 = 2.97. Non-torch 0.10 of it; the weights of
// 1.7 and 0.6 billion parameters and their audio parts are put at 4.5 and 1.8.
static const struct {
    uint64_t memory;
    uint64_t asr_activation, aligner_activation;
    int asr_alone, aligner_alone, asr_together, aligner_together;
} pairs[] = {
    {3136, 166, 155, 472, 282, 184, -321},
    {4737, 116, 107, 1082, 650, 901, -1},
};

static void check_pair(size_t i, const char *engine)
{
    struct asked asr = {"Qwen/Qwen2.5-0.5B-Instruct", engine, 1024, 350000};
    struct asked aligner = {"Qwen/Qwen2.5-0.5B-Instruct", engine, 1024, 200000};
    ask(&plans[0], &asr, pairs[i].memory * GIB_HUNDREDTH);
    ask(&plans[1], &aligner, pairs[i].memory * GIB_HUNDREDTH);
    state_terms(&plans[0], 450, pairs[i].asr_activation);
    state_terms(&plans[1], 180, pairs[i].aligner_activation);
    place(2);
    const struct kvb_resident_answer *rows = answer.rows;
    int64_t step = (int64_t)GIB_HUNDREDTH;
    assert_true(answer.all_start);
    assert_in_range(rows[0].kv_cache_bytes, (pairs[i].asr_alone - 2) * step, (pairs[i].asr_alone + 2) * step);
    assert_in_range(rows[1].kv_cache_bytes, (pairs[i].aligner_alone - 2) * step, (pairs[i].aligner_alone + 2) * step);
    // Together: what was seen lies between a neighbour's weights alone and all that it ever holds.
    assert_true(rows[0].at_once_low_bytes <= pairs[i].asr_together * step);
    assert_true(rows[0].at_once_high_bytes >= pairs[i].asr_together * step);
    assert_true(rows[1].at_once_low_bytes <= pairs[i].aligner_together * step);
    assert_true(rows[1].at_once_high_bytes >= pairs[i].aligner_together * step);
    assert_true(rows[0].starts_at_once);
    assert_int_equal(rows[1].starts_at_once, i == 1); // its likely figure is 6.50 - 5.76 = 0.74: either way
}

static void at_once_they_charge_each_other(void **state)
{
    static const char *const engines[] = {"vllm@0.24.0", "vllm@0.27.1"};
    (void)state;
    residents[0] = (struct kvb_resident){.kind = KVB_RESIDENT_ENGINE, .name = "ASR", .plan = &plans[0]};
    residents[1] = (struct kvb_resident){.kind = KVB_RESIDENT_ENGINE, .name = "aligner", .plan = &plans[1]};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
            check_pair(i, engines[e]);
        }
    }
}

// A cache given in bytes measures nothing, so that a start beside others changes nothing.
static void fixed_cache_ends_the_coupling(void **state)
{
    (void)state;
    struct asked asked = {"Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1024, 200000};
    ask(&plans[0], &asked, 32 * KVB_GIB);
    ask(&plans[1], &asked, 32 * KVB_GIB);
    kvb_settings_set(&plans[1].settings, KVB_SET_KV_CACHE_MEMORY_BYTES, 2 * KVB_GIB, KVB_ORIGIN_FLAG);
    place(2);
    assert_int_equal(answer.rows[1].charge, KVB_CHARGE_FIXED);
    assert_int_equal(answer.rows[1].at_once_bytes, 2 * KVB_GIB);
    assert_int_equal(answer.rows[1].gained_bytes, 0);
    assert_int_equal(answer.rows[1].needs_ppm, 0);
}

static void releases_charge_as_the_table_says(void **state)
{
    static const struct {
        const char *engine;
        enum kvb_charge charge;
    } rows[] = {
        {"vllm@0.3.0", KVB_CHARGE_DEVICE},  {"vllm@0.6.3", KVB_CHARGE_FREE},   {"vllm@0.7.0", KVB_CHARGE_DEVICE},
        {"vllm@0.9.0", KVB_CHARGE_DEVICE},  {"vllm@0.9.1", KVB_CHARGE_GROWTH}, {"vllm@0.11.0", KVB_CHARGE_GROWTH},
        {"vllm@0.26.0", KVB_CHARGE_GROWTH}, {"vllm@0.27.0", KVB_CHARGE_FREE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asked asked = {"Qwen/Qwen2.5-0.5B-Instruct", rows[i].engine, 1024, 500000};
        ask(&plans[0], &asked, 32 * KVB_GIB);
        assert_int_equal(kvb_charge_of(&plans[0]), rows[i].charge);
    }
    for (unsigned i = 0; i < KVB_CHARGE_COUNT; i++) {
        assert_true(kvb_charge_row_of(i)->key != NULL && strlen(kvb_charge_row_of(i)->meaning) > 10);
    }
}

// 20 of 24 GiB are held: 0.9 x 24 = 21.6 GiB are not free, and the check of 0.11.0 says so.
static void fixed_memory_closes_the_gate(void **state)
{
    (void)state;
    struct asked asked = {"Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1024, 900000};
    ask(&plans[0], &asked, 24 * KVB_GIB);
    residents[0] = (struct kvb_resident){.kind = KVB_RESIDENT_FIXED, .name = "desktop", .bytes = 20 * KVB_GIB};
    residents[1] = (struct kvb_resident){.kind = KVB_RESIDENT_ENGINE, .name = "engine", .plan = &plans[0]};
    place(2);
    assert_int_equal(answer.rows[1].held_before_bytes, 20 * KVB_GIB);
    assert_false(answer.rows[1].starts);
    assert_non_null(strstr(answer.rows[1].error, "is less than desired GPU memory utilization"));
    assert_int_equal(answer.rows[1].held_bytes, 0);
    assert_in_range(answer.rows[1].needs_ppm, 10000, 150000);
}

// What is held comes off a stated free figure, too, and the last reserve takes what has no row left.
static void holding_is_counted_once(void **state)
{
    (void)state;
    struct kvb_plan *plan = &plans[2];
    memset(plan, 0, sizeof *plan);
    plan->gpu_free_stated = true;
    plan->gpu_free_bytes = 10 * KVB_GIB;
    kvb_plan_hold(plan, "a", 4 * KVB_GIB);
    assert_int_equal(plan->gpu_free_bytes, 6 * KVB_GIB);
    assert_int_equal(plan->reserve_count, 0);
    kvb_plan_hold(plan, "b", 7 * KVB_GIB);
    assert_int_equal(plan->gpu_free_bytes, 0);
    memset(plan, 0, sizeof *plan);
    for (unsigned i = 0; i < KVB_RESERVES_MAX + 3; i++) {
        kvb_plan_hold(plan, "c", 1);
    }
    assert_int_equal(plan->reserve_count, KVB_RESERVES_MAX);
    assert_int_equal(plan->reserves[KVB_RESERVES_MAX - 1].bytes, 4);
    kvb_plan_hold(plan, "d", 0);
    assert_int_equal(plan->reserves[KVB_RESERVES_MAX - 1].bytes, 4);
}

static void too_many_are_refused(void **state)
{
    static struct kvb_resident many[KVB_RESIDENTS_MAX + 2];
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_side_by_side_compute(&plans[0].gpu, many, KVB_RESIDENTS_MAX + 2, &answer, &problems),
                     KVB_OUT_OF_RANGE);
    assert_int_equal(problems.count, 1);
}

// ---- The list in a profile

static const struct {
    const char *entry;
    enum kvb_status status;
    const char *text; // part of the sentence
} mistakes[] = {
    {"{name: x}", KVB_MISSING_KEY, "needs the key 'kind'"},
    {"{kind: engin}", KVB_UNKNOWN_KIND, "engine, trainer, fixed or transformers"},
    {"text", KVB_BAD_TYPE, "expected a mapping"},
    {"{kind: fixed}", KVB_MISSING_KEY, "'bytes'"},
    {"{kind: fixed, bytes: 0}", KVB_OUT_OF_RANGE, "a size above 0"},
    {"{kind: fixed, bytes: 1GiB, byte: 2}", KVB_UNKNOWN_KEY, "did you mean 'bytes'"},
    {"{kind: fixed, bytes: 1GiB, starts: later}", KVB_BAD_TYPE, "before or after"},
    {"{kind: engine}", KVB_MISSING_KEY, "'deployment'"},
    {"{kind: engine, deployment: [a]}", KVB_BAD_TYPE, "a name, a path or a mapping"},
    {"{kind: engine, deployment: {model: x, residents: []}}", KVB_NOT_ALLOWED, "no residents of its own"},
    {"{kind: trainer, gpus: 0}", KVB_OUT_OF_RANGE, "a whole number from 1"},
    {"{kind: trainer, sharding: zero4}", KVB_BAD_TYPE, "zero1, zero2 or zero3"},
    {"{kind: trainer, state: much}", KVB_BAD_TYPE, "79.18GiB"},
    {"{kind: trainer, reference: maybe}", KVB_BAD_TYPE, "true or false"},
    {"{kind: trainer, logits: [flash]}", KVB_BAD_TYPE, "flash, fused"},
    {"{kind: trainer, config: {}}", KVB_CONTRADICTION, "whose keys"},
    {"{kind: trainer, framework: verl, version: new}", KVB_BAD_TYPE, "a release"},
    {"{kind: trainer, framework: openrlhf, config: {zero_stage: 4}}", KVB_OUT_OF_RANGE, "0, 1, 2 or 3"},
    {"{kind: trainer, framework: verl, config: {trainer: {nnodes: none}}}", KVB_OUT_OF_RANGE, "1 to 65536"},
    {"{kind: transformers, cache: paged}", KVB_BAD_TYPE, "dynamic, static or none"},
    {"{kind: transformers, sequences: 0}", KVB_OUT_OF_RANGE, "1 to 4294967296"},
};

static void every_mistake_is_said(void **state)
{
    static struct kvb_deployment deployment;
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char text[512];
        int length = snprintf(text, sizeof text, "kind: deployment\nschema: 1\nmodel: x\nresidents:\n  - %s\n",
                              mistakes[i].entry);
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        assert_int_equal(kvb_deployment_read("file", text, (size_t)length, &deployment, &problems), mistakes[i].status);
        assert_true(problems.count > 0 && problems.items[0].line == 5);
        if (strstr(problems.items[0].text, mistakes[i].text) == NULL) {
            fail_msg("%s: %s", mistakes[i].entry, problems.items[0].text);
        }
    }
}

static void list_is_kept_in_order(void **state)
{
    static struct kvb_resident_entry entries[KVB_RESIDENTS_MAX];
    uint32_t count = 0;
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(
        kvb_residents_load(KVB_SOURCE_DIR "/tests/fixtures/residents/two-0.11.0.yaml", entries, &count, &problems),
        KVB_OK);
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].kind, KVB_RESIDENT_FIXED);
    assert_false(entries[0].after);
    assert_int_equal(entries[0].bytes, KVB_GIB / 2);
    assert_int_equal(entries[1].kind, KVB_RESIDENT_ENGINE);
    assert_true(entries[1].after);
    assert_string_equal(entries[1].name, "aligner");
    assert_string_equal(entries[1].deployment.engine, "vllm@0.11.0");
    assert_int_equal(
        kvb_residents_load(KVB_SOURCE_DIR "/tests/fixtures/residents/none.yaml", entries, &count, &problems),
        KVB_CANNOT_OPEN);
    assert_string_equal(kvb_resident_kind_name(KVB_RESIDENT_TRANSFORMERS), "transformers");
}

// Every allocation may fail: the list is then refused, never half read.
static void failing_memory_is_said(void **state)
{
    static struct kvb_resident_entry entries[KVB_RESIDENTS_MAX];
    static const char *const files[] = {KVB_SOURCE_DIR "/tests/fixtures/residents/two-0.11.0.yaml",
                                        KVB_SOURCE_DIR "/tests/fixtures/residents/verl.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        enum kvb_status status = KVB_NO_MEMORY;
        for (unsigned long n = 1; n < 4000 && status != KVB_OK; n++) {
            uint32_t count = 0;
            kvb_problems_init(&problems);
            kvb_memory_fail_after(n);
            status = kvb_residents_load(files[i], entries, &count, &problems);
            kvb_memory_fail_after(0);
            assert_true(status == KVB_OK || problems.count > 0);
        }
        assert_int_equal(status, KVB_OK);
    }
}

// A generate loop and a trainer without keys of their own take what is usual.
static void entries_have_defaults(void **state)
{
    static struct kvb_deployment deployment;
    static const char text[] = "kind: deployment\nschema: 1\nmodel: x\nresidents:\n"
                               "  - {kind: transformers, cache: static, attention: eager, logits: all}\n"
                               "  - {kind: trainer, framework: trl}\n  - {kind: trainer}\n";
    (void)state;
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_deployment_read("file", text, sizeof text - 1, &deployment, &problems), KVB_OK);
    assert_int_equal(deployment.resident_count, 3);
}

KVB_TEST_MAIN(cmocka_unit_test(second_needs_a_cumulative_share), cmocka_unit_test(snapshot_releases_count_their_own),
              cmocka_unit_test(at_once_they_charge_each_other), cmocka_unit_test(fixed_cache_ends_the_coupling),
              cmocka_unit_test(releases_charge_as_the_table_says), cmocka_unit_test(fixed_memory_closes_the_gate),
              cmocka_unit_test(holding_is_counted_once), cmocka_unit_test(too_many_are_refused),
              cmocka_unit_test(every_mistake_is_said), cmocka_unit_test(list_is_kept_in_order),
              cmocka_unit_test(failing_memory_is_said), cmocka_unit_test(entries_have_defaults))
