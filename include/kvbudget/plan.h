// The question: a model, a GPU, an engine release and its settings. Everything by value.
#ifndef KVBUDGET_PLAN_H
#define KVBUDGET_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/gpu.h>
#include <kvbudget/graphs.h>
#include <kvbudget/model.h>
#include <kvbudget/plain.h>
#include <kvbudget/problem.h>

KVB_PUBLIC_BEGIN

// A release as one number that sorts: 0.6.4.post1 -> KVB_RELEASE(0, 6, 4) + 1.
#define KVB_RELEASE(major, minor, patch)                                                                               \
    ((uint32_t)(major)*1000000U + (uint32_t)(minor)*10000U + (uint32_t)(patch)*100U)
// A build counted by one number: "b5429" -> KVB_BUILD(5429). Builds sort among themselves.
#define KVB_BUILD_MARK UINT32_C(0x80000000)
#define KVB_BUILD(number) (KVB_BUILD_MARK + (uint32_t)(number))
#define KVB_NEWEST_VLLM KVB_RELEASE(0, 28, 0)
#define KVB_PARTLY_VLLM KVB_RELEASE(0, 29, 0) // the newest one of which some rules are known
#define KVB_OLDEST_VLLM KVB_RELEASE(0, 2, 0)

enum kvb_generation { KVB_GENERATION_V0, KVB_GENERATION_V1, KVB_GENERATION_NONE }; // NONE: the engine has one only

#define KVB_VERSION_CAPACITY 48

struct kvb_engine {
    char name[32];                      // "vllm"
    char version[KVB_VERSION_CAPACITY]; // as asked for: "0.6.4.post1"; newest when not asked
    uint32_t release;                   // KVB_RELEASE number, at most the newest whose rules are known
    bool assumed;                       // asked for a newer one: the newest rules stand in
};

// "0.19.0", "v0.6.4.post1", "0.27", "b5429"; suffixes such as rc1, .dev3 or +cu128 are read and ignored.
bool kvb_release_parse(const char *text, uint32_t *release);
bool kvb_release_is_untagged(const char *version);
char *kvb_release_format(char out[32], uint32_t release);

