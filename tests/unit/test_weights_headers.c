// Where a checkpoint's headers correct the config's count, rank by rank, by hand.
#include "budget/weights/weights_checkpoint.h"
#include "unit/plans.h"
#include "unit/tensor_classes.h"
#include "unit/test.h"

#define LAYER 218112000ULL       // elements of a layer of Llama-3.1-8B (test_tensors.c)
#define TABLE (128256ULL * 4096) // embedding, head

static struct kvb_plan plan;
static struct kvb_weights weights;

static struct kvb_tensor_class *add(enum kvb_role role, enum kvb_split split, uint64_t rows, uint64_t columns,
                                    uint32_t layers)
{
    return add_class(&plan.model.checkpoint, role, split, rows, columns, layers);
}

static struct kvb_part part_of(const struct kvb_load *load, uint32_t stage)
{
    return (struct kvb_part){
        load, false, load->stage_begin[stage], load->stage_begin[stage + 1], stage == 0, stage + 1 == load->pp};
}

// Embedding on the first stage and, tied, on the last; head and final norm on the last; 16 of 32 layers each.
static void elements_of_stages(void **state)
{
    (void)state;
    for (int tied = 0; tied < 2; tied++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.tied_embeddings = tied;
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 4);
        const struct kvb_load *load = loaded(&plan);
        static const uint64_t tables[4] = {1, 0, 0, 1}; // embedding; head or tied embedding
        for (uint32_t stage = 0; stage < 4; stage++) {
            struct kvb_part part = part_of(load, stage);
            assert_int_equal(kvb_config_elements(&part), 8 * LAYER + tables[stage] * TABLE + (stage == 3 ? 4096 : 0));
        }
        struct kvb_part whole = {load, true, 0, 32, true, true};
        assert_int_equal(kvb_config_elements(&whole), 32 * LAYER + (tied ? 1 : 2) * TABLE + 4096);
    }
}

// A tower of 27 x 4096 x 1024 on every stage, not with the text model alone; a table on the first; leftovers of
// next-token modules nowhere. Values that repeat the keys are the engine's, not the checkpoint's.
static void towers_and_tables(void **state)
{
    (void)state;
    static const struct {
        enum kvb_role role;
        bool text_only;
        uint64_t copies[2]; // by stage
    } rows[] = {{KVB_ROLE_VISION, false, {27, 27}},
                {KVB_ROLE_AUDIO, false, {27, 27}},
                {KVB_ROLE_PROJECTOR, true, {0, 0}},
                {KVB_ROLE_OTHER, true, {27, 0}},
                {KVB_ROLE_MTP, false, {0, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.extra_count = 1;
        plan.model.extras[0] = (struct kvb_extra){"tower", rows[i].role, KVB_SPLIT_ROWS, 4096, 1024, 27, false};
        plan.model.kinds[0].attention.key_is_value = true;
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, rows[i].text_only);
        const struct kvb_load *load = loaded(&plan);
        for (uint32_t stage = 0; stage < 2; stage++) {
            struct kvb_part part = part_of(load, stage);
            assert_int_equal(kvb_config_elements(&part), 16 * (LAYER - 1024 * 4096) + TABLE + (stage ? 4096 : 0) +
                                                             rows[i].copies[stage] * 4096 * 1024);
        }
    }
}

// A kind of layer that a stage does not have counts nothing there.
static void kinds_elsewhere(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].mlp.kind = KVB_MLP_NONE;
    for (uint32_t layer = 16; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = 1;
    }
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    struct kvb_part part = part_of(loaded(&plan), 1);
    assert_int_equal(kvb_config_elements(&part), 16 * (LAYER - 3ULL * 14336 * 4096) + TABLE + 4096);
}

struct share_row {
    const char *what;
    enum kvb_role role;
    enum kvb_split split;
    uint64_t rows, columns, count;
    uint32_t layers; // 0: in none
    bool in_layer, copied;
    uint64_t tp, ep;
    uint64_t elements; // on the first of two stages
};

