// docker compose: each service that runs vLLM.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"
#include "text/files.h"

#define ENV_FILE_MAX_BYTES ((size_t)1 << 20)

// What such a name holds is never shown, wherever it is used.
static bool is_secret(const char *name)
{
    static const char *const parts[] = {"TOKEN", "SECRET", "PASSW", "_KEY", "APIKEY", "CREDENTIAL", "AUTH"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (kvb_contains_ignoring_case(name, parts[i])) {
            return true;
        }
    }
    return false;
}

// NAME=VALUE, quotes around the value taken off.
static void keep_line(struct kvb_manifest *manifest, const char *line, size_t length,
                      const struct kvb_variable **variables)
{
    const char *equals = memchr(line, '=', length);
    if (length == 0 || line[0] == '#' || equals == NULL) {
        return;
    }
    const char *value = equals + 1;
    size_t name = (size_t)(equals - line), size = length - name - 1;
    while (size > 0 && strchr(" \t\r", value[size - 1]) != NULL) {
        size--;
    }
    if (size >= 2 && (value[0] == '"' || value[0] == '\'') && value[size - 1] == value[0]) {
        value++;
        size -= 2;
    }
    const char *key = kvb_manifest_copy(manifest, line, name);
    kvb_variable_set_outside(manifest, variables, key,
                             is_secret(key) ? "(a secret of .env)" : kvb_manifest_copy(manifest, value, size));
}

// compose itself reads .env beside the file.
static const struct kvb_variable *read_env_file(struct kvb_manifest *manifest)
{
    const char *slash = strrchr(manifest->file, '/');
    const char *folder =
        slash != NULL ? kvb_manifest_copy(manifest, manifest->file, (size_t)(slash - manifest->file) + 1) : "";
    const char *path = kvb_manifest_join(manifest, folder, ".env", "");
    const struct kvb_variable *variables = NULL;
    struct kvb_file file;
    const struct kvb_files *files = manifest->options->files;
    bool closed = files == NULL && (!kvb_path_exists(path) || kvb_path_is_link(path));
    if (closed || kvb_files_read(files, &file, path, ENV_FILE_MAX_BYTES, NULL) != KVB_OK) {
        return NULL;
    }
    for (const char *line = file.text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        keep_line(manifest, line, length, &variables);
        line += length + (line[length] == '\n');
    }
    kvb_file_free(&file);
    return variables;
}

// `environment:` as a list of NAME=VALUE or a mapping.
static const struct kvb_variable *read_environment(struct kvb_manifest *manifest, const struct kvb_node *node,
                                                   const struct kvb_variable *outer)
{
    const struct kvb_variable *own = NULL;
    for (const struct kvb_node *child = node != NULL ? node->first : NULL; child != NULL; child = child->next) {
        const char *unknown = NULL;
        if (child->kind != KVB_NODE_SCALAR) {
            continue;
        }
        const char *text = kvb_expand(manifest, child->text, KVB_DOLLAR_COMPOSE, outer, &unknown);
        size_t offset = kvb_node_offset(manifest, child), name = strcspn(text, "=");
        if (node->kind == KVB_NODE_MAPPING && unknown == NULL && !kvb_node_is_null(child)) {
            kvb_variable_set(manifest, &own, child->key, text, offset, true);
        } else if (node->kind == KVB_NODE_SEQUENCE && text[name] == '=' && unknown == NULL) {
            kvb_variable_set(manifest, &own, kvb_manifest_copy(manifest, text, name), text + name + 1, offset, true);
        }
    }
    return own;
}

static uint32_t count_devices(const struct kvb_node *device)
{
    const struct kvb_node *ids = kvb_node_get(device, "device_ids");
    uint32_t count = 0;
    if (ids != NULL && ids->kind == KVB_NODE_SEQUENCE) {
        return ids->count;
    }
    return kvb_node_whole(kvb_node_get(device, "count"), &count) ? count : 0;
}

// ["0", "2"] as "0,2".
static void add_device_ids(struct kvb_manifest *manifest, const struct kvb_node *ids, struct kvb_container *container)
{
    bool is_list = ids != NULL && ids->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *id = is_list ? ids->first : NULL; id != NULL; id = id->next) {
        if (kvb_node_text(id) != NULL) {
            const char *before = container->devices != NULL ? container->devices : "";
            container->devices = kvb_manifest_join(manifest, before, before[0] != '\0' ? "," : "", kvb_node_text(id));
        }
    }
}

