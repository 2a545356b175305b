// --override-tensor: patterns as std::regex_search takes them, which tensors go where, what is refused.
#include "unit/test.h"

#include <string.h>

#include "base/text.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/pattern.h"
#include "engines/llamacpp/tensors.h"

struct match {
    const char *pattern, *name;
    bool found;
};

// By the rules of ECMAScript; names as llama.cpp writes them.
static const struct match matches[] = {
    {"exps", "blk.3.ffn_up_exps.weight", true},
    {"exps", "blk.3.ffn_up_shexp.weight", false},
    {"\\.ffn_.*_exps\\.", "blk.3.ffn_gate_exps.weight", true},
    {".ffn_(up|down)_exps.", "blk.3.ffn_gate_exps.weight", false},
    {".ffn_(up|down)_exps.", "blk.3.ffn_down_exps.weight", true},
    {"blk\\.(1[0-9]|2[0-9])\\.ffn_.*_exps", "blk.9.ffn_up_exps.weight", false},
    {"blk\\.(1[0-9]|2[0-9])\\.ffn_.*_exps", "blk.19.ffn_up_exps.weight", true},
    {"blk\\.(1[0-9]|2[0-9])\\.ffn_.*_exps", "blk.29.ffn_up_exps.weight", true},
    {"blk\\.(1[0-9]|2[0-9])\\.ffn_.*_exps", "blk.30.ffn_up_exps.weight", false},
    {"blk.[0-3].*", "blk.31.attn_q.weight", true}, // nothing ends it behind the 3
    {"blk\\.[0-3]\\.", "blk.31.attn_q.weight", false},
    {"^output", "output.weight", true},
    {"^output", "blk.0.attn_output.weight", false},
    {"weight$", "output.weight", true},
    {"weight$", "output.weights", false},
    {"blk\\.\\d+\\.", "blk.12.attn_k.weight", true},
    {"blk\\.\\D", "blk.12.attn_k.weight", false},
    {"blk\\.\\d{2}\\.", "blk.7.attn_k.weight", false},
    {"blk\\.\\d{2}\\.", "blk.17.attn_k.weight", true},
    {"blk\\.\\d{2,}\\.", "blk.117.attn_k.weight", true},
    {"blk\\.\\d{1,2}\\.", "blk.117.attn_k.weight", false},
    {"a{0}b", "xb", true},
    {"(?:up|gate)_exps", "blk.0.ffn_gate_exps.weight", true},
    {"(ab)+c", "xababc", true},
    {"(ab)+c", "xc", false},
    {"a?b*?c", "c", true},
    {"[^a-z_]", "abc_def", false},
    {"[^a][b]", "x\t", false}, // a set behind one of all others is its own
    {"[^a][b]", "xb", true},
    {"[^a-z_]", "abc1", true},
    {"[\\w.]+x", "a.b_9x", true},
    {"[\\d-]9", "-9", true},
    {"^\\w+$", "aZ_9", true},
    {"\\W", "aZ_9", false},
    {"\\d", "aZ_", false},
    {"^\\D+$", "aZ_", true},
    {"\\s", "aZ_", false},
    {"[]a]", "a", false}, // an empty set, then a]
    {"a|", "zzz", true},
    {"", "anything", true},
    {"\\s", "a b", true},
    {"(((a)))", "ba", true},
    {"(a|b|c|d)e", "xde", true},
    {"[[a]x", "[x", true},
    {"[\\.^]x", ".x", true},
    {"[\\.^]x", "\\x", false},
    {"a{2}?b", "aab", true},
    {"a{2,}?b", "ab", false},
    {"((((((((((((a))))))))))))b", "xab", true}, // 12 groups, 12 sets, 64 repetitions
    {"[a][a][a][a][a][a][a][a][a][a][a][ab]", "aaaaaaaaaaab", true},
    {"[a][a][a][a][a][a][a][a][a][a][a]\\d", "aaaaaaaaaaa7", true},
    {"^a{64}$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},
    {"^a{64}$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false}, // no going back
};

static void test_patterns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof matches / sizeof matches[0]; i++) {
        struct kvb_pattern pattern;
        char why[KVB_PATTERN_WHY] = "";
        if (!kvb_pattern_read(&pattern, matches[i].pattern, strlen(matches[i].pattern), why)) {
            fail_msg("%s: %s", matches[i].pattern, why);
        }
        if (kvb_pattern_is_in(&pattern, matches[i].name) != matches[i].found) {
            fail_msg("%s in %s", matches[i].pattern, matches[i].name);
        }
    }
}

