// The words of a name that speak of number formats: "-AWQ", "-GPTQ-Int4", "-FP8-dynamic", "-quantized.w4a16".
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/names/name.h"

enum meaning {
    METHOD,    // value: enum kvb_name_method
    STRONG,    // the same, and it replaces a method that was said before
    BITS,      // value: bits, of integers unless a method is named
    WEIGHTS,   // the same, and the activations keep 16 bits: "w4a16"
    BOTH,      // value: bits of weights and activations: "w8a8"
    ALONE,     // STRONG, and the activations keep 16 bits
    GROUP,     // value: group size
    DYNAMIC,   // of FP8 and bitsandbytes
    BLOCK,     // of FP8
    AFTERWORD, // means nothing for memory, once a format was named, or right before one
    LASTWORD,  // the same, once a format was named; before one it is the model's own: "9B-v2-FP8"
    FOREWORD,  // stands before one: "quantized.w4a16"
    FOREIGN,   // a format for other programs
};
struct word_row {
    const char *word;
    enum meaning meaning;
    uint32_t value;
};
// clang-format off
static const struct word_row rows[] = {
    {"awq", METHOD, KVB_NAME_AWQ}, {"gptq", METHOD, KVB_NAME_GPTQ}, {"gptqmodel", METHOD, KVB_NAME_GPTQ},
    {"autoround", STRONG, KVB_NAME_AUTOROUND}, {"autogptq", METHOD, KVB_NAME_GPTQ}, {"autoawq", METHOD, KVB_NAME_AWQ},
    {"fp8", METHOD, KVB_NAME_FP8}, {"f8", METHOD, KVB_NAME_FP8}, {"float8", METHOD, KVB_NAME_FP8},
    {"nvfp4", STRONG, KVB_NAME_NVFP4}, {"fp4", METHOD, KVB_NAME_NVFP4}, {"nvfp4a16", ALONE, KVB_NAME_NVFP4},
    {"fp4a16", ALONE, KVB_NAME_NVFP4}, {"mxfp4", STRONG, KVB_NAME_MXFP4},
    {"bnb", STRONG, KVB_NAME_BNB}, {"bitsandbytes", STRONG, KVB_NAME_BNB}, {"nf4", STRONG, KVB_NAME_BNB},
    {"hqq", METHOD, KVB_NAME_PACKED}, {"gguf", STRONG, KVB_NAME_GGUF}, {"ggufs", STRONG, KVB_NAME_GGUF},
    {"bf16", METHOD, KVB_NAME_PLAIN}, {"fp16", METHOD, KVB_NAME_PLAIN}, {"f16", METHOD, KVB_NAME_PLAIN},
    {"float16", METHOD, KVB_NAME_PLAIN}, {"bfloat16", METHOD, KVB_NAME_PLAIN}, {"fp32", METHOD, KVB_NAME_PLAIN},
    {"4bit", BITS, 4}, {"8bit", BITS, 8}, {"4bits", BITS, 4}, {"8bits", BITS, 8}, {"3bit", BITS, 3}, {"2bit", BITS, 2},
    {"int4", BITS, 4}, {"int8", BITS, 8}, {"i4", BITS, 4}, {"i8", BITS, 8},
    {"w4a16", WEIGHTS, 4}, {"w8a16", WEIGHTS, 8}, {"w3a16", WEIGHTS, 3}, {"w4", WEIGHTS, 4},
    {"w8a8", BOTH, 8}, {"w4a8", WEIGHTS, 4},
    {"g128", GROUP, 128}, {"128g", GROUP, 128}, {"gs128", GROUP, 128}, {"g32", GROUP, 32}, {"32g", GROUP, 32},
    {"gs32", GROUP, 32}, {"g64", GROUP, 64}, {"64g", GROUP, 64}, {"gs64", GROUP, 64}, {"g16", GROUP, 16}, {"gs16", GROUP, 16},
    {"dynamic", DYNAMIC, 0}, {"block", BLOCK, 0},
    {"kv", AFTERWORD, 0}, {"static", AFTERWORD, 0}, {"sym", AFTERWORD, 0}, {"asym", AFTERWORD, 0}, {"inc", AFTERWORD, 0},
    {"marlin", AFTERWORD, 0}, {"channel", AFTERWORD, 0}, {"tensor", AFTERWORD, 0}, {"pertensor", AFTERWORD, 0},
    {"ptpc", AFTERWORD, 0}, {"gemm", AFTERWORD, 0}, {"e4m3", AFTERWORD, 0}, {"quant", AFTERWORD, 0}, {"ct", AFTERWORD, 0},
    {"mixed", AFTERWORD, 0}, {"6bit", BITS, 6}, {"5bit", BITS, 5}, {"int8mix", AFTERWORD, 0}, {"lmhead", AFTERWORD, 0}, {"smoothquant", AFTERWORD, 0}, {"mlp", AFTERWORD, 0},
    {"fp16mix", AFTERWORD, 0}, {"rtn", AFTERWORD, 0}, {"llmc", AFTERWORD, 0}, {"modelopt", AFTERWORD, 0},
    {"mxfp8", METHOD, KVB_NAME_FP8}, {"w8afp8", METHOD, KVB_NAME_FP8}, {"w4afp8", WEIGHTS, 4}, {"w8", WEIGHTS, 8}, {"int4mix", AFTERWORD, 0},
    {"v2", LASTWORD, 0}, {"preview", LASTWORD, 0},
    {"qad", AFTERWORD, 0}, {"i1", AFTERWORD, 0}, {"imatrix", AFTERWORD, 0}, {"int4a16", WEIGHTS, 4},
    {"quantized", FOREWORD, 0}, {"unsloth", FOREWORD, 0}, {"ud", FOREWORD, 0}, {"qat", FOREWORD, 0},
    {"mlx", FOREIGN, 0}, {"exl2", FOREIGN, 1}, {"exl3", FOREIGN, 2}, {"onnx", FOREIGN, 3}, {"openvino", FOREIGN, 4},
    {"ov", FOREIGN, 4}, {"coreml", FOREIGN, 5}, {"ggml", FOREIGN, 6},
};
// clang-format on
static const char *const foreign[] = {"MLX", "EXL2", "EXL3", "ONNX", "OpenVINO", "Core ML", "GGML"};

