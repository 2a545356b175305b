// Mappings that a serving stack turns into a serve command: Ray Serve, KubeAI, KAITO, llm-d, the production stack.
#include <string.h>

#include "base/text.h"
#include "manifest/anywhere.h"
#include "manifest/gpu_hints.h"
#include "manifest/manifest_kubernetes.h"
#include "manifest/python_engines.h"
#include "manifest/stacks.h"

static size_t key_offset(const struct kvb_manifest *manifest, const struct kvb_node *node)
{
    return kvb_source_offset(manifest, node->key_line, node->key_column);
}

// hf:// names a model of the hub; other places keep their scheme for whoever resolves names.
static const char *without_scheme(const char *url)
{
    static const char *const schemes[] = {"hf://", "huggingface://", "ollama://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (kvb_starts_with(url, schemes[i])) {
            url += strlen(schemes[i]);
        }
    }
    return url;
}

void kvb_stack_begin(struct kvb_manifest *manifest, struct kvb_container *container, const struct kvb_node *model)
{
    container->words = (struct kvb_words){0};
    kvb_words_say(manifest, &container->words, "vllm", KVB_NOWHERE);
    kvb_words_say(manifest, &container->words, "serve", KVB_NOWHERE);
    if (kvb_node_text(model) != NULL) {
        const char *name = without_scheme(model->text);
        name = kvb_manifest_copy(manifest, name, strcspn(name, "?")); // of KubeAI: ?model=...
        kvb_words_say(manifest, &container->words, name, kvb_node_offset(manifest, model));
    }
}

void kvb_stack_flag(struct kvb_manifest *manifest, struct kvb_words *words, const struct kvb_node *node,
                    const char *flag)
{
    const char *text = kvb_node_text(node);
    bool bare = text != NULL && !node->quoted, on = bare && kvb_equal_ignoring_case(text, "true");
    bool off = bare && kvb_equal_ignoring_case(text, "false");
    if (text == NULL || kvb_node_is_null(node)) {
        return;
    }
    kvb_words_say(manifest, words, off ? kvb_manifest_join(manifest, "--no-", flag + 2, "") : flag,
                  key_offset(manifest, node));
    if (!on && !off) {
        kvb_words_say(manifest, words, text, key_offset(manifest, node));
    }
}

// ---- Ray Serve: LLMConfig (ray/llm/_internal/serve/configs/server_models.py)

// A server whose model follows a flag.
static void begin_with_flag(struct kvb_manifest *manifest, struct kvb_container *container,
                            const struct kvb_py_package *package, const struct kvb_node *model)
{
    container->words = (struct kvb_words){0};
    kvb_words_say(manifest, &container->words, package->name, KVB_NOWHERE);
    kvb_words_say(manifest, &container->words, "serve", KVB_NOWHERE);
    if (kvb_node_text(model) != NULL) {
        kvb_words_say(manifest, &container->words, package->model_flag, KVB_NOWHERE);
        kvb_words_say(manifest, &container->words, without_scheme(model->text), kvb_node_offset(manifest, model));
    }
}

static void write_dashes(struct kvb_manifest *manifest, struct kvb_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        if (kvb_starts_with(words->items[i].text, "--")) {
            words->items[i].text = kvb_py_dashed(manifest, words->items[i].text);
        }
    }
}

static bool is_ray_llm(const struct kvb_node *node)
{
    return kvb_node_get(node, "model_loading_config") != NULL;
}

