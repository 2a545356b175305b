// What each SGLang release takes for the steps, branches, tokens and requests of a draft: the defaults of
// server_args.py to 0.4.4.post3 and the text of auto_choose_speculative_params (arg_groups/speculative_hook.py from
// 0.5.13 on) at each of the 82 releases that scripts/sglang-tables names; what the releases change of what is said.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/refusal_rules.h"
#include "unit/kv_models.h"
#include "unit/sglang_releases.h"
#include "unit/test.h"

#define FIRST (R(4, 1) + 4) // --speculative-algorithm
#define OLDEST                                                                                                         \
    {FIRST, 5, 8, 64},                                                                                                 \
    {                                                                                                                  \
        R(4, 3) + 3, 5, 4, 8                                                                                           \
    }
#define UNSAID 0

static struct kvb_plan plan;
static struct kvb_sgl_setup setup;

struct sizes {
    uint32_t since;
    uint64_t steps, topk, tokens;
};

static void make(const char *architecture, uint32_t release, enum kvb_speculative method)
{
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    memset(&plan, 0, sizeof plan);
    make_model(&shape, &plan.model);
    (void)strcpy(plan.model.architecture, architecture);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
    setup = (struct kvb_sgl_setup){.release = release, .model = &plan.model, .tp = 1, .pp = 1, .dp = 1, .cuda = true};
}

static void say(enum kvb_setting setting, uint64_t number)
{
    if (number != UNSAID) {
        set(&plan, setting, number);
    }
}

