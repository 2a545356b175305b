// The generic engine: a share of the card less what is counted or stated is the cache. All figures by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/generic/cache.h"
#include "engines/table.h"
#include "unit/plans.h"

static void make_generic(struct kvb_plan *plan)
{
    make_llama_plan(plan, KVB_RELEASE(1, 0, 0));
    (void)strcpy(plan->engine.name, "generic");
    plan->gpu.memory_bytes = 24 * GIB;
    set(plan, KVB_SET_GPU_MEMORY_UTILIZATION, 500000);
    plan->stated[KVB_STATED_WEIGHTS] = (struct kvb_stated_term){true, 4 * GIB};
    plan->stated[KVB_STATED_ACTIVATION] = (struct kvb_stated_term){true, 1 * GIB};
    plan->stated[KVB_STATED_NON_TORCH] = (struct kvb_stated_term){true, GIB / 2};
    plan->reserve_count = 1;
    plan->reserves[0].bytes = GIB / 2;
    plan->reserves[1].bytes = 7; // no reserve
}

// 12 requested - 4 weights - 1 pass - 0.5 context - 0.5 reserved = 6 GiB. A token is 32 layers x 8 heads x
// (128 + 128) x 2 B = 131,072 B, so 8,192 tokens need 1 GiB, and 6 GiB hold 49,152 tokens or six requests.
static void sums(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.requested_bytes, 12 * GIB);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 6 * GIB);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].low_bytes, 6 * GIB);
    assert_int_equal(budget.needed_bytes, 1 * GIB);
    assert_int_equal(budget.kv.bytes_per_token, 131072);
    assert_int_equal(budget.kv.tokens, 49152);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 600);
    assert_int_equal(budget.kv.max_model_len_that_fits, 49152);
    assert_int_equal(budget.verdict, KVB_FITS);
    assert_int_equal(budget.slack_bytes, 12 * GIB);
}

// Weights that nobody states are counted to a fiftieth, on both sides.
static void counted_weights(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.stated[KVB_STATED_WEIGHTS].set = false;
    plan.model.assumed_high_ppm = 0;
    (void)answer_into(&plan, &budget);
    const struct kvb_term *weights = &budget.items[KVB_ITEM_WEIGHTS];
    int64_t fiftieth = weights->bytes / 50;
    assert_true(weights->bytes > (int64_t)GIB && weights->bytes == (int64_t)budget.weights.total_bytes);
    assert_int_equal(weights->low_bytes, weights->bytes - fiftieth);
    assert_int_equal(weights->high_bytes, weights->bytes + fiftieth);
    const struct kvb_term *pool = &budget.items[KVB_ITEM_KV_CACHE];
    assert_int_equal(pool->bytes, 12 * (int64_t)GIB - 2 * (int64_t)GIB - weights->bytes);
    assert_int_equal(pool->low_bytes, pool->bytes - fiftieth);
    assert_int_equal(pool->high_bytes, pool->bytes + fiftieth);
}

// 32-bit weights, or a config that does not say: 16 bits, unless it is told otherwise; then twice the cache of each
// token. A token in 16 bits is 131,072 B as above.
static void takes_16_bits(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.model.dtype = KVB_DTYPE_FP32;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.bytes_per_token, 131072);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.bytes_per_token, 262144);
}

// Without a stated pass a twentieth of 24 GiB may be gone: 1.2 of 2 GiB left, where 1.5 are needed, is tight.
static void unstated_is_a_bound(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.stated[KVB_STATED_ACTIVATION].set = false;
    plan.stated[KVB_STATED_WEIGHTS].bytes = 9 * GIB;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 12288);
    const struct kvb_problems *problems = answer_into(&plan, &budget);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 2 * GIB);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].low_bytes, 2 * (int64_t)GIB - 24 * (int64_t)GIB / 20);
    assert_int_equal(budget.verdict, KVB_TIGHT);
    assert_int_equal(problems->count, 1);
}

// What is stated of a request counts instead of the shapes; a cache of stated size replaces what is left.
static void stated_need_and_cache(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MAMBA2;
    plan.stated[KVB_STATED_KV_NEED] = (struct kvb_stated_term){true, 4 * GIB};
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 3 * GIB);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.needed_bytes, 4 * GIB);
    assert_int_equal(budget.balance_bytes, -(int64_t)GIB);
    assert_int_equal(budget.requested_bytes, 9 * GIB);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_false(budget.starts);
}

static void refuses_states(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    make_generic(&plan);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MAMBA2;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_CONTRADICTION);
    assert_string_equal(problems.items[0].text,
                        "layers of this model keep a state that every engine lays out in its own way; state the need "
                        "of one request under terms: kv_cache_need");
}

