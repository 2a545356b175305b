// GPUs as clouds, schedulers and launchers write them: {L4: 1}, nvidia-gpu-l4:1, gpu:a6000:4, H100:80GB:8.
#include "manifest/gpu_hints.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"

#define SPEC_CAPACITY 128

// Keys whose value names a GPU or a machine, wherever they stand.
static const char *const hint_keys[] = {"accelerators",
                                        "accelerator",
                                        "accelerator_type",
                                        "acceleratorType",
                                        "gpu_type",
                                        "gpuType",
                                        "gpu_name",
                                        "instance_type",
                                        "instanceType",
                                        "machine_type",
                                        "machineType",
                                        "vm_size",
                                        "vmSize",
                                        "gpu",
                                        "gpus",
                                        "gres",
                                        "resourceProfile",
                                        "gpu_class",
                                        "ml_instance_type",
                                        "gpu_model",
                                        "gpuProduct",
                                        "accelerator-type",
                                        "gpu-type",
                                        "instance-type",
                                        "device_model",
                                        "node_shape",
                                        "recipe_node_shape"};

// Words around a product's name that say nothing of it.
static const char *const fillers[] = {"gpu", "nvidia", "tesla", "amd", "nvidia.com/gpu", "geforce"};

static bool is_whole(const char *text, uint32_t *count)
{
    uint64_t number;
    if (!kvb_parse_whole(text, &number) || number > 1024) {
        return false;
    }
    *count = (uint32_t)number;
    return true;
}

// "80GB" and "24GB.." are sizes, the least that will do.
static bool is_size(const char *text, uint64_t *bytes)
{
    char first[SPEC_CAPACITY];
    (void)kvb_copy(first, sizeof first, text);
    char *range = strstr(first, "..");
    if (range != NULL) {
        *range = '\0';
    }
    size_t digits = strspn(first, "0123456789");
    bool unit = digits > 0 && (first[digits] == 'G' || first[digits] == 'g') && kvb_parse_bytes(first, bytes);
    return unit && *bytes >= (UINT64_C(4) << 30) / 2;
}

static bool is_filler(const char *text)
{
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
        if (kvb_equal_ignoring_case(text, fillers[i])) {
            return true;
        }
    }
    return text[0] == '\0';
}

// Accelerators whose bare name has one meaning for those who write it with a count (SkyPilot, Modal: A100 is the
// card of 40 GB, A100-80GB the other).
static const struct {
    const char *name, *gpu;
} meant[] = {
    {"a100", "a100-sxm-40"},
    {"a100-40gb", "a100-sxm-40"},
    {"a100-80gb", "a100-sxm-80"},
    {"a100_80gb", "a100-sxm-80"},
    {"h100", "h100-sxm"},
    {"h100-80gb", "h100-sxm"},
    {"h100!", "h100-sxm"},
    {"h100-mega-80gb", "h100-sxm"},
    {"v100", "v100-16"},
    {"v100-32gb", "v100-32"},
    {"p100", "p100-pcie-16"},
    {"gh200", "gh200-96"},
    {"rtx-pro-6000", "rtx-pro-6000-server"},
    {"rtxpro6000", "rtx-pro-6000-server"},
    {"a6000", "rtx-a6000"},
    {"a5000", "rtx-a5000"},
    {"a4000", "rtx-a4000"},
    {"h100_sxm", "h100-sxm"},
    {"h20", "h20-96"},
    {"mi250", "mi250x"},
    {"h100-nvlink-80gb", "h100-sxm"},
    {"rtx_6000", "quadro-rtx-6000"},
    {"a800", "a800-80"},
    {"a100-sxm4-80gb", "a100-sxm-80"},
};

const char *kvb_gpu_meant(const char *name)
{
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++) {
        if (kvb_equal_ignoring_case(meant[i].name, name)) {
            return meant[i].gpu;
        }
    }
    return NULL;
}

// "nvidia-gpu-l4" and "nvidia-tesla-t4" without what stands in front.
static const char *without_front(const char *name)
{
    static const char *const fronts[] = {"nvidia-gpu-", "amd-gpu-", "nvidia-", "nvidia_", "gpu-", "gpu_"};
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++) {
        size_t length = strlen(fronts[i]);
        if (kvb_starts_with(name, fronts[i]) && name[length] != '\0') {
            return name + length;
        }
    }
    return name;
}

static void take_part(struct kvb_gpu_spec *spec, const char *part)
{
    uint32_t count;
    uint64_t bytes;
    if (is_whole(part, &count)) {
        spec->count = count;
    } else if (is_size(part, &bytes)) {
        (void)kvb_copy(spec->memory, sizeof spec->memory, part);
        spec->memory_bytes = bytes;
    } else if (!is_filler(part) && spec->name[0] == '\0') {
        (void)kvb_copy(spec->name, sizeof spec->name, without_front(part));
    }
}

