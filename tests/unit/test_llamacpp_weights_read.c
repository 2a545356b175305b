// Weights that nodes of llama.cpp's graph read, by their bytes, and Gemma 4's second embedding. Read from
// src/models/*.cpp and src/llama-graph.cpp at ec98e2002.
#include "unit/llamacpp_nodes.h"

static void assert_weights(enum part part, const char *expected)
{
    dumped = dump_weights;
    assert_nodes(part, expected);
    dumped = dump;
}

// Vectors in 32 bits, of a layer on the GPU; of one on the host its matrices, too, here in 16 bits.
static void weights_that_are_read(void **state)
{
    (void)state;
    begin("GptOssForCausalLM", 9010);
    model.kinds[0].attention.sinks = true;
    assert_weights(ATTENTION, "16;"); // one of each of four heads
    run.flash = false;
    assert_weights(ATTENTION, "16;");
    begin("Qwen3ForCausalLM", 9410);
    model.kinds[0].attention.qk_norm = KVB_QK_NORM_PER_HEAD;
    assert_weights(ATTENTION, "24;24;"); // heads of 6
    begin("Qwen2ForCausalLM", 9410);
    model.kinds[0].attention.query_key_value_bias = model.kinds[0].attention.output_bias = true;
    assert_weights(ATTENTION, "96;48;64;40;"); // 24, 12, 16 and 10 wide
    run.gpu_layers = 0;
    assert_weights(ATTENTION, "480;96;240;48;320;64;640;40;"); // 10 x 24, 10 x 12, 10 x 16 and 32 x 10
    begin("Mamba2ForCausalLM", 9010);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                            .state_inner_size = 20,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 3,
                                                            .state_value_heads = 5,
                                                            .state_value_size = 4};
    // a convolution of 32 over 4 and its bias, rates and D of five heads, a norm over 20
    assert_weights(STATE, "512;128;20;20;80;");
    run.gpu_layers = 0;
    assert_weights(STATE, "1140;512;128;20;20;80;400;"); // 57 x 10 and 20 x 10
    begin("Qwen3_5ForCausalLM", 9010);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 4,
                                                            .state_value_heads = 6,
                                                            .state_value_size = 4};
    assert_weights(STATE, "640;24;24;16;"); // 40 over 4; a bias and A of six; a norm over 4
    run.gpu_layers = 0;
    assert_weights(STATE, "800;640;120;120;24;24;16;480;480;"); // 40 x 10, twice 6 x 10, twice 24 x 10
}

// On the host, matrices in 16 bits: what norms, biases and convolutions read is in 32.
static void begin_on_host(const char *class)
{
    begin(class, 9410);
    run.gpu_layers = 0;
}

// Queries of 4 x 6, keys of 2 x 6, values of 2 x 8.
static void bytes_of_attention(void **state)
{
    (void)state;
    begin_on_host("LlamaForCausalLM");
    assert_weights(ATTENTION, "480;240;320;640;"); // 24 x 10 x 2, 12 x 10 x 2, 16 x 10 x 2, 10 x 32 x 2
    assert_weights(MLP, "280;280;280;");
    run.gpu_layers = 3; // it lies where its layer does: nothing is copied of a matrix
    assert_weights(ATTENTION, "");
    begin_on_host("Qwen3ForCausalLM");
    model.kinds[0].attention.qk_norm = KVB_QK_NORM_PER_HEAD;
    assert_weights(ATTENTION, "480;240;320;24;24;640;"); // norms over 6
    begin_on_host("FalconForCausalLM");
    assert_weights(ATTENTION, "1040;640;"); // one matrix of all three
    begin_on_host("Phi3ForCausalLM");
    assert_weights(MLP, "560;280;"); // and of gate and up
}

// Four experts of 5 with biases, a router of 4 with one; and with what all share.
static void bytes_of_experts(void **state)
{
    (void)state;
    struct kvb_mlp_shape mlp = {.kind = KVB_MLP_MOE,
                                .experts = 4,
                                .expert_intermediate_size = 5,
                                .experts_per_token = 2,
                                .expert_gated = true,
                                .expert_bias = true,
                                .router_bias = true};
    begin_on_host("GptOssForCausalLM");
    model.kinds[0].mlp = mlp;
    assert_weights(MLP, "160;16;400;80;400;80;400;160;"); // the router in f32
    begin_on_host("DeepseekV3ForCausalLM");
    mlp.expert_bias = mlp.router_bias = false;
    mlp.router_correction_bias = true;
    mlp.shared_intermediate_size = 3;
    model.kinds[0].mlp = mlp;
    assert_weights(MLP, "160;16;400;400;400;60;60;60;");
}

