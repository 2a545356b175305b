// What a first start allocates while it compiles inside the profile run: kernels are timed on arguments of full size,
// and the first one's are the embedding table and hidden tensors of one batch. Source: vllm/config/compilation.py
// v0.19.1:915 and v0.21.0:948 (combo_kernels, benchmark_combo_kernel), gpu_worker.py v0.21.0:388; sizes from pairs of
// starts with and without a cache (docs/formulas.md).
#include "engines/vllm/compile.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/overhead.h"

#define KIB 1024ULL
#define DISABLE_READ_SINCE KVB_RELEASE(0, 20, 0)
#define WORKSPACE_BYTES (4096 * 2 * KIB + 16 * 8 * KIB)
#define WORKSPACE_HOPPER_BYTES (4096 * 8 * KIB)

// By -O0 or the mode of --compilation-config, or by a variable that torch reads, and vLLM, too, from 0.20 on: v0.21.0
// vllm/config/vllm.py:949.
bool kvb_compiles_never(const struct kvb_context *context)
{
    const struct kvb_environment *environment = &context->plan->environment;
    return context->plan->graph_sizes.uncompiled || environment->compile_disable == KVB_YES ||
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

uint64_t kvb_compile_peak_bytes(const struct kvb_context *context)
{
    uint64_t halves = kvb_rule(context, KVB_RULE_COMPILE_PEAK);
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
