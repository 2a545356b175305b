// The facts of one start attempt, gathered line by line; attempts are kept apart.
#ifndef KVB_LOGS_RUN_H
#define KVB_LOGS_RUN_H

#include <kvbudget/logs.h>

#include "logs/causes.h"
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

// What may have ended an attempt.
struct kvb_candidate {
    uint64_t line; // 0 = none
    enum kvb_cause_class class;
    enum kvb_death death;
    enum kvb_log_stage stage; // how far the start was when it came
    char text[KVB_LOG_TEXT_CAPACITY];
    char place[KVB_LOG_PLACE_CAPACITY]; // of an exception: the last frame before it
};

#define KVB_DEVICES_MAX 16

// What is known of one attempt besides the report.
struct kvb_attempt {
    struct kvb_log_report facts;
    int64_t devices[3][KVB_DEVICES_MAX]; // per device: weights, compute buffers, KV cache
    uint64_t first_line, progress_line, serving_line;
    bool began;            // a line that only a start prints
    enum kvb_failure hint; // from function names of a traceback
    uint64_t hint_line;
    uint64_t traceback_line, frame_line, wrapper_line, request_error_line;
    struct kvb_candidate cause, death; // the first exception that is none of a wrapper's; the first notice of death
    enum kvb_side side;                // what the lines around a failure say of the process
    char wrapper_text[KVB_LOG_TEXT_CAPACITY];
    char frame_place[KVB_LOG_PLACE_CAPACITY];
    char size_text[KVB_LOG_TEXT_CAPACITY]; // the line that gave the KV cache
    bool stopped;                          // it served and was asked to end
    uint64_t aside_line; // a frame of a helper of Python that cleans up: its exception is none of the engine's
    bool oom_open;       // out of memory without any progress before it: its own message will say where
};

#define KVB_EXCERPT_LINES 256 // more lines are no excerpt

struct kvb_runs {
    struct kvb_attempt now;
    struct kvb_attempt shown; // the last failed one, else the last
    bool has_shown;
    struct kvb_attempt before, worked; // the last with a KV cache, the last that became ready
    bool has_before, has_worked;
    int64_t total_bytes; // of the card, from two starts; 0 = not known
    uint32_t count;
    struct kvb_log_run rows[KVB_LOG_RUNS_MAX];
    uint32_t shown_index;
    int32_t clock;         // of the last line that bore one, in seconds of the day; -1 = none yet
    uint32_t rises, falls; // of the clock from line to line
    uint64_t known_lines, last_known_line;
    uint64_t known_map[KVB_EXCERPT_LINES / 64]; // which of the first lines were recognised
};

void kvb_runs_init(struct kvb_runs *runs);
void kvb_runs_take(struct kvb_runs *runs, const struct kvb_log_hit *hit);
// Ends the last attempt and writes what is shown.
// `only_figures`: no line is anything else.
void kvb_runs_finish(struct kvb_runs *runs, bool only_figures, struct kvb_log_report *report);
// Whether something went wrong that serving would disprove.
bool kvb_runs_troubled(const struct kvb_runs *runs);
bool kvb_runs_knows_line(const struct kvb_runs *runs, uint64_t line);

// facts.c
void kvb_attempt_describe(const struct kvb_log_hit *hit, char text[KVB_LOG_TEXT_CAPACITY]);
// What stands behind the match, to the end of a message that a terminal or a page wrapped; breaks are blanks, or
// `glue`d.
void kvb_attempt_wrapped(const struct kvb_log_hit *hit, bool glue, char text[KVB_LOG_TEXT_CAPACITY]);
void kvb_attempt_observe(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
bool kvb_is_trial_capture(const struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
// Whether the device a row names is the host and not a GPU.
bool kvb_is_host_device(const struct kvb_hole *device);
void kvb_attempt_version(struct kvb_attempt *attempt, const struct kvb_hole *hole);
void kvb_attempt_stamp(struct kvb_attempt *attempt, const struct kvb_stamp_row *row);
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
