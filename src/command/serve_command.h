// The serve-command reader for callers that know where each word stands, or what the line does not say.
#ifndef KVB_COMMAND_SERVE_COMMAND_H
#define KVB_COMMAND_SERVE_COMMAND_H

#include <kvbudget/input.h>

#include "budget/engine.h"
#include "text/files.h"

// What a line does not say itself.
struct kvb_serve_beside {
    const struct kvb_files *files;                          // where the file of --config is read; NULL: the disk
    const char *(*locate)(void *context, const char *path); // where a path of the line lies; NULL: as it is written
    void *context;
    const char *engine; // "vllm@0.11.0" where something outranks what the deployment says; NULL: nothing does
    bool any_program;   // the line was put together: how the engine was started is not known
};

// Indexes of words; 0, the program, stands for none.
struct kvb_serve_trace {
    int settings[KVB_SETTING_COUNT]; // the flag that said it last
    int model;
    int problems[KVB_PROBLEMS_MAX];
};

// As kvb_serve_command_read; `trace` may be NULL.
enum kvb_status kvb_serve_command_read_beside(int count, const char *const *words,
                                              const struct kvb_serve_beside *beside, struct kvb_serve_trace *trace,
                                              struct kvb_deployment *deployment,
                                              struct kvb_problems *problems) KVB_MUST_USE;

// Whose serve command begins somewhere among the words; NULL: none is known.
const struct kvb_engine_rows *kvb_serve_engine_of(int count, const char *const *words);

#endif
