// Heads that draft, by name and by config: shapes against tests/fixtures/draft_heads.csv, and what is loaded of them.
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "budget/shapes.h"
#include "model/draft_heads.h"
#include "unit/fixture_rows.h"
#include "unit/test.h"

#define INDEX_WORDS 4 // of a row of draft_id_to_target_id, in elements

static struct kvb_model head;
static struct kvb_problems problems;

static uint64_t outside_matrices(const struct kvb_draft_head *row)
{
    bool blocks = row->kind == KVB_DRAFT_DFLASH || row->kind == KVB_DRAFT_LAGUNA;
    uint64_t norms = row->kind == KVB_DRAFT_EAGLE3 ? 4 : 1, twice = 0;
    if (blocks) { // two a layer, one behind the states, the last, and of Laguna one for each state
        norms = 2 * row->layers + 2 + (row->kind == KVB_DRAFT_LAGUNA ? row->states : 0);
        twice = 2 * (uint64_t)row->kv_heads * row->head_size * row->layers * row->hidden; // keys and values, held twice
    }
    uint64_t small = blocks ? 2 * (uint64_t)row->layers * row->head_size : 0; // norms of queries and keys
    return ((uint64_t)row->vocabulary + norms) * row->hidden + twice + small +
           (uint64_t)INDEX_WORDS * row->draft_vocabulary;
}

enum field { NAME, PARAMETERS, BILLIONS, FIELDS };

static bool look(char *const *cells, struct seen_rows *seen)
{
    size_t count;
    const struct kvb_draft_head *rows = kvb_draft_head_rows(&count), *row = &rows[seen->rows];
    assert_true(seen->rows < count);
    assert_string_equal(row->name, cells[NAME]);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_draft_head_load(cells[NAME], &head, &problems), KVB_OK);
    assert_string_equal(head.name, cells[NAME]);
    assert_true(kvb_model_only_drafts(&head) && kvb_is_draft_head(cells[NAME]));
    assert_int_equal(head.layer_count, row->layers);
    assert_int_equal(head.target_states, row->kind == KVB_DRAFT_EAGLE3 ? 3 : row->states);
    uint64_t own = kvb_model_parameters(&head) - outside_matrices(row);
    assert_int_equal(own, strtoull(cells[PARAMETERS], NULL, 10));
    if (cells[BILLIONS][0] != '-') {
        assert_int_equal((own + 5000000) / 10000000, (uint64_t)(strtod(cells[BILLIONS], NULL) * 100 + 0.5));
    }
    return true;
}

static void each_head_has_its_parameters(void **state)
{
    (void)state;
    size_t count;
    struct seen_rows seen;
    (void)kvb_draft_head_rows(&count);
    walk_rows("fixtures/draft_heads.csv", FIELDS, look, &seen);
    assert_int_equal(seen.rows, count);
    assert_int_equal(kvb_draft_head_load("nobody/eagle3", &head, &problems), KVB_UNKNOWN_NAME);
    assert_false(kvb_is_draft_head("nobody/eagle3"));
}

static enum kvb_status read(const char *text)
{
    kvb_problems_init(&problems);
    return kvb_model_read_config("config.json", text, strlen(text), NULL, NULL, 0, NULL, &head, &problems);
}

#define WIDTHS                                                                                                         \
    "\"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "        \
    "\"num_hidden_layers\": 1, \"vocab_size\": 512, \"max_position_embeddings\": 2048"

