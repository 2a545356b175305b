// Settings as engines print them: argument dumps of every shape, and commands as a shell shows them.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <stdio.h>
#include <string.h>

#include "guarded.h"
#include "logs/settings.h"
#include "unit/test.h"

static struct kvb_settings settings;
static char model[KVB_NAME_CAPACITY];
static struct kvb_log_value fraction;
static const struct kvb_dump_result result = {&settings, model, &fraction};

static void forget(void)
{
    memset(&settings, 0, sizeof settings);
    memset(&fraction, 0, sizeof fraction);
    model[0] = '\0';
}

static void dump(const char *text)
{
    for (unsigned end = 0; end < 2; end++) { // nothing is read before it nor behind it
        forget();
        kvb_read_dump(guarded(text, strlen(text), end != 0), strlen(text), &result);
    }
}

static void command(const char *text)
{
    for (unsigned end = 0; end < 2; end++) {
        forget();
        kvb_read_command(guarded(text, strlen(text), end != 0), strlen(text), &result);
    }
}

struct row {
    const char *text;
    enum kvb_setting setting;
    bool set;
    uint64_t number;
};

static void read_rows(void (*read)(const char *text), const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        read(rows[i].text);
        const struct kvb_setting_value *value = &settings.values[rows[i].setting];
        if (value->set != rows[i].set || (value->set && value->number != rows[i].number)) {
            fail_msg("'%s': %d, %llu", rows[i].text, (int)value->set, (unsigned long long)value->number);
        }
    }
}

static void dumps(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"max_num_seqs=64, x=1", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"{'max_num_seqs': 64}", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"{\"max_num_seqs\": 64}", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"{'max_num_seqs\": 64}", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"{'max_num_seqs'= 64}", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"max_num_seqs: 64", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"xmax_num_seqs=64", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"max_num_seqs=None", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"max_num_seqs=null", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"max_num_seqs=", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"max_num_seqs=many", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"Args(x=Y(a=[1, 2], b={'c': 'd)'}, e=<F: 3>), max_seq_len=4096)", KVB_SET_MAX_MODEL_LEN, true, 4096},
        {"x='it\\'s, max_seq_len=1', max_seq_len=4096", KVB_SET_MAX_MODEL_LEN, true, 4096},
        {"x='cut off, max_seq_len=4096", KVB_SET_MAX_MODEL_LEN, false, 0},
        {"max_num_seqs='", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"max_num_seqs='6", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"x=Y(1, max_num_seqs=1)", KVB_SET_MAX_NUM_SEQS, false, 0}, // another's
        {"x=[1, max_num_seqs=1]", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"x={1, max_num_seqs=1}", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"x=<1, max_num_seqs=1>", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"x=Y([{<1>, 2}], max_num_seqs=1), max_num_seqs=64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"x=(1), max_num_seqs=64, y=2", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"tp_size=4", KVB_SET_TENSOR_PARALLEL_SIZE, true, 4},
        {"enforce_eager=True", KVB_SET_ENFORCE_EAGER, true, 1},
        {"enforce_eager=1", KVB_SET_ENFORCE_EAGER, true, 1},
        {"enforce_eager=False", KVB_SET_ENFORCE_EAGER, true, 0},
        {"enforce_eager=0", KVB_SET_ENFORCE_EAGER, true, 0},
        {"enforce_eager=perhaps", KVB_SET_ENFORCE_EAGER, false, 0},
        {"dtype=torch.bfloat16", KVB_SET_DTYPE, true, KVB_DTYPE_WORD_BF16},
        {"dtype='float16'", KVB_SET_DTYPE, true, KVB_DTYPE_WORD_FP16},
        {"speculative_config={'method': 'mtp', 'num_speculative_tokens': 3}", KVB_SET_NUM_SPECULATIVE_TOKENS, true, 3},
        {"speculative_config={'method': 'mtp', 'num_speculative_tokens': 3}", KVB_SET_SPECULATIVE_METHOD, true,
         KVB_SPECULATIVE_MTP},
        {"speculative_config={'model': 'a/b', 'num_speculative_tokens': 3}", KVB_SET_NUM_SPECULATIVE_TOKENS, false, 0},
        {"speculative_config={'num_speculative_tokensx': 3}", KVB_SET_NUM_SPECULATIVE_TOKENS, false, 0},
        {"speculative_config={'num_speculative_tokens': ''}", KVB_SET_NUM_SPECULATIVE_TOKENS, false, 0},
        {"speculative_config={'num_speculative_tokens': many}", KVB_SET_NUM_SPECULATIVE_TOKENS, false, 0},
        {"limit_mm_per_prompt={'image': 2, 'video': 0}", KVB_SET_LIMIT_IMAGES, true, 2},
        {"limit_mm_per_prompt={'image': 2, 'video': 0}", KVB_SET_LIMIT_VIDEOS, true, 0},
        {"limit_mm_per_prompt={'image': 2, 'video': 0}", KVB_SET_LIMIT_AUDIOS, false, 0},
        {"another={'image': 2}", KVB_SET_LIMIT_IMAGES, false, 0},
        {"a2345678901234567890123456789012345678901234567890123456789012_max_num_seqs=64", KVB_SET_MAX_NUM_SEQS, false,
         0}, // longer than a key
    };
    read_rows(dump, rows, sizeof rows / sizeof rows[0]);
}

