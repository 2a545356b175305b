// The driver asked through a fake NVML library (tests/fake_nvml.c): every call, and every call failing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <kvbudget/machine.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "unit/test.h"

static struct kvb_machine machine;
static struct kvb_problems problems;

static enum kvb_status ask(const char *library, const char *failures)
{
    assert_int_equal(setenv("FAKE_NVML_FAIL", failures, 1), 0);
    kvb_problems_init(&problems);
    memset(&machine, 0, sizeof machine);
    return kvb_machine_ask(library, &machine, &problems);
}

static void assert_mib(const struct kvb_figure *figure, uint64_t mib)
{
    assert_true(figure->known);
    assert_int_equal(figure->value / KVB_MIB, mib);
    assert_int_equal(figure->value % KVB_MIB, 0);
}

static const struct kvb_device *device_called(const char *label)
{
    for (uint32_t i = 0; i < machine.count; i++) {
        char text[32];
        if (strcmp(kvb_device_label(text, &machine.devices[i]), label) == 0) {
            return &machine.devices[i];
        }
    }
    fail_msg("no device %s", label);
    return NULL;
}

static void test_whole(void **state)
{
    (void)state;
    assert_int_equal(ask(KVB_FAKE_NVML, ""), KVB_OK);
    assert_int_equal(problems.count, 0);
    assert_int_equal(machine.count, 5); // three GPUs that may be seen and two slices
    assert_string_equal(machine.driver, "580.65.06");
    assert_string_equal(machine.cuda, "13.0");
    const struct kvb_device *a100 = device_called("0");
    assert_string_equal(a100->name, "NVIDIA A100-SXM4-80GB");
    assert_string_equal(a100->uuid, "GPU-a100");
    assert_mib(&a100->total_bytes, 81920);
    assert_mib(&a100->reserved_bytes, 655);
    assert_mib(&a100->used_bytes, 34332);
    assert_mib(&a100->free_bytes, 81920 - 655 - 34332);
    assert_int_equal(a100->gpu.memory_bytes, (81920 - 655) * KVB_MIB); // CUDA: total less reserve
    assert_int_equal(a100->load_percent.value, 100);
    assert_string_equal(a100->gpu.id, "a100-sxm-80");
    assert_true(kvb_device_usable(a100));
}

static void test_processes(void **state)
{
    (void)state;
    assert_int_equal(ask(KVB_FAKE_NVML, ""), KVB_OK);
    const struct kvb_device *a100 = device_called("0");
    assert_int_equal(a100->process_count, 3); // the one in both lists counts once
    assert_int_equal(a100->processes[0].pid, 812034);
    assert_string_equal(a100->processes[0].name, "/usr/bin/python3");
    assert_mib(&a100->processes[0].used_bytes, 34318);
    assert_false(a100->processes[0].graphics);
    assert_false(a100->processes[1].used_bytes.known); // NVML_VALUE_NOT_AVAILABLE
    assert_int_equal(a100->processes[2].pid, 77);
    assert_true(a100->processes[2].graphics);
    assert_string_equal(a100->processes[2].name, "");
}

static void test_slices(void **state)
{
    (void)state;
    assert_int_equal(ask(KVB_FAKE_NVML, ""), KVB_OK);
    assert_true(device_called("1")->mig_enabled);
    assert_false(kvb_device_usable(device_called("1")));
    const struct kvb_device *slice = device_called("1:2");
    assert_true(slice->is_slice);
    assert_int_equal(slice->gpu_instance, 2);
    assert_string_equal(slice->uuid, "MIG-2");
    assert_mib(&slice->total_bytes, 40448);
    assert_mib(&slice->free_bytes, 40448 - 20528);
    assert_int_equal(slice->process_count, 1);
    assert_true(kvb_device_usable(slice));
    assert_int_equal(slice->gpu.compute_capability, 90); // the GPU's own
}

// GB10 gives no memory figures: the total is the profile's, and what is free is the host's.
static void test_unified(void **state)
{
    (void)state;
    assert_int_equal(ask(KVB_FAKE_NVML, ""), KVB_OK);
    const struct kvb_device *gb10 = device_called("2");
    assert_true(gb10->unified);
    assert_true(gb10->gpu.memory_bytes > 121 * KVB_GIB && gb10->gpu.memory_bytes < 122 * KVB_GIB);
    assert_true(gb10->free_bytes.known);
    assert_true(gb10->free_bytes.value <= gb10->gpu.memory_bytes);
}

