// The GPU catalogue: every profile reads strictly, names find their card, totals meet what was seen.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/text.h"
#include "catalogue/builtin.h"
#include "text/tree.h"
#include "unit/test.h"

static struct kvb_problems problems;

static enum kvb_status load(const char *name, struct kvb_gpu *gpu)
{
    kvb_problems_init(&problems);
    return kvb_gpu_load(name, gpu, &problems);
}

// Calls of the library come here first (--wrap): how near names are is asked only when none was found.
unsigned __real_kvb_edit_distance(const char *a, const char *b);
unsigned __wrap_kvb_edit_distance(const char *a, const char *b);
static unsigned distances;

unsigned __wrap_kvb_edit_distance(const char *a, const char *b)
{
    distances++;
    return __real_kvb_edit_distance(a, b);
}

static void test_no_distances(void **state)
{
    (void)state;
    struct kvb_gpu gpu;
    struct kvb_model_source source;
    static struct kvb_model model;
    static const char *const names[] = {"l4", "l40s", "NVIDIA L40S", "NVIDIA H100 80GB HBM3", "mi300x"};
    distances = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(load(names[i], &gpu), KVB_OK);
    }
    assert_int_equal(kvb_model_load("Qwen/Qwen3-8B", NULL, &model, &source, &problems), KVB_OK);
    assert_int_equal(distances, 0);
    assert_int_not_equal(load("l40x", &gpu), KVB_OK);
    assert_true(distances > 0);
}

// Sorted as the header promises, found by id in any case.
static void test_table_is_sorted(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        char upper[KVB_NAME_CAPACITY];
        assert_true(kvb_copy(upper, sizeof upper, rows[i].id));
        for (char *c = upper; *c; c++) {
            *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
        }
        if (kvb_builtin_find(rows[i].kind, upper) != &rows[i]) {
            fail_msg("%s is not found", upper);
        }
        assert_true(strlen(rows[i].text) == rows[i].length);
    }
    assert_null(kvb_builtin_find(KVB_PROFILE_GPU, "no such"));
    assert_int_equal(strlen(kvb_builtins_digest()), 12);
}

static void check_one(const struct kvb_builtin *row)
{
    struct kvb_gpu gpu;
    if (load(row->id, &gpu) != KVB_OK) {
        fail_msg("%s: %s", row->id, problems.items[0].text);
    }
    assert_string_equal(gpu.id, row->id);
    assert_int_equal(problems.count, 0);
    bool ordered = gpu.memory_low_bytes <= gpu.memory_bytes && gpu.memory_bytes <= gpu.memory_high_bytes;
    bool plausible = gpu.memory_bytes > KVB_GIB && gpu.memory_bytes < 300 * KVB_GIB;
    // A printed total may be rounded up by half a hundredth of a GiB.
    bool within = gpu.device_bytes == 0 || gpu.memory_bytes <= gpu.device_bytes + 6 * KVB_MIB;
    if (!ordered || !plausible || !within) {
        fail_msg("%s: %llu", row->id, (unsigned long long)gpu.memory_bytes);
    }
}

static void test_every_profile(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_GPU, &count);
    assert_true(count >= 123);
    for (size_t i = 0; i < count; i++) {
        check_one(&rows[i]);
    }
    (void)kvb_builtins_of(KVB_PROFILE_KIND_COUNT, &count);
    assert_int_equal(count, 0);
}

// The names in the embedded table are those of the profile: two lists that must agree.
static void test_index_agrees_with_profiles(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_GPU, &count);
    for (size_t i = 0; i < count; i++) {
        char expected[512];
        struct kvb_tree tree;
        kvb_problems_init(&problems);
        assert_int_equal(kvb_tree_read(&tree, rows[i].id, rows[i].text, rows[i].length, &problems), KVB_OK);
        int used = snprintf(expected, sizeof expected, "%s, ", kvb_node_get(tree.root, "name")->text);
        const struct kvb_node *aliases = kvb_node_get(tree.root, "aliases");
        for (const struct kvb_node *alias = aliases->first; alias; alias = alias->next) {
            used +=
                snprintf(expected + used, sizeof expected - (size_t)used, "%s%s", alias->text, alias->next ? ", " : "");
        }
        assert_string_equal(rows[i].names, expected);
        assert_string_equal(kvb_node_get(tree.root, "id")->text, rows[i].id);
        kvb_tree_free(&tree);
    }
}

struct name_row {
    const char *name;
    const char *id;
};

