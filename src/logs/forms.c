// The recogniser of forms.
#include "logs/forms.h"

#include <string.h>

#include "logs/line_text.h"

// A name without a message ends its line; what stands before "Error" is a letter.
#define BARE(letter)                                                                                                   \
    {"?" letter "Error\n", KVB_FORM_EXCEPTION, 1},                                                                     \
    {                                                                                                                  \
        "?" letter "Error\r", KVB_FORM_EXCEPTION, 1                                                                    \
    }

const struct kvb_form_anchor kvb_form_anchors[] = {
    {"?Error: ", KVB_FORM_EXCEPTION, 1},
    {"?Error:\n", KVB_FORM_EXCEPTION, 1},
    {"?Error:\r", KVB_FORM_EXCEPTION, 1},
    {"?Error\\n", KVB_FORM_EXCEPTION, 1},
    {"?Error('", KVB_FORM_EXCEPTION, 1},
    {"?Error(\"", KVB_FORM_EXCEPTION, 1},
    {"?Error(\\", KVB_FORM_EXCEPTION, 1},
    {"?Error):", KVB_FORM_EXCEPTION, 1},
    {"xception", KVB_FORM_EXCEPTION, 0},
    {"nterrupt", KVB_FORM_EXCEPTION, 0},
    {"Timeout:", KVB_FORM_EXCEPTION, 0},
    {"esources", KVB_FORM_EXCEPTION, 0},
    {"temExit:", KVB_FORM_EXCEPTION, 0},
    {"? error:", KVB_FORM_EXCEPTION, 1},
    {"\nerror: ", KVB_FORM_EXCEPTION, 0},
    {"e error,", KVB_FORM_EXCEPTION, 0},
    {"panicked", KVB_FORM_EXCEPTION, 0},
    {"?panic: ", KVB_FORM_EXCEPTION, 1},
    {"?what():", KVB_FORM_EXCEPTION, 1},
    {"][ERROR]", KVB_FORM_EXCEPTION, 0},
    {"TRT] [E]", KVB_FORM_EXCEPTION, 0},
    {"LLM] [E]", KVB_FORM_EXCEPTION, 0},
    {"? File \"", KVB_FORM_FRAME, 1},
    {"? File \\", KVB_FORM_FRAME, 1}, // in a string of JSON
    {"?\nFile \"", KVB_FORM_FRAME, 1},
    {"?Killed\n", KVB_FORM_KILLED, 1},
    {"?Killed\r", KVB_FORM_KILLED, 1},
    {"?Killed ", KVB_FORM_KILLED, 1},
    {"?killed ", KVB_FORM_KILLED, 1},
    {"?ERROR 0", KVB_FORM_RECORD, 1},
    {"?ERROR 1", KVB_FORM_RECORD, 1},
    BARE("a"),
    BARE("b"),
    BARE("c"),
    BARE("d"),
    BARE("e"),
    BARE("f"),
    BARE("g"),
    BARE("h"),
    BARE("i"),
    BARE("k"),
    BARE("l"),
    BARE("m"),
    BARE("n"),
    BARE("o"),
    BARE("p"),
    BARE("q"),
    BARE("r"),
    BARE("s"),
    BARE("t"),
    BARE("u"),
    BARE("w"),
    BARE("x"),
    BARE("y"),
    BARE("z"),
    BARE("A"),
    BARE("B"),
    BARE("C"),
    BARE("D"),
    BARE("F"),
    BARE("G"),
    BARE("I"),
    BARE("L"),
    BARE("M"),
    BARE("O"),
    BARE("P"),
    BARE("Q"),
    BARE("S"),
    BARE("T"),
    BARE("X"),
    BARE("Z"),
};
const size_t kvb_form_anchor_count = sizeof kvb_form_anchors / sizeof kvb_form_anchors[0];

// ---- Exceptions

