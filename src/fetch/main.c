// kvbudget-hub 1 ENDPOINT OWNER/NAME REVISION FORMAT FOLDER [COMMIT...]: fetches what a plan needs of a repository into
// an empty folder, and says one line on standard output. Started by kvbudget; docs/hub.md has the protocol.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "fetch/fetch.h"
#include "text/descriptor.h"

#define PROTOCOL "1"
#define STALL_SECONDS 10
#define DEADLINE_STALLS 12

// HF_HUB_DOWNLOAD_TIMEOUT as huggingface_hub has it: seconds without a byte.
static uint64_t stall_seconds(void)
{
    const char *value = getenv("HF_HUB_DOWNLOAD_TIMEOUT");
    uint64_t seconds = 0;
    bool said = value != NULL && kvb_parse_whole(value, &seconds) && seconds >= 1 && seconds <= 600;
    return said ? seconds : STALL_SECONDS;
}

// ok COMMIT FILES HEADERS BYTES MILLISECONDS | same COMMIT | error KIND TEXT; "-": the server names no commit.
static int report(const struct fetch_run *run, bool same)
{
    static const char *const kinds[FETCH_ERROR_COUNT] = {"fine", "name", "access", "offline", "busy", "bad", "system"};
    char line[KVB_PROBLEM_TEXT_CAPACITY + 64];
    const char *commit = run->target.commit[0] != '\0' ? run->target.commit : "-";
    int length;
    if (run->error != FETCH_FINE) {
        length = snprintf(line, sizeof line, "error %s %s\n", kinds[run->error], run->text);
    } else if (same) {
        length = snprintf(line, sizeof line, "same %s\n", commit);
    } else {
        length =
            snprintf(line, sizeof line, "ok %s %u %u %llu %llu\n", commit, (unsigned)run->files, (unsigned)run->heads,
                     (unsigned long long)run->bytes, (unsigned long long)(fetch_now_ms() - run->started_ms));
    }
    bool said = length > 0 && (size_t)length < sizeof line && kvb_descriptor_write(STDOUT_FILENO, line, (size_t)length);
    return said && run->error == FETCH_FINE ? 0 : 1;
}

static bool set_up(struct fetch_run *run, char **words)
{
    run->format = strcmp(words[5], "-") == 0 ? "" : words[5];
    run->folder = words[6];
    run->stall_seconds = stall_seconds();
    run->started_ms = fetch_now_ms();
    run->deadline_ms = run->started_ms + run->stall_seconds * DEADLINE_STALLS * 1000;
    run->progress = isatty(STDERR_FILENO) == 1;
    kvb_buffer_init(&run->sizes);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return fetch_fail(run, FETCH_SYSTEM, "libcurl does not start");
    }
    if (!fetch_target_set(&run->target, words[2], words[3], words[4])) {
        return fetch_fail(run, FETCH_NAME, "no http or https address, or no repository and revision: '%.200s' '%.100s'",
                          words[2], words[3]);
    }
    fetch_token_find(run->token, sizeof run->token);
    return true;
}

int main(int count, char **words)
{
    struct fetch_run run = {0};
    bool same = false;
    (void)signal(SIGPIPE, SIG_IGN);
    if (count < 7 || strcmp(words[1], PROTOCOL) != 0) {
        (void)fetch_fail(&run, FETCH_SYSTEM, "this helper speaks protocol " PROTOCOL "; kvbudget starts it");
        return report(&run, false) == 0 ? 1 : 2;
    }
    if (set_up(&run, words)) {
        (void)fetch_repository(&run, words + 7, count - 7, &same);
    }
    fetch_progress_clear(&run);
    int code = report(&run, same);
    kvb_buffer_free(&run.sizes);
    if (run.multi != NULL) {
        (void)curl_multi_cleanup(run.multi);
    }
    curl_global_cleanup();
    return code;
}