// Names as nvidia-smi prints them in public vLLM issues, and how people shorten them.
static const struct name_row names[] = {
    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
    {"NVIDIA A100-SXM4-80GB", "a100-sxm-80"},
    {"NVIDIA A100-SXM4-40GB", "a100-sxm-40"},
    {"NVIDIA A100 80GB PCIe", "a100-pcie-80"},
    {"NVIDIA A800-SXM4-80GB", "a800-80"},
    {"Tesla V100-SXM2-32GB", "v100-32"},
    {"Tesla T4", "t4"},
    {"NVIDIA A10", "a10"},
    {"NVIDIA A10G", "a10g"},
    {"NVIDIA B200", "b200"},
    {"NVIDIA B300 SXM6 AC", "b300"},
    {"NVIDIA GB10", "gb10"},
    {"NVIDIA GB300", "gb300"},
    {"NVIDIA Thor", "jetson-thor"},
    {"NVIDIA GeForce RTX 3060", "rtx3060-12"},
    {"NVIDIA GeForce RTX 3090", "rtx3090"},
    {"NVIDIA GeForce RTX 4070 Ti SUPER", "rtx4070tisuper"},
    {"NVIDIA GeForce RTX 4090", "rtx4090"},
    {"NVIDIA GeForce RTX 4090 D", "rtx4090d"},
    {"NVIDIA GeForce RTX 5090", "rtx5090"},
    {"NVIDIA GeForce RTX 5090 Laptop GPU", "rtx5090-laptop"},
    {"NVIDIA H100 NVL", "h100-nvl"},
    {"NVIDIA H20", "h20-96"},
    {"NVIDIA H200", "h200"},
    {"NVIDIA H200 NVL", "h200-nvl"},
    {"NVIDIA H800", "h800"},
    {"NVIDIA L4", "l4"},
    {"NVIDIA L40", "l40"},
    {"NVIDIA L40S", "l40s"},
    {"NVIDIA RTX A5000", "rtx-a5000"},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"},
    {"AMD Instinct MI300X", "mi300x"},
    {"AMD Radeon RX 7900 XTX", "rx7900xtx"},
    {"AMD Radeon RX 9070 XT", "rx9070xt"},
    {"h100", "h100-sxm"},
    {"H100-80GB", "h100-sxm"},
    {"4090", "rtx4090"},
    {"rtx 4090", "rtx4090"},
    {"GeForce RTX 4090", "rtx4090"},
    {"a100 80gb", "a100-sxm-80"},
    {"RTX_3090", "rtx3090"},
    {"T4", "t4"},
    {"mi300x", "mi300x"},
    {"RTX 4060 Ti 16GB", "rtx4060ti-16"},
    {"A6000", "rtx-a6000"},
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct kvb_gpu gpu;
        if (load(names[i].name, &gpu) != KVB_OK || strcmp(gpu.id, names[i].id) != 0) {
            fail_msg("%s: %s", names[i].name, problems.count ? problems.items[0].text : gpu.id);
        }
    }
}

static void test_ambiguous_and_unknown(void **state)
{
    (void)state;
    struct kvb_gpu gpu = {.memory_bytes = 7};
    assert_int_equal(load("RTX 5060 Ti", &gpu), KVB_AMBIGUOUS_NAME);
    assert_string_equal(problems.items[0].text,
                        "several GPUs are called 'RTX 5060 Ti': write rtx5060ti-16 or rtx5060ti-8");
    assert_int_equal(load("Orin", &gpu), KVB_AMBIGUOUS_NAME);
    assert_string_equal(problems.items[0].text,
                        "several GPUs are called 'Orin': write jetson-agx-orin-64 or jetson-orin-nx-16");
    // the first part of several ids: the common one, said aloud, for all families alike
    static const char *const common[][2] = {
        {"NVIDIA A100", "a100-sxm-80"}, {"h100", "h100-sxm"}, {"V100", "v100-16"}, {"gh200", "gh200-96"}};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        char text[128];
        struct kvb_gpu taken;
        assert_int_equal(load(common[i][0], &taken), KVB_OK);
        assert_string_equal(taken.id, common[i][1]);
        (void)snprintf(text, sizeof text, "several GPUs are called '%s': %s is taken, the common one", common[i][0],
                       common[i][1]);
        assert_int_equal(problems.count, 1);
        assert_string_equal(problems.items[0].text, text);
    }
    assert_int_equal(load("jetson-thor2", &gpu), KVB_UNKNOWN_NAME);
    assert_int_equal(load("RTX 409O", &gpu), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "no GPU is called 'RTX 409O'; the nearest is 'rtx4090'"));
    // words in another order are near, a word that only shares a letter is not
    assert_int_equal(load("RTX 4000 Pro", &gpu), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "the nearest is 'rtx-pro-4000"));
    static const char *const far[] = {"cpu", "tpu", "rtx", "m3-max", "'NVIDIA"};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        assert_int_equal(load(far[i], &gpu), KVB_UNKNOWN_NAME);
        assert_null(strstr(problems.items[0].text, "the nearest"));
    }
    assert_int_equal(load("", &gpu), KVB_UNKNOWN_NAME);
    assert_int_equal(load("nvidia", &gpu), KVB_UNKNOWN_NAME);
    assert_int_equal(load("./nowhere.yaml", &gpu), KVB_CANNOT_OPEN);
    assert_int_equal(load("GB", &gpu), KVB_UNKNOWN_NAME); // a unit of nothing
    assert_int_equal(load("agb", &gpu), KVB_UNKNOWN_NAME);
    char name[400];
    memset(name, '4', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(load(name, &gpu), KVB_UNKNOWN_NAME);
    assert_int_equal(strspn(problems.items[0].text + strlen("no GPU is called '"), "4"), 80); // shown so far
    assert_int_equal(gpu.memory_bytes, 7);                                                    // untouched
}

