// Walks any tree: what the mappings above say of GPUs and environment goes down with it, commands come up.
#include "manifest/anywhere.h"

#include <string.h>

#include "base/text.h"
#include "manifest/engines.h"
#include "manifest/gpu_hints.h"
#include "manifest/manifest_kubernetes.h"
#include "manifest/ray_cluster.h"

#define DEPTH_MAX 64

// Keys that hold variables, as a mapping or as a list of {name, value}.
static const char *const variable_keys[] = {"env", "envs", "environment", "variables", "env_vars", "envVars", "vars"};

// Keys whose text is a command, and the order in which a process is put together from several of them.
static const char *const command_keys[] = {"entrypoint", "command", "cmd", "args"};
static const char *const script_keys[] = {
    "run",           "script",    "scripts",  "shell",         "commands",   "exec", "execStart", "start",
    "before_script", "user_data", "setup",    "inline",        "command",    "cmd",  "args",      "startup",
    "content",       "steps",     "userData", "entrypoint",    "raw",        "body", "launch",    "server",
    "serve",         "task",      "code",     "start_command", "run_command"};

static bool is_among(const char *const *list, size_t count, const char *key)
{
    for (size_t i = 0; key != NULL && i < count; i++) {
        if (strcmp(list[i], key) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_AMONG(list, key) is_among(list, sizeof list / sizeof list[0], key)

static void take_variables(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own)
{
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        const struct kvb_node *value = child;
        const char *name = child->key;
        if (node->kind == KVB_NODE_SEQUENCE) {
            const char *pair = kvb_node_text(child);
            size_t length = pair != NULL ? strcspn(pair, "=") : 0;
            if (pair != NULL && pair[length] == '=') {
                kvb_variable_set(manifest, &own->variables, kvb_manifest_copy(manifest, pair, length),
                                 pair + length + 1, kvb_node_offset(manifest, child), true);
            }
            name = kvb_node_text(kvb_node_get(child, "name"));
            value = kvb_node_get(child, "value");
        }
        if (name != NULL && kvb_node_text(value) != NULL && strstr(value->text, "${{") == NULL) {
            kvb_variable_set(manifest, &own->variables, name, value->text, kvb_node_offset(manifest, value), true);
        }
    }
}

static void take_name(const struct kvb_node *node, struct kvb_container *own)
{
    const char *name = kvb_node_text(kvb_node_get(node, "name"));
    if (own->rooted) {
        return; // an object of Kubernetes has its own
    }
    if (name != NULL && name[0] != '\0' && strlen(name) < 64) {
        own->name = name;
    } else if (node->key != NULL && !IS_AMONG(script_keys, node->key)) {
        own->name = node->key;
    }
}

// base_image of a Truss: what all its commands run in.
static void take_base_image(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own)
{
    const struct kvb_node *base = kvb_node_get(node, "base_image");
    const struct kvb_node *image = base != NULL && base->kind == KVB_NODE_MAPPING ? kvb_node_get(base, "image") : base;
    if (kvb_node_text(image) != NULL && kvb_node_get(node, "docker_server") != NULL) {
        own->base_image = image->text;
        own->image_offset = kvb_node_offset(manifest, image);
    }
}

// What a mapping says of all that is below it.
static void take_hints(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own)
{
    take_name(node, own);
    take_base_image(manifest, node, own);
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        if (kvb_gpu_is_hint(child->key)) {
            kvb_gpu_hint_from_node(manifest, child, child->key, own);
        } else if (IS_AMONG(variable_keys, child->key) && child->kind != KVB_NODE_SCALAR) {
            take_variables(manifest, child, own);
        } else if (strcmp(child->key, "resources") == 0) {
            for (const struct kvb_node *inner = child->kind == KVB_NODE_MAPPING ? child->first : NULL; inner;
                 inner = inner->next) {
                if (kvb_gpu_is_hint(inner->key)) {
                    kvb_gpu_hint_from_node(manifest, inner, inner->key, own);
                }
            }
        }
    }
    kvb_gpu_from_pod(manifest, node, own);
    kvb_limits_from_node(manifest, kvb_node_get(node, "resources"), own);
    kvb_ray_workers(manifest, node, own);
}

// ---- a container

static void take_image(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own)
{
    const struct kvb_node *image = kvb_node_get(node, "image");
    const struct kvb_node *repository = kvb_node_get(image, "repository");
    const struct kvb_node *tag = kvb_node_get(image, "tag");
    if (kvb_node_text(image) != NULL) {
        own->image = image->text;
        own->image_offset = kvb_node_offset(manifest, image);
    } else if (kvb_node_text(repository) != NULL) {
        const char *version = kvb_node_text(tag);
        own->image =
            kvb_manifest_join(manifest, repository->text, version != NULL ? ":" : "", version != NULL ? version : "");
        own->image_offset = kvb_node_offset(manifest, version != NULL ? tag : repository);
    }
}

// `module: vllm.entrypoints...` of a launcher stands for python -m.
static void take_module(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_words *words)
{
    const struct kvb_node *module = kvb_node_get(node, "module");
    if (kvb_node_text(module) != NULL) {
        kvb_words_say(manifest, words, "python", KVB_NOWHERE);
        kvb_words_say(manifest, words, "-m", KVB_NOWHERE);
        kvb_words_say(manifest, words, module->text, kvb_node_offset(manifest, module));
    }
}

static enum kvb_dollar dollar_of(const struct kvb_node *node)
{
    return node->kind == KVB_NODE_SCALAR ? KVB_DOLLAR_SHELL : KVB_DOLLAR_KUBERNETES;
}

// The words of a process, from all keys that hold a part of it.
static void take_words(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own)
{
    own->words = (struct kvb_words){0};
    take_module(manifest, node, &own->words);
    for (size_t i = 0; i < sizeof command_keys / sizeof command_keys[0]; i++) {
        const struct kvb_node *part = kvb_node_get(node, command_keys[i]);
        if (part == NULL && kvb_node_get(node, "image") != NULL) {
            part = kvb_node_get(kvb_node_get(node, "image"), command_keys[i]);
        }
        if (part != NULL && part->kind != KVB_NODE_MAPPING) {
            kvb_words_from_node(manifest, part, dollar_of(part), own->variables, &own->words);
        }
    }
}

// A script in several lines is read as one, not as words.
static bool has_lines(const struct kvb_node *node)
{
    for (size_t i = 0; i < sizeof command_keys / sizeof command_keys[0]; i++) {
        const char *text = kvb_node_text(kvb_node_get(node, command_keys[i]));
        if (text != NULL && strchr(text, '\n') != NULL && kvb_text_starts_engine(text)) {
            return true;
        }
    }
    return false;
}

static uint32_t found_so_far(const struct kvb_manifest *manifest)
{
    return kvb_found_count(manifest);
}

static enum kvb_status emit_container(struct kvb_manifest *manifest, const struct kvb_node *node,
                                      const struct kvb_container *around, bool *taken)
{
    struct kvb_container own = *around;
    uint32_t before = found_so_far(manifest), dropped = manifest->dropped;
    *taken = false;
    if (has_lines(node)) {
        return KVB_OK;
    }
    take_image(manifest, node, &own);
    const struct kvb_node *head = own.image == NULL ? kvb_ray_head(node) : NULL;
    if (head != NULL) {
        take_image(manifest, head, &own);
        kvb_limits_from_node(manifest, kvb_node_get(head, "resources"), &own);
        kvb_ray_workers(manifest, kvb_node_get(node, "rayClusterSpec"), &own);
    }
    take_words(manifest, node, &own);
    own.offset = kvb_node_offset(manifest, node);
    own.strict = own.image == NULL;
    enum kvb_status status = own.words.count > 0 ? kvb_container_emit(manifest, &own) : KVB_OK;
    *taken = found_so_far(manifest) > before || manifest->dropped > dropped;
    return status;
}

// ---- the walk

struct walk {
    struct kvb_manifest *manifest;
    unsigned depth;
};

static enum kvb_status visit(const struct walk *walk, const struct kvb_node *node, const struct kvb_container *around,
                             const char *key);

static enum kvb_status visit_text(struct kvb_manifest *manifest, const struct kvb_node *node,
                                  const struct kvb_container *around, const char *key)
{
    struct kvb_container like = *around;
    bool taken = false;
    enum kvb_status status = kvb_read_nested(manifest, node, around, &taken);
    bool page = strstr(node->text, "```") != NULL && !IS_AMONG(script_keys, key); // prose that shows commands
    if (taken || status != KVB_OK || page || !kvb_text_starts_engine(node->text)) {
        return status;
    }
    like.words = (struct kvb_words){0};
    like.strict = !IS_AMONG(script_keys, key);
    like.offset = KVB_NOWHERE;
    return kvb_shell_read(manifest, node->text, kvb_node_offset(manifest, node), &like);
}

static bool is_list_of_text(const struct kvb_node *node)
{
    bool text = node->first != NULL;
    for (const struct kvb_node *child = node->first; child != NULL && text; child = child->next) {
        text = child->kind == KVB_NODE_SCALAR;
    }
    return text;
}

// ["vllm", "serve", ...] is one process; a list of lines is a script whose variables live on.
static enum kvb_status visit_list_of_text(struct kvb_manifest *manifest, const struct kvb_node *node,
                                          const struct kvb_container *around, const char *key)
{
    struct kvb_container own = *around;
    uint32_t before = found_so_far(manifest);
    enum kvb_status status = KVB_OK;
    own.words = (struct kvb_words){0};
    own.strict = !IS_AMONG(script_keys, key);
    own.offset = kvb_node_offset(manifest, node);
    kvb_words_from_node(manifest, node, KVB_DOLLAR_KUBERNETES, own.variables, &own.words);
    if (kvb_program_find(&own.words).row != NULL) {
        status = kvb_container_emit(manifest, &own);
    }
    if (found_so_far(manifest) > before || status != KVB_OK) {
        return status;
    }
    struct kvb_container like = *around;
    for (const struct kvb_node *child = node->first; child != NULL && status == KVB_OK; child = child->next) {
        bool taken = false;
        status = kvb_read_nested(manifest, child, around, &taken);
        like.words = (struct kvb_words){0};
        like.strict = own.strict;
        like.offset = KVB_NOWHERE;
        if (!taken && status == KVB_OK) {
            status = kvb_shell_continue(manifest, child->text, kvb_node_offset(manifest, child), &like);
        }
    }
    return status;
}

static enum kvb_status visit_mapping(const struct walk *walk, const struct kvb_node *node,
                                     const struct kvb_container *around)
{
    struct kvb_manifest *manifest = walk->manifest;
    struct kvb_container own = *around;
    bool taken = false;
    take_hints(manifest, node, &own);
    enum kvb_status status = kvb_read_stack(manifest, node, &own, &taken);
    if (taken || status != KVB_OK) {
        return status;
    }
    status = emit_container(manifest, node, &own, &taken);
    for (const struct kvb_node *child = node->first; child != NULL && status == KVB_OK; child = child->next) {
        if (!taken || !IS_AMONG(command_keys, child->key)) {
            status = visit(walk, child, &own, child->key);
        }
    }
    return status;
}

static enum kvb_status visit(const struct walk *walk, const struct kvb_node *node, const struct kvb_container *around,
                             const char *key)
{
    const struct walk below = {walk->manifest, walk->depth + 1};
    enum kvb_status status = KVB_OK;
    if (walk->depth > DEPTH_MAX || walk->manifest->out_of_memory) {
        return KVB_OK;
    }
    if (node->kind == KVB_NODE_SCALAR) {
        return visit_text(walk->manifest, node, around, key);
    }
    if (node->kind == KVB_NODE_MAPPING) {
        return visit_mapping(&below, node, around);
    }
    if (is_list_of_text(node)) {
        return visit_list_of_text(walk->manifest, node, around, key);
    }
    for (const struct kvb_node *child = node->first; child != NULL && status == KVB_OK; child = child->next) {
        status = visit(&below, child, around, key);
    }
    return status;
}

enum kvb_status kvb_read_anywhere_in(struct kvb_manifest *manifest, const struct kvb_node *root,
                                     const struct kvb_container *around)
{
    const struct walk walk = {manifest, 0};
    return visit(&walk, root, around, NULL);
}

enum kvb_status kvb_read_anywhere(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    bool object = kvb_node_get(root, "apiVersion") != NULL && kvb_node_get(root, "kind") != NULL;
    struct kvb_container around = {
        .kind = object ? "kubernetes" : "commands",
        .name = object ? kvb_object_name(manifest, root) : NULL,
        .rooted = object,
        .offset = kvb_node_offset(manifest, root),
        .scope_line = object ? root->line : 0,
        .image_offset = KVB_NOWHERE,
    };
    return kvb_read_anywhere_in(manifest, root, &around);
}
