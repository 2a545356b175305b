// What is said of a name: what it was taken for, and for an unknown one the next step, ready to paste.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/hub_cache.h"
#include "model/names/name.h"

#define HERE ((struct kvb_place){0})

// Owners whose repositories are given out only to those who asked.
static const char *const gated[] = {"meta-llama", "google",     "mistralai",  "CohereLabs",  "CohereForAI",
                                    "bigcode",    "nvidia",     "databricks", "stabilityai", "black-forest-labs",
                                    "ai21labs",   "LGAI-EXAONE"};

static bool is_gated(const char *owner)
{
    for (size_t i = 0; i < sizeof gated / sizeof gated[0]; i++) {
        if (kvb_equal_ignoring_case(gated[i], owner)) {
            return true;
        }
    }
    return false;
}

bool kvb_name_is_closed(const struct kvb_name *name)
{
    static const char *const beginnings[] = {"gpt-3", "gpt-4", "gpt-5", "o1-", "o3-", "o4-", "gemini-", "claude-"};
    static const char *const owners[] = {"",          "openai", "azure",     "google", "gemini",
                                         "vertex_ai", "vertex", "anthropic", "bedrock"};
    bool owned = false, begins = false;
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        owned = owned || kvb_equal_ignoring_case(owners[i], name->owner);
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        begins = begins || kvb_starts_with_ignoring_case(name->name, beginnings[i]);
    }
    return owned && begins;
}

// "; the nearest that is: `kvbudget plan --model A`, then B and C", as many of them as there is room for.
static void say_nearest(char *out, size_t capacity, const struct kvb_name *name)
{
    const struct kvb_builtin *rows[KVB_NAME_NEAREST_MAX];
    uint32_t count = kvb_name_nearest(name, rows);
    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(out);
        int written = snprintf(out + used, capacity - used, "%s%s%s",
                               i == 0   ? "; the nearest that is: `kvbudget plan --model "
                               : i == 1 ? ", then "
                                        : " and ",
                               rows[i]->id, i == 0 ? "`" : "");
        if (written < 0 || (size_t)written >= capacity - used) {
            out[used] = '\0';
            break;
        }
    }
}

// What fetches the config: our own helper, unless it is told not to, and what works on any machine with curl.
static void say_fetch(char *out, size_t capacity, const struct kvb_name *name)
{
    char whole[KVB_NAME_CAPACITY];
    bool token = is_gated(name->owner), silent = kvb_hub_is_yes("KVBUDGET_OFFLINE") || kvb_hub_is_yes("HF_HUB_OFFLINE");
    bool params = kvb_equal_ignoring_case(name->owner, "mistralai");
    kvb_name_write(whole, name);
    (void)snprintf(out, capacity, "%s%s%s", silent ? "its own config" : "`kvbudget hub pull ", silent ? "" : whole,
                   silent ? "" : "` fetches its config, or by hand");
    size_t used = strlen(out);
    (void)snprintf(out + used, capacity - used,
                   ": `curl -fL %shttps://huggingface.co/%s/resolve/main/config.json -o config.json && kvbudget plan "
                   "--model ./config.json --served-name %s`%s%s",
                   token ? "-H \"Authorization: Bearer $HF_TOKEN\" " : "", whole, whole,
                   token ? " (HF_TOKEN: of an account that was let in)" : "",
                   params ? "; some have params.json instead" : "");
}

// A repository of GGUF files has no config.json: a file's header says what it is.
static void say_file(char *out, size_t capacity, const struct kvb_name *name, const char *format)
{
    char whole[KVB_NAME_CAPACITY];
    kvb_name_write(whole, name);
    (void)snprintf(
        out, capacity,
        "it holds GGUF files, whose header says what they are: `hf download %s --include \"*%s*\" --local-dir "
        "gguf`, then --model gguf/FILE.gguf",
        whole, format[0] ? format : "Q4_K_M");
}

static enum kvb_status refuse_repository(const char *text, const struct kvb_name *name,
                                         const struct kvb_name_scheme *scheme, struct kvb_problems *problems)
{
    char fetch[KVB_PROBLEM_TEXT_CAPACITY], near[KVB_PROBLEM_TEXT_CAPACITY] = "";
    if (scheme->method == KVB_NAME_GGUF) {
        say_file(fetch, sizeof fetch, name, scheme->format);
    } else {
        say_fetch(fetch, sizeof fetch, name);
    }
    size_t used = strlen("model '' is not built in; ") + strnlen(text, 120) + strlen(fetch);
    if (used + 1 < sizeof near) {
        say_nearest(near, sizeof near - used, name);
    }
    return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE, "model '%.120s' is not built in; %s%s", text,
                           fetch, near);
}

