// Corners of what vLLM loads, captures and keeps that the worked examples do not reach. Expected values are counted by
// hand or follow from equal cases, by the engine's code at the tags named beside them.
#include <string.h>

#include "engines/vllm/encoder_items.h"
#include "engines/vllm/ladder.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/runner.h"
#include "unit/encoders.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

// ---- What lifts a refusal

static void lifts(void **state)
{
    (void)state;
    static const uint64_t above[] = {64, 128, 256, 320, 512};
    uint64_t out[KVB_CANDIDATES_MAX];
    make_llama_plan(&plan, R(12, 0));
    memset(&budget, 0, sizeof budget);
    set(&plan, KVB_SET_MAX_LORA_RANK, 48);
    assert_int_equal(kvb_try_known_rank(&plan, &budget, out), 0);
    budget.refusal = "lora-rank"; // lora.py v0.12.0: the ranks above 48
    assert_int_equal(kvb_try_known_rank(&plan, &budget, out), 5);
    assert_memory_equal(out, above, sizeof above);
    assert_int_equal(kvb_try_own_length(&plan, &budget, out), 0);
    budget.refusal = "max-model-len-word";
    assert_int_equal(kvb_try_own_length(&plan, &budget, out), 1);
    assert_int_equal(out[0], 131072);
    plan.model.context_tokens = 0; // nobody says
    assert_int_equal(kvb_try_own_length(&plan, &budget, out), 0);
    budget.refusal = "quantization-shape";
    assert_int_equal(kvb_try_whole_experts(&plan, &budget, out), 1);
    assert_int_equal(out[0], 1); // on
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    assert_int_equal(kvb_try_whole_experts(&plan, &budget, out), 0);
}

// ---- Weights while they load

static uint64_t beyond_weights(void)
{
    (void)answer_into(&plan, &budget);
    return budget.load_peak_bytes - (uint64_t)budget.items[KVB_ITEM_WEIGHTS].bytes;
}

// quantization/online v0.24.0: all its words stream, layer by layer; a checkpoint that stands for such a run is read as
// it is, and one that is quantised already is, too.
static void words_that_quantise_while_loading(void **state)
{
    (void)state;
    static const enum kvb_quantization_word words[] = {KVB_QUANTIZATION_FP8_PER_TENSOR, KVB_QUANTIZATION_FP8_PER_BLOCK,
                                                       KVB_QUANTIZATION_FP8_PER_CHANNEL, KVB_QUANTIZATION_PTPC_FP8};
    make_llama_plan(&plan, R(24, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    assert_int_equal(beyond_weights(), 2ULL * 2 * 14336 * 4096); // gate and up of a layer, in 16 bits
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        set(&plan, KVB_SET_QUANTIZATION, words[i]);
        assert_int_equal(beyond_weights(), 2ULL * 2 * 14336 * 4096);
    }
    plan.stored_quantised = true;
    assert_int_equal(beyond_weights(), 0);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
    assert_int_equal(beyond_weights(), 0);
}

// ---- Experts

static uint64_t scratch(uint32_t release, uint32_t capability, uint32_t latent, uint32_t hidden)
{
    make_llama_plan(&plan, release);
    plan.gpu.compute_capability = capability;
    plan.model.hidden_size = hidden;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                     .experts = 128,
                                                     .experts_per_token = 8,
                                                     .expert_intermediate_size = 768,
                                                     .expert_gated = true,
                                                     .latent_size = latent};
    return kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 8192).workspace_bytes;
}

// oracle/unquantized.py v0.20.0, v0.22.0: FlashInfer's kernel takes Hopper and Thor, the latter until 0.22; 32-bit
// weights stay with Triton.
static void experts_of_sixteen_bits(void **state)
{
    (void)state;
    uint64_t tiles = scratch(R(22, 0), 80, 0, 2048);
    assert_int_equal(scratch(R(22, 0), 110, 0, 2048), tiles);
    assert_true(scratch(R(21, 0), 110, 0, 2048) != tiles);
    assert_int_equal(scratch(R(21, 0), 90, 1024, 2048), scratch(R(21, 0), 90, 0, 1024)); // as wide as the latent
    assert_int_equal(scratch(R(20, 0), 90, 0, 2048), scratch(R(21, 0), 110, 0, 2048));
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    plan.gpu.compute_capability = 90;
    assert_int_equal(kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 8192).workspace_bytes, 2 * tiles);
}

