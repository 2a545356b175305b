// One gate: what its parts share.
#ifndef KVB_GATE_GATE_H
#define KVB_GATE_GATE_H

#include <kvbudget/gate.h>
#include <kvbudget/manifest.h>

#include "base/arena.h"
#include "command/setting_flag.h"

struct loaded_model;
struct loaded_gpu;
struct kvb_history;

struct kvb_gate {
    struct kvb_gate_options options;
    struct kvb_gate_cases {
        struct kvb_check_case *items;
        uint32_t count, capacity;
    } cases;
    struct kvb_arena arena;
    struct kvb_policy *policy; // empty when there is none
    struct kvb_manifest_options reading;
    const char *file;          // being read
    struct kvb_problems *said; // about files that are no case
    struct kvb_problems *walk_problems, *file_problems, *scratch;
    struct kvb_gate_totals totals;
    struct loaded_model *models;
    struct loaded_gpu *gpus;
    // of the case in hand
    struct kvb_answer *answer;
    struct kvb_deployment *deployment;
    struct kvb_problems *problems;
    struct kvb_findings *findings;
    struct kvb_placed *placed;     // others on its GPUs, or NULL
    struct kvb_question *question; // for the serve command with the changes applied
    bool no_memory;
    uint32_t deployments; // found so far
    struct kvb_gate_names {
        const char **items;
        uint32_t count, capacity;
    } not_understood;
    struct gate_resident *residents; // of the file in hand, newest first
    struct gate_missing *missing;    // GPUs and models nobody names, newest first
    struct kvb_gate *before;         // of another commit, or NULL
    const struct kvb_against *against;
};

// A deployment of the file in hand that runs at the same time as others.
struct gate_resident {
    struct gate_resident *older;
    const char *name, *devices, *gpu;
    uint32_t group;
    struct kvb_spot place;
    uint64_t memory_bytes, requested_bytes, weights_bytes;
    int64_t outside_bytes;
    char share_flag[KVB_FLAG_CAPACITY]; // "--gpu-memory-utilization"; "" where the engine has none
};

// What --init writes a line for.
struct gate_missing {
    struct gate_missing *older;
    enum kvb_check_rule rule; // no-gpu or no-model
    const char *file, *label, *model;
    uint32_t count;
};

// ---- gate.c
// Judges one file, or all files of a folder, from where gate->reading.files says.
void kvb_gate_judge_file(struct kvb_gate *gate, const char *path, bool lenient);
void kvb_gate_judge_folder(struct kvb_gate *gate, const char *path);

// ---- gate_figures.c
// Of the answer in hand; NULL: no memory.
const struct kvb_case_figures *kvb_gate_keep_figures(struct kvb_gate *gate, const struct kvb_found *found);

// ---- gate_moved.c
// What differs between two cases, of which one may be missing. `scratch` has room for KVB_MOVED_MAX.
#define KVB_MOVED_MAX (KVB_SETTING_COUNT + 16U)
void kvb_gate_say_moved(struct kvb_gate *gate, struct kvb_case_change *change, struct kvb_moved *scratch);

// ---- gate_case.c
// Answers one deployment and adds its case.
void kvb_gate_found(struct kvb_gate *gate, const struct kvb_found *found);
// A file that could not be read as a whole becomes a case of its own.
void kvb_gate_unreadable(struct kvb_gate *gate, const struct kvb_problems *problems);
// A case of one finding that belongs to no deployment.
void kvb_gate_add_case(struct kvb_gate *gate, const char *file, const char *name, enum kvb_check_rule rule,
                       enum kvb_severity severity, struct kvb_spot place, const char *text);
const char *kvb_gate_keep(struct kvb_gate *gate, const char *text);

// ---- gate_together.c: deployments of one file on one card
// The one in hand against those before it; then it is one of them.
void kvb_gate_judge_together(struct kvb_gate *gate, const struct kvb_found *found);

// ---- gate_init.c
void kvb_gate_note_missing(struct kvb_gate *gate, enum kvb_check_rule rule, const char *label, const char *model);

// ---- gate_step.c: what else is on the same GPUs
// Puts the residents beside the plan in hand; *placed stays NULL when there are none.
enum kvb_status kvb_gate_place_residents(struct kvb_gate *gate, const struct kvb_found *found,
                                         struct kvb_placed **placed) KVB_MUST_USE;
// Residents and phases of a training step decide, too: the verdict, and the sentence for it.
void kvb_gate_judge_residents(struct kvb_gate *gate, const struct kvb_found *found, const struct kvb_placed *placed);

// ---- gate_names.c: names to values, each only once
// Fills model and GPU of the deployment in hand; false: findings say why not.
bool kvb_gate_resolve_names(struct kvb_gate *gate, const struct kvb_found *found);
struct kvb_spot kvb_gate_place(const struct kvb_found *found, struct kvb_spot spot); // or the deployment's own

// ---- gate_words.c: what is wrong, where, and what to set instead
void kvb_gate_judge_answer(struct kvb_gate *gate, const struct kvb_found *found);
// What cannot be split over GPUs as asked: the engine refuses, so the case fails.
void kvb_gate_judge_split(struct kvb_gate *gate, const struct kvb_found *found);
const char *kvb_gate_summary(struct kvb_gate *gate, char *out, size_t capacity);

#endif
