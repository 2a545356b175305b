// Nodes of a layer as the engine's code makes them, one by one: kinds and shapes of every tensor of each mixer and MLP,
// on numbers that no two quantities share. Read from src/models/*.cpp and src/llama-graph.cpp at ec98e2002 (build_attn,
// build_attn_mha, build_ffn, build_moe_ffn, build_rs; llama.cpp, phi3.cpp, qwen35.cpp, deepseek2.cpp, openai-moe.cpp,
// graph-context-mamba.cpp, lfm2.cpp, qwen3next.cpp) and from src/llama.cpp at b4747 (build_deepseek2, llm_build_kv).
// `w`: it reads a weight; kept: it lies in the cache. What casts or joins is "other"; a cast mask has a shape of its
// own.
#include "unit/llamacpp_nodes.h"

// Queries of four heads of 6, keys of two of 6, values of two of 8; before b9410 the mask is cast.
static void attention(void **state)
{
    (void)state;
    begin("LlamaForCausalLM", 9409);
    assert_nodes(ATTENTION,
                 "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                 "reshape 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;"
                 "kept view;kept permute;kept view;kept permute;other 8,4,7;other 1,1,1;reshape 32,7,1;"
                 "mm 10,7,1 w;");
    begin("LlamaForCausalLM", 9410);
    assert_nodes(ATTENTION,
                 "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                 "reshape 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;"
                 "kept view;kept permute;kept view;kept permute;other 8,4,7;reshape 32,7,1;mm 10,7,1 w;");
    begin("LlamaForCausalLM", 9010);
    run.flash = false;
    assert_nodes(ATTENTION,
                 "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                 "reshape 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;"
                 "kept view;kept permute;kept view;kept permute;mm 256,7,4;soft 256,7,4;mm 8,7,4;permute 8,4,7;"
                 "other 32,7,1;mm 10,7,1 w;");
    begin("Qwen2ForCausalLM", 9410);
    model.kinds[0].attention.query_key_value_bias = model.kinds[0].attention.output_bias = true;
    assert_nodes(ATTENTION, "mm 24,7,1 w;add 24,7,1 w;mm 12,7,1 w;add 12,7,1 w;mm 16,7,1 w;add 16,7,1 w;reshape 6,4,7;"
                            "rope 6,4,7;reshape 6,2,7;rope 6,2,7;reshape 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;"
                            "kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;kept view;kept permute;"
                            "other 8,4,7;reshape 32,7,1;mm 10,7,1 w;add 10,7,1 w;");
    begin("PhiForCausalLM", 9410);
    assert_nodes(ATTENTION, "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                            "reshape 8,2,7;scale 6,4,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;"
                            "permute 6,7,4;kept view;kept permute;kept view;kept permute;other 8,4,7;reshape 32,7,1;"
                            "mm 10,7,1 w;");
    begin("Gemma4ForCausalLM", 9410);
    assert_nodes(ATTENTION, "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                            "reshape 8,2,7;rms 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;"
                            "permute 6,7,4;kept view;kept permute;kept view;kept permute;other 8,4,7;reshape 32,7,1;"
                            "mm 10,7,1 w;");
    begin("Qwen3ForCausalLM", 9410);
    model.kinds[0].attention.qk_norm = KVB_QK_NORM_PER_HEAD;
    assert_nodes(ATTENTION, "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rms 6,4,7;mul 6,4,7 w;rope 6,4,7;"
                            "reshape 6,2,7;rms 6,2,7;mul 6,2,7 w;rope 6,2,7;reshape 8,2,7;view 12,7,1;kept set_rows;"
                            "view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;kept view;"
                            "kept permute;other 8,4,7;reshape 32,7,1;mm 10,7,1 w;");
    begin("GptOssForCausalLM", 10148);
    model.kinds[0].attention.sinks = true;
    assert_nodes(ATTENTION,
                 "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                 "reshape 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;"
                 "kept view;kept permute;kept view;kept permute;other 8,4,7 w;reshape 32,7,1;mm 10,7,1 w;");
    begin("GptOssForCausalLM", 10149);
    model.kinds[0].attention.sinks = true;
    assert_nodes(ATTENTION,
                 "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                 "reshape 8,2,7;view 12,7,1;kept set_rows;view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;"
                 "kept view;kept permute;kept view;kept permute;other 8,4,7;reshape 32,7,1;mm 10,7,1 w;");
    begin("LlamaForCausalLM", 9410);
    model.kinds[0].attention.shares_kv = true;
    assert_nodes(ATTENTION, "mm 24,7,1 w;mm 12,7,1 w;mm 16,7,1 w;reshape 6,4,7;rope 6,4,7;reshape 6,2,7;rope 6,2,7;"
                            "reshape 8,2,7;view 6,4,7;permute 6,7,4;kept view;kept permute;kept view;kept permute;"
                            "other 8,4,7;reshape 32,7,1;mm 10,7,1 w;");
}

