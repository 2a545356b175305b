// Which of two lines counts, and whose line it is.
#include <string.h>

#include "log_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define P "(EngineCore pid=9) INFO 03-04 05:06:07 [a.py:1] "
#define E "(EngineCore pid=9) ERROR 03-04 05:06:07 [a.py:1] "
#define LOADED P "Model loading took 8.25 GiB memory and 3.1 seconds\n"
#define POOL P "Available KV cache memory: 4.0 GiB\n"
#define SGLANG "[2025-12-01 10:00:02] Load weight begin. avail mem=78.60 GB\n"
#define FRAME(function) E "  File \"r.py\", line 1, in " function "\n"
#define TRACEBACK E "Traceback (most recent call last):\n"

// A traceback that is cut is shown from its first line on; of frames alone it is the last.
static void cut_at(void **state)
{
    (void)state;
    assert_int_equal(read_log(LOADED TRACEBACK FRAME("f"))->failure.line, 2);
    assert_int_equal(read_log(LOADED FRAME("f") FRAME("g"))->failure.line, 3);
}

// A line in vLLM's words says nothing of vLLM in another engine's log.
static void words_of_another(void **state)
{
    (void)state;
    const struct kvb_log_report *read = read_log(POOL);
    assert_true(read->generation_known);
    assert_int_equal(read->since, KVB_RELEASE(0, 9, 1));
    assert_int_equal(read->generation, KVB_GENERATION_V1);
    read = read_log("# GPU blocks: 1200, # CPU blocks: 512\n" POOL); // the first that says so
    assert_int_equal(read->generation, KVB_GENERATION_V0);
    read = read_log("Starting to load model a/b...\n"); // which both of them say
    assert_false(read->generation_known);
    read = read_log(SGLANG POOL);
    assert_int_equal(read->engine, KVB_LOG_SGLANG);
    assert_false(read->generation_known);
    assert_int_equal(read->since, 0);
}

// Lines that several engines print, or that wrap another's, do not name one; a frame does by the path of its file.
static void engines_named(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        enum kvb_log_engine engine;
    } rows[] = {
        {"Starting to load model a/b...\n", KVB_LOG_VLLM},
        {POOL, KVB_LOG_VLLM},
        {"RuntimeError: No available memory for the cache blocks.\n", KVB_LOG_VLLM},
        {"  line 1, in profile_run\n", KVB_LOG_UNKNOWN_ENGINE},
        {"RuntimeError: Engine loop has died\n", KVB_LOG_UNKNOWN_ENGINE},
        {"Loading safetensors checkpoint shards:  50% Completed | 1/2\n", KVB_LOG_UNKNOWN_ENGINE},
        {"INFO:     Application startup complete.\n", KVB_LOG_UNKNOWN_ENGINE},
        {"INFO:     10.0.0.1:1 - \"POST /v1/completions HTTP/1.1\" 200 OK\n", KVB_LOG_UNKNOWN_ENGINE},
        {"[TP0] Capture cuda graph begin. This can take\n", KVB_LOG_SGLANG},
        {"[TP0] Decode batch. #running-req: 1, #token: 50\n", KVB_LOG_SGLANG}, // whose words are its own
        {"Received sigquit from a child process. It usually\n", KVB_LOG_SGLANG},
        {"Exception: CUDA error: out of memory\n", KVB_LOG_UNKNOWN_ENGINE},
        {"Killed\n", KVB_LOG_UNKNOWN_ENGINE},
        {E "  File \"/usr/lib/python3/dist-packages/vllm/v1/engine/core.py\", line 2, in f\n", KVB_LOG_VLLM},
        {E "  File \"/usr/lib/python3/dist-packages/torch/nn.py\", line 2, in f\n", KVB_LOG_UNKNOWN_ENGINE},
        {"it says 'File \"/usr/lib/python3/dist-packages/vllm/v1/engine/core.py\", line 2\n", KVB_LOG_UNKNOWN_ENGINE},
        {SGLANG E "  File \"/usr/lib/python3/dist-packages/vllm/v1/engine/core.py\", line 2, in f\n",
         KVB_LOG_SGLANG}, // which imports kernels of vLLM
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kvb_log_engine engine = read_log(rows[i].log)->engine;
        if (engine != rows[i].engine) {
            fail_msg("'%s': %s", rows[i].log, kvb_log_engine_name(engine));
        }
    }
}