// A name that stands for a card is no less refused for want of memory than one that is a card's own.
static void test_memory(void **state)
{
    (void)state;
    static const char *const asked[] = {"A100", "24GB", "l4", "RTX 4090"};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct kvb_gpu gpu;
        (void)kvb_memory_fail_after(ULONG_MAX);
        assert_int_equal(load(asked[i], &gpu), KVB_OK);
        unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
        assert_true(count > 0);
        for (unsigned long n = 1; n <= count; n++) {
            (void)kvb_memory_fail_once(n);
            enum kvb_status status = load(asked[i], &gpu);
            (void)kvb_memory_fail_once(0);
            assert_int_equal(status, KVB_NO_MEMORY);
            assert_int_equal(problems.count, 1);
        }
    }
}

// A card by the size on its box: less a share that the driver keeps, with a bound.
static void test_nameplate(void **state)
{
    (void)state;
    struct kvb_gpu gpu;
    assert_int_equal(load("24GB", &gpu), KVB_OK);
    assert_string_equal(gpu.name, "GPU sold with 24 GB");
    assert_int_equal(gpu.memory_basis, KVB_BASIS_NAMEPLATE);
    assert_true(gpu.memory_low_bytes < gpu.memory_bytes && gpu.memory_bytes < 24 * KVB_GIB);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_int_equal(load("80 gb", &gpu), KVB_OK);
    assert_int_equal(load("0GB", &gpu), KVB_UNKNOWN_NAME);
    assert_int_equal(load("24GBx", &gpu), KVB_UNKNOWN_NAME);
    assert_int_equal(load("99999GB", &gpu), KVB_UNKNOWN_NAME);
}

