// A `kind: gpu` profile: its keys, and how many bytes CUDA reports as the total.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "catalogue/profile.h"
#include "text/field.h"
#include "text/strict.h"

#define ALIASES_MAX 16
#define TOTALS_MAX 16
#define EVIDENCE_MAX 16
#define MIB_MAX (UINT64_C(1) << 33)

// What the driver keeps back where nobody has looked: 430 MiB and a 512th of the memory meets the
// reserves seen on cards from 8 to 280 GB within the bound below.
#define TYPICAL_RESERVE_BYTES (430 * KVB_MIB)
#define TYPICAL_RESERVE_DIVISOR 512
#define SEEN_BOUND_BYTES (154 * KVB_MIB)    // 0.15 GiB: one driver branch to the next
#define RESERVE_BOUND_BYTES (320 * KVB_MIB) // typical reserves miss by up to this
#define NAMEPLATE_LESS_PERMILLE 26          // ECC and driver together: the median of 94 cards whose total is logged
#define SHARED_LESS_PERMILLE 40             // of memory shared with the host the system decides
#define NAMEPLATE_BOUND_PERCENT 8
#define AMD_LESS_PERMILLE 3 // seen: 31.86 of 32, 23.98 of 24, 191.45 of 192, 287.98 of 288 GiB
#define AMD_BOUND_PERMILLE 10

struct raw {
    char kind[16];
    uint64_t schema;
    char id[64];
    char name[KVB_NAME_CAPACITY];
    char aliases[ALIASES_MAX][96];
    uint32_t alias_count;
    enum kvb_vendor vendor;
    uint64_t nameplate_gb, nvidia_smi_total_mib, driver_reserved_mib;
    uint64_t totals[TOTALS_MAX]; // bytes
    uint32_t total_count;
    char compute_capability[8];
    uint64_t multiprocessors, bandwidth_gb_s;
    bool nvlink, bridged, cdna, unified_memory, fp8_native;
    char note[256];
    char evidence[EVIDENCE_MAX][256];
    uint32_t evidence_count;
};

static const char *const vendor_words[] = {"nvidia", "amd", "intel", "other", NULL};

static const struct kvb_field_row rows[] = {
    {"kind", KVB_FIELD_TEXT, KVB_AT(struct raw, kind), .help = "always `gpu`"},
    {"schema", KVB_FIELD_WHOLE, KVB_AT(struct raw, schema), .minimum = 1, .maximum = 1,
     .help = "always 1; a new meaning of a key raises it"},
    {"id", KVB_FIELD_TEXT, KVB_AT(struct raw, id), .help = "short name for the command line; the name when left out"},
    {"name", KVB_FIELD_TEXT, KVB_AT(struct raw, name), .required = true, .help = "the name nvidia-smi prints"},
    {"aliases", KVB_FIELD_TEXT_LIST, KVB_LIST_AT(struct raw, aliases, alias_count), .help = "other names it goes by"},
    {"vendor", KVB_FIELD_WORD, KVB_AT(struct raw, vendor), .words = vendor_words,
     .help = "who makes it; nvidia when left out"},
    {"nameplate_gb", KVB_FIELD_WHOLE, KVB_AT(struct raw, nameplate_gb), .minimum = 1, .maximum = 1048576,
     .help = "memory by the data sheet"},
    {"nvidia_smi_total_mib", KVB_FIELD_WHOLE, KVB_AT(struct raw, nvidia_smi_total_mib), .minimum = 1,
     .maximum = MIB_MAX, .help = "total that nvidia-smi prints"},
    {"driver_reserved_mib", KVB_FIELD_WHOLE, KVB_AT(struct raw, driver_reserved_mib), .minimum = 0, .maximum = MIB_MAX,
     .help = "what nvidia-smi -q calls reserved"},
    {"cuda_totals_seen", KVB_FIELD_SIZE_LIST, KVB_LIST_AT(struct raw, totals, total_count), .minimum = 1,
     .help = "totals that CUDA, PyTorch or vLLM reported on Linux; the first is reckoned with"},
    {"compute_capability", KVB_FIELD_TEXT, KVB_AT(struct raw, compute_capability), .help = "\"9.0\""},
    {"multiprocessors", KVB_FIELD_WHOLE, KVB_AT(struct raw, multiprocessors), .minimum = 1, .maximum = 4096,
     .help = "SMs or compute units"},
    {"nvlink", KVB_FIELD_SWITCH, KVB_AT(struct raw, nvlink), .help = "a data-centre module with NVLink"},
    {"bridged", KVB_FIELD_SWITCH, KVB_AT(struct raw, bridged), .help = "its NVLink has no switch"},
    {"cdna", KVB_FIELD_SWITCH, KVB_AT(struct raw, cdna), .help = "AMD's data-centre architecture"},
    {"unified_memory", KVB_FIELD_SWITCH, KVB_AT(struct raw, unified_memory), .help = "shares its memory with the CPU"},
    {"fp8_native", KVB_FIELD_SWITCH, KVB_AT(struct raw, fp8_native), .help = "multiplies FP8 in hardware"},
    {"bandwidth_gb_s", KVB_FIELD_WHOLE, KVB_AT(struct raw, bandwidth_gb_s), .minimum = 1, .maximum = 1048576,
     .help = "memory bandwidth"},
    {"note", KVB_FIELD_TEXT, KVB_AT(struct raw, note), .help = "what a reader should know"},
    {"evidence", KVB_FIELD_TEXT_LIST, KVB_LIST_AT(struct raw, evidence, evidence_count),
     .help = "where the figures were seen"},
};

