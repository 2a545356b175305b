// Numbers of serve lines as Python reads them.
#include "command/plain_number.h"

#include <string.h>

#include "base/text.h"

#define SHARE_DECIMALS 6 // of parts per million
#define GIB_DECIMALS 12  // the last stands for less than a byte

static const char *without_blanks(const char *value, char out[KVB_PLAIN_CAPACITY])
{
    size_t from = strspn(value, " \t"), end = strlen(value);
    while (end > from && (value[end - 1] == ' ' || value[end - 1] == '\t')) {
        end--;
    }
    out[0] = '\0';
    kvb_append(out, KVB_PLAIN_CAPACITY, value + from, end - from);
    return strlen(out) == end - from ? out : value;
}

const char *kvb_as_plain_number(const char *value, enum kvb_value_kind kind, char out[KVB_PLAIN_CAPACITY])
{
    size_t size = strlen(value);
    bool real = kind == KVB_VALUE_PPM || kind == KVB_VALUE_GIB,
         whole = kind == KVB_VALUE_COUNT || kind == KVB_VALUE_LENGTH;
    if (!real && !whole) {
        return value;
    }
    unsigned decimals = kind == KVB_VALUE_PPM ? SHARE_DECIMALS : GIB_DECIMALS;
    bool read = real ? kvb_python_write_float(value, size, decimals, out) : kvb_python_write_int(value, size, out);
    return read ? out : without_blanks(value, out);
}

const char *kvb_as_plain_member(const struct kvb_node *node, char out[KVB_PLAIN_CAPACITY])
{
    bool yes = !node->quoted && strcmp(node->text, "true") == 0;
    if (yes || (!node->quoted && strcmp(node->text, "false") == 0)) {
        return yes ? "1" : "0";
    }
    bool read = kvb_python_write_float(node->text, strlen(node->text), GIB_DECIMALS, out);
    return read && strchr(out, '.') == NULL ? out : node->text;
}
