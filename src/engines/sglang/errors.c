// The start-up errors of each release, word for word. Source: sgl-project/sglang, python/sglang/srt: model_executor/
// model_runner.py, model_runner_kv_cache_mixin.py, pool_configurator.py, mem_cache/kv_cache_configurator.py,
// configs/model_config.py, server_args.py.
#include "engines/sglang/errors.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/sglang/models.h"
#include "engines/sglang/refusals.h"
#include "engines/sglang/say.h"
#include "engines/sglang/serve.h"

// A number below ten, with so many decimals: 834, 3 is 0.834.
static const char *decimals(char out[32], uint64_t number, unsigned count)
{
    size_t used = count + 2;
    out[used] = '\0';
    for (; used > 2; number /= 10) {
        out[--used] = (char)('0' + number % 10);
    }
    out[1] = '.';
    out[0] = (char)('0' + number);
    return out;
}

// As Python writes a short fraction: 0.83, 0.871796.
static const char *fraction(char out[32], uint64_t ppb)
{
    (void)decimals(out, ppb / (KVB_SGL_PPB / KVB_PPM), 6);
    size_t length = strlen(out);
    while (length > 3 && out[length - 1] == '0') {
        out[--length] = '\0';
    }
    return out;
}

// 0.5.14 and later, _profile_available_bytes: the fraction at which nothing would be left, rounded up to 3 digits.
static void say_minimum(const struct kvb_sgl_context *context, uint64_t before_bytes, int64_t after_bytes,
                        char out[KVB_ERROR_TEXT_CAPACITY])
{
    char now[32], suggested[32], least[32];
    uint64_t before_kib = kvb_max(before_bytes / 1024, 1);
    uint64_t after_kib = kvb_min(after_bytes > 0 ? (uint64_t)after_bytes / 1024 : 0, before_kib);
    uint64_t ppb = KVB_SGL_PPB - kvb_mul(after_kib, KVB_SGL_PPB) / before_kib;
    const char *values[] = {fraction(now, context->defaults.fraction_ppb),
                            decimals(suggested, kvb_div_up(ppb, 1000000), 3),
                            decimals(least, (ppb + 50000) / 100000, 4)}; // rounded
    kvb_sgl_say(out,
                "Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static={0}. Raise "
                "--mem-fraction-static above {1} (minimum viable = 1 - available/pre = {2}). If using speculative "
                "decoding, draft weights are now counted.",
                values);
}

static void say_no_memory(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char now[32];
    uint32_t release = context->setup.release;
    const char *values[] = {fraction(now, context->defaults.fraction_ppb)};
    const char *text = "Not enough memory. Please try to increase --mem-fraction-static.";
    if (release >= KVB_RELEASE(0, 5, 10)) {
        text = "Not enough memory. Please try to increase --mem-fraction-static. Current value: "
               "mem_fraction_static={0}";
    } else if (release >= KVB_RELEASE(0, 5, 3)) {
        text = "Not enough memory. Please try to increase --mem-fraction-static. Current value: "
               "self.server_args.mem_fraction_static={0}";
    }
    kvb_sgl_say(out, text, values);
}

static void say_no_state(const struct kvb_sgl_pool *pool, const struct kvb_sgl_cell *cell,
                         char out[KVB_ERROR_TEXT_CAPACITY])
{
    char slots[24], rest[32], slot[32];
    const char *values[] = {kvb_sgl_digits(slots, pool->state_slots), kvb_format_gib(rest, pool->rest_bytes, 2),
                            kvb_format_gib(slot, (int64_t)kvb_mul(cell->state_bytes, 1024), 2)};
    kvb_sgl_say(out,
                "Not enough GPU memory for hybrid (mamba/linear-attention) state cache. Computed "
                "max_mamba_cache_size={0} (total_rest_memory={1} GB, mamba_cache_per_req={2} MB). Try: (1) reduce "
                "--max-running-requests, (2) increase --mem-fraction-static, (3) reduce "
                "--speculative-num-draft-tokens, or (4) use GPUs with more memory.",
                values);
}

static void say_few_slots(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool,
                          char out[KVB_ERROR_TEXT_CAPACITY])
{
    char slots[24], ratio[24];
    const char *values[] = {kvb_sgl_digits(slots, pool->state_slots),
                            kvb_sgl_digits(ratio, kvb_sgl_slots_per_request(&context->setup))};
    kvb_sgl_say(out,
                "Hybrid (mamba/linear-attention) state cache is too small to serve any requests. "
                "max_mamba_cache_size={0}, mamba_ratio={1}, resulting max_num_reqs=0. Try: (1) reduce "
                "--max-running-requests, (2) increase --mem-fraction-static, or (3) use GPUs with more memory.",
                values);
}

