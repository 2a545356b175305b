// MLPs: gated or plain, experts with their router, shared experts beside them.
// Source: src/llama-graph.cpp, build_ffn and build_moe_ffn, at ec98e2002; src/llama.cpp, llm_build_ffn and
// llm_build_moe_ffn, at b4747.
#include <string.h>

#include "base/checked.h"
#include "engines/llamacpp/build.h"

#define WEIGHTS_FIRST 7000 // the experts' weights are made before the experts run

static uint64_t tokens_of(const struct kvb_llama_graph *graph, kvb_llama_node in)
{
    return graph->nodes[in].ne[1];
}

// Up, gate, their product: one of the two since the fused operation, before it in the gate's memory.
static kvb_llama_node multiply_gate(struct kvb_llama_graph *graph, kvb_llama_node gate, kvb_llama_node up)
{
    const struct kvb_llama_tensor_node *node = &graph->nodes[gate];
    uint64_t a = node->ne[0], b = node->ne[1], c = node->ne[2];
    if (kvb_llama_since(graph->run, KVB_LLAMA_FUSED_GATE)) {
        return kvb_llama_new(graph, a, b, c, gate, up);
    }
    kvb_llama_node active = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, gate, 0);
    return kvb_llama_over(graph, KVB_LLAMA_OP_MUL, active, up);
}

static kvb_llama_node dense(struct kvb_llama_graph *graph, kvb_llama_node in, uint64_t width, bool gated,
                            const char *const names[3])
{
    uint64_t tokens = tokens_of(graph, in);
    bool fused = gated && graph->class->fused_gate_up;
    kvb_llama_node up = kvb_llama_matmul(graph, names[0], fused ? 2 * width : width, tokens, in);
    kvb_llama_node active;
    if (fused) { // one matrix of both
        const uint64_t half[3] = {width, tokens, 1};
        active =
            kvb_llama_since(graph->run, KVB_LLAMA_FUSED_GATE)
                ? kvb_llama_new(graph, width, tokens, 1, up, 0)
                : multiply_gate(
                      graph,
                      kvb_llama_new(graph, width, tokens, 1, kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, up, half), 0),
                      kvb_llama_new(graph, width, tokens, 1, kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, up, half), 0));
    } else if (gated) {
        active = multiply_gate(graph, kvb_llama_matmul(graph, names[1], width, tokens, in), up);
    } else {
        active = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, up, 0);
    }
    return kvb_llama_matmul(graph, names[2], graph->run->model->hidden_size, tokens, active);
}

// Which experts, and how much of each.
static kvb_llama_node route(struct kvb_llama_graph *graph, const struct kvb_mlp_shape *mlp, kvb_llama_node in,
                            kvb_llama_node *chosen)
{
    uint64_t tokens = tokens_of(graph, in), used = mlp->experts_per_token;
    kvb_llama_node logits = kvb_llama_matmul(graph, "ffn_gate_inp.weight", mlp->experts, tokens, in);
    bool late = graph->class->chooses_late;
    enum kvb_llama_kind gating = mlp->router_correction_bias ? KVB_LLAMA_OP_UNARY : KVB_LLAMA_OP_SOFT_MAX;
    logits = mlp->router_bias ? kvb_llama_with(graph, KVB_LLAMA_OP_ADD, logits) : logits;
    kvb_llama_node probabilities = late ? logits : kvb_llama_over(graph, gating, logits, 0);
    kvb_llama_node biased =
        mlp->router_correction_bias ? kvb_llama_with(graph, KVB_LLAMA_OP_ADD, probabilities) : probabilities;
    const uint64_t all[3] = {mlp->experts, tokens, 1}, top[3] = {used, tokens, 1}, one[3] = {1, tokens, 1};
    const uint64_t weight[3] = {1, used, tokens};
    kvb_llama_node sorted = kvb_llama_op(graph, KVB_LLAMA_OP_ARGSORT, all, biased, 0);
    *chosen = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, sorted, top);
    kvb_llama_node each = kvb_llama_reshape(graph, probabilities, 1, mlp->experts, tokens);
    kvb_llama_node weights = kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, weight, each, *chosen);
    kvb_llama_node flat = kvb_llama_reshape(graph, weights, used, tokens, 1);
    kvb_llama_node shares;
    if (late) {
        shares = kvb_llama_over(graph, KVB_LLAMA_OP_SOFT_MAX, flat, 0);
    } else {
        kvb_llama_node sum = kvb_llama_op(graph, KVB_LLAMA_OP_SUM_ROWS, one, flat, 0);
        sum = graph->run->build >= WEIGHTS_FIRST ? kvb_llama_view(graph, KVB_LLAMA_OP_CLAMP, sum, one) : sum;
        shares = kvb_llama_over(graph, KVB_LLAMA_OP_DIV, flat, sum);
    }
    kvb_llama_node shaped = kvb_llama_reshape(graph, shares, 1, used, tokens);
    if (graph->run->build >= WEIGHTS_FIRST) {
        kvb_llama_expand(graph, shaped);
    }
    return shaped;
}

