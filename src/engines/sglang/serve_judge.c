// What a release's own argument parser says of a serve command: flags it does not have, beginnings of several.
// Source: sgl-project/sglang, python/sglang/srt/server_args.py (prepare_server_args) by release, Python's argparse.
#include <string.h>

#include "base/text.h"
#include "budget/shapes.h"
#include "engines/sglang/known_flags.h"
#include "engines/sglang/serve.h"
#include "engines/sglang/serve_rules.h"

#define JUDGED 256
#define NAMED_SINCE KVB_RELEASE(0, 5, 10) // prog="sglang serve", whatever was run

static void add(char out[JUDGED], const char *text, size_t size)
{
    kvb_append(out, JUDGED, text, size);
}

static void say(char out[JUDGED], const char *text)
{
    add(out, text, strlen(text));
}

static void begin(const struct kvb_deployment *deployment, uint32_t release, char out[JUDGED])
{
    bool named = release >= NAMED_SINCE;
    say(out, named                      ? "sglang serve: error: "
             : deployment->serve_module ? "launch_server.py: error: "
                                        : "sglang: error: ");
}

static bool begins(const char *name, size_t length, uint32_t release, const char *candidate)
{
    unsigned matches;
    return strncmp(candidate, name, length) == 0 &&
           kvb_sgl_known_flag_of(candidate, strlen(candidate), release, &matches) != NULL;
}

// "ambiguous option: --enable-dp could match --enable-dp-attention, --enable-dp-lm-head"
static void say_ambiguous(const char *name, size_t length, uint32_t release, char out[JUDGED])
{
    const char *last = NULL;
    say(out, "ambiguous option: --");
    add(out, name, length);
    say(out, " could match");
    for (size_t i = 0; i < kvb_sgl_known_flag_count; i++) {
        const char *candidate = kvb_sgl_known_flags[i].name;
        if (begins(name, length, release, candidate) && (last == NULL || strcmp(last, candidate) != 0)) {
            say(out, last == NULL ? " --" : ", --");
            say(out, candidate);
            last = candidate;
        }
    }
}

static const struct kvb_sgl_known_flag *find(const char *line, size_t length, uint32_t release, unsigned *matches)
{
    const struct kvb_sgl_known_flag *row;
    bool is_long = strncmp(line, "--", 2) == 0;
    row = is_long ? kvb_sgl_known_flag_of(line + 2, length - 2, release, matches)
                  : kvb_sgl_known_flag_of(line, length, release, matches);
    if (length <= 5 || strncmp(line, "--no-", 5) != 0) { // no flag's own name begins so
        return row;
    }
    row = kvb_sgl_known_flag_of(line + 5, length - 5, release, matches);
    return row != NULL && row->values == 'b' ? row : NULL;
}

// Flags that 0.5.3 and 0.5.4, the last to know them, refuse (DeprecatedAction: raise ValueError(self.help)).
static bool say_deprecated(const char *name, uint32_t release, char out[JUDGED])
{
    static const struct {
        const char *name, *setting, *value;
    } rows[] = {
        {"enable-ep-moe", "--ep-size", "the same value as `--tp-size`"},
        {"enable-deepep-moe", "--moe-a2a-backend", "'deepep'"},
        {"enable-flashinfer-cutlass-moe", "--moe-runner-backend", "'flashinfer_cutlass'"},
        {"enable-flashinfer-cutedsl-moe", "--moe-runner-backend", "'flashinfer_cutedsl'"},
        {"enable-flashinfer-trtllm-moe", "--moe-runner-backend", "'flashinfer_trtllm'"},
        {"enable-triton-kernel-moe", "--moe-runner-backend", "'triton_kernel'"},
        {"enable-flashinfer-mxfp4-moe", "--moe-runner-backend", "'flashinfer_mxfp4'"},
    };
    for (size_t i = 0; release >= KVB_RELEASE(0, 5, 3) && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            const char *const parts[] = {
                "NOTE: --", name, " is deprecated. Please set `", rows[i].setting, "` to ", rows[i].value, " instead."};
            out[0] = '\0';
            for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
                say(out, parts[k]);
            }
            return true;
        }
    }
    return false;
}