const struct kvb_schema kvb_gpu_schema = KVB_SCHEMA("a GPU profile", rows);

// "9.0" -> 90, "12.1" -> 121.
static bool parse_capability(const char *text, uint32_t *capability)
{
    uint32_t value = 0;
    size_t digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 3; text++, digits++) {
        value = value * 10 + (uint32_t)(*text - '0');
    }
    if (digits == 0 || text[0] != '.' || text[1] < '0' || text[1] > '9' || text[2] != '\0') {
        return false;
    }
    *capability = value * 10 + (uint32_t)(text[1] - '0');
    return true;
}

static void use_seen_totals(const struct raw *raw, struct kvb_gpu *gpu)
{
    uint64_t lowest = UINT64_MAX;
    uint64_t highest = 0;
    for (uint32_t i = 0; i < raw->total_count; i++) {
        lowest = kvb_min(lowest, raw->totals[i]);
        highest = kvb_max(highest, raw->totals[i]);
    }
    gpu->memory_bytes = raw->totals[0];
    gpu->memory_low_bytes = kvb_less(lowest, SEEN_BOUND_BYTES);
    gpu->memory_high_bytes = highest + SEEN_BOUND_BYTES;
    gpu->memory_basis = KVB_BASIS_MEASURED;
}

static void use_reserve(uint64_t reserve, uint64_t bound, struct kvb_gpu *gpu)
{
    gpu->memory_bytes = kvb_less(gpu->device_bytes, reserve);
    gpu->memory_low_bytes = kvb_less(gpu->memory_bytes, bound);
    gpu->memory_high_bytes = gpu->memory_bytes + bound;
    gpu->memory_basis = KVB_BASIS_MODELLED;
}

static void use_nameplate(uint64_t nameplate_bytes, struct kvb_gpu *gpu)
{
    uint64_t less_permille = gpu->unified_memory ? SHARED_LESS_PERMILLE : NAMEPLATE_LESS_PERMILLE;
    gpu->memory_bytes = nameplate_bytes / 1000 * (1000 - less_permille);
    gpu->memory_low_bytes = gpu->memory_bytes / 100 * (100 - NAMEPLATE_BOUND_PERCENT);
    gpu->memory_high_bytes = gpu->memory_bytes / 100 * (100 + NAMEPLATE_BOUND_PERCENT);
    gpu->memory_basis = KVB_BASIS_NAMEPLATE;
}

// AMD's cards hold their nameplate in GiB and report nearly all of it; of memory shared with the host the kernel
// decides.
static void use_amd_nameplate(uint64_t nameplate_bytes, struct kvb_gpu *gpu)
{
    gpu->memory_bytes = nameplate_bytes / 1000 * (1000 - AMD_LESS_PERMILLE);
    gpu->memory_low_bytes = nameplate_bytes / 1000 * (1000 - AMD_BOUND_PERMILLE);
    gpu->memory_high_bytes = nameplate_bytes;
    gpu->memory_basis = KVB_BASIS_NAMEPLATE;
}

