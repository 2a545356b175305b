// Weights of one rank in load order through the allocator: embedding, layers, final norm, head, towers,
// rotary tables, absorbed MLA copies, LoRA slots and drafters.
// Source: vllm/model_executor/model_loader, layers/rotary_embedding, lora/layers, v1/attention/backends/mla.
#include "budget/weights/weights.h"

#include <string.h>

#include "base/checked.h"

#define INDEX_BUFFER_ENTRY_BYTES 4

// Parameters of the layer kinds met last, so that alike layers are split and sized once.
#define PREPARED_MAX 4
struct prepared {
    const struct kvb_layer_kind *kind; // NULL: free
    uint32_t count;
    struct kvb_parameter parameters[KVB_TENSORS_MAX];
};

struct prepared_kinds {
    struct prepared slots[PREPARED_MAX];
};

struct loader {
    const struct kvb_load *load;
    struct kvb_allocator allocator;
    struct kvb_pool pool;
    struct kvb_weights *out;
    uint64_t plain_bytes, stored_bytes; // of loaded parameters, at the model's dtype and as stored
    bool movable;                       // inside a decoder layer
    bool leaves;                        // which is one of those that leave whole
    struct prepared_kinds *prepared;
};

static void load_bytes(struct loader *loader, uint64_t bytes, uint64_t *account)
{
    (void)kvb_allocate(&loader->allocator, bytes);
    if (loader->load->pooled) {
        (void)kvb_pool_take(&loader->pool, bytes);
    }
    *account = kvb_add(*account, bytes);
}

static uint64_t bytes_of(const struct kvb_parameter *parameter)
{
    uint64_t bytes = 0;
    for (uint32_t part = 0; part < KVB_PARTS_MAX; part++) {
        bytes = kvb_add(bytes, parameter->part_bytes[part]);
    }
    return bytes;
}

static bool is_moved(const struct loader *loader, const struct kvb_parameter *parameter)
{
    const struct kvb_load *load = loader->load;
    bool named = load->offload_roles == 0 || (load->offload_roles >> parameter->role & 1U) != 0;
    return loader->movable && named && (loader->leaves || loader->out->offloaded_bytes < load->offload_limit_bytes);
}

static void load_parameter(struct loader *loader, const struct kvb_parameter *parameter)
{
    struct kvb_weights *out = loader->out;
    if (is_moved(loader, parameter)) {
        out->offloaded_bytes = kvb_add(out->offloaded_bytes, bytes_of(parameter));
        return;
    }
    for (uint32_t part = 0; part < KVB_PARTS_MAX; part++) {
        load_bytes(loader, parameter->part_bytes[part], &out->role_bytes[parameter->role]);
    }
    uint64_t stored_bytes = bytes_of(parameter);
    loader->plain_bytes = kvb_add(loader->plain_bytes, parameter->plain_bytes);
    loader->stored_bytes = kvb_add(loader->stored_bytes, stored_bytes);
    if (stored_bytes < parameter->plain_bytes) {
        out->largest_plain_bytes = kvb_max(out->largest_plain_bytes, parameter->plain_bytes);
        out->largest_stored_bytes = kvb_max(out->largest_stored_bytes, stored_bytes);
    }
}

static void load_adapter(struct loader *loader, const struct kvb_parameter *parameter)
{
    const struct kvb_load *load = loader->load;
    uint64_t elements = kvb_mul(kvb_mul(load->lora_slots, load->lora_rank), parameter->lora_elements_per_rank);
    load_bytes(loader, kvb_mul(elements, kvb_dtype_bytes(load->dtype)), &loader->out->lora_bytes);
}

static void note_moved_layer(struct loader *loader, uint64_t offloaded_before)
{
    if (loader->load->returns_layers) {
        uint64_t moved = loader->out->offloaded_bytes - offloaded_before;
        loader->out->returning_layer_bytes = kvb_max(loader->out->returning_layer_bytes, moved);
    }
}

// The copies are made where kv_b_proj lies.
static bool absorbs_on_gpu(const struct loader *loader, uint64_t offloaded_before)
{
    bool moved = loader->out->offloaded_bytes > offloaded_before;
    return loader->load->absorbs_latent && !(moved && loader->load->returns_layers);
}

static void mark_mlp(struct kvb_tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tensors[i].as_attention = tensors[i].role == KVB_ROLE_MLP;
    }
}

