// Keys and words in the JSON of a serve line that a release lists and no other (generated/keys.c, choices.c), and the
// least its numbers may be.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define BATCH_SINCE R(8, 5)
#define CONNECTOR_ASKED_SINCE R(22, 0) // to know whether it takes caches of several kinds
#define PROFILER_ALONE_SINCE R(16, 0)  // of VLLM_TORCH_PROFILER_DIR and VLLM_TORCH_CUDA_PROFILE
#define DASHES_SINCE R(26, 0)          // create_speculative_config
#define BOUNDED_SINCE R(11, 1)         // by the types of fields
#define POOLER_SINCE R(11, 0)          // --pooler-config, and the old flag is read as it
#define VALIDATED_SINCE R(9, 1)        // by pydantic; Python's own dataclasses say it otherwise

struct judging {
    uint32_t release;
    char *out;
    bool is_release;
    bool has_module; // kv_connector_module_path
    bool has_plugin; // of a parser
};

static void add(const struct judging *judging, const char *text)
{
    kvb_append(judging->out, OPTIONAL_CAPACITY, text, strlen(text));
}

static const char *class_of(const char *flag)
{
    static const char *const classes[][2] = {
        {"attention-config", "AttentionConfig"},
        {"compilation-config", "CompilationConfig"},
        {"compilation-config.pass_config", "PassConfig"},
        {"diffusion-config", "DiffusionConfig"},
        {"ec-manager-config", "EncoderCacheManagerConfig"},
        {"ec-transfer-config", "ECTransferConfig"},
        {"eplb-config", "EPLBConfig"},
        {"fault-tolerance-config", "FaultToleranceConfig"},
        {"kernel-config", "KernelConfig"},
        {"kv-events-config", "KVEventsConfig"},
        {"kv-transfer-config", "KVTransferConfig"},
        {"pooler-config", "PoolerConfig"},
        {"profiler-config", "ProfilerConfig"},
        {"quantization-config", "QuantizationConfigArgs"},
        {"reasoning-config", "ReasoningConfig"},
        {"speculative-config", "SpeculativeConfig"},
        {"weight-transfer-config", "WeightTransferConfig"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(classes[i][0], flag) == 0) {
            return classes[i][1];
        }
    }
    return "StructuredOutputsConfig";
}

static bool say(const struct judging *judging, const char *flag, const char *key, const char *what)
{
    judging->out[0] = '\0';
    add(judging, "1 validation error for ");
    add(judging, class_of(flag));
    add(judging, ", ");
    add(judging, key);
    add(judging, ": ");
    add(judging, what);
    return true;
}

static bool say_unexpected(const struct judging *judging, const char *flag, const char *key)
{
    if (judging->release >= VALIDATED_SINCE) {
        return say(judging, flag, key, "Unexpected keyword argument");
    }
    judging->out[0] = '\0';
    add(judging, class_of(flag));
    add(judging, ".__init__() got an unexpected keyword argument '");
    add(judging, key);
    add(judging, "'");
    return true;
}

// Backends of attention are looked up by their names in capitals, kernels in lower case with underscores.
static bool same_word(const char *word, const char *text, size_t size, bool any_case, bool dashes)
{
    for (size_t i = 0; i < size; i++) {
        char letter = dashes && text[i] == '-' ? '_' : text[i];
        if (word[i] == '\0' || (letter != word[i] && !(any_case && kvb_lower(letter) == kvb_lower(word[i])))) {
            return false;
        }
    }
    return word[size] == '\0';
}

// Words are text, but for those that are numbers, and for null.
static bool is_word(const struct kvb_known_choice *first, const struct kvb_member *member, uint32_t release)
{
    bool numbers = kvb_is_digit(first->word[0]), quoted = member->value[0] == '"';
    bool kernels = kvb_starts_with(first->flag, "kernel-config.");
    bool backends = kvb_starts_with(first->flag, "attention-config.") && kvb_ends_with(first->flag, "backend");
    bool null = kvb_vllm_member_is(member, "null");
    if (numbers ? quoted : !quoted) {
        return !numbers && (null || !backends); // of other words, types say what is none
    }
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, release)) {
        bool same = same_word(row->word, member->value + quoted, member->size - 2 * (size_t)quoted, kernels || backends,
                              kernels);
        if (same || (null && strcmp(row->word, "None") == 0)) {
            return true;
        }
    }
    return false;
}

// A class of one's own comes with the path of its module.
static bool say_connector(const struct judging *judging, const struct kvb_member *member)
{
    if (judging->has_module) {
        return false;
    }
    judging->out[0] = '\0';
    add(judging, "Unsupported connector type: ");
    kvb_append(judging->out, OPTIONAL_CAPACITY, member->value + 1, member->size - 2);
    return true;
}

