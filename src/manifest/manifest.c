// Recognises a file by what is in it and hands it to the reader of its kind.
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "text/file.h"
#include "manifest/manifest_found.h"
#include "manifest/manifest_kubernetes.h"

// One row per kind of YAML document; the first that fits reads it.
struct kind_row {
    const char *kind;
    const char *what;
    bool (*fits)(const struct kvb_node *root); // NULL: a text format
    kvb_manifest_reader *read;
};

static bool is_profile(const struct kvb_node *root)
{
    const char *kind = kvb_node_text(kvb_node_get(root, "kind"));
    return kind != NULL && strcmp(kind, "deployment") == 0;
}

static bool is_kubernetes(const struct kvb_node *root)
{
    return kvb_node_get(root, "apiVersion") != NULL && kvb_node_get(root, "kind") != NULL;
}

static bool is_compose(const struct kvb_node *root)
{
    const struct kvb_node *services = kvb_node_get(root, "services");
    return services != NULL && services->kind == KVB_NODE_MAPPING;
}

static bool is_helm(const struct kvb_node *root)
{
    const struct kvb_node *image = kvb_node_get(root, "image");
    bool command = kvb_node_get(image, "command") != NULL || kvb_node_get(image, "args") != NULL;
    return kvb_node_get(root, "servingEngineSpec") != NULL || (kvb_node_get(image, "repository") != NULL && command);
}

static bool is_rollout(const struct kvb_node *root)
{
    return kvb_node_path(root, "actor_rollout_ref.rollout") != NULL;
}

static const struct kind_row kind_rows[] = {
    {"profile", "deployment profiles of kvbudget", is_profile, kvb_read_profile_document},
    {"kubernetes", "Kubernetes pods, whatever keeps them", is_kubernetes, kvb_read_kubernetes},
    {"compose", "docker compose services", is_compose, kvb_read_compose},
    {"helm", "Helm values of the vLLM production stack", is_helm, kvb_read_helm_values},
    {"rollout", "rollout keys of verl", is_rollout, kvb_read_rollout},
    {"vllm-config", "a file for vllm serve --config", kvb_mapping_has_setting, kvb_read_vllm_config},
    {"kserve", "InferenceService and LLMInferenceService of KServe", NULL, NULL},
    {"shell", "command lines in scripts", NULL, NULL},
    {"dockerfile", "CMD and ENTRYPOINT of a Dockerfile", NULL, NULL},
    {"systemd", "ExecStart of a systemd unit", NULL, NULL},
    {"procfile", "processes of a Procfile", NULL, NULL},
};

bool kvb_manifest_kind_at(unsigned index, const char **kind, const char **what)
{
    if (index >= sizeof kind_rows / sizeof kind_rows[0]) {
        return false;
    }
    *kind = kind_rows[index].kind;
    *what = kind_rows[index].what;
    return true;
}

// ---- which format

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && kvb_equal_ignoring_case(text + length - end, ending);
}

static bool is_yaml_name(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json");
}

// The first line that is no comment and not empty.
static const char *first_line(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#') {
            return text;
        }
        text += strcspn(text, "\n");
    }
}

static bool is_unit(const struct kvb_manifest *manifest)
{
    return strstr(manifest->text, "[Service]") != NULL && strstr(manifest->text, "ExecStart=") != NULL;
}

static bool is_dockerfile(const struct kvb_manifest *manifest)
{
    const char *name = base_name(manifest->file), *line = first_line(manifest->text);
    bool named =
        kvb_starts_with(name, "Dockerfile") || kvb_starts_with(name, "Containerfile") || ends_with(name, ".dockerfile");
    bool begins = kvb_starts_with(line, "FROM ") || (kvb_starts_with(line, "ARG ") && strstr(line, "\nFROM ") != NULL);
    return named || begins;
}

// "web: vllm serve ..." on the first line.
static bool is_procfile(const struct kvb_manifest *manifest)
{
    const char *line = first_line(manifest->text);
    size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    const char *end = line + strcspn(line, "\n");
    if (kvb_starts_with(base_name(manifest->file), "Procfile")) {
        return true;
    }
    const char *serve = strstr(line, "vllm serve"), *module = strstr(line, "vllm.entrypoints.");
    bool starts = (serve != NULL && serve < end) || (module != NULL && module < end);
    return name > 0 && line[name] == ':' && starts;
}

static bool is_script(const struct kvb_manifest *manifest)
{
    const char *name = base_name(manifest->file);
    return kvb_starts_with(manifest->text, "#!") || ends_with(name, ".sh") || ends_with(name, ".bash") ||
           ends_with(name, ".sbatch") || ends_with(name, ".slurm");
}

static const struct {
    bool (*fits)(const struct kvb_manifest *manifest);
    kvb_manifest_text_reader *read;
} text_rows[] = {
    {is_unit, kvb_read_unit},
    {is_dockerfile, kvb_read_dockerfile},
    {is_procfile, kvb_read_procfile},
    {is_script, kvb_read_script},
};

// ---- reading

// `pip install vllm==0.8.5` anywhere in the file.
static void find_release(struct kvb_manifest *manifest)
{
    uint32_t number;
    char release[32];
    const char *at = strstr(manifest->text, "vllm==");
    size_t length = at != NULL ? strspn(at + 6, "0123456789.post") : 0;
    if (length == 0 || length >= sizeof release) {
        return;
    }
    memcpy(release, at + 6, length);
    release[length] = '\0';
    if (kvb_release_parse(release, &number)) {
        manifest->release = kvb_manifest_copy(manifest, release, length);
    }
}

