// Peak of the profile run: layer, sampler and encoder phases share one maximum.
// Source: vllm/v1/worker/gpu_model_runner.py profile_run, v1/sample/ops/topk_topp_sampler.py,
// model_executor/layers/fused_moe; coefficients from public start-up logs (docs/formulas.md).
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/compile.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/logits.h"

#define MIB (1ULL << 20)
#define GEMM_WORKSPACE_HOPPER (MIB * 32)
#define GEMM_WORKSPACE_OLD 8493466ULL // 8.1 MiB
#define LAYER_WORKSPACE_HOPPER (MIB * 15)
#define HIDDEN_TENSORS 4                // caller's copy, residual, FFN input and output
#define HIDDEN_TENSORS_OLD 3            // V0 up to 0.6.4, and model runner V2
#define HIDDEN_TENSORS_FP32 7           // one fp32 run
#define HIDDEN_TENSORS_BESIDE_STREAMS 3 // the caller's, FFN input and output
#define OLD_UNTIL KVB_RELEASE(0, 6, 5)
#define SEGMENTED_SORT_ROWS 128
#define TRITON_ROWS 8
#define REJECTION_CLONES_SINCE KVB_RELEASE(0, 11, 2)
#define DRAFTS_SAMPLED_SINCE KVB_RELEASE(0, 22, 0)
#define DRAFT_PROBABILITY_BYTES 4
#define MLA_PROFILE_TOKENS 65536
// gpu/sample/sampler.py apply_sampling_params: a 32-bit copy of all logits, from 0.26 only when it has to change them
#define V2_COPIES_LOGITS_UNTIL KVB_RELEASE(0, 26, 0)

static enum kvb_sampler_path sort_path(uint64_t rows)
{
    return rows >= SEGMENTED_SORT_ROWS || rows < 2 ? KVB_PATH_SORT : KVB_PATH_SORT_FEW;
}

static enum kvb_sampler_path sampler_path(const struct kvb_context *context, uint64_t rows,
                                          enum kvb_sampler_path *other)
{
    uint8_t asked = context->plan->environment.use_flashinfer_sampler;
    uint32_t rule = kvb_rule(context, KVB_RULE_SAMPLER);
    *other = KVB_PATH_NO_OTHER;
    if (context->v2_runner) {
        return context->release < V2_COPIES_LOGITS_UNTIL ? KVB_PATH_V2_COPY : KVB_PATH_V2;
    }
    if (context->generation == KVB_GENERATION_V0) {
        return sort_path(rows);
    }
    if (asked != KVB_UNSET && rule != KVB_SAMPLER_TRITON) {
        return asked == KVB_YES ? KVB_PATH_FLASHINFER : sort_path(rows);
    }
    switch (rule) {
    case KVB_SAMPLER_FLASHINFER_LIKELY:
        *other = sort_path(rows);
        return KVB_PATH_FLASHINFER;
    case KVB_SAMPLER_SORT_LIKELY:
        *other = KVB_PATH_FLASHINFER;
        return sort_path(rows);
    case KVB_SAMPLER_TRITON:
        return rows >= TRITON_ROWS ? KVB_PATH_TRITON : sort_path(rows);
    default:
        return sort_path(rows);
    }
}

static bool is_hopper_or_later(const struct kvb_context *context)
{
    return context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER;
}

// Rows of logits in the dummy sampler run.
static uint64_t logits_rows(const struct kvb_context *context, const struct kvb_encoder_load *load)
{
    if (context->generation == KVB_GENERATION_V0 && load->tokens_per_item > 0) {
        return load->items;
    }
    return kvb_min(context->max_num_seqs, context->max_num_batched_tokens);
}

static uint64_t hidden_tensors(const struct kvb_context *context)
{
    if (context->dtype == KVB_DTYPE_FP32) {
        return HIDDEN_TENSORS_FP32;
    }
    bool old = context->generation == KVB_GENERATION_V0 && context->release < OLD_UNTIL;
    uint64_t tensors = old || context->v2_runner ? HIDDEN_TENSORS_OLD : HIDDEN_TENSORS;
    bool out_of_place = context->tp > 1 && context->uncompiled;
    return tensors + out_of_place;
}

