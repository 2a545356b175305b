// What is found in a text, a line each: "KIND key=value ...", and below it what is said about it.
#ifndef KVB_TESTS_FOUND_LINES_H
#define KVB_TESTS_FOUND_LINES_H

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/manifest.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "unit/test.h"

struct found_row {
    const char *file, *text;
    const char *expected;    // "" = nothing
    const char *environment; // "NAME=VALUE", or NULL
};

static struct kvb_buffer found_lines;

static void add_found_text(const char *key, const char *text)
{
    if (text[0] != '\0') {
        kvb_buffer_printf(&found_lines, " %s=%s", key, text);
    }
}

static inline enum kvb_status take_found_line(void *context, const struct kvb_found *found)
{
    (void)context;
    const char *separator = found_lines.length > 0 ? "; " : "";
    kvb_buffer_printf(&found_lines, "%s%s", separator, found->kind);
    add_found_text("model", found->deployment.model);
    add_found_text("gpu", found->deployment.gpu);
    add_found_text("engine", found->deployment.engine);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &found->deployment.settings.values[i];
        char text[48];
        if (value->set) {
            add_found_text(kvb_setting_row_of(i)->key, kvb_setting_format(text, (enum kvb_setting)i, value->number));
        }
    }
    if (found->gpu_limit > 0) {
        kvb_buffer_printf(&found_lines, " gpus=%u", (unsigned)found->gpu_limit);
    }
    if (found->foreign != NULL) {
        kvb_buffer_printf(&found_lines, " other=%s", found->foreign);
    }
    for (uint32_t i = 0; i < found->problems.count; i++) {
        const struct kvb_problem *problem = &found->problems.items[i];
        kvb_buffer_printf(&found_lines, " !%s", kvb_status_name(problem->status));
    }
    return KVB_OK;
}

// A taker that refuses the n-th is heard, and none comes behind it.
struct refusing_taker {
    unsigned taken, most;
};
static inline enum kvb_status refuse_found(void *context, const struct kvb_found *found)
{
    struct refusing_taker *taker = context;
    (void)found;
    assert_true(taker->most == 0 || taker->taken < taker->most);
    return ++taker->taken == taker->most ? KVB_CANNOT_WRITE : KVB_OK;
}

static inline bool hold_refusals(const struct found_row *row, const struct kvb_manifest_options *options)
{
    static struct kvb_problems problems;
    struct kvb_manifest_seen seen;
    struct refusing_taker all = {0};
    kvb_problems_init(&problems);
    enum kvb_status whole =
        kvb_manifest_read(row->file, row->text, strlen(row->text), options, refuse_found, &all, &seen, &problems);
    for (unsigned n = 1; whole == KVB_OK && n <= all.taken; n++) {
        struct refusing_taker taker = {.most = n};
        kvb_problems_init(&problems);
        if (kvb_manifest_read(row->file, row->text, strlen(row->text), options, refuse_found, &taker, &seen,
                              &problems) != KVB_CANNOT_WRITE) {
            return false;
        }
    }
    return true;
}

#define FOUND_FAILURES 24 // of the allocations of a row, and as many with all that follow

// Evenly spaced ones of its allocations fail: none of them is passed over.
static inline bool hold_memory(const struct found_row *row, const struct kvb_manifest_options *options,
                               unsigned long (*break_at)(unsigned long n))
{
    static struct kvb_problems problems;
    struct kvb_manifest_seen seen;
    struct refusing_taker all = {0};
    kvb_problems_init(&problems);
    (void)break_at(ULONG_MAX);
    enum kvb_status whole =
        kvb_manifest_read(row->file, row->text, strlen(row->text), options, refuse_found, &all, &seen, &problems);
    assert_int_not_equal(whole, KVB_NO_MEMORY);
    unsigned long count = ULONG_MAX - break_at(0);
    for (unsigned long n = 1; n <= count; n += 1 + count / FOUND_FAILURES) {
        unsigned long before = kvb_memory_failures();
        kvb_problems_init(&problems);
        (void)break_at(n);
        enum kvb_status status =
            kvb_manifest_read(row->file, row->text, strlen(row->text), options, refuse_found, &all, &seen, &problems);
        (void)break_at(0);
        if (kvb_memory_failures() > before && (status != KVB_NO_MEMORY || problems.count == 0)) {
            print_message("allocation %lu of %lu: %s\n", n, count, kvb_status_name(status));
            return false;
        }
    }
    return true;
}

// Reads the text of a row as a file among others and compares; returns how many rows are wrong.
static inline unsigned read_found_row(const struct found_row *row)
{
    static struct kvb_problems problems;
    const char *environment[] = {row->environment};
    const struct kvb_manifest_options options = {environment, row->environment != NULL ? 1 : 0, true, NULL};
    struct kvb_manifest_seen seen;
    kvb_buffer_init(&found_lines);
    kvb_problems_init(&problems);
    enum kvb_status status =
        kvb_manifest_read(row->file, row->text, strlen(row->text), &options, take_found_line, NULL, &seen, &problems);
    const char *got = status != KVB_OK ? kvb_status_name(status) : found_lines.data != NULL ? found_lines.data : "";
    bool wrong = strcmp(got, row->expected) != 0;
    if (wrong) {
        print_message("%s: %s\n  expected '%s'\n  but it is '%s'\n", row->file, row->text, row->expected, got);
    }
    kvb_buffer_free(&found_lines);
    bool held = hold_refusals(row, &options) && hold_memory(row, &options, kvb_memory_fail_after) &&
                hold_memory(row, &options, kvb_memory_fail_once);
    if (!held) {
        print_message("%s: %s\n  a refusal or a lack of memory was not heard\n", row->file, row->text);
    }
    return wrong || !held;
}

#define READ_FOUND_ROWS(rows)                                                                                          \
    do {                                                                                                               \
        unsigned wrong = 0;                                                                                            \
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows)[0]; i++) {                                                  \
            wrong += read_found_row(&(rows)[i]);                                                                       \
        }                                                                                                              \
        assert_int_equal(wrong, 0);                                                                                    \
    } while (0)

#endif
