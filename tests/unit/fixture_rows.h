// Rows of a file below tests, for tests that walk one, and the words that stand in them.
#ifndef KVB_TESTS_FIXTURE_ROWS_H
#define KVB_TESTS_FIXTURE_ROWS_H

#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>

#include "unit/test.h"

#define ROW_MAX_BYTES 1024
#define CELLS_MAX 16

// What a walk has come by: a look counts what it raises, the walk the rest.
struct seen_rows {
    unsigned rows, raised, different;
};

// Whether a row is as its cells say; what the tool said instead is printed by the look, the row by the walk.
typedef bool row_look(char *const *cells, struct seen_rows *seen);

static inline FILE *open_rows(const char *path)
{
    char whole[512];
    (void)snprintf(whole, sizeof whole, "%s/tests/%s", KVB_SOURCE_DIR, path);
    FILE *file = fopen(whole, "r");
    assert_non_null(file);
    return file;
}

// The next line without its end, remarks behind '#' passed over; false behind the last.
static inline bool next_line(FILE *file, char line[ROW_MAX_BYTES])
{
    do {
        if (fgets(line, ROW_MAX_BYTES, file) == NULL) {
            return false;
        }
        assert_non_null(strchr(line, '\n'));
    } while (line[0] == '#');
    line[strcspn(line, "\n")] = '\0';
    return true;
}

// Cuts the line at its commas, in place; the last cell keeps those that are left.
static inline void split_row(char *line, char **cells, size_t count)
{
    assert_true(count <= CELLS_MAX);
    cells[0] = line;
    for (size_t i = 1; i < count; i++) {
        cells[i] = strchr(cells[i - 1], ',');
        assert_non_null(cells[i]);
        *cells[i]++ = '\0';
    }
}

// Looks at every row.
static inline void walk_rows(const char *path, size_t count, row_look *look, struct seen_rows *seen)
{
    char line[ROW_MAX_BYTES], kept[ROW_MAX_BYTES], *cells[CELLS_MAX];
    FILE *file = open_rows(path);
    *seen = (struct seen_rows){0};
    while (next_line(file, line)) {
        (void)strcpy(kept, line);
        split_row(line, cells, count);
        if (!look(cells, seen)) {
            print_error("%s: %s\n", path, kept);
            seen->different++;
        }
        seen->rows++;
    }
    (void)fclose(file);
    print_message("%s: %u rows, %u raised, %u different\n", path, seen->rows, seen->raised, seen->different);
}

// "-" is no release: 0.
static inline uint32_t release_of(const char *text)
{
    uint32_t release = 0;
    assert_true(strcmp(text, "-") == 0 || kvb_release_parse(text, &release));
    return release;
}

// Of letters and digits alone: fixtures cut sentences and leave their commas out.
static inline bool begins_with(const char *text, const char *beginning)
{
    static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    while (true) {
        text += strcspn(text, kept);
        beginning += strcspn(beginning, kept);
        if (*beginning == '\0') {
            return true;
        }
        if (*text++ != *beginning++) {
            return false;
        }
    }
}

#endif
