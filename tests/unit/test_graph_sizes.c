// Which CUDA graphs are captured: tests/fixtures/releases/graphs.csv holds what the functions of each release answered
// (vllm/config/vllm.py _set_cudagraph_sizes, config/compilation.py, v1/cudagraph_dispatcher.py,
// v1/worker/gpu_model_runner.py, v1/worker/gpu/cudagraph_utils.py and, before, worker/model_runner.py), run with
// stand-ins for torch and for an attention that takes uniform batches; any batch on Hopper, one token a request
// where the row says single, none where it says never.
// Each row: release, runner, words, sizes as 1 2 4 8-248/8 (from, to, step), graphs of pieces, graphs of whole steps.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/refusal.h"
#include "unit/fixture_rows.h"
#include "unit/plans.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void name_sizes(const char *list, bool of_flag)
{
    struct kvb_graph_sizes *sizes = &plan.graph_sizes;
    uint64_t largest = 0;
    for (char *at = (char *)(uintptr_t)list; *at != '\0'; at += *at == '+') {
        uint32_t size = (uint32_t)strtoul(at, &at, 10);
        sizes->tokens[sizes->count++] = size;
        largest = size > largest ? size : largest;
    }
    sizes->of_flag = of_flag;
    set(&plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, sizes->count);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, largest);
}

static uint64_t mode_named(const char *name)
{
    return strcmp(name, "NONE") == 0               ? KVB_GRAPH_MODE_NONE
           : strcmp(name, "PIECEWISE") == 0        ? KVB_GRAPH_MODE_PIECEWISE
           : strcmp(name, "FULL") == 0             ? KVB_GRAPH_MODE_FULL
           : strcmp(name, "FULL_DECODE_ONLY") == 0 ? KVB_GRAPH_MODE_FULL_DECODE_ONLY
                                                   : KVB_GRAPH_MODE_FULL_AND_PIECEWISE;
}

static bool ask_number(const char *key, uint64_t value)
{
    static const struct {
        const char *key;
        enum kvb_setting setting;
    } settings[] = {{"seqs", KVB_SET_MAX_NUM_SEQS},
                    {"tokens", KVB_SET_MAX_NUM_BATCHED_TOKENS},
                    {"tp", KVB_SET_TENSOR_PARALLEL_SIZE},
                    {"pp", KVB_SET_PIPELINE_PARALLEL_SIZE},
                    {"most", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE},
                    {"loras", KVB_SET_MAX_LORAS}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(settings[i].key, key) == 0) {
            set(&plan, settings[i].setting, value);
            return true;
        }
    }
    if (strcmp(key, "capability") == 0) {
        plan.gpu.compute_capability = (uint32_t)value;
        return true;
    }
    if (strcmp(key, "drafts") == 0) {
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, value);
        return true;
    }
    return false;
}

static void ask_switch(const char *word)
{
    if (strcmp(word, "sp") == 0) {
        plan.graph_sizes.sequence_parallel = true;
    } else if (strcmp(word, "lora") == 0) {
        set(&plan, KVB_SET_ENABLE_LORA, 1);
    } else if (strcmp(word, "always") == 0) {
        plan.graph_sizes.adapters_always = true;
    } else if (strcmp(word, "counts") == 0) {
        plan.plain_flags |= KVB_PLAIN_ADAPTER_COUNTS;
    } else if (strcmp(word, "interactivity") == 0) {
        set(&plan, KVB_SET_PERFORMANCE_MODE, KVB_PERFORMANCE_INTERACTIVITY);
    } else if (strcmp(word, "eager") == 0) {
        set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    } else if (strcmp(word, "single") == 0) {
        plan.environment.attention_backend = KVB_BACKEND_FLASHINFER;
    } else if (strcmp(word, "never") == 0) {
        plan.model.kinds[0].attention.kind = KVB_ATTENTION_CHUNKED;
        plan.model.kinds[0].attention.window_tokens = 8192;
    } else {
        fail_msg("no word %s", word);
    }
}

