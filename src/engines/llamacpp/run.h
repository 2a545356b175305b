// One start of llama.cpp as plain numbers: what is set, where layers lie, and the buffers that come of it.
#ifndef KVB_ENGINES_LLAMACPP_RUN_H
#define KVB_ENGINES_LLAMACPP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/model.h>

#define KVB_LLAMA_DEVICES 16
#define KVB_LLAMA_HOST KVB_LLAMA_DEVICES // the place of what lies in the host's memory
#define KVB_LLAMA_PLACES (KVB_LLAMA_DEVICES + 1)
#define KVB_LLAMA_SLOTS_MAX 256 // LLAMA_MAX_SEQ

// Builds that changed a size; numbers count the commits on master (b7407).
enum kvb_llama_rule {
    KVB_LLAMA_CONTEXT_TRAINED_OLD, // -c left out: the trained length
    KVB_LLAMA_CONTEXT_4096,        // -c left out: 4096
    KVB_LLAMA_LATENT_CACHE,        // MLA keeps the latent vector
    KVB_LLAMA_WINDOW_CACHE,        // layers with a window have a cache of their own
    KVB_LLAMA_WINDOW_BY_UBATCH,    // the window's cache is longer by n_ubatch, before by n_batch
    KVB_LLAMA_FUSED_GATE,          // gate and up projection go to a third tensor
    KVB_LLAMA_STREAMS,             // one stream per sequence unless unified
    KVB_LLAMA_ROWS_BY_INDEX,       // the cache is written through an index tensor
    KVB_LLAMA_FLASH_AUTO,          // -fa auto, all layers on the GPU by default
    KVB_LLAMA_PAD_256,             // the cache is always padded to 256 cells
    KVB_LLAMA_FIT,                 // --fit on, -c left out: the trained length, made to fit
    KVB_LLAMA_SLOTS_4,             // llama-server: four slots on one cache by default
    KVB_LLAMA_SLOTS_WITHOUT_DRAFT, // but one where a draft is asked for
    KVB_LLAMA_SLOTS_AUTO,          // four only where no number is asked for; before, -np 1 asked for none
    KVB_LLAMA_OUTPUT_FIRST,        // partial offload begins with the output layer
    KVB_LLAMA_CHOSEN_ROWS,         // an input says which tokens' logits are wanted
    KVB_LLAMA_EMBEDDING_INPUT,     // the host holds an input for embeddings beside the tokens
    KVB_LLAMA_LATENT_WITHOUT_V,    // MLA: values are read from the keys' cache
    KVB_LLAMA_MASK_F16,            // the mask is made in f16 with flash attention
    KVB_LLAMA_FEW_OUTPUTS,         // the server reserves logits for few rows
    KVB_LLAMA_CACHE_CAST,          // quantised caches are cast to f16 for flash attention
    KVB_LLAMA_ROTATED,             // what goes into a quantised cache is rotated first
    KVB_LLAMA_ONE_DRAFT,           // one draft context for all slots; before, one for each
    KVB_LLAMA_DRAFT_TYPES,         // the draft's cache has types of its own; before, f16
    KVB_LLAMA_RULE_COUNT
};
#define KVB_LLAMA_OLDEST 2267
#define KVB_LLAMA_NEWEST 10472
uint32_t kvb_llama_rule_build(enum kvb_llama_rule rule);

enum kvb_llama_backend {
    KVB_LLAMA_CPU,
    KVB_LLAMA_CUDA,
    KVB_LLAMA_ROCM,
    KVB_LLAMA_VULKAN,
    KVB_LLAMA_METAL,
    KVB_LLAMA_SYCL,
    KVB_LLAMA_CANN,
    KVB_LLAMA_BACKEND_COUNT
};
struct kvb_llama_backend_row {
    const char *name;   // as buffers are called: "CUDA"
    uint32_t alignment; // of a tensor in a buffer
    uint32_t row_pad;   // quantised rows are padded to so many elements, once a tensor; 0: not
    uint32_t pipelines; // from this build on several devices keep copies of the graph's inputs; 0: never
    bool offloads;      // batches of at least 32 run on the device though their weights lie on the host
    uint64_t context_low_bytes, context_bytes, context_high_bytes; // what it holds in no buffer
};
const struct kvb_llama_backend_row *kvb_llama_backend_row_of(enum kvb_llama_backend backend);