struct wrong {
    const char *pattern, *why;
};
static const struct wrong wrongs[] = {
    {"[ab", "a [ that is not closed"},
    {"(ab", "a group that is not closed"},
    {"ab)", "a ) without a ("},
    {"*a", "a repetition of nothing"},
    {"{2}", "a repetition of nothing"},
    {"^*a", "a repetition of nothing"}, // a place is nothing to repeat
    {"a$+", "a repetition of nothing"},
    {"a^?", "a repetition of nothing"},
    {"${2}", "a repetition of nothing"},
    {"a{", "a { without a number"},
    {"a{2", "a { that is not closed"},
    {"a{3,2}", "a range that runs backwards"},
    {"a{65}", "more than 64 repetitions"},
    {"a{1,65}", "more than 64 repetitions"},
    {"[z-a]", "a range that runs backwards"},
    {"[z-a", "a range that runs backwards"},
    {"a\\", "a \\ at the end"},
    {"[a\\", "a \\ at the end"},
    {"(a)\\1", "an escape other than \\d, \\w, \\s and marks"},
    {"[\\b]", "an escape other than \\d, \\w, \\s and marks"},
    {"(?=a)", "a look-ahead (?"},
    {"(?=", "a look-ahead (?"},
    {"(?:", "a group that is not closed"},
    {"(?", "a repetition of nothing"},
    {"[[:digit:]]", "a named class such as [:digit:]"},
    {"[a][a][a][a][a][a][a][a][a][a][a][a][a]", "more than 12 sets"},
    {"(((((((((((((a)))))))))))))", "groups more than 12 deep"}, // 13
    {"((a{60}){60}){60}", "a pattern that is too long"},
    {"[", "a [ that is not closed"},
    {"[[", "a [ that is not closed"},
    {"[a-\\", "a \\ at the end"},
    {"[a-\\d]", "a range that runs backwards"}, // a class is no end of one
    {"[\\d-x]", "a range that runs backwards"}, // and none begins with one (std::regex: "Invalid start of")
    {"a{2x}", "a { that is not closed"},
    {"a{2,1x}", "a { that is not closed"},
    {"[a][a][a][a][a][a][a][a][a][a][a][a]\\d", "more than 12 sets"},
    {"[a][a][a][a][a][a][a][a][a][a][a][a]\\q", "an escape other than \\d, \\w, \\s and marks"},
};

static void test_patterns_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct kvb_pattern pattern;
        char why[KVB_PATTERN_WHY] = "";
        assert_false(kvb_pattern_read(&pattern, wrongs[i].pattern, strlen(wrongs[i].pattern), why));
        assert_string_equal(why, wrongs[i].why);
    }
    char text[512] = "a"; // wherever in a repetition the room ends: 240 steps, two or three for each
    static const char *const parts[] = {"a?", "b*", "(cd)+", "(e|f)?", "\\w*", "g{0,9}"};
    for (size_t i = 0; i < 2 * sizeof parts / sizeof parts[0]; i++) {
        struct kvb_pattern pattern;
        char why[KVB_PATTERN_WHY] = "";
        text[0] = '\0';
        for (const char *part = parts[i / 2]; strlen(text) + strlen(part) + 2 < sizeof text;) {
            strcat(text, text[0] == '\0' && i % 2 == 0 ? "g" : part);
        }
        assert_false(kvb_pattern_read(&pattern, text, strlen(text), why));
        assert_string_equal(why, i / 2 == 4 ? "more than 12 sets" : "a pattern that is too long");
    }
    struct kvb_pattern pattern;
    char why[KVB_PATTERN_WHY] = "";
    memset(text, 'a', sizeof text); // 240 steps: a letter each, and the end
    assert_true(kvb_pattern_read(&pattern, text, KVB_PATTERN_STEPS - 1, why));
    assert_false(kvb_pattern_read(&pattern, text, KVB_PATTERN_STEPS, why));
    assert_string_equal(why, "a pattern that is too long");
    assert_false(kvb_pattern_read(&pattern, "a\\\0", 3, why)); // an escaped end
    assert_string_equal(why, "an escape other than \\d, \\w, \\s and marks");
}

// Two layers of one GPU's worth of tensors, as a GGUF header has them: q of 1000 bytes, experts of 8000, embedding and
// head of 500.
static struct kvb_model model;

