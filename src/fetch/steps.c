// What is asked for: the config first, then what stands beside it, then the headers of every shard.
#include <string.h>

#include "base/text.h"
#include "fetch/fetch.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/heads.h"
#include "text/json_scan.h"
#include "text/path.h"

struct wish {
    const char *file;
    enum fetch_kind kind;
};
static const struct wish beside[] = {
    {"model.safetensors.index.json", FETCH_WHOLE}, {"hf_quant_config.json", FETCH_WHOLE},
    {"generation_config.json", FETCH_WHOLE},       {"params.json", FETCH_WHOLE},
    {"preprocessor_config.json", FETCH_WHOLE},     {"adapter_config.json", FETCH_WHOLE},
    {"model.safetensors", FETCH_SAFETENSORS},      {"adapter_model.safetensors", FETCH_SAFETENSORS},
};
#define BESIDE_COUNT ((uint32_t)(sizeof beside / sizeof beside[0]))

static bool keep_all(struct fetch_run *run, const struct fetch_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!fetch_keep(run, &jobs[i])) {
            return false;
        }
    }
    return true;
}

// From here on one commit is read, whatever the branch does meanwhile.
static void pin(struct fetch_run *run)
{
    if (run->target.commit[0] != '\0') {
        (void)kvb_copy(run->target.revision, sizeof run->target.revision, run->target.commit);
    }
}

static bool fetch_shards(struct fetch_run *run, const struct fetch_job *index)
{
    struct kvb_open_file file;
    struct kvb_shards shards;
    kvb_open_memory(&file, index->file, index->body.data, index->body.length);
    if (kvb_index_read(&file, &shards, NULL) != KVB_OK) {
        return fetch_fail(run, FETCH_BAD, "%s: it names no safetensors files", index->file);
    }
    struct fetch_job *jobs = fetch_jobs_new(run, shards.count);
    bool fine = jobs != NULL;
    for (uint32_t i = 0; fine && i < shards.count; i++) {
        fine = fetch_job_set(run, &jobs[i], FETCH_SAFETENSORS, shards.names[i], false);
    }
    fine = fine && fetch_transfer(run, jobs, shards.count) && keep_all(run, jobs, shards.count);
    fetch_jobs_free(jobs, jobs != NULL ? shards.count : 0);
    kvb_shards_free(&shards);
    return fine;
}

// jobs[0] is the config, the others stand in the order of `beside`.
static bool take_rest(struct fetch_run *run, struct fetch_job *jobs)
{
    struct fetch_job *rest = jobs + 1;
    for (uint32_t i = 0; i < BESIDE_COUNT; i++) {
        bool adapter = kvb_starts_with(beside[i].file, "adapter_");
        if (!fetch_job_set(run, &rest[i], beside[i].kind, beside[i].file, true)) {
            return false;
        }
        rest[i].state = adapter && jobs[0].state == FETCH_DONE ? FETCH_ABSENT : FETCH_WAITING;
    }
    if (!fetch_transfer(run, rest, BESIDE_COUNT) || !keep_all(run, rest, BESIDE_COUNT)) {
        return false;
    }
    if (rest[0].state == FETCH_DONE) {
        return fetch_shards(run, &rest[0]);
    }
    bool described = jobs[0].state == FETCH_DONE || rest[3].state == FETCH_DONE || rest[5].state == FETCH_DONE;
    return described || fetch_gguf(run);
}

static bool is_known(const struct fetch_run *run, char *const *known, int count)
{
    for (int i = 0; run->target.commit[0] != '\0' && i < count; i++) {
        if (strcmp(known[i], run->target.commit) == 0) {
            return true;
        }
    }
    return false;
}

static bool write_sizes(struct fetch_run *run)
{
    char path[KVB_PATH_CAPACITY];
    if (run->heads == 0) {
        return true;
    }
    return (kvb_path_join(path, run->folder, KVB_HEADS_NAME) && !run->sizes.failed &&
            kvb_file_create(path, run->sizes.data, run->sizes.length, NULL) == KVB_OK) ||
           fetch_fail(run, FETCH_SYSTEM, "cannot write %s", KVB_HEADS_NAME);
}

bool fetch_repository(struct fetch_run *run, char *const *known, int known_count, bool *same)
{
    const uint32_t count = BESIDE_COUNT + 1;
    struct fetch_job *jobs = fetch_jobs_new(run, count);
    bool fine =
        jobs != NULL && fetch_job_set(run, &jobs[0], FETCH_WHOLE, "config.json", true) && fetch_transfer(run, jobs, 1);
    *same = fine && is_known(run, known, known_count);
    if (fine && !*same) {
        pin(run);
        bool gguf = run->format[0] != '\0';
        fine = gguf ? fetch_gguf(run) : keep_all(run, jobs, 1) && take_rest(run, jobs);
        fine = fine && write_sizes(run);
    }
    fetch_jobs_free(jobs, jobs != NULL ? count : 0);
    return fine;
}
