// Texts at the edges of each format: values that lack a part, words no reader follows, servers named in every way.
#include "unit/found_lines.h"

#define VLLM "from vllm import LLM\n"
#define SGLANG "import sglang as sgl\n"
#define RAY "from ray.serve.llm import LLMConfig\n"
#define STARTS "import subprocess  # vllm\n"
#define SERVE "vllm serve a/b --max-model-len "
#define IMAGE "image: vllm/vllm-openai:v0.11.0"

static const struct found_row python[] = {
    // values of a setting that is JSON
    {"a.py",
     VLLM "LLM('a/b', speculative_config={'method': 'ngram', 'num_speculative_tokens': 3, 'a': True, 'b': False, "
          "'c': None, 'd': [1, 'x'], 'e': {}})",
     "python model=a/b speculative_method=ngram num_speculative_tokens=3", NULL},
    {"a.py", VLLM "LLM('a/b', speculative_config={'num_speculative_tokens': 3, 'method': NAME})",
     "python model=a/b !missing_key", NULL},
    {"a.py", VLLM "LLM('a/b', enable_prefix_caching=False, enable_chunked_prefill=False, enforce_eager=False)",
     "python model=a/b enable_prefix_caching=false enable_chunked_prefill=false", NULL},
    {"a.py", VLLM "LLM('a/b', quantization=None, max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b', base_url='http://x/v1')", "", NULL},
    {"a.py", VLLM "LLM()", "", NULL},
    {"a.py", VLLM "LLM(max_model_len=512)", "", NULL},
    {"a.py", VLLM "VLLM(model='a/b', vllm_kwargs={'max_model_len': 512, 3: 4})", "python model=a/b max_model_len=512",
     NULL},
    {"a.py", "import os\nLLM(model='a/b')\n# vllm", "", NULL}, // of another package
    // other engines
    {"a.py", SGLANG "sgl.Engine(model_path='a/b', context_length=512)",
     "python model=a/b engine=sglang max_model_len=512", NULL},
    {"a.py", SGLANG "sgl.Runtime(model_path='a/b', base_url='http://x')", "", NULL},
    {"a.py",
     RAY "LLMConfig(model_loading_config=dict(model_id='x', model_source='a/b'), "
         "engine_kwargs=dict(max_model_len=512))",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", RAY "LLMConfig(model_loading_config={'model_id': 'a/b'}, engine_kwargs={'max_model_len': 512, 3: 4})",
     "python model=a/b max_model_len=512", NULL},
    {"a.py",
     RAY "LLMConfig(model_loading_config=dict(model_id='a/b'), server_cls=SGLangServer, "
         "engine_kwargs=dict(context_length=512))",
     "python model=a/b engine=sglang max_model_len=512", NULL},
    {"a.py", RAY "LLMConfig(model_loading_config=dict(model_id='a/b'), server_cls='Other') # vllm", "python model=a/b",
     NULL},
    {"a.py", RAY "LLMConfig(model_loading_config=dict(other='a/b'))", "", NULL},
    {"a.py", RAY "LLMConfig(engine_kwargs=dict(max_model_len=512))", "", NULL},
    // what is asked of the environment, and what only changes a kind
    {"a.py", VLLM "import os\nLLM(os.getenv('M', 'a/b'), max_model_len=int(os.environ.get('L', '512')))",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(getenv('M'), max_model_len=int('512'))", "python max_model_len=512 !missing_key", NULL},
    {"a.py", VLLM "LLM(environ.get('M', 'a/b'), max_model_len=512)", "python model=c/d max_model_len=512", "M=c/d"},
    {"a.py", VLLM "LLM(str(Path('a/b')), gpu_memory_utilization=float('0.8'))",
     "python model=a/b gpu_memory_utilization=0.80", NULL},
    {"a.py", VLLM "LLM(os.getenv(), max_model_len=512)", "", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=int('1', 16))", "python model=a/b !missing_key", NULL},
    // cards of Modal
    {"a.py", VLLM "@app.function(gpu=modal.gpu.H100(count=2))\ndef f():\n  LLM('a/b')",
     "python model=a/b gpu=h100 gpus=2", NULL},
    {"a.py", VLLM "@app.function(gpu=gpu.L4())\ndef f():\n  LLM('a/b')", "python model=a/b gpu=l4 gpus=1", NULL},
    {"a.py", VLLM "@app.function(gpu=modal.gpu.A100(size='80GB'))\ndef f():\n  LLM('a/b')",
     "python model=a/b gpu=a100-80gb gpus=1", NULL},
    // strings
    {"a.py", VLLM "LLM(rb'a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(Rb'a/b', max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(u\"a/b\", max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('''a/b''', max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(\"\"\"a/\"b\"\"\", max_model_len=512)", "python model=a/\"b max_model_len=512", NULL},
    {"a.py", VLLM "M = 'b'\nLLM(f'a/{M}{{x}}')", "python model=a/b{x}", NULL},
    {"a.py", VLLM "LLM(f'a/{M')", "python model=a/{M", NULL},
    {"a.py", VLLM "LLM(f'a/{M:>8}')", "", NULL},
    {"a.py", VLLM "LLM('a/\\\nb')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/\\\r\nb')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/b', \\\r\n max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "\fLLM('a/b',\fmax_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py",
     VLLM "gr\xc3\xb6\xc3\x9f"
          "e = 'a/b'\nLLM(gr\xc3\xb6\xc3\x9f"
          "e)",
     "python model=a/b", NULL},
    {"a.py", VLLM "n = 1E-3 + .5\nLLM('a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/b", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/b\\", "python model=a/b\\", NULL},
    // operators
    {"a.py", VLLM "LLM('a/b', max_model_len=2 * 256 + 512)", "python model=a/b max_model_len=1024", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=512 if big else 256, max_num_seqs=N if big else 8)",
     "python model=a/b max_model_len=512 max_num_seqs=8", NULL},
    {"a.py", VLLM "LLM('a/b', max_model_len=512 if big, max_num_seqs=8)",
     "python model=a/b max_model_len=512 max_num_seqs=8", NULL},
    {"a.py", VLLM "LLM(M or 'a/b', max_model_len=512 or 256)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b'.strip(), max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b'.upper(), max_model_len=512)", "", NULL},
    {"a.py", VLLM "LLM({'m': 'a/b'}['m'], max_model_len=512)", "", NULL},
    {"a.py", STARTS "run(['vllm', 'serve'] + ['a/b'] + ['--max-model-len', '512'])",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "run(['vllm', 'serve', 'a/b'] * 2)", "python model=a/b", NULL},
    {"a.py", STARTS "c = 'vllm serve ' + M\nrun(c + ' --max-model-len 512')", "", NULL},
    {"a.py", VLLM "LLM(*['a/b'], **{'max_model_len': 512})", "python model=a/b max_model_len=512", NULL},
    // defaults of a program's own flags
    {"a.py",
     VLLM "p.add_argument('-m', '--model', default='a/b')\np.add_argument('--max-len', default=512)\n"
          "p.add_argument('x', default=1)\np.add_argument('--none')\n"
          "LLM(args.model, max_model_len=args.max_len)",
     "python model=a/b max_model_len=512", NULL},
};

static const struct found_row shell[] = {
    {"s.sh", SERVE "$((1 + (2 * 3)) )", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$(( 8192 - 4096 ))", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", SERVE "$(( 1 - 4096 ))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$(( 99999999999999999999 ))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$(( 4294967296 * 4294967296 * 4294967296 ))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$(( 0 * 4096 + 512 ))", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", "L=4096\n" SERVE "$((L))", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", "L=x\n" SERVE "$((L))", "shell model=a/b !missing_key", NULL},
    {"s.sh", SERVE "$(( 4096", "shell model=a/b !bad_type", NULL},
    {"s.sh", "cat <<EOF > c.yaml\nservices:\n  v:\n    " IMAGE "\n    command: --model a/b\nEOF\n",
     "shell model=a/b engine=vllm@0.11.0", NULL},
    {"s.sh", "cat <<-'EOF'\n\t" SERVE "512\n\tEOF\n" SERVE "4096", "shell model=a/b max_model_len=4096", NULL},
    {"s.sh", "ssh host <<EOF\n" SERVE "512\nEOF\n", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", "ssh host << EOF\n" SERVE "512\n", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "512 <<< yes", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "512 2> log 1>&2", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "512 2>&1 | tee log", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", "run() { vllm serve a/b \"$@\"; }\nrun --max-model-len 512", "shell model=a/b", NULL},
    {"s.sh", "A=(--max-model-len 512)\nvllm serve a/b \"${A[@]}\"", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", "A=(--max-model-len 512)\nA+=(--enforce-eager)\nvllm serve a/b ${A[*]}",
     "shell model=a/b max_model_len=512 enforce_eager=true", NULL},
    {"s.sh", SERVE "${L:-512}", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "${L-512}", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "${L:=512}", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "${L:+512}", "shell model=a/b !bad_syntax", NULL},
    {"s.sh", "L=1\n" SERVE "${L:+512}", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", SERVE "${L", "shell model=a/b !bad_type", NULL},
    {"s.sh", SERVE "$", "shell model=a/b !bad_type", NULL},
    {"s.sh", "vllm serve --help", "", NULL},
    {"s.sh", "vllm serve -h", "", NULL},
    {"s.sh", "vllm --version", "", NULL},
    {"s.sh", "exec 'vllm' serve a/b --max-model-len=512", "shell model=a/b max_model_len=512", NULL},
    {"s.sh", "echo \"vllm serve a/b\"", "", NULL},
    {"s.sh", "sbatch --gpus=2 --wrap 'vllm serve a/b'", "shell model=a/b", NULL},
    {"s.slurm", "#SBATCH --gres=gpu:a100:2\n#SBATCH -N 2\n#SBATCH -C 'h100|a100'\n" SERVE "512",
     "shell model=a/b gpu=a100-sxm-40 max_model_len=512 gpus=4", NULL},
};

static const struct found_row texts[] = {
    // Modelfiles
    {"Modelfile", "from a/b \nPARAMETER num_ctx 512\n", "modelfile model=a/b engine=ollama max_model_len=512", NULL},
    {"Modelfile", "FROM \"a/b\"\nparameter num_ctx \"512\"  \nPARAMETER\nPARAMETER num_ctx\n",
     "modelfile model=a/b engine=ollama max_model_len=512", NULL},
    {"Modelfile", "FROM c/d\nFROM a/b\t\nPARAMETER num_ctx 512\n",
     "modelfile model=a/b engine=ollama max_model_len=512", NULL},
    {"Modelfile", "FROM a/b\nTEMPLATE \"\"\"\nPARAMETER num_ctx 9\n\"\"\"\nFROMAGE x\n",
     "modelfile model=a/b engine=ollama", NULL},
    {"Modelfile", "FROM \"\nPARAMETER num_ctx 512\n", "modelfile model=\" engine=ollama max_model_len=512", NULL},
    {"x.modelfile", "FROM a/b\nPARAMETER num_ctx 512\n", "modelfile model=a/b engine=ollama max_model_len=512", NULL},
    // TOML
    {"c.toml", "cmd = 'vllm serve a/b'\n[x\ny = 1\n", "toml model=a/b", NULL},
    {"c.toml", "# vllm\n[m]\nmodel_path = 'a/b'\nmax_model_len = 512\nquantization = \"\"\n",
     "toml model=a/b max_model_len=512", NULL},
    {"c.toml", "# vllm\nmodel_id = 'a/b'\nmax_model_len = 512, 3\n", "toml model=a/b max_model_len=512", NULL},
    {"c.toml", "# vllm\nmodel-path = \"a/b\"\nmax_model_len = 512\n", "toml model=a/b max_model_len=512", NULL},
    {"c.toml", "cmd = [\"vllm\", 1, \"serve\", 'a/b'", "toml model=a/b", NULL},
    // Terraform
    {"m.tf",
     "resource \"x\" \"y\" {\n  command = [\"vllm\", \"serve\", \"a/b\", # one\n    \"--max-model-len\", \"512\"]\n}\n",
     "commands model=a/b max_model_len=512", NULL},
    {"m.tf", "/* vllm */ locals { cmd = \"vllm serve a/b\\t--max-model-len\\t512\" }\n",
     "commands model=a/b max_model_len=512", NULL},
    {"m.tf", "cmd = <<EOT\nvllm serve a/b\nEOT\n", "commands model=a/b", NULL},
    {"m.tf", "cmd = <<-EOT\n  vllm serve a/b\n  EOT\nx = var.y[0]\nz = f({a = 1}, [2])\n", "commands model=a/b", NULL},
    {"m.tf", "cmd = \"vllm serve ${var.model}\"\n", "commands !missing_key", NULL},
    {"m.tf", "/* vllm serve", "", NULL},
    // Makefiles
    {"Makefile", "L ?= 512\nM := a/b\nserve:\n\tvllm serve $(M) --max-model-len $(L)\n",
     "recipe model=a/b max_model_len=512", NULL},
    {"GNUmakefile", "serve:\n\t@vllm serve a/b --max-model-len $$((256 * 2))\n", "recipe model=a/b max_model_len=512",
     NULL},
    {"x.mk", "serve: ; vllm serve a/b\n.PHONY: serve\n", "", NULL},
    {"makefile", "serve:\n\tvllm serve a/b\n", "recipe model=a/b", NULL},
    {".justfile", "serve:\n  vllm serve a/b\n", "recipe model=a/b", NULL},
    {"x.just", "serve:\n  vllm serve a/b\n", "recipe model=a/b", NULL},
};

static const struct found_row yaml[] = {
    // Ray Serve, KubeAI, llm-d, Kthena, charts: what lacks a part
    {"r.yaml",
     "applications: [{args: {llm_configs: [{model_loading_config: {model_id: x, model_source: {bucket_uri: "
     "'s3://c/a/b'}}, engine_kwargs: {max_model_len: 512}}]}}]\n",
     "ray-serve model=s3://c/a/b max_model_len=512", NULL},
    {"r.yaml",
     "llm_configs: [{model_loading_config: {model_id: a/b}, server_cls: SGLangServer, engine_kwargs: "
     "{context_length: 512}}]\n",
     "ray-serve model=a/b engine=sglang max_model_len=512", NULL},
    {"r.yaml", "llm_configs: [{model_loading_config: {model_id: [a/b]}, engine_kwargs: 3}]\n# vllm\n", "ray-serve",
     NULL},
    {"v.yaml",
     "servingEngineSpec:\n  modelSpec:\n  - {modelURL: a/b, vllmConfig: {maxModelLen: 512, v0: 1}, enableLoRA: "
     "true, lmcacheConfig: {enabled: 'true'}, requestGPU: 2}\n  - 3\n",
     "helm model=a/b max_model_len=512 enable_lora=true kv_transfer=1 gpus=2", NULL},
    {"v.yaml", "servingEngineSpec:\n  modelSpec: {modelURL: a/b}\n# vllm\n", "", NULL},
    // its operator switches off what is not asked for
    {"v.yaml",
     "kind: VLLMRuntime\nspec: {model: {modelURL: a/b, maxModelLen: 512, enableLoRA: true}, vllmConfig: "
     "{tensorParallelSize: 2, enablePrefixCaching: true}, deploymentConfig: {resources: {gpu: '2'}}}\n",
     "commands model=a/b max_model_len=512 tensor_parallel_size=2 enable_prefix_caching=true "
     "enable_chunked_prefill=false "
     "enable_lora=true gpus=2",
     NULL},
    {"v.yaml",
     "kind: VLLMRuntime\nspec: {tensorParallelSize: 2, extraArgs: [--max-num-seq, '8'], model: {modelURL: a/b}, image: "
     "{name: 'lmcache/vllm-openai:v1'}, resources: {gpu: '2'}}\n",
     "commands model=a/b max_num_seqs=8 tensor_parallel_size=2 enable_prefix_caching=false "
     "enable_chunked_prefill=false "
     "gpus=2",
     NULL},
    {"v.yaml",
     "servingEngineSpec:\n  modelSpec:\n  - {name: x, vllmConfig: {maxModelLen: 512}, raySpec: {headNode: "
     "{requestGPU: 1}}, requestGPU: two}\n",
     "helm max_model_len=512", NULL},
    {"l.yaml",
     "modelArtifacts: {uri: 'hf://a/b'}\ndecode:\n  parallelism: {tensor: 2, data: null}\n  containers: "
     "[{modelCommand: vllmServe}, {modelCommand: custom}, 3]\nprefill: {create: false, containers: "
     "[{modelCommand: vllmServe}]}\n",
     "llm-d model=a/b tensor_parallel_size=2", NULL},
    {"l.yaml",
     "modelArtifacts: {uri: 'pvc://c/a/b', name: a/b}\nprefill: {containers: [{modelCommand: imageDefault, args: "
     "[--max-model-len, '512']}]}\n",
     "llm-d model=a/b max_model_len=512", NULL},
    {"l.yaml", "modelArtifacts: {uri: 'hf://$X'}\ndecode: {containers: [{modelCommand: vllmServe}]}\n", "llm-d", NULL},
    // cards said in every way
    {"s.yaml", "resources: {accelerators: {H100: 2}}\nrun: vllm serve a/b\n", "commands model=a/b gpu=h100-sxm gpus=2",
     NULL},
    {"s.yaml", "resources: {accelerators: [L4:2, A100]}\nrun: vllm serve a/b\n", "commands model=a/b gpu=l4 gpus=2",
     NULL},
    {"s.yaml", "resources: {accelerators: 'H100:'}\nrun: vllm serve a/b\n", "commands model=a/b gpu=h100-sxm", NULL},
    {"s.yaml", "resources: {gpu: {name: [H100, A100], count: 8, memory: 80GB..}}\nrun: vllm serve a/b\n",
     "commands model=a/b gpu=h100 gpus=8", NULL},
    {"s.yaml", "resources: {gpu: 24GB..}\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    {"s.yaml", "resources: {gpu: nvidia-gpu-l4}\nrun: vllm serve a/b\n", "commands model=a/b gpu=l4", NULL},
    {"s.yaml", "resources: {gpu: []}\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    {"s.yaml", "resources: {gpu: {}}\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    {"s.yaml", "resources: {gpu: null}\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    {"s.yaml", "resources: {gpu: true}\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    {"s.yaml", "resources: {gpu: '$CARD-4'}\nrun: vllm serve a/b\n", "commands model=a/b", NULL},
    // templates
    {"t.yaml",
     "services:\n  v:\n    " IMAGE "\n    command: --model {{ default \"a/b\" .Values.m }} --max-model-len {{ "
     ".Values.l | default 512 }}\n",
     "compose model=a/b engine=vllm@0.11.0 max_model_len=512", NULL},
    {"t.yaml", "services:\n  v:\n    " IMAGE "\n    command: --model ${{ inputs.m || 'a/b' }}\n",
     "compose model=a/b engine=vllm@0.11.0", NULL},
    {"t.yaml",
     "services:\n  v:\n{{- if .Values.x }}\n    " IMAGE "\n{{ $y := 3 }}\n    command: --model {{ .Values.m }}\n"
     "{{ end }}\n",
     "compose engine=vllm@0.11.0 !missing_key", NULL},
    {"t.yaml", "services:\n  v:\n    " IMAGE "\n    command: --model a/b{# none #} {% raw %} --max-model-len {{ open\n",
     "compose model=a/b engine=vllm@0.11.0 !bad_type", NULL},
};

static void each_row(void **state)
{
    (void)state;
    READ_FOUND_ROWS(python);
    READ_FOUND_ROWS(shell);
    READ_FOUND_ROWS(texts);
    READ_FOUND_ROWS(yaml);
}

KVB_TEST_MAIN(cmocka_unit_test(each_row))
