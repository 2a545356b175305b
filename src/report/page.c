// Lines that are wider than their page.
#include "report/page.h"

#include <string.h>

#define FURTHER_IN 4U

// Bytes of a colour's code, which takes no column; 0: none begins here.
static size_t code_length(const char *text)
{
    size_t length = 0;
    if (text[0] == '\033' && text[1] == '[') {
        length = strcspn(text, "m\n");
        length += text[length] == 'm';
    }
    return length;
}

// Bytes up to the column `room`: to the last blank before it, else to the next one.
static size_t piece_of(const char *text, size_t length, size_t room)
{
    size_t stop = 0, column = 0, first = 0;
    while (first < length && text[first] == ' ') {
        first++;
    }
    for (size_t i = 0; i < length;) {
        size_t code = code_length(text + i);
        if (code > 0) {
            i += code;
            continue;
        }
        stop = text[i] == ' ' && i > first ? i : stop;
        if (column >= room && stop > 0) {
            return stop;
        }
        column += ((unsigned char)text[i] & 0xC0U) != 0x80U;
        i++;
    }
    return length;
}

// Without the blanks at its end.
static void add_piece(struct kvb_buffer *out, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    kvb_buffer_add_n(out, text, length);
}

static void fold_line(struct kvb_buffer *out, const char *line, size_t length, size_t page)
{
    size_t indent = strspn(line, " ") + FURTHER_IN, done = piece_of(line, length, page);
    add_piece(out, line, done);
    while (done < length) {
        while (done < length && line[done] == ' ') {
            done++;
        }
        size_t piece = piece_of(line + done, length - done, page > indent ? page - indent : 1);
        kvb_buffer_add(out, "\n");
        kvb_buffer_fill(out, ' ', piece > 0 ? indent : 0);
        add_piece(out, line + done, piece);
        done += piece;
    }
    kvb_buffer_add(out, "\n");
}

void kvb_page_fold(struct kvb_buffer *page)
{
    struct kvb_buffer out;
    bool command = false; // the line before goes on in this one
    if (page->page_columns == 0 || page->data == NULL || page->failed) {
        return;
    }
    kvb_buffer_init(&out);
    out.page_columns = page->page_columns;
    out.blocks = page->blocks;
    for (const char *line = page->data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool goes_on = length > 0 && line[length - 1] == '\\';
        fold_line(&out, line, length, goes_on || command ? SIZE_MAX : page->page_columns);
        command = goes_on;
        line += length + (line[length] == '\n');
    }
    kvb_buffer_free(page);
    *page = out;
}
