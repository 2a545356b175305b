// Each condition of vLLM's rules about drafts and of two about features, asked alone. Expected values are read from the
// files at the tags named beside them.
#include <stdio.h>

#include <kvbudget/input.h>

#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_model draft;

static void make(uint32_t release, enum kvb_speculative method)
{
    make_llama_plan(&plan, release);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
}

// speculative.py hf_config_override: exaone_moe is made exaone_moe_mtp in v0.14.0 and is not named in v0.13.0,
// pangu_ultra_moe in v0.11.1 and not in v0.11.0.
static void classes_made_modules(void **state)
{
    (void)state;
    static struct kvb_model model;
    (void)strcpy(model.architecture, "ExaoneMoeForCausalLM");
    assert_false(kvb_brings_mtp(&model, R(13, 0)));
    assert_true(kvb_brings_mtp(&model, R(14, 0)));
    (void)strcpy(model.architecture, "PanguUltraMoEForCausalLM");
    assert_false(kvb_brings_mtp(&model, R(11, 0)));
    assert_true(kvb_brings_mtp(&model, R(11, 1)));
    (void)strcpy(model.architecture, "Qwen3_5ForCausalLM"); // of qwen3_5_text, which v0.27.1 does not name
    assert_false(kvb_brings_mtp(&model, R(27, 1)));
    assert_true(kvb_brings_mtp(&model, R(28, 0)));
    (void)strcpy(model.architecture, "MiMoV2OmniForCausalLM"); // config/speculative.py v0.21.0; not in v0.20.2
    assert_false(kvb_brings_mtp(&model, R(20, 2)));
    assert_true(kvb_brings_mtp(&model, R(21, 0)));
}

// speculative.py v0.15.0 and v0.21.0: model types deepseek_mtp and gemma4_mtp (of gemma4_assistant) are of
// MTPModelTypes; v0.28.0 makes the method dflash of a MuseGlimmerAssistantModel.
static void modules_by_their_own_class(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *architecture;
        const char *part;
    } rows[] = {
        {R(15, 0), "DeepSeekMTPModel", NULL},
        {R(15, 0), "Qwen3ForCausalLM", "Unsupported speculative method: 'mtp'"},
        {R(15, 0), "Glm4MoeForCausalLM", NULL},
        // v0.11.1 makes pangu_ultra_moe pangu_ultra_moe_mtp
        {R(11, 1), "PanguUltraMoEForCausalLM", NULL},
        {R(21, 0), "Gemma4AssistantForCausalLM", NULL},
        {R(28, 0), "MuseGlimmerAssistantModel", NULL},
        {R(28, 0), "MuseGlimmerForCausalLM", "Unsupported speculative method: 'mtp'"},
        {R(15, 0), "NobodysForCausalLM", NULL}, // who knows its model type
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release, KVB_SPECULATIVE_MTP);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 1);
        draft_as(&plan, &draft, rows[i].architecture);
        says(kvb_refusal_draft_mtp, &plan, rows[i].part);
    }
}

// speculative.py v0.10.0:449 to v0.27.1: a draft's own length against the target's.
static void lengths_of_drafts(void **state)
{
    (void)state;
    static const char text[] = "speculative_max_model_len=8193 cannot be larger than target_max_model_len=8192";
    make(R(20, 0), KVB_SPECULATIVE_EAGLE);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 8192);
    says(kvb_refusal_draft_length, &plan, NULL);
    give(&plan, KVB_PLAIN_DRAFT_LENGTH, 8192);
    says(kvb_refusal_draft_length, &plan, NULL);
    give(&plan, KVB_PLAIN_DRAFT_LENGTH, 8193);
    says(kvb_refusal_draft_length, &plan, text);
    draft_as(&plan, &draft, "EagleLlamaForCausalLM");
    says(kvb_refusal_draft_length, &plan, text);
    draft.context_tokens = 2048; // its own comes first
    says(kvb_refusal_draft_length, &plan, NULL);
    plan.draft = NULL;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    says(kvb_refusal_draft_length, &plan, NULL);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NONE);
    says(kvb_refusal_draft_length, &plan, NULL);
}