static enum kvb_status refuse_several(const char *text, const struct kvb_name_answer *answer,
                                      struct kvb_problems *problems)
{
    char ids[400] = "";
    for (uint32_t i = 0; i < answer->candidate_count; i++) {
        size_t used = strlen(ids);
        (void)snprintf(ids + used, sizeof ids - used, "%s`--model %s`",
                       i == 0                             ? ""
                       : i + 1 == answer->candidate_count ? " or "
                                                          : ", ",
                       answer->candidates[i]->id);
    }
    return kvb_problem_add(problems, KVB_ERROR, KVB_AMBIGUOUS_NAME, HERE,
                           "several models are called '%.120s': write %s", text, ids);
}

static enum kvb_status refuse_foreign(const char *text, const struct kvb_name_answer *answer,
                                      struct kvb_problems *problems)
{
    if (answer->base == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
                               "model '%.120s' is in a format of other programs (%s), which this engine does not load; "
                               "its original is not built in: write the original's name",
                               text, answer->scheme.word);
    }
    return kvb_problem_add(
        problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
        "model '%.120s' is in a format of other programs (%s); the original is `kvbudget plan --model "
        "%s`",
        text, answer->scheme.word, answer->base->id);
}

enum kvb_status kvb_name_refuse(const char *text, const struct kvb_name *name, const struct kvb_name_answer *answer,
                                struct kvb_problems *problems)
{
    char near[3 * KVB_NAME_CAPACITY];
    if (answer->match == KVB_MATCH_SEVERAL) {
        return refuse_several(text, answer, problems);
    }
    if (answer->base || answer->scheme.method == KVB_NAME_FOREIGN) {
        return refuse_foreign(text, answer, problems);
    }
    if (kvb_name_is_closed(name)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
                               "model '%.120s' is served by its maker alone: it has no weights to plan for; those that "
                               "are built in: `kvbudget models`",
                               text);
    }
    if (kvb_name_is_repository(name)) {
        return refuse_repository(text, name, &answer->scheme, problems);
    }
    say_nearest(near, sizeof near, name);
    if (name->owner[0] || name->name[0] == '\0') {
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
                               "model '%.120s' cannot be a repository's name, which is OWNER/NAME in letters, digits, "
                               "'-', '_' and '.'%s; or give its config: --model ./config.json",
                               text, near);
    }
    return kvb_problem_add(
        problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
        "model '%.120s' is not built in%s; write its name on huggingface.co, OWNER/MODEL, or give its "
        "config: --model ./config.json",
        text, near);
}

static void say_sibling(const char *text, const struct kvb_name_answer *answer, struct kvb_problems *problems)
{
    char scheme[96];
    uint32_t low, high;
    kvb_name_scheme_text(scheme, sizeof scheme, &answer->scheme);
    kvb_name_scheme_bound(&answer->scheme, &low, &high);
    low += answer->stated ? KVB_NAME_STATED_PPM : 0;
    high += answer->stated ? KVB_NAME_STATED_PPM : 0;
    if (answer->unquantised) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, HERE,
                              "model '%.120s' is not built in: planned as the original of %s, at 16 bits", text,
                              answer->base->id);
        return;
    }
    char bound[80] = ""; // of a GGUF file each engine shows its own
    if (answer->scheme.method != KVB_NAME_GGUF) {
        (void)snprintf(bound, sizeof bound, "; its weights may be %u %% smaller or %u %% larger", low / 10000,
                       high / 10000);
    }
    (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, HERE,
                          "model '%.120s' is not built in: planned as %s in the format its name states (%s)%s", text,
                          answer->base->id, scheme, bound);
}

static void say_stated(const char *text, const char *id, struct kvb_problems *problems)
{
    (void)kvb_problem_add(
        problems, KVB_NOTICE, KVB_OK, HERE,
        "model '%.120s' is not built in: planned as %s, of which its name says it is a fine-tune; its "
        "weights may be %u %% smaller or larger; where its shape differs, give its config: --model "
        "./config.json",
        text, id, KVB_NAME_STATED_PPM / 10000);
}

void kvb_name_say(const char *text, const struct kvb_name_answer *answer, struct kvb_problems *problems)
{
    const char *id = answer->base->id;
    switch (answer->match) {
    case KVB_MATCH_SIBLING:
        say_sibling(text, answer, problems);
        break;
    case KVB_MATCH_SPELLING:
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, HERE, "model '%.120s' is taken for %s", text, id);
        break;
    case KVB_MATCH_OWNER:
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, HERE,
                              "model '%.120s' is not built in: planned as %s, the model of that name", text, id);
        break;
    case KVB_MATCH_LIKE:
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, HERE, "model '%.120s' is planned as %s (%s)", text, id,
                              strcmp(answer->why, "Ollama") == 0 ? "Ollama's name of it" : answer->why);
        break;
    case KVB_MATCH_VARIANT:
        if (answer->stated) {
            say_stated(text, id, problems);
            break;
        }
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, HERE,
                              "model '%.120s' is not built in: planned as %s, of which its name says it is a variant; "
                              "where its shape differs, give its config: --model ./config.json",
                              text, id);
        break;
    case KVB_MATCH_NONE:
    case KVB_MATCH_SEVERAL:
        break;
    }
}