// Without version 2 the reserve is among what is used; the profile tells it apart (81920 MiB less
// 79.25 GiB = 768 MiB).
static void test_version_1(void **state)
{
    (void)state;
    static const struct {
        const char *library, *failures;
    } rows[] = {{KVB_FAKE_NVML, "memory_v2=25"}, {KVB_FAKE_NVML_OLD, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ask(rows[i].library, rows[i].failures), KVB_OK);
        const struct kvb_device *a100 = device_called("0");
        assert_mib(&a100->total_bytes, 81920);
        assert_mib(&a100->reserved_bytes, 768);
        assert_mib(&a100->free_bytes, 81920 - 655 - 34332);
        assert_int_equal(a100->gpu.memory_bytes, (81920 - 768) * KVB_MIB);
    }
}

static void test_old_library(void **state)
{
    (void)state;
    assert_int_equal(ask(KVB_FAKE_NVML_OLD, ""), KVB_OK);
    assert_int_equal(machine.count, 3);
    assert_string_equal(machine.cuda, "");
    const struct kvb_device *a100 = device_called("0");
    assert_int_equal(a100->process_count, 1);
    assert_string_equal(a100->processes[0].name, "");
    assert_string_equal(a100->uuid, "");
    assert_false(a100->load_percent.known);
    assert_false(device_called("1")->mig_enabled);
}

// What a driver declines to say is left out; what nothing works without is said.
static void test_every_failure(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        bool fatal;
    } rows[] = {{"init", true},         {"shutdown", false},        {"count", true},       {"handle", true},
                {"name", false},        {"driver", false},          {"cuda", false},       {"uuid", false},
                {"utilization", false}, {"compute", false},         {"graphics", false},   {"process", false},
                {"mig_mode", false},    {"mig_max", false},         {"mig_handle", false}, {"gpu_instance", false},
                {"memory_v2", false},   {"compute_instance", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char failures[64];
        (void)snprintf(failures, sizeof failures, "%s=15", rows[i].call);
        enum kvb_status status = ask(KVB_FAKE_NVML, failures);
        if (status != (rows[i].fatal ? KVB_DEVICE_FAILED : KVB_OK)) {
            fail_msg("%s: status %d", rows[i].call, (int)status);
        }
        assert_int_equal(problems.count, rows[i].fatal ? 1 : 0);
        assert_int_equal(machine.count > 0, !rows[i].fatal);
    }
    assert_int_equal(kvb_status_exit_code(KVB_DEVICE_FAILED), 4);
}

static void test_sentences(void **state)
{
    (void)state;
    static const struct {
        const char *library, *failures, *text;
    } rows[] = {
        {KVB_FAKE_NVML, "init=9", "the NVIDIA driver cannot be reached: Driver Not Loaded (NVML code 9)"},
        {KVB_FAKE_NVML, "count=15", "the NVIDIA driver cannot count its GPUs: GPU is lost (NVML code 15)"},
        {KVB_FAKE_NVML, "handle=999", "the NVIDIA driver cannot open a GPU: Some?[31m Error (NVML code 999)"},
        {KVB_FAKE_NVML, "memory_v2=25 memory=15",
         "the NVIDIA driver cannot say how much memory a GPU has: GPU is lost (NVML code 15)"},
        {KVB_FAKE_NVML, "handle=4", "the NVIDIA driver answers, but it has no GPU that may be used from here"},
        {"/no/such/library.so", "",
         "no NVIDIA driver answers here (/no/such/library.so cannot be opened); give the output of nvidia-smi or "
         "rocm-smi --json with --gpu-state FILE, or - for standard input"},
        {KVB_FAKE_NVML_EMPTY, "", "the NVML library has no nvmlInit_v2; is it NVIDIA's?"},
    };
    for (unsigned code = 3; code <= 6; code++) { // not supported, no permission, (there is no 5), not found
        char failures[64];
        (void)snprintf(failures, sizeof failures, "memory_v2=25 memory=%u", code);
        assert_int_equal(ask(KVB_FAKE_NVML, failures), code == 5 ? KVB_DEVICE_FAILED : KVB_OK);
        assert_true(code == 5 || !device_called("0")->used_bytes.known);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ask(rows[i].library, rows[i].failures), KVB_DEVICE_FAILED);
        assert_int_equal(problems.count, 1);
        assert_string_equal(problems.items[0].text, rows[i].text);
        assert_int_equal(machine.count, 0);
    }
}

