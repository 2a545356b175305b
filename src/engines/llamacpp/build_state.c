// Layers with a state: Mamba 1 and 2, gated delta nets, short convolutions.
// Source: src/models/graph-context-mamba.cpp, lfm2.cpp and qwen3next.cpp at ec98e2002. The delta net is counted as the
// fused operation of later builds has it; its chunks took more before, so that the answer is a bound there.
#include "engines/llamacpp/build.h"

#include "base/checked.h"

static kvb_llama_node cut(struct kvb_llama_graph *graph, kvb_llama_node of, uint64_t a, uint64_t b)
{
    const uint64_t ne[3] = {a, b, 1};
    return kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, of, ne);
}

// The state of each sequence, gathered from its buffer: one is cleared, those that nobody writes are copied.
static kvb_llama_node gather(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, uint64_t elements)
{
    const uint64_t ne[3] = {elements, graph->run->sequences, 1};
    kvb_llama_node all = kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_RESHAPE, 0, 0);
    kvb_llama_write(graph, kept, KVB_LLAMA_OP_SCALE, kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_VIEW, all, 0), 0);
    kvb_llama_node state = kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, ne, all, graph->state_rows);
    kvb_llama_expand(graph, state);
    const uint64_t none[3] = {elements, 0, 1}; // takes its place, though it is empty
    kvb_llama_node rest = kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, none, all, graph->no_rows);
    kvb_llama_expand(graph, rest);
    kvb_llama_write(graph, kept, KVB_LLAMA_OP_OTHER, rest, kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_VIEW, 0, 0));
    return state;
}

static void write_back(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, kvb_llama_node view)
{
    kvb_llama_expand(graph, view);
    kvb_llama_write(graph, kept, KVB_LLAMA_OP_OTHER, view, kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_VIEW, 0, 0));
}

// Past columns in front of the new ones; the last of them go back to the buffer.
static kvb_llama_node convolve(struct kvb_llama_graph *graph, uint64_t channels, uint64_t kernel, uint64_t copies,
                               kvb_llama_node in)
{
    uint64_t past = kernel > 0 ? kernel - 1 : 0;
    kvb_llama_node state = gather(graph, KVB_LLAMA_KEPT_PAST, past * channels);
    state = kvb_llama_reshape(graph, state, past, channels, graph->run->sequences);
    const uint64_t turned[3] = {graph->tokens, channels, 1};
    in = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, in, turned);
    kvb_llama_node both = kvb_llama_new(graph, graph->tokens + past * graph->run->sequences, channels, 1, state, in);
    uint64_t written = kvb_min(copies, KVB_LLAMA_STATES_BUILT);
    for (uint64_t i = 0; i < written; i++) { // of each row, all but its last columns lie between
        kvb_llama_node last = cut(graph, both, past, channels);
        graph->nodes[last].bytes = graph->nodes[both].bytes - kvb_min(graph->tokens * 4, graph->nodes[both].bytes);
        write_back(graph, KVB_LLAMA_KEPT_PAST, last);
    }
    return both;
}

static kvb_llama_node run_over(struct kvb_llama_graph *graph, uint64_t channels, uint64_t kernel,
                               kvb_llama_node columns)
{
    const uint64_t ne[3] = {channels, graph->tokens, 1};
    kvb_llama_node passed = kvb_llama_op(graph, KVB_LLAMA_OP_SSM_CONV, ne, columns, 0);
    uint64_t bytes = kvb_mul(channels, kernel * 4);
    kvb_llama_reads_weight(graph, passed, bytes, graph->layer_place);
    return passed;
}

static void write_state(struct kvb_llama_graph *graph, kvb_llama_node from, uint64_t elements)
{
    write_back(graph, KVB_LLAMA_KEPT_STATE, cut(graph, from, elements, 1));
}

// Gate times result: a new tensor since the fused operation.
static kvb_llama_node gate_with(struct kvb_llama_graph *graph, kvb_llama_node result, kvb_llama_node gate,
                                uint64_t width)
{
    kvb_llama_node whole = kvb_llama_new(graph, width, graph->tokens, 1, gate, 0);
    if (kvb_llama_since(graph->run, KVB_LLAMA_FUSED_GATE)) {
        return kvb_llama_new(graph, width, graph->tokens, 1, whole, result);
    }
    whole = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, whole, 0);
    return kvb_llama_over(graph, KVB_LLAMA_OP_MUL, result, whole);
}

