// What is free before SGLang's weights and what loading takes of it, by hand; which weights data-parallel attention
// keeps whole; what flags leave out. Expected: layers/dp_attention.py, models and utils/offloader.py of
// python/sglang/srt (sgl-project/sglang), or the shapes of the model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "engines/sglang/context.h"
#include "unit/odd_kind.h"
#include "unit/sglang_plan.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

static struct kvb_sgl_context c;
static struct kvb_weights weights;

static void expect(struct kvb_estimate of, uint64_t bytes, uint64_t low_bytes, uint64_t high_bytes)
{
    assert_int_equal(of.bytes, bytes);
    assert_int_equal(of.low_bytes, low_bytes);
    assert_int_equal(of.high_bytes, high_bytes);
}

// Tensors of 10^9 bytes and 80 MiB of buffers; half a percent less, a percent and 256 MiB more (docs/sglang.md).
static void loaded(void **state)
{
    (void)state;
    resolve("sglang@0.5.12", "h100-sxm", Q3);
    kvb_sgl_context_init(&plan, &c);
    memset(&weights, 0, sizeof weights);
    weights.total_bytes = 1000000000;
    uint64_t bytes = 1000000000 + 80 * MIB, high = bytes + bytes / 100 + 256 * MIB;
    expect(kvb_sgl_loaded(&c, &weights), bytes, bytes - bytes / 200, high);
    plan.model.assumed_low_ppm = 20000; // a guess of the sizes goes into the bounds
    plan.model.assumed_high_ppm = 30000;
    expect(kvb_sgl_loaded(&c, &weights), bytes, bytes - bytes / 200 - bytes / 1000000 * 20000,
           high + bytes / 1000000 * 30000);
    plan.model.assumed_low_ppm = 2000000; // no less than nothing
    plan.model.assumed_high_ppm = 0;
    expect(kvb_sgl_loaded(&c, &weights), bytes, 0, high);
    plan.model.assumed_low_ppm = 0;
    plan.model.quantisation.expert_method = KVB_QUANT_MXFP4; // prepared for the kernels: an eighth
    expect(kvb_sgl_loaded(&c, &weights), bytes, bytes - bytes / 200, high + bytes / 8);
    plan.model.quantisation.expert_method = KVB_QUANT_NONE;
    plan.calibration.set = plan.calibration.known[KVB_ITEM_WEIGHTS] = true; // a log had 100 MiB less
    plan.calibration.offset_bytes[KVB_ITEM_WEIGHTS] = -100 * MIB;
    bytes -= 100 * MIB;
    expect(kvb_sgl_loaded(&c, &weights), bytes, bytes - bytes / 200, bytes + bytes / 100 + 256 * MIB);
    plan.stated[KVB_STATED_WEIGHTS].set = true;
    plan.stated[KVB_STATED_WEIGHTS].bytes = 12345;
    expect(kvb_sgl_loaded(&c, &weights), 12345, 12345, 12345);
}

static void before(void **state)
{
    (void)state;
    resolve("sglang@0.5.12", "h100-sxm", Q3);
    kvb_sgl_context_init(&plan, &c);
    struct kvb_estimate gone = kvb_sgl_before_load(&c);
    uint64_t whole = plan.gpu.memory_bytes;
    expect(kvb_sgl_gone(&c), gone.bytes, gone.low_bytes, gone.high_bytes);
    expect(kvb_sgl_before(&c), whole - gone.bytes, whole - gone.high_bytes, whole - gone.low_bytes);
    plan.reserve_count = 2;
    plan.reserves[0].bytes = 3 * (uint64_t)GIB;
    plan.reserves[1].bytes = (uint64_t)GIB;
    assert_int_equal(kvb_held_by_reserves(&plan), 4 * GIB);
    expect(kvb_sgl_before(&c), whole - 4 * (uint64_t)GIB - gone.bytes, whole - 4 * (uint64_t)GIB - gone.high_bytes,
           whole - 4 * (uint64_t)GIB - gone.low_bytes);
    plan.gpu_free_stated = true; // what others hold is no longer in it
    plan.gpu_free_bytes = 10 * (uint64_t)GIB;
    assert_int_equal(kvb_sgl_before(&c).bytes, 10 * (uint64_t)GIB - gone.bytes);
    plan.gpu_free_bytes = 2 * whole;
    assert_int_equal(kvb_sgl_before(&c).bytes, whole - gone.bytes);
    plan.gpu_free_bytes = gone.bytes; // all of it is gone
    expect(kvb_sgl_before(&c), 0, 0, gone.bytes - gone.low_bytes);
    plan.calibration.set = plan.calibration.known[KVB_ITEM_NON_TORCH] = true;
    plan.calibration.offset_bytes[KVB_ITEM_NON_TORCH] = MIB;
    c.defaults.fraction_ppb = 500000000; // what a pool lacks is half of what was gone
    assert_int_equal(kvb_sgl_gone(&c).bytes, gone.bytes + 2 * MIB);
    assert_int_equal(kvb_sgl_gone(&c).high_bytes, gone.bytes + 2 * MIB);
    c.defaults.fraction_ppb = 0; // a thousandth at least
    assert_int_equal(kvb_sgl_gone(&c).bytes, gone.bytes + 1000 * MIB);
    plan.calibration.set = false;
    assert_int_equal(kvb_sgl_gone(&c).bytes, gone.bytes);
    plan.stated[KVB_STATED_NON_TORCH].set = true;
    plan.stated[KVB_STATED_NON_TORCH].bytes = 7;
    expect(kvb_sgl_gone(&c), 7, 7, 7);
}