// Where no library is named, the usual ones are asked: a machine without a driver says so.
static void test_usual_library(void **state)
{
    (void)state;
    if (ask(NULL, "") != KVB_OK) {
        assert_int_equal(problems.count, 1);
        assert_int_equal(problems.items[0].status, KVB_DEVICE_FAILED);
        assert_int_equal(machine.count, 0);
    } else {
        assert_true(machine.count > 0);
    }
}

static void test_many(void **state)
{
    (void)state;
    assert_int_equal(setenv("FAKE_NVML_COUNT", "100", 1), 0);
    assert_int_equal(ask(KVB_FAKE_NVML, "handle=0"), KVB_DEVICE_FAILED);
    assert_int_equal(unsetenv("FAKE_NVML_COUNT"), 0);
    assert_int_equal(problems.count, 1);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 40; n++) {
        kvb_memory_fail_after(n);
        enum kvb_status status = ask(KVB_FAKE_NVML, "");
        kvb_memory_fail_after(0);
        assert_true(status == KVB_OK || status == KVB_NO_MEMORY);
        assert_true(n > 1 || status == KVB_NO_MEMORY);
    }
}

// The tool itself, on the fake machine: exit code and a part of what it writes.
static void test_tool(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int code;
        const char *part;
    } rows[] = {
        {"probe", 0, "3 GPUs, 2 MIG slices, driver 580.65.06"},
        {"probe --json", 0, "\"source\": \"NVML\""},
        {"probe --model Qwen/Qwen2.5-0.5B-Instruct --gpu 1 --json", 0,
         "\"environment\": \"CUDA_VISIBLE_DEVICES=MIG-0\""},
        {"plan --model Qwen/Qwen2.5-0.5B-Instruct --gpu live:0 --json", 1, "\"devices\": \"0\""},
        {"plan --model Qwen/Qwen2.5-0.5B-Instruct --gpu live:GPU-a100 --gpu-memory-utilization 0.5", 0,
         "GPU 0 (45.83 of 79.36 GiB free, 100 % load)"},
        {"plan --model Qwen/Qwen2.5-0.5B-Instruct --gpu live:9 --json", 3, "it has 0, 1, 1:0, 1:2, 2"},
        {"plan --model Qwen/Qwen2.5-0.5B-Instruct --gpu live:1 --json", 0, "\"devices\": \"1:0\""},
        {"plan --model no/such --gpu live --json", 3, "unknown_name"},
    };
    assert_int_equal(setenv("KVBUDGET_NVML", KVB_FAKE_NVML, 1), 0);
    assert_int_equal(setenv("FAKE_NVML_FAIL", "", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static char answer[65536];
        char command[1024];
        (void)snprintf(command, sizeof command, "'%s' %s 2>/dev/null", KVB_TOOL, rows[i].arguments);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        size_t length = fread(answer, 1, sizeof answer - 1, pipe);
        answer[length] = '\0';
        int code = pclose(pipe);
        if (!WIFEXITED(code) || WEXITSTATUS(code) != rows[i].code || strstr(answer, rows[i].part) == NULL) {
            fail_msg("%s: exit %d\n%s", rows[i].arguments, WEXITSTATUS(code), answer);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_whole), cmocka_unit_test(test_processes), cmocka_unit_test(test_slices),
              cmocka_unit_test(test_unified), cmocka_unit_test(test_version_1), cmocka_unit_test(test_old_library),
              cmocka_unit_test(test_every_failure), cmocka_unit_test(test_sentences),
              cmocka_unit_test(test_usual_library), cmocka_unit_test(test_many), cmocka_unit_test(test_no_memory),
              cmocka_unit_test(test_tool))
