// A model as plain shapes: what its layers keep per token, what its matrices are. No Hugging Face quirks
// are left in here: the readers in input/ resolve defaults, synonyms and class rules first.
#ifndef KVBUDGET_MODEL_H
#define KVBUDGET_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/checkpoint.h>
#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

#define KVB_NAME_CAPACITY 160
#define KVB_LAYERS_MAX 512
#define KVB_LAYER_KINDS_MAX 48
#define KVB_EXTRAS_MAX 96
#define KVB_ROPE_CACHES_MAX 4

// Number formats of stored elements.
enum kvb_dtype { KVB_DTYPE_BF16, KVB_DTYPE_FP16, KVB_DTYPE_FP32, KVB_DTYPE_COUNT };

// What a layer keeps of the past.
enum kvb_attention {
    KVB_ATTENTION_NONE,    // no token mixer (an MLP or MoE layer of its own, a skipped layer)
    KVB_ATTENTION_FULL,    // keys and values of every token
    KVB_ATTENTION_SLIDING, // of the last window_tokens
    KVB_ATTENTION_CHUNKED, // of the current chunk of window_tokens
    KVB_ATTENTION_MLA,     // one latent vector per token
    KVB_ATTENTION_CROSS,   // of the encoder's output only
    KVB_ATTENTION_MAMBA1,
    KVB_ATTENTION_MAMBA2,
    KVB_ATTENTION_LINEAR, // MiniMax-01
    KVB_ATTENTION_GDN,    // gated delta net
    KVB_ATTENTION_KDA,    // Kimi delta attention
    KVB_ATTENTION_SHORT_CONV,
    KVB_ATTENTION_ENCODER, // bidirectional, keeps nothing
    KVB_ATTENTION_DSV4,    // DeepSeek V4: window + compressed latent
    KVB_ATTENTION_COUNT
};

enum kvb_qk_norm { KVB_QK_NORM_NONE, KVB_QK_NORM_PER_HEAD, KVB_QK_NORM_WHOLE };

struct kvb_attention_shape {
    enum kvb_attention kind;
    uint32_t heads, kv_heads;            // before any parallel split
    uint32_t head_size, value_head_size; // elements; MLA: see nope_size, rope_size
    uint32_t window_tokens;              // sliding, chunked, DSV4
    bool shares_kv;                      // reads an earlier layer's cache and keeps none
    bool queries_only;                   // of a draft that reads its target's cache: no keys and values at all
    bool key_is_value;                   // no value projection (Gemma 4 global layers)
    bool query_key_value_bias, query_bias_only, output_bias;
    bool sinks;        // one learned logit per head (gpt-oss)
    bool gated_output; // an output gate as wide as the queries
    enum kvb_qk_norm qk_norm;
    // MLA (query_rank 0: queries are projected directly)
    uint32_t query_rank, latent_rank, nope_size, rope_size;
    // sparse index of DeepSeek V3.2 and GLM-5 (index_heads 0: none); has_indexer: this layer owns one
    uint32_t index_heads, index_head_size, index_topk;
    bool has_indexer;
    // DSV4
    uint32_t compress_ratio, output_groups, output_rank;
    uint32_t residual_streams; // hyper-connections: so many residual streams beside each other
    // state layers: Mamba, GDN, KDA, short convolution, linear
    uint32_t state_key_heads, state_key_size;     // GDN/KDA key heads; Mamba2: groups, state size
    uint32_t state_value_heads, state_value_size; // GDN/KDA value heads; Mamba2: heads, head size
    uint32_t state_inner_size;                    // Mamba: intermediate; short conv: its width
    uint32_t conv_kernel;
    uint32_t chunk_tokens; // Mamba2 chunk
    bool state_bias, conv_bias;
    bool full_rank_decay; // KDA whose decay is one matrix instead of two narrow ones (Ling 3)
    bool no_state_norm;   // Mamba2 without the norm in front of its output projection (Falcon-H1)
};

enum kvb_mlp { KVB_MLP_NONE, KVB_MLP_GATED, KVB_MLP_PLAIN, KVB_MLP_MOE };