// What each engine's own dump calls a setting: EngineConfig and CacheConfig of vLLM, ServerArgs of SGLang 0.4.6, and
// the short flags of vLLM's arg_utils.py.
static void other_names(void **state)
{
    (void)state;
    static const struct row dumped[] = {
        {"config: model='a/b', max_seq_len=4096, x", KVB_SET_MAX_MODEL_LEN, true, 4096},
        {"cache_config_info{cache_dtype=\"fp8\"}", KVB_SET_KV_CACHE_DTYPE, true, KVB_KV_FP8},
        {"config: chunked_prefill_enabled=True, x", KVB_SET_ENABLE_CHUNKED_PREFILL, true, 1},
        {"ServerArgs(tp_size=2, x=1)", KVB_SET_TENSOR_PARALLEL_SIZE, true, 2},
        {"ServerArgs(pp_size=2, x=1)", KVB_SET_PIPELINE_PARALLEL_SIZE, true, 2},
        {"ServerArgs(dp_size=2, x=1)", KVB_SET_DATA_PARALLEL_SIZE, true, 2},
        {"ServerArgs(context_length=4096, x=1)", KVB_SET_MAX_MODEL_LEN, true, 4096},
        {"ServerArgs(max_running_requests=64, x=1)", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"ServerArgs(chunked_prefill_size=8192, x=1)", KVB_SET_MAX_NUM_BATCHED_TOKENS, true, 8192},
        {"ServerArgs(page_size=64, x=1)", KVB_SET_BLOCK_SIZE, true, 64},
        {"ServerArgs(disable_cuda_graph=True, x=1)", KVB_SET_ENFORCE_EAGER, true, 1},
        {"limit_mm_per_prompt={'image': 2, 'audio': 3}", KVB_SET_LIMIT_AUDIOS, true, 3},
        {"limit_mm_per_prompt={'image': 2, 'audio': '3'}", KVB_SET_LIMIT_AUDIOS, true, 3},
        {"limit_mm_per_prompt={'image':2}", KVB_SET_LIMIT_IMAGES, false, 0},
    };
    static const struct row typed[] = {
        {"a/b -tp 2", KVB_SET_TENSOR_PARALLEL_SIZE, true, 2},
        {"a/b -pp 2", KVB_SET_PIPELINE_PARALLEL_SIZE, true, 2},
        {"a/b -dp 2", KVB_SET_DATA_PARALLEL_SIZE, true, 2},
        {"a/b -q fp8", KVB_SET_QUANTIZATION, true, KVB_QUANTIZATION_FP8},
    };
    read_rows(dump, dumped, sizeof dumped / sizeof dumped[0]);
    read_rows(command, typed, sizeof typed / sizeof typed[0]);
}

