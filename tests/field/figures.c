// Compares the figures of one run with what its log says.
#include "figures.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"

#include "groups.h"

// Logs round to two decimals of a GiB: a bound holds a pool that lies within half of the last digit.
#define ROUNDING_BYTES ((int64_t)(KVB_GIB / 200))

const struct figure_row figure_rows[FIGURE_COUNT] = {
    [FIGURE_WEIGHTS] = {"weights", "weights_gib", FIGURE_BYTES, 1},
    [FIGURE_ACTIVATION] = {"activation", "activation_gib", FIGURE_BYTES, 1},
    [FIGURE_POOL] = {"KV pool", "pool_gib", FIGURE_BYTES, (int64_t)KVB_GIB},
    [FIGURE_TOKENS] = {"KV tokens", "tokens", FIGURE_TOKEN_COUNT, 1},
    [FIGURE_CONCURRENCY] = {"concurrency", "concurrency", FIGURE_HUNDREDTHS, 1},
    [FIGURE_NON_TORCH] = {"non-torch", "non_torch_gib", FIGURE_BYTES, 1},
};

const char *run_cell(const struct run *run, const char *column)
{
    return table_cell(run->table, run->row, column);
}

char *format_hundredths(char out[32], uint64_t hundredths)
{
    (void)snprintf(out, 32, "%llu.%02llu", (unsigned long long)(hundredths / 100),
                   (unsigned long long)(hundredths % 100));
    return out;
}

char *format_figure(char out[32], enum figure figure, int64_t value)
{
    switch (figure_rows[figure].unit) {
    case FIGURE_BYTES:
        return kvb_format_gib(out, value, 2);
    case FIGURE_TOKEN_COUNT:
        return kvb_format_count(out, (uint64_t)value);
    case FIGURE_HUNDREDTHS:
        break;
    }
    return format_hundredths(out, (uint64_t)value);
}