static void ask(uint32_t release, const char *runner, char *words)
{
    make_llama_plan(&plan, release);
    plan.environment.use_v2_model_runner = strcmp(runner, "2") == 0 ? KVB_YES : KVB_NO;
    plan.environment.use_v1 = strcmp(runner, "0") == 0 ? KVB_NO : KVB_YES;
    plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        if (value == NULL) {
            ask_switch(word);
            continue;
        }
        *value++ = '\0';
        if (strcmp(word, "mode") == 0) {
            set(&plan, KVB_SET_CUDAGRAPH_MODE, mode_named(value));
        } else if (strcmp(word, "flag") == 0 || strcmp(word, "config") == 0) {
            name_sizes(value, strcmp(word, "flag") == 0);
        } else if (!ask_number(word, strtoull(value, NULL, 10))) {
            fail_msg("no word %s", word);
        }
    }
}

// The first size that is not as written; 0: all are.
static uint64_t first_wrong(const struct kvb_context *context, const char *written)
{
    uint64_t last = 0;
    for (char *at = (char *)(uintptr_t)written; *at != '\0'; at += strspn(at, " ")) {
        uint64_t from = strtoull(at, &at, 10), to = from, step = 1;
        if (*at == '-') {
            to = strtoull(at + 1, &at, 10);
            step = strtoull(at + 1, &at, 10);
        }
        for (; from <= to; from += step) {
            uint64_t next = kvb_capture_size_after(context, last);
            if (next != from) {
                return from;
            }
            last = next;
        }
    }
    return kvb_capture_size_after(context, last);
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    char asked[ROW_MAX_BYTES];
    struct kvb_captures captures;
    (void)seen;
    (void)strcpy(asked, cells[2]);
    ask(release_of(cells[0]), cells[1], cells[2]);
    const struct kvb_context *context = resolved(&plan);
    kvb_captures_of(context, &captures);
    bool none = context->eager || strstr(asked, "mode=NONE") != NULL;
    uint64_t wrong = none ? 0 : first_wrong(context, cells[3]);
    bool same = wrong == 0 && captures.piecewise == strtoull(cells[4], NULL, 10) &&
                captures.full == strtoull(cells[5], NULL, 10);
    if (!same) {
        print_error("at %" PRIu64 ", %" PRIu64 " and %" PRIu64 " graphs\n", wrong, captures.piecewise, captures.full);
    }
    return same;
}

static void as_each_release_captures(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/releases/graphs.csv", 6, look, &seen);
    assert_true(seen.rows >= 180);
    assert_int_equal(seen.different, 0);
}

static void captures_are(const char *what, uint64_t piecewise, uint64_t full)
{
    struct kvb_captures captures;
    kvb_captures_of(resolved(&plan), &captures);
    if (captures.piecewise != piecewise || captures.full != full) {
        fail_msg("%s: %" PRIu64 " and %" PRIu64 " graphs", what, captures.piecewise, captures.full);
    }
}

// 0.21.0, 256 requests, steps of 8192: 51 sizes up to 512, 35 of them up to 256.
static void ask_llama(uint32_t release, uint32_t capability)
{
    make_llama_plan(&plan, release);
    plan.environment.use_v2_model_runner = KVB_NO;
    plan.gpu.compute_capability = capability;
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
}

