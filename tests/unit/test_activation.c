// Peak of the profile run: sampler, layer, encoder and MLA phases against hand calculations.
#include <string.h>

#include "engines/vllm/encoder_items.h"
#include "unit/activations.h"
#include "unit/encoders.h"
#include "unit/test.h"

// ---- Paths of the sampler

struct path_row {
    uint32_t release;
    uint8_t flashinfer; // VLLM_USE_FLASHINFER_SAMPLER
    uint64_t seqs;
    uint32_t per_logit, other; // bytes a logit; 0 = certain
};

// Runner V2, which serves Llama from 0.23: the logits, and to 0.25 their copy of 4.
// 38 = 2 logits + 4 copy + 4 sorted + 8 + 8 indexes + 12 radix buffers; 50 when fewer than 128 rows are
// sorted whole; 14 = 2 + 4 + 4 + 4. 0.10.0 to 0.11.0: what is installed decides, so both are kept.
static void sampler_paths(void **state)
{
    (void)state;
    static const struct path_row rows[] = {
        {R(7, 3), KVB_UNSET, 256, 38, 0},  {R(7, 3), KVB_YES, 256, 38, 0},     {R(8, 5), KVB_UNSET, 256, 38, 0},
        {R(8, 5), KVB_UNSET, 127, 50, 0},  {R(8, 5), KVB_UNSET, 128, 38, 0},   {R(8, 5), KVB_UNSET, 2, 50, 0},
        {R(8, 5), KVB_UNSET, 1, 38, 0},    {R(10, 0), KVB_UNSET, 256, 38, 14}, {R(10, 1), KVB_NO, 256, 38, 0},
        {R(10, 1), KVB_YES, 256, 14, 0},   {R(10, 2), KVB_UNSET, 256, 38, 14}, {R(11, 0), KVB_UNSET, 256, 38, 14},
        {R(11, 1), KVB_UNSET, 256, 38, 0}, {R(16, 0), KVB_YES, 256, 14, 0},    {R(17, 0), KVB_UNSET, 256, 14, 0},
        {R(17, 0), KVB_UNSET, 8, 14, 0},   {R(17, 0), KVB_UNSET, 7, 50, 0},    {R(17, 0), KVB_YES, 256, 14, 0},
        {R(21, 0), KVB_UNSET, 256, 14, 0}, {R(21, 0), KVB_NO, 256, 14, 0},     {R(21, 0), KVB_NO, 7, 50, 0},
        {R(21, 0), KVB_UNSET, 7, 50, 0},   {R(23, 0), KVB_UNSET, 256, 6, 0},   {R(25, 1), KVB_UNSET, 256, 6, 0},
        {R(26, 0), KVB_UNSET, 256, 2, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set_batch(2048, rows[i].seqs);
        plan.environment.use_flashinfer_sampler = rows[i].flashinfer;
        estimate(0);
        if (activation.bytes_per_logit != rows[i].per_logit || activation.other_path_bytes_per_logit != rows[i].other) {
            fail_msg("release %u, %llu rows: %u and %u bytes a logit", rows[i].release,
                     (unsigned long long)rows[i].seqs, activation.bytes_per_logit,
                     activation.other_path_bytes_per_logit);
        }
    }
}

// Triton's buffer of rows of 128,256 x 4 B: of 100 sequences 128, at most one a multiprocessor.
static void rows_of_the_buffer(void **state)
{
    (void)state;
    static const uint64_t rows[][3] = {{100, 132, 128}, {130, 132, 132}, {100, 90, 90}, {64, 90, 64}}; // S, SMs, rows
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(20, 0));
        plan.gpu.multiprocessors = (uint32_t)rows[i][1];
        set_batch(2048, rows[i][0]);
        plan.compile_cache = KVB_COMPILE_WARM;
        estimate(0);
        uint64_t hidden = 2048ULL * 4096 * 2 + 2 * 2 * rows[i][0] * 4096;
        uint64_t logits = 14ULL * rows[i][0] * 128256;
        assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER],
                         hidden + logits + rows[i][2] * 128256 * 4 + 32 * MIB);
    }
}

