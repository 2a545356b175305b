// The named figures of nvidia-smi's long output, the same in XML and in text.
#ifndef KVB_MACHINE_SMI_FIELDS_H
#define KVB_MACHINE_SMI_FIELDS_H

#include "machine/smi.h"

enum kvb_smi_form { KVB_SMI_FORM_XML, KVB_SMI_FORM_TEXT };

struct kvb_smi_fields {
    const struct kvb_smi_text *text;
    struct kvb_machine *machine;
    enum kvb_smi_form form;
    struct kvb_device *gpu;    // being described, or NULL
    struct kvb_device *target; // the GPU or one of its slices
    bool in_process, has_instance;
    uint64_t instance; // of the process
    struct kvb_device_process process;
};

// The parts that a document consists of. `bus_id` may be empty.
enum kvb_status kvb_smi_begin_gpu(struct kvb_smi_fields *fields, uint32_t line, struct kvb_slice bus_id) KVB_MUST_USE;
enum kvb_status kvb_smi_begin_slice(struct kvb_smi_fields *fields, uint32_t line) KVB_MUST_USE;
void kvb_smi_end_slice(struct kvb_smi_fields *fields);
void kvb_smi_begin_process(struct kvb_smi_fields *fields);
void kvb_smi_end_process(struct kvb_smi_fields *fields);

// One figure in its section; names that no row knows are passed over.
enum kvb_status kvb_smi_field(struct kvb_smi_fields *fields, struct kvb_slice section, struct kvb_slice key,
                              struct kvb_slice value, const struct kvb_smi_line *line) KVB_MUST_USE;

#endif
