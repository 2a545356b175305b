// What V1 lacked and from which release to which, and what it ran only when it was asked for: the questions of
// _is_v1_supported_oracle in vllm/engine/arg_utils.py, tag by tag from 0.8.0 to 0.10.2.
#include <string.h>

#include "engines/vllm/v1_oracle.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

enum with {
    STEPS,
    OLD_CARD,
    CACHE,
    FOREIGN,
    OFFLOAD,
    FLOAT32,
    BITSANDBYTES,
    GGUF,
    POOLING,
    PARTIAL,
    THRESHOLD,
    DRAFT,
    EAGLE,
    MTP,
    TRANSFER,
    STAGES,
    STAGES_BY_MP,
    STAGES_BY_RAY,
    NGRAM,
    ADAPTERS,
    AMD
};

static const struct kvb_context *context_with(enum with with, uint32_t release)
{
    make_llama_plan(&plan, release);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
    switch (with) {
    case STEPS:
        plan.plain_numbers[KVB_PLAIN_SCHEDULER_STEPS] = (struct kvb_plain_value){.set = true, .number = 8};
        break;
    case OLD_CARD:
        plan.gpu.compute_capability = 75;
        break;
    case CACHE:
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        break;
    case FOREIGN: // an 8-bit cache on a card before Hopper
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        plan.gpu.compute_capability = 89;
        break;
    case OFFLOAD:
        set(&plan, KVB_SET_CPU_OFFLOAD_GB, GIB);
        break;
    case FLOAT32:
        set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
        break;
    case BITSANDBYTES:
        set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
        break;
    case GGUF:
        set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GGUF);
        break;
    case POOLING:
        plan.model.pooling = true;
        break;
    case PARTIAL:
        plan.plain_numbers[KVB_PLAIN_PARTIAL_PREFILLS] = (struct kvb_plain_value){.set = true, .number = 2};
        break;
    case THRESHOLD:
        plan.plain_numbers[KVB_PLAIN_LONG_PREFILL_THRESHOLD] = (struct kvb_plain_value){.set = true, .number = 0};
        break;
    case TRANSFER:
        set(&plan, KVB_SET_KV_TRANSFER, 1);
        break;
    case STAGES:
    case STAGES_BY_MP:
    case STAGES_BY_RAY:
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        plan.plain_flags |= with == STAGES_BY_MP ? KVB_PLAIN_MP : with == STAGES_BY_RAY ? KVB_PLAIN_RAY : 0;
        break;
    case ADAPTERS:
        set(&plan, KVB_SET_ENABLE_LORA, 1);
        break;
    case AMD:
        plan.gpu.vendor = KVB_VENDOR_AMD;
        break;
    default:
        set(&plan, KVB_SET_SPECULATIVE_METHOD,
            with == EAGLE   ? KVB_SPECULATIVE_EAGLE
            : with == MTP   ? KVB_SPECULATIVE_MTP
            : with == NGRAM ? KVB_SPECULATIVE_NGRAM
                            : KVB_SPECULATIVE_DRAFT_MODEL);
        break;
    }
    return resolved(&plan);
}

struct row {
    enum with with;
    uint32_t first, last, behind; // the last release that lacks it, the next one; 0: not asked
    const char *feature;
};

static void check(const struct row *rows, size_t count, const char *(*of)(const struct kvb_context *context))
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t releases[] = {rows[i].first, rows[i].last, rows[i].behind};
        for (size_t at = 0; at < 3; at++) {
            const char *feature = releases[at] != 0 ? of(context_with(rows[i].with, releases[at])) : NULL;
            const char *wanted = at < 2 ? rows[i].feature : NULL;
            bool same = feature == NULL || wanted == NULL ? feature == wanted : strcmp(feature, wanted) == 0;
            if (releases[at] != 0 && !same) {
                fail_msg("%u with %u: %s", releases[at], rows[i].with, feature != NULL ? feature : "nothing");
            }
        }
    }
}

