// What a machine's GPUs are doing, from whatever tool said it: one row per format, told by content.
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/smi.h"
#include "text/file.h"

#define TEXT_MAX_BYTES ((size_t)16 << 20)
#define LOOK_MAX_BYTES ((size_t)64 << 10)

static bool contains(const struct kvb_smi_text *text, const char *part)
{
    struct kvb_slice head = {text->text, text->length < LOOK_MAX_BYTES ? text->length : LOOK_MAX_BYTES};
    return kvb_slice_find(head, part) != NULL;
}

static bool looks_like_xml(const struct kvb_smi_text *text)
{
    return contains(text, "<nvidia_smi_log") || contains(text, "<?xml");
}

static bool looks_like_query(const struct kvb_smi_text *text)
{
    return contains(text, "NVSMI LOG") || (contains(text, "\nGPU 0000") && contains(text, "FB Memory Usage"));
}

static bool looks_like_table(const struct kvb_smi_text *text)
{
    return (contains(text, "NVIDIA-SMI ") && contains(text, "Version:")) || contains(text, "Memory-Usage") ||
           (contains(text, "MiB /") && contains(text, "|"));
}

static bool looks_like_json(const struct kvb_smi_text *text)
{
    struct kvb_smi_line line = {0};
    size_t offset = 0;
    while (kvb_smi_next(text, &offset, &line)) {
        if (kvb_slice_begins(line.text, "{") || kvb_slice_is(line.text, "[") || kvb_slice_begins(line.text, "[{")) {
            return true;
        }
    }
    return false;
}

static bool looks_like_csv(const struct kvb_smi_text *text)
{
    return contains(text, "memory.") || contains(text, "used_gpu_memory") || contains(text, "index, name");
}

static const struct {
    const char *name;
    bool (*looks_like)(const struct kvb_smi_text *text); // NULL: not pasted
    enum kvb_status (*read)(const struct kvb_smi_text *text, struct kvb_machine *machine);
} formats[KVB_MACHINE_SOURCE_COUNT] = {
    [KVB_MACHINE_NVML] = {"NVML", NULL, NULL},
    [KVB_MACHINE_SMI_TABLE] = {"nvidia-smi table", looks_like_table, kvb_smi_read_table},
    [KVB_MACHINE_SMI_CSV] = {"nvidia-smi CSV", looks_like_csv, kvb_smi_read_csv},
    [KVB_MACHINE_SMI_XML] = {"nvidia-smi XML", looks_like_xml, kvb_smi_read_xml},
    [KVB_MACHINE_SMI_QUERY] = {"nvidia-smi -q", looks_like_query, kvb_smi_read_query},
    [KVB_MACHINE_ROCM_SMI] = {"rocm-smi JSON", looks_like_json, kvb_smi_read_amd},
    [KVB_MACHINE_AMD_SMI] = {"amd-smi JSON", NULL, NULL}, // told apart by the reader above
};

const char *kvb_machine_source_name(enum kvb_machine_source source)
{
    return formats[source].name;
}

// What the tool says when it cannot say more.
static enum kvb_status say_tool_failed(const struct kvb_smi_text *text)
{
    static const char *const failures[] = {"NVIDIA-SMI has failed", "No devices were found",
                                           "Failed to initialize NVML", "command not found", "is not recognized as"};
    struct kvb_smi_line line = {0};
    size_t offset = 0;
    while (kvb_smi_next(text, &offset, &line)) {
        for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
            if (kvb_slice_find(line.text, failures[i]) != NULL) {
                return kvb_smi_fail(text, line.number, 0, "the tool itself failed on that machine: '%.*s'",
                                    (int)kvb_min(line.text.length, 160), line.text.start);
            }
        }
    }
    return KVB_OK;
}

static enum kvb_status say_unknown(const struct kvb_smi_text *text)
{
    enum kvb_status status = say_tool_failed(text);
    if (status != KVB_OK) {
        return status;
    }
    return kvb_smi_fail(text, 1, 0,
                        "this is no output of nvidia-smi, rocm-smi or amd-smi that is known here; expected the plain "
                        "table of nvidia-smi, nvidia-smi -q (-x), --query-gpu=index,name,memory.total,memory.used "
                        "--format=csv with its first line, or rocm-smi or amd-smi --json");
}

static enum kvb_status check_text(const struct kvb_smi_text *text)
{
    if (kvb_slice_trim((struct kvb_slice){text->text, text->length}).length == 0) {
        return kvb_smi_fail(text, 0, 0, "the text is empty; expected the output of nvidia-smi");
    }
    if (memchr(text->text, '\0', text->length) != NULL) {
        return kvb_smi_fail(text, 0, 0,
                            "this is no plain text: a NUL byte is in it; expected the output of nvidia-smi");
    }
    return KVB_OK;
}

static enum kvb_status read_text(const struct kvb_smi_text *text, struct kvb_machine *machine)
{
    static const enum kvb_machine_source order[] = {KVB_MACHINE_SMI_XML, KVB_MACHINE_SMI_QUERY, KVB_MACHINE_SMI_TABLE,
                                                    KVB_MACHINE_ROCM_SMI, KVB_MACHINE_SMI_CSV};
    enum kvb_status status = check_text(text);
    if (status != KVB_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (formats[order[i]].looks_like(text)) {
            machine->source = order[i];
            status = formats[order[i]].read(text, machine);
            return status == KVB_OK ? kvb_machine_settle(machine, text->file, text->problems) : status;
        }
    }
    return say_unknown(text);
}

// What PowerShell writes with `>`: UTF-16, low byte first. All that matters is ASCII.
static size_t narrow(const char *text, size_t length, char *out)
{
    size_t used = 0;
    for (size_t i = 2; i + 1 < length; i += 2) {
        out[used++] = text[i + 1] == '\0' ? text[i] : '?';
    }
    return used;
}

static enum kvb_status read_wide(struct kvb_smi_text *text, struct kvb_machine *machine)
{
    char *narrowed = kvb_reallocate(NULL, text->length / 2 + 1);
    if (narrowed == NULL) {
        return kvb_problem_add(text->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = text->file},
                               "not enough memory to read it");
    }
    text->length = narrow(text->text, text->length, narrowed);
    text->text = narrowed;
    enum kvb_status status = read_text(text, machine);
    kvb_free(narrowed);
    return status;
}

enum kvb_status kvb_machine_read(const char *file, const char *text, size_t length, struct kvb_machine *machine,
                                 struct kvb_problems *problems)
{
    struct kvb_machine *made = kvb_reallocate(NULL, sizeof *made);
    if (made == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file},
                               "not enough memory to read it");
    }
    memset(made, 0, sizeof *made);
    struct kvb_smi_text source = {.file = file, .text = text, .length = length, .problems = problems};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        source.text += 3;
        source.length -= 3;
    }
    bool wide = length >= 2 && memcmp(text, "\xFF\xFE", 2) == 0;
    enum kvb_status status = wide ? read_wide(&source, made) : read_text(&source, made);
    if (status == KVB_OK) {
        *machine = *made;
    }
    kvb_free(made);
    return status;
}

enum kvb_status kvb_machine_load(const char *path, struct kvb_machine *machine, struct kvb_problems *problems)
{
    struct kvb_file file;
    enum kvb_status status = kvb_file_read(&file, path, TEXT_MAX_BYTES, problems);
    if (status == KVB_OK) {
        const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
        status = kvb_machine_read(name, file.text, file.length, machine, problems);
        kvb_file_free(&file);
    }
    return status;
}

bool kvb_device_usable(const struct kvb_device *device)
{
    return !device->mig_enabled && device->gpu.memory_bytes > 0;
}
