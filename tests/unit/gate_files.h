// A folder of deployments in a repository of its own, judged and compared with its commit.
#ifndef GATE_FILES_H
#define GATE_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/gate.h>

#include "text/file.h"
#include "unit/own_folder.h"
#include "unit/test.h"

#define SMALL "vllm serve Qwen/Qwen3-0.6B --max-model-len 4096\n"

static struct kvb_problems problems;
static struct kvb_question flags;

static inline int make_root(void **state)
{
    (void)state;
    bool set = setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && mkdtemp(root) != NULL && chdir(root) == 0 ? 0 : -1;
}

static inline int begin(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    memset(&flags, 0, sizeof flags);
    kvb_deployment_init(&flags.deployment);
    return system("rm -rf files policy.yaml .git && mkdir files");
}

static inline void put(const char *name, const char *text)
{
    (void)unlink(name);
    assert_int_equal(kvb_file_create(name, text, strlen(text), &problems), KVB_OK);
}

static inline struct kvb_gate *gate_of(uint32_t today)
{
    enum kvb_status status;
    const struct kvb_gate_options options = {.flags = &flags, .today = today, .no_policy = true, .keeps_figures = true};
    struct kvb_gate *gate = kvb_gate_new(&options, &status, &problems);
    if (gate != NULL && kvb_gate_path(gate, "files", false, &problems) != KVB_OK) {
        kvb_gate_free(gate);
        return NULL;
    }
    return gate;
}

static inline bool commit(void)
{
    return system("git init -q . 2>/dev/null && git add files && git -c user.name=a -c user.email=a@b.example commit "
                  "-qm one "
                  "2>/dev/null") == 0;
}

static inline enum kvb_status compare(struct kvb_gate *gate)
{
    static const char *const paths[] = {"files"};
    return kvb_gate_compare(gate, "HEAD", paths, 1, &problems);
}

static inline void compose(const char *name, const char *service, const char *length)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "services:\n  %s:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model Qwen/Qwen3-8B "
                   "--max-model-len %s\n",
                   service, length);
    put(name, text);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

#endif
