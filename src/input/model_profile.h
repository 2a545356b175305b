// Pieces shared by the readers and the writer of model profiles.
#ifndef KVB_INPUT_MODEL_PROFILE_H
#define KVB_INPUT_MODEL_PROFILE_H

#include <stddef.h>

#include "base/buffer.h"
#include "input/tree.h"

// The texts that make up one model's config; quant_text and overrides may be NULL.
struct hf_texts {
    const char *file, *text;
    size_t length;
    const char *quant_file, *quant_text;
    size_t quant_length;
    const char *overrides;
};

// Their trees; `config` is the merged one and borrows from the others.
struct hf_trees {
    struct kvb_tree config, quant, overrides;
};

// Free the trees also after a failure.
enum kvb_status hf_read_trees(struct hf_trees *trees, const struct hf_texts *texts,
                              struct kvb_problems *problems) KVB_MUST_USE;
void hf_free_trees(struct hf_trees *trees);

#endif
