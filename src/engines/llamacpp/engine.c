// llama.cpp and Ollama in their seats: the fullest GPU's buffers as items, what the engine decided, the trade between
// layers, length and elements of the cache.
#include "engines/llamacpp/engine.h"

#include <string.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/items.h"
#include "engines/llamacpp/known_flags.h"
#include "engines/llamacpp/ladder.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/ollama.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/start.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

static void fill_cache(const struct kvb_llama_start *start, uint32_t device, struct kvb_budget *budget)
{
    struct kvb_kv_cache *kv = &budget->kv;
    const struct kvb_llama_place *held = &start->buffers.places[device];
    uint64_t cells = start->buffers.cells;
    kv->tokens = cells;
    kv->block_tokens = 1;
    kv->num_blocks = cells;
    kv->bytes_per_token = held->cache_bytes / cells;
    kv->bytes_per_block = kv->bytes_per_token;
    kv->blocks_per_request = cells / (start->run.unified ? 1 : start->run.sequences);
    kv->max_concurrency_hundredths = 100; // the length is that of all slots together
    budget->needed_bytes = (uint64_t)budget->items[KVB_ITEM_KV_CACHE].bytes;
    kv->really_needed_bytes = budget->needed_bytes;
}

// --need-len and --need-concurrency: so many requests of a length, one in each slot.
static void fill_wish(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_budget *budget,
                      struct kvb_problems *problems)
{
    const struct kvb_need *need = &plan->need;
    const struct kvb_llama_run *run = &start->run;
    uint64_t slots = run->sequences;
    uint64_t length = need->length_tokens > 0 ? need->length_tokens : budget->kv.tokens / (run->unified ? 1 : slots);
    uint64_t requests = need->concurrency_hundredths > 0 ? kvb_div_up(need->concurrency_hundredths, 100) : 1;
    if (need->length_tokens == 0 && need->concurrency_hundredths == 0) {
        return;
    }
    uint64_t state = start->buffers.places[budget->tightest_stage].state_bytes;
    uint64_t cells = kvb_mul(length, run->unified ? requests : slots); // every slot's part is alike
    budget->kv.wanted_bytes = kvb_add(kvb_mul(cells, budget->kv.bytes_per_token), state);
    budget->needed_bytes = budget->kv.wanted_bytes;
    if (requests > slots) {
        // also where the cache lies on the host
        budget->kv.wanted_bytes = kvb_add(budget->kv.wanted_bytes, kvb_max(budget->kv.bytes_per_token, 1));
        budget->needed_bytes =
            kvb_max(budget->kv.wanted_bytes, kvb_add((uint64_t)budget->items[KVB_ITEM_KV_CACHE].bytes, 1));
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "%llu requests at once need as many slots: there %s %llu; say --parallel %llu",
                              (unsigned long long)requests, slots == 1 ? "is" : "are", (unsigned long long)slots,
                              (unsigned long long)requests);
    }
}

static void add_up(struct kvb_budget *budget, int64_t *low, int64_t *high)
{
    int64_t sum = 0;
    *low = *high = 0;
    for (uint32_t i = 0; i < KVB_ITEM_COUNT; i++) {
        sum += budget->items[i].bytes;
        *low += budget->items[i].low_bytes;
        *high += budget->items[i].high_bytes;
    }
    budget->requested_bytes = (uint64_t)sum;
}

static void say_error(struct kvb_budget *budget, const char *text)
{
    size_t length = strlen(text);
    memcpy(budget->error, text, length + 1);
}