// ---- Pictures, buffers

// registry.py supports_multimodal_inputs: nothing is profiled where every kind is forbidden, or the tower is left out.
static void items_that_are_forbidden(void **state)
{
    (void)state;
    struct kvb_encoder_load load;
    make_llama_plan(&plan, R(19, 0));
    plan.model.encoder = qwen25_vl;
    set(&plan, KVB_SET_LIMIT_IMAGES, 0);
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_true(load.takes_items && load.is_video);
    set(&plan, KVB_SET_LIMIT_VIDEOS, 0);
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_false(load.takes_items);
    plan.model.encoder.has_audio = true;
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_true(load.takes_items && !load.is_video);
    set(&plan, KVB_SET_LIMIT_AUDIOS, 0);
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_false(load.takes_items);
    set(&plan, KVB_SET_LIMIT_AUDIOS, 1);
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_true(load.takes_items);
    set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_false(load.takes_items);
}

// gpu/mm/rope.py v0.27.1: Qwen's towers rotate in three dimensions, of 4 B an index: 128 x 8192 x 4 B = 4 MiB, and
// 12 MiB pinned as 16. Beside them the items of a profile run, which do not differ between towers without pictures.
static void positions_of_towers(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        uint64_t bytes;
    } rows[] = {{KVB_ENCODER_QWEN2_VL, 20 * MIB},
                {KVB_ENCODER_QWEN25_VL, 20 * MIB},
                {KVB_ENCODER_QWEN3_VL, 20 * MIB},
                {KVB_ENCODER_GEMMA3, 4 * MIB}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(27, 0));
        plan.environment.use_v2_model_runner = KVB_YES;
        plan.model.encoder = qwen25_vl;
        plan.model.encoder.family = rows[i].family;
        set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
        set(&plan, KVB_SET_MAX_NUM_SEQS, 128);
        assert_int_equal(kvb_runner_host_bytes(resolved(&plan)), rows[i].bytes);
    }
}

// ---- Chunks beside drafts

// vllm.py v0.10.0: EAGLE and MTP turn the hybrid manager off; v0.10.1: always, unless the variable allows it; v0.14.0:
// never, unless it forbids it.
static void chunks_without_the_hybrid_manager(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        enum kvb_tristate allowed;
        bool off;
    } rows[] = {
        {R(10, 0), KVB_SPECULATIVE_NONE, KVB_UNSET, false}, {R(10, 0), KVB_SPECULATIVE_EAGLE, KVB_UNSET, true},
        {R(10, 0), KVB_SPECULATIVE_MTP, KVB_UNSET, true},   {R(10, 1), KVB_SPECULATIVE_NONE, KVB_UNSET, true},
        {R(10, 1), KVB_SPECULATIVE_NONE, KVB_YES, false},   {R(14, 0), KVB_SPECULATIVE_NONE, KVB_UNSET, false},
        {R(14, 0), KVB_SPECULATIVE_NONE, KVB_NO, true},     {R(14, 0), KVB_SPECULATIVE_NONE, KVB_YES, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.kind_count = 2;
        plan.model.kinds[1] = plan.model.kinds[0];
        plan.model.kinds[1].attention.kind = KVB_ATTENTION_CHUNKED;
        plan.model.kinds[1].attention.window_tokens = 8192;
        plan.model.kind_of_layer[1] = 1;
        plan.environment.allow_chunked_local_hybrid = (uint8_t)rows[i].allowed;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        assert_int_equal(resolved(&plan)->hybrid_off, rows[i].off);
    }
}

