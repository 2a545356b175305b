// Element sizes of the states that Mamba 2 and gated delta nets keep, against what verify_and_update_config of each
// class in vllm/model_executor/models/config.py leaves in mamba_ssm_cache_dtype at every tag from 0.11.1 on, run with a
// config that says float32, bfloat16 or nothing (tests/fixtures/releases/states.csv); and the taps that drafts add.
#include "engines/vllm/kv.h"
#include "unit/tag_walk.h"

static struct kvb_plan plan;

// 32 heads of 128 with states of 128, 16 groups of keys; four taps.
static struct kvb_attention_shape *make(const char *architecture, uint32_t release)
{
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    make_llama_plan(&plan, release);
    name_class(&plan, architecture);
    bool delta = strncmp(architecture, "Qwen3", 5) == 0 || strncmp(architecture, "Col", 3) == 0 ||
                 strncmp(architecture, "Olmo", 4) == 0;
    *shape = (struct kvb_attention_shape){.kind = delta ? KVB_ATTENTION_GDN : KVB_ATTENTION_MAMBA2,
                                          .state_inner_size = 32 * 128,
                                          .state_key_heads = 16,
                                          .state_key_size = 128,
                                          .state_value_heads = 32,
                                          .state_value_size = 128,
                                          .conv_kernel = 4};
    return shape;
}

#define CHANNELS (32ULL * 128 + 2 * 16 * 128) // of either kind
#define STATE (32ULL * 128 * 128)

static bool look(char *const *cells, struct seen_rows *seen)
{
    bool same = true;
    (void)seen;
    for (size_t i = 0; i < tag_count; i++) {
        char wanted[ANSWER_MAX_BYTES];
        const struct kvb_attention_shape *shape = make(cells[0], tags[i]);
        plan.model.state_dtype_known = cells[1][0] != '-';
        plan.model.state_dtype = strcmp(cells[1], "float32") == 0 ? KVB_DTYPE_FP32 : KVB_DTYPE_BF16;
        answer_at(cells[2], tags[i], wanted);
        uint64_t bytes = 3 * CHANNELS * 2 + STATE * (strcmp(wanted, "float32") == 0 ? 4 : 2);
        if (kvb_state_bytes(resolved(&plan), shape) != bytes) {
            print_error("at %u: not %s\n", tags[i], wanted);
            same = false;
        }
    }
    return same;
}

static void types_at_every_tag(void **state)
{
    (void)state;
    struct seen_rows seen;
    read_tags();
    walk_rows("fixtures/releases/states.csv", 3, look, &seen);
    assert_true(seen.rows >= 60);
    assert_int_equal(seen.different, 0);
}

// What a flag says goes before the config.
static void types_that_are_said(void **state)
{
    (void)state;
    const struct kvb_attention_shape *shape = make("NemotronHForCausalLM", R(20, 0));
    set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_BF16);
    assert_int_equal(kvb_state_bytes(resolved(&plan), shape), 3 * CHANNELS * 2 + STATE * 2);
    set(&plan, KVB_SET_MAMBA_CACHE_DTYPE, KVB_DTYPE_WORD_FP32);
    assert_int_equal(kvb_state_bytes(resolved(&plan), shape), 3 * CHANNELS * 4 + STATE * 2);
}

// Two tokens drafted are two taps more. num_spec of nemotron_h.py and mamba2.py from v0.17.0, not of falcon_h1.py; of
// qwen3_next.py from the first.
static void taps_of_drafts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *architecture;
        unsigned taps;
    } rows[] = {{R(16, 0), "NemotronHForCausalLM", 3}, {R(17, 0), "NemotronHForCausalLM", 5},
                {R(17, 0), "NemotronH_Nano_VL_V2", 5}, {R(16, 0), "Mamba2ForCausalLM", 3},
                {R(17, 0), "Mamba2ForCausalLM", 5},    {R(17, 0), "FalconH1ForCausalLM", 3},
                {R(11, 1), "Qwen3NextForCausalLM", 5}, {R(28, 0), "Qwen3_5ForCausalLM", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_attention_shape *shape = make(rows[i].architecture, rows[i].release);
        set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_BF16);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        if (kvb_state_bytes(resolved(&plan), shape) != rows[i].taps * CHANNELS * 2 + STATE * 2) {
            fail_msg("%s at %u", rows[i].architecture, rows[i].release);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(types_at_every_tag), cmocka_unit_test(types_that_are_said),
              cmocka_unit_test(taps_of_drafts))
