// What each attention backend of vLLM takes, at every release from 0.11.1 on and on every kind of NVIDIA card:
// tests/fixtures/releases/backends.csv holds what validate_configuration of the backends' own classes answered
// (vllm/v1/attention/backends/{flash_attn,flashinfer,triton_attn}.py with the fa_utils.py and backend.py of the tag),
// run with stand-ins for torch and for the kernels' libraries, of which FlashAttention 4 is there from 0.17.0 on.
// Each row: backend, what is asked, compute capabilities, and from which release which reasons, a letter each; "?": not
// told, because the word is not of that release or is refused later, by the kernels (FlashAttention 3 to 0.21).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/refusal_says.h"
#include "unit/tag_walk.h"
#include "unit/test.h"

static struct kvb_plan plan;

// "head=84 word=fp8 sink fp32 both" of a model of 16 bits, heads of 128 and the usual cache.
static void ask(const char *backend, const char *asked, uint32_t capability, uint32_t release)
{
    char text[64];
    make_llama_plan(&plan, release);
    plan.gpu.compute_capability = capability;
    plan.environment.attention_backend = strcmp(backend, "FLASH_ATTN") == 0    ? KVB_BACKEND_FLASH_ATTN
                                         : strcmp(backend, "FLASHINFER") == 0  ? KVB_BACKEND_FLASHINFER
                                         : strcmp(backend, "TRITON_ATTN") == 0 ? KVB_BACKEND_TRITON
                                                                               : KVB_BACKEND_AUTO;
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16);
    (void)snprintf(text, sizeof text, "%s", asked);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        const char *class = strcmp(word, "sink") == 0   ? "GptOssForCausalLM"
                            : strcmp(word, "both") == 0 ? "Gemma3ForConditionalGeneration"
                                                        : plan.model.architecture;
        if (strncmp(word, "head=", 5) == 0) {
            plan.model.kinds[0].attention.head_size = (uint32_t)strtoul(word + 5, NULL, 10);
        } else if (strncmp(word, "word=", 5) == 0) {
            set(&plan, KVB_SET_KV_CACHE_DTYPE, word_of(word + 5));
        } else if (strcmp(word, "fp32") == 0) {
            set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
        } else {
            (void)memmove(plan.model.architecture, class, strlen(class) + 1);
        }
    }
}

static void sentence_of(const char *backend, const char *letters, uint32_t release, char out[KVB_ERROR_TEXT_CAPACITY])
{
    size_t length = 0;
    for (const char *c = letters; *c != '\0'; c++) {
        const char *text =
            *c == 'H'   ? "head_size not supported"
            : *c == 'D' ? "dtype not supported"
            : *c == 'W' ? "kv_cache_dtype not supported"
            : *c == 'M' ? "partial multimodal token full attention not supported"
            : *c == 'S' ? (release < R(18, 0) ? "sink setting not supported" : "attention sinks not supported")
            : *c == 'C' ? "compute capability not supported"
            : *c == 'O' ? "sink not supported on compute capability < 9.0"
            : *c == 'F' ? "FP8 KV cache requires FA3 on SM90 or FA4 on SM100"
                        : "mm_prefix (PrefixLM bidirectional attention) requires FlashAttention v4, which does not "
                          "resolve for this head_size";
        int written =
            snprintf(out + length, KVB_ERROR_TEXT_CAPACITY - length, "%s%s%s%s'%s'",
                     length > 0 ? "" : "Selected backend AttentionBackendEnum.", length > 0 ? "" : backend,
                     length > 0 ? "" : " is not valid for this configuration. Reason: [", length > 0 ? ", " : "", text);
        length += (size_t)written;
    }
    (void)snprintf(out + length, KVB_ERROR_TEXT_CAPACITY - length, "%s", length > 0 ? "]" : "");
}

static bool holds(const char *backend, const char *asked, uint32_t capability, const char *changes)
{
    bool same = true;
    for (size_t i = 0; i < tag_count; i++) {
        char letters[ANSWER_MAX_BYTES], wanted[KVB_ERROR_TEXT_CAPACITY], said[KVB_ERROR_TEXT_CAPACITY] = "";
        answer_at(changes, tags[i], letters);
        if (letters[0] == '?') {
            continue;
        }
        sentence_of(backend, letters, tags[i], wanted);
        ask(backend, asked, capability, tags[i]);
        bool refused = kvb_refusal_backend(resolved(&plan), said);
        if (refused != (letters[0] != '\0') || strcmp(said, wanted) != 0) {
            print_error("%s, '%s' on %u at %u: '%s', not '%s'\n", backend, asked, capability, tags[i], said, wanted);
            same = false;
        }
    }
    return same;
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    bool same = true;
    (void)seen;
    for (char *at = cells[2]; *at != '\0'; at += strspn(at, " ")) {
        same = holds(cells[0], cells[1], (uint32_t)strtoul(at, &at, 10), cells[3]) && same;
    }
    return same;
}

static void every_backend_at_every_tag(void **state)
{
    (void)state;
    struct seen_rows seen;
    read_tags();
    walk_rows("fixtures/releases/backends.csv", 4, look, &seen);
    assert_true(seen.rows > 250 && tag_count > 25);
    assert_int_equal(seen.different, 0);
}

// "-": the start ends there; Triton's kernels lack the fp8 that cards before 8.9 do not have.
static bool choice_holds(const char *asked, uint32_t capability, const char *changes)
{
    bool same = true;
    bool eight_bits = strstr(asked, "word=fp8") != NULL && capability < 89;
    for (size_t i = 0; i < tag_count; i++) {
        char wanted[ANSWER_MAX_BYTES], said[KVB_ERROR_TEXT_CAPACITY] = "";
        answer_at(changes, tags[i], wanted);
        ask("", asked, capability, tags[i]);
        bool nobody = strcmp(wanted, "-") == 0;
        bool old = kvb_refusal_triton_cache(resolved(&plan), said);
        if (wanted[0] != '?' && (kvb_refusal_no_backend(resolved(&plan), said) != nobody ||
                                 old != (strcmp(wanted, "TRITON_ATTN") == 0 && eight_bits))) {
            print_error("'%s' on %u at %u: '%s', not %s\n", asked, capability, tags[i], said, wanted);
            same = false;
        }
    }
    return same;
}

static bool look_at_choice(char *const *cells, struct seen_rows *seen)
{
    bool same = true;
    (void)seen;
    for (char *at = cells[1]; *at != '\0'; at += strspn(at, " ")) {
        same = choice_holds(cells[0], (uint32_t)strtoul(at, &at, 10), cells[2]) && same;
    }
    return same;
}

// The backend that is taken where none is asked for: choice.csv holds what get_attn_backend_cls of
// vllm/platforms/cuda.py answered. "?": the word is not of that release, or is refused later, by the kernels.
static void every_choice_at_every_tag(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/releases/choice.csv", 3, look_at_choice, &seen);
    assert_true(seen.rows > 60);
    assert_int_equal(seen.different, 0);
}

// 16 bits by name are read by nobody before 0.15.0, and left to nobody where no backend is asked for.
static void sixteen_bits_by_name(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(14, 0));
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    says(kvb_refusal_no_backend, &plan,
         "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=128, dtype=torch.bfloat16, "
         "kv_cache_dtype=bfloat16");
    plan.engine.release = R(15, 0);
    says(kvb_refusal_no_backend, &plan, NULL);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_AUTO);
    plan.engine.release = R(14, 0);
    says(kvb_refusal_no_backend, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(every_backend_at_every_tag), cmocka_unit_test(every_choice_at_every_tag),
              cmocka_unit_test(sixteen_bits_by_name))
