// What CompilationConfig says of the contents of its members, once their types are right.
// Source: vllm/config/compilation.py __post_init__ and post_init_cudagraph_sizes by tag (vllm/config.py before 0.10.1).
#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define OPERATIONS_SPELLED_SINCE R(11, 0)
#define OPERATIONS_AGREE_SINCE R(27, 0)
#define MODE_SINCE R(10, 1) // cudagraph_mode, beside two switches that it replaced
#define SWITCHES_IGNORED_SINCE R(11, 1)
#define SHAPES_SINCE R(12, 0)
#define SHAPES_CLOSED_SINCE R(13, 0) // no other keys
#define INDEXING_SINCE R(14, 0)      // assume_32_bit_indexing
#define COMPILE_MODE_SINCE R(11, 1)
#define KEYS_CLOSED_SINCE R(9, 0) // a plain dataclass for one release: any other key ends in a TypeError
#define KEYS_CLOSED_UNTIL R(9, 1)
#define TYPES_SINCE R(9, 1) // by pydantic

static bool say(char out[OPTIONAL_CAPACITY], const char *first, const char *word, size_t size, const char *last)
{
    out[0] = '\0';
    kvb_add_text(out, OPTIONAL_CAPACITY, first);
    kvb_append(out, OPTIONAL_CAPACITY, word, size);
    kvb_add_text(out, OPTIONAL_CAPACITY, last);
    return true;
}

// The inside of a text among JSON; false of anything else.
static bool read_text(const struct kvb_member *member, const char **text, size_t *size)
{
    bool quoted = member->size >= 2 && member->value[0] == '"';
    *text = member->value + 1;
    *size = quoted ? member->size - 2 : 0;
    return quoted;
}

