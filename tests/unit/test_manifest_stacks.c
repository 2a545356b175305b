// Files of llama-swap and OCI AI Blueprints, containers whose image is of one's own, options of `docker run`, settings
// files that a container sees where they are mounted, parts of a card: small texts, read by hand.
#include <stdio.h>
#include <string.h>

#include <kvbudget/manifest.h>

#include "base/buffer.h"
#include "manifest/manifest_reader.h"
#include "unit/test.h"

static struct kvb_buffer seen;
static struct kvb_problems problems;

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    const struct kvb_setting_value *length = &found->deployment.settings.values[KVB_SET_MAX_MODEL_LEN];
    kvb_buffer_printf(&seen, "%s %s@%u:%u %s", found->kind, found->name, (unsigned)found->place.line,
                      (unsigned)found->place.column, found->deployment.model);
    if (length->set) {
        kvb_buffer_printf(&seen, " %u", (unsigned)length->number);
    }
    if (found->deployment.engine[0] != '\0') {
        kvb_buffer_printf(&seen, " %s", found->deployment.engine);
    }
    if (found->deployment.gpu[0] != '\0' || found->gpu_limit > 0) {
        kvb_buffer_printf(&seen, " %ux%s", (unsigned)found->gpu_limit, found->deployment.gpu);
    }
    if (found->gpu_label[0] != '\0' && found->deployment.gpu[0] == '\0') {
        kvb_buffer_printf(&seen, " (%s)", found->gpu_label);
    }
    if (found->problems.count > 0 && found->problems.items[0].severity == KVB_ERROR) {
        kvb_buffer_printf(&seen, " !%s", found->problems.items[0].text);
    }
    kvb_buffer_add(&seen, "\n");
    return KVB_OK;
}

struct row {
    const char *file, *text, *wanted;
};

static void read_rows(const struct row *rows, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kvb_manifest_options options = {.lenient = true};
        struct kvb_manifest_seen result;
        kvb_buffer_init(&seen);
        kvb_buffer_add(&seen, "");
        kvb_problems_init(&problems);
        assert_int_equal(kvb_manifest_read(rows[i].file, rows[i].text, strlen(rows[i].text), &options, take, NULL,
                                           &result, &problems),
                         KVB_OK);
        if (strcmp(seen.data, rows[i].wanted) != 0) {
            print_error("%s: %s\nwanted\n%sgot\n%s", rows[i].file, rows[i].text, rows[i].wanted, seen.data);
            wrong++;
        }
        kvb_buffer_free(&seen);
    }
    assert_int_equal(wrong, 0);
}

// ---- llama-swap

static const struct row swaps[] = {
    // Lines are one command, as they stand or with a backslash; remarks in it and what else a model says count for
    // nothing; a model without a command, or whose command starts no engine, is none.
    {"c.yaml",
     "models:\n"
     "  big:\n"
     "    cmd: |\n"
     "      docker run --rm --name ${MODEL_ID}\n"
     "      # the large card\n"
     "      -p ${PORT}:8000 --gpus '\"device=0\"' \\\n"
     "      vllm/vllm-openai:v0.11.0\n"
     "      --model a/b\n"
     "      --max-model-len 4096\n"
     "    proxy: http://127.0.0.1:${PORT}\n"
     "  other: {cmd: ./whisper-server --port 1}\n"
     "  none: {proxy: x}\n"
     "  odd: 3\n",
     "llama-swap big@2:3 a/b 4096 vllm@0.11.0\n"},
    // Macros of the file and the model's own, macros in them; `env` is the process's.
    {"c.yaml",
     "macros:\n  base: vllm serve ${name} --port ${PORT}\n  name: no/no\n  list: [1]\n"
     "models:\n"
     "  \"one\":\n"
     "    macros: {name: a/b, len: 2048}\n"
     "    env: [\"VLLM_USE_V1=1\", plain, {a: b}]\n"
     "    cmd: ${base} --max-model-len ${len}\n"
     "  \"two\":\n"
     "    env: {A: b}\n"
     "    cmd: ${base} --served-model-name ${MODEL_ID}\n"
     "  \"three\":\n    cmd: ${base} --max-num-seqs ${list} ${open\n",
     "llama-swap one@6:3 a/b 2048\nllama-swap two@10:3 no/no\n"
     "llama-swap three@13:3 no/no !--max-num-seqs depends on list, which is not known; give it with --env "
     "list=VALUE\n"},
    // Macros that call each other end.
    {"c.yaml", "macros: {a: '${b}', b: '${a}'}\nmodels:\n  m:\n    cmd: vllm serve a/b ${a} --max-model-len 1\n",
     "llama-swap m@3:3 a/b !${a} depends on a, which is not known; give it with --env a=VALUE\n"},
    // Another file that has models.
    {"c.yaml", "models: [{cmd: vllm serve a/b}]\n", "commands vllm serve a/b@1:10 a/b\n"},
    {"c.yaml", "models: {}\nrun: vllm serve a/b\n", "commands vllm serve a/b@2:6 a/b\n"},
    {"c.yaml", "models:\n  m:\n    cmd: ''\nrun: vllm serve a/b\n", "commands vllm serve a/b@4:6 a/b\n"},
};

