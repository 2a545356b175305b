// Header lines of a response. Numbers are read strictly; what does not read is not said.
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "fetch/fetch.h"

#define LINE_CAPACITY FETCH_URL_CAPACITY

static void take_length(struct fetch_job *job, const char *value)
{
    job->response.has_length = kvb_parse_whole(value, &job->response.length);
}

// "bytes 0-7/1234"; an unknown total is "*".
static void take_range(struct fetch_job *job, const char *value)
{
    char begin[24], total[24];
    struct fetch_response *response = &job->response;
    const char *dash = strchr(value, '-'), *slash = strchr(value, '/');
    if (!kvb_starts_with(value, "bytes ") || dash == NULL || slash == NULL || dash > slash ||
        (size_t)(dash - value) - 6 >= sizeof begin) {
        return;
    }
    memcpy(begin, value + 6, (size_t)(dash - value) - 6);
    begin[dash - value - 6] = '\0';
    response->range_total = 0;
    response->has_range = kvb_parse_whole(begin, &response->range_begin) && kvb_copy(total, sizeof total, slash + 1) &&
                          (strcmp(total, "*") == 0 || kvb_parse_whole(total, &response->range_total));
}

static void take_retry(struct fetch_job *job, const char *value)
{
    (void)kvb_parse_whole(value, &job->response.retry_seconds);
}

static void take_error_code(struct fetch_job *job, const char *value)
{
    (void)kvb_copy(job->response.error_code, sizeof job->response.error_code, value);
}

static void take_location(struct fetch_job *job, const char *value)
{
    if (!kvb_copy(job->response.location, sizeof job->response.location, value)) {
        job->response.location[0] = '\0';
    }
}

// Believed of the endpoint alone, and only when it is the name of a commit.
static void take_commit(struct fetch_job *job, const char *value)
{
    struct fetch_target *target = &job->run->target;
    size_t length = strspn(value, "0123456789abcdef");
    if (target->commit[0] == '\0' && value[length] == '\0' && length >= 40 && length < sizeof target->commit &&
        fetch_target_owns(target, job->url)) {
        (void)kvb_copy(target->commit, sizeof target->commit, value);
    }
}

struct line_row {
    const char *name; // in lower case, with its colon
    void (*take)(struct fetch_job *job, const char *value);
};
static const struct line_row rows[] = {
    {"content-length:", take_length}, {"content-range:", take_range},     {"retry-after:", take_retry},
    {"location:", take_location},     {"x-error-code:", take_error_code}, {"x-repo-commit:", take_commit},
};

static bool begins_with(const char *text, const char *lower)
{
    for (; *lower != '\0'; text++, lower++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (c != *lower) {
            return false;
        }
    }
    return true;
}

void fetch_response_line(struct fetch_job *job, const char *line, size_t length)
{
    char text[LINE_CAPACITY];
    if (length >= sizeof text) {
        return;
    }
    memcpy(text, line, length);
    text[length] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    if (kvb_starts_with(text, "HTTP/")) {
        job->response = (struct fetch_response){0}; // of an interim response or a proxy nothing is kept
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (begins_with(text, rows[i].name)) {
            const char *value = text + strlen(rows[i].name);
            rows[i].take(job, value + strspn(value, " \t"));
        }
    }
}