struct kvb_mlp_shape {
    enum kvb_mlp kind;
    uint32_t intermediate_size; // dense part; with MOE: a dense MLP beside the experts (0: none)
    bool bias;
    uint32_t experts, experts_per_token, expert_intermediate_size;
    uint32_t shared_intermediate_size; // all shared experts together (0: none)
    bool shared_gate;                  // one extra row that scales the shared expert
    bool router_correction_bias;       // one fp32 number per expert (e_score_correction_bias)
    bool router_bias, expert_bias, expert_gated;
    uint32_t latent_size; // experts work in this smaller width (Nemotron-H super; 0: hidden size)
};

struct kvb_layer_kind {
    struct kvb_attention_shape attention;
    struct kvb_mlp_shape mlp;
    uint8_t norms;           // hidden-sized norms of the layer
    uint32_t extra_elements; // small per-layer vectors not described above (scales, lambdas)
};

// Who holds a tensor under parallelism.
enum kvb_split {
    KVB_SPLIT_COPY,            // whole on every rank
    KVB_SPLIT_ROWS,            // output dimension / tp (column parallel)
    KVB_SPLIT_COLUMNS,         // input dimension / tp (row parallel); a bias (columns 1) is copied
    KVB_SPLIT_KV,              // rows by KV head: / tp, one head replicated once tp exceeds the heads
    KVB_SPLIT_VOCABULARY,      // rows padded to 64, / tp
    KVB_SPLIT_EXPERTS_ROWS,    // [count experts, rows / tp, columns]; whole experts / ep under EP
    KVB_SPLIT_EXPERTS_COLUMNS, // [count experts, rows, columns / tp]
    KVB_SPLIT_EXPERTS_COPY,    // per expert, not split by tp (an expert bias of the down projection)
    KVB_SPLIT_GROUPS,          // Mamba groups: / tp, replicated when tp does not divide them
};

enum kvb_role {
    KVB_ROLE_EMBEDDING,
    KVB_ROLE_HEAD,
    KVB_ROLE_NORM,
    KVB_ROLE_ATTENTION,
    KVB_ROLE_MLP,
    KVB_ROLE_ROUTER,
    KVB_ROLE_EXPERTS,
    KVB_ROLE_SHARED_EXPERT,
    KVB_ROLE_VISION,
    KVB_ROLE_AUDIO,
    KVB_ROLE_PROJECTOR,
    KVB_ROLE_MTP,
    KVB_ROLE_OTHER,
    KVB_ROLE_COUNT
};

// Tensors outside the decoder layers that no field above describes: towers, projectors, position tables.
struct kvb_extra {
    char name[48];
    enum kvb_role role;
    enum kvb_split split;
    uint64_t rows, columns; // columns 1: a vector
    uint32_t count;         // that many alike (layers of a tower)
    bool quantised;         // follows the model's quantisation
};

enum kvb_quantisation_method {
    KVB_QUANT_NONE,
    KVB_QUANT_FP8,   // per tensor, per channel or block scales
    KVB_QUANT_INT8,  // w8a8
    KVB_QUANT_AWQ,   // 4 bit, zero points
    KVB_QUANT_GPTQ,  // 4 or 8 bit
    KVB_QUANT_WNA16, // compressed-tensors weight-only integers
    KVB_QUANT_BNB4,  // bitsandbytes nf4
    KVB_QUANT_BNB8,
    KVB_QUANT_MXFP4,
    KVB_QUANT_NVFP4,
    KVB_QUANT_GGUF,
    KVB_QUANT_COUNT
};

// What a checkpoint says of its KV cache. A ModelOpt format counts only where a release resolves "auto" by it.
enum kvb_declared_cache {
    KVB_DECLARED_NONE,
    KVB_DECLARED_FP8,   // ModelOpt
    KVB_DECLARED_NVFP4, // ModelOpt
    KVB_DECLARED_SCHEME // kv_cache_scheme of compressed-tensors
};

enum kvb_scale_shape { KVB_SCALE_TENSOR, KVB_SCALE_CHANNEL, KVB_SCALE_BLOCK, KVB_SCALE_GROUP };

