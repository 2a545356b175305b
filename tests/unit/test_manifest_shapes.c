// The shapes of tests/fixtures/shapes: as many deployments in each as its label says, none where there is none, and
// most answered when one default GPU is given. Floors for both halves; the held half was not looked at while readers
// were written. Each is read with its allocations failing, too.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/manifest.h>

#include "base/memory.h"
#include "text/file.h"
#include "unit/test.h"

#define DEFAULT_GPU "h100-sxm"
#define FAILURES_EACH 16

struct shape {
    char name[128], half[16];
    unsigned wanted, found, answered;
};
static struct half {
    unsigned shapes, wanted, found, wrong, answered, planned;
} halves[2];

static struct kvb_problems problems;
static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_model draft;

static bool is_answered(const struct kvb_found *found)
{
    struct kvb_deployment *deployment = kvb_reallocate(NULL, sizeof *deployment);
    struct kvb_model_source source;
    assert_non_null(deployment);
    *deployment = found->deployment;
    if (deployment->gpu[0] == '\0' && deployment->gpu_memory_bytes == 0) {
        memcpy(deployment->gpu, DEFAULT_GPU, sizeof DEFAULT_GPU);
    }
    kvb_problems_init(&problems);
    bool fine = found->status == KVB_OK &&
                kvb_deployment_resolve(deployment, &plan, &draft, &source, &problems) == KVB_OK &&
                kvb_budget_compute(&plan, &budget, &problems) == KVB_OK;
    kvb_free(deployment);
    return fine;
}

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    struct shape *shape = context;
    shape->found++;
    shape->answered += is_answered(found) || found->encodes_only || found->foreign != NULL;
    return KVB_OK;
}

static enum kvb_status read_text(struct shape *shape, const char *text, size_t length, kvb_found_taker *taker,
                                 struct kvb_problems *own)
{
    const struct kvb_manifest_options options = {.lenient = true};
    struct kvb_manifest_seen seen;
    kvb_problems_init(own);
    return kvb_manifest_read(shape->name, text, length, &options, taker, shape, &seen, own);
}

static enum kvb_status pass(void *context, const struct kvb_found *found)
{
    (void)found;
    (void)context;
    return KVB_OK;
}

// Evenly spaced ones of its allocations fail, alone: none of them is passed over.
static void fail_shape(struct shape *shape, const char *text, size_t length)
{
    struct kvb_problems own;
    (void)kvb_memory_fail_after(ULONG_MAX);
    enum kvb_status whole_status = read_text(shape, text, length, pass, &own);
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    assert_int_not_equal(whole_status, KVB_NO_MEMORY);
    for (unsigned long n = 1; n <= count; n += 1 + count / FAILURES_EACH) {
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = read_text(shape, text, length, pass, &own);
        (void)kvb_memory_fail_once(0);
        if (status != KVB_NO_MEMORY || own.count == 0) {
            fail_msg("%s: allocation %lu of %lu: %s", shape->name, n, count, kvb_status_name(status));
        }
    }
}

static void read_shape(struct shape *shape, const char *text, size_t length)
{
    struct kvb_problems own;
    struct half *half = &halves[strcmp(shape->half, "held") == 0];
    char *copy = kvb_reallocate(NULL, length + 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    fail_shape(shape, copy, length);
    enum kvb_status status = read_text(shape, copy, length, take, &own);
    kvb_free(copy);
    if (status != KVB_OK && shape->found == shape->wanted) {
        print_message("%s: %s\n", shape->name, own.items[0].text);
    }
    if (shape->found != shape->wanted) {
        print_message("%s: %u deployments, %u found\n", shape->name, shape->wanted, shape->found);
    }
    half->shapes++;
    half->wanted += shape->wanted;
    half->found += shape->found < shape->wanted ? shape->found : shape->wanted;
    half->wrong += shape->found > shape->wanted;
    half->answered += shape->answered < shape->wanted ? shape->answered : shape->wanted;
}

static void test_shapes(void **state)
{
    struct kvb_file file;
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_read(&file, KVB_SOURCE_DIR "/tests/fixtures/shapes/shapes.txt", 1U << 20, &problems),
                     KVB_OK);
    const char *at = strstr(file.text, "\n=== ");
    while (at != NULL) {
        struct shape shape = {.wanted = 0};
        assert_int_equal(sscanf(at, "\n=== %127s | %u | %15s |", shape.name, &shape.wanted, shape.half), 3);
        const char *text = strchr(at + 1, '\n') + 1;
        const char *next = strstr(text - 1, "\n=== ");
        read_shape(&shape, text, next != NULL ? (size_t)(next + 1 - text) : strlen(text));
        at = next;
    }
    kvb_file_free(&file);
    for (unsigned i = 0; i < 2; i++) {
        const struct half *half = &halves[i];
        print_message("%s half: %u shapes, %u of %u deployments found, %u answered, %u with too many\n",
                      i == 1 ? "held" : "build", half->shapes, half->found, half->wanted, half->answered, half->wrong);
        assert_true(half->found * 100 >= half->wanted * 95);
        assert_true(half->answered * 100 >= half->wanted * 85);
        assert_int_equal(half->wrong, 0);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_shapes))
