// Pasted output of nvidia-smi and its kin: text helpers and one reader per format.
#ifndef KVB_MACHINE_SMI_H
#define KVB_MACHINE_SMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/machine.h>

struct kvb_smi_text {
    const char *file;
    const char *text;
    size_t length;
    struct kvb_problems *problems;
};

struct kvb_slice {
    const char *start;
    size_t length;
};

struct kvb_smi_line {
    struct kvb_slice text; // without the line break
    uint32_t number;       // 1-based
};

// Steps to the next line; start with a zeroed line. False: there is none.
bool kvb_smi_next(const struct kvb_smi_text *text, size_t *offset, struct kvb_smi_line *line);

struct kvb_slice kvb_slice_of(const char *text);
struct kvb_slice kvb_slice_trim(struct kvb_slice slice);
// Takes the first word (up to a blank) off `rest`; empty when there is none.
struct kvb_slice kvb_slice_word(struct kvb_slice *rest);
// Takes what stands before `separator` off `rest`, trimmed; all of it when there is none.
struct kvb_slice kvb_slice_until(struct kvb_slice *rest, char separator);
bool kvb_slice_is(struct kvb_slice slice, const char *text);
bool kvb_slice_begins(struct kvb_slice slice, const char *text);
const char *kvb_slice_find(struct kvb_slice slice, const char *text); // NULL: not there
// Copies, cut to the capacity and made printable.
void kvb_slice_copy(struct kvb_slice slice, char *out, size_t capacity);
bool kvb_slice_whole(struct kvb_slice slice, uint64_t *number);
// "36864MiB", "36864 MiB", "36864" in `unit_bytes`. False: no size.
bool kvb_slice_size(struct kvb_slice slice, uint64_t unit_bytes, uint64_t *bytes);
// "N/A", "[N/A]", "[Not Supported]", "Not Supported", "-", "": a figure the driver does not give.
bool kvb_slice_is_absent(struct kvb_slice slice);

// Adds a KVB_BAD_SYNTAX error at a line and column (0: unknown) of the text.
enum kvb_status kvb_smi_fail(const struct kvb_smi_text *text, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Where `at` stands in its line.
uint32_t kvb_smi_column(const struct kvb_smi_line *line, const char *at);

// A size or an absent figure; an error otherwise.
enum kvb_status kvb_smi_figure(const struct kvb_smi_text *text, const struct kvb_smi_line *line, struct kvb_slice value,
                               const char *what, uint64_t unit_bytes, struct kvb_figure *figure);

// A new device at the end, or NULL with a problem when there are too many.
struct kvb_device *kvb_machine_add(struct kvb_machine *machine, const struct kvb_smi_text *text, uint32_t line);
// The device with this number (slices not meant), or NULL.
struct kvb_device *kvb_machine_find(struct kvb_machine *machine, uint32_t index);
// The slice with this GPU instance; the GPU itself when there is none; or NULL.
struct kvb_device *kvb_machine_find_instance(struct kvb_machine *machine, uint32_t index, bool has_instance,
                                             uint32_t instance);
void kvb_device_add_process(struct kvb_device *device, const struct kvb_device_process *process);
// "NVIDIA GeForce RTX 30..." is a name that was cut.
void kvb_device_set_name(struct kvb_device *device, struct kvb_slice name);
// WDDM and TCC are Windows.
bool kvb_is_windows_model(struct kvb_slice word);

enum kvb_status kvb_smi_read_table(const struct kvb_smi_text *text, struct kvb_machine *machine) KVB_MUST_USE;
enum kvb_status kvb_smi_read_csv(const struct kvb_smi_text *text, struct kvb_machine *machine) KVB_MUST_USE;
enum kvb_status kvb_smi_read_xml(const struct kvb_smi_text *text, struct kvb_machine *machine) KVB_MUST_USE;
enum kvb_status kvb_smi_read_query(const struct kvb_smi_text *text, struct kvb_machine *machine) KVB_MUST_USE;
enum kvb_status kvb_smi_read_amd(const struct kvb_smi_text *text, struct kvb_machine *machine) KVB_MUST_USE;

// Fills what was not said from what was, and from the profile of the GPU; the last step of every source.
enum kvb_status kvb_machine_settle(struct kvb_machine *machine, const char *file,
                                   struct kvb_problems *problems) KVB_MUST_USE;

// GPUs that share the memory of the host have what the host has left; nothing when `path` cannot be read.
void kvb_machine_share_host(struct kvb_machine *machine, const char *path);

#endif
