// Lines of a serve command (each begins with a line end) as a release of vLLM judges them before anything starts.
#ifndef KVB_TESTS_JUDGED_LINES_H
#define KVB_TESTS_JUDGED_LINES_H

#include <stdio.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define TAKEN ""

struct judged_row {
    uint32_t release;
    const char *lines, *text;
};

static inline void give_lines(uint32_t release, const char *lines, struct kvb_deployment *deployment,
                              struct kvb_engine *engine)
{
    *engine = (struct kvb_engine){.release = release};
    (void)snprintf(engine->version, sizeof engine->version, "0.%u.%u", release / 10000, release / 100 % 100);
    kvb_deployment_init(deployment);
    (void)kvb_copy(deployment->serve_flags, sizeof deployment->serve_flags, lines);
}

// What is said of them; TAKEN: nothing. The next call overwrites it.
static inline const char *judged(uint32_t release, const char *lines)
{
    static struct kvb_deployment deployment;
    static char out[256];
    struct kvb_engine engine;
    give_lines(release, lines, &deployment, &engine);
    out[0] = '\0';
    kvb_vllm_judge(&deployment, &engine, out);
    return out;
}

static inline void walk_judged(const struct judged_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(judged(rows[i].release, rows[i].lines), rows[i].text);
    }
}
#define WALK(rows) walk_judged(rows, sizeof rows / sizeof(rows)[0])

#endif
