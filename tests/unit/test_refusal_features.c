// Rules of vLLM about drafts, features, ranks and sizes, asked one by one. Expected values are read from vllm/config
// and vllm/engine/arg_utils.py at the tags named beside them.
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_model draft;

static void make(uint32_t release)
{
    make_llama_plan(&plan, release);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
}

static void drafts_with(enum kvb_speculative method, const char *architecture)
{
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
    draft_as(&plan, &draft, architecture);
}

// ---- Drafts

// speculative.py __post_init__ v0.11.0, v0.18.0, v0.21.0: without a method a draft model is meant.
static void words_of_a_draft(void **state)
{
    (void)state;
    make(R(11, 0));
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens was provided but without speculative model.");
    plan.plain_flags = 0; // a profile
    says(kvb_refusal_draft_words, &plan, NULL);
    make(R(20, 0));
    drafts_with(KVB_SPECULATIVE_EAGLE, "LlamaForCausalLMEagle3");
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_uncounted, &plan, "neither `speculative_token_tree` nor `num_speculative_tokens`");
    plan.engine.release = R(16, 0);
    says(kvb_refusal_draft_uncounted, &plan, "num_speculative_tokens must be provided with speculative model");
    plan.engine.release = R(21, 0);
    says(kvb_refusal_draft_uncounted, &plan, "but `num_speculative_tokens` was not provided");
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "LlamaForCausalLM");
    says(kvb_refusal_draft_uncounted, &plan, "but `num_speculative_tokens` was not provided");
    plan.plain_flags = 0; // a profile
    says(kvb_refusal_draft_uncounted, &plan, NULL);
    make(
        R(27, 0)); // a draft of DSpark that is not named has no n_predict; what a tree of its own makes of it, it knows
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DSPARK);
    (void)strcpy(plan.engine.version, "0.27.0");
    says(kvb_refusal_draft_uncounted, &plan, "num_speculative_tokens must be provided with speculative model");
    (void)strcpy(plan.engine.version, "0.27.0.dev1");
    says(kvb_refusal_draft_uncounted, &plan, NULL);
}

