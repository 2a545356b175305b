// The answer as a page of 80 columns: title, budget, verdict in words, the engine's own error, what to try.
#include <stdio.h>
#include <string.h>

#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static const char *const verdict_words[] = {
    [KVB_FITS] = "FITS", [KVB_TIGHT] = "TIGHT", [KVB_DOES_NOT_FIT] = "DOES NOT FIT"};
static const enum kvb_styles verdict_styles[] = {
    [KVB_FITS] = KVB_STYLE_GOOD, [KVB_TIGHT] = KVB_STYLE_WARN, [KVB_DOES_NOT_FIT] = KVB_STYLE_BAD};

static void add_gpus(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    uint64_t count = kvb_gpu_count(&report->budget->settings);
    char text[32];
    if (count > 1) {
        kvb_buffer_printf(out, "%s x ", kvb_format_count(text, count));
    }
    kvb_text_add_safe(out, report->plan->gpu.name);
}

static void add_question(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    static const struct {
        enum kvb_setting setting;
        const char *name;
    } shown[] = {{KVB_SET_MAX_MODEL_LEN, "length"}, {KVB_SET_MAX_NUM_SEQS, "sequences"}};
    const struct kvb_plan *plan = report->plan;
    kvb_text_add_safe(out, plan->engine.name);
    kvb_buffer_add(out, " ");
    kvb_text_add_safe(out, plan->engine.version);
    kvb_buffer_add(out, report->budget->generation == KVB_GENERATION_V0 ? " (V0)" : "");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        const struct kvb_setting_value *value = &report->budget->settings.values[shown[i].setting];
        uint64_t number =
            shown[i].setting == KVB_SET_MAX_MODEL_LEN ? kvb_request_length(report->budget) : value->number;
        char text[32];
        if (value->set && number != KVB_AUTO) {
            kvb_buffer_printf(out, ", %s %s", shown[i].name, kvb_format_count(text, number));
        }
    }
}

static void add_title(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    enum kvb_verdict verdict = report->budget->verdict;
    size_t word = strlen(verdict_words[verdict]);
    size_t names = strlen(report->plan->model.name) + strlen(report->plan->gpu.name);
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_text_add_safe(out, report->plan->model.name);
    kvb_buffer_add(out, names + strlen(" on 64 x ") > kvb_page_width(out) ? "\non " : " on ");
    add_gpus(out, report);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, "\n");
    size_t start = out->length;
    add_question(out, report);
    size_t used = out->length - start;
    size_t gap = used + word + 2 < kvb_page_width(out) ? kvb_page_width(out) - used - word : 2;
    kvb_buffer_fill(out, ' ', gap);
    kvb_style(out, report->color, verdict_styles[verdict]);
    kvb_buffer_add(out, verdict_words[verdict]);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, "\n\n");
}

static bool need_is_stated(const struct kvb_plan_report *report)
{
    return report->plan->stated[KVB_STATED_KV_NEED].set;
}

// A request really holds more than the release's own check asks for, and more than there is.
static bool check_is_wrong(const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    return budget->starts && budget->verdict == KVB_DOES_NOT_FIT && !need_is_stated(report) &&
           budget->kv.wanted_bytes == 0 && budget->kv.really_needed_bytes > budget->needed_bytes;
}

// "3.79 GiB", and below one GiB "0.24 GiB (243 MiB)".
static void add_size(struct kvb_buffer *line, int64_t bytes)
{
    char gib[32];
    kvb_buffer_printf(line, "%s GiB", kvb_format_gib(gib, bytes, 2));
    if (bytes >= (int64_t)KVB_MIB && bytes < (int64_t)KVB_GIB) {
        uint64_t mib = ((uint64_t)bytes + KVB_MIB / 2) / KVB_MIB;
        kvb_buffer_printf(line, " (%u MiB)", (unsigned)mib);
    }
}

static bool wish_is_set(const struct kvb_plan_report *report)
{
    return report->budget->kv.wanted_bytes > 0;
}

static void say_wish(struct kvb_buffer *line, const struct kvb_plan_report *report)
{
    const struct kvb_need *need = &report->plan->need;
    uint64_t requests = need->concurrency_hundredths > 0 ? need->concurrency_hundredths : 100;
    uint64_t tokens = need->length_tokens > 0 ? need->length_tokens : kvb_request_length(report->budget);
    char length[32];
    kvb_buffer_printf(line, "%u.%02u requests of %s tokens at once need ", (unsigned)(requests / 100),
                      (unsigned)(requests % 100), kvb_format_count(length, tokens));
}