static void llama_swap(void **state)
{
    (void)state;
    read_rows(swaps, sizeof swaps / sizeof swaps[0]);
}

// Macros that double at every step stand for more than any command: they end after as many as are read.
static void growing_macros(void **state)
{
    struct kvb_buffer text;
    const struct kvb_manifest_options options = {.lenient = true};
    struct kvb_manifest_seen result;
    (void)state;
    kvb_buffer_init(&text);
    kvb_buffer_add(&text, "macros:\n  m0: vllm\n");
    for (unsigned i = 1; i < 20; i++) {
        kvb_buffer_printf(&text, "  m%u: '", i);
        for (unsigned k = 0; k < 12; k++) {
            kvb_buffer_printf(&text, "${m%u} ", i - 1);
        }
        kvb_buffer_add(&text, "'\n");
    }
    kvb_buffer_add(&text, "models:\n  m:\n    cmd: ${m19}\n");
    kvb_buffer_init(&seen);
    kvb_buffer_add(&seen, "");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_manifest_read("c.yaml", text.data, text.length, &options, take, NULL, &result, &problems),
                     KVB_OK);
    assert_int_equal(result.deployments, 0);
    kvb_buffer_free(&seen);
    kvb_buffer_free(&text);
}

// ---- OCI AI Blueprints

static const struct row blueprints[] = {
    {"b.json",
     "{\"deployment_name\": \"chat\", \"recipe_image_uri\": \"docker.io/vllm/vllm-openai:v0.9.1\",\n"
     " \"recipe_node_shape\": \"VM.GPU.A10.2\", \"recipe_nvidia_gpu_count\": 2,\n"
     " \"recipe_container_env\": [{\"key\": \"model\", \"value\": \"a/b\"}, {\"key\": \"none\"}, 3],\n"
     " \"recipe_container_command_args\": [\"--model\", \"$(model)\", \"--max-model-len\", \"1024\"]}\n",
     "oci-blueprint chat@1:1 a/b 1024 vllm@0.9.1 2xa10\n"},
    // Two nodes; a command of its own; no name.
    {"b.json",
     "{\"recipe_image_uri\": \"registry/own:ray_vllm\", \"recipe_node_shape\": \"BM.GPU.H100.8\",\n"
     " \"recipe_nvidia_gpu_count\": 8, \"multinode_num_nodes_to_use_from_shared_pool\": 2,\n"
     " \"recipe_container_env\": {}, \"recipe_container_command\": [\"vllm\", \"serve\"],\n"
     " \"recipe_container_command_args\": [\"a/b\"]}\n",
     "oci-blueprint vllm serve a/b@1:1 a/b 16xh100-sxm\n"},
    // A part of the shape's card; a shape without cards that anybody knows.
    {"b.json",
     "{\"deployment_name\": \"part\", \"recipe_image_uri\": \"vllm/vllm-openai:v0.9.1\",\n"
     " \"recipe_node_shape\": \"BM.GPU.H100.8\", \"recipe_amd_gpu_count\": 1, \"mig_resource_request\": \"1g.20gb\",\n"
     " \"recipe_container_command_args\": [\"--model\", \"a/b\"]}\n",
     "oci-blueprint part@1:1 a/b vllm@0.9.1 1x (mig_resource_request=1g.20gb)\n"},
    {"b.json",
     "{\"deployment_name\": \"cpu\", \"recipe_image_uri\": \"vllm/vllm-openai:v0.9.1\",\n"
     " \"recipe_node_shape\": \"VM.Standard.E4.Flex\", \"recipe_container_command_args\": [\"--model\", \"a/b\"]}\n",
     "oci-blueprint cpu@1:1 a/b vllm@0.9.1 (recipe_node_shape=VM.Standard.E4.Flex)\n"},
    {"b.json", "{\"recipe_image_uri\": [\"vllm\"], \"run\": \"vllm serve a/b\"}\n",
     "commands vllm serve a/b@1:40 a/b\n"},
};

