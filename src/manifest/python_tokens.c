// Python's words: names, numbers, strings of every kind, signs; comments and blanks fall away.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/python.h"

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           ((unsigned char)c & 0x80U) != 0;
}

static void skip_blanks(struct kvb_py_reader *reader)
{
    for (;;) {
        const char *at = reader->text + reader->at;
        if (*at == '#') {
            reader->at += strcspn(at, "\n");
        } else if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
            reader->at += at[1] == '\n' ? 2 : 3;
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || (*at == '\n' && reader->brackets > 0)) {
            reader->at++;
        } else {
            return;
        }
    }
}

// The letters in front of a quote: r, b, f, u in any case. 0: no string begins here with letters.
static size_t prefix_length(const char *at)
{
    size_t length = strspn(at, "rRbBfFuUtT");
    return length <= 2 && (at[length] == '"' || at[length] == '\'') ? length : 0;
}

static void add_escape(struct kvb_buffer *out, const char *at)
{
    static const char from[] = "ntr\\'\"0", to[] = "\n\t\r\\'\" ";
    const char *known = at[0] != '\0' ? strchr(from, at[0]) : NULL;
    if (known != NULL) {
        kvb_buffer_add_n(out, &to[known - from], 1);
    } else if (at[0] != '\n' && !kvb_starts_with(at, "\r\n")) { // a line that goes on
        kvb_buffer_add_n(out, at - 1, 2);
    }
}

// "{name}", "{name:>8}" or "{a.b!r}" of an f-string as ${name}; returns what was read.
static size_t add_field(struct kvb_buffer *out, const char *at)
{
    size_t end = strcspn(at + 1, "}\n");
    if (at[1 + end] != '}') {
        kvb_buffer_add_n(out, at, 1);
        return 1;
    }
    size_t name = strcspn(at + 1, "!:}=");
    kvb_buffer_add(out, "${");
    kvb_buffer_add_n(out, at + 1, name < end ? name : end);
    kvb_buffer_add(out, "}");
    return end + 2;
}

// One character of a string; returns how many bytes it took.
static size_t add_character(struct kvb_buffer *out, const char *at, bool raw, bool formatted)
{
    if (*at == '\\' && at[1] != '\0' && !raw) {
        add_escape(out, at + 1);
        return at[1] == '\r' && at[2] == '\n' ? 3 : 2;
    }
    if (*at == '\\' && at[1] != '\0') {
        kvb_buffer_add_n(out, at, 2);
        return 2;
    }
    if (formatted && (at[0] == '{' || at[0] == '}') && at[1] == at[0]) {
        kvb_buffer_add_n(out, at, 1);
        return 2;
    }
    if (formatted && at[0] == '{') {
        return add_field(out, at);
    }
    kvb_buffer_add_n(out, at, 1);
    return 1;
}

static void read_string(struct kvb_py_reader *reader, size_t prefix)
{
    const char *begin = reader->text + reader->at, *at = begin + prefix;
    bool raw = false, triple = at[1] == at[0] && at[2] == at[0];
    char quote = *at;
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (size_t i = 0; i < prefix; i++) {
        raw = raw || begin[i] == 'r' || begin[i] == 'R';
        reader->token.formatted = reader->token.formatted || begin[i] == 'f' || begin[i] == 'F';
    }
    at += triple ? 3 : 1;
    reader->token.offset = (size_t)(at - reader->text);
    while (*at != '\0') {
        bool ends = *at == quote && (!triple || (at[1] == quote && at[2] == quote));
        if (ends || (!triple && *at == '\n')) {
            at += *at == '\n' ? 0 : triple ? 3 : 1;
            break;
        }
        at += add_character(&out, at, raw, reader->token.formatted);
    }
    reader->token.kind = KVB_PY_STRING;
    reader->token.text = kvb_manifest_keep(reader->manifest, &out);
    reader->at = (size_t)(at - reader->text);
}

static void read_plain(struct kvb_py_reader *reader, enum kvb_py_kind kind, size_t length)
{
    reader->token.kind = kind;
    reader->token.text = kvb_manifest_copy(reader->manifest, reader->text + reader->at, length);
    reader->at += length;
}

static size_t number_length(const char *at)
{
    size_t length = strspn(at, "0123456789_.");
    if ((at[length] == 'e' || at[length] == 'E') && length > 0) {
        length++;
        length += strspn(at + length, "+-");
        length += strspn(at + length, "0123456789");
    }
    return length;
}

static void read_sign(struct kvb_py_reader *reader)
{
    static const char *const pairs[] = {"**", "==", "+=", ":=", "->", "!=", "<=", ">=", "//", "-=", "*="};
    const char *at = reader->text + reader->at;
    size_t length = 1;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        length = kvb_starts_with(at, pairs[i]) ? 2 : length;
    }
    if (strchr("([{", *at) != NULL) {
        reader->brackets++;
    } else if (strchr(")]}", *at) != NULL && reader->brackets > 0) {
        reader->brackets--;
    }
    read_plain(reader, KVB_PY_SIGN, length);
}

void kvb_py_next(struct kvb_py_reader *reader)
{
    bool begins = reader->token.kind == KVB_PY_LINE || reader->at == 0;
    skip_blanks(reader);
    const char *at = reader->text + reader->at;
    size_t prefix = prefix_length(at);
    reader->line_begins = begins;
    reader->token = (struct kvb_py_token){.kind = KVB_PY_END, .text = "", .offset = reader->at};
    if (*at == '\0' || reader->manifest->out_of_memory) {
        return;
    }
    if (*at == '\n') {
        read_plain(reader, KVB_PY_LINE, 1);
    } else if (prefix > 0 || *at == '"' || *at == '\'') {
        read_string(reader, prefix);
    } else if ((*at >= '0' && *at <= '9') || (*at == '.' && at[1] >= '0' && at[1] <= '9')) {
        read_plain(reader, KVB_PY_NUMBER, number_length(at));
    } else if (is_name(*at)) {
        size_t length = 1;
        while (is_name(at[length])) {
            length++;
        }
        read_plain(reader, KVB_PY_NAME, length);
    } else {
        read_sign(reader);
    }
}

void kvb_py_begin(struct kvb_py_reader *reader, struct kvb_manifest *manifest)
{
    *reader = (struct kvb_py_reader){.manifest = manifest, .text = manifest->text};
    reader->token.kind = KVB_PY_LINE;
    kvb_py_next(reader);
}

bool kvb_py_is(const struct kvb_py_reader *reader, const char *sign)
{
    return reader->token.kind == KVB_PY_SIGN && strcmp(reader->token.text, sign) == 0;
}
