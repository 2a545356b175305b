// One file and one policy, row by row: the exit code of `check`, and what is said.
#ifndef KVB_TESTS_GATE_ROWS_H
#define KVB_TESTS_GATE_ROWS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "cli/run.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/test.h"

#define WORDS_MAX 16
#define TEXTS_MAX 4
#define SMALL "vllm serve Qwen/Qwen3-0.6B --max-model-len 4096"
#define POLICY "kind: policy\nschema: 1\n"

static char folder[64];

struct row {
    const char *text;   // of run.sh; of run.yaml where it begins with "---"
    const char *policy; // or NULL
    const char *words;  // behind `check --json run.sh`
    int code;
    const char *texts[TEXTS_MAX]; // all of them are said; "!TEXT" is not
};

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/kvb-rules-XXXXXX");
    bool made = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
                setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 && mkdtemp(folder) != NULL && chdir(folder) == 0;
    return made ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    (void)unlink("run.sh");
    (void)unlink("run.yaml");
    (void)unlink("policy.yaml");
    return rmdir(folder);
}

static inline void write_file(const char *name, const char *text)
{
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    (void)unlink(name);
    assert_int_equal(kvb_file_create(name, text, strlen(text), &problems), KVB_OK);
}

static inline int run(const struct row *row, const char *format, struct kvb_buffer *answer)
{
    char line[512];
    const char *words[WORDS_MAX];
    bool yaml = strncmp(row->text, "---", 3) == 0;
    int count = 0;
    write_file(yaml ? "run.yaml" : "run.sh", row->text);
    write_file("policy.yaml", row->policy != NULL ? row->policy : POLICY);
    (void)snprintf(line, sizeof line, "--format %s %s --policy policy.yaml %s", format, yaml ? "run.yaml" : "run.sh",
                   row->words);
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    struct arguments *arguments = kvb_run_begin(kvb_commands_find("check"));
    assert_non_null(arguments);
    kvb_buffer_init(answer);
    int code = kvb_run_words(arguments, count, words, answer);
    for (uint32_t i = 0; i < arguments->problems.count; i++) {
        kvb_buffer_add(answer, arguments->problems.items[i].text);
    }
    kvb_run_end(arguments);
    return code;
}

static inline bool holds(const char *said, const char *text)
{
    return text[0] == '!' ? strstr(said, text + 1) == NULL : strstr(said, text) != NULL;
}

static inline unsigned wrong_rows(const struct row *rows, size_t count, const char *format)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct kvb_buffer answer;
        int code = run(&rows[i], format, &answer);
        const char *said = answer.data != NULL ? answer.data : "", *missing = NULL;
        for (size_t k = 0; k < TEXTS_MAX && rows[i].texts[k] != NULL; k++) {
            missing = missing == NULL && !holds(said, rows[i].texts[k]) ? rows[i].texts[k] : missing;
        }
        if (code != rows[i].code || missing != NULL) {
            print_message("%s\n%s\ncheck %s: exit %d, missing %s in\n%.1500s\n\n", rows[i].text,
                          rows[i].policy != NULL ? rows[i].policy : "", rows[i].words, code,
                          missing != NULL ? missing : "nothing", said);
            wrong++;
        }
        kvb_buffer_free(&answer);
    }
    return wrong;
}

#define EACH(rows) assert_int_equal(wrong_rows(rows, sizeof rows / sizeof rows[0], "json"), 0)

#endif
