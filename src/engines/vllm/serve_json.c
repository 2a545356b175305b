// Keys and words in the JSON of a serve line that a release lists and no other (generated/keys.c, choices.c), and the
// least its numbers may be.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_members.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define BOUNDED_SINCE R(11, 1)  // by the types of fields
#define VALIDATED_SINCE R(9, 1) // by pydantic; Python's own dataclasses say it otherwise

struct judging {
    uint32_t release;
    char *out;
    bool is_release;
    bool has_module; // kv_connector_module_path
};

static void add(const struct judging *judging, const char *text)
{
    kvb_append(judging->out, OPTIONAL_CAPACITY, text, strlen(text));
}

static const char *class_of(const char *flag)
{
    static const char *const classes[][2] = {
        {"attention-config", "AttentionConfig"},     {"compilation-config", "CompilationConfig"},
        {"ec-transfer-config", "ECTransferConfig"},  {"eplb-config", "EPLBConfig"},
        {"kernel-config", "KernelConfig"},           {"kv-events-config", "KVEventsConfig"},
        {"kv-transfer-config", "KVTransferConfig"},  {"reasoning-config", "ReasoningConfig"},
        {"speculative-config", "SpeculativeConfig"}, {"compilation-config.pass_config", "PassConfig"},
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

static bool is_word(const struct kvb_known_choice *first, const struct kvb_member *member, uint32_t release)
{
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, release)) {
        if (strlen(row->word) == member->size - 2 && strncmp(row->word, member->value + 1, member->size - 2) == 0) {
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

static bool judge_word(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    char name[2 * KVB_MEMBER_CAPACITY];
    (void)kvb_copy(name, sizeof name, flag);
    kvb_append(name, sizeof name, ".", 1);
    kvb_append(name, sizeof name, member->key, strlen(member->key));
    const struct kvb_known_choice *first = kvb_choices_of(name, judging->release);
    if (first == NULL || member->value[0] != '"' || is_word(first, member, judging->release)) {
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

// Least values that a field states. Source: vllm/config/speculative.py.
static const struct {
    uint32_t since, gone;
    const char *key;
    uint64_t least;
    const char *text;
} bounds[] = {
    {R(11, 1), 0, "num_speculative_tokens", 1, "Input should be greater than 0"},
    {R(11, 1), 0, "prompt_lookup_max", 1, "Input should be greater than or equal to 1"},
    {R(11, 1), 0, "prompt_lookup_min", 1, "Input should be greater than or equal to 1"},
    {R(11, 1), 0, "draft_tensor_parallel_size", 1, "Input should be greater than or equal to 1"},
    {R(11, 1), 0, "max_model_len", 1, "Input should be greater than or equal to 1"},
    {R(11, 1), R(17, 0), "disable_by_batch_size", 2, "Input should be greater than or equal to 2"},
    {R(8, 5), R(11, 1), "disable_by_batch_size", 2,
     "Expect the batch size threshold of disabling speculative decoding is > 1"},
};

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

static bool judge_number(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    uint64_t number;
    if (strcmp(flag, "speculative-config") != 0 || !whole(member, &number)) {
        return false;
    }
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        bool covers = judging->release >= bounds[i].since && (bounds[i].gone == 0 || judging->release < bounds[i].gone);
        if (covers && strcmp(bounds[i].key, member->key) == 0 && number < bounds[i].least) {
            return say(judging, flag, member->key, bounds[i].text);
        }
    }
    return false;
}

// Members whose type says what they may be. Source: vllm/config/kv_transfer.py and kv_events.py, from v0.9.1 validated.
enum member_type { TEXT, MAPPING, INTEGER, BOOLEAN };

static const struct {
    const char *flag, *key;
    enum member_type type;
    bool or_null;
} members[] = {
    {"kv-transfer-config", "engine_id", TEXT, true},
    {"kv-transfer-config", "kv_buffer_device", TEXT, false},
    {"kv-transfer-config", "kv_ip", TEXT, false},
    {"kv-transfer-config", "kv_parallel_size", INTEGER, false},
    {"kv-transfer-config", "kv_port", INTEGER, false},
    {"kv-transfer-config", "kv_rank", INTEGER, true},
    {"kv-transfer-config", "kv_connector_extra_config", MAPPING, false},
    {"kv-transfer-config", "enable_permute_local_kv", BOOLEAN, false},
    {"kv-events-config", "endpoint", TEXT, false},
    {"kv-events-config", "topic", TEXT, false},
    {"kv-events-config", "buffer_steps", INTEGER, false},
};

static bool has_word(const struct kvb_member *member, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == member->size && strncmp(words[i], member->value, member->size) == 0) {
            return true;
        }
    }
    return false;
}

// Digits, as text too; 2.0 is a whole number to pydantic, and so are both truths.
static bool is_integer(const struct kvb_member *member)
{
    static const char *const truths[] = {"true", "false"};
    const char *at = member->value + (member->value[0] == '"' ? 1 : 0);
    at += *at == '-' ? 1 : 0;
    size_t digits = strspn(at, "0123456789");
    at += digits;
    at += *at == '.' ? 1 + strspn(at + 1, "0") : 0;
    bool ends = *at == ',' || *at == '}' || *at == '"' || *at == ' ';
    return (digits > 0 && ends) || has_word(member, truths, 2);
}

static bool is_boolean(const struct kvb_member *member)
{
    static const char *const words[] = {"true",      "false",   "0",      "1",      "\"true\"", "\"false\"", "\"True\"",
                                        "\"False\"", "\"yes\"", "\"no\"", "\"on\"", "\"off\"",  "\"0\"",     "\"1\""};
    return has_word(member, words, sizeof words / sizeof words[0]);
}

static bool judge_type(const struct judging *judging, const char *flag, const struct kvb_member *member)
{
    static const char *const null[] = {"null"};
    static const char *const texts[] = {"Input should be a valid string", "Input should be a valid dictionary",
                                        "Input should be a valid integer", "Input should be a valid boolean"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].flag, flag) != 0 || strcmp(members[i].key, member->key) != 0) {
            continue;
        }
        enum member_type type = members[i].type;
        bool taken = type == TEXT      ? member->value[0] == '"'
                     : type == MAPPING ? member->value[0] == '{'
                     : type == INTEGER ? is_integer(member)
                                       : is_boolean(member);
        taken |= members[i].or_null && has_word(member, null, 1);
        if (taken || judging->release < VALIDATED_SINCE) {
            return false;
        }
        return say(judging, flag, member->key, texts[type]);
    }
    return false;
}