// How many of a card, in its name; what the settings say of the split stands.
static void test_counts(void **state)
{
    static const struct {
        const char *text, *gpu;
        uint64_t split;
    } rows[] = {{"2xH100", "H100", 2},
                {"4 x 4090", "4090", 4},
                {"8*A100-SXM4-80GB", "A100-SXM4-80GB", 8},
                {"1x l4", "l4", 1},
                {"4090", "4090", 0},
                {"T4x2", "T4", 2},
                {"H200 x 8", "H200", 8},
                {"MI300X*4", "MI300X", 4},
                {"RTX2060", "RTX2060", 0},
                {"x2", "x2", 0},
                {"./cards/t4x2", "./cards/t4x2", 0},
                {"l4x0", "l4x0", 0},
                {"l4x65", "l4x65", 0},
                {"l4,t4x2", "l4,t4x2", 0},
                {"100xH100", "100xH100", 0},
                {"0xH100", "0xH100", 0},
                {"65xH100", "65xH100", 0},
                {"2*H100", "H100", 2},
                {"2 H100", "2 H100", 0},
                {"   x2", "   x2", 0},
                {"H100x", "H100x", 0},
                {"2x", "2x", 0},
                {"", "", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_deployment deployment;
        kvb_deployment_init(&deployment);
        (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", rows[i].text);
        kvb_deployment_take_gpu_count(&deployment);
        const struct kvb_setting_value *split = &deployment.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
        assert_string_equal(deployment.gpu, rows[i].gpu);
        assert_int_equal(split->set ? split->number : 0, rows[i].split);
    }
    static struct kvb_deployment said;
    kvb_deployment_init(&said);
    (void)snprintf(said.gpu, sizeof said.gpu, "4xH100");
    kvb_settings_set(&said.settings, KVB_SET_PIPELINE_PARALLEL_SIZE, 4, KVB_ORIGIN_FLAG);
    kvb_deployment_take_gpu_count(&said);
    assert_int_equal(said.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].set, 0);
}

struct total_row {
    const char *id;
    const char *total;
    const char *low, *high; // at least as wide as this
    enum kvb_basis basis;
    uint64_t device_mib;
};

static const struct total_row totals[] = {
    // vLLM 0.19 logs of llm-d-planner: total_gpu_memory 79.19GiB; sglang#6027 79.11, vllm#10511 79.22
    {"h100-sxm", "79.19GiB", "79.11GiB", "79.22GiB", KVB_BASIS_MEASURED, 81559},
    // vllm-omni#276 79.32, litgpt's tutorial 79.15
    {"a100-sxm-80", "79.25GiB", "79.15GiB", "79.32GiB", KVB_BASIS_MEASURED, 81920},
    // LlamaFactory#7234 23.64, packnet-sfm#250 23.65
    {"rtx4090", "23.64GiB", "23.5GiB", "23.68GiB", KVB_BASIS_MEASURED, 24564},
    // (189471 - 742) MiB, NVIDIA/k8s-test-infra qx-gb200.xml
    {"gb200", "188729MiB", "184.2GiB", "184.4GiB", KVB_BASIS_MODELLED, 189471},
    // nvidia-smi 46068 MiB and nothing else: 46068 - 430 - 46068/512 = 45548.02
    {"rtx-5880-ada", "45548.0234375MiB", "44.2GiB", "44.7GiB", KVB_BASIS_MODELLED, 46068},
    // data sheet 48 GB, AMD: 51539607552 / 1000 * 997 (whole thousandths)
    {"w7900", "51384988179B", "47.6GiB", "48GiB", KVB_BASIS_NAMEPLATE, 0},
    // 97285 MiB of 97871: _CudaDeviceProperties of an H20
    {"h20-96", "95GiB", "94.9GiB", "95.1GiB", KVB_BASIS_MEASURED, 97871},
    // nvidia-smi of a vLLM host: 14728 MiB used and 245 free of 15356, so that 383 are kept back
    {"a16", "14973MiB", "14.5GiB", "14.7GiB", KVB_BASIS_MODELLED, 15356},
    // two public sets of logs, of kyuz0 and boxwrench
    {"r9700", "31.86GiB", "31.8GiB", "31.9GiB", KVB_BASIS_MEASURED, 0},
    // what torch says of the card while it is short, apollo-mg/Project-Apollo
    {"rx9070xt", "15.92GiB", "15.8GiB", "16GiB", KVB_BASIS_MEASURED, 0},
};

static void test_totals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        struct kvb_gpu gpu;
        uint64_t total = 0;
        uint64_t low = 0;
        uint64_t high = 0;
        assert_int_equal(load(totals[i].id, &gpu), KVB_OK);
        assert_true(kvb_parse_bytes(totals[i].total, &total) && kvb_parse_bytes(totals[i].low, &low) &&
                    kvb_parse_bytes(totals[i].high, &high));
        if (gpu.memory_bytes != total || gpu.memory_low_bytes > low || gpu.memory_high_bytes < high ||
            gpu.memory_basis != totals[i].basis || gpu.device_bytes != totals[i].device_mib * KVB_MIB) {
            fail_msg("%s: %llu (%llu to %llu)", totals[i].id, (unsigned long long)gpu.memory_bytes,
                     (unsigned long long)gpu.memory_low_bytes, (unsigned long long)gpu.memory_high_bytes);
        }
    }
}

static void test_facts(void **state)
{
    (void)state;
    struct kvb_gpu gpu;
    assert_int_equal(load("h100-sxm", &gpu), KVB_OK);
    assert_int_equal(gpu.compute_capability, 90);
    assert_int_equal(gpu.multiprocessors, 132); // NVIDIA H100 data sheet, SXM
    assert_true(gpu.nvlink && !gpu.bridged && gpu.fp8_native && !gpu.unified_memory);
    assert_int_equal(load("gh200-96", &gpu), KVB_OK);
    assert_true(gpu.nvlink && gpu.bridged);
    assert_int_equal(load("gb10", &gpu), KVB_OK);
    assert_int_equal(gpu.compute_capability, 121);
    assert_true(gpu.unified_memory);
    assert_int_equal(load("mi300x", &gpu), KVB_OK);
    assert_int_equal(gpu.vendor, KVB_VENDOR_AMD);
    assert_int_equal(gpu.compute_capability, 0);
    kvb_gpu_from_memory(UINT64_C(24564) << 20, &gpu);
    assert_string_equal(gpu.name, "GPU with 23.99 GiB");
    assert_int_equal(gpu.memory_basis, KVB_BASIS_STATED);
}

KVB_TEST_MAIN(cmocka_unit_test(test_table_is_sorted), cmocka_unit_test(test_no_distances),
              cmocka_unit_test(test_every_profile), cmocka_unit_test(test_index_agrees_with_profiles),
              cmocka_unit_test(test_names), cmocka_unit_test(test_ambiguous_and_unknown), cmocka_unit_test(test_memory),
              cmocka_unit_test(test_nameplate), cmocka_unit_test(test_counts), cmocka_unit_test(test_totals),
              cmocka_unit_test(test_facts))
