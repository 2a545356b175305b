// An answer as findings: the flag that caused it, the shortfall in numbers, and what to set instead.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/checked.h"
#include "base/text.h"
#include "command/setting_flag.h"
#include "engines/table.h"
#include "gate/gate.h"

// Flags that can be the cause, the likeliest first; the first one that the file sets is pointed at.
static const enum kvb_setting length_causes[] = {
    KVB_SET_MAX_MODEL_LEN,          KVB_SET_KV_CACHE_MEMORY_BYTES, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE,
    KVB_SET_GPU_MEMORY_UTILIZATION, KVB_SET_TENSOR_PARALLEL_SIZE,  KVB_SET_KV_CACHE_DTYPE,
};
static const enum kvb_setting deficit_causes[] = {
    KVB_SET_GPU_MEMORY_UTILIZATION, KVB_SET_MAX_NUM_BATCHED_TOKENS, KVB_SET_MAX_NUM_SEQS,
    KVB_SET_TENSOR_PARALLEL_SIZE,   KVB_SET_QUANTIZATION,
};
static const enum kvb_setting weight_causes[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE,
                                                 KVB_SET_QUANTIZATION, KVB_SET_DTYPE};
static const enum kvb_setting free_causes[] = {KVB_SET_GPU_MEMORY_UTILIZATION};
static const enum kvb_setting split_causes[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE};
static const enum kvb_setting too_long_causes[] = {KVB_SET_MAX_MODEL_LEN};
static const enum kvb_setting batch_causes[] = {KVB_SET_MAX_NUM_BATCHED_TOKENS, KVB_SET_MAX_NUM_SEQS,
                                                KVB_SET_MAX_MODEL_LEN};
static const enum kvb_setting method_causes[] = {KVB_SET_QUANTIZATION, KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_DTYPE};
static const enum kvb_setting dtype_causes[] = {KVB_SET_DTYPE};
static const enum kvb_setting lora_causes[] = {KVB_SET_MAX_LORA_RANK, KVB_SET_ENABLE_LORA};

#define CAUSES(list) list, sizeof list / sizeof list[0]

static struct kvb_spot first_place(const struct kvb_found *found, const enum kvb_setting *causes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (found->settings[causes[i]].line > 0) {
            return found->settings[causes[i]];
        }
    }
    return kvb_gate_place(found, found->model);
}

// The flag behind a refusal, by the beginning of the rule's name.
static struct kvb_spot refusal_place(const struct kvb_found *found, const char *rule)
{
    static const struct {
        const char *rule;
        const enum kvb_setting *causes;
        size_t count;
    } rows[] = {
        {"parallel-split", CAUSES(split_causes)},
        {"pipeline-parallel", CAUSES(split_causes)},
        {"max-model-len", CAUSES(too_long_causes)},
        {"max-num-batched-tokens", CAUSES(batch_causes)},
        {"quantization-", CAUSES(method_causes)},
        {"dtype-", CAUSES(dtype_causes)},
        {"lora-", CAUSES(lora_causes)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strncmp(rule, rows[i].rule, strlen(rows[i].rule)) == 0) {
            return first_place(found, rows[i].causes, rows[i].count);
        }
    }
    return kvb_gate_place(found, found->model);
}

static struct kvb_spot cause_of(const struct kvb_found *found, const struct kvb_budget *budget)
{
    const struct kvb_term *kv = &budget->items[KVB_ITEM_KV_CACHE];
    if (budget->refusal != NULL) {
        return refusal_place(found, budget->refusal);
    }
    if (budget->requested_bytes > budget->free_bytes) {
        return first_place(found, CAUSES(free_causes));
    }
    if (kv->bytes > 0) {
        return first_place(found, CAUSES(length_causes));
    }
    bool weights = budget->items[KVB_ITEM_WEIGHTS].bytes >= (int64_t)(budget->requested_bytes / 10 * 9);
    return weights ? first_place(found, CAUSES(weight_causes)) : first_place(found, CAUSES(deficit_causes));
}

// "set --max-model-len 20960 and --enforce-eager", or nothing.
static void add_advice(struct kvb_buffer *out, const struct kvb_engine *engine, const struct kvb_advice *advice)
{
    char flag[KVB_FLAG_CAPACITY];
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        kvb_buffer_add(out, i == 0 ? "; " : " and ");
        if (change->removes_setting) {
            kvb_buffer_printf(out, "leave %s out", kvb_setting_row_of(change->setting)->key);
        } else {
            kvb_buffer_printf(out, "%s%s", i == 0 ? "set " : "",
                              kvb_setting_flag(flag, engine, change->setting, change->to));
        }
    }
    if (advice->apply_count == 0) {
        kvb_buffer_add(out, "; no change of one setting or two is known to make it fit");
    }
}

