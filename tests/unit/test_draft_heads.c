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
    bool blocks = row->kind >= KVB_DRAFT_DFLASH && row->kind <= KVB_DRAFT_LAGUNA;
    if (row->kind == KVB_DRAFT_ASSISTANT) { // four norms a layer and the last, of queries' heads, scalars, an order
        return (4 * (uint64_t)row->layers + 1) * row->hidden + 3 * (uint64_t)row->head_size + 512 + row->layers +
               (row->hidden == 256 ? (uint64_t)INDEX_WORDS * row->vocabulary : 0);
    }
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
    // DFlash2 beside DFlash, whose states are those of one layer here: two convolutions of 2 x 3 x 64 and (2 x 3 x 64 /
    // 16) x 64, two codebooks of 512 x 8, what projects 64 to 8
    assert_int_equal(read("{\"architectures\": [\"DFlash2DraftModel\"], \"dflash_config\": {\"conv_kernel_size\": 3, "
                          "\"conv_group_size\": 16, \"selector_rank\": 8}, " WIDTHS "}"),
                     KVB_OK);
    assert_int_equal(kvb_model_parameters(&head), 36864 + 64 * 64 + 4 * 64 + 2 * 16 + 64 * 64 + 32768 +
                                                      2 * (2 * 3 * 64 + 2 * 3 * 4 * 64) + 2 * 512 * 8 + 64 * 8);
    assert_int_not_equal(read("{\"architectures\": [\"DFlash2DraftModel\"], " WIDTHS "}"), KVB_OK);
    assert_int_equal(read("{\"architectures\": [\"LlamaForCausalLM\"], " WIDTHS "}"), KVB_OK);
    assert_false(kvb_model_only_drafts(&head));
}

#define ASSISTANT                                                                                                      \
    "\"text_config\": {\"hidden_size\": 1024, \"intermediate_size\": 8192, \"num_hidden_layers\": 4, "                 \
    "\"num_attention_heads\": 16, \"num_key_value_heads\": 8, \"num_global_key_value_heads\": 1, \"head_dim\": 256, "  \
    "\"global_head_dim\": 512, \"attention_k_eq_v\": true, \"num_kv_shared_layers\": 4, \"sliding_window\": 1024, "    \
    "\"max_position_embeddings\": 262144, \"vocab_size\": 262144, \"layer_types\": [\"sliding_attention\", "           \
    "\"sliding_attention\", \"sliding_attention\", \"full_attention\"]}"

// google/gemma-4-12B-it-assistant at 46d4c6f1: a file of 845,719,296 bytes of which 5,368 are its header; two bytes a
// parameter. E4B's as loaded on an A10G: 78.518 million. A centroid is 1024 wide, an index 4 elements.
static void an_assistant_has_its_file(void **state)
{
    (void)state;
    assert_int_equal(
        read("{\"architectures\": [\"Gemma4UnifiedAssistantForCausalLM\"], \"backbone_hidden_size\": 3840, "
             "\"dtype\": \"bfloat16\", " ASSISTANT "}"),
        KVB_OK);
    assert_int_equal(kvb_model_parameters(&head), (845719296 - 5368) / 2);
    assert_true(kvb_model_only_drafts(&head) && kvb_model_assists(&head));
    assert_int_equal(head.rope_cache_count, 0);
    assert_int_equal(read("{\"architectures\": [\"Gemma4AssistantForCausalLM\"], \"backbone_hidden_size\": 3840, "
                          "\"use_ordered_embeddings\": true, " ASSISTANT "}"),
                     KVB_OK); // as many centroids as transformers has where nobody says
    assert_int_equal(kvb_model_parameters(&head), (845719296 - 5368) / 2 + 2048 * 1024 + 4 * 262144);
    assert_int_equal(read("{\"architectures\": [\"Gemma4AssistantForCausalLM\"], " ASSISTANT "}"), KVB_MISSING_KEY);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_draft_head_load("/models/Gemma-4-E4B-it-assistant", &head, &problems), KVB_OK);
    assert_int_equal((kvb_model_parameters(&head) - (uint64_t)INDEX_WORDS * 262144) / 1000, 78517);
    assert_string_equal(head.name, "google/gemma-4-E4B-it-assistant");
    assert_int_equal(kvb_draft_head_load("./gemma-4-E4B", &head, &problems), KVB_UNKNOWN_NAME);
    assert_int_equal(kvb_draft_head_load("~", &head, &problems), KVB_UNKNOWN_NAME);
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

