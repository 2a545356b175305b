// A policy written anew: the lines that --init makes.
#ifndef KVB_GATE_POLICY_WRITE_H
#define KVB_GATE_POLICY_WRITE_H

#include <kvbudget/problem.h>

#include "base/buffer.h"

// Texts are borrowed; NULL leaves a key out.
struct kvb_gpu_line {
    const char *label, *gpu;
};
struct kvb_model_line {
    const char *name, *model;
};
struct kvb_waiver_line {
    const char *files, *name, *rule, *reason, *until;
};
struct kvb_policy_lines {
    const char *kind;
    unsigned schema;
    const char *unknown, *not_understood;
    unsigned min_deployments;
    struct kvb_gpu_line *gpus;
    unsigned gpus_count;
    struct kvb_model_line *models;
    unsigned models_count;
    struct kvb_waiver_line *waivers;
    unsigned waivers_count;
};

// Adds the policy as YAML that kvb_policy_read takes, whatever stands in its texts.
enum kvb_status kvb_policy_write(struct kvb_buffer *out, const struct kvb_policy_lines *lines,
                                 struct kvb_problems *problems) KVB_MUST_USE;

#endif