// The checkpoint's own quantisation. `unquantised_roles` is a bit set of enum kvb_role that stay at the
// model's dtype; embeddings, head and norms always do unless said otherwise.
struct kvb_quantisation {
    enum kvb_quantisation_method method;
    uint32_t bits;       // per weight
    uint32_t group_size; // inputs per scale with KVB_SCALE_GROUP; 0 = one per channel
    uint32_t block_rows, block_columns;
    enum kvb_scale_shape scale;
    bool symmetric; // no zero points
    bool act_order; // GPTQ desc_act
    bool static_activations;
    bool weight_only;      // activations stay at 16 bits
    bool smoothed;         // NVFP4_AWQ: scaled for it before, which no release of vLLM takes
    bool head_quantised;   // the output head follows `method`
    bool output_quantised; // attention is left out but for its output projection
    bool plain_states;     // layers that keep a state are left out, those that attend are not
    bool plain_attention;  // the other way round
    uint32_t unquantised_roles;
    enum kvb_quantisation_method expert_method;    // mixed checkpoints: experts only; NONE = as `method`
    enum kvb_quantisation_method attention_method; // mixed checkpoints: attention only; NONE = as `method`
    uint32_t roles_as_attention;                   // other roles that are stored as attention is
    uint8_t mlps_as_attention[KVB_LAYERS_MAX / 8]; // and layers whose dense feed-forward part is, a bit each
    enum kvb_declared_cache cache;                 // the KV cache the checkpoint declares
    bool unknown_algorithm;                        // in ModelOpt's separate file, which vLLM refuses
    char name[32];                                 // as the checkpoint spells it: "fp8", "compressed-tensors"
};

// One cos/sin table of the rotary embedding: rows x width elements of the model's dtype, on every rank.
struct kvb_rope_cache {
    uint64_t rows;
    uint32_t width;
};

enum kvb_encoder_family {
    KVB_ENCODER_NONE,
    KVB_ENCODER_QWEN2_VL,
    KVB_ENCODER_QWEN25_VL,
    KVB_ENCODER_QWEN3_VL, // and Qwen3.5
    KVB_ENCODER_GEMMA3,
    KVB_ENCODER_GEMMA4,
    KVB_ENCODER_PIXTRAL, // Mistral 3, Devstral
    KVB_ENCODER_LLAMA4,
    KVB_ENCODER_MLLAMA,
    KVB_ENCODER_MINICPMV,
    KVB_ENCODER_KIMI,
    KVB_ENCODER_PHI3V,
    KVB_ENCODER_WHISPER,
    KVB_ENCODER_DOTS,           // dots.ocr
    KVB_ENCODER_LFM2,           // LFM2-VL
    KVB_ENCODER_GEMMA4_UNIFIED, // projections, no tower
    KVB_ENCODER_OTHER,          // known to exist, largest item not known
    KVB_ENCODER_COUNT
};

struct kvb_encoder {
    enum kvb_encoder_family family;
    uint32_t layers, hidden_size, intermediate_size, heads;
    uint32_t plain_layers, plain_hidden_size; // under the keys num_hidden_layers and hidden_size; 0: not there
    uint32_t patch_size, image_size;          // pixels
    uint32_t merge_size;                      // patches per token along one side
    uint32_t temporal_patch_size;
    uint32_t tokens_per_image; // fixed-size encoders; 0 = depends on the picture
    uint32_t mel_bins;         // of one frame of sound; an audio token covers two frames
    uint8_t deepstack_levels;  // outputs of inner layers that are handed on beside the last one's
    bool gated;                // three matrices in its MLP
    bool has_video, has_audio;
    bool both_ways; // Gemma 4: pictures are attended to in both directions, by its config
};