// The advice as pieces of the file to replace, or flags to add.
static void add_fixes(struct kvb_gate *gate, const struct kvb_found *found)
{
    const struct kvb_advice *advice = &gate->answer->advice;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        struct kvb_fix fix = {.removes = change->removes_setting, .why = change->why};
        bool said = gate->deployment->settings.values[change->setting].set;
        (void)kvb_setting_flag(fix.flag, &gate->answer->plan.engine, change->setting,
                               change->removes_setting ? change->from : change->to);
        (void)kvb_setting_flag(fix.was, &gate->answer->plan.engine, change->setting, change->from);
        fix.was[said ? sizeof fix.was - 1 : 0] = '\0';
        const char *blank = strchr(fix.flag, ' ');
        if (!fix.removes && blank != NULL && strpbrk(blank, "'\"{") == NULL) {
            fix.region = found->values[change->setting];
            (void)kvb_copy(fix.text, sizeof fix.text, blank + 1);
        }
        kvb_findings_fix(gate->findings, &fix);
    }
}

static void add_reason(struct kvb_buffer *out, const struct kvb_budget *budget)
{
    char first[32], second[32], third[32];
    int64_t kv = budget->items[KVB_ITEM_KV_CACHE].bytes;
    uint64_t length = kvb_request_length(budget);
    if (budget->refusal != NULL) {
        size_t size = strlen(budget->error);
        kvb_buffer_add_n(out, budget->error, budget->error[size - 1] == '.' ? size - 1 : size);
    } else if (budget->requested_bytes > budget->free_bytes) {
        kvb_buffer_printf(out, "it asks for %s GiB and %s GiB are free at start",
                          kvb_format_gib(first, (int64_t)budget->requested_bytes, 2),
                          kvb_format_gib(second, (int64_t)budget->free_bytes, 2));
    } else if (kv <= 0) {
        kvb_buffer_printf(out, "weights take %s GiB of the %s GiB requested, which leaves %s GiB for KV cache",
                          kvb_format_gib(first, budget->items[KVB_ITEM_WEIGHTS].bytes, 2),
                          kvb_format_gib(second, (int64_t)budget->requested_bytes, 2), kvb_format_gib(third, kv, 2));
    } else if (budget->balance_bytes >= 0 && budget->error[0] != '\0') { // refused for another reason than memory
        kvb_buffer_printf(out, "the engine refuses to start: %.360s", budget->error);
    } else {
        kvb_buffer_printf(out, "one request of %s tokens needs ", kvb_format_count(first, length));
        kvb_buffer_printf(out, "%s GiB of KV cache and there are %s GiB",
                          kvb_format_gib(second, (int64_t)budget->needed_bytes, 2), kvb_format_gib(third, kv, 2));
    }
}

static void add_misfit(struct kvb_gate *gate, const struct kvb_found *found)
{
    struct kvb_buffer text;
    const struct kvb_budget *budget = &gate->answer->budget;
    kvb_buffer_init(&text);
    add_reason(&text, budget);
    add_advice(&text, &gate->answer->plan.engine, &gate->answer->advice);
    kvb_findings_add(gate->findings, KVB_CHECK_FITS, KVB_ERROR, cause_of(found, budget), "%s", kvb_buffer_text(&text));
    add_fixes(gate, found);
    gate->no_memory = gate->no_memory || text.failed;
    kvb_buffer_free(&text);
}

static void add_foreign_flag(struct kvb_gate *gate, const char *name, uint32_t since, uint32_t until,
                             struct kvb_spot spot)
{
    const struct kvb_engine *engine = &gate->answer->plan.engine;
    bool early = since != 0 && engine->release < since, late = until != 0 && engine->release > until;
    char version[32];
    bool said = gate->deployment->engine[0] != '\0';
    if (early || late) {
        kvb_findings_add(gate->findings, KVB_CHECK_UNKNOWN_FLAG, said ? KVB_ERROR : KVB_WARNING, spot,
                         "%s exists %s %s %s; %s refuses it%s", name, early ? "from" : "up to",
                         kvb_engine_of(&gate->answer->plan)->title, kvb_release_format(version, early ? since : until),
                         engine->version, said ? "" : ", but the file does not say which release it runs");
    }
}

// Flags of other releases, as far as the file itself says them.
static void add_foreign_flags(struct kvb_gate *gate, const struct kvb_found *found)
{
    for (uint32_t i = 0; i < found->dated_count; i++) {
        const struct kvb_dated_flag *flag = &found->dated[i];
        add_foreign_flag(gate, flag->name, flag->since, flag->until, flag->place);
    }
}

static uint64_t number_of(const struct kvb_budget *budget, enum kvb_setting setting)
{
    const struct kvb_setting_value *value = &budget->settings.values[setting];
    return value->set && value->number > 0 && value->number < 65536 ? value->number : 1;
}

