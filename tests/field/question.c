// Reads one row as a serve command with its surroundings and plans it.
#include "question.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define WORDS_MAX 64

struct words {
    char text[4096]; // cut into words by NULs
    const char *words[WORDS_MAX];
    int count;
};

// Cuts `text` at blanks and appends the words; false when there are too many.
static bool add_words(struct words *words, size_t used, const char *text)
{
    char *at = words->text + used;
    if (!kvb_copy(at, sizeof words->text - used, text)) {
        return false;
    }
    while (*at != '\0') {
        if (words->count == WORDS_MAX) {
            return false;
        }
        words->words[words->count++] = at;
        at += strcspn(at, " ");
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
    return true;
}

static enum kvb_status read_settings(struct kvb_deployment *deployment, const char *model, const char *settings,
                                     struct kvb_problems *problems)
{
    struct words words = {.words = {"vllm", "serve", model}, .count = 3};
    if (!add_words(&words, 0, settings)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){0}, "the settings are too long");
    }
    return kvb_serve_command_read(words.count, words.words, deployment, problems);
}

static enum kvb_status read_environment(struct kvb_deployment *deployment, const char *text,
                                        struct kvb_problems *problems)
{
    struct words words = {.count = 0};
    enum kvb_status status = KVB_OK;
    if (!add_words(&words, 0, text)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){0}, "too many variables");
    }
    for (int i = 0; i < words.count && status == KVB_OK; i++) {
        status = kvb_environment_set(words.words[i], &deployment->environment, problems);
    }
    return status;
}

// Sets *bytes from a cell such as "79.19GiB"; an empty cell leaves it.
static bool read_size(const struct table *table, size_t row, const char *column, uint64_t *bytes)
{
    const char *text = table_cell(table, row, column);
    return text[0] == '\0' || kvb_parse_bytes(text, bytes);
}

static enum kvb_status read_gpu(const struct table *table, size_t row, struct kvb_deployment *deployment,
                                struct kvb_problems *problems)
{
    struct kvb_reserve other = {.name = "other"};
    deployment->gpu_free_stated = table_cell(table, row, "gpu_free")[0] != '\0';
    if (!kvb_copy(deployment->gpu, sizeof deployment->gpu, table_cell(table, row, "gpu")) ||
        !read_size(table, row, "gpu_memory", &deployment->gpu_memory_bytes) ||
        !read_size(table, row, "gpu_free", &deployment->gpu_free_bytes) ||
        !read_size(table, row, "other", &other.bytes)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){0}, "a size is not one");
    }
    if (other.bytes > 0) {
        deployment->reserves[deployment->reserve_count++] = other;
    }
    return KVB_OK;
}

// An operator knows it, too: --compile-cache.
static enum kvb_compile_cache compile_cache(const char *said)
{
    if (strcmp(said, "warm") == 0) {
        return KVB_COMPILE_WARM;
    }
    return strcmp(said, "cold") == 0 ? KVB_COMPILE_COLD : KVB_COMPILE_UNKNOWN;
}

static enum kvb_status read_row(const struct table *table, size_t row, struct kvb_deployment *deployment,
                                struct kvb_problems *problems)
{
    const char *shape = table_cell(table, row, "shape");
    const char *model = shape[0] != '\0' ? shape : table_cell(table, row, "model");
    kvb_deployment_init(deployment);
    deployment->usage_set = deployment->platform_set = true;
    deployment->usage = strcmp(table_cell(table, row, "usage"), "offline") == 0 ? KVB_USAGE_OFFLINE : KVB_USAGE_SERVE;
    deployment->platform =
        strcmp(table_cell(table, row, "platform"), "wsl2") == 0 ? KVB_PLATFORM_WSL2 : KVB_PLATFORM_LINUX;
    deployment->compile_cache = compile_cache(table_cell(table, row, "compile_cache"));
    (void)kvb_copy(deployment->engine, sizeof deployment->engine, table_cell(table, row, "engine"));
    enum kvb_status status = read_gpu(table, row, deployment, problems);
    if (status == KVB_OK) {
        status = read_environment(deployment, table_cell(table, row, "environment"), problems);
    }
    return status == KVB_OK ? read_settings(deployment, model, table_cell(table, row, "settings"), problems) : status;
}

static void keep_why(struct answer *answer, const struct kvb_problems *problems)
{
    (void)kvb_copy(answer->why_not, sizeof answer->why_not, "no reason was given");
    for (uint32_t i = problems->count; i > 0; i--) {
        if (problems->items[i - 1].severity == KVB_ERROR) {
            (void)kvb_copy(answer->why_not, sizeof answer->why_not, problems->items[i - 1].text);
        }
    }
}

// A model known by its name alone is no measure of the figures; what is planned for it is said instead. Of a start that
// failed the verdict counts, and that is given for a name, too.
static void set_aside(struct answer *answer)
{
    const struct kvb_term *weights = &answer->budget.items[KVB_ITEM_WEIGHTS];
    char likely[32], low[32], high[32];
    (void)snprintf(answer->why_not, sizeof answer->why_not,
                   "known by its name alone: planned with weights of %s GiB, %s to %s",
                   kvb_format_gib(likely, weights->bytes, 2), kvb_format_gib(low, weights->low_bytes, 2),
                   kvb_format_gib(high, weights->high_bytes, 2));
    answer->answered = false;
}

// A 16-bit built-in that stands in for its AWQ checkpoint: such checkpoints state their format, and float16.
static void quantise_stand_in(struct kvb_plan *plan)
{
    struct kvb_setting_value *method = &plan->settings.values[KVB_SET_QUANTIZATION];
    if (plan->model.quantisation.method != KVB_QUANT_NONE || method->number != KVB_QUANTIZATION_AWQ) {
        return;
    }
    plan->model.quantisation = (struct kvb_quantisation){
        .method = KVB_QUANT_AWQ, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP, .name = "awq"};
    plan->model.dtype = KVB_DTYPE_FP16;
}

void question_ask(const struct table *table, size_t row, struct answer *answer)
{
    struct kvb_deployment *deployment = kvb_reallocate(NULL, sizeof *deployment);
    struct kvb_model_source source;
    struct kvb_problems problems;
    enum kvb_status status = KVB_NO_MEMORY;
    kvb_problems_init(&problems);
    if (deployment != NULL) {
        status = read_row(table, row, deployment, &problems);
        if (status == KVB_OK) {
            status = kvb_deployment_resolve(deployment, &answer->plan, &answer->draft, &source, &problems);
        }
        quantise_stand_in(&answer->plan);
        answer->plan.stored_quantised = table_cell(table, row, "shape")[0] != '\0';
        if (status == KVB_OK) {
            status = kvb_budget_compute(&answer->plan, &answer->budget, &problems);
        }
        kvb_free(deployment);
    }
    answer->answered = status == KVB_OK;
    if (!answer->answered) {
        keep_why(answer, &problems);
    } else if (answer->plan.model.assumed_high_ppm > 0 && table_cell(table, row, "kind")[0] == '\0') {
        set_aside(answer);
    }
}
