// Synthetic rejection of drafts: rates or a mean length, one of the two.
// Source: vllm/config/speculative.py _resolve_synthetic_acceptance_rates and _verify_args, v0.20.0 to v0.27.1.
#include <string.h>

#include <kvbudget/units.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define OPTIONAL_CAPACITY 256
#define SINCE KVB_RELEASE(0, 20, 0)
#define TOKENS_MAX 999
#define DECIMALS 6

// What a speculative config says of it; a size of 0 is none.
struct synthetic {
    struct kvb_member rates, length;
    uint64_t tokens; // 0 = not said
    bool asked;
};

// In parts per million; false for what is no number, below 0 or above TOKENS_MAX + 1.
static bool read(const struct kvb_member *member, uint32_t *ppm)
{
    char plain[KVB_PLAIN_CAPACITY];
    return kvb_python_write_float(member->value, member->size, DECIMALS, plain) &&
           kvb_parse_ppm(plain, (TOKENS_MAX + 1) * KVB_PPM, ppm);
}

static void gather(const char *mapping, struct synthetic *out)
{
    struct kvb_member member;
    *out = (struct synthetic){0};
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        uint32_t ppm = 0;
        if (strcmp(member.key, "rejection_sample_method") == 0) {
            out->asked = kvb_vllm_member_is(&member, "\"synthetic\"");
        } else if (strcmp(member.key, "num_speculative_tokens") == 0) {
            (void)read(&member, &ppm);
            out->tokens = ppm / KVB_PPM;
        } else if (strcmp(member.key, "synthetic_acceptance_rates") == 0 && !kvb_vllm_member_is(&member, "null")) {
            out->rates = member;
        } else if (strcmp(member.key, "synthetic_acceptance_length") == 0 && !kvb_vllm_member_is(&member, "null")) {
            out->length = member;
        }
    }
}

static const char *slip_of_rates(const struct synthetic *synthetic)
{
    struct kvb_member rate;
    uint64_t count = 0;
    uint32_t before = KVB_PPM;
    bool rises = false;
    for (const char *at = synthetic->rates.value + 1; kvb_element_next(&at, &rate); count++) {
        uint32_t ppm;
        if (!read(&rate, &ppm) || ppm > KVB_PPM) {
            return "synthetic_acceptance_rates entries must be in [0, 1]";
        }
        rises |= ppm > before;
        before = ppm;
    }
    if (synthetic->tokens > 0 && count != synthetic->tokens) {
        return "synthetic_acceptance_rates must have as many entries as num_speculative_tokens";
    }
    return rises ? "synthetic_acceptance_rates must be non-increasing" : NULL;
}

static const char *slip_of(const struct synthetic *synthetic)
{
    bool rates = synthetic->rates.size > 0, length = synthetic->length.size > 0;
    uint32_t ppm;
    if (!synthetic->asked) {
        return rates || length ? "synthetic_acceptance_rates / synthetic_acceptance_length are only valid with "
                                 "rejection_sample_method='synthetic'."
                               : NULL;
    }
    if (rates == length) {
        return "rejection_sample_method='synthetic' requires exactly one of synthetic_acceptance_rates or "
               "synthetic_acceptance_length.";
    }
    if (rates) {
        return slip_of_rates(synthetic);
    }
    uint64_t most = synthetic->tokens > 0 ? synthetic->tokens + 1 : TOKENS_MAX + 1;
    bool within = read(&synthetic->length, &ppm) && ppm >= KVB_PPM && ppm <= most * KVB_PPM;
    return within ? NULL : "synthetic_acceptance_length must be in [1, num_speculative_tokens + 1]";
}

bool kvb_vllm_judge_synthetic(const char *mapping, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct synthetic synthetic;
    gather(mapping, &synthetic);
    const char *slip = release >= SINCE ? slip_of(&synthetic) : NULL;
    if (slip == NULL) {
        return false;
    }
    (void)kvb_copy(out, OPTIONAL_CAPACITY, slip);
    return true;
}
