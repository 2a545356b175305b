// Deployments in the files people already have: command lines, compose files, manifests, values, configs.
#ifndef KVBUDGET_MANIFEST_H
#define KVBUDGET_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/input.h>
#include <kvbudget/plan.h>
#include <kvbudget/problem.h>

KVB_PUBLIC_BEGIN

// A place in the file that was read; line 0 = the file does not say it.
struct kvb_spot {
    uint32_t line, column; // 1-based
};

#define KVB_LABEL_CAPACITY 320
#define KVB_DEVICES_CAPACITY 64

// A piece of one line of the file; first.line 0: the file does not hold it as it is.
struct kvb_region {
    struct kvb_spot first;
    uint32_t characters;
};

// A flag in the file that not every release knows.
#define KVB_DATED_FLAGS_MAX 32
struct kvb_dated_flag {
    const char *name;      // constant, without dashes in front
    uint32_t since, until; // 0 = no end on that side
    struct kvb_spot place;
};

// One deployment as a file describes it, before any name is resolved.
struct kvb_found {
    const char *kind;             // "compose": a constant word
    char name[KVB_NAME_CAPACITY]; // "Deployment/qwen", "services.vllm", "vllm serve"
    struct kvb_spot place;
    struct kvb_deployment deployment;
    struct kvb_spot settings[KVB_SETTING_COUNT];  // the flag that said it
    struct kvb_region values[KVB_SETTING_COUNT];  // and its value, where that is written out
    struct kvb_region mistakes[KVB_PROBLEMS_MAX]; // of `problems`: the flag nobody knows
    struct kvb_spot model, gpu, engine;
    char gpu_label[KVB_LABEL_CAPACITY]; // "KEY=VALUE" of the label that names a GPU product, or ""
    uint32_t gpu_limit;                 // GPUs the file hands to the engine; 0 = not said
    struct kvb_spot gpu_limit_place;
    char devices[KVB_DEVICES_CAPACITY];         // GPUs it sees, as CUDA_VISIBLE_DEVICES says them; "" = not said
    uint32_t group;                             // of those that run together: others have cards of their own
    bool together;                              // runs at the same time as the others of its file that say so
    bool encodes_only;                          // hands encoder outputs on and keeps no KV cache
    uint64_t apart;                             // differs between two servers of one file with the same settings
    const char *foreign;                        // another engine than vLLM that is not planned: "SGLang"; NULL: none
    uint32_t resident_count;                    // others on the same GPUs, such as the trainer of a step
    const struct kvb_resident_entry *residents; // until this one was taken
    uint32_t dated_count;
    struct kvb_dated_flag dated[KVB_DATED_FLAGS_MAX];
    enum kvb_status status;       // KVB_OK, or why it cannot be answered: `problems` say it
    struct kvb_problems problems; // with the file's places; flags nobody knows are KVB_UNKNOWN_NAME notices
};

// Receives each deployment in file order. Anything but KVB_OK ends the reading.
typedef enum kvb_status kvb_found_taker(void *context, const struct kvb_found *found);

struct kvb_files; // private to the library

struct kvb_manifest_options {
    const char *const *environment; // NAME=VALUE for ${NAME} in files
    uint32_t environment_count;
    bool lenient;                  // a file of a folder: what holds no deployment, or cannot be one, is passed over
    const struct kvb_files *files; // where files are; NULL: the disk
};

// What a file came to.
struct kvb_manifest_seen {
    uint32_t deployments; // taken
    bool not_understood;  // it speaks of an engine, and none of it, or not all, could be read as a deployment
};

// Reads text as whatever it is. `seen` receives how many deployments were taken; none with KVB_OK only when
// lenient. A status other than KVB_OK means the file as a whole could not be read: `problems` say why.
enum kvb_status kvb_manifest_read(const char *file, const char *text, size_t length,
                                  const struct kvb_manifest_options *options, kvb_found_taker *take, void *context,
                                  struct kvb_manifest_seen *seen, struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_manifest_load(const char *path, const struct kvb_manifest_options *options, kvb_found_taker *take,
                                  void *context, struct kvb_manifest_seen *seen,
                                  struct kvb_problems *problems) KVB_MUST_USE;

// Walks a folder in the order of names: `visit` receives each file whose name can be a deployment's.
// Hidden folders, links to folders and folders of packages are not entered. `seen` counts all files. Of what cannot be
// looked at `problems` tell; the rest is visited all the same, and the status is that of the first.
typedef enum kvb_status kvb_file_visitor(void *context, const char *path);
enum kvb_status kvb_manifest_walk(const char *folder, kvb_file_visitor *visit, void *context, uint32_t *seen,
                                  struct kvb_problems *problems) KVB_MUST_USE;
bool kvb_manifest_is_folder(const char *path);

// The words of `kind`, for help and documents; false behind the last.
bool kvb_manifest_kind_at(unsigned index, const char **kind, const char **what);

KVB_PUBLIC_END

#endif
