// What the log of a serving engine says: numbers, the failure, checks of its arithmetic, and what fixes it.
//
// Make a reader, feed it the bytes as they come, finish it, then let kvb_log_explain draw the conclusions.
// Nothing here reads files or prints; memory does not grow with the log.
#ifndef KVBUDGET_LOGS_H
#define KVBUDGET_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/plan.h>

KVB_PUBLIC_BEGIN

enum kvb_log_engine {
    KVB_LOG_UNKNOWN_ENGINE,
    KVB_LOG_VLLM,
    KVB_LOG_SGLANG,
    KVB_LOG_LLAMACPP,
    KVB_LOG_TENSORRT,
    KVB_LOG_LMDEPLOY,
    KVB_LOG_TGI,
    KVB_LOG_OLLAMA,
    KVB_LOG_TORCH, // PyTorch itself, inside whatever engine
    KVB_LOG_ENGINE_COUNT
};
const char *kvb_log_engine_name(enum kvb_log_engine engine); // "vllm", ...; "" when not known

// What a number in a log means. Sizes are bytes and may be negative.
enum kvb_observation {
    KVB_OBS_WEIGHTS,
    KVB_OBS_ACTIVATION,
    KVB_OBS_NON_TORCH,
    KVB_OBS_CUDA_GRAPH, // actual; the estimate where nothing else is logged
    KVB_OBS_KV_CACHE,
    KVB_OBS_REQUESTED,
    KVB_OBS_GPU_MEMORY,
    KVB_OBS_GPU_FREE,
    KVB_OBS_NEEDED,
    KVB_OBS_NEEDED_FOR_LEN,
    KVB_OBS_ESTIMATED_MAX_MODEL_LEN,
    KVB_OBS_KV_TOKENS,
    KVB_OBS_NUM_GPU_BLOCKS,
    KVB_OBS_MAX_CONCURRENCY, // hundredths
    KVB_OBS_INITIAL_FREE,
    KVB_OBS_CURRENT_FREE,
    KVB_OBS_TRIED_ALLOC,
    KVB_OBS_PUBLISHED_COUNT, // those above are `observed` in JSON
    KVB_OBS_GRAPH_ESTIMATE = KVB_OBS_PUBLISHED_COUNT,
    KVB_OBS_CONSUMED,         // weights and non-torch in one figure (0.27)
    KVB_OBS_PEAK_WITH_GRAPHS, // activation and the estimate of graphs in one figure (0.27)
    KVB_OBS_CPU_BLOCKS,
    KVB_OBS_CONCURRENCY_LEN,
    KVB_OBS_UTILIZATION, // ppm
    KVB_OBS_UTILIZATION_WITHOUT_GRAPHS,
    KVB_OBS_MAX_MODEL_LEN,
    KVB_OBS_MAX_BATCHED_TOKENS,
    KVB_OBS_BLOCK_SIZE,
    KVB_OBS_SUGGESTED_FIT,  // bytes of --kv-cache-memory to stay inside the request
    KVB_OBS_SUGGESTED_FULL, // bytes of --kv-cache-memory to use the whole card
    KVB_OBS_WARMUP_REQUESTS,
    KVB_OBS_MAMBA_BLOCKS,
    KVB_OBS_MAMBA_SEQS,
    KVB_OBS_OOM_FREE,
    KVB_OBS_OOM_ALLOCATED,
    KVB_OBS_OOM_UNALLOCATED,
    KVB_OBS_OOM_PRIVATE,
    KVB_OBS_OOM_PROCESS, // the largest "Process N has"
    KVB_OBS_OOM_THIS_PROCESS,
    KVB_OBS_ENCODER_TOKENS,
    KVB_OBS_DROPPED_LAYERS_WASTE,
    KVB_OBS_AVAIL_BEFORE_LOAD, // SGLang: free memory before the weights
    KVB_OBS_AVAIL_AFTER_LOAD,
    KVB_OBS_AVAIL_AFTER_POOL,
    KVB_OBS_STATIC_FRACTION, // SGLang --mem-fraction-static, ppm
    KVB_OBS_FULL_TOKENS,     // SGLang: of layers without a window, where there are two pools
    KVB_OBS_KEYS_SIZE,       // K part of a pool logged in two parts
    KVB_OBS_VALUES_SIZE,
    KVB_OBS_OFFLOADED_LAYERS,
    KVB_OBS_MODEL_LAYERS,
    KVB_OBS_BLOCK_BYTES,
    KVB_OBS_BLOCK_TOKENS,
    KVB_OBS_FILE_SIZE,
    KVB_OBS_RUNNING, // a scrape of /metrics
    KVB_OBS_WAITING,
    KVB_OBS_KV_USAGE, // ppm
    KVB_OBS_PREEMPTIONS,
    KVB_OBS_USED_TOKENS,
    KVB_OBS_TORCH_ALLOCATED, // torch.cuda.memory_summary()
    KVB_OBS_TORCH_PEAK,
    KVB_OBS_TORCH_RESERVED,
    KVB_OBS_TORCH_OOMS,
    KVB_OBS_OVERRIDDEN_BLOCKS, // what num_gpu_blocks_override replaced
    KVB_OBS_IGNORED,           // a hole that only has to be there
    KVB_OBS_COUNT
};

