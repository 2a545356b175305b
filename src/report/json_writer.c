// JSON written in the order of the calls: commas, indentation and escapes are taken care of.
#include "report/json_writer.h"

#include <inttypes.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/utf8.h"

void kvb_json_init(struct kvb_json *json, struct kvb_buffer *out)
{
    *json = (struct kvb_json){.out = out};
}

// Characters from the beginning of `text` that stand in a string as they are.
static size_t plain_length(const char *text)
{
    size_t length = 0;
    while (text[length] >= 0x20 && text[length] < 0x7F && text[length] != '"' && text[length] != '\\') {
        length++;
    }
    return length;
}

static void add_escaped(struct kvb_buffer *out, const char *text)
{
    size_t plain = plain_length(text);
    kvb_buffer_add_n(out, text, plain);
    text += plain;
    size_t left = strlen(text);
    while (left > 0) {
        uint32_t code = 0;
        size_t length = kvb_utf8_read(text, left, &code);
        if (length == 0) {
            kvb_buffer_add(out, "\\ufffd");
            text++;
            left--;
            continue;
        }
        if (code == '"' || code == '\\') {
            kvb_buffer_printf(out, "\\%c", (char)code);
        } else if (code == '\n') {
            kvb_buffer_add(out, "\\n");
        } else if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) {
            kvb_buffer_printf(out, "\\u%04x", (unsigned)code);
        } else {
            kvb_buffer_add_n(out, text, length);
        }
        text += length;
        left -= length;
    }
}

// Everything in front of a value: comma, line break, indentation and key.
static void begin(struct kvb_json *json, const char *key)
{
    if (json->has_member) {
        kvb_buffer_add(json->out, ",");
    }
    if (json->depth > 0) {
        kvb_buffer_add(json->out, "\n");
        kvb_buffer_fill(json->out, ' ', (size_t)json->depth * 2);
    }
    if (key != NULL) {
        kvb_buffer_add(json->out, "\"");
        add_escaped(json->out, key);
        kvb_buffer_add(json->out, "\": ");
    }
    json->has_member = true;
}

static void open_bracket(struct kvb_json *json, const char *key, const char *bracket)
{
    begin(json, key);
    kvb_buffer_add(json->out, bracket);
    json->depth++;
    json->has_member = false;
}

static void close_bracket(struct kvb_json *json, const char *bracket)
{
    json->depth--;
    if (json->has_member) {
        kvb_buffer_add(json->out, "\n");
        kvb_buffer_fill(json->out, ' ', (size_t)json->depth * 2);
    }
    kvb_buffer_add(json->out, bracket);
    json->has_member = true;
}

void kvb_json_open_object(struct kvb_json *json, const char *key)
{
    open_bracket(json, key, "{");
}

void kvb_json_close_object(struct kvb_json *json)
{
    close_bracket(json, "}");
}

void kvb_json_open_list(struct kvb_json *json, const char *key)
{
    open_bracket(json, key, "[");
}

void kvb_json_close_list(struct kvb_json *json)
{
    close_bracket(json, "]");
}

void kvb_json_text(struct kvb_json *json, const char *key, const char *text)
{
    if (text == NULL) {
        kvb_json_null(json, key);
        return;
    }
    begin(json, key);
    kvb_buffer_add(json->out, "\"");
    add_escaped(json->out, text);
    kvb_buffer_add(json->out, "\"");
}

void kvb_json_text_or_null(struct kvb_json *json, const char *key, const char *text)
{
    kvb_json_text(json, key, text == NULL || text[0] == '\0' ? NULL : text);
}

void kvb_json_number(struct kvb_json *json, const char *key, int64_t number)
{
    begin(json, key);
    kvb_buffer_printf(json->out, "%" PRId64, number);
}

void kvb_json_count(struct kvb_json *json, const char *key, uint64_t number)
{
    begin(json, key);
    kvb_buffer_printf(json->out, "%" PRIu64, number);
}

void kvb_json_count_or_null(struct kvb_json *json, const char *key, uint64_t number)
{
    if (number == 0) {
        kvb_json_null(json, key);
    } else {
        kvb_json_count(json, key, number);
    }
}

void kvb_json_hundredths(struct kvb_json *json, const char *key, uint64_t hundredths)
{
    begin(json, key);
    kvb_buffer_printf(json->out, "%" PRIu64 ".%02u", hundredths / 100, (unsigned)(hundredths % 100));
}

void kvb_json_plain(struct kvb_json *json, const char *key, const char *number)
{
    begin(json, key);
    kvb_buffer_add(json->out, number);
}

void kvb_json_ppm(struct kvb_json *json, const char *key, uint64_t ppm)
{
    char text[32];
    begin(json, key);
    kvb_buffer_add(json->out, kvb_format_ppm(text, (uint32_t)ppm));
}

void kvb_json_bool(struct kvb_json *json, const char *key, bool value)
{
    begin(json, key);
    kvb_buffer_add(json->out, value ? "true" : "false");
}

void kvb_json_null(struct kvb_json *json, const char *key)
{
    begin(json, key);
    kvb_buffer_add(json->out, "null");
}

void kvb_json_finish(struct kvb_json *json)
{
    kvb_buffer_add(json->out, "\n");
}
