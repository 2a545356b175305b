// What a release's own argument parser says of a serve command: flags it does not have, values it cannot read.
// Source: vllm/engine/arg_utils.py and vllm/entrypoints/openai/cli_args.py by release, Python's argparse.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/text.h"
#include "engines/vllm/release_tables.h"

#define SUFFIX_SINCE KVB_RELEASE(0, 8, 4) // human_readable_int
#define STEP_SUFFIX_SINCE KVB_RELEASE(0, 9, 1)
#define TRILLIONS_SINCE KVB_RELEASE(0, 13, 0)
#define ATTACHED_LEVEL_SINCE KVB_RELEASE(0, 9, 2)
#define LEVEL_SINCE KVB_RELEASE(0, 12, 0) // -O is read before argparse from here on
#define UNDERSCORES_SINCE KVB_RELEASE(0, 5, 1)
#define DOTS_SINCE KVB_RELEASE(0, 9, 0)       // --flag.member
#define SHORT_DOTS_SINCE KVB_RELEASE(0, 9, 2) // -cc.member
#define DOTTED_O_UNTIL KVB_RELEASE(0, 13, 0)  // -O.member, once that of --compilation-config
#define DEVICE_IDS_SINCE KVB_RELEASE(0, 24, 0)
#define BITSANDBYTES_SINCE KVB_RELEASE(0, 5, 0)
#define FORMAT_FOLLOWS_SINCE KVB_RELEASE(0, 8, 2)
#define OPTIONAL_CAPACITY 256

static void add(char out[OPTIONAL_CAPACITY], const char *text, size_t size)
{
    kvb_append(out, OPTIONAL_CAPACITY, text, size);
}

static bool long_is_known(const char *name, size_t length, uint32_t release)
{
    unsigned matches;
    (void)kvb_flag_of(name, length, release, &matches);
    if (matches > 0) {
        return true;
    }
    if (length <= 3 || (!kvb_starts_with(name, "no-") && !kvb_starts_with(name, "no_"))) {
        return false;
    }
    const struct kvb_known_flag *row = kvb_flag_of(name + 3, length - 3, release, &matches);
    return matches > 1 || (row != NULL && row->values == 'b');
}

// "-tp", "-tp=2" and what only begins one, and behind a single letter its value: "-qfp8", but not "-tp2".
static bool short_is_known(const char *word, size_t length, uint32_t release)
{
    unsigned matches;
    (void)kvb_flag_of(word, length, release, &matches);
    if (length < 2) {
        return false;
    }
    if (matches > 0 || (kvb_starts_with(word, "-O") && release >= LEVEL_SINCE)) {
        return true;
    }
    const struct kvb_known_flag *row = kvb_flag_of(word, 2, release, &matches);
    return row != NULL && strlen(row->name) == 2;
}

static bool dots_are_read(const char *line, uint32_t release)
{
    bool level = kvb_starts_with(line, "-O.");
    return release >= (kvb_starts_with(line, "--") ? DOTS_SINCE : SHORT_DOTS_SINCE) &&
           !(level && release >= DOTTED_O_UNTIL);
}

// -O before what is no level stays as it is, and there is no such flag any more.
static bool is_level(const char *line)
{
    bool apart = kvb_starts_with(line, "-O ") || kvb_starts_with(line, "-O=");
    return !apart || (line[3] >= '0' && line[3] <= '3');
}

// Underscores were read as dashes from FlexibleArgumentParser on.
static bool is_known(const char *line, uint32_t release)
{
    size_t length = strcspn(line, " =.\n");
    bool dashes = release >= UNDERSCORES_SINCE || memchr(line, '_', length) == NULL;
    bool dots = line[length] != '.' || dots_are_read(line, release);
    if (!dashes || !dots || (release >= LEVEL_SINCE && !is_level(line))) {
        return false;
    }
    return kvb_starts_with(line, "--") ? long_is_known(line + 2, length - 2, release)
                                       : short_is_known(line, length, release);
}

