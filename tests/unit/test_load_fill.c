// What vLLM loads of a model by release, flag and card: towers that are left out, adapters, how it is stored. Expected
// values are read from the engine's code at the tags named beside them.
#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

// ---- Towers

#define NO_LIMIT 9

static void limit(enum kvb_setting setting, unsigned most)
{
    if (most != NO_LIMIT) {
        set(&plan, setting, most);
    }
}

// models/qwen2_vl.py:1052, qwen2_5_vl.py:846, mistral3.py:431 and mllama4.py:740 v0.10.1, qwen3_vl.py v0.11.0:1129 ask
// for the limits of their modalities; every class from v0.15.0 on (models/interfaces.py _mark_tower_model). A tower
// that reads videos, too, stays while they are allowed.
static void towers_that_are_left_out(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_encoder_family family;
        bool video;
        unsigned images, videos, audios, language_only;
        bool no_vision, no_audio;
    } rows[] = {
        {R(10, 0), KVB_ENCODER_QWEN2_VL, true, 0, 0, NO_LIMIT, 0, false, false},
        {R(10, 1), KVB_ENCODER_QWEN2_VL, true, 0, 0, NO_LIMIT, 0, true, false},
        {R(10, 1), KVB_ENCODER_QWEN2_VL, true, 0, NO_LIMIT, NO_LIMIT, 0, false, false},
        {R(10, 1), KVB_ENCODER_QWEN2_VL, true, 0, 1, NO_LIMIT, 0, false, false},
        {R(10, 1), KVB_ENCODER_QWEN2_VL, true, 1, 0, NO_LIMIT, 0, false, false},
        {R(10, 1), KVB_ENCODER_QWEN2_VL, true, NO_LIMIT, 0, NO_LIMIT, 0, false, false},
        {R(10, 1), KVB_ENCODER_QWEN25_VL, true, 0, 0, NO_LIMIT, 0, true, false},
        {R(11, 0), KVB_ENCODER_QWEN3_VL, true, 0, 0, NO_LIMIT, 0, true, false},
        {R(10, 1), KVB_ENCODER_PIXTRAL, false, 0, NO_LIMIT, NO_LIMIT, 0, true, false},
        {R(10, 1), KVB_ENCODER_LLAMA4, false, 0, NO_LIMIT, NO_LIMIT, 0, true, false},
        {R(10, 0), KVB_ENCODER_LLAMA4, false, 0, NO_LIMIT, NO_LIMIT, 0, false, false},
        {R(14, 1), KVB_ENCODER_GEMMA3, false, 0, NO_LIMIT, NO_LIMIT, 0, false, false},
        {R(15, 0), KVB_ENCODER_GEMMA3, false, 0, NO_LIMIT, NO_LIMIT, 0, true, false},
        {R(14, 1), KVB_ENCODER_MINICPMV, true, 0, 0, NO_LIMIT, 0, false, false},
        {R(15, 0), KVB_ENCODER_MINICPMV, true, 0, 0, NO_LIMIT, 0, true, false},
        {R(15, 0), KVB_ENCODER_OTHER, false, NO_LIMIT, NO_LIMIT, 0, 0, false, true},
        {R(14, 1), KVB_ENCODER_OTHER, false, NO_LIMIT, NO_LIMIT, 0, 0, false, false},
        {R(15, 0), KVB_ENCODER_OTHER, false, NO_LIMIT, NO_LIMIT, 1, 0, false, false},
        {R(17, 0), KVB_ENCODER_QWEN3_VL, true, 1, 1, 1, 1, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.encoder.family = rows[i].family;
        plan.model.encoder.has_video = rows[i].video;
        limit(KVB_SET_LIMIT_IMAGES, rows[i].images);
        limit(KVB_SET_LIMIT_VIDEOS, rows[i].videos);
        limit(KVB_SET_LIMIT_AUDIOS, rows[i].audios);
        set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, rows[i].language_only);
        const struct kvb_load *load = loaded(&plan);
        if (load->no_vision != rows[i].no_vision || load->no_audio != rows[i].no_audio) {
            fail_msg("row %zu: %d %d", i, load->no_vision, load->no_audio);
        }
        assert_int_equal(load->deepstack_tokens == 0, rows[i].no_vision);
    }
}

// ---- Adapters

