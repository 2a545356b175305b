// Flags about the answer: its form, its colour, what is shown beside it, what it is compared with.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "cli/options.h"
#include "cli/output.h"

static bool choose_format(struct arguments *arguments, const char *name)
{
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        if ((arguments->command->formats >> i & 1U) && strcmp(kvb_output_formats[i], name) == 0) {
            arguments->format = (enum format)i;
            return true;
        }
    }
    char known[128] = "";
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        if (arguments->command->formats >> i & 1U) {
            size_t used = strlen(known);
            (void)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", kvb_output_formats[i]);
        }
    }
    (void)kvb_options_mistake(arguments, "--format: '%.60s' is not known to '%s'; expected %s", name,
                              arguments->command->name, known);
    return false;
}

static bool set_format(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    return choose_format(arguments, value);
}

static bool set_json(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    return choose_format(arguments, "json");
}

static bool set_quiet(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->quiet = true;
    return true;
}

static bool set_all(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->all = true;
    return true;
}

static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const show_words[] = {"formulas", "kv", "weights", "all", NULL};

static bool set_color(struct arguments *arguments, const struct option_row *row, const char *value)
{
    static const enum color_mode modes[] = {COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER};
    for (unsigned i = 0; color_words[i] != NULL; i++) {
        if (strcmp(value, color_words[i]) == 0) {
            arguments->color = modes[i];
            return true;
        }
    }
    (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not known; expected %s", row->name, value, row->argument);
    return false;
}

#define UTILIZATION_FOR "utilization-for"

// "utilization-for=12GiB".
static bool set_utilization_for(struct arguments *arguments, const char *size)
{
    uint64_t bytes = 0;
    if (*size != '=' || !kvb_parse_bytes(size + 1, &bytes) || bytes == 0) {
        (void)kvb_options_mistake(arguments,
                                  "--show: " UTILIZATION_FOR " needs a size, as in " UTILIZATION_FOR "=12GiB");
        return false;
    }
    arguments->cache_wanted_bytes = bytes;
    return true;
}

static bool set_show(struct arguments *arguments, const struct option_row *row, const char *value)
{
    static const unsigned bits[] = {SHOW_FORMULAS, SHOW_KV, SHOW_WEIGHTS, SHOW_ALL};
    if (strncmp(value, UTILIZATION_FOR, strlen(UTILIZATION_FOR)) == 0) {
        return set_utilization_for(arguments, value + strlen(UTILIZATION_FOR));
    }
    for (unsigned i = 0; show_words[i] != NULL; i++) {
        if (strcmp(value, show_words[i]) == 0) {
            arguments->show |= bits[i];
            return true;
        }
    }
    (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not known; expected %s or " UTILIZATION_FOR "=SIZE",
                              row->name, value, row->argument);
    return false;
}

static bool set_against(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->against = value;
    return true;
}

static bool set_calibrate(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->calibrate = value;
    return true;
}

static bool set_with(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (arguments->question.with_count == KVB_RESIDENTS_MAX) {
        (void)kvb_options_mistake(arguments, "--%s: at most %d other residents share a GPU", row->name,
                                  KVB_RESIDENTS_MAX);
        return false;
    }
    arguments->question.with[arguments->question.with_count++] = value;
    return true;
}

static bool set_need_len(struct arguments *arguments, const struct option_row *row, const char *value)
{
    uint64_t *length = &arguments->question.deployment.need.length_tokens;
    if (!kvb_parse_count(value, length) || *length == 0) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not a length; expected tokens such as 8192 or 32K",
                                  row->name, value);
        return false;
    }
    return true;
}

#define CONCURRENCY_MAX_PPM 4000000000U

static bool set_need_concurrency(struct arguments *arguments, const struct option_row *row, const char *value)
{
    uint32_t ppm = 0;
    if (!kvb_parse_ppm(value, CONCURRENCY_MAX_PPM, &ppm) || ppm < KVB_HUNDREDTH_PPM) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not a number of requests; expected 0.01 to 4000",
                                  row->name, value);
        return false;
    }
    arguments->question.deployment.need.concurrency_hundredths = ppm / KVB_HUNDREDTH_PPM;
    return true;
}