// The last part of a dotted name begins with a capital and is no constant.
static bool is_class_name(const char *record, size_t from, size_t to)
{
    size_t part = to;
    while (part > from && record[part - 1] != '.') {
        part--;
    }
    return part < to && kvb_is_upper(record[part]) && to - part < 80;
}

static bool ends_name(const char *record, size_t length, size_t at)
{
    if (at >= length) {
        return true;
    }
    return strchr(":\n\r('\"\\", record[at]) != NULL;
}

// "RayTaskError(ValueError): text" is the inner one.
static size_t inner_name(const char *record, size_t from)
{
    if (from > 0 && record[from - 1] == '(') {
        from--;
        while (from > 0 && kvb_is_name(record[from - 1])) {
            from--;
        }
    }
    return from;
}

static bool read_exception(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    size_t to = at;
    while (to < length && kvb_is_name(record[to])) {
        to++;
    }
    size_t from = at;
    while (from > 0 && kvb_is_name(record[from - 1])) {
        from--;
    }
    if (to < length && record[to] == ')') {
        size_t outer = inner_name(record, from);
        place->start = from;
        place->end = kvb_line_end(record, length, to);
        return outer < from && is_class_name(record, from, to) && kvb_form_begins_message(record, outer);
    }
    place->start = from;
    place->end = kvb_line_end(record, length, to);
    return is_class_name(record, from, to) && ends_name(record, length, to) && kvb_form_begins_message(record, from);
}

// "prog: error: ...", the words of argparse.
static bool read_argparse(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    size_t start = kvb_line_start(record, at);
    size_t from = at;
    while (from > start && (kvb_is_name(record[from - 1]) || record[from - 1] == '-' || record[from - 1] == '/')) {
        from--;
    }
    bool second = from > start && from < at && record[from - 1] == ' '; // "vllm serve: error:"
    if (second && !kvb_form_begins_message(record, from)) {
        size_t word = from - 1;
        while (word > start && (kvb_is_name(record[word - 1]) || record[word - 1] == '-')) {
            word--;
        }
        from = word;
    }
    place->start = from;
    place->end = kvb_line_end(record, length, at);
    bool slurm = kvb_has_word(record + from, at - from, "slurm") || kvb_has_word(record + from, at - from, "srun");
    return from < at && !slurm && kvb_form_begins_message(record, from);
}

// "CUDA error: ...", "CUDA runtime error: ...": a few words of an error without a class.
static bool read_phrase(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    size_t start = kvb_line_start(record, at);
    size_t from = at;
    for (unsigned words = 0; words < 3; words++) {
        size_t word = from;
        while (word > start && kvb_is_name(record[word - 1])) {
            word--;
        }
        if (word == from) {
            break;
        }
        place->start = word;
        place->end = kvb_line_end(record, length, at);
        if (kvb_form_begins_message(record, word)) {
            return true;
        }
        from = record[word - 1] == ' ' ? word - 1 : word; // at the line's start a message begins
    }
    return false;
}

// "Value error, ..." of pydantic.
static bool read_pydantic(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    bool value = at >= 4 && memcmp(record + at - 4, "Valu", 4) == 0;
    place->start = value ? at - 4 : at;
    place->end = kvb_line_end(record, length, at);
    return value && kvb_form_begins_message(record, place->start);
}

// "[TM][ERROR] text", "[RANK 1] [E] text": engines that log errors and never raise them.
static bool read_marked(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    size_t start = kvb_line_start(record, at);
    at += strlen("][ERROR]"); // or "TRT] [E]", which is as long
    bool ours = kvb_has_word(record + start, at - start, "[TM") ||
                kvb_has_word(record + start, at - start, "TensorRT") || kvb_has_word(record + start, at - start, "TRT");
    place->start = at;
    while (place->start < length && record[place->start] == ' ') {
        place->start++;
    }
    place->end = kvb_line_end(record, length, place->start);
    return ours && place->end > place->start;
}

static bool begins(const char *record, size_t length, size_t at, const char *word)
{
    size_t size = strlen(word);
    return at + size <= length && memcmp(record + at, word, size) == 0;
}

