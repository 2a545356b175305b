// Small files of every kind that starts an engine, and what each hands to it by the rules of its own format: POSIX
// shell, Dockerfile, compose, Kubernetes, KServe, Helm and other templates, make, TOML, HCL.
#include "unit/found_lines.h"

static void test_shell(void **state)
{
    (void)state;
    static const struct found_row rows[] = {
        {"s.sh", "L=$((4 * 1024))\nvllm serve a/b --max-model-len $L", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "N=8\nvllm serve a/b --max-model-len $(( (N + 2) * 512 - 1024 ))",
         "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "N=8\nvllm serve a/b --max-model-len $((N / 3 + ${N} * 2))", "shell model=a/b max_model_len=18", NULL},
        {"s.sh", "N=8\nvllm serve a/b --max-model-len $((N))", "shell model=a/b max_model_len=8", NULL},
        {"s.sh", "vllm serve a/b --max-model-len $((M * 2))", "shell model=a/b !missing_key", NULL},
        {"s.sh", "vllm serve a/b --max-model-len $((4 / 0))", "shell model=a/b !missing_key", NULL},
        {"s.sh", "vllm serve a/b --max-model-len $((3 - 4))", "shell model=a/b !missing_key", NULL},
        {"s.sh", "vllm serve a/b --max-model-len $((1099511627776 * 2))", "shell model=a/b !missing_key", NULL},
        {"s.sh", "vllm serve a/b --max-model-len $((4 $ 2))", "shell model=a/b !missing_key", NULL},
        {"s.sh", "vllm serve a/b --max-model-len ${L:-4096}", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "vllm serve a/b --max-model-len ${L:-4096}", "shell model=a/b max_model_len=512", "L=512"},
        {"s.sh", "vllm serve a/b --max-model-len ${L-4096}", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "vllm serve a/b --max-model-len ${L:=4096}", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "D=1\nvllm serve a/b ${D:+--enforce-eager}", "shell model=a/b enforce_eager=true", NULL},
        {"s.sh", "D=\nvllm serve a/b ${D:+--enforce-eager}", "shell model=a/b", NULL},
        {"s.sh", "vllm serve \"a/b\" '--max-model-len' \"40\"96", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "vllm serve a/b \"--max-model-len\" \\\r\n 4096\r\n", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "vllm serve a\\/b --max-\\\nmodel-len 4096", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "M=\"a\\\"b\"\nvllm serve \"a/\\$b\"", "shell model=a/$b", NULL},
        {"s.sh", "A=(--max-model-len 4096)\nA+=(--enforce-eager)\nvllm serve a/b \"${A[@]}\"",
         "shell model=a/b max_model_len=4096 enforce_eager=true", NULL},
        {"s.sh", "A=(--max-model-len 4096)\nvllm serve a/b ${A[*]}", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "F='--max-model-len 4096\t--enforce-eager'\nvllm serve a/b $F",
         "shell model=a/b max_model_len=4096 enforce_eager=true", NULL},
        {"s.sh", "vllm serve a/b --max-model-len 4096 2>&1 | tee log; echo done", "shell model=a/b max_model_len=4096",
         NULL},
        {"s.sh", "vllm serve a/b --max-model-len 4096 >log 2>err &", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "cat <<EOF\nvllm serve a/b\nEOF\necho", "", NULL},
        {"s.sh", "bash <<'EOF'\nvllm serve a/b --max-model-len 4096\nEOF", "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "cat <<-\"EOF\" | bash\n\tvllm serve a/b\n\tEOF", "shell model=a/b", NULL},
        {"s.sh", "export VLLM_USE_V1=0 L=4096\nvllm serve a/b --max-model-len \"$L\"",
         "shell model=a/b max_model_len=4096", NULL},
        {"s.sh", "if true; then vllm serve a/b; else vllm serve c/d; fi", "shell model=a/b; shell model=c/d", NULL},
        {"s.sh", "docker run -d --gpus all -e X=1 vllm/vllm-openai:v0.11.0 --model a/b",
         "shell model=a/b engine=vllm@0.11.0", NULL},
        {"s.sh", "docker container run --entrypoint bash vllm/vllm-openai:v0.11.0 -c 'vllm serve a/b'",
         "shell model=a/b engine=vllm@0.11.0", NULL},
        {"s.sh", "podman create --entrypoint=vllm vllm/vllm-openai:v0.11.0 serve a/b",
         "shell model=a/b engine=vllm@0.11.0", NULL},
        {"s.sh", "docker run --gpus all ghcr.io/ggml-org/llama.cpp:server-cuda -m /models/x.gguf -c 8192",
         "shell model=/models/x.gguf engine=llama.cpp max_model_len=8192", NULL},
        {"s.sh", "docker run -e LLAMA_ARG_MODEL=/models/x.gguf ghcr.io/ggml-org/llama.cpp:server-b5432",
         "shell model=/models/x.gguf engine=llama.cpp@b5432", NULL},
        {"s.sh", "docker pull vllm/vllm-openai:v0.11.0\ndocker rm vllm", "", NULL},
        {"s.sh", "vllm serve a/b --help", "", NULL},
        {"s.sh", "vllm --version; vllm bench serve --model a/b", "", NULL},
    };
    READ_FOUND_ROWS(rows);
}

static void test_texts(void **state)
{
    (void)state;
    static const struct found_row rows[] = {
        {"Dockerfile", "FROM vllm/vllm-openai:v0.11.0\nCMD [\"--model\", \"a/b\"]\n",
         "dockerfile model=a/b engine=vllm@0.11.0", NULL},
        {"Dockerfile", "from --platform=linux/amd64 vllm/vllm-openai:v0.11.0 AS base\ncmd [\"--model\", \"a/b\"]\n",
         "dockerfile model=a/b engine=vllm@0.11.0", NULL},
        {"Dockerfile",
         "ARG V=v0.11.0\nFROM vllm/vllm-openai:${V}\nENV M=a/b L=512\n"
         "ENTRYPOINT vllm serve $M --max-model-len ${L}\n",
         "dockerfile model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
        {"Dockerfile",
         "FROM vllm/vllm-openai:v0.11.0\nENV M a/b\nENTRYPOINT [\"vllm\", \\\n  \"serve\"]\nCMD [\"a/b\"]",
         "dockerfile model=a/b engine=vllm@0.11.0", NULL},
        {"Dockerfile", "FROM x\nCMD [\"vllm\", \"serve\", \"a/b\"]\nCMD [\"sleep\"]\n", "",
         NULL}, // the last one counts
        {"Dockerfile", "FROM vllm/vllm-openai:v0.11.0\nRUN echo vllm\n", "", NULL},
        {"Makefile", "MODEL := a/b\nserve:\n\tvllm serve $(MODEL) --max-model-len 512\n",
         "recipe model=a/b max_model_len=512", NULL},
        {"Makefile",
         "export LEN = 512\nFLAGS = --enforce-eager\nFLAGS += --max-model-len $(LEN)\nserve: build\n"
         "\tvllm serve a/b $(FLAGS)\n\nbuild:\n\techo\n",
         "recipe model=a/b max_model_len=512 enforce_eager=true", NULL},
        {"justfile", "len := \"512\"\nserve:\n  vllm serve a/b --max-model-len 512 \\\n    --enforce-eager\n",
         "recipe model=a/b max_model_len=512 enforce_eager=true", NULL},
        {"c.toml", "[tool.serve]\ncmd = \"vllm serve a/b --max-model-len 512\" # x\n",
         "toml model=a/b max_model_len=512", NULL},
        {"c.toml", "cmd = '''\nvllm serve a/b \\\n  --max-model-len 512\n'''\n", "toml model=a/b max_model_len=512",
         NULL},
        {"c.toml", "cmd = \"vllm serve \\\"a/b\\\"\\nvllm serve 'c/d'\"\n", "toml model=a/b; toml model=c/d", NULL},
        {"c.toml", "cmd = [\"vllm\", 'serve', \"a/b\"]\nall = [ # two\n  \"echo\", \"vllm serve c/d\" ]\n",
         "toml model=a/b; toml model=c/d", NULL},
        {"c.toml",
         "# vllm\n[m]\nmodel_name = \"a/b\"\n\"max_model_len\" = 512\nenforce_eager = true\nenable_lora = false\n"
         "gpu_type = \"L4\"\n",
         "toml model=a/b gpu=l4 max_model_len=512 enforce_eager=true", NULL},
        {"c.toml", "# vllm\n[m]\nmodel = \"a/b\"\ncolour = \"red\"\n", "", NULL},
        {"c.toml", "# vllm\nbroken \"\nx = \"open\n[m\ny = \"\"\"open\n", "", NULL},
        {"p.conf", "[program:v]\ncommand=vllm serve a/b --max-model-len 512\nenvironment=A=\"1\",L=\"512\"\n",
         "supervisord model=a/b max_model_len=512", NULL},
        {"v.service", "[Service]\nEnvironment=L=512\nExecStart=/usr/bin/vllm serve a/b --max-model-len ${L}\n",
         "systemd model=a/b max_model_len=512", NULL},
        {"Procfile", "# web\nweb: vllm serve a/b --max-model-len 512\nno command here\n",
         "procfile model=a/b max_model_len=512", NULL},
        {"m.tf",
         "/* vllm */ // x\nresource \"docker_container\" \"v\" {\n  image = \"vllm/vllm-openai:v0.11.0\"\n"
         "  command = [\"--model\", \"a/b\", # x\n    \"--max-model-len\", \"512\"]\n}\n",
         "commands model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
        {"m.tf",
         "locals {\n  c = \"vllm serve \\\"a/b\\\"\\n\"\n  n = var.n + (1 + [2][0])\n  \"k\" : local.k\n  d = <<EOT\n"
         "vllm serve c/d --max-model-len 512\nEOT\n}\n",
         "commands model=a/b; commands model=c/d max_model_len=512", NULL},
        {"m.tf", "x = jsonencode({ image = \"vllm/vllm-openai:v0.11.0\", command = [\"--model\", \"a/b\"] })\n",
         "commands model=a/b engine=vllm@0.11.0", NULL},
        {"m.tf", "# vllm\nx = [[[[\ny = \"open\nz = <<E\nnever", "", NULL},
    };
    READ_FOUND_ROWS(rows);
}

#define POD(more)                                                                                                      \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  template:\n    spec:\n" more                 \
    "      containers:\n      - {name: c, image: 'vllm/vllm-openai:v0.11.0', args: [--model, a/b]}\n"

static void test_yaml(void **state)
{
    (void)state;
    static const struct found_row rows[] = {
        {"k.yaml", POD("      nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}\n"),
         "kubernetes model=a/b gpu=nvidia-l4 engine=vllm@0.11.0", NULL},
        {"k.yaml",
         POD("      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
             "[{matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4]}]}]}}}\n"),
         "kubernetes model=a/b gpu=nvidia-l4 engine=vllm@0.11.0", NULL},
        {"k.yaml",
         POD("      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
             "[{matchExpressions: [{key: nvidia.com/gpu.product, operator: NotIn, values: [NVIDIA-L4]}]}]}}}\n"),
         "kubernetes model=a/b engine=vllm@0.11.0", NULL},
        {"k.yaml",
         "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n  spec: "
         "{containers: "
         "[{name: c, image: 'vllm/vllm-openai:v0.11.0', args: [--model, a/b], resources: {limits: "
         "{nvidia.com/gpu: 2}}}]}\n- {apiVersion: v1, kind: List, items: []}\n",
         "kubernetes model=a/b engine=vllm@0.11.0 gpus=2", NULL},
        {"k.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {}\nspec: {containers: vllm}\n", "", NULL},
        {"k.yaml",
         "apiVersion: v1\nkind: Pod\nspec: {containers: [{image: 'vllm/vllm-openai:v0.11.0', command: [vllm, serve, "
         "a/b]"
         ", env: [{name: X, valueFrom: {fieldRef: {fieldPath: a}}}]}]}\n",
         "kubernetes model=a/b engine=vllm@0.11.0", NULL},
        {"i.yaml",
         "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: q}\nspec: {predictor: "
         "{model: "
         "{modelFormat: {name: huggingface}, args: [--model_id=a/b, --max-model-len=512, --backend=vllm], resources: "
         "{limits: {nvidia.com/gpu: 1}}}}}\n",
         "kserve model=a/b max_model_len=512 gpus=1", NULL},
        {"i.yaml",
         "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: q}\nspec: {predictor: "
         "{model: "
         "{modelFormat: {name: huggingface}, storageUri: 'hf://a/b', args: [--backend=huggingface]}}}\n",
         "", NULL},
        {"i.yaml",
         "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: q}\nspec: {predictor: "
         "{model: "
         "{modelFormat: {name: sklearn}, storageUri: 'hf://a/vllm'}}}\n",
         "", NULL},
        {"compose.yaml",
         "services:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n    environment: {L: 512, E: , X: null}\n"
         "    command: --model a/b --max-model-len 512\n    deploy: {resources: {reservations: {devices: "
         "[{driver: nvidia, device_ids: ['0', '1'], capabilities: [gpu]}]}}}\n",
         "compose model=a/b engine=vllm@0.11.0 max_model_len=512 gpus=2", NULL},
        {"compose.yaml",
         "services:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n    environment: [L=512, M]\n    entrypoint: [bash, "
         "-c]\n"
         "    command: ['vllm serve a/b --max-model-len $$L']\n",
         "compose model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
        {"compose.yaml", "services:\n  a: vllm\n  b:\n    image: [vllm]\n", "", NULL},
        {"compose.yaml",
         "services:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model a/b --max-model-len ${L:-512}\n"
         "    deploy: {placement: {constraints: [node.labels.gpu==l4, node.role == worker]}}\n",
         "compose model=a/b gpu=l4 engine=vllm@0.11.0 max_model_len=512", NULL},
        {"t.yaml",
         "{{- if .Values.on }}\n# {{/* x */}}\napiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Release.Name | quote }} "
         "}\n"
         "spec:\n  containers:\n  - name: c\n    image: vllm/vllm-openai:v0.11.0\n    args: [--model, a/b, "
         "--max-model-len, '{{ .Values.len | default 512 }}']\n{{- end }}\n",
         "kubernetes model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
        {"t.sh.j2",
         "{% if x %}\n{# vllm #}\nvllm serve {{ model | default('a/b') }} --max-model-len {{len|default(512)}}\n"
         "{% endif %}\n",
         "shell model=a/b max_model_len=512", NULL},
    };
    READ_FOUND_ROWS(rows);
}

KVB_TEST_MAIN(cmocka_unit_test(test_shell), cmocka_unit_test(test_texts), cmocka_unit_test(test_yaml))