// A head may name its target's class, as EAGLE's own do, or nest its layer, as speculators do; it may take hidden
// states of another width. 2 x 64 (64 + 2 x 32) + 64 x 64 + 3 x 64 x 128 = 45056, fc 3 x 64 x 64 = 12288, head 256 x 64
// = 16384, ids 256 x 4 = 1024, embedding 512 x 64 = 32768, four norms 256.
static void heads_are_told_by_their_config(void **state)
{
    (void)state;
    assert_int_equal(read("{\"architectures\": [\"LlamaForCausalLM\"], \"draft_vocab_size\": 256, " WIDTHS "}"),
                     KVB_OK);
    assert_string_equal(head.architecture, "Eagle3LlamaForCausalLM");
    assert_int_equal(kvb_model_parameters(&head), 45056 + 12288 + 16384 + 1024 + 32768 + 256);
    assert_int_equal(read("{\"architectures\": [\"Eagle3Speculator\"], \"draft_vocab_size\": 256, "
                          "\"speculators_model_type\": \"eagle3\", \"transformer_layer_config\": {" WIDTHS "}}"),
                     KVB_OK);
    assert_int_equal(kvb_model_parameters(&head), 45056 + 12288 + 16384 + 1024 + 32768 + 256);
    assert_int_equal(read("{\"architectures\": [\"Eagle3LlamaForCausalLM\"], \"draft_vocab_size\": 256, "
                          "\"target_hidden_size\": 96, " WIDTHS "}"),
                     KVB_OK);
    assert_int_equal(kvb_model_parameters(&head), 45056 + 64 * 3 * 96 + 16384 + 1024 + 32768 + 256);
    // DFlash: 2 x 64 (64 + 32) + 3 x 64 x 128 = 36864, two states of the target 64 x 128, four norms and two of heads
    // of 16, keys and values again 64 x 64, embedding; DSpark two matrices of 512 x 8 beside it
    assert_int_equal(
        read("{\"architectures\": [\"DFlashDraftModel\"], \"dflash_config\": {\"target_layer_ids\": [1, 9], "
             "\"use_swa\": true, \"swa_window_size\": 128}, " WIDTHS "}"),
        KVB_OK);
    assert_int_equal(kvb_model_parameters(&head), 36864 + 64 * 128 + 4 * 64 + 2 * 16 + 64 * 64 + 32768);
    assert_int_equal(head.kinds[0].attention.kind, KVB_ATTENTION_SLIDING);
    assert_int_equal(head.kinds[0].attention.window_tokens, 128);
    assert_int_equal(
        read("{\"architectures\": [\"Qwen3DSparkModel\"], \"markov_rank\": 8, \"target_layer_ids\": [1, 9], " WIDTHS
             "}"),
        KVB_OK);
    assert_int_equal(kvb_model_parameters(&head), 36864 + 64 * 128 + 4 * 64 + 2 * 16 + 64 * 64 + 32768 + 2 * 512 * 8);
    assert_int_equal(head.kinds[0].attention.kind, KVB_ATTENTION_FULL);
    assert_int_equal(read("{\"architectures\": [\"DFlashDraftModel\"], \"dflash_config\": {\"use_swa\": true}, "
                          "\"sliding_window\": 256, " WIDTHS "}"),
                     KVB_OK); // no list: as many states as layers; the window of the model itself
    assert_int_equal(kvb_model_parameters(&head), 36864 + 64 * 64 + 4 * 64 + 2 * 16 + 64 * 64 + 32768);
    assert_int_equal(head.kinds[0].attention.window_tokens, 256);
    assert_int_equal(read("{\"architectures\": [\"LlamaForCausalLM\"], " WIDTHS "}"), KVB_OK);
    assert_false(kvb_model_only_drafts(&head));
}

static struct kvb_question question;
static struct kvb_answer answer;

static void ask(int count, const char *const *words)
{
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    kvb_problems_init(&problems);
    kvb_deployment_init(&question.deployment);
    assert_int_equal(kvb_serve_command_read(count, words, &question.deployment, &problems), KVB_OK);
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.20.0");
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "l40s");
}

#define ASK(...)                                                                                                       \
    do {                                                                                                               \
        const char *words[] = {"vllm", "serve", __VA_ARGS__};                                                          \
        ask((int)(sizeof words / sizeof words[0]), words);                                                             \
    } while (0)

static int64_t weights(void)
{
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    return answer.budget.items[KVB_ITEM_WEIGHTS].bytes;
}

#define MIB_BYTES (INT64_C(1) << 20)
#define HEAD "{\"method\":\"eagle3\",\"model\":\"AngelSlim/Qwen3-8B_eagle3\",\"num_speculative_tokens\":3}"

// 399,638,528 parameters of the table and the embedding of 151,936 x 4,096 that is the target's: 762 MiB, rounded up by
// the allocator; on two stages the last one keeps an embedding of its own, 1,187 MiB more.
static void a_head_is_priced_with_its_target(void **state)
{
    (void)state;
    ASK("Qwen/Qwen3-8B");
    int64_t alone = weights();
    ASK("Qwen/Qwen3-8B", "--speculative-config", HEAD);
    int64_t with = weights();
    assert_int_equal(answer.budget.verdict, KVB_FITS);
    assert_in_range((with - alone) / MIB_BYTES, 762, 800);
    assert_false(answer.plan.draft_unknown);
    ASK("Qwen/Qwen3-8B", "-pp", "2");
    int64_t stages = weights();
    ASK("Qwen/Qwen3-8B", "-pp", "2", "--speculative-config", HEAD);
    assert_in_range((weights() - stages) / MIB_BYTES, 762 + 1187, 762 + 1187 + 40);
    ASK("Qwen/Qwen3-4B", "--speculative-config", HEAD); // of another width
    int64_t other = weights();
    ASK("Qwen/Qwen3-4B");
    assert_in_range((other - weights()) / MIB_BYTES, 762 + 1187, 762 + 1187 + 40);
}

