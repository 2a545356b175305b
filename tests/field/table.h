// A CSV table in memory: a header line, then rows; cells are found by the name of their column.
#ifndef FIELD_TABLE_H
#define FIELD_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct table {
    char *text;           // cells point into it
    char **cells;         // header first, row after row
    size_t columns, rows; // rows without the header
};

// False with a sentence on standard error: cannot be read, or a row of another width than the header.
bool table_read(struct table *table, const char *path);
void table_free(struct table *table);

// The cell, "" when there is no such column.
const char *table_cell(const struct table *table, size_t row, const char *column);

#endif