// A number of tokens that is none: the type of its field says so from 0.11.1 on, behind a model that is missing before.
static void tokens_of_a_draft(void **state)
{
    (void)state;
    make(R(11, 1));
    drafts_with(KVB_SPECULATIVE_MTP, "DeepSeekMTPModel");
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 0);
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens: Input should be greater than 0");
    plan.engine.release = R(11, 0);
    says(kvb_refusal_draft_words, &plan, "to be greater than zero (0)");
    plan.engine.release = R(10, 2); // modules of one's own go by the model type
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens was provided without speculative model.");
    (void)strcpy(plan.model.architecture, "Qwen3NextForCausalLM");
    says(kvb_refusal_draft_words, &plan, "to be greater than zero (0)");
    plan.engine.release = R(10, 1);
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens was provided without speculative model.");
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_words, &plan, "to be greater than zero (0)");
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 1);
    says(kvb_refusal_draft_words, &plan, NULL);
    make(R(11, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    says(kvb_refusal_draft_words, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_SUFFIX; // no release before 0.11.1 has it: a model is looked for
    plan.engine.release = R(9, 0);
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens was provided without speculative model.");
    make(R(25, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DSPARK);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    says(kvb_refusal_draft_words, &plan, NULL);
    plan.engine.release = R(24, 0);
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens was provided but without speculative model.");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_OTHER); // extract_hidden_states
    says(kvb_refusal_draft_words, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_HEADS_ONLY; // medusa
    says(kvb_refusal_draft_words, &plan, "num_speculative_tokens was provided but without speculative model.");
}

// speculative.py v0.12.0 to v0.20.0: a checkpoint whose type becomes one of MTPModelTypes drafts with its modules,
// "dflash" in a name says something from 0.20.0 on.
static void models_that_draft(void **state)
{
    (void)state;
    make(R(17, 0));
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "Qwen3_5ForConditionalGeneration");
    plan.plain_flags = 0;
    plan.model.vocabulary_size = 128256;
    draft.vocabulary_size = 248320;
    says(kvb_refusal_draft_vocabulary, &plan, NULL);
    says(kvb_refusal_draft_unnamed, &plan, NULL);
    plan.engine.release = R(16, 0);
    says(kvb_refusal_draft_vocabulary, &plan, "Target model vocab_size=128256. Draft model vocab_size=248320.");
    says(kvb_refusal_draft_unnamed, &plan, NULL); // named or not, nobody said
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;      // without "model" there is none
    says(kvb_refusal_draft_vocabulary, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_unnamed, &plan, "Unsupported speculative method: 'None'");
    plan.plain_flags |= KVB_PLAIN_METHOD_NAMED;
    says(kvb_refusal_draft_unnamed, &plan, NULL);
    make(R(13, 0));
    drafts_with(KVB_SPECULATIVE_DFLASH, "DFlashDraftModel");
    plan.plain_flags |= KVB_PLAIN_DRAFT_NAMED;
    says(kvb_refusal_draft_model, &plan, "Speculative decoding with draft model is not supported yet.");
    plan.engine.release = R(20, 0);
    says(kvb_refusal_draft_model, &plan, NULL);
}

// config/vllm.py v0.21.0 _verify_kv_transfer_compat: os.environ of the older name, sleep mode's pool or that of cumem.
static void pinned_caches(void **state)
{
    (void)state;
    make(R(21, 0));
    set(&plan, KVB_SET_KV_TRANSFER, 1);
    says(kvb_refusal_connector_segments, &plan, NULL);
    plan.environment.expandable_segments = KVB_YES; // by PYTORCH_ALLOC_CONF
    says(kvb_refusal_connector_segments, &plan, NULL);
    plan.environment.expandable_by_cuda_name = KVB_YES;
    says(kvb_refusal_connector_segments, &plan, "incompatible with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
    plan.plain_flags |= KVB_PLAIN_CUMEM;
    says(kvb_refusal_connector_segments, &plan, NULL);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
    says(kvb_refusal_connector_segments, &plan, NULL);
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 0);
    set(&plan, KVB_SET_KV_TRANSFER, 0);
    says(kvb_refusal_connector_segments, &plan, NULL);
}

// speculative.py v0.27.0: K3DSparkModel beside ranks that share a context.
static void latent_blocks(void **state)
{
    (void)state;
    make(R(27, 0));
    drafts_with(KVB_SPECULATIVE_DSPARK, "K3DSparkModel");
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    says(kvb_refusal_draft_context, &plan, NULL);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_draft_context, &plan, "MLA DSpark does not currently support decode context parallelism");
    drafts_with(KVB_SPECULATIVE_DSPARK, "Qwen3DSparkModel");
    says(kvb_refusal_draft_context, &plan, NULL);
}

// verify_with_parallel_config is asked of the draft too.
static void heads_of_drafts(void **state)
{
    (void)state;
    make(R(20, 0));
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "Qwen2ForCausalLM");
    draft.kind_count = 1;
    draft.kinds[0].attention.heads = 14;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    says(kvb_refusal_draft_heads, &plan,
         "Total number of attention heads (14) must be divisible by tensor parallel size (4).");
    plan.plain_numbers[KVB_PLAIN_DRAFT_RANKS] = (struct kvb_plain_value){.set = true, .number = 1};
    says(kvb_refusal_draft_heads, &plan, NULL);
    plan.plain_numbers[KVB_PLAIN_DRAFT_RANKS].set = false;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    says(kvb_refusal_draft_heads, &plan, NULL);
}

// speculative.py v0.15.0 hf_config_override: only some model types become one of MTPModelTypes.
static void modules_that_draft(void **state)
{
    (void)state;
    make(R(15, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    says(kvb_refusal_draft_mtp, &plan, NULL); // the tokens are missed first
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 1);
    says(kvb_refusal_draft_mtp, &plan, "Unsupported speculative method: 'mtp'");
    (void)strcpy(plan.model.architecture, "DeepseekV3ForCausalLM");
    says(kvb_refusal_draft_mtp, &plan, "Unsupported speculative method: 'mtp'"); // kimi_k2 has none
    plan.model.mtp_layers = 1;
    says(kvb_refusal_draft_mtp, &plan, NULL);
    (void)strcpy(plan.model.architecture, "NemotronHForCausalLM"); // hf_config_override knows it from 0.17.0 on
    says(kvb_refusal_draft_mtp, &plan, "Unsupported speculative method: 'mtp'");
    plan.engine.release = R(14, 0);
    says(kvb_refusal_draft_mtp, &plan, "Speculative decoding with draft model is not supported yet.");
    plan.engine.release = R(17, 0);
    says(kvb_refusal_draft_mtp, &plan, NULL);
    (void)strcpy(plan.model.architecture, "Qwen3_5MoeForCausalLM"); // model_type qwen3_5_moe_text is not in it
    plan.engine.release = R(27, 1);
    says(kvb_refusal_draft_mtp, &plan, "Unsupported speculative method: 'mtp'");
    (void)strcpy(plan.model.architecture, "LlamaForCausalLM");
    plan.engine.release = R(15, 0);
    plan.model.mtp_layers = 0;
    plan.draft_unknown = true; // a model of its own, of which nothing is known
    says(kvb_refusal_draft_mtp, &plan, NULL);
    drafts_with(KVB_SPECULATIVE_MTP, "DeepSeekMTPModel");
    says(kvb_refusal_draft_mtp, &plan, NULL);
}

// speculative.py v0.8.2: num_speculative_tokens % n_predict, where more are asked for than the module makes.
static void multiples_of_a_module(void **state)
{
    (void)state;
    make(R(11, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    plan.model.mtp_layers = 2;
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    says(kvb_refusal_draft_multiple, &plan, "num_speculative_tokens:3 must be divisible by n_predict=2");
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    says(kvb_refusal_draft_multiple, &plan, NULL);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 1);
    says(kvb_refusal_draft_multiple, &plan, NULL);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 4);
    says(kvb_refusal_draft_multiple, &plan, NULL);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    plan.model.mtp_layers = 1;
    says(kvb_refusal_draft_multiple, &plan, NULL);
    plan.model.mtp_layers = 2;
    plan.draft_unknown = true;
    says(kvb_refusal_draft_multiple, &plan, NULL);
    plan.draft_unknown = false;
    drafts_with(KVB_SPECULATIVE_MTP, "Step3p5ForCausalLM"); // modules of another checkpoint
    says(kvb_refusal_draft_multiple, &plan, "num_speculative_tokens:3 must be divisible by n_predict=2");
    draft.mtp_layers = 1;
    says(kvb_refusal_draft_multiple, &plan, NULL);
    draft.mtp_layers = 2;
    (void)strcpy(draft.architecture, "MiMoV2ForCausalLM"); // n_predict is 1
    says(kvb_refusal_draft_multiple, &plan, NULL);
}

// supports_pp() of each tag's own draft classes, v0.9.0 to v0.27.1.
static void stages_of_drafts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        const char *architecture;
        bool refused;
    } rows[] = {
        {R(13, 0), KVB_SPECULATIVE_MTP, "DeepseekV3ForCausalLM", false},
        {R(14, 0), KVB_SPECULATIVE_MTP, "DeepseekV3ForCausalLM", true},
        {R(13, 0), KVB_SPECULATIVE_MTP, "MiMoForCausalLM", true},
        {R(17, 0), KVB_SPECULATIVE_MTP, "Qwen3_5ForConditionalGeneration", true},
        {R(17, 0), KVB_SPECULATIVE_MTP, "NemotronHForCausalLM", false},
        {R(16, 0), KVB_SPECULATIVE_MTP, "Glm4MoeLiteForCausalLM", false},
        {R(13, 0), KVB_SPECULATIVE_EAGLE, "LlamaForCausalLM", true},
        {R(25, 0), KVB_SPECULATIVE_DFLASH, "Qwen3ForCausalLM", true},
        {R(26, 0), KVB_SPECULATIVE_DSPARK, "Qwen3ForCausalLM", true},
        {R(13, 0), KVB_SPECULATIVE_NGRAM, "LlamaForCausalLM", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release);
        memset(plan.model.architecture, 0, sizeof plan.model.architecture);
        (void)strcpy(plan.model.architecture, rows[i].architecture);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        says(kvb_refusal_draft_stages, &plan, NULL);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        says(kvb_refusal_draft_stages, &plan,
             rows[i].refused ? "Pipeline parallelism is not supported for this model." : NULL);
    }
    make(R(21, 0));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    drafts_with(KVB_SPECULATIVE_MTP, "Gemma4AssistantForCausalLM");
    says(kvb_refusal_draft_stages, &plan, "Pipeline parallelism is not supported for this model.");
    plan.draft = NULL;
    plan.draft_unknown = true;
    says(kvb_refusal_draft_stages, &plan, NULL);
}

