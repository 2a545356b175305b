// The joiner of lines in parts: the head of each line is looked at, its rest only passes.
#include "logs/parts.h"

#include <string.h>

#include "logs/line_text.h"

#define LOOKED_MAX ((size_t)64 << 10) // without such a line, none is expected any more

struct outlet {
    kvb_parts_sink *sink;
    void *context;
};

static void emit(const struct outlet *out, const char *bytes, size_t length)
{
    if (length > 0) {
        out->sink(out->context, bytes, length);
    }
}

// Ends the line that was being joined: its break, and what came meanwhile.
static void release(struct kvb_parts *parts, const struct outlet *out)
{
    if (parts->joining) {
        emit(out, "\n", 1);
        emit(out, parts->held, parts->held_length);
    }
    parts->joining = false;
    parts->held_length = 0;
}

// Without room the line stays in parts.
static void hold(struct kvb_parts *parts, const struct outlet *out, const char *bytes, size_t length)
{
    if (length > KVB_PARTS_HELD - parts->held_length) {
        release(parts, out);
        parts->way = KVB_PARTS_OUT;
        emit(out, bytes, length);
        return;
    }
    memcpy(parts->held + parts->held_length, bytes, length);
    parts->held_length += length;
}

struct head {
    char stream, tag; // 0 = the line has no such head
};

// "2026-11-22T04:26:09.123456789Z stderr P ": a time of RFC 3339, the stream, the tag.
static struct head read_head(const char *text, size_t length)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd";
    size_t at = 0;
    for (; shape[at] != '\0'; at++) {
        if (at >= length || (shape[at] == 'd' ? !kvb_is_digit(text[at]) : text[at] != shape[at])) {
            return (struct head){0, 0};
        }
    }
    const char *blank = memchr(text + at, ' ', length - at);
    at = blank != NULL ? (size_t)(blank - text) : length;
    bool whole = length - at >= 9 && memcmp(text + at, " std", 4) == 0 && text[at + 7] == ' ' &&
                 (length - at == 9 || text[at + 9] == ' ');
    bool error = whole && memcmp(text + at + 4, "err", 3) == 0;
    bool known = error || (whole && memcmp(text + at + 4, "out", 3) == 0);
    if (!known || (text[at + 8] != 'P' && text[at + 8] != 'F')) {
        return (struct head){0, 0};
    }
    return (struct head){error ? 'e' : 'o', text[at + 8]};
}

static bool is_foreign(const struct kvb_parts *parts, const struct head *head)
{
    return parts->joining && head->stream != '\0' && head->stream != parts->stream;
}

// The head is as long as it gets: decides where the line goes.
static void judge_head(struct kvb_parts *parts, const struct outlet *out)
{
    struct head head = read_head(parts->head, parts->head_length);
    size_t length = parts->head_length;
    parts->head_length = 0;
    parts->seen |= head.stream != '\0';
    if (is_foreign(parts, &head)) {
        parts->way = KVB_PARTS_HOLD;
        parts->part = false;
        hold(parts, out, parts->head, length);
        return;
    }
    parts->way = KVB_PARTS_OUT;
    parts->part = head.tag == 'P';
    if (parts->joining && head.stream != '\0' && parts->held_length < KVB_PARTS_HELD) {
        hold(parts, out, "\n", 1); // the break before this part
        return;
    }
    release(parts, out);
    parts->stream = head.stream;
    emit(out, parts->head, length);
}

static bool is_whole_head(const struct kvb_parts *parts)
{
    unsigned blanks = 0;
    for (size_t i = 0; i < parts->head_length; i++) {
        blanks += parts->head[i] == ' ';
    }
    return blanks == 3 || parts->head_length == KVB_PARTS_HEAD || !kvb_is_digit(parts->head[0]);
}

static size_t take_head(struct kvb_parts *parts, const struct outlet *out, const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && parts->way == KVB_PARTS_HEADING) {
        if (bytes[at] == '\n') {
            judge_head(parts, out);
            break;
        }
        parts->head[parts->head_length++] = bytes[at++];
        if (is_whole_head(parts)) {
            judge_head(parts, out);
        }
    }
    return at;
}

static void begin_line(struct kvb_parts *parts)
{
    parts->way = KVB_PARTS_HEADING;
    parts->off = !parts->seen && parts->looked >= LOOKED_MAX;
}

static void end_line(struct kvb_parts *parts, const struct outlet *out)
{
    if (parts->way == KVB_PARTS_HOLD) {
        hold(parts, out, "\n", 1);
    } else if (parts->part) {
        parts->joining = true;
    } else { // the last part: a line that is no part ends in take_rest
        release(parts, out);
    }
    begin_line(parts);
}

static size_t take_rest(struct kvb_parts *parts, const struct outlet *out, const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    size_t rest = end != NULL ? (size_t)(end - bytes) : length;
    bool held = parts->way == KVB_PARTS_HOLD;
    if (held) {
        hold(parts, out, bytes, rest);
    }
    bool plain = end != NULL && parts->way == KVB_PARTS_OUT && !parts->part && !parts->joining;
    if (held) { // and had no room
        emit(out, end, plain);
    } else {
        emit(out, bytes, rest + plain);
    }
    if (plain) {
        begin_line(parts);
    } else if (end != NULL) {
        end_line(parts, out);
    }
    return rest + (end != NULL);
}

void kvb_parts_feed(struct kvb_parts *parts, const char *bytes, size_t length, kvb_parts_sink *sink, void *context)
{
    struct outlet out = {sink, context};
    while (length > 0 && !parts->off) {
        size_t taken = parts->way == KVB_PARTS_HEADING ? take_head(parts, &out, bytes, length)
                                                       : take_rest(parts, &out, bytes, length);
        parts->looked += taken;
        bytes += taken;
        length -= taken;
    }
    emit(&out, bytes, length);
}

void kvb_parts_finish(struct kvb_parts *parts, kvb_parts_sink *sink, void *context)
{
    struct outlet out = {sink, context};
    if (parts->head_length > 0) {
        judge_head(parts, &out);
    }
    release(parts, &out);
}
