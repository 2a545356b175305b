// What a first start allocates while it compiles inside the profile run: kernels are timed on arguments of full size,
// and the first one's are the embedding table and hidden tensors of one batch. Source: vllm/config/compilation.py
// v0.19.1:915 and v0.21.0:948 (combo_kernels, benchmark_combo_kernel), gpu_worker.py v0.21.0:388; sizes from pairs of
// starts with and without a cache (docs/formulas.md).
#include "engines/vllm/compile.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/refusal.h"

#define KIB 1024ULL
#define DISABLE_READ_SINCE KVB_RELEASE(0, 20, 0)
#define MODE_ASKED_SINCE KVB_RELEASE(0, 10, 1) // V1 compiled in pieces whatever was said
#define MODE_NAMED_SINCE KVB_RELEASE(0, 11, 1) // "level" before
#define LEVELS_SINCE KVB_RELEASE(0, 12, 0)     // of -O, which was the config's level before
#define WHOLE_UNCOMPILED_SINCE KVB_RELEASE(0, 13, 0)
#define BOTH_SINCE KVB_RELEASE(0, 11, 0)
#define NO_SPLITS_SINCE KVB_RELEASE(0, 11, 1)
#define RANKS_CAPTURE_SINCE KVB_RELEASE(0, 9, 1)
#define COMPILES_IN_PIECES 3
#define HALVES_OF_RANKS 3   // 0.70 GiB printed by four RTX 3090, table 0.592, hidden 0.078
#define HALVES_OF_MODULES 4 // 1.35 by two, table 1.184
#define HALVES_OF_NORMS 12  // a hidden tensor, twice two for what is joined, and the target's output
#define WORKSPACE_BYTES (4096 * 2 * KIB + 16 * 8 * KIB)
#define WORKSPACE_HOPPER_BYTES (4096 * 8 * KIB)

// Source: vllm/config/vllm.py v0.12.0:633 (config.py v0.10.2:3366, v0.10.0:4590).
static unsigned mode_of_compilation(const struct kvb_context *context)
{
    const struct kvb_graph_sizes *said = &context->plan->graph_sizes;
    bool named = context->release >= MODE_NAMED_SINCE && said->compile_mode > 0;
    unsigned mode = named ? said->compile_mode : said->compile_level;
    if (context->release < MODE_ASKED_SINCE) {
        return COMPILES_IN_PIECES;
    }
    if (mode == 0 && said->optimization > 0 && (context->release < LEVELS_SINCE || said->optimization == 1)) {
        mode = said->optimization;
    }
    return mode > 0 ? mode - 1 : COMPILES_IN_PIECES;
}

static bool has_pieces(enum kvb_graph_mode mode)
{
    return mode == KVB_GRAPH_MODE_PIECEWISE || mode == KVB_GRAPH_MODE_FULL_AND_PIECEWISE;
}

// Source: vllm/config/vllm.py v0.12.0 OPTIMIZATION_LEVEL_TO_CONFIG.
static enum kvb_graph_mode mode_of_level(const struct kvb_context *context)
{
    unsigned level = context->plan->graph_sizes.optimization;
    bool levels = context->release >= LEVELS_SINCE;
    return levels && level == 1   ? KVB_GRAPH_MODE_NONE
           : levels && level == 2 ? KVB_GRAPH_MODE_PIECEWISE
                                  : KVB_GRAPH_MODE_AUTO;
}

// Source: config/compilation.py set_splitting_ops_for_v1 v0.11.1; what splits at nothing has no pieces.
static enum kvb_graph_mode without_splits(const struct kvb_context *context, enum kvb_graph_mode mode)
{
    bool usual = mode == KVB_GRAPH_MODE_AUTO && context->release < BOTH_SINCE; // pieces alone
    if (context->plan->graph_sizes.splits_nowhere && context->release < NO_SPLITS_SINCE) {
        return context->release >= MODE_ASKED_SINCE && (usual || mode == KVB_GRAPH_MODE_PIECEWISE) ? KVB_GRAPH_MODE_FULL
                                                                                                   : mode;
    }
    const struct kvb_graph_sizes *said = &context->plan->graph_sizes;
    bool none = said->splits_nowhere != said->fuses_attention && context->release >= NO_SPLITS_SINCE; // both: as said
    bool whole = said->fuses_attention; // set_splitting_ops_for_attn_fusion
    return !none                              ? mode
           : mode == KVB_GRAPH_MODE_PIECEWISE ? whole ? KVB_GRAPH_MODE_FULL : KVB_GRAPH_MODE_NONE
           : mode == KVB_GRAPH_MODE_FULL_AND_PIECEWISE || mode == KVB_GRAPH_MODE_AUTO ? KVB_GRAPH_MODE_FULL
                                                                                      : mode;
}

