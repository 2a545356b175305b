// Transfers played by a stand-in, and a libcurl that fails where it is told to, for tests of what fetches.
#ifndef FETCH_STAND_IN_H
#define FETCH_STAND_IN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "fetch/fetch.h"
#include "text/file.h"
#include "unit/test.h"

#define SHA "0123456789abcdef0123456789abcdef01234567"
#define HUB "https://hub.example"

static struct fetch_run run;
static char folder[] = "/tmp/kvb-fetch-XXXXXX";

// ---- what is played

struct answer {
    const char *file, *body; // of the last part of an address; body NULL: it is not there
    size_t length;           // 0: of the text
    uint64_t total_bytes;
};
static const struct answer *answers;
static bool transfers_fail;
static char asked[4096]; // files, in their order

bool __real_fetch_transfer(struct fetch_run *run, struct fetch_job *jobs, uint32_t count);
bool __wrap_fetch_transfer(struct fetch_run *run, struct fetch_job *jobs, uint32_t count);

static const struct answer *answer_of(const struct fetch_job *each)
{
    for (const struct answer *answer = answers; answer != NULL && answer->file != NULL; answer++) {
        if (strcmp(answer->file, each->file) == 0) {
            return answer;
        }
    }
    return NULL;
}

bool __wrap_fetch_transfer(struct fetch_run *given, struct fetch_job *jobs, uint32_t count)
{
    if (answers == NULL) {
        return __real_fetch_transfer(given, jobs, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct answer *answer = answer_of(&jobs[i]);
        if (jobs[i].state == FETCH_ABSENT) {
            continue;
        }
        (void)strcat(strcat(asked, jobs[i].file), " ");
        jobs[i].state = answer != NULL && answer->body != NULL ? FETCH_DONE : FETCH_ABSENT;
        if (jobs[i].state == FETCH_DONE) {
            kvb_buffer_add_n(&jobs[i].body, answer->body, answer->length > 0 ? answer->length : strlen(answer->body));
            jobs[i].total_bytes = answer->total_bytes;
            if (jobs[i].body.failed) {
                return fetch_fail(given, FETCH_SYSTEM, "not enough memory");
            }
        } else if (!jobs[i].optional) {
            return fetch_fail(given, FETCH_NAME, "there is no %s", jobs[i].file);
        }
    }
    return !transfers_fail || fetch_fail(given, FETCH_OFFLINE, "nobody answers");
}

static unsigned easy_fails, multi_fails, add_fails, perform_fails, url_fails;
static uint64_t now_ms;

static bool fails(unsigned *at)
{
    return *at > 0 && --*at == 0;
}

CURL *__real_curl_easy_init(void);
CURL *__wrap_curl_easy_init(void);
CURLM *__real_curl_multi_init(void);
CURLM *__wrap_curl_multi_init(void);
CURLMcode __real_curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode __wrap_curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode __real_curl_multi_perform(CURLM *multi, int *running);
CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *running);
CURLU *__real_curl_url(void);
CURLU *__wrap_curl_url(void);
uint64_t __wrap_fetch_now_ms(void);

CURL *__wrap_curl_easy_init(void)
{
    return fails(&easy_fails) ? NULL : __real_curl_easy_init();
}

CURLM *__wrap_curl_multi_init(void)
{
    return fails(&multi_fails) ? NULL : __real_curl_multi_init();
}

CURLMcode __wrap_curl_multi_add_handle(CURLM *multi, CURL *easy)
{
    return fails(&add_fails) ? CURLM_OUT_OF_MEMORY : __real_curl_multi_add_handle(multi, easy);
}

CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *running)
{
    return fails(&perform_fails) ? CURLM_INTERNAL_ERROR : __real_curl_multi_perform(multi, running);
}

CURLU *__wrap_curl_url(void)
{
    return fails(&url_fails) ? NULL : __real_curl_url();
}

uint64_t __wrap_fetch_now_ms(void)
{
    return now_ms;
}

static int begin(void **state)
{
    (void)state;
    if (run.multi != NULL) {
        (void)curl_multi_cleanup(run.multi);
    }
    kvb_buffer_free(&run.sizes);
    memset(&run, 0, sizeof run);
    run.format = "";
    run.folder = folder;
    run.stall_seconds = 10;
    run.deadline_ms = 1000;
    now_ms = 0;
    asked[0] = '\0';
    answers = NULL;
    transfers_fail = false;
    char command[64];
    (void)snprintf(command, sizeof command, "rm -f '%s'/*", folder);
    return system(command) == 0 && fetch_target_set(&run.target, HUB, "org/name", "main") ? 0 : -1;
}

static void failed(enum fetch_error error, const char *text)
{
    assert_int_equal(run.error, error);
    assert_string_equal(run.text, text);
    run.error = FETCH_FINE;
    run.text[0] = '\0';
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)begin(state);
    curl_global_cleanup();
    return rmdir(folder);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

#endif
