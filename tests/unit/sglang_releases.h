// The releases of SGLang with a tag or a commit that raised the version.
#ifndef KVB_TESTS_UNIT_SGLANG_RELEASES_H
#define KVB_TESTS_UNIT_SGLANG_RELEASES_H

#include <kvbudget/budget.h>

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static const uint32_t releases[] = {
    R(4, 0),      R(4, 0) + 1,  R(4, 0) + 2, R(4, 1),     R(4, 1) + 1,  R(4, 1) + 2, R(4, 1) + 3, R(4, 1) + 4,
    R(4, 1) + 5,  R(4, 1) + 6,  R(4, 1) + 7, R(4, 2),     R(4, 2) + 1,  R(4, 2) + 2, R(4, 2) + 3, R(4, 2) + 4,
    R(4, 3),      R(4, 3) + 1,  R(4, 3) + 2, R(4, 3) + 3, R(4, 3) + 4,  R(4, 4),     R(4, 4) + 1, R(4, 4) + 2,
    R(4, 4) + 3,  R(4, 4) + 4,  R(4, 5),     R(4, 5) + 1, R(4, 5) + 2,  R(4, 5) + 3, R(4, 6),     R(4, 6) + 1,
    R(4, 6) + 2,  R(4, 6) + 3,  R(4, 6) + 4, R(4, 6) + 5, R(4, 7),      R(4, 7) + 1, R(4, 8),     R(4, 8) + 1,
    R(4, 9),      R(4, 9) + 1,  R(4, 9) + 2, R(4, 9) + 3, R(4, 9) + 4,  R(4, 9) + 5, R(4, 9) + 6, R(4, 10),
    R(4, 10) + 1, R(4, 10) + 2, R(5, 0),     R(5, 1),     R(5, 1) + 1,  R(5, 1) + 2, R(5, 1) + 3, R(5, 2),
    R(5, 3),      R(5, 3) + 1,  R(5, 3) + 2, R(5, 3) + 3, R(5, 4),      R(5, 4) + 1, R(5, 4) + 2, R(5, 4) + 3,
    R(5, 5),      R(5, 5) + 1,  R(5, 5) + 2, R(5, 5) + 3, R(5, 6),      R(5, 6) + 1, R(5, 6) + 2, R(5, 7),
    R(5, 8),      R(5, 8) + 1,  R(5, 9),     R(5, 10),    R(5, 10) + 1, R(5, 11),    R(5, 12),    R(5, 12) + 1,
    R(5, 13),     R(5, 13) + 1, R(5, 14),    R(5, 15),    R(5, 15) + 1, R(5, 16),    R(5, 17),    R(5, 18),
};
#define RELEASE_COUNT (sizeof releases / sizeof releases[0])

#endif
