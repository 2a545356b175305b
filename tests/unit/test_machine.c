// What names and totals of a pasted machine mean: which profile, and what CUDA makes of the total.
#include <stdio.h>
#include <string.h>

#include <kvbudget/machine.h>
#include <kvbudget/units.h>

#include "machine/smi.h"
#include "unit/test.h"

static struct kvb_machine machine;
static struct kvb_problems problems;

static void read_one(const char *driver, const char *name, unsigned total_mib)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "index, name, memory.total [MiB], memory.used [MiB], driver_version\n0, %s, %u, 0, %s\n", name,
                   total_mib, driver);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_machine_read("csv", text, strlen(text), &machine, &problems), KVB_OK);
    assert_int_equal(machine.count, 1);
}

// Totals as nvidia-smi printed them; CUDA's in MiB as PyTorch shows it in GiB, or a range of it.
static void test_totals(void **state)
{
    (void)state;
    static const struct {
        const char *driver, *name;
        unsigned total_mib;
        const char *profile;
        uint64_t low_mib, high_mib;
    } rows[] = {
        {"535.104.05", "NVIDIA A100-SXM4-80GB", 81920, "a100-sxm-80", 80998, 81255}, // 79.10 to 79.35
        {"470.57.02", "NVIDIA A100-SXM4-80GB", 81251, "a100-sxm-80", 81251, 81251},  // 79.35: no reserve in it
        {"535.104.05", "NVIDIA A100-SXM4-40GB", 40960, "a100-sxm-40", 40300, 40540}, // 39.39 to 39.56
        {"580.65.06", "NVIDIA H100 80GB HBM3", 81559, "h100-sxm", 80999, 81110},     // 79.10 to 79.2
        {"580.65.06", "Tesla T4", 15360, "t4", 14909, 15094},                        // 14.56 to 14.74
        {"535.54.03", "NVIDIA GeForce RTX 4090", 24564, "rtx4090", 24200, 24230},    // 23.64 to 23.66
        {"535.54.03", "NVIDIA GeForce RTX 3090", 24576, "rtx3090", 24120, 24270},    // 23.56 to 23.70
        {"460.32.03", "GeForce RTX 3090", 24268, "rtx3090", 24268, 24268},           // 23.70
        {"550.54.15", "NVIDIA RTX A6000", 46068, "rtx-a6000", 45300, 46067},         // ECC on: a sixteenth less
        {"535.54.03", "NVIDIA A100-SXM...", 40960, "a100-sxm-40", 40300, 40540},     // cut: the total decides
        {"418.87.00", "Tesla V100-SXM2...", 16130, "v100-16", 16130, 16130},
        {"535.54.03", "NVIDIA GeForce ...", 24576, "", 24576, 24576}, // several kinds: none is taken
        {"535.54.03", "Some New Card", 49152, "", 49152, 49152},
        {"580.65.06", "NVIDIA H200", 24564, "", 24564, 24564}, // a name with a total that cannot be its own
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_one(rows[i].driver, rows[i].name, rows[i].total_mib);
        const struct kvb_device *device = &machine.devices[0];
        const char *profile = device->recognised ? device->gpu.id : "";
        uint64_t memory = device->gpu.memory_bytes;
        if (strcmp(profile, rows[i].profile) != 0 || memory < rows[i].low_mib * KVB_MIB ||
            memory > (rows[i].high_mib + 1) * KVB_MIB) {
            fail_msg("%s: profile '%s', %llu MiB", rows[i].name, profile, (unsigned long long)(memory / KVB_MIB));
        }
        assert_int_equal(device->gpu.device_bytes, rows[i].total_mib * KVB_MIB);
        assert_int_equal(device->free_bytes.value, memory); // nothing is in use
        bool before_reserves = rows[i].driver[0] == '4';
        assert_int_equal(device->gpu.memory_basis, before_reserves ? KVB_BASIS_MEASURED : KVB_BASIS_MODELLED);
        assert_true(device->gpu.memory_low_bytes <= memory && memory <= device->gpu.memory_high_bytes);
        assert_true(device->gpu.memory_high_bytes <= device->gpu.device_bytes);
        assert_true(before_reserves == (device->gpu.memory_low_bytes == device->gpu.memory_high_bytes));
    }
}

// A name that was cut is completed when only one card fits, and kept when several alike do.
static void test_cut_names(void **state)
{
    (void)state;
    read_one("535.54.03", "NVIDIA A100-SXM...", 40960);
    assert_string_equal(machine.devices[0].gpu.name, "NVIDIA A100-SXM4-40GB");
    read_one("580.65.06", "NVIDIA RTX PRO 6000 Blac...", 97887);
    assert_true(machine.devices[0].recognised);
    assert_string_equal(machine.devices[0].gpu.name, "NVIDIA RTX PRO 6000 Blac...");
    assert_int_equal(machine.devices[0].gpu.compute_capability, 120);
}

static void test_order_and_labels(void **state)
{
    (void)state;
    static const char text[] = "index, memory.total [MiB]\n5, 100\n0, 100\n";
    char label[32];
    kvb_problems_init(&problems);
    assert_int_equal(kvb_machine_read("csv", text, sizeof text - 1, &machine, &problems), KVB_OK);
    assert_string_equal(kvb_device_label(label, &machine.devices[0]), "0");
    assert_string_equal(kvb_device_label(label, &machine.devices[1]), "5");
    assert_true(kvb_device_usable(&machine.devices[0]));
    assert_false(machine.devices[0].free_bytes.known); // neither used nor free was said
}

// MemAvailable, at most the GPU's own total; without a file everything stays as it was.
static void test_host_memory(void **state)
{
    (void)state;
    static const char meminfo[] = "MemTotal:       16000 kB\nMemFree: 1 kB\nMemAvailable:   4000 kB\n";
    const char *path = "meminfo.test";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    (void)fwrite(meminfo, 1, sizeof meminfo - 1, file);
    (void)fclose(file);
    memset(&machine, 0, sizeof machine);
    machine.count = 2;
    machine.devices[0].unified = true;
    kvb_machine_share_host(&machine, "/no/such/file");
    assert_int_equal(machine.devices[0].gpu.memory_bytes, 0);
    kvb_machine_share_host(&machine, path);
    (void)remove(path);
    assert_int_equal(machine.devices[0].gpu.memory_bytes, 16000 * KVB_KIB);
    assert_int_equal(machine.devices[0].free_bytes.value, 4000 * KVB_KIB);
    assert_int_equal(machine.devices[0].used_bytes.value, 12000 * KVB_KIB);
    assert_true(machine.devices[0].gpu.unified_memory);
    assert_int_equal(machine.devices[1].gpu.memory_bytes, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(test_totals), cmocka_unit_test(test_cut_names), cmocka_unit_test(test_order_and_labels),
              cmocka_unit_test(test_host_memory))
