// Lists and ranges as people write them: "8k..128k:x2", "1,2,4", "auto,fp8".
#include "answer/sweep_values.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"

void kvb_sweep_why(char why[256], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(why, 256, format, values);
    va_end(values);
}

static bool add(struct kvb_sweep_axis *axis, const char *text, uint64_t number, char why[256])
{
    for (uint32_t i = 0; i < axis->count; i++) {
        bool same = axis->kind == KVB_SWEEP_SETTING ? axis->values[i].number == number
                                                    : kvb_equal_ignoring_case(axis->values[i].text, text);
        if (same) {
            kvb_sweep_why(why, "'%.80s' is there twice", text);
            return false;
        }
    }
    if (axis->count == KVB_SWEEP_VALUES_MAX) {
        kvb_sweep_why(why, "these are more than %d values", KVB_SWEEP_VALUES_MAX);
        return false;
    }
    struct kvb_sweep_value *value = &axis->values[axis->count++];
    value->number = number;
    if (!kvb_copy(value->text, sizeof value->text, text)) {
        kvb_sweep_why(why, "'%.80s...' is too long", text);
        return false;
    }
    return true;
}

struct range {
    uint64_t first, last, step;
    bool multiplies;
};

// "+2" is counted in what the setting is written in: a gigabyte of its swap space, a share of the memory.
static bool read_step(const struct kvb_sweep_axis *axis, const char *text, struct range *range, char why[256])
{
    char ignored[256];
    enum kvb_value_kind kind = kvb_setting_row_of(axis->setting)->kind;
    range->multiplies = text[0] == 'x';
    bool readable = range->multiplies
                        ? kvb_parse_whole(text + 1, &range->step) && range->step > 1
                        : text[0] == '+' && kvb_setting_parse(axis->setting, text + 1, &range->step, ignored) &&
                              range->step != KVB_AUTO;
    if (!readable || range->step == 0) {
        kvb_sweep_why(why, "'%.40s' is no step of a range; expected such as x2 or +%s", text,
                      kind == KVB_VALUE_PPM ? "0.05" : "1");
        return false;
    }
    return true;
}

// FIRST..LAST[:STEP]; false also when a part cannot be read.
static bool read_range(const struct kvb_sweep_axis *axis, char *text, struct range *range, char why[256])
{
    char *dots = strstr(text, "..");
    char *step = strchr(dots, ':');
    *dots = '\0';
    if (step != NULL) {
        *step = '\0';
    }
    const struct kvb_setting_row *row = kvb_setting_row_of(axis->setting);
    if (row->kind == KVB_VALUE_WORD || row->kind == KVB_VALUE_SWITCH) {
        kvb_sweep_why(why, "%s takes words, which have no range; expected a list with commas", row->key);
        return false;
    }
    if (!kvb_setting_parse(axis->setting, text, &range->first, why) ||
        !kvb_setting_parse(axis->setting, dots + 2, &range->last, why)) {
        return false;
    }
    if (range->first > range->last || range->last == KVB_AUTO) {
        kvb_sweep_why(why, "'%.40s..%.40s' is no range; the first is the smaller one", text, dots + 2);
        return false;
    }
    *range = (struct range){range->first, range->last, 2, true};
    if (step != NULL && !read_step(axis, step + 1, range, why)) {
        return false;
    }
    if (range->multiplies && range->first == 0) {
        kvb_sweep_why(
            why, "'%.40s..%.40s' cannot be multiplied, as nothing times %llu is nothing; expected a step such as +%s",
            text, dots + 2, (unsigned long long)range->step, row->kind == KVB_VALUE_PPM ? "0.05" : "1");
        return false;
    }
    return true;
}

static bool add_range(struct kvb_sweep_axis *axis, char *text, char why[256])
{
    struct range range = {0};
    if (!read_range(axis, text, &range, why)) {
        return false;
    }
    for (uint64_t number = range.first; number <= range.last;) {
        char written[48];
        if (!add(axis, kvb_setting_format(written, axis->setting, number), number, why)) {
            return false;
        }
        number = range.multiplies ? kvb_mul(number, range.step) : kvb_add(number, range.step);
    }
    return true;
}

static bool add_word(struct kvb_sweep_axis *axis, char *word, char why[256])
{
    uint64_t number = 0;
    if (word[0] == '\0') {
        kvb_sweep_why(why, "a value is empty; expected values with commas between them");
        return false;
    }
    if (axis->kind == KVB_SWEEP_SETTING && strstr(word, "..") != NULL) {
        return add_range(axis, word, why);
    }
    if (axis->kind == KVB_SWEEP_SETTING && !kvb_setting_parse(axis->setting, word, &number, why)) {
        return false;
    }
    return add(axis, word, number, why);
}

bool kvb_sweep_values_read(struct kvb_sweep_axis *axis, const char *text, char why[256])
{
    axis->count = 0;
    for (const char *at = text;; at++) {
        char word[KVB_NAME_CAPACITY];
        size_t length = strcspn(at, ",");
        if (length >= sizeof word) {
            kvb_sweep_why(why, "a value is longer than %zu characters", sizeof word - 1);
            return false;
        }
        memcpy(word, at, length);
        word[length] = '\0';
        if (!add_word(axis, word, why)) {
            return false;
        }
        at += length;
        if (*at == '\0') {
            return true;
        }
    }
}