enum kvb_log_unit { KVB_LOG_BYTES, KVB_LOG_TOKENS, KVB_LOG_COUNT, KVB_LOG_HUNDREDTHS, KVB_LOG_PPM };
// Among several values of one run: the one that decides.
enum kvb_log_combine { KVB_LOG_SMALLEST, KVB_LOG_LARGEST, KVB_LOG_FIRST, KVB_LOG_LAST, KVB_LOG_SUM };
struct kvb_observation_row {
    const char *key;   // JSON: "weights_bytes"
    const char *label; // text: "weights"
    enum kvb_log_unit unit;
    enum kvb_log_combine combine;
};
const struct kvb_observation_row *kvb_observation_row_of(enum kvb_observation observation); // NULL: no such row

struct kvb_log_value {
    bool set;
    int64_t value;
    uint64_t line;     // 1-based
    int64_t low, high; // over all ranks that printed it
    uint32_t count;    // how often it was printed
};

enum kvb_log_verdict { KVB_LOG_HEALTHY, KVB_LOG_FAILED, KVB_LOG_UNKNOWN, KVB_LOG_INCOMPLETE };
const char *kvb_log_verdict_name(enum kvb_log_verdict verdict);

enum kvb_failure {
    KVB_FAILURE_NONE,
    KVB_FAILURE_NEGATIVE_KV,
    KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN,
    KVB_FAILURE_FREE_LESS_THAN_REQUESTED,
    KVB_FAILURE_PROFILING_ASSERTION,
    KVB_FAILURE_OOM_LOAD,
    KVB_FAILURE_OOM_PROFILE,
    KVB_FAILURE_OOM_GRAPH,
    KVB_FAILURE_OOM_SAMPLER,
    KVB_FAILURE_OOM_SERVING,
    KVB_FAILURE_STATE_BLOCKS, // a hybrid has fewer blocks than sequences, each of which keeps a state in one
    KVB_FAILURE_OTHER,
    KVB_FAILURE_COUNT
};
const char *kvb_failure_name(enum kvb_failure failure);  // "negative_kv", ...
const char *kvb_failure_title(enum kvb_failure failure); // a short sentence for people

// How far a start came.
enum kvb_log_stage {
    KVB_STAGE_NOTHING,
    KVB_STAGE_CONFIGURED, // banner, arguments, engine configuration
    KVB_STAGE_LOADING,
    KVB_STAGE_LOADED,
    KVB_STAGE_SIZED,     // the KV cache has a size
    KVB_STAGE_ALLOCATED, // tokens or blocks are known
    KVB_STAGE_CAPTURED,  // CUDA graphs exist
    KVB_STAGE_READY,     // started
    KVB_STAGE_SERVING,
    KVB_STAGE_COUNT
};
const char *kvb_log_stage_name(enum kvb_log_stage stage);

