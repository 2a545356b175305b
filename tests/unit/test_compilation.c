// Whether a model is compiled, by what is said of it, and what follows for the profile run and for CUDA graphs.
// Sources: vllm/config/vllm.py v0.21.0:941-1031 (mode NONE without graphs of pieces), v0.11.0:363-388 (level);
// torch/_dynamo/config.py, `disable`, of which vLLM before 0.20 knows nothing.
#include <stdio.h>

#include <kvbudget/input.h>

#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/serve.h"
#include "unit/plans.h"
#include "unit/test.h"
#include "unit/words.h"

static struct kvb_deployment deployment;
static struct kvb_problems problems;
static struct kvb_plan plan;
static struct kvb_activation activation;

static enum kvb_status read_line(const char *line)
{
    static struct words words;
    words_of(line, &words);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return kvb_serve_command_read(words.count, words.words, &deployment, &problems);
}

// The release, what is said behind `vllm serve M --engine...`, and whether pieces are compiled and captured.
struct line_row {
    const char *said;
    uint32_t release;
    bool compiled;
    uint64_t piecewise, full; // graphs of each kind: 51 sizes up to 512, of which 35 up to 256 requests decode
};
static const struct line_row lines[] = {
    {"", R(21, 0), true, 51, 35},
    {"-O0", R(21, 0), false, 0, 0},
    {"-O1", R(21, 0), true, 51, 0},
    {"-O2", R(21, 0), true, 51, 35},
    {"-cc.mode=none", R(21, 0), false, 0, 0},
    {"--compilation-config {\"mode\":0}", R(21, 0), false, 0, 0},
    {"--compilation-config {\"mode\":\"DYNAMO_TRACE_ONCE\"}", R(21, 0), false, 0, 0},
    {"--compilation-config {\"mode\":\"VLLM_COMPILE\"}", R(21, 0), true, 51, 35},
    {"--compilation-config {\"mode\":0,\"cudagraph_mode\":\"FULL_DECODE_ONLY\"}", R(21, 0), false, 0, 35},
    {"--compilation-config {\"mode\":0,\"cudagraph_mode\":\"FULL\"}", R(21, 0), false, 0, 51},
    {"--compilation-config {\"mode\":0,\"cudagraph_mode\":\"FULL_AND_PIECEWISE\"}", R(21, 0), false, 0, 0},
    {"--compilation-config {\"level\":0}", R(11, 0), false, 0, 0},
    {"--compilation-config {\"mode\":0}", R(11, 1), false, 0, 0}, // config/compilation.py v0.11.1:246: "mode" beside "level"
    {"--compilation-config 0", R(10, 0), true, 67, 0}, // config.py v0.10.0:4590 compiles whatever is said
    {"--compilation-config 0", R(10, 2), false, 0, 0},
    {"-O1", R(11, 2), false, 0, 0},
    // -O is put behind all other flags from 0.9.2 to 0.11.2 and replaces the config: vllm/utils/__init__.py v0.9.2
    {"-O3 --compilation-config {\"cudagraph_mode\":\"NONE\"}", R(12, 0), true, 0, 0},
    {"-O3 --compilation-config {\"cudagraph_mode\":\"NONE\"}", R(11, 2), true, 51, 35},
    {"-O3 --compilation-config {\"cudagraph_mode\":\"NONE\"}", R(10, 2), true, 67, 0},
    {"--compilation-config {\"cudagraph_capture_sizes\":[1,2]} -O3", R(11, 2), true, 51, 35},
    {"--compilation-config {\"cudagraph_capture_sizes\":[1,2]} -O3", R(12, 0), true, 2, 2},
    {"--compilation-config {\"max_cudagraph_capture_size\":8} -O3", R(11, 2), true, 51, 35},
    {"--max-cudagraph-capture-size 8 -O3", R(11, 2), true, 4, 4},
    {"--cudagraph-capture-sizes 1 2 -O3", R(11, 2), true, 2, 2},
    {"-O0 --compilation-config {\"use_cudagraph\":false}", R(9, 1), true, 0, 0}, // the last of the two before
    {"--compilation-config {\"use_cudagraph\":false} -O3", R(9, 1), true, 67, 0},
    // cudagraph_mode is read from 0.10.1 on, the switches before it to 0.11.0: vllm/config/compilation.py
    {"--compilation-config {\"cudagraph_mode\":\"FULL\"}", R(10, 0), true, 67, 0},
    {"--compilation-config {\"use_cudagraph\":false}", R(11, 0), true, 0, 0},
    {"--compilation-config {\"use_cudagraph\":false}", R(11, 1), true, 51, 35},
    {"--compilation-config {\"full_cuda_graph\":true}", R(11, 0), true, 0, 67},
    {"--compilation-config {\"full_cuda_graph\":true}", R(11, 1), true, 51, 35},
    {"--compilation-config {\"mode\":0}", R(10, 2), true, 67, 0}, // no key of it yet
    {"--compilation-config {\"level\":0,\"mode\":3}", R(11, 2), true, 51, 35},
    {"--compilation-config {\"cudagraph_mode\":\"FULL_DECODE_ONLY\"} -O0", R(21, 0), false, 0, 35},
    {"--compilation-config {\"cudagraph_mode\":\"FULL_DECODE_ONLY\"} -O1", R(21, 0), true, 0, 35},
    {"--compilation-config {\"mode\":0,\"cudagraph_mode\":\"FULL\"}", R(12, 0), false, 0, 0},
    {"--compilation-config {\"mode\":0,\"cudagraph_mode\":\"FULL\"}", R(11, 2), false, 0, 51}, // vllm.py:674
    {"--compilation-config {\"mode\":0,\"cudagraph_mode\":\"FULL_DECODE_ONLY\"}", R(11, 2), false, 0, 35},
    {"--compilation-config {\"splitting_ops\":[]}", R(21, 0), true, 0, 51},
    {"--compilation-config {\"splitting_ops\":[]}", R(11, 0), true, 67, 35},
    {"--compilation-config {\"splitting_ops\":[],\"cudagraph_mode\":\"PIECEWISE\"}", R(21, 0), true, 0, 0},
    {"--compilation-config {\"splitting_ops\":[],\"cudagraph_mode\":\"FULL_AND_PIECEWISE\"}", R(21, 0), true, 0, 51},
    {"--compilation-config {\"splitting_ops\":[],\"cudagraph_mode\":\"FULL_DECODE_ONLY\"}", R(21, 0), true, 0, 35},
    {"--compilation-config {\"splitting_ops\":[]}", R(10, 2), true, 0, 67}, // config/compilation.py v0.10.2
    {"--compilation-config {\"splitting_ops\":[],\"cudagraph_mode\":\"PIECEWISE\"}", R(10, 2), true, 0, 67},
    {"--compilation-config {\"splitting_ops\":[],\"cudagraph_mode\":\"NONE\"}", R(10, 2), true, 0, 0},
    {"--compilation-config {\"pass_config\":{\"enable_attn_fusion\":true}}", R(10, 2), true, 67, 0}, // splits as ever
    {"--compilation-config {\"pass_config\":{\"enable_attn_fusion\":true}}", R(11, 2), true, 0, 51},
    {"--compilation-config {\"splitting_ops\":[]}", R(10, 0), true, 67, 0},
    {"--compilation-config {\"splitting_ops\":[\"a\"]}", R(21, 0), true, 51, 35},
    {"--compilation-config {\"pass_config\":{\"fuse_attn_quant\":true}}", R(21, 0), true, 0, 51},
    {"--compilation-config {\"pass_config\":{\"fuse_attn_quant\":true}} -O1", R(21, 0), true, 0, 51},
    {"--compilation-config {\"pass_config\":{\"fuse_attn_quant\":true},\"splitting_ops\":[]} -O1", R(21, 0), true, 51,
     0},
    {"--compilation-config {\"pass_config\":{\"fuse_attn_quant\":false}}", R(21, 0), true, 51, 35},
    {"--compilation-config 3", R(21, 0), true, 51, 35},
    {"--data-parallel-size 2", R(8, 5), true, 0, 0}, // platforms/cuda.py v0.8.5:160, v0.9.0:154, behind the level
    {"--data-parallel-size 2", R(9, 0), true, 0, 0},
    {"--data-parallel-size 1", R(9, 0), true, 67, 0},
    {"--data-parallel-size 2", R(9, 1), true, 67, 0}, // v0.9.1:156: but for DeepEP's kernels for prompts
};