// Of a record that a program wrapped in JSON the stamp and level of the message's own line count: async_llm.py:419 is
// where 0.9.2 reports that its server died.
static void lines_of_one_record(void **state)
{
    (void)state;
#define STAMPED(level) "(APIServer pid=9) " level " 03-04 05:06:07 [async_llm.py:419] "
#define TOO_LARGE "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB.\\n\"}\n"
    static const struct {
        const char *log;
        bool serving;
    } rows[] = {
        {"{\"log\":\"" STAMPED("ERROR") TOO_LARGE, true},
        {"{\"log\":\"it goes on\\nfor a while:\\n" STAMPED("ERROR") TOO_LARGE, true},
        {"{\"log\":\"an ERROR before\\n" STAMPED("INFO") TOO_LARGE, false},
        {"{\"log\":\"" STAMPED("ERROR") "\\n" TOO_LARGE, true}, // reported on the line before
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *read = read_log(rows[i].log);
        assert_int_equal(read->failure.kind, KVB_FAILURE_OOM_SERVING);
        if (read->failure.stage_unknown == rows[i].serving) {
            fail_msg("'%s'", rows[i].log);
        }
    }
}

// Of two figures: the larger or smaller rank, what was said first of a failure, what was said last of a setting.
static void two_figures(void **state)
{
    (void)state;
#define OOM(mib, free)                                                                                                 \
    "CUDA out of memory. Tried to allocate " mib " MiB. GPU 0 has a total capacity of 80.00 GiB of which " free        \
    " MiB is free.\n"
    static const struct {
        const char *one, *other;
        enum kvb_observation what;
        int64_t one_first, other_first;
    } rows[] = {
        {LOADED, P "Model loading took 9.25 GiB memory and 3.1 seconds\n", KVB_OBS_WEIGHTS, 37 * GIB / 4, 37 * GIB / 4},
        {POOL, P "Available KV cache memory: 3.5 GiB\n", KVB_OBS_KV_CACHE, 7 * GIB / 2, 7 * GIB / 2},
        {P "Using max model len 4096\n", P "Using max model len 8192\n", KVB_OBS_MAX_MODEL_LEN, 8192, 4096},
        {OOM("400.00", "20.00"), OOM("500.00", "10.00"), KVB_OBS_TRIED_ALLOC, 400 * MIB, 500 * MIB},
        {OOM("400.00", "20.00"), OOM("500.00", "10.00"), KVB_OBS_OOM_FREE, 20 * MIB, 10 * MIB},
    };
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) {
        char log[512];
        bool turned = i % 2 != 0;
        strcpy(log, turned ? rows[i / 2].other : rows[i / 2].one);
        strcat(log, turned ? rows[i / 2].one : rows[i / 2].other);
        const struct kvb_log_value *value = &read_log(log)->observed[rows[i / 2].what];
        if (!value->set || value->value != (turned ? rows[i / 2].other_first : rows[i / 2].one_first)) {
            fail_msg("'%s': %lld", log, (long long)value->value);
        }
        assert_int_equal(value->count, 2);
    }
}

// Of two equal figures the line of the first is shown, of a setting that of the last.
static void equal_figures(void **state)
{
    (void)state;
    assert_int_equal(read_log(LOADED LOADED)->observed[KVB_OBS_WEIGHTS].line, 1);
    assert_int_equal(read_log(POOL POOL)->observed[KVB_OBS_KV_CACHE].line, 1);
    assert_int_equal(read_log(OOM("400.00", "20.00") OOM("400.00", "20.00"))->observed[KVB_OBS_TRIED_ALLOC].line, 1);
    assert_int_equal(
        read_log(P "Using max model len 4096\n" P "Using max model len 4096\n")->observed[KVB_OBS_MAX_MODEL_LEN].line,
        2);
}

KVB_TEST_MAIN(cmocka_unit_test(cut_at), cmocka_unit_test(words_of_another), cmocka_unit_test(engines_named),
              cmocka_unit_test(lines_of_one_record), cmocka_unit_test(two_figures), cmocka_unit_test(equal_figures))
