// Each form that the search looks for, in a line as programs write it: what is shown of the failure is the message from
// its first character on, and a frame of a traceback names the engine.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/forms.h"
#include "unit/test.h"

#define LOADED "Model loading took 14.25 GiB and 3.000000 seconds\n"

struct row {
    const char *window; // of the anchor
    const char *line, *text;
};

static const struct row rows[] = {
    {"?Error: ", "ValueError: x", "ValueError: x"},
    {"?Error:\n", "some.KeyError:", "some.KeyError:"},
    {"?Error:\r", "some.KeyError:\r", "some.KeyError:"},
    {"?Error\\n", "{\"log\":\"some.AssertError\\n\",\"stream\":\"stderr\"}", "some.AssertError"},
    {"?Error('", "ImportError('x')", "ImportError('x')"},
    {"?Error(\"", "ImportError(\"x\")", "ImportError(\"x\")"},
    {"?Error(\\", "{\"log\":\"ImportError(\\\"x\\\")\"}", "ImportError(\"x\")\"}"},
    {"?Error):", "RayTaskError(ValueError): x", "ValueError): x"},
    {"xception", "my.Exception: x", "my.Exception: x"},
    {"nterrupt", "some.SoftInterrupt: x", "some.SoftInterrupt: x"},
    {"Timeout:", "httpx.ReadTimeout: x", "httpx.ReadTimeout: x"},
    {"esources", "triton.runtime.errors.OutOfResources: x", "triton.runtime.errors.OutOfResources: x"},
    {"temExit:", "SystemExit: 1", "SystemExit: 1"},
    {"? error:", "vllm: error: x", "vllm: error: x"},
    {"? error:", "CUDA error: x", "CUDA error: x"},
    {"\nerror: ", "error: x", "error: x"}, // llama.cpp
    {"e error,", "  Value error, x", "Value error, x"},
    {"panicked", "thread 'main' panicked at src/main.rs:7:5:", "panicked at src/main.rs:7:5:"},
    {"?panic: ", "panic: runtime fault", "panic: runtime fault"},
    {"?what():", "  what():  x", "what(): x"},
    {"][ERROR]", "[TM][ERROR] x", "x"},
    {"TRT] [E]", "[TRT] [E] x", "x"},
    {"LLM] [E]", "[12/01/2025-10:00:00] [TRT-LLM] [E] x", "x"},
    {"?Killed\n", "Killed", "Killed"},
    {"?Killed\r", "Killed\r", "Killed"},
    {"?Killed ", "Killed process 12 (python)", "Killed process 12 (python)"},
    {"?Killed ", "run.sh: line 3: 1 Killed  vllm serve a/b", "run.sh: line 3: 1 Killed vllm serve a/b"},
    {"?killed ", "zsh: killed  vllm serve a/b", "zsh: killed vllm serve a/b"},
    {"? File \"", "  File \"/x/vllm/a.py\", line 1, in f", "a traceback that is cut before its exception"},
    {"? File \\", "{\"log\":\"  File \\\"/x/vllm/a.py\\\", line 1, in f\\n\",\"stream\":\"stderr\"}",
     "a traceback that is cut before its exception"},
    {"?\nFile \"", "File \"/x/vllm/a.py\", line 1, in f", "a traceback that is cut before its exception"},
    {"?ERROR 0", "(EngineCore pid=9) ERROR 03-04 05:06:07 [core.py:1108] it went wrong",
     "a traceback that is cut before its exception"},
    {"?ERROR 1", "(EngineCore pid=9) ERROR 12-04 05:06:07 [core.py:1108] it went wrong",
     "a traceback that is cut before its exception"},
};

// How many of the anchors are in a line: a name that bears two of them tells of neither whether it is needed.
static unsigned anchors_in(const char *line)
{
    char text[512];
    unsigned count = 0;
    (void)snprintf(text, sizeof text, "\n%s\n", line);
    for (size_t at = 0; at < kvb_form_anchor_count; at++) {
        const char *window = kvb_form_anchors[at].window;
        count += strstr(text, window + (window[0] == '?')) != NULL; // any character
    }
    return count;
}