#define KVB_LOG_TEXT_CAPACITY 1024
#define KVB_LOG_PLACE_CAPACITY 160

enum kvb_log_answer { KVB_LOG_NOT_KNOWN, KVB_LOG_YES, KVB_LOG_NO };

struct kvb_log_failure {
    enum kvb_failure kind;
    uint64_t line;
    bool inferred;                     // no message named the stage; it follows from the numbers
    enum kvb_log_answer about_memory;  // of the GPU
    bool cause_in_log;                 // the text is a cause and not only what wraps it
    bool stage_unknown;                // the message alone does not tell at which stage memory ran out
    const char *title;                 // the cause in a few words, static; NULL = none
    const char *fix, *fix_to, *advice; // what to change, to what, and why; NULL = none
    char text[KVB_LOG_TEXT_CAPACITY];
    char raised_in[KVB_LOG_PLACE_CAPACITY]; // "vllm/config/model.py:512 in f"; empty = no traceback says it
};

#define KVB_LOG_RUNS_MAX 32
struct kvb_log_run { // one start attempt
    uint64_t first_line;
    enum kvb_log_stage stage;
    enum kvb_failure failure;
    uint64_t failure_line;
};

// What another start of the same log shows of the one explained.
struct kvb_log_lesson {
    bool known; // another start became ready and differs in one setting
    enum kvb_setting setting;
    bool from_set, to_set;           // false: left at the engine's default
    uint64_t from, to;               // of the start explained, of the one that worked
    uint64_t first_line, ready_line; // of the one that worked
    int64_t total_bytes;             // the card, from two utilizations and two KV caches; 0 = not known
};

// Remarks the engine makes that change how its numbers are read.
enum kvb_log_note {
    KVB_NOTE_WSL,
    KVB_NOTE_HYBRID_OFF,
    KVB_NOTE_HYBRID_MODEL,
    KVB_NOTE_NO_MM_PROFILE,
    KVB_NOTE_GRAPHS_CHARGED,
    KVB_NOTE_GRAPHS_NOT_CHARGED,
    KVB_NOTE_PREEMPTION,
    KVB_NOTE_REQUEST_ABORTED,        // one request alone outgrew the pool
    KVB_NOTE_LOWER_UTILIZATION_HINT, // "Failed to load model ... lower utilization"
    KVB_NOTE_HOST_MEMORY,            // killed by the kernel: host memory, not GPU
    KVB_NOTE_NCCL_OOM,
    KVB_NOTE_LAYERS_ON_CPU,
    KVB_NOTE_MULTIMODAL,
    KVB_NOTE_CPU_BACKEND,
    KVB_NOTE_COMPILED,       // graphs were compiled: a first start
    KVB_NOTE_COMPILE_LOADED, // they came from the cache of an earlier one
    KVB_NOTE_LAYERS_STATED,  // it would have fitted its layers to free memory, had nobody stated them
    KVB_NOTE_COUNT
};

#define KVB_LOG_POINTS 64
struct kvb_log_point {
    int64_t second, used_bytes; // since the first reading; its number where no time is said
};

// Memory of one GPU over time; 0 = not said.
struct kvb_log_series {
    uint32_t gpus, gpu; // how many were listed; the fullest is the one measured
    uint64_t samples;
    bool has_time, has_growth;
    int64_t seconds;
    int64_t first_bytes, peak_bytes, steady_bytes, last_bytes, jump_bytes, free_bytes, total_bytes;
    int64_t growth_bytes_per_hour; // of the steady part
    uint32_t point_count;
    struct kvb_log_point points[KVB_LOG_POINTS]; // of many readings the highest of each stretch
};

#define KVB_CHECKS_MAX 24
struct kvb_check {
    char what[96];
    enum kvb_log_unit unit;
    bool has_logged, has_computed, has_agrees, agrees; // without agrees: solved for, nothing to compare
    int64_t logged, computed;
    char note[240];
};

#define KVB_REMEDIES_MAX 20
struct kvb_remedy {
    char setting[64]; // the engine's flag without dashes, or a step ("other processes")
    char from[48], to[64];
    bool works;
    char why[280];
};