// Every setting of any engine that can move memory. One row each, of kvb_setting_row_of. What several engines have is
// one setting, whatever each calls its flag; what only one has stands at the end and is its own.
enum kvb_setting {
    KVB_SET_GPU_MEMORY_UTILIZATION, // ppm
    KVB_SET_MAX_MODEL_LEN,          // tokens; KVB_AUTO = auto
    KVB_SET_MAX_NUM_SEQS,
    KVB_SET_MAX_NUM_BATCHED_TOKENS,
    KVB_SET_TENSOR_PARALLEL_SIZE,
    KVB_SET_PIPELINE_PARALLEL_SIZE,
    KVB_SET_DATA_PARALLEL_SIZE,
    KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE,
    KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE,
    KVB_SET_ENABLE_EXPERT_PARALLEL, // switch
    KVB_SET_DTYPE,                  // word: enum kvb_dtype_word
    KVB_SET_QUANTIZATION,           // word: enum kvb_quantization_word
    KVB_SET_KV_CACHE_DTYPE,         // word: enum kvb_kv_dtype
    KVB_SET_BLOCK_SIZE,
    KVB_SET_ENFORCE_EAGER,
    KVB_SET_KV_CACHE_MEMORY_BYTES,
    KVB_SET_NUM_GPU_BLOCKS_OVERRIDE,
    KVB_SET_SWAP_SPACE,     // bytes, written in GiB
    KVB_SET_CPU_OFFLOAD_GB, // bytes, written in GiB
    KVB_SET_ENABLE_PREFIX_CACHING,
    KVB_SET_ENABLE_CHUNKED_PREFILL,
    KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER,
    KVB_SET_ENABLE_LORA,
    KVB_SET_MAX_LORAS,
    KVB_SET_MAX_LORA_RANK,
    KVB_SET_ASYNC_SCHEDULING,
    KVB_SET_LANGUAGE_MODEL_ONLY,
    KVB_SET_ENABLE_SLEEP_MODE,
    KVB_SET_SKIP_MM_PROFILING,
    KVB_SET_MAMBA_CACHE_MODE,      // word: none, align, all
    KVB_SET_MAMBA_SSM_CACHE_DTYPE, // word: enum kvb_dtype_word
    KVB_SET_MAMBA_CACHE_DTYPE,
    KVB_SET_MAMBA_BLOCK_SIZE,
    KVB_SET_ATTENTION_BACKEND,    // word: enum kvb_backend
    KVB_SET_MM_ENCODER_TP_MODE,   // word: weights, data
    KVB_SET_MM_IPC_GPU_MEMORY_GB, // bytes, written in GiB
    KVB_SET_PERFORMANCE_MODE,     // word: balanced, throughput, interactivity
    KVB_SET_MOE_BACKEND,          // word: enum kvb_moe_backend
    KVB_SET_RUNNER,               // word: enum kvb_runner; --task and --convert say it too
    KVB_SET_DISABLE_SLIDING_WINDOW,
    KVB_SET_TRUST_REMOTE_CODE,
    KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE,
    // parts of flags that take JSON or lists
    KVB_SET_CUDAGRAPH_CAPTURE_SIZES, // how many sizes were listed; the largest is in the row above
    KVB_SET_CUDAGRAPH_MODE,          // word: none, piecewise, full, full_decode_only, full_and_piecewise
    KVB_SET_SPECULATIVE_METHOD,      // word: enum kvb_speculative
    KVB_SET_NUM_SPECULATIVE_TOKENS,
    KVB_SET_LIMIT_IMAGES, // --limit-mm-per-prompt
    KVB_SET_LIMIT_VIDEOS,
    KVB_SET_LIMIT_AUDIOS,
    KVB_SET_MM_MAX_PIXELS, // --mm-processor-kwargs max_pixels
    KVB_SET_KV_TRANSFER,   // a KV connector is configured
    // llama.cpp and Ollama alone
    KVB_SET_GPU_LAYERS,   // -ngl; KVB_AUTO = auto
    KVB_SET_UBATCH_SIZE,  // -ub: tokens of one graph
    KVB_SET_CACHE_TYPE_K, // word: enum kvb_gguf_cache
    KVB_SET_CACHE_TYPE_V,
    KVB_SET_FLASH_ATTENTION, // word: enum kvb_on_off_auto
    KVB_SET_SPLIT_MODE,      // word: layer, row, none
    KVB_SET_CPU_MOE_LAYERS,  // --n-cpu-moe
    KVB_SET_SWA_FULL,
    KVB_SET_KV_UNIFIED,
    KVB_SET_KV_OFFLOAD,
    KVB_SET_FIT,        // word: enum kvb_on_off_auto
    KVB_SET_FIT_TARGET, // MiB
    KVB_SET_FIT_CTX,
    KVB_SET_GGUF_TYPE,    // word: the mixture of a model that has no file, in the order of its words
    KVB_SET_GGML_BACKEND, // word: cuda, rocm, vulkan, sycl, metal, cpu
    KVB_SET_DRAFT_GPU_LAYERS,
    KVB_SET_DRAFT_CTX,
    KVB_SET_DRAFT_CACHE_TYPE_K, // word: enum kvb_gguf_cache
    KVB_SET_DRAFT_CACHE_TYPE_V,
    KVB_SET_DRAFT_GGUF_TYPE,
    KVB_SET_MMPROJ_OFFLOAD,
    KVB_SET_IMAGE_MAX_TOKENS,
    // SGLang's own
    KVB_SET_MAX_TOTAL_TOKENS,
    KVB_SET_MAX_PREFILL_TOKENS,
    KVB_SET_ENABLE_DP_ATTENTION,
    KVB_SET_SWA_FULL_TOKENS_RATIO,   // ppm
    KVB_SET_MAMBA_FULL_MEMORY_RATIO, // ppm
    KVB_SET_MAX_MAMBA_CACHE_SIZE,
    KVB_SET_MAMBA_EXTRA_BUFFER, // word: --mamba-scheduler-strategy, 1: two more slots a request
    KVB_SET_SPECULATIVE_STEPS,
    KVB_SET_SPECULATIVE_TOPK,
    KVB_SET_SPECULATIVE_ADAPTIVE,
    KVB_SET_DISAGGREGATION_MODE, // word: enum kvb_disaggregation
    KVB_SET_PREFILL_GRAPHS,
    KVB_SET_PREFILL_GRAPH_TOKENS,
    KVB_SET_MOE_A2A_BACKEND, // word: enum kvb_all_to_all
    KVB_SET_ENABLE_TORCH_COMPILE,
    KVB_SET_ENABLE_SYMM_MEM,
    KVB_SET_ENABLE_DETERMINISTIC_INFERENCE,
    KVB_SET_ENABLE_TWO_BATCH_OVERLAP,
    KVB_SET_ENABLE_EPLB,
    KVB_SET_ENABLE_MULTIMODAL,
    KVB_SET_ENABLE_HIERARCHICAL_CACHE,
    KVB_SET_HICACHE_RATIO, // ppm of the pool
    KVB_SET_HICACHE_SIZE,  // bytes, written in GB
    KVB_SET_GPU_OVERHEAD,  // bytes of each GPU that Ollama leaves to others
    KVB_SETTING_COUNT
};

