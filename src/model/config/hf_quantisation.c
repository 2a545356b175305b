// The checkpoint's quantisation: method words, schemes of compressed-tensors and ModelOpt, mixed ones.
#include <string.h>

#include "base/text.h"
#include "model/config/hf.h"
#include "model/config/hf_scheme.h"

static void set_block(struct hf *hf, struct kvb_quantisation *quantisation)
{
    if (kvb_hf_list_length(hf, HF_Q_BLOCK) == 0) {
        return;
    }
    quantisation->scale = KVB_SCALE_BLOCK;
    quantisation->block_rows = kvb_hf_list_get(hf, HF_Q_BLOCK, 0, 0);
    quantisation->block_columns = kvb_hf_list_get(hf, HF_Q_BLOCK, 1, 0);
    if (quantisation->block_rows == 0 || quantisation->block_columns == 0) {
        kvb_hf_fail(hf, KVB_OUT_OF_RANGE, hf->values[HF_Q_BLOCK].node,
                    "weight_block_size: expected two sizes of at least 1, such as [128, 128]");
    }
}

// -1 (one group per row of inputs) and absence read as 0.
static uint32_t group_size(struct hf *hf, uint32_t otherwise)
{
    const struct kvb_hf_value *value = &hf->values[HF_Q_GROUP];
    const char *text = kvb_hf_word(hf, HF_Q_GROUP);
    uint32_t size = 0;
    if (!value->set) {
        return otherwise;
    }
    if (strcmp(text, "-1") == 0) {
        return 0;
    }
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || size > 1000000) {
            kvb_hf_fail(hf, KVB_BAD_TYPE, value->node, "group_size: expected a whole number or -1, got %.40s", text);
            return 0;
        }
        size = size * 10 + (uint32_t)(*c - '0');
    }
    return size;
}

static void read_fp8(struct hf *hf, struct kvb_quantisation *quantisation)
{
    quantisation->method = KVB_QUANT_FP8;
    quantisation->bits = 8;
    quantisation->scale = KVB_SCALE_TENSOR;
    set_block(hf, quantisation);
    if (kvb_hf_has(hf, HF_Q_MOE_ALGO)) { // experts requantised: the list below is about them
        quantisation->expert_method = kvb_hf_algorithm_method(hf, HF_Q_MOE_ALGO);
    } else if (kvb_hf_word_is(hf, HF_EXPERT_DTYPE, "fp4")) { // DeepSeek V4: experts in four bits
        quantisation->expert_method = KVB_QUANT_MXFP4;
    }
}

static void read_fbgemm(struct hf *hf, struct kvb_quantisation *quantisation)
{
    read_fp8(hf, quantisation);
    quantisation->scale = KVB_SCALE_CHANNEL;
}

static void read_grouped(struct hf *hf, struct kvb_quantisation *quantisation)
{
    quantisation->bits = kvb_hf_get(hf, HF_Q_BITS, 4);
    quantisation->group_size = group_size(hf, 128);
    quantisation->scale = quantisation->group_size ? KVB_SCALE_GROUP : KVB_SCALE_CHANNEL;
    quantisation->act_order = kvb_hf_is(hf, HF_Q_DESC_ACT);
    if (quantisation->bits != 4 && quantisation->bits != 8 && quantisation->bits != 2 && quantisation->bits != 3) {
        kvb_hf_fail(hf, KVB_OUT_OF_RANGE, hf->values[HF_Q_BITS].node, "bits: expected 2, 3, 4 or 8, got %u",
                    quantisation->bits);
    }
}

static void read_awq(struct hf *hf, struct kvb_quantisation *quantisation)
{
    quantisation->method = KVB_QUANT_AWQ;
    read_grouped(hf, quantisation);
    quantisation->symmetric = kvb_hf_has(hf, HF_Q_ZERO_POINT) && !kvb_hf_is(hf, HF_Q_ZERO_POINT);
}

static void read_gptq(struct hf *hf, struct kvb_quantisation *quantisation)
{
    quantisation->method = KVB_QUANT_GPTQ;
    read_grouped(hf, quantisation);
    quantisation->symmetric = !kvb_hf_has(hf, HF_Q_SYM) || kvb_hf_is(hf, HF_Q_SYM);
}

static void read_bitsandbytes(struct hf *hf, struct kvb_quantisation *quantisation)
{
    bool eight = kvb_hf_is(hf, HF_Q_8BIT);
    quantisation->method = eight ? KVB_QUANT_BNB8 : KVB_QUANT_BNB4;
    quantisation->bits = eight ? 8 : 4;
    quantisation->group_size = eight ? 0 : 64;
    quantisation->scale = eight ? KVB_SCALE_CHANNEL : KVB_SCALE_GROUP;
    quantisation->symmetric = true;
}