static bool judge_mapping(const struct judging *judging, const char *flag, const char *text)
{
    struct kvb_member member;
    bool closed = kvb_keys_are_listed(flag, judging->release);
    for (const char *at = text; kvb_member_next(&at, &member);) {
        if (closed && !kvb_key_is_listed(flag, member.key, judging->release)) {
            return say_unexpected(judging, flag, member.key);
        }
        if (judge_word(judging, flag, &member) || judge_number(judging, flag, &member) ||
            judge_type(judging, flag, &member)) {
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

static bool names_module(const char *text)
{
    struct kvb_member member;
    bool found = false;
    for (const char *at = text; kvb_member_next(&at, &member);) {
        found |= strcmp(member.key, "kv_connector_module_path") == 0 && member.value[0] == '"';
    }
    return found;
}

static bool judge_text(const struct judging *judging, const char *flag, const char *text)
{
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
    struct kvb_member member;
    for (const char *at = text; compilation && kvb_member_next(&at, &member);) {
        if (member.value[0] == '{' && strcmp(member.key, "pass_config") == 0) {
            return judge_mapping(judging, "compilation-config.pass_config", member.value);
        }
    }
    return false;
}

bool kvb_vllm_judge_json(const struct kvb_deployment *deployment, const char *line, const struct kvb_engine *engine,
                         char out[OPTIONAL_CAPACITY])
{
    char flag[KVB_MEMBER_CAPACITY], dotted[KVB_DOTTED_CAPACITY];
    const char *value = kvb_json_of_line(line, engine->release, flag, dotted);
    if (value == NULL) {
        return false;
    }
    bool beside = value == dotted && strstr(deployment->serve_flags, ".kv_connector_module_path") != NULL;
    const struct judging judging = {engine->release, out, kvb_vllm_is_release(engine), beside || names_module(value)};
    return judge_text(&judging, flag, value);
}
