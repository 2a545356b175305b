// Flags of a serve line whose value is JSON: what json.loads refuses, at once or when the model is loaded.
// Source: sgl-project/sglang, python/sglang/srt/server_args.py, configs/model_config.py, configs/load_config.py.
#include <string.h>

#include "base/json_text.h"
#include "base/text.h"
#include "engines/sglang/serve.h"

#define JUDGED 256

// How the value begins; a list's is a list to what reads it, whatever json.loads takes.
static const struct {
    const char *name;
    char opening;
} rows[] = {
    {"cuda-graph-config", '{'},
    {"decoupled-spec-connect-endpoints", '['},
    {"default-chat-template-kwargs", '{'},
    {"extra-metric-labels", '{'},
    {"forward-hooks", '['},
    {"json-model-override-args", '{'},
    {"limit-mm-data-per-request", '{'},
    {"mm-process-config", '{'},
    {"model-loader-extra-config", '{'},
    {"preferred-sampling-params", '{'},
    {"remote-instance-weight-loader-send-weights-group-ports", '['},
    {"sidecar-args", '['},
};

static char opening_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].opening;
        }
    }
    return '\0';
}

bool kvb_sgl_judge_mapping(const char *name, const char *line, char out[JUDGED])
{
    const char *value = line + strcspn(line, " =\n");
    bool said = *value == ' ' || *value == '=';
    value += said ? 1 : 0;
    size_t size = strcspn(value, "\n");
    struct kvb_json_slip slip;
    char opening = opening_of(name);
    bool empty =
        size == 0 && !(said && strcmp(name, "json-model-override-args") == 0); // of the others an empty one is none
    bool unsaid = empty || memchr(value, '$', size) != NULL || strncmp(value, "{{", 2) == 0; // a shell's, a template's
    if (opening == '\0' || unsaid || kvb_json_is_whole(value, size, opening, KVB_JSON, &slip)) {
        return false;
    }
    out[0] = '\0';
    kvb_add_text(out, JUDGED, "argument --");
    kvb_add_text(out, JUDGED, name);
    kvb_add_text(out, JUDGED, ": ");
    kvb_json_say_slip(value, size, &slip, out, JUDGED);
    return true;
}
