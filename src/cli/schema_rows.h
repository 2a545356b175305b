// What each object of the JSON documents holds, for their schemas.
#ifndef KVB_CLI_SCHEMA_ROWS_H
#define KVB_CLI_SCHEMA_ROWS_H

#include <stddef.h>

// Keys are separated by blanks, each as KEY:TYPES[=OBJECT]. Types: t text, i whole number, n number, b true or false,
// o object, l list (of texts without an OBJECT), 0 null; behind them ? where the key may be left out. "settings" and
// "origin" are made from the rows of settings, "any" is anything, and "sweep.rows" has the values of its axes besides.
struct schema_object {
    const char *name; // of a document: the command's
    const char *keys;
};

const struct schema_object *kvb_schema_objects(size_t *count);

#endif
