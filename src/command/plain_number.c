// Numbers of serve lines as Python reads them.
#include "command/plain_number.h"

#include <string.h>

#include "base/text.h"
#include "budget/serve_flag.h"

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

// 1M and 1Mi as kvb_parse_count reads them: 1m and 1M.
static void set_suffix(char *text)
{
    size_t size = strlen(text), digits = strspn(text, "0123456789.");
    if (digits + 1 == size && strchr("kMGT", text[digits]) != NULL) {
        text[digits] = kvb_lower(text[digits]);
    } else if (digits + 2 == size && strchr("KMGT", text[digits]) != NULL && text[digits + 1] == 'i') {
        text[digits + 1] = '\0';
    }
}

// What stoi() reads: a sign and the digits behind blanks, whatever follows them; no digits: the value as it is.
static const char *first_digits(const char *value, char out[KVB_PLAIN_CAPACITY])
{
    const char *from = value + strspn(value, " \t");
    from += *from == '+' ? 1 : 0;
    size_t sign = *from == '-' ? 1 : 0, digits = strspn(from + sign, "0123456789");
    out[0] = '\0';
    kvb_append(out, KVB_PLAIN_CAPACITY, from, sign + digits);
    return digits > 0 && sign + digits < KVB_PLAIN_CAPACITY ? out : value;
}

const char *kvb_as_plain_number(const char *value, const struct kvb_setting_row *row, unsigned traits,
                                char out[KVB_PLAIN_CAPACITY])
{
    size_t size = strlen(value);
    bool real = row->kind == KVB_VALUE_PPM || row->kind == KVB_VALUE_GIB;
    bool whole = row->words == NULL && row->kind != KVB_VALUE_SWITCH;
    if (whole && !real && (traits & KVB_SERVE_C_NUMBERS) != 0) {
        return first_digits(value, out);
    }
    if ((traits & KVB_SERVE_PYTHON_NUMBERS) == 0 || (!real && !whole)) {
        return value;
    }
    unsigned decimals = row->kind == KVB_VALUE_PPM ? SHARE_DECIMALS : GIB_DECIMALS;
    if (real ? kvb_python_write_float(value, size, decimals, out) : kvb_python_write_int(value, size, out)) {
        return out;
    }
    const char *text = without_blanks(value, out);
    if (text == out && (traits & KVB_SERVE_SI_SUFFIXES) != 0) {
        set_suffix(out);
    }
    return text;
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
