// A cache of its own and a stand-in for the program that fetches, for tests of what is asked for and kept.
#ifndef KVB_TESTS_HUB_PLAY_H
#define KVB_TESTS_HUB_PLAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/problem.h>

#include "unit/own_folder.h"
#include "unit/test.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define CONFIG                                                                                                         \
    "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"intermediate_size\": 128, "                    \
    "\"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"vocab_size\": 128, "                                      \
    "\"max_position_embeddings\": 512, \"torch_dtype\": \"bfloat16\"}"

static struct kvb_problems problems;

static inline int begin(void **state)
{
    (void)state;
    char path[128];
    static const char *const unset[] = {"HF_HUB_CACHE",   "HF_HOME",        "HUGGINGFACE_HUB_CACHE", "KVBUDGET_OFFLINE",
                                        "XDG_CACHE_HOME", "HF_HUB_OFFLINE", "VLLM_USE_MODELSCOPE",   "HF_ENDPOINT"};
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
        (void)unsetenv(unset[i]);
    }
    (void)setenv("HOME", root, 1);
    (void)snprintf(path, sizeof path, "%s/cache", root);
    (void)setenv("KVBUDGET_CACHE", path, 1);
    (void)setenv("KVBUDGET_LIBEXEC", root, 1);
    (void)snprintf(path, sizeof path, "rm -rf '%s/cache'", root);
    kvb_problems_init(&problems);
    return system(path);
}

// A helper that does what the shell lines say; $7 is the folder it fills.
static inline void play_helper(const char *lines)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/kvbudget-hub", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "#!/bin/sh\n%s\n", lines);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static inline void play_fetch(const char *report)
{
    char lines[1024];
    (void)snprintf(lines, sizeof lines, "printf '%%s' '%s' > \"$6/config.json\"\necho \"%s\"", CONFIG, report);
    play_helper(lines);
}

static inline bool said(const char *text)
{
    for (uint32_t i = 0; i < problems.count; i++) {
        if (strstr(problems.items[i].text, text) != NULL) {
            return true;
        }
    }
    return false;
}

#endif