// deploy.resources.reservations.devices, or gpus.
static void read_devices(struct kvb_manifest *manifest, const struct kvb_node *service, struct kvb_container *container)
{
    const struct kvb_node *devices = kvb_node_get(
        kvb_node_get(kvb_node_get(kvb_node_get(service, "deploy"), "resources"), "reservations"), "devices");
    const struct kvb_node *list = devices != NULL ? devices : kvb_node_get(service, "gpus");
    bool is_list = list != NULL && list->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *device = is_list ? list->first : NULL; device != NULL; device = device->next) {
        container->gpu_limit += count_devices(device);
        container->gpu_limit_offset = kvb_node_offset(manifest, device);
        add_device_ids(manifest, kvb_node_get(device, "device_ids"), container);
    }
}

// x-kvbudget or a label is no standard; the labels of a node are placement constraints.
static void read_constraints(struct kvb_manifest *manifest, const struct kvb_node *service,
                             struct kvb_container *container)
{
    const struct kvb_node *list =
        kvb_node_get(kvb_node_get(kvb_node_get(service, "deploy"), "placement"), "constraints");
    for (const struct kvb_node *child = list != NULL ? list->first : NULL; child != NULL; child = child->next) {
        const char *text = kvb_node_text(child);
        const char *equals = text != NULL ? strstr(text, "==") : NULL;
        if (equals == NULL || !kvb_starts_with(text, "node.labels.")) {
            continue;
        }
        size_t key = strcspn(text, " =") - 12;
        container->gpu_key = kvb_manifest_copy(manifest, text + 12, key);
        equals += 2 + strspn(equals + 2, " ");
        container->gpu_value = kvb_manifest_copy(manifest, equals, strcspn(equals, " "));
        container->gpu_offset = kvb_node_offset(manifest, child);
    }
}

// "./config.yaml:/app/config.yaml:ro", or {source: ..., target: ...}.
static void read_volumes(struct kvb_manifest *manifest, const struct kvb_node *volumes,
                         const struct kvb_variable *outer, struct kvb_container *container)
{
    bool list = volumes != NULL && volumes->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *child = list ? volumes->first : NULL; child != NULL; child = child->next) {
        const char *source = kvb_node_text(kvb_node_get(child, "source")), *text = kvb_node_text(child);
        const char *target = kvb_node_text(kvb_node_get(child, "target")), *unknown = NULL;
        if (source != NULL && target != NULL) {
            text = kvb_manifest_join(manifest, source, ":", target);
        }
        if (text != NULL) {
            kvb_container_mount(manifest, container, kvb_expand(manifest, text, KVB_DOLLAR_COMPOSE, outer, &unknown));
        }
    }
}

static enum kvb_status read_service(struct kvb_manifest *manifest, const struct kvb_node *service,
                                    const struct kvb_variable *outer)
{
    const char *unknown = NULL;
    const struct kvb_node *image = kvb_node_get(service, "image");
    size_t offset = kvb_source_offset(manifest, service->key_line, service->key_column);
    struct kvb_container container = {
        .kind = "compose",
        .name = kvb_manifest_join(manifest, "services.", service->key, ""),
        .offset = offset,
        .image_offset = KVB_NOWHERE,
    };
    if (kvb_node_text(image) != NULL) {
        container.image = kvb_expand(manifest, image->text, KVB_DOLLAR_COMPOSE, outer, &unknown);
        container.image_offset = kvb_node_offset(manifest, image);
    }
    container.variables = read_environment(manifest, kvb_node_get(service, "environment"), outer);
    container.together = kvb_node_get(service, "profiles") == NULL; // those of a profile are alternatives
    read_volumes(manifest, kvb_node_get(service, "volumes"), outer, &container);
    read_devices(manifest, service, &container);
    read_constraints(manifest, service, &container);
    kvb_words_from_node(manifest, kvb_node_get(service, "entrypoint"), KVB_DOLLAR_COMPOSE, outer, &container.words);
    kvb_words_from_node(manifest, kvb_node_get(service, "command"), KVB_DOLLAR_COMPOSE, outer, &container.words);
    return kvb_container_emit(manifest, &container);
}

enum kvb_status kvb_read_compose(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *services = kvb_node_get(root, "services");
    const struct kvb_variable *outer = read_env_file(manifest);
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *service = services->first; service != NULL && status == KVB_OK;
         service = service->next) {
        if (service->kind == KVB_NODE_MAPPING) {
            status = read_service(manifest, service, outer);
        }
    }
    return status;
}
