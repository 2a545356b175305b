// Text into members by rows: one function per kind of value, and what would be right where it is not.
#include "text/field.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/plan.h>
#include <kvbudget/units.h>

#include "base/text.h"

#define EXPECTED 160

static enum kvb_status say(char expected[EXPECTED], enum kvb_status status, const char *text)
{
    (void)kvb_copy(expected, EXPECTED, text);
    return status;
}

static enum kvb_status put_text(const struct kvb_field_row *row, const char *text, char *at, char expected[EXPECTED])
{
    if (text[0] == '\0') {
        return say(expected, KVB_BAD_TYPE, "text");
    }
    if (!kvb_copy(at, row->size, text)) {
        (void)snprintf(expected, EXPECTED, "at most %zu characters", row->size - 1);
        return KVB_OUT_OF_RANGE;
    }
    return KVB_OK;
}

static enum kvb_status put_release(const struct kvb_field_row *row, const char *text, char *at, char expected[EXPECTED])
{
    uint32_t release;
    return kvb_release_parse(text, &release) ? put_text(row, text, at, expected)
                                             : say(expected, KVB_BAD_TYPE, "a release such as 0.11.0");
}

// Numbers are written in the width of their member.
static void write_number(char *at, size_t size, uint64_t number)
{
    uint32_t narrow = (uint32_t)number;
    if (size == sizeof narrow) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        memcpy(at, &number, sizeof number);
    }
}

static enum kvb_status put_word(const struct kvb_field_row *row, const char *text, char *at, char expected[EXPECTED])
{
    size_t used = 0;
    for (uint32_t i = 0; row->words[i] != NULL; i++) {
        if (strcmp(text, row->words[i]) == 0) {
            write_number(at, row->size, row->minimum + i);
            return KVB_OK;
        }
        const char *joint = i == 0 ? "" : row->words[i + 1] != NULL ? ", " : " or ";
        size_t written = (size_t)snprintf(expected + used, EXPECTED - used, "%s%s", joint, row->words[i]);
        used += written < EXPECTED - used ? written : 0;
    }
    return KVB_BAD_TYPE;
}

static enum kvb_status put_whole(const struct kvb_field_row *row, const char *text, bool quoted, char *at,
                                 char expected[EXPECTED])
{
    uint64_t number;
    bool whole = !quoted && kvb_parse_whole(text, &number);
    if (whole && number >= row->minimum && number <= row->maximum) {
        write_number(at, row->size, number);
        return KVB_OK;
    }
    (void)snprintf(expected, EXPECTED, "a whole number from %llu to %llu", (unsigned long long)row->minimum,
                   (unsigned long long)row->maximum);
    return whole ? KVB_OUT_OF_RANGE : KVB_BAD_TYPE;
}

static enum kvb_status put_size(const struct kvb_field_row *row, const char *text, char *at, char expected[EXPECTED])
{
    uint64_t bytes;
    bool size = kvb_parse_bytes(text, &bytes);
    if (size && bytes > 0 && bytes < KVB_SIZE_LEAST_BYTES) {
        return say(expected, KVB_OUT_OF_RANGE, KVB_SIZE_LEAST);
    }
    if (size && bytes >= row->minimum) {
        memcpy(at, &bytes, sizeof bytes);
        return KVB_OK;
    }
    return say(expected, size ? KVB_OUT_OF_RANGE : KVB_BAD_TYPE,
               row->minimum == 0 ? "a size such as 8192MiB or 0" : "a size above 0 such as 8192MiB or 79.18GiB");
}

static enum kvb_status put_ppm(const struct kvb_field_row *row, const char *text, char *at, char expected[EXPECTED])
{
    uint32_t ppm;
    if (kvb_parse_ppm(text, (uint32_t)row->maximum, &ppm) && ppm > 0) {
        memcpy(at, &ppm, sizeof ppm);
        return KVB_OK;
    }
    (void)snprintf(expected, EXPECTED, "a number above 0 and up to %llu", (unsigned long long)(row->maximum / KVB_PPM));
    return KVB_BAD_TYPE;
}

static enum kvb_status put_count(const char *text, char *at, char expected[EXPECTED])
{
    uint64_t count;
    if (kvb_parse_count(text, &count) && count > 0) {
        memcpy(at, &count, sizeof count);
        return KVB_OK;
    }
    return say(expected, KVB_BAD_TYPE, "a number of tokens such as 32768 or 32K");
}

static enum kvb_status put_date(const char *text, char *at, char expected[EXPECTED])
{
    uint32_t date = 0;
    bool fine = strlen(text) == 10 && text[4] == '-' && text[7] == '-';
    for (size_t i = 0; fine && i < 10; i++) {
        if (i != 4 && i != 7) {
            fine = text[i] >= '0' && text[i] <= '9';
            date = date * 10 + (uint32_t)(text[i] - '0');
        }
    }
    uint32_t month = date / 100 % 100, day = date % 100;
    if (!fine || month < 1 || month > 12 || day < 1 || day > 31) {
        return say(expected, KVB_BAD_TYPE, "a date such as 2026-12-31");
    }
    memcpy(at, &date, sizeof date);
    return KVB_OK;
}

static enum kvb_status put_switch(const struct kvb_field_row *row, const char *text, bool quoted, char *at,
                                  char expected[EXPECTED])
{
    bool on = strcmp(text, "true") == 0;
    if (quoted || (!on && strcmp(text, "false") != 0)) {
        return say(expected, KVB_BAD_TYPE, "true or false");
    }
    bool value = row->kind == KVB_FIELD_NOT ? !on : on;
    memcpy(at, &value, sizeof value);
    return KVB_OK;
}

enum kvb_status kvb_field_put(const struct kvb_field_row *row, const char *text, bool quoted, void *out,
                              char expected[EXPECTED])
{
    char *at = (char *)out + row->offset;
    switch (row->kind) {
    case KVB_FIELD_TEXT:
    case KVB_FIELD_TEXT_LIST:
        return put_text(row, text, at, expected);
    case KVB_FIELD_RELEASE:
        return put_release(row, text, at, expected);
    case KVB_FIELD_WORD:
        return put_word(row, text, at, expected);
    case KVB_FIELD_WHOLE:
        return put_whole(row, text, quoted, at, expected);
    case KVB_FIELD_SIZE:
    case KVB_FIELD_SIZE_LIST:
        return put_size(row, text, at, expected);
    case KVB_FIELD_PPM:
        return put_ppm(row, text, at, expected);
    case KVB_FIELD_COUNT:
        return put_count(text, at, expected);
    case KVB_FIELD_DATE:
        return put_date(text, at, expected);
    case KVB_FIELD_SWITCH:
    case KVB_FIELD_NOT:
        return put_switch(row, text, quoted, at, expected);
    default:
        return say(expected, KVB_BAD_TYPE, "a value of its own");
    }
}

const struct kvb_field_row *kvb_field_find(const struct kvb_schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->row_count; i++) {
        if (strcmp(schema->rows[i].key, key) == 0) {
            return &schema->rows[i];
        }
    }
    return NULL;
}