static void say_window(const struct kvb_sgl_pool *pool, const struct kvb_sgl_cell *cell,
                       char out[KVB_ERROR_TEXT_CAPACITY])
{
    char tokens[24], window[24], page[24];
    const char *values[] = {kvb_sgl_digits(tokens, pool->window_tokens), kvb_sgl_digits(window, cell->window_tokens),
                            kvb_sgl_digits(page, pool->page_tokens)};
    kvb_sgl_say(out,
                "SWA pool ({0} tokens) cannot hold even one request: the prefill admission floor is "
                "sliding_window_size ({1}) + page_size ({2}). Increase --swa-full-tokens-ratio or the total KV "
                "budget.",
                values);
}

static void say_cap(const struct kvb_sgl_pool *pool, const struct kvb_sgl_cell *cell, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char tokens[24], taken[32], left[32];
    uint64_t bytes = kvb_mul(pool->window_tokens, cell->window_bytes);
    const char *values[] = {kvb_sgl_digits(tokens, pool->window_tokens), kvb_format_gib(taken, (int64_t)bytes, 2),
                            kvb_format_gib(left, pool->cache_bytes, 2)};
    kvb_sgl_say(out,
                "SWA pool cap ({0} tokens, {1} GiB) leaves no room for the full KV pool within the available {2} GiB. "
                "Reduce --max-running-requests, lower SGLANG_SWA_EVICTION_INTERVAL, or increase "
                "--mem-fraction-static.",
                values);
}

void kvb_sgl_pool_error(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool,
                        const struct kvb_sgl_cell *cell, uint64_t before_bytes, int64_t after_bytes,
                        char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool states = context->setup.release >= KVB_RELEASE(0, 5, 13);
    switch (pool->refusal) {
    case KVB_SGL_NO_STATE:
        if (states) {
            say_no_state(pool, cell, out);
            return;
        }
        break;
    case KVB_SGL_STATE_REQUESTS:
        if (states) {
            say_few_slots(context, pool, out);
            return;
        }
        break;
    case KVB_SGL_WINDOW_SMALL:
        say_window(pool, cell, out);
        return;
    case KVB_SGL_WINDOW_CAP:
        say_cap(pool, cell, out);
        return;
    case KVB_SGL_NO_MEMORY:
        if (context->setup.release >= KVB_RELEASE(0, 5, 14)) {
            say_minimum(context, before_bytes, after_bytes, out);
            return;
        }
        break;
    default:
        break;
    }
    say_no_memory(context, out);
}

void kvb_sgl_load_error(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    (void)context;
    kvb_sgl_say(out, "torch.OutOfMemoryError: CUDA out of memory.", NULL);
}

// What is left outside the static fraction does not hold tables, graphs and a prefill.
void kvb_sgl_capture_error(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool graphs = !context->setup.no_graphs;
    kvb_sgl_say(
        out, graphs ? "Capture cuda graph failed: CUDA out of memory." : "torch.OutOfMemoryError: CUDA out of memory.",
        NULL);
}

// ---- Before memory

// configs/model_config.py, _derive_context_length; SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN lets it pass.
static bool length_refuses(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char asked[24], derived[24];
    const struct kvb_sgl_setup *setup = &context->setup;
    if (setup->context_tokens <= setup->model->context_tokens || setup->model->context_tokens == 0 ||
        context->plan->environment.allow_long_max_model_len == KVB_YES) {
        return false;
    }
    const char *values[] = {kvb_sgl_digits(asked, setup->context_tokens),
                            kvb_sgl_digits(derived, setup->model->context_tokens),
                            setup->release >= KVB_RELEASE(0, 5, 0) ? "Warning: " : ""};
    kvb_sgl_say(
        out,
        "{2}User-specified context_length ({0}) is greater than the derived context_length ({1}). This may lead "
        "to incorrect model outputs or CUDA errors. Note that the derived context_length may differ from "
        "max_position_embeddings in the model's config. To allow overriding this maximum, set the env var "
        "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1",
        values);
    return true;
}

