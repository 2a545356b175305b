// Further stacks: kthena, llm-d-deployer, llmaz, oumi, NeMo RL, srt-slurm, applications of Ray Serve.
#include <string.h>

#include "base/text.h"
#include "manifest/gpu_hints.h"
#include "manifest/manifest_kubernetes.h"
#include "manifest/stacks.h"

// ---- kthena: ModelBooster (volcano-sh/kthena, examples/model-booster)

static bool is_kthena(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_get(node, "modelURI")) != NULL && kvb_node_get(node, "workers") != NULL;
}

static bool is_engine(const struct kvb_node *node, const char *engine)
{
    const char *text = kvb_node_text(node);
    return text != NULL && kvb_contains_ignoring_case(text, engine);
}

static enum kvb_status read_kthena(struct kvb_manifest *manifest, const struct kvb_node *node,
                                   struct kvb_container *container)
{
    const struct kvb_node *workers = kvb_node_get(node, "workers");
    enum kvb_status status = KVB_OK;
    bool vllm = is_engine(kvb_node_get(node, "type"), "vllm");
    bool list = workers->kind == KVB_NODE_SEQUENCE && vllm;
    for (const struct kvb_node *worker = list ? workers->first : NULL; worker && status == KVB_OK;
         worker = worker->next) {
        struct kvb_container own = *container;
        const struct kvb_node *config = kvb_node_get(worker, "config"), *image = kvb_node_get(worker, "image");
        own.kind = "kthena";
        own.offset = kvb_node_offset(manifest, worker);
        kvb_stack_begin(manifest, &own, kvb_node_get(node, "modelURI"));
        if (kvb_node_text(image) != NULL) {
            own.image = image->text;
            own.image_offset = kvb_node_offset(manifest, image);
        }
        if (config != NULL && config->kind == KVB_NODE_MAPPING) {
            kvb_words_from_mapping(manifest, config, &own.words);
        }
        kvb_limits_from_node(manifest, kvb_node_get(worker, "resources"), &own);
        status = kvb_container_emit(manifest, &own);
    }
    return status;
}

// ---- llm-d-deployer: the sample application of its chart (charts/llm-d/values.yaml)

static bool is_llm_d_sample(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_path(node, "model.modelArtifactURI")) != NULL &&
           (kvb_node_get(node, "decode") != NULL || kvb_node_get(node, "prefill") != NULL);
}

static enum kvb_status read_llm_d_sample(struct kvb_manifest *manifest, const struct kvb_node *node,
                                         struct kvb_container *container)
{
    static const char *const roles[] = {"decode", "prefill"};
    const struct kvb_node *uri = kvb_node_path(node, "model.modelArtifactURI");
    bool hub = kvb_starts_with(uri->text, "hf://");
    enum kvb_status status = KVB_OK;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0] && status == KVB_OK; i++) {
        const struct kvb_node *role = kvb_node_get(node, roles[i]);
        const char *replicas = kvb_node_text(kvb_node_get(role, "replicas"));
        struct kvb_container own = *container;
        if (role == NULL || (replicas != NULL && strcmp(replicas, "0") == 0)) {
            continue;
        }
        own.kind = "llm-d";
        own.name = roles[i];
        own.offset = kvb_node_offset(manifest, role);
        kvb_stack_begin(manifest, &own, hub ? uri : kvb_node_path(node, "model.modelName"));
        kvb_words_from_node(manifest, kvb_node_get(role, "extraArgs"), KVB_DOLLAR_PLAIN, NULL, &own.words);
        kvb_limits_from_node(manifest, kvb_node_get(node, "resources"), &own);
        status = kvb_container_emit(manifest, &own);
    }
    return status;
}

// ---- llmaz: Playground and Service name an OpenModel, which names the model (InftyAI/llmaz, docs/examples)

static bool is_open_model(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_path(node, "spec.source.modelHub.modelID")) != NULL;
}

static enum kvb_status read_open_model(struct kvb_manifest *manifest, const struct kvb_node *node,
                                       struct kvb_container *container)
{
    const char *name = kvb_node_text(kvb_node_path(node, "metadata.name"));
    const struct kvb_node *model = kvb_node_path(node, "spec.source.modelHub.modelID");
    (void)container;
    if (name != NULL) {
        kvb_variable_set(manifest, &manifest->models, kvb_manifest_copy(manifest, name, strlen(name)),
                         kvb_manifest_copy(manifest, model->text, strlen(model->text)), KVB_NOWHERE, false);
    }
    return KVB_OK;
}

static bool is_playground(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_path(node, "modelClaim.modelName")) != NULL &&
           kvb_node_get(node, "backendRuntimeConfig") != NULL;
}