static void oci_blueprints(void **state)
{
    (void)state;
    read_rows(blueprints, sizeof blueprints / sizeof blueprints[0]);
}

// ---- parts of a card

#define POD(limits)                                                                                                    \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"                                                          \
    "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}\n"                                                \
    "  containers:\n  - image: vllm/vllm-openai:v0.9.0\n    args: [--model, a/b]\n"                                    \
    "    resources: {limits: " limits "}\n"
static const struct row slices[] = {
    {"p.yaml", POD("{nvidia.com/gpu: 1}"), "kubernetes Pod/p@7:5 a/b vllm@0.9.0 1xnvidia-a100-sxm4-80gb\n"},
    {"p.yaml", POD("{nvidia.com/mig-1g.10gb: 1}"), "kubernetes Pod/p@7:5 a/b vllm@0.9.0 (nvidia.com/mig-1g.10gb=1)\n"},
    {"p.yaml", POD("{nvidia.com/mig-1g.10gb: {}}"), "kubernetes Pod/p@7:5 a/b vllm@0.9.0 0xnvidia-a100-sxm4-80gb\n"},
    {"p.yaml", POD("[nvidia.com/mig-1g.10gb]"), "kubernetes Pod/p@7:5 a/b vllm@0.9.0 0xnvidia-a100-sxm4-80gb\n"},
};

static void parts_of_a_card(void **state)
{
    (void)state;
    read_rows(slices, sizeof slices / sizeof slices[0]);
}

// ---- images of one's own, and options in front of them

static const struct row images[] = {
    // Such an image keeps the entrypoint of vLLM's: a model and its flags follow, or `serve` where it is the program.
    {"s.sh", "docker run vllm-own:1 a/b --max-model-len 5\n", "shell vllm serve a/b@1:1 a/b 5\n"},
    {"s.sh", "docker run some/own a/b --max-model-len 5\n", "shell vllm serve a/b@1:1 a/b 5\n"},
    {"s.sh", "docker run vllm-own serve a/b --max-model-len 5\n", "shell vllm serve a/b@1:1 a/b 5\n"},
    {"s.sh", "docker run vllm-own serve all --max-model-len 5\n", ""},
    {"s.sh", "docker run vllm-own serve\n", ""},
    {"s.sh", "docker run some/own serve a/b --max-model-len 5\n", ""},
    {"s.sh", "docker run lmsysorg/sglang serve a/b\n", ""},
    {"s.sh", "docker run vllm/vllm-openai:v0.9.0 serve a/b\n", ""}, // its entrypoint takes arguments only
    {"s.sh", "docker run some/own a/b\n", ""},
    {"s.sh", "docker run some/own bin/start.sh --max-model-len 5\n", ""},
    {"s.sh", "docker run some/own bin/start.py --max-model-len 5\n", ""},
    {"s.sh", "docker run some/own ./start --max-model-len 5\n", ""},
    {"s.sh", "docker run some/own /bin/start --max-model-len 5\n", ""},
    // Options with a value, together or joined; switches; an option that nobody knows takes one.
    {"s.sh",
     "docker run -itp 1:1 --memory-swap 1g --rm --cap-drop ALL -p1:1 --init --replace own a/b --max-model-len 5",
     "shell vllm serve a/b@1:1 a/b 5\n"},
    {"s.sh", "docker run -it -u me --privileged --oom-score-adj 5 --pids-limit=1 own a/b --max-model-len 5",
     "shell vllm serve a/b@1:1 a/b 5\n"},
};

static void images_and_options(void **state)
{
    (void)state;
    read_rows(images, sizeof images / sizeof images[0]);
}

// ---- settings files that are mounted

#define GOOD KVB_SOURCE_DIR "/tests/fixtures/manifests/good/"
#define SERVICE(volumes)                                                                                               \
    "services:\n  s:\n    image: vllm/vllm-openai:v0.11.0\n    volumes: " volumes                                      \
    "\n    command: [--model, a/b, --config, /etc/vllm/vllm.yaml]\n"
#define READ "compose services.s@2:3 a/b 16384 vllm@0.11.0\n"
#define NOT_READ                                                                                                       \
    "compose services.s@2:3 a/b vllm@0.11.0 !--config /etc/vllm/vllm.yaml: cannot open: No such file or directory\n"