// Queries and their gate are one matrix of twice the width; the gate is made whole, and works in place behind
// attention.
static void gated_attention(void **state)
{
    (void)state;
    begin("Qwen3_5ForCausalLM", 9410);
    model.kinds[0].attention.gated_output = true;
    model.kinds[0].attention.qk_norm = KVB_QK_NORM_PER_HEAD;
    model.kinds[0].attention.value_head_size = 6;
    assert_nodes(ATTENTION,
                 "mm 48,7,1 w;view 6,4,7;view 6,4,7;other 24,7,1;mm 12,7,1 w;mm 12,7,1 w;rms 6,4,7;mul 6,4,7 w;"
                 "rope 6,4,7;reshape 6,2,7;rms 6,2,7;mul 6,2,7 w;rope 6,2,7;reshape 6,2,7;view 12,7,1;"
                 "kept set_rows;view 12,7,1;kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;"
                 "kept view;kept permute;other 6,4,7;reshape 24,7,1;unary 24,7,1;mul 24,7,1;mm 10,7,1 w;");
    begin("Qwen3NextForCausalLM", 9410);
    model.kinds[0].attention.gated_output = true;
    model.kinds[0].attention.qk_norm = KVB_QK_NORM_PER_HEAD;
    model.kinds[0].attention.value_head_size = 6;
    assert_nodes(ATTENTION,
                 "mm 48,7,1 w;reshape 12,4,7;view 6,4,7;view 6,4,7;other 24,7,1;mm 12,7,1 w;mm 12,7,1 w;rms 6,4,7;"
                 "mul 6,4,7 w;rope 6,4,7;reshape 6,2,7;rms 6,2,7;mul 6,2,7 w;rope 6,2,7;reshape 6,2,7;view 12,7,1;"
                 "kept set_rows;view 12,7,1;kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;"
                 "kept view;kept permute;other 6,4,7;reshape 24,7,1;unary 24,7,1;reshape 24,7,1;mul 24,7,1;"
                 "mm 10,7,1 w;");
}

// One matrix of queries, keys and values: read through views since b5600, cut into copies before.
static void joined_attention(void **state)
{
    (void)state;
    begin("FalconForCausalLM", 9410);
    assert_nodes(ATTENTION,
                 "mm 52,7,1 w;view 6,4,7;rope 6,4,7;view 6,2,7;rope 6,2,7;view 8,2,7;view 12,7,1;kept set_rows;"
                 "view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;kept view;"
                 "kept permute;other 8,4,7;reshape 32,7,1;mm 10,7,1 w;");
    begin("FalconForCausalLM", 5600);
    assert_nodes(ATTENTION,
                 "mm 52,7,1 w;view 6,4,7;rope 6,4,7;view 6,2,7;rope 6,2,7;view 8,2,7;view 12,7,1;kept set_rows;"
                 "view 16,7,1;kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;kept view;"
                 "kept permute;other 8,4,7;other 1,1,1;reshape 32,7,1;mm 10,7,1 w;");
    begin("FalconForCausalLM", 5599);
    assert_nodes(ATTENTION, "mm 52,7,1 w;view 6,4,7;other 24,7,1;reshape 6,4,7;rope 6,4,7;view 6,2,7;other 12,7,1;"
                            "reshape 6,2,7;rope 6,2,7;view 8,2,7;other 16,7,1;view 12,7,1;kept set_rows;view 16,7,1;"
                            "kept set_rows;view 6,4,7;permute 6,7,4;kept view;kept permute;kept view;kept permute;"
                            "other 8,4,7;other 1,1,1;reshape 32,7,1;mm 10,7,1 w;");
}