static void say_balance(struct kvb_buffer *line, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    char text[32];
    uint64_t need_bytes = budget->needed_bytes;
    int64_t balance = budget->balance_bytes;
    if (need_is_stated(report)) {
        kvb_buffer_add(line, "The deployment asks for ");
    } else if (wish_is_set(report)) {
        say_wish(line, report);
    } else {
        kvb_buffer_printf(line, "One request of %s tokens needs ", kvb_format_count(text, kvb_request_length(budget)));
    }
    add_size(line, (int64_t)need_bytes);
    kvb_buffer_add(line, check_is_wrong(report) ? " of KV cache by this release's check; " : " of KV cache; ");
    add_size(line, balance < 0 ? -balance : balance);
    if (balance >= 0) {
        kvb_buffer_add(line, " remain.");
    } else {
        kvb_buffer_printf(line, " are missing (balance %s GiB).", kvb_format_gib(text, balance, 2));
    }
    if (check_is_wrong(report)) {
        int64_t really = (int64_t)budget->kv.really_needed_bytes;
        kvb_buffer_add(line, " It really holds ");
        add_size(line, really);
        kvb_buffer_add(line, ", ");
        add_size(line, really - budget->items[KVB_ITEM_KV_CACHE].bytes);
        kvb_buffer_add(line, " more than there is.");
    }
}

// The concurrency is that of max_model_len, whatever was asked for.
static void say_pool(struct kvb_buffer *line, const struct kvb_plan_report *report)
{
    const struct kvb_kv_cache *kv = &report->budget->kv;
    char tokens[32], blocks[32], size[32], length[32];
    kvb_buffer_printf(line, " The pool holds %s tokens in %s blocks of %s: %u.%02u ",
                      kvb_format_count(tokens, kv->tokens), kvb_format_count(blocks, kv->num_blocks),
                      kvb_format_count(size, kv->block_tokens), (unsigned)(kv->max_concurrency_hundredths / 100),
                      (unsigned)(kv->max_concurrency_hundredths % 100));
    if (wish_is_set(report)) {
        kvb_buffer_printf(line, "requests of %s tokens at once.",
                          kvb_format_count(length, kvb_request_length(report->budget)));
    } else {
        kvb_buffer_add(line, "such requests at once.");
    }
}

// What is wished for would find room, one request of max_model_len does not: that is what the engine checks.
static bool length_is_reason(const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    return !budget->starts && wish_is_set(report) && budget->balance_bytes >= 0 && budget->refusal == NULL &&
           budget->kv.tokens > 0 && budget->kv.max_concurrency_hundredths < 100;
}

static bool states_are_reason(const struct kvb_budget *budget)
{
    return !budget->starts && budget->refusal == NULL && budget->balance_bytes >= 0 && budget->kv.num_blocks > 0 &&
           budget->kv.state_blocks_needed > budget->kv.num_blocks;
}

static const char *why_not(const struct kvb_plan_report *report)
{
    bool alone = report->budget->balance_bytes >= 0 && report->budget->refusal == NULL;
    if (!report->budget->starts && report->residents != NULL && alone) {
        return "It does not fit: what shares the GPU does not find room; see below. ";
    }
    if (states_are_reason(report->budget)) {
        return "It does not fit: the engine refuses to start, as each sequence keeps a state in a block of its own "
               "and the pool has fewer. ";
    }
    if (length_is_reason(report)) {
        return "It does not fit: the engine refuses to start, as one request of max_model_len does not find room. ";
    }
    if (!report->budget->starts) {
        return "It does not fit: the engine refuses to start. ";
    }
    return need_is_stated(report) || wish_is_set(report)
               ? "It does not fit: the KV cache is smaller than what is asked for. "
               : "It starts, but a request of full length can never run. ";
}

static void say_verdict(struct kvb_buffer *line, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    switch (budget->verdict) {
    case KVB_FITS:
        kvb_buffer_add(line, "It fits. ");
        break;
    case KVB_TIGHT:
        kvb_buffer_add(line, budget->items[KVB_ITEM_KV_CACHE].low_bytes >= (int64_t)budget->needed_bytes
                                 ? "It is tight: what is assumed decides. "
                                 : "It is tight: it starts at the likely figures, not at the low end of their range. ");
        break;
    case KVB_DOES_NOT_FIT:
        kvb_buffer_add(line, why_not(report));
        if (budget->balance_bytes >= 0 && budget->refusal == NULL && !length_is_reason(report) &&
            !states_are_reason(budget)) {
            kvb_buffer_add(line, "The KV cache is not the reason. ");
        }
        break;
    }
}