// registry.py v0.8.4 has no EAGLE3 head; classes of whole draft models are looked up like any other.
static void classes_of_drafts(void **state)
{
    (void)state;
    make(R(8, 4));
    drafts_with(KVB_SPECULATIVE_EAGLE, "LlamaForCausalLMEagle3");
    says(kvb_refusal_draft_class, &plan, "Model architectures ['LlamaForCausalLMEagle3'] are not supported for now.");
    drafts_with(KVB_SPECULATIVE_EAGLE, "Eagle3LlamaForCausalLM");
    says(kvb_refusal_draft_class, &plan, "Model architectures ['Eagle3LlamaForCausalLM']");
    drafts_with(KVB_SPECULATIVE_EAGLE, "EAGLEModel");
    says(kvb_refusal_draft_class, &plan, NULL);
    plan.draft = NULL;
    says(kvb_refusal_draft_class, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_EAGLE3; // named by its method, with a model nobody knows
    says(kvb_refusal_draft_class, &plan, "['LlamaForCausalLMEagle3']");
    plan.engine.release = R(8, 5);
    says(kvb_refusal_draft_class, &plan, NULL);
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "Qwen3ForCausalLM"); // since 0.8.4
    says(kvb_refusal_draft_class, &plan, NULL);
    plan.engine.release = R(8, 3);
    says(kvb_refusal_draft_class, &plan, "['Qwen3ForCausalLM']");
    drafts_with(KVB_SPECULATIVE_MTP, "Qwen3ForCausalLM"); // looked up before its type is asked for
    says(kvb_refusal_draft_class, &plan, "['Qwen3ForCausalLM']");
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "NobodysForCausalLM"); // transformers may have it
    says(kvb_refusal_draft_class, &plan, NULL);
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "");
    says(kvb_refusal_draft_class, &plan, NULL);
}

