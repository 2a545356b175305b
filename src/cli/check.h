// One run of the check command: what its parts share.
#ifndef KVB_CLI_CHECK_H
#define KVB_CLI_CHECK_H

#include <kvbudget/manifest.h>
#include <kvbudget/policy.h>

#include "base/arena.h"
#include "cli/plan.h"
#include "report/check_report.h"

struct loaded_model;
struct loaded_gpu;

struct checking {
    struct arguments *arguments;
    struct arena_cases {
        struct kvb_check_case *items;
        uint32_t count, capacity;
    } cases;
    struct kvb_arena arena;
    struct kvb_policy *policy; // empty when there is none
    const char *policy_path;
    uint32_t today; // 20261121
    struct kvb_manifest_options options;
    const char *file; // being read
    struct kvb_check_report report;
    struct kvb_json json;
    struct kvb_buffer body; // of the JSON document
    struct loaded_model *models;
    struct loaded_gpu *gpus;
    // of the case in hand
    struct kvb_answer *answer;
    struct kvb_deployment *deployment;
    struct kvb_problems *problems;
    struct kvb_findings *findings;
    struct arguments *as_arguments; // for the serve command with the changes applied
    bool no_memory;
    bool system_failed; // something could not be opened or read
};

// ---- check_case.c
// Answers one deployment and adds its case.
void check_found(struct checking *checking, const struct kvb_found *found);
// A file that could not be read as a whole becomes a case of its own.
void check_unreadable(struct checking *checking, const struct kvb_problems *problems);

// ---- check_names.c: names to values, each only once
// Fills model and GPU of the deployment in hand; false: findings say why not.
bool check_resolve_names(struct checking *checking, const struct kvb_found *found);
struct kvb_spot check_place(const struct kvb_found *found, struct kvb_spot spot); // or the deployment's own

// ---- check_words.c: what is wrong, where, and what to set instead
void check_judge_answer(struct checking *checking, const struct kvb_found *found);
// What cannot be split over GPUs as asked: the engine refuses, so the case fails.
void check_judge_split(struct checking *checking, const struct kvb_found *found);
const char *check_summary(struct checking *checking, char *out, size_t capacity);

#endif
