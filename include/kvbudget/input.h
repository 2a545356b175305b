// Reading what people have: profiles, config.json, GPU names. Every function leaves its result
// untouched on failure and says what is wrong in `problems`, with file, line and column.
#ifndef KVBUDGET_INPUT_H
#define KVBUDGET_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/gpu.h>
#include <kvbudget/model.h>
#include <kvbudget/plan.h>
#include <kvbudget/problem.h>
#include <kvbudget/residents.h>

KVB_PUBLIC_BEGIN

enum kvb_profile_kind {
    KVB_PROFILE_MODEL,
    KVB_PROFILE_GPU,
    KVB_PROFILE_ENGINE,
    KVB_PROFILE_DEPLOYMENT,
    KVB_PROFILE_KIND_COUNT
};
const char *kvb_profile_kind_name(enum kvb_profile_kind kind); // "model", ...

// A built-in profile: its text is the file that ships in profiles/.
struct kvb_builtin {
    enum kvb_profile_kind kind;
    const char *id;   // models: the Hugging Face id; GPUs: the id
    const char *text; // NUL-ended YAML
    size_t length;
    const char *names; // GPUs: "NAME, ALIAS, ALIAS"; "" otherwise
};
// Sorted by kind, then id without regard to case.
const struct kvb_builtin *kvb_builtins(size_t *count);
// Digest of the whole embedded set, for --version.
const char *kvb_builtins_digest(void);

// Where a model came from, for the report.
struct kvb_model_source {
    char text[KVB_PATH_CAPACITY]; // "built-in profile", a path
    enum kvb_basis weights_basis;
};

// `name`: a built-in or Hugging Face name (case ignored), or a path to a profile, a config.json or a
// folder holding one. `overrides`: JSON of --hf-overrides or NULL. A name nobody knows is refused with
// what to do next.
enum kvb_status kvb_model_load(const char *name, const char *overrides, struct kvb_model *model,
                               struct kvb_model_source *source, struct kvb_problems *problems) KVB_MUST_USE;

// OWNER/NAME or NAME as a repository may be called: safe in a command that is pasted.
bool kvb_model_name_is_served(const char *name);