// Residual streams of hyper-connections are mixed into new ones while the caller holds the old. Source:
// models/deepseek_v4/nvidia/model.py v0.25.0:866 forward, :1061 forward.
static uint64_t alive_tensors(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    return shape->residual_streams > 1 ? 2 * (uint64_t)shape->residual_streams + HIDDEN_TENSORS_BESIDE_STREAMS
                                       : hidden_tensors(context);
}

// In elements of a token, what an attention operator hands to the piece of the graph behind it.
static uint64_t operator_elements(const struct kvb_attention_shape *shape)
{
    uint64_t keys = (uint64_t)shape->state_key_heads * shape->state_key_size;
    uint64_t values = (uint64_t)shape->state_value_heads * shape->state_value_size;
    uint64_t queries = (uint64_t)shape->heads * shape->head_size;
    switch (shape->kind) {
    case KVB_ATTENTION_GDN:
        return 2 * keys + 3 * values;
    case KVB_ATTENTION_MAMBA2:
        return 2 * keys + 3 * values + shape->state_value_heads;
    case KVB_ATTENTION_FULL:
        return shape->gated_output ? 3 * queries + 2 * (uint64_t)shape->kv_heads * shape->head_size : 0;
    default:
        return 0;
    }
}

// A compiled piece of the graph holds its arguments while it runs, from one attention operator to the next. Of a layer
// with a state they are wider than a hidden tensor: what the operator wrote, and the projection that its gate is a view
// of; so with a gate of ordinary attention. A feed-forward network that is a layer of its own (Nemotron-H) runs in the
// piece that the operator before it began. Source: models/qwen3_next.py v0.17.0:586-625,
// layers/mamba/gdn_linear_attn.py v0.20.0:519, layers/mamba/mamba_mixer2.py v0.20.0 forward, models/nemotron_h.py
// v0.19.0 NemotronHMoEDecoderLayer.
static uint64_t piece_arguments(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint64_t width = operator_elements(shape);
    for (uint32_t i = 0; shape->kind == KVB_ATTENTION_NONE && i < context->model->kind_count; i++) {
        width = kvb_max(width, operator_elements(&context->model->kinds[i].attention));
    }
    width /= context->tp;
    bool compiled = context->generation == KVB_GENERATION_V1 && !context->uncompiled;
    return compiled ? width - kvb_min(width, context->model->hidden_size) : 0;
}

// A draft that looks at inner layers of the target has it keep their outputs to the end of its pass: EAGLE3, DFlash,
// DSpark. Source: models/interfaces.py v0.22.1:1300 _maybe_add_hidden_state, gpu_model_runner.py v0.8.5:1503 and
// v0.22.1 _dummy_run, gpu/model_runner.py v0.27.1:1428.
static uint64_t states_for_draft(const struct kvb_context *context, uint64_t tokens)
{
    const struct kvb_model *draft = context->plan->draft;
    if (context->speculative == KVB_SPECULATIVE_NONE || draft == NULL) {
        return 0;
    }
    return kvb_mul(kvb_mul(tokens, draft->target_states), context->model->hidden_size);
}

// The widest layer's hidden tensors and scratch; `kept` is a workspace that is there already, and receives the
// largest that experts make of it.
static uint64_t layer_tensors(const struct kvb_context *context, uint64_t tokens, uint64_t *kept)
{
    uint64_t widest = 0, workspace = *kept, states = states_for_draft(context, tokens);
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_layer_kind *kind = &context->model->kinds[i];
        struct kvb_expert_bytes scratch = kvb_expert_scratch(context, &kind->mlp, tokens);
        uint64_t shared = kvb_max(scratch.workspace_bytes, workspace);
        *kept = kvb_max(*kept, shared);
        uint64_t layer = kvb_add(shared, scratch.passing_bytes);
        layer = kvb_max(layer, kvb_add(workspace, kvb_dense_scratch(context, &kind->mlp, tokens)));
        uint64_t elements = kvb_mul(alive_tensors(context, &kind->attention), context->model->hidden_size);
        elements = kvb_mul(tokens, kvb_add(elements, piece_arguments(context, &kind->attention)));
        elements = kvb_add(elements, states);
        widest = kvb_max(widest, kvb_add(layer, kvb_mul(elements, kvb_dtype_bytes(context->dtype))));
    }
    return widest;
}