// The other path bounds the range: at 0.10.0 the sort of 256 rows, 38 x 256 x 128256 B.
static void both_paths_bound_the_range(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 0));
    set_batch(2048, 256);
    estimate(0);
    assert_true(activation.total.high_bytes > 38ULL * 256 * 128256);
    make_llama_plan(&plan, R(11, 0));
    set_batch(2048, 256);
    estimate(0);
    assert_true(activation.total.low_bytes < 15ULL * 256 * 128256 + 64 * MIB);
}

// fp32: 4-byte logits of which no 32-bit copy is made: 36 of the 38 bytes. Eight rows of 50 - 2 bytes at 0.8.5:
// 2048 x 4096 x 4 + 2 x 4 x 8 x 4096 + 48 x 8 x 128256 + 32 MiB.
static void fp32_logits(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 5));
    set_batch(2048, 8);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER],
                     2048ULL * 4096 * 4 + 2ULL * 4 * 8 * 4096 + 48ULL * 8 * 128256 + 32 * MIB);
    make_llama_plan(&plan, R(27, 1)); // runner V2 keeps nothing but the logits
    set_batch(2048, 8);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER],
                     2048ULL * 4096 * 4 + 2ULL * 4 * 8 * 4096 + 4ULL * 8 * 128256 + 32 * MIB);
}

// Triton's scratch is 4 x vocabulary for each of min(rows, processors); an unknown card counts as 132.
static void triton_scratch(void **state)
{
    (void)state;
    uint64_t with[2];
    static const uint32_t processors[2] = {0, 58};
    for (int i = 0; i < 2; i++) {
        make_llama_plan(&plan, R(19, 0));
        set_batch(2048, 256);
        plan.gpu.multiprocessors = processors[i];
        estimate(0);
        with[i] = activation.phase_bytes[KVB_PHASE_SAMPLER];
    }
    assert_int_equal(with[0] - with[1], 4ULL * 128256 * (132 - 58));
}

// ---- Layers

struct hidden_row {
    uint32_t release;
    uint8_t v2;
    uint64_t tp, eager, dtype;
    uint64_t tensors, element;
};

// T = 16384: T x (3 I / tp + h H) elements, and 15 MiB on Hopper.
static void hidden_tensors_by_release(void **state)
{
    (void)state;
    static const struct hidden_row rows[] = {
        {R(6, 4), KVB_UNSET, 1, 0, KVB_DTYPE_AUTO, 3, 2},       {R(6, 5), KVB_UNSET, 1, 0, KVB_DTYPE_AUTO, 4, 2},
        {R(19, 0), KVB_UNSET, 1, 0, KVB_DTYPE_AUTO, 4, 2},      {R(19, 0), KVB_UNSET, 2, 1, KVB_DTYPE_AUTO, 5, 2},
        {R(19, 0), KVB_UNSET, 1, 1, KVB_DTYPE_AUTO, 4, 2},      {R(19, 0), KVB_YES, 1, 0, KVB_DTYPE_AUTO, 3, 2},
        {R(19, 0), KVB_UNSET, 1, 0, KVB_DTYPE_WORD_FP32, 7, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set_batch(16384, 1);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_ENFORCE_EAGER, rows[i].eager);
        set(&plan, KVB_SET_DTYPE, rows[i].dtype);
        plan.environment.use_v2_model_runner = rows[i].v2;
        estimate(0);
        uint64_t width = 3 * 14336 / rows[i].tp + rows[i].tensors * 4096;
        assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER], 16384 * width * rows[i].element + 15 * MIB);
    }
}

// The plain AWQ kernel dequantises one matrix of 4096 x 2 x 14336 to 16 bits: below 8.0, or when it is asked for.
// Marlin keeps 64 x 256 x 4 B a multiprocessor, to 0.8.5 1024 rows of 2 x 14336 x 4 B.
static void awq_dequantises(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_batch(16384, 1);
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_AWQ, .bits = 4, .group_size = 128};
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER],
                     16384ULL * (3 * 14336 + 4 * 4096) * 2 + 132ULL * 64 * 256 * 4 + 15 * MIB);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER],
                     16384ULL * (3 * 14336 + 4 * 4096) * 2 + 4096ULL * 2 * 14336 * 2 + 15 * MIB);
    unset(&plan, KVB_SET_QUANTIZATION);
    plan.gpu.compute_capability = 86;
    plan.engine.release = R(8, 5);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER],
                     16384ULL * (3 * 14336 + 4 * 4096) * 2 + 1024ULL * 2 * 14336 * 4 + 8493466);
}

