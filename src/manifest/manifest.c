// Recognises a file by what is in it and hands it to the reader of its kind.
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "manifest/anywhere.h"
#include "manifest/documents.h"
#include "manifest/engines.h"
#include "manifest/manifest_format.h"
#include "manifest/manifest_found.h"
#include "manifest/templates.h"
#include "text/files.h"

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

// Our own files that hold none: what they say of engines is no deployment.
static bool is_other_profile(const struct kvb_node *root)
{
    static const char *const kinds[] = {"policy", "model", "gpu", "engine"};
    const char *kind = kvb_node_text(kvb_node_get(root, "kind"));
    for (size_t i = 0; kind != NULL && kvb_node_get(root, "schema") != NULL && i < sizeof kinds / sizeof kinds[0];
         i++) {
        if (strcmp(kind, kinds[i]) == 0) {
            return true;
        }
    }
    return false;
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

static bool is_trl_recipe(const struct kvb_node *root)
{
    return kvb_node_get(root, "use_vllm") != NULL && kvb_node_get(root, "model_name_or_path") != NULL;
}

// A file for vllm serve --config, not one of the many that have a key in common with it.
static bool is_vllm_config(const struct kvb_node *root)
{
    return kvb_mapping_has_setting(root) && !is_kubernetes(root);
}

static const struct kind_row kind_rows[] = {
    {"profile", "deployment profiles of kvbudget", is_profile, kvb_read_profile_document},
    {"kubernetes", "Kubernetes pods, whatever keeps them", is_kubernetes, kvb_read_kubernetes},
    {"compose", "docker compose services", is_compose, kvb_read_compose},
    {"helm", "Helm values of the vLLM production stack", is_helm, kvb_read_helm_values},
    {"rollout", "training steps with a rollout engine: verl's keys, TRL's recipes", is_rollout, kvb_read_rollout},
    {"rollout", "recipes of TRL", is_trl_recipe, kvb_read_trl},
    {"llama-swap", "models of llama-swap, with its macros", kvb_is_llama_swap, kvb_read_llama_swap},
    {"vllm-config", "a file for vllm serve --config", is_vllm_config, kvb_read_vllm_config},
    {"commands", "commands and containers anywhere in YAML or JSON: jobs, tasks, charts, custom resources", NULL, NULL},
    {"ray-serve", "llm_configs of Ray Serve, and applications of it that name MODEL_ID", NULL, NULL},
    {"kubeai", "models of KubeAI and its chart", NULL, NULL},
    {"kaito", "workspaces of KAITO", NULL, NULL},
    {"oci-blueprint", "recipes of OCI AI Blueprints", NULL, NULL},
    {"llm-d", "values of llm-d's modelservice", NULL, NULL},
    {"python",
     "LLM(), AsyncEngineArgs(), Engine(), ServerArgs(), LLMConfig() and argument lists in Python, as literals", NULL,
     NULL},
    {"notebook", "cells of a Jupyter notebook", NULL, NULL},
    {"recipe", "recipes of Makefiles and justfiles", NULL, NULL},
    {"supervisord", "programs of supervisord", NULL, NULL},
    {"toml", "commands, and tables of settings with a model, in TOML", NULL, NULL},
    {"kthena", "ModelBooster of kthena", NULL, NULL},
    {"llmaz", "Playground and Service of llmaz", NULL, NULL},
    {"oumi", "inference configurations of oumi", NULL, NULL},
    {"kserve", "InferenceService and LLMInferenceService of KServe", NULL, NULL},
    {"shell", "command lines in scripts", NULL, NULL},
    {"dockerfile", "CMD and ENTRYPOINT of a Dockerfile", NULL, NULL},
    {"modelfile", "FROM and PARAMETER of a Modelfile", NULL, NULL},
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

// A kind's own reader first; what it does not know is looked for anywhere in the document.
static enum kvb_status read_document(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    uint32_t before = kvb_found_count(manifest);
    enum kvb_status status = KVB_OK;
    bool known = false;
    if (root->kind == KVB_NODE_MAPPING && is_other_profile(root)) {
        manifest->own_file = true;
        return KVB_OK;
    }
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0] && !known; i++) {
        known = root->kind == KVB_NODE_MAPPING && kind_rows[i].fits != NULL && kind_rows[i].fits(root);
        status = known ? kind_rows[i].read(manifest, root) : status;
    }
    bool own = known && is_profile(root);
    bool none = kvb_found_count(manifest) == before && status == KVB_OK && !own;
    return none && root->kind != KVB_NODE_SCALAR ? kvb_read_anywhere(manifest, root) : status;
}

// A template that no renderer saw may not be YAML; another file that is none is a mistake in it.
static enum kvb_status judge_broken(struct kvb_manifest *manifest, const struct kvb_documents *seen)
{
    bool speaks = seen->broken_speaking > 0 || !manifest->options->lenient;
    if (seen->broken == 0 || !speaks) {
        return KVB_OK;
    }
    if (!manifest->templated) {
        *manifest->problems = seen->problems;
        return seen->problems.items[0].status;
    }
    manifest->not_understood = true;
    return manifest->options->lenient
               ? KVB_OK
               : kvb_problem_add(
                     manifest->problems, KVB_ERROR, KVB_BAD_SYNTAX,
                     (struct kvb_place){manifest->file, seen->problems.items[0].line, seen->problems.items[0].column},
                     "this is a template; render it first, for example with helm template");
}