static const struct prepared *prepare(struct loader *loader, const struct kvb_model *model,
                                      const struct kvb_layer_kind *kind, bool as_attention)
{
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    size_t slot = (size_t)(kind - model->kinds) + (as_attention ? PREPARED_MAX / 2 : 0);
    struct prepared *prepared = &loader->prepared->slots[slot % PREPARED_MAX];
    if (prepared->kind != kind) {
        struct kvb_layer_kind whole = *kind;
        whole.attention.has_indexer |= !loader->load->shares_index && kind->attention.index_heads != 0;
        uint32_t count = kvb_layer_tensors(model, &whole, tensors);
        if (as_attention) {
            mark_mlp(tensors, count);
        }
        prepared->count = kvb_parameters_of(loader->load, tensors, count, prepared->parameters);
        prepared->kind = kind;
    }
    return prepared;
}

// Matrices first and norms after them: the module order in which offloading walks a layer.
static void load_layer(struct loader *loader, const struct kvb_model *model, const struct kvb_layer_kind *kind,
                       bool as_attention)
{
    const struct prepared *prepared = prepare(loader, model, kind, as_attention);
    uint64_t offloaded_before = loader->out->offloaded_bytes;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < prepared->count; i++) {
            const struct kvb_parameter *parameter = &prepared->parameters[i];
            if (parameter->is_norm == (pass == 1)) {
                load_parameter(loader, parameter);
                load_adapter(loader, parameter);
            }
        }
    }
    const struct kvb_attention_shape *shape = &kind->attention;
    note_moved_layer(loader, offloaded_before);
    if (shape->kind == KVB_ATTENTION_MLA && absorbs_on_gpu(loader, offloaded_before)) {
        uint64_t heads = kvb_heads_on_rank(shape->heads, loader->load->tp);
        uint64_t per_width = kvb_mul(heads * kvb_dtype_bytes(loader->load->dtype), shape->latent_rank);
        load_bytes(loader, kvb_mul(per_width, shape->value_head_size), &loader->out->absorbed_bytes);
        load_bytes(loader, kvb_mul(per_width, shape->nope_size), &loader->out->absorbed_bytes);
    }
}

static bool stores_as_attention(const struct kvb_model *model, uint32_t layer)
{
    return ((uint32_t)model->quantisation.mlps_as_attention[layer / 8] >> layer % 8 & 1U) != 0;
}

// Of each group of a stage's layers the last ones.
static bool leaves(const struct kvb_load *load, uint32_t stage, uint32_t layer)
{
    uint32_t group = load->offload_group, moved = load->offload_in_group;
    return group > 0 && (layer - load->stage_begin[stage]) % group + moved >= group;
}

static uint64_t moved_of(struct loader *loader, uint32_t kind, uint32_t role)
{
    const struct kvb_model *model = loader->load->model;
    const struct prepared *prepared = prepare(loader, model, &model->kinds[kind], false);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < prepared->count; i++) {
        const struct kvb_parameter *parameter = &prepared->parameters[i];
        bool counts = parameter->role == role && is_moved(loader, parameter);
        bytes = kvb_add(bytes, counts ? bytes_of(parameter) : 0);
    }
    return bytes;
}

// Buffers that moved parameters come back to: one for each name and shape, so kinds of layers share what is alike.
static void keep_buffers(struct loader *loader, uint64_t kinds)
{
    for (uint32_t at = 0; at < loader->load->model->kind_count * KVB_ROLE_COUNT; at++) {
        uint32_t kind = at / KVB_ROLE_COUNT, role = at % KVB_ROLE_COUNT;
        bool kept = (kinds >> kind & 1U) != 0;
        uint64_t bytes = kept ? moved_of(loader, kind, role) : 0;
        for (uint32_t other = 0; other < kind && kept; other++) {
            kept = (kinds >> other & 1U) * moved_of(loader, other, role) != bytes; // 0 of one that stays
        }
        for (uint32_t slot = 0; slot < loader->load->offload_ahead && kept; slot++) {
            load_bytes(loader, bytes, &loader->out->buffer_bytes);
        }
    }
}

static void load_layers(struct loader *loader, uint32_t stage)
{
    const struct kvb_load *load = loader->load;
    uint64_t kinds = 0; // that leave
    loader->movable = true;
    for (uint32_t layer = load->stage_begin[stage]; layer < load->stage_begin[stage + 1]; layer++) {
        const struct kvb_layer_kind *kind = kvb_kind_of(load->model, layer);
        loader->leaves = leaves(load, stage, layer);
        kinds |= (uint64_t)loader->leaves << (kind - load->model->kinds);
        load_layer(loader, load->model, kind, stores_as_attention(load->model, layer));
    }
    loader->leaves = true;
    keep_buffers(loader, kinds);
    loader->movable = false;
}

