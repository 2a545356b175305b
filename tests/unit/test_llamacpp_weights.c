// Tensors of a layer and what is copied of them to a GPU for a batch, where the layer lies on the host. Names:
// llama.cpp, gguf-py/gguf/tensor_mapping.py and src/llama-arch.cpp; which are quantised: src/llama-quant.cpp, matrices
// alone, without ffn_gate_inp, ssm_conv1d and shortconv.conv; b4747 to b9489.
#include <stdio.h>
#include <string.h>

#include "engines/llamacpp/build.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/tensors.h"
#include "unit/llamacpp_line.h"

static char text[2048];

static void add_matrix(void *context, const struct kvb_llama_tensor *tensor)
{
    (void)context;
    size_t length = strlen(text);
    if (tensor->columns > 1) {
        (void)snprintf(text + length, sizeof text - length, "%s %u,%u%s;", tensor->name, (unsigned)tensor->rows,
                       (unsigned)tensor->columns, tensor->quantised ? " q" : "");
    }
}

static void matrices_of_layers(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        uint32_t layer;
        const char *matrices;
    } rows[] = {
        // 2560 wide, 5120 inside, states of 16, rates through 160
        {"state-spaces/mamba-2.8b-hf", 0,
         "conv1d 5120,4;ssm_in.weight 10240,2560 q;ssm_x.weight 192,5120 q;ssm_dt.weight 5120,160 q;A 5120,16;"
         "ssm_out.weight 2560,5120 q;"},
        // 16 heads of keys and 32 of values of 128, a gate beside them; 512 experts of 512 and one that all share
        {"Qwen/Qwen3-Next-80B-A3B-Instruct", 0,
         "conv1d 8192,4;attn_qkv.weight 8192,2048 q;attn_gate.weight 4096,2048 q;ssm_beta.weight 32,2048 q;"
         "ssm_alpha.weight 32,2048 q;ssm_out.weight 2048,4096 q;ffn_gate_inp.weight 512,2048;"
         "ffn_gate_shexp.weight 512,2048 q;ffn_up_shexp.weight 512,2048 q;ffn_down_shexp.weight 2048,512 q;"
         "ffn_gate_inp_shexp.weight 1,2048;ffn_gate_exps.weight 262144,2048 q;ffn_up_exps.weight 262144,2048 q;"
         "ffn_down_exps.weight 1048576,512 q;"},
        // 16 heads of 128 and 64, of values 128, through 512; two experts of 1408 that all share
        {"deepseek-ai/DeepSeek-V2-Lite", 1,
         "attn_q.weight 3072,2048 q;attn_kv_a_mqa.weight 576,2048 q;attn_kv_b.weight 4096,512 q;"
         "attn_output.weight 2048,2048 q;ffn_gate_inp.weight 64,2048;ffn_gate_shexp.weight 2816,2048 q;"
         "ffn_up_shexp.weight 2816,2048 q;ffn_down_shexp.weight 2048,2816 q;ffn_gate_exps.weight 90112,2048 q;"
         "ffn_up_exps.weight 90112,2048 q;ffn_down_exps.weight 131072,1408 q;"},
        // 128 heads of 128 and 64 through 1536
        {"deepseek-ai/DeepSeek-V3", 0,
         "attn_q_a.weight 1536,7168 q;attn_kv_a_mqa.weight 576,7168 q;attn_q_b.weight 24576,1536 q;"
         "attn_kv_b.weight 32768,512 q;attn_output.weight 7168,16384 q;ffn_gate.weight 18432,7168 q;"
         "ffn_up.weight 18432,7168 q;ffn_down.weight 7168,18432 q;"},
        {"Qwen/Qwen3-8B", 35,
         "attn_q.weight 4096,4096 q;attn_k.weight 1024,4096 q;attn_v.weight 1024,4096 q;"
         "attn_output.weight 4096,4096 q;ffn_gate.weight 12288,4096 q;ffn_up.weight 12288,4096 q;"
         "ffn_down.weight 4096,12288 q;"},
        {"Qwen/Qwen3-8B", 36, "output.weight 151936,4096 q;"},
        {"Qwen/Qwen3-0.6B", 28, "token_embd.weight 151936,1024 q;"}, // tied
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_run run = {
            .build = 9010, .backend = KVB_LLAMA_CUDA, .model = &plan.model, .mixture = kvb_llama_mixture_find("Q8_0")};
        read_line("llama-server -m x.gguf");
        run_on(rows[i].model, "h200", "llama.cpp@b9010");
        set(KVB_SET_GGUF_TYPE, 7);
        resolve_line();
        text[0] = '\0';
        kvb_llama_layer_tensors(&run, rows[i].layer, add_matrix, NULL);
        if (strcmp(text, rows[i].matrices) != 0) {
            fail_msg("%s %u: %s", rows[i].model, (unsigned)rows[i].layer, text);
        }
    }
}

