// What the readers of all manifest kinds share: the file, words with their places, variables, one container.
#ifndef KVB_MANIFEST_MANIFEST_READER_H
#define KVB_MANIFEST_MANIFEST_READER_H

#include <kvbudget/manifest.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "engines/table.h"
#include "text/tree.h"

#define KVB_NOWHERE SIZE_MAX               // offset of what is not written in the file
#define KVB_VARIABLES_MAX 4096             // of a file; each reference looks through them one by one
#define KVB_REFERENCES_MAX 65536           // in a file, so that this ends
#define KVB_EXPANDED_MAX ((size_t)1 << 20) // bytes of one text with its variables replaced

// Text in the file, at an offset of it.
struct kvb_arg {
    const char *text;
    size_t offset;
    const char *unknown; // the variable that could not be resolved, or NULL
};

struct kvb_words {
    struct kvb_arg *items;
    uint32_t count, capacity;
};

struct kvb_variable {
    const char *name;
    const char *value;
    size_t offset;
    bool exported;                // part of the environment
    bool outside;                 // read from .env beside the file
    const struct kvb_words *list; // a shell array, or the words of a loop
    bool loop;
    const struct kvb_variable *older;
};

struct kvb_pending;
struct kvb_helm_hole;

struct kvb_manifest {
    const char *file;
    const char *name;  // of the file, without its folder and the endings of templates
    const char *text;  // or, of templates and notebooks, a text of the same length that can be read
    const char *given; // of a template, as long as `text` and as it was written; otherwise NULL
    size_t length;
    struct kvb_arena arena;
    const size_t *lines; // offset of each line's start
    uint32_t line_count;
    const uint32_t *characters;  // in front of each block of the text
    const struct kvb_tree *tree; // NULL: a text format
    const struct kvb_manifest_options *options;
    struct kvb_pending *pending;
    const char *release; // of `vllm==0.8.5` somewhere in the file, or NULL
    bool out_of_memory;
    bool too_large;                      // what its variables stand for outgrew any real file
    size_t taken_bytes;                  // of the arena
    uint32_t variables;                  // set so far
    uint32_t references;                 // looked up so far
    unsigned expanding;                  // defaults inside defaults
    const char *from_outside;            // the last variable whose value came from .env, or NULL
    bool not_understood;                 // it speaks of an engine, and a part of it could not be read
    bool commented;                      // a comment for kvbudget stands in it
    bool own_file;                       // a policy or profile of ours, which holds no deployment
    uint32_t shown;                      // placeholders that were looked for in `given`
    bool templated;                      // placeholders of a template stand in it as $_NAME__
    bool filled;                         // a template with the values of its chart in it
    const struct kvb_helm_hole *holes;   // of a filled template: expressions that are not known
    unsigned nested;                     // documents inside documents
    const struct kvb_variable *defaults; // of the template's placeholders
    const struct kvb_variable *models;   // objects of the file that stand for a model, by name
    const struct kvb_variable *mounts;   // of the container whose command is read
    const struct kvb_variable *runtimes; // of KServe, by name: the image, and the arguments as a list
    uint32_t dropped;                    // servers that are no deployment for want of a model
    const struct kvb_variable *asked;    // what a program asks its environment for
    struct kvb_problems *problems;
};

// One process to be started, however the file writes it.
struct kvb_container {
    const char *kind;
    const char *name;
    size_t offset;       // where it begins
    uint32_t scope_line; // comments from this line on are its own; 0 = those above it
    struct kvb_words words;
    const struct kvb_variable *variables;
    const char *image; // or NULL
    size_t image_offset;
    const char *base_image;            // what its commands run in where they name no image, or NULL
    const struct kvb_variable *mounts; // by the path in the container: the one outside
    const char *gpu_key, *gpu_value;   // the label that names a GPU product, or NULL
    size_t gpu_offset;
    const struct kvb_node *slice; // asks for a part of a card (MIG), whose memory no profile states; NULL: does not
    uint32_t gpu_limit;
    size_t gpu_limit_offset;
    uint32_t worker_gpus;      // of the other machines of its Ray cluster
    const char *devices;       // of which GPUs, as CUDA_VISIBLE_DEVICES says it; NULL: not said here
    uint64_t gpu_memory_bytes; // of any card that will do; 0: not said
    bool rooted;               // its name is that of the object it is in
    uint32_t group;            // of those that run together
    bool by_devices;           // and only where it says on which cards
    bool shared;               // its cards are handed to several by time slices or MPS
    bool together;             // runs at the same time as the others of this file that say so
    bool offline;              // LLM() in a program of its own, no server
    bool strict;               // text of which nobody says that it is a command: a program must stand where one can
    bool shell;                // the command line ran through a shell: $NAME is a variable
    unsigned depth;            // of commands inside commands
};