// speculative.py v0.8.5 to v0.21.0 _verify_args.
static void targets_of_eagle3(void **state)
{
    (void)state;
    make(R(8, 5));
    drafts_with(KVB_SPECULATIVE_EAGLE, "LlamaForCausalLMEagle3");
    says(kvb_refusal_eagle3_target, &plan, NULL);
    (void)strcpy(plan.model.architecture, "Qwen3ForCausalLM");
    says(kvb_refusal_eagle3_target, &plan, "Eagle3 is only supported for Llama models.");
    plan.engine.release = R(10, 1);
    says(kvb_refusal_eagle3_target, &plan, NULL);
    (void)strcpy(plan.model.architecture, "OlmoForCausalLM");
    says(kvb_refusal_eagle3_target, &plan, "Eagle3 is only supported for ['llama', 'qwen', ...] models.");
    plan.engine.release = R(17, 0);
    says(kvb_refusal_eagle3_target, &plan, "eagle3 is only supported for ['llama', 'qwen', ...] models.");
    plan.model.architecture[0] = '\0'; // a profile that does not say
    says(kvb_refusal_eagle3_target, &plan, NULL);
}

// speculative.py _verify_and_get_draft_tp v0.5.1, v0.5.5, v0.6.4.
static void ranks_of_drafts(void **state)
{
    (void)state;
    make(R(5, 4));
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "LlamaForCausalLM");
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    says(kvb_refusal_draft_ranks, &plan, NULL);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 1);
    says(kvb_refusal_draft_ranks, &plan, NULL);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 2);
    says(kvb_refusal_draft_ranks, &plan, "=2 cannot beother value than 1");
    plan.engine.release = R(6, 3);
    says(kvb_refusal_draft_ranks, &plan, "=2 cannot be other value than 1");
    plan.engine.release = R(6, 4);
    says(kvb_refusal_draft_ranks, &plan, NULL);
    give(&plan, KVB_PLAIN_DRAFT_RANKS, 4);
    says(kvb_refusal_draft_ranks, &plan, "=4 cannot be other value than 1 or target model tensor_parallel_size");
    plan.draft = NULL;
    says(kvb_refusal_draft_ranks, &plan, NULL);
    plan.draft_unknown = true;
    says(kvb_refusal_draft_ranks, &plan, "=4 cannot");
    plan.draft_unknown = false;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    says(kvb_refusal_draft_ranks, &plan, "=4 cannot");
}