static bool on_stage(const struct kvb_load *load, const struct kvb_tensor *tensor, uint32_t stage)
{
    bool first = stage == 0;
    bool last = stage + 1 == load->pp;
    if (tensor->role == KVB_ROLE_EMBEDDING) {
        return first || (last && load->model->tied_embeddings);
    }
    return last;
}

static bool drops_tied_head(const struct kvb_load *load, uint32_t stage)
{
    return load->pooled && load->makes_tied_head && load->model->tied_embeddings && stage + 1 == load->pp;
}

static void load_outer(struct loader *loader, uint32_t stage, bool embedding)
{
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    struct kvb_parameter parameter;
    uint32_t count = kvb_outer_tensors(loader->load->model, tensors);
    for (uint32_t i = 0; i < count; i++) {
        bool is_embedding = tensors[i].role == KVB_ROLE_EMBEDDING;
        bool lent = is_embedding && kvb_model_only_drafts(loader->load->model) && !loader->load->own_embedding;
        bool dropped = lent || (loader->load->no_head && tensors[i].role == KVB_ROLE_HEAD);
        if (is_embedding == embedding && !dropped && on_stage(loader->load, &tensors[i], stage)) {
            (void)kvb_parameters_of(loader->load, &tensors[i], 1, &parameter);
            load_parameter(loader, &parameter);
        } else if (is_embedding && !embedding && drops_tied_head(loader->load, stage)) {
            (void)kvb_parameters_of(loader->load, &tensors[i], 1, &parameter);
            kvb_pool_drop(&loader->pool, bytes_of(&parameter));
        }
    }
}

static void load_extras(struct loader *loader, uint32_t stage)
{
    const struct kvb_load *load = loader->load;
    for (uint32_t i = 0; i < load->model->extra_count; i++) {
        const struct kvb_extra *extra = &load->model->extras[i];
        bool tower = kvb_is_tower(extra->role);
        if (extra->role == KVB_ROLE_MTP || (tower ? kvb_drops_tower(load, extra->role) : stage > 0)) {
            continue;
        }
        struct kvb_tensor tensor = {.name = extra->name,
                                    .role = extra->role,
                                    .split = tower && load->towers_copied ? KVB_SPLIT_COPY : extra->split,
                                    .rows = extra->rows,
                                    .columns = extra->columns,
                                    .count = 1,
                                    .quantised = extra->quantised};
        struct kvb_parameter parameter;
        (void)kvb_parameters_of(load, &tensor, 1, &parameter);
        for (uint32_t copy = 0; copy < extra->count; copy++) {
            load_parameter(loader, &parameter);
        }
    }
}

// What a table is made of is dropped behind the model's copy; a table that is not copied is the last part itself.
struct rope_parts {
    uint64_t bytes[KVB_ROPE_PARTS], block_bytes[KVB_ROPE_PARTS];
    uint32_t count;
};

static void make_rope(struct loader *loader, uint64_t elements, bool copied, struct rope_parts *parts)
{
    parts->count = loader->load->counts_device ? (copied ? KVB_ROPE_PARTS : KVB_ROPE_PARTS - 1) : 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        parts->bytes[i] = kvb_rope_part_bytes(elements, i);
        parts->block_bytes[i] = kvb_allocate(&loader->allocator, parts->bytes[i]);
    }
}

static void drop_rope(struct loader *loader, const struct rope_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        kvb_release(&loader->allocator, parts->bytes[i], parts->block_bytes[i]);
    }
}

static void load_rope(struct loader *loader)
{
    const struct kvb_model *model = loader->load->model;
    uint64_t most = loader->load->rope_rows_most > 0 ? loader->load->rope_rows_most : UINT64_MAX;
    for (uint32_t i = 0; i < model->rope_cache_count && !loader->load->no_rope_table; i++) {
        uint64_t elements = kvb_mul(kvb_min(model->rope_caches[i].rows, most), model->rope_caches[i].width);
        uint32_t element = kvb_dtype_bytes(loader->load->fp32_rope ? KVB_DTYPE_FP32 : loader->load->dtype);
        bool copied = !loader->load->fp32_rope;
        struct rope_parts parts;
        make_rope(loader, elements, copied, &parts);
        uint64_t made = loader->load->pooled && copied ? kvb_pool_rope(&loader->pool, elements) : 0;
        load_bytes(loader, kvb_mul(elements, element), &loader->out->rope_bytes);
        kvb_pool_give(&loader->pool, made);
        drop_rope(loader, &parts);
    }
}

