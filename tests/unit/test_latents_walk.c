// Which backend of MLA layers vLLM takes, and in which blocks, at every release from 0.11.1 on and on nine kinds of
// NVIDIA cards: tests/fixtures/releases/latents.csv holds what CudaPlatformBase.check_and_update_config (to 0.17.1) and
// get_attn_backend_cls of the tag answered (vllm/platforms/cuda.py, with vllm/v1/attention/backends/mla,
// model_executor/layers/attention/mla_attention.py and ops/flashmla.py of the tag), run with stand-ins for torch and
// the kernels' libraries. Each row: what is asked, compute capabilities, from which release which backend and block;
// "-": none takes it, "?": not told, because the release has no backend of that name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/vllm/kv_backend.h"
#include "unit/plans.h"
#include "unit/tag_walk.h"
#include "unit/test.h"

static struct kvb_plan plan;

static enum kvb_backend backend_of(const char *name)
{
    static const struct {
        const char *name;
        enum kvb_backend backend;
    } rows[] = {{"FLASH_ATTN_MLA", KVB_BACKEND_FLASH_ATTN_MLA},
                {"FLASHMLA", KVB_BACKEND_FLASHMLA},
                {"FLASHINFER_MLA", KVB_BACKEND_FLASHINFER_MLA},
                {"CUTLASS_MLA", KVB_BACKEND_CUTLASS_MLA},
                {"TRITON_MLA", KVB_BACKEND_TRITON_MLA},
                {"FLASH_ATTN_MLA_SPARSE", KVB_BACKEND_FLASH_ATTN_MLA_SPARSE},
                {"FLASHINFER_MLA_SPARSE", KVB_BACKEND_FLASHINFER_MLA_SPARSE},
                {"FLASHMLA_SPARSE", KVB_BACKEND_FLASHMLA_SPARSE},
                {"FLASHINFER_MLA_SPARSE_SM120", KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].backend;
        }
    }
    fail_msg("no backend %s", name);
    return KVB_BACKEND_AUTO;
}

// "sparse nope=128 heads=16 word=fp8 block=64 latent=320 asked=FLASHMLA"
static void ask(const char *asked, uint32_t capability, uint32_t release)
{
    char text[ROW_MAX_BYTES];
    make_latent_plan(&plan, release, 8192, 256);
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    plan.gpu.compute_capability = capability;
    shape->heads = 128;
    (void)snprintf(text, sizeof text, "%s", asked);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        const char *value = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : "";
        uint32_t number = (uint32_t)strtoul(value, NULL, 10);
        switch (word[0]) {
        case 's':
            shape->index_heads = 32;
            shape->index_topk = 2048;
            shape->index_head_size = 128;
            shape->has_indexer = true;
            break;
        case 'n':
            shape->nope_size = number;
            break;
        case 'h':
            shape->heads = number;
            break;
        case 'l':
            shape->latent_rank = number - shape->rope_size;
            break;
        case 'b':
            set(&plan, KVB_SET_BLOCK_SIZE, number);
            break;
        case 'w':
            set(&plan, KVB_SET_KV_CACHE_DTYPE, word_of(value));
            break;
        case 'a':
            set(&plan, KVB_SET_ATTENTION_BACKEND, backend_of(value));
            break;
        default: // dense
            break;
        }
    }
}

// The block of what is kept to 0.17, then that of the backend alone: an index beside it has its own.
static void said_at(uint32_t release, char out[ANSWER_MAX_BYTES])
{
    const struct kvb_context *context = resolved(&plan);
    uint64_t block = release < R(18, 0) || kvb_is_set(&plan, KVB_SET_BLOCK_SIZE) ? context->block_tokens
                                                                                 : context->mla_backend.block_tokens;
    (void)snprintf(out, ANSWER_MAX_BYTES, "-");
    if (!context->mla_backend.missing) {
        (void)snprintf(out, ANSWER_MAX_BYTES, "%s/%llu", context->mla_backend.name, (unsigned long long)block);
    }
}

static bool holds(const char *asked, uint32_t capability, const char *changes)
{
    bool same = true;
    for (size_t i = 0; i < tag_count; i++) {
        char wanted[ANSWER_MAX_BYTES], said[ANSWER_MAX_BYTES];
        answer_at(changes, tags[i], wanted);
        if (wanted[0] == '?') {
            continue;
        }
        ask(asked, capability, tags[i]);
        said_at(tags[i], said);
        if (strcmp(said, wanted) != 0) {
            print_error("'%s' on %u at %u: %s, not %s\n", asked, capability, tags[i], said, wanted);
            same = false;
        }
    }
    return same;
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    bool same = true;
    (void)seen;
    for (char *at = cells[1]; *at != '\0'; at += strspn(at, " ")) {
        same = holds(cells[0], (uint32_t)strtoul(at, &at, 10), cells[2]) && same;
    }
    return same;
}

static void every_backend_at_every_tag(void **state)
{
    (void)state;
    struct seen_rows seen;
    read_tags();
    walk_rows("fixtures/releases/latents.csv", 3, look, &seen);
    assert_true(seen.rows > 250 && tag_count > 25);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(every_backend_at_every_tag))
