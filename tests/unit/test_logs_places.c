// Where on its line a message, a command or an exception begins: each row's line bears a '@' at the place in question.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <string.h>

#include "guarded.h"
#include "logs/forms.h"
#include "unit/test.h"

static char line[256];

// Takes the '@' out; its place.
static size_t place_of(const char *marked)
{
    size_t at = strcspn(marked, "@");
    assert_true(strlen(marked) < sizeof line && marked[at] == '@');
    memcpy(line, marked, at);
    strcpy(line + at, marked + at + 1);
    return at;
}

static void messages_begin(void **state)
{
    (void)state;
    static const char *const begin[] = {
        "@x",
        "   @x",
        "\t@x",
        "INFO\t@x",
        "abc] @x",
        "abc| @x",
        "\xe2\x94\x82 @x",
        "a]: @x",
        "ERROR: @x",
        "main ERROR: @x",
        "the process has terminated: @x",
        "stderr @x",
        "ns/ERROR @x",
        "12:30:01 @x",
        "2025T @x",
        "WARN\n@x",
        "one\ntwo]: @x",
        "one\nERROR: @x",
        "- @x",
        "F @x",
        "x\tstderr @x",
        "x\tERROR\t@x",
        "vllm/vllm/0a1b2c3d @x", // a stream of CloudWatch
        "12 e/00000000000000f @x",
        "one\n] @x WARN DEBUG", // said behind it
    };
    static const char *const amid[] = {"WARNING 1] @x",
                                       "x\nWARNING 1] @x",
                                       "DEBUG] @x",
                                       ": @x",
                                       "foo: @x",
                                       "xERROR @x",
                                       "12 @x",
                                       "a:b @x",
                                       "the @x",
                                       "]the @x",
                                       "a/0a1b2c3 @x",
                                       "0a1b2c3d @x",
                                       "{\"pod\":\"n-0\",\"line\":\"Fatal @x",
                                       "/0a1b2c3d @x",
                                       "a-0a1b2c3d @x"};
    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++) {
        size_t at = place_of(begin[i]);
        if (!kvb_form_begins_message(guarded(line, strlen(line), false), at)) {
            fail_msg("'%s' begins no message", begin[i]);
        }
    }
    for (size_t i = 0; i < sizeof amid / sizeof amid[0]; i++) {
        size_t at = place_of(amid[i]);
        if (kvb_form_begins_message(guarded(line, strlen(line), false), at)) {
            fail_msg("'%s' begins a message", amid[i]);
        }
    }
}

static void commands_begin(void **state)
{
    (void)state;
    static const char *const begin[] = {"@vllm",      "$ @vllm", "exec @vllm",    "x sudo\t@vllm", "A=1 @vllm",
                                        "a && @vllm", "(@vllm",  "x command: @v", "python -m @v"};
    static const char *const amid[] = {"Run @vllm",       "exit @vllm",         "x\t@vllm",     "1234 Killed @vllm",
                                       "the @vllm --x=1", "one\nthe @vllm A=1", "A=1 the @vllm"};
    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++) {
        size_t at = place_of(begin[i]);
        if (!kvb_form_begins_command(guarded(line, strlen(line), false), at)) {
            fail_msg("'%s' begins no command", begin[i]);
        }
    }
    for (size_t i = 0; i < sizeof amid / sizeof amid[0]; i++) {
        size_t at = place_of(amid[i]);
        if (kvb_form_begins_command(guarded(line, strlen(line), false), at)) {
            fail_msg("'%s' begins a command", amid[i]);
        }
    }
}

struct row {
    enum kvb_form form;
    const char *marked;
    const char *message; // NULL: it does not bear this form there
};

static void read_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) { // with nothing behind it, and with nothing before it
        struct kvb_form_place place = {0, 0};
        size_t at = place_of(rows[i / 2].marked), length = strlen(line);
        bool found = kvb_form_read(rows[i / 2].form, guarded(line, length, i % 2 == 0), length, at, &place);
        if (found != (rows[i / 2].message != NULL)) {
            fail_msg("'%s': %s", rows[i / 2].marked, found ? "found" : "not found");
        }
        if (found && (place.end - place.start != strlen(rows[i / 2].message) ||
                      memcmp(line + place.start, rows[i / 2].message, place.end - place.start) != 0)) {
            fail_msg("'%s': %zu to %zu", rows[i / 2].marked, place.start, place.end);
        }
    }
}

