// Sums of whole numbers and variables, as scripts compute lengths.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
#define MOST (UINT64_C(1) << 40)
#define DEPTH_MAX 16

struct sum {
    struct kvb_manifest *manifest;
    const struct kvb_variable *variables;
    const char *at, *end;
    const char *unknown;
    bool fine;
    unsigned depth;
};

static uint64_t read_sum(struct sum *sum);

static void skip(struct sum *sum)
{
    while (sum->at < sum->end && strchr(" \t\r\n", *sum->at) != NULL) {
        sum->at++;
    }
}

static uint64_t read_operand(struct sum *sum)
{
    uint64_t number = 0;
    skip(sum);
    if (*sum->at == '(' && sum->depth < DEPTH_MAX) {
        sum->at++;
        sum->depth++;
        number = read_sum(sum);
        sum->depth--;
        sum->fine = sum->fine && *sum->at == ')';
        sum->at++;
        return number;
    }
    while (*sum->at == '$' || *sum->at == '{') {
        sum->at++;
    }
    size_t length = strspn(sum->at, NAME_CHARACTERS);
    const char *name = kvb_manifest_copy(sum->manifest, sum->at, length);
    const char *value = *name >= '0' && *name <= '9' ? name : kvb_variable_value(sum->manifest, sum->variables, name);
    sum->at += length;
    sum->at += *sum->at == '}';
    if (length == 0 || value == NULL || !kvb_parse_whole(value, &number) || number > MOST) {
        sum->unknown = sum->unknown == NULL && length > 0 ? name : sum->unknown;
        sum->fine = false;
    }
    return number;
}

static uint64_t read_product(struct sum *sum)
{
    uint64_t number = read_operand(sum);
    for (skip(sum); sum->fine && (*sum->at == '*' || *sum->at == '/'); skip(sum)) {
        bool times = *sum->at++ == '*';
        uint64_t other = read_operand(sum);
        sum->fine = sum->fine && (times ? other == 0 || number <= MOST / other : other > 0);
        number = !sum->fine ? 0 : times ? number * other : number / other;
    }
    return number;
}

static uint64_t read_sum(struct sum *sum)
{
    uint64_t number = read_product(sum);
    for (skip(sum); sum->fine && (*sum->at == '+' || *sum->at == '-'); skip(sum)) {
        bool adds = *sum->at++ == '+';
        uint64_t other = read_product(sum);
        sum->fine = sum->fine && (adds ? number + other <= MOST : number >= other);
        number = !sum->fine ? 0 : adds ? number + other : number - other;
    }
    return number;
}

size_t kvb_expand_arithmetic(struct kvb_manifest *manifest, const char *text, const struct kvb_variable *variables,
                             const char **value, const char **name)
{
    const char *end = kvb_find_within(text, 1025, "))");
    if (end == NULL) {
        return 0;
    }
    while (end[2] == ')') { // "((a + b) * 2))" ends with the last
        end++;
    }
    struct sum sum = {.manifest = manifest, .variables = variables, .at = text + 3, .end = end, .fine = true};
    uint64_t number = read_sum(&sum);
    bool whole = sum.fine && sum.at == end;
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    *value = whole ? kvb_manifest_copy(manifest, digits, strlen(digits)) : NULL;
    *name = sum.unknown != NULL ? sum.unknown : kvb_manifest_copy(manifest, text, (size_t)(end + 2 - text));
    return (size_t)(end + 2 - text);
}