// MLA: queries through a rank of 5 or at once, a latent of 12 and a rotated part of 2 as one head, back to values of 9;
// before b5137 keys of 6 + 2 and values expanded for each head, what is rotated or normed made whole first. Values lie
// in a cache of their own before b7832.
static void latent_attention(void **state)
{
    (void)state;
    begin("DeepseekV2ForCausalLM", 9410);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                            .heads = 4,
                                                            .query_rank = 5,
                                                            .latent_rank = 12,
                                                            .nope_size = 6,
                                                            .rope_size = 2,
                                                            .value_head_size = 9};
    assert_nodes(LATENT,
                 "mm 5,7,1 w;rms 5,7,1;mul 5,7,1 w;mm 32,7,1 w;view 6,4,7;view 2,4,7;mm 14,7,1 w;view 12,7,1;"
                 "view 2,1,7;rope 2,4,7;rope 2,1,7;rms 12,7,1;mul 12,7,1 w;permute 6,7,4;mm 12,28,1 w;"
                 "permute 12,4,7;other 14,4,7;reshape 12,1,7;other 14,1,7;view 14,7,1;kept set_rows;view 14,4,7;"
                 "permute 14,7,4;kept view;kept permute;kept view;kept permute;other 12,4,7;permute 12,4,7;"
                 "mm 9,28,1 w;other 36,7,1;mm 10,7,1 w;");
    begin("DeepseekV2ForCausalLM", 7832);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                            .heads = 4,
                                                            .query_rank = 5,
                                                            .latent_rank = 12,
                                                            .nope_size = 6,
                                                            .rope_size = 2,
                                                            .value_head_size = 9};
    model.kinds[0].attention.query_rank = 0;
    run.flash = false;
    assert_nodes(LATENT,
                 "mm 32,7,1 w;view 6,4,7;view 2,4,7;mm 14,7,1 w;view 12,7,1;view 2,1,7;rope 2,4,7;rope 2,1,7;"
                 "rms 12,7,1;mul 12,7,1 w;permute 6,7,4;mm 12,28,1 w;permute 12,4,7;other 14,4,7;reshape 12,1,7;"
                 "other 14,1,7;view 14,7,1;kept set_rows;view 14,4,7;permute 14,7,4;kept view;kept permute;"
                 "kept view;kept permute;mm 256,7,4;soft 256,7,4;mm 12,7,4;mm 9,28,1 w;permute 9,4,7;other 36,7,1;"
                 "mm 10,7,1 w;");
    begin("DeepseekV2ForCausalLM", 7831);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                            .heads = 4,
                                                            .query_rank = 5,
                                                            .latent_rank = 12,
                                                            .nope_size = 6,
                                                            .rope_size = 2,
                                                            .value_head_size = 9};
    run.flash = false;
    assert_nodes(LATENT,
                 "mm 5,7,1 w;rms 5,7,1;mul 5,7,1 w;mm 32,7,1 w;view 6,4,7;view 2,4,7;mm 14,7,1 w;view 12,7,1;"
                 "view 2,1,7;rope 2,4,7;rope 2,1,7;rms 12,7,1;mul 12,7,1 w;permute 6,7,4;mm 12,28,1 w;"
                 "permute 12,4,7;other 14,4,7;reshape 12,1,7;other 14,1,7;view 14,7,1;kept set_rows;view 12,7,1;"
                 "kept set_rows;view 14,4,7;permute 14,7,4;kept view;kept permute;kept view;kept permute;"
                 "mm 256,7,4;soft 256,7,4;mm 12,7,4;mm 9,28,1 w;permute 9,4,7;other 36,7,1;mm 10,7,1 w;");
    begin("DeepseekV2ForCausalLM", 5136);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                            .heads = 4,
                                                            .query_rank = 5,
                                                            .latent_rank = 12,
                                                            .nope_size = 6,
                                                            .rope_size = 2,
                                                            .value_head_size = 9};
    run.flash = false;
    assert_nodes(LATENT,
                 "mm 5,7,1 w;rms 5,7,1;mul 5,7,1 w;mm 32,7,1 w;view 6,4,7;view 2,4,7;mm 14,7,1 w;view 12,7,1;"
                 "view 2,1,7;other 12,7,1;other 2,4,7;rope 2,4,7;other 2,1,7;rope 2,1,7;rms 12,7,1;mul 12,7,1 w;"
                 "mm 60,7,1 w;view 6,4,7;view 9,4,7;other 9,4,7;other 8,4,7;other 2,4,7;other 8,4,7;"
                 "reshape 36,7,1;view 32,7,1;kept set_rows;view 36,7,1;kept set_rows;view 8,4,7;permute 8,7,4;"
                 "kept view;kept permute;kept view;kept permute;mm 256,7,4;soft 256,7,4;mm 9,7,4;permute 9,4,7;"
                 "other 36,7,1;mm 10,7,1 w;");
}

