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
#include "unit/test.h"

#define LINE_MAX_BYTES 256
#define CAPABILITIES_MAX 8
#define TAGS_MAX 64

static struct kvb_plan plan;
static uint32_t tags[TAGS_MAX];
static size_t tag_count;

static FILE *open_fixture(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/releases/%s", KVB_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static void read_tags(void)
{
    char line[64];
    FILE *file = open_fixture("tags.txt");
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t tag;
        line[strcspn(line, "\n")] = '\0';
        assert_true(kvb_release_parse(line, &tag));
        if (tag >= R(11, 1)) {
            assert_true(tag_count < TAGS_MAX);
            tags[tag_count++] = tag;
        }
    }
    (void)fclose(file);
}

static uint64_t word_of(const char *name)
{
    static const struct {
        const char *name;
        enum kvb_kv_dtype word;
    } words[] = {{"bfloat16", KVB_KV_16BIT},
                 {"fp8", KVB_KV_FP8},
                 {"fp8_e4m3", KVB_KV_FP8_E4M3},
                 {"fp8_e5m2", KVB_KV_FP8_E5M2},
                 {"fp8_ds_mla", KVB_KV_FP8_DS_MLA},
                 {"turboquant_k8v4", KVB_KV_TURBOQUANT_K8V4},
                 {"turboquant_4bit_nc", KVB_KV_TURBOQUANT_4BIT_NC},
                 {"turboquant_k3v4_nc", KVB_KV_TURBOQUANT_K3V4_NC},
                 {"turboquant_3bit_nc", KVB_KV_TURBOQUANT_3BIT_NC},
                 {"int8_per_token_head", KVB_KV_INT8_PER_TOKEN_HEAD},
                 {"fp8_per_token_head", KVB_KV_FP8_PER_TOKEN_HEAD},
                 {"int4_per_token_head", KVB_KV_INT4_PER_TOKEN_HEAD},
                 {"nvfp4", KVB_KV_NVFP4}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].name, name) == 0) {
            return words[i].word;
        }
    }
    fail_msg("no word %s", name);
    return 0;
}

// "head=84 word=fp8 sink fp32 both" of a model of 16 bits, heads of 128 and the usual cache.
static void ask(const char *backend, const char *asked, uint32_t capability, uint32_t release)
{
    char text[64];
    make_llama_plan(&plan, release);
    plan.gpu.compute_capability = capability;
    plan.environment.attention_backend = strcmp(backend, "FLASH_ATTN") == 0   ? KVB_BACKEND_FLASH_ATTN
                                         : strcmp(backend, "FLASHINFER") == 0 ? KVB_BACKEND_FLASHINFER
                                                                              : KVB_BACKEND_TRITON;
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

// "0.11.1=HC 0.12.0=C": the letters at a release.
static void letters_at(const char *changes, uint32_t release, char out[16])
{
    out[0] = '\0';
    for (const char *at = changes; *at != '\0'; at += strspn(at, " ")) {
        char version[16];
        uint32_t since;
        size_t size = strcspn(at, "="), length = strcspn(at + size + 1, " ");
        (void)snprintf(version, sizeof version, "%.*s", (int)size, at);
        assert_true(kvb_release_parse(version, &since) && length < 16);
        if (release >= since) {
            (void)snprintf(out, 16, "%.*s", (int)length, at + size + 1);
        }
        at += size + 1 + length;
    }
}

static unsigned look(const char *backend, const char *asked, uint32_t capability, const char *changes)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < tag_count; i++) {
        char letters[16], wanted[KVB_ERROR_TEXT_CAPACITY], said[KVB_ERROR_TEXT_CAPACITY] = "";
        letters_at(changes, tags[i], letters);
        if (letters[0] == '?') {
            continue;
        }
        sentence_of(backend, letters, tags[i], wanted);
        ask(backend, asked, capability, tags[i]);
        bool refused = kvb_refusal_backend(resolved(&plan), said);
        if (refused != (letters[0] != '\0') || strcmp(said, wanted) != 0) {
            print_error("%s, '%s' on %u at %u: '%s', not '%s'\n", backend, asked, capability, tags[i], said, wanted);
            wrong++;
        }
    }
    return wrong;
}

static void every_backend_at_every_tag(void **state)
{
    (void)state;
    char line[LINE_MAX_BYTES];
    unsigned wrong = 0, rows = 0;
    read_tags();
    FILE *file = open_fixture("backends.csv");
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[4] = {line};
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 1; i < 4; i++) {
            fields[i] = strchr(fields[i - 1], ',');
            assert_non_null(fields[i]);
            *fields[i]++ = '\0';
        }
        for (char *at = fields[2]; *at != '\0'; at += strspn(at, " ")) {
            wrong += look(fields[0], fields[1], (uint32_t)strtoul(at, &at, 10), fields[3]);
        }
        rows++;
    }
    (void)fclose(file);
    assert_true(rows > 250 && tag_count > 25);
    assert_int_equal(wrong, 0);
}

// 16 bits by name are read by nobody before 0.15.0, and left to nobody where no backend is asked for.
static void sixteen_bits_by_name(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(14, 0));
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    says(kvb_refusal_nvfp4_cache, &plan,
         "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=128, dtype=torch.bfloat16, "
         "kv_cache_dtype=bfloat16");
    plan.engine.release = R(15, 0);
    says(kvb_refusal_nvfp4_cache, &plan, NULL);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_AUTO);
    plan.engine.release = R(14, 0);
    says(kvb_refusal_nvfp4_cache, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(every_backend_at_every_tag), cmocka_unit_test(sixteen_bits_by_name))
