// Helm values: the models of the vLLM production stack, and charts with one image and its command.
#include <string.h>

#include "manifest/manifest_kubernetes.h"

// The keys of vllmConfig that the chart turns into flags (helm/templates/deployment-vllm-multi.yaml of the
// production stack); other keys of it have no effect.
static const struct {
    const char *key;
    const char *flag;
    const char *negative; // said for false; NULL: the key takes a value
} config_rows[] = {
    {"enableChunkedPrefill", "--enable-chunked-prefill", "--no-enable-chunked-prefill"},
    {"enablePrefixCaching", "--enable-prefix-caching", "--no-enable-prefix-caching"},
    {"maxModelLen", "--max-model-len", NULL},
    {"dtype", "--dtype", NULL},
    {"tensorParallelSize", "--tensor-parallel-size", NULL},
    {"pipelineParallelSize", "--pipeline-parallel-size", NULL},
    {"maxNumSeqs", "--max-num-seqs", NULL},
    {"gpuMemoryUtilization", "--gpu-memory-utilization", NULL},
    {"maxLoras", "--max-loras", NULL},
};

static bool is_true(const struct kvb_node *node)
{
    const char *text = kvb_node_text(node);
    return text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

void kvb_words_from_stack_config(struct kvb_manifest *manifest, const struct kvb_node *config, struct kvb_words *words)
{
    for (size_t i = 0; i < sizeof config_rows / sizeof config_rows[0]; i++) {
        const struct kvb_node *node = kvb_node_get(config, config_rows[i].key);
        if (kvb_node_text(node) == NULL) {
            continue;
        }
        size_t offset = kvb_source_offset(manifest, node->key_line, node->key_column);
        bool value = config_rows[i].negative == NULL;
        kvb_words_say(manifest, words, value || is_true(node) ? config_rows[i].flag : config_rows[i].negative, offset);
        if (value) {
            kvb_words_say(manifest, words, node->text, offset);
        }
    }
}

static void add_config(struct kvb_manifest *manifest, const struct kvb_node *config, struct kvb_container *container)
{
    struct kvb_words *words = &container->words;
    kvb_words_from_stack_config(manifest, config, words);
    kvb_words_from_node(manifest, kvb_node_get(config, "extraArgs"), KVB_DOLLAR_KUBERNETES, container->variables,
                        words);
    if (is_true(kvb_node_get(config, "v0"))) {
        kvb_variable_set(manifest, &container->variables, "VLLM_USE_V1", "0",
                         kvb_node_offset(manifest, kvb_node_get(config, "v0")), true);
    }
}

static void add_cache(struct kvb_manifest *manifest, const struct kvb_node *model, struct kvb_container *container)
{
    const struct kvb_node *enabled = kvb_node_path(model, "lmcacheConfig.enabled");
    if (is_true(enabled)) {
        size_t offset = kvb_source_offset(manifest, enabled->key_line, enabled->key_column);
        kvb_words_say(manifest, &container->words, "--kv-transfer-config", offset);
        kvb_words_say(manifest, &container->words,
                      "{\"kv_connector\": \"LMCacheConnectorV1\", \"kv_role\": \"kv_both\"}", offset);
    }
}

static void set_image(struct kvb_manifest *manifest, const struct kvb_node *values, struct kvb_container *container)
{
    const char *repository = kvb_node_text(kvb_node_get(values, "repository"));
    const struct kvb_node *tag = kvb_node_get(values, "tag");
    if (repository != NULL) {
        const char *version = kvb_node_text(tag);
        container->image = kvb_manifest_join(manifest, repository, ":", version != NULL ? version : "latest");
        container->image_offset = kvb_node_offset(manifest, version != NULL ? tag : kvb_node_get(values, "repository"));
    }
}

enum kvb_status kvb_read_model_spec(struct kvb_manifest *manifest, const struct kvb_node *model)
{
    const char *name = kvb_node_text(kvb_node_get(model, "name"));
    const struct kvb_node *url = kvb_node_get(model, "modelURL");
    const struct kvb_node *config = kvb_node_get(model, "vllmConfig");
    const struct kvb_node *limit = kvb_node_get(model, "requestGPU");
    const struct kvb_node *raylimit = kvb_node_path(model, "raySpec.headNode.requestGPU");
    struct kvb_container container = {
        .kind = "helm",
        .name = kvb_manifest_join(manifest, "modelSpec.", name != NULL ? name : "unnamed", ""),
        .offset = kvb_node_offset(manifest, model),
    };
    kvb_container_from_pod(manifest, model, &container); // env
    container.words = (struct kvb_words){0};
    set_image(manifest, model, &container);
    kvb_words_say(manifest, &container.words, "vllm", KVB_NOWHERE);
    kvb_words_say(manifest, &container.words, "serve", KVB_NOWHERE);
    if (kvb_node_text(url) != NULL) {
        kvb_words_say(manifest, &container.words, url->text,
                      kvb_source_offset(manifest, url->key_line, url->key_column));
    }
    if (is_true(kvb_node_get(model, "enableLoRA"))) {
        kvb_words_say(manifest, &container.words, "--enable-lora", container.offset);
    }
    add_config(manifest, config, &container);
    add_cache(manifest, model, &container);
    if (raylimit == NULL && limit != NULL && kvb_node_whole(limit, &container.gpu_limit)) {
        container.gpu_limit_offset = kvb_source_offset(manifest, limit->key_line, limit->key_column);
    }
    kvb_gpu_from_pod(manifest, model, &container);
    (void)kvb_gpu_from_terms(manifest, kvb_node_get(model, "nodeSelectorTerms"), &container);
    return kvb_container_emit(manifest, &container);
}

// A chart with one server: image.repository, image.tag, image.command.
static enum kvb_status read_single(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *image = kvb_node_get(root, "image");
    struct kvb_container container = {.kind = "helm", .name = "values", .offset = kvb_node_offset(manifest, image)};
    kvb_container_from_pod(manifest, root, &container);
    container.words = (struct kvb_words){0};
    set_image(manifest, image, &container);
    kvb_words_from_node(manifest, kvb_node_get(image, "command"), KVB_DOLLAR_KUBERNETES, container.variables,
                        &container.words);
    kvb_words_from_node(manifest, kvb_node_get(image, "args"), KVB_DOLLAR_KUBERNETES, container.variables,
                        &container.words);
    kvb_gpu_from_pod(manifest, root, &container);
    return kvb_container_emit(manifest, &container);
}

enum kvb_status kvb_read_helm_values(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *models = kvb_node_path(root, "servingEngineSpec.modelSpec");
    enum kvb_status status = KVB_OK;
    if (kvb_node_get(root, "servingEngineSpec") == NULL) {
        return read_single(manifest, root);
    }
    bool is_list = models != NULL && models->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *model = is_list ? models->first : NULL; model != NULL && status == KVB_OK;
         model = model->next) {
        if (model->kind == KVB_NODE_MAPPING) {
            status = kvb_read_model_spec(manifest, model);
        }
    }
    return status;
}
