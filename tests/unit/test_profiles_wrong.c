// Profiles of every kind and pasted states of machines with one thing put wrong at a time: each is read, or refused in
// one sentence or more that say where; and each allocation that fails is said.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/machine.h>

#include "base/memory.h"
#include "catalogue/profile.h"
#include "deployment/schemas.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/wrong_lines.h"

#define FAILURES_EACH 40

typedef enum kvb_status reader(const char *text, size_t length);

static struct kvb_problems problems;
static struct kvb_model model;
static struct kvb_gpu gpu;
static struct kvb_deployment deployment;
static struct kvb_machine machine;
static unsigned read_count, refused_count;

static enum kvb_status read_gpu(const char *text, size_t length)
{
    return kvb_gpu_read("file", text, length, &gpu, &problems);
}

static enum kvb_status read_engine(const char *text, size_t length)
{
    struct kvb_engine engine;
    struct kvb_settings settings = {0};
    return kvb_engine_read("file", text, length, &engine, &settings, &problems);
}

static enum kvb_status read_model(const char *text, size_t length)
{
    return kvb_model_read_profile("file", text, length, &model, &problems);
}

static enum kvb_status read_deployment(const char *text, size_t length)
{
    kvb_deployment_init(&deployment);
    return kvb_deployment_read("file", text, length, &deployment, &problems);
}

static enum kvb_status read_machine(const char *text, size_t length)
{
    return kvb_machine_read("file", text, length, &machine, &problems);
}

struct kind {
    reader *read;
    const char *folder;
    size_t each, cuts; // wrong values of each line; bytes between two cuts
};

static uint32_t lines_of(const char *text)
{
    uint32_t lines = 1;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void read_wrong(void *context, const char *text, size_t length)
{
    const struct kind *kind = context;
    kvb_problems_init(&problems);
    enum kvb_status status = kind->read(text, length);
    const struct kvb_problem *problem = &problems.items[0];
    bool said = problems.count > 0 && problem->severity == KVB_ERROR && problem->text[0] != '\0';
    if (status == KVB_OK) {
        read_count++;
        assert_false(said);
        return;
    }
    refused_count++;
    if (!said || kvb_status_exit_code(status) != 3 || problem->line > lines_of(text)) {
        fail_msg("%s: %s in %u sentences at line %u: %s\n%s", kind->folder, kvb_status_name(status),
                 (unsigned)problems.count, (unsigned)problem->line, problem->text, text);
    }
}

static void fail_each(const struct kind *kind, const char *text)
{
    kvb_problems_init(&problems);
    (void)kvb_memory_fail_after(ULONG_MAX);
    enum kvb_status whole = kind->read(text, strlen(text));
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    assert_int_not_equal(whole, KVB_NO_MEMORY);
    for (unsigned long n = 1; n <= count; n += 1 + count / FAILURES_EACH) {
        kvb_problems_init(&problems);
        (void)kvb_memory_fail_after(n);
        enum kvb_status status = kind->read(text, strlen(text));
        (void)kvb_memory_fail_after(0);
        if (status == KVB_OK || problems.count == 0 || problems.items[0].severity != KVB_ERROR) {
            fail_msg("%s: allocation %lu of %lu: %s\n%s", kind->folder, n, count, kvb_status_name(status), text);
        }
    }
}

// `step`: of the files, every one or fewer.
static void walk_folder(const struct kind *kind, size_t step)
{
    struct kvb_folder folder;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_read(&folder, kind->folder, &problems), KVB_OK);
    assert_true(folder.count > 0);
    read_count = refused_count = 0;
    for (size_t i = 0; i < folder.count; i += step) {
        char path[512];
        struct kvb_file file;
        (void)snprintf(path, sizeof path, "%s/%s", kind->folder, folder.entries[i].name);
        assert_int_equal(kvb_file_read(&file, path, 1U << 20, &problems), KVB_OK);
        if (memchr(file.text, '\0', file.length) == NULL) {
            walk_wrong_lines(file.text, kind->each, read_wrong, (void *)(uintptr_t)kind);
            walk_cuts(file.text, kind->cuts, read_wrong, (void *)(uintptr_t)kind);
            fail_each(kind, file.text);
        }
        kvb_file_free(&file);
    }
    kvb_folder_free(&folder);
    print_message("%s: %u read, %u refused\n", kind->folder, read_count, refused_count);
    assert_true(read_count > 20 && refused_count > 100);
}

static void gpus(void **state)
{
    (void)state;
    walk_folder(&(struct kind){read_gpu, KVB_SOURCE_DIR "/profiles/gpus", WRONG_LINE_COUNT, 7}, 4);
}

static void engines(void **state)
{
    (void)state;
    walk_folder(&(struct kind){read_engine, KVB_SOURCE_DIR "/profiles/engines", WRONG_LINE_COUNT, 7}, 1);
}

static void models(void **state)
{
    (void)state;
    walk_folder(&(struct kind){read_model, KVB_SOURCE_DIR "/profiles/models", 6, 31}, 11);
}

static void deployments(void **state)
{
    (void)state;
    walk_folder(&(struct kind){read_deployment, KVB_SOURCE_DIR "/profiles/deployments", WRONG_LINE_COUNT, 3}, 1);
    walk_folder(&(struct kind){read_deployment, KVB_SOURCE_DIR "/tests/fixtures/residents", WRONG_LINE_COUNT, 3}, 1);
}

static void machines(void **state)
{
    (void)state;
    walk_folder(&(struct kind){read_machine, KVB_SOURCE_DIR "/tests/fixtures/smi", 8, 11}, 1);
}

KVB_TEST_MAIN(cmocka_unit_test(gpus), cmocka_unit_test(engines), cmocka_unit_test(models),
              cmocka_unit_test(deployments), cmocka_unit_test(machines))