// A value of 127 characters is kept whole, a longer one is cut; a key has 63.
static void long_words(void **state)
{
    (void)state;
    char text[512], word[256];
    for (size_t length = 126; length <= 129; length++) {
        memset(word, 'x', length);
        word[length] = '\0';
        (void)snprintf(text, sizeof text, "model='%s', max_num_seqs=64", word);
        dump(text);
        assert_int_equal(strlen(model), length < 128 ? length : 127);
        assert_int_equal(settings.values[KVB_SET_MAX_NUM_SEQS].number, 64);
        (void)snprintf(text, sizeof text, "speculative_config={'method': '%s', 'num_speculative_tokens': 3}", word);
        dump(text);
        assert_false(settings.values[KVB_SET_SPECULATIVE_METHOD].set);
        (void)snprintf(text, sizeof text, "'%s' --max-num-seqs 64", word);
        command(text);
        assert_int_equal(strlen(model), length < 128 ? length : 127);
        assert_int_equal(settings.values[KVB_SET_MAX_NUM_SEQS].number, 64);
    }
    for (size_t length = 62; length <= 65; length++) { // what stands in the value of a key is another's
        memset(word, 'x', length);
        word[length] = '\0';
        (void)snprintf(text, sizeof text, "%s=Y(max_num_seqs=64)", word);
        dump(text);
        assert_int_equal(settings.values[KVB_SET_MAX_NUM_SEQS].set, length > 63);
    }
}

static void models(void **state)
{
    (void)state;
    dump("Namespace(model='a/b', model_tag='c/d')");
    assert_string_equal(model, "a/b"); // the first counts
    dump("model_tag=\"c/d\", x=1");
    assert_string_equal(model, "c/d");
    dump("x=1, max_num_seqs=64, model='a/b', y=2");
    assert_string_equal(model, "a/b");
    dump("x=1, max_num_seqs=64"); // no other key names one
    assert_string_equal(model, "");
    dump("model=''");
    assert_string_equal(model, "");
    dump("Namespace(model=None, model_path=null, model_tag='c/d')"); // nothing was said of the first two
    assert_string_equal(model, "c/d");
    command("a/b --model c/d");
    assert_string_equal(model, "a/b");
    command("--model-path='c/d'");
    assert_string_equal(model, "'c/d'"); // a quote inside of a word stays: nobody types it so
    command("--model-path 'c/d' --tp 2");
    assert_string_equal(model, "c/d");
}

static void static_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ppm; // -1: none
    } rows[] = {
        {"mem_fraction_static=0.88", 880000}, {"mem_fraction_static=1.0", 1000000}, {"mem_fraction_static=0", 0},
        {"mem_fraction_static=1.01", -1},     {"mem_fraction_static=-0.5", -1},     {"mem_fraction_static=x", -1},
        {"mem_fraction_static=None", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dump(rows[i].text);
        assert_int_equal(fraction.set ? fraction.value : -1, rows[i].ppm);
    }
}

static void commands(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a/b --max-num-seqs 64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"a/b --max-num-seqs=64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"a/b --max_num_seqs\t64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"a/b \\\n  --max-num-seqs \\\n 64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"'a b' --max-num-seqs \"64\"", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"a/b --max-num-seqs '64", KVB_SET_MAX_NUM_SEQS, true, 64}, // cut off
        {"a/b --max-num-seqs '", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"a/b; x --max-num-seqs 64", KVB_SET_MAX_NUM_SEQS, false, 0},  // another command
        {"a/b --max-num-seqs \\\n64", KVB_SET_MAX_NUM_SEQS, true, 64}, // its value begins the next line
        {"a/b | x --max-num-seqs 64", KVB_SET_MAX_NUM_SEQS, false, 0},
        {"a/b --enforce-eager --max-num-seqs 64", KVB_SET_ENFORCE_EAGER, true, 1},
        {"a/b --enforce-eager", KVB_SET_ENFORCE_EAGER, true, 1},
        {"a/b --no-enforce-eager", KVB_SET_ENFORCE_EAGER, true, 0},
        {"a/b word --max-num-seqs 64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"--max-num-seqs 64", KVB_SET_MAX_NUM_SEQS, true, 64},
        {"", KVB_SET_MAX_NUM_SEQS, false, 0},
    };
    read_rows(command, rows, sizeof rows / sizeof rows[0]);
    char longer[400] = "a/b --";
    memset(longer + 6, 'x', 300);
    strcpy(longer + 306, " --max-num-seqs 64");
    command(longer);
    assert_int_equal(settings.values[KVB_SET_MAX_NUM_SEQS].number, 64);
}

KVB_TEST_MAIN(cmocka_unit_test(dumps), cmocka_unit_test(other_names), cmocka_unit_test(long_words),
              cmocka_unit_test(models), cmocka_unit_test(static_fractions), cmocka_unit_test(commands))
