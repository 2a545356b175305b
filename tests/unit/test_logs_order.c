// What the order of a log's lines means: what stands on one line, what is said behind a message and not before it,
// which engine names the buffer after the failure.
#include <string.h>

#include "log_text.h"
#include "logs/run.h"
#include "logs/stamps.h"
#include "logs/trouble.h"
#include "unit/test.h"

static struct kvb_attempt attempt;

// A function of a server that runs says where memory ran out unless the start went on behind it.
static void hints(void **state)
{
    (void)state;
    static const struct {
        enum kvb_failure hint;
        uint64_t hint_line, progress_line;
        enum kvb_failure kind;
    } rows[] = {
        {KVB_FAILURE_OOM_SERVING, 7, 6, KVB_FAILURE_OOM_SERVING},
        {KVB_FAILURE_OOM_SERVING, 7, 7, KVB_FAILURE_OOM_SERVING}, // on one line with it
        {KVB_FAILURE_OOM_SERVING, 7, 8, KVB_FAILURE_OOM_PROFILE}, // as far as the start has come
        {KVB_FAILURE_OOM_GRAPH, 7, 8, KVB_FAILURE_OOM_GRAPH},
        {KVB_FAILURE_NONE, 7, 6, KVB_FAILURE_OOM_PROFILE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool inferred = true;
        memset(&attempt, 0, sizeof attempt);
        attempt.facts.engine = KVB_LOG_VLLM;
        attempt.facts.stage = KVB_STAGE_LOADED;
        attempt.hint = rows[i].hint;
        attempt.hint_line = rows[i].hint_line;
        attempt.progress_line = rows[i].progress_line;
        if (kvb_stage_of_oom(&attempt, 9, &inferred) != rows[i].kind || inferred) {
            fail_msg("row %zu: %s", i, kvb_failure_name(kvb_stage_of_oom(&attempt, 9, &inferred)));
        }
    }
}

// The stamp that stands before a message, on its own line, and the level beside it. v1/engine/core.py:1110 of 0.19 is
// where a server says that it died.
static void stamps(void **state)
{
    (void)state;
    static const struct {
        const char *record; // '@': where the message begins
        bool stamped;
        enum kvb_side side;
    } rows[] = {
        {"ERROR 03-04 05:06:07 [core.py:1110] @x", true, KVB_SIDE_SERVING},
        {"one\nERROR 03-04 05:06:07 [core.py:1110] @x", true, KVB_SIDE_SERVING},
        {"INFO 03-04 05:06:07 [core.py:1110] @x ERROR", true, KVB_SIDE_UNKNOWN}, // the word is the message's
        {"one\nINFO 03-04 05:06:07 [core.py:1110] @x ERROR", true, KVB_SIDE_UNKNOWN},
        {"ERROR\nINFO 03-04 05:06:07 [core.py:1110] @x", true, KVB_SIDE_UNKNOWN},
        {"ERROR 03-04 @x [core.py:1110] y", false, KVB_SIDE_UNKNOWN}, // and so is the stamp
        {"one\nERROR 03-04 @x [core.py:1110] y", false, KVB_SIDE_UNKNOWN},
        {"[core.py:1110]\nERROR 03-04 @x", false, KVB_SIDE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char record[128] = "";
        const struct kvb_line_row row = {.event = KVB_EVENT_FACT};
        size_t at = strcspn(rows[i].record, "@");
        memcpy(record, rows[i].record, at);
        strcpy(record + at, rows[i].record + at + 1);
        const struct kvb_log_hit hit = {.row = &row,
                                        .engine = KVB_LOG_VLLM,
                                        .line = 5,
                                        .record = record,
                                        .length = strlen(record),
                                        .start = at,
                                        .end = at + 1};
        memset(&attempt, 0, sizeof attempt);
        kvb_read_stamp(&attempt, &hit);
        if (attempt.side != rows[i].side || (attempt.facts.since != 0) != rows[i].stamped) {
            fail_msg("'%s': %d, %u", rows[i].record, (int)attempt.side, (unsigned)attempt.facts.since);
        }
        kvb_take_error_record(&attempt, &hit);
        assert_int_equal(attempt.frame_line, rows[i].stamped ? 5 : 0);
    }
}

#define OOM "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB.\n"
#define FRAME "  File \"r.py\", line 1, in capture_model\n"

// llama.cpp, Ollama and TensorRT-LLM name the buffer behind the failure; a frame behind another's message is not its
// own.
static void named_behind(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_failure kind; // of what is out of memory right behind it
        bool names_after;
    } rows[] = {
        {"Model loading took 8.25 GiB memory and 3.1 seconds\n", KVB_FAILURE_OOM_PROFILE, false},
        {"[TP0] Load weight begin. avail mem=40.25 GB\n", KVB_FAILURE_OOM_LOAD, false},
        {"load_tensors: offloaded 33/33 layers to GPU\n", KVB_FAILURE_OOM_LOAD, true},
        {"level=INFO msg=\"Listening on 127.0.0.1:11434 (version 0.9.6)\"\n", KVB_FAILURE_OOM_LOAD, true},
        {"[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: 640\n", KVB_FAILURE_OOM_GRAPH, true},
        {"[TM][INFO] [BlockManager] max_block_count = 640\n", KVB_FAILURE_OOM_GRAPH, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char log[512] = "";
        strcat(strcpy(log, rows[i].line), OOM);
        assert_int_equal(read_log(log)->failure.kind, rows[i].kind);
        strcat(log, "  File \"r.py\", line 1, in load_weights\n");
        enum kvb_failure loading = read_log(log)->failure.kind;
        strcat(strcat(strcpy(log, rows[i].line), OOM), FRAME);
        enum kvb_failure capturing = read_log(log)->failure.kind;
        if ((loading == KVB_FAILURE_OOM_LOAD && capturing == KVB_FAILURE_OOM_GRAPH) != rows[i].names_after) {
            fail_msg("'%s': %s, %s", rows[i].line, kvb_failure_name(loading), kvb_failure_name(capturing));
        }
    }
}

// Nothing left is a failure about memory, whose cause the log names, though no line says that it is one.
static void nothing_left(void **state)
{
    (void)state;
    static const char *const logs[] = {"INFO [a.py:1] Available KV cache memory: -1.25 GiB\n",
                                       "INFO [a.py:1] Available KV cache memory: 0.0 GiB\n",
                                       "INFO llm_engine.py:80] # GPU blocks: 0, # CPU blocks: 512\n"};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        const struct kvb_log_report *report = read_log(logs[i]);
        assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
        assert_int_equal(report->failure.about_memory, KVB_LOG_YES);
        assert_true(report->failure.cause_in_log);
        assert_true(report->failure.inferred);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(hints), cmocka_unit_test(stamps), cmocka_unit_test(named_behind),
              cmocka_unit_test(nothing_left))
