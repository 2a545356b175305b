// What happened, by the words of public logs, and how what stands around and inside a message is taken away: messages
// as PyTorch, Triton, FlashInfer, the drivers and the engines write them.
#include <stdio.h>
#include <string.h>

#include "log_text.h"

struct row {
    const char *log, *title;
};

#define CORE "(EngineCore pid=93) ERROR 06-02 08:11:20 [core.py:1130] "
#define OLD_DRIVER "the driver is older than the CUDA build"
#define NO_KERNEL "this build has no kernels for this GPU"
#define NOT_THIS_BACKEND "the attention backend does not serve this model and GPU"
#define NO_BACKEND "no attention backend serves this model, cache and GPU"
#define PTXAS "Triton's ptxas does not know this GPU"
#define NOT_COMPILED "a kernel could not be compiled at the start"
#define NO_TOOLKIT "a kernel is compiled at the start, and there is no CUDA toolkit"
#define NO_READ "a flag's value cannot be read"
#define INDUCTOR                                                                                                       \
    "torch._inductor.exc.InductorError: RuntimeError: Failed to run autotuning code block: No valid triton configs. "
#define TENSORS "the file's tensors are not those this build expects"

static const struct row rows[] = {
    // the driver and the card
    {"RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling "
     "NumCudaDevices() that might have already set an error? Error 803: system has unsupported display driver / cuda "
     "driver combination\n",
     "libcuda and the host's driver do not fit"},
    {"RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling "
     "NumCudaDevices() that might have already set an error? Error 804: forward compatibility was attempted on non "
     "supported HW\n",
     OLD_DRIVER},
    {"ggml_cuda_init: failed to initialize CUDA: forward compatibility was attempted on non supported HW\n",
     OLD_DRIVER},
    {"ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected\n",
     "no GPU is visible to the process"},
    {"torch.AcceleratorError: CUDA error: the provided PTX was compiled with an unsupported toolchain.\n", OLD_DRIVER},
    {"RuntimeError: CUDA error: cudaErrorUnsupportedPtxVersion\n", OLD_DRIVER},
    {"RuntimeError: HIP error: invalid device function\n", NO_KERNEL},
    {CORE "RuntimeError: UVA is not available\n", "the GPU cannot reach the host's memory"},
    {CORE "torch.AcceleratorError: CUDA error: misaligned address\n", "a kernel failed on the GPU"},
    {"RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
     "'spawn' start method\n",
     "CUDA was used before the engine forked"},
    // kernels of a build
    {CORE "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576)\n",
     NO_BACKEND},
    {CORE "ValueError: Selected backend AttentionBackendEnum.CUTLASS_MLA is not valid for this configuration. Reason: "
          "['sparse not supported']\n",
     "the attention backend asked for does not serve this model and GPU"},
    {"AssertionError: KV4 MHA expects attention_backend to be one of ['triton', 'torch_native'], but got flashinfer\n",
     NOT_THIS_BACKEND},
    {CORE "NotImplementedError: No FP8 MoE backend supports the deployment configuration.\n",
     "no kernel for these experts on this GPU"},
    {CORE "ValueError: Failed to find a kernel that can implement the WNA16 linear layer. Reasons: \n",
     "no kernel for these quantised layers on this GPU"},
    {"ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15')\n",
     "this GPU does not compute with fp8 e4m3"},
    {CORE "RuntimeError: DeepGEMM backend is not available or outdated. Please install or update the `deep_gemm`\n",
     "DeepGEMM is missing"},
    {"[sgl_kernel] CRITICAL: Could not load any common_ops library!\n",
     "SGLang's kernels do not fit this GPU or this PyTorch"},
    // what is compiled at the first start
    {"ptxas fatal   : Value 'sm_110a' is not defined for option 'gpu-name'\n", PTXAS},
    {INDUCTOR "PTXASError: PTXAS error: Internal Triton PTX codegen error\n",
     "Triton's ptxas could not translate a kernel"},
    {INDUCTOR "PTXASError: PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n"
              "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\n",
     PTXAS},
    {INDUCTOR "x\n", "torch.compile failed"},
    {CORE "RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist\n", NO_TOOLKIT},
    {"RuntimeError: Ninja build failed. Ninja output:\nninja: build stopped: subcommand failed.\n", NOT_COMPILED},
    {"subprocess.CalledProcessError: Command '['ninja', '-v', '-C', '/x']' returned non-zero exit status 1.\n",
     NOT_COMPILED},
    {"/tmp/x/cuda_utils.c:9:10: fatal error: Python.h: No such file or directory\n", "Python's headers are missing"},
    {"RuntimeError: Failed to find C compiler. Please specify via CC environment variable.\n",
     "Triton needs a C compiler"},
    {"ValueError: arange's range must be a power of 2\n\nThe above exception was the direct cause:\n"
     "triton.compiler.errors.CompilationError: at 106:17:\n",
     "a Triton kernel does not compile for this GPU, dtype or shape"},
    // flags, files and packages
    {"vllm serve: error: argument --diffusion-config/-dc: Value {{\"x\":256}} cannot be converted\n", NO_READ},
    {"vllm serve: error: argument --node-rank/-r: expected one argument\n", NO_READ},
    {"error while handling argument \"--device\": invalid device: CPU\n", NO_READ},
    {"error: invalid argument: --no-mmap\n", "a flag this release does not know"},
    {"llama_model_load: error loading model: done_getting_tensors: wrong number of tensors; expected 724, got 723\n",
     TENSORS},
    {"ValueError: Tokenizer class TokenizersBackend does not exist or is not currently imported.\n",
     "transformers is older than the tokenizer"},
    {CORE "ValueError: Following weights were not initialized from checkpoint: {'visual.blocks.23.norm1.weight'}\n",
     "the checkpoint lacks weights this model has"},
    {"ImportError: libnuma.so.1: cannot open shared object file: No such file or directory\n", "a library is missing"},
    {"llama-server: error while loading shared libraries: libcudart.so.12: cannot open shared object file: No such\n",
     "a library is missing"},
    {"ImportError: DeepEP is not installed. Please install DeepEP package from https://x\n", "a package is missing"},
    {"FileNotFoundError: [Errno 2] No such file or directory: 'ninja'\n",
     "a kernel is compiled at the start, and ninja is not found"},
    {"AttributeError: '_OpNamespace' '_C' object has no attribute 'awq_dequantize'\n", "this build lacks a kernel"},
    {"(APIServer pid=1) ValueError: Unknown Mamba SSU backend: 'CUDA'. Valid options are: TRITON, FLASHINFER\n",
     "a value this release does not know"},
    {CORE "ValueError: VLLM_PORT 'tcp://10.100.0.1:8000' appears to be a URI.\n",
     "Kubernetes sets VLLM_PORT to the address of a service"},
    {"ValueError: Quantization method specified in the model config (awq) does not match the quantization method "
     "specified in the `quantization` argument (gptq).\n",
     "flag and checkpoint name different quantisations"},
    {"RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 3x4)\n",
     "shapes of tensors do not fit each other"},
    {"RuntimeError: FlashAttention on Ampere/Ada cards only supports fp16 and bf16 data type\n",
     "this release does not support what is asked for"},
    // what is said later says more than that something is not supported
    {"AttributeError: 'A' object has no attribute 'b'\nRuntimeError: No CUDA GPUs are available\n",
     "no GPU is visible to the process"},
    {"llama_model_load: error loading model: tensor 'blk.9.ffn_up.weight' data is not within the file bounds, model is "
     "corrupted or incomplete\n",
     "the file is damaged"},
    {"srv  start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080\n", "the port is taken"},
    {"/tmp/x/main.c:1:10: fatal error: curand_kernel.h: No such file or directory\n",
     "a header is missing for what is compiled at the start"},
    {CORE "ValueError: NvFp4 MoE backend 'FLASHINFER_TRTLLM' does not support the deployment configuration since x\n",
     "no kernel for these experts on this GPU"},
    {"6.26.902.237 E CUDA error: an unsupported value or parameter was passed to the function\n",
     "cuBLAS failed on the GPU"},
    {"ValueError: X has no vLLM implementation and the Transformers implementation is not compatible with vLLM.\n",
     "the engine does not know this architecture"},
    {"ValueError: Mismatched Tensor on argument #1 when calling: `__call__(mX: Tensor([n0, 4096], bfloat16),\n"
     "mR: Tensor([n0, 4096], bfloat16))`, expected dtype=bfloat16\n",
     "dtypes do not fit each other"},
    {"E llama_prepare_model_devices: invalid value for main_gpu: 0 (available devices: 0)\n",
     "no GPU is visible to the process"},
    {"RuntimeError: NIXL is not available\n", "a part of the installation is missing"},
    // the other ranks are the cause, unless something is said of one
    {"[Rank 0] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was "
     "a network error, NCCL version 2.22.3\n",
     "another rank ended first"},
    {"[Rank 0] Process group watchdog thread terminated with exception: NCCL error: remote process exited\n"
     "[rank1]: RuntimeError: CUDA error: an illegal memory access was encountered\n",
     "a kernel read where nothing is"},
};