#define KVB_AUTO UINT64_MAX // a number setting left to the engine on purpose ("auto", -1)

enum kvb_origin { KVB_ORIGIN_DEFAULT, KVB_ORIGIN_PROFILE, KVB_ORIGIN_COMMAND, KVB_ORIGIN_FLAG };
const char *kvb_origin_name(enum kvb_origin origin); // "default", "profile", "command", "flag"

enum kvb_dtype_word { KVB_DTYPE_AUTO, KVB_DTYPE_WORD_BF16, KVB_DTYPE_WORD_FP16, KVB_DTYPE_WORD_FP32 };
enum kvb_kv_dtype {
    KVB_KV_AUTO,
    KVB_KV_16BIT, // bfloat16, float16, half
    KVB_KV_FP8,   // fp8, fp8_inc
    KVB_KV_FP8_DS_MLA,
    KVB_KV_INT8_PER_TOKEN_HEAD,
    KVB_KV_FP8_PER_TOKEN_HEAD,
    KVB_KV_INT4_PER_TOKEN_HEAD,
    KVB_KV_NVFP4,
    KVB_KV_TURBOQUANT_K8V4,
    KVB_KV_TURBOQUANT_4BIT_NC,
    KVB_KV_TURBOQUANT_K3V4_NC,
    KVB_KV_TURBOQUANT_3BIT_NC,
    KVB_KV_FP8_E4M3, // one byte an element like KVB_KV_FP8; attention backends tell the words apart
    KVB_KV_FP8_E5M2,
    KVB_KV_MXFP8,    // a byte and a thirty-second
    KVB_KV_FP4_E2M1, // half a byte and a sixteenth
    KVB_KV_COUNT
};
enum kvb_gguf_cache {
    KVB_GGUF_F16,
    KVB_GGUF_F32,
    KVB_GGUF_BF16,
    KVB_GGUF_Q8_0,
    KVB_GGUF_Q5_1,
    KVB_GGUF_Q5_0,
    KVB_GGUF_Q4_1,
    KVB_GGUF_Q4_0,
    KVB_GGUF_IQ4_NL
};
enum kvb_on_off_auto { KVB_OFF, KVB_ON, KVB_ON_OFF_AUTO };
enum kvb_quantization_word { // what the flag can ask for; the checkpoint's own method otherwise
    KVB_QUANTIZATION_CHECKPOINT,
    KVB_QUANTIZATION_FP8, // online when the checkpoint is 16 bit
    KVB_QUANTIZATION_AWQ,
    KVB_QUANTIZATION_GPTQ,
    KVB_QUANTIZATION_BITSANDBYTES,
    KVB_QUANTIZATION_COMPRESSED_TENSORS,
    KVB_QUANTIZATION_MODELOPT,
    KVB_QUANTIZATION_MXFP4,
    KVB_QUANTIZATION_GGUF,
    KVB_QUANTIZATION_OTHER_OF_CHECKPOINT, // those below: a method of the checkpoint by its own name
    KVB_QUANTIZATION_AWQ_MARLIN,
    KVB_QUANTIZATION_GPTQ_MARLIN,
    KVB_QUANTIZATION_GPTQ_MARLIN_24,
    KVB_QUANTIZATION_GPTQ_BITBLAS,
    KVB_QUANTIZATION_BITBLAS,
    KVB_QUANTIZATION_MARLIN,
    KVB_QUANTIZATION_MOE_WNA16,
    KVB_QUANTIZATION_FBGEMM_FP8,
    KVB_QUANTIZATION_QUARK,
    KVB_QUANTIZATION_TORCHAO,
    KVB_QUANTIZATION_AUTO_ROUND,
    KVB_QUANTIZATION_INC,
    KVB_QUANTIZATION_IPEX,
    KVB_QUANTIZATION_HQQ,
    KVB_QUANTIZATION_EXPERTS_INT8,
    KVB_QUANTIZATION_SQUEEZELLM,
    KVB_QUANTIZATION_AUTO_AWQ,
    KVB_QUANTIZATION_AUTO_GPTQ,
    KVB_QUANTIZATION_MODELOPT_FP4,
    KVB_QUANTIZATION_MODELOPT_MXFP8,
    KVB_QUANTIZATION_MODELOPT_MIXED,
    KVB_QUANTIZATION_NVFP4,
    KVB_QUANTIZATION_GPT_OSS_MXFP4,
    KVB_QUANTIZATION_DEEPSEEK_V4_FP8,
    KVB_QUANTIZATION_PETIT_NVFP4,
    KVB_QUANTIZATION_FP8_PER_TENSOR, // online from here on
    KVB_QUANTIZATION_FP8_PER_BLOCK,
    KVB_QUANTIZATION_FP8_PER_CHANNEL,
    KVB_QUANTIZATION_PTPC_FP8,
    KVB_QUANTIZATION_MXFP8,                        // online; the checkpoint's method where it has one of that name
    KVB_QUANTIZATION_INT8_PER_CHANNEL_WEIGHT_ONLY, // online, experts alone
    KVB_QUANTIZATION_NVFP4_PER_TOKEN,              // online, experts alone
    KVB_QUANTIZATION_COUNT
};
enum kvb_backend {
    KVB_BACKEND_AUTO,
    KVB_BACKEND_FLASH_ATTN,
    KVB_BACKEND_FLASHINFER,
    KVB_BACKEND_TRITON,
    KVB_BACKEND_FLASHMLA,
    KVB_BACKEND_FLASHMLA_SPARSE,
    KVB_BACKEND_FLASHINFER_MLA,
    KVB_BACKEND_CUTLASS_MLA,
    KVB_BACKEND_TRITON_MLA,
    KVB_BACKEND_FLASH_ATTN_MLA,
    KVB_BACKEND_FLASHINFER_MLA_SPARSE,
    KVB_BACKEND_FLASH_ATTN_MLA_SPARSE,
    KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120,
    KVB_BACKEND_FA4, // SGLang's from here
    KVB_BACKEND_TRTLLM_MLA,
    KVB_BACKEND_TRTLLM_MHA,
    KVB_BACKEND_AITER,
    KVB_BACKEND_FLEX, // vLLM's again
    KVB_BACKEND_TURBOQUANT,
    KVB_BACKEND_TOKENSPEED_MLA,
    KVB_BACKEND_OTHER
};
enum kvb_speculative {
    KVB_SPECULATIVE_NONE,
    KVB_SPECULATIVE_NGRAM,
    KVB_SPECULATIVE_EAGLE,
    KVB_SPECULATIVE_MTP,
    KVB_SPECULATIVE_DRAFT_MODEL,
    KVB_SPECULATIVE_DFLASH, // a whole block at once, from hidden states of the target
    KVB_SPECULATIVE_DSPARK, // the same, one token after the other corrected
    KVB_SPECULATIVE_OTHER
};
enum kvb_mamba_mode { KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_NONE, KVB_MAMBA_MODE_ALIGN, KVB_MAMBA_MODE_ALL };
enum kvb_runner { KVB_RUNNER_AUTO, KVB_RUNNER_GENERATE, KVB_RUNNER_POOLING };
enum kvb_disaggregation { KVB_DISAGGREGATION_NONE, KVB_DISAGGREGATION_PREFILL, KVB_DISAGGREGATION_DECODE };
enum kvb_all_to_all { KVB_A2A_NONE, KVB_A2A_DEEPEP, KVB_A2A_OTHER };
// Kernels of experts, as far as their scratch or their weights differ.
enum kvb_moe_backend {
    KVB_MOE_AUTO,
    KVB_MOE_CUTLASS,
    KVB_MOE_FLASHINFER_CUTLASS,
    KVB_MOE_MARLIN, // SGLang's, as are the next
    KVB_MOE_TRITON,
    KVB_MOE_TRITON_KERNELS,
    KVB_MOE_FLASHINFER_MXFP4,
    KVB_MOE_OTHER,
};

