// What is said of a name: what it was taken for, and for an unknown one the next step, ready to paste.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
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

static void say_nearest(char *out, size_t capacity, const struct kvb_builtin *nearest)
{
    out[0] = '\0';
    if (nearest) {
        (void)snprintf(out, capacity, "; the nearest that is: `kvbudget plan --model %s`", nearest->id);
    }
}

static enum kvb_status refuse_repository(const char *text, const struct kvb_name *name,
                                         const struct kvb_builtin *nearest, struct kvb_problems *problems)
{
    char whole[KVB_NAME_CAPACITY], near[KVB_NAME_CAPACITY + 64];
    bool token = is_gated(name->owner);
    bool params = kvb_equal_ignoring_case(name->owner, "mistralai");
    kvb_name_write(whole, name);
    say_nearest(near, sizeof near, nearest);
    return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
                           "model '%.120s' is not built in%s; its own config: `curl -fL "
                           "%shttps://huggingface.co/%s/resolve/%s/config.json "
                           "-o config.json && kvbudget plan --model ./config.json --served-name %s`%s%s",
                           text, near, token ? "-H \"Authorization: Bearer $HF_TOKEN\" " : "", whole, "main", whole,
                           token ? " (HF_TOKEN: of an account that was let in)" : "",
                           params ? "; some have params.json instead" : "");
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
    return kvb_problem_add(
        problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
        "model '%.120s' is in a format of other programs (%s); the original is `kvbudget plan --model "
        "%s`",
        text, answer->scheme.word, answer->base->id);
}

enum kvb_status kvb_name_refuse(const char *text, const struct kvb_name *name, const struct kvb_name_answer *answer,
                                struct kvb_problems *problems)
{
    char near[KVB_NAME_CAPACITY + 64];
    if (answer->match == KVB_MATCH_SEVERAL) {
        return refuse_several(text, answer, problems);
    }
    if (answer->base) {
        return refuse_foreign(text, answer, problems);
    }
    const struct kvb_builtin *nearest = kvb_name_nearest(name);
    if (kvb_name_is_repository(name)) {
        return refuse_repository(text, name, nearest, problems);
    }
    say_nearest(near, sizeof near, nearest);
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
    (void)kvb_problem_add(
        problems, KVB_NOTICE, KVB_OK, HERE,
        "model '%.120s' is not built in: planned as %s in the format its name states (%s); its weights "
        "may be %u %% smaller or %u %% larger",
        text, answer->base->id, scheme, low / 10000, high / 10000);
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