// ---- the file (manifest_source.c)
// Behind blanks and lines that begin with '#'.
const char *kvb_skip_remarks(const char *text);
bool kvb_source_open(struct kvb_manifest *manifest);
struct kvb_spot kvb_source_spot(const struct kvb_manifest *manifest, size_t offset);
size_t kvb_source_offset(const struct kvb_manifest *manifest, uint32_t line, uint32_t column);
size_t kvb_node_offset(const struct kvb_manifest *manifest, const struct kvb_node *node);
// Where `text` stands at or behind `offset`, not too far away, or KVB_NOWHERE.
size_t kvb_source_find(const struct kvb_manifest *manifest, size_t offset, const char *text, size_t length);
// "KEY=VALUE" of `# kvbudget:` comments; calls `take` for each pair from line `first` to line `last`.
void kvb_source_comments(const struct kvb_manifest *manifest, uint32_t first, uint32_t last,
                         void (*take)(void *context, const char *key, const char *value, struct kvb_spot spot),
                         void *context);
uint32_t kvb_source_header(const struct kvb_manifest *manifest);               // last line of the comments on top
uint32_t kvb_source_above(const struct kvb_manifest *manifest, uint32_t line); // first line of the comments above

// The name is one that files with deployments have (manifest_walk.c).
bool kvb_manifest_is_candidate(const char *path);

// ---- words and variables (manifest_words.c)
// NULL: out_of_memory is set, too_large too when it is not memory that is short but the file that asks too much.
void *kvb_manifest_take(struct kvb_manifest *manifest, size_t size);
const char *kvb_manifest_copy(struct kvb_manifest *manifest, const char *text, size_t length);
const char *kvb_manifest_keep(struct kvb_manifest *manifest, struct kvb_buffer *text); // a copy; the buffer is freed
const char *kvb_manifest_join(struct kvb_manifest *manifest, const char *a, const char *b, const char *c);
void kvb_words_add(struct kvb_manifest *manifest, struct kvb_words *words, struct kvb_arg word);
void kvb_words_say(struct kvb_manifest *manifest, struct kvb_words *words, const char *text, size_t offset);
const char *kvb_word_at(const struct kvb_words *words, uint32_t index); // "" behind the last
// The words from `first` on, which share the memory of all.
void kvb_words_from(struct kvb_words *out, const struct kvb_words *words, uint32_t first);
void kvb_words_append(struct kvb_manifest *manifest, struct kvb_words *words, const struct kvb_words *more);
void kvb_variable_set(struct kvb_manifest *manifest, const struct kvb_variable **newest, const char *name,
                      const char *value, size_t offset, bool exported);
// As above, of .env beside the file.
void kvb_variable_set_outside(struct kvb_manifest *manifest, const struct kvb_variable **newest, const char *name,
                              const char *value);
const struct kvb_variable *kvb_variable_find(const struct kvb_variable *newest, const char *name);

enum kvb_dollar { KVB_DOLLAR_PLAIN, KVB_DOLLAR_SHELL, KVB_DOLLAR_COMPOSE, KVB_DOLLAR_KUBERNETES, KVB_DOLLAR_SYSTEMD };

// The text with its variables replaced: by --env, then by `variables`, then by the default written there.
// `unknown` receives the first variable that is known nowhere; its text stays as it is.
const char *kvb_expand(struct kvb_manifest *manifest, const char *text, enum kvb_dollar dollar,
                       const struct kvb_variable *variables, const char **unknown);
// The value of one variable, --env first; NULL: not known.
const char *kvb_variable_value(const struct kvb_manifest *manifest, const struct kvb_variable *variables,
                               const char *name);
// Reads the reference at `text` ("${NAME:-default}", "$NAME", "$(NAME)"): its length, or 0 when it is none.
// `value` receives what stands for it, NULL when that is not known, and `name` the variable.
size_t kvb_expand_one(struct kvb_manifest *manifest, const char *text, enum kvb_dollar dollar,
                      const struct kvb_variable *variables, const char **value, const char **name);

// $((A + B * 2)) at `text`: its length, 0 when it does not end. Sums, differences, products and quotients of whole
// numbers; anything else is not known (shell_arithmetic.c).
size_t kvb_expand_arithmetic(struct kvb_manifest *manifest, const char *text, const struct kvb_variable *variables,
                             const char **value, const char **name);

// ---- shell (manifest_shell.c)
// Splits a command line into words as a shell does, without running it.
void kvb_shell_split(struct kvb_manifest *manifest, const char *text, size_t offset, enum kvb_dollar dollar,
                     const struct kvb_variable *variables, struct kvb_words *words);
// Reads a script: each command that starts an engine becomes a container like `like`.
enum kvb_status kvb_shell_read(struct kvb_manifest *manifest, const char *text, size_t offset,
                               const struct kvb_container *like);
// As above; variables that the text sets stay in `like` for the next piece of the same script.
enum kvb_status kvb_shell_continue(struct kvb_manifest *manifest, const char *text, size_t offset,
                                   struct kvb_container *like);

