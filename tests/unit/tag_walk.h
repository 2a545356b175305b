// Fixtures that a tag of vLLM answered row by row: "question,compute capabilities,0.11.1=answer 0.12.0=other".
#ifndef KVB_TESTS_TAG_WALK_H
#define KVB_TESTS_TAG_WALK_H

#include <string.h>

#include "unit/plans.h"
#include "unit/release_tags.h"
#include "unit/test.h"

#define ANSWER_MAX_BYTES 48

static uint32_t tags[TAGS_MAX]; // from 0.11.1 on
static size_t tag_count;

static inline void read_tags(void)
{
    tag_count = tags_since(R(11, 1), tags);
}

static inline uint64_t word_of(const char *name)
{
    static const struct {
        const char *name;
        enum kvb_kv_dtype word;
    } words[] = {{"auto", KVB_KV_AUTO},
                 {"bfloat16", KVB_KV_16BIT},
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

// What the row says at a release.
static inline void answer_at(const char *changes, uint32_t release, char out[ANSWER_MAX_BYTES])
{
    out[0] = '\0';
    for (const char *at = changes; *at != '\0'; at += strspn(at, " ")) {
        char version[16];
        uint32_t since;
        size_t size = strcspn(at, "="), length = strcspn(at + size + 1, " ");
        (void)snprintf(version, sizeof version, "%.*s", (int)size, at);
        assert_true(kvb_release_parse(version, &since) && length < ANSWER_MAX_BYTES);
        if (release >= since) {
            (void)snprintf(out, ANSWER_MAX_BYTES, "%.*s", (int)length, at + size + 1);
        }
        at += size + 1 + length;
    }
}

#endif