// config/lora.py v0.11.2: max_loras 1, max_lora_rank 16, 256 rows of extra vocabulary; embeddings take adapters where
// the class names embed_tokens: llama.py and mixtral's LlamaForCausalLM.
static void adapters(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(11, 2));
    (void)strcpy(plan.model.architecture, "LlamaForCausalLM");
    assert_int_equal(loaded(&plan)->lora_slots, 0);
    assert_false(loaded(&plan)->lora_on_embeddings);
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    const struct kvb_load *load = loaded(&plan);
    assert_int_equal(load->lora_slots, 1);
    assert_int_equal(load->lora_rank, 16);
    assert_int_equal(load->lora_extra_rows, 256);
    assert_true(load->lora_on_embeddings);
    set(&plan, KVB_SET_MAX_LORAS, 3);
    set(&plan, KVB_SET_MAX_LORA_RANK, 64);
    (void)strcpy(plan.model.architecture, "MistralForCausalLM");
    load = loaded(&plan);
    assert_int_equal(load->lora_slots, 3);
    assert_int_equal(load->lora_rank, 64);
    assert_true(load->lora_on_embeddings);
    (void)strcpy(plan.model.architecture, "Qwen3ForCausalLM");
    assert_false(loaded(&plan)->lora_on_embeddings);
}

// ---- Cards

// platforms/rocm.py v0.7.0 to v0.20.2 counts what the whole device holds; rows of 8-bit weights are padded on ROCm from
// 0.8.0 on; Marlin repeats the scales of blocks from 0.9.0 on where a card has no fp8 of its own; a largest split from
// 0.21.0 on, on CUDA and V1 alone (gpu_worker.py v0.21.0).
static void by_card_and_release(void **state)
{
    (void)state;
    static const struct {
        enum kvb_vendor vendor;
        uint32_t release, capability;
        bool counts, padded, by_row, split;
    } rows[] = {
        {KVB_VENDOR_AMD, R(6, 6), 0, false, false, false, false},
        {KVB_VENDOR_AMD, R(7, 0), 0, true, false, false, false},
        {KVB_VENDOR_AMD, R(7, 3), 0, true, false, false, false},
        {KVB_VENDOR_AMD, R(8, 0), 0, true, true, false, false},
        {KVB_VENDOR_AMD, R(20, 2), 0, true, true, false, false},
        {KVB_VENDOR_AMD, R(21, 0), 0, false, true, false, false},
        {KVB_VENDOR_NVIDIA, R(8, 5), 80, false, false, false, false},
        {KVB_VENDOR_NVIDIA, R(9, 0), 80, false, false, true, false},
        {KVB_VENDOR_NVIDIA, R(9, 0), 88, false, false, true, false},
        {KVB_VENDOR_NVIDIA, R(9, 0), 89, false, false, false, false},
        {KVB_VENDOR_NVIDIA, R(20, 2), 90, false, false, false, false},
        {KVB_VENDOR_NVIDIA, R(21, 0), 90, false, false, false, true},
        {KVB_VENDOR_NVIDIA, R(21, 0), 0, false, false, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.vendor = rows[i].vendor;
        plan.gpu.compute_capability = rows[i].capability;
        const struct kvb_load *load = loaded(&plan);
        bool right = load->counts_device == rows[i].counts && (load->runtime_bytes > 0) == rows[i].counts &&
                     load->padded_rows == rows[i].padded && load->scales_by_row == rows[i].by_row &&
                     load->largest_split_bytes == (rows[i].split ? 20 * MIB : 0);
        if (!right) {
            fail_msg("row %zu", i);
        }
    }
}

// compressed_tensors_moe.py v0.13.0 process_weights_after_loading turns 4-bit experts; GPTQ's own are converted as
// read.
static void relaid_where_the_device_is_counted(void **state)
{
    (void)state;
    static const struct {
        enum kvb_vendor vendor;
        enum kvb_quantisation_method method;
        bool relaid;
    } rows[] = {{KVB_VENDOR_AMD, KVB_QUANT_WNA16, true},
                {KVB_VENDOR_AMD, KVB_QUANT_GPTQ, false},
                {KVB_VENDOR_NVIDIA, KVB_QUANT_WNA16, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(13, 0));
        plan.gpu.vendor = rows[i].vendor;
        plan.model.quantisation.method = rows[i].method;
        assert_int_equal(loaded(&plan)->relays_packed, rows[i].relaid);
    }
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
}

// mla/common.py v0.7.0 absorbs the projections; V0 without unified addressing returns what a layer moved.
static void by_engine(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(6, 6));
    assert_false(loaded(&plan)->absorbs_latent);
    assert_true(loaded(&plan)->returns_layers);
    make_llama_plan(&plan, R(7, 0));
    assert_true(loaded(&plan)->absorbs_latent);
    make_llama_plan(&plan, R(21, 0));
    assert_false(loaded(&plan)->returns_layers);
    assert_false(loaded(&plan)->pooled);
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
    assert_true(loaded(&plan)->pooled);
    plan.engine.release = R(20, 2);
    assert_false(loaded(&plan)->pooled);
}

KVB_TEST_MAIN(cmocka_unit_test(towers_that_are_left_out), cmocka_unit_test(adapters),
              cmocka_unit_test(by_card_and_release), cmocka_unit_test(relaid_where_the_device_is_counted),
              cmocka_unit_test(by_engine))