// vllm.py v0.24.0 _get_v2_model_runner_unsupported_features: DFlash, but not with contexts cut over prefill ranks.
static void other_drafts_of_runner_v2(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(25, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DFLASH);
    assert_true(resolved(&plan)->v2_runner);
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    assert_false(resolved(&plan)->v2_runner);
    unset(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE);
    plan.engine.release = R(23, 0);
    assert_false(resolved(&plan)->v2_runner);
}

// eagle.py v0.9.1 load_model: a head of another width or vocabulary keeps its own embedding, of its own size.
static void embeddings_of_heads(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make_llama_plan(&plan, R(12, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    draft = plan.model;
    plan.draft = &draft;
    assert_false(loaded(&plan)->own_embedding);
    draft.vocabulary_size = 32000;
    assert_true(loaded(&plan)->own_embedding);
    draft.vocabulary_size = plan.model.vocabulary_size;
    draft.hidden_size = 2048;
    assert_true(loaded(&plan)->own_embedding);
    plan.engine.release = R(9, 0);
    assert_false(loaded(&plan)->own_embedding);
}

// ---- Graphs

static uint64_t graphs_of(enum kvb_graph_mode mode, enum kvb_attention other, enum kvb_backend backend)
{
    struct kvb_estimate estimate;
    make_llama_plan(&plan, R(21, 0));
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention.kind = other;
    plan.model.kinds[1].attention.window_tokens = 8192;
    plan.model.kind_of_layer[1] = 1;
    plan.environment.estimate_cudagraphs = KVB_YES;
    plan.environment.attention_backend = backend;
    set(&plan, KVB_SET_CUDAGRAPH_MODE, mode);
    kvb_graph_charged(resolved(&plan), 0, &estimate);
    return estimate.bytes;
}

// compilation.py v0.21.0: graphs of decode steps alone are fewer than those of both kinds; chunked attention has none
// of whole steps, so that pieces are captured whatever is asked for. FlashInfer brings a workspace of its own, whether
// a flag or the variable names it.
static void modes_of_graphs(void **state)
{
    (void)state;
    const enum kvb_attention full = KVB_ATTENTION_FULL, chunked = KVB_ATTENTION_CHUNKED;
    uint64_t decodes = graphs_of(KVB_GRAPH_MODE_FULL_DECODE_ONLY, full, KVB_BACKEND_AUTO);
    assert_true(decodes > 0);
    assert_true(decodes < graphs_of(KVB_GRAPH_MODE_AUTO, full, KVB_BACKEND_AUTO));
    assert_int_equal(graphs_of(KVB_GRAPH_MODE_FULL_DECODE_ONLY, chunked, KVB_BACKEND_AUTO),
                     graphs_of(KVB_GRAPH_MODE_PIECEWISE, chunked, KVB_BACKEND_AUTO));
    assert_true(graphs_of(KVB_GRAPH_MODE_FULL_DECODE_ONLY, full, KVB_BACKEND_FLASHINFER) > decodes);
}

// ---- Blocks that are given

// Blocks are allocated as they are given (cache_engine.py v0.6.0), so that too many of them do not fit: 2^46 of 2 MiB
// are counted as the most there is. A model that keeps nothing has none.
static void blocks_beyond_all_memory(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(6, 0));
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.verdict, KVB_FITS);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, UINT64_C(1) << 46);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, INT64_C(1) << 62);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1024);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 2 * GIB);
    unset(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MAMBA1;
    (void)answer_into(&plan, &budget);
    int64_t left = budget.items[KVB_ITEM_KV_CACHE].bytes;
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1024);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, left);
}

KVB_TEST_MAIN(cmocka_unit_test(lifts), cmocka_unit_test(words_that_quantise_while_loading),
              cmocka_unit_test(experts_of_sixteen_bits), cmocka_unit_test(items_that_are_forbidden),
              cmocka_unit_test(positions_of_towers), cmocka_unit_test(chunks_without_the_hybrid_manager),
              cmocka_unit_test(other_drafts_of_runner_v2), cmocka_unit_test(embeddings_of_heads),
              cmocka_unit_test(modes_of_graphs), cmocka_unit_test(blocks_beyond_all_memory))
