// Every tensor of the file with the place it belongs to, from the classes of a GGUF header.
// Source: src/llama-model.cpp, load_tensors: layer 0 .. n_layer - 1, input and output.
#include "engines/llamacpp/tensors.h"

#include <string.h>

#include "base/checked.h"

static bool is_in_layer(const struct kvb_tensor_class *row, uint32_t layer)
{
    return row->in_layer && (row->layers[layer / 64] >> layer % 64 & 1) != 0;
}

static bool is_input(const struct kvb_tensor_class *row)
{
    return !row->in_layer && row->role == KVB_ROLE_EMBEDDING;
}

static uint32_t layers_of(const struct kvb_tensor_class *row)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < KVB_CHECKPOINT_LAYER_WORDS; i++) {
        for (uint64_t word = row->layers[i]; word != 0; word &= word - 1) {
            count++;
        }
    }
    return count;
}

static void take_class(const struct kvb_tensor_class *row, kvb_llama_tensor_taker *take, void *context)
{
    uint32_t layers = row->in_layer ? layers_of(row) : 1;
    struct kvb_llama_tensor tensor = {.name = row->name,
                                      .role = (enum kvb_role)row->role,
                                      .rows = kvb_mul(row->rows, row->count / layers),
                                      .columns = row->columns,
                                      .bytes = row->stored_bytes / layers,
                                      .quantised = row->quantised};
    take(context, &tensor);
}

static bool has_header(const struct kvb_model *model)
{
    return model->checkpoint.kind == KVB_CHECKPOINT_GGUF && model->checkpoint.classes_whole;
}

static void of_header(const struct kvb_model *model, uint32_t layer, kvb_llama_tensor_taker *take, void *context)
{
    const struct kvb_checkpoint *checkpoint = &model->checkpoint;
    bool output = layer >= model->layer_count;
    bool head = false;
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        const struct kvb_tensor_class *row = &checkpoint->classes[i];
        if (output ? !row->in_layer && !is_input(row) : is_in_layer(row, layer)) {
            head |= row->role == KVB_ROLE_HEAD;
            take_class(row, take, context);
        }
    }
    for (uint32_t i = 0; output && !head && i < checkpoint->class_count; i++) { // tied: a second copy
        if (strcmp(checkpoint->classes[i].name, "token_embd.weight") == 0) {
            take_class(&checkpoint->classes[i], take, context);
        }
    }
}

void kvb_llama_layer_tensors(const struct kvb_llama_run *run, uint32_t layer, kvb_llama_tensor_taker *take,
                             void *context)
{
    if (has_header(run->model)) {
        of_header(run->model, layer, take, context);
    } else if (layer < run->model->layer_count) {
        kvb_llama_layer_of_shapes(run, layer, take, context);
    } else {
        kvb_llama_ends_of_shapes(run, true, take, context);
    }
}

void kvb_llama_input_tensors(const struct kvb_llama_run *run, kvb_llama_tensor_taker *take, void *context)
{
    const struct kvb_checkpoint *checkpoint = &run->model->checkpoint;
    if (!has_header(run->model)) {
        kvb_llama_ends_of_shapes(run, false, take, context);
        return;
    }
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        if (is_input(&checkpoint->classes[i])) {
            take_class(&checkpoint->classes[i], take, context);
        }
    }
}

void kvb_llama_head_tensors(const struct kvb_llama_run *run, kvb_llama_tensor_taker *take, void *context)
{
    const struct kvb_model *model = run->model;
    const struct kvb_checkpoint *checkpoint = &model->checkpoint;
    if (!has_header(model)) {
        kvb_llama_heads_of_shapes(run, take, context);
        return;
    }
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        for (uint32_t layer = model->layer_count; layer < model->layer_count + model->mtp_layers; layer++) {
            if (layer < KVB_LAYERS_MAX && is_in_layer(&checkpoint->classes[i], layer)) {
                take_class(&checkpoint->classes[i], take, context);
            }
        }
    }
}
