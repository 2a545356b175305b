// The sentences of refusals, with their numbers put in.
#include "engines/vllm/refusal.h"

#include <string.h>

#include "base/checked.h"

static size_t put(char out[KVB_ERROR_TEXT_CAPACITY], size_t length, const char *text, size_t size)
{
    size_t room = KVB_ERROR_TEXT_CAPACITY - 1 - length;
    size = (size_t)kvb_min(size, room);
    memcpy(out + length, text, size);
    return length + size;
}

void kvb_refusal_say(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, const char *const values[])
{
    size_t length = 0;
    for (const char *at = pattern; *at != '\0'; at++) {
        if (at[0] == '{') { // never but before a digit
            const char *value = values[at[1] - '0'];
            length = put(out, length, value, strlen(value));
            at += 2;
        } else {
            length = put(out, length, at, 1);
        }
    }
    out[length] = '\0';
}

bool kvb_refuse(char out[KVB_ERROR_TEXT_CAPACITY], const char *text)
{
    kvb_refusal_say(out, text, NULL);
    return true;
}

bool kvb_refuse_two(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, uint64_t first, uint64_t second)
{
    char a[24], b[24];
    const char *values[] = {kvb_refusal_count(a, first), kvb_refusal_count(b, second)};
    kvb_refusal_say(out, pattern, values);
    return true;
}

bool kvb_refuse_if(bool refused, char out[KVB_ERROR_TEXT_CAPACITY], const char *text)
{
    if (refused) {
        kvb_refusal_say(out, text, NULL);
    }
    return refused;
}

bool kvb_has_plain(const struct kvb_context *context, enum kvb_plain_flag flag)
{
    return (context->plan->plain_flags & (uint32_t)flag) != 0;
}

uint64_t kvb_plain_or(const struct kvb_context *context, enum kvb_plain_number number, uint64_t otherwise)
{
    const struct kvb_plain_value *value = &context->plan->plain_numbers[number];
    return !value->set ? otherwise : value->negative ? 0 : value->number;
}

const char *kvb_refusal_count(char out[24], uint64_t count)
{
    char digits[24];
    size_t used = 0;
    do {
        digits[used++] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    for (size_t i = 0; i < used; i++) {
        out[i] = digits[used - 1 - i];
    }
    out[used] = '\0';
    return out;
}

const char *kvb_refusal_capability(char out[24], uint32_t capability)
{
    (void)kvb_refusal_count(out, capability / 10);
    size_t length = strlen(out);
    out[length] = '.';
    out[length + 1] = (char)('0' + capability % 10);
    out[length + 2] = '\0';
    return out;
}