#define READ(rows) read_rows(rows, sizeof rows / sizeof rows[0])

static void exceptions(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {KVB_FORM_EXCEPTION, "x] a.b.Foo@Error: text\nmore", "a.b.FooError: text"},
        {KVB_FORM_EXCEPTION, "Foo@Error", "FooError"},
        {KVB_FORM_EXCEPTION, "Foo@Error('text')\r", "FooError('text')"},
        {KVB_FORM_EXCEPTION, "Foo@Error!", NULL},
        {KVB_FORM_EXCEPTION, "foo@error: text", NULL},
        {KVB_FORM_EXCEPTION, "a.Foo@Error.: text", NULL}, // nothing behind the last dot
        {KVB_FORM_EXCEPTION, "an Foo@Error: text", NULL},
        {KVB_FORM_EXCEPTION, "RayTaskError(Value@Error): text", "ValueError): text"}, // the inner one
        {KVB_FORM_EXCEPTION, "ray.RayTaskError(Value@Error): text", "ValueError): text"},
        {KVB_FORM_EXCEPTION, "RayTaskError(value@error): text", NULL},
        {KVB_FORM_EXCEPTION, "see RayTaskError(Value@Error): text", NULL},
        {KVB_FORM_EXCEPTION, "Value@Error): text", NULL},
        {KVB_FORM_EXCEPTION, "x] Value@Error): text", NULL},
        {KVB_FORM_EXCEPTION, "AaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaa@Err: text",
         NULL}, // 80
        {KVB_FORM_EXCEPTION, "AaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaa@Err: text",
         "AaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaaaaaAaaaaaErr: text"}, // 79
        {KVB_FORM_EXCEPTION, "@FooError: text", "FooError: text"},
        {KVB_FORM_EXCEPTION, "FooError@: text", "FooError: text"},
        {KVB_FORM_EXCEPTION, "Foo@Error:", "FooError:"},
        {KVB_FORM_EXCEPTION, "Foo@Error\"", "FooError\""},
        {KVB_FORM_EXCEPTION, "Foo@Error\\n", "FooError\\n"},
        {KVB_FORM_EXCEPTION, "Foo@Error text", NULL},
        {KVB_FORM_EXCEPTION, "a.b.@", NULL},
        {KVB_FORM_EXCEPTION, ".Foo@Error: text", ".FooError: text"},
        {KVB_FORM_EXCEPTION, "A(Value@Error)", "ValueError)"},
        {KVB_FORM_EXCEPTION, "A(B(Value@Error)", NULL},
        {KVB_FORM_NONE, "Foo@Error: text", NULL},
    };
    READ(rows);
}

