// What is taken of a response's body. No length is believed: neither the server's nor that of a safetensors header.
#include <string.h>

#include "base/checked.h"
#include "fetch/fetch.h"
#include "model/checkpoint/gguf.h"
#include "model/checkpoint/gguf_value.h"
#include "model/checkpoint/safetensors.h"
#include "text/file.h"

#define REFUSED_BODY_MAX_BYTES 65536

void fetch_body_reset(struct fetch_job *job)
{
    kvb_buffer_free(&job->body);
    kvb_buffer_init(&job->body);
    job->satisfied = false;
}

static bool is_head(const struct fetch_job *job)
{
    return job->kind != FETCH_WHOLE;
}

// Where this body begins in the file, and how long the file is; a server that knows no ranges begins anew.
static bool begin(struct fetch_job *job)
{
    const struct fetch_response *response = &job->response;
    uint64_t here = job->body.length;
    if (response->status == 206 && (!response->has_range || response->range_begin != here)) {
        return fetch_fail(job->run, FETCH_BAD, "%s: bytes from %llu on were asked for, and others came", job->file,
                          (unsigned long long)here);
    }
    uint64_t total = response->status == 206 ? response->range_total : response->has_length ? response->length : 0;
    if (response->status == 200 && here > 0) {
        fetch_body_reset(job);
    }
    if (job->total_bytes > 0 && total > 0 && total != job->total_bytes) {
        return fetch_fail(job->run, FETCH_BAD, "%s: first it had %llu bytes, now %llu", job->file,
                          (unsigned long long)job->total_bytes, (unsigned long long)total);
    }
    job->total_bytes = total > 0 ? total : job->total_bytes;
    if (!is_head(job) && total > job->cap_bytes) {
        return fetch_fail(job->run, FETCH_BAD, "%s: %llu bytes long; at most %llu are read of such a file", job->file,
                          (unsigned long long)total, (unsigned long long)job->cap_bytes);
    }
    return true;
}

// The eight bytes of a safetensors header's length, once they are here.
static bool learn_length(struct fetch_job *job)
{
    uint64_t length = 0;
    if (job->kind != FETCH_SAFETENSORS || job->wanted_bytes > 0 || job->body.length < 8) {
        return true;
    }
    for (int i = 7; i >= 0; i--) {
        length = length << 8 | (unsigned char)job->body.data[i];
    }
    if (length > KVB_SAFETENSORS_HEADER_MAX_BYTES) {
        return fetch_fail(job->run, FETCH_BAD, "%s: its header says it is %llu bytes long; the format allows %llu",
                          job->file, (unsigned long long)length, (unsigned long long)KVB_SAFETENSORS_HEADER_MAX_BYTES);
    }
    if (job->total_bytes > 0 && length > job->total_bytes - kvb_min(8, job->total_bytes)) {
        return fetch_fail(job->run, FETCH_BAD, "%s: its header says it is %llu bytes long, the file has %llu",
                          job->file, (unsigned long long)length, (unsigned long long)job->total_bytes);
    }
    job->wanted_bytes = length + 8;
    return true;
}

bool fetch_body_take(struct fetch_job *job, const char *bytes, size_t length)
{
    struct fetch_run *run = job->run;
    long status = job->response.status;
    run->bytes += length;
    if (run->bytes > FETCH_BYTES_MAX) {
        return fetch_fail(run, FETCH_BAD, "more than %llu bytes came; no model's headers are as long",
                          (unsigned long long)FETCH_BYTES_MAX);
    }
    if (status != 200 && status != 206) {
        job->response.length += length; // said in words for people; none of it is kept
        return job->response.length <= REFUSED_BODY_MAX_BYTES;
    }
    if (job->body.length + length > job->cap_bytes && !is_head(job)) {
        return fetch_fail(run, FETCH_BAD, "%s: longer than the %llu bytes that are read of such a file", job->file,
                          (unsigned long long)job->cap_bytes);
    }
    kvb_buffer_add_n(&job->body, bytes, length);
    if (job->body.failed) {
        return fetch_fail(run, FETCH_SYSTEM, "%s: not enough memory", job->file);
    }
    if (!learn_length(job)) {
        return false;
    }
    // A server without ranges sends all of it: it is hung up on. One that sends more than was asked for, too.
    uint64_t enough = job->wanted_bytes > 0 ? job->wanted_bytes : job->asked_bytes;
    bool surplus = job->body.length > kvb_max(enough, job->asked_bytes);
    job->satisfied = is_head(job) && (surplus || (status == 200 && job->body.length >= enough));
    return !job->satisfied;
}

bool fetch_body_begin(struct fetch_job *job)
{
    long status = job->response.status;
    return (status != 200 && status != 206) || begin(job);
}

static enum kvb_status pass(void *context, const struct kvb_stored_tensor *tensor, struct kvb_problems *problems)
{
    (void)context;
    (void)tensor;
    (void)problems;
    return KVB_OK;
}

// Metadata and tensor table of a GGUF file have no length of their own: they are here when they read.
static bool gguf_whole(struct fetch_job *job)
{
    struct kvb_open_file file;
    struct kvb_gguf gguf;
    kvb_open_memory(&file, job->file, job->body.data, job->body.length);
    if (job->total_bytes > job->body.length) {
        file.size_bytes = job->total_bytes;
        file.present_bytes = job->body.length;
    }
    enum kvb_status status = kvb_gguf_read(&file, &gguf, pass, NULL, NULL);
    if (status == KVB_CANNOT_READ && job->body.length < KVB_GGUF_HEADER_MAX_BYTES) {
        job->wanted_bytes = kvb_min(2 * job->body.length, job->total_bytes);
        return false;
    }
    job->wanted_bytes = job->body.length; // whatever is wrong with it is said by who reads it
    return true;
}

bool fetch_body_whole(struct fetch_job *job)
{
    switch (job->kind) {
    case FETCH_WHOLE:
        return job->total_bytes == 0 || job->body.length == job->total_bytes;
    case FETCH_SAFETENSORS:
        if (job->wanted_bytes > 0 && job->body.length >= job->wanted_bytes) {
            job->body.length = job->wanted_bytes;
            return true;
        }
        return false;
    case FETCH_GGUF:
        return job->body.length > 0 && gguf_whole(job);
    }
    return false;
}