#define KVB_CLOSEST_MAX 3
struct kvb_closest {
    uint64_t line;
    uint32_t score;
    char text[160];
};

struct kvb_log_report {
    enum kvb_log_verdict verdict;
    enum kvb_log_engine engine;
    bool version_known;
    char version[KVB_VERSION_CAPACITY]; // as printed: "0.23.1rc1.dev1201+gd08eebad1"
    uint32_t release;                   // 0 = not known
    uint32_t since, until;              // by the wording of its lines, when the version is not printed; 0 = not known
    bool generation_known;
    enum kvb_generation generation;
    char model[KVB_NAME_CAPACITY];
    char gpu[KVB_NAME_CAPACITY];
    struct kvb_settings settings; // what the log states, origin COMMAND
    bool arguments_seen;          // the non-default arguments were logged: what they do not name is a default
    struct kvb_log_value observed[KVB_OBS_COUNT];
    bool notes[KVB_NOTE_COUNT];
    enum kvb_log_stage stage;
    struct kvb_log_failure failure;
    uint32_t run_count; // runs beyond KVB_LOG_RUNS_MAX are counted but not kept
    uint32_t run_shown; // index of the run explained
    struct kvb_log_run runs[KVB_LOG_RUNS_MAX];
    struct kvb_log_lesson lesson;
    uint64_t line_count, byte_count, known_lines;
    bool has_series;
    struct kvb_log_series series;
    bool has_metrics;   // a scrape of /metrics was read
    const char *packed; // "gzip", ...: the bytes are compressed; NULL = they are not
    bool not_text;      // looks like a binary file
    bool excerpt;       // nothing but figures, as people pick them out of a log
    bool start_seen;    // a line that only a start prints: what is missing behind it did not happen yet
    bool newest_first;  // the time stamps fall from line to line
    uint32_t check_count;
    struct kvb_check checks[KVB_CHECKS_MAX];
    uint32_t remedy_count;
    struct kvb_remedy remedies[KVB_REMEDIES_MAX];
    uint32_t closest_count;
    struct kvb_closest closest[KVB_CLOSEST_MAX];
};

struct kvb_log_reader;
// NULL when there is no memory.
struct kvb_log_reader *kvb_log_reader_new(void);
void kvb_log_reader_feed(struct kvb_log_reader *reader, const char *bytes, size_t length);
// Fills everything but checks and remedies. The reader can only be freed afterwards.
void kvb_log_reader_finish(struct kvb_log_reader *reader, struct kvb_log_report *report);
void kvb_log_reader_free(struct kvb_log_reader *reader);

// What the log does not say and the user does; 0 or unset = not said.
struct kvb_log_given {
    uint64_t gpu_memory_bytes, gpu_free_bytes;
    struct kvb_settings settings; // win over what the log says
    uint32_t release;
    bool platform_set;
    enum kvb_platform platform;
    const char *model; // as the user named it, borrowed; NULL = not said
    bool model_known;  // the four below mean something
    bool has_encoder;
    uint64_t context_tokens, vocabulary_size;
    uint64_t bytes_per_token; // of the KV cache; 0 = not a plain full-attention model
};
void kvb_log_given_init(struct kvb_log_given *given);

// What the metrics of a running server say of its KV cache, in one sentence; NULL without metrics.
const char *kvb_log_metrics_say(const struct kvb_log_report *report);
// Seconds until a growing series fills the card; false when it does not grow or the room is not known.
bool kvb_log_series_left(const struct kvb_log_series *series, int64_t *seconds);

// Adds checks and remedies.
void kvb_log_explain(struct kvb_log_report *report, const struct kvb_log_given *given);

// For callers that compare with a budget of their own. False when the list is full.
bool kvb_log_add_check(struct kvb_log_report *report, const struct kvb_check *check);

// A setting from what the user said, else the log, else the engine's default where the log proves it.
bool kvb_log_setting(const struct kvb_log_report *report, const struct kvb_log_given *given, enum kvb_setting setting,
                     uint64_t *number);

KVB_PUBLIC_END

#endif
