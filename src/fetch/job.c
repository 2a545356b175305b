// One request: its options, and what to do when it ended: take it, follow, ask again or give up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/version.h>

#include "base/checked.h"
#include "base/text.h"
#include "fetch/fetch.h"

#define TRIES_MAX 3
#define REDIRECTS_MAX 5
#define WAIT_SECONDS_MAX 30
#define CONFIG_MAX_BYTES (UINT64_C(16) << 20)
#define INDEX_MAX_BYTES (UINT64_C(64) << 20)
#define SAFETENSORS_FIRST_BYTES (UINT64_C(32) << 10)
#define GGUF_FIRST_BYTES (UINT64_C(8) << 20)
#define CONNECT_SECONDS 5

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct fetch_job *job = context;
    size_t length = size * count;
    if (length <= 2 && bytes[0] != 'H') { // the empty line behind them
        long status = 0;
        (void)curl_easy_getinfo(job->easy, CURLINFO_RESPONSE_CODE, &status);
        job->response.status = status;
        return status < 200 || fetch_body_begin(job) ? length : 0;
    }
    fetch_response_line(job, bytes, length);
    return length;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct fetch_job *job = context;
    size_t length = size * count;
    return fetch_body_take(job, bytes, length) ? length : 0;
}

bool fetch_job_set(struct fetch_run *run, struct fetch_job *job, enum fetch_kind kind, const char *file, bool optional)
{
    bool index = strstr(file, ".index.json") != NULL;
    for (const char *c = file; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            return fetch_fail(run, FETCH_BAD, "the name of a file holds control characters");
        }
    }
    *job = (struct fetch_job){.kind = kind, .optional = optional, .run = run};
    job->cap_bytes = index ? INDEX_MAX_BYTES : CONFIG_MAX_BYTES;
    kvb_buffer_init(&job->body);
    if (!kvb_copy(job->file, sizeof job->file, file)) {
        return fetch_fail(run, FETCH_BAD, "the name of a file is too long");
    }
    fetch_target_file(&run->target, file, job->url);
    return true;
}

static void set_range(struct fetch_job *job)
{
    char range[64];
    uint64_t first = job->kind == FETCH_GGUF ? GGUF_FIRST_BYTES : SAFETENSORS_FIRST_BYTES;
    uint64_t begin = job->body.length;
    if (job->kind == FETCH_WHOLE && begin == 0) {
        return;
    }
    job->asked_bytes = job->wanted_bytes > 0 ? job->wanted_bytes : first;
    if (job->kind == FETCH_WHOLE) {
        (void)snprintf(range, sizeof range, "%llu-", (unsigned long long)begin);
    } else {
        (void)snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)begin,
                       (unsigned long long)kvb_max(job->asked_bytes, begin + 1) - 1);
    }
    (void)curl_easy_setopt(job->easy, CURLOPT_RANGE, range);
}

// http and https and nothing else; certificates are always checked; no redirect is followed unseen.
static void set_rules(CURL *easy, uint64_t stall_seconds)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
    (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    (void)curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    (void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 512L);
    (void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)stall_seconds);
    (void)curl_easy_setopt(easy, CURLOPT_USERAGENT, "kvbudget-hub/" KVB_VERSION);
}

// Certificates besides the system's, as of a company's proxy; the variables that Python's requests and curl read.
static void set_certificates(CURL *easy)
{
    static const char *const variables[] = {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *path = getenv(variables[i]);
        if (path != NULL && path[0] != '\0') {
            (void)curl_easy_setopt(easy, CURLOPT_CAINFO, path);
            return;
        }
    }
}

