// Residents of a GPU and the phases of a training step, as their renderers receive them.
#ifndef KVB_REPORT_RESIDENTS_REPORT_H
#define KVB_REPORT_RESIDENTS_REPORT_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "report/json_writer.h"

#define KVB_ALTERNATIVES_MAX 8

// Another way to run the rollout.
struct kvb_alternative {
    char name[64]; // "vllm, TP 2"
    uint64_t tp;   // 0: the transformers library
    uint64_t weights_bytes;
    int64_t cache_bytes;
    uint64_t passing_bytes; // the widest moment besides (transformers)
    uint64_t tokens;        // of all its GPUs together
    bool starts;
};

struct kvb_residents_report {
    uint32_t own; // index of the deployment's own engine
    const struct kvb_resident *residents;
    const struct kvb_side_by_side *side;
    const struct kvb_trainer *trainer; // or NULL; then there is no training either
    const struct kvb_training *training;
    uint32_t alternative_count;
    const struct kvb_alternative *alternatives;
    uint64_t sequences, prompt_tokens, answer_tokens; // that the transformers rows are for
    bool color;
};

void kvb_render_residents_text(struct kvb_buffer *out, const struct kvb_residents_report *report);
void kvb_render_phases_text(struct kvb_buffer *out, const struct kvb_residents_report *report);
// Writes "residents": {...}.
void kvb_render_residents_json(struct kvb_json *json, const struct kvb_residents_report *report);

#endif