// Words that code of its own compared before the types of fields did. Source: vllm/config.py KVTransferConfig v0.6.5
// and SpeculativeConfig._verify_args v0.8.2, each to v0.9.0.
static const struct early_words {
    const char *name, *opening;
    uint32_t since;
} early[] = {
    {"kv-transfer-config.kv_role", "Unsupported kv_role: ", R(6, 5)},
    {"speculative-config.acceptance_method",
     "Expected acceptance_method to be either rejection_sampler or typical_acceptance_sampler. Instead it is ",
     R(8, 2)},
};

static bool judge_early(const struct judging *judging, const char *name, const struct kvb_member *member)
{
    for (size_t i = 0; judging->release < VALIDATED_SINCE && i < sizeof early / sizeof early[0]; i++) {
        bool asked = judging->release >= early[i].since && strcmp(early[i].name, name) == 0;
        if (asked && !is_word(kvb_choices_of(name, VALIDATED_SINCE), member, VALIDATED_SINCE)) {
            judging->out[0] = '\0';
            add(judging, early[i].opening);
            kvb_append(judging->out, OPTIONAL_CAPACITY, member->value, member->size);
            return true;
        }
    }
    return false;
}

// The parser of --reasoning-parser, asked for where no plugin may bring another.
static bool names_parser(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    return strcmp(flag, "structured-outputs-config") == 0 && strcmp(member->key, "reasoning_parser") == 0 &&
           !judging->has_plugin && !kvb_vllm_member_is(member, "\"\"");
}

static bool judge_word(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    char name[2 * KVB_MEMBER_CAPACITY];
    (void)kvb_copy(name, sizeof name, flag);
    kvb_add_text(name, sizeof name, ".");
    kvb_append(name, sizeof name, member->key, strlen(member->key));
    if (names_parser(judging, flag, member)) {
        (void)kvb_copy(name, sizeof name, member->key);
        name[strlen("reasoning")] = '-';
    }
    const struct kvb_known_choice *first = kvb_choices_of(name, judging->release);
    if (judge_early(judging, name, member)) {
        return true;
    }
    bool spec = member->value[0] == '{' && strcmp(flag, "quantization-config") == 0; // of linear and moe
    if (first == NULL || spec || is_word(first, member, judging->release)) {
        return false;
    }
    if (strcmp(member->key, "kv_connector") == 0) {
        return say_connector(judging, member);
    }
    (void)say(judging, flag, member->key, "Input should be one of ");
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, judging->release)) {
        add(judging, row == first ? "'" : ", '");
        add(judging, row->word);
        add(judging, "'");
    }
    return true;
}

static bool whole(const struct kvb_member *member, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < member->size; i++) {
        char digit = member->value[i];
        if (digit < '0' || digit > '9' || i > 17) {
            return false;
        }
        *number = *number * 10 + (uint64_t)(digit - '0');
    }
    return true;
}

// Before the field said so itself. Source: vllm/config.py SpeculativeConfig._verify_args, v0.8.5 to v0.11.0.
static bool judge_batch(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    uint64_t number;
    if (judging->release < BATCH_SINCE || judging->release >= BOUNDED_SINCE ||
        strcmp(flag, "speculative-config") != 0 || strcmp(member->key, "disable_by_batch_size") != 0 ||
        !whole(member, &number) || number > 1) {
        return false;
    }
    return say(judging, flag, member->key, "Expect the batch size threshold of disabling speculative decoding is > 1");
}

static bool judge_type(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    char sentence[64];
    const struct kvb_known_key_type *row = kvb_key_type_of(flag, member->key, judging->release);
    if (row == NULL || !kvb_vllm_member_slips(row, member, judging->release, sentence)) {
        return false;
    }
    return say(judging, flag, member->key, sentence);
}

static bool judge_mapping(const struct judging *judging, const char *flag, const char *text)
{
    struct kvb_member member;
    bool closed = kvb_keys_are_listed(flag, judging->release);
    bool dashes = judging->release >= DASHES_SINCE && strcmp(flag, "speculative-config") == 0;
    for (const char *at = text; kvb_member_next(&at, &member);) {
        for (char *letter = member.key; dashes && *letter != '\0'; letter++) {
            *letter = *letter == '-' ? '_' : *letter;
        }
        if (strcmp(flag, "speculative-config") == 0 && strchr(member.key, '-') != NULL) {
            return say_unexpected(judging, flag, member.key);
        }
        if (closed && !kvb_key_is_listed(flag, member.key, judging->release)) {
            return say_unexpected(judging, flag, member.key);
        }
        if (judge_word(judging, flag, &member) || judge_batch(judging, flag, &member) ||
            judge_type(judging, flag, &member) ||
            kvb_vllm_judge_nested(flag, &member, judging->release, judging->out)) {
            return true;
        }
    }
    return false;
}