static void judge(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_budget *budget)
{
    int64_t low, high, free_bytes = (int64_t)budget->free_bytes;
    add_up(budget, &low, &high);
    budget->slack_bytes = free_bytes - (int64_t)budget->requested_bytes;
    budget->balance_bytes = budget->slack_bytes;
    budget->starts = budget->slack_bytes >= 0;
    bool quantised = start->run.value_type != KVB_LLAMA_CACHE_F16 && start->run.value_type != KVB_LLAMA_CACHE_F32 &&
                     start->run.value_type != KVB_LLAMA_CACHE_BF16;
    if (plan->command_error[0] != '\0') {
        budget->starts = false;
        budget->refusal = "command";
        say_error(budget, plan->command_error);
    } else if (kvb_llama_overrides_unknown(&start->run) != NULL) {
        budget->starts = false;
        budget->refusal = "override-tensor";
        say_error(budget, "error while handling argument \"--override-tensor\": unknown buffer type");
    } else if (quantised && !start->run.flash) {
        budget->starts = false;
        budget->refusal = "quantised-v-cache";
        say_error(budget, "V cache quantization requires flash_attn");
    } else if (!budget->starts) {
        say_error(budget, kvb_llama_since(&start->run, KVB_LLAMA_FIT) ? "failed to load model: out of device memory"
                                                                      : "cudaMalloc failed: out of memory");
    }
    budget->verdict = !budget->starts ? KVB_DOES_NOT_FIT : high <= free_bytes ? KVB_FITS : KVB_TIGHT;
    int64_t spare = budget->items[KVB_ITEM_KV_CACHE].bytes - (int64_t)budget->needed_bytes;
    if (budget->kv.wanted_bytes > 0) {
        budget->balance_bytes =
            spare < budget->balance_bytes ? spare : budget->balance_bytes; // same: of two alike, any
        budget->verdict = spare < 0 ? KVB_DOES_NOT_FIT : budget->verdict;
    }
    bool uncounted = plan->draft_unknown || (plan->projector.named && !plan->projector.known);
    if (uncounted && budget->verdict == KVB_FITS) {
        budget->verdict = KVB_TIGHT;
    }
}

// Before 0.30.
static void say_placed(const struct kvb_llama_start *start, struct kvb_problems *problems)
{
    const struct kvb_llama_run *run = &start->run;
    if (start->decision == KVB_LLAMA_LAYERS_MOVED) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "Ollama's estimate puts %u of %u layers on the GPU; the others run on the CPU, several "
                              "times slower",
                              run->gpu_layers, run->model->layer_count + 1);
    }
    if (start->own_graph_since > 0) {
        char since[32];
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "Ollama draws the graph of this class in its own engine since %s, measures it and "
                              "places layers by that; here it is counted as llama.cpp's, so that the compute buffer "
                              "and the layers on the GPU have a bound",
                              kvb_release_format(since, start->own_graph_since));
    }
}

// What it did to make the start fit.
static void say_fit(const struct kvb_llama_start *start, struct kvb_problems *problems)
{
    const struct kvb_llama_run *run = &start->run;
    bool shorter = start->decision == KVB_LLAMA_CONTEXT_REDUCED || start->decision == KVB_LLAMA_BOTH;
    bool moved = start->decision == KVB_LLAMA_LAYERS_MOVED || start->decision == KVB_LLAMA_BOTH;
    if (shorter) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "--fit shortens the context from %llu to %llu tokens to keep %llu MiB free on each GPU",
                              (unsigned long long)start->asked_tokens, (unsigned long long)run->context_tokens,
                              (unsigned long long)(start->margin_bytes >> 20));
    }
    if (start->placed) {
        say_placed(start, problems);
    } else if (moved && run->cpu_experts > 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "--fit keeps %u of %u layers on the GPU and the experts of %u of them in the host's "
                              "memory; those run at the host's speed",
                              run->gpu_layers, run->model->layer_count + 1, run->cpu_experts);
    } else if (moved) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "--fit keeps %u of %u layers on the GPU; the others run on the CPU, several times slower",
                              run->gpu_layers, run->model->layer_count + 1);
    }
    if (start->decision == KVB_LLAMA_LEFT_TO_THE_USER) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "the memory that --fit keeps free is not kept, and what it could change was set by the "
                              "user: the start goes on as asked");
    }
}

// What pictures and drafts take beside the model.
static void say_beside(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_problems *problems)
{
    const struct kvb_llama_beside *beside = &start->beside;
    if (beside->projects && beside->projector.most_compute_bytes > beside->projector.compute_bytes) {
        uint64_t more = beside->projector.most_compute_bytes - beside->projector.compute_bytes;
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "pictures beyond %u x %u pixels take up to %llu MiB more when the first one comes; "
                              "--image-max-tokens limits them",
                              beside->projector.side_pixels, beside->projector.side_pixels,
                              (unsigned long long)(more >> 20));
    }
    if (kvb_is_set(plan, KVB_SET_SPECULATIVE_METHOD) &&
        kvb_number(plan, KVB_SET_SPECULATIVE_METHOD) == KVB_SPECULATIVE_MTP && beside->contexts == 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "draft-mtp is asked for and the model has no layers for further tokens: nothing is "
                              "counted for it");
    }
}

