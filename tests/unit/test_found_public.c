// What public recipe repositories write, shortened: images whose tags count something else, arms of a case, clusters of
// Ray, servers that an image starts for a model nobody names.
#include "unit/found_lines.h"

#define SERVE(model) "vllm serve " model " --max-model-len 512"
#define ARMS "a) " SERVE("a/a") ";;\n b|c) " SERVE("a/b") ";;\n *) " SERVE("a/c") "\nesac\n"
#define A "shell model=a/a max_model_len=512"
#define B "shell model=a/b max_model_len=512"
#define C "shell model=a/c max_model_len=512"
#define D "shell model=a/d max_model_len=512"

static const struct found_row cases[] = {
    // one arm where the word is known
    {"s.sh", "case a in\n " ARMS, A, NULL},
    {"s.sh", "case c in\n " ARMS SERVE("a/d"), B "; " D, NULL},
    {"s.sh", "M=x\ncase \"$M\" in # the rest\n " ARMS SERVE("a/d"), C "; " D, NULL},
    {"s.sh", "case ${M:-b} in\n " ARMS, B, NULL},
    {"s.sh", "case ${M:-b} in\n " ARMS, A, "M=a"},
    {"s.sh", "case x in (a) " SERVE("a/a") ";; esac; " SERVE("a/d"), D, NULL},
    {"s.sh", "case x in\n esac\n" SERVE("a/d"), D, NULL},
    {"s.sh", "case xyz in [!a-w]?z) " SERVE("a/a") ";; *) " SERVE("a/b") ";; esac", A, NULL},
    {"s.sh", "if true; then case a in " ARMS "fi", A, NULL},
    // what another arm sets or starts counts for nothing
    {"s.sh", "L=512\ncase \"${OFF:-}\" in y|1) L=64 ;; esac\nvllm serve a/a --max-model-len $L", A, NULL},
    {"s.sh", "L=512\ncase n in y) L=64; X=(--seed 1) ;; esac\nvllm serve a/a --max-model-len $L ${X[@]}", A, NULL},
    {"s.sh", "case a in b) bash <<E\n" SERVE("a/a") "\nE\n;; esac\n" SERVE("a/d"), D, NULL},
    {"s.sh", "case a in b) case q in q) " SERVE("a/a") ";; esac;; a) " SERVE("a/b") ";; esac\n" SERVE("a/d"), B "; " D,
     NULL},
    {"s.sh", "case a in a) case q in r) " SERVE("a/a") ";; q) " SERVE("a/b") ";; esac;; *) " SERVE("a/c") ";; esac", B,
     NULL},
    // every arm where it is not: arguments, several values, a loop, a pattern of unknown parts
    {"s.sh", "case $M in\n " ARMS, A "; " B "; " C, NULL},
    {"s.sh", "case ${1:-a} in\n " ARMS, A "; " B "; " C, NULL},
    {"s.sh", "M=a\nM=b\ncase $M in\n " ARMS, A "; " B "; " C, NULL},
    {"s.sh", "for M in a b; do case $M in\n " ARMS "done", A "; " B "; " C, NULL},
    {"s.sh", "case a in\n $X) " SERVE("a/a") ";;\n *) " SERVE("a/b") ";;\nesac", A "; " B, NULL},
    {"s.sh", "case a in\n a", "", NULL},
    {"s.sh", "case a in\n b) " SERVE("a/a"), "", NULL},
    {"s.sh", "case a in\n ; a) " SERVE("a/a") ";; esac", A, NULL},
};