static void add_class(const char *name, enum kvb_role role, bool in_layer, uint64_t bytes)
{
    struct kvb_tensor_class *row = &model.checkpoint.classes[model.checkpoint.class_count++];
    *row = (struct kvb_tensor_class){.role = (uint8_t)role, .rows = 1, .columns = 256, .count = in_layer ? 2 : 1};
    (void)kvb_copy(row->name, sizeof row->name, name);
    row->in_layer = in_layer;
    row->stored_bytes = in_layer ? 2 * bytes : bytes;
    row->layers[0] = in_layer ? 3 : 0;
}

static struct kvb_llama_run two_layers(const char *overrides)
{
    memset(&model, 0, sizeof model);
    model.layer_count = 2;
    model.hidden_size = 64;
    model.vocabulary_size = 128;
    model.kind_count = 1;
    model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_FULL, .heads = 1, .kv_heads = 1, .head_size = 64, .value_head_size = 64};
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 4,
                                                .experts_per_token = 2,
                                                .expert_intermediate_size = 64,
                                                .expert_gated = true};
    model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    model.checkpoint.classes_whole = true;
    add_class("token_embd.weight", KVB_ROLE_EMBEDDING, false, 5120);
    add_class("output.weight", KVB_ROLE_HEAD, false, 5120);
    add_class("attn_q.weight", KVB_ROLE_ATTENTION, true, 1024);
    add_class("ffn_up_exps.weight", KVB_ROLE_EXPERTS, true, 8192);
    return (struct kvb_llama_run){.model = &model,
                                  .build = 10472,
                                  .backend = KVB_LLAMA_CUDA,
                                  .devices = 2,
                                  .gpu_layers = 3,
                                  .context_tokens = 512,
                                  .sequences = 1,
                                  .batch = 512,
                                  .ubatch = 512,
                                  .flash = true,
                                  .overrides = overrides};
}

static void assert_places(const char *overrides, uint64_t first, uint64_t second, uint64_t host)
{
    struct kvb_llama_buffers buffers;
    struct kvb_llama_run run = two_layers(overrides);
    kvb_llama_all_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].model_bytes, first);
    assert_int_equal(buffers.places[1].model_bytes, second);
    assert_int_equal(buffers.places[KVB_LLAMA_HOST].model_bytes, host);
}

// Without patterns: layers 0 and 1 on CUDA0 (two of three parts by cumulative shares of one half), the head on CUDA1.
// 2 x (1024 + 8192) = 18432; 5120; the embedding's 5120 on the host. Each figure below moves what the pattern names.
static void test_places(void **state)
{
    (void)state;
    assert_places(NULL, 18432, 5120, 5120);
    assert_places("exps=CPU\n", 2048, 5120, 5120 + 16384);
    assert_places("blk\\.1\\..*exps=CPU\n", 10240, 5120, 5120 + 8192);
    assert_places("blk\\.1\\.=CUDA1\n", 9216, 5120 + 9216, 5120);
    assert_places("blk\\.0\\.=CUDA1\nexps=CPU\n", 1024, 5120 + 9216, 5120 + 8192); // the first pattern decides
    assert_places("^output=CUDA0\n", 18432 + 5120, 0, 5120);
    assert_places("token_embd=CUDA1\n", 18432, 10240, 0);
}

// src/llama-context.cpp, pipeline_parallel: not with overrides.
static void test_no_pipeline(void **state)
{
    (void)state;
    struct kvb_llama_run run = two_layers("");
    assert_true(kvb_llama_is_pipelined(&run));
    run.overrides = "exps=CPU\n";
    assert_false(kvb_llama_is_pipelined(&run));
}

static void test_experts_by_count(void **state)
{
    struct kvb_llama_run run = two_layers("exps=CUDA1\n");
    (void)state;
    run.cpu_experts = 1;
    assert_int_equal(kvb_llama_tensor_place(&run, 0, "ffn_up_exps.weight", true, 0), 1); // said first
    run.overrides = NULL;
    assert_int_equal(kvb_llama_tensor_place(&run, 0, "ffn_up_exps.weight", true, 0), KVB_LLAMA_HOST);
    assert_int_equal(kvb_llama_tensor_place(&run, 1, "ffn_up_exps.weight", true, 0), 0);
    assert_int_equal(kvb_llama_tensor_place(&run, 0, "attn_q.weight", false, 0), 0);
}