enum kvb_performance { KVB_PERFORMANCE_BALANCED, KVB_PERFORMANCE_THROUGHPUT, KVB_PERFORMANCE_INTERACTIVITY };

// How the value of a setting is written.
enum kvb_value_kind {
    KVB_VALUE_PPM,
    KVB_VALUE_COUNT,  // whole number, also 4k and 4K
    KVB_VALUE_LENGTH, // count, "auto" or -1
    KVB_VALUE_GIB,    // decimal GiB, stored in bytes
    KVB_VALUE_SWITCH, // no argument
    KVB_VALUE_WORD,
    KVB_VALUE_PART // not a flag of its own: filled from JSON or list flags
};

struct kvb_word {
    const char *text; // lower case; the first row of a number is its canonical spelling
    uint32_t number;
};

struct kvb_setting_row {
    const char *key; // underscores: as in profiles, JSON and Python ("max_model_len")
    enum kvb_value_kind kind;
    uint64_t minimum, maximum; // inclusive, in stored units
    const struct kvb_word *words;
    uint32_t word_count;
    const char *argument; // for help: "TOKENS"
    const char *help;
    bool own; // of one engine: answers about others do not show it
};
const struct kvb_setting_row *kvb_setting_row_of(enum kvb_setting setting); // NULL: no such row