#define RUN "docker run --gpus all "
static const struct found_row images[] = {
    // an image of llama.cpp is its server
    {"s.sh", RUN "ghcr.io/ggml-org/llama.cpp:server-cuda -m /models/a.gguf -c 512",
     "shell model=/models/a.gguf engine=llama.cpp max_model_len=512", NULL},
    // LMCache counts its own releases (github.com/LMCache/LMCache, tags of lmcache/vllm-openai)
    {"s.sh", RUN "lmcache/vllm-openai:v0.3.7 a/b --max-model-len 512", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", RUN "vllm/vllm-openai:v0.8.5 a/b --max-model-len 512",
     "shell model=a/b engine=vllm@0.8.5 max_model_len=512", NULL},
    // a model that the environment names
    {"compose.yaml",
     "services:\n  v:\n    image: vllm/vllm-openai:v0.8.5\n    command: ['${M}', '--max-model-len=512']\n",
     "compose engine=vllm@0.8.5 max_model_len=512 !missing_key", NULL},
    {"compose.yaml", "services:\n  v:\n    image: vllm/vllm-openai:v0.8.5\n    command: ['${M}', '--x']\n", "", NULL},
    // an image of vLLM that somebody built, whose words name a model
    {"compose.yaml",
     "services:\n  v:\n    image: ${R:-org}/vllm-rocm:${T:-latest}\n    command: --model a/b --dtype half\n",
     "compose model=a/b dtype=float16", NULL},
    {"compose.yaml", "services:\n  v:\n    image: org/vllm-rocm\n    command: --port 80\n", "", NULL},
    {"compose.yaml", "services:\n  v:\n    image: org/vllm-cpu:v0.10.1\n    command: --model a/b\n", "", NULL},
    {"compose.yaml", "services:\n  v:\n    image: org/tgi\n    command: --model a/b\n", "", NULL},
    // Truss: one image for all commands
    {"config.yaml",
     "base_image: {image: 'lmsysorg/sglang:v0.5.3-cu126'}\ndocker_server:\n  start_command: sh -c \"python3 -m "
     "sglang.launch_server --model-path a/b\"\nresources: {accelerator: 'H100:2'}\n",
     "commands model=a/b gpu=h100 engine=sglang@0.5.3 gpus=2", NULL},
    {"config.yaml",
     "base_image: vllm/vllm-openai:v0.9.2\ndocker_server: {start_command: vllm serve a/b --max-model-len 512}\n",
     "commands model=a/b engine=vllm@0.9.2 max_model_len=512", NULL},
    {"config.yaml", "base_image: vllm/vllm-openai:v0.9.2\nrun: vllm serve a/b --max-model-len 512\n",
     "commands model=a/b max_model_len=512", NULL},
};

#define POD(words) "{template: {spec: {containers: [{" words "resources: {limits: {nvidia.com/gpu: 8}}}]}}"
#define FLEET(head, workers)                                                                                           \
    "apiVersion: x/v1\nkind: RayClusterFleet\nmetadata: {name: f}\nspec:\n  headGroupSpec: " POD(                      \
        head) "}\n"                                                                                                    \
              "  workerGroupSpecs: " workers "\n"
#define HEAD "command: [vllm, serve, a/b, --tensor-parallel-size, '16'], "
static const struct found_row clusters[] = {
    {"f.yaml", FLEET(HEAD, "[" POD("") ", replicas: 3}]"), "kubernetes model=a/b tensor_parallel_size=16 gpus=32",
     NULL},
    {"f.yaml", FLEET(HEAD, "[" POD("") "}, " POD("") ", replicas: 2}]"),
     "kubernetes model=a/b tensor_parallel_size=16 gpus=32", NULL},
    {"f.yaml", FLEET(HEAD, "[]"), "kubernetes model=a/b tensor_parallel_size=16 gpus=8", NULL},
    {"f.yaml", FLEET(HEAD, "none"), "kubernetes model=a/b tensor_parallel_size=16 gpus=8", NULL},
    {"f.yaml", FLEET(HEAD, "[{replicas: 2}, 3]"), "kubernetes model=a/b tensor_parallel_size=16 gpus=8", NULL},
    {"f.yaml", FLEET(HEAD, "[" POD("") ", replicas: 5000}]"), "kubernetes model=a/b tensor_parallel_size=16 gpus=8",
     NULL},
};