// The sparse index keeps its choices for a whole batch, the last stage the residual streams that drafts start from.
static void load_buffers(struct loader *loader, bool last)
{
    const struct kvb_load *load = loader->load;
    uint32_t topk = 0, streams = 0;
    for (uint32_t i = 0; i < load->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &load->model->kinds[i].attention;
        topk = shape->index_topk > topk ? shape->index_topk : topk;
        streams = shape->residual_streams > streams ? shape->residual_streams : streams;
    }
    uint64_t element = kvb_dtype_bytes(load->dtype);
    uint64_t held = kvb_mul(kvb_mul(last ? load->stream_buffer_tokens : 0, streams), load->model->hidden_size);
    load_bytes(loader, kvb_mul(held, element), &loader->out->buffer_bytes);
    uint64_t entries = kvb_mul(load->index_buffer_tokens, topk);
    load_bytes(loader, kvb_mul(entries, INDEX_BUFFER_ENTRY_BYTES), &loader->out->buffer_bytes);
    load_bytes(loader, load->workspace_bytes, &loader->out->buffer_bytes);
    uint64_t deep = kvb_mul(kvb_mul(load->deepstack_tokens, load->model->hidden_size), element);
    for (uint32_t level = 0; level < load->model->encoder.deepstack_levels; level++) {
        load_bytes(loader, deep, &loader->out->buffer_bytes);
    }
}

static void sum_up(const struct loader *loader, struct kvb_weights *weights)
{
    const struct kvb_allocator *allocator = &loader->allocator;
    uint64_t held = loader->load->counts_device ? allocator->reserved_bytes : allocator->allocated_bytes;
    uint64_t plain_bytes = kvb_max(loader->plain_bytes, loader->stored_bytes);
    weights->rounding_bytes = held - allocator->requested_bytes;
    weights->buffer_bytes = kvb_add(weights->buffer_bytes, loader->load->runtime_bytes);
    weights->total_bytes = kvb_add(held, loader->load->runtime_bytes);
    weights->unquantised_bytes = kvb_add(weights->total_bytes, plain_bytes - loader->stored_bytes);
}

// The new block is beside the old one, which then is free.
static void relay(struct loader *loader, const struct kvb_parameter *parameter)
{
    for (uint32_t part = 0; part < parameter->part_count; part++) {
        uint64_t block_bytes = kvb_allocate(&loader->allocator, parameter->part_bytes[part]);
        kvb_release(&loader->allocator, parameter->part_bytes[part], block_bytes);
    }
}

// Kernels that want a layout of their own get it once everything is loaded, matrix by matrix.
static void lay_out(struct loader *loader, uint32_t stage)
{
    const struct kvb_load *load = loader->load;
    bool pooled = load->pooled && load->relaid_copies > 0;
    bool apart = load->expert_rows != KVB_EXPERT_ROWS_AS_LOADED && !load->exact_allocations;
    bool asked = pooled || load->relays_packed || apart;
    struct kvb_expert_rests rests = {0, 0};
    for (uint32_t layer = load->stage_begin[stage]; asked && layer < load->stage_begin[stage + 1]; layer++) {
        const struct kvb_layer_kind *kind = kvb_kind_of(load->model, layer);
        const struct prepared *prepared = prepare(loader, load->model, kind, stores_as_attention(load->model, layer));
        kvb_expert_rests_add(load, prepared->parameters, apart ? prepared->count : 0, &rests);
        for (uint32_t i = 0; i < prepared->count; i++) {
            const struct kvb_parameter *parameter = &prepared->parameters[i];
            bool packed = bytes_of(parameter) < parameter->plain_bytes;
            if (packed && pooled) {
                kvb_pool_lay_out(&loader->pool, parameter, load->relaid_copies);
            }
            if (packed && load->relays_packed) {
                relay(loader, parameter);
            }
        }
    }
    loader->out->stranded_bytes = kvb_pool_free(&loader->pool);
    loader->out->expert_rest_bytes = rests.held_bytes;
    loader->allocator.reserved_bytes =
        kvb_add(loader->allocator.reserved_bytes, kvb_add(rests.held_bytes, rests.last_bytes));
}