static enum kvb_status read_ray_llm(struct kvb_manifest *manifest, const struct kvb_node *node,
                                    struct kvb_container *container)
{
    const struct kvb_node *loading = kvb_node_get(node, "model_loading_config");
    const struct kvb_node *id = kvb_node_get(loading, "model_id"), *source = kvb_node_get(loading, "model_source");
    const struct kvb_node *bucket = kvb_node_get(source, "bucket_uri");
    const struct kvb_node *engine = kvb_node_get(node, "engine_kwargs");
    const struct kvb_node *model = kvb_node_text(source) != NULL ? source : kvb_node_text(bucket) != NULL ? bucket : id;
    container->kind = "ray-serve";
    container->name = kvb_node_text(id) != NULL ? id->text : container->name;
    const struct kvb_py_package *package = kvb_py_package_in(kvb_node_text(kvb_node_get(node, "server_cls")));
    if (package->model_flag != NULL) {
        begin_with_flag(manifest, container, package, model);
    } else {
        kvb_stack_begin(manifest, container, model);
    }
    if (engine != NULL && engine->kind == KVB_NODE_MAPPING) {
        kvb_words_from_mapping(manifest, engine, &container->words);
        if (package->dashes) {
            write_dashes(manifest, &container->words);
        }
    }
    container->gpu_limit = 0; // of another actor
    return kvb_container_emit(manifest, container);
}

// ---- KubeAI: Model, and the catalog of its chart

static bool is_kubeai(const struct kvb_node *node)
{
    const char *engine = kvb_node_text(kvb_node_get(node, "engine"));
    return engine != NULL && kvb_equal_ignoring_case(engine, "VLLM") &&
           kvb_node_text(kvb_node_get(node, "url")) != NULL;
}

static enum kvb_status read_kubeai(struct kvb_manifest *manifest, const struct kvb_node *node,
                                   struct kvb_container *container)
{
    const struct kvb_node *enabled = kvb_node_get(node, "enabled");
    container->kind = "kubeai";
    kvb_stack_begin(manifest, container, kvb_node_get(node, "url"));
    kvb_words_from_node(manifest, kvb_node_get(node, "args"), KVB_DOLLAR_PLAIN, NULL, &container->words);
    (void)enabled; // a model of the catalog that is off is one that somebody switches on
    return kvb_container_emit(manifest, container);
}

// ---- KAITO: a preset by its name (presets/workspace/models/supported_models.yaml)

static const struct {
    const char *preset, *model;
} presets[] = {
    {"phi-4-mini-instruct", "microsoft/Phi-4-mini-instruct"},
    {"phi-4", "microsoft/phi-4"},
    {"phi-3-mini-4k-instruct", "microsoft/Phi-3-mini-4k-instruct"},
    {"phi-3-mini-128k-instruct", "microsoft/Phi-3-mini-128k-instruct"},
    {"phi-3-medium-4k-instruct", "microsoft/Phi-3-medium-4k-instruct"},
    {"phi-3-medium-128k-instruct", "microsoft/Phi-3-medium-128k-instruct"},
    {"phi-3.5-mini-instruct", "microsoft/Phi-3.5-mini-instruct"},
    {"llama-3.1-8b-instruct", "meta-llama/Llama-3.1-8B-Instruct"},
    {"llama-3.3-70b-instruct", "meta-llama/Llama-3.3-70B-Instruct"},
    {"mistral-7b", "mistralai/Mistral-7B-v0.3"},
    {"mistral-7b-instruct", "mistralai/Mistral-7B-Instruct-v0.3"},
    {"falcon-7b", "tiiuae/falcon-7b"},
    {"falcon-7b-instruct", "tiiuae/falcon-7b-instruct"},
    {"falcon-40b", "tiiuae/falcon-40b"},
    {"falcon-40b-instruct", "tiiuae/falcon-40b-instruct"},
    {"qwen2.5-coder-7b-instruct", "Qwen/Qwen2.5-Coder-7B-Instruct"},
    {"qwen2.5-coder-32b-instruct", "Qwen/Qwen2.5-Coder-32B-Instruct"},
    {"deepseek-r1-distill-llama-8b", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B"},
    {"deepseek-r1-distill-qwen-14b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"},
    {"deepseek-r1-0528", "deepseek-ai/DeepSeek-R1-0528"},
    {"deepseek-v3-0324", "deepseek-ai/DeepSeek-V3-0324"},
    {"gpt-oss-20b", "openai/gpt-oss-20b"},
    {"gpt-oss-120b", "openai/gpt-oss-120b"},
    {"gemma-3-4b-instruct", "google/gemma-3-4b-it"},
    {"gemma-3-27b-instruct", "google/gemma-3-27b-it"},
};

static bool is_kaito(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_path(node, "inference.preset.name")) != NULL;
}

