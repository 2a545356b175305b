// One mixer or MLP of a model of two layers, 10 wide, as its nodes are made, for tests of llama.cpp's graph.
#ifndef KVB_TESTS_LLAMACPP_NODES_H
#define KVB_TESTS_LLAMACPP_NODES_H

#include <stdio.h>
#include <string.h>

#include "engines/llamacpp/build.h"
#include "unit/test.h"

static struct kvb_llama_graph graph;
static struct kvb_model model;
static struct kvb_llama_run run;
static struct kvb_llama_layer layer;
static char text[4096];

static inline void begin(const char *class, uint32_t build)
{
    memset(&model, 0, sizeof model);
    (void)snprintf(model.architecture, sizeof model.architecture, "%s", class);
    model.layer_count = 2;
    model.hidden_size = 10;
    model.vocabulary_size = 99;
    model.kind_count = 1;
    model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_FULL, .heads = 4, .kv_heads = 2, .head_size = 6, .value_head_size = 8};
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 14};
    run = (struct kvb_llama_run){.model = &model,
                                 .build = build,
                                 .backend = KVB_LLAMA_CUDA,
                                 .devices = 1,
                                 .gpu_layers = 3,
                                 .context_tokens = 256,
                                 .sequences = 1,
                                 .batch = 256,
                                 .ubatch = 7,
                                 .flash = true};
}

static inline void dump(kvb_llama_node from)
{
    static const char *const names[] = {
        "none", "view",     "reshape", "permute", "other", "argsort", "clamp", "get_rows", "mm",    "mm_id", "set_rows",
        "conv", "sum_rows", "add",     "add_id",  "div",   "mul",     "rms",   "rope",     "scale", "soft",  "unary"};
    text[0] = '\0';
    for (uint32_t i = from; i < graph.count; i++) {
        const struct kvb_llama_tensor_node *node = &graph.nodes[i];
        size_t length = strlen(text);
        if ((node->flags & KVB_LLAMA_OUTSIDE) != 0) {
            (void)snprintf(text + length, sizeof text - length, "kept %s;", names[node->kind]);
        } else {
            (void)snprintf(text + length, sizeof text - length, "%s %u,%u,%u%s;", names[node->kind], node->ne[0],
                           node->ne[1], node->ne[2], (node->flags & KVB_LLAMA_READS) != 0 ? " w" : "");
        }
    }
}

// Bytes of the weights that nodes read, where they are known here.
static inline void dump_weights(kvb_llama_node from)
{
    text[0] = '\0';
    for (uint32_t i = from; i < graph.count; i++) {
        const struct kvb_llama_tensor_node *node = &graph.nodes[i];
        size_t length = strlen(text);
        if ((node->flags & KVB_LLAMA_READS) != 0) {
            assert_int_equal(node->weight_place, run.gpu_layers > 0 ? 0 : KVB_LLAMA_HOST);
        }
        if ((node->flags & KVB_LLAMA_READS) != 0 && node->weight_bytes > 0) {
            (void)snprintf(text + length, sizeof text - length, "%llu;", (unsigned long long)node->weight_bytes);
        }
    }
}

static void (*dumped)(kvb_llama_node from) = dump;

enum part { ATTENTION, LATENT, STATE, MLP };
static inline void nodes_of(enum part part)
{
    assert_true(kvb_llama_graph_begin(&graph, &run, 2));
    graph.positions = kvb_llama_input(&graph, 28);
    graph.mask[0] = kvb_llama_input(&graph, 7 * 256 * 4);
    graph.key_rows[0] = kvb_llama_input(&graph, 56);
    graph.value_rows[0] = kvb_llama_input(&graph, 56);
    graph.state_rows = kvb_llama_input(&graph, 4);
    graph.no_rows = kvb_llama_input(&graph, 4);
    graph.output_rows = 7;
    kvb_llama_node in = kvb_llama_new(&graph, 10, 7, 1, 0, 0);
    kvb_llama_layer_of(&run, 0, &layer);
    kvb_llama_layer_begin(&graph, 0);
    (void)(part == ATTENTION ? kvb_llama_build_attention
           : part == LATENT  ? kvb_llama_build_latent
           : part == STATE   ? kvb_llama_build_state
                             : kvb_llama_build_mlp)(&graph, &layer, in);
    dumped(in + 1U);
    kvb_llama_graph_end(&graph);
}

static inline void assert_nodes(enum part part, const char *expected)
{
    nodes_of(part);
    if (strcmp(text, expected) != 0) {
        fail_msg("%s\nnot\n%s", text, expected);
    }
}

#endif