// Rejection sampler: 32 B for each of 867 rows x 152,064, as a 0.22 log needs (32 to 34), where plain sampling is 14.
static void rejection_sampler(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(22, 0));
    set_batch(8192, 867);
    plan.model.vocabulary_size = 152064;
    plan.compile_cache = KVB_COMPILE_WARM;
    estimate(0);
    uint64_t plain = activation.phase_bytes[KVB_PHASE_SAMPLER];
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER] - plain, 867ULL * 152064 * (32 - 14));
    plan.plain_numbers[KVB_PLAIN_DRAFT_SAMPLES] = (struct kvb_plain_value){.set = true, .number = 1}; // their probabilities, 32 bits
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER] - plain, 867ULL * 152064 * (36 - 14));
    plan.engine.release = R(20, 0); // not asked for there yet
    estimate(0);
    uint64_t early = activation.phase_bytes[KVB_PHASE_SAMPLER];
    plan.plain_numbers[KVB_PLAIN_DRAFT_SAMPLES].set = false;
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER], early);
    plan.engine.release = R(10, 2);
    estimate(0);
    uint64_t sorted = activation.phase_bytes[KVB_PHASE_SAMPLER]; // 38 B of the sort are more than 24
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NONE);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER], sorted);
}

// rejection_sampler.py v0.11.2 clones the target's logits, 32 B a row and entry; v0.11.1 does not, 28 - 4 = 24; beside
// FlashInfer's 14. V0 and the second runner have other samplers.
static void rejection_sampler_of_whom(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint8_t v2;
        enum kvb_speculative method;
        unsigned bytes; // 0: as without drafts
    } rows[] = {{R(11, 1), KVB_NO, KVB_SPECULATIVE_MTP, 24},   {R(11, 2), KVB_NO, KVB_SPECULATIVE_MTP, 32},
                {R(11, 2), KVB_NO, KVB_SPECULATIVE_NGRAM, 32}, {R(7, 3), KVB_NO, KVB_SPECULATIVE_MTP, 0},
                {R(22, 0), KVB_YES, KVB_SPECULATIVE_MTP, 0},   {R(22, 0), KVB_NO, KVB_SPECULATIVE_MTP, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set_batch(2048, 256);
        plan.environment.use_v2_model_runner = rows[i].v2;
        plan.environment.use_flashinfer_sampler = KVB_YES;
        plan.compile_cache = KVB_COMPILE_WARM;
        estimate(0);
        uint64_t plain = activation.phase_bytes[KVB_PHASE_SAMPLER];
        uint64_t more = rows[i].bytes > 0 ? rows[i].bytes - 14 : 0;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        estimate(0);
        assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER] - plain, 256 * 128256 * more);
    }
}

// Logits of 16 or 32 bits in the second runner: copied as 32 bits up to 0.25 whatever they are (gpu/sample/sampler.py
// v0.22.1:133), later not.
static void logits_of_the_second_runner(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t dtype, bytes;
    } rows[] = {{R(25, 1), KVB_DTYPE_WORD_BF16, 2 + 4},
                {R(25, 1), KVB_DTYPE_WORD_FP32, 4 + 4},
                {R(26, 0), KVB_DTYPE_WORD_BF16, 2},
                {R(26, 0), KVB_DTYPE_WORD_FP32, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t element = rows[i].dtype == KVB_DTYPE_WORD_FP32 ? 4 : 2;
        make_llama_plan(&plan, rows[i].release);
        set_batch(2048, 256);
        plan.environment.use_v2_model_runner = KVB_YES;
        plan.compile_cache = KVB_COMPILE_WARM;
        set(&plan, KVB_SET_DTYPE, rows[i].dtype);
        estimate(0);
        assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER],
                         (2048 * 4096 + 2 * 256 * 4096) * element + 256 * 128256 * rows[i].bytes + 32 * MIB);
    }
}

