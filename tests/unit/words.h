// A command line as its words.
#ifndef KVB_TESTS_WORDS_H
#define KVB_TESTS_WORDS_H

#include <string.h>

#include "unit/test.h"

#define WORDS_MAX 64

struct words {
    char text[1024];
    const char *words[WORDS_MAX];
    int count;
};

// Parts the line at its blanks.
static inline void words_of(const char *line, struct words *out)
{
    assert_true(strlen(line) < sizeof out->text);
    strcpy(out->text, line);
    out->count = 0;
    for (char *word = strtok(out->text, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(out->count < WORDS_MAX);
        out->words[out->count++] = word;
    }
}

#endif