// Gate and up projection of 14 go to a third tensor since b5776, before into the gate's; one matrix of both is 28 wide.
static void mlps(void **state)
{
    (void)state;
    begin("LlamaForCausalLM", 5776);
    assert_nodes(MLP, "mm 14,7,1 w;mm 14,7,1 w;other 14,7,1;mm 10,7,1 w;");
    begin("LlamaForCausalLM", 5775);
    assert_nodes(MLP, "mm 14,7,1 w;mm 14,7,1 w;unary 14,7,1;mul 14,7,1;mm 10,7,1 w;");
    begin("Phi3ForCausalLM", 5776);
    assert_nodes(MLP, "mm 28,7,1 w;other 14,7,1;mm 10,7,1 w;");
    begin("Phi3ForCausalLM", 5775);
    assert_nodes(MLP, "mm 28,7,1 w;view 14,7,1;other 14,7,1;view 14,7,1;other 14,7,1;unary 14,7,1;mul 14,7,1;"
                      "mm 10,7,1 w;");
    begin("Starcoder2ForCausalLM", 9010);
    model.kinds[0].mlp.kind = KVB_MLP_PLAIN;
    assert_nodes(MLP, "mm 14,7,1 w;unary 14,7,1;mm 10,7,1 w;");
    begin("Phi3ForCausalLM", 9010);
    model.kinds[0].mlp.kind = KVB_MLP_PLAIN;
    assert_nodes(MLP, "mm 14,7,1 w;unary 14,7,1;mm 10,7,1 w;");
}