// llm_base_proposer.py v0.25.0 and v0.26.0: of modules whose embedding is as wide nothing is cut off.
static void modules_of_another_width(void **state)
{
    (void)state;
    make(R(25, 0), KVB_SPECULATIVE_MTP);
    plan.environment.use_v2_model_runner = KVB_NO;
    says(kvb_refusal_assistant, &plan, NULL);
    draft_as(&plan, &draft, "DeepSeekMTPModel");
    says(kvb_refusal_assistant, &plan, NULL);
    draft.kinds[0].attention.queries_only = true;
    says(kvb_refusal_assistant, &plan, "a and b must have same reduction dim");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    says(kvb_refusal_assistant, &plan, NULL);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    plan.environment.use_v2_model_runner = KVB_YES;
    says(kvb_refusal_assistant, &plan, NULL);
}

// draft_model.py v0.19.1 _raise_if_draft_tp_mismatch: a name with "dflash" in it says nothing yet, and the method of
// that name comes with v0.20.0 (before, its field refuses it); speculative.py v0.16.0: the method of glm4_moe is mtp.
static void models_by_what_is_named(void **state)
{
    (void)state;
    static const char same[] = "'draft_tensor_parallel_size' and 'tensor_parallel_size' must be the same. Got 1 and 2.";
    make(R(19, 1), KVB_SPECULATIVE_DFLASH);
    draft_as(&plan, &draft, "DFlashDraftModel");
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 1);
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_ranks_differ, &plan, same);
    plan.plain_flags |= KVB_PLAIN_METHOD_NAMED;
    says(kvb_refusal_draft_ranks_differ, &plan, NULL);
    make(R(20, 0), KVB_SPECULATIVE_DFLASH);
    draft_as(&plan, &draft, "DFlashDraftModel");
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 1);
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_ranks_differ, &plan, NULL);
    make(R(16, 0), KVB_SPECULATIVE_DRAFT_MODEL);
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    draft_as(&plan, &draft, "Qwen3ForCausalLM");
    says(kvb_refusal_draft_unnamed, &plan, "Unsupported speculative method: 'None'");
    draft_as(&plan, &draft, "Glm4MoeForCausalLM");
    says(kvb_refusal_draft_unnamed, &plan, NULL);
    plan.draft = NULL; // its type may say what it is
    plan.draft_unknown = true;
    says(kvb_refusal_draft_unnamed, &plan, NULL);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 1);
    says(kvb_refusal_draft_ranks_differ, &plan, NULL);
    says(kvb_refusal_draft_pictures, &plan, NULL);
    says(kvb_refusal_draft_vocabulary, &plan, NULL);
    plan.draft_unknown = false; // a model that takes pictures, and no draft; a head is no whole model
    plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_GEMMA3, .layers = 27, .hidden_size = 1152};
    says(kvb_refusal_draft_pictures, &plan, NULL);
    draft_as(&plan, &draft, "Qwen3ForCausalLM");
    says(kvb_refusal_draft_pictures, &plan, "does not support multimodal models yet");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    says(kvb_refusal_draft_pictures, &plan, NULL);
}

// gpu_model_runner.py v0.10.1:3269 and v0.10.2:3703: layers with a state take no draft but of qwen3_next from there on.
static void states_and_drafts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *name;
        bool refused;
    } rows[] = {{R(10, 1), "Qwen3NextForCausalLM", true},
                {R(10, 2), "Qwen3NextForCausalLM", false},
                {R(10, 2), "NemotronHForCausalLM", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release, KVB_SPECULATIVE_MTP);
        plan.environment.use_v1 = KVB_YES;
        name_class(&plan, rows[i].name);
        says(kvb_refusal_draft_states, &plan, NULL);
        plan.model.kinds[0].attention.kind = KVB_ATTENTION_GDN;
        says(kvb_refusal_draft_states, &plan, rows[i].refused ? "Mamba with speculative decoding" : NULL);
    }
}

