// A `kind: deployment` profile: what runs where, with which settings.
#include <string.h>

#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/text.h"
#include "catalogue/profile.h"
#include "deployment/profile_maps.h"
#include "deployment/residents.h"
#include "deployment/schemas.h"
#include "text/bind.h"
#include "text/file.h"
#include "text/strict.h"
#include "text/tree_text.h"

struct raw {
    char kind[16];
    uint64_t schema;
    char name[KVB_NAME_CAPACITY];
    char description[512];
    char gpu_memory[32], gpu_free[32];
    char engine[KVB_NAME_CAPACITY];
    char usage[16], platform[16], compile_cache[16];
};

static const char *const usage_words[] = {"serve", "offline", NULL};
static const char *const cache_words[] = {"warm", "cold", NULL};
static const char *const platform_words[] = {"linux", "wsl2", "windows", NULL};

static const struct kvb_field_row rows[] = {
    KVB_TEXT_ROW("kind", false, struct raw, kind, "always `deployment`"),
    KVB_WHOLE_ROW("schema", false, 1, 1, struct raw, schema, "always 1; a new meaning of a key raises it"),
    KVB_TEXT_ROW("name", false, struct raw, name, "what reports call it"),
    KVB_TEXT_ROW("description", false, struct raw, description, "what a reader should know"),
    KVB_TREE_ROW("model", KVB_FIELD_TEXT_OR_MAPPING, "a name, a path, or the body of a model profile"),
    KVB_TREE_ROW("gpu", KVB_FIELD_TEXT_OR_MAPPING, "a name, a path, or the body of a GPU profile"),
    KVB_SIZE_ROW("gpu_memory", false, struct raw, gpu_memory, "total as CUDA sees it"),
    KVB_SIZE_ROW("gpu_free", false, struct raw, gpu_free, "free when the engine starts"),
    KVB_TEXT_ROW("engine", false, struct raw, engine, "vllm, vllm@0.11.0 or a path to an engine profile"),
    KVB_WORD_ROW("usage", false, usage_words, struct raw, usage, "API server or LLM()"),
    KVB_WORD_ROW("platform", false, platform_words, struct raw, platform, "what else holds memory"),
    KVB_WORD_ROW("compile_cache", false, cache_words, struct raw, compile_cache,
                 "whether the compiled graphs of an earlier start are found"),
    KVB_TREE_ROW("settings", KVB_FIELD_MAPPING, "the engine's flags, with underscores"),
    KVB_TREE_ROW("environment", KVB_FIELD_MAPPING, "variables the engine reads"),
    KVB_TREE_ROW("reserve", KVB_FIELD_MAPPING, "memory that others hold on each GPU"),
    KVB_TREE_ROW("terms", KVB_FIELD_MAPPING, "terms of the budget known beforehand"),
    KVB_TREE_ROW("residents", KVB_FIELD_MAPPING_LIST, "who else is on each GPU, in order of start"),
};

const struct kvb_schema kvb_deployment_schema = {"a deployment profile", rows, sizeof rows / sizeof rows[0],
                                                 sizeof(struct raw)};

void kvb_deployment_init(struct kvb_deployment *deployment)
{
    memset(deployment, 0, sizeof *deployment);
}

static enum kvb_status read_inline_model(const struct kvb_tree *tree, const struct kvb_node *node,
                                         struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_node_write_at_place(&text, node, "kind: model, schema: 1, ");
    enum kvb_status status;
    if (text.failed) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, kvb_node_place(tree, node),
                                 "not enough memory to read it");
    } else {
        status = kvb_model_read_profile(tree->file, text.data, text.length, &deployment->model_value, problems);
    }
    kvb_buffer_free(&text);
    deployment->inline_model = status == KVB_OK;
    return status;
}

static enum kvb_status read_model(const struct kvb_tree *tree, struct kvb_deployment *deployment,
                                  struct kvb_problems *problems)
{
    const struct kvb_node *node = kvb_node_get(tree->root, "model");
    if (!node || node->kind == KVB_NODE_SEQUENCE) {
        return KVB_OK; // the strict pass has refused a list
    }
    if (node->kind == KVB_NODE_MAPPING) {
        return read_inline_model(tree, node, deployment, problems);
    }
    (void)kvb_copy(deployment->model, sizeof deployment->model, node->text); // its length was judged
    return KVB_OK;
}

