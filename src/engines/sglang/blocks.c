// FP8 checkpoints with a scale a block: what ranks divide must be whole blocks. Source: sgl-project/sglang,
// python/sglang/srt/layers/quantization/fp8.py (create_weights), 0.4.1 and later.
#include "engines/sglang/refusals.h"

#include "base/checked.h"
#include "engines/sglang/say.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static bool say_block(char out[KVB_ERROR_TEXT_CAPACITY], const char *text, uint64_t size, uint64_t block)
{
    char first[24], second[24];
    const char *values[] = {kvb_sgl_digits(first, size), kvb_sgl_digits(second, block)};
    kvb_sgl_say(out, text, values);
    return true;
}

// In the order in which a layer makes its matrices: queries and keys, output, gate and up, down, experts.
static bool layer_refuses(const struct kvb_sgl_context *context, const struct kvb_layer_kind *kind,
                          char out[KVB_ERROR_TEXT_CAPACITY])
{
    static const char input[] =
        "Weight input_size_per_partition = {0} is not divisible by weight quantization block_k = {1}.";
    static const char output[] =
        "Weight output_partition_size = {0} is not divisible by weight quantization block_n = {1}.";
    const struct kvb_quantisation *q = &context->setup.model->quantisation;
    const struct kvb_attention_shape *attention = &kind->attention;
    uint32_t ranks = kvb_sgl_attention_ranks(&context->setup), tp = context->setup.tp;
    uint64_t heads = kvb_mul(attention->heads, attention->head_size) / ranks;
    uint64_t dense = kind->mlp.kind == KVB_MLP_MOE ? 0 : kind->mlp.intermediate_size / tp;
    uint64_t expert = kind->mlp.kind == KVB_MLP_MOE ? kind->mlp.expert_intermediate_size / tp : 0;
    bool split = kvb_number(context->plan, KVB_SET_ENABLE_EXPERT_PARALLEL) == 0 && !context->setup.all_to_all;
    bool padded = context->setup.hip && context->setup.release >= R(5, 15); // AITER's kernels pad experts
    if (attention->kind == KVB_ATTENTION_FULL && ranks > 1 && heads % q->block_rows != 0) {
        return say_block(out, output, heads, q->block_rows);
    }
    if (attention->kind == KVB_ATTENTION_FULL && ranks > 1 && heads % q->block_columns != 0) {
        return say_block(out, input, heads, q->block_columns);
    }
    if (dense % q->block_rows != 0) {
        return say_block(out, output, dense, q->block_rows);
    }
    if (dense % q->block_columns != 0) {
        return say_block(out, input, dense, q->block_columns);
    }
    if (split && !padded && expert % q->block_rows != 0) {
        return say_block(
            out,
            "The output_size of gate's and up's weight = {0} is not divisible by weight quantization block_n = {1}.",
            expert, q->block_rows);
    }
    return false;
}

bool kvb_sgl_blocks_refuse(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->setup.model->quantisation;
    bool blocks = q->method == KVB_QUANT_FP8 && q->scale == KVB_SCALE_BLOCK && q->block_rows > 0 &&
                  q->block_columns > 0 && context->setup.tp > 1 && context->setup.release >= R(4, 1);
    for (uint32_t i = 0; blocks && i < context->setup.model->kind_count; i++) {
        if (layer_refuses(context, &context->setup.model->kinds[i], out)) {
            return true;
        }
    }
    return false;
}
