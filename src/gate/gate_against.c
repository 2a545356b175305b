// Two commits beside each other: the same paths judged twice, their deployments paired, and what moved.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "gate/gate.h"
#include "history/history.h"

const char *kvb_trend_name(enum kvb_trend trend)
{
    static const char *const names[KVB_TREND_COUNT] = {[KVB_TREND_SAME] = "changed",
                                                       [KVB_TREND_WORSE] = "worse",
                                                       [KVB_TREND_BETTER] = "better",
                                                       [KVB_TREND_NEW] = "new",
                                                       [KVB_TREND_GONE] = "gone"};
    return names[trend];
}

// ---- the other commit

static void folder_of(const char *path, char *out, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    (void)kvb_copy(out, capacity, slash != NULL ? path : ".");
    if (slash != NULL) {
        size_t length = (size_t)(slash - path);
        out[length > 0 && length < capacity ? length : 1] = '\0';
    }
}

// The name of the folder is gone from the stack before anything is judged.
static enum kvb_status open_history(struct kvb_history *history, const char *path, const char *ref,
                                    struct kvb_problems *problems)
{
    char *folder = kvb_room(KVB_PATH_CAPACITY, problems);
    if (folder == NULL) {
        return KVB_NO_MEMORY;
    }
    folder_of(path, folder, KVB_PATH_CAPACITY);
    enum kvb_status status = kvb_history_open(history, folder, ref, problems);
    kvb_free(folder);
    return status;
}

static enum kvb_status judge_before(struct kvb_gate *before, struct kvb_history *history, const char *path,
                                    const char *ref, struct kvb_problems *problems)
{
    bool is_folder;
    enum kvb_status status = kvb_path_look(path, &is_folder, problems);
    if (status == KVB_OK) {
        status = is_folder ? kvb_history_open(history, path, ref, problems) : open_history(history, path, ref, problems);
    }
    if (status != KVB_OK) {
        return status;
    }
    if (is_folder) {
        kvb_gate_judge_folder(before, path);
    } else {
        kvb_gate_judge_file(before, path, true);
    }
    if (before->totals.system_failed && !before->no_memory) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_READ, (struct kvb_place){.file = path},
                               "cannot be read whole from commit %.12s", history->commit);
    }
    return before->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

static enum kvb_status read_before(struct kvb_gate *gate, struct kvb_history *history, const char *ref,
                                   const char *const *paths, uint32_t count, struct kvb_problems *problems)
{
    const struct kvb_files files = {history, kvb_history_read, kvb_history_list};
    struct kvb_gate_options options = gate->options;
    enum kvb_status status;
    options.take = NULL;
    options.expects = false;
    gate->before = kvb_gate_new(&options, &status, problems);
    if (gate->before == NULL) {
        return status;
    }
    gate->before->models = gate->models; // looked up already
    gate->before->gpus = gate->gpus;
    gate->before->reading.files = &files;
    gate->before->said = gate->before->scratch;
    for (uint32_t i = 0; i < count && status == KVB_OK; i++) {
        bool input = strcmp(paths[i], "-") == 0;
        status = input ? KVB_OK : judge_before(gate->before, history, paths[i], ref, problems);
    }
    gate->before->reading.files = NULL;
    return status;
}

// ---- pairs

struct pairing {
    const struct kvb_gate_cases *before, *after;
    const struct kvb_check_case **partner; // of each case after
    bool *taken;                           // each case before
    uint32_t cursor;
};

// The first case of this file before, looked for from where the last one was; their count when there is none.
static uint32_t file_begin(struct pairing *pairing, const char *file)
{
    uint32_t count = pairing->before->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (pairing->cursor + i) % count;
        if (strcmp(pairing->before->items[at].file, file) == 0) {
            while (at > 0 && strcmp(pairing->before->items[at - 1].file, file) == 0) {
                at--;
            }
            pairing->cursor = at;
            return at;
        }
    }
    return count;
}

static void pair_in_file(struct pairing *pairing, uint32_t index, bool by_name)
{
    const struct kvb_check_case *after = &pairing->after->items[index];
    uint32_t at = file_begin(pairing, after->file);
    for (; at < pairing->before->count && strcmp(pairing->before->items[at].file, after->file) == 0; at++) {
        const struct kvb_check_case *before = &pairing->before->items[at];
        bool whole =
            (before->kind == NULL) == (after->kind == NULL); // not a deployment with a file that was unreadable
        bool fits = by_name ? strcmp(before->name, after->name) == 0 : whole;
        if (!pairing->taken[at] && fits) {
            pairing->taken[at] = true;
            pairing->partner[index] = before;
            return;
        }
    }
}

