// Failures that no row of causes knows: what kind they are, by their words, the code that raised them and their class.
// The messages are those of public reports, of Python, PyTorch, pydantic and the engines' releases.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/kinds.h"

static const struct kvb_log_failure *failure_of(const char *log)
{
    return &read_log(log)->failure;
}

// Each row is reached by its own message, alone and read from a log.
static void test_rows(void **state)
{
    (void)state;
    for (size_t t = 0; t < KVB_KIND_TABLES; t++) {
        for (size_t i = 0; i < kvb_kind_tables[t]->count; i++) {
            const struct kvb_kind_row *row = &kvb_kind_tables[t]->rows[i];
            if (kvb_kind_of(row->specimen, row->specimen_place) != row) {
                fail_msg("'%s' is not taken for its own row", row->specimen);
            }
            assert_true(strlen(row->title) > 0 && strlen(row->setting) > 0 && strlen(row->to) > 0);
            assert_true(strlen(row->why) > 0 && strlen(row->why) < sizeof((struct kvb_remedy *)0)->why);
            // Without what its name, its words or its place ask for it is none of this row's.
            assert_ptr_not_equal(kvb_kind_of("RuntimeError: Already borrowed", ""), row);
        }
        assert_true(kvb_kind_tables[t]->count >= 30);
    }
}

