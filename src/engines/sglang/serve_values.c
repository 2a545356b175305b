// Values of a serve line as argparse takes them: type=int, float and json.loads, and the words of choices=.
// Source: sgl-project/sglang, python/sglang/srt/server_args.py by release (scripts/sglang-tables); Python's argparse.
#include <string.h>

#include "base/json_text.h"
#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/sglang/known_flags.h"
#include "engines/sglang/serve.h"

#define JUDGED 256
#define SHOWN 60 // of a value in it

struct value {
    const char *text;
    size_t size;
};

static bool is_word(const char *flag, uint32_t release, const struct value *value)
{
    size_t next = 0;
    const char *word;
    while ((word = kvb_sgl_known_word_of(flag, release, &next)) != NULL) {
        if (strlen(word) == value->size && strncmp(word, value->text, value->size) == 0) {
            return true;
        }
    }
    return false;
}

// Digits alone are compared with the words; other spellings of an int, "+1", are taken as one.
static bool is_plain(const struct value *value)
{
    return value->size > 0 && strspn(value->text, "0123456789") >= value->size;
}

// utils/common.py human_readable_int v0.5.10: 8k, 25.6k, 1M, 8Ki and what int() reads.
static bool is_human(const struct value *value)
{
    static const char digits[] = "0123456789";
    const char *first = value->text + strspn(value->text, " ");
    size_t whole = strspn(first, digits), point = first[whole] == '.' ? 1 : 0;
    size_t decimals = point * strspn(first + whole + point, digits);
    const char *suffix = first + whole + point + decimals;
    size_t length = strcspn(suffix, " \n");
    bool decimal = length == 1 && memchr("kMGT", *suffix, 4) != NULL && point == (decimals > 0 ? 1 : 0);
    bool binary = length == 2 && memchr("KMGT", *suffix, 4) != NULL && suffix[1] == 'i' && point == 0;
    bool alone = suffix + length + strspn(suffix + length, " ") == value->text + value->size;
    return (whole > 0 && alone && (decimal || binary)) || kvb_python_is_int(value->text, value->size);
}

// Whatever else json.loads takes, what reads it takes a list or a mapping.
static bool is_json(const struct value *value)
{
    struct kvb_json_slip slip;
    char opening = value->text[strspn(value->text, " ")];
    return kvb_json_is_whole(value->text, value->size, opening == '[' ? '[' : '{', KVB_JSON, &slip);
}

static bool takes(const struct kvb_sgl_known_flag *row, uint32_t release, const struct value *value)
{
    struct kvb_python_number number;
    switch (row->type) {
    case 'i':
        return kvb_python_is_int(value->text, value->size);
    case 'h':
        return is_human(value);
    case 'j':
        return is_json(value);
    case 'f':
        return kvb_python_read_float(value->text, value->size, &number);
    case 'w':
        return is_word(row->name, release, value);
    case 'd':
        return kvb_python_is_int(value->text, value->size) && (!is_plain(value) || is_word(row->name, release, value));
    default:
        return true;
    }
}

// " (choose from 'auto', 'slow')"; nothing where it would be cut.
static void say_words(const char *flag, uint32_t release, const char *quote, char out[JUDGED])
{
    char words[JUDGED] = "";
    size_t next = 0;
    const char *word, *between = " (choose from ";
    while ((word = kvb_sgl_known_word_of(flag, release, &next)) != NULL) {
        const char *const parts[] = {between, quote, word, quote};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            kvb_add_text(words, sizeof words, parts[i]);
        }
        between = ", ";
    }
    kvb_add_text(words, sizeof words, ")");
    if (strlen(out) + strlen(words) < JUDGED - 1) {
        kvb_add_text(out, JUDGED, words);
    }
}

// "argument --NAME: invalid int value: 'x'", "argument --NAME: invalid choice: 7 (choose from 0, 1)"
static void say(const struct kvb_sgl_known_flag *row, uint32_t release, const struct value *value, char out[JUDGED])
{
    bool choice = row->type == 'w' || (row->type == 'd' && is_plain(value));
    const char *quote = choice && row->type == 'd' ? "" : "'";
    kvb_add_text(out, JUDGED, "argument --");
    kvb_add_text(out, JUDGED, row->name);
    kvb_add_text(out, JUDGED,
                 choice             ? ": invalid choice: "
                 : row->type == 'f' ? ": invalid float value: "
                 : row->type == 'h' ? ": Invalid integer value: "
                 : row->type == 'j' ? ": invalid loads value: "
                                    : ": invalid int value: ");
    kvb_add_text(out, JUDGED, quote);
    kvb_append(out, JUDGED, value->text, value->size < SHOWN ? value->size : SHOWN);
    kvb_add_text(out, JUDGED, quote);
    if (choice) {
        say_words(row->name, release, quote, out);
    }
}

// A shell's variable, a template's action: its value is not said here.
static bool is_unsaid(const struct value *value)
{
    return memchr(value->text, '$', value->size) != NULL || kvb_find_within(value->text, value->size, "{{") != NULL;
}

bool kvb_sgl_judge_value(const struct kvb_sgl_known_flag *flag, const char *line, uint32_t release, char out[JUDGED])
{
    struct value value = {line + strcspn(line, " =\n"), 0};
    bool several = flag->values == '+';
    while (*value.text == ' ' || *value.text == '=') {
        value.text++;
        value.size = strcspn(value.text, several ? " \n" : "\n");
        bool none = is_unsaid(&value) || (several && value.size == 0 && value.text[-1] == ' '); // two blanks
        if (!none && !takes(flag, release, &value)) {
            say(flag, release, &value, out);
            return true;
        }
        value.text += value.size;
    }
    return false;
}
