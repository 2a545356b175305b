// Problems as data: what is wrong, where, and what would be right. Only the tool prints them.
//
// Arithmetic (budget.h, residents.h, machine.h's ranking) takes NULL where nobody wants the sentences: the status says
// it all. What reads text, files or devices needs a kvb_problems of the caller's. One kvb_problems is used by one
// thread at a time; the library keeps no state, so that any number of threads may call it, each with its own structs.
#ifndef KVBUDGET_PROBLEM_H
#define KVBUDGET_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

#define KVB_PATH_CAPACITY 4096
#define KVB_PROBLEM_FILE_CAPACITY 512
#define KVB_PROBLEM_TEXT_CAPACITY 584
#define KVB_PROBLEM_FLAG_CAPACITY 56
#define KVB_PROBLEMS_MAX 16

#define KVB_MUST_USE __attribute__((warn_unused_result))

// Numbers are stable and never reused. 20s: text could not be understood; 30s: the numbers cannot
// work; 40s: the system failed; 50s: the device failed.
enum kvb_status {
    KVB_OK = 0,
    KVB_BAD_ARGUMENT = 10,
    KVB_BAD_SYNTAX = 20,
    KVB_BAD_TYPE = 21,
    KVB_UNKNOWN_KEY = 22,
    KVB_MISSING_KEY = 23,
    KVB_OUT_OF_RANGE = 24,
    KVB_DUPLICATE_KEY = 25,
    KVB_NOT_ALLOWED = 26, // alias, second document, embedded NUL, nesting, empty file
    KVB_UNKNOWN_NAME = 27,
    KVB_AMBIGUOUS_NAME = 28,
    KVB_UNKNOWN_KIND = 29, // architecture, quantisation or format nobody here knows
    KVB_OVERFLOW = 30,
    KVB_INDIVISIBLE = 31,
    KVB_CONTRADICTION = 32,
    KVB_ASSUMED = 33, // not known: the answer holds for what is assumed, and its bound is wider
    KVB_CANNOT_OPEN = 40,
    KVB_CANNOT_READ = 41,
    KVB_NO_MEMORY = 42,
    KVB_CANNOT_WRITE = 43,
    KVB_TOO_LARGE = 44,
    KVB_DEVICE_FAILED = 50,
};

enum kvb_severity { KVB_NOTICE, KVB_WARNING, KVB_ERROR };

struct kvb_place {
    const char *file; // borrowed; NULL or "" when the text came from the command line
    uint32_t line;    // 1-based; 0 = not known
    uint32_t column;  // 1-based; 0 = not known
};

struct kvb_problem {
    enum kvb_severity severity;
    enum kvb_status status;
    char file[KVB_PROBLEM_FILE_CAPACITY]; // of a longer path "..." and its end
    uint32_t line;
    uint32_t column;
    char flag[KVB_PROBLEM_FLAG_CAPACITY]; // the flag of a serve command it speaks of, as written: "--max-len"; or ""
    char text[KVB_PROBLEM_TEXT_CAPACITY]; // one sentence, printable characters only
};

// Caller-owned; set count and dropped to 0 (kvb_problems_init) before first use.
struct kvb_problems {
    uint32_t count;
    uint32_t dropped; // beyond KVB_PROBLEMS_MAX
    struct kvb_problem items[KVB_PROBLEMS_MAX];
};

void kvb_problems_init(struct kvb_problems *problems);

// Adds one problem (to NULL: none) and returns `status`, so that `return kvb_problem_add(...)` reads naturally.
// Control characters in the result are replaced by '?'; text beyond the capacity ends in "...".
enum kvb_status kvb_problem_add(struct kvb_problems *problems, enum kvb_severity severity, enum kvb_status status,
                                struct kvb_place place, const char *format, ...) __attribute__((format(printf, 5, 6)));

// The first error's status, or KVB_OK when there are only notices and warnings, or NULL is given.
enum kvb_status kvb_problems_status(const struct kvb_problems *problems);

// Stable lower-case word of a status for JSON ("unknown_key").
const char *kvb_status_name(enum kvb_status status);

// The tool's exit code for a status: 0, 2, 3 or 4.
int kvb_status_exit_code(enum kvb_status status);

KVB_PUBLIC_END

#endif