static bool is(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

static bool find(const char *text, const char *key, struct kvb_member *out)
{
    for (const char *at = text; kvb_member_next(&at, out);) {
        if (strcmp(out->key, key) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_null(const struct kvb_member *member)
{
    return is(member->value, member->size, "null");
}

// ---- Operations of one's own

static bool is_misspelled(const char *op, size_t size, uint32_t release)
{
    bool base = is(op, size, "all") || is(op, size, "none");
    bool named = size > 0 && (op[0] == '+' || op[0] == '-') && (size > 1 || release < OPERATIONS_AGREE_SINCE);
    return release >= OPERATIONS_SPELLED_SINCE && !base && !named;
}

// Whether the list turns off the operation that `op` turns on.
static bool is_reversed(const char *list, const char *op, size_t size)
{
    struct kvb_member other;
    const char *text;
    size_t other_size;
    for (const char *at = list + 1; kvb_element_next(&at, &other);) {
        if (read_text(&other, &text, &other_size) && other_size == size && text[0] == '-' &&
            memcmp(text + 1, op + 1, size - 1) == 0) {
            return true;
        }
    }
    return false;
}

static bool judge_operations(const struct kvb_member *list, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    const char *op;
    size_t size;
    unsigned bases = 0;
    bool agree = release >= OPERATIONS_AGREE_SINCE;
    for (const char *at = list->value + 1; kvb_element_next(&at, &member);) {
        if (!read_text(&member, &op, &size)) {
            if (release >= TYPES_SINCE && memchr(member.value, '$', member.size) == NULL) {
                return say(out, "1 validation error for CompilationConfig, custom_ops: ", "", 0,
                           "Input should be a valid string");
            }
            continue;
        }
        if (is_misspelled(op, size, release)) {
            return say(out, "1 validation error for CompilationConfig, Invalid syntax '", op, size,
                       "' for custom op, must be 'all', 'none', '+op' or '-op'");
        }
        bases += is(op, size, "all") || is(op, size, "none") ? 1 : 0;
        if (agree && op[0] == '+' && is_reversed(list->value, op, size)) {
            return say(out,
                       "1 validation error for CompilationConfig, custom_ops cannot both enable and disable the same "
                       "operation(s): ",
                       op + 1, size - 1, ".");
        }
    }
    if (bases <= 1) {
        return false;
    }
    return say(out, agree ? "custom_ops can contain only one base mode: " : "Can only specify ", "", 0,
               agree ? "'all' or 'none'" : "'none' or 'all'");
}

// ---- Sizes that are compiled for

static bool judge_sizes(const struct kvb_member *list, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    const char *word;
    size_t size;
    for (const char *at = list->value + 1; kvb_element_next(&at, &member);) {
        if (read_text(&member, &word, &size) && !is(word, size, "cudagraph_capture_sizes")) {
            return say(out, "Unrecognized size type in compile_sizes, expect 'cudagraph_capture_sizes', got ", word,
                       size, "");
        }
    }
    return false;
}

// ---- Sizes that are captured

// Before they had types that pydantic reads, a list of numbers was asked for, and added up.
static bool judge_captured(const struct kvb_member *sizes, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member size;
    if (release >= TYPES_SINCE || is_null(sizes)) {
        return false;
    }
    if (sizes->value[0] != '[') {
        return say(out, "argument --compilation-config/-O: invalid value of cudagraph_capture_sizes: '", sizes->value,
                   sizes->size, "'");
    }
    for (const char *at = sizes->value + 1; release >= KEYS_CLOSED_SINCE && kvb_element_next(&at, &size);) {
        if (size.value[0] == '"') {
            return say(out, "cudagraph_capture_sizes: can only concatenate str (not \"int\") to str: ", size.value,
                       size.size, "");
        }
    }
    return false;
}

// ---- Ranges that are compiled for

#define ENDPOINTS_SINCE R(18, 0) // split points before
#define RANGES_SINCE R(13, 0)

// Whole numbers above 0. Source: vllm/config/vllm.py _set_compile_ranges.
static bool judge_ranges(const struct kvb_member *list, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    static const struct kvb_known_key_type whole = {"", "", 0, 0, "i", ' ', 0, ""};
    static const struct kvb_known_key_type positive = {"", "", 0, 0, "i", '>', 0, ""};
    struct kvb_member member;
    char sentence[64];
    bool endpoints = release >= ENDPOINTS_SINCE;
    for (const char *at = list->value + 1; kvb_element_next(&at, &member);) {
        if (memchr(member.value, '$', member.size) != NULL) {
            continue;
        }
        if (kvb_vllm_member_slips(&whole, &member, release, sentence)) {
            const char *field = endpoints ? "compile_ranges_endpoints" : "compile_ranges_split_points";
            (void)say(out, "1 validation error for CompilationConfig, ", field, strlen(field), ": ");
            kvb_add_text(out, OPTIONAL_CAPACITY, sentence);
            return true;
        }
        if (kvb_vllm_member_slips(&positive, &member, release, sentence)) {
            return say(out,
                       endpoints
                           ? "1 validation error for VllmConfig, Assertion failed, Invalid compile range endpoint: "
                           : "1 validation error for VllmConfig, Assertion failed, Invalid compile range split "
                             "point: ",
                       member.value, member.size, "");
        }
    }
    return false;
}

static bool names_ranges(const struct kvb_member *member, uint32_t release)
{
    return release >= RANGES_SINCE &&
           strcmp(member->key,
                  release >= ENDPOINTS_SINCE ? "compile_ranges_endpoints" : "compile_ranges_split_points") == 0;
}

// ---- Shapes

static bool judge_shape_keys(const struct kvb_member *shapes, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    for (const char *at = shapes->value; release >= SHAPES_CLOSED_SINCE && kvb_member_next(&at, &member);) {
        bool indexing = strcmp(member.key, "assume_32_bit_indexing") == 0 && release >= INDEXING_SINCE;
        if (strcmp(member.key, "type") != 0 && strcmp(member.key, "evaluate_guards") != 0 && !indexing) {
            return say(out, "1 validation error for CompilationConfig, dynamic_shapes_config.", member.key,
                       strlen(member.key), ": Unexpected keyword argument");
        }
    }
    return false;
}

static bool judge_shapes(const struct kvb_member *shapes, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    static const char *const types[] = {"\"backed\"", "\"unbacked\"", "\"backed_size_oblivious\""};
    struct kvb_member type;
    if (release < SHAPES_SINCE) {
        return false;
    }
    if (shapes->value[0] != '{') {
        return say(out, "1 validation error for CompilationConfig, dynamic_shapes_config: ", "", 0,
                   "Input should be an object");
    }
    if (!find(shapes->value, "type", &type)) {
        return judge_shape_keys(shapes, release, out);
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (is(type.value, type.size, types[i])) {
            return judge_shape_keys(shapes, release, out);
        }
    }
    return say(out, "1 validation error for CompilationConfig, dynamic_shapes_config.type: ", "", 0,
               "Input should be 'backed', 'unbacked' or 'backed_size_oblivious'");
}

// ---- Modes

// Names in any case, or whole numbers that are no text.
static const struct mode_row {
    const char *key;
    uint32_t since;
    unsigned numbers; // from 0
    const char *names[5];
    const char *text;
} modes[] = {
    {"mode",
     COMPILE_MODE_SINCE,
     4,
     {"NONE", "STOCK_TORCH_COMPILE", "DYNAMO_TRACE_ONCE", "VLLM_COMPILE", ""},
     "1 validation error for CompilationConfig, mode: Input should be 0, 1, 2 or 3, found "},
    {"cudagraph_mode",
     MODE_SINCE,
     3,
     {"NONE", "PIECEWISE", "FULL", "FULL_DECODE_ONLY", "FULL_AND_PIECEWISE"},
     "1 validation error for CompilationConfig, cudagraph_mode: Input should be 0, 1, 2, (2, 0) or (2, 1), found "},
};

static bool is_mode(const struct mode_row *row, const struct kvb_member *member)
{
    const char *text;
    size_t size;
    bool quoted = read_text(member, &text, &size);
    for (size_t i = 0; quoted && i < sizeof row->names / sizeof row->names[0]; i++) {
        if (size > 0 && strlen(row->names[i]) == size && kvb_starts_with_ignoring_case(text, row->names[i])) {
            return true;
        }
    }
    return is_null(member) || (member->size == 1 && (unsigned)(member->value[0] - '0') < row->numbers);
}

static bool judge_mode(const struct kvb_member *member, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].key, member->key) == 0 && release >= modes[i].since && !is_mode(&modes[i], member)) {
            return say(out, modes[i].text, member->value, member->size, "");
        }
    }
    return false;
}

