// What runner V2 does not do yet and a start that asks for it is refused for: _get_v2_model_runner_unsupported_features
// and _validate_v2_model_runner of vllm/config/vllm.py at the tags beside each row.
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void runner_two_by_name(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        uint32_t flags;
        const char *says;
    } rows[] = {
        {R(22, 0), KVB_SPECULATIVE_NGRAM, 0, "VLLM_USE_V2_MODEL_RUNNER does not yet support: ngram/ngram_gpu"},
        {R(23, 0), KVB_SPECULATIVE_NGRAM, 0, "Model Runner V2 does not yet support: ngram/ngram_gpu speculative"},
        {R(27, 1), KVB_SPECULATIVE_DRAFT_MODEL, 0, "Model Runner V2 does not yet support: speculative method"},
        {R(27, 1), KVB_SPECULATIVE_EAGLE, 0, NULL},
        {R(23, 0), KVB_SPECULATIVE_DFLASH, 0, "does not yet support: speculative method"},
        {R(24, 0), KVB_SPECULATIVE_DFLASH, 0, NULL},
        {R(25, 0), KVB_SPECULATIVE_DSPARK, 0, NULL},
        {R(27, 1), KVB_SPECULATIVE_NONE, KVB_PLAIN_ROUTED_EXPERTS, "does not yet support: a feature of the command"},
        {R(28, 0), KVB_SPECULATIVE_NONE, KVB_PLAIN_ROUTED_EXPERTS, NULL},
        {R(27, 1), KVB_SPECULATIVE_NONE, 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        if (rows[i].method != KVB_SPECULATIVE_NONE) {
            set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
            set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
        }
        plan.plain_flags = rows[i].flags;
        plan.environment.use_v2_model_runner = KVB_YES;
        says(kvb_refusal_v2_runner, &plan, rows[i].says);
        plan.environment.use_v2_model_runner = KVB_UNSET; // left to itself it falls back
        says(kvb_refusal_v2_runner, &plan, NULL);
    }
}

// vllm/config/vllm.py v0.24.0 _get_v2_model_runner_unsupported_features, v0.25.0 without state layers.
static void what_runner_two_lacks(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, method, prompts;
        bool states;
        const char *lacks;
    } rows[] = {
        {R(24, 0), KVB_SPECULATIVE_NONE, 1, true, "hybrid/mamba models"},
        {R(25, 0), KVB_SPECULATIVE_NONE, 1, true, NULL},
        {R(25, 0), KVB_SPECULATIVE_NGRAM, 1, false, "ngram/ngram_gpu speculative decoding"},
        {R(25, 0), KVB_SPECULATIVE_OTHER, 1, false, "speculative method"},
        {R(24, 0), KVB_SPECULATIVE_DSPARK, 1, false, "speculative method"},
        {R(28, 0), KVB_SPECULATIVE_DSPARK, 1, false, NULL},
        {R(25, 0), KVB_SPECULATIVE_EAGLE, 1, false, NULL},
        {R(25, 0), KVB_SPECULATIVE_NONE, 2, false, "prefill context parallelism"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
        shape->kind = rows[i].states ? KVB_ATTENTION_MAMBA2 : KVB_ATTENTION_FULL;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, rows[i].prompts);
        const char *lacks = kvb_v2_runner_lacks(resolved(&plan));
        if (rows[i].lacks == NULL) {
            assert_null(lacks);
        } else {
            assert_string_equal(lacks, rows[i].lacks);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(what_runner_two_lacks), cmocka_unit_test(runner_two_by_name))
