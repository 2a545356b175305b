// Text in aligned columns: cells are collected row by row, widths follow the widest.
#include "report/columns.h"

#include <string.h>

#include "report/safe_text.h"
#include "report/style.h"

void kvb_columns_init(struct kvb_columns *columns, const char *alignment, unsigned indent, unsigned gap)
{
    *columns = (struct kvb_columns){.alignment = alignment, .indent = indent, .gap = gap};
    columns->count = (unsigned)strlen(alignment);
    kvb_buffer_init(&columns->cells);
}

void kvb_columns_cell(struct kvb_columns *columns, const char *text)
{
    if (columns->filled == columns->count) {
        return;
    }
    size_t before = columns->cells.length;
    kvb_text_add_safe(&columns->cells, text);
    size_t width = columns->cells.length - before;
    if (width > columns->widths[columns->filled]) {
        columns->widths[columns->filled] = width;
    }
    kvb_buffer_add_n(&columns->cells, "", 1);
    columns->filled++;
}

void kvb_columns_end_row(struct kvb_columns *columns)
{
    while (columns->filled < columns->count) {
        kvb_columns_cell(columns, "");
    }
    columns->filled = 0;
}

// A cell in its column: whole, or cut where the column was made narrower than it.
static void write_cell(const char *cell, size_t length, size_t width, struct kvb_buffer *out)
{
    if (length <= width) {
        kvb_buffer_add(out, cell);
    } else {
        kvb_buffer_add_n(out, cell, width - 3);
        kvb_buffer_add(out, "...");
    }
}

// How a last column of text is written.
struct note {
    bool apart;         // it is broken, or stands below its row
    unsigned indent;    // of the lines below
    size_t first, room; // columns of its first line, 0: it stands below; of the others
};

// The rest of a cell below its row.
static void write_below(const char *text, const struct note *note, struct kvb_buffer *out)
{
    while (*text == ' ') {
        text++;
    }
    while (*text != '\0') {
        size_t length = kvb_text_piece(text, note->room);
        length = length > note->room ? note->room : length;
        kvb_buffer_add(out, "\n");
        kvb_buffer_fill(out, ' ', note->indent);
        kvb_buffer_add_n(out, text, length);
        for (text += length; *text == ' ';) {
            text++;
        }
    }
}

// Blanks are owed until text follows, so that no line ends in one.
static void write_row(const struct kvb_columns *columns, const char **cell, const struct note *note,
                      struct kvb_buffer *out)
{
    size_t owed = columns->indent;
    for (unsigned i = 0; i < columns->count; i++, *cell += strlen(*cell) + 1) {
        size_t width = columns->widths[i];
        size_t length = strlen(*cell);
        size_t padding = length < width ? width - length : 0;
        bool right = columns->alignment[i] == 'r';
        if (columns->hidden[i]) {
            continue;
        }
        if (note->apart && i + 1 == columns->count && length > note->first) {
            size_t first = note->first > 0 ? kvb_text_piece(*cell, note->first) : 0;
            first = first > note->first ? note->first : first;
            kvb_buffer_fill(out, ' ', first > 0 ? owed : 0);
            kvb_buffer_add_n(out, *cell, first);
            write_below(*cell + first, note, out);
            continue;
        }
        owed += right ? padding : 0;
        if (length > 0) {
            kvb_buffer_fill(out, ' ', owed);
            write_cell(*cell, length, width, out);
            owed = 0;
        }
        owed += (right ? 0 : padding) + columns->gap;
    }
    kvb_buffer_add(out, "\n");
}

static void write_rows(const struct kvb_columns *columns, const struct note *note, struct kvb_buffer *out)
{
    const char *cell = columns->cells.data;
    const char *end = columns->cells.failed || cell == NULL ? cell : cell + columns->cells.length;
    out->failed |= columns->cells.failed;
    while (cell < end) {
        write_row(columns, &cell, note, out);
    }
}

// With the first column no wider than `first`.
static size_t whole_width(const struct kvb_columns *columns, size_t first)
{
    size_t width = columns->indent;
    for (unsigned i = 0; i < columns->count; i++) {
        size_t own = i == 0 && columns->widths[i] > first ? first : columns->widths[i];
        width += columns->hidden[i] ? 0 : own + (i > 0 ? columns->gap : 0);
    }
    return width;
}

#define NOTE_LEAST 16U // a narrower column of text stands below its row

