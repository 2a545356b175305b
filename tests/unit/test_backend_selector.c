// Which attention backend a release takes, against its own selector: the classes of each tag were imported with a stub
// of torch in the place of torch, and asked for random models, caches, blocks and cards (tests/fixtures/backends.csv).
#include <stdlib.h>

#include "engines/vllm/kv_backend.h"
#include "unit/fixture_rows.h"
#include "unit/plans.h"

#define FIELDS 13
#define LEAST_ROWS 1400
#define ROTARY 64

enum field { RELEASE, CAPABILITY, DTYPE, CACHE, FORM, HEAD, NOPE, TOPK, HEADS, BLOCK, ELSE, ASKED, ANSWER };

static struct kvb_plan plan;
static struct kvb_budget budget;

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

static void make_shape(char *const fields[FIELDS])
{
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    uint32_t head = number(fields[HEAD]);
    shape->heads = number(fields[HEADS]);
    if (strcmp(fields[FORM], "plain") == 0) {
        shape->head_size = shape->value_head_size = head;
        shape->window_tokens = strstr(fields[ELSE], "window") != NULL ? 4096 : 0;
        return;
    }
    shape->latent_rank = head - ROTARY;
    shape->nope_size = number(fields[NOPE]);
    shape->head_size = shape->nope_size + ROTARY;
    if (strcmp(fields[FORM], "sparse") == 0) {
        shape->index_heads = 32;
        shape->index_head_size = 128;
        shape->index_topk = number(fields[TOPK]);
        shape->has_indexer = true;
    }
}

static void make_row(char *const fields[FIELDS])
{
    bool plain = strcmp(fields[FORM], "plain") == 0;
    if (plain) {
        make_llama_plan(&plan, release_of(fields[RELEASE]));
    } else {
        make_latent_plan(&plan, release_of(fields[RELEASE]), 8192, 256);
    }
    make_shape(fields);
    plan.gpu.compute_capability = number(fields[CAPABILITY]);
    plan.gpu.memory_bytes = 640 * GIB; // so that nothing is refused for want of it
    // What has sinks, and whose pictures are attended to in both directions, goes by its class.
    const char *class_name = strstr(fields[ELSE], "prefix") != NULL  ? "Gemma3ForConditionalGeneration"
                             : strstr(fields[ELSE], "sinks") != NULL ? "GptOssForCausalLM"
                                                                     : "LlamaForCausalLM";
    name_class(&plan, class_name);
    set_word(&plan, KVB_SET_DTYPE, fields[DTYPE]);
    set_word(&plan, KVB_SET_KV_CACHE_DTYPE, fields[CACHE]);
    if (number(fields[BLOCK]) > 0) {
        set(&plan, KVB_SET_BLOCK_SIZE, number(fields[BLOCK]));
    }
    if (fields[ASKED][0] != '\0') {
        set_word(&plan, KVB_SET_ATTENTION_BACKEND, fields[ASKED]);
    }
}

// A backend that was chosen may still refuse for itself, once it is made: Triton's of eight bits on older cards.
// FlashInfer takes sinks on 10.x where NVIDIA's server is in reach (utils/flashinfer.py v0.24.0:383), which it was not.
static bool agrees(char *const fields[FIELDS])
{
    bool refused = strcmp(fields[ANSWER], "-") == 0, triton = strncmp(fields[ANSWER], "TRITON", 6) == 0;
    const struct kvb_context *context = resolved(&plan);
    if (triton && strncmp(budget.error, "FP8 KV cache is not supported by the Triton", 43) == 0) {
        return true;
    }
    if (refused || !budget.starts) {
        return refused == !budget.starts;
    }
    bool flashinfer = strcmp(fields[ANSWER], "FLASHINFER") == 0;
    bool asks_server = strstr(fields[ELSE], "sinks") != NULL && context->gpu->compute_capability / 10 == 10;
    return strcmp(fields[FORM], "plain") == 0 ? asks_server || kvb_takes_flashinfer(context) == flashinfer
                                              : strcmp(context->mla_backend.name, fields[ANSWER]) == 0;
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    make_row(cells);
    (void)answer_into(&plan, &budget);
    bool same = agrees(cells);
    if (!same) {
        print_error("%s\n", budget.error);
    }
    seen->raised += strcmp(cells[ANSWER], "-") == 0;
    return same;
}

static void each_release_takes_what_its_selector_takes(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/backends.csv", FIELDS, look, &seen);
    assert_true(seen.rows >= LEAST_ROWS && seen.raised > seen.rows / 4 && seen.raised < seen.rows * 3 / 4);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_takes_what_its_selector_takes))