// models/registry.py, _raise_for_unsupported: the class has no entry in this release.
static bool class_refuses(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *name = context->setup.model->architecture;
    uint32_t since = kvb_sgl_class_since(name);
    char release[32];
    if (name[0] == '\0' || since == 0 || context->setup.release < KVB_RELEASE(0, 4, 0) ||
        kvb_sgl_class_of(name, context->setup.release) != NULL) {
        return false;
    }
    const char *values[] = {name, kvb_release_format(release, since)};
    kvb_sgl_say(out,
                "Model architectures ['{0}'] are not supported for now. (The first release that serves it is {1}.)",
                values);
    return true;
}

// layers/linear.py, divide.
static bool split_refuses(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char first[24], second[24];
    const struct kvb_sgl_setup *setup = &context->setup;
    uint32_t heads = kvb_model_heads(setup->model);
    uint32_t ranks = kvb_sgl_attention_ranks(setup);
    const char *values[] = {kvb_sgl_digits(first, heads), kvb_sgl_digits(second, ranks)};
    if (heads % ranks != 0) {
        kvb_sgl_say(out, "AssertionError: {0} is not divisible by {1}", values);
        return true;
    }
    return false;
}

// layers/attention: keys are dealt out whole, or each to several ranks; assert without a sentence.
static bool keys_refuse(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *first = &kvb_kind_of(context->setup.model, 0)->attention;
    uint32_t ranks = kvb_sgl_attention_ranks(&context->setup);
    if (first->kind != KVB_ATTENTION_FULL || first->kv_heads == 0) {
        return false;
    }
    if (first->kv_heads >= ranks && first->kv_heads % ranks != 0) {
        kvb_sgl_say(out, "assert self.total_num_kv_heads % tp_size == 0: AssertionError", NULL);
        return true;
    }
    if (first->kv_heads < ranks && ranks % first->kv_heads != 0) {
        kvb_sgl_say(out, "assert tp_size % self.total_num_kv_heads == 0: AssertionError", NULL);
        return true;
    }
    return false;
}

static bool stages_refuse(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char layers[24], stages[24];
    const char *values[] = {kvb_sgl_digits(layers, context->setup.model->layer_count),
                            kvb_sgl_digits(stages, context->setup.pp)};
    if (!context->uncounted) {
        return false;
    }
    kvb_sgl_say(out, "{0} layers cannot be split over --pp-size {1}.", values);
    return true;
}

// Whether a flag of the release gives a setting; settings without a flag are nobody's.
static bool has_flag(uint32_t release, enum kvb_setting setting, uint64_t number, const char **name)
{
    const struct kvb_serve_flag *flag;
    bool any = false, now = false;
    for (unsigned i = 0; (flag = kvb_sgl_flag(i)) != NULL; i++) {
        bool sets = flag->kind == KVB_SERVE_SETS && flag->number == number;
        bool own = flag->kind == KVB_SERVE_OWN && flag->id != 0; // --ep-size says more than its setting holds
        if (flag->id == (uint32_t)setting && (flag->kind == KVB_SERVE_SETTING || sets || own)) {
            *name = any ? *name : flag->name;
            any = true;
            now = now || (flag->since <= release && (flag->until == 0 || release <= flag->until));
        }
    }
    return now || !any;
}

// Found when the serve command was read, or among settings that were given otherwise.
static bool command_refuses(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plan *plan = context->plan;
    const char *command = plan->command_error;
    if (command[0] != '\0') {
        kvb_sgl_say(out, "{0}", &command);
        return true;
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const char *name = NULL;
        bool inferred = plan->settings.values[i].origin == KVB_ORIGIN_DEFAULT; // of the adapters
        bool set = kvb_is_set(plan, (enum kvb_setting)i) && !inferred;
        if (set && !has_flag(context->setup.release, (enum kvb_setting)i, plan->settings.values[i].number, &name)) {
            kvb_sgl_say(out, "launch_server.py: error: unrecognized arguments: --{0}", &name);
            return true;
        }
    }
    return false;
}

const char *kvb_sgl_refusal(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    static const struct {
        const char *rule;
        bool (*refuses)(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
    } rows[] = {
        {"flags", command_refuses},
        {"model-class", class_refuses},
        {NULL, NULL},
        {"parallel-split", split_refuses},
        {"parallel-split", keys_refuse},
        {"parallel-split", stages_refuse},
        {"max-model-len", length_refuses},
        {"quantization-shape", kvb_sgl_blocks_refuse},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *rule = rows[i].rule;
        if (rule == NULL ? (rule = kvb_sgl_argument_refusal(context, out)) != NULL : rows[i].refuses(context, out)) {
            return rule;
        }
    }
    return NULL;
}