static void each_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char log[512];
        (void)snprintf(log, sizeof log, LOADED "%s\n", rows[i].line);
        const struct kvb_log_report *report = read_log(log);
        if (report->verdict != KVB_LOG_FAILED || strcmp(report->failure.text, rows[i].text) != 0) {
            fail_msg("'%s': %s, '%s'", rows[i].line, kvb_log_verdict_name(report->verdict), report->failure.text);
        }
        assert_int_equal(anchors_in(rows[i].line), 1);
    }
}

// A class without a message, by the letter before "Error": of Python, PyTorch and what engines import.
static void bare_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "pandera.errors.SchemaError",
        "TabError",
        "ArithmeticError",
        "ModuleNotFoundError",
        "RuntimeError",
        "some.BufError",
        "pickle.PicklingError",
        "google.auth.RefreshError",
        "click.CliError",
        "ray.RayTaskError",
        "UnboundLocalError",
        "SystemError",
        "AssertionError",
        "torch._dynamo.exc.InternalTorchDynamoError",
        "LookupError",
        "some.SeqError",
        "BufferError",
        "subprocess.CalledProcessError",
        "ImportError",
        "some.GpuError",
        "OverflowError",
        "IndexError",
        "KeyError",
        "some.FuzzError",
        "some.CUDAError",
        "some.OOBError",
        "some.RPCError",
        "some.FSDError",
        "EOFError",
        "some.DAGError",
        "docker.errors.APIError",
        "yaml.YAMLError",
        "some.OOMError",
        "BlockingIOError",
        "urllib.error.HTTPError",
        "zmq.error.ZMQError",
        "OSError",
        "some.JWTError",
        "some.ONNXError",
        "some.XZError",
    };
    for (size_t i = 0; i < 2 * (sizeof names / sizeof names[0]); i++) {
        char log[256];
        (void)snprintf(log, sizeof log, LOADED "%s%s", names[i / 2], i % 2 != 0 ? "\r\n" : "\n");
        const struct kvb_log_report *report = read_log(log);
        if (report->verdict != KVB_LOG_FAILED || strcmp(report->failure.text, names[i / 2]) != 0) {
            fail_msg("%s: '%s'", names[i / 2], report->failure.text);
        }
        assert_int_equal(anchors_in(names[i / 2]), 1);
    }
}

// Words that differ from an anchor in its first letter alone are none.
static void other_words(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "Fooerror: x",
        "Fooerror:",
        "Fooerror:\r",
        "Fooerror('x')",
        "Fooerror(\"x\")",
        "A(Fooerror): x",
        "Fooerror\\n",
        "Manic: x",
        "Chat(): x",
        "Filled",
        "Filled\r",
        "Filled  x",
        "billed  x",
        "(pid=9) MIRROR 03-04 05:06:07 [core.py:1108] x",
        "(pid=9) MIRROR 12-04 05:06:07 [core.py:1108] x",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char log[256];
        (void)snprintf(log, sizeof log, LOADED "%s\n", lines[i]);
        const struct kvb_log_report *report = read_log(log);
        if (report->verdict != KVB_LOG_INCOMPLETE) {
            fail_msg("'%s': '%s'", lines[i], report->failure.text);
        }
    }
}

// A name without a message is any letter's; each other anchor has a line above.
static void each_anchor(void **state)
{
    (void)state;
    assert_true(kvb_form_anchor_count >= sizeof rows / sizeof rows[0]);
    for (size_t at = 0; at < kvb_form_anchor_count; at++) {
        const char *window = kvb_form_anchors[at].window;
        bool bare = strncmp(window + 2, "Error", 5) == 0 && (window[7] == '\n' || window[7] == '\r');
        bool fed = bare;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            fed |= strcmp(rows[i].window, window) == 0;
        }
        if (!fed || strlen(window) != 8) {
            fail_msg("'%s' is fed by no line", window);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_line), cmocka_unit_test(bare_names), cmocka_unit_test(other_words),
              cmocka_unit_test(each_anchor))