// Machines that serve one model together, as --nnodes says; 0: by a variable nobody knows.
static uint64_t machines_of(const struct kvb_deployment *deployment)
{
    for (const char *line = deployment->serve_flags; *line != '\0'; line += strcspn(line, "\n")) {
        line += *line == '\n' ? 1 : 0;
        if (strncmp(line, "--nnodes", 8) == 0 && (line[8] == ' ' || line[8] == '=')) {
            char text[8];
            uint64_t machines = 0;
            (void)kvb_copy(text, kvb_min(strcspn(line + 9, "\n") + 1, sizeof text), line + 9);
            return kvb_parse_whole(text, &machines) ? machines : 0;
        }
    }
    return 1;
}

// The containers must get the GPUs of one model copy.
static void add_gpu_count(struct kvb_gate *gate, const struct kvb_found *found)
{
    uint64_t machines = machines_of(gate->deployment);
    const struct kvb_budget *budget = &gate->answer->budget;
    uint64_t tensor = number_of(budget, KVB_SET_TENSOR_PARALLEL_SIZE);
    uint64_t all = tensor * number_of(budget, KVB_SET_PIPELINE_PARALLEL_SIZE);
    static const enum kvb_setting causes[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE};
    struct kvb_spot spot = first_place(found, CAUSES(causes));
    if (found->gpu_limit == 0 || machines == 0 || all <= found->gpu_limit * machines) {
        return;
    }
    // Stages may be on other machines, shards of one stage rarely are.
    kvb_findings_add(gate->findings, KVB_CHECK_GPU_COUNT, tensor > found->gpu_limit ? KVB_ERROR : KVB_WARNING, spot,
                     "it runs on %llu GPUs, and the file hands over %u on line %u", (unsigned long long)all,
                     (unsigned)found->gpu_limit, (unsigned)found->gpu_limit_place.line);
}

void kvb_gate_judge_answer(struct kvb_gate *gate, const struct kvb_found *found)
{
    if (gate->answer->budget.verdict == KVB_DOES_NOT_FIT) {
        add_misfit(gate, found);
    }
    add_foreign_flags(gate, found);
    add_gpu_count(gate, found);
}

// A refusal to start for numbers that cannot be divided: said by the last error.
void kvb_gate_judge_split(struct kvb_gate *gate, const struct kvb_found *found)
{
    for (uint32_t i = gate->problems->count; i > 0; i--) {
        const struct kvb_problem *problem = &gate->problems->items[i - 1];
        if (problem->severity == KVB_ERROR) {
            kvb_findings_add(gate->findings, KVB_CHECK_FITS, KVB_ERROR, first_place(found, CAUSES(split_causes)), "%s",
                             problem->text);
            return;
        }
    }
}

// "; a training step is fullest in 'update', 60.12 of 79.15 GiB"
static void add_step(const struct kvb_gate *gate, char *out, size_t capacity)
{
    const struct kvb_training *training = gate->placed != NULL ? gate->placed->training : NULL;
    char held[32], all[32];
    size_t length = strlen(out);
    if (training != NULL && length < capacity) {
        (void)snprintf(out + length, capacity - length, "; a training step is fullest in its phase '%s': %s of %s GiB",
                       kvb_train_phase_row_of(training->deciding)->label,
                       kvb_format_gib(held, (int64_t)training->totals[training->deciding], 2),
                       kvb_format_gib(all, (int64_t)training->memory_bytes, 2));
    }
}

const char *kvb_gate_summary(struct kvb_gate *gate, char *out, size_t capacity)
{
    const struct kvb_plan *plan = &gate->answer->plan;
    const struct kvb_budget *budget = &gate->answer->budget;
    uint64_t concurrency = budget->kv.max_concurrency_hundredths;
    char cache[32], length[32];
    static const char *const words[] = {
        [KVB_FITS] = "fits", [KVB_TIGHT] = "is tight", [KVB_DOES_NOT_FIT] = "does not fit"};
    int written = snprintf(out, capacity, "%s on %llu x %s, %s %s: %s", plan->model.name,
                           (unsigned long long)kvb_gpu_count(&budget->settings), plan->gpu.name, plan->engine.name,
                           plan->engine.version, words[budget->verdict]);
    if (written > 0 && (size_t)written < capacity && budget->verdict != KVB_DOES_NOT_FIT) {
        (void)snprintf(
            out + written, capacity - (size_t)written, "; %s GiB of KV cache, %llu.%02llu requests of %s tokens",
            kvb_format_gib(cache, budget->items[KVB_ITEM_KV_CACHE].bytes, 2), (unsigned long long)(concurrency / 100),
            (unsigned long long)(concurrency % 100), kvb_format_count(length, kvb_request_length(budget)));
    }
    add_step(gate, out, capacity);
    return out;
}