static enum kvb_status read_playground(struct kvb_manifest *manifest, const struct kvb_node *node,
                                       struct kvb_container *container)
{
    const struct kvb_node *claim = kvb_node_path(node, "modelClaim.modelName");
    const struct kvb_node *backend = kvb_node_path(node, "backendRuntimeConfig.backendName");
    const struct kvb_variable *model = kvb_variable_find(manifest->models, claim->text);
    if (kvb_node_text(backend) != NULL && strcmp(backend->text, "vllm") != 0) {
        return KVB_OK; // vllm is the default
    }
    container->kind = "llmaz";
    kvb_stack_begin(manifest, container, NULL);
    kvb_words_say(manifest, &container->words, model != NULL ? model->value : claim->text,
                  kvb_node_offset(manifest, claim));
    kvb_words_from_node(manifest, kvb_node_path(node, "backendRuntimeConfig.args"), KVB_DOLLAR_PLAIN, NULL,
                        &container->words);
    kvb_limits_from_node(manifest, kvb_node_path(node, "backendRuntimeConfig.resources"), container);
    return kvb_container_emit(manifest, container);
}

// ---- oumi: an inference configuration (oumi-ai/oumi, src/oumi/inference/vllm_inference_engine.py)

static bool is_oumi(const struct kvb_node *node)
{
    const char *engine = kvb_node_text(kvb_node_get(node, "engine"));
    return engine != NULL && kvb_equal_ignoring_case(engine, "VLLM") &&
           kvb_node_text(kvb_node_path(node, "model.model_name")) != NULL;
}

static enum kvb_status read_oumi(struct kvb_manifest *manifest, const struct kvb_node *node,
                                 struct kvb_container *container)
{
    const struct kvb_node *model = kvb_node_get(node, "model"), *more = kvb_node_get(model, "model_kwargs");
    container->kind = "oumi";
    container->offline = true; // it calls LLM()
    kvb_stack_begin(manifest, container, kvb_node_get(model, "model_name"));
    kvb_stack_flag(manifest, &container->words, kvb_node_get(model, "model_max_length"), "--max-model-len");
    kvb_stack_flag(manifest, &container->words, kvb_node_get(model, "torch_dtype_str"), "--dtype");
    if (more != NULL && more->kind == KVB_NODE_MAPPING) {
        kvb_words_from_mapping(manifest, more, &container->words);
    }
    return kvb_container_emit(manifest, container);
}

// ---- NeMo RL: the engine of its generation (NVIDIA-NeMo/RL, nemo_rl/models/generation/vllm/config.py)

static bool is_nemo(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_get(node, "model_name")) != NULL &&
           kvb_node_path(node, "generation.vllm_cfg") != NULL;
}

static enum kvb_status read_nemo(struct kvb_manifest *manifest, const struct kvb_node *node,
                                 struct kvb_container *container)
{
    const struct kvb_node *config = kvb_node_path(node, "generation.vllm_cfg");
    container->kind = "rollout";
    container->name = "generation.vllm_cfg";
    container->offline = true;
    container->offset = kvb_node_offset(manifest, config);
    kvb_stack_begin(manifest, container, kvb_node_get(node, "model_name"));
    for (const struct kvb_node *child = config->kind == KVB_NODE_MAPPING ? config->first : NULL; child;
         child = child->next) {
        if (kvb_key_is_setting(child->key) && kvb_node_text(child) != NULL && strchr(child->text, '$') == NULL) {
            kvb_stack_flag(manifest, &container->words, child, kvb_manifest_join(manifest, "--", child->key, ""));
        }
    }
    return kvb_container_emit(manifest, container);
}

// ---- srt-slurm: flags of each role's servers (SemiAnalysisAI/InferenceX, benchmarks/multi_node/srt-slurm-recipes)

static const struct {
    const char *key, *program, *model_flag;
} role_configs[] = {{"backend.vllm_config", "vllm", "--model"}, {"backend.sglang_config", "sglang", "--model-path"}};

static const struct kvb_node *role_config(const struct kvb_node *node, size_t *row)
{
    for (*row = 0; *row < sizeof role_configs / sizeof role_configs[0]; (*row)++) {
        const struct kvb_node *config = kvb_node_path(node, role_configs[*row].key);
        if (config != NULL && config->kind == KVB_NODE_MAPPING) {
            return config;
        }
    }
    return NULL;
}

static bool is_srt(const struct kvb_node *node)
{
    size_t row;
    return role_config(node, &row) != NULL && kvb_node_text(kvb_node_path(node, "model.path")) != NULL;
}

