// Kinds of failures that the code which raised them tells, or the class of the exception alone.
#include "logs/kinds.h"

// Both end with title, setting, its value, why and a specimen; of a place the specimen's place behind it.
#define FROM(path, ...)                                                                                                \
    {                                                                                                                  \
        NULL, NULL, NULL, path, __VA_ARGS__                                                                            \
    }
#define NAMED(name, ...)                                                                                               \
    {                                                                                                                  \
        name, NULL, NULL, NULL, __VA_ARGS__, ""                                                                        \
    }
#define COMPILED                                                                                                       \
    "torch.compile failed", "enforce-eager", "true",                                                                   \
        "the compiler stumbled over the model's code: without compiling it runs, more slowly; a newer release may "    \
        "know "                                                                                                        \
        "better"
#define HUB                                                                                                            \
    "the hub did not give a file", "network", "reachable, or the files on this disk",                                  \
        "a name, a token, a proxy or a broken download: the message says which; HF_HUB_OFFLINE=1 takes what is in "    \
        "the "                                                                                                         \
        "cache"
#define RANKS                                                                                                          \
    "the GPUs could not talk to each other", "NCCL_DEBUG", "INFO",                                                     \
        "memory they share, the network between them, or a rank that died first: it names the reason"
#define REFUSED                                                                                                        \
    "the configuration was refused", "command line", "what the message allows",                                        \
        "the engine checked flags and the model's files before it started: the message says what does not go together"
#define OWN_CODE                                                                                                       \
    "the program's own code failed", "engine", "another release",                                                      \
        "a line of Python met what it did not expect: a bug of this release or of the script around it, or a model, "  \
        "file or flag that nobody had tried; search the engine's issues for the message"