static void resolve(uint32_t release)
{
    make_llama_plan(&plan, release);
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        if (deployment.settings.values[i].set) {
            plan.settings.values[i] = deployment.settings.values[i];
        }
    }
    plan.graph_sizes = deployment.graph_sizes;
    kvb_vllm_graphs_said(&deployment, &plan);
    plan.compile_cache = KVB_COMPILE_COLD; // what is said of the cache does not compile
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
}

static void check(const char *what, bool compiled, uint64_t piecewise, uint64_t full)
{
    struct kvb_captures captures;
    const struct kvb_context *context = resolved(&plan);
    kvb_captures_of(context, &captures);
    kvb_activation_estimate(context, 0, &activation);
    if (context->uncompiled == compiled || captures.piecewise != piecewise || captures.full != full) {
        fail_msg("'%s': %d, %llu and %llu graphs", what, !context->uncompiled, (unsigned long long)captures.piecewise,
                 (unsigned long long)captures.full);
    }
    bool timed = activation.phase_bytes[KVB_PHASE_COMPILE] > 0;
    assert_true(timed == (compiled && plan.engine.release >= R(20, 0)));
}

static void lines_say_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[160];
        (void)snprintf(line, sizeof line, "vllm serve M %s", lines[i].said);
        assert_int_equal(read_line(line), KVB_OK);
        resolve(lines[i].release);
        check(lines[i].said, lines[i].compiled, lines[i].piecewise, lines[i].full);
    }
}