// Five layers with a window beside 16 whole and 48 of states make groups of five: 4 + 10 + 1. Two public starts print
// pools of 11.15 and 16.01 GiB on two ranks, 214,135 and 374,847 tokens (noonghunna/club-3090#1086, #1084; the code of
// 0.28.0 laid over 0.27.1): 1,405 and 2,017 blocks of 5 x 832 x 2 x 2 x 256 x 2 bytes, of which a request takes 4 x 79
// and 4 x 247 + 10 x (2 + 7) + 24, as 2,047 + 2 x 8,192 tokens lie in 23 blocks.
static void blocks_with_a_window_share_groups(void **state)
{
    (void)state;
    static const struct {
        const char *length, *pool_bytes;
        uint64_t blocks, tokens;
    } cases[] = {{"65536", "11972220928", 1405, 214135}, {"204800", "17190600000", 2017, 374847}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASK("Qwen/Qwen3.8-27B", "--max-model-len", cases[i].length, "-tp", "2", "--max-num-batched-tokens", "8192",
            "--max-num-seqs", "1", "--attention-backend", "FLASH_ATTN", "--enable-prefix-caching",
            "--kv-cache-memory-bytes", cases[i].pool_bytes, "--speculative-config",
            "{\"method\":\"dflash\",\"model\":\"z-lab/Qwen3.8-27B-DFlash2\",\"num_speculative_tokens\":7}");
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.28.0");
        (void)weights();
        assert_false(answer.plan.draft_unknown);
        assert_int_equal(answer.budget.kv.num_blocks, cases[i].blocks);
        assert_int_equal(answer.budget.kv.tokens, cases[i].tokens);
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

#define OF_26B "{\"model\":\"google/gemma-4-26B-A4B-it-assistant\",\"num_speculative_tokens\":3}"

// An assistant reads the target's cache: the pages stay as they are. 26B-A4B's has 419,692,544 parameters in matrices:
// 800.5 MiB; a public start on a B70 has 14.69 GiB without and 15.47 with it. On two ranks half of all matrices but the
// norms: 400.
static void an_assistant_keeps_no_cache(void **state)
{
    (void)state;
    static const struct {
        const char *ranks;
        int64_t mib;
    } cases[] = {{"1", 800}, {"2", 400}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASK("google/gemma-4-26B-A4B-it", "-tp", cases[i].ranks, "--max-model-len", "8192");
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.27.1");
        (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "h100-sxm5");
        int64_t alone = weights();
        uint64_t page = answer.budget.kv.bytes_per_block;
        ASK("google/gemma-4-26B-A4B-it", "-tp", cases[i].ranks, "--max-model-len", "8192", "--speculative-config",
            OF_26B);
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.27.1");
        (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "h100-sxm5");
        assert_in_range((weights() - alone) / MIB_BYTES, cases[i].mib, cases[i].mib + 2);
        assert_int_equal(answer.budget.kv.bytes_per_block, page);
        assert_false(answer.plan.draft_unknown);
    }
}

// vllm#47794 and #48848: 0.25.0 to 0.26.0 on runner V1, which models with experts have there; dense ones start on V2.
// 0.20.0 has no class for it; before 0.27.0 none of gemma4.py's rules.
static void an_assistant_starts_by_release(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *model, *part;
    } cases[] = {
        {"vllm@0.20.0", "google/gemma-4-26B-A4B-it", "Model architectures ['Gemma4AssistantForCausalLM']"},
        {"vllm@0.24.0", "google/gemma-4-26B-A4B-it", NULL},
        {"vllm@0.25.0", "google/gemma-4-26B-A4B-it", "(2816) differs from draft embedding dim (1024)"},
        {"vllm@0.26.0", "google/gemma-4-26B-A4B-it", "a and b must have same reduction dim"},
        {"vllm@0.25.0", "google/gemma-4-E4B-it", NULL},
        {"vllm@0.27.0", "google/gemma-4-26B-A4B-it", NULL},
    };
    char config[160];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(config, sizeof config, "{\"model\":\"%s-assistant\"}", cases[i].model);
        ASK(cases[i].model, "--max-model-len", "8192", "--speculative-config", config);
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "%s", cases[i].engine);
        (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "h100-sxm5");
        (void)weights();
        if (cases[i].part == NULL) {
            assert_string_equal(answer.budget.error, "");
        } else {
            assert_non_null(strstr(answer.budget.error, cases[i].part));
        }
    }
}