// One residual stream is a hidden tensor; two are held twice, beside the caller's and two of the MLP: 7 and not 4.
static void residual_streams(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(25, 0));
    plan.environment.use_v2_model_runner = KVB_NO;
    uint64_t plain = kvb_layer_bytes(resolved(&plan), 1000);
    plan.model.kinds[0].attention.residual_streams = 1;
    assert_int_equal(kvb_layer_bytes(resolved(&plan), 1000), plain);
    plan.model.kinds[0].attention.residual_streams = 2;
    assert_int_equal(kvb_layer_bytes(resolved(&plan), 1000) - plain, 3 * 1000 * 4096 * 2);
}

// A kind behind the last is of no layer: neither its experts nor its latents nor what its operator would write.
static void nothing_behind_the_last_kind(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_NONE;
    estimate(0);
    uint64_t layer = kvb_layer_bytes(resolved(&plan), 1000);
    plan.model.kinds[1].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                                 .state_key_heads = 64,
                                                                 .state_key_size = 128,
                                                                 .state_value_heads = 64,
                                                                 .state_value_size = 128};
    plan.model.kinds[1].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 8, .expert_intermediate_size = 65536};
    assert_int_equal(kvb_layer_bytes(resolved(&plan), 1000), layer);
    make_latent_plan(&plan, R(19, 0), 8192, 256);
    estimate(0);
    uint64_t latents = activation.phase_bytes[KVB_PHASE_MLA];
    plan.model.kinds[1].attention = plan.model.kinds[0].attention;
    plan.model.kinds[1].attention.heads = 128;
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_MLA], latents);
}

// Stages pass hidden state and residual on: 2 x T x H x 2 B more on each; only the last samples.
static void stages(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.compile_cache = KVB_COMPILE_WARM;
    set_batch(8192, 1024);
    estimate(0);
    uint64_t alone = activation.phase_bytes[KVB_PHASE_LAYER];
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER], 0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER], alone + 2ULL * 8192 * 4096 * 2);
    assert_int_equal(activation.winner, KVB_PHASE_LAYER);
    estimate(1);
    // the last of two stages logged 2.01 GiB
    assert_true(activation.total.bytes > 200 * GIB / 100 && activation.total.bytes < 202 * GIB / 100);
    make_llama_plan(&plan, R(7, 0));
    set_batch(8192, 256);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 8192);
    estimate(0);
    alone = activation.phase_bytes[KVB_PHASE_LAYER];
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER], alone);
}

static void pooling_models_do_not_sample(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.pooling = true;
    estimate(0);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_SAMPLER], 0);
}

// ---- Margins

static uint64_t margin(void)
{
    return activation.total.high_bytes - activation.total.bytes;
}

// 150 MiB or 5 %; fp32 20 %; states and expert parallelism 512 MiB; MLA on several ranks 300 MiB or 25 %.
static void margins(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.compile_cache = KVB_COMPILE_WARM;
    set_batch(2048, 256);
    estimate(0);
    assert_int_equal(margin(), 150 * MIB);
    assert_int_equal(activation.total.bytes - activation.total.low_bytes, 75 * MIB);
    set_batch(65536, 256); // 65,536 x 3 x 14,336 x 2 B alone are 5.25 GiB
    estimate(0);
    assert_true(activation.total.bytes > 5 * GIB);
    assert_int_equal(margin(), activation.total.bytes / 20);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    set_batch(16384, 256);
    estimate(0);
    assert_int_equal(margin(), activation.total.bytes / 5);
    make_latent_plan(&plan, R(19, 0), 8192, 256);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    estimate(0);
    assert_int_equal(margin(), 300 * MIB);
    set_batch(65536, 256);
    estimate(0);
    assert_true(activation.total.bytes > 2 * GIB);
    assert_int_equal(margin(), activation.total.bytes / 4);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    estimate(0);
    assert_true(activation.total.bytes > 4 * GIB);
    assert_int_equal(margin(), activation.total.bytes / 20);
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set_batch(2048, 256);
    estimate(0);
    assert_int_equal(margin(), 150 * MIB);
    set_batch(65536, 256);
    plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_OTHER};
    estimate(0);
    assert_true(activation.total.bytes > 3 * GIB);
    assert_int_equal(margin(), activation.total.bytes / 10);
    make_llama_plan(&plan, R(19, 0));
    set_batch(2048, 256);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SHORT_CONV;
    estimate(0);
    assert_int_equal(margin(), 512 * MIB);
    make_llama_plan(&plan, R(19, 0));
    set_batch(2048, 256);
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2};
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    estimate(0);
    assert_int_equal(margin(), 512 * MIB);
}

