// Reading and writing one value of a setting by its row, and the precedence of origins.
#include "release/settings_value.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"

#define WHY_CAPACITY 256
#define SHOWN_VALUE_MAX 48

static void say(char why[WHY_CAPACITY], const char *text)
{
    size_t used = strlen(why);
    (void)kvb_copy(why + used, WHY_CAPACITY - used, text);
}

static void say_value(char why[WHY_CAPACITY], const char *text)
{
    char shown[SHOWN_VALUE_MAX];
    bool whole = kvb_copy(shown, sizeof shown, text);
    say(why, "'");
    say(why, shown);
    say(why, whole ? "'" : "...'");
}

static char *write_digits(char *out, uint64_t number)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < count; i++) {
        out[i] = digits[count - 1 - i];
    }
    out[count] = '\0';
    return out;
}

static void say_range(char why[WHY_CAPACITY], const struct kvb_setting_row *row)
{
    char number[48];
    say(why, " from ");
    say(why, kvb_setting_write(number, row, row->minimum));
    say(why, " to ");
    say(why, kvb_setting_write(number, row, row->maximum));
}

static void say_words(char why[WHY_CAPACITY], const struct kvb_setting_row *row, const char *text)
{
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, text);
    for (uint32_t i = 0; i < row->word_count; i++) {
        kvb_nearest_offer(&nearest, row->words[i].text);
    }
    if (nearest.best != NULL) {
        say(why, "; did you mean '");
        say(why, nearest.best);
        say(why, "'?");
        return;
    }
    say(why, "; expected one of ");
    for (uint32_t i = 0; i < row->word_count; i++) {
        if (i > 0 && row->words[i].number == row->words[i - 1].number) {
            continue;
        }
        if (strlen(why) + strlen(row->words[i].text) + 8 > WHY_CAPACITY) {
            say(why, ", ...");
            return;
        }
        say(why, i == 0 ? "" : ", ");
        say(why, row->words[i].text);
    }
}

static bool parse_word(const struct kvb_setting_row *row, const char *text, uint64_t *number)
{
    for (uint32_t i = 0; i < row->word_count; i++) {
        if (kvb_equal_ignoring_case(text, row->words[i].text)) {
            *number = row->words[i].number;
            return true;
        }
    }
    return false;
}

static bool parse_switch(const char *text, uint64_t *number)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (kvb_equal_ignoring_case(text, yes[i]) || kvb_equal_ignoring_case(text, no[i])) {
            *number = kvb_equal_ignoring_case(text, yes[i]) ? 1 : 0;
            return true;
        }
    }
    return false;
}

static bool parse_ppm(const char *text, uint64_t *number)
{
    uint32_t ppm;
    // Up to 1000 is read here so that "90" is called out of range and not a mistake of writing.
    bool understood = kvb_parse_ppm(text, 1000 * KVB_PPM, &ppm);
    *number = understood ? ppm : 0;
    return understood;
}

static bool parse_kind(const struct kvb_setting_row *row, const char *text, uint64_t *number)
{
    switch (row->kind) {
    case KVB_VALUE_PPM:
        return parse_ppm(text, number);
    case KVB_VALUE_GIB:
        return kvb_parse_gib(text, number);
    case KVB_VALUE_SWITCH:
        return parse_switch(text, number);
    case KVB_VALUE_WORD:
        return parse_word(row, text, number);
    case KVB_VALUE_PART:
        return row->words != NULL ? parse_word(row, text, number) : kvb_parse_count(text, number);
    default:
        return kvb_parse_count(text, number);
    }
}

static const char *expected(const struct kvb_setting_row *row)
{
    switch (row->kind) {
    case KVB_VALUE_PPM:
        return "a decimal number such as 0.9";
    case KVB_VALUE_GIB:
        return "a number of GiB such as 4 or 0.5";
    case KVB_VALUE_SWITCH:
        return "true or false";
    case KVB_VALUE_LENGTH:
        return "a whole number, 32k, 32K, 1M or auto";
    default:
        return "a whole number such as 4096, 4k or 4K";
    }
}

enum kvb_status kvb_setting_read(const struct kvb_setting_row *row, const char *text, uint64_t *number,
                                 char why[WHY_CAPACITY])
{
    uint64_t read = 0;
    why[0] = '\0';
    if (row->kind == KVB_VALUE_LENGTH && (kvb_equal_ignoring_case(text, "auto") || strcmp(text, "-1") == 0)) {
        *number = KVB_AUTO;
        return KVB_OK;
    }
    if (!parse_kind(row, text, &read)) {
        say_value(why, text);
        if (row->words != NULL) {
            say(why, " is not known");
            say_words(why, row, text);
        } else {
            say(why, " is not ");
            say(why, expected(row));
        }
        return KVB_BAD_TYPE;
    }
    if (read < row->minimum || read > row->maximum) {
        say_value(why, text);
        say(why, " is out of range; expected");
        say_range(why, row);
        return KVB_OUT_OF_RANGE;
    }
    *number = read;
    return KVB_OK;
}

bool kvb_setting_parse(enum kvb_setting setting, const char *text, uint64_t *number, char why[WHY_CAPACITY])
{
    return kvb_setting_read(kvb_setting_row_of(setting), text, number, why) == KVB_OK;
}

static const char *word_of(const struct kvb_setting_row *row, uint64_t number)
{
    for (uint32_t i = 0; i < row->word_count; i++) {
        if (row->words[i].number == number) {
            return row->words[i].text;
        }
    }
    return "unknown";
}

static void write_gib(char out[48], uint64_t bytes)
{
    char text[32];
    kvb_format_gib(text, (int64_t)bytes, 6);
    size_t length = strlen(text); // six decimals: there is a point to stop at
    while (text[length - 1] == '0') {
        length--;
    }
    text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    (void)kvb_copy(out, 48, text);
}

char *kvb_setting_write(char out[48], const struct kvb_setting_row *row, uint64_t number)
{
    if (row->words != NULL) {
        (void)kvb_copy(out, 48, word_of(row, number));
        return out;
    }
    switch (row->kind) {
    case KVB_VALUE_PPM:
        return kvb_format_ppm(out, (uint32_t)number);
    case KVB_VALUE_GIB:
        write_gib(out, number);
        return out;
    case KVB_VALUE_SWITCH:
        (void)kvb_copy(out, 48, number != 0 ? "true" : "false");
        return out;
    default:
        break;
    }
    if (number == KVB_AUTO) {
        (void)kvb_copy(out, 48, "auto");
        return out;
    }
    return write_digits(out, number);
}

char *kvb_setting_format(char out[48], enum kvb_setting setting, uint64_t number)
{
    return kvb_setting_write(out, kvb_setting_row_of(setting), number);
}

void kvb_settings_set(struct kvb_settings *settings, enum kvb_setting setting, uint64_t number, enum kvb_origin origin)
{
    struct kvb_setting_value *value = &settings->values[setting];
    if (value->set && value->origin > (uint8_t)origin) {
        return;
    }
    value->number = number;
    value->set = 1;
    value->origin = (uint8_t)origin;
}

const char *kvb_origin_name(enum kvb_origin origin)
{
    switch (origin) {
    case KVB_ORIGIN_PROFILE:
        return "profile";
    case KVB_ORIGIN_COMMAND:
        return "command";
    case KVB_ORIGIN_FLAG:
        return "flag";
    default:
        return "default";
    }
}
