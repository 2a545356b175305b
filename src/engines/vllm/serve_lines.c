// The noted lines of a serve command: which flag each gives, and whether the build it is for is a release.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/text.h"
#include "engines/vllm/release_tables.h"

const char *kvb_vllm_next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n' ? 1 : 0);
}

// Short forms; -O, which has forms of its own, is no row.
static const char *const shorts[][2] = {
    {"-ac", "attention-config"},
    {"-asc", "api-server-count"},
    {"-cc", "compilation-config"},
    {"-dc", "diffusion-config"},
    {"-dcp", "decode-context-parallel-size"},
    {"-dp", "data-parallel-size"},
    {"-dpa", "data-parallel-address"},
    {"-dpb", "data-parallel-backend"},
    {"-dpe", "data-parallel-external-lb"},
    {"-dph", "data-parallel-hybrid-lb"},
    {"-dpl", "data-parallel-size-local"},
    {"-dpm", "data-parallel-multi-port-external-lb"},
    {"-dpn", "data-parallel-rank"},
    {"-dpp", "data-parallel-rpc-port"},
    {"-dpr", "data-parallel-start-rank"},
    {"-ep", "enable-expert-parallel"},
    {"-n", "nnodes"},
    {"-pcp", "prefill-context-parallel-size"},
    {"-pp", "pipeline-parallel-size"},
    {"-q", "quantization"},
    {"-r", "node-rank"},
    {"-sc", "speculative-config"},
    {"-tp", "tensor-parallel-size"},
};

const char *kvb_vllm_long_of(const char *word, size_t length, uint32_t release)
{
    unsigned matches;
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
        if (strlen(shorts[i][0]) == length && strncmp(shorts[i][0], word, length) == 0) {
            return kvb_flag_of(word, length, release, &matches) != NULL ? shorts[i][1] : NULL;
        }
    }
    return NULL;
}

const struct kvb_known_flag *kvb_vllm_flag_of_line(const char *line, uint32_t release, const char **value)
{
    size_t length = strcspn(line, " =.\n");
    unsigned matches;
    *value = line + length + (line[length] == ' ' || line[length] == '=' ? 1 : 0);
    if (line[length] == '.') {
        return NULL;
    }
    if (kvb_starts_with(line, "--")) {
        return kvb_flag_of(line + 2, length - 2, release, &matches);
    }
    const char *name = kvb_vllm_long_of(line, length, release);
    return name != NULL ? kvb_flag_of(name, strlen(name), release, &matches) : NULL;
}

const struct kvb_known_flag *kvb_vllm_flag_given(const char *line, uint32_t release, const char **value, bool *off)
{
    size_t length = strcspn(line, " =.\n");
    unsigned matches;
    const struct kvb_known_flag *row = kvb_vllm_flag_of_line(line, release, value);
    *off = row == NULL && length > 5 && (kvb_starts_with(line, "--no-") || kvb_starts_with(line, "--no_"));
    row = *off ? kvb_flag_of(line + 5, length - 5, release, &matches) : row;
    return *off && row != NULL && row->values != 'b' ? NULL : row;
}

bool kvb_vllm_is_replaced(const char *line, uint32_t release)
{
    const char *value;
    bool off;
    const struct kvb_known_flag *row = kvb_vllm_flag_given(line, release, &value, &off);
    for (const char *at = kvb_vllm_next_line(line); row != NULL && *at != '\0'; at = kvb_vllm_next_line(at)) {
        const struct kvb_known_flag *other = kvb_vllm_flag_given(at, release, &value, &off);
        if (other != NULL && strcmp(other->name, row->name) == 0) {
            return true;
        }
    }
    return false;
}

const char *kvb_vllm_said(const struct kvb_deployment *deployment, const char *flag, uint32_t release)
{
    const char *said = NULL, *value;
    bool off;
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        size_t length = strcspn(line, " =.\n");
        bool near = line[0] == '-' && line[1] != '-'; // a short form
        near |= length > 2 && kvb_match_name(line + 2, length - 2, flag) != KVB_NAME_DIFFERS;
        near |= length > 5 && kvb_match_name(line + 5, length - 5, flag) != KVB_NAME_DIFFERS;
        const struct kvb_known_flag *row = near ? kvb_vllm_flag_given(line, release, &value, &off) : NULL;
        said = row == NULL || strcmp(row->name, flag) != 0 ? said : off ? NULL : value;
    }
    return said;
}

// Labels of wheels of the release itself: what they were built for.
static bool is_platform(const char *label)
{
    static const char *const platforms[] = {"cu", "rocm", "cpu", "xpu"};
    for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; i++) {
        if (kvb_starts_with(label, platforms[i])) {
            return true;
        }
    }
    return false;
}

bool kvb_vllm_is_release(const struct kvb_engine *engine)
{
    const char *label = strchr(engine->version, '+');
    return !engine->assumed && strstr(engine->version, ".dev") == NULL && (label == NULL || is_platform(label + 1));
}

bool kvb_vllm_takes_value(const char *word)
{
    unsigned matches;
    const struct kvb_known_flag *row = kvb_flag_of(word + 2, strlen(word) - 2, 0, &matches);
    return row == NULL || (row->values != '0' && row->values != 'b');
}

bool kvb_vllm_takes_several(const char *word)
{
    unsigned matches;
    const struct kvb_known_flag *row = kvb_flag_of(word + 2, strlen(word) - 2, 0, &matches);
    return row != NULL && row->values == '+';
}