// argparse shows a long flag with dashes inside, once it reads underscores so.
static void add_flag(char out[OPTIONAL_CAPACITY], const char *line, size_t size, uint32_t release)
{
    size_t name = release < UNDERSCORES_SINCE ? 0 : strcspn(line, " =.\n");
    kvb_add_text(out, OPTIONAL_CAPACITY, " ");
    for (size_t i = 0; i < size; i++) {
        add(out, i < name && line[i] == '_' ? "-" : line + i, 1);
    }
}

// --device, gone since 0.10.0, is the beginning of --device-ids: numbers, or UUIDs.
// Source: vllm/platforms/cuda.py v0.24.0 device_control_id_to_physical_device_id, which asks NVML.
static bool judge_device(const char *line, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    static const char *const words[] = {"cuda", "auto", "gpu", "cpu"};
    const char *value = line + strcspn(line, " =\n");
    if (release < DEVICE_IDS_SINCE || !kvb_starts_with(line, "--device")) {
        return false;
    }
    value += strspn(value, " =");
    size_t size = strcspn(value, " \n");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == size && strncmp(value, words[i], size) == 0) {
            const char *what = "argument --device-ids (of which --device is the beginning): no GPU has the UUID '";
            kvb_add_text(out, OPTIONAL_CAPACITY, what);
            add(out, value, size);
            kvb_add_text(out, OPTIONAL_CAPACITY, "'");
            return true;
        }
    }
    return false;
}

// Whole numbers, and from when on "16k" is one (human_readable_int); 0: never. What came later takes it from its first
// release on.
static const struct {
    const char *flag;
    uint32_t suffix_since;
} whole_numbers[] = {
    {"max-model-len", SUFFIX_SINCE},
    {"max-num-batched-tokens", STEP_SUFFIX_SINCE},
    {"max-num-seqs", 0},
    {"tensor-parallel-size", 0},
    {"pipeline-parallel-size", 0},
    {"data-parallel-size", 0},
    {"num-gpu-blocks-override", 0},
    {"max-loras", 0},
};

static bool judge_suffix(const char *line, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, release, &value);
    size_t size = flag != NULL ? strcspn(value, " \n") : 0;
    if (size == 0 || strchr("kKmMgGtT", value[size - 1]) == NULL) {
        return false;
    }
    bool trillions = kvb_lower(value[size - 1]) == 't';
    for (size_t i = 0; i < sizeof whole_numbers / sizeof whole_numbers[0]; i++) {
        uint32_t since = whole_numbers[i].suffix_since;
        bool none = since == 0 || release < since;
        if (strcmp(whole_numbers[i].flag, flag->name) == 0 && (none || (trillions && release < TRILLIONS_SINCE))) {
            kvb_add_text(out, OPTIONAL_CAPACITY, "argument --");
            kvb_add_text(out, OPTIONAL_CAPACITY, flag->name);
            kvb_add_text(out, OPTIONAL_CAPACITY,
                         none ? ": invalid int value: '" : ": invalid human_readable_int value: '");
            add(out, value, size);
            kvb_add_text(out, OPTIONAL_CAPACITY, "'");
            return true;
        }
    }
    return false;
}

// A switch takes no value: "--flag=True" is refused by name, and of "--flag True" the word is left over.
static bool judge_switch(const char *line, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    bool off;
    const struct kvb_known_flag *flag = kvb_vllm_flag_given(line, release, &value, &off);
    bool takes_none = flag != NULL && (flag->values == '0' || flag->values == 'b');
    if (!takes_none || *value == '\0' || *value == '\n') {
        return false;
    }
    bool attached = value[-1] == '=';
    if (attached) {
        kvb_add_text(out, OPTIONAL_CAPACITY, "argument --");
        kvb_add_text(out, OPTIONAL_CAPACITY, flag->name);
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, attached ? ": ignored explicit argument '" : "unrecognized arguments: ");
    add(out, value, strcspn(value, "\n"));
    kvb_add_text(out, OPTIONAL_CAPACITY, attached ? "'" : "");
    return true;
}

