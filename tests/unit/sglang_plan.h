// A serve command of SGLang computed to its budget, for tests of the engine.
#ifndef KVB_TESTS_SGLANG_PLAN_H
#define KVB_TESTS_SGLANG_PLAN_H

#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

#define SGLANG_WORDS_MAX 48

// Beginnings of lines.
#define Q3 "Qwen/Qwen3-8B "
#define LLAMA "meta-llama/Llama-3.1-8B-Instruct "
#define HYBRID "Qwen/Qwen3-Next-80B-A3B-Instruct "
#define V32 "deepseek-ai/DeepSeek-V3.2 --tp-size 8 "
#define V4 "deepseek-ai/DeepSeek-V4-Flash --tp-size 4 "
#define OSS "openai/gpt-oss-20b "

static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_budget budget;
static struct kvb_problems problems;

// `line`: the model and what stands behind it, words between single blanks.
static inline void resolve(const char *engine, const char *gpu, const char *line)
{
    static char text[512];
    const char *words[SGLANG_WORDS_MAX] = {"python", "-m", "sglang.launch_server", "--model-path"};
    struct kvb_model_source source;
    int count = 4;
    strcpy(text, line);
    for (char *at = text; *at != '\0' && count < SGLANG_WORDS_MAX;) {
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    strcpy(deployment.engine, engine);
    strcpy(deployment.gpu, gpu);
    deployment.usage_set = deployment.platform_set = true;
    assert_int_equal(kvb_serve_command_read(count, words, &deployment, &problems), KVB_OK);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
}

static inline void compute(const char *engine, const char *gpu, const char *line)
{
    resolve(engine, gpu, line);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
}

// After something of the plan was changed by hand.
static inline void again(void)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
}

static inline void set_number(struct kvb_plan *of, enum kvb_setting setting, uint64_t number)
{
    of->settings.values[setting].number = number;
    of->settings.values[setting].set = 1;
    of->settings.values[setting].origin = KVB_ORIGIN_FLAG;
}

static inline const char *said(const char *part)
{
    for (size_t i = 0; i < problems.count; i++) {
        if (strstr(problems.items[i].text, part) != NULL) {
            return problems.items[i].text;
        }
    }
    return NULL;
}

#endif