// Data-parallel ranks before 0.9.1, and those that exchange tokens by DeepEP's kernels for prompts, capture nothing.
// Source: vllm/platforms/cuda.py v0.9.0:154, v0.11.1; config/compilation.py v0.14.0.
static bool ranks_lose_graphs(const struct kvb_context *context)
{
    bool deepep = kvb_has_plain(context, KVB_PLAIN_DEEPEP_PROMPTS);
    return context->dp > 1 && (deepep || context->release < RANKS_CAPTURE_SINCE);
}

enum kvb_graph_mode kvb_graph_mode_asked(const struct kvb_context *context)
{
    enum kvb_graph_mode said = (enum kvb_graph_mode)kvb_number(context->plan, KVB_SET_CUDAGRAPH_MODE);
    enum kvb_graph_mode mode = said == KVB_GRAPH_MODE_AUTO ? mode_of_level(context) : said;
    if (context->generation == KVB_GENERATION_V0) { // asks --enforce-eager alone: worker/model_runner.py
        return KVB_GRAPH_MODE_AUTO;
    }
    if (ranks_lose_graphs(context)) {
        return KVB_GRAPH_MODE_NONE;
    }
    if (mode_of_compilation(context) == COMPILES_IN_PIECES) {
        return without_splits(context, mode);
    }
    bool whole = mode != KVB_GRAPH_MODE_AUTO && !has_pieces(mode);
    return whole && (context->release >= WHOLE_UNCOMPILED_SINCE || context->release < LEVELS_SINCE)
               ? mode
               : KVB_GRAPH_MODE_NONE;
}

// Source: vllm/config/vllm.py v0.11.2:675 (config.py v0.10.2:3514); later releases give such graphs up.
bool kvb_refusal_uncompiled_pieces(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    enum kvb_graph_mode said = (enum kvb_graph_mode)kvb_number(context->plan, KVB_SET_CUDAGRAPH_MODE);
    if (context->eager || !has_pieces(said) || mode_of_compilation(context) == COMPILES_IN_PIECES) {
        return false;
    }
    const char *name = said == KVB_GRAPH_MODE_PIECEWISE ? "PIECEWISE" : "FULL_AND_PIECEWISE";
    kvb_refusal_say(out,
                    context->release < MODE_NAMED_SINCE
                        ? "Compilation level should be CompilationLevel.PIECEWISE when cudagraph_mode piecewise "
                          "cudagraphs is used, cudagraph_mode={0}"
                        : "Compilation mode should be CompilationMode.VLLM_COMPILE when cudagraph_mode piecewise "
                          "cudagraphs is used, cudagraph_mode={0}",
                    &name);
    return true;
}

// Graphs of a model that pools are made ones of pieces, which have to be compiled: vllm/config/vllm.py v0.13.0:713.
bool kvb_refusal_pooled_pieces(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t said = kvb_number(context->plan, KVB_SET_CUDAGRAPH_MODE);
    bool whole = said == KVB_GRAPH_MODE_FULL || said == KVB_GRAPH_MODE_FULL_DECODE_ONLY;
    return kvb_refuse_if(
        context->pools && whole && !context->eager && mode_of_compilation(context) != COMPILES_IN_PIECES, out,
        "Compilation mode should be CompilationMode.VLLM_COMPILE when cudagraph_mode piecewise "
        "cudagraphs is used, cudagraph_mode=PIECEWISE");
}