// ---- Switches that a mode replaced

static bool judge_switches(const char *text, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    static const struct {
        const char *key, *value;
    } switches[] = {{"use_cudagraph", "false"}, {"full_cuda_graph", "true"}};
    struct kvb_member member;
    if (release < MODE_SINCE || release >= SWITCHES_IGNORED_SINCE || !find(text, "cudagraph_mode", &member) ||
        is_null(&member)) {
        return false;
    }
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (find(text, switches[i].key, &member) && is(member.value, member.size, switches[i].value)) {
            return say(out, "1 validation error for CompilationConfig, ", switches[i].key, strlen(switches[i].key),
                       " and cudagraph_mode are mutually exclusive");
        }
    }
    return false;
}

// ---- Keys of v0.9.0

static bool judge_keys(const char *text, char out[OPTIONAL_CAPACITY])
{
    static const char *const keys[] = {"level",
                                       "debug_dump_path",
                                       "cache_dir",
                                       "backend",
                                       "custom_ops",
                                       "splitting_ops",
                                       "use_inductor",
                                       "compile_sizes",
                                       "inductor_compile_config",
                                       "inductor_passes",
                                       "use_cudagraph",
                                       "cudagraph_num_of_warmups",
                                       "full_cuda_graph",
                                       "cudagraph_capture_sizes",
                                       "cudagraph_copy_inputs",
                                       "pass_config"};
    struct kvb_member member;
    for (const char *at = text; kvb_member_next(&at, &member);) {
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            known |= strcmp(keys[i], member.key) == 0;
        }
        if (!known) {
            return say(out, "argument --compilation-config/-O: invalid <lambda> value: ", text, strcspn(text, "\n"),
                       "");
        }
    }
    return false;
}

bool kvb_vllm_judge_compilation(const char *text, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    bool closed = release >= KEYS_CLOSED_SINCE && release < KEYS_CLOSED_UNTIL;
    if ((closed && judge_keys(text, out)) || judge_switches(text, release, out)) {
        return true;
    }
    for (const char *at = text; kvb_member_next(&at, &member);) {
        bool list = member.value[0] == '[';
        if (judge_mode(&member, release, out) ||
            (list && strcmp(member.key, "custom_ops") == 0 && judge_operations(&member, release, out)) ||
            (list && strcmp(member.key, "compile_sizes") == 0 && judge_sizes(&member, out)) ||
            (strcmp(member.key, "cudagraph_capture_sizes") == 0 && judge_captured(&member, release, out)) ||
            (list && names_ranges(&member, release) && judge_ranges(&member, release, out)) ||
            (strcmp(member.key, "dynamic_shapes_config") == 0 && judge_shapes(&member, release, out))) {
            return true;
        }
    }
    return false;
}