bool parse_gib_signed(const char *text, int64_t *bytes)
{
    uint64_t magnitude = 0;
    bool negative = text[0] == '-';
    if (!kvb_parse_gib(text + negative, &magnitude)) {
        return false;
    }
    *bytes = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

// "58.11" and "7.5" to hundredths.
bool parse_hundredths(const char *text, int64_t *hundredths)
{
    char whole[24], decimals[3] = "00";
    size_t length = strcspn(text, ".");
    uint64_t number = 0, rest = 0;
    if (length >= sizeof whole || strlen(text + length) > 3) {
        return false;
    }
    memcpy(whole, text, length);
    whole[length] = '\0';
    if (text[length] == '.') {
        memcpy(decimals, text + length + 1, strlen(text + length + 1));
    }
    rest = (uint64_t)(decimals[0] - '0') * 10 + (uint64_t)(decimals[1] - '0');
    if (!kvb_parse_whole(whole, &number) || rest > 99) {
        return false;
    }
    *hundredths = (int64_t)(number * 100 + rest);
    return true;
}

static bool parse_figure(enum figure figure, const char *text, int64_t *value)
{
    uint64_t count = 0;
    switch (figure_rows[figure].unit) {
    case FIGURE_BYTES:
        return parse_gib_signed(text, value);
    case FIGURE_TOKEN_COUNT:
        if (!kvb_parse_whole(text, &count)) {
            return false;
        }
        *value = (int64_t)count;
        return true;
    case FIGURE_HUNDREDTHS:
        break;
    }
    return parse_hundredths(text, value);
}

static int64_t predicted(const struct kvb_budget *budget, enum figure figure)
{
    switch (figure) {
    case FIGURE_WEIGHTS:
        return budget->items[KVB_ITEM_WEIGHTS].bytes;
    case FIGURE_ACTIVATION:
        return budget->items[KVB_ITEM_ACTIVATION].bytes;
    case FIGURE_POOL:
        return budget->items[KVB_ITEM_KV_CACHE].bytes;
    case FIGURE_TOKENS:
        return (int64_t)budget->kv.tokens;
    case FIGURE_CONCURRENCY:
        return (int64_t)budget->kv.max_concurrency_hundredths;
    case FIGURE_NON_TORCH:
    case FIGURE_COUNT:
        break;
    }
    return budget->items[KVB_ITEM_NON_TORCH].bytes;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return (uint64_t)(a > b ? a - b : b - a);
}

// part / whole in hundredths of a percent, rounded to the nearest.
static uint64_t share(uint64_t part, int64_t whole, int64_t floor)
{
    uint64_t base = distance(whole, 0);
    base = base < (uint64_t)floor ? (uint64_t)floor : base;
    return kvb_add(kvb_mul(part, 10000), base / 2) / base;
}

static void compare(struct reading *reading, enum figure figure, const struct answer *answer)
{
    reading->known = answer->answered;
    if (answer->answered) {
        reading->predicted = predicted(&answer->budget, figure);
        reading->error = share(distance(reading->predicted, reading->logged_value), reading->logged_value,
                               figure_rows[figure].floor);
    }
}

static void measure_bound(struct run *run, const struct kvb_term *pool)
{
    const struct reading *reading = &run->figures[FIGURE_POOL];
    run->pool_low = pool->low_bytes;
    run->pool_high = pool->high_bytes;
    run->bounded = reading->logged;
    run->inside = pool->low_bytes - ROUNDING_BYTES <= reading->logged_value &&
                  reading->logged_value <= pool->high_bytes + ROUNDING_BYTES;
    run->half_width = share(distance(pool->high_bytes, pool->low_bytes), pool->bytes, (int64_t)KVB_GIB) / 2;
}

static void keep_margins(struct run *run, const struct kvb_plan *plan)
{
    const struct kvb_term *pool = &run->items[KVB_ITEM_KV_CACHE];
    uint32_t below, above;
    kvb_residual_factors(plan, &below, &above);
    run->margin_below = distance(pool->bytes, pool->low_bytes) * 100 / below;
    run->margin_above = distance(pool->high_bytes, pool->bytes) * 100 / above;
    for (uint32_t axis = 0; axis < KVB_RESIDUAL_AXES; axis++) {
        run->residual_groups[axis] = kvb_residual_group(plan, (enum kvb_residual_axis)axis);
    }
}

static void keep_answer(struct run *run, const struct answer *answer)
{
    run->answered = answer->answered;
    if (!answer->answered) {
        (void)kvb_copy(run->why_not, sizeof run->why_not, answer->why_not);
        run->v0 = run->release < KVB_RELEASE(0, 8, 0) || strstr(run_cell(run, "environment"), "USE_V1=0") != NULL;
        return;
    }
    run->v0 = answer->budget.generation == KVB_GENERATION_V0;
    run->starts = answer->budget.starts;
    run->encoder = answer->plan.model.encoder.family != KVB_ENCODER_NONE;
    run->kind = group_of_model(&answer->plan.model);
    run->needed_bytes = answer->budget.needed_bytes;
    run->verdict = answer->budget.verdict;
    run->refusal = answer->budget.refusal;
    memcpy(run->items, answer->budget.items, sizeof run->items);
    keep_margins(run, &answer->plan);
    measure_bound(run, &answer->budget.items[KVB_ITEM_KV_CACHE]);
}

// What a run can feed: the words of the column `fed`.
static bool is_constant(const char *word, size_t length)
{
    static const char *const words[] = {"weights", "activation", "non_torch", "context",
                                        "graphs",  "encoder",    "platform"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_fed(struct run *run)
{
    for (const char *at = run_cell(run, "fed"); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (!is_constant(at, length)) {
            fprintf(stderr, "%s: fed: '%.*s' is no constant a run can feed\n", run_cell(run, "id"), (int)length, at);
            return false;
        }
        run->fed = true;
        at += length;
    }
    return true;
}

// From 0.27 the peak activation that is printed has the estimate of the graphs in it, where that is taken off the pool:
// gpu_worker.py v0.27.1 determine_available_memory (v0.26.0: the peak alone).
static int64_t estimate_in_activation(const struct run *run)
{
    int64_t estimate = 0;
    bool taken = strstr(run_cell(run, "environment"), "ESTIMATE_CUDAGRAPHS=0") == NULL;
    bool known = run->release >= KVB_RELEASE(0, 27, 0) && taken && run_cell(run, "estimate_gib")[0] != '\0' &&
                 parse_gib_signed(run_cell(run, "estimate_gib"), &estimate);
    return known ? estimate : 0;
}

bool run_measure(struct run *run, const struct table *table, size_t row, struct answer *answer)
{
    *run = (struct run){.table = table, .row = row, .kind = "not known"};
    char engine[64];
    (void)kvb_copy(engine, sizeof engine, run_cell(run, "engine"));
    char *version = strchr(engine, '@'), *label = strchr(engine, '+');
    run->fork = label != NULL;
    if (label != NULL) {
        *label = '\0';
    }
    if (version == NULL || !kvb_release_parse(version + 1, &run->release)) {
        fprintf(stderr, "%s: the engine is not vllm@RELEASE\n", run_cell(run, "id"));
        return false;
    }
    if (!read_fed(run)) {
        return false;
    }
    question_ask(table, row, answer);
    for (enum figure i = 0; i < FIGURE_COUNT; i++) {
        const char *text = run_cell(run, figure_rows[i].column);
        struct reading *reading = &run->figures[i];
        reading->logged = text[0] != '\0';
        if (reading->logged && !parse_figure(i, text, &reading->logged_value)) {
            fprintf(stderr, "%s: %s: '%s' is no number\n", run_cell(run, "id"), figure_rows[i].column, text);
            return false;
        }
        if (i == FIGURE_ACTIVATION && reading->logged) {
            reading->logged_value -= estimate_in_activation(run);
        }
        if (reading->logged) {
            compare(reading, i, answer);
        }
    }
    keep_answer(run, answer);
    return true;
}
