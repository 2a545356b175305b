// Public starts of llama.cpp: one line of starts.csv as a run, and the buffers its log prints.
#ifndef KVB_TESTS_LLAMACPP_STARTS_H
#define KVB_TESTS_LLAMACPP_STARTS_H

#include <stdio.h>

#include "engines/llamacpp/run.h"

struct start {
    char id[64], source[256], architecture[48], backend[16];
    char note[64]; // why a figure cannot be held against the log; "build by date" alone: it can
    struct kvb_model model;
    struct kvb_llama_run run;
    char settings[256], observed[2048];
    char half[8]; // "build", "held"; "" for the starts that the rules were read against
};

// A number among the words of the settings or of what was observed.
uint64_t start_number(const char *words, const char *key, uint64_t otherwise);
// The next line; false at the end. Lines that cannot be read end the program.
bool start_next(FILE *file, struct start *out);
// Hundredths of a MiB that the log prints for a device ("CUDA0") and a kind ("kv"); false: it prints none.
bool start_observed(const struct start *start, const char *device, const char *kind, uint64_t *hundredths);

#endif