static const struct kvb_kind_row rows[] = {
    // where it was raised
    FROM(
        "pynvml", "the driver does not answer", "driver", "well: nvidia-smi",
        "NVML asks the driver of the host for the cards: it is missing in the container, of another release, or a card "
        "fell off the bus",
        "RuntimeError: x", "pynvml.py:979 in _nvmlCheckReturn"),
    FROM("torch/cuda/__init__", "a call to the GPU failed", "driver", "well: nvidia-smi",
         "PyTorch could not open a card: the driver, the container's access to it, or CUDA_VISIBLE_DEVICES",
         "RuntimeError: x", "torch/cuda/__init__.py:410 in _lazy_init"),
    FROM("torch/_dynamo/", COMPILED, "RuntimeError: x", "torch/_dynamo/output_graph.py:1 in call_user_compiler"),
    FROM("torch/_inductor/", COMPILED, "RuntimeError: x", "torch/_inductor/graph.py:1 in run"),
    FROM("torch/_functorch/", COMPILED, "RuntimeError: x", "torch/_functorch/aot_autograd.py:1 in f"),
    FROM("vllm/compilation/", COMPILED, "RuntimeError: x", "vllm/compilation/backends.py:1 in __call__"),
    FROM("torch/distributed/", RANKS, "RuntimeError: x", "torch/distributed/rendezvous.py:1 in f"),
    FROM("pynccl", RANKS, "RuntimeError: x", "vllm/distributed/device_communicators/pynccl.py:1 in f"),
    FROM("ray/", "Ray could not run the workers", "ray status", "looked at",
         "nodes, their GPUs and the environment of the actors have to be alike, and the cluster reachable from here",
         "ValueError: x", "ray/util/placement_group.py:1 in f"),
    FROM("triton/", "a Triton kernel does not compile for this GPU, dtype or shape", "attention-backend",
         "another, or a newer engine", "the last lines of the message say what the compiler refuses", "ValueError: x",
         "triton/compiler/compiler.py:1 in compile"),
    FROM("flashinfer/jit", "a kernel could not be compiled at the start", "attention-backend", "another",
         "FlashInfer makes what it lacks on this machine: the compiler's error stands in the message; "
         "VLLM_USE_FLASHINFER_SAMPLER=0 avoids the sampler's",
         "RuntimeError: x", "flashinfer/jit/cpp_ext.py:1 in run_ninja"),
    FROM("flashinfer/", "a FlashInfer kernel refused this GPU or shape", "attention-backend", "another",
         "what it serves depends on the card, the dtype and the head's size", "ValueError: x",
         "flashinfer/decode.py:1 in plan"),
    FROM(
        "load_weights", "the weights could not be read into the model", "model", "in this engine's format, whole",
        "names, shapes or files of the checkpoint are not what this release's class of the model reads: a newer model, "
        "another quantisation, or a partial copy",
        "RuntimeError: x", "vllm/model_executor/models/x.py:1 in load_weights"),
    FROM("weight_utils", "the weights could not be read into the model", "model", "in this engine's format, whole",
         "names, shapes or files of the checkpoint are not what this release reads: a newer model, another "
         "quantisation, "
         "or a partial copy",
         "RuntimeError: x", "vllm/model_executor/model_loader/weight_utils.py:1 in f"),
    FROM("huggingface_hub/", HUB, "ValueError: x", "huggingface_hub/file_download.py:1 in f"),
    FROM("requests/", HUB, "ValueError: x", "requests/adapters.py:1 in send"),
    FROM("httpx/", HUB, "ValueError: x", "httpx/_transports/default.py:1 in f"),
    FROM("transformers/", "transformers could not read the model's files", "transformers",
         "the release that the model asks for",
         "its config, tokenizer or processor is of another release than the one installed, or the model's own code is",
         "ValueError: x", "transformers/models/auto/tokenization_auto.py:1 in f"),
    FROM("openai/serving_", "a request failed, not the start", "request", "what the server takes",
         "it was raised while one request was answered: what the client sent, or a bug of the release", "ValueError: x",
         "vllm/entrypoints/openai/serving_chat.py:1 in f"),
    FROM("unittest/", "the check of a test failed, not the engine", "test", "looked at",
         "what it measured is not what it asks for: the engine answered", "AssertionError: x",
         "unittest/case.py:1 in fail"),
    FROM("vllm/envs.py", "an environment variable has a value this release cannot read", "environment",
         "a value it takes, or without it",
         "what begins with VLLM_ is read as a number or as a name of a list, whoever set it: the image, the chart, or "
         "Kubernetes, which sets VLLM_PORT for a service named vllm",
         "ValueError: invalid literal for int() with base 10: '2.5'", "vllm/envs.py:278 in <lambda>"),
    FROM("vllm/config", REFUSED, "ValueError: x", "vllm/config/model.py:512 in _verify"),
    FROM("arg_utils.py", REFUSED, "ValueError: x", "vllm/engine/arg_utils.py:1 in create_engine_config"),
    FROM("server_args.py", REFUSED, "AssertionError: x", "sglang/srt/server_args.py:1 in __post_init__"),
    // of what class it is
    {NULL, "Value error,", NULL, NULL, REFUSED, "Value error, x", ""},
    {NULL, "object has no field", NULL, NULL, REFUSED, "ValueError: \"CompilationConfig\" object has no field \"x\"",
     ""},
    {NULL, "validation error", NULL, NULL, REFUSED, "ValidationError: 1 validation error for ParallelConfig", ""},
    NAMED("torch._dynamo", COMPILED, "torch._dynamo.exc.Unsupported: x"),
    NAMED("torch._inductor", COMPILED, "torch._inductor.exc.X: y"),
    NAMED("huggingface_hub", HUB, "huggingface_hub.errors.X: y"),
    NAMED("HTTPError", HUB, "HTTPError: 500"),
    NAMED("HTTPStatusError", HUB, "httpx.HTTPStatusError: Client error '401 Unauthorized'"),
    NAMED("torch.distributed", RANKS, "torch.distributed.X: y"),
    NAMED("ZMQError", "a socket between the engine's processes failed", "port", "a free one",
          "its address is taken, or a name or an interface of the machine is not reachable", "zmq.error.ZMQError: x"),
    NAMED("ImportError", "Python could not import a module", "installation", "matching releases",
          "the message names it: a package that is missing, or of another release than the engine asks for",
          "ImportError: flash_attn.ops.triton.rotary not found"),
    NAMED("NotImplementedError", "this release does not support what is asked for", "command line",
          "without what the message names", "a feature, a model or a device for which this release has no code",
          "NotImplementedError: Vlm do not work with prefix caching yet"),
    NAMED("TypeError", OWN_CODE, "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'"),
    {NULL, "Unsupported", NULL, NULL, "this release does not support what is asked for", "command line",
     "without what the message names", "a feature, a model or a device for which this release has no code",
     "ValueError: Unsupported attention metadata type", ""},
    {NULL, "INTERNAL ASSERT FAILED", NULL, NULL, OWN_CODE, "RuntimeError: !stack.empty() INTERNAL ASSERT FAILED", ""},
    NAMED("OSError", "the operating system refused a call", "files and devices", "as the message needs them",
          "it names the file or device and why", "OSError: [Errno 5] Input/output error: 'hl-smi'"),
    NAMED("KeyError", OWN_CODE, "KeyError: 'bundles'"),
    NAMED("IndexError", OWN_CODE, "IndexError: list index out of range"),
    NAMED("LookupError", OWN_CODE, "LookupError: x"),
    NAMED("NameError", OWN_CODE, "NameError: name 'x' is not defined"),
    NAMED("UnboundLocalError", OWN_CODE, "UnboundLocalError: cannot access local variable 'x'"),
    NAMED("RecursionError", OWN_CODE, "RecursionError: maximum recursion depth exceeded"),
    NAMED("ZeroDivisionError", OWN_CODE, "ZeroDivisionError: division by zero"),
    NAMED("SystemError", OWN_CODE, "SystemError: excessive stack use: stack is 3598 deep"),
    NAMED("AttributeError", OWN_CODE, "AttributeError: x"),
    {NULL, "on the same device", NULL, NULL, OWN_CODE, "RuntimeError: Expected all tensors to be on the same device",
     ""},
    {"AssertionError", "==", NULL, NULL, OWN_CODE, "AssertionError: num_kv_heads == 1", ""},
    {"AssertionError", "assert ", NULL, NULL, OWN_CODE, "AssertionError: assert 68 > 70", ""},
    {"AssertionError", "expected ", NULL, NULL, OWN_CODE, "AssertionError: Expected 16, got 1.0", ""},
    NAMED(
        "AssertionError", "a check in the code failed", "engine", "what the check asks for, or another release",
        "the message or the line of code says what: often a card, a flag or a model that this release does not serve, "
        "else a bug of it",
        "AssertionError: x"),
    {NULL, "values to unpack", NULL, NULL, OWN_CODE, "ValueError: not enough values to unpack (expected 2, got 1)", ""},
    {NULL, "object is not ", NULL, NULL, OWN_CODE, "Worker failed with error ''staticmethod' object is not callable'",
     ""},
};
const struct kvb_kind_table kvb_kinds_code = {rows, sizeof rows / sizeof rows[0]};
