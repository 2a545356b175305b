// Values of a config.json by the rows of the key table: type, range and place are judged here, once.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/config/hf_config.h"

// Which text a node came from.
static const char *file_of(const struct hf *hf, const struct kvb_node *node)
{
    if (node->line & HF_LINE_OVERRIDE) {
        return "--hf-overrides";
    }
    return node->line & HF_LINE_BESIDE && hf->beside ? hf->beside : hf->tree->file;
}

const struct kvb_node *kvb_hf_node_of(const struct hf *hf, enum kvb_hf_key first, enum kvb_hf_key second)
{
    return hf->values[first].node ? hf->values[first].node : hf->values[second].node;
}

void kvb_hf_fail(struct hf *hf, enum kvb_status status, const struct kvb_node *node, const char *format, ...)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY];
    struct kvb_place place = {hf->tree->file, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (node) {
        place = kvb_node_place(hf->tree, node);
        place.file = file_of(hf, node);
        place.line &= HF_LINE_MASK;
    }
    (void)kvb_problem_add(hf->problems, KVB_ERROR, status, place, "%s", text);
    hf->failed = true;
}

static const char *found_text(const struct kvb_node *node)
{
    if (node->kind == KVB_NODE_SEQUENCE) {
        return "a list";
    }
    return node->kind == KVB_NODE_MAPPING ? "a mapping" : node->text;
}

static const char *name_of(const struct kvb_node *node, enum kvb_hf_key key)
{
    return node->key ? node->key : kvb_hf_row(key)->names[0];
}

static void fail_type(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node, const char *wanted)
{
    const char *quote = node->quoted ? "\"" : "";
    kvb_hf_fail(hf, KVB_BAD_TYPE, node, "%s: expected %s, got %s%.80s%s", name_of(node, key), wanted, quote,
                found_text(node), quote);
}

static bool parse_whole(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    if (!*text) {
        return false;
    }
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value)) {
            return false;
        }
    }
    *number = value;
    return true;
}

static bool is_integer_text(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool read_count(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node, uint64_t *number)
{
    const struct kvb_hf_key_row *row = kvb_hf_row(key);
    if (node->kind != KVB_NODE_SCALAR || node->quoted || !is_integer_text(node->text)) {
        fail_type(hf, key, node, "a whole number");
        return false;
    }
    if (!parse_whole(node->text, number) || *number < row->minimum || *number > row->maximum) {
        kvb_hf_fail(hf, KVB_OUT_OF_RANGE, node, "%s: expected %llu to %llu, got %.40s", name_of(node, key),
                    (unsigned long long)row->minimum, (unsigned long long)row->maximum, node->text);
        return false;
    }
    return true;
}

static bool read_exponent(const char *text, int *exponent)
{
    uint64_t number;
    bool negative = *text == '-';
    text += *text == '-' || *text == '+';
    if (!parse_whole(text, &number) || number > 18) {
        return false;
    }
    *exponent = negative ? -(int)number : (int)number;
    return true;
}

bool kvb_hf_parse_ratio(const char *text, uint64_t *millionths)
{
    uint64_t value = 0;
    int exponent = 6;
    bool point = false, digits = false;
    for (; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9') {
            return false;
        }
        digits = true;
        if (value > UINT64_C(10000000000000000)) { // more digits than matter
            exponent += point ? 0 : 1;
            continue;
        }
        value = value * 10 + (uint64_t)(*text - '0');
        exponent -= point ? 1 : 0;
    }
    int shift = 0;
    if (!digits || (*text && !read_exponent(text + 1, &shift))) {
        return false;
    }
    for (exponent += shift; exponent < 0; exponent++) {
        value /= 10;
    }
    for (; exponent > 0; exponent--) {
        if (__builtin_mul_overflow(value, UINT64_C(10), &value)) {
            return false;
        }
    }
    *millionths = value;
    return true;
}

static bool read_ratio(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node, uint64_t *number)
{
    const struct kvb_hf_key_row *row = kvb_hf_row(key);
    if (node->kind != KVB_NODE_SCALAR || node->quoted || !kvb_hf_parse_ratio(node->text, number)) {
        fail_type(hf, key, node, "a number of 0 or more");
        return false;
    }
    if (*number > row->maximum) {
        kvb_hf_fail(hf, KVB_OUT_OF_RANGE, node, "%s: expected at most %llu, got %.40s", name_of(node, key),
                    (unsigned long long)(row->maximum / 1000000), node->text);
        return false;
    }
    return true;
}

static bool read_switch(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node, uint64_t *number)
{
    bool plain = node->kind == KVB_NODE_SCALAR && !node->quoted;
    if (!plain || (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0)) {
        fail_type(hf, key, node, "true or false");
        return false;
    }
    *number = node->text[0] == 't';
    return true;
}

static bool read_list(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node)
{
    bool words = kvb_hf_row(key)->kind == HF_WORDS;
    uint64_t number;
    if (node->kind != KVB_NODE_SEQUENCE) {
        fail_type(hf, key, node, words ? "a list of names" : "a list of whole numbers");
        return false;
    }
    for (const struct kvb_node *item = node->first; item; item = item->next) {
        if (words && item->kind != KVB_NODE_SCALAR) {
            fail_type(hf, key, item, "a name");
            return false;
        }
        if (!words && !read_count(hf, key, item, &number)) {
            return false;
        }
    }
    return true;
}

static bool read_kind(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node, uint64_t *number)
{
    switch ((enum kvb_hf_kind)kvb_hf_row(key)->kind) {
    case HF_COUNT:
        return read_count(hf, key, node, number);
    case HF_SWITCH:
        return read_switch(hf, key, node, number);
    case HF_RATIO:
        return read_ratio(hf, key, node, number);
    case HF_WORD:
        if (node->kind != KVB_NODE_SCALAR) {
            fail_type(hf, key, node, "a word");
            return false;
        }
        return true;
    case HF_COUNTS:
    case HF_WORDS:
        return read_list(hf, key, node);
    case HF_COUNT_OR_LIST: // the first of a list stands for all where one number is wanted
        if (node->kind == KVB_NODE_SEQUENCE && (node->first || kvb_hf_row(key)->minimum == 0)) {
            return read_list(hf, key, node) && (!node->first || read_count(hf, key, node->first, number));
        }
        return read_count(hf, key, node, number);
    case HF_GROUP:
        if (node->kind != KVB_NODE_MAPPING) {
            fail_type(hf, key, node, "a mapping");
            return false;
        }
        return true;
    case HF_RAW:
        return true;
    }
    return false;
}

void kvb_hf_read_value(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node)
{
    struct kvb_hf_value *value = &hf->values[key];
    uint64_t number = 0;
    if (read_kind(hf, key, node, &number)) {
        *value = (struct kvb_hf_value){.set = true, .number = number, .node = node};
    }
}

void kvb_hf_read_section(struct hf *hf, enum kvb_hf_section section, const struct kvb_node *mapping)
{
    for (int key = 0; key < HF_KEY_COUNT; key++) {
        const struct kvb_hf_key_row *row = kvb_hf_row((enum kvb_hf_key)key);
        if (row->section != section) {
            continue;
        }
        for (size_t i = 0; i < sizeof row->names / sizeof row->names[0] && row->names[i]; i++) {
            const struct kvb_node *node = kvb_node_get(mapping, row->names[i]);
            if (node && kvb_node_is_null(node)) {
                hf->values[key].is_null = true;
                hf->values[key].set = false;
            } else if (node) {
                kvb_hf_read_value(hf, (enum kvb_hf_key)key, node);
                break;
            }
        }
    }
}