static const struct word_row *find_word(const char *word)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_equal_ignoring_case(rows[i].word, word)) {
            return &rows[i];
        }
    }
    return NULL;
}

static void set_method(struct kvb_name_scheme *scheme, enum kvb_name_method method)
{
    scheme->method = method;
}

static bool is_said(const struct kvb_name_scheme *scheme)
{
    return scheme->method != KVB_NAME_UNSAID;
}

static void set_bits(struct kvb_name_scheme *scheme, const struct word_row *row)
{
    scheme->bits = row->value;
    scheme->activations = scheme->activations || row->meaning == BOTH;
    if (!is_said(scheme) || scheme->method == KVB_NAME_PLAIN) {
        set_method(scheme, row->meaning == BOTH      ? KVB_NAME_INT8
                           : row->meaning == WEIGHTS ? KVB_NAME_PACKED
                                                     : KVB_NAME_INTEGER);
    }
}

static bool names_integers(const struct kvb_name_scheme *scheme)
{
    return scheme->method == KVB_NAME_INTEGER || scheme->method == KVB_NAME_PACKED || scheme->method == KVB_NAME_INT8;
}

// Takes one word in; false when it is the name's own.
static bool take(struct kvb_name_scheme *scheme, const struct word_row *row)
{
    switch (row->meaning) {
    case METHOD:
        if (!is_said(scheme) || names_integers(scheme) || scheme->method == KVB_NAME_PLAIN) {
            set_method(scheme, (enum kvb_name_method)row->value);
        }
        return true;
    case ALONE:
    case STRONG:
        scheme->weights_alone = scheme->weights_alone || row->meaning == ALONE;
        set_method(scheme, (enum kvb_name_method)row->value);
        return true;
    case BITS:
    case WEIGHTS:
    case BOTH:
        set_bits(scheme, row);
        return true;
    case GROUP:
        scheme->group = row->value;
        return true;
    case DYNAMIC:
        scheme->dynamic = is_said(scheme);
        return is_said(scheme);
    case BLOCK:
        scheme->block = is_said(scheme);
        return is_said(scheme);
    case AFTERWORD:
    case LASTWORD:
        return is_said(scheme);
    case FOREWORD:
        scheme->dynamic = scheme->dynamic || strcmp(row->word, "unsloth") == 0;
        return true;
    case FOREIGN:
        set_method(scheme, KVB_NAME_FOREIGN);
        scheme->word = foreign[row->value];
        return true;
    }
    return false;
}