// Formats of the cache, in the order of kvb_llama_cache_name.
enum kvb_llama_cache {
    KVB_LLAMA_CACHE_F16,
    KVB_LLAMA_CACHE_F32,
    KVB_LLAMA_CACHE_BF16,
    KVB_LLAMA_CACHE_Q8_0,
    KVB_LLAMA_CACHE_Q5_1,
    KVB_LLAMA_CACHE_Q5_0,
    KVB_LLAMA_CACHE_Q4_1,
    KVB_LLAMA_CACHE_Q4_0,
    KVB_LLAMA_CACHE_IQ4_NL,
    KVB_LLAMA_CACHE_COUNT
};
const char *kvb_llama_cache_name(enum kvb_llama_cache cache); // "q8_0"; never NULL
uint64_t kvb_llama_cache_bytes(enum kvb_llama_cache cache, uint64_t elements);

enum kvb_llama_split { KVB_LLAMA_SPLIT_LAYER, KVB_LLAMA_SPLIT_ROW, KVB_LLAMA_SPLIT_NONE };

// A layer's tensors: [0] on a GPU, [1] on the host.
struct kvb_llama_sum {
    uint64_t other_bytes[2], experts_bytes[2];
};

struct kvb_llama_run {
    const struct kvb_model *model;
    uint32_t build;
    enum kvb_llama_backend backend;
    uint32_t devices;                  // GPUs; 0: the host alone
    uint64_t share[KVB_LLAMA_DEVICES]; // of the layers, any unit; all 0: alike
    enum kvb_llama_split split;
    uint32_t gpu_layers;     // 0 .. layers + 1
    uint32_t cpu_experts;    // --n-cpu-moe: experts of the first so many layers stay on the host
    const char *overrides;   // --override-tensor: lines PATTERN=BUFFER; NULL: none
    uint64_t context_tokens; // as asked, before padding
    uint32_t sequences;
    uint32_t batch, ubatch;
    uint32_t output_rows;  // 0: by the build's rule
    uint32_t state_copies; // of each sequence's recurrent state: one, and one for each drafted token (n_rs_seq); 0: one
    bool unified, flash, window_full, keep_cache_on_host, mapped, no_op_offload, server;
    bool loads_heads; // layers for further tokens (MTP) are loaded with the model
    enum kvb_llama_cache key_type, value_type;
    uint32_t mixture;           // of a model without a GGUF header (mixture.h); 0: f16
    uint32_t weights_ppm;       // of what the tensors come to, where the file's size is known; 0: all of it
    struct kvb_llama_sum *sums; // of each layer and the output, while a search lasts; NULL: tensors are added up anew
};
// Between the two, what a layer's tensors come to is known (sums.c); with overrides, or without memory, it is not.
void kvb_llama_sums_begin(struct kvb_llama_run *run);
void kvb_llama_sums_end(struct kvb_llama_run *run);
bool kvb_llama_since(const struct kvb_llama_run *run, enum kvb_llama_rule rule);

// What one place holds.
struct kvb_llama_place {
    uint64_t model_bytes, cache_bytes, state_bytes, compute_bytes;
    uint32_t layers; // the output counted as one
};
struct kvb_llama_buffers {
    struct kvb_llama_place places[KVB_LLAMA_PLACES];
    uint64_t embedding_bytes; // of the host's model bytes: what stays there in any case
    uint64_t output_bytes;    // logits, on the host
    uint64_t cells, window_cells;
    uint64_t mask_bytes; // of the longest attention mask, in f32
    uint32_t streams;
    bool pipelined;
    bool compute_bounded; // the graph of this architecture is not known: compute is a bound
};

// Where a layer lies; `layer` may be layer_count: the output.
uint32_t kvb_llama_place_of(const struct kvb_llama_run *run, uint32_t layer);
bool kvb_llama_is_pipelined(const struct kvb_llama_run *run);
// All buffers; compute buffers by repeating the graph's allocation.
void kvb_llama_all_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out);
// All but the compute buffers.
void kvb_llama_lasting_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out);
void kvb_llama_compute_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out);
// How far a device's compute buffer may be from what is counted: 1 % where the order of its graph is repeated, 10 %
// with layers or experts on the host, and wide where a class is followed in outline.
struct kvb_llama_range {
    uint64_t low, high;
};
struct kvb_llama_range kvb_llama_compute_range(const struct kvb_llama_run *run, uint64_t compute_bytes, bool outlined,
                                               uint64_t mask_bytes);
// Of a context that runs the model's layers for further tokens alone: cache and compute buffers; no weights.
void kvb_llama_head_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out);

#endif
