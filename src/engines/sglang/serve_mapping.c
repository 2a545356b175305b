// Flags of a serve line whose value is JSON: what json.loads refuses, at once or when the model is loaded.
// Source: sgl-project/sglang, python/sglang/srt/server_args.py, configs/model_config.py, configs/load_config.py.
#include <string.h>

#include "base/json_text.h"
#include "base/text.h"
#include "engines/sglang/serve.h"

#define JUDGED 256

static bool is_mapping(const char *name)
{
    static const char *const names[] = {
        "default-chat-template-kwargs", "extra-metric-labels", "json-model-override-args",
        "limit-mm-data-per-request",    "mm-process-config",   "model-loader-extra-config",
        "preferred-sampling-params",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool kvb_sgl_judge_mapping(const char *name, const char *line, char out[JUDGED])
{
    const char *value = line + strcspn(line, " =\n");
    value += *value == ' ' || *value == '=' ? 1 : 0;
    size_t size = strcspn(value, "\n");
    struct kvb_json_slip slip;
    bool unsaid =
        size == 0 || memchr(value, '$', size) != NULL || strncmp(value, "{{", 2) == 0; // a shell's, a template's
    if (!is_mapping(name) || unsaid || kvb_json_is_whole(value, size, '{', KVB_JSON, &slip)) {
        return false;
    }
    out[0] = '\0';
    kvb_add_text(out, JUDGED, "argument --");
    kvb_add_text(out, JUDGED, name);
    kvb_add_text(out, JUDGED, ": ");
    kvb_json_say_slip(value, size, &slip, out, JUDGED);
    return true;
}
