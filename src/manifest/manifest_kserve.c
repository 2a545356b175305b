// KServe: InferenceService with the Hugging Face server or own containers, and LLMInferenceService.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_kubernetes.h"

// Flags of KServe's Hugging Face server that are not vLLM's; each takes a value.
static const char *const server_flags[] = {"--model_name", "--model-name", "--backend",   "--task",
                                           "--http_port",  "--grpc_port",  "--model_dir", "--model-dir"};

static bool is_server_flag(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof server_flags / sizeof server_flags[0]; i++) {
        if (strlen(server_flags[i]) == length && strncmp(text, server_flags[i], length) == 0) {
            return true;
        }
    }
    return false;
}

// "hf://Qwen/Qwen3-8B" names a model; any other storage only a place.
static void add_model(struct kvb_manifest *manifest, const struct kvb_node *uri, struct kvb_words *words)
{
    const char *text = kvb_node_text(uri);
    if (text != NULL) {
        size_t offset = kvb_source_offset(manifest, uri->key_line, uri->key_column);
        kvb_words_say(manifest, words, "--model", offset);
        kvb_words_say(manifest, words, kvb_starts_with(text, "hf://") ? text + 5 : text, offset);
    }
}

// "storage: {key: ..., path: OWNER/NAME/}": where it lies in a bucket, which is most often called as the model is.
static void add_stored_model(struct kvb_manifest *manifest, const struct kvb_node *model, struct kvb_words *words)
{
    const struct kvb_node *path = kvb_node_path(model, "storage.path");
    const char *text = kvb_node_text(path);
    if (kvb_node_text(kvb_node_get(model, "storageUri")) != NULL) {
        add_model(manifest, kvb_node_get(model, "storageUri"), words);
    } else if (text != NULL && text[0] != '\0') {
        size_t length = strlen(text), offset = kvb_source_offset(manifest, path->key_line, path->key_column);
        length -= length > 1 && text[length - 1] == '/';
        kvb_words_say(manifest, words, "--model", offset);
        kvb_words_say(manifest, words, kvb_manifest_copy(manifest, text, length), offset);
    }
}

void kvb_runtime_keep(struct kvb_manifest *manifest, const char *name, const char *image, const struct kvb_words *words)
{
    const char *slash = strchr(name, '/');
    struct kvb_variable *runtime = slash != NULL ? kvb_manifest_take(manifest, sizeof *runtime) : NULL;
    struct kvb_words *list = runtime != NULL ? kvb_manifest_take(manifest, sizeof *list) : NULL;
    if (list != NULL) {
        *list = (struct kvb_words){0};
        for (uint32_t i = 0; i < words->count; i++) { // the document they stand in is gone when they are used
            struct kvb_arg word = words->items[i];
            word.text = kvb_manifest_copy(manifest, word.text, strlen(word.text));
            kvb_words_add(manifest, list, word);
        }
        image = image != NULL ? image : "";
        *runtime = (struct kvb_variable){.name = kvb_manifest_copy(manifest, slash + 1, strlen(slash + 1)),
                                         .value = kvb_manifest_copy(manifest, image, strlen(image)),
                                         .offset = KVB_NOWHERE,
                                         .list = list,
                                         .older = manifest->runtimes};
        manifest->runtimes = runtime;
    }
}

// What the runtime that the service names says itself stands in front: its arguments, without the place of the model.
static void add_runtime(struct kvb_manifest *manifest, const char *name, struct kvb_container *container,
                        struct kvb_words *words)
{
    const struct kvb_variable *runtime = name != NULL ? kvb_variable_find(manifest->runtimes, name) : NULL;
    for (uint32_t i = 0; runtime != NULL && i < runtime->list->count; i++) {
        const struct kvb_arg *word = &runtime->list->items[i];
        bool apart = strcmp(word->text, "--model") == 0, joined = kvb_starts_with(word->text, "--model=");
        i += apart;
        if (!apart && !joined) {
            kvb_words_add(manifest, words, *word);
        }
    }
    if (runtime != NULL && container->image == NULL && runtime->value[0] != '\0') {
        container->image = runtime->value;
    }
}

// The server's own flags are taken out; --model_id becomes --model.
static void add_arguments(struct kvb_manifest *manifest, const struct kvb_words *all, struct kvb_words *words)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct kvb_arg word = all->items[i];
        size_t length = strcspn(word.text, "=");
        if (is_server_flag(word.text, length)) {
            i += word.text[length] == '\0';
            continue;
        }
        bool id =
            length == 10 && (strncmp(word.text, "--model_id", 10) == 0 || strncmp(word.text, "--model-id", 10) == 0);
        if (id) {
            word.text = kvb_manifest_join(manifest, "--model", word.text + length, "");
        }
        kvb_words_add(manifest, words, word);
    }
}

static enum kvb_status emit(struct kvb_manifest *manifest, struct kvb_container *container,
                            const struct kvb_words *arguments)
{
    struct kvb_words words = {0};
    kvb_words_say(manifest, &words, "vllm", KVB_NOWHERE);
    kvb_words_say(manifest, &words, "serve", KVB_NOWHERE);
    kvb_words_append(manifest, &words, arguments);
    container->words = words;
    return kvb_container_emit(manifest, container);
}

static struct kvb_container new_container(struct kvb_manifest *manifest, const struct kvb_node *root,
                                          const struct kvb_node *node)
{
    return (struct kvb_container){
        .kind = "kserve",
        .name = kvb_object_name(manifest, root),
        .offset = kvb_node_offset(manifest, node),
        .scope_line = root->line,
        .image_offset = KVB_NOWHERE,
    };
}

