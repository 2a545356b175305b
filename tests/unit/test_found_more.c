// Corners of each format, worked out by its own rules: Python's operators, the shell's quotes and sums, devices of
// compose, claims and selectors of Kubernetes, the servers of KServe, tables of TOML.
#include "unit/found_lines.h"

#define VLLM "from vllm import LLM\n"
#define STARTS "import subprocess  # vllm\n"
#define SERVE "vllm serve a/b --max-model-len "
#define IMAGE "image: vllm/vllm-openai:v0.11.0"

static const struct found_row python[] = {
    {"a.py",
     STARTS "run(['vllm', 'serve', 'a/b', '--max-model-len', '512', '--max-num-seqs', '8', '-tp', '2', "
            "'--enforce-eager', '--port', '8000'])",
     "python model=a/b max_model_len=512 max_num_seqs=8 tensor_parallel_size=2 enforce_eager=true", NULL},
    {"a.py", VLLM "LLM('a/' + NAME, max_model_len=512)", "", NULL}, // its caller says the model
    {"a.py", VLLM "LLM(f'{NAME}' 'b')", "", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=2147483648 * 2)", "python model=a/b !missing_key", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=N * 2)", "python model=a/b !missing_key", NULL},
    {"a.py", VLLM "LLM(('a/b'))", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(F'a/b', max_model_len=+512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(R'a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a\\x2fb')", "python model=a\\x2fb", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=512 if big else 256)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "x = [1, 2][0]\nLLM('a/b', max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b', **unknown, max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b', **{'max_model_len': 512, 3: 4})", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "x.append('--enforce-eager')\nLLM('a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "x: int\nLLM('a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "[LLM('a/b')]", "python model=a/b", NULL},
    {"a.py", VLLM "{'llm': LLM('a/b')}", "python model=a/b", NULL},
    {"a.py", VLLM "self.a.b = 'a/b'\nLLM(self.a.b)", "python model=a/b", NULL},
    {"a.py", VLLM "n = 1e3\nLLM('a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/b'", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=512 \\\n)", "python model=a/b max_model_len=512", NULL},
};

static const struct found_row shell[] = {
    {"s.sh", SERVE "$(( (2 + 2) * 1024 ))", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", SERVE "$((4096)", "shell model=a/b !bad_type", NULL},
    {"s.sh", SERVE "$(( (4096 ))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$((NONE * 0))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$((8192 / 2))", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", SERVE "$((8192 / 0))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "`cat length`", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "`cat length", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "\"40\\\n96\"", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", SERVE "'4096", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", "L=4096\n" SERVE "\"${L}\"", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", "A=\n" SERVE "4096 $A --enforce-eager", "shell model=a/b max_model_len=4096 enforce_eager=true", NULL},
    {"s.sh", SERVE "4096 --config gone.yaml", "shell model=a/b max_model_len=4096 !cannot_open", NULL},
    // argparse_utils.py of v0.27.1: `if "--config" in args`, so that a joined one names a file nobody opens.
    {"s.sh", SERVE "4096 --config=gone.yaml", "shell model=a/b max_model_len=4096 !not_allowed", NULL},
};

static const struct found_row yaml[] = {
    {"c.yaml",
     "services:\n  v:\n    " IMAGE "\n    command: --model a/b\n    deploy: {resources: {reservations: {devices: "
     "[{driver: nvidia, device_ids: ['0', '2']}]}}}\n",
     "compose model=a/b engine=vllm@0.11.0 gpus=2", NULL},
    {"c.yaml",
     "services:\n  v:\n    " IMAGE "\n    command: --model a/b\n    deploy: {resources: {reservations: {devices: "
     "[{driver: nvidia, count: all}]}}}\n",
     "compose model=a/b engine=vllm@0.11.0", NULL},
    {"c.yaml",
     "services:\n  v:\n    " IMAGE "\n    command: --model a/b\n    environment: {A: {b: c}, VLLM_USE_V1: null}\n",
     "compose model=a/b engine=vllm@0.11.0", NULL},
    {"c.yaml", "services:\n  v:\n    " IMAGE "\n    command: --model a/b\n    environment: [A, VLLM_USE_V1=1, [x]]\n",
     "compose model=a/b engine=vllm@0.11.0", NULL},
    {"k.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {generateName: x-}\nspec:\n  containers:\n  - " IMAGE
     "\n    args: [--model, a/b]\n    resources: {claims: [{name: gpu}], limits: {nvidia.com/gpu: 2}}\n",
     "kubernetes model=a/b engine=vllm@0.11.0 gpus=2", NULL},
    {"k.yaml",
     "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec: {containers: [{" IMAGE
     ", args: [--model, a/b]}]}\n- {kind: List, vllm: 1}\n- 3\n",
     "kubernetes model=a/b engine=vllm@0.11.0", NULL},
    {"k.yaml",
     "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec:\n  predictor:\n    model:\n"
     "      modelFormat: {name: huggingface}\n      args: [--backend, huggingface, --model_id=a/b]\n",
     "", NULL},
    {"k.yaml",
     "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec:\n  predictor:\n    model:\n"
     "      modelFormat: {name: vllm}\n      storageUri: pvc://x/y\n      args: [--model-id, a/b, --task=x]\n",
     "kserve model=a/b", NULL},
    {"k.yaml",
     "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nspec:\n  model: {uri: 'hf://a/b'}\n"
     "  parallelism: {tensor: 2, expert: true}\n  prefill:\n    parallelism: {tensor: 4, expert: false}\n",
     "kserve model=a/b tensor_parallel_size=2 enable_expert_parallel=true; kserve model=a/b tensor_parallel_size=4",
     NULL},
    {"k.yaml",
     "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nspec:\n  template:\n    containers:\n"
     "    - {command: [vllm, serve, c/d], env: [{name: VLLM_USE_V1, value: '1'}]}\n",
     "kserve model=c/d", NULL},
};

static void each_row(void **state)
{
    (void)state;
    READ_FOUND_ROWS(python);
    READ_FOUND_ROWS(shell);
    READ_FOUND_ROWS(yaml);
}

KVB_TEST_MAIN(cmocka_unit_test(each_row))
