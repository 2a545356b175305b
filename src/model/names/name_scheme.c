// From the words of a name to the quantization_config such checkpoints have, and how far that may be off.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/names/name.h"

#define KEEP                                                                                                           \
    "[\"lm_head\", \"visual\", \"vision_tower\", \"multi_modal_projector\", \"audio_tower\", \"router\", \"mtp\"]"

// What these owners' checkpoints of a method are, where their configs are public.
struct owner_row {
    const char *owner;
    enum kvb_name_method from, to;
    uint32_t bits, group;
    bool dynamic;
    const char *word; // a format of other programs
};
static const struct owner_row owners[] = {
    {"cyankiwi", KVB_NAME_AWQ, KVB_NAME_PACKED, 4, 32, false, NULL},
    {"cpatonn", KVB_NAME_AWQ, KVB_NAME_PACKED, 4, 32, false, NULL},
    {"RedHatAI", KVB_NAME_INTEGER, KVB_NAME_PACKED, 4, 128, false, NULL},
    {"neuralmagic", KVB_NAME_INTEGER, KVB_NAME_PACKED, 4, 128, false, NULL},
    {"Qwen", KVB_NAME_INTEGER, KVB_NAME_GPTQ, 4, 128, false, NULL},
    {"unsloth", KVB_NAME_INTEGER, KVB_NAME_BNB, 4, 0, true, NULL},
    {"Intel", KVB_NAME_INTEGER, KVB_NAME_AUTOROUND, 4, 128, false, NULL},
    {"OPEA", KVB_NAME_INTEGER, KVB_NAME_AUTOROUND, 4, 128, false, NULL},
    {"mlx-community", KVB_NAME_METHOD_COUNT, KVB_NAME_FOREIGN, 0, 0, false, "MLX"},
    {"lmstudio-community", KVB_NAME_INTEGER, KVB_NAME_FOREIGN, 0, 0, false, "MLX"},
};

void kvb_name_owner_words(const char *owner, struct kvb_name_scheme *scheme)
{
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        const struct owner_row *row = &owners[i];
        bool any = row->from == KVB_NAME_METHOD_COUNT && scheme->method != KVB_NAME_UNSAID;
        if (!kvb_equal_ignoring_case(row->owner, owner) || (!any && row->from != scheme->method)) {
            continue;
        }
        scheme->method = row->to;
        scheme->bits = scheme->bits ? scheme->bits : row->bits;
        scheme->group = scheme->group ? scheme->group : row->group;
        scheme->dynamic = scheme->dynamic || row->dynamic;
        scheme->word = row->word;
        return;
    }
}

static uint32_t bits_of(const struct kvb_name_scheme *scheme)
{
    return scheme->bits ? scheme->bits : 4;
}

static uint32_t group_of(const struct kvb_name_scheme *scheme)
{
    return scheme->group ? scheme->group : 128;
}

static void write_packed(char *out, size_t capacity, uint32_t bits, uint32_t group, bool symmetric)
{
    (void)snprintf(out, capacity,
                   "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {\"weights\": "
                   "{\"num_bits\": %u, \"type\": \"int\", \"strategy\": \"group\", \"group_size\": %u, \"symmetric\": "
                   "%s}, \"targets\": [\"Linear\"]}}, \"ignore\": " KEEP "}",
                   bits, group, symmetric ? "true" : "false");
}

static void write_fp8(char *out, size_t capacity, const struct kvb_name_scheme *scheme)
{
    if (scheme->dynamic) {
        (void)snprintf(out, capacity,
                       "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {\"weights\": "
                       "{\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"channel\"}, \"input_activations\": "
                       "{\"num_bits\": 8, \"type\": \"float\", \"dynamic\": true}, \"targets\": [\"Linear\"]}}, "
                       "\"ignore\": " KEEP "}");
    } else {
        (void)snprintf(out, capacity,
                       "{\"quant_method\": \"fp8\", \"activation_scheme\": \"dynamic\"%s, \"ignored_layers\": " KEEP
                       "}",
                       scheme->block ? ", \"weight_block_size\": [128, 128]" : "");
    }
}

static void write_grouped(char *out, size_t capacity, const struct kvb_name_scheme *scheme)
{
    bool awq = scheme->method == KVB_NAME_AWQ;
    if (awq && bits_of(scheme) != 4) { // the engine's AWQ knows 4 bits only; such are compressed-tensors
        write_packed(out, capacity, bits_of(scheme), group_of(scheme), false);
        return;
    }
    (void)snprintf(out, capacity,
                   "{\"quant_method\": \"%s\", \"bits\": %u, \"group_size\": %u, %s, \"modules_to_not_convert\": " KEEP
                   "}",
                   awq                                    ? "awq"
                   : scheme->method == KVB_NAME_AUTOROUND ? "auto-round"
                                                          : "gptq",
                   bits_of(scheme), group_of(scheme), awq ? "\"zero_point\": true" : "\"sym\": true");
}

