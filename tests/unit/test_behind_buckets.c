// Nothing behind the last bucket and the last group is looked at: layouts of built-in models, made and asked as they
// are and with odd caches behind those that count.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

#define FIGURES_MAX 512

static struct kvb_plan plan;
static struct kvb_sizing sizing;
static const struct kvb_bucket *odd; // NULL: zeros

struct figures {
    size_t count;
    uint64_t of[FIGURES_MAX];
};

static void note(struct figures *figures, uint64_t figure)
{
    assert_true(figures->count < FIGURES_MAX);
    figures->of[figures->count++] = figure;
}

static void put_behind(struct kvb_buckets *buckets, uint32_t from)
{
    for (uint32_t i = from; i < KVB_BUCKETS_MAX; i++) {
        buckets->items[i] = odd != NULL ? *odd : (struct kvb_bucket){0};
    }
}

static void put_groups_behind(struct kvb_groups *groups, uint32_t from)
{
    for (uint32_t i = from; i < KVB_GROUPS_MAX && odd != NULL; i++) {
        groups->items[i] = (struct kvb_group){odd, 0, 1, odd->count, odd->count};
    }
}

static void note_stage(const struct kvb_context *context, uint32_t stage, struct figures *figures)
{
    note(figures, sizing.block_bytes[stage]);
    note(figures, kvb_group_size_on(&sizing, stage));
    note(figures, kvb_real_need(context, &sizing, stage, 8192));
    note(figures, kvb_checked_need(context, &sizing, stage, 8192));
    note(figures, kvb_printed_blocks(context, &sizing, stage, 8192));
    note(figures, sizing.groups.layout == KVB_LAYOUT_DSV4 ? kvb_dsv4_block_bytes(&sizing, stage) : 0);
}

static void note_buckets(const struct kvb_buckets *buckets, struct figures *figures)
{
    note(figures, buckets->count);
    note(figures, kvb_is_uniform_type(buckets));
    for (uint32_t i = 0; i < buckets->count; i++) {
        note(figures, buckets->items[i].page_bytes);
        note(figures, buckets->items[i].count);
        note(figures, buckets->items[i].before[KVB_STAGES_MAX]);
    }
}

static void look(struct figures *figures)
{
    static struct kvb_buckets promoted;
    const struct kvb_context *context = resolved(&plan);
    figures->count = 0;
    put_behind(&sizing.own, 0);
    put_behind(&sizing.grouped, 0);
    put_behind(&promoted, 0);
    put_groups_behind(&sizing.groups, 0);
    kvb_buckets_fill(context, &sizing.own);
    kvb_groups_make(context, &sizing);
    put_behind(&sizing.own, sizing.own.count);
    put_behind(&sizing.grouped, sizing.grouped.count);
    put_groups_behind(&sizing.groups, sizing.groups.count);
    note(figures, sizing.groups.layout);
    note(figures, sizing.groups.group_size);
    note(figures, sizing.groups.tuples);
    note(figures, sizing.groups.count);
    note(figures, kvb_request_blocks(context, &sizing, 8192));
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        note_stage(context, stage, figures);
    }
    note(figures, kvb_promote(context, &sizing.own, &promoted)[0] != '\0');
    note_buckets(&sizing.own, figures);
    note_buckets(&promoted, figures);
}

// Few layers or many, of a small page or a large one, of each kind of cache.
static void make_odd(struct kvb_bucket *bucket, uint32_t turn)
{
    static const enum kvb_attention kinds[] = {KVB_ATTENTION_FULL,    KVB_ATTENTION_MLA, KVB_ATTENTION_SLIDING,
                                               KVB_ATTENTION_CHUNKED, KVB_ATTENTION_GDN, KVB_ATTENTION_DSV4};
    uint16_t layers = turn % 2 == 0 ? 1 : 700;
    *bucket = (struct kvb_bucket){.kind = kinds[turn % (sizeof kinds / sizeof kinds[0])],
                                  .window_tokens = 3000,
                                  .block_tokens = 1,
                                  .page_bytes = turn % 4 < 2 ? 17 : (1ULL << 40) + 7,
                                  .shape = 12345,
                                  .count = layers};
    for (uint32_t stage = 1; stage <= KVB_STAGES_MAX; stage++) {
        bucket->before[stage] = layers;
    }
}

// One that looks like a cache of the model: as its first one or its last, or as a latent beside its first.
static void make_alike(struct kvb_bucket *bucket, const struct kvb_buckets *own, uint32_t turn)
{
    *bucket = own->items[turn % 2 == 0 ? 0 : own->count - 1];
    bucket->page_bytes++;
    bucket->count = turn < 2 ? 700 : 1;
    bucket->kind = turn == 2 ? KVB_ATTENTION_MLA : bucket->kind;
    bucket->window_tokens = turn == 2 ? 0 : bucket->window_tokens;
    for (uint32_t stage = 1; stage <= KVB_STAGES_MAX; stage++) {
        bucket->before[stage] = (uint16_t)bucket->count;
    }
}

// Latents whose page covers one of the model's by a byte.
static void make_covering(struct kvb_bucket *bucket, const struct kvb_bucket *one)
{
    *bucket = *one;
    bucket->kind = KVB_ATTENTION_MLA;
    bucket->page_bytes++;
}

static void compare(const char *id, uint32_t seed)
{
    static struct figures alone, followed;
    static struct kvb_buckets own;
    static struct kvb_bucket bucket;
    odd = NULL;
    look(&alone);
    own = sizing.own;
    odd = &bucket;
    for (uint32_t turn = 0; turn < 5 + own.count; turn++) {
        make_odd(&bucket, seed * 5 + turn * 7);
        if (turn >= 5) {
            make_covering(&bucket, &own.items[turn - 5]);
        } else if (turn >= 2 && own.count > 0) {
            make_alike(&bucket, &own, turn - 2);
        }
        look(&followed);
        if (followed.count != alone.count || memcmp(followed.of, alone.of, alone.count * sizeof alone.of[0]) != 0) {
            fail_msg("%s at %u, turn %u", id, plan.engine.release, turn);
        }
    }
}

static void ask(uint32_t release, uint32_t seed)
{
    struct kvb_model model = plan.model;
    make_llama_plan(&plan, release);
    plan.model = model;
    plan.environment.use_v1 = KVB_YES;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, plan.model.layer_count > 1 ? 1 + seed / 2 % 2 : 1);
    set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, seed % 5 == 0);
}

static void nothing_behind_the_last(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(8, 5), R(10, 2), R(12, 0), R(19, 0), R(22, 0), R(26, 0), R(28, 0)};
    static struct kvb_problems problems;
    size_t count;
    uint32_t answered = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i += 2) {
        struct kvb_model_source source;
        if (rows[i].kind != KVB_PROFILE_MODEL) {
            continue;
        }
        kvb_problems_init(&problems);
        assert_int_equal(kvb_model_load(rows[i].id, NULL, &plan.model, &source, &problems), KVB_OK);
        ask(releases[answered % (sizeof releases / sizeof releases[0])], answered);
        compare(rows[i].id, answered++);
    }
    assert_true(answered >= 200);
}

static void behind_those_of_v4(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(20, 2), R(24, 0), R(27, 1)};
    for (uint32_t i = 0; i < 12; i++) {
        make_v4_flash(&plan.model);
        ask(releases[i % 3], i);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        compare("DeepSeek V4", i);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_behind_the_last), cmocka_unit_test(behind_those_of_v4))
