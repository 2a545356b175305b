// Collecting tensors from any source into the classes of a kvb_checkpoint.
#ifndef KVB_MODEL_CHECKPOINT_CHECKPOINT_H
#define KVB_MODEL_CHECKPOINT_CHECKPOINT_H

#include <kvbudget/input.h>

#include "model/checkpoint/safetensors.h"

struct kvb_name_set;
struct kvb_kind_memo;

struct kvb_collector {
    struct kvb_checkpoint *out;
    const char *path; // of the file being read
    uint32_t bits;    // of an element in packed words; 0 = 4
    uint32_t file;    // number of the file being read
    struct kvb_name_set *names;
    struct kvb_kind_memo *memo;
};

// End also after a failure.
enum kvb_status kvb_collect_begin(struct kvb_collector *collector, struct kvb_checkpoint *out,
                                  enum kvb_checkpoint_kind kind, uint32_t bits,
                                  struct kvb_problems *problems) KVB_MUST_USE;
// A kvb_tensor_taker; `context` is the collector. Dimensions go from the outermost inwards.
enum kvb_status kvb_collect(void *context, const struct kvb_stored_tensor *tensor,
                            struct kvb_problems *problems) KVB_MUST_USE;
void kvb_collect_end(struct kvb_collector *collector);

// Fills `out` from the safetensors files or the weight index in a folder; kind NONE when it has none.
enum kvb_status kvb_checkpoint_load(const char *folder, uint32_t bits, struct kvb_checkpoint *out,
                                    struct kvb_problems *problems) KVB_MUST_USE;

// The total and the files that a weight index names.
#define KVB_SHARDS_MAX 4096
struct kvb_shards {
    uint64_t total_bytes; // 0 = not stated
    uint32_t count, capacity;
    uint64_t *hashes;
    char (*names)[128];
};
enum kvb_status kvb_index_read(const struct kvb_open_file *file, struct kvb_shards *shards,
                               struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_shards_add(struct kvb_shards *shards, const char *name, const char *path,
                               struct kvb_problems *problems) KVB_MUST_USE;
void kvb_shards_free(struct kvb_shards *shards);

// Counts a head that repeats the embedding no more, and says so when headers and config count differently.
void kvb_checkpoint_settle(struct kvb_model *model, const char *path, struct kvb_problems *problems);

#endif