static void test_buffers_it_has(void **state)
{
    struct kvb_llama_run run = two_layers("exps=CUDA1\nattn=CPU\n");
    (void)state;
    assert_null(kvb_llama_overrides_unknown(&run));
    run.overrides = "exps=CUDA2\n";
    assert_string_equal(kvb_llama_overrides_unknown(&run), "CUDA2\n");
    run.overrides = "exps=Vulkan0\n";
    assert_non_null(kvb_llama_overrides_unknown(&run));
    run.devices = 13; // numbers of two digits
    run.overrides = "exps=CUDA12\n";
    assert_null(kvb_llama_overrides_unknown(&run));
    assert_int_equal(kvb_llama_tensor_place(&run, 0, "ffn_up_exps.weight", true, 0), 12);
    run.overrides = "exps=CUDA13\n";
    assert_string_equal(kvb_llama_overrides_unknown(&run), "CUDA13\n");
    run.backend = KVB_LLAMA_METAL;
    run.devices = 1;
    run.overrides = "exps=Metal\na=MTL0\n";
    assert_null(kvb_llama_overrides_unknown(&run));
    run.overrides = NULL;
    assert_null(kvb_llama_overrides_unknown(&run));
}

// "blk.N." of layers with a digit, two and three.
static void test_digits_of_layers(void **state)
{
    (void)state;
    static const struct {
        uint32_t layer;
        const char *pattern;
    } rows[] = {{0, "^blk\\.0\\.x=CPU\n"},
                {9, "^blk\\.9\\.x=CPU\n"},
                {10, "^blk\\.10\\.x=CPU\n"},
                {99, "^blk\\.99\\.x=CPU\n"},
                {100, "^blk\\.100\\.x=CPU\n"},
                {109, "^blk\\.109\\.x=CPU\n"},
                {KVB_LAYERS_MAX - 1, "^blk\\.511\\.x=CPU\n"}};
    _Static_assert(KVB_LAYERS_MAX == 512, "the last row");
    static struct kvb_model deep;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_run run = {.model = &deep, .devices = 1, .overrides = rows[i].pattern};
        deep.layer_count = rows[i].layer + 1;
        assert_int_equal(kvb_llama_tensor_place(&run, rows[i].layer, "x", false, 0), KVB_LLAMA_HOST);
        deep.layer_count = rows[i].layer; // no layer: the name alone
        assert_int_equal(kvb_llama_tensor_place(&run, rows[i].layer, "x", false, 0), 0);
    }
}

static void test_lines(void **state)
{
    static const struct wrong bad[] = {
        {"exps", "override-tensor: 'exps': expected PATTERN=BUFFER such as exps=CPU"},
        {"=CPU", "override-tensor: '=CPU': expected PATTERN=BUFFER such as exps=CPU"},
        {"exps=TPU0", "override-tensor: 'exps=TPU0': expected a buffer such as CPU, CUDA0 or Vulkan0 behind the ="},
        {"exps=CUDA", "override-tensor: 'exps=CUDA': expected a buffer such as CPU, CUDA0 or Vulkan0 behind the ="},
        {"exps=CUDA100",
         "override-tensor: 'exps=CUDA100': expected a buffer such as CPU, CUDA0 or Vulkan0 behind the ="},
        {"[x=CPU", "override-tensor: '[x=CPU': a [ that is not closed is not read in a pattern"},
        {"a\nb=CPU", "override-tensor: 'a': a line ends inside"},
    };
    char lines[64] = "", why[256] = "";
    (void)state;
    assert_true(kvb_llama_overrides_add(lines, sizeof lines, "exps=CPU,blk\\.1=CUDA1", why));
    assert_true(kvb_llama_overrides_add(lines, sizeof lines, "a=Metal", why));
    char room[10] = ""; // eight characters, the end of a line and that of the text
    assert_true(kvb_llama_overrides_add(room, sizeof room, "exps=CPU", why));
    assert_string_equal(room, "exps=CPU\n");
    room[0] = '\0';
    assert_false(kvb_llama_overrides_add(room, sizeof room, "experts=CPU", why));
    assert_false(kvb_llama_overrides_add(room, sizeof room - 1, "exps=CPU", why));
    assert_string_equal(why, "override-tensor: 'exps=CPU': all patterns together are too long");
    assert_string_equal(lines, "exps=CPU\nblk\\.1=CUDA1\na=Metal\n");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(kvb_llama_overrides_add(lines, sizeof lines, bad[i].pattern, why));
        assert_string_equal(why, bad[i].why);
    }
    assert_false(kvb_llama_overrides_add(lines, sizeof lines, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=CPU", why));
    assert_string_equal(why, "override-tensor: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=CPU': all patterns "
                             "together are too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),         cmocka_unit_test(test_patterns_refused),
        cmocka_unit_test(test_places),           cmocka_unit_test(test_no_pipeline),
        cmocka_unit_test(test_experts_by_count), cmocka_unit_test(test_buffers_it_has),
        cmocka_unit_test(test_digits_of_layers), cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
