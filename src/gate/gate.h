// One gate: what its parts share.
#ifndef KVB_GATE_GATE_H
#define KVB_GATE_GATE_H

#include <kvbudget/gate.h>
#include <kvbudget/manifest.h>

#include "base/arena.h"

struct loaded_model;
struct loaded_gpu;

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
    struct kvb_gate_totals totals;
    struct loaded_model *models;
    struct loaded_gpu *gpus;
    // of the case in hand
    struct kvb_answer *answer;
    struct kvb_deployment *deployment;
    struct kvb_problems *problems;
    struct kvb_findings *findings;
    struct kvb_question *question; // for the serve command with the changes applied
    bool no_memory;
};

// ---- gate_case.c
// Answers one deployment and adds its case.
void kvb_gate_found(struct kvb_gate *gate, const struct kvb_found *found);
// A file that could not be read as a whole becomes a case of its own.
void kvb_gate_unreadable(struct kvb_gate *gate, const struct kvb_problems *problems);

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