// The best figure there is: seen, then total less a seen reserve, less a typical one, then the data sheet.
static void fill_memory(const struct raw *raw, struct kvb_gpu *gpu)
{
    gpu->device_bytes = raw->nvidia_smi_total_mib * KVB_MIB;
    if (raw->total_count > 0) {
        use_seen_totals(raw, gpu);
    } else if (gpu->device_bytes > 0 && raw->driver_reserved_mib > 0) {
        use_reserve(raw->driver_reserved_mib * KVB_MIB, SEEN_BOUND_BYTES, gpu);
    } else if (gpu->device_bytes > 0) {
        uint64_t reserve = TYPICAL_RESERVE_BYTES + gpu->device_bytes / TYPICAL_RESERVE_DIVISOR;
        use_reserve(reserve, RESERVE_BOUND_BYTES, gpu);
    } else if (gpu->vendor == KVB_VENDOR_AMD && !gpu->unified_memory) {
        use_amd_nameplate(raw->nameplate_gb * KVB_GIB, gpu);
    } else {
        use_nameplate(raw->nameplate_gb * KVB_GIB, gpu);
    }
    if (gpu->device_bytes >= gpu->memory_bytes) {
        gpu->memory_high_bytes = kvb_min(gpu->memory_high_bytes, gpu->device_bytes);
    }
}

// What one key alone cannot show.
static enum kvb_status check_together(const struct kvb_tree *tree, const struct kvb_node *node, const struct raw *raw,
                                      uint32_t *capability, struct kvb_problems *problems)
{
    if (raw->total_count == 0 && raw->nvidia_smi_total_mib == 0 && raw->nameplate_gb == 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(tree, node),
                               "a GPU profile needs one of the keys 'cuda_totals_seen', 'nvidia_smi_total_mib' and "
                               "'nameplate_gb'");
    }
    if (raw->nvidia_smi_total_mib > 0 && raw->driver_reserved_mib >= raw->nvidia_smi_total_mib) {
        return kvb_expected(tree, kvb_node_get(node, "driver_reserved_mib"), KVB_CONTRADICTION,
                            "less than nvidia_smi_total_mib", problems);
    }
    const struct kvb_node *text = kvb_node_get(node, "compute_capability");
    if (text && !parse_capability(text->text, capability)) {
        return kvb_expected(tree, text, KVB_BAD_TYPE, "major.minor such as \"9.0\"", problems);
    }
    return KVB_OK;
}

static void convert(const struct raw *raw, uint32_t capability, struct kvb_gpu *gpu)
{
    *gpu = (struct kvb_gpu){.vendor = raw->vendor,
                            .compute_capability = capability,
                            .multiprocessors = (uint32_t)raw->multiprocessors,
                            .nvlink = raw->nvlink,
                            .bridged = raw->bridged,
                            .cdna = raw->cdna,
                            .unified_memory = raw->unified_memory,
                            .fp8_native = raw->fp8_native};
    (void)kvb_copy(gpu->name, sizeof gpu->name, raw->name);
    (void)kvb_copy(gpu->id, sizeof gpu->id, raw->id[0] ? raw->id : raw->name);
    fill_memory(raw, gpu);
}

enum kvb_status kvb_gpu_read_node(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_gpu *gpu,
                                  struct kvb_problems *problems)
{
    struct raw raw = {0};
    const struct kvb_reading reading = {tree, NULL, problems};
    uint32_t capability = 0;
    enum kvb_status status = kvb_fields_read(&reading, node, &kvb_gpu_schema, &raw);
    if (status == KVB_OK) {
        status = check_together(tree, node, &raw, &capability, problems);
    }
    if (status == KVB_OK) {
        convert(&raw, capability, gpu);
    }
    return status;
}

enum kvb_status kvb_gpu_read(const char *file, const char *text, size_t length, struct kvb_gpu *gpu,
                             struct kvb_problems *problems)
{
    struct kvb_tree tree;
    enum kvb_status status = kvb_profile_open_as(&tree, file, text, length, KVB_PROFILE_GPU, problems);
    if (status == KVB_OK) {
        status = kvb_gpu_read_node(&tree, tree.root, gpu, problems);
    }
    kvb_tree_free(&tree);
    return status;
}
