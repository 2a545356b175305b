// Three keys: format, total_bytes, parameters.
#include "model/profile_checkpoint.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/model_copy.h"
#include "base/text.h"
#include "text/field.h"
#include "text/strict.h"

struct format_row {
    const char *word;
    enum kvb_checkpoint_kind kind;
};
static const struct format_row formats[] = {{"gguf", KVB_CHECKPOINT_GGUF}, {"safetensors", KVB_CHECKPOINT_INDEX}};

static enum kvb_status read_format(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_checkpoint *checkpoint = out;
    for (size_t i = 0; node->kind == KVB_NODE_SCALAR && i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(node->text, formats[i].word) == 0) {
            checkpoint->kind = formats[i].kind;
            return KVB_OK;
        }
    }
    return kvb_expected(reading->tree, node, KVB_UNKNOWN_NAME, "gguf or safetensors", reading->problems);
}

static const struct kvb_field_row rows[] = {
    {"format", KVB_FIELD_OWN, .own = read_format, .required = true, .help = "gguf or safetensors"},
    {"total_bytes", KVB_FIELD_WHOLE, KVB_AT(struct kvb_checkpoint, total_bytes), .minimum = 1, .maximum = KVB_BYTES_MAX,
     .required = true, .help = "of all tensors"},
    {"parameters", KVB_FIELD_WHOLE, KVB_AT(struct kvb_checkpoint, parameters), .minimum = 1, .maximum = KVB_BYTES_MAX,
     .help = "elements of all tensors"},
};
static const struct kvb_schema schema = KVB_SCHEMA("a checkpoint", rows);

bool kvb_profile_checkpoint_read(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_checkpoint *out,
                                 struct kvb_problems *problems)
{
    const struct kvb_reading reading = {tree, NULL, problems};
    kvb_checkpoint_clear(out);
    return node == NULL || kvb_fields_read(&reading, node, &schema, out) == KVB_OK;
}

void kvb_profile_checkpoint_write(struct kvb_buffer *buffer, const struct kvb_checkpoint *checkpoint)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].kind == checkpoint->kind) {
            kvb_buffer_printf(buffer, "checkpoint:\n  format: %s\n  total_bytes: %llu\n", formats[i].word,
                              (unsigned long long)checkpoint->total_bytes);
        }
    }
    if (checkpoint->parameters > 0) {
        kvb_buffer_printf(buffer, "  parameters: %llu\n", (unsigned long long)checkpoint->parameters);
    }
}

void kvb_profile_checkpoint_reduce(const struct kvb_model *model, struct kvb_checkpoint *out)
{
    const struct kvb_checkpoint *known = &model->checkpoint;
    uint64_t described = kvb_model_parameters(model);
    uint64_t counted = known->parameters;
    uint64_t difference = counted > described ? counted - described : described - counted;
    bool differs = known->kind == KVB_CHECKPOINT_INDEX || difference > described / 1000;
    memset(out, 0, sizeof *out);
    if (known->kind == KVB_CHECKPOINT_NONE || (known->kind != KVB_CHECKPOINT_GGUF && !differs) ||
        known->total_bytes == 0) {
        return;
    }
    out->kind = known->kind == KVB_CHECKPOINT_GGUF ? KVB_CHECKPOINT_GGUF : KVB_CHECKPOINT_INDEX;
    out->total_bytes = known->total_bytes;
    out->parameters = known->parameters;
}