// vllm.py v0.20.0 _set_max_num_scheduled_tokens: a draft model adds a token to each sequence.
static void tokens_left_for_the_step(void **state)
{
    (void)state;
    make(R(20, 0));
    drafts_with(KVB_SPECULATIVE_DRAFT_MODEL, "LlamaForCausalLM");
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 256);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    says(kvb_refusal_scheduled_tokens, &plan, "max_num_scheduled_tokens is set to 0 based on");
    set(&plan, KVB_SET_MAX_NUM_SEQS, 300);
    says(kvb_refusal_scheduled_tokens, &plan, "max_num_scheduled_tokens is set to -44 based on");
    plan.engine.release = R(19, 0);
    says(kvb_refusal_scheduled_tokens, &plan, NULL);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 100);
    give(&plan, KVB_PLAIN_SCHEDULED_TOKENS, 200);
    says(kvb_refusal_scheduled_tokens, &plan,
         "at least 100, but got max_num_batched_tokens=256 and "
         "max_num_scheduled_tokens=200.");
    give(&plan, KVB_PLAIN_SCHEDULED_TOKENS, 156);
    says(kvb_refusal_scheduled_tokens, &plan, NULL);
}

// vllm.py v0.14.0, v0.15.0, v0.16.0: methods that asynchronous scheduling drafts with.
static void asynchronous_drafts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        const char *part;
    } rows[] = {
        {R(10, 2), KVB_SPECULATIVE_NONE, NULL},
        {R(10, 2), KVB_SPECULATIVE_EAGLE, "speculative decoding is not supported with async scheduling"},
        {R(14, 0), KVB_SPECULATIVE_NONE, NULL},
        {R(14, 0), KVB_SPECULATIVE_EAGLE, NULL},
        {R(14, 0), KVB_SPECULATIVE_MTP, NULL},
        {R(14, 0), KVB_SPECULATIVE_NGRAM, "with EAGLE/MTP kind"},
        {R(15, 0), KVB_SPECULATIVE_DRAFT_MODEL, "with EAGLE/MTP kind"},
        {R(16, 0), KVB_SPECULATIVE_DRAFT_MODEL, NULL},
        {R(18, 0), KVB_SPECULATIVE_OTHER, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release);
        says(kvb_refusal_async, &plan, NULL);
        set(&plan, KVB_SET_ASYNC_SCHEDULING, 1);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        says(kvb_refusal_async, &plan, rows[i].part);
    }
    make(R(14, 0));
    set(&plan, KVB_SET_ASYNC_SCHEDULING, 1);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    says(kvb_refusal_async, &plan, "not yet compatible with pipeline_parallel_size > 1");
    plan.engine.release = R(15, 0);
    says(kvb_refusal_async, &plan, NULL);
}

// ---- Experts, adapters, windows, pictures, sleep

// parallel.py v0.10.1, v0.26.0.
static void experts_in_balance(void **state)
{
    (void)state;
    make(R(25, 0));
    says(kvb_refusal_eplb, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_EPLB;
    says(kvb_refusal_eplb, &plan, "enable_expert_parallel must be True");
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    says(kvb_refusal_eplb, &plan, "but got TP=1,DP=1.");
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    says(kvb_refusal_eplb, &plan, NULL);
    unset(&plan, KVB_SET_TENSOR_PARALLEL_SIZE);
    plan.engine.release = R(26, 0); // config/parallel.py v0.26.0:491
    says(kvb_refusal_eplb, &plan, "EPLB requires tensor, prefill-context, or data parallelism, but got TP=1, PCP=1");
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_eplb, &plan, NULL);
    unset(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE);
    says(kvb_refusal_redundant_experts, &plan, NULL);
    give(&plan, KVB_PLAIN_REDUNDANT_EXPERTS, 2);
    says(kvb_refusal_redundant_experts, &plan, NULL);
    plan.plain_flags = 0;
    says(kvb_refusal_redundant_experts, &plan, "num_redundant_experts is set to 2 but EPLB is not enabled.");
}