// A word with a dot takes the one behind it, whatever that is: the parser reads past the end where there is none.
static bool judge_dotted(const struct kvb_deployment *deployment, const char *line, uint32_t release,
                         char out[OPTIONAL_CAPACITY])
{
    size_t name = strcspn(line, " =.\n"), length = strcspn(line, "\n");
    bool alone = line[name] == '.' && memchr(line, ' ', length) == NULL && memchr(line, '=', length) == NULL;
    if (!alone || line[length] == '\n' || deployment->serve_flags_cut || !dots_are_read(line, release)) {
        return false;
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, "IndexError: list index out of range: no value follows ");
    add(out, line, length);
    return true;
}

// A number below 0 with a point that stands in a word of its own is taken for a dotted flag.
// Source: vllm/utils/argparse_utils.py parse_args, from v0.9.2 (vllm/utils.py).
static bool judge_negative(const char *line, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    size_t name = strcspn(line, " =\n"), size = strcspn(line + name, "\n");
    const char *value = line + name + 1;
    bool apart = size > 2 && line[name] == ' ' && value[0] == '-' && (kvb_is_digit(value[1]) || value[1] == '.');
    if (!apart || memchr(value, '.', size - 1) == NULL || release < SHORT_DOTS_SINCE) {
        return false;
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, "IndexError: list index out of range: ");
    add(out, value, size - 1);
    kvb_add_text(out, OPTIONAL_CAPACITY, " is read as a flag with a member");
    return true;
}

// The beginning of several flags, of which none is named whole.
static bool judge_beginning(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    size_t length = strcspn(line, " =.\n");
    unsigned matches = 0;
    if (kvb_starts_with(line, "--") && kvb_vllm_is_release(engine)) {
        (void)kvb_flag_of(line + 2, length - 2, engine->release, &matches);
    }
    if (matches < 2) {
        return false;
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, "ambiguous option: ");
    add(out, line, length);
    kvb_add_text(out, OPTIONAL_CAPACITY, " could match several flags");
    return true;
}

// -O{...}: what follows -O at once is the level of the config from 0.9.2 on, and has to be one.
static bool judge_level(const char *line, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    if (release < ATTACHED_LEVEL_SINCE || !kvb_starts_with(line, "-O{")) {
        return false;
    }
    kvb_add_text(out, OPTIONAL_CAPACITY,
                 release < LEVEL_SINCE
                     ? "1 validation error for CompilationConfig, level: Input should be a valid integer"
                     : "1 validation error for VllmConfig, optimization_level: Input should be 0, 1, 2 or 3");
    return true;
}

// A flag that takes a value, and the line ends behind its name; not where there was no room for the value.
static bool judge_missing(const struct kvb_deployment *deployment, const char *line, const struct kvb_engine *engine,
                          char out[OPTIONAL_CAPACITY])
{
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &value);
    bool ends = *value == '\n' || (*value == '\0' && !deployment->serve_flags_cut);
    bool several = flag != NULL && flag->values == '+';
    if (flag == NULL || (flag->values != '1' && !several) || !ends || value[-1] == ' ' || value[-1] == '=' ||
        !kvb_vllm_is_release(engine)) {
        return false;
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, "argument --");
    kvb_add_text(out, OPTIONAL_CAPACITY, flag->name);
    kvb_add_text(out, OPTIONAL_CAPACITY, several ? ": expected at least one argument" : ": expected one argument");
    return true;
}

