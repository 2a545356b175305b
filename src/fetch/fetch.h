// What the helper program that fetches from a model hub is made of. It gets what it is asked for as arguments, writes
// files into one empty folder, and says one line; docs/hub.md has the protocol.
#ifndef KVB_FETCH_FETCH_H
#define KVB_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curl/curl.h>

#include <kvbudget/problem.h>

#include "base/buffer.h"

#define FETCH_URL_CAPACITY 4096 // a signed address of a content network takes 1 to 2 KB
#define FETCH_FILE_CAPACITY 256
#define FETCH_WORD_CAPACITY 128
#define FETCH_COMMIT_CAPACITY 65
#define FETCH_BYTES_MAX (UINT64_C(256) << 20) // of everything together

// Why nothing was fetched, as the report line says it.
enum fetch_error {
    FETCH_FINE,
    FETCH_NAME,    // no such repository, revision or file
    FETCH_ACCESS,  // a token is missing or is not let in
    FETCH_OFFLINE, // nobody answers
    FETCH_BUSY,    // 429, and servers in trouble
    FETCH_BAD,     // what came is not what was asked for
    FETCH_SYSTEM,  // this machine: memory, disk
    FETCH_ERROR_COUNT
};

enum fetch_kind { FETCH_WHOLE, FETCH_SAFETENSORS, FETCH_GGUF };
enum fetch_state { FETCH_WAITING, FETCH_RUNNING, FETCH_DONE, FETCH_ABSENT };

// What the header lines of one response say.
struct fetch_response {
    long status;
    bool has_range, has_length;
    uint64_t range_begin, range_total, length;
    uint64_t retry_seconds;
    char error_code[64];
    char location[FETCH_URL_CAPACITY];
};

struct fetch_run;

// One file, wholly or from its beginning as far as its header goes.
struct fetch_job {
    enum fetch_kind kind;
    enum fetch_state state;
    bool optional; // 404 is an answer
    char file[FETCH_FILE_CAPACITY];
    char url[FETCH_URL_CAPACITY]; // after redirects
    uint64_t cap_bytes;           // of a whole file: more is refused
    uint64_t wanted_bytes;        // of a head, once it is known how long that is
    uint64_t asked_bytes;         // of a head: how far the last request went
    uint64_t total_bytes;         // of the file at the server; 0 = not said
    bool satisfied;               // enough is here, and the rest of the response is not waited for
    uint32_t redirects, tries;
    uint64_t not_before_ms;
    struct kvb_buffer body;
    struct fetch_response response;
    struct fetch_run *run;
    CURL *easy;
    struct curl_slist *lines;
};

struct fetch_target {
    char endpoint[FETCH_URL_CAPACITY]; // without a slash at its end
    const struct fetch_style *style;
    char repository[2 * FETCH_WORD_CAPACITY];
    char revision[FETCH_WORD_CAPACITY]; // the commit once it is known
    char commit[FETCH_COMMIT_CAPACITY];
};

struct fetch_run {
    struct fetch_target target;
    const char *format; // of a GGUF file, or ""
    const char *folder;
    char token[512]; // "": none
    uint64_t stall_seconds, deadline_ms, started_ms;
    CURLM *multi;
    uint64_t bytes; // received, bodies only
    uint32_t files, heads, jobs_done, jobs_all;
    bool progress, progress_shown;
    uint64_t progress_next_ms;
    struct kvb_buffer sizes; // lines of the list of heads
    enum fetch_error error;
    char text[KVB_PROBLEM_TEXT_CAPACITY];
};

// ---- target.c: addresses

// False: the endpoint is no http or https address, or the name is none of a repository.
bool fetch_target_set(struct fetch_target *target, const char *endpoint, const char *repository, const char *revision);
// Of a file's name below FETCH_FILE_CAPACITY: then every address fits.
void fetch_target_file(const struct fetch_target *target, const char *file, char out[FETCH_URL_CAPACITY]);
void fetch_target_listing(const struct fetch_target *target, char out[FETCH_URL_CAPACITY]);
// Scheme, host and port are the endpoint's.
bool fetch_target_owns(const struct fetch_target *target, const char *url);
// Whether a token may go there: the endpoint, and not in the clear over a network.
bool fetch_target_trusts(const struct fetch_target *target, const char *url);

// ---- token.c
void fetch_token_find(char *out, size_t capacity);

// ---- response.c: header lines
void fetch_response_line(struct fetch_job *job, const char *line, size_t length);

// ---- body.c: what is taken of a response
void fetch_body_reset(struct fetch_job *job);
bool fetch_body_begin(struct fetch_job *job); // all header lines are here
// False ends the transfer: enough is here (`satisfied`), or run->error says what is wrong.
bool fetch_body_take(struct fetch_job *job, const char *bytes, size_t length);
// After a response ended well: true when the job needs nothing more; else it asks on from body.length.
bool fetch_body_whole(struct fetch_job *job);

// ---- transfer.c: all jobs, over few connections. False: run->error.
bool fetch_transfer(struct fetch_run *run, struct fetch_job *jobs, uint32_t count);
struct fetch_job *fetch_jobs_new(struct fetch_run *run, uint32_t count);
void fetch_jobs_free(struct fetch_job *jobs, uint32_t count);
// Sets the job up for a file of the repository.
bool fetch_job_set(struct fetch_run *run, struct fetch_job *job, enum fetch_kind kind, const char *file, bool optional);
// Adds the job to the multi handle; false: no memory.
bool fetch_job_start(struct fetch_run *run, struct fetch_job *job);
// Judges how a transfer ended: the job is done, absent, or waits to be asked again; false: run->error.
bool fetch_job_judge(struct fetch_run *run, struct fetch_job *job, CURLcode code);
uint64_t fetch_now_ms(void);

// ---- steps.c: what is asked for, in which order. False: run->error.
bool fetch_repository(struct fetch_run *run, char *const *known, int known_count, bool *same);
bool fetch_gguf(struct fetch_run *run);
bool fetch_keep(struct fetch_run *run, const struct fetch_job *job);

// ---- progress.c
void fetch_progress_show(struct fetch_run *run);
void fetch_progress_clear(struct fetch_run *run);

// Notes the first error; returns false.
bool fetch_fail(struct fetch_run *run, enum fetch_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