uint64_t kvb_layer_bytes(const struct kvb_context *context, uint64_t tokens)
{
    uint64_t kept = 0;
    return layer_tensors(context, tokens, &kept);
}

static uint64_t layer_phase(const struct kvb_context *context, uint64_t *kept)
{
    uint64_t workspace = is_hopper_or_later(context) ? LAYER_WORKSPACE_HOPPER : GEMM_WORKSPACE_OLD;
    return kvb_add(layer_tensors(context, context->max_num_batched_tokens, kept), workspace);
}

static uint64_t logits_bytes(const struct kvb_context *context, enum kvb_sampler_path path, uint64_t rows)
{
    uint64_t vocabulary = kvb_round_up(context->model->vocabulary_size, 64);
    uint64_t bytes = kvb_path_bytes_per_logit[path];
    if (context->dtype == KVB_DTYPE_FP32) { // 4-byte logits, of which the second runner alone makes its copy
        bytes = context->v2_runner ? bytes + 2 : bytes - 2;
    }
    return kvb_mul(kvb_mul(bytes, rows), vocabulary);
}

// Triton's buffer is kept once it was used: as many rows as programs run, rounded up to a power of two and no more
// than multiprocessors. Source: v1/sample/ops/topk_topp_triton.py v0.17.0 and v0.21.0:1010 _TRITON_BUFFER_CACHE.
static uint64_t kept_sampler_bytes(const struct kvb_context *context, enum kvb_sampler_path path, uint64_t rows)
{
    uint64_t vocabulary = kvb_round_up(context->model->vocabulary_size, 64);
    uint64_t processors = context->gpu->multiprocessors > 0 ? context->gpu->multiprocessors : 132;
    uint64_t programs = TRITON_ROWS;
    while (programs < kvb_min(rows, processors)) {
        programs *= 2;
    }
    return path == KVB_PATH_TRITON ? kvb_mul(4 * vocabulary, kvb_min(programs, processors)) : 0;
}

// With speculative decoding the dummy sampler run ends with the rejection sampler over 2 x rows of random logits. Alive
// at once, bytes a row and vocabulary entry: random logits 4, bonus 2 and its 32-bit copy 4, target 4 and from 0.11.2
// its clone 4, probabilities 4, q 4 and 1/q 4. Source: v1/sample/rejection_sampler.py v0.22.0:128-216, 469, 676, 688
// and gpu_model_runner.py _dummy_sampler_run; a 0.22 log of 867 rows needs 32 to 34.
static uint64_t rejection_bytes(const struct kvb_context *context, uint64_t rows)
{
    if (context->speculative == KVB_SPECULATIVE_NONE || context->generation == KVB_GENERATION_V0 ||
        context->v2_runner) {
        return 0;
    }
    uint64_t bytes = context->release >= REJECTION_CLONES_SINCE ? 32 : 24;
    bool sampled =
        context->release >= DRAFTS_SAMPLED_SINCE && context->plan->plain_numbers[KVB_PLAIN_DRAFT_SAMPLES].set;
    bytes += sampled ? DRAFT_PROBABILITY_BYTES : 0; // gpu_model_runner.py v0.22.0:5994, alive beside the others
    return kvb_mul(kvb_mul(bytes, rows), kvb_round_up(context->model->vocabulary_size, 64));
}

