// The facts of one start attempt, gathered line by line; attempts are kept apart.
#ifndef KVB_LOGS_RUN_H
#define KVB_LOGS_RUN_H

#include <kvbudget/logs.h>

#include "logs/lines.h"

// One recognised line.
struct kvb_log_hit {
    const struct kvb_line_row *row;
    enum kvb_log_engine engine;
    uint64_t line;
    const char *record; // the cleaned line with the lines wrapped behind it
    size_t length;
    size_t start, end; // of the match
    const struct kvb_hole *holes;
};

// What is known of one attempt besides the report.
struct kvb_attempt {
    struct kvb_log_report facts;
    uint64_t first_line, progress_line;
    enum kvb_failure hint; // from function names of a traceback
    uint64_t hint_line;
    bool hint_is_error; // the name stood in an error record, not in passing
    uint64_t traceback_line, wrapper_line;
    uint64_t exception_line, crash_line;
    char exception_text[KVB_LOG_TEXT_CAPACITY];
    char wrapper_text[KVB_LOG_TEXT_CAPACITY];
    char hint_text[KVB_LOG_TEXT_CAPACITY];
    char size_text[KVB_LOG_TEXT_CAPACITY]; // the line that gave the KV cache
    bool oom_open; // out of memory without any progress before it: its own message will say where
};

struct kvb_runs {
    struct kvb_attempt now;
    struct kvb_attempt shown; // the last failed one, else the last
    bool has_shown;
    uint32_t count;
    struct kvb_log_run rows[KVB_LOG_RUNS_MAX];
    uint32_t shown_index;
    uint64_t known_lines, last_known_line;
};

void kvb_runs_init(struct kvb_runs *runs);
void kvb_runs_take(struct kvb_runs *runs, const struct kvb_log_hit *hit);
// Ends the last attempt and writes what is shown.
void kvb_runs_finish(struct kvb_runs *runs, struct kvb_log_report *report);

// facts.c
void kvb_attempt_describe(const struct kvb_log_hit *hit, char text[KVB_LOG_TEXT_CAPACITY]);
void kvb_attempt_observe(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_attempt_version(struct kvb_attempt *attempt, const struct kvb_hole *hole);
void kvb_attempt_engine(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_attempt_settings(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_attempt_name(const struct kvb_hole *hole, char name[KVB_NAME_CAPACITY]);

// judge.c: names the failure of an attempt that ended; completes a report.
void kvb_attempt_judge(struct kvb_attempt *attempt);
void kvb_attempt_settle(struct kvb_log_report *report);

// stage.c: which failure an out-of-memory is, from how far the start came and what the message says.
enum kvb_failure kvb_stage_of_oom(const struct kvb_attempt *attempt, uint64_t line, bool *inferred);

// From the figures of the message alone.
enum kvb_failure kvb_stage_of_message(const struct kvb_attempt *attempt);

#endif