// ---- Bytes that are copied

static struct kvb_llama_graph graph;
static struct kvb_model model;
static struct kvb_llama_run run;

// A layer 10 wide on the host, in f16: what norms, biases and convolutions read is in f32.
static void begin(const char *class, const struct kvb_attention_shape *attention, const struct kvb_mlp_shape *mlp)
{
    memset(&model, 0, sizeof model);
    (void)snprintf(model.architecture, sizeof model.architecture, "%s", class);
    model.layer_count = 2;
    model.hidden_size = 10;
    model.vocabulary_size = 99;
    model.kind_count = 1;
    model.kinds[0].attention = *attention;
    model.kinds[0].mlp = *mlp;
    run = (struct kvb_llama_run){.model = &model,
                                 .build = 9410,
                                 .backend = KVB_LLAMA_CUDA,
                                 .devices = 1,
                                 .context_tokens = 256,
                                 .sequences = 1,
                                 .batch = 256,
                                 .ubatch = 7,
                                 .flash = true,
                                 .mixture = kvb_llama_mixture_find("F16")};
}

enum part { ATTENTION, STATE, MLP };
static void assert_read(enum part part, const char *expected)
{
    struct kvb_llama_layer layer;
    assert_true(kvb_llama_graph_begin(&graph, &run, 2));
    graph.positions = kvb_llama_input(&graph, 28);
    graph.mask[0] = kvb_llama_input(&graph, 7 * 256 * 4);
    graph.key_rows[0] = graph.value_rows[0] = kvb_llama_input(&graph, 56);
    graph.state_rows = graph.no_rows = kvb_llama_input(&graph, 4);
    kvb_llama_node in = kvb_llama_new(&graph, 10, 7, 1, 0, 0);
    kvb_llama_layer_of(&run, 0, &layer);
    kvb_llama_layer_begin(&graph, 0);
    (void)(part == ATTENTION ? kvb_llama_build_attention
           : part == STATE   ? kvb_llama_build_state
                             : kvb_llama_build_mlp)(&graph, &layer, in);
    text[0] = '\0';
    for (uint32_t i = in + 1U; i < graph.count; i++) {
        size_t length = strlen(text);
        if ((graph.nodes[i].flags & KVB_LLAMA_READS) != 0) {
            assert_int_equal(graph.nodes[i].weight_place, run.gpu_layers > 0 ? 0 : KVB_LLAMA_HOST);
            (void)snprintf(text + length, sizeof text - length, "%u;", (unsigned)graph.nodes[i].weight_bytes);
        }
    }
    kvb_llama_graph_end(&graph);
    assert_string_equal(text, expected);
}

static const struct kvb_mlp_shape plain = {.kind = KVB_MLP_GATED, .intermediate_size = 14};

// Queries of 4 x 6, keys of 2 x 6, values of 2 x 8.
static void bytes_of_attention(void **state)
{
    (void)state;
    struct kvb_attention_shape shape = {
        .kind = KVB_ATTENTION_FULL, .heads = 4, .kv_heads = 2, .head_size = 6, .value_head_size = 8};
    begin("LlamaForCausalLM", &shape, &plain);
    assert_read(ATTENTION, "480;240;320;640;"); // 24 x 10 x 2, 12 x 10 x 2, 16 x 10 x 2, 10 x 32 x 2
    assert_read(MLP, "280;280;280;");
    run.gpu_layers = 3; // it lies where its layer does: nothing is copied of a matrix
    assert_read(ATTENTION, "0;0;0;0;");
    shape.query_key_value_bias = shape.output_bias = true;
    begin("Qwen2ForCausalLM", &shape, &plain);
    assert_read(ATTENTION, "480;96;240;48;320;64;640;40;");
    shape.query_key_value_bias = shape.output_bias = false;
    shape.qk_norm = KVB_QK_NORM_PER_HEAD;
    begin("Qwen3ForCausalLM", &shape, &plain);
    assert_read(ATTENTION, "480;240;320;24;24;640;"); // norms over 6
    shape.qk_norm = KVB_QK_NORM_NONE;
    begin("FalconForCausalLM", &shape, &plain);
    assert_read(ATTENTION, "1040;640;"); // one matrix of all three
    begin("Phi3ForCausalLM", &shape, &plain);
    assert_read(MLP, "560;280;"); // and of gate and up
}