static void expect(const char *log, const char *title)
{
    const struct kvb_log_report *report = read_log(log);
    bool same = report->failure.title != NULL && strcmp(report->failure.title, title) == 0;
    if (report->verdict != KVB_LOG_FAILED || report->failure.kind != KVB_FAILURE_OTHER || !same) {
        fail_msg("'%s': %s, %s: %s", log, kvb_log_verdict_name(report->verdict), kvb_failure_name(report->failure.kind),
                 report->failure.title != NULL ? report->failure.title : "no title");
    }
    assert_int_equal(report->failure.about_memory, KVB_LOG_NO);
}

static void test_titles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect(rows[i].log, rows[i].title);
    }
}

// What terminals, containers, journals, launchers and editors put before a line.
static void test_prefixes(void **state)
{
    (void)state;
    static const char *const before[] = {
        "",
        "vllm-server-1  | ",
        "vllm-1  | 2026-08-21T10:24:01.123456789Z ",
        "2026-08-21T10:24:01.123456789Z ",
        "[pod/vllm-0/vllm] 2026-08-21T10:24:01.123456789Z ",
        "2026-08-21T10:24:01.123456789+00:00 stderr F ",
        "Aug 21 10:24:01 host1 vllm[8707]: ",
        "2026-08-21T10:24:01+0200 host1 bash[8707]: ",
        "\x1b[1;36m(EngineCore pid=12)\x1b[0;0m ",
        "\x1b[36m(RayWorkerWrapper pid=123, ip=10.0.0.2)\x1b[0m ",
        "3: ",
        "> ",
        "{\"stream\":\"stderr\",\"log\":\"",
    };
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        char log[512];
        (void)snprintf(log, sizeof log, "%sTraceback (most recent call last):\n%sRuntimeError: Ninja build failed.\n",
                       before[i], before[i]);
        expect(log, NOT_COMPILED);
    }
}

