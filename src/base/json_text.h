// Whether text is JSON, without keeping anything of it: what a reader of YAML would take and one of JSON refuses.
#ifndef KVB_BASE_JSON_TEXT_H
#define KVB_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum kvb_json_dialect {
    KVB_JSON,          // RFC 8259, and NaN and Infinity as Python's json and pydantic take them
    KVB_JSON_SUFFIXES, // numbers may end in one of k K m M g G t T as well
    KVB_JSON_PYTHON,   // a literal of Python: 'a', True, False, None, a comma behind the last member
};

struct kvb_json_slip {
    size_t at;            // where the text stops being JSON
    const char *expected; // what would be right there: "a name in double quotes"
};

// One whole value that begins with `opening`, '{' or '[', and blanks around it. False: `slip` says where and what.
// Deeper than 200 levels is refused, as pydantic's reader does.
bool kvb_json_is_whole(const char *text, size_t size, char opening, enum kvb_json_dialect dialect,
                       struct kvb_json_slip *slip);

// Adds "invalid JSON at '...', where one expects {" of such a value to what stands in `out`.
void kvb_json_say_slip(const char *text, size_t size, const struct kvb_json_slip *slip, char *out, size_t capacity);

#endif