static uint64_t *request_part(struct kvb_request *request, const char *name, size_t length)
{
    struct {
        const char *name;
        uint64_t *part;
    } parts[] = {{"images", &request->images},
                 {"prompt", &request->prompt_tokens},
                 {"answer", &request->answer_tokens},
                 {"image_tokens", &request->image_tokens}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strlen(parts[i].name) == length && strncmp(parts[i].name, name, length) == 0) {
            return parts[i].part;
        }
    }
    return NULL;
}

// "images=2,prompt=50,answer=200"
static bool set_request(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_request *request = &arguments->question.deployment.request;
    const char *at = value;
    request->set = true;
    while (at != NULL) {
        char number[32];
        size_t length = strcspn(at, "=,");
        size_t digits = at[length] == '=' ? strcspn(at + length + 1, ",") : 0;
        uint64_t *part = request_part(request, at, length);
        bool readable = part != NULL && digits > 0 && digits < sizeof number;
        if (readable) {
            memcpy(number, at + length + 1, digits);
            number[digits] = '\0';
        }
        if (!readable || !kvb_parse_count(number, part)) {
            (void)kvb_options_mistake(arguments,
                                      "--%s: '%.60s' is not understood; expected such as "
                                      "images=2,prompt=50,answer=200[,image_tokens=576]",
                                      row->name, value);
            return false;
        }
        at += length + 1 + digits;
        at = *at == ',' ? at + 1 : NULL;
    }
    return true;
}

static const struct option_row output_rows[] = {
    {"format", NULL, "NAME", "one of the formats above; text unless said", kvb_output_formats, set_format,
     .set_bit = OPTIONS_OUTPUT},
    {"json", NULL, NULL, "short for --format json", NULL, set_json, .set_bit = OPTIONS_OUTPUT},
    {"color", NULL, "auto|always|never", "NO_COLOR is honoured", color_words, set_color, .set_bit = OPTIONS_OUTPUT},
    {"quiet", NULL, NULL, "no answer text, only the exit code", NULL, set_quiet, .set_bit = OPTIONS_OUTPUT},
};

static const struct option_row explain_rows[] = {
    {"all", NULL, NULL, "every remedy and every start, not only the first", NULL, set_all, .set_bit = OPTIONS_EXPLAIN},
};

// Of several commands: each has them in a group of its own.
static const struct option_row need_rows[] = {
    {"need-len", NULL, "TOKENS", "length that the requests of --need-concurrency have", NULL, set_need_len,
     .set_bit = 0},
    {"need-concurrency", NULL, "N", "requests of that length that must run at once", NULL, set_need_concurrency,
     .set_bit = 0},
    {"all", NULL, NULL, "everything, not only the best of each kind", NULL, set_all, .set_bit = 0},
};

static const struct option_row plan_rows[] = {
    {"show", NULL, "formulas|kv|weights|all",
     "each figure with its formula and numbers; " UTILIZATION_FOR
     "=SIZE: the share that gives the cache SIZE; repeatable",
     show_words, set_show, .set_bit = OPTIONS_PLAN, .repeatable = true},
    {"against", NULL, "ENGINE@VERSION|PROFILE", "the same question put to another release or profile", NULL,
     set_against, .set_bit = OPTIONS_PLAN},
    {"calibrate", NULL, "LOG", "what a run's log measured corrects the model; - is standard input", NULL, set_calibrate,
     .set_bit = OPTIONS_PLAN},
    {"with", NULL, "PROFILE", "another engine on the same GPUs, started after this one; repeatable", NULL, set_with,
     .set_bit = OPTIONS_PLAN, .repeatable = true},
    {"request", NULL, "images=N,prompt=N,answer=N", "is max_model_len enough for such a request", NULL, set_request,
     .set_bit = OPTIONS_PLAN},
};

void kvb_options_add_output(struct option_list *list)
{
    kvb_options_add(list, output_rows, sizeof output_rows / sizeof output_rows[0]);
}

void kvb_options_add_explain(struct option_list *list)
{
    kvb_options_add(list, explain_rows, sizeof explain_rows / sizeof explain_rows[0]);
}

void kvb_options_add_need(struct option_list *list, unsigned set)
{
    for (size_t i = 0; i < sizeof need_rows / sizeof need_rows[0]; i++) {
        struct option_row row = need_rows[i];
        row.set_bit = set;
        kvb_options_add(list, &row, 1);
    }
}

void kvb_options_add_plan(struct option_list *list)
{
    kvb_options_add(list, plan_rows, sizeof plan_rows / sizeof plan_rows[0]);
    kvb_options_add_need(list, OPTIONS_PLAN);
}
