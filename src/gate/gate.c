// Files and folders to cases: the walk, the policy and what all cases share.
#include "gate/gate.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "manifest/manifest_walk.h"

#define DEFAULT_POLICY "kvbudget-policy.yaml"

static enum kvb_status out_of_memory(struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
}

static enum kvb_status take_found(void *context, const struct kvb_found *found)
{
    struct kvb_gate *gate = context;
    kvb_gate_found(gate, found);
    return gate->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

static bool is_system_failure(enum kvb_status status)
{
    return kvb_status_exit_code(status) == 4 && status != KVB_TOO_LARGE;
}

// The names grow by doubling; one file of a tree seldom joins them.
static void note_not_understood(struct kvb_gate *gate)
{
    struct kvb_gate_names *names = &gate->not_understood;
    enum kvb_policy_unknown counts = gate->policy->not_understood;
    if (names->count == names->capacity) {
        uint32_t capacity = names->capacity > 0 ? names->capacity * 2 : 16;
        const char **items = kvb_arena_take(&gate->arena, capacity * sizeof *items);
        if (items == NULL) {
            gate->no_memory = true;
            return;
        }
        if (names->count > 0) {
            memcpy(items, names->items, names->count * sizeof *items);
        }
        names->items = items;
        names->capacity = capacity;
    }
    if (counts != KVB_UNKNOWN_IGNORE) {
        names->items[names->count++] = kvb_gate_keep(gate, gate->file);
    }
    if (counts == KVB_UNKNOWN_ERROR) {
        kvb_gate_add_case(gate, gate->file, "", KVB_CHECK_INPUT, KVB_ERROR, (struct kvb_spot){0},
                          "it speaks of an engine and no deployment could be read from it");
    }
}

void kvb_gate_judge_file(struct kvb_gate *gate, const char *path, bool lenient)
{
    struct kvb_problems *problems = gate->file_problems;
    struct kvb_manifest_seen seen = {0};
    kvb_problems_init(problems);
    gate->residents = NULL;
    gate->file = strcmp(path, "-") == 0 ? "standard input" : path; // kept by the cases that name it
    gate->reading.lenient = lenient;
    enum kvb_status status = kvb_manifest_load(path, &gate->reading, take_found, gate, &seen, problems);
    if (status == KVB_UNKNOWN_NAME && problems->count == 0) {
        return; // a commit that does not have it
    }
    gate->totals.files_read += !is_system_failure(status);
    gate->totals.files_with += seen.deployments > 0;
    bool own = gate->totals.policy != NULL && strcmp(path, gate->totals.policy) == 0;
    if (status == KVB_OK && seen.not_understood && !own) {
        note_not_understood(gate);
    }
    bool whole_file = problems->count > 0 && problems->items[0].line == 0; // not one value in it
    if (lenient && status == KVB_TOO_LARGE && whole_file) {
        (void)kvb_problem_add(gate->said, KVB_NOTICE, KVB_TOO_LARGE, (struct kvb_place){.file = path},
                              "too large for a manifest, so not looked at");
    } else if (status != KVB_OK && !gate->no_memory) {
        gate->totals.system_failed = gate->totals.system_failed || is_system_failure(status);
        kvb_gate_unreadable(gate, problems);
    }
}

static enum kvb_status visit(void *context, const char *path)
{
    struct kvb_gate *gate = context;
    kvb_gate_judge_file(gate, path, true);
    return gate->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

static enum kvb_status end_of_path(struct kvb_gate *gate)
{
    return gate->no_memory ? out_of_memory(gate->said) : KVB_OK;
}

static enum kvb_status missed(void *context, const char *path, struct kvb_problems *problems)
{
    struct kvb_gate *gate = context;
    gate->totals.system_failed = true;
    gate->file = path;
    kvb_gate_unreadable(gate, problems);
    kvb_problems_init(problems);
    return gate->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

void kvb_gate_judge_folder(struct kvb_gate *gate, const char *path)
{
    struct kvb_walk walk = {.files = gate->reading.files,
                            .visit = visit,
                            .missed = missed,
                            .context = gate,
                            .seen = &gate->totals.files_seen,
                            .problems = gate->walk_problems};
    kvb_problems_init(walk.problems);
    if (kvb_manifest_walk_in(&walk, path) == KVB_NO_MEMORY) {
        gate->no_memory = true;
    }
}

enum kvb_status kvb_gate_path(struct kvb_gate *gate, const char *path, bool skip_others, struct kvb_problems *problems)
{
    gate->said = problems;
    if (kvb_manifest_is_folder(path)) {
        kvb_gate_judge_folder(gate, path);
    } else {
        gate->totals.files_seen++;
        kvb_gate_judge_file(gate, path, skip_others);
    }
    return end_of_path(gate);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "deployment" : "deployments";
}

enum kvb_status kvb_gate_finish(struct kvb_gate *gate, struct kvb_problems *problems)
{
    char text[160];
    uint32_t found = gate->deployments, least = gate->policy->min_deployments;
    if (gate->options.expects && found != gate->options.expected) {
        (void)snprintf(text, sizeof text, "%u %s expected, %u found", (unsigned)gate->options.expected,
                       plural(gate->options.expected), (unsigned)found);
        kvb_gate_add_case(gate, "all files", "", KVB_CHECK_DEPLOYMENTS, KVB_ERROR, (struct kvb_spot){0}, text);
    } else if (found < least) {
        (void)snprintf(text, sizeof text, "the policy asks for at least %u %s, %u found", (unsigned)least,
                       plural(least), (unsigned)found);
        kvb_gate_add_case(gate, "all files", "", KVB_CHECK_DEPLOYMENTS, KVB_ERROR, (struct kvb_spot){0}, text);
    } else if (gate->cases.count == 0 && !gate->options.expects && !gate->totals.system_failed) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, (struct kvb_place){0},
                              "no deployment was found in %u %s; --expect N makes that a failure",
                              (unsigned)gate->totals.files_seen, gate->totals.files_seen == 1 ? "file" : "files");
    }
    return gate->no_memory ? out_of_memory(problems) : KVB_OK;
}

static enum kvb_status load_policy(struct kvb_gate *gate, struct kvb_problems *problems)
{
    const char *path = gate->options.policy;
    if (gate->options.no_policy) {
        return KVB_OK;
    }
    if (path == NULL && kvb_policy_exists(DEFAULT_POLICY)) {
        path = DEFAULT_POLICY;
    }
    gate->totals.policy = path;
    return path != NULL ? kvb_policy_load(path, gate->policy, problems) : KVB_OK;
}

static bool prepare(struct kvb_gate *gate)
{
    struct kvb_arena *arena = &gate->arena;
    const struct kvb_question *flags = gate->options.flags;
    const char **environment = kvb_arena_take(arena, (KVB_TYPED_MAX + 1) * sizeof *environment);
    gate->policy = kvb_arena_take(arena, sizeof *gate->policy);
    gate->answer = kvb_arena_take(arena, sizeof *gate->answer);
    gate->deployment = kvb_arena_take(arena, sizeof *gate->deployment);
    gate->problems = kvb_arena_take(arena, sizeof *gate->problems);
    gate->findings = kvb_arena_take(arena, sizeof *gate->findings);
    gate->file_problems = kvb_arena_take(arena, sizeof *gate->file_problems);
    gate->walk_problems = kvb_arena_take(arena, sizeof *gate->walk_problems);
    gate->scratch = kvb_arena_take(arena, sizeof *gate->scratch);
    gate->question = kvb_arena_take(arena, sizeof *gate->question);
    for (uint32_t i = 0; environment != NULL && i < flags->typed_count; i++) {
        if (strcmp(flags->typed[i].name, "env") == 0) {
            environment[gate->reading.environment_count++] = flags->typed[i].value;
        }
    }
    gate->reading.environment = environment;
    return environment && gate->policy && gate->answer && gate->deployment && gate->problems && gate->findings &&
           gate->walk_problems && gate->file_problems && gate->scratch && gate->question;
}

struct kvb_gate *kvb_gate_new(const struct kvb_gate_options *options, enum kvb_status *status,
                              struct kvb_problems *problems)
{
    struct kvb_gate *gate = kvb_reallocate(NULL, sizeof *gate);
    if (gate == NULL) {
        *status = out_of_memory(problems);
        return NULL;
    }
    memset(gate, 0, sizeof *gate);
    gate->options = *options;
    kvb_arena_init(&gate->arena);
    *status = prepare(gate) ? load_policy(gate, problems) : out_of_memory(problems);
    if (*status != KVB_OK) {
        kvb_gate_free(gate);
        return NULL;
    }
    return gate;
}

struct kvb_gate_totals kvb_gate_count(const struct kvb_gate *gate)
{
    struct kvb_gate_totals totals = gate->totals;
    totals.cases = gate->cases.items;
    totals.count = gate->cases.count;
    totals.not_understood = gate->not_understood.items;
    totals.not_understood_count = gate->not_understood.count;
    totals.against = gate->against;
    return totals;
}

void kvb_gate_free(struct kvb_gate *gate)
{
    if (gate != NULL) {
        kvb_gate_free(gate->before);
        kvb_arena_free(&gate->arena);
        kvb_free(gate);
    }
}

const char *kvb_case_verdict_name(enum kvb_case_verdict verdict)
{
    static const char *const names[] = {[KVB_CASE_PASS] = "pass", [KVB_CASE_FAIL] = "fail", [KVB_CASE_ERROR] = "error"};
    return names[verdict];
}

const struct kvb_check_finding *kvb_case_reason(const struct kvb_check_case *each)
{
    for (uint32_t i = 0; i < each->finding_count && each->verdict != KVB_CASE_PASS; i++) {
        const struct kvb_check_finding *finding = &each->findings[i];
        bool decides = finding->severity == KVB_ERROR && !finding->waived;
        if (decides && kvb_check_rule_row_of(finding->rule)->is_error == (each->verdict == KVB_CASE_ERROR)) {
            return finding;
        }
    }
    return NULL;
}

struct kvb_spot kvb_case_spot(const struct kvb_check_case *each)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    return reason != NULL && reason->place.line > 0 ? reason->place : each->place;
}
