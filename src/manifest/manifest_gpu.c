// GPU products as clusters and clouds name them on their nodes.
#include <string.h>

#include "base/text.h"
#include "manifest/gpu_hints.h"
#include "manifest/manifest_reader.h"

// Labels whose value is a product. Others are looked at when their key speaks of a GPU.
static const char *const product_keys[] = {
    "nvidia.com/gpu.product", // NVIDIA GPU feature discovery
    "nvidia.com/gpu-product",
    "cloud.google.com/gke-accelerator",    // GKE
    "karpenter.k8s.aws/instance-gpu-name", // Karpenter on AWS
    "k8s.amazonaws.com/accelerator",
    "amd.com/gpu.product-name", // AMD node labeller
    "beta.amd.com/gpu.product-name",
    "gpu.nvidia.com/class", // CoreWeave
    "gpu.nvidia.com/model",
    "eks.amazonaws.com/instance-gpu-name",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
    "node.cluster.x-k8s.io/instance-type",
    "accelerator",
    "gpu-type",
    "gpu",
    "gpu.product",
};

struct product_row {
    const char *value; // lower case; a row that ends in '*' fits every value that begins so
    const char *gpu;
};

// Values that are no name of a GPU profile: GKE's accelerators and instance types of clouds (public documents
// of Google, AWS, Azure, Oracle and IBM: each type has one kind of GPU).
static const struct product_row product_rows[] = {
    {"nvidia-tesla-a100", "a100-sxm-40"},
    {"nvidia-a100-80gb", "a100-sxm-80"},
    {"nvidia-h100-80gb", "h100-sxm"},
    {"nvidia-h100-mega-80gb", "h100-sxm"},
    {"nvidia-h200-141gb", "h200"},
    {"nvidia-tesla-t4", "t4"},
    {"nvidia-tesla-v100", "v100-16"},
    {"nvidia-tesla-p100", "p100-pcie-16"},
    {"nvidia-tesla-p4", "p4"},
    {"nvidia-rtx-pro-6000", "rtx-pro-6000-server"},
    {"g4dn.*", "t4"},
    {"g5.*", "a10g"},
    {"g6.*", "l4"},
    {"gr6.*", "l4"},
    {"g6e.*", "l40s"},
    {"p3.*", "v100-16"},
    {"p3dn.*", "v100-32"},
    {"p4d.*", "a100-sxm-40"},
    {"p4de.*", "a100-sxm-80"},
    {"p5.*", "h100-sxm"},
    {"p5e.*", "h200"},
    {"p5en.*", "h200"},
    {"p6-b200.*", "b200"},
    {"p6-b300.*", "b300"},
    {"a2-highgpu-*", "a100-sxm-40"},
    {"a2-megagpu-*", "a100-sxm-40"},
    {"a2-ultragpu-*", "a100-sxm-80"},
    {"a3-highgpu-*", "h100-sxm"},
    {"a3-megagpu-*", "h100-sxm"},
    {"a3-edgegpu-*", "h100-sxm"},
    {"a3-ultragpu-*", "h200"},
    {"a4-highgpu-*", "b200"},
    {"g2-standard-*", "l4"},
    {"standard_nc24ads_a100_v4", "a100-pcie-80"},
    {"standard_nc48ads_a100_v4", "a100-pcie-80"},
    {"standard_nc96ads_a100_v4", "a100-pcie-80"},
    {"standard_nd96asr_v4", "a100-sxm-40"},
    {"standard_nd96amsr_a100_v4", "a100-sxm-80"},
    {"standard_nc40ads_h100_v5", "h100-nvl"},
    {"standard_nc80adis_h100_v5", "h100-nvl"},
    {"standard_nd96isr_h100_v5", "h100-sxm"},
    {"standard_nd96isr_h200_v5", "h200"},
    {"standard_nc4as_t4_v3", "t4"},
    {"standard_nc8as_t4_v3", "t4"},
    {"standard_nc16as_t4_v3", "t4"},
    {"standard_nc64as_t4_v3", "t4"},
    {"standard_nc6s_v3", "v100-16"},
    {"standard_nc12s_v3", "v100-16"},
    {"standard_nc24s_v3", "v100-16"},
    {"standard_nc24rs_v3", "v100-16"},
    {"standard_nd40rs_v2", "v100-32"},
    {"standard_nv36ads_a10_v5", "a10"}, // smaller ones have a part of a card
    {"standard_nv36adms_a10_v5", "a10"},
    {"standard_nv72ads_a10_v5", "a10"},
    {"standard_ncc40ads_h100_v5", "h100-nvl"},
    {"standard_nd96isr_mi300x_v5", "mi300x"},
    {"standard_nd96is_mi300x_v5", "mi300x"},
    {"vm.gpu2.*", "p100-pcie-16"},
    {"bm.gpu2.*", "p100-pcie-16"},
    {"vm.gpu3.*", "v100-16"},
    {"bm.gpu3.*", "v100-16"},
    {"bm.gpu4.8", "a100-sxm-40"},
    {"vm.gpu.a10.*", "a10"},
    {"bm.gpu.a10.*", "a10"},
    {"bm.gpu.a100-v2.*", "a100-sxm-80"},
    {"vm.gpu.a100.80g.*", "a100-sxm-80"},
    {"vm.gpu.a100.40g.*", "a100-sxm-40"},
    {"bm.gpu.l40s*", "l40s"},
    {"bm.gpu.h100.*", "h100-sxm"},
    {"bm.gpu.h200.*", "h200"},
    {"bm.gpu.b200.*", "b200"},
    {"bm.gpu.mi300x.*", "mi300x"},
    {"gx3-16x80x1l4", "l4"},
    {"gx3-32x160x2l4", "l4"},
    {"gx3-64x320x4l4", "l4"},
    {"gx3-24x120x1l40s", "l40s"},
    {"gx3-48x240x2l40s", "l40s"},
    {"gx3d-160x1792x8h100", "h100-sxm"},
    {"gx3d-160x1792x8h200", "h200"},
};

