// Reads a CSV table: commas, quotes around cells that hold either, no line breaks inside cells.
#include "table.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "base/memory.h"

struct scan {
    char *at;      // next character to read
    char *out;     // next character to write: cells shrink in place
    bool line_end; // the cell just read was the last of its line
};

static void take(void *context, const char *bytes, size_t length)
{
    kvb_buffer_add_n(context, bytes, length);
}

// Reads one cell and ends it in NUL; the write position never passes the read position.
static char *next_cell(struct scan *scan)
{
    char *cell = scan->out;
    bool quoted = *scan->at == '"';
    scan->at += quoted;
    while (*scan->at != '\0' && (quoted || (*scan->at != ',' && *scan->at != '\n'))) {
        if (quoted && *scan->at == '"') {
            scan->at++;
            if (*scan->at != '"') {
                break;
            }
        }
        *scan->out++ = *scan->at++;
    }
    scan->line_end = *scan->at != ',';
    scan->at += *scan->at != '\0';
    *scan->out++ = '\0';
    return cell;
}

static bool add_cell(struct table *table, size_t count, char *cell)
{
    if (count % 256 == 0) {
        char **grown = kvb_reallocate(table->cells, (count + 256) * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        table->cells = grown;
    }
    table->cells[count] = cell;
    return true;
}

static bool split(struct table *table, const char *path)
{
    struct scan scan = {.at = table->text, .out = table->text};
    size_t count = 0, line_start = 0, lines = 0;
    while (*scan.at != '\0') {
        if (!add_cell(table, count++, next_cell(&scan))) {
            return false;
        }
        if (!scan.line_end) {
            continue;
        }
        table->columns = lines == 0 ? count : table->columns;
        lines++;
        if (count - line_start != table->columns) {
            fprintf(stderr, "%s:%zu: %zu cells, the header has %zu\n", path, lines, count - line_start, table->columns);
            return false;
        }
        line_start = count;
    }
    table->rows = lines > 0 ? lines - 1 : 0;
    return true;
}

bool table_read(struct table *table, const char *path)
{
    struct kvb_problems problems;
    struct kvb_buffer text;
    *table = (struct table){0};
    kvb_problems_init(&problems);
    kvb_buffer_init(&text);
    if (kvb_stream_read(path, take, &text, &problems) != KVB_OK || text.failed || text.data == NULL) {
        fprintf(stderr, "%s: %s\n", path, problems.count > 0 ? problems.items[0].text : "empty, or out of memory");
        kvb_buffer_free(&text);
        return false;
    }
    table->text = text.data;
    return split(table, path);
}

void table_free(struct table *table)
{
    kvb_free(table->cells);
    kvb_free(table->text);
}

const char *table_cell(const struct table *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->cells[i], column) == 0) {
            return table->cells[(row + 1) * table->columns + i];
        }
    }
    return "";
}