static void what_v1_lacked(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {STEPS, R(8, 0), R(10, 0), R(10, 1), "--num-scheduler-steps"},
        {OLD_CARD, R(8, 0), R(10, 1), R(10, 2), "Compute Capability < 8.0"},
        {CACHE, R(8, 0), R(8, 1), R(8, 2), "--kv-cache-dtype"},
        {FOREIGN, R(8, 2), R(10, 1), R(11, 0), "--kv-cache-dtype"},
        {OFFLOAD, R(8, 0), R(8, 2), R(8, 3), "--cpu-offload-gb"},
        {FLOAT32, R(8, 0), R(9, 1), R(9, 2), "--dtype torch.float32"},
        {BITSANDBYTES, R(8, 0), R(8, 2), R(8, 3), "--quantization bitsandbytes"},
        {GGUF, R(8, 0), R(8, 5), R(9, 0), "--quantization gguf"},
        {POOLING, R(8, 0), R(9, 1), R(9, 2), "--task embed"},
        {PARTIAL, R(8, 0), R(10, 2), R(11, 0), "Concurrent Partial Prefill"},
        {THRESHOLD, R(8, 0), R(8, 2), R(8, 3), "Concurrent Partial Prefill"},
        {DRAFT, R(8, 0), R(9, 2), R(10, 0), "Speculative Decoding"},
        {EAGLE, R(8, 0), R(8, 2), R(8, 3), "Speculative Decoding"},
        {MTP, R(8, 0), R(8, 5), R(9, 0), "Speculative Decoding"},
        {NGRAM, 0, 0, R(8, 0), "Speculative Decoding"},
        {TRANSFER, R(8, 0), R(8, 4), R(8, 5), "--kv-transfer-config"},
        {STAGES, R(8, 3), R(8, 5), R(9, 1), "Pipeline Parallelism without Ray distributed executor"},
        {STAGES, R(9, 0), R(9, 0) + 1, R(8, 2),
         "Pipeline Parallelism without Ray distributed executor or multiprocessing executor or external launcher"},
        {STAGES_BY_MP, R(8, 3), R(8, 5), R(9, 0), "Pipeline Parallelism without Ray distributed executor"},
        {STAGES_BY_RAY, 0, 0, R(8, 5), ""},
    };
    check(rows, sizeof rows / sizeof rows[0], kvb_v1_lacks);
}

// The cache in 8 bits by card and backend: arg_utils.py v0.8.2 and v0.9.0 to v0.9.2; platforms/cuda.py
// is_kv_cache_dtype_supported v0.10.0 and v0.10.2, where supports_fp8() asks for 8.9.
static void caches_of_8_bits(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        enum kvb_backend backend;
        bool latent, lacks;
    } rows[] = {
        {R(8, 2), 90, KVB_BACKEND_AUTO, false, false},        {R(8, 2), 89, KVB_BACKEND_AUTO, false, true},
        {R(8, 2), 90, KVB_BACKEND_FLASH_ATTN, false, false},  {R(8, 2), 90, KVB_BACKEND_FLASHINFER, false, true},
        {R(8, 2), 90, KVB_BACKEND_TRITON, false, true},       {R(9, 2), 100, KVB_BACKEND_AUTO, false, true},
        {R(10, 0), 100, KVB_BACKEND_AUTO, false, false},      {R(10, 0), 100, KVB_BACKEND_TRITON, false, false},
        {R(10, 0), 103, KVB_BACKEND_AUTO, false, true},       {R(10, 0), 120, KVB_BACKEND_AUTO, false, true},
        {R(10, 0), 90, KVB_BACKEND_FLASHMLA, true, true},     {R(10, 1), 90, KVB_BACKEND_FLASHINFER, false, true},
        {R(10, 2), 90, KVB_BACKEND_FLASHINFER, false, false}, {R(10, 2), 80, KVB_BACKEND_FLASHINFER, false, false},
        {R(10, 2), 90, KVB_BACKEND_TRITON, false, false},     {R(10, 2), 89, KVB_BACKEND_TRITON, false, false},
        {R(10, 2), 86, KVB_BACKEND_TRITON, false, true},      {R(10, 2), 90, KVB_BACKEND_FLEX, false, true},
        {R(10, 2), 89, KVB_BACKEND_AUTO, false, true},        {R(10, 2), 90, KVB_BACKEND_AUTO, false, false},
        {R(10, 2), 80, KVB_BACKEND_AUTO, true, false},        {R(10, 2), 80, KVB_BACKEND_FLASHMLA, true, false},
        {R(10, 2), 80, KVB_BACKEND_CUTLASS_MLA, true, false}, {R(10, 2), 90, KVB_BACKEND_TRITON_MLA, true, true},
        {R(10, 2), 0, KVB_BACKEND_TRITON, false, false},      {R(8, 2), 0, KVB_BACKEND_AUTO, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].latent) {
            make_latent_plan(&plan, rows[i].release, 8192, 256);
        } else {
            make_llama_plan(&plan, rows[i].release);
        }
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].backend;
        const char *lacks = kvb_v1_lacks(resolved(&plan));
        bool old = rows[i].capability < 80 && rows[i].capability > 0;
        assert_true(lacks == NULL || old); // the model's own bits
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        lacks = kvb_v1_lacks(resolved(&plan));
        if ((lacks != NULL) != rows[i].lacks || (lacks != NULL && strcmp(lacks, "--kv-cache-dtype") != 0)) {
            fail_msg("row %zu: %s", i, lacks != NULL ? lacks : "nothing");
        }
    }
    for (uint32_t minor = 8; minor <= 10; minor++) { // ROCm from 0.9.0 on
        make_llama_plan(&plan, R(minor, 2));
        plan.gpu.vendor = KVB_VENDOR_AMD;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        assert_int_equal(kvb_v1_lacks(resolved(&plan)) != NULL, minor == 8);
    }
}