// A file that was renamed: one deployment of that name and kind is without a partner on each side.
static void pair_renamed(struct pairing *pairing, uint32_t index)
{
    const struct kvb_check_case *after = &pairing->after->items[index];
    uint32_t found = pairing->before->count, others = 0;
    for (uint32_t i = 0; i < pairing->before->count; i++) {
        const struct kvb_check_case *before = &pairing->before->items[i];
        if (!pairing->taken[i] && before->kind == after->kind && strcmp(before->name, after->name) == 0) {
            others += found < pairing->before->count;
            found = i;
        }
    }
    for (uint32_t i = 0; i < pairing->after->count; i++) {
        const struct kvb_check_case *other = &pairing->after->items[i];
        others += i != index && pairing->partner[i] == NULL && other->kind == after->kind &&
                  strcmp(other->name, after->name) == 0;
    }
    if (found < pairing->before->count && others == 0) {
        pairing->taken[found] = true;
        pairing->partner[index] = &pairing->before->items[found];
    }
}

static void pair_all(struct pairing *pairing)
{
    for (unsigned pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < pairing->after->count; i++) {
            if (pairing->partner[i] != NULL) {
                continue;
            }
            if (pass < 2) {
                pair_in_file(pairing, i, pass == 0);
            } else if (pairing->after->items[i].kind != NULL) {
                pair_renamed(pairing, i);
            }
        }
    }
}

// ---- changes

static enum kvb_trend trend_of(const struct kvb_check_case *before, const struct kvb_check_case *after)
{
    if (before == NULL || after == NULL) {
        return before == NULL ? KVB_TREND_NEW : KVB_TREND_GONE;
    }
    if (before->verdict == after->verdict) {
        return KVB_TREND_SAME;
    }
    return after->verdict == KVB_CASE_PASS    ? KVB_TREND_BETTER
           : before->verdict == KVB_CASE_PASS ? KVB_TREND_WORSE
                                              : KVB_TREND_SAME; // from one kind of failure to another
}

// What is written while changes are counted.
struct changes {
    struct kvb_against *against;
    struct kvb_case_change *items;
    struct kvb_moved *scratch;
};

static void add_change(struct kvb_gate *gate, struct changes *changes, const struct kvb_check_case *before,
                       const struct kvb_check_case *after)
{
    struct kvb_against *against = changes->against;
    struct kvb_case_change *change = &changes->items[against->count];
    *change = (struct kvb_case_change){.trend = trend_of(before, after), .before = before, .after = after};
    kvb_gate_say_moved(gate, change, changes->scratch);
    bool still = change->moved_count == 0 && before != NULL && after != NULL && before->verdict == after->verdict;
    if (still) {
        against->untouched++;
        return;
    }
    against->trends[change->trend]++;
    against->count++;
}

static enum kvb_status compare(struct kvb_gate *gate, const char *ref, const char *commit,
                               struct kvb_problems *problems)
{
    struct kvb_arena *arena = &gate->arena;
    struct pairing pairing = {.before = &gate->before->cases, .after = &gate->cases};
    uint32_t most = pairing.before->count + pairing.after->count;
    struct changes changes = {kvb_arena_take(arena, sizeof *changes.against),
                              kvb_arena_take(arena, (most + 1U) * sizeof *changes.items),
                              kvb_arena_take(arena, KVB_MOVED_MAX * sizeof *changes.scratch)};
    pairing.partner = kvb_arena_take(arena, (pairing.after->count + 1U) * sizeof *pairing.partner);
    pairing.taken = kvb_arena_take(arena, pairing.before->count + 1U);
    if (!changes.against || !changes.items || !changes.scratch || !pairing.partner || !pairing.taken) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    *changes.against = (struct kvb_against){
        .ref = kvb_gate_keep(gate, ref), .commit = kvb_gate_keep(gate, commit), .changes = changes.items};
    pair_all(&pairing);
    for (uint32_t i = 0; i < pairing.after->count; i++) {
        add_change(gate, &changes, pairing.partner[i], &pairing.after->items[i]);
    }
    for (uint32_t i = 0; i < pairing.before->count; i++) {
        if (!pairing.taken[i]) {
            add_change(gate, &changes, &pairing.before->items[i], NULL);
        }
    }
    gate->against = changes.against;
    return gate->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

enum kvb_status kvb_gate_compare(struct kvb_gate *gate, const char *ref, const char *const *paths, uint32_t count,
                                 struct kvb_problems *problems)
{
    if (gate->totals.system_failed) { // what was not read would count as gone
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_CANNOT_READ, (struct kvb_place){0},
                              "not compared with %s, because not everything could be read", ref);
        return KVB_OK;
    }
    struct kvb_history *history = kvb_room(sizeof *history, problems);
    if (history == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_history_init(history);
    enum kvb_status status = read_before(gate, history, ref, paths, count, problems);
    status = status == KVB_OK ? compare(gate, ref, history->commit, problems) : status;
    kvb_history_close(history);
    kvb_free(history);
    return status;
}