static bool names_engine(const char *text)
{
    return text != NULL &&
           (kvb_contains_ignoring_case(text, "huggingface") || kvb_contains_ignoring_case(text, "vllm"));
}

// The Hugging Face server runs what vLLM does not know in another backend, on demand.
static bool uses_other_backend(const struct kvb_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        const char *text = words->items[i].text;
        const char *next = i + 1 < words->count ? words->items[i + 1].text : "";
        if (strcmp(text, "--backend=huggingface") == 0 ||
            (strcmp(text, "--backend") == 0 && strcmp(next, "huggingface") == 0)) {
            return true;
        }
    }
    return false;
}

// A container that names the server's image itself.
static bool is_server_image(const struct kvb_node *container)
{
    const char *image = kvb_node_text(kvb_node_get(container, "image"));
    return image != NULL && strstr(image, "huggingfaceserver") != NULL;
}

static enum kvb_status read_model(struct kvb_manifest *manifest, const struct kvb_node *root,
                                  const struct kvb_node *predictor, const struct kvb_node *model)
{
    struct kvb_container container = new_container(manifest, root, model);
    struct kvb_words arguments = {0};
    const char *runtime = kvb_node_text(kvb_node_get(model, "runtime"));
    bool own = is_server_image(model);
    if (!own && !names_engine(kvb_node_text(kvb_node_path(model, "modelFormat.name"))) && !names_engine(runtime)) {
        return KVB_OK;
    }
    kvb_container_from_pod(manifest, model, &container);
    kvb_gpu_from_pod(manifest, predictor, &container);
    if (uses_other_backend(&container.words)) {
        return KVB_OK;
    }
    add_runtime(manifest, runtime, &container, &arguments);
    add_stored_model(manifest, model, &arguments);
    add_arguments(manifest, &container.words, &arguments);
    return emit(manifest, &container, &arguments);
}

enum kvb_status kvb_read_inference_service(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *predictor = kvb_node_path(root, "spec.predictor");
    const struct kvb_node *model = kvb_node_get(predictor, "model");
    uint32_t nodes = 1;
    (void)kvb_node_whole(kvb_node_path(predictor, "workerSpec.pipelineParallelSize"), &nodes);
    if (model != NULL) {
        return read_model(manifest, root, predictor, model);
    }
    const struct kvb_node *list = kvb_node_get(predictor, "containers");
    const struct kvb_node *first = list != NULL && list->kind == KVB_NODE_SEQUENCE ? list->first : NULL;
    if (first != NULL && is_server_image(first)) {
        return read_model(manifest, root, predictor, first);
    }
    return kvb_read_pod(manifest, root, predictor, nodes < 1024 ? nodes : 1);
}

// ---- LLMInferenceService

static void add_parallelism(struct kvb_manifest *manifest, const struct kvb_node *spec, struct kvb_words *words)
{
    static const struct {
        const char *key, *flag;
    } rows[] = {
        {"tensor", "--tensor-parallel-size"},
        {"pipeline", "--pipeline-parallel-size"},
        {"data", "--data-parallel-size"},
        {"expert", "--enable-expert-parallel"},
    };
    const struct kvb_node *parallelism = kvb_node_get(spec, "parallelism");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_node *node = kvb_node_get(parallelism, rows[i].key);
        bool is_switch = strcmp(rows[i].key, "expert") == 0;
        if (kvb_node_text(node) == NULL || (is_switch && strcmp(node->text, "true") != 0)) {
            continue;
        }
        size_t offset = kvb_source_offset(manifest, node->key_line, node->key_column);
        kvb_words_say(manifest, words, rows[i].flag, offset);
        if (!is_switch) {
            kvb_words_say(manifest, words, node->text, offset);
        }
    }
}

// One kind of worker: the spec itself, or its `prefill`.
static enum kvb_status read_workers(struct kvb_manifest *manifest, const struct kvb_node *root,
                                    const struct kvb_node *spec, const char *suffix)
{
    const struct kvb_node *pod = kvb_node_get(spec, "template");
    const struct kvb_node *containers = kvb_node_get(pod, "containers");
    const struct kvb_node *first =
        containers != NULL && containers->kind == KVB_NODE_SEQUENCE ? containers->first : NULL;
    struct kvb_container container = new_container(manifest, root, first != NULL ? first : spec);
    struct kvb_words arguments = {0}, given = {0};
    container.name = kvb_manifest_join(manifest, container.name, suffix, "");
    if (first != NULL) {
        kvb_container_from_pod(manifest, first, &container);
        kvb_gpu_from_pod(manifest, pod, &container);
    }
    if (kvb_words_start_engine(&container.words)) { // it says the whole command itself
        return kvb_container_emit(manifest, &container);
    }
    given = container.words;
    add_model(manifest, kvb_node_path(root, "spec.model.uri"), &arguments);
    add_parallelism(manifest, spec, &arguments);
    kvb_words_append(manifest, &arguments, &given);
    const struct kvb_variable *more = kvb_variable_find(container.variables, "VLLM_ADDITIONAL_ARGS");
    if (more != NULL) {
        kvb_shell_split(manifest, more->value, more->offset, KVB_DOLLAR_PLAIN, NULL, &arguments);
    }
    return emit(manifest, &container, &arguments);
}

enum kvb_status kvb_read_llm_inference_service(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *spec = kvb_node_get(root, "spec");
    const struct kvb_node *prefill = kvb_node_get(spec, "prefill");
    if (spec == NULL || spec->kind != KVB_NODE_MAPPING) {
        return KVB_OK;
    }
    enum kvb_status status = read_workers(manifest, root, spec, "");
    if (status == KVB_OK && prefill != NULL && prefill->kind == KVB_NODE_MAPPING) {
        status = read_workers(manifest, root, prefill, ".prefill");
    }
    return status;
}