// The words of a line and of a header, whichever names them: method_is of both kinds.
static void methods_of_headers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *feature;
        uint32_t last, behind;
    } rows[] = {{"bitsandbytes", "--quantization bitsandbytes", R(8, 2), R(8, 3)},
                {"gguf", "--quantization gguf", R(8, 5), R(9, 0)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].last);
        (void)strcpy(plan.model.quantisation.name, rows[i].name);
        assert_string_equal(kvb_v1_lacks(resolved(&plan)), rows[i].feature);
        plan.engine.release = rows[i].behind;
        assert_null(kvb_v1_lacks(resolved(&plan)));
    }
}

// arg_utils.py v0.8.0 to v0.8.2: any number of partial prefills but one, of long ones as well.
static void partial_prefills(void **state)
{
    (void)state;
    static const enum kvb_plain_number numbers[] = {KVB_PLAIN_PARTIAL_PREFILLS, KVB_PLAIN_LONG_PARTIAL_PREFILLS};
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t number = 0; number <= 2; number++) {
            make_llama_plan(&plan, R(8, 5));
            plan.plain_numbers[numbers[i]] = (struct kvb_plain_value){.set = true, .number = number};
            assert_int_equal(kvb_v1_lacks(resolved(&plan)) != NULL, number != 1);
        }
    }
}

static void what_v1_tried(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {NGRAM, R(8, 0), R(8, 5), R(9, 0), "ngram"},
        {EAGLE, R(8, 3), R(8, 5), R(9, 0), "Eagle"},
        {EAGLE, 0, 0, R(8, 2), "Eagle"},
        {ADAPTERS, R(8, 0), R(8, 2), R(8, 3), "LORA"},
        {STAGES, R(8, 0), R(8, 2), R(8, 3), "PP"},
        {AMD, R(8, 0), R(9, 1), R(9, 2), "device type"},
        {OFFLOAD, 0, 0, R(8, 0), ""},
    };
    check(rows, sizeof rows / sizeof rows[0], kvb_v1_tries);
}

KVB_TEST_MAIN(cmocka_unit_test(caches_of_8_bits), cmocka_unit_test(methods_of_headers),
              cmocka_unit_test(partial_prefills), cmocka_unit_test(what_v1_lacked), cmocka_unit_test(what_v1_tried))
