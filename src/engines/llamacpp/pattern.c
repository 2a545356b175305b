// A pattern read as the steps of a machine (Thompson 1968; steps as in Pike's machine).
#include "engines/llamacpp/pattern.h"

#include <string.h>

#include "base/text.h"

#define GROUPS_MAX 12
#define REPEATS_MAX 64
#define ENDLESS (REPEATS_MAX + 1)
#define CLASS 256U // in place of a letter

struct reading {
    struct kvb_pattern *out;
    const char *at, *end;
    char *why;
    unsigned depth;
    bool failed;
};

static bool fail(struct reading *reading, const char *why)
{
    if (!reading->failed) {
        reading->failed = true;
        (void)kvb_copy(reading->why, KVB_PATTERN_WHY, why);
    }
    return false;
}

static bool more(const struct reading *reading)
{
    return !reading->failed && reading->at < reading->end;
}

static void emit(struct reading *reading, enum kvb_pattern_op op, unsigned letter)
{
    struct kvb_pattern *out = reading->out;
    if (out->count + 1U >= KVB_PATTERN_STEPS) {
        (void)fail(reading, "a pattern that is too long");
        return;
    }
    out->steps[out->count++] = (struct kvb_pattern_step){(uint8_t)op, (uint8_t)letter, 0, 0};
}

// Room for one step in front of a part; the jumps in it are relative and move along.
static void insert(struct reading *reading, uint16_t where, enum kvb_pattern_op op, int first, int second)
{
    struct kvb_pattern *out = reading->out;
    emit(reading, op, 0);
    if (reading->failed) {
        return;
    }
    memmove(&out->steps[where + 1], &out->steps[where], (size_t)(out->count - 1 - where) * sizeof out->steps[0]);
    out->steps[where] = (struct kvb_pattern_step){(uint8_t)op, 0, (int16_t)first, (int16_t)second};
}

// ---- Sets

static void put(uint32_t set[8], unsigned char c)
{
    set[c / 32] |= UINT32_C(1) << c % 32;
}

static void put_range(uint32_t set[8], unsigned first, unsigned last)
{
    for (unsigned c = first; c <= last; c++) {
        put(set, (unsigned char)c);
    }
}

// \d, \w, \s and their opposites; false: the letter stands for none.
static bool put_class(uint32_t set[8], char letter)
{
    uint32_t made[8] = {0};
    char small = kvb_lower(letter);
    if (small == 'd' || small == 'w') {
        put_range(made, '0', '9');
    }
    if (small == 'w') {
        put_range(made, 'a', 'z');
        put_range(made, 'A', 'Z');
        put(made, '_');
    }
    if (small == 's') {
        put(made, ' ');
        put_range(made, '\t', '\r');
    }
    if (small != 'd' && small != 'w' && small != 's') {
        return false;
    }
    for (unsigned i = 0; i < 8; i++) {
        set[i] |= small == letter ? made[i] : ~made[i];
    }
    return true;
}

static bool is_mark(char c)
{
    return c != '\0' && strchr("^$\\.*+?()[]{}|/-=_", c) != NULL;
}

// One character of a set, or a class, which has no number.
static bool take_member(struct reading *reading, uint32_t set[8], unsigned *letter)
{
    char c = *reading->at++;
    *letter = (unsigned char)c;
    if (c == '[' && more(reading) && strchr(":.=", *reading->at) != NULL) {
        return fail(reading, "a named class such as [:digit:]");
    }
    if (c != '\\') {
        return true;
    }
    if (!more(reading)) {
        return fail(reading, "a \\ at the end");
    }
    c = *reading->at++;
    *letter = put_class(set, c) ? CLASS : (unsigned char)c;
    if (*letter != CLASS && !is_mark(c)) {
        return fail(reading, "an escape other than \\d, \\w, \\s and marks");
    }
    return true;
}

static void take_members(struct reading *reading, uint32_t set[8])
{
    while (more(reading) && *reading->at != ']') {
        unsigned first, last;
        if (!take_member(reading, set, &first)) {
            return;
        }
        last = first;
        bool range = reading->end - reading->at > 1 && reading->at[0] == '-' && reading->at[1] != ']';
        if (range) {
            reading->at++;
            if (!take_member(reading, set, &last)) {
                return;
            }
        }
        if (range && (first == CLASS || last == CLASS || last < first)) { // std::regex takes no class at either end
            (void)fail(reading, "a range that runs backwards");
        } else if (first != CLASS) {
            put_range(set, first, last);
        }
    }
}

static void take_set(struct reading *reading)
{
    struct kvb_pattern *out = reading->out;
    bool others = more(reading) && *reading->at == '^';
    if (out->set_count == KVB_PATTERN_SETS) {
        (void)fail(reading, "more than 12 sets");
        return;
    }
    uint32_t *set = out->sets[out->set_count];
    reading->at += others;
    take_members(reading, set);
    if (!more(reading)) {
        (void)fail(reading, "a [ that is not closed");
        return;
    }
    reading->at++;
    for (unsigned i = 0; others && i < 8; i++) {
        set[i] = ~set[i];
    }
    emit(reading, KVB_STEP_SET, out->set_count++);
}

// ---- Parts

static void take_choice(struct reading *reading);

static void take_group(struct reading *reading)
{
    if (reading->end - reading->at > 1 && reading->at[0] == '?') {
        if (reading->at[1] != ':') {
            (void)fail(reading, "a look-ahead (?");
            return;
        }
        reading->at += 2;
    }
    if (++reading->depth > GROUPS_MAX) {
        (void)fail(reading, "groups more than 12 deep");
        return;
    }
    take_choice(reading);
    reading->depth--;
    if (!more(reading)) {
        (void)fail(reading, "a group that is not closed");
        return;
    }
    reading->at++; // the closing one: a choice ends there or at the end
}

