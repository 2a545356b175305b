// States beside V0's blocks: which classes 0.8 to 0.10 left to V0, what MambaCacheManager holds for them there, and
// that attention layers alone are counted in blocks. Values are worked by hand from the tags' own shapes.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/kv.h"
#include "engines/vllm/v1_oracle.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static void make(uint32_t release, const char *architecture, const struct kvb_attention_shape *state)
{
    make_llama_plan(&plan, release);
    name_class(&plan, architecture);
    plan.model.kind_count = 1;
    plan.model.kinds[0].attention = *state;
    memset(plan.model.kind_of_layer, 0, sizeof plan.model.kind_of_layer);
}

// state-spaces/mamba-2.8b: (5120, 3) and (5120, 16) of mamba.py _get_mamba_cache_shape, here in each of 32 layers
static const struct kvb_attention_shape mamba = {
    .kind = KVB_ATTENTION_MAMBA1, .state_inner_size = 5120, .state_key_size = 16, .conv_kernel = 4};
// Nemotron-H-56B: 256 heads of 64, 8 groups, a state of 256
static const struct kvb_attention_shape mamba2 = {.kind = KVB_ATTENTION_MAMBA2,
                                                  .state_inner_size = 16384,
                                                  .state_key_heads = 8,
                                                  .state_key_size = 256,
                                                  .state_value_heads = 256,
                                                  .state_value_size = 64,
                                                  .conv_kernel = 4};
static const struct kvb_attention_shape lightning = {
    .kind = KVB_ATTENTION_LINEAR, .state_value_heads = 64, .state_value_size = 96};

static void in_the_profile_run(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const struct kvb_attention_shape *shape;
        uint64_t sequences, tp;
        bool eager;
        uint64_t bytes;
    } rows[] = {
        {R(8, 5), &mamba, 256, 1, false, 32ULL * 256 * 5120 * (3 + 16) * 2},
        {R(8, 5), &mamba, 5, 1, false, 32ULL * 8 * 5120 * (3 + 16) * 2}, // pad_for_cudagraph: 1, 2, 4, then every 8
        {R(8, 5), &mamba, 3, 1, false, 32ULL * 4 * 5120 * (3 + 16) * 2},
        {R(8, 5), &mamba, 2, 1, false, 32ULL * 2 * 5120 * (3 + 16) * 2},
        {R(8, 5), &mamba, 5, 1, true, 32ULL * 5 * 5120 * (3 + 16) * 2},
        {R(6, 6), &mamba, 5, 1, true, 32ULL * 5 * 5120 * (3 + 16) * 2},
        {R(6, 4), &mamba, 5, 1, true, 32ULL * 8 * 5120 * (3 + 16) * 2}, // _get_graph_batch_size, whatever is enforced
        {R(9, 1), &mamba, 16, 2, false, 32ULL * 16 * 2560 * (3 + 16) * 2},
        // (16384 + 2 x 8 x 256) / 2 x 3 and 256 / 2 x 64 x 256
        {R(9, 1), &mamba2, 16, 2, false, 32ULL * 16 * (10240 * 3 + 128 * 64 * 256) * 2},
        {R(8, 5), &lightning, 5, 8, false,
         32ULL * 5 * 8 * 96 * 96 * 2}, // cache_shape of minimax_text_01.py: no padding
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release, "MambaForCausalLM", rows[i].shape);
        set(&plan, KVB_SET_MAX_NUM_SEQS, rows[i].sequences);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_ENFORCE_EAGER, rows[i].eager);
        if (kvb_early_state_bytes(resolved(&plan), 0) != rows[i].bytes) {
            fail_msg("row %zu: %llu", i, (unsigned long long)kvb_early_state_bytes(resolved(&plan), 0));
        }
    }
    // a stage keeps its own 16 layers' states, and lightning attention every layer's: minimax_text_01.py v0.8.5:829
    make(R(9, 1), "MambaForCausalLM", &mamba);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 16);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 16ULL * 16 * 5120 * (3 + 16) * 2);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 1), 16ULL * 16 * 5120 * (3 + 16) * 2);
    plan.model.kinds[0].attention = lightning;
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 1), 32ULL * 16 * 64 * 96 * 96 * 2);
    make(R(9, 2), "Mamba2ForCausalLM", &mamba2);
    plan.environment.use_v1 = KVB_YES;
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 0);
    make_llama_plan(&plan, R(7, 3));
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 0);
}

