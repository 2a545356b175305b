// Flags whose value is a mapping or a list, read from a tree: one reader for profiles and command lines.
#ifndef KVB_COMMAND_JSON_FLAG_H
#define KVB_COMMAND_JSON_FLAG_H

#include <kvbudget/input.h>

#include "text/tree.h"

// Everything a part's reader needs.
struct kvb_flag_part {
    const struct kvb_tree *tree;
    const struct kvb_node *node;
    enum kvb_origin origin;
    struct kvb_deployment *deployment;
    struct kvb_problems *problems;
    bool of_config; // a member of a compilation config, not a flag of its own
};

typedef enum kvb_status kvb_flag_reader(const struct kvb_flag_part *part);

// One row per flag.
struct kvb_flag_row {
    const char *flag; // "speculative-config"
    kvb_flag_reader *read;
};
extern const struct kvb_flag_row kvb_flag_rows[];
extern const size_t kvb_flag_row_count;

// The row of a flag written with '-' or '_', or NULL.
const struct kvb_flag_row *kvb_flag_row_find(const char *flag);

// Reads a value by the row of a setting and keeps it.
enum kvb_status kvb_flag_number(const struct kvb_flag_part *part, const struct kvb_node *node,
                                enum kvb_setting setting) KVB_MUST_USE;
void kvb_flag_set(const struct kvb_flag_part *part, enum kvb_setting setting, uint64_t number);

kvb_flag_reader kvb_read_speculative_config;
kvb_flag_reader kvb_read_limit_mm_per_prompt;
kvb_flag_reader kvb_read_mm_processor_kwargs;
kvb_flag_reader kvb_read_compilation_config;
kvb_flag_reader kvb_read_cudagraph_capture_sizes;
kvb_flag_reader kvb_read_kv_transfer_config;
kvb_flag_reader kvb_read_hf_overrides;

#endif