// The formats that are counted where none are named.
static void say_formats(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_problems *problems)
{
    bool named = start->run.model->checkpoint.kind == KVB_CHECKPOINT_GGUF;
    if (!named && !kvb_is_set(plan, KVB_SET_GGUF_TYPE) && start->run.mixture != 0) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "no GGUF file and no formats are named: counted in %s, as it is usually published; say "
                              "--quantization with another",
                              kvb_llama_mixture_name(start->run.mixture));
    }
    if (!named && start->run.mixture == 0) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "no GGUF file and no formats are named: the model is counted in f16; say --quantization "
                              "Q4_K_M or the like");
    }
}

static void say_decision(const struct kvb_plan *plan, const struct kvb_llama_start *start,
                         struct kvb_problems *problems)
{
    say_fit(start, problems);
    say_beside(plan, start, problems);
    say_formats(plan, start, problems);
    if (start->buffers.compute_bounded) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "the compute buffer of this architecture is followed in outline: it has a bound");
    }
}

static enum kvb_status check(const struct kvb_plan *plan, struct kvb_problems *problems)
{
    uint64_t devices = kvb_gpu_count(&plan->settings);
    if (devices > KVB_LLAMA_DEVICES) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, nowhere, "%llu GPUs; llama.cpp takes at most %d",
                               (unsigned long long)devices, KVB_LLAMA_DEVICES);
    }
    for (uint32_t i = 0; i < plan->model.kind_count; i++) {
        switch (plan->model.kinds[i].attention.kind) {
        case KVB_ATTENTION_DSV4:
        case KVB_ATTENTION_LINEAR:
        case KVB_ATTENTION_CROSS:
            return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KIND, nowhere,
                                   "what llama.cpp keeps for the attention of %s is not known",
                                   plan->model.architecture);
        default:
            break;
        }
    }
    return KVB_OK;
}

// How much is asked of an answer.
enum detail { WHOLE, QUIET, ALL }; // WHOLE: quietly, and no answer where layers would go to the host

static enum kvb_status compute_as(const struct kvb_plan *plan, bool ollama, struct kvb_budget *budget,
                                  struct kvb_problems *problems, enum detail detail)
{
    struct kvb_llama_start start;
    uint32_t device;
    memset(budget, 0, sizeof *budget);
    budget->verdict = KVB_DOES_NOT_FIT;
    budget->generation = KVB_GENERATION_NONE;
    enum kvb_status status = check(plan, problems);
    if (status != KVB_OK) {
        return status;
    }
    kvb_llama_start_begin(plan, ollama, &start);
    start.whole_or_not = detail == WHOLE && !kvb_is_set(plan, KVB_SET_GPU_LAYERS);
    kvb_llama_start_settle(&start);
    if (start.whole_or_not && start.decision == KVB_LLAMA_LAYERS_MOVED) {
        return KVB_OK;
    }
    (void)kvb_llama_fullest(&start, &start.buffers, &device);
    if (kvb_is_saturated(kvb_llama_used(&start.buffers, device)) ||
        kvb_is_saturated(kvb_llama_used(&start.buffers, KVB_LLAMA_HOST))) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OVERFLOW, nowhere,
                               "The sizes in this plan multiply to more than any machine holds; check the model's "
                               "dimensions and the settings.");
    }
    budget->settings = plan->settings;
    budget->memory_bytes = plan->gpu.memory_bytes;
    budget->free_bytes =
        plan->gpu_free_stated ? kvb_min(plan->gpu_free_bytes, plan->gpu.memory_bytes) : plan->gpu.memory_bytes;
    budget->tightest_stage = device;
    kvb_llama_put_settings(&start, budget);
    kvb_llama_fill_items(plan, &start, device, budget);
    fill_cache(&start, device, budget);
    kvb_llama_add_parts(&start, device, budget);
    fill_wish(plan, &start, budget, problems);
    judge(plan, &start, budget);
    static const char requested[] = "all buffers, taken at the start";
    memcpy(budget->requested_as, requested, sizeof requested);
    budget->widest_term = kvb_item_row_of(KVB_ITEM_NON_TORCH)->label;
    if (detail == ALL) {
        budget->parameters = kvb_model_parameters(&plan->model);
        budget->kv.max_model_len_that_fits = kvb_llama_longest_of(plan, &start, budget);
        say_decision(plan, &start, problems);
    }
    return KVB_OK;
}