// Every layer of DFlash keeps a cache beside the target's: 36 + 5 layers of 8 heads of 128, 16 tokens a block. Of five
// layers the first four have a window, which counts from 0.25: groups of four layers then (kv_cache_utils.py v0.27.1
// group_size), before that 64 + 5 full ones.
static void blocks_keep_a_cache(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *target, *head;
        uint64_t page_bytes;
    } cases[] = {
        {"vllm@0.20.0", "Qwen/Qwen3-8B", "z-lab/Qwen3-8B-DFlash-b16", 16ULL * 41 * 2 * 8 * 128 * 2},
        {"vllm@0.24.0", "Qwen/Qwen3-32B", "z-lab/Qwen3.6-27B-DFlash", 16ULL * 69 * 2 * 8 * 128 * 2},
        {"vllm@0.27.1", "Qwen/Qwen3-32B", "z-lab/Qwen3.6-27B-DFlash", 16ULL * 4 * 2 * 8 * 128 * 2},
        {"vllm@0.27.1", "Qwen/Qwen3-32B", "poolside/Laguna-S-2.1-DFlash", 16ULL * 70 * 2 * 8 * 128 * 2},
    };
    char config[160];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(config, sizeof config, "{\"model\":\"%s\",\"num_speculative_tokens\":7}", cases[i].head);
        ASK(cases[i].target, "--speculative-config", config, "--max-model-len", "8192", "-tp", "4");
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "%s", cases[i].engine);
        (void)weights();
        assert_false(answer.plan.draft_unknown);
        assert_int_equal(answer.budget.kv.bytes_per_block, cases[i].page_bytes / 4);
    }
}

// DSpark of DeepSeek V4 is in its checkpoint: three layers that keep a window. Blocks, tokens and concurrency by
// get_kv_cache_groups, get_kv_cache_config_from_groups and get_max_concurrency_for_kv_cache_config of the release
// (kv_cache_utils.py), run on one spec a layer, of 86.74 GiB: 46 layers with a window in two groups of 23 where 43 make
// 22 and 21, which 0.27 lays over other groups. Public file headers: mtp.0 to mtp.2 have 10.12 GiB.
static void blocks_of_the_checkpoint_itself(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        bool drafts;
        uint64_t blocks, tokens, hundredths;
    } cases[] = {
        {"vllm@0.25.0", false, 89581, 1820397, 2778}, {"vllm@0.25.0", true, 86467, 1748981, 2669},
        {"vllm@0.26.0", false, 89581, 951041, 1451},  {"vllm@0.26.0", true, 86467, 913689, 1394},
        {"vllm@0.27.1", false, 92928, 877793, 1339},  {"vllm@0.27.1", true, 92928, 877793, 1339},
    };
    int64_t alone = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASK("deepseek-ai/DeepSeek-V4-Flash", "--max-model-len", "65536", "--block-size", "256", "--kv-cache-dtype",
            "fp8", "--max-num-batched-tokens", "8192", "--kv-cache-memory-bytes", "93136365813",
            cases[i].drafts ? "--speculative-config" : "--trust-remote-code",
            cases[i].drafts ? "{\"method\":\"dspark\",\"num_speculative_tokens\":7}" : "--no-enforce-eager");
        (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "b300");
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "%s", cases[i].engine);
        int64_t bytes = weights();
        assert_false(answer.plan.draft_unknown);
        assert_int_equal(answer.budget.kv.num_blocks, cases[i].blocks);
        assert_int_equal(answer.budget.kv.tokens, cases[i].tokens);
        assert_int_equal(answer.budget.kv.max_concurrency_hundredths, cases[i].hundredths);
        assert_true(!cases[i].drafts ||
                    (bytes - alone > 10363 * MIB_BYTES && bytes - alone < 10363 * MIB_BYTES * 103 / 100));
        alone = bytes;
    }
}

static void a_head_is_not_served_alone(void **state)
{
    (void)state;
    static const char path[] = KVB_SOURCE_DIR "/tests/fixtures/draft_head";
    char sentence[512];
    ASK(path);
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_UNKNOWN_KIND);
    (void)snprintf(sentence, sizeof sentence,
                   "'%s' is a head that drafts for another model: serve that model and name the head as \"model\" in "
                   "--speculative-config",
                   path);
    assert_string_equal(problems.items[0].text, sentence);
}

KVB_TEST_MAIN(cmocka_unit_test(each_head_has_its_parameters), cmocka_unit_test(heads_are_told_by_their_config),
              cmocka_unit_test(a_head_is_priced_with_its_target), cmocka_unit_test(blocks_keep_a_cache),
              cmocka_unit_test(blocks_of_the_checkpoint_itself), cmocka_unit_test(a_head_is_not_served_alone))