// get_cudagraph_support of v1/attention/backends at v0.21.0: FlashAttention 3 (flash_attn.py) and Triton's
// (triton_attn.py) take any batch, FlashAttention 2, FlashInfer, latents and states do not: FULL becomes both kinds.
static void any_batch_by_backend(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t capability;
        enum kvb_backend backend;
        enum kvb_vendor vendor;
        enum kvb_attention kind;
        bool any;
    } rows[] = {
        {"Hopper", 90, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {"Hopper, FlashAttention", 90, KVB_BACKEND_FLASH_ATTN, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {"Hopper, FlashInfer", 90, KVB_BACKEND_FLASHINFER, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {"Ampere", 80, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {"Ampere, Triton", 80, KVB_BACKEND_TRITON, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {"AMD", 90, KVB_BACKEND_AUTO, KVB_VENDOR_AMD, KVB_ATTENTION_FULL, false},
        {"latents", 90, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_MLA, false},
        {"states", 90, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_GDN, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask_llama(R(21, 0), rows[i].capability);
        plan.gpu.vendor = rows[i].vendor;
        plan.environment.attention_backend = rows[i].backend;
        plan.model.kinds[0].attention.kind = rows[i].kind;
        set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL);
        captures_are(rows[i].what, rows[i].any ? 0 : 51, rows[i].any ? 51 : 35);
    }
}

// vllm.py v0.13.0: encoder-decoders take FULL_DECODE_ONLY, before PIECEWISE. Two drafts on FlashInfer leave pieces
// alone; TensorRT-LLM's kernels of B200 take them from 0.11.1 on (flashinfer.py:574).
static void falls_back(void **state)
{
    (void)state;
    ask_llama(R(13, 0), 80);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_CROSS;
    captures_are("cross attention, 0.13", 0, 35);
    plan.engine.release = R(12, 0);
    captures_are("cross attention, 0.12", 51, 0);
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_NONE);
    captures_are("none", 0, 0);
    assert_int_equal(kvb_capture_sizes(resolved(&plan)), 51);
    static const struct {
        uint32_t release, capability;
        enum kvb_vendor vendor;
        uint32_t context_ranks;
        bool full;
    } rows[] = {{R(11, 1), 100, KVB_VENDOR_NVIDIA, 1, true},  {R(11, 0), 100, KVB_VENDOR_NVIDIA, 1, false},
                {R(11, 1), 90, KVB_VENDOR_NVIDIA, 1, false},  {R(11, 1), 100, KVB_VENDOR_AMD, 1, false},
                {R(27, 1), 120, KVB_VENDOR_NVIDIA, 1, false}, {R(28, 0), 120, KVB_VENDOR_NVIDIA, 1, true},
                {R(28, 0), 121, KVB_VENDOR_NVIDIA, 1, true},  {R(28, 0), 120, KVB_VENDOR_NVIDIA, 2, false},
                {R(28, 0), 90, KVB_VENDOR_NVIDIA, 1, false},  {R(28, 0), 120, KVB_VENDOR_AMD, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_captures captures;
        ask_llama(rows[i].release, rows[i].capability);
        plan.gpu.vendor = rows[i].vendor;
        plan.environment.use_v2_model_runner = KVB_NO;
        plan.environment.attention_backend = KVB_BACKEND_FLASHINFER;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].context_ranks);
        set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, rows[i].context_ranks);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        kvb_captures_of(resolved(&plan), &captures);
        assert_true((captures.full > 0) == rows[i].full);
        assert_true(captures.piecewise > 0);
    }
}

static void sizes_are(const uint64_t *sizes, size_t count)
{
    uint64_t last = 0;
    for (size_t i = 0; i <= count; i++) {
        last = kvb_capture_size_after(resolved(&plan), last);
        assert_int_equal(last, i < count ? sizes[i] : 0);
    }
}

// A profile says how many sizes there are and the largest, or how many alone: spread evenly, 1 and the largest among
// them. Of four up to 512 every 512 / 4 = 128; of more than there are numbers, each.
static void sizes_by_their_number(void **state)
{
    (void)state;
    static const uint64_t four[] = {1, 129, 257, 512}, each[] = {1, 2, 3, 4}, pairs[] = {1, 3, 5, 8}, all[] = {8};
    ask_llama(R(21, 0), 80);
    set(&plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 4);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 512);
    sizes_are(four, 4);
    unset(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    sizes_are(four, 4);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 8);
    sizes_are(pairs, 4);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 4);
    sizes_are(each, 4);
    set(&plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 8);
    sizes_are(each, 4);
    set(&plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 1);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 8);
    sizes_are(all, 1);
}

// Two sizes are named; what lies behind them in the plan is none.
static void named_sizes_alone(void **state)
{
    (void)state;
    static const uint64_t named[] = {8, 64};
    ask_llama(R(21, 0), 80);
    name_sizes("64+8", true);
    plan.graph_sizes.tokens[plan.graph_sizes.count] = 32;
    sizes_are(named, 2);
}