static enum kvb_status read_document(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0]; i++) {
        if (root->kind == KVB_NODE_MAPPING && kind_rows[i].fits != NULL && kind_rows[i].fits(root)) {
            return kind_rows[i].read(manifest, root);
        }
    }
    return KVB_OK;
}

static enum kvb_status read_documents(struct kvb_manifest *manifest, const struct kvb_tree *tree)
{
    enum kvb_status status = KVB_OK;
    manifest->tree = tree;
    for (const struct kvb_node *root = tree->root; root != NULL && status == KVB_OK; root = root->next) {
        status = read_document(manifest, root);
    }
    status = status == KVB_OK ? kvb_found_flush(manifest) : status;
    manifest->tree = NULL;
    return status;
}

static bool has_mapping(const struct kvb_tree *tree)
{
    for (const struct kvb_node *root = tree->root; root != NULL; root = root->next) {
        if (root->kind == KVB_NODE_MAPPING) {
            return true;
        }
    }
    return false;
}

// A template of Helm or Jinja is no YAML before it is rendered.
static bool is_template(const struct kvb_manifest *manifest)
{
    return strstr(manifest->text, "{{") != NULL || strstr(manifest->text, "{%") != NULL;
}

static enum kvb_status read_yaml(struct kvb_manifest *manifest, bool certain)
{
    struct kvb_tree tree;
    struct kvb_problems own;
    kvb_problems_init(&own);
    enum kvb_status status = kvb_tree_read_manifest(&tree, manifest->file, manifest->text, manifest->length, &own);
    bool mapping = status == KVB_OK && has_mapping(&tree);
    if (mapping) {
        status = read_documents(manifest, &tree);
    } else if (!certain && status != KVB_NO_MEMORY) {
        status = kvb_read_script(manifest);
    } else if (status != KVB_OK && status != KVB_NO_MEMORY && is_template(manifest)) {
        status = manifest->options->lenient
                     ? KVB_OK
                     : kvb_problem_add(manifest->problems, KVB_ERROR, KVB_BAD_SYNTAX,
                                       (struct kvb_place){manifest->file, own.items[0].line, own.items[0].column},
                                       "this is a template; render it first, for example with helm template");
    } else if (status != KVB_OK) {
        *manifest->problems = own;
    }
    kvb_tree_free(&tree);
    return status;
}

static enum kvb_status read_text(struct kvb_manifest *manifest)
{
    bool yaml = is_yaml_name(manifest->file);
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0] && !yaml; i++) {
        if (text_rows[i].fits(manifest)) {
            return text_rows[i].read(manifest);
        }
    }
    return read_yaml(manifest, yaml);
}

// Words of which one is in every file that holds a deployment.
static bool may_hold_deployment(const char *text)
{
    static const char *const words[] = {
        "vllm",          "kind: deployment", "gpu-memory-utilization", "main_ppo",    "gpu_memory_util",
        "max-model-len", "openrlhf",         "actor_rollout_ref",      "huggingface", "LLMInferenceService",
        "max_model_len"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static enum kvb_status read_opened(struct kvb_manifest *manifest)
{
    if (!kvb_source_open(manifest)) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = manifest->file},
                               "not enough memory to read it");
    }
    find_release(manifest);
    enum kvb_status status = read_text(manifest);
    status = status == KVB_OK ? kvb_found_flush(manifest) : status;
    if (manifest->out_of_memory) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = manifest->file},
                               "not enough memory to read it");
    }
    if (status == KVB_OK && manifest->pending->count == 0 && !manifest->options->lenient) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_MISSING_KEY,
                               (struct kvb_place){.file = manifest->file},
                               "no deployment is found in it: expected a vllm serve command, a compose file, a "
                               "Kubernetes manifest, Helm values, a vLLM config or a deployment profile");
    }
    return status;
}

enum kvb_status kvb_manifest_read(const char *file, const char *text, size_t length,
                                  const struct kvb_manifest_options *options, kvb_found_taker *take, void *context,
                                  uint32_t *count, struct kvb_problems *problems)
{
    struct kvb_manifest manifest = {
        .file = file, .text = text, .length = length, .options = options, .problems = problems};
    bool binary = length > 0 && memchr(text, '\0', length) != NULL;
    *count = 0;
    bool candidate = kvb_manifest_is_candidate(file) || kvb_starts_with(text, "#!");
    if (options->lenient && (binary || !candidate || !may_hold_deployment(text))) {
        return KVB_OK;
    }
    if (binary) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){.file = file},
                               "this is no text: a NUL byte is in it");
    }
    struct kvb_pending *pending = kvb_reallocate(NULL, sizeof *pending);
    if (pending == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file},
                               "not enough memory to read it");
    }
    pending->next = 0;
    pending->full = false;
    pending->scope_line = pending->last_line = pending->count = 0;
    pending->take = take;
    pending->context = context;
    manifest.pending = pending;
    kvb_arena_init(&manifest.arena);
    enum kvb_status status = read_opened(&manifest);
    *count = pending->count;
    kvb_arena_free(&manifest.arena);
    kvb_release(pending);
    return status;
}

#define LENIENT_MAX_BYTES ((size_t)4 << 20)

enum kvb_status kvb_manifest_load(const char *path, const struct kvb_manifest_options *options, kvb_found_taker *take,
                                  void *context, uint32_t *count, struct kvb_problems *problems)
{
    struct kvb_file file;
    *count = 0;
    size_t most = options->lenient ? LENIENT_MAX_BYTES : KVB_FILE_MAX_BYTES;
    enum kvb_status status = kvb_file_read(&file, path, most, problems);
    if (status == KVB_OK) {
        const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
        status = kvb_manifest_read(name, file.text, file.length, options, take, context, count, problems);
        kvb_file_free(&file);
    }
    return status;
}