static const struct share_row share_rows[] = {
    {"half of the layers", KVB_ROLE_MLP, KVB_SPLIT_COPY, 100, 10, 32, 32, true, false, 1, 0, 16000},
    {"in no layer at all", KVB_ROLE_MLP, KVB_SPLIT_COPY, 100, 10, 32, 0, true, false, 1, 0, 0},
    {"a next-token module", KVB_ROLE_MTP, KVB_SPLIT_COPY, 100, 10, 32, 32, true, false, 1, 0, 0},
    {"head", KVB_ROLE_HEAD, KVB_SPLIT_COPY, 100, 10, 1, 0, false, false, 1, 0, 0},
    {"embedding", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, 100, 10, 1, 0, false, false, 1, 0, 1000},
    {"keys of 8 heads on 16 ranks", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, 1024, 10, 32, 32, true, false, 16, 0, 20480},
    {"values of 8 heads on 16 ranks", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, 512, 10, 32, 32, true, false, 16, 0, 10240},
    {"rows of no heads", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, 1600, 10, 32, 32, true, false, 16, 0, 16000},
    {"tower", KVB_ROLE_VISION, KVB_SPLIT_ROWS, 100, 10, 1, 0, false, false, 2, 0, 500},
    {"tower on every rank", KVB_ROLE_VISION, KVB_SPLIT_ROWS, 100, 10, 1, 0, false, true, 2, 0, 1000},
    {"others are not spread", KVB_ROLE_MLP, KVB_SPLIT_COPY, 100, 10, 32, 32, true, false, 2, 2, 16000},
    {"experts spread", KVB_ROLE_EXPERTS, KVB_SPLIT_COPY, 100, 10, 64, 32, true, false, 2, 2, 16000},
};

static void shares(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof share_rows / sizeof share_rows[0]; i++) {
        const struct share_row *row = &share_rows[i];
        make_llama_plan(&plan, R(19, 0));
        plan.model.kind_count = 2;
        plan.model.kinds[1] = plan.model.kinds[0];
        plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_NONE};
        plan.model.kinds[1].attention.value_head_size = 64;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, row->tp);
        set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, row->ep);
        set(&plan, KVB_SET_MM_ENCODER_TP_MODE, row->copied);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        struct kvb_tensor_class class = *add(row->role, row->split, row->rows, row->columns, row->layers);
        class.count = row->count;
        class.in_layer = row->in_layer;
        struct kvb_part part = part_of(loaded(&plan), 0);
        struct kvb_share share;
        kvb_share_of(&part, &class, &share);
        if (kvb_share_elements(&share) != row->elements) {
            fail_msg("%s: %llu elements", row->what, (unsigned long long)kvb_share_elements(&share));
        }
    }
    assert_int_equal(kvb_moved_by(5, 0, 10), 0);
}

// On the whole checkpoint experts are not spread; a head that headers list beside tied embeddings is not loaded; towers
// count whole even when only the text model will be.
static void the_whole_checkpoint(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.tied_embeddings = true;
    plan.model.extra_count = 1;
    plan.model.extras[0] = (struct kvb_extra){"tower", KVB_ROLE_VISION, KVB_SPLIT_ROWS, 100, 10, 3, false};
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
    struct kvb_tensor_class *experts = add(KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_ROWS, 100, 10, 32);
    struct kvb_tensor_class *head = add(KVB_ROLE_HEAD, KVB_SPLIT_COPY, 100, 10, 0);
    const struct kvb_load *load = loaded(&plan);
    struct kvb_part whole = {load, true, 0, 32, true, true};
    struct kvb_share share;
    kvb_share_of(&whole, experts, &share);
    assert_int_equal(kvb_share_elements(&share), 32000);
    kvb_share_of(&whole, head, &share);
    assert_int_equal(kvb_share_elements(&share), 0);
    struct kvb_part rank = part_of(load, 0);
    kvb_share_of(&rank, head, &share);
    assert_int_equal(kvb_share_elements(&share), 0);
    uint64_t text = 32 * LAYER + TABLE + 4096;
    assert_int_equal(kvb_config_elements(&whole), text + 3000);
}

// Everything as the config says, but half of the quantised attention: 5120 x 4096 x 32 elements of a byte less. The
// same headers without a full list correct nothing.
static void quantised_elsewhere(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .scale = KVB_SCALE_TENSOR};
    kvb_weights_count(loaded(&plan), 0, &weights);
    struct kvb_weights plain = weights;
    (void)add(KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, 128256, 4096, 0);
    (void)add(KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, 128256, 4096, 0);
    (void)add(KVB_ROLE_NORM, KVB_SPLIT_COPY, 4096, 1, 0);
    add(KVB_ROLE_NORM, KVB_SPLIT_COPY, 4096, 1, 32)->count = 64;
    add(KVB_ROLE_MLP, KVB_SPLIT_ROWS, 43008, 4096, 32)->quantised = true;
    struct kvb_tensor_class *attention = add(KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, 10240, 4096, 32);
    attention->quantised = true;
    plan.model.checkpoint.kind = KVB_CHECKPOINT_SAFETENSORS;
    kvb_weights_from_checkpoint(loaded(&plan), 0, &weights);
    assert_int_equal(weights.total_bytes, plain.total_bytes);
    attention->rows = 5120;
    kvb_weights_from_checkpoint(loaded(&plan), 0, &weights);
    assert_int_equal(plain.total_bytes - weights.total_bytes, 5120ULL * 4096 * 32);
    assert_int_equal(plain.role_bytes[KVB_ROLE_ATTENTION] - weights.role_bytes[KVB_ROLE_ATTENTION],
                     5120ULL * 4096 * 32);
    weights = plain;
    plan.model.checkpoint.classes_whole = false;
    kvb_weights_from_checkpoint(loaded(&plan), 0, &weights);
    assert_int_equal(weights.total_bytes, plain.total_bytes);
}