// Reads the text of one value by its row. False with a sentence in `why` (what was found, what would do).
bool kvb_setting_parse(enum kvb_setting setting, const char *text, uint64_t *number, char why[256]);
// Writes a value as its flag takes it ("0.925", "32768", "fp8").
char *kvb_setting_format(char out[48], enum kvb_setting setting, uint64_t number);

struct kvb_setting_value {
    uint64_t number;
    uint8_t set;    // 0: the engine's default applies
    uint8_t origin; // enum kvb_origin
};
struct kvb_settings {
    struct kvb_setting_value values[KVB_SETTING_COUNT];
};
// Sets a value unless one of higher origin is there already.
void kvb_settings_set(struct kvb_settings *settings, enum kvb_setting setting, uint64_t number, enum kvb_origin origin);

enum kvb_usage { KVB_USAGE_SERVE, KVB_USAGE_OFFLINE };
enum kvb_platform { KVB_PLATFORM_LINUX, KVB_PLATFORM_WSL2, KVB_PLATFORM_WINDOWS };
// Whether the compiled graphs of an earlier start are found: a first start compiles inside the profile run.
enum kvb_compile_cache { KVB_COMPILE_UNKNOWN, KVB_COMPILE_WARM, KVB_COMPILE_COLD };
enum kvb_tristate { KVB_UNSET, KVB_NO, KVB_YES };

// Environment variables the engine reads and the budget knows.
struct kvb_environment {
    uint8_t use_v1;                     // VLLM_USE_V1; enum kvb_tristate, like all below
    uint8_t use_v2_model_runner;        // VLLM_USE_V2_MODEL_RUNNER
    uint8_t use_flashinfer_sampler;     // VLLM_USE_FLASHINFER_SAMPLER
    uint8_t estimate_cudagraphs;        // VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS
    uint8_t mla_disable;                // VLLM_MLA_DISABLE
    uint8_t rocm_moe_padding;           // VLLM_ROCM_MOE_PADDING
    uint8_t rocm_use_aiter;             // VLLM_ROCM_USE_AITER
    uint8_t allow_chunked_local_hybrid; // VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE
    uint8_t allow_long_max_model_len;   // VLLM_ALLOW_LONG_MAX_MODEL_LEN
    uint8_t expandable_segments;        // PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
    uint8_t expandable_by_cuda_name;    // what PYTORCH_CUDA_ALLOC_CONF says of it, whatever its newer name does
    uint8_t compile_disable;            // TORCH_COMPILE_DISABLE
    uint8_t dynamo_disable;             // TORCHDYNAMO_DISABLE
    bool index_logits_stated;           // VLLM_SPARSE_INDEXER_MAX_LOGITS_MB
    uint32_t index_logits_mib;          // its value
    uint32_t attention_backend;         // VLLM_ATTENTION_BACKEND; enum kvb_backend
    uint8_t layer_partition_count;      // VLLM_PP_LAYER_PARTITION; 0 = not set
    uint16_t layer_partition[64];
    struct kvb_settings settings; // said by variables; what a flag, a command or a profile says of them goes first
    char noted[512]; // NAME=VALUE, a line each, of those whose value a release may refuse; what has no room is left out
};

