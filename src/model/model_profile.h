// Pieces shared by the readers and the writer of model profiles.
#ifndef KVB_MODEL_MODEL_PROFILE_H
#define KVB_MODEL_MODEL_PROFILE_H

#include <stddef.h>

#include <kvbudget/input.h>

#include "base/buffer.h"
#include "text/file.h"
#include "text/tree.h"

// The texts that make up one model's config; quant_text and overrides may be NULL.
struct kvb_hf_texts {
    const char *file, *text;
    size_t length;
    const char *quant_file, *quant_text;
    size_t quant_length;
    const char *overrides;
};

// Their trees; `config` is the merged one and borrows from the others.
struct kvb_hf_trees {
    struct kvb_tree config, quant, overrides;
};

// Free the trees also after a failure.
enum kvb_status kvb_hf_read_trees(struct kvb_hf_trees *trees, const struct kvb_hf_texts *texts,
                                  struct kvb_problems *problems) KVB_MUST_USE;
void kvb_hf_free_trees(struct kvb_hf_trees *trees);

// config.json and, when it lies beside, hf_quant_config.json; or a GGUF file, its metadata written as a
// config and its tensors in `tensors` (kind NONE otherwise). Close also after a failure.
struct kvb_hf_files {
    char path[KVB_PATH_CAPACITY], quant_path[KVB_PATH_CAPACITY];
    struct kvb_file config, quant;
    struct kvb_checkpoint tensors;
};
enum kvb_status kvb_hf_open_config(struct kvb_hf_files *files, const char *path,
                                   struct kvb_problems *problems) KVB_MUST_USE;
void kvb_hf_close_config(struct kvb_hf_files *files);
// What the checkpoint's headers in the folder or GGUF file at `path` say, into model->checkpoint.
enum kvb_status kvb_hf_attach_checkpoint(const struct kvb_hf_files *files, const char *path, struct kvb_model *model,
                                         struct kvb_problems *problems) KVB_MUST_USE;
// "org/name" from a folder called org--name, or the folder's own name.
void kvb_hf_name_from_path(char *out, size_t capacity, const char *path);

// A profile's text with --hf-overrides (or NULL) over its config.
enum kvb_status kvb_model_profile_with(const char *file, const char *text, size_t length, const char *overrides,
                                       struct kvb_model *model, struct kvb_problems *problems) KVB_MUST_USE;

// The same with another quantization_config in place of the profile's own (JSON; "": none; NULL: keep it).
enum kvb_status kvb_model_profile_quantised(const char *file, const char *text, size_t length, const char *overrides,
                                            const char *quantisation, struct kvb_model *model,
                                            struct kvb_problems *problems) KVB_MUST_USE;

// The model of a profile whose root (or inline mapping) is `node`; its keys are checked strictly.
enum kvb_status kvb_model_from_profile(const struct kvb_tree *tree, const struct kvb_node *node,
                                       struct kvb_model *model, struct kvb_problems *problems) KVB_MUST_USE;

// How a config is written: `full` keeps long lists as they are, otherwise names that say the same for
// many layers are written once, and only those of `roles` (a bit set of enum kvb_role); `left_out` marks
// keys (enum kvb_hf_key) not to write at all.
struct kvb_hf_style {
    bool full;
    const bool *left_out;
    uint32_t roles;
};
// Writes the `config:` mapping.
void kvb_hf_write_config(struct kvb_buffer *buffer, const struct kvb_node *config, const struct kvb_hf_style *style);

#endif