static const char *model_of_preset(const char *preset)
{
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        if (strcmp(presets[i].preset, preset) == 0) {
            return presets[i].model;
        }
    }
    return preset;
}

static enum kvb_status read_kaito(struct kvb_manifest *manifest, const struct kvb_node *node,
                                  struct kvb_container *container)
{
    const struct kvb_node *preset = kvb_node_path(node, "inference.preset.name");
    const struct kvb_node *type = kvb_node_path(node, "resource.instanceType");
    container->kind = "kaito";
    kvb_stack_begin(manifest, container, NULL);
    kvb_words_say(manifest, &container->words, model_of_preset(preset->text), kvb_node_offset(manifest, preset));
    if (kvb_node_text(type) != NULL) {
        kvb_gpu_hint_from_node(manifest, type, "instanceType", container);
    }
    return kvb_container_emit(manifest, container);
}

// ---- llm-d: values of the modelservice chart, and the ModelService object

static bool is_llm_d(const struct kvb_node *node)
{
    const struct kvb_node *artifacts = kvb_node_get(node, "modelArtifacts");
    bool role = kvb_node_path(node, "decode.containers") != NULL || kvb_node_path(node, "prefill.containers") != NULL;
    return artifacts != NULL && role;
}

static void add_llm_d_model(struct kvb_manifest *manifest, const struct kvb_node *root, struct kvb_container *container)
{
    const struct kvb_node *uri = kvb_node_path(root, "modelArtifacts.uri");
    const struct kvb_node *name = kvb_node_path(root, "modelArtifacts.name");
    bool hub = kvb_node_text(uri) != NULL && kvb_starts_with(uri->text, "hf://") && strchr(uri->text, '$') == NULL;
    kvb_stack_begin(manifest, container, kvb_node_text(name) != NULL || !hub ? name : uri);
}

static void add_parallelism(struct kvb_manifest *manifest, const struct kvb_node *role, struct kvb_words *words)
{
    const struct kvb_node *parallelism = kvb_node_get(role, "parallelism");
    kvb_stack_flag(manifest, words, kvb_node_get(parallelism, "tensor"), "--tensor-parallel-size");
    kvb_stack_flag(manifest, words, kvb_node_get(parallelism, "data"), "--data-parallel-size");
}

static enum kvb_status read_llm_d_container(struct kvb_manifest *manifest, const struct kvb_node *root,
                                            const struct kvb_node *role, const struct kvb_node *node,
                                            const struct kvb_container *around)
{
    struct kvb_container container = *around, given = *around;
    const char *command = kvb_node_text(kvb_node_get(node, "modelCommand"));
    container.kind = given.kind = "llm-d";
    container.name = given.name = role->key;
    container.offset = given.offset = kvb_node_offset(manifest, node);
    given.words = (struct kvb_words){0};
    kvb_container_from_pod(manifest, node, &given);
    if (kvb_words_start_engine(&given.words)) {
        return kvb_container_emit(manifest, &given);
    }
    bool serves = command != NULL && (strcmp(command, "vllmServe") == 0 || strcmp(command, "imageDefault") == 0);
    if (!serves) {
        return KVB_OK;
    }
    struct kvb_words arguments = given.words;
    container = given;
    add_llm_d_model(manifest, root, &container);
    add_parallelism(manifest, role, &container.words);
    kvb_words_append(manifest, &container.words, &arguments);
    return kvb_container_emit(manifest, &container);
}

static enum kvb_status read_llm_d(struct kvb_manifest *manifest, const struct kvb_node *node,
                                  struct kvb_container *container)
{
    static const char *const roles[] = {"decode", "prefill"};
    enum kvb_status status = KVB_OK;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const struct kvb_node *role = kvb_node_get(node, roles[i]);
        const struct kvb_node *list = kvb_node_get(role, "containers");
        const char *create = kvb_node_text(kvb_node_get(role, "create"));
        bool off = create != NULL && strcmp(create, "false") == 0;
        for (const struct kvb_node *each = list != NULL && !off ? list->first : NULL; each && status == KVB_OK;
             each = each->next) {
            struct kvb_container own = *container;
            kvb_gpu_from_pod(manifest, role, &own);
            status = each->kind == KVB_NODE_MAPPING ? read_llm_d_container(manifest, node, role, each, &own) : KVB_OK;
        }
    }
    return status;
}