static kvb_llama_node build_mamba1(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                   kvb_llama_node in)
{
    const struct kvb_attention_shape *shape = layer->attention;
    uint64_t inner = shape->state_inner_size, size = shape->state_key_size, tokens = graph->tokens;
    uint64_t rank = kvb_div_up(graph->run->model->hidden_size, 16); // dt_rank "auto"
    kvb_llama_node both = kvb_llama_matmul(graph, "ssm_in.weight", 2 * inner, tokens, in);
    kvb_llama_node x = cut(graph, both, inner, tokens), z = cut(graph, both, inner, tokens);
    x = run_over(graph, inner, shape->conv_kernel, convolve(graph, inner, shape->conv_kernel, 1, x));
    x = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, kvb_llama_with(graph, KVB_LLAMA_OP_ADD, x), 0);
    kvb_llama_node projected = kvb_llama_matmul(graph, "ssm_x.weight", rank + 2 * size, tokens, x);
    kvb_llama_node dt = kvb_llama_matmul(graph, "ssm_dt.weight", inner, tokens, cut(graph, projected, rank, tokens));
    dt = kvb_llama_with(graph, KVB_LLAMA_OP_ADD, dt);
    uint64_t result = inner * tokens + size * inner * graph->run->sequences;
    kvb_llama_node scan = kvb_llama_new(graph, result, 1, 1, x, dt);
    kvb_llama_add_source(graph, scan, cut(graph, projected, size, tokens));
    kvb_llama_expand(graph, scan);
    write_state(graph, scan, size * inner * graph->run->sequences);
    kvb_llama_node skipped = kvb_llama_with(graph, KVB_LLAMA_OP_MUL, x);
    kvb_llama_node sum = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, cut(graph, scan, inner, tokens), skipped);
    return kvb_llama_matmul(graph, "ssm_out.weight", graph->run->model->hidden_size, tokens,
                            gate_with(graph, sum, z, inner));
}

static kvb_llama_node build_mamba2(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                   kvb_llama_node in)
{
    const struct kvb_attention_shape *shape = layer->attention;
    uint64_t inner = (uint64_t)shape->state_value_heads * shape->state_value_size, tokens = graph->tokens;
    uint64_t groups = (uint64_t)shape->state_key_heads * shape->state_key_size;
    uint64_t channels = inner + 2 * groups, heads = shape->state_value_heads;
    kvb_llama_node all = kvb_llama_matmul(graph, "ssm_in.weight", inner + channels + heads, tokens, in);
    kvb_llama_node columns = convolve(graph, channels, shape->conv_kernel, 1, cut(graph, all, channels, tokens));
    kvb_llama_node mixed =
        kvb_llama_with(graph, KVB_LLAMA_OP_ADD, run_over(graph, channels, shape->conv_kernel, columns));
    mixed = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, mixed, 0);
    kvb_llama_node dt = kvb_llama_new(graph, heads, tokens, 1, cut(graph, all, heads, tokens), 0);
    dt = kvb_llama_with(graph, KVB_LLAMA_OP_ADD, dt);
    uint64_t state = shape->state_key_size * inner * graph->run->sequences;
    kvb_llama_node scan = kvb_llama_new(graph, inner * tokens + state, 1, 1, cut(graph, mixed, inner, tokens), dt);
    kvb_llama_expand(graph, scan);
    write_state(graph, scan, state);
    kvb_llama_node skipped = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, cut(graph, mixed, inner, tokens), 0);
    kvb_llama_reads_weight(graph, skipped, heads * 4, graph->layer_place);
    kvb_llama_node sum = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, cut(graph, scan, inner, tokens), skipped);
    kvb_llama_node gated = gate_with(graph, sum, cut(graph, all, inner, tokens), inner);
    if (!shape->no_state_norm) {
        gated = kvb_llama_norm(graph, "ssm_norm.weight", gated);
    }
    return kvb_llama_matmul(graph, "ssm_out.weight", graph->run->model->hidden_size, tokens, gated);
}

// How fast the state forgets, and how much it takes in, by head: two matrices, or for Qwen3-Next one that is cut.
struct rates {
    kvb_llama_node decay, beta;
};

static kvb_llama_node rate(struct kvb_llama_graph *graph, kvb_llama_node both, uint64_t heads)
{
    const uint64_t ne[3] = {2, heads / 2, graph->tokens};
    kvb_llama_node view = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, both, ne);
    return kvb_llama_new(graph, heads, graph->tokens, 1, view, 0);
}

static void take_rates(struct kvb_llama_graph *graph, uint64_t heads, kvb_llama_node in, struct rates *out)
{
    uint64_t tokens = graph->tokens;
    kvb_llama_node alpha, beta;
    if (graph->class->one_rate) {
        kvb_llama_node both = kvb_llama_matmul(graph, "ssm_ba.weight", 2 * heads, tokens, in);
        both = kvb_llama_reshape(graph, both, 4, heads / 2, tokens);
        alpha = rate(graph, both, heads);
        beta = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, rate(graph, both, heads), 0);
        beta = kvb_llama_reshape(graph, beta, 1, heads, tokens);
    } else {
        alpha =
            kvb_llama_reshape(graph, kvb_llama_matmul(graph, "ssm_alpha.weight", heads, tokens, in), heads, tokens, 1);
        beta =
            kvb_llama_reshape(graph, kvb_llama_matmul(graph, "ssm_beta.weight", heads, tokens, in), 1, heads, tokens);
        beta = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, beta, 0);
    }
    alpha = kvb_llama_with(graph, KVB_LLAMA_OP_ADD, alpha);
    alpha = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, alpha, 0);
    alpha = kvb_llama_with(graph, KVB_LLAMA_OP_MUL, alpha);
    out->decay = kvb_llama_reshape(graph, alpha, 1, heads, tokens);
    out->beta = beta;
}

