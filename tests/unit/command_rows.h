// Whole commands, row by row: the exit code, and what is answered or said.
#ifndef KVB_TESTS_COMMAND_ROWS_H
#define KVB_TESTS_COMMAND_ROWS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"
#include "unit/words.h"

#define COMMAND_TEXTS_MAX 4

struct command_row_of_test {
    const char *line; // the command and its words, parted by blanks; '~' stands for a blank inside a word
    int code;
    const char *texts[COMMAND_TEXTS_MAX]; // each is answered or said; "!TEXT" is not
};

static inline int stand_in_sources(void **state)
{
    (void)state;
    (void)unsetenv("COLUMNS");
    bool set = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
               setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? 0 : -1;
}

// The answer and, behind it, what was said.
static inline int run_command(const char *line, struct kvb_buffer *answer)
{
    struct words words;
    words_of(line, &words);
    for (char *c = words.text; c < words.text + sizeof words.text; c++) {
        *c = *c == '~' ? ' ' : *c;
    }
    struct arguments *arguments = kvb_run_begin(kvb_commands_find(words.words[0]));
    assert_non_null(arguments);
    kvb_buffer_init(answer);
    int code = kvb_run_words(arguments, words.count - 1, words.words + 1, answer);
    kvb_buffer_add(answer, "\n");
    for (uint32_t i = 0; i < arguments->problems.count; i++) {
        kvb_buffer_printf(answer, "%s\n", arguments->problems.items[i].text);
    }
    kvb_run_end(arguments);
    return code;
}

static inline unsigned wrong_commands(const struct command_row_of_test *rows, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct kvb_buffer answer;
        int code = run_command(rows[i].line, &answer);
        const char *missing = NULL;
        for (size_t k = 0; k < COMMAND_TEXTS_MAX && rows[i].texts[k] != NULL; k++) {
            const char *text = rows[i].texts[k];
            bool holds = text[0] == '!' ? strstr(answer.data, text + 1) == NULL : strstr(answer.data, text) != NULL;
            missing = missing == NULL && !holds ? text : missing;
        }
        if (code != rows[i].code || missing != NULL) {
            print_message("kvbudget %s: exit %d, missing %s in\n%.2500s\n\n", rows[i].line, code,
                          missing != NULL ? missing : "nothing", answer.data);
            wrong++;
        }
        kvb_buffer_free(&answer);
    }
    return wrong;
}

#define EACH_COMMAND(rows) assert_int_equal(wrong_commands(rows, sizeof(rows) / sizeof(rows)[0]), 0)

#endif