// A switch of the command leaves the mode that a flag of ours gives as it is.
static void a_flag_of_ours_goes_before_a_switch(void **state)
{
    (void)state;
    assert_int_equal(read_line("vllm serve M --compilation-config {\"use_cudagraph\":false}"), KVB_OK);
    kvb_settings_set(&deployment.settings, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL, KVB_ORIGIN_FLAG);
    resolve(R(11, 0));
    check("a mode before a switch", true, 0, 67);
}

static void other_words_are_refused(void **state)
{
    (void)state;
    assert_int_not_equal(read_line("vllm serve M --compilation-config {\"mode\":4}"), KVB_OK);
    assert_int_not_equal(read_line("vllm serve M --compilation-config {\"mode\":\"inductor\"}"), KVB_OK);
    assert_int_not_equal(read_line("vllm serve M --compilation-config 4"), KVB_OK);
}

// Torch's own switch leaves what vLLM decided as it is, but no piece is made that a graph could be captured of.
static void variables_say_it(void **state)
{
    (void)state;
    assert_int_equal(read_line("vllm serve M"), KVB_OK);
    resolve(R(21, 0));
    plan.environment.compile_disable = KVB_YES;
    check("TORCH_COMPILE_DISABLE=1", false, 0, 0);
    plan.environment.compile_disable = KVB_NO;
    check("TORCH_COMPILE_DISABLE=0", true, 51, 35);
    plan.environment.dynamo_disable = KVB_YES;
    check("TORCHDYNAMO_DISABLE=1", false, 0, 35);
    resolve(R(19, 0));
    plan.environment.compile_disable = KVB_YES;
    check("TORCH_COMPILE_DISABLE=1, 0.19", false, 0, 35);
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_PIECEWISE);
    check("TORCH_COMPILE_DISABLE=1, pieces", false, 0, 0);
}

// config/compilation.py v0.20.0:1173: DeepEP's kernels for prompts, between ranks of data alone.
static void kernels_of_prompts(void **state)
{
    (void)state;
    assert_int_equal(read_line("vllm serve M --data-parallel-size 2"), KVB_OK);
    resolve(R(20, 0));
    plan.plain_flags |= KVB_PLAIN_DEEPEP_PROMPTS;
    check("--all2all-backend deepep_high_throughput", true, 0, 0);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 1);
    check("--all2all-backend deepep_high_throughput, one rank", true, 51, 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_say_it),
                                       cmocka_unit_test(a_flag_of_ours_goes_before_a_switch),
                                       cmocka_unit_test(kernels_of_prompts), cmocka_unit_test(other_words_are_refused),
                                       cmocka_unit_test(variables_say_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