// ---- from a container to a deployment (manifest_command.c)
// Starts no engine: nothing happens, KVB_OK.
enum kvb_status kvb_container_emit(struct kvb_manifest *manifest, const struct kvb_container *container);
// "HOST:CONTAINER" of a volume: what the container sees there lies at HOST (docker.c).
void kvb_container_mount(struct kvb_manifest *manifest, struct kvb_container *container, const char *text);
bool kvb_words_start_engine(const struct kvb_words *words);
// Hands over a deployment that was made in another way.
struct kvb_found *kvb_found_new(struct kvb_manifest *manifest, const char *kind, const char *name, size_t offset);
enum kvb_status kvb_found_emit(struct kvb_manifest *manifest, struct kvb_found *found, uint32_t scope_line);
// What has no model of its own, a function that is told it or a runtime for others, is no deployment where no comment
// gives it one.
bool kvb_found_lacks_model(const struct kvb_manifest *manifest, const struct kvb_found *found,
                           const struct kvb_words *words);
// Keeps the arguments of a runtime for the services of the file that name it.
void kvb_runtime_keep(struct kvb_manifest *manifest, const char *name, const char *image,
                      const struct kvb_words *words);
enum kvb_status kvb_found_flush(struct kvb_manifest *manifest, uint32_t next_line); // 0: nothing follows
uint32_t kvb_found_count(const struct kvb_manifest *manifest);                      // so far, in this file
// The words of a serve command, with the image or file's release, into `found`.
void kvb_found_read_serve(struct kvb_manifest *manifest, struct kvb_found *found, const struct kvb_engine_rows *engine,
                          const struct kvb_words *words, const struct kvb_variable *variables);
enum kvb_status kvb_found_problem(struct kvb_manifest *manifest, struct kvb_found *found, enum kvb_status status,
                                  size_t offset, const char *format, ...) __attribute__((format(printf, 5, 6)));

// ---- tables (manifest_image.c, manifest_gpu.c)
struct kvb_image {
    bool engine;      // an image of an engine
    const char *name; // of which one; NULL: vLLM
    bool serves;      // its entrypoint is the server: arguments follow
    char release[32]; // "" = not in the tag
};
void kvb_image_read(const char *image, struct kvb_image *out);
// Whose server an image or a file of settings starts when it does not say so.
const struct kvb_engine_rows *kvb_image_engine(const struct kvb_image *image); // NULL: no image
// The GPU that a label of a node or a cloud's instance type stands for; false: the label names none.
bool kvb_gpu_label(const char *key, const char *value, char *gpu, size_t capacity);

// ---- kinds of file, one function each (manifest_*.c)
typedef enum kvb_status kvb_manifest_reader(struct kvb_manifest *manifest, const struct kvb_node *root);
kvb_manifest_reader kvb_read_profile_document, kvb_read_compose, kvb_read_kubernetes, kvb_read_helm_values,
    kvb_read_rollout, kvb_read_trl, kvb_read_vllm_config, kvb_read_llama_swap;
bool kvb_is_llama_swap(const struct kvb_node *root);
typedef enum kvb_status kvb_manifest_text_reader(struct kvb_manifest *manifest);
kvb_manifest_text_reader kvb_read_script, kvb_read_modelfile, kvb_read_dockerfile, kvb_read_unit, kvb_read_procfile,
    kvb_read_python, kvb_read_notebook, kvb_read_hcl, kvb_read_recipes, kvb_read_supervisor, kvb_read_toml;

// A mapping as flags of a serve command: `key: value` is --key value, true a bare flag, a list several words.
void kvb_words_from_mapping(struct kvb_manifest *manifest, const struct kvb_node *mapping, struct kvb_words *words);
// The same for the root of a file of --config, as the release in `engine` ("vllm@0.11.0") reads it, or the newest.
enum kvb_status kvb_words_from_file(struct kvb_manifest *manifest, const struct kvb_node *root, const char *engine,
                                    struct kvb_words *words, struct kvb_problems *problems);
// True when the key is a flag that moves memory, and cannot be another word.
bool kvb_key_is_setting(const char *key);
// True when a key of the mapping is a flag that moves memory.
bool kvb_mapping_has_setting(const struct kvb_node *mapping);
// Command and arguments of a container: text or a list.
void kvb_words_from_node(struct kvb_manifest *manifest, const struct kvb_node *node, enum kvb_dollar dollar,
                         const struct kvb_variable *variables, struct kvb_words *words);
bool kvb_node_whole(const struct kvb_node *node, uint32_t *number);
const char *kvb_node_text(const struct kvb_node *node); // of a scalar; NULL otherwise
// The container spec of Kubernetes: image, command, args, env, limits.
void kvb_container_from_pod(struct kvb_manifest *manifest, const struct kvb_node *node,
                            struct kvb_container *container);
// GPUs that `resources` limits or requests.
void kvb_limits_from_node(struct kvb_manifest *manifest, const struct kvb_node *resources,
                          struct kvb_container *container);

#endif