static enum kvb_status judge_documents(struct kvb_manifest *manifest, bool certain, const struct kvb_documents *seen)
{
    if (seen->trees == 0 && !certain) {
        return kvb_read_script(manifest);
    }
    if (seen->documents == 0 && !manifest->options->lenient) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_NOT_ALLOWED,
                               (struct kvb_place){.file = manifest->file}, "it is empty: expected a mapping");
    }
    return judge_broken(manifest, seen);
}

static enum kvb_status read_yaml(struct kvb_manifest *manifest, bool certain)
{
    struct kvb_documents *seen = kvb_reallocate(NULL, sizeof *seen);
    enum kvb_status status = seen != NULL ? kvb_documents_read(manifest, read_document, seen) : KVB_NO_MEMORY;
    status = status == KVB_OK ? judge_documents(manifest, certain, seen) : status;
    kvb_free(seen);
    return status;
}

// From here on the text is one without braces of templates, as long as the file.
static void make_plain(struct kvb_manifest *manifest)
{
    bool json = manifest->text[strspn(manifest->text, " \t\r\n")] == '{' && kvb_ends_with(manifest->name, ".json");
    if (!kvb_manifest_is_code(manifest) && !json && kvb_is_templated(manifest->text)) {
        const char *plain = kvb_template_plain(manifest, manifest->text, manifest->length);
        manifest->templated = plain != NULL;
        manifest->given = manifest->text;
        manifest->text = plain != NULL ? plain : manifest->text;
    }
}

static enum kvb_status read_text(struct kvb_manifest *manifest)
{
    manifest->name = kvb_manifest_plain_name(manifest);
    if (!manifest->filled) {
        make_plain(manifest);
    }
    bool yaml = kvb_manifest_is_yaml(manifest->name);
    kvb_manifest_text_reader *read = yaml ? NULL : kvb_manifest_text_reader_of(manifest);
    return read != NULL ? read(manifest) : read_yaml(manifest, yaml);
}

// Words of which one is in every file that holds a deployment.
bool kvb_manifest_may_hold(const char *text)
{
    static const char *const words[] = {"vllm",
                                        "vLLM",
                                        "VLLM",
                                        "sglang",
                                        "SGLang",
                                        "llama-server",
                                        "llama_cpp",
                                        "ggml-org/llama.cpp",
                                        "ollama/ollama",
                                        "ollama run",
                                        "PARAMETER num_",
                                        "kaito.sh",
                                        "llm_configs",
                                        "kind: deployment",
                                        "gpu-memory-utilization",
                                        "main_ppo",
                                        "gpu_memory_util",
                                        "max-model-len",
                                        "openrlhf",
                                        "actor_rollout_ref",
                                        "huggingface",
                                        "LLMInferenceService",
                                        "max_model_len"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static enum kvb_status say_no_room(struct kvb_manifest *manifest)
{
    struct kvb_place place = {.file = manifest->file};
    if (manifest->too_large) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_OUT_OF_RANGE, place,
                               "its variables stand for more text than any deployment has, so it was not read");
    }
    return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_NO_MEMORY, place, "not enough memory to read it");
}

enum kvb_status kvb_manifest_read_opened(struct kvb_manifest *manifest)
{
    if (!kvb_source_open(manifest)) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = manifest->file},
                               "not enough memory to read it");
    }
    find_release(manifest);
    enum kvb_status status = read_text(manifest);
    status = status == KVB_OK ? kvb_found_flush(manifest, 0) : status;
    if (manifest->out_of_memory || status == KVB_NO_MEMORY) {
        return say_no_room(manifest);
    }
    if (status == KVB_OK && manifest->pending->count == 0 && !manifest->options->lenient) {
        return kvb_problem_add(manifest->problems, KVB_ERROR, KVB_MISSING_KEY,
                               (struct kvb_place){.file = manifest->file},
                               "no deployment is found in it: expected a vllm serve command, a compose file, a "
                               "Kubernetes manifest, Helm values, a vLLM config or a deployment profile");
    }
    return status;
}

// Outside of lines that are comments.
bool kvb_manifest_speaks(const char *text)
{
    static const char *const words[] = {"vllm", "vLLM", "VLLM", "sglang", "SGLang", "llama-server", "ollama/ollama"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (const char *at = strstr(text, words[i]); at != NULL; at = strstr(at + 1, words[i])) {
            const char *line = at;
            while (line > text && line[-1] != '\n') {
                line--;
            }
            line += strspn(line, " \t");
            if (*line != '#' && !kvb_starts_with(line, "//")) {
                return true;
            }
            at += strcspn(at, "\n");
            at -= *at == '\0';
        }
    }
    return false;
}
