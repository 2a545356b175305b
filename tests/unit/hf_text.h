// Small configs for the tests of the config reader: a complete Llama-like one, and changes to it.
#ifndef KVB_TESTS_HF_TEXT_H
#define KVB_TESTS_HF_TEXT_H

#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

static struct kvb_model model;
static struct kvb_problems problems;

static inline enum kvb_status read_with(const char *text, const char *overrides)
{
    kvb_problems_init(&problems);
    memset(&model, 0, sizeof model);
    return kvb_model_read_config("config.json", text, strlen(text), NULL, NULL, 0, overrides, &model, &problems);
}

static inline enum kvb_status read_text(const char *text)
{
    return read_with(text, NULL);
}

// Two layers, 64 wide, four heads of 16, two of them with keys.
#define TINY_WITH(class, more)                                                                                         \
    "{\"architectures\": [\"" class "\"],\n"                                                                           \
                                    " \"model_type\": \"tiny\", \"torch_dtype\": \"bfloat16\",\n"                      \
                                    " \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4,\n"    \
                                    " \"num_key_value_heads\": 2, \"intermediate_size\": 128, \"vocab_size\": 1000,\n" \
                                    " \"max_position_embeddings\": 4096" more "\n}\n"

#endif
