// A line of llama.cpp or Ollama as typed, resolved to its plan, for tests of the engine.
#ifndef KVB_TESTS_LLAMACPP_LINE_H
#define KVB_TESTS_LLAMACPP_LINE_H

#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "unit/test.h"
#include "unit/words.h"

static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_problems problems;

static inline void read_line(const char *line)
{
    static struct words words;
    words_of(line, &words);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status = kvb_serve_command_read(words.count, words.words, &deployment, &problems);
    if (status != KVB_OK) {
        fail_msg("%s: %s", line, problems.count > 0 ? problems.items[0].text : kvb_status_name(status));
    }
}

// "": as the line says.
static inline void run_on(const char *model, const char *gpu, const char *engine)
{
    if (model[0] != '\0') {
        (void)snprintf(deployment.model, sizeof deployment.model, "%s", model);
    }
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", gpu);
    if (engine[0] != '\0') {
        (void)snprintf(deployment.engine, sizeof deployment.engine, "%s", engine);
    }
}

static inline void set(enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&deployment.settings, setting, number, KVB_ORIGIN_FLAG);
}

static inline void set_mixture(void)
{
    set(KVB_SET_GGUF_TYPE, 15); // Q4_K_M
}

static inline void resolve_line(void)
{
    kvb_deployment_take_gpu_count(&deployment);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
}

static inline bool is_said(const char *text)
{
    for (uint32_t i = 0; i < problems.count; i++) {
        if (strstr(problems.items[i].text, text) != NULL) {
            return true;
        }
    }
    return false;
}

#endif