static uint64_t sampler_phase(const struct kvb_context *context, enum kvb_sampler_path path, uint64_t rows)
{
    uint64_t element = kvb_dtype_bytes(context->dtype);
    uint64_t hidden = context->model->hidden_size;
    uint64_t bytes = kvb_mul(kvb_mul(context->max_num_batched_tokens, hidden), element);
    bytes = kvb_add(bytes, kvb_mul(2 * element * rows, hidden));
    bytes = kvb_add(bytes, kvb_max(logits_bytes(context, path, rows), rejection_bytes(context, rows)));
    bytes = kvb_add(bytes, kept_sampler_bytes(context, path, rows));
    return kvb_add(bytes, is_hopper_or_later(context) ? GEMM_WORKSPACE_HOPPER : GEMM_WORKSPACE_OLD);
}

static uint64_t mla_phase(const struct kvb_context *context)
{
    if (!kvb_rule(context, KVB_RULE_MLA_PROFILE)) { // no release with V0 has it
        return 0;
    }
    uint64_t widest = 0;
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        if (shape->kind == KVB_ATTENTION_MLA && shape->index_heads == 0) {
            uint64_t heads = kvb_heads_on_rank(shape->heads, context->tp);
            widest = kvb_max(widest, heads * (shape->nope_size + shape->value_head_size));
        }
    }
    uint64_t blocks = kvb_mul(context->max_num_seqs, context->block_tokens);
    uint64_t tokens = kvb_max(kvb_mul(8, context->max_model_len), kvb_mul(4, blocks));
    tokens = kvb_max(kvb_min(tokens, MLA_PROFILE_TOKENS), blocks);
    return kvb_mul(kvb_mul(tokens, widest), kvb_dtype_bytes(context->dtype));
}

// The phases follow one another and share memory: what one frees the next uses, so the peak is the largest of them and
// not their sum. What stays from one to the next (outputs of the encoder, scratch that is kept) is part of both.
// Margins from the misses of published logs, not from the rows the model was fitted to.
static uint64_t margin_of(const struct kvb_context *context, uint64_t bytes)
{
    uint64_t margin = kvb_max(150 * MIB, bytes / 20);
    if (context->dtype == KVB_DTYPE_FP32) {
        margin = kvb_max(margin, bytes / 5);
    }
    if (kvb_model_is_multimodal(context->model)) {
        margin = kvb_max(margin, kvb_max(300 * MIB, bytes / 10));
    }
    if (kvb_model_is_mla(context->model) && context->tp > 1) {
        margin = kvb_max(margin, kvb_max(300 * MIB, bytes / 4));
    }
    if (kvb_model_has_state(context->model) || context->ep > 1) {
        margin = kvb_max(margin, 512 * MIB);
    }
    return margin;
}

static void set_range(const struct kvb_context *context, enum kvb_phase winner, uint64_t other_bytes,
                      struct kvb_estimate *total)
{
    uint64_t margin = margin_of(context, total->bytes);
    total->high_bytes = kvb_add(total->bytes, margin);
    total->low_bytes = total->bytes - kvb_min(total->bytes, margin / 2);
    if (winner == KVB_PHASE_ENCODER) { // one log a family at most
        total->high_bytes = kvb_add(total->bytes, kvb_max(margin, total->bytes / 2));
        total->low_bytes = kvb_min(total->low_bytes, total->bytes - total->bytes / 4);
    }
    if (other_bytes > 0) {
        total->high_bytes = kvb_max(total->high_bytes, other_bytes);
        total->low_bytes = kvb_min(total->low_bytes, other_bytes);
    }
}

// The largest of the phases before `end`.
static enum kvb_phase widest_phase(const struct kvb_activation *a, enum kvb_phase end)
{
    enum kvb_phase widest = KVB_PHASE_LAYER;
    for (uint32_t phase = 0; phase < (uint32_t)end; phase++) {
        widest = a->phase_bytes[phase] > a->phase_bytes[widest] ? (enum kvb_phase)phase : widest;
    }
    return widest;
}