// By -O0 or the mode of --compilation-config, or by a variable that torch reads, and vLLM, too, from 0.20 on: v0.21.0
// vllm/config/vllm.py:949.
bool kvb_compiles_never(const struct kvb_context *context)
{
    const struct kvb_environment *environment = &context->plan->environment;
    return mode_of_compilation(context) != COMPILES_IN_PIECES || environment->compile_disable == KVB_YES ||
           environment->dynamo_disable == KVB_YES;
}

// A flag that says so has said what is captured, too.
bool kvb_loses_graphs(const struct kvb_context *context)
{
    uint64_t mode = kvb_number(context->plan, KVB_SET_CUDAGRAPH_MODE);
    bool whole = mode == KVB_GRAPH_MODE_FULL || mode == KVB_GRAPH_MODE_FULL_DECODE_ONLY;
    return context->plan->environment.compile_disable == KVB_YES && context->release >= DISABLE_READ_SINCE && !whole;
}

static bool compiles(const struct kvb_context *context)
{
    return kvb_rule(context, KVB_RULE_COMPILE_PEAK) > 0 && !context->uncompiled && // no release with V0 has it
           context->plan->compile_cache != KVB_COMPILE_WARM;
}

// Pictures' embeddings come ready made, without the table.
static uint64_t table_bytes(const struct kvb_context *context)
{
    struct kvb_encoder_load load;
    kvb_encoder_load_of(context, &load);
    uint64_t rows = kvb_div_up(kvb_round_up(context->model->vocabulary_size, 64), context->tp);
    uint64_t elements = load.takes_items ? 0 : kvb_mul(rows, context->model->hidden_size);
    return kvb_mul(elements, kvb_dtype_bytes(context->dtype));
}

static uint64_t hidden_bytes(const struct kvb_context *context)
{
    uint64_t elements = kvb_mul(context->max_num_batched_tokens, context->model->hidden_size);
    return kvb_mul(elements, kvb_dtype_bytes(context->dtype));
}

// Ranks reduce behind the table, so the norm is no part of its kernel; the table's kernel of a next-token module is
// timed beside the target's output. On one card it takes in the norms of both tensors that the module joins, whose
// outputs are strided halves of the joined one and are made up whole. Source: qwen3_5_mtp.py v0.27.1:148,
// deepseek_mtp.py v0.27.1:115.
static uint64_t halves_of(const struct kvb_context *context)
{
    uint64_t halves = kvb_rule(context, KVB_RULE_COMPILE_PEAK);
    bool modules = context->speculative == KVB_SPECULATIVE_MTP;
    if (context->tp > 1) {
        return kvb_min(halves, modules ? HALVES_OF_MODULES : HALVES_OF_RANKS);
    }
    return modules ? HALVES_OF_NORMS : halves;
}

uint64_t kvb_compile_peak_bytes(const struct kvb_context *context)
{
    uint64_t halves = halves_of(context);
    return compiles(context) ? kvb_add(table_bytes(context), kvb_mul(hidden_bytes(context), halves) / 2) : 0;
}

// Source: PyTorch 2.12's aten/src/ATen/cuda/CublasHandlePool.cpp getChosenWorkspaceSize.
static uint64_t workspace_bytes(const struct kvb_context *context)
{
    return context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER ? WORKSPACE_HOPPER_BYTES : WORKSPACE_BYTES;
}

// The timed arguments go back to torch's cache, and cuBLAS then takes the smallest cached block that its workspace fits
// in. A hidden tensor's does when it is no smaller; else the table's is split, and what is left of it stays with torch.
uint64_t kvb_compile_rest_bytes(const struct kvb_context *context)
{
    bool charged = kvb_rule(context, KVB_RULE_ACCOUNTING) == KVB_ACCOUNT_FREE_MEMORY && context->pp == 1;
    bool splits = charged && context->gpu->vendor == KVB_VENDOR_NVIDIA && compiles(context) &&
                  hidden_bytes(context) < workspace_bytes(context);
    uint64_t table = splits ? table_bytes(context) : 0;
    return table - kvb_min(table, workspace_bytes(context));
}