// Half the layers see 1,024 tokens: 8,192 tokens cost 16 x 8,192 + 16 x 1,024 tokens of 4,096 B.
static void windows_and_latents(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make_generic(&plan);
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_FULL;
    plan.model.kinds[1].attention.kind = KVB_ATTENTION_SLIDING;
    plan.model.kinds[1].attention.window_tokens = 1024;
    for (uint32_t layer = 0; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = layer % 2;
    }
    struct kvb_plain_cache cache = {&plan.model, 1, 2};
    assert_int_equal(kvb_plain_cache_bytes(&cache, 8192), 16ULL * (8192 + 1024) * 4096);
    cache.tp = 16; // each of 8 heads is on two ranks
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 32ULL * 1024 * 512);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA; // 512 + 64 of 2 B on every rank
    plan.model.kinds[0].attention.latent_rank = 512;
    plan.model.kinds[0].attention.rope_size = 64;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 16ULL * 1024 * 1152 + 16ULL * 1024 * 512);
}

// Advice of its own rungs, and what it takes of neighbours.
static void advises(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_advice advice;
    make_generic(&plan);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 65536); // needs 8 of 6 GiB; one byte an element halves it
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_int_equal(kvb_advise(&plan, &budget, &advice), KVB_OK);
    assert_int_equal(advice.apply_count, 1);
    assert_int_equal(advice.changes[advice.apply[0]].setting, KVB_SET_KV_CACHE_DTYPE);
    assert_int_equal(advice.changes[advice.apply[0]].balance_bytes, 2 * GIB);
    assert_int_equal(kvb_charge_of(&plan), KVB_CHARGE_NOTHING);
}

// A layer that reads another's cache, one without attention and one of an encoder keep nothing; values of their own
// size count with it: 8 heads x (128 + 64) x 2 B = 3,072 B. Without a window a window's layer keeps all.
static void layers_that_keep_less(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make_generic(&plan);
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    struct kvb_plain_cache cache = {&plan.model, 1, 2};
    shape->kind = KVB_ATTENTION_CHUNKED;
    shape->window_tokens = 0;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 32ULL * 1024 * 4096);
    shape->window_tokens = 256;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 32ULL * 256 * 4096);
    shape->value_head_size = 0; // as wide as the keys
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 32ULL * 256 * 4096);
    shape->value_head_size = 64;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 32ULL * 256 * 3072);
    shape->shares_kv = true;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 0);
    shape->shares_kv = false;
    shape->kind = KVB_ATTENTION_NONE;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 0);
    shape->kind = KVB_ATTENTION_ENCODER;
    assert_int_equal(kvb_plain_cache_bytes(&cache, 1024), 0);
    assert_true(kvb_plain_cache_knows(&plan.model));
}

// 10 GiB free of 12 requested; a length beyond the model's own whose need is stated; elements of four bytes, twice as
// many.
static void does_not_start(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 10 * GIB;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.slack_bytes, -2 * (int64_t)GIB);
    assert_string_equal(budget.error, "It asks for more memory than is free.");
    plan.gpu_free_bytes = 12 * GIB; // all of it is enough
    (void)answer_into(&plan, &budget);
    assert_true(budget.starts);
    plan.stated[KVB_STATED_KV_NEED] = (struct kvb_stated_term){true, 6 * GIB};
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131073);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.balance_bytes, 0);
    assert_string_equal(budget.error, "The length is beyond the model's own.");
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.verdict, KVB_FITS);
    plan.stated[KVB_STATED_KV_NEED].set = false;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 8192);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.needed_bytes, 2 * GIB);
    assert_int_equal(budget.settings.values[KVB_SET_DTYPE].number, KVB_DTYPE_WORD_FP32);
}

// A size of nothing is as good as unsaid; nothing is needed of a model without a length.
static void sizes_of_nothing(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 0);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number, 1);
    assert_int_equal(budget.needed_bytes, GIB);
    unset(&plan, KVB_SET_MAX_MODEL_LEN);
    plan.model.context_tokens = 0;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.bytes_per_token, 0);
    assert_int_equal(budget.kv.tokens, 0);
    assert_int_equal(budget.needed_bytes, 0);
}

static void cannot_be_planned(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    make_generic(&plan);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 3);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_INDIVISIBLE);
    assert_string_equal(problems.items[0].text, "32 attention heads do not divide over 3 GPUs");
    static const char *const too_much = "The sizes in this plan multiply to more than any machine holds; check the "
                                        "model's dimensions and the settings.";
    make_generic(&plan);
    plan.stated[KVB_STATED_KV_NEED] = (struct kvb_stated_term){true, UINT64_C(1) << 62};
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OVERFLOW);
    assert_string_equal(problems.items[0].text, too_much);
    make_generic(&plan);
    plan.model.hidden_size = plan.model.kinds[0].mlp.intermediate_size = UINT32_MAX;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OVERFLOW);
    assert_string_equal(problems.items[0].text, too_much);
}

