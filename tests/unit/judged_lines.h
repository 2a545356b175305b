// Lines of a serve command (each begins with a line end) as a release of vLLM judges them before anything starts.
#ifndef KVB_TESTS_JUDGED_LINES_H
#define KVB_TESTS_JUDGED_LINES_H

#include <stdio.h>
#include <string.h>

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

// What is taken hides no later flag that nobody has, and what is refused is said alone, unless it is such a flag too.
static inline void judge_before_another(const struct judged_row *row)
{
    char lines[1024], text[512];
    bool taken = row->text[0] == '\0', unknown = kvb_starts_with(row->text, "vllm: error: ");
    if (strstr(row->text, "no value follows") != NULL) { // which the other flag is then
        return;
    }
    (void)snprintf(lines, sizeof lines, "%s\n--nobodys-flag", row->lines);
    (void)snprintf(text, sizeof text, "%s%s", taken ? "vllm: error: unrecognized arguments:" : row->text,
                   taken || unknown ? " --nobodys-flag" : "");
    text[255] = '\0'; // the room for what is said
    assert_string_equal(judged(row->release, lines), text);
}

static inline void walk_judged(const struct judged_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(judged(rows[i].release, rows[i].lines), rows[i].text);
        judge_before_another(&rows[i]);
        char lines[1024]; // nor does it matter what stands before it
        (void)snprintf(lines, sizeof lines, "\n--served-model-name m%s", rows[i].lines);
        assert_string_equal(judged(rows[i].release, lines), rows[i].text);
    }
}
#define WALK(rows) walk_judged(rows, sizeof rows / sizeof(rows)[0])

#endif