// A 16-bit checkpoint is there as it is before --quantization fp8 makes it smaller; others are loaded as they are.
static void loading(void **state)
{
    (void)state;
    memset(&weights, 0, sizeof weights);
    weights.unquantised_bytes = 12345;
    resolve("sglang@0.5.12", "h100-sxm", Q3 "--quantization fp8");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(kvb_sgl_loading(&c, &weights), 12345);
    plan.stored_quantised = true;
    assert_int_equal(kvb_sgl_loading(&c, &weights), 0);
    plan.stored_quantised = false;
    plan.model.quantisation.method = KVB_QUANT_FP8;
    assert_int_equal(kvb_sgl_loading(&c, &weights), 0);
    plan.model.quantisation.method = KVB_QUANT_NONE;
    plan.stated[KVB_STATED_WEIGHTS].set = true;
    assert_int_equal(kvb_sgl_loading(&c, &weights), 0);
    resolve("sglang@0.5.12", "h100-sxm", Q3 "--quantization bitsandbytes");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(kvb_sgl_loading(&c, &weights), 0);
}

static void count(const char *line, struct kvb_weights *of)
{
    resolve("sglang@0.5.12", "h200", line);
    kvb_sgl_context_init(&plan, &c);
    kvb_sgl_weights(&c, 0, of);
}

// Four groups over eight ranks: attention, embeddings and norms as on two ranks, experts and the head as on eight.
static void groups(void **state)
{
    (void)state;
    static struct kvb_weights spread, two, eight;
    static const bool split[KVB_ROLE_COUNT] = {
        [KVB_ROLE_MLP] = true, [KVB_ROLE_EXPERTS] = true, [KVB_ROLE_SHARED_EXPERT] = true, [KVB_ROLE_HEAD] = true};
    count("deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 4 --enable-dp-attention", &spread);
    count("deepseek-ai/DeepSeek-V3 --tp-size 2", &two);
    count("deepseek-ai/DeepSeek-V3 --tp-size 8", &eight);
    uint64_t total = eight.total_bytes - eight.absorbed_bytes + two.absorbed_bytes;
    assert_true(two.absorbed_bytes > eight.absorbed_bytes && eight.absorbed_bytes > 0);
    for (int role = 0; role < KVB_ROLE_COUNT; role++) {
        uint64_t expected = split[role] ? eight.role_bytes[role] : two.role_bytes[role];
        assert_int_equal(spread.role_bytes[role], expected);
        total += expected - eight.role_bytes[role];
    }
    assert_int_equal(spread.total_bytes, total);
    assert_int_equal(spread.absorbed_bytes, two.absorbed_bytes);
    assert_true(two.role_bytes[KVB_ROLE_ATTENTION] > eight.role_bytes[KVB_ROLE_ATTENTION]);
    count("deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 1 --enable-dp-attention", &spread); // one group is none
    assert_int_equal(spread.total_bytes, eight.total_bytes);
}

// gpt-oss-20b over two GPUs: with --ep-size each has 16 of 32 experts whole, without half of each, 1,440 features in
// steps of 64.
static void dealt_out(void **state)
{
    (void)state;
    static struct kvb_weights whole, halves, dealt;
    count(OSS, &whole);
    count(OSS "--tp-size 2", &halves);
    count(OSS "--tp-size 2 --ep-size 2", &dealt);
    assert_int_equal(2 * dealt.role_bytes[KVB_ROLE_EXPERTS], whole.role_bytes[KVB_ROLE_EXPERTS]);
    assert_true(halves.role_bytes[KVB_ROLE_EXPERTS] > dealt.role_bytes[KVB_ROLE_EXPERTS]);
}