// Reads config.json text (JSON) or a `kind: model` profile (YAML); `file` is for messages.
// `quant_text`: text of a hf_quant_config.json beside it, or NULL.
enum kvb_status kvb_model_read_config(const char *file, const char *text, size_t length, const char *quant_file,
                                      const char *quant_text, size_t quant_length, const char *overrides,
                                      struct kvb_model *model, struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_model_read_profile(const char *file, const char *text, size_t length, struct kvb_model *model,
                                       struct kvb_problems *problems) KVB_MUST_USE;

// A `kind: model` profile (YAML) made from a config.json, a folder holding one, a GGUF file or a
// downloaded Hugging Face name. The caller frees *text with free(). `provenance` goes into the profile's
// source line; NULL = the path.
enum kvb_status kvb_model_import(const char *path, const char *name, const char *provenance, char **text,
                                 size_t *length, struct kvb_problems *problems) KVB_MUST_USE;

// By id, alias or the name nvidia-smi prints; case and spacing forgiven. A name of several profiles is
// KVB_AMBIGUOUS_NAME and lists their ids. Also takes a path to a `kind: gpu` profile.
enum kvb_status kvb_gpu_load(const char *name, struct kvb_gpu *gpu, struct kvb_problems *problems) KVB_MUST_USE;
// A GPU known only by its memory.
void kvb_gpu_from_memory(uint64_t memory_bytes, struct kvb_gpu *gpu);

// "vllm", "vllm@0.11.0", or a path to a `kind: engine` profile (then `settings` receives its defaults).
enum kvb_status kvb_engine_load(const char *name, struct kvb_engine *engine, struct kvb_settings *settings,
                                struct kvb_problems *problems) KVB_MUST_USE;

// What a file or a command line says before names are resolved. "" and 0 = not said.
#define KVB_ENV_MAX 32
#define KVB_ADAPTERS_MAX 8
struct kvb_deployment {
    char name[KVB_NAME_CAPACITY];
    char model[KVB_PATH_CAPACITY];
    char revision[128];                  // of the model at its hub: a branch, a tag or a commit; "": main
    char served_name[KVB_NAME_CAPACITY]; // what the model is called in answers; "": its own name
    char gpu[KVB_NAME_CAPACITY];
    char engine[KVB_NAME_CAPACITY];
    char draft_model[KVB_PATH_CAPACITY];
    char projector[KVB_PATH_CAPACITY];                    // --mmproj: a GGUF file; "": none is named
    bool projector_implied;                               // a repository was named, which brings its own
    bool projector_refused;                               // --no-mmproj
    char overrides[1024];                                 // --hf-overrides
    char tensor_overrides[KVB_TENSOR_OVERRIDES_CAPACITY]; // --override-tensor: lines PATTERN=BUFFER
    bool inline_model, inline_gpu;                        // given in full in the file
    struct kvb_model model_value;
    struct kvb_gpu gpu_value;
    uint64_t gpu_memory_bytes, gpu_free_bytes; // 0 = not said
    bool gpu_free_stated;
    uint32_t gpus_stated; // 2 of "2xH100"; 0: no number is said
    bool usage_set, platform_set;
    enum kvb_usage usage;
    enum kvb_platform platform;
    enum kvb_compile_cache compile_cache;
    struct kvb_settings settings;
    struct kvb_graph_sizes graph_sizes;
    struct kvb_environment environment;
    struct kvb_stated_term stated[KVB_STATED_COUNT];
    uint32_t reserve_count;
    struct kvb_reserve reserves[KVB_RESERVES_MAX];
    struct kvb_need need;
    struct kvb_request request;
    uint32_t adapter_count;
    char adapters[KVB_ADAPTERS_MAX][KVB_NAME_CAPACITY]; // of --lora-modules: folders or repositories; more are dropped
    uint32_t resident_count;                            // entries of `residents:`, read by kvb_residents_load
    char serve_flags[2048]; // the serve command's flags with their values as written, one a line
    bool serve_flags_cut;   // there was no room for all of them
    bool serve_module;      // it began with python -m vllm.entrypoints, llama-cli or ollama serve
    // Where a file names them, for what is said when a name is not known; line 0: no file does. `file` is borrowed.
    struct kvb_place model_at, gpu_at, engine_at;
};
void kvb_deployment_init(struct kvb_deployment *deployment);
// "2xH100" as its GPU: two of them, split by tensors unless the settings say how.
void kvb_deployment_take_gpu_count(struct kvb_deployment *deployment);

// A `kind: deployment` profile; values get origin KVB_ORIGIN_PROFILE.
enum kvb_status kvb_deployment_read(const char *file, const char *text, size_t length,
                                    struct kvb_deployment *deployment, struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_deployment_load(const char *path, struct kvb_deployment *deployment,
                                    struct kvb_problems *problems) KVB_MUST_USE;

// One entry of `residents:` in a deployment profile.
struct kvb_resident_entry {
    enum kvb_resident_kind kind;
    char name[KVB_NAME_CAPACITY];
    bool after;     // it comes after the deployment's own engine
    uint64_t bytes; // fixed
    bool has_model; // trainer, transformers: their own model is in deployment.model
    struct kvb_trainer trainer;
    struct kvb_settings rollout; // what the trainer's own configuration sets for the deployment's engine
    struct kvb_transformers transformers;
    struct kvb_deployment deployment; // engine
};
// The list of a deployment profile; at most KVB_RESIDENTS_MAX. A profile without one has none.
enum kvb_status kvb_residents_load(const char *path, struct kvb_resident_entry entries[KVB_RESIDENTS_MAX],
                                   uint32_t *count, struct kvb_problems *problems) KVB_MUST_USE;

// Flags whose value is JSON or a list, taken apart into the settings they stand for. `flag` is the
// vLLM name without dashes in front ("speculative-config", "limit-mm-per-prompt", "compilation-config",
// "mm-processor-kwargs", "cudagraph-capture-sizes", "kv-transfer-config").
enum kvb_status kvb_json_flag(const char *flag, const char *value, enum kvb_origin origin,
                              struct kvb_deployment *deployment, struct kvb_problems *problems) KVB_MUST_USE;
// NAME=VALUE of --env; a name without effect on memory is accepted and ignored.
enum kvb_status kvb_environment_set(const char *assignment, struct kvb_environment *environment,
                                    struct kvb_problems *problems) KVB_MUST_USE;

// Words of `vllm serve MODEL --flag ...` or `python -m vllm.entrypoints...` as that release reads them:
// abbreviations, underscores, last wins; flags without effect on memory are ignored. Values get origin
// KVB_ORIGIN_COMMAND. The file that --config names is read, as the release in deployment->engine does, or the newest.
enum kvb_status kvb_serve_command_read(int count, const char *const *words, struct kvb_deployment *deployment,
                                       struct kvb_problems *problems) KVB_MUST_USE;

// A key of a profile, for its manual.
struct kvb_profile_key {
    const char *key;
    const char *inside; // the key whose mapping or list holds it, or NULL
    const char *help;
    bool required;
};
// The index-th key that a profile of this kind takes; false: there are no more, or the kind has no fixed keys.
bool kvb_profile_key_at(enum kvb_profile_kind kind, unsigned index, struct kvb_profile_key *key);

// Any profile file: checks it completely and names its kind.
enum kvb_status kvb_profile_check(const char *path, enum kvb_profile_kind *kind,
                                  struct kvb_problems *problems) KVB_MUST_USE;

// Resolves names, applies precedence and platform, and makes the plan that the budget answers.
// `draft` receives the draft model when there is one; plan->draft then points to it.
enum kvb_status kvb_deployment_resolve(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                                       struct kvb_model *draft, struct kvb_model_source *source,
                                       struct kvb_problems *problems) KVB_MUST_USE;

// Hands a file ("-": standard input) of any size to `take`, piece by piece.
typedef void kvb_stream_taker(void *context, const char *bytes, size_t length);
enum kvb_status kvb_stream_read(const char *path, kvb_stream_taker *take, void *context,
                                struct kvb_problems *problems) KVB_MUST_USE;

KVB_PUBLIC_END

#endif