static enum kvb_status compute_llamacpp(const struct kvb_plan *plan, struct kvb_budget *budget,
                                        struct kvb_problems *problems, bool quiet)
{
    return compute_as(plan, false, budget, problems, quiet ? QUIET : ALL);
}

static enum kvb_status compute_ollama(const struct kvb_plan *plan, struct kvb_budget *budget,
                                      struct kvb_problems *problems, bool quiet)
{
    return compute_as(plan, true, budget, problems, quiet ? QUIET : ALL);
}

static bool llamacpp_is_whole(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    return compute_as(plan, false, budget, NULL, WHOLE) == KVB_OK && budget->verdict != KVB_DOES_NOT_FIT;
}

static bool ollama_is_whole(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    return compute_as(plan, true, budget, NULL, WHOLE) == KVB_OK && budget->verdict != KVB_DOES_NOT_FIT;
}

static void add_formulas(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    struct kvb_llama_start start;
    kvb_llama_start_of(plan, strcmp(plan->engine.name, "ollama") == 0, &start);
    kvb_llama_trade(plan, &start, budget);
}

static enum kvb_status neighbourhood(const struct kvb_plan *plan, struct kvb_neighbourhood *out,
                                     struct kvb_problems *problems)
{
    (void)problems;
    *out = (struct kvb_neighbourhood){.charge = KVB_CHARGE_NOTHING, // its context is one of its terms
                                      .charges_others = false,
                                      .checks_free = false,
                                      .ranks = kvb_gpu_count(&plan->settings)};
    return KVB_OK;
}

// It takes no share of a card: what is free is what it may have.
static uint64_t request(const struct kvb_plan *plan, uint64_t memory_bytes, uint32_t utilization_ppm)
{
    (void)plan;
    return memory_bytes / KVB_PPM * utilization_ppm + memory_bytes % KVB_PPM * utilization_ppm / KVB_PPM;
}

static const char *const labels[KVB_ITEM_COUNT] = {
    [KVB_ITEM_WEIGHTS] = "model buffer",
    [KVB_ITEM_ACTIVATION] = "compute buffer",
    [KVB_ITEM_NON_TORCH] = "context and libraries",
    [KVB_ITEM_KV_CACHE] = "KV cache",
};

const struct kvb_engine_rows kvb_llamacpp_engine = {
    .name = "llama.cpp",
    .title = "llama.cpp",
    .oldest = KVB_BUILD(KVB_LLAMA_OLDEST),
    .newest = KVB_BUILD(KVB_LLAMA_NEWEST),
    .serve_command = "llama-server -m",
    .traits = KVB_SERVE_DASHES | KVB_SERVE_C_NUMBERS,
    .flag = kvb_llama_flag,
    .programs = kvb_llama_programs,
    .off_form = kvb_llama_off_form,
    .takes_value = kvb_llama_takes_value,
    .flag_near = kvb_llama_flag_near,
    .notes_variable = kvb_llama_notes_variable,
    .judge = kvb_llama_judge,
    .line = &kvb_llama_line,
    .variables = kvb_llama_variables,
    .compute = compute_llamacpp,
    .is_whole = llamacpp_is_whole,
    .formulas = add_formulas,
    .neighbourhood = neighbourhood,
    .request = request,
    .labels = labels,
    .rungs = kvb_llamacpp_rungs,
};

const struct kvb_engine_rows kvb_ollama_engine = {
    .name = "ollama",
    .title = "Ollama",
    .oldest = KVB_OLLAMA_OLDEST,
    .before = "how it placed models before that is not read",
    .newest = KVB_RELEASE(0, 33, 0),
    .serve_command = "ollama run",
    .traits = KVB_SERVE_UNDERSCORES | KVB_SERVE_POSITIONAL,
    .flag = kvb_ollama_flag,
    .programs = kvb_ollama_programs,
    .takes_value = kvb_ollama_takes_value,
    .judge = kvb_ollama_judge,
    .line = &kvb_ollama_line,
    .variables = kvb_ollama_variables,
    .compute = compute_ollama,
    .is_whole = ollama_is_whole,
    .formulas = add_formulas,
    .neighbourhood = neighbourhood,
    .request = request,
    .labels = labels,
    .rungs = kvb_ollama_rungs,
};