// Towers are left out, weights offloaded, blocks not rounded where the allocator expands its segments.
static void left_out(void **state)
{
    (void)state;
    static struct kvb_weights whole, part;
    count("Qwen/Qwen2.5-VL-7B-Instruct", &whole);
    resolve("sglang@0.5.18", "h200", "Qwen/Qwen2.5-VL-7B-Instruct --language-only");
    kvb_sgl_context_init(&plan, &c);
    kvb_sgl_weights(&c, 0, &part);
    uint64_t tower = whole.role_bytes[KVB_ROLE_VISION] + whole.role_bytes[KVB_ROLE_PROJECTOR];
    assert_in_range(whole.total_bytes - part.total_bytes, tower, tower + 2 * MIB); // and less of a block
    assert_true(tower > (uint64_t)GIB);
    assert_int_equal(part.role_bytes[KVB_ROLE_VISION] + part.role_bytes[KVB_ROLE_PROJECTOR], 0);
    count(Q3, &whole);
    assert_int_equal(whole.offloaded_bytes, 0);
    count(Q3 "--cpu-offload-gb 4", &part);
    assert_in_range(part.offloaded_bytes, 3 * GIB, 5 * GIB);
    assert_true(part.total_bytes < whole.total_bytes);
    count(Q3, &whole);
    plan.environment.expandable_segments = KVB_YES;
    kvb_sgl_weights(&c, 0, &part);
    assert_true(part.total_bytes < whole.total_bytes); // to the byte: 8,190,735,360 parameters and a table of angles
    assert_true(part.total_bytes >= UINT64_C(8190735360) * 2);
}

// triton_kernels lays experts out anew on Hopper; played back, between 1.8 and 14.5 first matrices stay behind.
static void laid_out(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *line;
        uint64_t matrix; // experts of a rank x 2 x rows x bytes of a row; 0: nothing is laid out
    } rows[] = {
        {"h100-sxm", OSS, UINT64_C(32) * 2 * 2880 * 1472},
        {"h100-sxm", OSS "--tp-size 2", UINT64_C(32) * 2 * 1472 * 1472}, // 1,440 in steps of 64
        {"h100-sxm", OSS "--tp-size 2 --ep-size 2", UINT64_C(16) * 2 * 2880 * 1472},
        {"h100-sxm", OSS "--moe-runner-backend triton_kernel", UINT64_C(32) * 2 * 2880 * 1472},
        {"h100-sxm", OSS "--moe-runner-backend marlin", 0},
        {"a100-sxm4-80gb", OSS, 0},
        {"b200", OSS, 0},
    };
    memset(&weights, 0, sizeof weights);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        resolve("sglang@0.5.12", rows[i].gpu, rows[i].line);
        add_odd_kind(&plan.model, (uint32_t)i); // behind the last layer
        kvb_sgl_context_init(&plan, &c);
        struct kvb_estimate left = kvb_sgl_repacked(&c, &weights);
        uint64_t tenth = rows[i].matrix / 10;
        assert_int_equal(left.bytes, 55 * tenth);
        assert_true(left.low_bytes <= 18 * tenth && left.high_bytes >= 145 * tenth);
        assert_true(left.high_bytes <= 150 * tenth);
    }
    resolve("sglang@0.5.12", "h100-sxm", OSS); // what stays behind goes into the bounds as well
    kvb_sgl_context_init(&plan, &c);
    weights.total_bytes = 1000000000;
    struct kvb_estimate left = kvb_sgl_repacked(&c, &weights);
    uint64_t bytes = 1000000000 + 80 * MIB + left.bytes;
    expect(kvb_sgl_loaded(&c, &weights), bytes, bytes - bytes / 200 - (left.bytes - left.low_bytes),
           bytes + bytes / 100 + 256 * MIB + (left.high_bytes - left.bytes) + bytes / 8);
    plan.model.hidden_size = 2882; // rows of 1,441 bytes where nothing is padded
    kvb_sgl_context_init(&plan, &c);
    c.setup.release = KVB_RELEASE(0, 5, 11);
    assert_int_equal(kvb_sgl_repacked(&c, &weights).bytes, UINT64_C(32) * 2 * 2880 * 1441 / 10 * 55);
}

KVB_TEST_MAIN(cmocka_unit_test(loaded), cmocka_unit_test(before), cmocka_unit_test(loading), cmocka_unit_test(groups),
              cmocka_unit_test(dealt_out), cmocka_unit_test(left_out), cmocka_unit_test(laid_out))