static enum kvb_status read_srt(struct kvb_manifest *manifest, const struct kvb_node *node,
                                struct kvb_container *container)
{
    size_t row;
    const struct kvb_node *config = role_config(node, &row), *repository = kvb_node_path(node, "identity.model.repo");
    const struct kvb_node *path = kvb_node_path(node, "model.path"), *type = kvb_node_path(node, "resources.gpu_type");
    const struct kvb_node *model = kvb_node_text(repository) != NULL ? repository : path;
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *role = config->first; role != NULL && status == KVB_OK; role = role->next) {
        struct kvb_container own = *container;
        const struct kvb_node *served = kvb_node_get(role, "served-model-name");
        const struct kvb_node *named = model == path && kvb_node_text(served) != NULL ? served : model;
        if (role->kind != KVB_NODE_MAPPING) {
            continue;
        }
        own.name = role->key;
        own.offset = kvb_node_offset(manifest, role);
        own.words = (struct kvb_words){0};
        kvb_words_say(manifest, &own.words, role_configs[row].program, KVB_NOWHERE);
        kvb_words_say(manifest, &own.words, "serve", KVB_NOWHERE);
        kvb_words_say(manifest, &own.words, role_configs[row].model_flag, KVB_NOWHERE);
        kvb_words_say(manifest, &own.words, named->text, kvb_node_offset(manifest, named));
        kvb_words_from_mapping(manifest, role, &own.words);
        if (kvb_node_text(type) != NULL) {
            kvb_gpu_hint_from_node(manifest, type, "gpu_type", &own);
        }
        status = kvb_container_emit(manifest, &own);
    }
    return status;
}

// ---- Ray Serve: an application whose own code starts the engine with what its variables say (ray-project/ray,
// doc/source/serve/doc_code/vllm_openai_example.py and its manifests)

static bool asks_for(const struct kvb_node *application, const char *engine)
{
    const struct kvb_node *pip = kvb_node_path(application, "runtime_env.pip");
    const struct kvb_node *deployments = kvb_node_get(application, "deployments");
    bool asks = is_engine(kvb_node_get(application, "import_path"), engine);
    for (const struct kvb_node *each = pip != NULL ? pip->first : NULL; each != NULL; each = each->next) {
        asks = asks || is_engine(each, engine);
    }
    for (const struct kvb_node *each = deployments != NULL ? deployments->first : NULL; each != NULL;
         each = each->next) {
        asks = asks || is_engine(kvb_node_get(each, "name"), engine);
    }
    return asks;
}

static bool is_ray_application(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_get(node, "import_path")) != NULL &&
           kvb_node_text(kvb_node_path(node, "runtime_env.env_vars.MODEL_ID")) != NULL && asks_for(node, "vllm");
}

// Of the first group of workers that has cards.
static void take_workers_gpu(struct kvb_manifest *manifest, struct kvb_container *container)
{
    const struct kvb_node *root = manifest->tree != NULL ? manifest->tree->root : NULL;
    const struct kvb_node *groups = kvb_node_path(root, "spec.rayClusterConfig.workerGroupSpecs");
    for (const struct kvb_node *group = groups != NULL ? groups->first : NULL; group != NULL; group = group->next) {
        const struct kvb_node *pod = kvb_node_path(group, "template.spec");
        if (pod != NULL && container->gpu_value == NULL) {
            kvb_gpu_from_pod(manifest, pod, container);
        }
    }
}

static enum kvb_status read_ray_application(struct kvb_manifest *manifest, const struct kvb_node *node,
                                            struct kvb_container *container)
{
    static const struct {
        const char *variable, *flag;
    } flags[] = {{"TENSOR_PARALLELISM", "--tensor-parallel-size"},
                 {"PIPELINE_PARALLELISM", "--pipeline-parallel-size"}};
    const struct kvb_node *variables = kvb_node_path(node, "runtime_env.env_vars");
    container->kind = "ray-serve";
    kvb_stack_begin(manifest, container, NULL);
    kvb_words_from_node(manifest, kvb_node_get(variables, "MODEL_ID"), KVB_DOLLAR_SHELL, NULL, &container->words);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        kvb_stack_flag(manifest, &container->words, kvb_node_get(variables, flags[i].variable), flags[i].flag);
    }
    take_workers_gpu(manifest, container);
    return kvb_container_emit(manifest, container);
}

// ---- an entry of the production stack's modelSpec in a file that is handed to its chart

static bool is_model_spec(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_get(node, "modelURL")) != NULL &&
           kvb_node_text(kvb_node_get(node, "repository")) != NULL && kvb_node_get(node, "vllmConfig") != NULL;
}

static enum kvb_status read_model_spec(struct kvb_manifest *manifest, const struct kvb_node *node,
                                       struct kvb_container *container)
{
    (void)container; // it has its own
    return kvb_read_model_spec(manifest, node);
}

static const struct kvb_stack_row rows[] = {
    {is_kthena, read_kthena},
    {is_llm_d_sample, read_llm_d_sample},
    {is_open_model, read_open_model},
    {is_playground, read_playground},
    {is_oumi, read_oumi},
    {is_nemo, read_nemo},
    {is_srt, read_srt},
    {is_ray_application, read_ray_application},
    {kvb_is_spark_recipe, kvb_read_spark_recipe},
    {is_model_spec, read_model_spec},
    {kvb_is_oci_blueprint, kvb_read_oci_blueprint},
};

const struct kvb_stack_row *kvb_stack_more(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
