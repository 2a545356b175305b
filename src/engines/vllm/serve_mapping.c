// Flags of a serve line whose value is JSON: what its reader refuses before anything is done with it.
// Source: vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py and CompilationConfig.from_cli by release.
#include <string.h>

#include "base/json_text.h"
#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define PAIRS_BESIDE_SINCE R(8, 5) // nullable_kvs for what is not {...}, of any mapping
#define PAIRS_GONE_SINCE R(10, 0)
#define SUFFIXES_SINCE R(20, 0) // _expand_json_human_readable_numbers
#define LITERAL_UNTIL R(9, 0)   // ast.literal_eval
#define LEVELS_UNTIL R(9, 2)    // a number alone

enum reader {
    LOADS,       // json.loads
    DATACLASS,   // TypeAdapter(...).validate_json
    COMPILATION, // the same, of which a number alone was a level, and a literal of Python before 0.9.0
    PAIRS,       // KEY=VALUE before 0.8.5, then json.loads
    LIST,        // json.loads, of a list
    EITHER,      // json.loads, and an empty list is no mapping as well
};

static const struct {
    const char *flag;
    enum reader reader;
} rows[] = {
    {"additional-config", LOADS},
    {"allowed-headers", LIST},
    {"allowed-methods", LIST},
    {"allowed-origins", LIST},
    {"attention-config", DATACLASS},
    {"compilation-config", COMPILATION},
    {"default-chat-template-kwargs", EITHER},
    {"default-mm-loras", LOADS},
    {"diffusion-config", LOADS},
    {"ec-manager-config", DATACLASS},
    {"ec-transfer-config", DATACLASS},
    {"eplb-config", DATACLASS},
    {"fault-tolerance-config", DATACLASS},
    {"hf-overrides", LOADS},
    {"ir-op-priority", DATACLASS},
    {"kernel-config", DATACLASS},
    {"kv-events-config", DATACLASS},
    {"kv-transfer-config", DATACLASS},
    {"limit-mm-per-prompt", PAIRS},
    {"media-io-kwargs", LOADS},
    {"mm-processor-kwargs", LOADS},
    {"model-class-overrides", LOADS},
    {"model-loader-extra-config", LOADS},
    {"override-generation-config", LOADS},
    {"override-neuron-config", LOADS},
    {"override-pooler-config", LOADS},
    {"pooler-config", DATACLASS},
    {"profiler-config", DATACLASS},
    {"quantization-config", LOADS},
    {"reasoning-config", DATACLASS},
    {"rope-scaling", LOADS},
    {"speculative-config", LOADS},
    {"structured-outputs-config", DATACLASS},
    {"weight-transfer-config", DATACLASS},
};

static bool find_reader(const char *name, enum reader *reader)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].flag, name) == 0) {
            *reader = rows[i].reader;
            return true;
        }
    }
    return false;
}

// KEY=VALUE,KEY=VALUE with whole numbers.
static bool is_pairs(const char *value, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t key = strcspn(value + at, "=,\n"), number = 0;
        if (value[at + key] != '=') {
            return false;
        }
        at += key + 1;
        while (kvb_is_digit(value[at + number])) {
            number++;
        }
        at += number;
        if (number == 0 || (at < size && value[at] != ',')) {
            return false;
        }
        at++;
    }
    return true;
}

// What the engine does not read, or nobody here can: an empty value, a level, what a shell or a template would fill in.
static bool is_passed_over(const char *value, size_t size, enum reader reader, uint32_t release)
{
    bool none = size == 0 || (size == 4 && strncmp(value, "None", 4) == 0) ||
                (reader == EITHER && size == 2 && strncmp(value, "[]", 2) == 0);
    bool level = reader == COMPILATION && size == 1 && kvb_is_digit(*value) && release < LEVELS_UNTIL;
    for (size_t i = 0; i < size; i++) {
        none |= value[i] == '$' || (value[i] == '{' && i + 1 < size && value[i + 1] == '{');
    }
    return none || level;
}

static enum kvb_json_dialect dialect_of(enum reader reader, uint32_t release)
{
    bool class = reader == DATACLASS || reader == COMPILATION;
    return reader == COMPILATION && release < LITERAL_UNTIL ? KVB_JSON_PYTHON
           : class && release >= SUFFIXES_SINCE             ? KVB_JSON_SUFFIXES
                                                            : KVB_JSON;
}

bool kvb_vllm_judge_mapping(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    enum reader reader;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &value);
    size_t size = strcspn(value, "\n");
    if (flag == NULL || !find_reader(flag->name, &reader) || is_passed_over(value, size, reader, engine->release)) {
        return false;
    }
    uint32_t release = engine->release;
    bool only_pairs = reader == PAIRS && release < PAIRS_BESIDE_SINCE;
    struct kvb_json_slip slip;
    if ((only_pairs || (release >= PAIRS_BESIDE_SINCE && release < PAIRS_GONE_SINCE)) && is_pairs(value, size)) {
        return false;
    }
    if (!only_pairs && kvb_json_is_whole(value, size, reader == LIST ? '[' : '{', dialect_of(reader, release), &slip)) {
        return false;
    }
    out[0] = '\0';
    kvb_add_text(out, OPTIONAL_CAPACITY, "argument --");
    kvb_add_text(out, OPTIONAL_CAPACITY, flag->name);
    kvb_add_text(out, OPTIONAL_CAPACITY, only_pairs ? ": Each item should be in the form KEY=VALUE" : ": ");
    if (!only_pairs) {
        kvb_json_say_slip(value, size, &slip, out, OPTIONAL_CAPACITY);
    }
    return true;
}