#define TOLD "from vllm import LLM\nimport os, torch\n"
static const struct found_row told[] = {
    // a function or class that is told its model is no deployment, one that asks its environment is
    {"a.py", TOLD "def f(m):\n  LLM(model=m, max_model_len=512)\nLLM('a/b')", "python model=a/b", NULL},
    {"a.py", TOLD "class LLM(Base):\n  def f(self): LLM(model=self.m)", "", NULL},
    {"a.py", TOLD "LLM(model=pick('x'))", "", NULL},
    {"a.py", TOLD "def f(m): run(['vllm', 'serve', m, '--max-model-len', '512'])", "", NULL},
    {"a.py", TOLD "def f(m): run(['vllm', 'serve', *m])", "", NULL},
    {"a.py", TOLD "LLM(model=os.environ['M'])", "python !missing_key", NULL},
    {"a.py", TOLD "M = os.environ.get('M')\nLLM(model=M)", "python !missing_key", NULL},
    {"a.py", TOLD "# kvbudget: model=a/b\nLLM(model=pick('x'))", "python model=a/b !missing_key", NULL},
    // what vLLM's own classes hold
    {"a.py", TOLD "k = KVTransferConfig(kv_connector='L', kv_role='kv_both')\nLLM('a/b', kv_transfer_config=k)",
     "python model=a/b kv_transfer=1", NULL},
    {"a.py", TOLD "LLM('a/b', dtype=torch.bfloat16)", "python model=a/b dtype=bfloat16", NULL},
    {"a.py", TOLD "LLM('a/b', dtype=torch.pick())", "python model=a/b !missing_key", NULL},
    {"a.py", TOLD "LLM('a/b', seed=torch.one)", "python model=a/b", NULL},
};

#define RUNTIME(kind, model)                                                                                           \
    "apiVersion: serving.kserve.io/v1alpha1\nkind: " kind                                                              \
    "\nmetadata: {name: r}\nspec: {containers: [{name: c, image: "                                                     \
    "'vllm/vllm-openai:v0.11.0', args: [--model, " model ", --max-model-len, '512']}]}\n"
static const struct found_row runtimes[] = {
    // a service brings the model of a runtime (kserve.github.io, storage is mounted at /mnt/models)
    {"r.yaml", RUNTIME("ClusterServingRuntime", "/mnt/models"), "", NULL},
    {"r.yaml", RUNTIME("ServingRuntime", "/mnt/models"), "", NULL},
    {"r.yaml", RUNTIME("ServingRuntime", "a/b"), "kubernetes model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
    {"r.yaml", "# kvbudget: model=a/b\n" RUNTIME("ServingRuntime", "/mnt/models"),
     "kubernetes model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
    {"r.yaml", RUNTIME("Other", "/mnt/models"), "kubernetes model=/mnt/models engine=vllm@0.11.0 max_model_len=512",
     NULL},
};

static const struct found_row repeated[] = {
    // PyYAML and Go's readers take the last of several values, Docker Compose none
    {"r.yaml", "run: vllm serve a/a\nx: 1\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    {"r.json", "{\"x\": {\"a\": 1, \"a\": 2}, \"run\": \"vllm serve a/b\"}", "commands model=a/b", NULL},
    {"r.json", "{\"x\": {\"q4f16_1\": 1, \"q4f16_1\": 2}, \"y\": \"vllm\"}", "", NULL},
};

static const struct found_row tags[] = {
    // a tag that no release of vLLM has is somebody's own count
    {"s.sh", RUN "org/vllm:0.1 vllm serve a/b --max-model-len 512", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", RUN "org/vllm:1.22.0 vllm serve a/b --max-model-len 512", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", RUN "org/vllm:0.2.0 vllm serve a/b --max-model-len 512",
     "shell model=a/b engine=vllm@0.2.0 max_model_len=512", NULL},
};

static void each_row(void **state)
{
    (void)state;
    READ_FOUND_ROWS(cases);
    READ_FOUND_ROWS(images);
    READ_FOUND_ROWS(clusters);
    READ_FOUND_ROWS(told);
    READ_FOUND_ROWS(runtimes);
    READ_FOUND_ROWS(repeated);
    READ_FOUND_ROWS(tags);
}

KVB_TEST_MAIN(cmocka_unit_test(each_row))
