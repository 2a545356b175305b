// A `kind: deployment` profile: what runs where, with which settings.
// It may hold residents, which are deployments again: this file and residents_read.c stand in a circle.
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/model_copy.h"
#include "base/room.h"
#include "base/text.h"
#include "catalogue/profile.h"
#include "deployment/profile_maps.h"
#include "deployment/residents.h"
#include "deployment/schemas.h"
#include "text/field.h"
#include "text/file.h"
#include "text/strict.h"
#include "text/tree_text.h"

struct raw {
    char kind[16];
    uint64_t schema;
    char description[512];
    struct kvb_deployment read;
};

static const char *const usage_words[] = {"serve", "offline", NULL};
static const char *const cache_words[] = {"warm", "cold", NULL};
static const char *const platform_words[] = {"linux", "wsl2", "windows", NULL};

static const struct kvb_field_row rows[] = {
    {"kind", KVB_FIELD_TEXT, KVB_AT(struct raw, kind), .help = "always `deployment`"},
    {"schema", KVB_FIELD_WHOLE, KVB_AT(struct raw, schema), .minimum = 1, .maximum = 1,
     .help = "always 1; a new meaning of a key raises it"},
    {"name", KVB_FIELD_TEXT, KVB_AT(struct raw, read.name), .help = "what reports call it"},
    {"description", KVB_FIELD_TEXT, KVB_AT(struct raw, description), .help = "what a reader should know"},
    {"model", KVB_FIELD_TEXT_OR_MAPPING, .help = "a name, a path, or the body of a model profile"},
    {"gpu", KVB_FIELD_TEXT_OR_MAPPING, .help = "a name, a path, or the body of a GPU profile"},
    {"gpu_memory", KVB_FIELD_SIZE, KVB_AT(struct raw, read.gpu_memory_bytes), .minimum = 1,
     .help = "total as CUDA sees it"},
    {"gpu_free", KVB_FIELD_SIZE, KVB_AT(struct raw, read.gpu_free_bytes), .minimum = 1,
     KVB_SET(struct raw, read.gpu_free_stated), .help = "free when the engine starts"},
    {"engine", KVB_FIELD_TEXT, KVB_AT(struct raw, read.engine),
     .help = "vllm, vllm@0.11.0 or a path to an engine profile"},
    {"usage", KVB_FIELD_WORD, KVB_AT(struct raw, read.usage), KVB_SET(struct raw, read.usage_set), .words = usage_words,
     .help = "API server or LLM()"},
    {"platform", KVB_FIELD_WORD, KVB_AT(struct raw, read.platform), KVB_SET(struct raw, read.platform_set),
     .words = platform_words, .help = "what else holds memory"},
    {"compile_cache", KVB_FIELD_WORD, KVB_AT(struct raw, read.compile_cache), .words = cache_words,
     .minimum = KVB_COMPILE_WARM, .help = "whether the compiled graphs of an earlier start are found"},
    {"settings", KVB_FIELD_MAPPING, .help = "the engine's flags, with underscores"},
    {"environment", KVB_FIELD_MAPPING, .help = "variables the engine reads"},
    {"reserve", KVB_FIELD_MAPPING, .help = "memory that others hold on each GPU"},
    {"terms", KVB_FIELD_MAPPING, .help = "terms of the budget known beforehand"},
    {"residents", KVB_FIELD_MAPPING_LIST, .help = "who else is on each GPU, in order of start"},
};

const struct kvb_schema kvb_deployment_schema = KVB_SCHEMA("a deployment profile", rows);

void kvb_deployment_init(struct kvb_deployment *deployment)
{
    size_t behind = offsetof(struct kvb_deployment, gpu_value);
    memset(deployment, 0, offsetof(struct kvb_deployment, model_value));
    kvb_model_clear(&deployment->model_value);
    memset((char *)deployment + behind, 0, sizeof *deployment - behind);
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

// A path to an engine profile, or nothing, stands for the usual engine: shared names are read whatever it is.
static const struct kvb_engine_rows *engine_of(const struct kvb_node *root, const char *key)
{
    const struct kvb_node *node = kvb_node_get(root, key);
    return kvb_engine_said(node != NULL && node->kind == KVB_NODE_SCALAR ? node->text : "");
}

// Every part is read, so that all problems of the file are said at once.
static enum kvb_status convert_parts(const struct kvb_tree *tree, struct kvb_deployment *deployment,
                                     struct kvb_problems *problems)
{
    const struct kvb_node *root = tree->root;
    const enum kvb_status statuses[] = {
        read_model(tree, deployment, problems),
        read_gpu(tree, deployment, problems),
        kvb_read_settings_map(tree, kvb_node_get(root, "settings"), engine_of(root, "engine"), deployment, problems),
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
    const struct kvb_reading reading = {&tree, NULL, problems};
    struct raw *raw = kvb_room(sizeof *raw, problems);
    if (raw == NULL) {
        return KVB_NO_MEMORY;
    }
    enum kvb_status status = kvb_profile_open_as(&tree, file, text, length, KVB_PROFILE_DEPLOYMENT, problems);
    if (status == KVB_OK) {
        status = kvb_fields_read(&reading, tree.root, &kvb_deployment_schema, raw);
        // The parts are judged even when a scalar is wrong: one run shows all there is to mend.
        enum kvb_status parts = convert_parts(&tree, &raw->read, problems);
        status = status == KVB_OK ? parts : status;
    }
    if (status == KVB_OK) {
        const struct kvb_node *residents = kvb_node_get(tree.root, "residents");
        raw->read.resident_count = residents ? residents->count : 0;
        *deployment = raw->read;
    }
    kvb_tree_free(&tree);
    kvb_free(raw);
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