// No shorter request is offered where none fits: 32 layers keep 4,096 B of one token, and nothing is left.
static void nothing_shorter(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    size_t count;
    uint64_t out[KVB_CANDIDATES_MAX];
    make_generic(&plan);
    const struct kvb_rung *rungs = kvb_engine_find("generic")->rungs(&count);
    assert_int_equal(rungs[1].setting, KVB_SET_MAX_MODEL_LEN);
    plan.stated[KVB_STATED_WEIGHTS].bytes = 11 * GIB;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 49152);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.max_model_len_that_fits, 0);
    assert_int_equal(rungs[1].candidates(&plan, &budget, out), 0);
    make_generic(&plan); // all of 8,192 fit
    (void)answer_into(&plan, &budget);
    assert_int_equal(rungs[1].candidates(&plan, &budget, out), 0);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 49152); // the longest that fits is the one asked for
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.max_model_len_that_fits, 49152);
    assert_int_equal(rungs[1].candidates(&plan, &budget, out), 0);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 49153);
    (void)answer_into(&plan, &budget);
    assert_int_equal(rungs[1].candidates(&plan, &budget, out), 1);
    assert_int_equal(out[0], 49152);
}

// Over two GPUs a rank keeps 4 of 8 heads: 65,536 B of a token in 16 bits, 32,768 in 8; 8,192 tokens need 256 MiB, and
// 6 GiB hold 24 requests. One token is a block.
static void over_two(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    struct kvb_neighbourhood beside;
    static struct kvb_problems problems;
    size_t count;
    uint64_t out[KVB_CANDIDATES_MAX];
    make_generic(&plan);
    const struct kvb_engine_rows *engine = kvb_engine_find("generic");
    const struct kvb_rung *rungs = engine->rungs(&count);
    assert_int_equal(count, 3);
    assert_int_equal(rungs[2].candidates(&plan, &budget, out), 3); // 2, 4 and 8 GPUs
    assert_int_equal(out[0], 2);
    assert_int_equal(out[2], 8);
    assert_int_equal(rungs[0].candidates(&plan, &budget, out), 1);
    for (size_t i = 0; i < count; i++) { // more GPUs are other hardware; all of them help
        assert_int_equal(rungs[i].last_resort, i == 2);
        assert_false(rungs[i].warns || rungs[i].removes);
    }
    assert_int_equal(engine->neighbourhood(&plan, &beside, &problems), KVB_OK);
    assert_int_equal(beside.ranks, 1);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.bytes_per_token, 32768);
    assert_int_equal(budget.kv.bytes_per_block, 32768);
    assert_int_equal(budget.kv.block_tokens, 1);
    assert_int_equal(budget.kv.blocks_per_request, 8192);
    assert_int_equal(budget.kv.num_blocks, 24 * 8192);
    assert_int_equal(budget.kv.tokens, 24 * 8192);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 2400);
    assert_int_equal(budget.kv.really_needed_bytes, GIB / 4);
    assert_int_equal(budget.kv.max_model_len_that_fits, 131072); // the model's own
    assert_int_equal(budget.settings.values[KVB_SET_KV_CACHE_DTYPE].number, KVB_KV_FP8);
    assert_int_equal(budget.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number, 2);
    assert_int_equal(budget.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].origin,
                     plan.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].origin);
    assert_int_equal(budget.settings.values[KVB_SET_DTYPE].origin, KVB_ORIGIN_DEFAULT);
    assert_int_equal(budget.settings.values[KVB_SET_DTYPE].set, 1);
    assert_string_equal(budget.widest_term, kvb_item_row_of(KVB_ITEM_ACTIVATION)->label);
    assert_true(budget.parameters > 1000000000);
    assert_int_equal(rungs[0].candidates(&plan, &budget, out), 0); // it is in 8 bits already
    assert_int_equal(rungs[2].candidates(&plan, &budget, out), 2);
    assert_int_equal(out[0], 4);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    assert_int_equal(rungs[2].candidates(&plan, &budget, out), 0);
    assert_int_equal(engine->neighbourhood(&plan, &beside, &problems), KVB_OK);
    assert_int_equal(beside.ranks, 8);
    assert_true(beside.charges_others && beside.checks_free);
    plan.gpu_free_stated = true; // no more is free than there is
    plan.gpu_free_bytes = 99 * GIB;
    plan.reserve_count = 2;
    plan.reserves[1].bytes = GIB;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.free_bytes, 24 * GIB);
    assert_int_equal(budget.items[KVB_ITEM_OTHER].bytes, GIB + GIB / 2);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 5 * (int64_t)GIB);
    unset(&plan, KVB_SET_GPU_MEMORY_UTILIZATION); // 0.98 of 24 GiB
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.requested_bytes, 25254407700); // 25,769,803,776 x 0.98
}