static void read_mxfp4(struct hf *hf, struct kvb_quantisation *quantisation)
{
    (void)hf;
    kvb_hf_scheme_apply(quantisation, KVB_QUANT_MXFP4);
    // The list names attention, router, embedding and head: only the experts are left.
    quantisation->unquantised_roles |= UINT32_C(1) << KVB_ROLE_ATTENTION;
}

static void read_gguf(struct hf *hf, struct kvb_quantisation *quantisation)
{
    (void)hf;
    quantisation->method = KVB_QUANT_GGUF;
}

struct method_row {
    const char *word; // quant_method, lower case
    void (*read)(struct hf *hf, struct kvb_quantisation *quantisation);
};
static const struct method_row methods[] = {
    {"fp8", read_fp8},
    {"deepseek_v4_fp8", read_fp8},
    {"fbgemm_fp8", read_fbgemm},
    {"awq", read_awq},
    {"awq_marlin", read_awq},
    {"gptq", read_gptq},
    {"gptq_marlin", read_gptq},
    {"auto-round", read_gptq},
    {"intel/auto-round", read_gptq},
    {"bitsandbytes", read_bitsandbytes},
    {"compressed-tensors", kvb_hf_read_compressed_tensors},
    {"modelopt", kvb_hf_read_modelopt},
    {"modelopt_fp4", kvb_hf_read_modelopt},
    {"modelopt_mixed", kvb_hf_read_modelopt},
    {"mxfp4", read_mxfp4},
    {"gpt_oss_mxfp4", read_mxfp4},
    {"gguf", read_gguf},
};

static const struct method_row *find_method(struct hf *hf, const char *word)
{
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, word);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (kvb_equal_ignoring_case(methods[i].word, word)) {
            return &methods[i];
        }
        kvb_nearest_offer(&nearest, methods[i].word);
    }
    kvb_hf_fail(
        hf, KVB_UNKNOWN_KIND, hf->values[HF_Q_METHOD].node,
        "quantisation method '%.40s' is not known%s%s; state the size of the weights instead, or use an unquantised "
        "config",
        word, nearest.best ? ", did you mean " : "", nearest.best ? nearest.best : "");
    return NULL;
}

// Attention whose output projection is quantised stays eligible; its other tensors are marked one by one.
static void read_ignored(struct hf *hf, struct kvb_quantisation *quantisation)
{
    const struct kvb_node *names = hf->values[HF_Q_IGNORE].node;
    uint32_t attention = UINT32_C(1) << KVB_ROLE_ATTENTION;
    uint32_t roles = kvb_hf_ignored_roles(hf, names);
    bool states = kvb_hf_ignores_mixers(hf, names, KVB_HF_STATES);
    bool attends = kvb_hf_ignores_mixers(hf, names, KVB_HF_ATTENDS);
    if (states != attends) {
        quantisation->plain_states = states;
        quantisation->plain_attention = attends;
        quantisation->unquantised_roles |= roles & ~attention;
        return;
    }
    quantisation->output_quantised = (roles & attention) && !kvb_hf_ignores_outputs(hf, names);
    quantisation->unquantised_roles |= quantisation->output_quantised ? roles & ~attention : roles;
}

void kvb_hf_read_quantisation(struct hf *hf)
{
    struct kvb_quantisation *quantisation = &hf->model->quantisation;
    const char *word = kvb_hf_word(hf, HF_Q_METHOD);
    if (!kvb_hf_has(hf, HF_QUANTISATION)) {
        return;
    }
    if (!kvb_hf_has(hf, HF_Q_METHOD) && (kvb_hf_has(hf, HF_Q_ALGO) || kvb_hf_has(hf, HF_Q_PRODUCER))) {
        word = "modelopt"; // its older files name only the algorithm
    } else if (!kvb_hf_has(hf, HF_Q_METHOD)) {
        kvb_hf_fail(hf, KVB_MISSING_KEY, hf->values[HF_QUANTISATION].node,
                    "quantization_config has no quant_method: state it, for example \"quant_method\": \"fp8\"");
        return;
    }
    const struct method_row *row = find_method(hf, word);
    if (!row) {
        return;
    }
    (void)kvb_copy(quantisation->name, sizeof quantisation->name, row->word);
    quantisation->static_activations = kvb_hf_word_is(hf, HF_Q_ACTIVATION, "static");
    quantisation->symmetric = true;
    row->read(hf, quantisation);
    if (kvb_hf_has(hf, HF_Q_IGNORE) && !kvb_hf_has(hf, HF_Q_MOE_ALGO)) {
        read_ignored(hf, quantisation);
    }
}