// One size of 3 and requests of 4 tokens: adjust_cudagraph_sizes_for_spec_decode leaves it alone in 0.11.2, and from
// 0.12.0 stops with "No valid cudagraph sizes after rounding to multiple of 4".
static void none_holds_a_request(void **state)
{
    (void)state;
    static const uint64_t three[] = {3};
    ask_llama(R(11, 2), 80);
    name_sizes("3", true);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
    sizes_are(three, 1);
    says(kvb_refusal_draft_graphs, &plan, NULL);
    plan.engine.release = R(12, 0);
    sizes_are(NULL, 0);
    says(kvb_refusal_draft_graphs, &plan,
         "No valid cudagraph sizes after rounding to multiple of 4 (num_speculative_tokens + 1 or tp if sequence "
         "parallelism is enabled) please adjust num_speculative_tokens (3) or max_cudagraph_capture_size or "
         "cudagraph_capture_sizes");
    plan.graph_sizes.tokens[0] = 4;
    says(kvb_refusal_draft_graphs, &plan, NULL);
    plan.graph_sizes.tokens[0] = 99999; // no step is as large: vllm.py leaves no size, and none is rounded
    sizes_are(NULL, 0);
    says(kvb_refusal_draft_graphs, &plan, NULL);
}

// adjust_cudagraph_sizes_for_spec_decode of v0.21.0: the greater of a request's tokens and the ranks has to be a
// multiple of both where ranks share the sequence.
static void ranks_and_requests(void **state)
{
    (void)state;
    static const struct {
        uint64_t ranks, drafts;
        bool refused;
    } rows[] = {{2, 3, false}, {4, 1, false}, {2, 2, true}, {4, 2, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_ERROR_TEXT_CAPACITY];
        ask_llama(R(21, 0), 80);
        plan.graph_sizes.sequence_parallel = true;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].ranks);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, rows[i].drafts);
        plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
        assert_int_equal(kvb_refusal_draft_graphs(resolved(&plan), out), rows[i].refused);
    }
}