// The length of the word at `at`; a dot or an underscore between digits does not end it.
static size_t word_length(const char *at)
{
    size_t length = 0;
    if (kvb_is_digit(at[0]) && at[1] == '-' && (strncmp(at + 2, "bit", 3) == 0 || strncmp(at + 2, "Bit", 3) == 0)) {
        return 5; // "4-Bit"
    }
    while (at[length]) {
        bool mark = strchr("-_. ", at[length]) != NULL;
        bool inside = length > 0 && at[length] != '-' && kvb_is_digit(at[length - 1]) && kvb_is_digit(at[length + 1]);
        if (mark && !inside) {
            break;
        }
        length++;
    }
    return length;
}

// "Q4_K_M" and the like are one word across their underscores.
static size_t format_length(const char *at, char out[16])
{
    size_t marked = kvb_starts_with_ignoring_case(at, "ud-") ? 3 : 0;
    size_t length = marked + strcspn(at + marked, "-. ");
    if (length < 16 && strchr("qQiI", at[marked]) && kvb_gguf_format_centibits(at, length) > 0) {
        memcpy(out, at, length);
        out[length] = '\0';
        return length;
    }
    return 0;
}

// "4b" after GPTQ is a width, elsewhere a size.
static bool take_short_bits(struct kvb_name_scheme *scheme, const char *word)
{
    if (scheme->method == KVB_NAME_GPTQ && (strcmp(word, "4b") == 0 || strcmp(word, "8b") == 0)) {
        scheme->bits = word[0] == '4' ? 4 : 8;
        return true;
    }
    return false;
}

static bool describes(const struct word_row *row)
{
    return row->meaning == AFTERWORD || row->meaning == BLOCK;
}

// Whether the next word names a number format: "Channel-INT8", "block-FP8".
static bool is_format(const char *at)
{
    char word[32];
    size_t length = word_length(at);
    if (length == 0 || length >= sizeof word) {
        return false;
    }
    memcpy(word, at, length);
    word[length] = '\0';
    const struct word_row *row = find_word(word);
    return row && (row->meaning == METHOD || row->meaning == STRONG || row->meaning == ALONE || row->meaning == BITS ||
                   row->meaning == BOTH);
}

static bool take_word(struct kvb_name_scheme *scheme, const char *at, size_t length)
{
    char word[32];
    if (length == 0 || length >= sizeof word) {
        return false;
    }
    memcpy(word, at, length);
    word[length] = '\0';
    if (length == 5 && word[1] == '-') {
        memmove(word + 1, word + 2, 4);
    }
    const struct word_row *row = find_word(word);
    if (row && describes(row) && !is_said(scheme) && at[length] != '\0') {
        scheme->block = row->meaning == BLOCK && is_format(at + length + 1);
        return is_format(at + length + 1);
    }
    return row ? take(scheme, row) : take_short_bits(scheme, word);
}

static void append(char rest[KVB_NAME_PART], const char *at, size_t length, char mark)
{
    size_t used = strlen(rest);
    if (used + length + 2 > KVB_NAME_PART) {
        return;
    }
    if (used > 0) {
        rest[used++] = mark;
    }
    memcpy(rest + used, at, length);
    rest[used + length] = '\0';
}

void kvb_name_take_words(const struct kvb_name *name, char rest[KVB_NAME_PART], struct kvb_name_scheme *scheme)
{
    const char *at = name->name;
    char mark = '-';
    rest[0] = '\0';
    *scheme = (struct kvb_name_scheme){0};
    while (*at) {
        size_t length = format_length(at, scheme->format);
        if (length > 0) {
            set_method(scheme, KVB_NAME_GGUF);
        } else {
            length = word_length(at);
            if (!take_word(scheme, at, length)) {
                append(rest, at, length, mark);
            }
        }
        at += length;
        mark = *at ? *at : mark;
        at += *at != '\0';
    }
    if (name->format[0]) {
        set_method(scheme, KVB_NAME_GGUF);
        (void)kvb_copy(scheme->format, sizeof scheme->format, name->format);
    }
    kvb_name_owner_words(name->owner, scheme);
}