// Words of programs that end with a sentence and no class.
static void phrases(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {KVB_FORM_EXCEPTION, "vllm:@ error: bad", "vllm: error: bad"},
        {KVB_FORM_EXCEPTION, "x] vllm serve:@ error: bad", "vllm serve: error: bad"},
        {KVB_FORM_EXCEPTION, "x vllm serve:@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "x-y vllm-x:@ error: bad", "x-y vllm-x: error: bad"},
        {KVB_FORM_EXCEPTION, "/usr/bin/api-server.py:@ error: bad", "/usr/bin/api-server.py: error: bad"},
        {KVB_FORM_EXCEPTION, "my-vllm serve:@ error: bad", "my-vllm serve: error: bad"},
        {KVB_FORM_EXCEPTION, "x] vllm:@ error: bad", "vllm: error: bad"},
        {KVB_FORM_EXCEPTION, "x](vllm:@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "slurmstepd:@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "srun:@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, ":@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "vllm :@ error: bad", NULL}, // a colon of no word
        {KVB_FORM_EXCEPTION, "] :@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "CUDA@ error: bad", "CUDA error: bad"},
        {KVB_FORM_EXCEPTION, "x] CUDA runtime@ error: bad", "CUDA runtime error: bad"},
        {KVB_FORM_EXCEPTION, "INFO such CUDA runtime@ error: bad", "such CUDA runtime error: bad"},
        {KVB_FORM_EXCEPTION, "INFO no such CUDA runtime@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "there is no such CUDA@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "a=CUDA@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "  Valu@e error, bad", "Value error, bad"},
        {KVB_FORM_EXCEPTION, "the Valu@e error, bad", NULL},
        {KVB_FORM_EXCEPTION, "abc@e error, bad", NULL},
        {KVB_FORM_EXCEPTION, "abcd@e error, bad", NULL},
        {KVB_FORM_EXCEPTION, "[TM@][ERROR]  bad", "bad"},
        {KVB_FORM_EXCEPTION, "[TensorRT-LLM@][ERROR] bad", "bad"},
        {KVB_FORM_EXCEPTION, "[@TRT] [E] bad", "bad"},
        {KVB_FORM_EXCEPTION, "[TensorRT-@LLM] [E] bad", "bad"},
        {KVB_FORM_EXCEPTION, "[another@][ERROR] bad", NULL},
        {KVB_FORM_EXCEPTION, "[TM@][ERROR]", NULL},
        {KVB_FORM_EXCEPTION, "[TM@][ERROR]  \nbad", NULL},
        {KVB_FORM_EXCEPTION, "thread 'main' @panicked at x", "panicked at x"},
        {KVB_FORM_EXCEPTION, "@panicked at x", "panicked at x"},
        {KVB_FORM_EXCEPTION, "nobody @panicked", NULL},
        {KVB_FORM_EXCEPTION, "@panic: bad", "panic: bad"},
        {KVB_FORM_EXCEPTION, "no @panic: bad", NULL},
        {KVB_FORM_EXCEPTION, "  @what():  bad", "what():  bad"},
        {KVB_FORM_EXCEPTION, "vllm:@ error:", "vllm: error:"},
        {KVB_FORM_EXCEPTION, "vllm serve:@ error:", "vllm serve: error:"},
        {KVB_FORM_EXCEPTION, "x] a b:@ error: bad", "a b: error: bad"},
        {KVB_FORM_EXCEPTION, "x] a.b-c d_e:@ error: bad", "a.b-c d_e: error: bad"},
        {KVB_FORM_EXCEPTION, "x] /a d:@ error: bad", NULL},
        {KVB_FORM_EXCEPTION, "CUDA@ error:", "CUDA error:"},
        {KVB_FORM_EXCEPTION, " CUDA@ error: bad\nmore", "CUDA error: bad"},
        {KVB_FORM_EXCEPTION, "one\nCUDA@ error: bad", "CUDA error: bad"},
        {KVB_FORM_EXCEPTION, "one\nvllm:@ error: bad", "vllm: error: bad"},
        {KVB_FORM_EXCEPTION, "one\na b:@ error: bad", "a b: error: bad"},
        {KVB_FORM_EXCEPTION, "one\nvllm:@ error: slurm, srun", "vllm: error: slurm, srun"}, // another's words
        {KVB_FORM_EXCEPTION, "one\n[x@][ERROR] [TM TensorRT TRT", NULL},
        {KVB_FORM_EXCEPTION, "one\nnobody @panicked thread", NULL},
        {KVB_FORM_EXCEPTION, "TRT\n[x@][ERROR] bad", NULL},
        {KVB_FORM_EXCEPTION, "[TM@][ERROR]b", "b"},
        {KVB_FORM_EXCEPTION, "[TM@][ERROR]bad\nmore", "bad"},
        {KVB_FORM_EXCEPTION, "Valu@e error,", "Value error,"},
        {KVB_FORM_EXCEPTION, "Val@e error, bad", NULL},
        {KVB_FORM_EXCEPTION, "thread\n'main' @panicked at x", "panicked at x"},
        {KVB_FORM_EXCEPTION, "thread\nthe @panicked at x", NULL},
        {KVB_FORM_EXCEPTION, "thread a @panic: bad", NULL},
        {KVB_FORM_EXCEPTION, "x] A runtime@ error: bad", "A runtime error: bad"}, // a word of one letter
        {KVB_FORM_EXCEPTION, "x] CUDA  runtime@ error: bad", NULL},
    };
    READ(rows);
}

static void killed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {KVB_FORM_KILLED, "@Killed", "Killed"},
        {KVB_FORM_KILLED, "@Killed\nx", "Killed"},
        {KVB_FORM_KILLED, "@Killed  vllm", "Killed  vllm"},
        {KVB_FORM_KILLED, "@Killed process 12", "Killed process 12"},
        {KVB_FORM_KILLED, "@Killed by", NULL},
        {KVB_FORM_KILLED, "run.sh: line 3: 12 @Killed  vllm", "run.sh: line 3: 12 Killed  vllm"},
        {KVB_FORM_KILLED, "zsh: @killed  vllm", "zsh: killed  vllm"},
        {KVB_FORM_KILLED, "one\nzsh: @killed  vllm", "zsh: killed  vllm"},
        {KVB_FORM_KILLED, "one\nbash: @killed  vllm", NULL},
        {KVB_FORM_KILLED, "they @Killed  it", NULL},
        {KVB_FORM_KILLED, "x\n@Killed", "Killed"},
        {KVB_FORM_KILLED, "12@Killed", "12Killed"},
        {KVB_FORM_KILLED, "x  12  @Killed", "x  12  Killed"},
        {KVB_FORM_KILLED, "@Killed ", NULL},
        {KVB_FORM_KILLED, "@Killed  ", "Killed  "},
        {KVB_FORM_KILLED, "@Killed process", NULL},
        {KVB_FORM_KILLED, "@Killed process ", "Killed process "},
        {KVB_FORM_KILLED, "] @Killed", "Killed"},
        {KVB_FORM_KILLED, "they @Killed", NULL},
        {KVB_FORM_RECORD, "@ERROR 01-02\nx", ""},
        {KVB_FORM_FRAME, "  @File \"x\"\ny", "File \"x\""},
        {KVB_FORM_FRAME, "the @File \"x\"", NULL},
    };
    READ(rows);
}