// What is wrong with the value of a flag that the release has.
static bool say_value(const struct kvb_sgl_known_flag *row, const char *line, const struct kvb_deployment *deployment,
                      uint32_t release, char out[JUDGED])
{
    char said[JUDGED] = "";
    if (say_deprecated(row->name, release, out) || kvb_sgl_judge_mapping(row->name, line, out) ||
        kvb_sgl_judge_buckets(row->name, line, release, out)) {
        return true;
    }
    begin(deployment, release, said);
    if (kvb_sgl_judge_value(row, line, release, said)) {
        (void)kvb_copy(out, JUDGED, said);
        return true;
    }
    return false;
}

// Each rank sets its device by number: model_executor/model_runner.py init_torch_distributed, in every release. With
// several nodes the others have some.
static const char *lacks_gpus(const struct kvb_deployment *deployment, uint32_t release)
{
    bool fewer = deployment->gpus_stated > 0 && kvb_gpu_count(&deployment->settings) > deployment->gpus_stated;
    return fewer && !kvb_sgl_line_holds("nnodes>1", deployment->serve_flags, release)
               ? "RuntimeError: CUDA error: invalid device ordinal"
               : NULL;
}

void kvb_sgl_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[JUDGED])
{
    uint32_t release = engine->release;
    bool found = false;
    out[0] = '\0';
    if (engine->assumed) {
        return; // nobody knows what it has
    }
    for (const char *at = strchr(deployment->serve_flags, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        const char *line = at + 1; // each flag begins with a new line
        unsigned matches = 0;
        size_t size = strcspn(line, "\n"), length = strcspn(line, " =\n");
        const struct kvb_sgl_known_flag *row = find(line, length, release, &matches);
        if (row != NULL) {
            if (say_value(row, line, deployment, release, out)) {
                return;
            }
            continue;
        }
        if (matches > 1) { // argparse stops here
            out[0] = '\0';
            begin(deployment, release, out);
            say_ambiguous(line + 2, length - 2, release, out);
            return;
        }
        if (!found) {
            begin(deployment, release, out);
            say(out, "unrecognized arguments:");
        }
        found = true;
        say(out, " ");
        add(out, line, size);
    }
    const char *refused = found ? NULL : kvb_sgl_line_refusal(deployment->serve_flags, release);
    refused = found || refused != NULL ? refused : lacks_gpus(deployment, release);
    say(out, refused != NULL ? refused : "");
}

void kvb_sgl_judge_plan(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    bool judged = plan->engine.assumed || plan->command_error[0] != '\0';
    const char *refused = judged ? NULL : kvb_sgl_plan_refusal(deployment, plan);
    if (refused != NULL) {
        (void)kvb_copy(plan->command_error, sizeof plan->command_error, refused);
    }
}

bool kvb_sgl_takes_value(const char *word)
{
    unsigned matches;
    const struct kvb_sgl_known_flag *row = kvb_sgl_known_flag_of(word + 2, strcspn(word + 2, "="), 0, &matches);
    return row == NULL || (row->values != '0' && row->values != 'b');
}

bool kvb_sgl_takes_several(const char *word)
{
    unsigned matches;
    const struct kvb_sgl_known_flag *row = kvb_sgl_known_flag_of(word + 2, strcspn(word + 2, "="), 0, &matches);
    return strncmp(word, "--", 2) == 0 && row != NULL && row->values == '+';
}

const char *kvb_sgl_flag_near(const char *word)
{
    return strncmp(word, "--", 2) == 0 ? kvb_sgl_known_flag_near(word + 2, strcspn(word + 2, "=")) : NULL;
}