// "H100" with 80GB and "A100" with 40GB are products of their own.
static void join_memory(struct kvb_gpu_spec *spec)
{
    char joined[sizeof spec->name];
    size_t used = strlen(spec->name);
    if (spec->name[0] == '\0' || spec->memory[0] == '\0' || used + strlen(spec->memory) + 2 > sizeof joined) {
        return;
    }
    memcpy(joined, spec->name, used);
    joined[used] = '-';
    (void)kvb_copy(joined + used + 1, sizeof joined - used - 1, spec->memory);
    joined[used + 1 + strcspn(joined + used + 1, ".")] = '\0';
    if (kvb_gpu_meant(joined) != NULL) {
        (void)kvb_copy(spec->name, sizeof spec->name, joined);
    }
}

void kvb_gpu_spec_read(const char *text, struct kvb_gpu_spec *spec)
{
    char part[SPEC_CAPACITY];
    *spec = (struct kvb_gpu_spec){0};
    for (unsigned parts = 0; *text != '\0' && parts < 6; parts++) {
        size_t length = strcspn(text, ":, =");
        if (length < sizeof part) {
            memcpy(part, text, length);
            part[length] = '\0';
            take_part(spec, part);
        }
        text += length + (text[length] != '\0');
    }
    join_memory(spec);
}

bool kvb_gpu_is_hint(const char *key)
{
    for (size_t i = 0; i < sizeof hint_keys / sizeof hint_keys[0]; i++) {
        if (strcmp(key, hint_keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Names of GPUs hold a digit; "true", "any" and the names of queues need not.
static bool is_product(const struct kvb_gpu_spec *spec)
{
    return strpbrk(spec->name, "0123456789") != NULL && strchr(spec->name, '$') == NULL;
}

void kvb_gpu_hint(struct kvb_manifest *manifest, const char *key, const char *text, size_t offset,
                  struct kvb_container *container)
{
    struct kvb_gpu_spec spec;
    kvb_gpu_spec_read(text, &spec);
    if (spec.count > 0 && container->gpu_limit == 0) {
        container->gpu_limit = spec.count;
        container->gpu_limit_offset = offset;
    }
    if (is_product(&spec)) {
        container->gpu_key = key;
        container->gpu_value = kvb_manifest_copy(manifest, spec.name, strlen(spec.name));
        container->gpu_offset = offset;
    } else if (spec.memory_bytes > 0 && spec.name[0] == '\0') {
        container->gpu_memory_bytes = spec.memory_bytes;
        container->gpu_offset = offset;
    }
}

static void hint_from_scalar(struct kvb_manifest *manifest, const struct kvb_node *node, const char *key,
                             struct kvb_container *container)
{
    if (!kvb_node_is_null(node)) {
        kvb_gpu_hint(manifest, key, node->text, kvb_node_offset(manifest, node), container);
    }
}

// {L4: 1}, or {name: H100, count: 8, memory: 80GB}.
static void hint_from_mapping(struct kvb_manifest *manifest, const struct kvb_node *node, const char *key,
                              struct kvb_container *container)
{
    const struct kvb_node *name = kvb_node_get(node, "name"), *count = kvb_node_get(node, "count");
    const struct kvb_node *memory = kvb_node_get(node, "memory"), *type = kvb_node_get(node, "type");
    const struct kvb_node *said = name != NULL ? name : type;
    if (said != NULL || memory != NULL) {
        const struct kvb_node *list[] = {memory, said};
        for (size_t i = 0; i < 2; i++) {
            const struct kvb_node *one =
                list[i] != NULL && list[i]->kind == KVB_NODE_SEQUENCE ? list[i]->first : list[i];
            if (kvb_node_text(one) != NULL) {
                hint_from_scalar(manifest, one, key, container);
            }
        }
        if (count != NULL && kvb_node_whole(count, &container->gpu_limit)) {
            container->gpu_limit_offset = kvb_node_offset(manifest, count);
        }
        return;
    }
    const struct kvb_node *first = node->first;
    if (first != NULL && kvb_node_text(first) != NULL && node->count <= 8) {
        size_t offset = kvb_source_offset(manifest, first->key_line, first->key_column);
        kvb_gpu_hint(manifest, key, kvb_manifest_join(manifest, first->key, ":", first->text), offset, container);
    }
}

void kvb_gpu_hint_from_node(struct kvb_manifest *manifest, const struct kvb_node *node, const char *key,
                            struct kvb_container *container)
{
    if (node->kind == KVB_NODE_MAPPING) {
        hint_from_mapping(manifest, node, key, container);
    } else if (node->kind == KVB_NODE_SEQUENCE && node->first != NULL && kvb_node_text(node->first) != NULL) {
        hint_from_scalar(manifest, node->first, key, container); // any of them will do: the first that is named
    } else if (node->kind == KVB_NODE_SCALAR) {
        hint_from_scalar(manifest, node, key, container);
    }
}