static const struct row mounts[] = {
    {GOOD "c.yaml", SERVICE("['./vllm.yaml:/etc/vllm/vllm.yaml:ro', data:/data]"), READ},
    {GOOD "c.yaml", SERVICE("[./:/etc/vllm]"), READ},
    {GOOD "c.yaml", SERVICE("[.:/etc/vllm]"), READ},
    {GOOD "c.yaml", SERVICE("[../good/:/etc/vllm]"), READ},
    {GOOD "c.yaml", SERVICE("[{type: bind, source: ./vllm.yaml, target: /etc/vllm/vllm.yaml}]"), READ},
    {GOOD "c.yaml", SERVICE("['" GOOD "vllm.yaml:/etc/vllm/vllm.yaml']"), READ},
    {GOOD "c.yaml", SERVICE("[./vllm.yaml:/etc/vllm/vllm.yam]"), NOT_READ},
    {GOOD "c.yaml", SERVICE("[vllm.yaml:/etc/vllm/vllm.yaml]"), NOT_READ}, // a volume of that name
    {GOOD "c.yaml", SERVICE("[{source: ./vllm.yaml}, {target: /etc/vllm/vllm.yaml}, ./vllm.yaml, '.:']"), NOT_READ},
    {GOOD "c.yaml", SERVICE("{}"), NOT_READ},
    {GOOD "r.sh", "docker run -v ./vllm.yaml:/c.yaml vllm/vllm-openai:v0.11.0 --model a/b --config /c.yaml",
     "shell vllm serve a/b@1:1 a/b 16384 vllm@0.11.0\n"},
    {GOOD "r.sh", "docker run --volume=./vllm.yaml:/c.yaml vllm/vllm-openai:v0.11.0 --model a/b --config /c.yaml",
     "shell vllm serve a/b@1:1 a/b 16384 vllm@0.11.0\n"},
    {GOOD "dockerfile",
     "FROM vllm/vllm-openai:v0.11.0\nCOPY ./vllm.yaml /app/vllm.yaml\nENTRYPOINT [\"vllm\", \"serve\", \"a/b\", "
     "\"--config\", \"/app/vllm.yaml\"]\n",
     "dockerfile vllm serve a/b@3:1 a/b 16384 vllm@0.11.0\n"},
    {GOOD "containerfile",
     "FROM vllm/vllm-openai:v0.11.0\nADD x vllm.yaml /app/\nENTRYPOINT [\"vllm\", \"serve\", \"a/b\", "
     "\"--config\", \"/app/vllm.yaml\"]\n",
     "dockerfile vllm serve a/b@3:1 a/b 16384 vllm@0.11.0\n"},
    // Files of another stage, places beside WORKDIR and a line without a target say nothing of it.
    {GOOD "Dockerfile",
     "FROM vllm/vllm-openai:v0.11.0\nCOPY --from=build vllm.yaml /app/vllm.yaml\nCOPY vllm.yaml app/\nCOPY x\n"
     "ENTRYPOINT [\"vllm\", \"serve\", \"a/b\", \"--config\", \"/app/vllm.yaml\"]\n",
     "dockerfile vllm serve a/b@5:1 a/b vllm@0.11.0 !--config /app/vllm.yaml: cannot open: No such "
     "file or directory\n"},
    // vLLM's own --config takes YAML alone, so JSON with its keys is somebody's table.
    // The arguments of Triton's vLLM backend (model_repository/NAME/1/model.json in its README) are no such table.
    {"1/model.json", "{\"model\": \"a/b\", \"max_model_len\": 4096}", "vllm-config vllm serve --config@1:1 a/b 4096\n"},
    {"r.json", "{\"model\": \"a/b\", \"max_model_len\": 4096}", ""},
    {"r.yaml", "{\"model\": \"a/b\", \"max_model_len\": 4096}", "vllm-config vllm serve --config@1:1 a/b 4096\n"},
};

static void mounted_settings(void **state)
{
    (void)state;
    read_rows(mounts, sizeof mounts / sizeof mounts[0]);
}

// ---- KServe: what a runtime says, and where a service says that its model lies

#define RUNTIME(arguments)                                                                                             \
    "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: own-vllm}\nspec:\n  containers:\n" \
    "  - args: " arguments "\n    command: [python, -m, vllm.entrypoints.openai.api_server]\n"                         \
    "    image: 'registry/vllm:v0.9.0'\n---\n"
#define KSERVICE(model)                                                                                                \
    "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: s}\nspec:\n  predictor:\n"        \
    "    model: " model "\n"
