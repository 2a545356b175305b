// Kinds of failures that the words of a message tell.
#include "logs/kinds.h"

// What to do of one kind is the same for each wording of it.
#define WORDS(word, second, title, setting, to, why, specimen)                                                         \
    {                                                                                                                  \
        NULL, word, second, NULL, title, setting, to, why, specimen, ""                                                \
    }
#define BUILD_LACKS(word, second, specimen)                                                                            \
    WORDS(                                                                                                             \
        word, second, "this build lacks a kernel", "engine", "a build for this GPU and release",                       \
        "the compiled part has no such operator for this device: it is of another release, platform or GPU than the "  \
        "Python code",                                                                                                 \
        specimen)
#define NO_KERNEL(word, second, specimen)                                                                              \
    WORDS(word, second, "no kernel for this dtype on this device", "dtype", "another",                                 \
          "the message names operator and dtype: float16, bfloat16 or an unquantised cache may have one; else a "      \
          "release "                                                                                                   \
          "that does",                                                                                                 \
          specimen)
#define CALLED(word, second, specimen)                                                                                 \
    WORDS(                                                                                                             \
        word, second, "packages of different releases are mixed", "installation", "matching releases",                 \
        "a function is called as another release of it has it: the engine, transformers, a plugin or the model's own " \
        "code; else a bug of the release",                                                                             \
        specimen)
#define SHAPES(word, second, specimen)                                                                                 \
    WORDS(word, second, "shapes of tensors do not fit each other", "engine", "a release that knows this model",        \
          "a bug of the release, or weights and configuration that do not belong together", specimen)
#define DTYPES(word, second, specimen)                                                                                 \
    WORDS(word, second, "dtypes do not fit each other", "dtype", "the checkpoint's own",                               \
          "weights, activations and cache meet in a kernel that takes one dtype alone", specimen)
#define REPOSITORY_FILE(word, second, specimen)                                                                        \
    WORDS(                                                                                                             \
        word, second, "a file of the model is missing", "model", "a whole copy, in this engine's format",              \
        "the folder or repository lacks a file that the engine reads: a partial copy, another format, or a revision "  \
        "without it",                                                                                                  \
        specimen)
#define UNREADABLE(word, second, specimen)                                                                             \
    WORDS(word, second, "a file cannot be read as what it should be", "model", "downloaded again",                     \
          "it is empty, cut short, a Git LFS pointer, a page of a proxy, or another format than its name says",        \
          specimen)
#define COMPILER(word, second, specimen)                                                                               \
    WORDS(word, second, "torch.compile failed", "enforce-eager", "true",                                               \
          "the compiler stumbled over the model's code: without compiling it runs, more slowly; a newer release may "  \
          "know better",                                                                                               \
          specimen)
#define NOT_BUILT(word, second, specimen)                                                                              \
    WORDS(word, second, "what is compiled on this machine did not compile", "CUDA toolkit",                            \
          "and compiler, of PyTorch's CUDA",                                                                           \
          "the compiler's first error says what: a header, a flag or an instruction that it does not know, or too "    \
          "little memory for so many jobs",                                                                            \
          specimen)
#define RANKS(word, second, specimen)                                                                                  \
    WORDS(word, second, "the GPUs could not talk to each other", "NCCL_DEBUG", "INFO",                                 \
          "memory they share, the network between them, or one card that two ranks were given: it names the reason",   \
          specimen)
#define CUDA_CALL(word, second, specimen)                                                                              \
    WORDS(                                                                                                             \
        word, second, "a call to the GPU failed", "CUDA_LAUNCH_BLOCKING", "1",                                         \
        "it shows which call; nvidia-smi and dmesg say whether the driver is well, another release or image whether "  \
        "the build is",                                                                                                \
        specimen)
#define KERNEL_FAILED(word, specimen)                                                                                  \
    WORDS(                                                                                                             \
        word, NULL, "a kernel failed on the GPU", "engine", "another release or backend",                              \
        "a bug or broken hardware, not a shortage: try enforce-eager or another attention backend, and look for Xid "  \
        "in dmesg",                                                                                                    \
        specimen)
#define REQUEST(word, second, specimen)                                                                                \
    WORDS(word, second, "a request was refused, not the start", "request", "what the server takes",                    \
          "the server runs: the client sent what this model, its template or the server's limits do not allow",        \
          specimen)
#define TENSORS(word, second, specimen)                                                                                \
    WORDS(word, second, "a tensor of the checkpoint is not expected", "engine",                                        \
          "a release that knows this checkpoint",                                                                      \
          "names differ: another format or quantisation than the engine expects, or a newer model", specimen)