// lora/layers.py v0.3.0 to v0.4.0, config.py v0.5.1 verify_with_scheduler_config.
static void early_adapters(void **state)
{
    (void)state;
    static const char *const classes[] = {"LlamaForCausalLM", "MistralForCausalLM", "MixtralForCausalLM"};
    make(R(4, 0));
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        (void)strcpy(plan.model.architecture, classes[i]);
        unset(&plan, KVB_SET_ENABLE_LORA);
        says(kvb_refusal_lora_vocabulary, &plan, NULL);
        set(&plan, KVB_SET_ENABLE_LORA, 1);
        plan.model.vocabulary_size = 33025;
        says(kvb_refusal_lora_vocabulary, &plan, "vocab size must be 32000 >= vocab_size <= 33024");
        plan.model.vocabulary_size = 33024;
        says(kvb_refusal_lora_vocabulary, &plan, NULL);
    }
    make(R(6, 0));
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    says(kvb_refusal_lora_chunks, &plan, NULL);
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    says(kvb_refusal_lora_chunks, &plan, "LoRA is not supported with chunked prefill yet.");
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    says(kvb_refusal_lora_chunks, &plan, NULL);
}

// config.py v0.7.0 verify_with_parallel_config; v0.10.0 of V0 alone.
static void adapters_beside_weights_on_the_host(void **state)
{
    (void)state;
    make(R(8, 5));
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    says(kvb_refusal_lora_early, &plan, NULL);
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, GIB);
    says(kvb_refusal_lora_early, &plan, NULL);
    plan.environment.use_v1 = KVB_NO;
    says(kvb_refusal_lora_early, &plan, "V0 LoRA does not support CPU offload, please use V1.");
    plan.engine.release = R(8, 2);
    says(kvb_refusal_lora_early, &plan, "CPU offload is not supported with LoRA yet.");
    plan.engine.release = R(6, 6);
    says(kvb_refusal_lora_early, &plan, NULL);
}

// cache.py _verify_prefix_caching, arg_utils.py v0.4.3: models whose every layer has a window, on V0.
static void windows_on_v0(void **state)
{
    (void)state;
    make(R(6, 0));
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
    plan.model.kinds[0].attention.window_tokens = 4096;
    says(kvb_refusal_prefix_window, &plan, NULL);
    says(kvb_refusal_chunked_window, &plan, NULL);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    says(kvb_refusal_prefix_window, &plan, "Prefix caching is not supported with sliding window.");
    says(kvb_refusal_chunked_window, &plan, "Chunked prefill is not supported with sliding window.");
    plan.plain_flags |= KVB_PLAIN_V2_BLOCKS;
    says(kvb_refusal_chunked_window, &plan, NULL);
    plan.plain_flags = 0;
    set(&plan, KVB_SET_DISABLE_SLIDING_WINDOW, 1);
    says(kvb_refusal_prefix_window, &plan, NULL);
    says(kvb_refusal_chunked_window, &plan, NULL);
    set(&plan, KVB_SET_DISABLE_SLIDING_WINDOW, 0);
    plan.model.kind_count = 2; // some layers are full
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention.kind = KVB_ATTENTION_FULL;
    says(kvb_refusal_prefix_window, &plan, NULL);
    says(kvb_refusal_chunked_window, &plan, NULL);
}

// config.py v0.6.3, v0.9.0: limits of pictures ask for a model that takes some.
static void pictures_for_a_text_model(void **state)
{
    (void)state;
    static const enum kvb_setting limits[] = {KVB_SET_LIMIT_IMAGES, KVB_SET_LIMIT_VIDEOS, KVB_SET_LIMIT_AUDIOS};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        make(R(9, 0));
        says(kvb_refusal_no_pictures, &plan, NULL);
        set(&plan, limits[i], 1);
        says(kvb_refusal_no_pictures, &plan, "`limit_mm_per_prompt` is only supported for multimodal models.");
        plan.model.encoder.family = KVB_ENCODER_QWEN2_VL;
        plan.model.encoder.layers = 1;
        says(kvb_refusal_no_pictures, &plan, NULL);
    }
    says(kvb_refusal_no_pixels, &plan, NULL);
    set(&plan, KVB_SET_MM_MAX_PIXELS, 1 << 20);
    says(kvb_refusal_no_pixels, &plan, NULL);
    memset(&plan.model.encoder, 0, sizeof plan.model.encoder);
    says(kvb_refusal_no_pixels, &plan, "`mm_processor_kwargs` is only supported for multimodal models.");
}