// Three of 16 experts of 11: the router's shares (clamped since b7000), up and gate by expert, a sum of views; shared
// experts of 13 with a gate of one row; a sigmoid with a bias; biases of each expert, with shares made of the chosen
// logits; one expert without a gate; an MLP beside them.
static void experts(void **state)
{
    (void)state;
    begin("Qwen2MoeForCausalLM", 7000);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 16,
                                                .expert_intermediate_size = 11,
                                                .experts_per_token = 3,
                                                .expert_gated = true,
                                                .shared_intermediate_size = 13,
                                                .shared_gate = true};
    assert_nodes(MLP, "mm 16,7,1 w;soft 16,7,1;argsort 16,7,1;view 3,7,1;reshape 1,16,7;get_rows 1,3,7;reshape 3,7,1;"
                      "sum_rows 1,7,1;clamp 1,7,1;div 3,7,1;reshape 1,3,7;reshape 10,1,7;mm_id 11,3,7 w;mm_id 11,3,7 w;"
                      "other 11,3,7;mm_id 10,3,7 w;mul 10,3,7;view 10,7,1;view 10,7,1;view 10,7,1;add 10,7,1;"
                      "add 10,7,1;mm 13,7,1 w;mm 13,7,1 w;other 13,7,1;mm 10,7,1 w;mm 1,7,1 w;unary 1,7,1;mul 10,7,1;"
                      "add 10,7,1;");
    begin("MixtralForCausalLM", 6999);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 16,
                                                .expert_intermediate_size = 11,
                                                .experts_per_token = 3,
                                                .expert_gated = true,
                                                .shared_intermediate_size = 13};
    assert_nodes(MLP, "mm 16,7,1 w;soft 16,7,1;argsort 16,7,1;view 3,7,1;reshape 1,16,7;get_rows 1,3,7;reshape 3,7,1;"
                      "sum_rows 1,7,1;div 3,7,1;reshape 1,3,7;reshape 10,1,7;mm_id 11,3,7 w;mm_id 11,3,7 w;"
                      "other 11,3,7;mm_id 10,3,7 w;mul 10,3,7;view 10,7,1;view 10,7,1;view 10,7,1;add 10,7,1;"
                      "add 10,7,1;mm 13,7,1 w;mm 13,7,1 w;other 13,7,1;mm 10,7,1 w;add 10,7,1;");
    begin("DeepseekV3ForCausalLM", 9010);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 16,
                                                .expert_intermediate_size = 11,
                                                .experts_per_token = 3,
                                                .expert_gated = true,
                                                .router_correction_bias = true};
    assert_nodes(MLP, "mm 16,7,1 w;unary 16,7,1;add 16,7,1 w;argsort 16,7,1;view 3,7,1;reshape 1,16,7;get_rows 1,3,7;"
                      "reshape 3,7,1;sum_rows 1,7,1;clamp 1,7,1;div 3,7,1;reshape 1,3,7;reshape 10,1,7;mm_id 11,3,7 w;"
                      "mm_id 11,3,7 w;other 11,3,7;mm_id 10,3,7 w;mul 10,3,7;view 10,7,1;view 10,7,1;view 10,7,1;"
                      "add 10,7,1;add 10,7,1;");
    begin("GptOssForCausalLM", 9010);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 16,
                                                .expert_intermediate_size = 11,
                                                .experts_per_token = 2,
                                                .expert_gated = true,
                                                .expert_bias = true,
                                                .router_bias = true};
    assert_nodes(MLP, "mm 16,7,1 w;add 16,7,1 w;argsort 16,7,1;view 2,7,1;reshape 1,16,7;get_rows 1,2,7;reshape 2,7,1;"
                      "soft 2,7,1;reshape 1,2,7;reshape 10,1,7;mm_id 11,2,7 w;add_id 11,2,7 w;mm_id 11,2,7 w;"
                      "add_id 11,2,7 w;other 11,2,7;mm_id 10,2,7 w;add_id 10,2,7 w;mul 10,2,7;view 10,7,1;view 10,7,1;"
                      "add 10,7,1;");
    begin("MixtralForCausalLM", 9010);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 16,
                                                .expert_intermediate_size = 11,
                                                .experts_per_token = 1,
                                                .intermediate_size = 14};
    assert_nodes(MLP, "mm 16,7,1 w;soft 16,7,1;argsort 16,7,1;view 1,7,1;reshape 1,16,7;get_rows 1,1,7;reshape 1,7,1;"
                      "sum_rows 1,7,1;clamp 1,7,1;div 1,7,1;reshape 1,1,7;reshape 10,1,7;mm_id 11,1,7 w;unary 11,1,7;"
                      "mm_id 10,1,7 w;mul 10,1,7;view 10,7,1;other 10,7,1;mm 14,7,1 w;mm 14,7,1 w;other 14,7,1;"
                      "mm 10,7,1 w;add 10,7,1;");
}

