// The cleaner of log text.
#include "logs/clean.h"

#include <string.h>

#include "base/utf8.h"
#include "logs/line_text.h"

struct cleaner {
    const char *in;
    size_t length;
    size_t at;
    char *out;
    size_t capacity;
    size_t used;
};

static char look(const struct cleaner *c, size_t ahead)
{
    if (c->at + ahead >= c->length) {
        return '\0';
    }
    return c->in[c->at + ahead];
}

static void emit(struct cleaner *c, char byte)
{
    if (c->used < c->capacity) {
        c->out[c->used++] = byte;
    }
}

// Length of "[0-9;]*m" behind an opening bracket at `from`, with bracket; 0 = none.
static size_t colour_length(const struct cleaner *c, size_t from)
{
    if (look(c, from) != '[') {
        return 0;
    }
    size_t i = from + 1;
    while (i < from + 20 && (kvb_is_digit(look(c, i)) || look(c, i) == ';')) {
        i++;
    }
    return look(c, i) == 'm' ? i - from + 1 : 0;
}

// Any "ESC [ ... letter", and "ESC ] ... BEL".
static size_t escape_length(const struct cleaner *c)
{
    if (look(c, 1) == '[') {
        size_t i = 2;
        while (i < 40 && look(c, i) >= 0x20 && look(c, i) < 0x40) {
            i++;
        }
        return i + 1;
    }
    if (look(c, 1) == ']') {
        size_t i = 2;
        while (i < 256 && look(c, i) != '\a' && look(c, i) != 0x1b && look(c, i) != '\0') {
            i++;
        }
        return look(c, i) == '\a' ? i + 1 : i;
    }
    return 2;
}

// Skips one colour sequence in any of its spellings; false when there is none here.
static bool skip_colour(struct cleaner *c)
{
    size_t length = 0;
    if (look(c, 0) == 0x1b) {
        length = escape_length(c);
    } else if (look(c, 0) == '^' && look(c, 1) == '[') {
        length = colour_length(c, 2);
        length = length != 0 ? length + 2 : 0;
    } else if (look(c, 0) == '[' && look(c, 1) != 'm') {
        bool border = c->used == 0 || !kvb_is_letter_or_digit(c->out[c->used - 1]);
        length = border ? colour_length(c, 0) : 0;
    }
    c->at += length;
    return length != 0;
}

static void emit_utf8(struct cleaner *c, uint32_t point)
{
    char bytes[4];
    size_t length = kvb_utf8_write(bytes, point);
    for (size_t i = 0; i < length; i++) {
        emit(c, bytes[i]);
    }
}

static int hex_digit(char c)
{
    if (kvb_is_digit(c)) {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unescape_code_point(struct cleaner *c)
{
    uint32_t point = 0;
    for (size_t i = 2; i < 6; i++) {
        int digit = hex_digit(look(c, i));
        if (digit < 0) {
            c->at += 2;
            return;
        }
        point = point * 16 + (uint32_t)digit;
    }
    c->at += 6;
    if (point == 0x1b) { // an escaped colour
        c->at += colour_length(c, 0);
    } else if (point >= 0x20 || point == '\t') {
        emit_utf8(c, point);
    }
}

static void unescape(struct cleaner *c)
{
    char code = look(c, 1);
    if (code == 'u') {
        unescape_code_point(c);
        return;
    }
    c->at += 2;
    if (code == 'n' || code == 'r') {
        emit(c, '\n');
    } else if (code == 't') {
        emit(c, '\t');
    } else if (code != '\0' && code != 'b' && code != 'f') {
        emit(c, code);
    }
}

// Skips what wrappers and quoting put at the start of a line: "vllm-1  | ", "> ", "| ".
static void skip_line_prefix(struct cleaner *c)
{
    size_t i = 0;
    while (i < 40 && (kvb_is_name(look(c, i)) || look(c, i) == '-')) {
        i++;
    }
    size_t name = i;
    while (i < 60 && look(c, i) == ' ') {
        i++;
    }
    if (name > 0 && i > name && look(c, i) == '|' && look(c, i + 1) == ' ') {
        c->at += i + 2;
        return;
    }
    while (look(c, 0) == '>' || (look(c, 0) == ' ' && look(c, 1) == '>')) {
        c->at++;
    }
}

size_t kvb_clean(const char *in, size_t length, bool json, unsigned max_lines, char *out, size_t capacity)
{
    struct cleaner c = {in, length, 0, out, capacity, 0};
    unsigned lines = 1;
    while (c.at < c.length && c.used != c.capacity) {
        unsigned char byte = (unsigned char)c.in[c.at];
        if (byte == '\n' || byte == '\r') {
            c.at++;
            if (byte == '\r' && look(&c, 0) == '\n') {
                c.at++;
            }
            if (lines++ == max_lines) {
                break;
            }
            emit(&c, '\n');
            skip_line_prefix(&c);
        } else if (json && byte == '\\') {
            unescape(&c);
        } else if (byte == '^' && look(&c, 1) == 'M' && (look(&c, 2) == '\n' || c.at + 2 >= c.length)) {
            c.at += 2; // a carriage return as an editor shows it
        } else if ((byte == 0x1b || byte == '^' || byte == '[') && skip_colour(&c)) {
            continue;
        } else {
            c.at++;
            if (byte >= 0x20 || byte == '\t') {
                emit(&c, (char)byte);
            }
        }
    }
    return c.used;
}

static size_t put_point(uint32_t point, char *out)
{
    struct cleaner c = {NULL, 0, 0, out, 3, 0};
    emit_utf8(&c, point);
    return c.used;
}

size_t kvb_utf16_decode(struct kvb_utf16 *state, const char *in, size_t length, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)in[i];
        if (!state->has_byte) {
            state->byte = byte;
            state->has_byte = true;
            continue;
        }
        state->has_byte = false;
        uint32_t unit = state->big_endian ? (uint32_t)state->byte << 8 | byte : (uint32_t)byte << 8 | state->byte;
        bool surrogate = unit >= 0xd800 && unit < 0xe000;
        used += put_point(surrogate ? '?' : unit, out + used);
    }
    return used;
}

void kvb_printable(const char *in, size_t length, char *out, size_t capacity)
{
    size_t used = 0;
    bool blank = true; // leading blanks go, runs become one
    for (size_t i = 0; i < length;) {
        unsigned char byte = (unsigned char)in[i];
        if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
            i++;
            if (!blank && used + 1 < capacity) { // same: a blank at the end goes
                out[used++] = ' ';
            }
            blank = true;
            continue;
        }
        blank = false;
        size_t size = kvb_utf8_harmless(in + i, length - i);
        if (used + (size != 0 ? size : 1) >= capacity) {
            break;
        }
        if (size == 0) {
            out[used++] = '?';
            i++;
            continue;
        }
        memcpy(out + used, in + i, size);
        used += size;
        i += size;
    }
    while (used > 0 && out[used - 1] == ' ') {
        used--;
    }
    out[used] = '\0';
}

const char *kvb_packed_as(const unsigned char head[2])
{
    static const struct {
        unsigned char first, second;
        const char *name;
    } rows[] = {{0x1f, 0x8b, "gzip"}, {0x28, 0xb5, "zstd"}, {0xfd, 0x37, "xz"}, {'B', 'Z', "bzip2"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (head[0] == rows[i].first && head[1] == rows[i].second) {
            return rows[i].name;
        }
    }
    return NULL;
}
