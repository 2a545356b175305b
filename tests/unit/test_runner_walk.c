// Which model runner a start uses, against what each tag's own code answers: use_v2_model_runner and the functions it
// calls in vllm/config/vllm.py of v0.22.0 to v0.28.0, run over every class that is named there, alone and beside what
// may bring the other runner. tests/fixtures/releases/runners.csv holds the questions and where the answer changes.
#include "unit/tag_walk.h"

static struct kvb_plan plan;

static bool has(const char *question, const char *word)
{
    size_t size = strlen(word);
    const char *at = strstr(question, word);
    return at != NULL && (at[size] == '\0' || at[size] == ' ');
}

// What stands behind "class=".
static void class_of(const char *question)
{
    const char *class = strstr(question, "class=") + strlen("class=");
    size_t size = strcspn(class, " ");
    memset(plan.model.architecture, 0, sizeof plan.model.architecture);
    assert_true(size < sizeof plan.model.architecture);
    memcpy(plan.model.architecture, class, size);
}

static uint32_t flag_of(const char *question)
{
    static const struct {
        const char *words;
        uint32_t flag;
    } rows[] = {{"flag=dbo", KVB_PLAIN_DBO},
                {"flag=routed", KVB_PLAIN_ROUTED_EXPERTS},
                {"flag=processors", KVB_PLAIN_LOGITS_PROCESSORS},
                {"flag=embeds", KVB_PLAIN_PROMPT_EMBEDS},
                {"flag=raw", KVB_PLAIN_LOGPROBS_OF_LOGITS},
                {"flag=sharing", KVB_PLAIN_SHARED_PREFILL},
                {"flag=transfer", KVB_PLAIN_ENCODER_CACHE_TRANSFER},
                {"flag=elastic", KVB_PLAIN_ELASTIC_EP},
                {"flag=launcher", KVB_PLAIN_EXTERNAL_LAUNCHER},
                {"draft=eagle3", KVB_PLAIN_EAGLE3}};
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        flags |= has(question, rows[i].words) ? rows[i].flag : 0;
    }
    return flags;
}

static void draft_with(const char *question)
{
    static struct kvb_model draft;
    static const struct shape mixed = {"draft", 6, 8, 8, 128, 1024, 3, 1, KVB_ATTENTION_SLIDING, 8192};
    static const struct shape whole = {"draft", 6, 8, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 8192};
    static const struct {
        const char *words;
        enum kvb_speculative method;
    } rows[] = {{"draft=eagle", KVB_SPECULATIVE_EAGLE},   {"draft=eagle3", KVB_SPECULATIVE_EAGLE},
                {"draft=mtp", KVB_SPECULATIVE_MTP},       {"draft=ngram", KVB_SPECULATIVE_NGRAM},
                {"draft=medusa", KVB_SPECULATIVE_OTHER},  {"draft=draft_model", KVB_SPECULATIVE_DRAFT_MODEL},
                {"draft=dflash", KVB_SPECULATIVE_DFLASH}, {"draft=dspark", KVB_SPECULATIVE_DSPARK}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (has(question, rows[i].words)) {
            set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        }
    }
    make_model(has(question, "mixed") ? &mixed : &whole, &draft);
    plan.draft = strstr(question, "draft=") != NULL ? &draft : NULL;
}

static bool takes_v2(const char *question, uint32_t release)
{
    bool latent = has(question, "latent"), experts = has(question, "experts");
    make_llama_plan(&plan, release);
    if (latent) {
        make_latent_plan(&plan, release, 8192, 256);
    }
    class_of(question);
    plan.model.quantisation.method = has(question, "quantised") ? KVB_QUANT_FP8 : KVB_QUANT_NONE;
    plan.model.kinds[0].mlp.kind = experts ? KVB_MLP_MOE : KVB_MLP_GATED;
    plan.model.kinds[0].mlp.experts = experts ? 8 : 0;
    plan.model.kinds[0].attention.kind = has(question, "states") ? KVB_ATTENTION_SHORT_CONV
                                         : latent                ? KVB_ATTENTION_MLA
                                                                 : KVB_ATTENTION_FULL;
    plan.model.pooling = has(question, "pools");
    plan.gpu.vendor = has(question, "amd") ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
    plan.plain_flags = flag_of(question);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, has(question, "pp=2") ? 2 : 1);
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, has(question, "pcp=2") ? 2 : 1);
    draft_with(question);
    return resolved(&plan)->v2_runner;
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    bool same = true;
    (void)seen;
    for (size_t i = 0; i < tag_count; i++) {
        char wanted[ANSWER_MAX_BYTES];
        answer_at(cells[1], tags[i], wanted);
        if (takes_v2(cells[0], tags[i]) != (strcmp(wanted, "V2") == 0)) {
            print_error("at %u: not %s\n", tags[i], wanted[0] != '\0' ? wanted : "V1");
            same = false;
        }
    }
    return same;
}

static void every_start_at_every_tag(void **state)
{
    (void)state;
    struct seen_rows seen;
    read_tags();
    walk_rows("fixtures/releases/runners.csv", 2, look, &seen);
    assert_true(seen.rows >= 150);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(every_start_at_every_tag))