// utils.py v0.8.3: is_pin_memory_available is false under WSL.
static void weights_on_the_host_of_wsl(void **state)
{
    (void)state;
    make(R(9, 0));
    plan.platform = KVB_PLATFORM_WSL2;
    says(kvb_refusal_offload_wsl, &plan, NULL);
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, GIB);
    says(kvb_refusal_offload_wsl, &plan, "V1 CPU offloading requires uva (pin memory) support");
    plan.platform = KVB_PLATFORM_LINUX;
    says(kvb_refusal_offload_wsl, &plan, NULL);
    plan.platform = KVB_PLATFORM_WSL2;
    plan.environment.use_v1 = KVB_NO;
    says(kvb_refusal_offload_wsl, &plan, NULL);
}

// model.py v0.8.5, v0.11.1 (is_sleep_mode_available); cumem.py until 0.20.1.
static void sleeping(void **state)
{
    (void)state;
    make(R(9, 0));
    says(kvb_refusal_sleep, &plan, NULL);
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
    says(kvb_refusal_sleep, &plan, NULL);
    plan.environment.expandable_segments = KVB_YES;
    says(kvb_refusal_sleep, &plan, "Expandable segments are not compatible with memory pool.");
    plan.engine.release = R(20, 1);
    says(kvb_refusal_sleep, &plan, NULL);
    plan.environment.expandable_segments = KVB_NO;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    says(kvb_refusal_sleep, &plan, NULL);
    plan.engine.release = R(11, 0);
    says(kvb_refusal_sleep, &plan, "Sleep mode is not supported on current platform.");
    plan.engine.release = R(8, 4); // not asked yet
    says(kvb_refusal_sleep, &plan, NULL);
    plan.engine.release = R(20, 1);
    plan.gpu.vendor = KVB_VENDOR_INTEL;
    says(kvb_refusal_sleep, &plan, "Sleep mode is not supported on current platform.");
}

// vllm.py v0.11.1: a block of states other than the whole context asks for a prefix cache.
static void blocks_of_states(void **state)
{
    (void)state;
    make(R(11, 1));
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 0);
    says(kvb_refusal_mamba_block, &plan, NULL);
    set(&plan, KVB_SET_MAMBA_BLOCK_SIZE, 128);
    says(kvb_refusal_mamba_block, &plan, "--mamba-block-size can only be set with --enable-prefix-caching");
    set(&plan, KVB_SET_MAMBA_BLOCK_SIZE, 8192);
    says(kvb_refusal_mamba_block, &plan, NULL);
    set(&plan, KVB_SET_MAMBA_BLOCK_SIZE, 128);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    says(kvb_refusal_mamba_block, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(words_of_a_draft), cmocka_unit_test(modules_that_draft),
              cmocka_unit_test(tokens_of_a_draft), cmocka_unit_test(models_that_draft),
              cmocka_unit_test(heads_of_drafts), cmocka_unit_test(pinned_caches), cmocka_unit_test(latent_blocks),
              cmocka_unit_test(multiples_of_a_module), cmocka_unit_test(stages_of_drafts),
              cmocka_unit_test(classes_of_drafts), cmocka_unit_test(targets_of_eagle3),
              cmocka_unit_test(ranks_of_drafts), cmocka_unit_test(tokens_left_for_the_step),
              cmocka_unit_test(asynchronous_drafts), cmocka_unit_test(experts_in_balance),
              cmocka_unit_test(early_adapters), cmocka_unit_test(adapters_beside_weights_on_the_host),
              cmocka_unit_test(windows_on_v0), cmocka_unit_test(pictures_for_a_text_model),
              cmocka_unit_test(weights_on_the_host_of_wsl), cmocka_unit_test(sleeping),
              cmocka_unit_test(blocks_of_states))
