// What follows from how a release keeps prefixes of states: steps ahead, and the tokens of a state.
#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void make_states(uint32_t release, enum kvb_attention kind, const char *architecture)
{
    make_llama_plan(&plan, release);
    plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = kind,
                                                                 .state_key_heads = 8,
                                                                 .state_key_size = 128,
                                                                 .state_value_heads = 128,
                                                                 .state_value_size = 64,
                                                                 .state_inner_size = 8192,
                                                                 .conv_kernel = 4};
    name_class(&plan, architecture);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
}

// config/vllm.py v0.16.0:682: steps are not prepared ahead beside kept prefixes of states, of either mode; v0.15.1 and
// v0.17.0 have no such sentence.
static void states_and_steps_ahead(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_attention kind;
        const char *architecture;
        enum kvb_mamba_mode mode;
        bool ahead;
    } rows[] = {
        {R(15, 1), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM", KVB_MAMBA_MODE_ALIGN, true},
        {R(16, 0), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM", KVB_MAMBA_MODE_ALIGN, false},
        {R(16, 0), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM", KVB_MAMBA_MODE_ALL, false},
        {R(16, 0), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM", KVB_MAMBA_MODE_NONE, true},
        {R(17, 0), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM", KVB_MAMBA_MODE_ALIGN, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(rows[i].release, rows[i].kind, rows[i].architecture);
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, rows[i].mode != KVB_MAMBA_MODE_NONE);
        const struct kvb_context *context = resolved(&plan);
        assert_int_equal(context->mamba_mode, rows[i].mode);
        assert_int_equal(context->async_scheduling, rows[i].ahead);
    }
}

// models/config.py v0.11.1:290, v0.14.1:343 and v0.15.0:371, MambaModelConfig: a state of the whole length, or one each
// block where prefixes are kept whole; from 0.12 to 0.14 of the size that was asked for, which 0.11 does not look at.
static void blocks_of_states_alone(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_mamba_mode asked;
        uint64_t own_block, tokens; // own_block 0: not said
        uint64_t block;             // --block-size; 0: not said
    } rows[] = {{R(11, 1), KVB_MAMBA_MODE_AUTO, 0, 8192, 0},  {R(15, 0), KVB_MAMBA_MODE_ALL, 0, 16, 0},
                {R(15, 0), KVB_MAMBA_MODE_ALL, 64, 64, 0},    {R(15, 0), KVB_MAMBA_MODE_NONE, 0, 8192, 0},
                {R(21, 0), KVB_MAMBA_MODE_ALL, 0, 16, 0},     {R(22, 0), KVB_MAMBA_MODE_ALL, 0, 16, 0},
                {R(11, 1), KVB_MAMBA_MODE_AUTO, 0, 8192, 32}, {R(12, 0), KVB_MAMBA_MODE_AUTO, 0, 32, 32},
                {R(14, 1), KVB_MAMBA_MODE_AUTO, 0, 32, 32},   {R(14, 1), KVB_MAMBA_MODE_AUTO, 0, 8192, 0},
                {R(14, 1), KVB_MAMBA_MODE_AUTO, 64, 64, 32},  {R(14, 1), KVB_MAMBA_MODE_NONE, 0, 8192, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(rows[i].release, KVB_ATTENTION_MAMBA1, "MambaForCausalLM");
        if (rows[i].asked != KVB_MAMBA_MODE_AUTO) {
            set(&plan, KVB_SET_MAMBA_CACHE_MODE, rows[i].asked);
        }
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, rows[i].asked != KVB_MAMBA_MODE_NONE);
        if (rows[i].block > 0) {
            set(&plan, KVB_SET_BLOCK_SIZE, rows[i].block);
        }
        if (rows[i].own_block > 0) {
            set(&plan, KVB_SET_MAMBA_BLOCK_SIZE, rows[i].own_block);
        }
        assert_int_equal(resolved(&plan)->mamba_block_tokens, rows[i].tokens);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(states_and_steps_ahead), cmocka_unit_test(blocks_of_states_alone))
