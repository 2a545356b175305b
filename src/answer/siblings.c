// Other checkpoints that start where a model does not: its quantised versions, any 4-bit one, the next smaller model.
#include <kvbudget/answer.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "model/names/name.h"

const char *kvb_sibling_kind_name(enum kvb_sibling_kind kind)
{
    static const char *const names[KVB_SIBLING_KIND_COUNT] = {"format", "any_4bit", "smaller"};
    return (unsigned)kind < KVB_SIBLING_KIND_COUNT ? names[kind] : "unknown";
}

#define FORMATS_MAX 24
#define SHORTEST_TOKENS 2048 // a length below is none that anybody serves

struct trying {
    const struct kvb_answer *asked;
    struct kvb_deployment deployment;
    struct kvb_answer answer;
    struct kvb_problems problems;
    struct kvb_siblings *out;
    bool four_bits; // a checkpoint of 4 bits or less is built in
};

static bool compute(struct trying *trying)
{
    kvb_problems_init(&trying->problems);
    struct kvb_answer *answer = &trying->answer;
    return kvb_deployment_resolve(&trying->deployment, &answer->plan, &answer->draft, &answer->source,
                                  &trying->problems) == KVB_OK &&
           kvb_budget_compute(&answer->plan, &answer->budget, &trying->problems) == KVB_OK && !answer->budget.uncounted;
}

// Whether it starts as asked, or with the length that is left; *length is 0 in the first case.
static bool starts(struct trying *trying, uint64_t *length)
{
    const struct kvb_budget *budget = &trying->answer.budget;
    *length = 0;
    if (budget->verdict != KVB_DOES_NOT_FIT) {
        return true;
    }
    uint64_t fits = budget->kv.max_model_len_that_fits;
    if (budget->refusal != NULL || fits < SHORTEST_TOKENS || fits >= kvb_request_length(budget)) {
        return false;
    }
    kvb_settings_set(&trying->deployment.settings, KVB_SET_MAX_MODEL_LEN, fits, KVB_ORIGIN_FLAG);
    *length = fits;
    return compute(trying) && trying->answer.budget.verdict != KVB_DOES_NOT_FIT;
}

static struct kvb_sibling *add(struct trying *trying, enum kvb_sibling_kind kind, const char *name, uint64_t length)
{
    const struct kvb_budget *budget = &trying->answer.budget;
    if (trying->out->count == KVB_SIBLINGS_MAX) {
        return NULL;
    }
    struct kvb_sibling *row = &trying->out->rows[trying->out->count++];
    *row = (struct kvb_sibling){.kind = kind,
                                .weights_bytes = budget->weights.total_bytes,
                                .tokens = budget->kv.tokens,
                                .max_model_len = length,
                                .verdict = budget->verdict};
    (void)kvb_copy(row->name, sizeof row->name, name);
    return row;
}

// The model under another name, with everything else as it was asked.
static bool try_name(struct trying *trying, const struct kvb_deployment *asked, enum kvb_sibling_kind kind,
                     const char *name)
{
    uint64_t length;
    trying->deployment = *asked;
    trying->deployment.served_name[0] = '\0';
    trying->deployment.revision[0] = '\0';
    trying->deployment.settings.values[KVB_SET_QUANTIZATION] = (struct kvb_setting_value){0};
    if (!kvb_copy(trying->deployment.model, sizeof trying->deployment.model, name) || !compute(trying)) {
        return false;
    }
    bool smaller = trying->answer.budget.weights.total_bytes < trying->asked->budget.weights.total_bytes;
    bool four = trying->answer.plan.model.quantisation.method != KVB_QUANT_NONE &&
                trying->answer.plan.model.quantisation.bits <= 4;
    trying->four_bits = trying->four_bits || (kind == KVB_SIBLING_FORMAT && four);
    return smaller && starts(trying, &length) && add(trying, kind, name, length) != NULL;
}

static void try_formats(struct trying *trying, const struct kvb_deployment *asked, const char *id)
{
    const struct kvb_builtin *rows[FORMATS_MAX];
    uint32_t count = kvb_name_formats(id, rows, FORMATS_MAX);
    for (uint32_t i = 0; i < count && trying->out->count < KVB_SIBLING_FORMATS_MAX; i++) {
        (void)try_name(trying, asked, KVB_SIBLING_FORMAT, rows[i]->id);
    }
}

// Where none is known, one of the usual kind: groups of 128, heads and towers at 16 bits.
static void try_any(struct trying *trying, const struct kvb_deployment *asked, const char *id)
{
    char name[KVB_NAME_CAPACITY + 16];
    bool plain = trying->asked->plan.model.quantisation.method == KVB_QUANT_NONE;
    int written = snprintf(name, sizeof name, "%s-W4A16", id);
    if (plain && !trying->four_bits && strchr(id, '/') != NULL && written > 0 && written < KVB_NAME_CAPACITY) {
        (void)try_name(trying, asked, KVB_SIBLING_ANY_4BIT, name);
    }
}

enum kvb_status kvb_answer_siblings(const struct kvb_deployment *deployment, const struct kvb_answer *answer,
                                    struct kvb_siblings *siblings, struct kvb_problems *problems)
{
    const char *id = answer->plan.model.name;
    siblings->count = 0;
    bool chosen = deployment->settings.values[KVB_SET_QUANTIZATION].set != 0; // its number format was decided on
    bool file = answer->plan.model.checkpoint.kind == KVB_CHECKPOINT_GGUF;
    if (answer->budget.verdict != KVB_DOES_NOT_FIT || answer->budget.refusal != NULL || deployment->inline_model ||
        deployment->overrides[0] != '\0' || chosen || file) {
        return KVB_OK;
    }
    struct trying *trying = kvb_room(sizeof *trying, problems);
    if (trying == NULL) {
        return KVB_NO_MEMORY;
    }
    trying->asked = answer;
    trying->out = siblings;
    try_formats(trying, deployment, id);
    try_any(trying, deployment, id);
    const struct kvb_builtin *smaller = kvb_name_smaller(id);
    for (unsigned i = 0; smaller != NULL && i < 3; i++) {
        if (try_name(trying, deployment, KVB_SIBLING_SMALLER, smaller->id)) {
            break;
        }
        smaller = kvb_name_smaller(smaller->id);
    }
    kvb_free(trying);
    return KVB_OK;
}