static void take_escape(struct reading *reading)
{
    struct kvb_pattern *out = reading->out;
    if (!more(reading)) {
        (void)fail(reading, "a \\ at the end");
        return;
    }
    char c = *reading->at++;
    uint32_t set[8] = {0};
    if (put_class(set, c)) {
        if (out->set_count == KVB_PATTERN_SETS) {
            (void)fail(reading, "more than 12 sets");
            return;
        }
        memcpy(out->sets[out->set_count], set, sizeof set);
        emit(reading, KVB_STEP_SET, out->set_count++);
    } else if (is_mark(c)) {
        emit(reading, KVB_STEP_LETTER, (unsigned char)c);
    } else {
        (void)fail(reading, "an escape other than \\d, \\w, \\s and marks");
    }
}

static void take_atom(struct reading *reading)
{
    char c = *reading->at++;
    switch (c) {
    case '(':
        take_group(reading);
        break;
    case '[':
        take_set(reading);
        break;
    case '\\':
        take_escape(reading);
        break;
    case '.':
        emit(reading, KVB_STEP_ANY, 0);
        break;
    case '^':
    case '$':
        emit(reading, c == '^' ? KVB_STEP_BEGIN : KVB_STEP_END, 0);
        if (more(reading) && strchr("*+?{", *reading->at) != NULL) {
            (void)fail(reading, "a repetition of nothing");
        }
        break;
    case '*':
    case '+':
    case '?':
    case '{':
        (void)fail(reading, "a repetition of nothing");
        break;
    default:
        emit(reading, KVB_STEP_LETTER, (unsigned char)c);
        break;
    }
}

static bool take_count(struct reading *reading, unsigned *number)
{
    bool any = false;
    for (*number = 0; more(reading) && *reading->at >= '0' && *reading->at <= '9'; any = true) {
        *number = *number * 10 + (unsigned)(*reading->at++ - '0');
        if (*number > REPEATS_MAX) {
            return fail(reading, "more than 64 repetitions");
        }
    }
    return any;
}

// What a mark behind a part means; false: there is none.
static bool take_counts(struct reading *reading, unsigned *least, unsigned *most)
{
    char c = more(reading) ? *reading->at : '\0';
    *least = c == '+';
    *most = c == '?' ? 1 : ENDLESS;
    if (c == '*' || c == '+' || c == '?') {
        reading->at++;
    } else if (c != '{') {
        return false;
    } else {
        reading->at++;
        if (!take_count(reading, least)) {
            return fail(reading, "a { without a number");
        }
        *most = *least;
        if (more(reading) && *reading->at == ',') {
            reading->at++;
            *most = take_count(reading, most) ? *most : ENDLESS;
        }
        if (!more(reading) || *reading->at++ != '}') {
            return fail(reading, "a { that is not closed");
        }
        if (*most < *least) {
            return fail(reading, "a range that runs backwards");
        }
    }
    if (more(reading) && *reading->at == '?') { // as few as possible: the same names
        reading->at++;
    }
    return !reading->failed;
}

static void repeat_part(struct reading *reading, uint16_t begin, unsigned least, unsigned most)
{
    struct kvb_pattern *out = reading->out;
    struct kvb_pattern_step part[KVB_PATTERN_STEPS];
    uint16_t length = (uint16_t)(out->count - begin);
    unsigned times = most == ENDLESS ? least + 1 : most;
    memcpy(part, &out->steps[begin], length * sizeof part[0]);
    out->count = begin;
    for (unsigned i = 0; i < times && !reading->failed; i++) {
        uint16_t where = out->count;
        for (uint16_t j = 0; j < length; j++) {
            emit(reading, KVB_STEP_LETTER, 0);
        }
        if (reading->failed) {
            return;
        }
        memcpy(&out->steps[where], part, length * sizeof part[0]);
        if (i >= least) {
            insert(reading, where, KVB_STEP_SPLIT, 1, length + (most == ENDLESS ? 2 : 1));
        }
        if (i >= least && most == ENDLESS && !reading->failed) {
            emit(reading, KVB_STEP_JUMP, 0);
            out->steps[out->count - 1].first = (int16_t)(where - (out->count - 1));
        }
    }
}

static void take_sequence(struct reading *reading)
{
    while (more(reading) && *reading->at != '|' && *reading->at != ')') {
        unsigned least, most;
        uint16_t begin = reading->out->count;
        take_atom(reading);
        if (!reading->failed && take_counts(reading, &least, &most)) {
            repeat_part(reading, begin, least, most);
        }
    }
}

static void take_choice(struct reading *reading)
{
    struct kvb_pattern *out = reading->out;
    uint16_t begin = out->count;
    take_sequence(reading);
    while (more(reading) && *reading->at == '|') {
        reading->at++;
        insert(reading, begin, KVB_STEP_SPLIT, 1, out->count - begin + 2);
        uint16_t jump = out->count;
        emit(reading, KVB_STEP_JUMP, 0);
        take_sequence(reading);
        out->steps[jump].first = (int16_t)(out->count - jump);
    }
}

bool kvb_pattern_read(struct kvb_pattern *out, const char *text, size_t length, char why[KVB_PATTERN_WHY])
{
    struct reading reading = {.out = out, .at = text, .end = text + length, .why = why};
    memset(out, 0, sizeof *out);
    take_choice(&reading);
    if (more(&reading)) {
        (void)fail(&reading, "a ) without a (");
    }
    out->steps[out->count++] = (struct kvb_pattern_step){KVB_STEP_FOUND, 0, 0, 0};
    return !reading.failed;
}