// Only a total: what it is off by more than 1 % goes to the ranks in equal parts; not with quantised checkpoints.
static void totals(void **state)
{
    (void)state;
    static const uint64_t expected = 8030261248ULL * 2;
    static const struct {
        int64_t off_mib;
        enum kvb_quantisation_method method;
        int64_t moved_mib; // of each of 2 ranks
    } rows[] = {
        {1000, KVB_QUANT_NONE, 500}, {-1000, KVB_QUANT_NONE, -500}, {100, KVB_QUANT_NONE, 0}, {1000, KVB_QUANT_FP8, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
        plan.model.quantisation.method = rows[i].method;
        plan.model.checkpoint.kind = KVB_CHECKPOINT_INDEX;
        plan.model.checkpoint.total_bytes = expected + (uint64_t)(rows[i].off_mib * (int64_t)MIB);
        weights = (struct kvb_weights){.total_bytes = 8 * GIB};
        kvb_weights_from_checkpoint(loaded(&plan), 0, &weights);
        assert_int_equal((int64_t)weights.total_bytes - (int64_t)(8 * GIB), rows[i].moved_mib * (int64_t)MIB);
    }
}

static uint64_t gguf_bytes(void)
{
    plan.model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    weights = (struct kvb_weights){.total_bytes = 0};
    kvb_weights_from_checkpoint(loaded(&plan), 0, &weights);
    return weights.total_bytes;
}

static void pack(struct kvb_tensor_class *row, uint32_t bytes_per_1024)
{
    row->quantised = true;
    row->bytes_per_1024 = bytes_per_1024;
}

// Queries and outputs of 4.5 bits (576 B in 1024 elements), values of 6.5625 (840): fused, all are padded to 840.
// Queries alone are not fused with anything; vectors and matrices outside of layers neither.
static void gguf_padding(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    pack(add(KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, 4096, 4096, 32), 576);
    uint64_t queries = 4096ULL * 4096 * 32 / 1024;
    assert_int_equal(gguf_bytes(), queries * 576);
    pack(add(KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, 4096, 1, 32), 840);       // not a matrix
    pack(add(KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, 1024, 1024, 0), 840);     // in no layer
    pack(add(KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, 1024, 1024, 32), 840); // an output projection
    uint64_t apart = gguf_bytes();
    pack(add(KVB_ROLE_ATTENTION, KVB_SPLIT_KV, 1024, 4096, 32), 840);
    uint64_t values = 1024ULL * 4096 * 32 / 1024;
    assert_int_equal(gguf_bytes(), apart + values * 840 + queries * (840 - 576));
}

// A profile with a total and no classes: the rank's share of it by elements, all on one rank; a model of nothing has
// none.
static void gguf_total(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.checkpoint.total_bytes = 5 * GIB;
    assert_int_equal(gguf_bytes(), 5 * GIB);
    // The first of two stages: 16 layers and a table of 32 and two and a norm are 499,999 millionths.
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    assert_int_equal((16 * LAYER + TABLE) * 1000000 / (32 * LAYER + 2 * TABLE + 4096), 499999);
    assert_int_equal(gguf_bytes(), 5368ULL * 499999 + 354559); // 5,368.709120 GB; 0.709120 x 499,999 = 354,559.29
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
    plan.model.hidden_size = 0;
    plan.model.kinds[0].mlp.kind = KVB_MLP_NONE;
    assert_int_equal(gguf_bytes(), 0);
}

KVB_TEST_MAIN(cmocka_unit_test(elements_of_stages), cmocka_unit_test(towers_and_tables),
              cmocka_unit_test(kinds_elsewhere), cmocka_unit_test(shares), cmocka_unit_test(the_whole_checkpoint),
              cmocka_unit_test(quantised_elsewhere), cmocka_unit_test(totals), cmocka_unit_test(gguf_padding),
              cmocka_unit_test(gguf_total))