// speculative.py v0.20.0 __post_init__ asks for tokens where there is a model, _verify_args without one; n_predict of
// its config counts for it.
static void tokens_of_drafts_nobody_knows(void **state)
{
    (void)state;
    static const struct {
        enum kvb_speculative method;
        bool named;
        const char *part;
    } rows[] = {
        {KVB_SPECULATIVE_EAGLE, true, "A speculative model was provided, but neither `speculative_token_tree` nor"},
        {KVB_SPECULATIVE_EAGLE, false, "num_speculative_tokens must be provided with speculative model"},
        {KVB_SPECULATIVE_DRAFT_MODEL, true, "A speculative model was provided, but neither"},
        {KVB_SPECULATIVE_DFLASH, false, "num_speculative_tokens must be provided with speculative model"},
        {KVB_SPECULATIVE_OTHER, true, NULL}, // mlp_speculator
        {KVB_SPECULATIVE_OTHER, false, "num_speculative_tokens must be provided with speculative model"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(R(20, 0), rows[i].method);
        plan.draft_unknown = true;
        plan.plain_flags |= rows[i].named ? KVB_PLAIN_DRAFT_NAMED : 0U;
        says(kvb_refusal_draft_uncounted, &plan, rows[i].part);
    }
    make(R(27, 1), KVB_SPECULATIVE_DSPARK);
    draft_as(&plan, &draft, "Qwen3DSparkModel");
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_uncounted, &plan, NULL);
    make(R(13, 0), KVB_SPECULATIVE_NGRAM);
    says(kvb_refusal_draft_uncounted, &plan, "num_speculative_tokens must be provided with speculative model");
    plan.plain_flags |= KVB_PLAIN_SUFFIX; // suffix_decoding_max_tree_depth, v0.13.0 _validate_suffix_decoding
    says(kvb_refusal_draft_uncounted, &plan, NULL);
    make(R(20, 0), KVB_SPECULATIVE_MTP); // of a model that is known
    says(kvb_refusal_draft_uncounted, &plan, "num_speculative_tokens must be provided with speculative model");
}

// speculative.py v0.11.0 _verify_and_get_draft_tp, v0.20.0: draft_model_config is the target's for ngram;
// config/model.py v0.20.0 verify_with_parallel_config: a model without attention has no heads, and 0 % 4 is 0.
static void heads_that_are_not_asked_for(void **state)
{
    (void)state;
    make(R(20, 0), KVB_SPECULATIVE_DRAFT_MODEL);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    says(kvb_refusal_draft_heads, &plan, NULL);
    draft_as(&plan, &draft, "Qwen2ForCausalLM");
    draft.kinds[0].attention.heads = 14;
    says(kvb_refusal_draft_heads, &plan, "Total number of attention heads (14) must be divisible");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    says(kvb_refusal_draft_heads, &plan, NULL);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL);
    draft.kinds[0].attention.heads = 0;
    says(kvb_refusal_draft_heads, &plan, NULL);
    draft.kinds[0].attention.heads = 14;
    plan.engine.release = R(11, 0);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 0);
    says(kvb_refusal_draft_ranks, &plan, "speculative_draft_tensor_parallel_size=0 cannot be other value than 1 or");
    says(kvb_refusal_draft_heads, &plan, NULL);
}

// speculative.py v0.27.1: method dspark and K3DSparkModel among the classes of the draft.
static void ranks_that_share_a_context(void **state)
{
    (void)state;
    make(R(27, 1), KVB_SPECULATIVE_DSPARK);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_draft_context, &plan, NULL);
    draft_as(&plan, &draft, "K3DSparkModel");
    says(kvb_refusal_draft_context, &plan, "MLA DSpark does not currently support decode context parallelism");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    says(kvb_refusal_draft_context, &plan, NULL);
}