static bool read_any_exception(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    if (begins(record, length, at, " error:")) {
        bool colon = at > 0 && record[at - 1] == ':';
        return colon ? read_argparse(record, length, at - 1, place) : read_phrase(record, length, at, place);
    }
    if (begins(record, length, at, "error: ")) { // "error: invalid argument: --x"
        place->start = at;
        place->end = kvb_line_end(record, length, at);
        return kvb_form_begins_message(record, at);
    }
    if (begins(record, length, at, "e error,")) {
        return read_pydantic(record, length, at, place);
    }
    if (begins(record, length, at, "][ERROR]") || begins(record, length, at, "TRT] [E]") ||
        begins(record, length, at, "LLM] [E]")) {
        return read_marked(record, length, at, place);
    }
    bool rust = begins(record, length, at, "panicked");
    if (rust || begins(record, length, at, "panic: ") || begins(record, length, at, "what():")) {
        size_t start = kvb_line_start(record, at);
        place->start = at;
        place->end = kvb_line_end(record, length, at);
        return (rust && kvb_has_word(record + start, at - start, "thread")) || kvb_form_begins_message(record, at);
    }
    return read_exception(record, length, at, place);
}

// ---- Killed

// "Killed", "script.sh: line 3: 1234 Killed   vllm serve", "zsh: killed  vllm", "Killed process 12 (python)".
static bool read_killed(const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    size_t start = kvb_line_start(record, at);
    size_t behind = at + 6;
    bool alone = kvb_line_end(record, length, behind) == behind || begins(record, length, behind, "  ") ||
                 begins(record, length, behind, " process ");
    size_t to = at;
    while (to > start && record[to - 1] == ' ') {
        to--;
    }
    bool shell = to > start && (kvb_is_digit(record[to - 1]) || kvb_ends_with_n(record + start, to - start, "zsh:"));
    place->start = shell ? start : at;
    place->end = kvb_line_end(record, length, at);
    return alone && (shell || kvb_form_begins_message(record, at));
}

bool kvb_form_read(enum kvb_form form, const char *record, size_t length, size_t at, struct kvb_form_place *place)
{
    switch (form) {
    case KVB_FORM_EXCEPTION:
        return read_any_exception(record, length, at, place);
    case KVB_FORM_KILLED:
        return read_killed(record, length, at, place);
    case KVB_FORM_RECORD:
        place->start = kvb_line_end(record, length, at);
        place->end = place->start;
        return true;
    case KVB_FORM_FRAME:
        place->start = at;
        place->end = kvb_line_end(record, length, at);
        return kvb_form_begins_message(record, at);
    default:
        return false;
    }
}

#define EARLY 8 // characters of a message that the search needs to see on one line

bool kvb_form_wrapped_early(const char *record, const struct kvb_form_place *place)
{
    size_t at = place->end > EARLY + 1 ? place->end - EARLY - 1 : 2;
    for (; at < place->end; at++) {
        if (at > place->start + 1 && record[at - 2] == ':' && record[at - 1] == ' ') {
            return true;
        }
    }
    return false;
}

// ---- Whose frame it is

enum kvb_log_engine kvb_form_engine(const char *text, size_t length)
{
    static const struct {
        const char *package;
        enum kvb_log_engine engine;
    } rows[] = {
        {"sglang/srt", KVB_LOG_SGLANG},   {"text_generation_server", KVB_LOG_TGI},
        {"lmdeploy/", KVB_LOG_LMDEPLOY},  {"tensorrt_llm", KVB_LOG_TENSORRT},
        {"llama_cpp/", KVB_LOG_LLAMACPP}, {"/vllm/", KVB_LOG_VLLM},
        {"\\vllm\\", KVB_LOG_VLLM},       {"\"vllm/", KVB_LOG_VLLM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_has_word(text, length, rows[i].package)) {
            return rows[i].engine;
        }
    }
    return KVB_LOG_UNKNOWN_ENGINE;
}
