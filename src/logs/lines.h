// The tables of recognised lines: one row per form, one table per engine.
#ifndef KVB_LOGS_LINES_H
#define KVB_LOGS_LINES_H

#include <stddef.h>

#include <kvbudget/logs.h>

#include "logs/pattern.h"

// What a recognised line does to the run it belongs to.
enum kvb_event {
    KVB_EVENT_FACT, // carries numbers only
    KVB_EVENT_BEGIN,
    KVB_EVENT_VERSION, // begins a run too; its word is the release
    KVB_EVENT_ARGUMENTS,
    KVB_EVENT_CONFIG, // a V0 or V1 engine configuration with its release
    KVB_EVENT_MODEL,  // its word is the model's name
    KVB_EVENT_GPU,    // its word is the GPU's name
    KVB_EVENT_COMMAND,
    KVB_EVENT_LOADING,
    KVB_EVENT_LOADED,
    KVB_EVENT_SIZED,
    KVB_EVENT_ALLOCATED,
    KVB_EVENT_CAPTURED,
    KVB_EVENT_READY,
    KVB_EVENT_SERVING,
    KVB_EVENT_NOTE,    // `detail` is a kvb_log_note
    KVB_EVENT_TRACE,   // a function name of a traceback; `detail` is the kvb_failure it points to
    KVB_EVENT_FAILURE, // `detail` is the kvb_failure
    KVB_EVENT_OOM,     // out of memory; the stage decides which
    KVB_EVENT_WRAPPER, // says that something failed, never what
    KVB_EVENT_TRACEBACK,
    KVB_EVENT_EXCEPTION,     // an exception, whatever its name; its message begins behind the match
    KVB_EVENT_METRIC,        // a server that runs says how it is
    KVB_EVENT_METRIC_CONFIG, // and what it was told
    KVB_EVENT_FRAME,         // a frame of a traceback
    KVB_EVENT_ERROR_RECORD,  // only its stamp says anything
    KVB_EVENT_DEATH,         // a process is gone; `detail` is a kvb_death
    KVB_EVENT_REQUEST_ERROR, // a request failed; the server goes on
    KVB_EVENT_RECOVERED,     // what failed was tried again in another way and went on
    KVB_EVENT_STOPPED,       // a server was asked to end: what comes then is the end
    KVB_EVENT_NEAR,          // memory is spoken of; only for "closest lines"
    KVB_EVENT_COUNT
};

// Of a row whose first hole is a device: figures add up over the devices of the GPU.
#define KVB_PER_DEVICE 1000
#define KVB_WHOLE_DEVICE 1001 // likewise, and a cache's figure is all of the device, each time it is printed

// What a notice of death says of its reason.
enum kvb_death {
    KVB_DEATH_UNKNOWN,
    KVB_DEATH_EXIT_CODE, // the code tells
    KVB_DEATH_SIGNAL,    // a fault of the program
    KVB_DEATH_HOST,      // host memory
    KVB_DEATH_SHM,       // shared memory of the host
    KVB_DEATH_TIME,      // a scheduler ended it
    KVB_DEATH_GPU_FAULT, // the card or its driver
    KVB_DEATH_COUNT
};

#define KVB_ROW_GIVES_MAX 7

struct kvb_line_row {
    const char *pattern;
    enum kvb_event event;
    unsigned detail;
    enum kvb_observation gives[KVB_ROW_GIVES_MAX]; // one per hole that carries a value
    uint32_t since, until;                         // releases that print it; 0 = open
    unsigned generation;                           // 0: either, 1: V0, 2: V1
    const char *specimen;                          // a line of this form, and of no other
};

struct kvb_line_table {
    enum kvb_log_engine engine;
    const struct kvb_line_row *rows;
    size_t count;
};

extern const struct kvb_line_table kvb_lines_vllm_setup;
extern const struct kvb_line_table kvb_lines_vllm_memory;
extern const struct kvb_line_table kvb_lines_vllm_errors;
extern const struct kvb_line_table kvb_lines_torch;
extern const struct kvb_line_table kvb_lines_sglang;
extern const struct kvb_line_table kvb_lines_llamacpp;
extern const struct kvb_line_table kvb_lines_tensorrt;
extern const struct kvb_line_table kvb_lines_lmdeploy;
extern const struct kvb_line_table kvb_lines_tgi;
extern const struct kvb_line_table kvb_lines_ollama;
extern const struct kvb_line_table kvb_lines_metrics;
extern const struct kvb_line_table kvb_lines_death;
extern const struct kvb_line_table kvb_lines_near;

#define KVB_LINE_TABLES 13
extern const struct kvb_line_table *const kvb_line_tables[KVB_LINE_TABLES];

#define KVB_LINE_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

// How an engine's start goes, as far as its log is read by it.
struct kvb_log_engine_row {
    const char *name;
    bool profiles;           // it measures with dummy requests before it sizes its cache
    bool names_buffer_after; // the buffer an allocation was for is said behind the failure
    bool parts_layers;       // what the card does not take stays in the host's memory
};
const struct kvb_log_engine_row *kvb_log_engine_row_of(enum kvb_log_engine engine);

#endif