static void load_embedding_adapters(struct loader *loader)
{
    const struct kvb_load *load = loader->load;
    if (!load->lora_on_embeddings) {
        return;
    }
    uint64_t rank = load->lora_rank;
    uint64_t hidden = load->model->hidden_size;
    uint64_t rows = (uint64_t)load->model->vocabulary_size + load->lora_extra_rows;
    uint64_t adapters = kvb_mul(kvb_mul(2 * rank, load->lora_slots), kvb_add(rows, hidden));
    uint64_t elements = kvb_add(adapters, kvb_mul(3 * load->lora_extra_rows, hidden));
    load_bytes(loader, kvb_mul(elements, kvb_dtype_bytes(load->dtype)), &loader->out->lora_bytes);
}

// Next-token modules share embedding and head with the target; a checkpoint may leave them unquantised.
static void load_mtp(struct loader *loader)
{
    const struct kvb_load *load = loader->load;
    struct kvb_load own = *load;
    own.plain = (load->model->quantisation.unquantised_roles >> KVB_ROLE_MTP & 1U) != 0;
    memset(loader->prepared, 0, sizeof *loader->prepared);
    loader->load = &own;
    const struct kvb_model *model = loader->load->model;
    uint64_t hidden = model->hidden_size;
    uint64_t rows = kvb_div_up(hidden, load->mtp_joins_by_rank ? load->tp : 1);
    uint64_t element = kvb_dtype_bytes(loader->load->dtype);
    uint32_t modules = load->mtp_most > 0 && load->mtp_most < model->mtp_layers ? load->mtp_most : model->mtp_layers;
    for (uint32_t i = 0; i < modules; i++) {
        load_layer(loader, model, &model->kinds[model->mtp_kind], false);
        load_bytes(loader, kvb_mul(model->mtp_extra_matrices_hidden * element * rows, hidden),
                   &loader->out->draft_bytes);
    }
    loader->load = load;
}

static void count_with(struct prepared_kinds *prepared, const struct kvb_load *load, uint32_t stage,
                       struct kvb_weights *weights);

// Behind everything else of the target, whose prepared layers nobody asks for again.
static void load_draft(struct loader *loader)
{
    const struct kvb_load *load = loader->load;
    if (load->mtp) {
        load_mtp(loader);
    }
    if (load->draft != NULL) {
        struct kvb_load draft = *load;
        struct kvb_weights own;
        draft.model = load->draft;
        draft.draft = NULL;
        draft.mtp = false;
        draft.pooled = false;
        draft.counts_device = false;
        draft.relays_packed = false;
        draft.runtime_bytes = 0;
        draft.offload_group = 0;
        draft.online = kvb_model_only_drafts(draft.model) ? KVB_QUANT_NONE : load->online;
        draft.online_experts = kvb_model_only_drafts(draft.model) ? KVB_QUANT_NONE : load->online_experts;
        draft.pp = 1;
        draft.stage_begin[1] = (uint16_t)draft.model->layer_count;
        count_with(loader->prepared, &draft, 0, &own);
        load_bytes(loader, own.total_bytes, &loader->out->draft_bytes);
    }
}

static void count_with(struct prepared_kinds *prepared, const struct kvb_load *load, uint32_t stage,
                       struct kvb_weights *weights)
{
    struct loader loader = {.load = load, .out = weights, .prepared = prepared};
    memset(prepared, 0, sizeof *prepared);
    memset(weights, 0, sizeof *weights);
    weights->rank_stage = stage;
    loader.allocator.exact = load->exact_allocations;
    loader.allocator.largest_split_bytes = load->largest_split_bytes;
    loader.pool.largest_split_bytes = load->largest_split_bytes;
    load_extras(&loader, stage);
    load_outer(&loader, stage, true);
    load_rope(&loader);
    load_layers(&loader, stage);
    load_outer(&loader, stage, false);
    load_buffers(&loader, stage + 1 == load->pp);
    lay_out(&loader, stage);
    load_embedding_adapters(&loader);
    if (stage + 1 == load->pp) {
        load_draft(&loader);
    }
    sum_up(&loader, weights);
    kvb_weights_from_checkpoint(load, stage, weights);
}

void kvb_weights_count(const struct kvb_load *load, uint32_t stage, struct kvb_weights *weights)
{
    struct prepared_kinds prepared; // 16 KiB that a draft is counted with, too
    count_with(&prepared, load, stage, weights);
}