// speculative.py v0.20.0 _verify_args begins the sentence with the method; supports_eagle3 of phi.py and qwen3.py
// v0.20.0, asked by gpu_model_runner.py where the draft is a head of EAGLE3 or of DFlash.
static void targets_of_heads(void **state)
{
    (void)state;
    static const struct {
        enum kvb_speculative method;
        const char *head, *target;
        bool refused;
    } rows[] = {
        {KVB_SPECULATIVE_EAGLE, "LlamaForCausalLMEagle3", "PhiForCausalLM", true},
        {KVB_SPECULATIVE_DFLASH, "DFlashDraftModel", "PhiForCausalLM", true},
        {KVB_SPECULATIVE_EAGLE, "EAGLEModel", "PhiForCausalLM", false},
        {KVB_SPECULATIVE_EAGLE, "LlamaForCausalLMEagle3", "Qwen3ForCausalLM", false},
        {KVB_SPECULATIVE_EAGLE, "LlamaForCausalLMEagle3", "NobodysForCausalLM", false}, // nothing is known of it
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(R(20, 0), rows[i].method);
        draft_as(&plan, &draft, rows[i].head);
        name_class(&plan, rows[i].target);
        says(kvb_refusal_hidden_states, &plan,
             rows[i].refused ? "Model does not support EAGLE3 interface but aux_hidden_state_outputs was requested"
                             : NULL);
    }
    make(R(20, 0), KVB_SPECULATIVE_DFLASH);
    name_class(&plan, "PhiForCausalLM");
    says(kvb_refusal_eagle3_target, &plan, "dflash is only supported for ['llama', 'qwen', ...] models.");
    name_class(&plan, "Qwen3ForCausalLM");
    says(kvb_refusal_eagle3_target, &plan, NULL);
}

// lora/layers/fused_moe.py v0.11.1 asserts not use_ep, which fused_moe/config.py gives with enable_expert_parallel and
// more than one rank.
static void adapters_of_spread_experts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) { // a bit for each condition
        make(R(11, 1), KVB_SPECULATIVE_NONE);
        set(&plan, KVB_SET_ENABLE_LORA, i & 1);
        set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, i >> 1 & 1);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1 + (i >> 2 & 1));
        if (i >> 3 != 0) {
            plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2};
        }
        says(kvb_refusal_lora_experts, &plan, i == 15 ? "EP support for Fused MoE LoRA is not implemented yet." : NULL);
    }
}

// config/vllm.py v0.21.0 _verify_kv_transfer_compat reads PYTORCH_CUDA_ALLOC_CONF alone.
static void segments_by_two_names(void **state)
{
    (void)state;
    static const char *const words[] = {"", ":True", ":False"};
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    for (unsigned i = 0; i < 18; i++) { // 3 of each, the older name first or last
        char older[64], newer[64];
        (void)snprintf(older, sizeof older, "PYTORCH_CUDA_ALLOC_CONF=expandable_segments%s", words[i % 3]);
        (void)snprintf(newer, sizeof newer, "PYTORCH_ALLOC_CONF=expandable_segments%s", words[i / 3 % 3]);
        make(R(21, 0), KVB_SPECULATIVE_NONE);
        set(&plan, KVB_SET_KV_TRANSFER, 1);
        assert_int_equal(kvb_environment_set(i < 9 ? older : newer, &plan.environment, &problems), KVB_OK);
        assert_int_equal(kvb_environment_set(i < 9 ? newer : older, &plan.environment, &problems), KVB_OK);
        says(kvb_refusal_connector_segments, &plan,
             i % 3 == 1 ? "incompatible with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" : NULL);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(states_and_drafts), cmocka_unit_test(classes_made_modules),
              cmocka_unit_test(modules_by_their_own_class), cmocka_unit_test(modules_of_another_width),
              cmocka_unit_test(lengths_of_drafts), cmocka_unit_test(models_by_what_is_named),
              cmocka_unit_test(tokens_of_drafts_nobody_knows), cmocka_unit_test(heads_that_are_not_asked_for),
              cmocka_unit_test(ranks_that_share_a_context), cmocka_unit_test(targets_of_heads),
              cmocka_unit_test(adapters_of_spread_experts), cmocka_unit_test(segments_by_two_names))
