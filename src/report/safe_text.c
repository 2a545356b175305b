// Text from files and logs made harmless for a terminal or a JSON document.
#include "report/safe_text.h"

#include <string.h>

#include "base/utf8.h"
#include "report/style.h"

#define FOLLOWING 6U // blanks before a command that goes on

void kvb_text_add_safe_n(struct kvb_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t bytes = kvb_utf8_read(text + i, length - i, &code);
        if (bytes == 0 || !kvb_is_harmless(code)) {
            kvb_buffer_add_n(out, "?", 1);
            i += bytes == 0 ? 1 : bytes;
            continue;
        }
        kvb_buffer_add_n(out, text + i, bytes);
        i += bytes;
    }
}

void kvb_text_add_safe(struct kvb_buffer *out, const char *text)
{
    kvb_text_add_safe_n(out, text, strlen(text));
}

size_t kvb_text_piece(const char *text, size_t room)
{
    size_t stop = 0, i = 0;
    for (; text[i] != '\0' && text[i] != '\n'; i++) {
        if (text[i] == ' ') {
            stop = i;
        }
        if (i >= room && stop > 0) {
            return stop;
        }
    }
    return i;
}

void kvb_text_add_wrapped(struct kvb_buffer *out, const char *text, unsigned indent, unsigned width)
{
    size_t room = width > indent + 8 ? width - indent : 8;
    while (*text != '\0') {
        size_t length = kvb_text_piece(text, room);
        kvb_buffer_fill(out, ' ', indent);
        kvb_text_add_safe_n(out, text, length);
        kvb_buffer_add(out, "\n");
        text += length;
        while (*text == ' ') {
            text++;
        }
        if (*text == '\n') {
            text++;
        }
    }
}

void kvb_text_add_line(struct kvb_buffer *out, struct kvb_buffer *line)
{
    out->failed |= line->failed;
    if (!line->failed && line->length > 0) {
        kvb_text_add_wrapped(out, line->data, 0, kvb_page_width(out));
    }
    kvb_buffer_free(line);
}

// Where the next piece of the command ends once the line would be too long: before a flag, else between words.
static size_t command_piece(const char *text, size_t room)
{
    size_t before_flag = 0, between = 0;
    char quote = '\0';
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] == '\\' && quote != '\'' && text[i + 1] != '\0') {
            i++;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = quote == '\0' ? text[i] : quote == text[i] ? '\0' : quote;
        }
        if (i > room && between > 0) {
            return before_flag > 0 ? before_flag : between;
        }
        if (text[i] == ' ' && quote == '\0' && i > 0) {
            between = i;
            before_flag = text[i + 1] == '-' ? i : before_flag;
        }
    }
    size_t length = strlen(text);
    size_t stop = before_flag > 0 ? before_flag : between;
    return length > room && stop > 0 ? stop : length;
}

void kvb_text_add_command(struct kvb_buffer *out, const char *command, unsigned indent, unsigned width)
{
    while (*command != '\0') {
        size_t length = command_piece(command, width - 2 - indent);
        kvb_buffer_fill(out, ' ', indent);
        kvb_text_add_safe_n(out, command, length);
        command += length;
        command += *command == ' ' ? 1 : 0;
        kvb_buffer_add(out, *command != '\0' ? " \\\n" : "\n");
        indent = indent < FOLLOWING ? FOLLOWING : indent;
    }
}

void kvb_xml_add(struct kvb_buffer *out, const char *text)
{
    struct kvb_buffer safe;
    kvb_buffer_init(&safe);
    kvb_text_add_safe(&safe, text);
    for (const char *at = kvb_buffer_text(&safe); *at != '\0'; at++) {
        switch (*at) {
        case '&':
            kvb_buffer_add(out, "&amp;");
            break;
        case '<':
            kvb_buffer_add(out, "&lt;");
            break;
        case '>':
            kvb_buffer_add(out, "&gt;");
            break;
        case '"':
            kvb_buffer_add(out, "&quot;");
            break;
        default:
            kvb_buffer_add_n(out, at, 1);
        }
    }
    out->failed |= safe.failed;
    kvb_buffer_free(&safe);
}