#define CORE "(EngineCore pid=93) ERROR 06-02 08:11:20 [core.py:1130] "
#define OWN "the program's own code failed"
#define CHECK "a check in the code failed"
#define NOT_SERVED "this release does not support what is asked for"
#define MIXED "packages of different releases are mixed"
#define LACKS "this build lacks a kernel"
#define REFUSED "the configuration was refused"
#define MISSING_FILE "a file of the model is missing"
#define UNREADABLE "a file cannot be read as what it should be"
#define REQUEST "a request was refused, not the start"
#define GPU_CALL "a call to the GPU failed"
#define SHAPES "shapes of tensors do not fit each other"
#define COMPILE "torch.compile failed"
#define HOST_SHORT "host memory, not GPU memory"

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *log, *title; // NULL: nobody knows
    } rows[] = {
        {CORE "NotImplementedError: Could not run '_C::machete_prepack_B' with arguments from the 'CUDA' backend.\n",
         LACKS},
        {CORE "RuntimeError: operator _C::marlin_qqq_gemm does not exist\n", LACKS},
        {"RuntimeError: operator torchvision::nms does not exist\n", "libraries of different builds are mixed"},
        {CORE "RuntimeError: \"mul_cuda\" not implemented for 'Float8_e8m0fnu'\n",
         "no kernel for this dtype on this device"},
        {CORE "RuntimeError: Triton Error [CUDA]: device kernel image is invalid\n",
         "this build has no kernels for this GPU"},
        {"TypeError: Qwen2_5_VLProcessor.__init__() got multiple values for argument 'image_processor'\n", MIXED},
        {"AttributeError: module 'triton.language' has no attribute 'constexpr_function'\n", MIXED},
        {CORE "TypeError: unhashable type: 'dict'\n", OWN},
        {CORE "TypeError: '>' not supported between instances of 'int' and 'NoneType'\n", OWN},
        {CORE "AttributeError: 'NoneType' object has no attribute 'prefill_metadata'\n", OWN},
        {CORE "UnboundLocalError: cannot access local variable 'returned_lse'\n", OWN},
        {CORE "AssertionError: Do not capture num_reqs > max_num_reqs for uniform batch\n", CHECK},
        {CORE "AssertionError: num_kv_heads == 1\n", OWN},
        {CORE "AssertionError\n", CHECK},
        {CORE "AssertionError: Only SiLU activation is supported.\n", NOT_SERVED},
        {"ValueError: TRTLLM MHA backend is only supported on Blackwell GPUs (SM100).\n", NOT_SERVED},
        {CORE "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'\n", OWN},
        {CORE "ValueError: Unsupported attention metadata type for speculative decoding\n", NOT_SERVED},
        {CORE "KeyError: 'bundles'\n", OWN},
        {CORE "KeyError: 'down_proj_packed'\n", "a tensor of the checkpoint is not expected"},
        {CORE "ValueError: There is no module or parameter named 'lm_head' in Gemma2ForCausalLM\n",
         "a tensor of the checkpoint is not expected"},
        {CORE "RuntimeError: shape mismatch: value tensor of shape [4, 2] cannot be broadcast\n", SHAPES},
        {CORE "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)\n", SHAPES},
        {CORE "RuntimeError: Input type (float) and bias type (c10::BFloat16) should be the same\n",
         "dtypes do not fit each other"},
        {CORE "AssertionError: auto_functionalized was not removed\n", COMPILE},
        {CORE "torch._dynamo.exc.TorchRuntimeError: x\n", COMPILE},
        {"httpx.HTTPStatusError: Client error '401 Unauthorized' for url 'https://huggingface.co/api/models/a/b'\n",
         "the hub did not give a file"}, // of httpx, which huggingface_hub asks with from 1.0 on
        {"ImportError: flash_attn.ops.triton.rotary not found\n", "Python could not import a module"},
        {"ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by _C.abi3.so)\n",
         "a library of the system is older than the build needs"},
        {"OSError: /models/r1 does not appear to have a file named configuration_deepseek.py.\n", MISSING_FILE},
        {"ValueError: No supported config format found in a/b.\n", MISSING_FILE},
        {"json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n", UNREADABLE},
        {"UnicodeDecodeError: 'utf-8' codec can't decode byte 0xf8 in position 0: invalid start byte\n", UNREADABLE},
        {"OSError: [Errno 5] Input/output error: 'hl-smi'\n", "the operating system refused a call"},
        {CORE "RuntimeError: CUDA error: an illegal instruction was encountered\n", "a kernel failed on the GPU"},
        {CORE "RuntimeError: CUDA error: unknown error\n", GPU_CALL},
        {CORE "RuntimeError: HIP error: unknown error\n", GPU_CALL},
        // aten/src/ATen/native/TensorShape.cpp; transformers/utils/hub.py cached_files
        {CORE "RuntimeError: torch.cat(): expected a non-empty list of Tensors\n",
         "shapes of tensors do not fit each other"},
        {"OSError: Can't load the configuration of '/models/x'. If you were trying to load it from the Hub, make "
         "sure you do not have a local directory with the same name.\n",
         "a file of the model is missing"},
        {CORE "RuntimeError: CUDA driver error: invalid argument\n", GPU_CALL},
        {"RuntimeError: PyTorch was compiled without CUDA support\n", "no GPU is visible to the process"},
        {CORE "RuntimeError: Attempting to use the same CUDA device for multiple distinct roles/ranks within the same "
              "communicator.\n",
         "the GPUs could not talk to each other"},
        {"pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
         "  Value error, Invalid value of a key [type=value_error]\n",
         REFUSED},
        {"pydantic_core._pydantic_core.ValidationError: 1 validation error for ParallelConfig\n"
         "data_parallel_size\n"
         "  Input should be greater than or equal to 1 [type=greater_than_equal, input_value=0]\n",
         REFUSED},
        {"ValueError: \"CompilationConfig\" object has no field \"max_capture_size\"\n", REFUSED},
        {"x\nError: pull model manifest: Get \"https://r/v2/\": dial tcp: lookup r: no such host\n",
         "the hub or registry cannot be reached"},
        {"Error: pull model manifest: file does not exist\n", "the registry has no such model"}, // a log of one line
        {"Error: pull model manifest: 400: {\"error\":\"Repository is not GGUF or is not compatible with "
         "llama.cpp\"}\n",
         "the repository holds no GGUF"},
        {"Error: pull model manifest: 400: The specified tag is not a valid quantization scheme. Please use another "
         "tag\n",
         "the repository has no such tag"},
        {"Error: pull model manifest: 403: forbidden\n", "the registry refused the name"},
        {"Error: pull model manifest: 412: \n\nThe model you are attempting to pull requires a newer version of "
         "Ollama.\n",
         NULL}, // the words stand two lines further on
        {"Error: pull model manifest: 412: The model you are attempting to pull requires a newer version of Ollama.\n",
         "the model asks for a newer Ollama"},
        {"Error: model \"hf.co/owner/repo-GGUF:Q4_K_M\" not found, try pulling it first\n",
         "the model is not on this machine"},
        {"Error: could not connect to ollama server, run 'ollama serve' to start it\n", "the server does not run"},
        // llm/server.go v0.2.6 - v0.24.0; llm/memory.go v0.2.0
        {"{\"error\":\"model requires more system memory (9.1 GiB) than is available (7.8 GiB)\"}\n", HOST_SHORT},
        {"Error: 500 Internal Server Error: model requires more system memory (9.1 GiB) than is available (7.8 GiB)\n",
         HOST_SHORT},
        {"ValueError: Ollama call failed with status code 500. Details: {\"error\":\"model requires more system memory "
         "(9.1 "
         "GiB) than is available (7.8 GiB)\"}\n",
         HOST_SHORT},
        {"time=2026-03-02T09:28:05.821+08:00 level=WARN source=server.go:1044 msg=\"model request too large for "
         "system\" "
         "requested=\"9.1 GiB\" avail\n",
         HOST_SHORT}, // cut
        {"{\"error\":\"requested model (9.1 GiB) is too large for this system (7.8 GiB)\"}\n", HOST_SHORT},
        {CORE "torch.AcceleratorError: CUDA error: operation not permitted when stream is capturing\n",
         "CUDA graphs could not be captured"},
        {"ValueError: At most 1 image(s) may be provided in one request.\n", REQUEST},
        {"jinja2.exceptions.TemplateError: Conversation roles must alternate\n", REQUEST},
        {CORE "RuntimeError: Already borrowed\n", NULL},
        {CORE "ValueError: substring not found\n", NULL},
        {CORE "RuntimeError: Engine core initialization failed. See root cause above.\n", NULL},
        {"aiohttp.client_exceptions.ClientOSError: [Errno 104] Connection reset by peer\n", NULL}, // of a client
        {CORE "(Worker pid=4) died unexpectedly, shutting down: KeyError: 'x'\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_failure *failure = failure_of(rows[i].log);
        if (failure->kind != KVB_FAILURE_OTHER || (failure->title == NULL) != (rows[i].title == NULL) ||
            (failure->title != NULL && strcmp(failure->title, rows[i].title) != 0)) {
            fail_msg("%s-> %s", rows[i].log, failure->title != NULL ? failure->title : "(nothing)");
        }
        if (failure->title != NULL) {
            assert_int_equal(failure->about_memory, KVB_LOG_NO);
            assert_true(failure->cause_in_log && failure->advice != NULL);
        }
    }
}

