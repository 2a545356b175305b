// What each wording of a failure means, for the wordings that no other test holds: messages as public logs have them,
// and what a reader who knows the engine says of them.
#include <string.h>

#include "log_text.h"

static const struct {
    const char *title;
    const char *messages[10];
} groups[] = {
    {"this build lacks a kernel",
     {"RuntimeError: Tried to instantiate class '_core_C.ScalarType', but it does not exist! Ensure that it is "
      "registered via torch::class_\n",
      "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n",
      "RuntimeError: No supported CUDA architectures found for major versions [12].\n",
      "RuntimeError: could not create a primitive descriptor for the matmul primitive. Run workload with environment "
      "variable ONEDNN_VERBOSE=all\n"}},
    {"this GPU is too old for a kernel",
     {"RuntimeError: Found Tesla P100-PCIE-16GB which is too old to be supported by the triton GPU compiler, which is "
      "used as the backend.\n"}},
    {"torch.compile failed",
     {"torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node with fake tensors: call_function <built-in "
      "function getitem>\n"}},
    {"what is compiled on this machine did not compile",
     {"torch._inductor.exc.InductorError: CppCompileError: C++ compile error\n",
      "subprocess.CalledProcessError: Command '['cmake', '--build', '.', '-j=8']' returned non-zero exit status 1.\n",
      "AssertionError: CUDA_HOME is not set\n"}},
    {"packages of different releases are mixed",
     {"TypeError: build_app() missing 1 required keyword-only argument: 'raw_request'\n",
      "RuntimeError: aiter::topk_softmax() expected at most 5 argument(s) but received 7 argument(s).\n",
      "RuntimeError: vllm::lora_shrink() is missing value for argument 'no_lora_flag_cpu'.\n"}},
    {"a tensor of the checkpoint is not expected",
     {"AssertionError: Tried to load weights of size torch.Size([1024, 8192])to a parameter of size torch.Size([512, "
      "8192])\n"}},
    {"a file of the model is missing",
     {"ValueError: No tokenizer file found in directory: /models/x\n",
      "OSError: Unable to load vocabulary from file. Please check that the provided vocabulary is accessible and not "
      "corrupted.\n"}},
    {"a file cannot be read as what it should be", {"error loading model: unexpectedly reached end of file\n"}},
    {"shapes of tensors do not fit each other",
     {"ValueError: could not broadcast input array from shape (256,) into shape (76,)\n",
      "RuntimeError: size mismatch, got input (1), mat (1x2048), vec (2560)\n",
      "RuntimeError: The expanded size of the tensor (4096) must match the existing size (2048) at non-singleton "
      "dimension 1.\n",
      "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 1024 but got size 1176\n",
      "RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans "
      "across two contiguous subspaces).\n",
      "AssertionError: expected size 5376==2560, stride 1==1 at dim=0\n",
      "RuntimeError: Invalid shape of out: expected torch.Size([8, 24, 80])\n",
      "RuntimeError: scheduler_metadata must have shape (metadata_size)\n",
      "RuntimeError: Expected index [32, 1] to be smaller than self [31, 1] apart from dimension 1\n"}},
    {"a shape does not divide by the parallel size", {"AssertionError: 2 cannot be divided by 8\n"}},
    {"dtypes do not fit each other",
     {"RuntimeError: Index put requires the source and destination dtypes match, got BFloat16 for the destination and "
      "Float for the source.\n",
      "AssertionError: Sinks must be of type float32, but got torch.bfloat16\n"}},
    {"no GPU is visible to the process",
     {"AssertionError: Torch not compiled with CUDA enabled\n",
      "ValueError: Current node has no GPU available. current_node_resource={'CPU': 8.0}.\n",
      "RuntimeError: synStatus=9 [Device-type mismatch] Device acquire failed.\n",
      "RuntimeError: Device string must not be empty\n"}},
    {"the GPUs could not talk to each other",
     {"RuntimeError: rendezvous: overlapping devices from different ranks.\n", "BackendError: NIXL_ERR_BACKEND\n",
      "RuntimeError: RCCL allreduce failed\n"}},
    {"a kernel failed on the GPU",
     {"RuntimeError: CUDA error: invalid program counter\n", "RuntimeError: CUDA error: hardware stack error\n",
      "RuntimeError: CUDA error: the launch timed out and was terminated\n",
      "RuntimeError: CUDA error: invalid configuration argument\n"}},
    {"a call to the GPU failed",
     {"RuntimeError: NPU function error: call aclnnInplaceCopy failed, error code is 161002\n",
      "RuntimeError: level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)\n",
      "RuntimeError: ACL stream synchronize failed, error code:507035\n",
      "RuntimeError: Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is "
      "pinned.\n"}},
    {"the hub or registry cannot be reached",
     {"requests.exceptions.ConnectionError: (MaxRetryError('HTTPSConnectionPool: Max retries exceeded with url: "
      "/api/models/x'))\n",
      "Error: pull model manifest: Get \"https://registry.ollama.ai/v2/\": net/http: TLS handshake timeout\n"}},
    {"a request was refused, not the start",
     {"ValueError: The prompt (total length 25938) is too long to fit into the model (context length 16384).\n",
      "openai.BadRequestError: Error code: 400 - {'object': 'error'}\n",
      "openai.APIStatusError: Error code: 413 - {'object': 'error'}\n", "openai.BadRequestError: status_code: 400\n",
      "openai_harmony.HarmonyError: unexpected tokens remaining in message header\n",
      "openai_harmony.HarmonyError: Unexpected token 12606 while expecting start token 200006\n"}},
    {"the program's own code failed",
     {"NameError: name 'flash_attn_varlen_func' is not defined\n", "RecursionError: maximum recursion depth exceeded\n",
      "ZeroDivisionError: division by zero\n"}},
};

static void wordings_have_their_titles(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        for (size_t k = 0; k < 10 && groups[i].messages[k] != NULL; k++) {
            const struct kvb_log_report *report = read_log(groups[i].messages[k]);
            const char *title = report->failure.title != NULL ? report->failure.title : "no title";
            if (strcmp(title, groups[i].title) != 0) {
                print_error("%s, not %s: %s", title, groups[i].title, groups[i].messages[k]);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wordings_have_their_titles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
