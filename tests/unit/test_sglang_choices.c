// What a release chooses by card, model and arguments: backends of attention, graphs of prefills, and what the default
// fraction takes of it. Expected: python/sglang/srt of sgl-project/sglang at the releases named, model_executor/
// model_runner.py and server_args.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/setup.h"
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

enum kind { PLAIN, LATENT, SPARSE, COMPRESSED };

static void make(struct kvb_model *model, const char *architecture, enum kind kind)
{
    static const struct shape shape = {"m", 32, 128, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    make_model(&shape, model);
    if (architecture != NULL) {
        strcpy(model->architecture, architecture);
    }
    struct kvb_attention_shape *attention = &model->kinds[0].attention;
    attention->kind = kind == PLAIN ? KVB_ATTENTION_FULL : kind == COMPRESSED ? KVB_ATTENTION_DSV4 : KVB_ATTENTION_MLA;
    attention->index_heads = kind == SPARSE ? 64 : 0;
}

#define NVIDIA .cuda = true, .tp = 1, .pp = 1, .dp = 1
#define AMD .hip = true, .tp = 1, .pp = 1, .dp = 1
#define HOPPER NVIDIA, .compute_capability = 90
#define B200 NVIDIA, .compute_capability = 100
#define EAGLE .draft = KVB_SGL_DRAFT_EAGLE
#define KERNELS .backend_asked = KVB_SGL_BACKEND_TRTLLM_MLA
#define ASKED(branches) .draft_topk_asked = (branches), .draft_topk = (branches)

static void backends(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        enum kind kind;
        struct kvb_sgl_setup setup;
        enum kvb_sgl_backend backend;
    } rows[] = {
        {NULL, SPARSE, {HOPPER, .release = R(5, 9)}, KVB_SGL_BACKEND_SPARSE},
        {NULL, COMPRESSED, {HOPPER, .release = R(5, 12)}, KVB_SGL_BACKEND_SPARSE},
        // server_args.py 0.5.1, 0.5.5, 0.5.4: models that choose TRT-LLM's kernels on data centre Blackwell
        {"GptOssForCausalLM", PLAIN, {B200, .release = R(5, 1)}, KVB_SGL_BACKEND_TRTLLM_MHA},
        {"GptOssForCausalLM", PLAIN, {B200, .release = R(5, 0)}, KVB_SGL_BACKEND_FLASHINFER},
        {"Llama4ForConditionalGeneration", PLAIN, {B200, .release = R(5, 5)}, KVB_SGL_BACKEND_TRTLLM_MHA},
        {"Llama4ForConditionalGeneration", PLAIN, {B200, .release = R(5, 4)}, KVB_SGL_BACKEND_FLASHINFER},
        {"DeepseekV3ForCausalLM", LATENT, {B200, .release = R(5, 4)}, KVB_SGL_BACKEND_TRTLLM_MLA},
        {"DeepseekV3ForCausalLM", LATENT, {B200, .release = R(5, 3)}, KVB_SGL_BACKEND_FLASHINFER},
        // model_runner.py 0.4.6 and 0.4.7: latent caches
        {NULL, LATENT, {B200, .release = R(4, 6)}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {HOPPER, .release = R(4, 6)}, KVB_SGL_BACKEND_FA3},
        {NULL, LATENT, {HOPPER, .release = R(4, 5)}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {NVIDIA, .compute_capability = 120, .release = R(5, 9)}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {AMD, .release = R(5, 9)}, KVB_SGL_BACKEND_AITER}, // 128 heads
        {NULL, LATENT, {AMD, .compute_capability = 90, .release = R(5, 9)}, KVB_SGL_BACKEND_AITER},
        {NULL, LATENT, {AMD, .release = R(4, 6)}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {AMD, .release = R(4, 8), EAGLE}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {AMD, .release = R(5, 0), EAGLE}, KVB_SGL_BACKEND_AITER},
        {NULL, LATENT, {.hip = true, .tp = 4, .pp = 1, .dp = 1, .release = R(5, 9)}, KVB_SGL_BACKEND_TRITON},
        // keys and values: FlashAttention 3 on Hopper for one branch of a draft, TRT-LLM's on Blackwell from 0.5.7 on
        {NULL, PLAIN, {HOPPER, .release = R(4, 5) + 3}, KVB_SGL_BACKEND_FLASHINFER},
        {NULL, PLAIN, {HOPPER, .release = R(4, 6)}, KVB_SGL_BACKEND_FA3},
        {NULL, PLAIN, {AMD, .release = R(4, 6) + 5}, KVB_SGL_BACKEND_TRITON},
        {NULL, PLAIN, {AMD, .release = R(4, 7)}, KVB_SGL_BACKEND_AITER},
        {NULL, LATENT, {AMD, .release = R(4, 6) + 5}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {AMD, .release = R(4, 7)}, KVB_SGL_BACKEND_AITER},
        {NULL, LATENT, {AMD, .release = R(4, 10) + 2, EAGLE}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {B200, .release = R(4, 6) + 5}, KVB_SGL_BACKEND_TRITON},
        {NULL, LATENT, {B200, .release = R(4, 7)}, KVB_SGL_BACKEND_FLASHINFER},
        {NULL, LATENT, {HOPPER, .release = R(4, 5) + 3}, KVB_SGL_BACKEND_TRITON},
        // (is_no_spec_infer_or_topk_one), from 0.5.4.post1 on by the branches that are said alone; pages are of one
        // token
        {NULL, PLAIN, {HOPPER, .release = R(5, 4), EAGLE, .draft_topk = 1}, KVB_SGL_BACKEND_FA3},
        {NULL, PLAIN, {HOPPER, .release = R(5, 4), EAGLE, .draft_topk = 4}, KVB_SGL_BACKEND_FLASHINFER},
        {NULL, PLAIN, {HOPPER, .release = R(5, 4) + 1, EAGLE, .draft_topk = 4}, KVB_SGL_BACKEND_FA3},
        {NULL, PLAIN, {HOPPER, .release = R(5, 9), EAGLE, ASKED(1)}, KVB_SGL_BACKEND_FA3},
        {NULL, PLAIN, {HOPPER, .release = R(5, 9), EAGLE, ASKED(1), .page_asked = 1}, KVB_SGL_BACKEND_FA3},
        {NULL, PLAIN, {HOPPER, .release = R(5, 9), EAGLE, ASKED(1), .page_asked = 2}, KVB_SGL_BACKEND_FLASHINFER},
        {NULL, PLAIN, {HOPPER, .release = R(5, 9), .page_asked = 64}, KVB_SGL_BACKEND_FA3},
        {NULL, PLAIN, {HOPPER, .release = R(5, 9), EAGLE, ASKED(2)}, KVB_SGL_BACKEND_FLASHINFER},
        {NULL, PLAIN, {B200, .release = R(5, 9), EAGLE, ASKED(4)}, KVB_SGL_BACKEND_FLASHINFER},
        {NULL, PLAIN, {B200, .release = R(5, 7)}, KVB_SGL_BACKEND_TRTLLM_MHA},
        {NULL, PLAIN, {B200, .release = R(5, 6)}, KVB_SGL_BACKEND_FLASHINFER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup = rows[i].setup;
        make(&model, rows[i].architecture, rows[i].kind);
        setup.model = &model;
        if (kvb_sgl_backend_of(&setup) != rows[i].backend) {
            print_error("row %zu: %d\n", i, (int)kvb_sgl_backend_of(&setup));
        }
        assert_int_equal(kvb_sgl_backend_of(&setup), rows[i].backend);
    }
}

// _handle_piecewise_cuda_graph (0.5.10 to 0.5.14) and _apply_cuda_graph_compatibility (0.5.15 and later): what
// switches graphs of prefills off.
static void graphs_of_prefills(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        enum kind kind;
        struct kvb_sgl_setup setup;
        bool captured;
    } rows[] = {
        {NULL, PLAIN, {NVIDIA, .release = R(5, 9)}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 7), .prefill_graphs = KVB_YES}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 5), .prefill_graphs = KVB_YES}, false}, // not yet reserved for
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .prefill_graphs = KVB_NO}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 16), .prefill_graphs = KVB_YES, .no_graphs = true}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12)}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 10), EAGLE}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 11), EAGLE}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .torch_compile = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .lora = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .offloads = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .hierarchical = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .deterministic = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .symmetric_memory = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .expert_balancing = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .other_format = true}, false},
        {NULL, PLAIN, {.cuda = true, .tp = 2, .pp = 1, .dp = 2, .release = R(5, 12), .dp_attention = true}, false},
        {NULL, PLAIN, {.cuda = true, .tp = 1, .pp = 2, .dp = 1, .release = R(5, 12)}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .all_to_all = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .multimodal = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 12), .role = KVB_SGL_PREFILL}, false},
        {NULL, PLAIN, {AMD, .release = R(5, 12)}, false},
        {"Qwen3NextForCausalLM", PLAIN, {NVIDIA, .release = R(5, 12)}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 15)}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 15), .no_graphs = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 15), .role = KVB_SGL_DECODE}, false},
        {NULL, LATENT, {NVIDIA, .release = R(5, 15)}, false},
        {NULL, COMPRESSED, {NVIDIA, .release = R(5, 15)}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 15), .lora = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 15), .all_to_all = true}, false},
        {NULL, PLAIN, {.cuda = true, .tp = 2, .pp = 1, .dp = 2, .release = R(5, 15), .dp_attention = true}, false},
        {NULL, PLAIN, {.cuda = true, .tp = 2, .pp = 1, .dp = 2, .release = R(5, 16), .dp_attention = true}, true},
        {"KimiK25ForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 15), .multimodal = true}, false},
        {"KimiK25ForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 16), .multimodal = true}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 16), .multimodal = true}, false},
        {NULL, PLAIN, {AMD, .release = R(5, 16)}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 17)}, true},
        {NULL, LATENT, {NVIDIA, .release = R(5, 17)}, false},
        {NULL, SPARSE, {NVIDIA, .release = R(5, 17)}, true},
        {"NemotronHForCausalLM", PLAIN, {NVIDIA, .release = R(5, 17)}, false},
        {NULL, LATENT, {NVIDIA, .release = R(5, 18)}, true},
        {"NemotronHForCausalLM", PLAIN, {NVIDIA, .release = R(5, 18)}, false},
        // towers that were read: in pieces, with all that switches those off, from 0.5.16 on; in segments
        {"Cohere2VisionForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 13), .multimodal = true}, false},
        {"Cohere2VisionForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 14), .multimodal = true}, true},
        {"Cohere2VisionForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 15), .multimodal = true}, false},
        {"Cohere2VisionForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 16), .multimodal = true}, true},
        {"KimiK25ForConditionalGeneration", LATENT, {NVIDIA, .release = R(5, 16), .multimodal = true}, true},
        {"KimiK25ForConditionalGeneration", LATENT, {NVIDIA, .release = R(5, 17), .multimodal = true}, true},
        {"KimiK25ForConditionalGeneration", LATENT, {NVIDIA, .release = R(5, 17), .lora = true}, false},
        {"KimiK25ForConditionalGeneration", LATENT, {NVIDIA, .release = R(5, 17), .role = KVB_SGL_PREFILL}, false},
        {"KimiK25ForConditionalGeneration", LATENT, {.cuda = true, .tp = 1, .pp = 2, .release = R(5, 17)}, false},
        {"KimiK25ForConditionalGeneration", LATENT, {NVIDIA, .release = R(5, 17), KERNELS, .multimodal = true}, true},
        {"KimiK25ForConditionalGeneration", LATENT, {NVIDIA, .release = R(5, 18), KERNELS, .multimodal = true}, false},
        {"Qwen3_5ForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 15), .multimodal = true}, false},
        {"Qwen3_5ForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 16), .multimodal = true}, true},
        {"Qwen3_5ForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 17), .multimodal = true}, true},
        {"Qwen3_5ForConditionalGeneration", PLAIN, {.cuda = true, .tp = 1, .pp = 2, .release = R(5, 17)}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 5) + 1, .prefill_graphs = KVB_YES}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 10)}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 14), .no_graphs = true}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 16), .two_batch_overlap = true}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 17), .two_batch_overlap = true}, false},
        {NULL, COMPRESSED, {NVIDIA, .release = R(5, 18)}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 18), .two_batch_overlap = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 18), .all_to_all = true}, false},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 18), .all_to_all = true, .deepep = true}, true},
        {NULL, PLAIN, {NVIDIA, .release = R(5, 18), .multimodal = true}, false},
        {"KimiK25ForConditionalGeneration", PLAIN, {NVIDIA, .release = R(5, 18), .multimodal = true}, true},
        {NULL, PLAIN, {AMD, .release = R(5, 18)}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup = rows[i].setup;
        make(&model, rows[i].architecture, rows[i].kind);
        setup.model = &model;
        if (kvb_sgl_prefill_graphs(&setup) != rows[i].captured) {
            print_error("row %zu\n", i);
        }
        assert_int_equal(kvb_sgl_prefill_graphs(&setup), rows[i].captured);
    }
}

