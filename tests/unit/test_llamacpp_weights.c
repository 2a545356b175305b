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

KVB_TEST_MAIN(cmocka_unit_test(matrices_of_layers))
