// The shapes of tests/fixtures/shapes and the manifests beside them with one thing put wrong at a time: each is read or
// refused in a sentence that says where, a taker that wants no more ends the reading, and how lines end changes
// nothing.
#include <limits.h>
#include <stdio.h>

#include <kvbudget/manifest.h>

#include "base/memory.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/found_lines.h"
#include "unit/wrong_lines.h"

#define WRONG_OF_EACH 6 // values of each line
#define CUT_STEP 5
#define FAILURES_EACH 12

static struct kvb_problems problems;
static struct kvb_manifest_seen seen;
static unsigned read_count, refused_count, taken_count;

struct reading {
    const char *name;
    uint32_t lines;       // of the text
    unsigned taken, most; // the one that is refused; 0: none
};

static void fail_reading(const struct reading *reading, const char *text, const char *why)
{
    fail_msg("%s: %s: line %u: %s\n%s", reading->name, why, (unsigned)problems.items[0].line, problems.items[0].text,
             text);
}

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    struct reading *reading = context;
    bool error = false;
    for (uint32_t i = 0; i < found->problems.count; i++) {
        error |= found->problems.items[i].severity == KVB_ERROR && found->problems.items[i].text[0] != '\0';
    }
    assert_true(found->status == KVB_OK || found->status == KVB_NO_MEMORY || error);
    assert_non_null(found->kind);
    assert_true(found->place.line >= 1 && found->place.column >= 1);
    assert_true(found->place.line <= reading->lines);
    assert_true(reading->most == 0 || reading->taken < reading->most); // none behind the refusal
    taken_count++;
    reading->taken++;
    return reading->taken == reading->most ? KVB_CANNOT_WRITE : KVB_OK;
}

static uint32_t lines_of(const char *text)
{
    uint32_t lines = 1;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static enum kvb_status read_text(struct reading *reading, const char *text, size_t length, bool lenient)
{
    const struct kvb_manifest_options options = {.lenient = lenient};
    reading->taken = 0;
    reading->lines = lines_of(text);
    kvb_problems_init(&problems);
    return kvb_manifest_read(reading->name, text, length, &options, take, reading, &seen, &problems);
}

// Alone and as one of a folder.
static void read_wrong(void *context, const char *text, size_t length)
{
    struct reading *reading = context;
    for (unsigned i = 0; i < 2; i++) {
        enum kvb_status status = read_text(reading, text, length, i == 1);
        read_count++;
        if (status == KVB_OK) {
            continue;
        }
        refused_count++;
        const struct kvb_problem *problem = &problems.items[0];
        int code = kvb_status_exit_code(status);
        if (problems.count == 0 || problem->severity != KVB_ERROR || problem->text[0] == '\0' || code != 3 ||
            problem->line > reading->lines) {
            fail_reading(reading, text, kvb_status_name(status));
        }
    }
}

static void refuse_each(struct reading *reading, const char *text)
{
    reading->most = 0;
    (void)read_text(reading, text, strlen(text), true);
    for (unsigned n = 1, count = reading->taken; n <= count; n++) {
        reading->most = n;
        if (read_text(reading, text, strlen(text), true) != KVB_CANNOT_WRITE || reading->taken != n) {
            fail_reading(reading, text, "a taker that refused was not heard");
        }
    }
    reading->most = 0;
}

// Evenly spaced allocations fail, with all that follow.
static void fail_each(struct reading *reading, const char *text)
{
    (void)kvb_memory_fail_after(ULONG_MAX);
    enum kvb_status whole = read_text(reading, text, strlen(text), true);
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    assert_int_not_equal(whole, KVB_NO_MEMORY);
    for (unsigned long n = 1; n <= count; n += 1 + count / FAILURES_EACH) {
        (void)kvb_memory_fail_after(n);
        enum kvb_status status = read_text(reading, text, strlen(text), true);
        (void)kvb_memory_fail_after(0);
        if (status != KVB_NO_MEMORY || problems.count == 0) {
            fail_reading(reading, text, kvb_status_name(status));
        }
    }
}

static void one_thing_wrong(const char *name, const char *text)
{
    struct reading reading = {.name = name};
    walk_wrong_lines(text, WRONG_OF_EACH, read_wrong, &reading);
    walk_cuts(text, CUT_STEP, read_wrong, &reading);
    refuse_each(&reading, text);
    fail_each(&reading, text);
}

// ---- lines that end as on Windows

static char *found_in(const char *name, const char *text)
{
    const struct kvb_manifest_options options = {.lenient = true};
    kvb_buffer_init(&found_lines);
    kvb_problems_init(&problems);
    enum kvb_status status =
        kvb_manifest_read(name, text, strlen(text), &options, take_found_line, NULL, &seen, &problems);
    kvb_buffer_printf(&found_lines, "; %s", kvb_status_name(status));
    assert_false(found_lines.failed);
    return found_lines.data;
}

static void other_line_ends(const char *name, const char *text)
{
    struct kvb_buffer changed;
    kvb_buffer_init(&changed);
    for (const char *at = text; *at != '\0'; at++) {
        kvb_buffer_add_n(&changed, *at == '\n' ? "\r\n" : at, *at == '\n' ? 2 : 1);
    }
    char *first = found_in(name, text), *second = found_in(name, changed.data != NULL ? changed.data : "");
    if (strcmp(first, second) != 0) {
        print_error("%s: with lines that end in CR and LF it is %s, not %s", name, second, first);
    }
    kvb_free(first);
    kvb_free(second);
    kvb_buffer_free(&changed);
}

// ---- every text

static void each_shape(void (*look)(const char *name, const char *text))
{
    struct kvb_file file;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_read(&file, KVB_SOURCE_DIR "/tests/fixtures/shapes/shapes.txt", 1U << 20, &problems),
                     KVB_OK);
    for (const char *at = strstr(file.text, "\n=== "), *next = NULL; at != NULL; at = next) {
        char name[128];
        assert_int_equal(sscanf(at, "\n=== %127s", name), 1);
        const char *text = strchr(at + 1, '\n') + 1;
        next = strstr(text - 1, "\n=== ");
        size_t length = next != NULL ? (size_t)(next + 1 - text) : strlen(text);
        char *copy = kvb_reallocate(NULL, length + 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        copy[length] = '\0';
        look(name, copy);
        kvb_free(copy);
    }
    kvb_file_free(&file);
}

static void each_file(const char *path, void (*look)(const char *name, const char *text))
{
    struct kvb_folder folder;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_read(&folder, path, &problems), KVB_OK);
    assert_true(folder.count > 0);
    for (size_t i = 0; i < folder.count; i++) {
        char file_path[512];
        struct kvb_file file;
        (void)snprintf(file_path, sizeof file_path, "%s/%s", path, folder.entries[i].name);
        assert_int_equal(kvb_file_read(&file, file_path, 1U << 20, &problems), KVB_OK);
        if (file.length < 16384) {
            look(file_path, file.text);
        }
        kvb_file_free(&file);
    }
    kvb_folder_free(&folder);
}

