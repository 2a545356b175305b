// Cells of a fixture's line, for tests that walk one.
#ifndef KVB_TESTS_FIXTURE_ROWS_H
#define KVB_TESTS_FIXTURE_ROWS_H

#include <string.h>

#include "unit/test.h"

// Cuts the line at its commas, in place; the last cell keeps those that are left.
static inline void split_row(char *line, char **cells, size_t count)
{
    line[strcspn(line, "\n")] = '\0';
    cells[0] = line;
    for (size_t i = 1; i < count; i++) {
        cells[i] = strchr(cells[i - 1], ',');
        assert_non_null(cells[i]);
        *cells[i]++ = '\0';
    }
}

#endif
