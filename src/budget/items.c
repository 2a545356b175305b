// The lines of a budget and the words of a verdict.
#include <kvbudget/budget.h>

static const struct kvb_item_row item_rows[KVB_ITEM_COUNT] = {
    [KVB_ITEM_WEIGHTS] = {"weights_bytes", "weights", "what the release prints as model loading"},
    [KVB_ITEM_ACTIVATION] = {"activation_bytes", "activation peak", "largest phase of the profile run"},
    [KVB_ITEM_NON_TORCH] = {"non_torch_bytes", "non-torch", "growth outside PyTorch during start-up"},
    [KVB_ITEM_CUDA_GRAPH] = {"cuda_graph_bytes", "CUDA graphs", "the estimate this release subtracts"},
    [KVB_ITEM_RESERVED] = {"reserved_bytes", "reserved", "what the engine sets aside beside the cache"},
    [KVB_ITEM_OTHER] = {"other_bytes", "other processes", "charged by releases that count the whole device"},
    [KVB_ITEM_KV_CACHE] = {"kv_cache_bytes", "KV cache", "what is left"},
};

static const struct kvb_beside_row beside_rows[KVB_BESIDE_COUNT] = {
    [KVB_BESIDE_CONTEXT] = {"context_bytes", "context"},
    [KVB_BESIDE_TABLES] = {"tables_bytes", "tables"},
    [KVB_BESIDE_GRAPHS] = {"graphs_bytes", "CUDA graphs"},
    [KVB_BESIDE_ACTIVATION] = {"activation_bytes", "activation peak"},
    [KVB_BESIDE_DRAFT] = {"draft_bytes", "draft model"},
};

const struct kvb_beside_row *kvb_beside_row_of(enum kvb_beside beside)
{
    return (unsigned)beside < KVB_BESIDE_COUNT ? &beside_rows[beside] : NULL;
}

const char *kvb_verdict_name(enum kvb_verdict verdict)
{
    static const char *const names[] = {"fits", "tight", "does_not_fit"};
    return names[verdict];
}

const struct kvb_item_row *kvb_item_row_of(enum kvb_item item)
{
    return (unsigned)item < KVB_ITEM_COUNT ? &item_rows[item] : NULL;
}