static kvb_llama_node by_expert(struct kvb_llama_graph *graph, const char *name, uint64_t rows, kvb_llama_node in,
                                kvb_llama_node chosen)
{
    const struct kvb_llama_tensor_node *ids = &graph->nodes[chosen];
    kvb_llama_node made = kvb_llama_matmul(graph, name, rows, (uint64_t)ids->ne[0] * ids->ne[1], in);
    struct kvb_llama_tensor_node *node = &graph->nodes[made];
    node->ne[1] = ids->ne[0];
    node->ne[2] = ids->ne[1];
    node->kind = KVB_LLAMA_OP_MUL_MAT_ID;
    kvb_llama_add_source(graph, made, chosen);
    return made;
}

// The sum over the experts of each token, view after view.
static kvb_llama_node add_up(struct kvb_llama_graph *graph, kvb_llama_node experts, uint64_t used, uint64_t tokens)
{
    uint64_t hidden = graph->run->model->hidden_size;
    const uint64_t ne[3] = {hidden, tokens, 1};
    kvb_llama_node views[64] = {0};
    uint64_t count = kvb_min(used, 64);
    for (uint64_t i = 0; i < count; i++) {
        views[i] = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, experts, ne);
        if (graph->run->build >= WEIGHTS_FIRST) {
            kvb_llama_expand(graph, views[i]);
        }
    }
    kvb_llama_node sum = views[0];
    if (count == 1) {
        return kvb_llama_new(graph, hidden, tokens, 1, sum, 0);
    }
    for (uint64_t i = 1; i < count; i++) {
        sum = kvb_llama_op(graph, KVB_LLAMA_OP_ADD, ne, sum, views[i]);
    }
    return sum;
}

static kvb_llama_node experts(struct kvb_llama_graph *graph, const struct kvb_mlp_shape *mlp, kvb_llama_node in)
{
    kvb_llama_node chosen;
    uint64_t tokens = tokens_of(graph, in), hidden = graph->run->model->hidden_size;
    kvb_llama_node shares = route(graph, mlp, in, &chosen);
    kvb_llama_node each = kvb_llama_reshape(graph, in, hidden, 1, tokens);
    kvb_llama_node up = by_expert(graph, "ffn_up_exps.weight", mlp->expert_intermediate_size, each, chosen);
    up = mlp->expert_bias ? kvb_llama_expert_bias(graph, "ffn_up_exps.bias", mlp->experts, up, chosen) : up;
    kvb_llama_node active;
    if (mlp->expert_gated) {
        kvb_llama_node gate = by_expert(graph, "ffn_gate_exps.weight", mlp->expert_intermediate_size, each, chosen);
        gate = mlp->expert_bias ? kvb_llama_expert_bias(graph, "ffn_gate_exps.bias", mlp->experts, gate, chosen) : gate;
        active = multiply_gate(graph, gate, up);
    } else {
        active = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, up, 0);
    }
    kvb_llama_node down = by_expert(graph, "ffn_down_exps.weight", hidden, active, chosen);
    down = mlp->expert_bias ? kvb_llama_expert_bias(graph, "ffn_down_exps.bias", mlp->experts, down, chosen) : down;
    kvb_llama_node weighted = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, down, shares);
    return add_up(graph, weighted, mlp->experts_per_token, tokens);
}

kvb_llama_node kvb_llama_build_mlp(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                   kvb_llama_node in)
{
    static const char *const plain[3] = {"ffn_up.weight", "ffn_gate.weight", "ffn_down.weight"};
    static const char *const shared[3] = {"ffn_up_shexp.weight", "ffn_gate_shexp.weight", "ffn_down_shexp.weight"};
    const struct kvb_mlp_shape *mlp = layer->mlp;
    if (mlp->kind != KVB_MLP_MOE) {
        return dense(graph, in, mlp->intermediate_size, mlp->kind == KVB_MLP_GATED, plain);
    }
    kvb_llama_node sum = experts(graph, mlp, in);
    if (mlp->shared_intermediate_size > 0) {
        kvb_llama_node beside = dense(graph, in, mlp->shared_intermediate_size, mlp->expert_gated, shared);
        if (mlp->shared_gate) {
            kvb_llama_node gate = kvb_llama_matmul(graph, "ffn_gate_inp_shexp.weight", 1, tokens_of(graph, in), in);
            beside =
                kvb_llama_over(graph, KVB_LLAMA_OP_MUL, beside, kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, gate, 0));
        }
        sum = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, sum, beside);
    }
    if (mlp->intermediate_size > 0) {
        sum = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, sum, dense(graph, in, mlp->intermediate_size, true, plain));
    }
    return sum;
}