// A norm of queries or keys; where keys have fewer heads than values and the class says so, repeated for each.
static kvb_llama_node l2_norm(struct kvb_llama_graph *graph, const struct kvb_attention_shape *shape,
                              kvb_llama_node passed)
{
    uint64_t size = shape->state_key_size, heads = shape->state_key_heads, all = shape->state_value_heads;
    const uint64_t ne[3] = {size, heads, graph->tokens};
    kvb_llama_node normed =
        kvb_llama_op(graph, KVB_LLAMA_OP_OTHER, ne, kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, passed, ne), 0);
    if (!graph->class->one_rate || all == heads) {
        return normed;
    }
    normed = kvb_llama_reshape(graph, normed, size, 1, heads * graph->tokens);
    normed = kvb_llama_new(graph, size, all / kvb_max(heads, 1), heads * graph->tokens, normed, 0);
    return kvb_llama_reshape(graph, normed, size, all, graph->tokens);
}

static kvb_llama_node build_delta(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in)
{
    const struct kvb_attention_shape *shape = layer->attention;
    uint64_t heads = shape->state_value_heads, size = shape->state_value_size, tokens = graph->tokens;
    uint64_t values = heads * size, state = shape->state_key_size * values;
    uint64_t keys = (uint64_t)shape->state_key_heads * shape->state_key_size, channels = values + 2 * keys;
    uint64_t copies = kvb_max(graph->run->state_copies, 1); // after each of the last tokens, to go back to
    const uint64_t value_ne[3] = {size, heads, tokens};
    kvb_llama_expand(graph, in);
    kvb_llama_node mixed = kvb_llama_matmul(graph, "attn_qkv.weight", channels, tokens, in);
    mixed = kvb_llama_reshape(graph, mixed, channels, tokens, 1);
    kvb_llama_node columns = convolve(graph, channels, shape->conv_kernel, copies, mixed);
    kvb_llama_node held = gather(graph, KVB_LLAMA_KEPT_STATE, state);
    kvb_llama_node passed =
        kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, run_over(graph, channels, shape->conv_kernel, columns), 0);
    kvb_llama_node q = l2_norm(graph, shape, passed);
    kvb_llama_node k = l2_norm(graph, shape, passed);
    kvb_llama_node v = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, passed, value_ne);
    struct rates rates;
    take_rates(graph, heads, in, &rates);
    uint64_t all_states = state * graph->run->sequences * copies;
    kvb_llama_node delta = kvb_llama_new(graph, values, tokens + all_states / values, 1, q, k);
    kvb_llama_add_source(graph, delta, v);
    kvb_llama_add_source(graph, delta, rates.decay);
    kvb_llama_add_source(graph, delta, rates.beta);
    kvb_llama_add_source(graph, delta, kvb_llama_reshape(graph, held, size, size, heads));
    kvb_llama_expand(graph, delta);
    write_state(graph, delta, all_states);
    kvb_llama_node out = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, delta, value_ne);
    kvb_llama_node normed = kvb_llama_norm(graph, "ssm_norm.weight", out);
    kvb_llama_node z = kvb_llama_matmul(graph, "attn_gate.weight", values, tokens, in);
    z = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, kvb_llama_reshape(graph, z, size, heads, tokens), 0);
    kvb_llama_node gated = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, normed, z);
    gated = kvb_llama_reshape(graph, gated, values, tokens, 1);
    out = kvb_llama_matmul(graph, "ssm_out.weight", graph->run->model->hidden_size, tokens, gated);
    return kvb_llama_reshape(graph, out, graph->run->model->hidden_size, tokens, 1);
}

static kvb_llama_node build_conv(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in)
{
    uint64_t width = graph->run->model->hidden_size, tokens = graph->tokens;
    kvb_llama_node all = kvb_llama_matmul(graph, "shortconv.in_proj.weight", 3 * width, tokens, in);
    kvb_llama_node product = kvb_llama_new(graph, width, tokens, 1, cut(graph, all, width, tokens), 0);
    kvb_llama_node columns = convolve(graph, width, layer->attention->conv_kernel, 1, product);
    kvb_llama_node passed = run_over(graph, width, layer->attention->conv_kernel, columns);
    kvb_llama_node gated = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, passed, cut(graph, all, width, tokens));
    return kvb_llama_matmul(graph, "shortconv.out_proj.weight", width, tokens, gated);
}

kvb_llama_node kvb_llama_build_state(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                     kvb_llama_node in)
{
    graph->rough = true;
    switch (layer->mixer) {
    case KVB_LLAMA_MIXER_MAMBA1:
        return build_mamba1(graph, layer, in);
    case KVB_LLAMA_MIXER_MAMBA2:
        return build_mamba2(graph, layer, in);
    case KVB_LLAMA_MIXER_DELTA:
        return build_delta(graph, layer, in);
    case KVB_LLAMA_MIXER_CONV:
        return build_conv(graph, layer, in);
    default:
        return kvb_llama_matmul(graph, "attn_output.weight", graph->run->model->hidden_size, graph->tokens, in);
    }
}
