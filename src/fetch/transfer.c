// All jobs over few connections: started in order, asked again where that can help, stopped at the deadline.
#include <string.h>

#include "base/memory.h"
#include "fetch/fetch.h"

#define ACTIVE_MAX 32
#define CONNECTIONS_MAX 8
#define POLL_MS 50

struct fetch_job *fetch_jobs_new(struct fetch_run *run, uint32_t count)
{
    struct fetch_job *jobs = kvb_reallocate(NULL, count * sizeof *jobs);
    if (jobs == NULL) {
        (void)fetch_fail(run, FETCH_SYSTEM, "not enough memory");
        return NULL;
    }
    memset(jobs, 0, count * sizeof *jobs);
    return jobs;
}

void fetch_jobs_free(struct fetch_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; jobs != NULL && i < count; i++) {
        kvb_buffer_free(&jobs[i].body);
    }
    kvb_free(jobs);
}

static void stop(struct fetch_run *run, struct fetch_job *job)
{
    (void)curl_multi_remove_handle(run->multi, job->easy);
    curl_easy_cleanup(job->easy);
    curl_slist_free_all(job->lines);
    job->easy = NULL;
    job->lines = NULL;
}

// Starts what waits and is due; how many are under way.
static uint32_t start_due(struct fetch_run *run, struct fetch_job *jobs, uint32_t count)
{
    uint32_t active = 0;
    uint64_t now = fetch_now_ms();
    for (uint32_t i = 0; i < count; i++) {
        active += jobs[i].state == FETCH_RUNNING ? 1 : 0;
    }
    for (uint32_t i = 0; i < count && active < ACTIVE_MAX && run->error == FETCH_FINE; i++) {
        if (jobs[i].state == FETCH_WAITING && jobs[i].not_before_ms <= now) {
            active += fetch_job_start(run, &jobs[i]) ? 1 : 0;
        }
    }
    return active;
}

static void judge_ended(struct fetch_run *run)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(run->multi, &left)) != NULL) {
        struct fetch_job *job = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE ||
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&job) != CURLE_OK || job == NULL) {
            continue;
        }
        stop(run, job);
        if (run->error == FETCH_FINE) {
            (void)fetch_job_judge(run, job, code);
        }
        run->jobs_done += job->state == FETCH_DONE || job->state == FETCH_ABSENT ? 1 : 0;
    }
}

static bool all_ended(const struct fetch_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].state == FETCH_WAITING || jobs[i].state == FETCH_RUNNING) {
            return false;
        }
    }
    return true;
}

static bool step(struct fetch_run *run, struct fetch_job *jobs, uint32_t count)
{
    int running, ready;
    (void)start_due(run, jobs, count);
    if (run->error != FETCH_FINE || curl_multi_perform(run->multi, &running) != CURLM_OK) {
        return fetch_fail(run, FETCH_SYSTEM, "the transfers cannot go on");
    }
    judge_ended(run);
    if (run->error == FETCH_FINE && fetch_now_ms() > run->deadline_ms) {
        return fetch_fail(run, FETCH_OFFLINE, "not done after %llu seconds; it is given up",
                          (unsigned long long)((run->deadline_ms - run->started_ms) / 1000));
    }
    fetch_progress_show(run);
    if (run->error == FETCH_FINE && !all_ended(jobs, count)) {
        (void)curl_multi_poll(run->multi, NULL, 0, POLL_MS, &ready);
    }
    return run->error == FETCH_FINE;
}

bool fetch_transfer(struct fetch_run *run, struct fetch_job *jobs, uint32_t count)
{
    if (run->multi == NULL) {
        run->multi = curl_multi_init();
        if (run->multi == NULL) {
            return fetch_fail(run, FETCH_SYSTEM, "not enough memory");
        }
        (void)curl_multi_setopt(run->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)CONNECTIONS_MAX);
        (void)curl_multi_setopt(run->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    }
    run->jobs_all += count;
    while (run->error == FETCH_FINE && !all_ended(jobs, count)) {
        (void)step(run, jobs, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].easy != NULL) {
            stop(run, &jobs[i]);
        }
    }
    return run->error == FETCH_FINE;
}
