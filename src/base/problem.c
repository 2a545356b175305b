// Collecting problems, and the one table that gives a status its word and exit code.
#include <kvbudget/problem.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct status_row {
    enum kvb_status status;
    const char *name;
};

static const struct status_row status_rows[] = {
    {KVB_OK, "ok"},
    {KVB_BAD_ARGUMENT, "bad_argument"},
    {KVB_BAD_SYNTAX, "bad_syntax"},
    {KVB_BAD_TYPE, "bad_type"},
    {KVB_UNKNOWN_KEY, "unknown_key"},
    {KVB_MISSING_KEY, "missing_key"},
    {KVB_OUT_OF_RANGE, "out_of_range"},
    {KVB_DUPLICATE_KEY, "duplicate_key"},
    {KVB_NOT_ALLOWED, "not_allowed"},
    {KVB_UNKNOWN_NAME, "unknown_name"},
    {KVB_AMBIGUOUS_NAME, "ambiguous_name"},
    {KVB_UNKNOWN_KIND, "unknown_kind"},
    {KVB_OVERFLOW, "overflow"},
    {KVB_INDIVISIBLE, "indivisible"},
    {KVB_CONTRADICTION, "contradiction"},
    {KVB_ASSUMED, "assumed"},
    {KVB_CANNOT_OPEN, "cannot_open"},
    {KVB_CANNOT_READ, "cannot_read"},
    {KVB_NO_MEMORY, "no_memory"},
    {KVB_CANNOT_WRITE, "cannot_write"},
    {KVB_TOO_LARGE, "too_large"},
    {KVB_DEVICE_FAILED, "device_failed"},
};

const char *kvb_status_name(enum kvb_status status)
{
    for (size_t i = 0; i < sizeof status_rows / sizeof status_rows[0]; i++) {
        if (status_rows[i].status == status) {
            return status_rows[i].name;
        }
    }
    return "unknown";
}

int kvb_status_exit_code(enum kvb_status status)
{
    if (status == KVB_OK) {
        return 0;
    }
    if (status < KVB_BAD_SYNTAX) {
        return 2;
    }
    return status < KVB_CANNOT_OPEN ? 3 : 4;
}

void kvb_problems_init(struct kvb_problems *problems)
{
    problems->count = 0;
    problems->dropped = 0;
}

// The next free place; when full, an error takes the last place of something milder.
static struct kvb_problem *place_for(struct kvb_problems *problems, enum kvb_severity severity)
{
    if (problems->count < KVB_PROBLEMS_MAX) {
        return &problems->items[problems->count++];
    }
    problems->dropped++;
    for (uint32_t i = KVB_PROBLEMS_MAX; severity == KVB_ERROR && i-- > 0;) {
        if (problems->items[i].severity != KVB_ERROR) {
            return &problems->items[i];
        }
    }
    return NULL;
}

// Of a path that is too long its end says more than its beginning.
static void copy_file(char out[KVB_PROBLEM_FILE_CAPACITY], const char *file)
{
    size_t length = strlen(file);
    const char *cut = "...";
    if (length < KVB_PROBLEM_FILE_CAPACITY) {
        memcpy(out, file, length + 1);
        return;
    }
    memcpy(out, cut, strlen(cut));
    size_t kept = KVB_PROBLEM_FILE_CAPACITY - strlen(cut);
    memcpy(out + strlen(cut), file + length + 1 - kept, kept);
}

enum kvb_status kvb_problem_add(struct kvb_problems *problems, enum kvb_severity severity, enum kvb_status status,
                                struct kvb_place place, const char *format, ...)
{
    struct kvb_problem *problem = problems != NULL ? place_for(problems, severity) : NULL;
    if (!problem) {
        return status;
    }
    problem->severity = severity;
    problem->status = status;
    problem->line = place.line;
    problem->column = place.column;
    problem->flag[0] = '\0';
    copy_file(problem->file, place.file != NULL ? place.file : "");
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        (void)kvb_copy(problem->text, sizeof problem->text, "(this sentence could not be written)");
    } else if ((size_t)length >= sizeof problem->text) {
        memcpy(problem->text + sizeof problem->text - 4, "...", 4);
    }
    kvb_make_printable(problem->file);
    kvb_make_printable(problem->text);
    return status;
}

enum kvb_status kvb_problems_status(const struct kvb_problems *problems)
{
    for (uint32_t i = 0; problems != NULL && i < problems->count; i++) {
        if (problems->items[i].severity == KVB_ERROR) {
            return problems->items[i].status;
        }
    }
    return KVB_OK;
}
