// Setting rows, their words and values, and release numbers. Expected numbers are written out by hand.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static void every_row_is_complete(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of(i);
        assert_non_null(row->key);
        assert_non_null(row->help);
        assert_true(row->minimum <= row->maximum);
        assert_int_equal(row->kind == KVB_VALUE_WORD, row->words != NULL && row->kind != KVB_VALUE_PART);
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(row->key, kvb_setting_row_of(j)->key);
        }
    }
}

static void every_word_reads_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of(i);
        for (uint32_t w = 0; w < row->word_count; w++) {
            uint64_t number = 99;
            char why[256], out[48];
            assert_true(kvb_setting_parse((enum kvb_setting)i, row->words[w].text, &number, why));
            assert_int_equal(number, row->words[w].number);
            assert_true(number <= row->maximum);
            uint64_t again = 99;
            assert_true(kvb_setting_parse((enum kvb_setting)i, kvb_setting_format(out, (enum kvb_setting)i, number),
                                          &again, why));
            assert_int_equal(again, number);
        }
    }
}

// What the releases themselves list and runs on GPUs: the attention backends of vllm/platforms/interface.py _Backend
// (v0.6.5 to v0.11.0) and v1/attention/backends/registry.py AttentionBackendEnum (to v0.27.1), the methods of
// config/speculative.py SpeculativeMethod and MTPModelTypes (v0.8.5 to v0.27.1), and of layers/quantization/__init__.py
// QuantizationMethods (v0.4.1 to v0.27.1) those that a checkpoint can be read with here.
static void words_of_all_releases(void **state)
{
    (void)state;
    static const struct {
        enum kvb_setting setting;
        const char *words;
    } rows[] = {
        {KVB_SET_ATTENTION_BACKEND,
         "FLASH_ATTN FLASH_ATTN_VLLM_V1 XFORMERS ROCM_FLASH TORCH_SDPA FLASHINFER NO_ATTENTION BLOCK_SPARSE_FLASH_ATTN "
         "TRITON_MLA FLASHMLA TRITON_ATTN_VLLM_V1 ROCM_AITER_MLA ROCM_AITER_MLA_VLLM_V1 DUAL_CHUNK_FLASH_ATTN "
         "FLASHINFER_VLLM_V1 TRITON_MLA_VLLM_V1 FLASHMLA_VLLM_V1 CUTLASS_MLA_VLLM_V1 FLEX_ATTENTION "
         "DIFFERENTIAL_FLASH_ATTN ROCM_AITER_FA CUTLASS_MLA TREE_ATTN XFORMERS_VLLM_V1 TORCH_SDPA_VLLM_V1 "
         "FLASHINFER_MLA "
         "FLASH_ATTN_MLA TRITON_ATTN ROCM_ATTN FLASHMLA_SPARSE ROCM_AITER_UNIFIED_ATTN CUSTOM ROCM_AITER_TRITON_MLA "
         "ROCM_AITER_MLA_SPARSE FLASH_ATTN_DIFFKV FLASHINFER_MLA_SPARSE TURBOQUANT TOKENSPEED_MLA FLASHMLA_SPARSE_DSV4 "
         "FLASHINFER_MLA_SPARSE_DSV4 ROCM_FLASHMLA_SPARSE_DSV4 TRITON_ATTN_DIFFKV FLASHINFER_MLA_SPARSE_SM120 "
         "MINIMAX_M3_SPARSE FLASH_ATTN_MLA_SPARSE HPC_ATTN CUTLASS_MSA TRITON_MSA"},
        {KVB_SET_SPECULATIVE_METHOD,
         "ngram eagle medusa mlp_speculator draft_model deepseek_mtp eagle3 ernie_mtp qwen3_next_mtp mimo_mtp "
         "longcat_flash_mtp mtp suffix glm4_moe_mtp pangu_ultra_moe_mtp exaone_moe_mtp glm4_moe_lite_mtp step3p5_mtp "
         "glm_ocr_mtp nemotron_h_mtp qwen3_5_mtp ngram_gpu exaone4_5_mtp hy_v3_mtp dflash mimo_v2_mtp gemma4_mtp "
         "custom_class minimax_m3_mtp bailing_hybrid_mtp dspark inkling_mtp kimi_k3_mtp"},
        {KVB_SET_QUANTIZATION,
         "awq fp8 gptq squeezellm marlin gptq_marlin gptq_marlin_24 compressed-tensors bitsandbytes fbgemm_fp8 "
         "awq_marlin "
         "gguf experts_int8 modelopt ipex hqq quark moe_wna16 ptpc_fp8 nvfp4 torchao bitblas gptq_bitblas modelopt_fp4 "
         "auto-round inc mxfp4 petit_nvfp4 modelopt_mxfp8 modelopt_mixed mxfp8 gpt_oss_mxfp4 deepseek_v4_fp8 "
         "fp8_per_tensor fp8_per_block int8_per_channel_weight_only auto_gptq auto_awq fp8_per_channel "
         "nvfp4_per_token"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (const char *at = rows[i].words; *at != '\0'; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            char word[48] = "", why[256];
            uint64_t number;
            memcpy(word, at, length);
            if (!kvb_setting_parse(rows[i].setting, word, &number, why)) {
                fail_msg("%s", why);
            }
            at += length;
        }
    }
}

struct value_row {
    enum kvb_setting setting;
    const char *text;
    uint64_t number;
    const char *written;
};

static void values_are_read_as_vllm_reads_them(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0.9", 900000, "0.90"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "1", 1000000, "1.00"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0.925", 925000, "0.925"},
        {KVB_SET_MAX_MODEL_LEN, "32k", 32000, "32000"},
        {KVB_SET_MAX_MODEL_LEN, "32K", 32768, "32768"},
        {KVB_SET_MAX_MODEL_LEN, "1M", 1048576, "1048576"},
        {KVB_SET_MAX_MODEL_LEN, "auto", KVB_AUTO, "auto"},
        {KVB_SET_MAX_MODEL_LEN, "-1", KVB_AUTO, "auto"},
        {KVB_SET_MAX_NUM_BATCHED_TOKENS, "25.6k", 25600, "25600"},
        {KVB_SET_CPU_OFFLOAD_GB, "0.5", 536870912, "0.5"},
        {KVB_SET_SWAP_SPACE, "4", 4294967296, "4"},
        {KVB_SET_SWAP_SPACE, "0", 0, "0"},
        {KVB_SET_ENFORCE_EAGER, "True", 1, "true"},
        {KVB_SET_ENABLE_PREFIX_CACHING, "off", 0, "false"},
        {KVB_SET_KV_CACHE_DTYPE, "fp8_e5m2", KVB_KV_FP8_E5M2, "fp8_e5m2"},
        {KVB_SET_DTYPE, "half", KVB_DTYPE_WORD_FP16, "float16"},
        {KVB_SET_ATTENTION_BACKEND, "FLASHINFER", KVB_BACKEND_FLASHINFER, "flashinfer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 0;
        char why[256], out[48];
        assert_true(kvb_setting_parse(rows[i].setting, rows[i].text, &number, why));
        assert_true(number == rows[i].number);
        assert_string_equal(kvb_setting_format(out, rows[i].setting, number), rows[i].written);
    }
}

