// What is loaded beside the model: a draft model with its own context, the model's own layers for further tokens (MTP)
// with theirs, a picture projector.
// Source: common/speculative.cpp, common_base_params_to_speculative, and tools/server/server-context.cpp, load_model
// (one draft context with the length, batch and slots of the model's, -ctkd and -ctvd, rows of logits for each slot);
// before pull request 22838 tools/server/server.cpp: a context for each slot, as long as one slot, its batch as long as
// itself.
#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/start.h"

#define DRAFTED 16U    // common_params_speculative, n_max
#define FEW_DRAFTED 3U // the same, with the rework of May 2026

static void take_context(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_llama_run *run)
{
    uint64_t asked = kvb_number_or(plan, KVB_SET_DRAFT_CTX, 0);
    bool one = kvb_llama_since(run, KVB_LLAMA_ONE_DRAFT);
    uint64_t slots = start->run.unified ? 1 : start->run.sequences, each = start->run.context_tokens / slots;
    each = each > 0 ? each : run->model->context_tokens; // 0 asks for the trained length
    run->context_tokens = asked > 0 ? asked : one ? start->run.context_tokens : each;
    if (!one) { // one sequence for each context
        run->sequences = 1;
        run->batch = (uint32_t)kvb_min(run->context_tokens, UINT32_MAX);
        run->ubatch = (uint32_t)kvb_min(run->ubatch, kvb_max(run->batch, 1));
    }
}

static void begin_draft(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_beside *beside = &start->beside;
    struct kvb_llama_run *run = &beside->draft_run;
    bool own_types = kvb_llama_since(&start->run, KVB_LLAMA_DRAFT_TYPES);
    *run = start->run;
    run->key_type = (enum kvb_llama_cache)(own_types ? kvb_number_or(plan, KVB_SET_DRAFT_CACHE_TYPE_K, KVB_GGUF_F16)
                                                     : KVB_GGUF_F16);
    run->value_type = (enum kvb_llama_cache)(own_types ? kvb_number_or(plan, KVB_SET_DRAFT_CACHE_TYPE_V, KVB_GGUF_F16)
                                                       : KVB_GGUF_F16);
    run->output_rows = 0; // one for each slot, or all
    run->state_copies = 0;
    if (beside->heads) {
        run->loads_heads = false;
        return;
    }
    uint64_t usual = kvb_llama_since(run, KVB_LLAMA_FLASH_AUTO) || run->backend == KVB_LLAMA_METAL ? UINT32_MAX : 0;
    uint64_t layers = kvb_number_or(plan, KVB_SET_DRAFT_GPU_LAYERS, KVB_AUTO);
    run->model = plan->draft;
    run->gpu_layers = (uint32_t)kvb_min(layers == KVB_AUTO ? usual : layers, (uint64_t)plan->draft->layer_count + 1);
    run->overrides = NULL;
    run->cpu_experts = 0;
    run->weights_ppm = 0;
    run->mixture = (uint32_t)kvb_number_or(plan, KVB_SET_DRAFT_GGUF_TYPE, start->run.mixture);
}

// Rows of logits and copies of recurrent states for the tokens that are tried at once.
static void widen_model(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_run *run = &start->run;
    bool few = kvb_llama_since(run, KVB_LLAMA_ONE_DRAFT);
    uint64_t drafted = kvb_min(kvb_number_or(plan, KVB_SET_NUM_SPECULATIVE_TOKENS, few ? FEW_DRAFTED : DRAFTED), 1024);
    uint64_t slots = run->sequences;
    if (kvb_llama_since(run, KVB_LLAMA_FEW_OUTPUTS)) {
        run->output_rows = (uint32_t)kvb_min(slots * (1 + drafted), run->ubatch);
    }
    if (few) {
        run->state_copies = (uint32_t)(1 + drafted);
    }
}

void kvb_llama_beside_begin(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_beside *beside = &start->beside;
    uint64_t method = kvb_number_or(plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NONE);
    beside->heads = method == KVB_SPECULATIVE_MTP && plan->model.mtp_layers > 0 && plan->draft == NULL;
    bool own = plan->draft != NULL && method != KVB_SPECULATIVE_NONE; // n-grams have none
    if (beside->heads || own) {
        bool one = kvb_llama_since(&start->run, KVB_LLAMA_ONE_DRAFT);
        beside->contexts = one ? 1 : start->run.sequences;
        start->run.loads_heads = beside->heads;
        widen_model(plan, start);
        begin_draft(plan, start);
    }
    beside->projects = plan->projector.known;
    beside->projector_on_host = start->run.devices == 0 || kvb_number_or(plan, KVB_SET_MMPROJ_OFFLOAD, 1) == 0;
    if (beside->projects) {
        struct kvb_llama_run run = start->run;
        run.devices = beside->projector_on_host ? 0 : run.devices;
        kvb_llama_projector_of(&run, &plan->projector, kvb_number_or(plan, KVB_SET_IMAGE_MAX_TOKENS, 0),
                               &beside->projector);
    }
    beside->plan = plan;
}

static void multiply(struct kvb_llama_buffers *buffers, uint64_t times)
{
    for (uint32_t i = 0; i < KVB_LLAMA_PLACES; i++) {
        struct kvb_llama_place *held = &buffers->places[i];
        held->cache_bytes = kvb_mul(held->cache_bytes, times);
        held->state_bytes = kvb_mul(held->state_bytes, times);
        held->compute_bytes = kvb_mul(held->compute_bytes, times);
    }
}

void kvb_llama_measure(struct kvb_llama_start *start, struct kvb_llama_buffers *out)
{
    struct kvb_llama_beside *beside = &start->beside;
    kvb_llama_all_buffers(&start->run, out);
    if (beside->contexts == 0) {
        return;
    }
    take_context(beside->plan, start, &beside->draft_run);
    if (beside->heads) {
        beside->draft_run.gpu_layers = start->run.gpu_layers;
        kvb_llama_head_buffers(&beside->draft_run, &beside->draft);
    } else {
        kvb_llama_all_buffers(&beside->draft_run, &beside->draft);
    }
    multiply(&beside->draft, beside->contexts);
}