// The states are alive while the layers and the sampler run, and no block is theirs: 4 of 32 layers attend.
static void beside_the_blocks(void **state)
{
    (void)state;
    make(R(9, 0), "JambaForCausalLM", &mamba);
    struct kvb_plan without = plan;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention =
        (struct kvb_attention_shape){.kind = KVB_ATTENTION_FULL, .heads = 32, .kv_heads = 8, .head_size = 128};
    plan.model.kinds[1].attention.value_head_size = 128;
    plan.model.kind_count = 2;
    for (uint32_t layer = 4; layer < plan.model.layer_count; layer += 8) {
        plan.model.kind_of_layer[layer] = 1;
    }
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.generation, KVB_GENERATION_V0);
    assert_int_equal(budget.kv.block_tokens, 16);
    assert_int_equal(budget.kv.bytes_per_block, 4 * 16 * 8 * 2 * 128 * 2);
    int64_t peak = budget.items[KVB_ITEM_ACTIVATION].bytes;
    set(&plan, KVB_SET_MAX_NUM_SEQS, 128); // 128 rows of logits fewer as well: 50 B a row and entry at most
    (void)answer_into(&plan, &budget);
    int64_t states = 28LL * 128 * 5120 * (3 + 16) * 2, logits = 128LL * 128256 * 50;
    int64_t less = peak - budget.items[KVB_ITEM_ACTIVATION].bytes;
    assert_true(less >= states && less <= states + logits);
    (void)answer_into(&without, &budget); // nothing attends: no blocks, and it starts
    assert_true(budget.starts);
    assert_int_equal(budget.kv.num_blocks, 0);
}

static void classes_of_v0(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        uint32_t release;
        bool lacks, tries;
    } rows[] = {{"JambaForCausalLM", R(8, 0), true, false},    {"JambaForCausalLM", R(10, 0), true, true},
                {"JambaForCausalLM", R(10, 1), false, true},   {"JambaForCausalLM", R(10, 2), false, false},
                {"BambaForCausalLM", R(9, 1), true, false},    {"BambaForCausalLM", R(9, 2), false, true},
                {"Plamo2ForCausalLM", R(10, 1), true, true},   {"Plamo2ForCausalLM", R(10, 2), false, false},
                {"NemotronHForCausalLM", R(9, 1), true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release, rows[i].architecture, &mamba2);
        const char *lacks = kvb_v1_lacks(resolved(&plan)), *tries = kvb_v1_tries(resolved(&plan));
        if ((lacks != NULL) != rows[i].lacks || (tries != NULL) != rows[i].tries) {
            fail_msg("row %zu: %s, %s", i, lacks != NULL ? lacks : "-", tries != NULL ? tries : "-");
        }
        bool v0 = rows[i].lacks || rows[i].tries;
        assert_int_equal(resolved(&plan)->generation, v0 ? KVB_GENERATION_V0 : KVB_GENERATION_V1);
    }
    make(R(9, 0), "JambaForCausalLM", &mamba);
    plan.environment.use_v1 = KVB_YES;
    says(kvb_refusal_v1_only, &plan, "VLLM_USE_V1=1 is not supported with ['JambaForCausalLM'].");
    make_llama_plan(&plan, R(8, 4)); // no state, and its class was V0's to 0.8.4: glm.py
    (void)strcpy(plan.model.architecture, "GlmForCausalLM");
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V0);
    plan.engine.release = R(8, 5);
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V1);
}

#define NAMES_MAX 64
#define NAME_CAPACITY 80

static char known[NAMES_MAX][NAME_CAPACITY];
static size_t known_count;

static void know(const char *name)
{
    for (size_t i = 0; i < known_count; i++) {
        if (strcmp(known[i], name) == 0) {
            return;
        }
    }
    assert_true(known_count < NAMES_MAX && strlen(name) < NAME_CAPACITY);
    (void)strcpy(known[known_count++], name);
}

static bool names_it(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == names || at[-1] == ' ' || at[-1] == '\t') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

// Each class of the fixture at each release of it, V0's there or not; the first pass learns the names.
static void walk(FILE *file, bool learn)
{
    char line[4096];
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t release;
        char *names = strchr(line, '\t');
        if (line[0] == '#' || names == NULL) {
            continue;
        }
        line[strcspn(line, "\n")] = '\0';
        *names++ = '\0';
        assert_true(kvb_release_parse(line, &release));
        if (learn) {
            for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
                know(name);
            }
            continue;
        }
        for (size_t i = 0; i < known_count && release < R(11, 0); i++) { // then V0 is gone
            make(release, known[i], &(struct kvb_attention_shape){.kind = KVB_ATTENTION_NONE});
            bool v0 = resolved(&plan)->generation == KVB_GENERATION_V0;
            if (v0 != names_it(names, known[i])) {
                fail_msg("%s of %s: V0 is %d", known[i], line, v0);
            }
        }
    }
}

static void classes_by_the_releases(void **state)
{
    (void)state;
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/fixtures/v0_only.tsv", "r");
    assert_non_null(file);
    walk(file, true);
    assert_true(known_count > 40);
    rewind(file);
    walk(file, false);
    (void)fclose(file);
}

KVB_TEST_MAIN(cmocka_unit_test(classes_by_the_releases), cmocka_unit_test(in_the_profile_run),
              cmocka_unit_test(beside_the_blocks), cmocka_unit_test(classes_of_v0))