// argparse reads all values before it says which flags it does not know.
static bool judge_values(const struct kvb_deployment *deployment, const struct kvb_engine *engine,
                         char out[OPTIONAL_CAPACITY])
{
    uint32_t release = engine->release;
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        if (judge_beginning(line, engine, out) || judge_level(line, release, out) ||
            judge_missing(deployment, line, engine, out) || judge_suffix(line, release, out) ||
            judge_switch(line, release, out) || judge_device(line, release, out) ||
            judge_dotted(deployment, line, release, out) || judge_negative(line, release, out) ||
            kvb_vllm_judge_list(line, engine, out) || kvb_vllm_judge_number(line, engine, out) ||
            kvb_vllm_judge_bound(line, engine, out) || kvb_vllm_judge_value(deployment, line, engine, out) ||
            kvb_vllm_judge_mapping(line, engine, out) || kvb_vllm_judge_json(deployment, line, engine, out) ||
            kvb_vllm_judge_modules(line, engine, out)) {
            return true;
        }
    }
    return kvb_vllm_judge_executors(deployment, release, out) || kvb_vllm_judge_loader(deployment, engine, out) ||
           kvb_vllm_judge_schemes(deployment, engine, out);
}

// A build that is not the release itself may have a flag of a later one; what was there and is gone stays gone.
static bool may_be_newer(const char *line, const struct kvb_engine *engine)
{
    size_t length = strcspn(line, " =.\n");
    unsigned matches;
    if (kvb_vllm_is_release(engine) || !kvb_starts_with(line, "--")) {
        return false;
    }
    const struct kvb_known_flag *row = kvb_flag_of(line + 2, length - 2, 0, &matches);
    return row == NULL || !kvb_flag_is_gone(row->name, engine->release);
}

void kvb_vllm_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine,
                    char out[OPTIONAL_CAPACITY])
{
    uint32_t release = engine->release;
    const char *opening = deployment->serve_module ? "api_server.py: error: " : "vllm: error: ";
    const char *unrecognised = "unrecognized arguments:";
    bool found = false;
    out[0] = '\0';
    if (judge_values(deployment, engine, out)) {
        return;
    }
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        size_t size = strcspn(line, "\n");
        if (size == 0 || is_known(line, release) || may_be_newer(line, engine)) {
            continue;
        }
        if (!found) {
            kvb_add_text(out, OPTIONAL_CAPACITY, opening);
            kvb_add_text(out, OPTIONAL_CAPACITY, unrecognised);
        }
        found = true;
        add_flag(out, line, size, release);
    }
    if (!found) {
        (void)kvb_vllm_judge_variables(deployment->environment.noted, engine, out);
    }
}

// Classes whose configs name themselves otherwise, or not at all: docs/models of v0.9.0 and v0.27.1 ask for the name.
const char *kvb_vllm_class_called(const struct kvb_model *model)
{
    static const struct {
        const char *architecture, *overrides;
    } rows[] = {
        {"GteNewModel", "{\"architectures\": [\"GteNewModel\"]}"},
        {"GteNewForSequenceClassification", "{\"architectures\": [\"GteNewForSequenceClassification\"]}"},
        {"DeepseekVLV2ForCausalLM", "{\"architectures\": [\"DeepseekVLV2ForCausalLM\"]}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(model->architecture, rows[i].architecture) == 0) {
            return rows[i].overrides;
        }
    }
    return NULL;
}

const char *kvb_vllm_companion(enum kvb_setting setting, uint64_t number, uint32_t release)
{
    bool asks = setting == KVB_SET_QUANTIZATION && number == KVB_QUANTIZATION_BITSANDBYTES;
    return asks && release >= BITSANDBYTES_SINCE && release < FORMAT_FOLLOWS_SINCE ? "--load-format bitsandbytes"
                                                                                   : NULL;
}

enum kvb_off_form kvb_vllm_off_form(const char *name, uint32_t release)
{
    unsigned matches;
    const struct kvb_known_flag *row = kvb_flag_of(name, strlen(name), release, &matches);
    if (row == NULL || row->values == 'b') {
        return KVB_OFF_NEGATED;
    }
    return row->values == 'B' ? KVB_OFF_VALUE : row->values == '1' ? KVB_OFF_SPELLED : KVB_OFF_UNSAID;
}