static void each_thing_of_each_file(void **state)
{
    (void)state;
    each_shape(one_thing_wrong);
    each_file(KVB_SOURCE_DIR "/tests/fixtures/manifests/good", one_thing_wrong);
    print_message("%u read, %u refused, %u deployments\n", read_count, refused_count, taken_count);
    assert_true(read_count > 20000 && refused_count > 1000 && taken_count > 10000);
}

static void how_lines_end(void **state)
{
    (void)state;
    each_shape(other_line_ends);
    each_file(KVB_SOURCE_DIR "/tests/fixtures/manifests/good", other_line_ends);
}

// A mapping that is written out as some hundred bytes of JSON: the memory for it grows, and each growth fails alone.
static void long_values(void **state)
{
    (void)state;
    static const char part[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    struct reading reading = {.name = "serve.yaml"};
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_buffer_add(&text, "model: a/b\nmax-model-len: 4096\ntensor-parallel-size: 2\nhf-overrides:\n");
    for (unsigned i = 10; i < 30; i++) {
        kvb_buffer_printf(&text, "  key%u: %s\n", i, part);
    }
    (void)kvb_memory_fail_after(ULONG_MAX);
    assert_int_equal(read_text(&reading, text.data, text.length, false), KVB_OK);
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    assert_int_equal(reading.taken, 1);
    for (unsigned long n = 1; n <= count; n++) {
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = read_text(&reading, text.data, text.length, false);
        (void)kvb_memory_fail_once(0);
        assert_int_equal(status, KVB_NO_MEMORY);
        assert_true(problems.count > 0);
    }
    kvb_buffer_free(&text);
}

KVB_TEST_MAIN(cmocka_unit_test(each_thing_of_each_file), cmocka_unit_test(how_lines_end), cmocka_unit_test(long_values))