// platforms/cuda.py v0.21.0 _get_backend_priorities: 10.x asks FlashInfer first; elsewhere FlashAttention comes first
// and takes 8-bit keys on Hopper alone (fa_utils.py flash_attn_supports_fp8), 4-bit ones nowhere. Latents have backends
// of their own.
static void flashinfer_unasked(void **state)
{
    (void)state;
    static const struct {
        uint32_t capability;
        enum kvb_kv_dtype word;
        enum kvb_backend asked;
        enum kvb_vendor vendor;
        enum kvb_attention kind;
        bool flashinfer;
    } rows[] = {
        {100, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {103, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {110, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {90, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {120, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {80, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {80, KVB_KV_16BIT, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {80, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {89, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {90, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {120, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {120, KVB_KV_NVFP4, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {120, KVB_KV_FP8, KVB_BACKEND_TRITON, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {100, KVB_KV_AUTO, KVB_BACKEND_FLASH_ATTN, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, false},
        {90, KVB_KV_AUTO, KVB_BACKEND_FLASHINFER, KVB_VENDOR_NVIDIA, KVB_ATTENTION_FULL, true},
        {90, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_AMD, KVB_ATTENTION_FULL, false},
        {80, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_AMD, KVB_ATTENTION_FULL, false},
        {100, KVB_KV_AUTO, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_MLA, false},
        {100, KVB_KV_FP8, KVB_BACKEND_AUTO, KVB_VENDOR_NVIDIA, KVB_ATTENTION_DSV4, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask_llama(R(21, 0), rows[i].capability);
        plan.gpu.vendor = rows[i].vendor;
        plan.environment.attention_backend = rows[i].asked;
        plan.model.kinds[0].attention.kind = rows[i].kind;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].word);
        if (kvb_graphs_use_flashinfer(resolved(&plan)) != rows[i].flashinfer) {
            fail_msg("row %zu", i);
        }
    }
}

// models/config.py Gemma4Config v0.19.1 and v0.24.0: heads of two sizes take Triton's kernels, from 0.24 on
// FlashAttention 4 where it runs; FlashInfer attends to pictures one way alone. FlashInfer reads heads of 64, 128 and
// 256, sinks on 10.x, and on Turing until 0.24 (v1/attention/backends/flashinfer.py v0.21.0 and v0.24.0).
static void flashinfer_by_model(void **state)
{
    (void)state;
    static const struct {
        const char *class_name;
        uint32_t release, capability, head_size;
        enum kvb_kv_dtype word;
        bool both_ways, flashinfer;
    } rows[] = {
        {"LlamaForCausalLM", R(21, 0), 75, 128, KVB_KV_AUTO, false, true},
        {"LlamaForCausalLM", R(24, 0), 75, 128, KVB_KV_AUTO, false, false},
        {"LlamaForCausalLM", R(21, 0), 120, 80, KVB_KV_FP8, false, false},
        {"GptOssForCausalLM", R(21, 0), 120, 64, KVB_KV_FP8, false, false},
        {"GptOssForCausalLM", R(21, 0), 100, 64, KVB_KV_FP8, false, true},
        {"Gemma4ForConditionalGeneration", R(26, 0), 120, 256, KVB_KV_FP8, true, false},
        {"Gemma4ForConditionalGeneration", R(23, 0), 100, 256, KVB_KV_AUTO, false, false},
        {"Gemma4ForConditionalGeneration", R(24, 0), 100, 256, KVB_KV_AUTO, true, false},
        {"Gemma4ForConditionalGeneration", R(24, 0), 100, 256, KVB_KV_AUTO, false, true},
        {"Gemma4ForConditionalGeneration", R(24, 0), 120, 256, KVB_KV_FP8, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask_llama(rows[i].release, rows[i].capability);
        name_class(&plan, rows[i].class_name);
        plan.model.encoder.both_ways = rows[i].both_ways;
        plan.model.kinds[0].attention.head_size = rows[i].head_size;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].word);
        if (kvb_graphs_use_flashinfer(resolved(&plan)) != rows[i].flashinfer) {
            fail_msg("row %zu", i);
        }
    }
}

// FlashAttention 4 attends both ways whatever the size of a head: asked for on Hopper it is taken, which before 0.24
// and without it nothing does.
static void gemma4_with_flash_attention(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        bool both_ways, refused;
    } rows[] = {{R(19, 1), 90, true, false},
                {R(20, 0), 90, true, true},
                {R(24, 0), 90, true, false},
                {R(24, 0), 120, true, true},
                {R(24, 0), 120, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_ERROR_TEXT_CAPACITY];
        ask_llama(rows[i].release, rows[i].capability);
        name_class(&plan, "Gemma4ForConditionalGeneration");
        plan.model.encoder.both_ways = rows[i].both_ways;
        plan.model.kinds[0].attention.head_size = 256;
        plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
        if (kvb_refusal_backend(resolved(&plan), out) != rows[i].refused) {
            fail_msg("row %zu", i);
        }
    }
}

// No graphs at all without a compiler by a variable that 0.20 reads (v0.21.0 vllm/config/vllm.py:949); of what pools
// no whole steps (v0.21.0 config/vllm.py:1088).
static void captures_nothing(void **state)
{
    (void)state;
    ask_llama(R(21, 0), 80);
    plan.environment.compile_disable = KVB_YES;
    captures_are("TORCH_COMPILE_DISABLE", 0, 0);
    plan.engine.release = R(19, 1);
    captures_are("TORCH_COMPILE_DISABLE, 0.19", 0, 35);
    ask_llama(R(21, 0), 80);
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_POOLING);
    captures_are("pooling by the runner", 51, 0);
    plan.gpu.compute_capability = 90;
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL);
    captures_are("pooling by the runner, any batch on Hopper", 51, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(as_each_release_captures), cmocka_unit_test(any_batch_by_backend),
              cmocka_unit_test(falls_back), cmocka_unit_test(sizes_by_their_number),
              cmocka_unit_test(named_sizes_alone), cmocka_unit_test(none_holds_a_request),
              cmocka_unit_test(ranks_and_requests), cmocka_unit_test(flashinfer_unasked),
              cmocka_unit_test(flashinfer_by_model), cmocka_unit_test(gemma4_with_flash_attention),
              cmocka_unit_test(captures_nothing))