// 32 layers of 4 experts with three matrices of 4,096 x 64 in 16 bits are 192 MiB; a half of each over two GPUs.
static void experts(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.model.dtype = KVB_DTYPE_BF16;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                     .experts = 4,
                                                     .experts_per_token = 2,
                                                     .expert_intermediate_size = 64,
                                                     .expert_gated = true};
    plan.stated[KVB_STATED_WEIGHTS].set = false;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_EXPERTS], 192 * MIB);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_EXPERTS], 96 * MIB);
}

// Llama-3.1-8B on one GPU: an embedding and a head of 128,256 x 4,096, and 32 layers of 4,096 x (4,096 + 2 x 1,024 +
// 4,096) and 3 x 4,096 x 14,336, in 16 bits. Seven heads stand on one GPU; a layer that takes an earlier one's choice
// of tokens holds no matrices of an index.
static void all_on_one(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_generic(&plan);
    plan.model.dtype = KVB_DTYPE_BF16;
    plan.model.kinds[0].mlp.kind = KVB_MLP_GATED;
    plan.stated[KVB_STATED_WEIGHTS].set = false;
    (void)answer_into(&plan, &budget);
    const uint64_t *roles = budget.weights.role_bytes;
    assert_int_equal(roles[KVB_ROLE_HEAD], UINT64_C(128256) * 4096 * 2);
    assert_int_equal(roles[KVB_ROLE_EMBEDDING], UINT64_C(128256) * 4096 * 2);
    assert_int_equal(roles[KVB_ROLE_ATTENTION], UINT64_C(32) * 4096 * (4096 + 2 * 1024 + 4096) * 2);
    assert_int_equal(roles[KVB_ROLE_MLP], UINT64_C(32) * 3 * 4096 * 14336 * 2);
    plan.model.kinds[0].attention.heads = plan.model.kinds[0].attention.kv_heads = 7;
    unset(&plan, KVB_SET_TENSOR_PARALLEL_SIZE);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.needed_bytes, UINT64_C(8192) * 32 * 7 * 256 * 2);
    static struct kvb_budget without;
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    *shape = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                          .heads = 16,
                                          .query_rank = 1536,
                                          .latent_rank = 512,
                                          .rope_size = 64,
                                          .nope_size = 128,
                                          .value_head_size = 128,
                                          .index_heads = 64,
                                          .index_head_size = 128};
    (void)answer_into(&plan, &without);
    shape->has_indexer = true;
    (void)answer_into(&plan, &budget);
    // queries of the index from 1,536, its keys from 4,096: at least these of each layer
    uint64_t index = UINT64_C(32) * (1536 * 64 * 128 + 4096 * 128) * 2;
    assert_true(budget.weights.total_bytes >= without.weights.total_bytes + index);
}

// Every engine of the table fills its whole seat and is found by its name.
static void seats(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_engine_rows *const *engines = kvb_engines(&count);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(kvb_engine_find(engines[i]->name), engines[i]);
        assert_non_null(engines[i]->title);
        assert_non_null(engines[i]->compute);
        assert_non_null(engines[i]->neighbourhood);
        assert_non_null(engines[i]->request);
        assert_non_null(engines[i]->rungs);
        assert_true(engines[i]->oldest > 0 && engines[i]->oldest <= engines[i]->newest);
    }
    assert_null(kvb_engine_find("nobody"));
    const struct kvb_engine_rows *any = kvb_engine_find("generic"); // of which no releases are told apart
    assert_int_equal(any->oldest, any->newest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(takes_16_bits),
        cmocka_unit_test(unstated_is_a_bound),
        cmocka_unit_test(stated_need_and_cache),
        cmocka_unit_test(refuses_states),
        cmocka_unit_test(windows_and_latents),
        cmocka_unit_test(advises),
        cmocka_unit_test(layers_that_keep_less),
        cmocka_unit_test(does_not_start),
        cmocka_unit_test(sizes_of_nothing),
        cmocka_unit_test(cannot_be_planned),
        cmocka_unit_test(nothing_shorter),
        cmocka_unit_test(over_two),
        cmocka_unit_test(experts),
        cmocka_unit_test(all_on_one),
        cmocka_unit_test(seats),
        cmocka_unit_test(counted_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