static bool fits(const char *pattern, const char *value)
{
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*') {
        return strncmp(value, pattern, length - 1) == 0;
    }
    return strcmp(pattern, value) == 0;
}

// Time slicing adds "-SHARED" to the product.
static void lower(char *out, size_t capacity, const char *text)
{
    (void)kvb_copy(out, capacity, text);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    size_t length = strlen(out);
    if (length > 7 && strcmp(out + length - 7, "-shared") == 0) {
        out[length - 7] = '\0';
    }
}

// Machines of SageMaker are those of EC2 with "ml." in front.
static const char *without_front(char *wanted)
{
    if (kvb_starts_with(wanted, "ml.")) {
        memmove(wanted, wanted + 3, strlen(wanted + 3) + 1);
    }
    return wanted;
}

bool kvb_gpu_label(const char *key, const char *value, char *gpu, size_t capacity)
{
    char wanted[KVB_LABEL_CAPACITY];
    bool known = false;
    for (size_t i = 0; i < sizeof product_keys / sizeof product_keys[0] && !known; i++) {
        known = strcmp(key, product_keys[i]) == 0;
    }
    bool hint = !known && kvb_gpu_is_hint(key);
    if ((!known && !hint) || value[0] == '\0') {
        return false;
    }
    lower(wanted, sizeof wanted, value);
    (void)without_front(wanted);
    for (size_t i = 0; i < sizeof product_rows / sizeof product_rows[0]; i++) {
        if (fits(product_rows[i].value, wanted)) {
            return kvb_copy(gpu, capacity, product_rows[i].gpu);
        }
    }
    const char *meant = kvb_gpu_meant(wanted);
    if (meant != NULL && hint) {
        return kvb_copy(gpu, capacity, meant);
    }
    bool is_type = strstr(key, "nstance-type") != NULL || strstr(key, "nstance_type") != NULL ||
                   strstr(key, "nstanceType") != NULL || strstr(key, "achine") != NULL ||
                   strstr(key, "vm_size") != NULL || strstr(key, "node_shape") != NULL;
    bool is_switch = strcmp(wanted, "true") == 0 || strcmp(wanted, "false") == 0;
    return !is_type && !is_switch && kvb_copy(gpu, capacity, wanted);
}
