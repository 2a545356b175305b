// --lora-modules: adapters as NAME=PATH or as JSON. Source: LoRAParserAction of vllm/entrypoints/openai/cli_args.py,
// and LoRAModulePath of entrypoints/openai/serving_models.py and models/protocol.py, by tag from v0.8.5.
#include <string.h>

#include "base/json_text.h"
#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define JUDGED_SINCE R(8, 5)
#define EXPERTS_SINCE R(22, 0) // is_3d_lora_weight

// The length of one word: JSON to its last bracket, with the blanks in it.
static size_t word_size(const char *word)
{
    int depth = 0;
    bool quoted = false;
    size_t size = 0;
    for (; word[size] != '\0' && word[size] != '\n'; size++) {
        char letter = word[size];
        if (letter == ' ' && depth == 0 && !quoted) {
            break;
        }
        quoted ^= letter == '"' && (depth > 0 || size == 0 || quoted);
        depth += !quoted && (letter == '{' || letter == '[');
        depth -= !quoted && (letter == '}' || letter == ']');
    }
    return size;
}

static bool is_pair(const char *word, size_t size)
{
    return memchr(word, '=', size) != NULL && memchr(word, ',', size) == NULL;
}

static bool is_member(const char *key, uint32_t release)
{
    bool experts = strcmp(key, "is_3d_lora_weight") == 0 && release >= EXPERTS_SINCE;
    return experts || strcmp(key, "name") == 0 || strcmp(key, "path") == 0 || strcmp(key, "base_model_name") == 0;
}

static bool has_its_members(const char *word, uint32_t release)
{
    struct kvb_member member;
    bool name = false, path = false;
    for (const char *at = word; kvb_member_next(&at, &member);) {
        name |= strcmp(member.key, "name") == 0;
        path |= strcmp(member.key, "path") == 0;
        if (!is_member(member.key, release)) {
            return false;
        }
        if (*at == '}') {
            break;
        }
    }
    return name && path;
}

static bool refuse(char out[OPTIONAL_CAPACITY], const char *text, const char *word, size_t size)
{
    out[0] = '\0';
    kvb_add_text(out, OPTIONAL_CAPACITY, text);
    kvb_append(out, OPTIONAL_CAPACITY, word, size);
    return true;
}

static bool judge_word(const char *word, size_t size, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_json_slip slip;
    if (is_pair(word, size)) {
        const char *first = memchr(word, '=', size);
        bool twice = memchr(first + 1, '=', size - (size_t)(first + 1 - word)) != NULL;
        if (!twice) {
            return false;
        }
        return refuse(out, "too many values to unpack (expected 2): --lora-modules ", word, size);
    }
    if (memchr(word, '$', size) != NULL || (size > 1 && word[0] == '{' && word[1] == '{')) {
        return false; // what a shell or a template would fill in
    }
    if (!kvb_json_is_whole(word, size, '{', KVB_JSON, &slip)) {
        return refuse(out, "Invalid JSON format for --lora-modules: ", word, size);
    }
    if (has_its_members(word, release)) {
        return false;
    }
    return refuse(out, "Invalid fields for --lora-modules: ", word, size);
}

bool kvb_vllm_judge_modules(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &value);
    if (flag == NULL || strcmp(flag->name, "lora-modules") != 0 || engine->release < JUDGED_SINCE ||
        !kvb_vllm_is_release(engine)) {
        return false;
    }
    for (const char *word = value; *word != '\0' && *word != '\n';) {
        size_t size = value[-1] == '=' ? strcspn(word, "\n") : word_size(word); // behind "=" there is one
        if (size > 0 && judge_word(word, size, engine->release, out)) {
            return true;
        }
        word += size + (word[size] == ' ' ? 1 : 0);
    }
    return false;
}