bool fetch_job_start(struct fetch_run *run, struct fetch_job *job)
{
    char line[sizeof run->token + 32];
    job->easy = curl_easy_init();
    if (job->easy == NULL) {
        return fetch_fail(run, FETCH_SYSTEM, "not enough memory");
    }
    job->response = (struct fetch_response){0};
    job->satisfied = false;
    set_rules(job->easy, run->stall_seconds);
    set_certificates(job->easy);
    set_range(job);
    if (run->token[0] != '\0' && fetch_target_trusts(&run->target, job->url)) {
        (void)snprintf(line, sizeof line, "Authorization: Bearer %s", run->token);
        job->lines = curl_slist_append(NULL, line);
        (void)curl_easy_setopt(job->easy, CURLOPT_HTTPHEADER, job->lines);
    }
    (void)curl_easy_setopt(job->easy, CURLOPT_URL, job->url);
    (void)curl_easy_setopt(job->easy, CURLOPT_PRIVATE, job);
    (void)curl_easy_setopt(job->easy, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(job->easy, CURLOPT_HEADERDATA, job);
    (void)curl_easy_setopt(job->easy, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(job->easy, CURLOPT_WRITEDATA, job);
    job->state = FETCH_RUNNING;
    return curl_multi_add_handle(run->multi, job->easy) == CURLM_OK ||
           fetch_fail(run, FETCH_SYSTEM, "not enough memory");
}

// Asked again after a while; false: often enough.
static bool again(struct fetch_job *job, uint64_t wait_ms)
{
    if (++job->tries >= TRIES_MAX) {
        return false;
    }
    job->state = FETCH_WAITING;
    job->not_before_ms = fetch_now_ms() + wait_ms;
    return true;
}

// The address that a redirect names, against the one it came from.
static bool resolve(const struct fetch_job *job, char out[FETCH_URL_CAPACITY])
{
    CURLU *url = curl_url();
    char *text = NULL;
    bool fine = url != NULL && curl_url_set(url, CURLUPART_URL, job->url, 0) == CURLUE_OK &&
                curl_url_set(url, CURLUPART_URL, job->response.location, 0) == CURLUE_OK &&
                curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK && kvb_copy(out, FETCH_URL_CAPACITY, text);
    curl_free(text);
    curl_url_cleanup(url);
    return fine;
}

static bool follow(struct fetch_run *run, struct fetch_job *job)
{
    char next[FETCH_URL_CAPACITY];
    if (++job->redirects > REDIRECTS_MAX) {
        return fetch_fail(run, FETCH_BAD, "%s: sent on more than %d times", job->file, REDIRECTS_MAX);
    }
    if (job->response.location[0] == '\0' || !resolve(job, next)) {
        return fetch_fail(run, FETCH_BAD, "%s: sent on to nowhere", job->file);
    }
    bool web = kvb_starts_with(next, "https://") || kvb_starts_with(next, "http://");
    if (!web) {
        return fetch_fail(run, FETCH_BAD, "%s: sent on to what is neither https nor http", job->file);
    }
    if (kvb_starts_with(job->url, "https://") && !kvb_starts_with(next, "https://")) {
        return fetch_fail(run, FETCH_BAD, "%s: sent on from https to http, which is not followed", job->file);
    }
    (void)kvb_copy(job->url, sizeof job->url, next);
    job->state = FETCH_WAITING;
    return true;
}

static bool refuse_access(struct fetch_run *run, const struct fetch_job *job)
{
    const char *code = job->response.error_code;
    const char *name = run->target.repository;
    if (job->response.status == 403 && code[0] == '\0') {
        return fetch_fail(run, FETCH_ACCESS, "%s: the server refuses it (403)%s", job->file,
                          run->token[0] != '\0' ? "" : "; it may want a token in HF_TOKEN");
    }
    if (strcmp(code, "GatedRepo") == 0 || job->response.status == 403) {
        return fetch_fail(run, FETCH_ACCESS,
                          run->token[0] != '\0' ? "%s is gated, and the token's account was not let in; ask for access "
                                                  "on its page"
                                                : "%s is gated: ask for access on its page, then set HF_TOKEN",
                          name);
    }
    if (run->token[0] != '\0' && !fetch_target_trusts(&run->target, job->url)) {
        return fetch_fail(run, FETCH_ACCESS, "%s wants a token, and none is sent over plain http", name);
    }
    return fetch_fail(run, FETCH_ACCESS,
                      run->token[0] != '\0' ? "there is no %s, or the token does not reach it"
                                            : "there is no %s, or it is private and wants HF_TOKEN",
                      name);
}

static bool refuse_missing(struct fetch_run *run, struct fetch_job *job)
{
    const char *code = job->response.error_code;
    if (strcmp(code, "RepoNotFound") == 0) {
        return fetch_fail(run, FETCH_NAME, "there is no %s", run->target.repository);
    }
    if (strcmp(code, "RevisionNotFound") == 0) {
        return fetch_fail(run, FETCH_NAME, "%s has no revision '%.60s'", run->target.repository, run->target.revision);
    }
    if (job->optional) {
        job->state = FETCH_ABSENT;
        return true;
    }
    return fetch_fail(run, FETCH_NAME, "%s has no %s", run->target.repository, job->file);
}

static bool judge_busy(struct fetch_run *run, struct fetch_job *job)
{
    uint64_t wait = job->response.retry_seconds;
    bool asked = job->response.status == 429;
    if (wait <= WAIT_SECONDS_MAX && again(job, wait > 0 ? wait * 1000 : 500U << job->tries)) {
        return true;
    }
    if (asked && wait > 0) {
        return fetch_fail(run, FETCH_BUSY, "too many requests (429); it asks to wait %llu seconds",
                          (unsigned long long)wait);
    }
    return fetch_fail(run, FETCH_BUSY, "%s: answered %ld%s", job->file, job->response.status,
                      asked ? ", too many requests" : "");
}

static bool judge_status(struct fetch_run *run, struct fetch_job *job)
{
    long status = job->response.status;
    if (status >= 300 && status < 400) {
        return follow(run, job);
    }
    bool elsewhere = !fetch_target_owns(&run->target, job->url);
    if (status == 404 && elsewhere && job->optional) {
        job->state = FETCH_ABSENT;
        return true;
    }
    if ((status == 401 || status == 403 || status == 404) && elsewhere) { // a signed address lasts a while only
        fetch_target_file(&run->target, job->file, job->url);
        return again(job, 0) ||
               fetch_fail(run, FETCH_BAD, "%s: the server it is kept on answered %ld", job->file, status);
    }
    if (status == 401 || status == 403) {
        return refuse_access(run, job);
    }
    if (status == 404) {
        return refuse_missing(run, job);
    }
    if (status == 429 || status >= 500) {
        return judge_busy(run, job);
    }
    return fetch_fail(run, FETCH_BAD, "%s: answered %ld", job->file, status);
}

// A response that ended before its time is asked on from where it ended.
static bool judge_end(struct fetch_run *run, struct fetch_job *job, CURLcode code)
{
    size_t here = job->body.length;
    if (job->kind != FETCH_WHOLE && job->total_bytes == 0) {
        return fetch_fail(run, FETCH_BAD, "%s: it is not said how long it is", job->file);
    }
    if ((code == CURLE_OK || job->satisfied) && fetch_body_whole(job)) {
        job->state = FETCH_DONE;
        return true;
    }
    bool asks_on = job->kind != FETCH_WHOLE && code == CURLE_OK && here >= job->asked_bytes;
    bool bigger = job->satisfied && job->wanted_bytes > here;
    if (asks_on || bigger) {
        job->state = FETCH_WAITING;
        return true;
    }
    return again(job, 100) ||
           fetch_fail(run, FETCH_BAD, "%s: ends after %llu of %llu bytes", job->file, (unsigned long long)here,
                      (unsigned long long)(job->wanted_bytes > 0 ? job->wanted_bytes : job->total_bytes));
}

bool fetch_job_judge(struct fetch_run *run, struct fetch_job *job, CURLcode code)
{
    long status = job->response.status;
    bool answered = code == CURLE_OK || job->satisfied;
    bool cut = code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_HTTP2 ||
               code == CURLE_HTTP2_STREAM || code == CURLE_GOT_NOTHING || code == CURLE_OPERATION_TIMEDOUT;
    if (answered && status != 200 && status != 206) {
        return judge_status(run, job);
    }
    if (answered || (cut && job->body.length > 0 && code != CURLE_OPERATION_TIMEDOUT)) {
        return judge_end(run, job, code);
    }
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CONNECT_ERROR) {
        return fetch_fail(run, FETCH_BAD, "its certificate cannot be trusted: %s", curl_easy_strerror(code));
    }
    bool often = code == CURLE_OPERATION_TIMEDOUT && job->tries > 0; // once more, not twice
    if (cut && !often && again(job, 200U << job->tries)) {
        return true;
    }
    if (code == CURLE_OPERATION_TIMEDOUT && status > 0) {
        return fetch_fail(run, FETCH_OFFLINE, "%s: less than 512 bytes a second came for %llu seconds", job->file,
                          (unsigned long long)run->stall_seconds);
    }
    return fetch_fail(run, FETCH_OFFLINE, "nobody answers: %s", curl_easy_strerror(code));
}