static enum kvb_status read_gpu(const struct kvb_tree *tree, struct kvb_deployment *deployment,
                                struct kvb_problems *problems)
{
    const struct kvb_node *node = kvb_node_get(tree->root, "gpu");
    if (!node || node->kind == KVB_NODE_SEQUENCE) {
        return KVB_OK;
    }
    if (node->kind == KVB_NODE_MAPPING) {
        enum kvb_status status = kvb_gpu_read_node(tree, node, &deployment->gpu_value, problems);
        deployment->inline_gpu = status == KVB_OK;
        return status;
    }
    bool whole = kvb_copy(deployment->gpu, sizeof deployment->gpu, node->text);
    return whole ? KVB_OK : kvb_expected(tree, node, KVB_OUT_OF_RANGE, "at most 159 characters", problems);
}

// The number of the word in its list; the strict pass has found it there.
static int index_of(const char *const *words, const char *text)
{
    int i = 0;
    while (words[i] && strcmp(words[i], text) != 0) {
        i++;
    }
    return i;
}

static void convert_scalars(const struct raw *raw, struct kvb_deployment *deployment)
{
    (void)kvb_copy(deployment->name, sizeof deployment->name, raw->name);
    (void)kvb_copy(deployment->engine, sizeof deployment->engine, raw->engine);
    (void)kvb_parse_bytes(raw->gpu_memory, &deployment->gpu_memory_bytes);
    deployment->gpu_free_stated = kvb_parse_bytes(raw->gpu_free, &deployment->gpu_free_bytes);
    deployment->usage_set = raw->usage[0] != '\0';
    if (deployment->usage_set) {
        deployment->usage = (enum kvb_usage)index_of(usage_words, raw->usage);
    }
    deployment->platform_set = raw->platform[0] != '\0';
    if (deployment->platform_set) {
        deployment->platform = (enum kvb_platform)index_of(platform_words, raw->platform);
    }
    if (raw->compile_cache[0] != '\0') {
        bool cold = index_of(cache_words, raw->compile_cache) == 1;
        deployment->compile_cache = cold ? KVB_COMPILE_COLD : KVB_COMPILE_WARM;
    }
}

// Every part is read, so that all problems of the file are said at once.
static enum kvb_status convert_parts(const struct kvb_tree *tree, struct kvb_deployment *deployment,
                                     struct kvb_problems *problems)
{
    const struct kvb_node *root = tree->root;
    const enum kvb_status statuses[] = {
        read_model(tree, deployment, problems),
        read_gpu(tree, deployment, problems),
        kvb_read_settings_map(tree, kvb_node_get(root, "settings"), deployment, problems),
        kvb_read_environment_map(tree, kvb_node_get(root, "environment"), &deployment->environment, problems),
        kvb_read_reserve_map(tree, kvb_node_get(root, "reserve"), deployment, problems),
        kvb_read_terms_map(tree, kvb_node_get(root, "terms"), deployment->stated, problems),
        kvb_residents_check(tree, kvb_node_get(root, "residents"), problems),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i] != KVB_OK) {
            return statuses[i];
        }
    }
    return KVB_OK;
}

enum kvb_status kvb_deployment_read(const char *file, const char *text, size_t length,
                                    struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    struct kvb_tree tree;
    struct raw raw;
    struct kvb_deployment read;
    kvb_deployment_init(&read);
    enum kvb_status status = kvb_profile_open_as(&tree, file, text, length, KVB_PROFILE_DEPLOYMENT, problems);
    if (status == KVB_OK) {
        status = kvb_strict_check(&tree, tree.root, &kvb_deployment_schema, problems);
        // The parts are judged even when a scalar is wrong: one run shows all there is to mend.
        enum kvb_status parts = convert_parts(&tree, &read, problems);
        status = status == KVB_OK ? parts : status;
    }
    if (status == KVB_OK) {
        status = kvb_bind(file, text, length, &kvb_deployment_schema, &raw, problems);
    }
    if (status == KVB_OK) {
        convert_scalars(&raw, &read);
        const struct kvb_node *residents = kvb_node_get(tree.root, "residents");
        read.resident_count = residents ? residents->count : 0;
        *deployment = read;
    }
    kvb_tree_free(&tree);
    return status;
}

enum kvb_status kvb_deployment_load(const char *path, struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    struct kvb_file file;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, problems);
    if (status == KVB_OK) {
        status = kvb_deployment_read(path, file.text, file.length, deployment, problems);
        kvb_file_free(&file);
    }
    return status;
}