// Four experts of 5 with biases, a router of 4 with one; and with what all share.
static void bytes_of_experts(void **state)
{
    (void)state;
    struct kvb_attention_shape shape = {
        .kind = KVB_ATTENTION_FULL, .heads = 4, .kv_heads = 2, .head_size = 6, .value_head_size = 6};
    struct kvb_mlp_shape mlp = {.kind = KVB_MLP_MOE,
                                .experts = 4,
                                .expert_intermediate_size = 5,
                                .experts_per_token = 2,
                                .expert_gated = true,
                                .expert_bias = true,
                                .router_bias = true};
    begin("GptOssForCausalLM", &shape, &mlp);
    assert_read(MLP, "160;16;400;80;400;80;400;160;"); // the router in f32
    mlp.expert_bias = mlp.router_bias = false;
    mlp.router_correction_bias = true;
    mlp.shared_intermediate_size = 3;
    begin("DeepseekV3ForCausalLM", &shape, &mlp);
    assert_read(MLP, "160;16;400;400;400;60;60;60;");
}

// Mamba 1: 20 wide, states of 5, a convolution over 4, rates through 1. Mamba 2: five heads of 4 in two groups of 3.
// Delta nets: two heads of keys and six of values of 4.
static void bytes_of_states(void **state)
{
    (void)state;
    struct kvb_attention_shape mamba1 = {.kind = KVB_ATTENTION_MAMBA1,
                                         .conv_kernel = 4,
                                         .state_inner_size = 20,
                                         .state_key_heads = 1,
                                         .state_key_size = 5};
    begin("MambaForCausalLM", &mamba1, &plain);
    // 40 x 10 x 2; 4 x 20 x 4 and a bias; 11 x 20 x 2; 20 x 1 x 2 and a bias; D; 10 x 20 x 2
    assert_read(STATE, "800;320;80;440;40;80;80;400;");
    struct kvb_attention_shape mamba2 = {.kind = KVB_ATTENTION_MAMBA2,
                                         .state_inner_size = 20,
                                         .conv_kernel = 4,
                                         .state_key_heads = 2,
                                         .state_key_size = 3,
                                         .state_value_heads = 5,
                                         .state_value_size = 4};
    begin("Mamba2ForCausalLM", &mamba2, &plain);
    // (20 + 32 + 5) x 10 x 2; 4 x 32 x 4 and a bias; rates and D of five heads; a norm over 20; 10 x 20 x 2
    assert_read(STATE, "1140;512;128;20;20;80;400;");
    struct kvb_attention_shape delta = {.kind = KVB_ATTENTION_GDN,
                                        .conv_kernel = 4,
                                        .state_key_heads = 2,
                                        .state_key_size = 4,
                                        .state_value_heads = 6,
                                        .state_value_size = 4};
    begin("Qwen3NextForCausalLM", &delta, &plain);
    // 40 x 10 x 2; 4 x 40 x 4; 12 x 10 x 2; a bias and A of six; a norm over 4; 24 x 10 x 2; 10 x 24 x 2
    assert_read(STATE, "800;640;240;24;24;16;480;480;");
    begin("Qwen3_5ForCausalLM", &delta, &plain);
    assert_read(STATE, "800;640;120;120;24;24;16;480;480;");
}

KVB_TEST_MAIN(cmocka_unit_test(matrices_of_layers), cmocka_unit_test(bytes_of_attention),
              cmocka_unit_test(bytes_of_experts), cmocka_unit_test(bytes_of_states))
