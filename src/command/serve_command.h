// The serve-command reader for callers that know where each word stands.
#ifndef KVB_COMMAND_SERVE_COMMAND_H
#define KVB_COMMAND_SERVE_COMMAND_H

#include <kvbudget/input.h>

#include "budget/engine.h"

// Indexes of words; 0, the program, stands for none.
struct kvb_serve_trace {
    int settings[KVB_SETTING_COUNT]; // the flag that said it last
    int model;
    int problems[KVB_PROBLEMS_MAX];
};

enum kvb_status kvb_serve_command_read_traced(int count, const char *const *words, struct kvb_serve_trace *trace,
                                              struct kvb_deployment *deployment,
                                              struct kvb_problems *problems) KVB_MUST_USE;

// Whose serve command begins somewhere among the words; NULL: none is known.
const struct kvb_engine_rows *kvb_serve_engine_of(int count, const char *const *words);

#endif