// A tower at the peak: half more or a quarter less. What the other sampler would take bounds the range, too, here with
// pictures kept: the sort takes 38 B where FlashInfer takes 14, which 0.10.1 likely had and 0.11.0 not.
static void a_tower_or_another_sampler(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.encoder = qwen25_vl;
    set_batch(16384, 8);
    plan.compile_cache = KVB_COMPILE_WARM;
    estimate(0);
    assert_int_equal(activation.winner, KVB_PHASE_ENCODER);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_COMPILE], 0);
    assert_true(activation.kept_bytes > 0);
    assert_true(activation.total.bytes > 2 * GIB);
    assert_int_equal(margin(), activation.total.bytes / 2);
    assert_int_equal(activation.total.low_bytes, activation.total.bytes - activation.total.bytes / 4);
    make_llama_plan(&plan, R(10, 1));
    set_batch(2048, 256);
    estimate(0);
    uint64_t more = (38 - 14) * 256ULL * 128256;
    assert_int_equal(activation.total.high_bytes, activation.phase_bytes[KVB_PHASE_SAMPLER] + more);
    plan.model.encoder = qwen25_vl;
    estimate(0);
    assert_true(activation.total.high_bytes >= activation.phase_bytes[KVB_PHASE_SAMPLER] + more);
    assert_true(activation.total.high_bytes < 100 * GIB);
    make_llama_plan(&plan, R(11, 0));
    set_batch(2048, 256);
    estimate(0);
    uint64_t other = activation.phase_bytes[KVB_PHASE_SAMPLER] - more;
    assert_true(other > activation.phase_bytes[KVB_PHASE_LAYER]);
    assert_int_equal(activation.total.low_bytes, other);
}

// One token, one row, 64 wide: hardly more than the 8.1 MiB of workspace, less than half a margin of 150 MiB.
static void a_small_peak_ends_at_nothing(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.hidden_size = 64;
    plan.model.vocabulary_size = 64;
    plan.model.kinds[0].mlp.intermediate_size = 64;
    plan.gpu.compute_capability = 80;
    set_batch(1, 1);
    estimate(0);
    assert_true(activation.total.bytes < 9 * MIB);
    assert_int_equal(activation.total.low_bytes, 0);
}

// V1's profile_run encodes on every rank (gpu_model_runner.py v0.8.5:1584, v0.19.0:5721), which all hold the towers;
// the forward of V0's models on a later stage is given hidden states and no pictures (qwen2_vl.py v0.7.3).
static void pictures_on_stages(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool later;
    } rows[] = {{R(7, 3), false}, {R(8, 5), true}, {R(19, 0), true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_encoder_load load;
        make_llama_plan(&plan, rows[i].release);
        plan.model.encoder = qwen25_vl;
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        kvb_encoder_load_of(resolved(&plan), &load);
        assert_true(load.peak_bytes > 0);
        estimate(0);
        assert_int_equal(activation.phase_bytes[KVB_PHASE_ENCODER], load.peak_bytes);
        estimate(1);
        assert_int_equal(activation.phase_bytes[KVB_PHASE_ENCODER], rows[i].later ? load.peak_bytes : 0);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(pictures_on_stages), cmocka_unit_test(sampler_paths),
              cmocka_unit_test(rows_of_the_buffer), cmocka_unit_test(both_paths_bound_the_range),
              cmocka_unit_test(fp32_logits), cmocka_unit_test(triton_scratch),
              cmocka_unit_test(hidden_tensors_by_release), cmocka_unit_test(awq_dequantises),
              cmocka_unit_test(rejection_sampler), cmocka_unit_test(stages),
              cmocka_unit_test(pooling_models_do_not_sample), cmocka_unit_test(margins),
              cmocka_unit_test(a_small_peak_ends_at_nothing), cmocka_unit_test(rejection_sampler_of_whom),
              cmocka_unit_test(logits_of_the_second_runner), cmocka_unit_test(residual_streams),
              cmocka_unit_test(nothing_behind_the_last_kind), cmocka_unit_test(a_tower_or_another_sampler))