#define NO_GPU(word, second, specimen)                                                                                 \
    WORDS(word, second, "no GPU is visible to the process", "GPU access", "given to the process",                      \
          "a build without support for the card, a container or an actor without it, or a variable that hides it",     \
          specimen)
#define HOST_SHORT(word, second, specimen)                                                                             \
    WORDS(word, second, "host memory, not GPU memory", "num_ctx", "shorter",                                           \
          "what of the model is not on a GPU has to fit into free memory and swap of the host: a shorter context, a "  \
          "smaller quantisation, less beside it, or more memory for the machine or container",                         \
          specimen)
#define NETWORK(word, second, specimen)                                                                                \
    WORDS(word, second, "the hub or registry cannot be reached", "network", "reachable, or the files on this disk",    \
          "a name that does not resolve, a proxy or a firewall: with the files in the cache it need not be", specimen)

static const struct kvb_kind_row rows[] = {
    // kernels of a build
    WORDS("torchvision::", "does not exist", "libraries of different builds are mixed", "installation",
          "one of a piece", "torchvision was built for another torch: reinstall both together",
          "RuntimeError: operator torchvision::nms does not exist"),
    BUILD_LACKS("operator ", "does not exist", "RuntimeError: operator _C::machete_gemm does not exist"),
    BUILD_LACKS("Could not run '", NULL, "NotImplementedError: Could not run '_C::machete_prepack_B'"),
    BUILD_LACKS("Tried to instantiate class", NULL,
                "RuntimeError: Tried to instantiate class '_core_C.ScalarType', but it does not exist!"),
    BUILD_LACKS("No operator found for", NULL,
                "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:"),
    BUILD_LACKS("'_C' object has no attribute", NULL, "'_C' object has no attribute 'awq_dequantize'"),
    BUILD_LACKS("No supported CUDA architectures found", NULL,
                "RuntimeError: No supported CUDA architectures found for major versions [12]."),
    WORDS("kernel image", NULL, "this build has no kernels for this GPU", "engine",
          "a build for this GPU's compute capability",
          "the card is newer or older than the build: take a release or image whose PyTorch lists its sm_ number",
          "RuntimeError: Triton Error [CUDA]: device kernel image is invalid"),
    BUILD_LACKS("create a primitive", NULL,
                "RuntimeError: could not create a primitive descriptor for the matmul primitive"),
    NO_KERNEL("not implemented for", NULL, "RuntimeError: \"reshape_and_cache_cpu_impl\" not implemented for 'Half'"),
    WORDS("too old to be supported", NULL, "this GPU is too old for a kernel", "GPU", "newer, or a release that had it",
          "the compiler of kernels serves cards of its compute capability or more",
          "RuntimeError: Found Tesla P100-SXM2-16GB which is too old to be supported by the triton GPU compiler"),
    // what is compiled
    COMPILER("compiled graph", NULL, "AssertionError: failed to get the hash of the compiled graph"),
    COMPILER("auto_functionalized", NULL, "AssertionError: auto_functionalized was not removed"),
    COMPILER("fake tensor", NULL,
             "torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node with fake tensors"),
    NOT_BUILT("'cmake'", NULL, "subprocess.CalledProcessError: Command '['cmake', '--build', '.']' returned non-zero"),
    NOT_BUILT("CUDA_HOME", NULL, "AssertionError: CUDA_HOME is not set"),
    // packages
    CALLED("required positional", NULL, "TypeError: forward() missing 2 required positional arguments: 'kv_caches'"),
    CALLED("required keyword", NULL, "TypeError: f() missing 1 required keyword-only argument: 'raw_request'"),
    CALLED("got multiple values for", NULL, "TypeError: f() got multiple values for argument 'image_processor'"),
    CALLED("positional argument", NULL, "TypeError: f() takes 2 positional arguments but 3 were given"),
    CALLED("takes no ", "argument", "TypeError: zip() takes no keyword arguments"),
    CALLED("argument(s) but received", NULL,
           "RuntimeError: aiter::topk_softmax() expected at most 5 argument(s) but received 7 argument(s)."),
    CALLED("missing value for argument", NULL,
           "RuntimeError: vllm::lora_shrink() is missing value for argument 'no_lora_flag_cpu'"),
    CALLED("module '", "has no attribute", "AttributeError: module 'triton.language' has no attribute 'x'"),
    WORDS("GLIBC", NULL, "a library of the system is older than the build needs", "image", "of a newer system",
          "compiled packages ask for the libc or libstdc++ they were made with, or a newer one",
          "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found"),
    // the checkpoint
    TENSORS("no module or parameter named", NULL, "ValueError: There is no module or parameter named 'lm_head' in X"),
    {"KeyError", "weight", NULL, NULL, "a tensor of the checkpoint is not expected", "engine",
     "a release that knows this checkpoint",
     "names differ: another format or quantisation than the engine expects, or a newer model",
     "KeyError: 'weight_scale'", ""},
    {"KeyError", "proj", NULL, NULL, "a tensor of the checkpoint is not expected", "engine",
     "a release that knows this checkpoint",
     "names differ: another format or quantisation than the engine expects, or a newer model",
     "KeyError: 'down_proj_packed'", ""},
    TENSORS("load weights of size", NULL,
            "AssertionError: Tried to load weights of size torch.Size([512, 4096]) to a parameter of size"),
    WORDS(
        "has wrong shape", NULL, "the file's tensors are not those this build expects", "engine",
        "a release that knows this model",
        "the file is newer than the build, older than it, or was converted for another engine: update, or take another "
        "conversion",
        "error loading model: tensor 'blk.0.attn_k.weight' has wrong shape; expected 2048, 2048, got 2048, 256"),
    REPOSITORY_FILE("does not appear to have a file", NULL, "OSError: /x does not appear to have a file named y.py"),
    REPOSITORY_FILE("config format found", NULL, "ValueError: No supported config format found in a/b"),
    REPOSITORY_FILE("find the config file", NULL, "ValueError: Cannot find the config file for gptq"),
    REPOSITORY_FILE("file found in", NULL, "ValueError: No tokenizer file found in directory"),
    REPOSITORY_FILE("Can't load", NULL, "OSError: Can't load the configuration of '/models/x'."),
    REPOSITORY_FILE("Unable to load", NULL, "OSError: Unable to load vocabulary from file."),
    {"DecodeError", NULL, NULL, NULL, "a file cannot be read as what it should be", "model", "downloaded again",
     "it is empty, cut short, a Git LFS pointer, a page of a proxy, or another format than its name says",
     "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xf8 in position 0: invalid start byte", ""},
    UNREADABLE("Expecting value: line 1", NULL, "Value error, Expecting value: line 1 column 1 (char 0)"),
    UNREADABLE("unexpectedly reached end of file", NULL, "error loading model: unexpectedly reached end of file"),
    SHAPES("could not broadcast", NULL,
           "ValueError: could not broadcast input array from shape (256,) into shape (76,)"),
    SHAPES("shape mismatch", NULL, "RuntimeError: shape mismatch: value tensor of shape [4] cannot be broadcast"),
    SHAPES("size mismatch", NULL, "RuntimeError: size mismatch, got input (1), mat (1x2), vec (3)"),
    SHAPES("must match the ", "size", "RuntimeError: The expanded size of the tensor (1) must match the existing size"),
    SHAPES("Sizes of tensors must match", NULL, "RuntimeError: Sizes of tensors must match except in dimension 0."),
    SHAPES("not compatible with input tensor", NULL,
           "RuntimeError: view size is not compatible with input tensor's size and stride"),
    SHAPES("expected size ", NULL, "AssertionError: expected size 5376==2560, stride 1==1 at dim=0"),
    SHAPES("Invalid shape", NULL, "RuntimeError: Invalid shape of out: expected torch.Size([8, 24, 80])"),
    SHAPES("must have shape", NULL, "RuntimeError: scheduler_metadata must have shape (metadata_size)"),
    WORDS("cannot be divided by", NULL, "a shape does not divide by the parallel size", "tensor-parallel-size",
          "a divisor of that shape", "what is split over GPUs must divide evenly; choose a smaller or another split",
          "AssertionError: 2 cannot be divided by 8"),
    SHAPES("_size to be", NULL, "ValueError: Expected hidden_size to be 5376, but found: 72"),
    SHAPES("Dimension out of range", NULL, "IndexError: Dimension out of range (expected to be in range of [-2, 1])"),
    SHAPES("to be smaller than self", NULL, "RuntimeError: Expected index [32, 1] to be smaller than self [31, 1]"),
    SHAPES("non-empty list of Tensors", NULL, "RuntimeError: torch.cat(): expected a non-empty list of Tensors"),
    DTYPES("should be the same", "type",
           "RuntimeError: Input type (float) and bias type (c10::BFloat16) should be the "
           "same"),
    DTYPES("dtypes match", NULL, "RuntimeError: Index put requires the source and destination dtypes match"),
    DTYPES("must be of type ", "float", "AssertionError: Sinks must be of type float32"),
    // cards and what is between them
    NO_GPU("without CUDA support", NULL, "RuntimeError: PyTorch was compiled without CUDA support"),
    NO_GPU("not compiled with CUDA", NULL, "AssertionError: Torch not compiled with CUDA enabled"),
    NO_GPU("has no GPU available", NULL, "ValueError: Current node has no GPU available"),
    NO_GPU("Device acquire failed", NULL, "RuntimeError: synStatus=9 [Device-type mismatch] Device acquire failed."),
    NO_GPU("Device string must not be empty", NULL, "RuntimeError: Device string must not be empty"),
    NO_GPU("not allocate any GPUs", NULL, "ValueError: Ray does not allocate any GPUs on the driver node."),
    RANKS("communicator", NULL,
          "RuntimeError: Attempting to use the same CUDA device for multiple distinct roles within the same "
          "communicator."),
    RANKS("from different ranks", NULL, "RuntimeError: rendezvous: overlapping devices from different ranks."),
    RANKS("/gloo/", NULL, "what(): [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:456]"),
    RANKS("NIXL_ERR", NULL, "BackendError: NIXL_ERR_BACKEND"),
    RANKS("NCCL", NULL, "NCCL WARN Call to ibv_modify_qp failed with 22 Invalid argument"),
    RANKS("RCCL", NULL, "RCCL allreduce failed"),
    KERNEL_FAILED("illegal instruction", "RuntimeError: CUDA error: an illegal instruction was encountered"),
    KERNEL_FAILED("invalid program counter", "RuntimeError: CUDA error: invalid program counter"),
    KERNEL_FAILED("hardware stack error", "RuntimeError: CUDA error: hardware stack error"),
    KERNEL_FAILED("invalid configuration argument", "RuntimeError: CUDA error: invalid configuration argument"),
    CUDA_CALL("CUDA error", NULL, "RuntimeError: CUDA error: unknown error"),
    CUDA_CALL("HIP error", NULL, "RuntimeError: HIP error: unknown error"),
    CUDA_CALL("CUDA driver error", NULL, "RuntimeError: CUDA driver error: invalid argument"),
    CUDA_CALL("Triton Error", NULL, "RuntimeError: Triton Error [CUDA]: unknown error"),
    CUDA_CALL("NPU function error", NULL, "NPU function error: call aclnnInplaceCopy failed, error code is 161002"),
    CUDA_CALL("UR_RESULT_ERROR", NULL,
              "RuntimeError: level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)"),
    CUDA_CALL("ACL stream", NULL, "RuntimeError: ACL stream synchronize failed, error code:507035"),
    CUDA_CALL("during CUDA graph", NULL,
              "RuntimeError: Cannot copy between CPU and CUDA tensors during CUDA graph capture"),
    NETWORK("no such host", NULL, "Error: pull model manifest: dial tcp: lookup registry.ollama.ai: no such host"),
    NETWORK("Max retries exceeded", NULL, "requests.exceptions.ConnectionError: Max retries exceeded with url: /x"),
    NETWORK("TLS handshake timeout", NULL, "Error: pull model manifest: net/http: TLS handshake timeout"),
    // Ollama: llm/server.go, server/images.go and cmd/cmd.go; the hub's own words behind "400:"
    HOST_SHORT("more system memory", NULL, "model requires more system memory (9.0 GiB) than is available (8.0 GiB)"),
    HOST_SHORT("large for ", "system", "level=WARN msg=\"model request too large for system\" requested=\"9.0 GiB\""),
    WORDS("pull model manifest", "newer version", "the model asks for a newer Ollama", "ollama", "newer",
          "its format or architecture is of a later release than the one installed",
          "Error: pull model manifest: 412: The model you are attempting to pull requires a newer version of Ollama."),
    WORDS(
        "Repository is not GGUF", NULL, "the repository holds no GGUF", "model", "a GGUF repository of it",
        "Ollama pulls GGUF files alone from the hub: names of such repositories mostly end in -GGUF",
        "Error: pull model manifest: 400: {\"error\":\"Repository is not GGUF or is not compatible with llama.cpp\"}"),
    WORDS("valid quantization scheme", NULL, "the repository has no such tag", "model", "with a tag it has",
          "behind the colon stands a quantisation that one of its GGUF files has, or latest",
          "Error: pull model manifest: 400: The specified tag is not a valid quantization scheme."),
    WORDS("pull model manifest: 40", NULL, "the registry refused the name", "model", "one it gives out",
          "a private or gated repository, which asks for Ollama's key in the account's settings, or a misspelt name",
          "Error: pull model manifest: 401: {\"error\":\"Invalid username or password.\"}"),
    WORDS("pull model manifest: file does not exist", NULL, "the registry has no such model", "model", "one it has",
          "name or tag is misspelt, or was never published there", "Error: pull model manifest: file does not exist"),
    WORDS("try pulling it first", NULL, "the model is not on this machine", "ollama pull", "first",
          "the server keeps models of its own folder (OLLAMA_MODELS) under the name and tag they were pulled with",
          "Error: model \"x:8b\" not found, try pulling it first"),
    WORDS("connect to ollama", NULL, "the server does not run", "ollama serve", "running",
          "the command found nobody at OLLAMA_HOST: start it there, or look why it ended",
          "Error: could not connect to ollama server, run 'ollama serve' to start it"),
    // requests
    REQUEST("in one request", NULL, "ValueError: At most 1 image(s) may be provided in one request."),
    REQUEST("too long to fit into the model", NULL,
            "ValueError: The prompt (total length 25938) is too long to fit into the model"),
    REQUEST("Error code: 4", NULL, "openai.BadRequestError: Error code: 400 - {'object': 'error'}"),
    {"BadRequestError", NULL, NULL, NULL, "a request was refused, not the start", "request", "what the server takes",
     "the server runs: the client sent what this model, its template or the server's limits do not allow",
     "openai.BadRequestError: status_code: 400", ""},
    {"TemplateError", NULL, NULL, NULL, "a request was refused, not the start", "request", "what the template takes",
     "the order of roles, a tool call or an empty list of messages that the model's chat template raises for",
     "jinja2.exceptions.TemplateError: Conversation roles must alternate", ""},
    {"HarmonyError", "tokens remaining", NULL, NULL, "a request was refused, not the start", "request",
     "sent again, or another release",
     "the answer's tokens are no messages of this model's format: the parser gave up on that request",
     "openai_harmony.HarmonyError: unexpected tokens remaining in message header", ""},
    {"HarmonyError", "Unexpected token", NULL, NULL, "a request was refused, not the start", "request",
     "sent again, or another release",
     "the answer's tokens are no messages of this model's format: the parser gave up on that request",
     "openai_harmony.HarmonyError: Unexpected token 12606 while expecting start token 200006", ""},
    // what serves where nothing above says more
    {NULL, "'NoneType' object", NULL, NULL, "the program's own code failed", "engine", "another release",
     "it met nothing where something should be: a bug of this release, or a model, file or flag that nobody had tried",
     "AttributeError: 'NoneType' object has no attribute 'x'", ""},
    {NULL, "not supported between instances", NULL, NULL, "the program's own code failed", "engine", "another release",
     "it compared a number with none: a key of the model's config or a flag that this release does not expect",
     "TypeError: '>' not supported between instances of 'int' and 'NoneType'", ""},
    {NULL, "object has no attribute", NULL, NULL, "code and packages do not fit each other", "installation",
     "matching releases",
     "mostly transformers, or the model's own code, of another release than the engine's; else a bug of the release",
     "AttributeError: 'x' object has no attribute 'y'", ""},
    {NULL, "is not available", NULL, NULL, "a part of the installation is missing", "installation",
     "with what the message names", "the flag or the model needs it: install it, or do without",
     "RuntimeError: NIXL is not available", ""},
    {NULL, "only support", NULL, NULL, "this release does not support what is asked for", "command line",
     "what the message allows", "it says for what: a card, a dtype, a backend; another release may do more",
     "RuntimeError: FlashAttention on Ampere/Ada cards only supports fp16 and bf16 data type", ""},
    WORDS("only ", "supported", "this release does not support what is asked for", "command line",
          "what the message allows", "it says for what: a card, a dtype, a backend; another release may do more",
          "AssertionError: Only SM 10.x and 11.x are supported"),
    {NULL, "not support", NULL, NULL, "this release does not support what is asked for", "command line",
     "what the message allows", "it says what: a model, a flag, a dtype, a card; another release may",
     "ValueError: x is not supported yet.", ""},
};
const struct kvb_kind_table kvb_kinds_words = {rows, sizeof rows / sizeof rows[0]};
