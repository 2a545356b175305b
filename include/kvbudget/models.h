// Models rather than one model: which of the built-in ones start on a GPU, and what a model's name says of its family.
#ifndef KVBUDGET_MODELS_H
#define KVBUDGET_MODELS_H

#include <kvbudget/answer.h>

KVB_PUBLIC_BEGIN

// "Qwen3" of "Qwen/Qwen3-8B-AWQ": a name without owner, number format, size and what follows the size.
void kvb_model_family(const char *name, char out[KVB_NAME_CAPACITY]);
// Whether two names are one model in two number formats: "Qwen/Qwen3-8B" and "Qwen/Qwen3-8B-AWQ". A name is no sibling
// of itself.
bool kvb_models_are_siblings(const char *a, const char *b);

// The built-in sibling of `name` whose weights have so many bits, its own owner's before another's; else, for 8 and 4
// bits, one whose name is made up ("-FP8", "-AWQ"): *assumed. False: there is none.
bool kvb_model_in_format(const char *name, uint32_t bits, struct kvb_model *model, bool *assumed);

enum kvb_task {
    KVB_TASK_TEXT,
    KVB_TASK_VISION, // takes pictures
    KVB_TASK_AUDIO,  // takes sound
    KVB_TASK_EMBEDDING,
    KVB_TASK_CLASSIFICATION, // rerankers, reward models, guards with a head of classes
    KVB_TASK_COUNT
};
const char *kvb_task_name(enum kvb_task task); // "text", "vision", ...; NULL: no such task
enum kvb_task kvb_model_task(const struct kvb_model *model);
// The licence that the model's own card names, as its hub writes it: "apache-2.0", "llama3.1"; NULL: not known here.
const char *kvb_model_licence(const char *name);
// How the weights are stored, as people say it: "16 bit", "FP8", "AWQ-4".
void kvb_model_format(const struct kvb_model *model, char out[32]);
// Bits of a weight by that format; experts count where they are stored otherwise.
uint32_t kvb_model_format_bits(const struct kvb_model *model);

// Which models are asked about; zeroes: all of them, at the usual length.
struct kvb_models_wish {
    const char *family;  // part of a name or family, case ignored; NULL: any
    const char *licence; // part of a licence, case ignored; NULL: any, known or not
    uint64_t minimum_parameters;
    bool one_task;
    enum kvb_task task;
    uint64_t length_tokens;          // at which each model is planned; 0 = KVB_MODELS_LENGTH, or the model's own limit
    uint64_t concurrency_hundredths; // requests of that length at once; 0 = one
    uint64_t gpu_count;              // 0 = as the deployment splits, or one
};
#define KVB_MODELS_LENGTH 8192U

// Why a model that does not start does not.
enum kvb_miss {
    KVB_MISS_NONE,
    KVB_MISS_HOST,   // it starts with layers left to the CPU
    KVB_MISS_LIMIT,  // the model's own limit is shorter than the length asked for
    KVB_MISS_RULE,   // the release refuses it on this GPU, whatever the memory
    KVB_MISS_MEMORY, // lacks_bytes are missing on each GPU
};

// One model: `kvbudget plan --model NAME --max-model-len LENGTH` on that GPU, in short.
struct kvb_models_row {
    char name[KVB_NAME_CAPACITY];
    char family[KVB_NAME_CAPACITY];
    char format[32];
    enum kvb_task task;
    uint64_t parameters, context_tokens;
    uint64_t family_parameters;    // of the largest of its family that starts
    uint64_t length_tokens;        // max_model_len of its plan
    uint64_t tensor_parallel_size; // the largest number of the GPUs that its heads can be split over
    enum kvb_verdict verdict;
    enum kvb_miss miss;
    uint64_t lacks_bytes;
    const char *refusal;         // the rule, a constant word; or NULL
    const char *licence;         // NULL: not known here
    uint64_t gpu_layers, layers; // where some are left to the CPU; the output counts as one
    uint64_t weights_bytes, tokens, max_model_len_that_fits, max_concurrency_hundredths;
    int64_t kv_cache_bytes, balance_bytes, slack_bytes;
    bool best_of_family; // the largest of its family that starts, in the finest format that fits
};

struct kvb_models {
    struct kvb_gpu gpu;
    struct kvb_engine engine;
    uint64_t gpu_count, memory_bytes, free_bytes;
    uint64_t length_tokens, concurrency_hundredths; // as asked; 0 = not
    uint32_t known;                                 // built-in models
    uint32_t asked;                                 // that the wish lets through
    uint32_t starting, on_host, missing_memory, refused, too_short;
    uint32_t licence_unknown; // left out because it was asked for
    // First what starts: families by their best, within a family the largest first. Then what just misses, the least
    // lack first; then what the release refuses and what is too short.
    uint32_t count;
    struct kvb_models_row *rows;
};

// Plans every built-in model that the wish lets through on the deployment's GPU. *models is the caller's, who frees it
// with kvb_models_free; it stays NULL after a failure.
enum kvb_status kvb_models_find(const struct kvb_deployment *deployment, const struct kvb_models_wish *wish,
                                struct kvb_models **models, struct kvb_problems *problems) KVB_MUST_USE;
void kvb_models_free(struct kvb_models *models); // NULL is let pass

// Puts the deployment on the machine's freest GPU and those like it that are nearly as free, and counts them.
enum kvb_status kvb_models_use_machine(const struct kvb_machine_choice *choice, struct kvb_deployment *deployment,
                                       uint64_t *gpu_count, struct kvb_problems *problems) KVB_MUST_USE;

KVB_PUBLIC_END

#endif
