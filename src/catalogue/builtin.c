// Binary search in the table of embedded profiles.
#include "catalogue/builtin.h"

#include <stdlib.h>

#include "base/text.h"

static int compare(const char *a, const char *b)
{
    while (*a && kvb_lower(*a) == kvb_lower(*b)) {
        a++;
        b++;
    }
    return (unsigned char)kvb_lower(*a) - (unsigned char)kvb_lower(*b);
}

const struct kvb_builtin *kvb_builtins_of(enum kvb_profile_kind kind, size_t *count)
{
    size_t all;
    const struct kvb_builtin *rows = kvb_builtins(&all);
    size_t first = 0;
    while (first < all && rows[first].kind < kind) {
        first++;
    }
    size_t end = first;
    while (end < all && rows[end].kind == kind) {
        end++;
    }
    *count = end - first;
    return rows + first;
}

static int compare_builtin(const void *id, const void *row)
{
    return compare(id, ((const struct kvb_builtin *)row)->id);
}

const struct kvb_builtin *kvb_builtin_find(enum kvb_profile_kind kind, const char *id)
{
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(kind, &count);
    return bsearch(id, rows, count, sizeof *rows, compare_builtin);
}

static int compare_known(const void *name, const void *row)
{
    return compare(name, ((const struct kvb_known_name *)row)->name);
}

const struct kvb_known_name *kvb_known_find(const char *wanted)
{
    size_t count;
    const struct kvb_known_name *rows = kvb_known_names(&count);
    return bsearch(wanted, rows, count, sizeof *rows, compare_known);
}