// Whether the last column is text that may be broken, and how.
static bool note_fits(const struct kvb_columns *columns, size_t page, struct note *note)
{
    unsigned last = columns->count - 1;
    size_t own = columns->widths[last] + columns->gap;
    size_t before = whole_width(columns, SIZE_MAX) - own;
    bool text = columns->count > 1 && columns->alignment[last] == 'l' && columns->widths[last] > NOTE_LEAST;
    size_t room = before + columns->gap < page ? page - before - columns->gap : 0;
    if (!text || before > page) {
        return false;
    }
    bool beside = room >= NOTE_LEAST;
    size_t indent = beside ? before + columns->gap : columns->indent + 4U;
    *note = (struct note){true, (unsigned)indent, beside ? room : 0, page - indent};
    return true;
}

// Shows the first column and of those from `from` on as many as the page takes; returns where the next ones begin.
static unsigned show_from(struct kvb_columns *columns, unsigned from, size_t page)
{
    size_t width = columns->indent + columns->widths[0];
    unsigned next = from;
    for (unsigned i = 1; i < columns->count; i++) {
        columns->hidden[i] = true;
    }
    for (; next < columns->count; next++) {
        width += columns->gap + columns->widths[next];
        if (width > page && next > from) {
            break;
        }
        columns->hidden[next] = false;
    }
    return next;
}

// Figures that do not stand side by side stand below, with the first column again.
static void write_folded(struct kvb_columns *columns, size_t page, struct kvb_buffer *out)
{
    static const struct note none = {0};
    size_t other = 0;
    for (unsigned i = 1; i < columns->count; i++) {
        other = columns->widths[i] > other ? columns->widths[i] : other;
    }
    other += columns->indent + columns->gap;
    size_t most = other < page / 2 ? page - other : page / 2;
    columns->widths[0] = columns->widths[0] > most ? most : columns->widths[0];
    unsigned from = 1;
    do { // once where there is no other column
        kvb_buffer_add(out, from > 1 ? "\n" : "");
        from = show_from(columns, from, page);
        write_rows(columns, &none, out);
    } while (from < columns->count);
}

void kvb_columns_write(struct kvb_columns *columns, struct kvb_buffer *out)
{
    size_t page = kvb_page_width(out);
    struct note note = {0};
    if (whole_width(columns, SIZE_MAX) <= page || note_fits(columns, page, &note)) {
        write_rows(columns, &note, out);
    } else {
        write_folded(columns, page, out);
    }
    kvb_buffer_free(&columns->cells);
}

// The shown column of the highest rank; `count` when all that are shown have to stay.
static unsigned least_wanted(const struct kvb_columns *columns, const char *ranks)
{
    unsigned found = columns->count;
    char rank = '0';
    for (unsigned i = 0; i < columns->count; i++) {
        if (!columns->hidden[i] && ranks[i] > rank) {
            rank = ranks[i];
            found = i;
        }
    }
    return found;
}

#define NARROW 72U // below it the first column is cut rather than that figures go

#define CUT_LEAST 6U

// The widest shown column, the first before others as wide.
static size_t *widest(struct kvb_columns *columns)
{
    size_t *found = &columns->widths[0];
    for (unsigned i = 1; i < columns->count; i++) {
        found = !columns->hidden[i] && columns->widths[i] > *found ? &columns->widths[i] : found;
    }
    return found;
}

unsigned kvb_columns_write_in(struct kvb_columns *columns, struct kvb_buffer *out, const char *ranks)
{
    static const struct note none = {0};
    size_t width = kvb_page_width(out);
    unsigned hidden = 0;
    size_t first = width < NARROW ? width / 2 : width;
    for (unsigned at = 0; whole_width(columns, first) > width && hidden < columns->count; hidden++) {
        at = least_wanted(columns, ranks);
        if (at == columns->count) {
            break;
        }
        columns->hidden[at] = true;
    }
    while (whole_width(columns, SIZE_MAX) > width && *widest(columns) > CUT_LEAST) {
        --*widest(columns);
    }
    write_rows(columns, &none, out);
    kvb_buffer_free(&columns->cells);
    return hidden;
}

void kvb_columns_write_last(struct kvb_columns *columns, struct kvb_buffer *out)
{
    static const struct note none = {0};
    size_t now = whole_width(columns, SIZE_MAX), width = kvb_page_width(out);
    size_t *last = &columns->widths[columns->count - 1];
    size_t over = now > width ? now - width : 0;
    *last -= over + 3 < *last ? over : 0;
    write_rows(columns, &none, out);
    kvb_buffer_free(&columns->cells);
}
