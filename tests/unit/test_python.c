// Python as it is written where vLLM and SGLang are started: what each snippet hands to the engine, worked out by
// Python's own rules (docs.python.org, The Python Language Reference), and nothing where nothing is started.
#include "unit/found_lines.h"

#define VLLM "from vllm import LLM\n"
#define SGLANG "import sglang as sgl\n"
#define STARTS "import subprocess  # vllm\n"

static const struct found_row literals[] = {
    {"a.py", VLLM "LLM('a/b', max_model_len=4096)\n", "python model=a/b max_model_len=4096", NULL},
    {"a.py", VLLM "LLM(model='a' \"/b\", max_model_len=2 * 2048)", "python model=a/b max_model_len=4096", NULL},
    {"a.py", VLLM "LLM(model='a/b', max_model_len=1000 + 24)", "python model=a/b max_model_len=1024", NULL},
    {"a.py", VLLM "LLM(model='a/b', max_model_len=(512))", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(model='a/b', max_model_len=4_096)", "python model=a/b max_model_len=4096", NULL},
    {"a.py", VLLM "LLM('a/b', gpu_memory_utilization=.85)", "python model=a/b gpu_memory_utilization=0.85", NULL},
    {"a.py", VLLM "LLM('a/b', hf_overrides={'rope_theta': 1e+6, 'x': [1, None]}, max_model_len=512)",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(model=r'a\\b', max_model_len=512)", "python model=a\\b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(model='a\\\\b')", "python model=a\\b", NULL},
    {"a.py", VLLM "LLM(model=\"\"\"a/b\"\"\")", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(model=u'a/b', \\\n  max_model_len=512)  # small", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(\r\n  'a/b',  # the model\r\n\r\n\f  max_model_len=512,\r\n)",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b', seed=-1, max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b', enforce_eager=True, quantization=None, enable_prefix_caching=False)",
     "python model=a/b enforce_eager=true enable_prefix_caching=false", NULL},
    {"a.py", VLLM "LLM('a/b', enforce_eager=False)", "python model=a/b", NULL},
    {"a.py", VLLM "LLM('a/b', temperature=0.5, max_model_len=512)", "python model=a/b max_model_len=512", NULL},
};

static const struct found_row names[] = {
    {"a.py", VLLM "size = '7B'\nLLM(model=f'a/b-{size}')", "python model=a/b-7B", NULL},
    {"a.py", VLLM "size = '7B'\nLLM(model=f\"a/{{b}}-{size!s}\" '-c')", "python model=a/{b}-7B-c", NULL},
    {"a.py", VLLM "size = '7B'\nLLM(model='a/' + size, max_model_len=512)", "python model=a/7B max_model_len=512",
     NULL},
    {"a.py", VLLM "length: int = 512\nLLM(model='a/b', max_model_len=length)", "python model=a/b max_model_len=512",
     NULL},
    {"a.py", VLLM "class A:\n  def run(self):\n    self.model = 'a/b'\n    return LLM(model=self.model)",
     "python model=a/b", NULL},
    {"a.py", VLLM "LLM(model=NAME or 'a/b')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(model='a/b' or NAME)", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(model='a/b' if small else 'c/d')", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(model=NAME if NAME else 'a/b', max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "kw = {'max_model_len': 512, 'enforce_eager': True}\nLLM('a/b', **kw)",
     "python model=a/b max_model_len=512 enforce_eager=true", NULL},
    {"a.py", VLLM "kw = dict(max_model_len=512)\nLLM(model='a/b', **kw)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM(model=os.environ.get('MODEL', 'a/b'))", "python model=a/b", NULL},
    {"a.py", VLLM "LLM(model=os.environ.get('MODEL', 'a/b'))", "python model=c/d", "MODEL=c/d"},
    {"a.py", VLLM "LLM(model=os.getenv('MODEL'))", "python model=c/d", "MODEL=c/d"},
    {"a.py", VLLM "LLM('a/b', max_model_len=int(os.getenv('LENGTH', '512')))", "python model=a/b max_model_len=512",
     NULL},
    {"a.py",
     VLLM "p.add_argument('--model', default='a/b')\np.add_argument('-n', '--max-len', default=512)\n"
          "LLM(model=args.model, max_model_len=args.max_len)",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "LLM('a/b'.strip(), max_model_len=512)", "python model=a/b max_model_len=512", NULL},
    {"a.py", VLLM "with LLM('a/b') as llm:\n  pass", "python model=a/b", NULL},
};

static const struct found_row engines[] = {
    {"a.py", VLLM "LLM('a/b', speculative_config={'method': 'ngram', 'num_speculative_tokens': 4})",
     "python model=a/b speculative_method=ngram num_speculative_tokens=4", NULL},
    {"a.py", SGLANG "sgl.Engine(model_path='a/b', context_length=512, cuda_graph_bs=[1, 2, 4])",
     "python model=a/b engine=sglang max_model_len=512 max_cudagraph_capture_size=4 cudagraph_capture_sizes=3", NULL},
    {"a.py", "import car  # vllm\ncar.Engine(model_path='a/b')", "", NULL},
    {"a.py", VLLM "LLM(model='a/b', base_url='http://x')", "", NULL},
    {"a.py", VLLM "LLM()\nx = LLM\n", "", NULL},
    {"a.py", "from langchain.llms import VLLM\nVLLM(model='a/b', vllm_kwargs={'max_model_len': 512})",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", "# vllm\nLLMConfig(model_loading_config=dict(model_id='a/b'), engine_kwargs=dict(max_model_len=512))",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", "# vllm\nLLMConfig(model_loading_config={'model_id': 'q', 'model_source': 'a/b'})", "python model=a/b",
     NULL},
    {"a.py", "# vllm\nLLMConfig(engine_kwargs={})", "", NULL},
    {"a.py", VLLM "@app.function(gpu='A100-80GB:2')\ndef f():\n  LLM('a/b')", "python model=a/b gpu=a100-80gb gpus=2",
     NULL},
    {"a.py", VLLM "@app.function(gpu=modal.gpu.H100(count=2))\ndef f():\n  LLM('a/b')",
     "python model=a/b gpu=h100 gpus=2", NULL},
};

static const struct found_row commands[] = {
    {"a.py", STARTS "subprocess.run(['vllm', 'serve', 'a/b', '--max-model-len', '512'])",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "subprocess.run(['vllm', 'serve', 'a/b'] + ['--max-model-len', str(512)])",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "cmd = ['vllm', 'serve', 'a/b']\ncmd += ['--max-model-len', '512']\nsubprocess.Popen(cmd)",
     "python model=a/b max_model_len=512", NULL},
    {"a.py",
     STARTS "cmd: list[str] = ['vllm', 'serve', 'a/b']\ncmd.append('--enforce-eager')\n"
            "cmd.extend(['--max-num-seqs', '8'])",
     "python model=a/b max_num_seqs=8 enforce_eager=true", NULL},
    {"a.py", STARTS "cmd = ['vllm', 'serve', 'a/b']\ncmd = cmd + ['--max-model-len', '512']\nrun(cmd)",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "cmd = ['vllm', 'serve', 'a/b']\nrun(cmd)\ncmd = ['vllm', 'serve', 'c/d']\nrun(cmd)",
     "python model=a/b; python model=c/d", NULL},
    {"a.py", STARTS "more = ['--max-model-len', '512']\nrun(['vllm', 'serve', 'a/b', *more])",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "run([sys.executable, '-m', 'vllm.entrypoints.openai.api_server', '--model', 'a/b'])",
     "python model=a/b", NULL},
    {"a.py", STARTS "os.system('vllm serve a/b --max-model-len 512')", "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "os.system('''\nvllm serve a/b \\\n  --max-model-len 512\n''')",
     "python model=a/b max_model_len=512", NULL},
    {"a.py", STARTS "print('vllm serve a/b')", "", NULL},
    {"a.py", STARTS "logger.info(['vllm', 'serve', 'a/b'])", "", NULL},
    {"a.py", STARTS "'vllm serve a/b'\n", "", NULL},
    {"a.py", "\"\"\"Start it with\n  vllm serve a/b\n\"\"\"\n", "", NULL},
    {"a.ipynb",
     "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"!vllm serve c/d\"]},\n"
     "{\"cell_type\": \"code\", \"source\": [\n\"!vllm serve a/b \\\\\\n\",\n\"  --max-model-len 512\\n\"]}]}",
     "notebook model=a/b max_model_len=512", NULL},
    {"a.ipynb", "{\"cells\": [{\"source\": \"from vllm import LLM\\nLLM(\\\"a/b\\\")\", \"cell_type\": \"code\"}]}",
     "python model=a/b", NULL},
};

// Broken and hostile texts end, and give nothing or what stands in front of the break.
static void test_each_row(void **state)
{
    (void)state;
    READ_FOUND_ROWS(literals);
    READ_FOUND_ROWS(names);
    READ_FOUND_ROWS(engines);
    READ_FOUND_ROWS(commands);
}

static void test_broken(void **state)
{
    (void)state;
    static char deep[600];
    struct found_row nested = {"a.py", deep, "", NULL};
    static const struct found_row rows[] = {
        {"a.py", VLLM "x = [", "", NULL},
        {"a.py", VLLM "x = {'a': ", "", NULL},
        {"a.py", VLLM "x = )\nLLM('a/b')", "python model=a/b", NULL},
        {"a.py", VLLM "x = 'open\nLLM('a/b')", "python model=a/b", NULL},
        {"a.py", VLLM "x = f'{open\nLLM('a/b')", "python model=a/b", NULL},
        {"a.py", VLLM "x = [i for i in (1, 2) if i > 0]\nLLM('a/b')", "python model=a/b", NULL},
        {"a.py", VLLM "x = a[0](1)['k'].b\nLLM('a/b')", "python model=a/b", NULL},
        {"a.py", VLLM "x = a.\nLLM('a/b')", "python model=a/b", NULL},
        {"a.ipynb", "{\"vllm\": 1, \"source\": [", "", NULL},
        {"a.ipynb", "{\"vllm\": 1, \"source\": {}, \"cell_type\": \"code\"}", "", NULL},
        {"a.ipynb", "{\"vllm\": \"open", "", NULL},
    };
    READ_FOUND_ROWS(rows);
    strcpy(deep, VLLM "x = ");
    memset(deep + strlen(deep), '[', 500);
    assert_int_equal(read_found_row(&nested), 0);
}

KVB_TEST_MAIN(cmocka_unit_test(test_each_row), cmocka_unit_test(test_broken))