// Terms of the budget that are known beforehand and override the model of them. 0 bytes is a value.
enum kvb_stated {
    KVB_STATED_WEIGHTS,
    KVB_STATED_ACTIVATION,
    KVB_STATED_NON_TORCH,
    KVB_STATED_CUDA_GRAPH,
    KVB_STATED_KV_NEED, // KV cache wanted, instead of one request of max_model_len
    KVB_STATED_COUNT
};
struct kvb_stated_term {
    bool set;
    uint64_t bytes;
};

#define KVB_RESERVES_MAX 16
struct kvb_reserve {
    char name[48];
    uint64_t bytes; // on each GPU
};

// What must fit beyond one request of max_model_len; 0 = not asked.
struct kvb_need {
    uint64_t length_tokens;          // --need-len
    uint64_t concurrency_hundredths; // --need-concurrency, requests of that length at once
};

// One request as its user sees it, to be held against max_model_len.
struct kvb_request {
    bool set;
    uint64_t images, prompt_tokens, answer_tokens;
    uint64_t image_tokens; // of one image; 0 = the largest the model takes
};

// Terms measured in an earlier run, in the order of enum kvb_item: what they differ from the model of
// them carries over to other settings. Made by kvb_calibrate.
#define KVB_CALIBRATED_TERMS 6
struct kvb_calibration {
    bool set;
    bool known[KVB_CALIBRATED_TERMS];
    int64_t offset_bytes[KVB_CALIBRATED_TERMS];     // measured less predicted for that run
    uint64_t reference_bytes[KVB_CALIBRATED_TERMS]; // predicted for that run
};

// What plans that follow one another share (kvbudget/sweep.h).
struct kvb_reuse;

struct kvb_plain_value {
    bool set;
    bool negative; // `number` below 0; of those that a release takes so and refuses later
    uint64_t number;
};

#define KVB_TENSOR_OVERRIDES_CAPACITY 1024

// A picture projector beside the model (--mmproj of llama.cpp), as its header or the model's config says.
struct kvb_projector {
    bool named;  // one is loaded
    bool known;  // false: nothing of it is counted
    bool header; // read from its file; else the model's own encoder in 16 bits
    bool gated;  // three matrices in its MLP
    bool fused_qkv;
    enum kvb_encoder_family family;
    uint64_t bytes; // of its tensors
    uint32_t layers, hidden_size, intermediate_size, heads;
    uint32_t image_size, patch_size, merge_size, output_size, deepstack_levels;
};

struct kvb_plan {
    struct kvb_model model;
    const struct kvb_model *draft; // draft model of speculative decoding; NULL = none or not known
    struct kvb_projector projector;
    struct kvb_gpu gpu;
    uint64_t gpu_free_bytes; // at start; 0 = not stated
    bool gpu_free_stated;
    uint32_t gpus_stated; // of one machine; 0 = no number is said
    struct kvb_engine engine;
    struct kvb_settings settings;
    struct kvb_environment environment;
    enum kvb_usage usage;
    enum kvb_platform platform;
    enum kvb_compile_cache compile_cache;
    struct kvb_stated_term stated[KVB_STATED_COUNT];
    uint32_t reserve_count;
    struct kvb_reserve reserves[KVB_RESERVES_MAX];
    struct kvb_need need;
    struct kvb_request request;
    struct kvb_calibration calibration;
    struct kvb_reuse *reuse; // NULL: everything is worked out anew; of one thread
    bool stored_quantised;   // --quantization stands for a checkpoint made so: nothing is quantised while loading
    bool draft_unknown;      // one is named and nobody knows it: neither weights nor cache are counted
    uint32_t plain_flags;    // enum kvb_plain_flag
    const char *v0_feature;  // a flag of the serve line that this release's V1 does not take; NULL: none
    struct kvb_plain_value plain_numbers[KVB_PLAIN_NUMBER_COUNT];
    struct kvb_graph_sizes graph_sizes;
    char tensor_overrides[KVB_TENSOR_OVERRIDES_CAPACITY]; // --override-tensor of llama.cpp: lines PATTERN=BUFFER
    char command_error[256]; // what the release's argument parser says of the serve command; "" = it takes it
};

KVB_PUBLIC_END

#endif