// "Concurrency by length: 8,192 58.11, 16,384 29.05"
static void add_frontier(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_kv_cache *kv = &report->budget->kv;
    struct kvb_buffer line;
    if (kv->frontier_count < 2 || report->budget->verdict == KVB_DOES_NOT_FIT) {
        return;
    }
    kvb_buffer_init(&line);
    kvb_buffer_add(&line, "Requests at once by length:");
    for (uint32_t i = 0; i < kv->frontier_count; i++) {
        char length[32];
        uint64_t hundredths = kv->frontier[i].concurrency_hundredths;
        kvb_buffer_printf(&line, "%s %s tokens %u.%u", i > 0 ? ";" : "",
                          kvb_format_count(length, kv->frontier[i].length_tokens), (unsigned)(hundredths / 100),
                          (unsigned)(hundredths % 100 / 10));
    }
    kvb_buffer_add(&line, ".");
    out->failed |= line.failed;
    if (!line.failed) {
        kvb_text_add_wrapped(out, line.data, 0, kvb_page_width(out));
    }
    kvb_buffer_free(&line);
}

// What the quantisation really saves, embeddings, norms and scales counted.
static void add_saving(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_weights *weights = &report->budget->weights;
    uint64_t plain = weights->unquantised_bytes;
    char stored_gib[32];
    char plain_gib[32];
    bool worth_saying = plain > weights->total_bytes + plain / 50 && !report->plan->stated[KVB_STATED_WEIGHTS].set;
    if (!worth_saying) {
        return;
    }
    uint64_t percent = (plain - weights->total_bytes) / (plain / 100);
    kvb_buffer_printf(out, "Quantised, the weights are %s GiB instead of %s: %u %% less.\n",
                      kvb_format_gib(stored_gib, (int64_t)weights->total_bytes, 2),
                      kvb_format_gib(plain_gib, (int64_t)plain, 2), (unsigned)percent);
}

// Whether the request of --request is short enough.
static void add_request(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    char tokens[32];
    char length[32];
    uint64_t asked = report->budget->request_tokens;
    if (asked == 0) {
        return;
    }
    uint64_t limit = kvb_request_length(report->budget);
    kvb_buffer_printf(out, "The request is up to %s tokens: max_model_len %s is %s.\n", kvb_format_count(tokens, asked),
                      kvb_format_count(length, limit), asked <= limit ? "enough" : "too short");
}

// What is not known and had to be assumed.
static void add_assumptions(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    uint32_t count = report->problems != NULL ? report->problems->count : 0;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct kvb_problem *problem = &report->problems->items[i];
        if (problem->status == KVB_ASSUMED) {
            char text[KVB_PROBLEM_TEXT_CAPACITY + 16];
            (void)snprintf(text, sizeof text, "Assumed: %s", problem->text);
            kvb_text_add_wrapped(out, text, 0, kvb_page_width(out));
            any = true;
        }
    }
    kvb_buffer_add(out, any ? "\n" : "");
}

static void add_verdict(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    say_verdict(&line, report);
    if (budget->refusal != NULL) {
        kvb_buffer_printf(&line, "Not for want of memory: see the error below (rule %s).", budget->refusal);
    } else if (budget->needed_bytes == 0 && !need_is_stated(report)) {
        kvb_buffer_add(&line, budget->starts ? "This model keeps no KV cache." : "No KV cache was laid out.");
    } else {
        say_balance(&line, report);
    }
    if (budget->kv.tokens > 0 && budget->refusal == NULL) {
        say_pool(&line, report);
    }
    out->failed |= line.failed;
    if (!line.failed) {
        kvb_text_add_wrapped(out, line.data, 0, kvb_page_width(out));
    }
    kvb_buffer_free(&line);
    add_frontier(out, report);
    add_saving(out, report);
    add_request(out, report);
}

// Figures of a model that the release cannot load would look like an answer.
static bool class_is_unknown(const struct kvb_budget *budget)
{
    return budget->refusal != NULL && strcmp(budget->refusal, "architecture") == 0;
}

void kvb_render_plan_text(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    add_title(out, report);
    if (report->choice != NULL) {
        kvb_text_add_wrapped(out, report->choice, 0, kvb_page_width(out));
        kvb_buffer_add(out, "\n");
    }
    if (!report->budget->uncounted && !class_is_unknown(report->budget)) {
        kvb_render_plan_budget(out, report);
        kvb_buffer_add(out, "\n");
    }
    add_assumptions(out, report);
    add_verdict(out, report);
    kvb_render_plan_advice(out, report);
    kvb_render_host_text(out, report);
    kvb_render_plan_show(out, report);
    if (report->against != NULL) {
        kvb_render_plan_against(out, report);
    }
    if (report->residents != NULL) {
        kvb_render_residents_text(out, report->residents, report->color);
    }
}