// At most nine characters of message on the line: the search, which looks at eight and the one before, cannot know it.
static void wrapped_early(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool early;
    } rows[] = {
        {"X: abc", true},
        {"X: abcde", true},
        {"X: abcdef", true},
        {"FooError: ", false},
        {"FooError: a", true},
        {"FooError: 1234567", true},
        {"FooError: 123456789", true},
        {"FooError: 1234567890", false},
        {"FooError", false},
        {": ab", true},
        {"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_form_place place = {0, strlen(rows[i].text)};
        if (kvb_form_wrapped_early(guarded(rows[i].text, place.end, false), &place) != rows[i].early) {
            fail_msg("'%s'", rows[i].text);
        }
    }
}

// Whose frame it is: the folder of each package, as its tracebacks show it.
static void frames(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum kvb_log_engine engine;
    } rows[] = {
        {"File \"/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py\", line 2", KVB_LOG_SGLANG},
        {"File \"/usr/src/server/text_generation_server/server.py\", line 2", KVB_LOG_TGI},
        {"File \"/opt/lmdeploy/lmdeploy/pytorch/engine/engine.py\", line 2", KVB_LOG_LMDEPLOY},
        {"File \"/usr/local/lib/python3.12/dist-packages/tensorrt_llm/executor.py\", line 2", KVB_LOG_TENSORRT},
        {"File \"/usr/lib/python3/dist-packages/llama_cpp/llama.py\", line 2", KVB_LOG_LLAMACPP},
        {"File \"/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py\", line 2", KVB_LOG_VLLM},
        {"File \"C:\\venv\\Lib\\site-packages\\vllm\\engine\\arg_utils.py\", line 2", KVB_LOG_VLLM},
        {"File \"vllm/engine/arg_utils.py\", line 2", KVB_LOG_VLLM},
        {"File \"/home/me/vllm-fork/a.py\", line 2", KVB_LOG_UNKNOWN_ENGINE},
        {"File \"/usr/lib/python3/dist-packages/torch/cuda/graphs.py\", line 2", KVB_LOG_UNKNOWN_ENGINE},
        {"/vllm/", KVB_LOG_VLLM},
        {"/vllm", KVB_LOG_UNKNOWN_ENGINE},
        {"", KVB_LOG_UNKNOWN_ENGINE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length = strlen(rows[i].text);
        assert_int_equal(kvb_form_engine(guarded(rows[i].text, length, true), length), rows[i].engine);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(messages_begin), cmocka_unit_test(commands_begin), cmocka_unit_test(exceptions),
              cmocka_unit_test(phrases), cmocka_unit_test(killed), cmocka_unit_test(wrapped_early),
              cmocka_unit_test(frames))