// Corners of the default: thousandths as server_args.py of the release makes them.
static void shares(void **state)
{
    (void)state;
    static const struct {
        const char *name, *architecture;
        enum kind kind;
        struct kvb_sgl_setup setup;
        uint32_t thousandths;
        uint64_t chunk, sizes;
        const char *source;
    } rows[] = {
        {NULL, NULL, PLAIN, {NVIDIA, .release = R(4, 5)}, 880, 2048, 0, "no card: 0 MiB are less than 25,000"},
        {NULL, NULL, PLAIN, {NVIDIA, .release = R(4, 6) + 2}, 880, 2048, 0, "0.4.6.post2, no card"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(4, 6) + 2, .card_mib = 24564, .role = KVB_SGL_PREFILL},
         880,
         2048,
         0,
         "0.4.6.post2: the larger chunk is for 8,192 alone"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(4, 6) + 2, .card_mib = 81559, .role = KVB_SGL_PREFILL},
         880,
         16384,
         0,
         "0.4.6.post2"},
        {NULL,
         NULL,
         PLAIN,
         {AMD, .release = R(4, 7), .card_mib = 196592},
         906,
         16384,
         0,
         "0.4.7: 0.79 is CUDA's; min(0.88 + 49,152 x 0.12 / 196,592, (196,592 - 18,432) / 196,592)"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 7), .card_mib = 81559, .prefill_graphs = KVB_YES},
         823,
         8192,
         74,
         "0.5.7: 13,440 + 8,192 / 8 = 14,464; 8 + 14 + 8 + 28 + 16 sizes"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 6) + 2, .card_mib = 81559, .prefill_graphs = KVB_YES},
         823,
         8192,
         58,
         "0.5.6: 13,440 + 4,096 / 4 = 14,464; 8 + 14 + 8 + 28 sizes"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 6), .card_mib = 81559, .prefill_graphs = KVB_YES, .prefill_graph_tokens = 1024},
         832,
         8192,
         34,
         "0.5.6: 13,440 + 1,024 / 4 = 13,696; 0.8321; 8 + 14 + 8 + 4 sizes"},
        {NULL,
         NULL,
         LATENT,
         {NVIDIA, .release = R(5, 8), .card_mib = 81559, .prefill_graphs = KVB_YES},
         831,
         8192,
         41,
         "0.5.8: 13,440 + 41 x 8 = 13,768; 8 + 14 + 8 + 7 + 4 sizes to 2,048"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 12), .card_mib = 81559, .max_total_tokens = 2048},
         831,
         8192,
         42,
         "0.5.12: 13,440 + 42 x 8 = 13,776; 0.8311"},
        {"meta-llama/Llama-2-7b-hf",
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 12), .card_mib = 81559},
         830,
         8192,
         50,
         "0.5.12: no more than 4,096 for \"llama-2\": 13,440 + 400 = 13,840; 0.8303"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 12), .card_mib = 81559, .chunk_tokens = KVB_SGL_OFF},
         685,
         0,
         0,
         "0.5.12: 512 + 1.5 x 16,384 + 128 + 512 = 25,728 of 81,559; 0.6845"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 12), .card_mib = 81559, .chunk_tokens = KVB_SGL_OFF, .max_prefill_tokens = 8192},
         835,
         0,
         0,
         "0.5.12: --max-prefill-tokens 8192: 13,440"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 15), .card_mib = 81559, .role = KVB_SGL_DECODE, .requests_asked = 4096,
          .draft = KVB_SGL_DRAFT_EAGLE, .draft_tokens_asked = 4},
         685,
         8192,
         0,
         "0.5.15: 512 + 1.5 x 4,096 x 4 + 128 + 512 = 25,728"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 15), .card_mib = 81559, .role = KVB_SGL_PREFILL},
         836,
         8192,
         58,
         "0.5.15: 512 + 12,288 + 128 + 464 = 13,392; 0.8358"},
        {NULL,
         NULL,
         PLAIN,
         {.cuda = true,
          .tp = 8,
          .pp = 1,
          .dp = 8,
          .release = R(5, 15),
          .card_mib = 81559,
          .role = KVB_SGL_PREFILL,
          .dp_attention = true},
         831,
         1024,
         0,
         "0.5.15: 512 + 12,288 + 1,024 = 13,824; 0.8305 as no decode graphs are made"},
        {NULL,
         NULL,
         PLAIN,
         {.cuda = true, .tp = 8, .pp = 1, .dp = 8, .release = R(5, 8), .card_mib = 24564, .dp_attention = true},
         728,
         256,
         0,
         "0.5.8: 512 + 3,072 + 1,024 + 160 + 80 x 8 x 3 = 6,688, 80 batches; 24,564: 0.7277"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 18), .card_mib = 81559, .all_to_all = true, .deepep = true},
         792,
         8192,
         58,
         "0.5.18: 13,440 + 464 + 1,024 + 2,048 = 16,976; 0.7919"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 18), .card_mib = 81559, .all_to_all = true, .deepep = true, .no_graphs = true},
         841,
         8192,
         0,
         "0.5.18: 512 + 12,288 + 128 = 12,928"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 18), .card_mib = 81559, .all_to_all = true, .deepep = true, .role = KVB_SGL_PREFILL},
         823,
         8192,
         58,
         "0.5.18: 12,928 + 464 + 1,024 = 14,416; 0.8232"},
        {NULL, NULL, PLAIN, {NVIDIA, .release = R(5, 8), .card_mib = 2048}, 0, 2048, 0, "less than is reserved"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 1), .card_mib = 9408},
         684,
         2048,
         0,
         "0.5.1: (9,408 - 2,969.6) / 9,408 = 0.68436"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 8), .card_mib = 6400},
         417,
         2048,
         0,
         "0.5.8: (6,400 - 3,728) / 6,400 = 0.4175, as a double a little less"},
        {NULL,
         NULL,
         PLAIN,
         {.cuda = true,
          .tp = 2,
          .pp = 1,
          .dp = 2,
          .release = R(5, 8),
          .card_mib = 81559,
          .dp_attention = true,
          .chunk_tokens = KVB_SGL_OFF,
          .max_prefill_tokens = 8192},
         815,
         0,
         0,
         "0.5.8: 512 + 12,288 + 256 + 512 + 256 x 2 x 3 = 15,104; whole prompts are not divided"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 1), .card_mib = 81559, .draft = KVB_SGL_DRAFT_STANDALONE},
         849,
         8192,
         0,
         "0.5.1: 10 + 2 GiB, as for any draft"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 17), .card_mib = 81559, .all_to_all = true, .deepep = true},
         804,
         8192,
         58,
         "0.5.17: 13,440 + 464 + 2,048 = 15,952"},
        {NULL,
         NULL,
         PLAIN,
         {AMD, .release = R(4, 6), .card_mib = 65536, .context_tokens = 131072, .backend = KVB_SGL_BACKEND_AITER},
         880,
         8192,
         0,
         "0.4.6: no share for AITER yet"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(5, 9), .card_mib = 81559, .all_to_all = true, .deepep = true},
         835,
         8192,
         0,
         "0.5.9: nothing for DeepEP's buffers yet"},
        {NULL,
         NULL,
         PLAIN,
         {AMD, .release = R(5, 1), .card_mib = 65536, .context_tokens = 8192, .backend = KVB_SGL_BACKEND_AITER},
         844,
         8192,
         0,
         "0.5.1: 10 GiB of 64; 8,192 tokens are not more than 8,192"},
        {NULL,
         "MllamaForConditionalGeneration",
         PLAIN,
         {NVIDIA, .release = R(5, 9), .card_mib = 81559, .multimodal = true},
         835,
         0,
         0,
         "model_config.py: whole prompts; no family of towers, no factor"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(4, 5), .card_mib = 81559, .multimodal = true},
         792,
         0,
         0,
         "0.4.5: 0.88 x 0.9; 0.4.4.post4 to 0.4.6.post4 prefill towers' prompts whole"},
        {NULL,
         NULL,
         PLAIN,
         {NVIDIA, .release = R(4, 9), .card_mib = 81559, .multimodal = true, .fraction_ppb = 800000000},
         800,
         8192,
         0,
         "0.4.9: not a stated one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup = rows[i].setup;
        struct kvb_sgl_defaults defaults;
        make(&model, rows[i].architecture, rows[i].kind);
        if (rows[i].name != NULL) {
            strcpy(model.name, rows[i].name);
        }
        setup.model = &model;
        kvb_sgl_defaults_of(&setup, &defaults);
        uint64_t thousandths = (defaults.fraction_ppb + 500000) / 1000000;
        uint64_t chunk = defaults.chunk_tokens == KVB_SGL_OFF ? 0 : defaults.chunk_tokens;
        if (thousandths != rows[i].thousandths || chunk != rows[i].chunk || defaults.prefill_sizes != rows[i].sizes) {
            print_error("%zu %s: %llu, %llu, %llu\n", i, rows[i].source, (unsigned long long)thousandths,
                        (unsigned long long)chunk, (unsigned long long)defaults.prefill_sizes);
        }
        assert_int_equal(thousandths, rows[i].thousandths);
        assert_int_equal(chunk, rows[i].chunk);
        assert_int_equal(defaults.prefill_sizes, rows[i].sizes);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(backends), cmocka_unit_test(graphs_of_prefills), cmocka_unit_test(shares))