// MiMo-V2-Flash has three modules, of which mimo_v2_mtp.py makes one: in 8 bits queries 64 x 192 x 4096, keys and
// values 8 x 320 x 4096, outputs 64 x 128 x 4096 and an MLP of 3 x 4096 x 16384, on four ranks 70.5 MiB, and whole in
// 16 bits 2 x 4096 squared: 64. Scales are a four-thousandth.
static void of_three_modules_one_is_made(void **state)
{
    (void)state;
    ASK("XiaomiMiMo/MiMo-V2-Flash", "-tp", "4", "--max-model-len", "8192");
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.27.1");
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "h200");
    int64_t alone = weights();
    ASK("XiaomiMiMo/MiMo-V2-Flash", "-tp", "4", "--max-model-len", "8192", "--speculative-config",
        "{\"method\":\"mtp\",\"num_speculative_tokens\":4}");
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.27.1");
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "h200");
    assert_in_range((weights() - alone) / MIB_BYTES, 134, 138);
    assert_string_equal(answer.budget.error, "");
}

#define SMALL_ERNIE                                                                                                    \
    "{\"architectures\": [\"Ernie4_5_MoeForCausalLM\"], \"hidden_size\": 64, \"intermediate_size\": 128, "             \
    "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"num_hidden_layers\": 4, \"vocab_size\": 512, "          \
    "\"max_position_embeddings\": 2048, \"moe_num_experts\": 4, \"moe_k\": 2, \"moe_intermediate_size\": 32, "         \
    "\"tie_word_embeddings\": true"

// ernie_mtp.py: a layer of Llama, a projection of two hidden states, a norm of each. 2 x 64 (64 + 32) + 3 x 64 x 128 +
// 2 x 64 x 64 + 4 x 64 = 45,312.
static void ernie_drafts_with_a_dense_layer(void **state)
{
    (void)state;
    assert_int_equal(read(SMALL_ERNIE "}"), KVB_OK);
    uint64_t alone = kvb_model_parameters(&head);
    assert_int_equal(head.mtp_layers, 0);
    assert_int_equal(read(SMALL_ERNIE ", \"num_nextn_predict_layers\": 1}"), KVB_OK);
    assert_int_equal(head.mtp_layers, 1);
    assert_int_equal(head.kinds[head.mtp_kind].mlp.kind, KVB_MLP_GATED);
    assert_int_equal(kvb_model_parameters(&head) - alone, 45312);
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
              cmocka_unit_test(blocks_with_a_window_share_groups), cmocka_unit_test(blocks_of_the_checkpoint_itself),
              cmocka_unit_test(an_assistant_has_its_file), cmocka_unit_test(an_assistant_keeps_no_cache),
              cmocka_unit_test(an_assistant_starts_by_release), cmocka_unit_test(of_three_modules_one_is_made),
              cmocka_unit_test(ernie_drafts_with_a_dense_layer), cmocka_unit_test(a_head_is_not_served_alone))