// Three sequences. Mamba 1: 20 wide, a state of 5 for each, a convolution over 4; rates through a rank of 10 / 16.
// Mamba 2: five heads of 4 in two groups with a state of 3.
static void mambas(void **state)
{
    (void)state;
    begin("MambaForCausalLM", 9010);
    run.sequences = 3;
    model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_MAMBA1, .conv_kernel = 4, .state_inner_size = 20, .state_key_size = 5};
    assert_nodes(STATE,
                 "mm 40,7,1 w;view 20,7,1;view 20,7,1;kept reshape;kept view;kept scale;get_rows 60,3,1;"
                 "get_rows 60,0,1;kept view;kept other;reshape 3,20,3;permute 7,20,1;other 16,20,1;view 3,20,1;"
                 "kept view;kept other;conv 20,7,1 w;add 20,7,1 w;unary 20,7,1;mm 11,7,1 w;view 1,7,1;mm 20,7,1 w;"
                 "add 20,7,1 w;other 440,1,1;view 5,7,1;view 300,1,1;kept view;kept other;mul 20,7,1 w;"
                 "view 20,7,1;add 20,7,1;other 20,7,1;other 20,7,1;mm 10,7,1 w;");
    begin("MambaForCausalLM", 5775);
    run.sequences = 3;
    model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_MAMBA1, .conv_kernel = 4, .state_inner_size = 20, .state_key_size = 5};
    assert_nodes(STATE,
                 "mm 40,7,1 w;view 20,7,1;view 20,7,1;kept reshape;kept view;kept scale;get_rows 60,3,1;"
                 "get_rows 60,0,1;kept view;kept other;reshape 3,20,3;permute 7,20,1;other 16,20,1;view 3,20,1;"
                 "kept view;kept other;conv 20,7,1 w;add 20,7,1 w;unary 20,7,1;mm 11,7,1 w;view 1,7,1;mm 20,7,1 w;"
                 "add 20,7,1 w;other 440,1,1;view 5,7,1;view 300,1,1;kept view;kept other;mul 20,7,1 w;"
                 "view 20,7,1;add 20,7,1;other 20,7,1;unary 20,7,1;mul 20,7,1;mm 10,7,1 w;");
    begin("Mamba2ForCausalLM", 9010);
    run.sequences = 3;
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 3,
                                                            .state_value_heads = 5,
                                                            .state_value_size = 4};
    assert_nodes(STATE, "mm 57,7,1 w;view 32,7,1;kept reshape;kept view;kept scale;get_rows 96,3,1;get_rows 96,0,1;"
                        "kept view;kept other;reshape 3,32,3;permute 7,32,1;other 16,32,1;view 3,32,1;kept view;"
                        "kept other;conv 32,7,1 w;add 32,7,1 w;unary 32,7,1;view 5,7,1;other 5,7,1;add 5,7,1 w;"
                        "view 20,7,1;other 320,1,1;view 180,1,1;kept view;kept other;view 20,7,1;mul 20,7,1 w;"
                        "view 20,7,1;add 20,7,1;view 20,7,1;other 20,7,1;other 20,7,1;rms 20,7,1;mul 20,7,1 w;"
                        "mm 10,7,1 w;");
    begin("FalconH1ForCausalLM", 9010);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 3,
                                                            .state_value_heads = 5,
                                                            .state_value_size = 4,
                                                            .no_state_norm = true};
    assert_nodes(STATE,
                 "mm 57,7,1 w;view 32,7,1;kept reshape;kept view;kept scale;get_rows 96,1,1;get_rows 96,0,1;"
                 "kept view;kept other;reshape 3,32,1;permute 7,32,1;other 10,32,1;view 3,32,1;kept view;"
                 "kept other;conv 32,7,1 w;add 32,7,1 w;unary 32,7,1;view 5,7,1;other 5,7,1;add 5,7,1 w;"
                 "view 20,7,1;other 200,1,1;view 60,1,1;kept view;kept other;view 20,7,1;mul 20,7,1 w;view 20,7,1;"
                 "add 20,7,1;view 20,7,1;other 20,7,1;other 20,7,1;mm 10,7,1 w;");
    begin("Lfm2ForCausalLM", 9010);
    run.sequences = 3;
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_SHORT_CONV, .conv_kernel = 3};
    assert_nodes(STATE, "mm 30,7,1 w;view 10,7,1;other 10,7,1;kept reshape;kept view;kept scale;get_rows 20,3,1;"
                        "get_rows 20,0,1;kept view;kept other;reshape 2,10,3;permute 7,10,1;other 13,10,1;view 2,10,1;"
                        "kept view;kept other;conv 10,7,1 w;view 10,7,1;mul 10,7,1;mm 10,7,1 w;");
}

