// Lines of SGLang as a release judges them, alone and with a card and a model.
#ifndef KVB_TESTS_SGLANG_JUDGED_H
#define KVB_TESTS_SGLANG_JUDGED_H

#include <stdio.h>

#include "engines/sglang/serve.h"
#include "engines/sglang/serve_rules.h"
#include "unit/sglang_plan.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

struct row {
    uint32_t release;
    const char *line, *said;
};

// A line is judged as it is noted, a blank between words of one flag.
static inline const char *judged(const char *line, uint32_t release)
{
    static char out[256];
    struct kvb_engine engine = {.name = "sglang", .release = release};
    char *at = deployment.serve_flags;
    kvb_deployment_init(&deployment);
    *at++ = '\n';
    for (; *line != '\0'; line++) {
        *at++ = line[0] == ' ' && line[1] == '-' && line[2] == '-' ? '\n' : *line;
    }
    *at = '\0';
    kvb_sgl_judge(&deployment, &engine, out);
    return out;
}

static inline void expect(const struct row *row, const char *found)
{
    size_t length = strlen(row->said);
    if (strncmp(found, row->said, length) != 0 || (length == 0) != (found[0] == '\0')) {
        fail_msg("%u %s: '%s'", (unsigned)row->release, row->line, found);
    }
}

static inline const char *refused(const char *gpu, uint32_t release, const char *model, const char *line)
{
    char engine[40], version[32], text[256];
    (void)snprintf(engine, sizeof engine, "sglang@%s", kvb_release_format(version, release));
    (void)snprintf(text, sizeof text, "%s %s", model, line);
    resolve(engine, gpu, text);
    return plan.command_error;
}

#endif