static void sizes_of_classes(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        enum kvb_speculative method;
        struct sizes changes[4];
    } rows[] = {
        {"LlamaForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST}},
        {"Grok1ForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST}},
        {"Grok1VForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST}},
        {"Qwen3ForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 8), 3, 1, 4}}},
        {"Glm4MoeLiteForCausalLM", KVB_SPECULATIVE_MTP, {OLDEST, {R(5, 8), 3, 1, 4}}},
        {"DeepseekV3ForCausalLM", KVB_SPECULATIVE_MTP, {OLDEST, {R(4, 7), 3, 1, 4}}},
        {"DeepseekV2ForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(4, 7), 3, 1, 4}}},
        {"GptOssForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 1), 3, 1, 4}}},
        {"DeepseekV32ForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 3), 3, 1, 4}}},
        {"BailingMoeForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 3), 3, 1, 4}}},
        {"BailingMoeV2ForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 3), 3, 1, 4}}},
        {"MistralLarge3ForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 6) + 1, 3, 1, 4}}},
        {"PixtralForConditionalGeneration", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 6) + 1, 3, 1, 4}}},
        {"Glm4MoeForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 6) + 2, 3, 1, 4}}},
        {"MiMoV2FlashForCausalLM", KVB_SPECULATIVE_EAGLE, {OLDEST, {R(5, 7), 3, 1, 4}}},
        {"LlamaForCausalLM", KVB_SPECULATIVE_DRAFT_MODEL, {{R(5, 2), 3, 1, 4}}},
        {"LlamaForCausalLM", KVB_SPECULATIVE_NGRAM, {{R(5, 3), 0, 10, 12}}},
        {"LlamaForCausalLM", KVB_SPECULATIVE_OTHER, {{R(5, 9), 0, 1, 16}}}, // DFLASH
    };
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sizes *now = rows[i].changes, *end = now + 4;
        for (size_t k = 0; k < RELEASE_COUNT; k++) {
            while (now + 1 < end && now[1].since > 0 && now[1].since <= releases[k]) {
                now++;
            }
            if (releases[k] < now->since) {
                continue;
            }
            make(rows[i].architecture, releases[k], rows[i].method);
            kvb_sgl_fill_draft(&plan, &setup);
            if (setup.draft_steps != now->steps || setup.draft_topk != now->topk || setup.draft_tokens != now->tokens) {
                print_error("%s at %u: %u, %u, %u\n", rows[i].architecture, (unsigned)releases[k],
                            (unsigned)setup.draft_steps, (unsigned)setup.draft_topk, (unsigned)setup.draft_tokens);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

// --max-running-requests beside a draft; what is said stays.
static void requests_of_releases(void **state)
{
    (void)state;
    for (size_t k = 0; k < RELEASE_COUNT; k++) {
        uint32_t release = releases[k];
        uint64_t usual = release < R(4, 3) + 3 ? 0 : release < R(4, 4) + 4 ? 32 : 48;
        make("LlamaForCausalLM", release, KVB_SPECULATIVE_EAGLE);
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.max_running_requests, usual);
        make("LlamaForCausalLM", release, KVB_SPECULATIVE_EAGLE);
        setup.max_running_requests = 7;
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.max_running_requests, 7);
        make("LlamaForCausalLM", release, KVB_SPECULATIVE_NONE);
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.max_running_requests, 0);
    }
}

// What is said of a draft, and what a release makes of it: "speculative_num_draft_tokens is adjusted to
// speculative_num_steps + 1 when speculative_eagle_topk == 1" from 0.4.5.post3 on, "speculative_eagle_topk is adjusted
// to 1 when page_size > 1" from 0.4.4.post4 to 0.4.8.post1, pages of kernels among them.
static void said_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_sgl_backend backend;
        uint64_t page, steps, topk, tokens; // UNSAID: nobody says
        struct sizes taken;
    } rows[] = {
        {R(4, 5) + 2, KVB_SGL_BACKEND_AUTO, UNSAID, 3, 1, 8, {0, 3, 1, 8}},
        {R(4, 5) + 3, KVB_SGL_BACKEND_AUTO, UNSAID, 3, 1, 8, {0, 3, 1, 4}},
        {R(5, 18), KVB_SGL_BACKEND_AUTO, UNSAID, 3, 1, 8, {0, 3, 1, 4}},
        {R(5, 18), KVB_SGL_BACKEND_AUTO, UNSAID, 3, 1, UNSAID, {0, 3, 1, 4}},
        {R(5, 18), KVB_SGL_BACKEND_AUTO, UNSAID, 3, 2, 8, {0, 3, 2, 8}},
        {R(4, 4) + 3, KVB_SGL_BACKEND_AUTO, 64, 3, 4, 8, {0, 3, 4, 8}},
        {R(4, 4) + 4, KVB_SGL_BACKEND_AUTO, 64, 3, 4, 8, {0, 3, 1, 8}},
        {R(4, 4) + 4, KVB_SGL_BACKEND_AUTO, 1, 3, 4, 8, {0, 3, 4, 8}},
        {R(4, 4) + 4, KVB_SGL_BACKEND_AUTO, 2, 3, 4, 8, {0, 3, 1, 8}},
        {R(4, 8) + 1, KVB_SGL_BACKEND_AUTO, 64, 3, 4, 8, {0, 3, 1, 4}},
        {R(4, 9), KVB_SGL_BACKEND_AUTO, 64, 3, 4, 8, {0, 3, 4, 8}},
        {R(4, 6), KVB_SGL_BACKEND_FLASHMLA, UNSAID, 3, 4, 8, {0, 3, 1, 4}},
        {R(4, 6), KVB_SGL_BACKEND_CUTLASS_MLA, UNSAID, 3, 4, 8, {0, 3, 4, 8}},
        {R(4, 6) + 1, KVB_SGL_BACKEND_CUTLASS_MLA, UNSAID, 3, 4, 8, {0, 3, 1, 4}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make("LlamaForCausalLM", rows[i].release, KVB_SPECULATIVE_EAGLE);
        say(KVB_SET_SPECULATIVE_STEPS, rows[i].steps);
        say(KVB_SET_SPECULATIVE_TOPK, rows[i].topk);
        say(KVB_SET_NUM_SPECULATIVE_TOKENS, rows[i].tokens);
        setup.backend_asked = rows[i].backend;
        setup.page_asked = rows[i].page;
        kvb_sgl_fill_draft(&plan, &setup);
        if (setup.draft_topk != rows[i].taken.topk || setup.draft_tokens != rows[i].taken.tokens) {
            print_error("row %zu: %u branches, %u tokens\n", i, (unsigned)setup.draft_topk,
                        (unsigned)setup.draft_tokens);
        }
        assert_int_equal(setup.draft_steps, rows[i].taken.steps);
        assert_int_equal(setup.draft_topk, rows[i].taken.topk);
        assert_int_equal(setup.draft_tokens, rows[i].taken.tokens);
        assert_int_equal(setup.draft_topk_asked, rows[i].topk);
    }
    make("LlamaForCausalLM", R(5, 18), KVB_SPECULATIVE_NGRAM);
    say(KVB_SET_NUM_SPECULATIVE_TOKENS, 5);
    kvb_sgl_fill_draft(&plan, &setup);
    assert_int_equal(setup.draft_tokens, 5);
}

// speculative_hook.py and adaptive_spec_params.py, 0.5.13 to 0.5.18: --speculative-adaptive begins with 3 of 1, 3 and 7
// steps, one branch, and makes room for 8 tokens; where it cannot work it is as if nobody had asked.
static void adaptive(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative word;
        uint64_t steps, topk;
        bool groups, halves, adapts;
        uint64_t taken, tokens, most;
    } rows[] = {
        {R(5, 13), KVB_SPECULATIVE_EAGLE, UNSAID, UNSAID, false, false, true, 3, 4, 8},
        {R(5, 18), KVB_SPECULATIVE_MTP, UNSAID, UNSAID, false, false, true, 3, 4, 8}, // NEXTN is EAGLE
        {R(5, 18), KVB_SPECULATIVE_EAGLE, 7, UNSAID, false, false, true, 7, 8, 8},
        {R(5, 18), KVB_SPECULATIVE_EAGLE, 1, 1, false, false, true, 1, 2, 8},
        {R(5, 12), KVB_SPECULATIVE_EAGLE, 1, 1, false, false, false, 1, 2, 2},
        {R(5, 18), KVB_SPECULATIVE_EAGLE, 1, 1, true, false, false, 1, 2, 2},
        {R(5, 18), KVB_SPECULATIVE_EAGLE, 1, 1, false, true, false, 1, 2, 2},
        {R(5, 18), KVB_SPECULATIVE_DRAFT_MODEL, 1, 1, false, false, false, 1, 2, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make("LlamaForCausalLM", rows[i].release, rows[i].word);
        say(KVB_SET_SPECULATIVE_ADAPTIVE, 1);
        say(KVB_SET_SPECULATIVE_STEPS, rows[i].steps);
        say(KVB_SET_SPECULATIVE_TOPK, rows[i].topk);
        setup.dp_attention = rows[i].groups;
        setup.two_batch_overlap = rows[i].halves;
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.adaptive, rows[i].adapts);
        assert_int_equal(setup.draft_topk, 1);
        assert_int_equal(setup.draft_steps, rows[i].taken);
        assert_int_equal(setup.draft_tokens, rows[i].tokens);
        assert_int_equal(setup.draft_tokens_most, rows[i].most);
    }
    make("LlamaForCausalLM", R(5, 18), KVB_SPECULATIVE_EAGLE); // two branches are kept, the rest is not
    say(KVB_SET_SPECULATIVE_ADAPTIVE, 1);
    say(KVB_SET_SPECULATIVE_STEPS, 3);
    say(KVB_SET_SPECULATIVE_TOPK, 2);
    kvb_sgl_fill_draft(&plan, &setup);
    assert_false(setup.adaptive);
    assert_int_equal(setup.draft_topk, 2);
}

// Which kind a word is, and how many layers: the draft's own, else the modules of the model, one at least.
static void kinds(void **state)
{
    (void)state;
    static const struct {
        enum kvb_speculative word;
        enum kvb_sgl_draft kind;
    } rows[] = {
        {KVB_SPECULATIVE_NONE, KVB_SGL_DRAFT_NONE},
        {KVB_SPECULATIVE_NGRAM, KVB_SGL_DRAFT_NGRAM},
        {KVB_SPECULATIVE_EAGLE, KVB_SGL_DRAFT_EAGLE},
        {KVB_SPECULATIVE_MTP, KVB_SGL_DRAFT_EAGLE},
        {KVB_SPECULATIVE_DRAFT_MODEL, KVB_SGL_DRAFT_STANDALONE},
        {KVB_SPECULATIVE_DFLASH, KVB_SGL_DRAFT_DFLASH},
        {KVB_SPECULATIVE_DSPARK, KVB_SGL_DRAFT_DFLASH},
        {KVB_SPECULATIVE_OTHER, KVB_SGL_DRAFT_DFLASH},
    };
    static struct kvb_model draft;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool any = rows[i].kind != KVB_SGL_DRAFT_NONE;
        make("LlamaForCausalLM", R(5, 18), rows[i].word);
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.draft, rows[i].kind);
        assert_int_equal(setup.draft_layers, any ? 1 : 0);
        assert_false(setup.draft_named);
        plan.model.mtp_layers = 3;
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.draft_layers, any ? 3 : 0);
        draft.layer_count = 28;
        plan.draft = &draft;
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.draft_layers, any ? 28 : 0);
        assert_int_equal(setup.draft_named, any);
        assert_ptr_equal(setup.draft_model, any ? &draft : NULL);
        plan.draft = NULL;
        plan.draft_unknown = true; // named, and nobody knows it
        kvb_sgl_fill_draft(&plan, &setup);
        assert_int_equal(setup.draft_named, any);
    }
}

// Branches, which n-grams always have, over pages: server_args.py asks for topk > 1 and page_size > 1 and the backends.
static void over_pages(void **state)
{
    (void)state;
    static const struct {
        enum kvb_sgl_draft draft;
        uint32_t topk, page_tokens;
        enum kvb_sgl_backend backend;
        bool branches, words;
    } rows[] = {
        {KVB_SGL_DRAFT_EAGLE, 2, 1, KVB_SGL_BACKEND_TRITON, false, false},
        {KVB_SGL_DRAFT_EAGLE, 2, 2, KVB_SGL_BACKEND_TRITON, true, false},
        {KVB_SGL_DRAFT_EAGLE, 1, 2, KVB_SGL_BACKEND_TRITON, false, false},
        {KVB_SGL_DRAFT_EAGLE, 2, 2, KVB_SGL_BACKEND_FLASHINFER, false, false},
        {KVB_SGL_DRAFT_EAGLE, 2, 1, KVB_SGL_BACKEND_FA3, false, false},
        {KVB_SGL_DRAFT_EAGLE, 2, 2, KVB_SGL_BACKEND_FA3, true, false},
        {KVB_SGL_DRAFT_STANDALONE, 2, 2, KVB_SGL_BACKEND_TRITON, true, false},
        {KVB_SGL_DRAFT_DFLASH, 2, 2, KVB_SGL_BACKEND_TRITON, false, false},
        {KVB_SGL_DRAFT_NGRAM, 10, 1, KVB_SGL_BACKEND_TRITON, false, false},
        {KVB_SGL_DRAFT_NGRAM, 10, 2, KVB_SGL_BACKEND_TRITON, false, true},
        {KVB_SGL_DRAFT_NGRAM, 10, 2, KVB_SGL_BACKEND_FLASHINFER, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sgl_context context = {.plan = &plan};
        context.setup = (struct kvb_sgl_setup){.release = R(5, 5),
                                               .draft = rows[i].draft,
                                               .draft_topk = rows[i].topk,
                                               .page_tokens = rows[i].page_tokens,
                                               .backend = rows[i].backend};
        assert_int_equal(kvb_sgl_branches_over_pages(&context), rows[i].branches);
        assert_int_equal(kvb_sgl_words_over_pages(&context), rows[i].words);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(over_pages), cmocka_unit_test(sizes_of_classes), cmocka_unit_test(requests_of_releases),
              cmocka_unit_test(said_sizes), cmocka_unit_test(adaptive), cmocka_unit_test(kinds))