// Two heads of keys, six of values, all of 4: 24 + 2 x 8 channels, a state of 4 x 24. Qwen3-Next repeats queries and
// keys for the values' heads and has one matrix of both rates; Qwen3.5 has two, and here a copy of the state more.
static void delta_nets(void **state)
{
    (void)state;
    begin("Qwen3NextForCausalLM", 9010);
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 4,
                                                            .state_value_heads = 6,
                                                            .state_value_size = 4};
    assert_nodes(STATE,
                 "mm 40,7,1 w;reshape 40,7,1;kept reshape;kept view;kept scale;get_rows 120,1,1;get_rows 120,0,1;"
                 "kept view;kept other;reshape 3,40,1;permute 7,40,1;other 10,40,1;view 3,40,1;kept view;"
                 "kept other;kept reshape;kept view;kept scale;get_rows 96,1,1;get_rows 96,0,1;kept view;"
                 "kept other;conv 40,7,1 w;unary 40,7,1;view 4,2,7;other 4,2,7;reshape 4,1,14;other 4,3,14;"
                 "reshape 4,6,7;view 4,2,7;other 4,2,7;reshape 4,1,14;other 4,3,14;reshape 4,6,7;view 4,6,7;"
                 "mm 12,7,1 w;reshape 4,3,7;view 2,3,7;other 6,7,1;view 2,3,7;other 6,7,1;unary 6,7,1;"
                 "reshape 1,6,7;add 6,7,1 w;unary 6,7,1;mul 6,7,1 w;reshape 1,6,7;other 24,11,1;reshape 4,4,6;"
                 "view 96,1,1;kept view;kept other;view 4,6,7;rms 4,6,7;mul 4,6,7 w;mm 24,7,1 w;reshape 4,6,7;"
                 "unary 4,6,7;mul 4,6,7;reshape 24,7,1;mm 10,7,1 w;reshape 10,7,1;");
    begin("Qwen3_5ForCausalLM", 9010);
    run.state_copies = 2;
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 2,
                                                            .state_key_size = 4,
                                                            .state_value_heads = 6,
                                                            .state_value_size = 4};
    assert_nodes(STATE,
                 "mm 40,7,1 w;reshape 40,7,1;kept reshape;kept view;kept scale;get_rows 120,1,1;get_rows 120,0,1;"
                 "kept view;kept other;reshape 3,40,1;permute 7,40,1;other 10,40,1;view 3,40,1;kept view;"
                 "kept other;view 3,40,1;kept view;kept other;kept reshape;kept view;kept scale;get_rows 96,1,1;"
                 "get_rows 96,0,1;kept view;kept other;conv 40,7,1 w;unary 40,7,1;view 4,2,7;other 4,2,7;"
                 "view 4,2,7;other 4,2,7;view 4,6,7;mm 6,7,1 w;reshape 6,7,1;mm 6,7,1 w;reshape 1,6,7;unary 1,6,7;"
                 "add 6,7,1 w;unary 6,7,1;mul 6,7,1 w;reshape 1,6,7;other 24,15,1;reshape 4,4,6;view 192,1,1;"
                 "kept view;kept other;view 4,6,7;rms 4,6,7;mul 4,6,7 w;mm 24,7,1 w;reshape 4,6,7;unary 4,6,7;"
                 "mul 4,6,7;reshape 24,7,1;mm 10,7,1 w;reshape 10,7,1;");
}

KVB_TEST_MAIN(cmocka_unit_test(attention), cmocka_unit_test(gated_attention), cmocka_unit_test(joined_attention),
              cmocka_unit_test(latent_attention), cmocka_unit_test(mlps), cmocka_unit_test(experts),
              cmocka_unit_test(mambas), cmocka_unit_test(delta_nets))
