// GGUF formats and what they take: bits per weight of a whole 8B model, embedding and head included.
// Source: tools/quantize/README.md of llama.cpp, the table for Llama 3.1 8B; the old Q4_1 to Q5_1 from its k-quants
// pull request 1684 (sizes of Llama 7B).
#include "base/text.h"
#include "model/names/name.h"

#include <string.h>

struct format_row {
    const char *word;
    uint32_t centibits;
};
static const struct format_row formats[] = {
    {"IQ1_S", 200},   {"IQ1_M", 215},   {"IQ2_XXS", 238}, {"IQ2_XS", 259},  {"IQ2_S", 274},     {"IQ2_M", 293},
    {"IQ3_XXS", 326}, {"IQ3_XS", 350},  {"IQ3_S", 366},   {"IQ3_M", 376},   {"IQ4_XS", 446},    {"IQ4_NL", 468},
    {"Q2_K_S", 297},  {"Q2_K", 316},    {"Q2_K_L", 330},  {"Q2_K_XL", 330}, {"Q3_K_S", 364},    {"Q3_K_M", 400},
    {"Q3_K_L", 430},  {"Q3_K_XL", 430}, {"Q4_0", 466},    {"Q4_1", 513},    {"Q4_K_S", 467},    {"Q4_K_M", 489},
    {"Q4_K_L", 500},  {"Q4_K_XL", 500}, {"Q4_K", 489},    {"Q5_0", 557},    {"Q5_1", 607},      {"Q5_K_S", 557},
    {"Q5_K_M", 570},  {"Q5_K_L", 580},  {"Q5_K_XL", 580}, {"Q5_K", 570},    {"Q6_K", 656},      {"Q6_K_L", 670},
    {"Q6_K_XL", 690}, {"Q8_0", 850},    {"Q8_K_XL", 900}, {"MXFP4", 425},   {"MXFP4_MOE", 425}, {"BF16", 1600},
    {"F16", 1600},    {"FP16", 1600},   {"F32", 3200},
};

// "UD-Q4_K_XL" of Unsloth takes about what the format without it does.
uint32_t kvb_gguf_format_centibits(const char *format, size_t length)
{
    char word[16];
    size_t skipped = length > 3 && kvb_starts_with_ignoring_case(format, "ud-") ? 3 : 0;
    format += skipped;
    length -= skipped;
    if (length >= sizeof word) {
        return 0;
    }
    memcpy(word, format, length);
    word[length] = '\0';
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (kvb_equal_ignoring_case(formats[i].word, word)) {
            return formats[i].centibits;
        }
    }
    return 0;
}

bool kvb_name_is_version(const char *word)
{
    return kvb_is_digit(word[0]) && word[strspn(word, "0123456789.")] == '\0';
}