void kvb_name_scheme_config(char *out, size_t capacity, const struct kvb_name_scheme *scheme)
{
    out[0] = '\0';
    switch (scheme->method) {
    case KVB_NAME_AWQ:
    case KVB_NAME_GPTQ:
    case KVB_NAME_AUTOROUND:
        write_grouped(out, capacity, scheme);
        break;
    case KVB_NAME_INTEGER:
    case KVB_NAME_PACKED:
        write_packed(out, capacity, bits_of(scheme), group_of(scheme), true);
        break;
    case KVB_NAME_INT8:
        (void)snprintf(out, capacity,
                       "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {\"weights\": "
                       "{\"num_bits\": 8, \"type\": \"int\", \"strategy\": \"channel\"}, \"input_activations\": "
                       "{\"num_bits\": 8, \"type\": \"int\", \"dynamic\": true}, \"targets\": [\"Linear\"]}}, "
                       "\"ignore\": " KEEP "}");
        break;
    case KVB_NAME_FP8:
        write_fp8(out, capacity, scheme);
        break;
    case KVB_NAME_NVFP4:
        (void)snprintf(out, capacity,
                       "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {\"weights\": "
                       "{\"num_bits\": 4, \"type\": \"float\", \"strategy\": \"tensor_group\", \"group_size\": 16}, "
                       "\"input_activations\": %s, \"targets\": [\"Linear\"]}}, \"ignore\": " KEEP "}",
                       scheme->weights_alone ? "null" : "{\"num_bits\": 4, \"type\": \"float\", \"group_size\": 16}");
        break;
    case KVB_NAME_MXFP4:
        (void)snprintf(out, capacity, "{\"quant_method\": \"mxfp4\"}");
        break;
    case KVB_NAME_BNB:
        (void)snprintf(out, capacity, "{\"quant_method\": \"bitsandbytes\", \"load_in_8bit\": %s}",
                       scheme->bits == 8 ? "true" : "false");
        break;
    case KVB_NAME_GGUF:
        (void)snprintf(out, capacity, "{\"quant_method\": \"gguf\"}");
        break;
    case KVB_NAME_UNSAID:
    case KVB_NAME_PLAIN:
    case KVB_NAME_FOREIGN:
    case KVB_NAME_METHOD_COUNT:
        break;
    }
}

// Low and high: groups of 32 or whole rows instead of 128, heads quantised or not, layers kept at 16 bits.
struct bound_row {
    enum kvb_name_method method;
    const char *text;
    uint32_t low_ppm, high_ppm;
};
static const struct bound_row bounds[KVB_NAME_METHOD_COUNT] = {
    [KVB_NAME_UNSAID] = {KVB_NAME_UNSAID, "in its own format", 10000, 10000},
    [KVB_NAME_PLAIN] = {KVB_NAME_PLAIN, "at 16 bits", 10000, 10000},
    [KVB_NAME_INTEGER] = {KVB_NAME_INTEGER, "integers", 80000, 200000},
    [KVB_NAME_AWQ] = {KVB_NAME_AWQ, "AWQ", 40000, 120000},
    [KVB_NAME_GPTQ] = {KVB_NAME_GPTQ, "GPTQ", 40000, 120000},
    [KVB_NAME_AUTOROUND] = {KVB_NAME_AUTOROUND, "AutoRound", 40000, 120000},
    [KVB_NAME_PACKED] = {KVB_NAME_PACKED, "compressed-tensors", 40000, 120000},
    [KVB_NAME_INT8] = {KVB_NAME_INT8, "INT8 weights and activations", 20000, 50000},
    [KVB_NAME_FP8] = {KVB_NAME_FP8, "FP8", 20000, 80000},
    [KVB_NAME_NVFP4] = {KVB_NAME_NVFP4, "NVFP4", 80000, 600000},
    [KVB_NAME_MXFP4] = {KVB_NAME_MXFP4, "MXFP4", 50000, 200000},
    [KVB_NAME_BNB] = {KVB_NAME_BNB, "bitsandbytes", 50000, 80000},
    [KVB_NAME_GGUF] = {KVB_NAME_GGUF, "GGUF", 60000, 80000},
};

void kvb_name_scheme_text(char *out, size_t capacity, const struct kvb_name_scheme *scheme)
{
    const char *word = bounds[scheme->method].text ? bounds[scheme->method].text : scheme->word;
    switch (scheme->method) {
    case KVB_NAME_INTEGER:
    case KVB_NAME_AWQ:
    case KVB_NAME_GPTQ:
    case KVB_NAME_AUTOROUND:
    case KVB_NAME_PACKED:
        (void)snprintf(out, capacity, "%s, %u bits in groups of %u", word, bits_of(scheme), group_of(scheme));
        break;
    case KVB_NAME_BNB:
        (void)snprintf(out, capacity, "%s, %u bits", word, bits_of(scheme));
        break;
    case KVB_NAME_GGUF:
        (void)snprintf(out, capacity, "%s %s", word, scheme->format[0] ? scheme->format : "Q4_K_M");
        break;
    default:
        (void)kvb_copy(out, capacity, word ? word : "");
        break;
    }
}

void kvb_name_scheme_bound(const struct kvb_name_scheme *scheme, uint32_t *low_ppm, uint32_t *high_ppm)
{
    bool kept = scheme->method == KVB_NAME_BNB && scheme->dynamic;
    *low_ppm = bounds[scheme->method].low_ppm;
    *high_ppm = kept ? 250000 : bounds[scheme->method].high_ppm;
}