static void bad_values_say_what_would_do(void **state)
{
    (void)state;
    static const struct {
        enum kvb_setting setting;
        const char *text, *why;
    } rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, "90", "'90' is out of range; expected from 0.000001 to 1.00"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0", "'0' is out of range; expected from 0.000001 to 1.00"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "90%", "'90%' is not a decimal number such as 0.9"},
        {KVB_SET_MAX_MODEL_LEN, "32KiB", "'32KiB' is not a whole number, 32k, 32K, 1M or auto"},
        {KVB_SET_MAX_MODEL_LEN, "", "'' is not a whole number, 32k, 32K, 1M or auto"},
        {KVB_SET_TENSOR_PARALLEL_SIZE, "0", "'0' is out of range; expected from 1 to 65536"},
        {KVB_SET_KV_CACHE_DTYPE, "fp9", "'fp9' is not known; did you mean 'fp8'?"},
        {KVB_SET_DTYPE, "zzzzz", "'zzzzz' is not known; expected one of auto, bfloat16, float16, float32"},
        {KVB_SET_ENFORCE_EAGER, "maybe", "'maybe' is not true or false"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 77;
        char why[256];
        assert_false(kvb_setting_parse(rows[i].setting, rows[i].text, &number, why));
        assert_string_equal(why, rows[i].why);
        assert_int_equal(number, 77);
    }
}

static void a_long_value_is_cut(void **state)
{
    (void)state;
    char text[600], why[256];
    uint64_t number;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        assert_false(kvb_setting_parse((enum kvb_setting)i, text, &number, why));
        assert_true(strlen(why) < sizeof why);
        assert_non_null(strstr(why, "..."));
    }
}

static void a_higher_origin_stays(void **state)
{
    (void)state;
    struct kvb_settings settings;
    memset(&settings, 0, sizeof settings);
    const struct kvb_setting_value *value = &settings.values[KVB_SET_MAX_NUM_SEQS];
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 1, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 2, KVB_ORIGIN_PROFILE);
    assert_int_equal(value->number, 1);
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 3, KVB_ORIGIN_COMMAND);
    assert_int_equal(value->number, 3);
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 4, KVB_ORIGIN_FLAG);
    assert_int_equal(value->number, 4);
    assert_string_equal(kvb_origin_name((enum kvb_origin)value->origin), "flag");
}

static void releases_sort_and_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t release;
        const char *written;
    } rows[] = {
        {"0.2.0", 20000, "0.2.0"},
        {"0.6.4.post1", 60401, "0.6.4.post1"},
        {"v0.19.0", 190000, "0.19.0"},
        {"0.27", 270000, "0.27.0"},
        {"0.11.0rc2", 110000, "0.11.0"},
        {"0.11.1.dev12+gabc1234.cu128", 110100, "0.11.1"},
        {"0.10.2+cu128", 100200, "0.10.2"},
        {"b5429", 2147489077, "b5429"},
        {"0.10.1.1", 100101, "0.10.1.post1"}, // a hot fix counts as a post release
        {"1.0.0", 1000000, "1.0.0"},
        {"99.99.99.post99", 99999999, "99.99.99.post99"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t release = 0;
        char out[32];
        assert_true(kvb_release_parse(rows[i].text, &release));
        assert_int_equal(release, rows[i].release);
        assert_string_equal(kvb_release_format(out, release), rows[i].written);
    }
    static const char *const bad[] = {"",     "v",       "0",        "0.",     "latest",     "0.6.x",
                                      "0..1", "0.100.0", "0.6.4foo", "-0.6.4", "0.6.4rc1\n", "0.6.4.5.6"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t release = 5;
        assert_false(kvb_release_parse(bad[i], &release));
        assert_int_equal(release, 5);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(every_row_is_complete), cmocka_unit_test(every_word_reads_back),
              cmocka_unit_test(words_of_all_releases), cmocka_unit_test(values_are_read_as_vllm_reads_them),
              cmocka_unit_test(bad_values_say_what_would_do), cmocka_unit_test(a_long_value_is_cut),
              cmocka_unit_test(a_higher_origin_stays), cmocka_unit_test(releases_sort_and_read_back))