// Windows of ngram: the shorter one may not be the longer.
static bool judge_windows(const struct judging *judging, const char *text)
{
    struct kvb_member member;
    uint64_t least = 1, most = UINT64_MAX;
    bool ngram = false;
    for (const char *at = text; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, "method") == 0 || strcmp(member.key, "model") == 0) {
            ngram |= kvb_starts_with(member.value, "\"ngram") || kvb_starts_with(member.value, "\"[ngram]");
        }
        uint64_t *number = strcmp(member.key, "prompt_lookup_min") == 0   ? &least
                           : strcmp(member.key, "prompt_lookup_max") == 0 ? &most
                                                                          : NULL;
        if (number != NULL && !whole(&member, number)) {
            return false;
        }
    }
    judging->out[0] = '\0';
    if (ngram && judging->release < BOUNDED_SINCE && (least == 0 || most == 0)) {
        add(judging, least == 0 ? "prompt_lookup_min=0 must be > 0" : "prompt_lookup_max=0 must be > 0");
        return true;
    }
    if (!ngram || least <= most) {
        return false;
    }
    char first[24], second[24];
    const char *parts[] = {"prompt_lookup_min=", kvb_refusal_count(first, least),
                           " must be <= prompt_lookup_max=", kvb_refusal_count(second, most)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        add(judging, parts[i]);
    }
    return true;
}

static bool judge_text(const struct judging *judging, const char *flag, const char *text)
{
    struct kvb_member member;
    bool compilation = strcmp(flag, "compilation-config") == 0;
    if (compilation && kvb_vllm_judge_compilation(text, judging->release, judging->out)) {
        return true;
    }
    if (!judging->is_release) {
        return false;
    }
    if (judge_mapping(judging, flag, text) ||
        (strcmp(flag, "speculative-config") == 0 && judge_windows(judging, text))) {
        return true;
    }
    for (const char *at = text; compilation && kvb_member_next(&at, &member);) {
        if (member.value[0] == '{' && strcmp(member.key, "pass_config") == 0) {
            return judge_mapping(judging, "compilation-config.pass_config", member.value);
        }
    }
    return false;
}

static bool lacks_connector(const struct kvb_deployment *deployment, const char *flag, const char *text,
                            uint32_t release)
{
    return release >= CONNECTOR_ASKED_SINCE && strcmp(flag, "kv-transfer-config") == 0 &&
           !kvb_vllm_has_member(text, "kv_connector") &&
           kvb_vllm_said(deployment, "disable-hybrid-kv-cache-manager", release) == NULL;
}

// Until 0.16 variables took the place of members.
static bool is_set_by_variables(const struct kvb_deployment *deployment, const char *flag, uint32_t release)
{
    return release < PROFILER_ALONE_SINCE && strcmp(flag, "profiler-config") == 0 &&
           strstr(deployment->environment.noted, "VLLM_TORCH_") != NULL;
}

static bool has_plugin(const struct kvb_deployment *deployment, const char *text, uint32_t release)
{
    return kvb_vllm_has_member(text, "reasoning_parser_plugin") ||
           kvb_vllm_said(deployment, "reasoning-parser-plugin", release) != NULL;
}

bool kvb_vllm_judge_json(const struct kvb_deployment *deployment, const char *line, const struct kvb_engine *engine,
                         char out[OPTIONAL_CAPACITY])
{
    char flag[KVB_MEMBER_CAPACITY], dotted[KVB_DOTTED_CAPACITY], gathered[KVB_DOTTED_CAPACITY];
    const char *value = kvb_json_of_line(line, engine->release, flag, dotted), *whole_text = value;
    if (value == NULL) {
        return false;
    }
    if (value == dotted) {
        kvb_vllm_gather_dotted(deployment, flag, engine->release, gathered);
        whole_text = gathered;
    }
    if (engine->release >= POOLER_SINCE && strcmp(flag, "override-pooler-config") == 0) {
        (void)kvb_copy(flag, sizeof flag, "pooler-config"); // of the same class
    }
    const struct judging judging = {engine->release, out, kvb_vllm_is_release(engine),
                                    kvb_vllm_has_member(whole_text, "kv_connector_module_path"),
                                    has_plugin(deployment, whole_text, engine->release)};
    if (judge_text(&judging, flag, value)) {
        return true;
    }
    if (judging.is_release && lacks_connector(deployment, flag, whole_text, engine->release)) {
        (void)kvb_copy(out, OPTIONAL_CAPACITY, "Connector name is not set in KVTransferConfig");
        return true;
    }
    if (!judging.is_release || is_set_by_variables(deployment, flag, engine->release)) {
        return false;
    }
    if (strcmp(flag, "reasoning-config") == 0 &&
        kvb_vllm_judge_reasoning(deployment, whole_text, engine->release, out)) {
        return true;
    }
    bool draft = strcmp(flag, "speculative-config") == 0;
    if (draft &&
        (kvb_vllm_judge_draft(whole_text, out) || kvb_vllm_judge_synthetic(whole_text, engine->release, out))) {
        return true;
    }
    return kvb_vllm_judge_config(flag, whole_text, engine->release, out);
}