#define RAISED(frames, exception) "Traceback (most recent call last):\n" frames exception "\n"
#define FRAME(path, line, function) "  File \"" path "\", line " #line ", in " function "\n    call(\n         ^^^^^^\n"

// The last frame says where; what it says beats the class of the exception and not the words of a known cause.
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *log, *title, *raised_in;
    } rows[] = {
        {RAISED(FRAME("/opt/x/lib/python3.12/site-packages/vllm/engine/arg_utils.py", 9, "create_model_config")
                    FRAME("/opt/x/lib/python3.12/site-packages/vllm/config/model.py", 512, "_verify"),
                "ValueError: x"),
         REFUSED, "vllm/config/model.py:512 in _verify"},
        {RAISED(FRAME("/usr/lib/python3/dist-packages/pynvml.py", 979, "_nvmlCheckReturn"), "pynvml.NVMLError_Unknown: "
                                                                                            "Unknown Error"),
         NULL, ""}, // no class that ends in Error
        {RAISED(FRAME("/usr/lib/python3/dist-packages/pynvml.py", 979, "_nvmlCheckReturn"), "NVMLLibraryError: x"),
         "the driver does not answer", "pynvml.py:979 in _nvmlCheckReturn"},
        // vllm/envs.py v0.20.0:350-470
        {RAISED(FRAME("/x/site-packages/vllm/envs.py", 696, "__getattr__")
                    FRAME("/x/site-packages/vllm/envs.py", 278, "<lambda>"),
                "ValueError: invalid literal for int() with base 10: '2.5'"),
         "an environment variable has a value this release cannot read", "vllm/envs.py:278 in <lambda>"},
        {RAISED(FRAME("/x/site-packages/vllm/envs.py", 362, "_get_env"),
                "ValueError: Invalid value 'x' for VLLM_LOGGING_LEVEL. Valid options: ['INFO']."),
         "an environment variable has a value this release cannot read", "vllm/envs.py:362 in _get_env"},
        {RAISED(FRAME("/x/site-packages/vllm/envs.py", 466, "get_vllm_port"),
                "ValueError: VLLM_PORT 'tcp://10.0.0.1:8000' appears to be a URI."),
         "Kubernetes sets VLLM_PORT to the address of a service", "vllm/envs.py:466 in get_vllm_port"},
        {RAISED(FRAME("/home/me/src/vllm/model_executor/models/new.py", 77, "load_weights"), "AssertionError"),
         "the weights could not be read into the model", "model_executor/models/new.py:77 in load_weights"},
        {RAISED(FRAME("/x/site-packages/transformers/models/auto/tokenization_auto.py", 8, "from_pretrained"),
                "ValueError: x"),
         "transformers could not read the model's files",
         "transformers/models/auto/tokenization_auto.py:8 in from_pretrained"},
        {RAISED(FRAME("/x/site-packages/huggingface_hub/utils/_http.py", 8, "f"),
                "huggingface_hub.errors.GatedRepoError: 403 Client Error."),
         "the repository is gated", "huggingface_hub/utils/_http.py:8 in f"},
        {RAISED(FRAME("/x/site-packages/httpx/_models.py", 829, "raise_for_status"), "ValueError: x"),
         "the hub did not give a file", "httpx/_models.py:829 in raise_for_status"},
        // vllm/executor/ray_distributed_executor.py v0.8.5:255
        {RAISED(FRAME("/x/site-packages/vllm/executor/ray_distributed_executor.py", 255, "_init_workers_ray"),
                "ValueError: Ray does not allocate any GPUs on the driver node.Driver IP: 10.0.0.1, worker IPs: []."
                "Consider adjusting the Ray placement group or running the driver on a GPU node."),
         "no GPU is visible to the process", "vllm/executor/ray_distributed_executor.py:255 in _init_workers_ray"},
        {RAISED(FRAME("/x/site-packages/sglang/srt/server_args.py", 8, "__post_init__"), "AssertionError: x"), REFUSED,
         "sglang/srt/server_args.py:8 in __post_init__"},
        {RAISED(FRAME("/x/site-packages/vllm/engine/arg_utils.py", 9, "create_engine_config")
                    FRAME("/x/site-packages/pydantic/_internal/_dataclasses.py", 121, "__init__"),
                "ValueError: x"),
         REFUSED, "vllm/engine/arg_utils.py:9 in create_engine_config"}, // the validator only hands it on
        {RAISED(FRAME("/x/site-packages/torch/_functorch/aot_autograd.py", 1130, "aot_module_simplified"),
                "RuntimeError: x"),
         "torch.compile failed", "torch/_functorch/aot_autograd.py:1130 in aot_module_simplified"},
        {RAISED(FRAME("main.py", 3, "<module>"), "RuntimeError: x"), NULL, "main.py:3 in <module>"},
        {RAISED("  File \"main.py\", line 3\n    call(\n", "SyntaxError: x"), NULL, "main.py:3"},
        {RAISED("  File \"main.py\" is no frame\n", "RuntimeError: x"), NULL, ""},
        {RAISED(FRAME("main.py", 3, "f"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\nRuntimeError: x"), NULL,
         ""}, // far from any frame
        {"RuntimeError: x\n", NULL, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_failure *failure = failure_of(rows[i].log);
        if ((failure->title == NULL) != (rows[i].title == NULL) || strcmp(failure->raised_in, rows[i].raised_in) != 0 ||
            (failure->title != NULL && strcmp(failure->title, rows[i].title) != 0)) {
            fail_msg("%s-> %s, in '%s'", rows[i].log, failure->title != NULL ? failure->title : "(nothing)",
                     failure->raised_in);
        }
    }
}

// A place is cut to its room, and what is no frame has none.
static void test_frames(void **state)
{
    (void)state;
    char place[KVB_LOG_PLACE_CAPACITY];
    kvb_frame_place("File \"/a/b/c/d/e.py\", line 12, in f", place, sizeof place);
    assert_string_equal(place, "c/d/e.py:12 in f");
    kvb_frame_place("File \"/a/b/c.py\", line 12, in f", place, 9);
    assert_string_equal(place, "a/b/c.py");
    kvb_frame_place("File \"/a/b.py\", line 12, in <lambda>\",\"stream\":\"stderr\"}", place, sizeof place);
    assert_string_equal(place, "/a/b.py:12 in <lambda>"); // a string of JSON ends behind it
    // the folder of packages counts only inside the path
    kvb_frame_place("File \"/a/c.py\", line 12, in site-packages/f", place, sizeof place);
    assert_string_equal(place, "/a/c.py:12 in site-packages/f");
    static const char *const none[] = {"", "File /a/b.py, line 3", "File \"/a/b.py\"", "x.py\", line 3, in f"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        kvb_frame_place(none[i], place, sizeof place);
        assert_string_equal(place, "");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_messages), cmocka_unit_test(test_places),
              cmocka_unit_test(test_frames))
