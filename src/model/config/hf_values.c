// Asking for values that were read from a config: plain getters, and what is essential.
#include <string.h>

#include "model/config/hf.h"

bool kvb_hf_has(const struct hf *hf, enum kvb_hf_key key)
{
    return hf->values[key].set;
}

bool kvb_hf_is(const struct hf *hf, enum kvb_hf_key key)
{
    return hf->values[key].set && hf->values[key].number != 0;
}

uint64_t kvb_hf_get64(const struct hf *hf, enum kvb_hf_key key, uint64_t otherwise)
{
    return hf->values[key].set ? hf->values[key].number : otherwise;
}

uint32_t kvb_hf_get(const struct hf *hf, enum kvb_hf_key key, uint32_t otherwise)
{
    return (uint32_t)kvb_hf_get64(hf, key, otherwise);
}

const char *kvb_hf_word(const struct hf *hf, enum kvb_hf_key key)
{
    const struct kvb_hf_value *value = &hf->values[key];
    return value->set && value->node && value->node->kind == KVB_NODE_SCALAR ? value->node->text : "";
}

bool kvb_hf_word_is(const struct hf *hf, enum kvb_hf_key key, const char *word)
{
    return strcmp(kvb_hf_word(hf, key), word) == 0;
}

uint32_t kvb_hf_need(struct hf *hf, enum kvb_hf_key key)
{
    const char *name = key == HF_VOCAB ? "vocab_size" : kvb_hf_row(key)->names[0]; // the padded one is ChatGLM's
    if (hf->values[key].set) {
        return (uint32_t)hf->values[key].number;
    }
    if (!hf->failed) {
        kvb_hf_fail(
            hf, KVB_MISSING_KEY, hf->text,
            "'%s' is missing, and %s has no default for it: add it, or state it with --hf-overrides '{\"%s\": N}'",
            name, hf->architecture ? hf->architecture->name : "this model", name);
    }
    hf->failed = true;
    return 0;
}

uint32_t kvb_hf_list_length(const struct hf *hf, enum kvb_hf_key key)
{
    const struct kvb_hf_value *value = &hf->values[key];
    return value->set && value->node && value->node->kind == KVB_NODE_SEQUENCE ? value->node->count : 0;
}

static const struct kvb_node *item(const struct hf *hf, enum kvb_hf_key key, uint32_t index)
{
    if (index >= kvb_hf_list_length(hf, key)) {
        return NULL;
    }
    const struct kvb_node *node = hf->values[key].node->first;
    for (; node && index > 0; index--) {
        node = node->next;
    }
    return node;
}

static uint32_t number_of(const struct kvb_node *node)
{
    uint64_t number = 0; // at most 2^32: the row's range was checked when the list was read
    for (const char *c = node->text; *c >= '0' && *c <= '9'; c++) {
        number = number * 10 + (uint64_t)(*c - '0');
    }
    return (uint32_t)number;
}

uint32_t kvb_hf_list_get(const struct hf *hf, enum kvb_hf_key key, uint32_t index, uint32_t otherwise)
{
    const struct kvb_node *node = item(hf, key, index);
    return node ? number_of(node) : otherwise;
}

bool kvb_hf_list_holds(const struct hf *hf, enum kvb_hf_key key, uint32_t number)
{
    if (kvb_hf_list_length(hf, key) == 0) {
        return false;
    }
    for (const struct kvb_node *node = hf->values[key].node->first; node; node = node->next) {
        if (number_of(node) == number) {
            return true;
        }
    }
    return false;
}

const char *kvb_hf_words_get(const struct hf *hf, enum kvb_hf_key key, uint32_t index)
{
    const struct kvb_node *node = item(hf, key, index);
    return node ? node->text : "";
}

bool kvb_hf_list_covers_layers(struct hf *hf, enum kvb_hf_key key)
{
    uint32_t length = kvb_hf_list_length(hf, key);
    if (length < hf->model->layer_count) {
        kvb_hf_fail(hf, KVB_CONTRADICTION, hf->values[key].node,
                    "%s has %u entries but the model has %u layers: one entry per layer is needed",
                    kvb_hf_row(key)->names[0], length, hf->model->layer_count);
        return false;
    }
    return true;
}

bool kvb_hf_trait(const struct hf *hf, enum kvb_hf_traits trait)
{
    return (hf->architecture->traits & (uint32_t)trait) != 0;
}