// Where it is not known whether graphs are compiled, the low end is that of a start that finds them.
static void set_total(const struct kvb_context *context, uint64_t other_bytes, struct kvb_activation *a)
{
    enum kvb_phase warm = widest_phase(a, KVB_PHASE_COMPILE);
    a->winner = widest_phase(a, KVB_PHASE_COUNT);
    a->total.bytes = a->phase_bytes[a->winner];
    a->cached_bytes = a->phase_bytes[warm];
    set_range(context, a->winner, other_bytes, &a->total);
    if (a->winner == KVB_PHASE_COMPILE && context->plan->compile_cache == KVB_COMPILE_UNKNOWN) {
        struct kvb_estimate cached = {a->phase_bytes[warm], 0, 0};
        set_range(context, warm, other_bytes, &cached);
        a->total.low_bytes = kvb_min(a->total.low_bytes, cached.low_bytes);
    }
}

void kvb_activation_estimate(const struct kvb_context *context, uint32_t stage, struct kvb_activation *a)
{
    struct kvb_encoder_load load;
    enum kvb_sampler_path other = KVB_PATH_NO_OTHER;
    uint64_t element = kvb_dtype_bytes(context->dtype);
    bool last = stage + 1 == context->pp;
    kvb_encoder_load_of(context, &load);
    a->logits_rows = logits_rows(context, &load);
    enum kvb_sampler_path path = sampler_path(context, a->logits_rows, &other);
    bool passes_on = context->pp > 1 && context->generation == KVB_GENERATION_V1;
    uint64_t received =
        passes_on ? kvb_mul(2 * element * context->max_num_batched_tokens, context->model->hidden_size) : 0;
    a->bytes_per_logit = kvb_path_bytes_per_logit[path];
    a->other_path_bytes_per_logit = kvb_path_bytes_per_logit[other];
    a->kept_bytes = kvb_add(kvb_mul(kvb_mul(load.kept_tokens, element), load.kept_width), load.kept_pixel_bytes);
    struct kvb_sparse_bytes sparse = kvb_sparse_scratch(context);
    uint64_t kept = kvb_add(kvb_add(a->kept_bytes, received), sparse.kept_bytes);
    kept = kvb_add(kept, kvb_early_state_bytes(context, stage));
    a->workspace_bytes = sparse.workspace_bytes;
    a->phase_bytes[KVB_PHASE_LAYER] = kvb_add(layer_phase(context, &a->workspace_bytes), kept);
    kept = kvb_add(kept, kvb_rule(context, KVB_RULE_MOE_WORKSPACE) ? a->workspace_bytes : 0);
    a->phase_bytes[KVB_PHASE_INDEX] = sparse.choosing_bytes > 0 ? kvb_add(sparse.choosing_bytes, kept) : 0;
    bool samples = last && !context->pools;
    a->phase_bytes[KVB_PHASE_SAMPLER] = samples ? kvb_add(sampler_phase(context, path, a->logits_rows), kept) : 0;
    a->phase_bytes[KVB_PHASE_LAYER] -= sparse.loaded_bytes; // all three hold the workspace
    a->phase_bytes[KVB_PHASE_INDEX] -= kvb_min(a->phase_bytes[KVB_PHASE_INDEX], sparse.loaded_bytes);
    a->phase_bytes[KVB_PHASE_SAMPLER] -= kvb_min(a->phase_bytes[KVB_PHASE_SAMPLER], sparse.loaded_bytes);
    bool encodes =
        stage == 0 || context->generation == KVB_GENERATION_V1; // profile_run of any rank, v0.8.0, v0.19.0:5723
    a->phase_bytes[KVB_PHASE_ENCODER] = encodes ? load.peak_bytes : 0;
    a->phase_bytes[KVB_PHASE_MLA] = mla_phase(context);
    uint64_t timed = stage == 0 ? kvb_compile_peak_bytes(context) : 0;
    a->phase_bytes[KVB_PHASE_COMPILE] = timed > 0 ? kvb_add(timed, a->kept_bytes) : 0;
    uint64_t other_bytes = 0;
    if (samples && other != KVB_PATH_NO_OTHER) {
        other_bytes = kvb_add(sampler_phase(context, other, a->logits_rows), kept);
        other_bytes = kvb_max(other_bytes, a->phase_bytes[KVB_PHASE_LAYER]);
    }
    set_total(context, other_bytes, a);
}
