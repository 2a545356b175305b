// Fixtures that a tag of vLLM answered row by row: "question,compute capabilities,0.11.1=answer 0.12.0=other".
#ifndef KVB_TESTS_TAG_WALK_H
#define KVB_TESTS_TAG_WALK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

#define LINE_MAX_BYTES 256
#define TAGS_MAX 64
#define ANSWER_MAX_BYTES 48

static uint32_t tags[TAGS_MAX]; // from 0.11.1 on
static size_t tag_count;

static inline FILE *open_fixture(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/releases/%s", KVB_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static inline void read_tags(void)
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

// The next row of the file, its fields parted; false behind the last.
static inline bool next_row(FILE *file, char line[LINE_MAX_BYTES], char *fields[], size_t count)
{
    if (fgets(line, LINE_MAX_BYTES, file) == NULL) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    fields[0] = line;
    for (size_t i = 1; i < count; i++) {
        fields[i] = strchr(fields[i - 1], ',');
        assert_non_null(fields[i]);
        *fields[i]++ = '\0';
    }
    return true;
}

#endif