// Mamba 1: 20 wide, states of 5, a convolution over 4, rates through 1. Qwen3-Next: two heads of keys and six of values
// of 4, both rates in one matrix.
static void bytes_of_states(void **state)
{
    (void)state;
    begin_on_host("MambaForCausalLM");
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA1,
                                                            .conv_kernel = 4,
                                                            .state_inner_size = 20,
                                                            .state_key_heads = 1,
                                                            .state_key_size = 5};
    // 40 x 10 x 2; 4 x 20 x 4 and a bias; 11 x 20 x 2; 20 x 1 x 2 and a bias; D; 10 x 20 x 2
    assert_weights(STATE, "800;320;80;440;40;80;80;400;");
    begin_on_host("Qwen3NextForCausalLM");
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 4,
                                                            .state_value_heads = 6,
                                                            .state_value_size = 4};
    // 40 x 10 x 2; 4 x 40 x 4; 12 x 10 x 2; a bias and A of six; a norm over 4; 24 x 10 x 2; 10 x 24 x 2
    assert_weights(STATE, "800;640;240;24;24;16;480;480;");
}

// A router's bias of 16; of each of 16 experts biases over 11, 11 and 10.
static void biases_of_experts(void **state)
{
    (void)state;
    begin("GptOssForCausalLM", 9010);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 16,
                                                .expert_intermediate_size = 11,
                                                .experts_per_token = 2,
                                                .expert_gated = true,
                                                .expert_bias = true,
                                                .router_bias = true};
    assert_weights(MLP, "64;704;704;640;");
}

// Gemma 4's second embedding (src/models/gemma4-iswa.cpp, build_inp_per_layer, project_per_layer_inputs and what
// follows a layer's MLP): slices of 5 for each of two layers, made once; the last layer takes three rows of its own.
static void slices(void **state)
{
    (void)state;
    begin("Gemma4ForCausalLM", 9010);
    model.extra_count = 2;
    (void)strcpy(model.extras[0].name, "per_layer_model_projection");
    model.extras[0].rows = 99;
    (void)strcpy(model.extras[1].name, "per_layer_projection_norm");
    model.extras[1].rows = 5;
    assert_true(kvb_llama_graph_begin(&graph, &run, 2));
    kvb_llama_node ids = kvb_llama_input(&graph, 28);
    kvb_llama_pick_slices(&graph, ids);
    graph.scaled_slices = kvb_llama_scale_slices(&graph);
    dump(ids + 1U);
    assert_string_equal(text, "get_rows 10,7,1 w;reshape 5,2,7;scale 5,2,7;");
    graph.output_rows = 3;
    graph.chosen_rows = kvb_llama_input(&graph, 12);
    graph.scaled_input = kvb_llama_new(&graph, 10, 7, 1, 0, 0);
    kvb_llama_node in = kvb_llama_new(&graph, 10, 7, 1, 0, 0);
    kvb_llama_layer_of(&run, 0, &layer);
    kvb_llama_layer_begin(&graph, 0);
    (void)kvb_llama_add_slice(&graph, in, false);
    dump(in + 1U);
    assert_string_equal(text, "mm 5,7,1 w;unary 5,7,1;"
                              "mm 10,7,1 w;scale 10,7,1;reshape 5,2,7;rms 5,2,7;mul 5,2,7 w;add 5,2,7;scale 5,2,7;"
                              "permute 5,7,2;other 5,7,2;"
                              "view 5,7,1;mul 5,7,1;mm 10,7,1 w;rms 10,7,1;mul 10,7,1 w;add 10,7,1;mul 10,7,1 w;");
    kvb_llama_node chosen = kvb_llama_new(&graph, 10, 3, 1, 0, 0);
    kvb_llama_layer_begin(&graph, 1);
    (void)kvb_llama_add_slice(&graph, chosen, true);
    dump(chosen + 1U);
    assert_string_equal(text, "mm 5,3,1 w;unary 5,3,1;view 5,7,1;get_rows 5,3,1;mul 5,3,1;mm 10,3,1 w;rms 10,3,1;"
                              "mul 10,3,1 w;add 10,3,1;mul 10,3,1 w;");
    kvb_llama_graph_end(&graph);
}

KVB_TEST_MAIN(cmocka_unit_test(weights_that_are_read), cmocka_unit_test(biases_of_experts), cmocka_unit_test(slices),
              cmocka_unit_test(bytes_of_attention), cmocka_unit_test(bytes_of_experts),
              cmocka_unit_test(bytes_of_states))