static const struct row runtimes[] = {
    {"k.yaml", RUNTIME("[--model=/mnt/models, --max-model-len=6144]"), ""}, // a service brings the model
    {"k.yaml",
     RUNTIME("[--model=/mnt/models, --max-model-len=6144]")
         KSERVICE("{modelFormat: {name: vLLM}, runtime: own-vllm, storage: {path: a/b/}}"),
     "kserve InferenceService/s@15:12 a/b 6144 vllm@0.9.0\n"},
    {"k.yaml",
     RUNTIME("[--model, /mnt/models, --max-model-len, '6144']")
         KSERVICE("{runtime: own-vllm, storageUri: 'hf://a/b', storage: {path: no/no}, args: [--max-model-len=1024], "
                  "image: 'registry/vllm:v0.10.0'}"),
     "kserve InferenceService/s@15:12 a/b 1024 vllm@0.10.0\n"},
    {"k.yaml",
     RUNTIME("[--model=/mnt/models]") KSERVICE("{modelFormat: {name: vLLM}, runtime: other, storage: {path: ''}}"),
     "kserve InferenceService/s@15:12 \n"},
    {"k.yaml", KSERVICE("{modelFormat: {name: vLLM}, storage: {path: /}}"), "kserve InferenceService/s@6:12 /\n"},
};

static void runtimes_of_kserve(void **state)
{
    (void)state;
    read_rows(runtimes, sizeof runtimes / sizeof runtimes[0]);
}

// Entries of the production stack's modelSpec where a file that is no chart's values keeps them.
static const struct row specs[] = {
    {"m.yaml",
     "- name: chat\n  repository: vllm/vllm-openai\n  tag: v0.8.4\n  modelURL: a/b\n  requestGPU: 2\n"
     "  vllmConfig: {maxModelLen: 2048}\n",
     "helm modelSpec.chat@1:3 a/b 2048 vllm@0.8.4 2x\n"},
    {"m.yaml", "- {repository: vllm/vllm-openai, modelURL: a/b}\n", ""},
    {"m.yaml", "- {modelURL: a/b, vllmConfig: {}, note: vllm}\n", ""},
    {"m.yaml", "- {repository: vllm/vllm-openai, vllmConfig: {}}\n", ""},
};

static void specs_of_the_stack(void **state)
{
    (void)state;
    read_rows(specs, sizeof specs / sizeof specs[0]);
}

// Machines of clouds and the card in them, as the providers' own tables of shapes and sizes have it.
static void shapes_of_clouds(void **state)
{
    static const struct {
        const char *key, *value, *gpu;
    } shapes[] = {
        {"node.kubernetes.io/instance-type", "VM.GPU.A10.1", "a10"},
        {"node.kubernetes.io/instance-type", "BM.GPU4.8", "a100-sxm-40"},
        {"recipe_node_shape", "BM.GPU.A100-v2.8", "a100-sxm-80"},
        {"recipe_node_shape", "BM.GPU.L40S.4", "l40s"},
        {"recipe_node_shape", "BM.GPU.H200.8", "h200"},
        {"recipe_node_shape", "BM.GPU.MI300X.8", "mi300x"},
        {"node_shape", "VM.GPU3.2", "v100-16"},
        {"node_shape", "VM.GPU2.1", "p100-pcie-16"},
        {"vm_size", "Standard_NV36ads_A10_v5", "a10"},
        {"vm_size", "Standard_NC6s_v3", "v100-16"},
        {"vm_size", "Standard_ND40rs_v2", "v100-32"},
        {"vm_size", "Standard_ND96isr_MI300X_v5", "mi300x"},
        {"instance_type", "gx3-24x120x1l40s", "l40s"},
        {"instance_type", "gx3d-160x1792x8h100", "h100-sxm"},
    };
    char gpu[64];
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_true(kvb_gpu_label(shapes[i].key, shapes[i].value, gpu, sizeof gpu));
        assert_string_equal(gpu, shapes[i].gpu);
    }
    assert_false(kvb_gpu_label("vm_size", "Standard_NV6ads_A10_v5", gpu, sizeof gpu)); // a sixth of a card
    assert_false(kvb_gpu_label("recipe_node_shape", "VM.Standard.E4.Flex", gpu, sizeof gpu));
}

KVB_TEST_MAIN(cmocka_unit_test(llama_swap), cmocka_unit_test(growing_macros), cmocka_unit_test(oci_blueprints),
              cmocka_unit_test(parts_of_a_card), cmocka_unit_test(images_and_options),
              cmocka_unit_test(mounted_settings), cmocka_unit_test(runtimes_of_kserve),
              cmocka_unit_test(specs_of_the_stack), cmocka_unit_test(shapes_of_clouds))