struct kvb_model {
    char name[KVB_NAME_CAPACITY];
    char architecture[64];
    enum kvb_dtype dtype;
    uint32_t hidden_size, vocabulary_size;
    uint32_t layer_count;
    uint64_t context_tokens; // the longest length the engine derives from the config
    uint64_t usual_tokens;   // long rope: the length it was trained at first, which later releases start with; 0: none
    bool scales_positions;   // rope_scaling of a kind that early releases multiply the length by, or want to
    bool any_length;         // the config names no length: an engine takes any, and starts with context_tokens
    bool tied_embeddings;
    bool head_bias;
    bool norm_bias;         // layer norms with a bias vector
    bool no_norm_weights;   // norms without parameters (OLMo 1)
    uint8_t final_norms;    // normally 1
    bool pooling;           // encoder or embedding model: no sampler, no KV cache when attention is ENCODER
    bool pools_by_default;  // a decoder whose repository says how to pool (modules.json of sentence-transformers)
    bool is_hybrid_capable; // reserved
    uint8_t kind_count;
    uint8_t kind_of_layer[KVB_LAYERS_MAX];
    struct kvb_layer_kind kinds[KVB_LAYER_KINDS_MAX];
    uint32_t mtp_layers;                // next-token-prediction modules in the checkpoint
    uint8_t mtp_kind;                   // index in kinds[], valid when mtp_layers > 0
    uint32_t mtp_extra_matrices_hidden; // hidden x hidden matrices per MTP module besides its layer (eh_proj: 2)
    uint32_t mtp_norms;                 // hidden-sized norms per MTP module besides its layer's
    bool mtp_own_embeddings;            // the checkpoint repeats embedding and head inside each module
    uint32_t target_states;             // of a draft: hidden states of inner layers of its target that it looks at
    enum kvb_dtype state_dtype;         // SSM state dtype named by the config (mamba_ssm_dtype)
    bool state_dtype_known;
    uint32_t extra_count;
    struct kvb_extra extras[KVB_EXTRAS_MAX];
    struct kvb_quantisation quantisation;
    uint8_t rope_cache_count;
    struct kvb_rope_cache rope_caches[KVB_ROPE_CACHES_MAX];
    struct kvb_encoder encoder;
    // The weights' format is assumed from the model's name: how far they may lie below and above; 0 = it is known.
    uint32_t assumed_low_ppm, assumed_high_ppm;
    struct kvb_checkpoint checkpoint; // kind NONE: only the config is known; last, for few models have all its classes
};

// ---- Tensors: the one description of a model's matrices, walked by parameter and weight counting.

#define KVB_TENSORS_MAX 64

// One logical parameter in unquantised shape. Tensors of a layer that follow each other with the same
// non-zero `fused` number are one parameter in the engine (qkv, gate_up, w13).
struct kvb_tensor {
    const char *name;
    enum kvb_role role;
    enum kvb_split split;
    uint64_t rows, columns; // output x input; columns 1: a vector
    uint32_t count;         // experts in one parameter; 1 otherwise
    uint32_t heads;         // KV heads, with KVB_SPLIT_KV; groups with KVB_SPLIT_GROUPS
    uint8_t fused;
    bool quantised;    // eligible for the model's quantisation
    bool left_out;     // but this checkpoint leaves it at the model's dtype
    bool as_attention; // but this checkpoint stores it as it stores attention
    bool always_fp32;  // kept in fp32 whatever the dtype
    bool engine_only;  // the engine holds it, the checkpoint does not (values that repeat the keys)
};

// Writes the tensors of one layer kind in the engine's construction order; returns how many.
uint32_t kvb_layer_tensors(const struct kvb_model *model, const struct kvb_layer_kind *kind,
                           struct kvb_tensor out[KVB_TENSORS_MAX]);

// Embedding, final norm and head (none when tied); extras are in model->extras.
uint32_t kvb_outer_tensors(const struct kvb_model *model, struct kvb_tensor out[KVB_TENSORS_MAX]);

// Elements of the published checkpoint in unquantised shape: vision and MTP included, tied matrices
// once, scales excluded. Saturates (base/checked.h).
uint64_t kvb_model_parameters(const struct kvb_model *model);

// Whether weights follow the checkpoint's headers; otherwise the config alone counts them.
bool kvb_model_counts_headers(const struct kvb_model *model);

// Words: "full", "sliding", ...; "bfloat16", ...; "fp8", ...; never NULL.
const char *kvb_attention_name(enum kvb_attention kind);
const char *kvb_dtype_name(enum kvb_dtype dtype);
const char *kvb_quantisation_name(enum kvb_quantisation_method method);
const char *kvb_role_name(enum kvb_role role);
uint32_t kvb_dtype_bytes(enum kvb_dtype dtype);

KVB_PUBLIC_END

#endif