// ---- VLLMRuntime of the production stack, whose keys are those of its chart; before it had "vllmConfig" and
// "deploymentConfig", theirs stood beside "model".

static bool is_runtime(const struct kvb_node *node)
{
    return kvb_node_path(node, "model.modelURL") != NULL &&
           (kvb_node_get(node, "vllmConfig") != NULL || kvb_node_path(node, "image.name") != NULL);
}

// What the operator says whether it is asked or not. Source: vllmruntime_controller.go.
static void say_switches(struct kvb_manifest *manifest, const struct kvb_node *node, const struct kvb_node *config,
                         struct kvb_container *container)
{
    const char *lora = kvb_node_text(kvb_node_path(node, "model.enableLoRA"));
    if (lora != NULL && strcmp(lora, "true") == 0) {
        kvb_words_say(manifest, &container->words, "--enable-lora", container->offset);
    }
    if (kvb_node_get(config, "enableChunkedPrefill") == NULL) {
        kvb_words_say(manifest, &container->words, "--no-enable-chunked-prefill", container->offset);
    }
    if (kvb_node_get(config, "enablePrefixCaching") == NULL) {
        kvb_words_say(manifest, &container->words, "--no-enable-prefix-caching", container->offset);
    }
}

static enum kvb_status read_runtime(struct kvb_manifest *manifest, const struct kvb_node *node,
                                    struct kvb_container *container)
{
    const struct kvb_node *own = kvb_node_get(node, "vllmConfig"), *pod = kvb_node_get(node, "deploymentConfig");
    const struct kvb_node *config = own != NULL ? own : node, *deployment = pod != NULL ? pod : node;
    const struct kvb_node *image = kvb_node_path(deployment, "image.name");
    const struct kvb_node *limit = kvb_node_path(deployment, "resources.gpu");
    kvb_stack_begin(manifest, container, kvb_node_path(node, "model.modelURL"));
    say_switches(manifest, node, config, container);
    kvb_words_from_stack_config(manifest, kvb_node_get(node, "model"), &container->words);
    kvb_words_from_stack_config(manifest, config, &container->words);
    kvb_words_from_node(manifest, kvb_node_get(config, "extraArgs"), KVB_DOLLAR_PLAIN, NULL, &container->words);
    if (kvb_node_text(image) != NULL) {
        container->image = image->text;
        container->image_offset = kvb_node_offset(manifest, image);
    }
    if (limit != NULL && kvb_node_whole(limit, &container->gpu_limit)) {
        container->gpu_limit_offset = key_offset(manifest, limit);
    }
    return kvb_container_emit(manifest, container);
}

// ---- which of them it is

static const struct kvb_stack_row stack_rows[] = {
    {is_ray_llm, read_ray_llm}, {is_kubeai, read_kubeai},   {is_kaito, read_kaito},
    {is_llm_d, read_llm_d},     {is_runtime, read_runtime},
};

static const struct kvb_stack_row *row_of(const struct kvb_node *node)
{
    size_t more;
    const struct kvb_stack_row *others = kvb_stack_more(&more);
    for (size_t i = 0; i < sizeof stack_rows / sizeof stack_rows[0]; i++) {
        if (stack_rows[i].fits(node)) {
            return &stack_rows[i];
        }
    }
    for (size_t i = 0; i < more; i++) {
        if (others[i].fits(node)) {
            return &others[i];
        }
    }
    return NULL;
}

enum kvb_status kvb_read_stack(struct kvb_manifest *manifest, const struct kvb_node *node,
                               const struct kvb_container *around, bool *taken)
{
    const struct kvb_stack_row *row = row_of(node);
    struct kvb_container container = *around;
    *taken = row != NULL;
    container.offset = kvb_node_offset(manifest, node);
    return row != NULL ? row->read(manifest, node, &container) : KVB_OK;
}