// A message broken at the 80th character: between words, and inside one.
static void test_broken_lines(void **state)
{
    (void)state;
    expect("ValueError: No valid attention\nbackend found for cuda with\n", NO_BACKEND);
    expect("ValueError: No valid atten\ntion backend found for cuda with\n", NO_BACKEND);
    expect(
        "RuntimeError: Unexpected error from cudaGetDeviceCount().\nError 804: forward compatibility was attempted\n",
        OLD_DRIVER);
    // the next record is none of the message's
    const struct kvb_log_report *report = read_log("ValueError: No valid attention\nINFO 01-01 backend found for\n");
    assert_null(report->failure.title);
    report = read_log("ValueError: No valid attention\n\nbackend found for\n");
    assert_null(report->failure.title);
}

// A log in one string of JSON, whose first brace is far before.
static void test_one_string(void **state)
{
    (void)state;
    char log[2048] = "{\"status\":\"failed\",\"logs\":\"Loading safetensors checkpoint shards\\n";
    while (strlen(log) < 1200) {
        strcat(log, "(EngineCore pid=12) a line of no interest\\n");
    }
    strcat(log, "RuntimeError: Ninja build failed. Ninja output:\\n\"}\n");
    expect(log, NOT_COMPILED);
}

#define SERVES                                                                                                         \
    "INFO 08-21 10:20:00 [core.py:116] Initializing a V1 LLM engine (v0.26.0) with config: model='a/b'\n"              \
    "INFO:     Application startup complete.\n"
#define DIED                                                                                                           \
    "ERROR 08-21 10:24:34 [async_llm.py:704] AsyncLLM output_handler failed.\n"                                        \
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.\n"

// A server that was asked to end has not failed, whatever its processes say of each other; one that had failed has.
static void test_stopped(void **state)
{
    (void)state;
    static const char *const stops[] = {
        "INFO 08-21 10:24:34 [core.py:1214] [shutdown] EngineCore: trigger received signal=SIGTERM\n",
        "INFO 08-21 10:24:34 [launcher.py:100] [shutdown] API server: shutdown triggered\n",
        "INFO:     Shutting down\n",
    };
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        char log[1024];
        (void)snprintf(log, sizeof log, SERVES "%s" DIED, stops[i]);
        assert_int_equal(read_log(log)->verdict, KVB_LOG_HEALTHY);
        (void)snprintf(log, sizeof log, SERVES DIED "%s", stops[i]);
        assert_int_equal(read_log(log)->verdict, KVB_LOG_FAILED);
        (void)snprintf(log, sizeof log, "%s" DIED, stops[i]); // it never served
        assert_int_equal(read_log(log)->verdict, KVB_LOG_FAILED);
    }
    assert_int_equal(read_log(SERVES DIED)->verdict, KVB_LOG_FAILED);
}

// What Python's tracker of resources says when everything else is gone.
static void test_tracker(void **state)
{
    (void)state;
#define TRACE "Traceback (most recent call last):\n"
    const char *frame = "  File \"/usr/lib/python3.12/multiprocessing/resource_tracker.py\", line 239, in main\n"
                        "    cache[rtype].remove(name)\nKeyError: '/mp-h1ustgxb'\n";
    char log[1024];
    (void)snprintf(log, sizeof log,
                   SERVES "resource_tracker.py:123: UserWarning: resource_tracker: process died unexpectedly, "
                          "relaunching.  Some resources might leak.\n" TRACE "%s",
                   frame);
    assert_int_equal(read_log(log)->verdict, KVB_LOG_HEALTHY);
    (void)snprintf(log, sizeof log, SERVES TRACE "  File \"/x/vllm/a.py\", line 239, in main\nKeyError: '/mp'\n");
    assert_int_equal(read_log(log)->verdict, KVB_LOG_FAILED);
}

KVB_TEST_MAIN(cmocka_unit_test(test_titles), cmocka_unit_test(test_prefixes), cmocka_unit_test(test_broken_lines),
              cmocka_unit_test(test_one_string), cmocka_unit_test(test_stopped), cmocka_unit_test(test_tracker))
