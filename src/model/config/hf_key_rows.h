// How rows of config.json keys are written: a section, what the key may be, its bounds, and how people spell it.
#ifndef KVB_MODEL_CONFIG_HF_KEY_ROWS_H
#define KVB_MODEL_CONFIG_HF_KEY_ROWS_H

#include "model/config/hf_keys.h"

#define SIZE_MAX_ELEMENTS (UINT64_C(1) << 26)
#define TOKENS_MAX (UINT64_C(1) << 31)
#define SMALL_MAX UINT64_C(65536)
#define RATIO_MAX UINT64_C(1000000000000000)

// clang-format off
#define ROW(section, kind, child, minimum, maximum, ...) {section, kind, child, minimum, maximum, {__VA_ARGS__}}
#define COUNT(section, minimum, maximum, ...) ROW(section, HF_COUNT, 0, minimum, maximum, __VA_ARGS__)
#define SIZE(section, ...) COUNT(section, 1, SIZE_MAX_ELEMENTS, __VA_ARGS__)
#define SIZE0(section, ...) COUNT(section, 0, SIZE_MAX_ELEMENTS, __VA_ARGS__)
#define SMALL(section, ...) COUNT(section, 1, SMALL_MAX, __VA_ARGS__)
#define SMALL0(section, ...) COUNT(section, 0, SMALL_MAX, __VA_ARGS__)
#define TOKENS(section, ...) COUNT(section, 1, TOKENS_MAX, __VA_ARGS__)
#define LIST0(section, ...) ROW(section, HF_COUNT_OR_LIST, 0, 0, SIZE_MAX_ELEMENTS, __VA_ARGS__)
#define COUNTS(section, maximum, ...) ROW(section, HF_COUNTS, 0, 0, maximum, __VA_ARGS__)
#define SWITCH(section, ...) ROW(section, HF_SWITCH, 0, 0, 0, __VA_ARGS__)
#define WORD(section, ...) ROW(section, HF_WORD, 0, 0, 0, __VA_ARGS__)
#define WORDS(section, ...) ROW(section, HF_WORDS, 0, 0, 0, __VA_ARGS__)
#define RATIO(section, ...) ROW(section, HF_RATIO, 0, 0, RATIO_MAX, __VA_ARGS__)
#define RAW(section, ...) ROW(section, HF_RAW, 0, 0, 0, __VA_ARGS__)
#define GROUP(section, child, ...) ROW(section, HF_GROUP, child, 0, 0, __VA_ARGS__)
// clang-format on

#endif
