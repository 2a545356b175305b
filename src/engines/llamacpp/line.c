// How llama-server and Ollama are started: files, names of repositories, variables and parameters of a Modelfile.
// Source: common/arg.cpp (-m FILE, -hf OWNER/NAME:FORMAT); cmd/cmd.go, envconfig/config.go and llm/llama_server.go of
// ollama v0.32.0: `ollama run` has no flags for the runner, and llama-server inherits the server's environment.
#include "engines/llamacpp/flags.h"

#include <string.h>

#include "base/text.h"
#include "budget/engine.h"
#include "engines/llamacpp/mixture.h"

#define ERROR 256 // of a sentence

static const char *mixture_of(const struct kvb_plan *plan, const char *otherwise)
{
    const struct kvb_setting_value *value = &plan->settings.values[KVB_SET_GGUF_TYPE];
    uint32_t named = kvb_llama_mixture_find(plan->model.checkpoint.gguf_format);
    const char *name = kvb_llama_mixture_name(value->set ? (uint32_t)value->number : named);
    return name[0] != '\0' ? name : plan->model.quantisation.method == KVB_QUANT_MXFP4 ? "MXFP4_MOE" : otherwise;
}

static const char *last_part(const char *name)
{
    const char *last = name;
    for (const char *at = strchr(name, '/'); at != NULL; at = strchr(at + 1, '/')) {
        last = at + 1;
    }
    return last;
}

// "-GGUF" is of a repository, not of what is in it.
static void copy_without_ending(char out[KVB_LINE_MODEL_CAPACITY], const char *name)
{
    (void)kvb_copy(out, KVB_LINE_MODEL_CAPACITY, name);
    (void)kvb_cut_ending(out, "-GGUF");
}

// "Qwen3-8B-Q4_K_M.gguf", as the file is usually called.
static bool name_file(const struct kvb_plan *plan, char out[KVB_LINE_MODEL_CAPACITY])
{
    copy_without_ending(out, last_part(plan->model.name));
    kvb_add_text(out, KVB_LINE_MODEL_CAPACITY, "-");
    kvb_add_text(out, KVB_LINE_MODEL_CAPACITY, mixture_of(plan, "F16"));
    kvb_add_text(out, KVB_LINE_MODEL_CAPACITY, ".gguf");
    return true;
}

// "hf.co/Qwen/Qwen3-8B-GGUF:Q8_0"; a name of its library is Q4_K_M, or as the model is published.
static bool name_repository(const struct kvb_plan *plan, char out[KVB_LINE_MODEL_CAPACITY])
{
    const char *mixture = mixture_of(plan, "Q4_K_M");
    char name[KVB_LINE_MODEL_CAPACITY];
    copy_without_ending(name, plan->model.name);
    (void)kvb_copy(out, KVB_LINE_MODEL_CAPACITY, "hf.co/");
    kvb_add_text(out, KVB_LINE_MODEL_CAPACITY, name);
    kvb_add_text(out, KVB_LINE_MODEL_CAPACITY, "-GGUF:");
    kvb_add_text(out, KVB_LINE_MODEL_CAPACITY, mixture);
    return strcmp(mixture, "Q4_K_M") != 0 && strcmp(mixture, "MXFP4_MOE") != 0;
}

static const char *variable_of(enum kvb_setting setting)
{
    size_t count;
    const struct kvb_variable_row *rows = kvb_ollama_variables(&count);
    for (size_t i = 0; i < count; i++) {
        bool typed = setting != KVB_SET_GPU_LAYERS; // a Modelfile says it
        if (typed && rows[i].setting == setting) {
            return rows[i].name;
        }
    }
    return NULL;
}

static const char *parameter_of(enum kvb_setting setting)
{
    return setting == KVB_SET_UBATCH_SIZE ? "num_batch" : setting == KVB_SET_GPU_LAYERS ? "num_gpu" : NULL;
}

const struct kvb_line_rules kvb_llama_line = {.model = name_file};
const struct kvb_line_rules kvb_ollama_line = {.server = "ollama serve",
                                               .variable = variable_of,
                                               .parameter = parameter_of,
                                               .library_names = true,
                                               .create = "ollama create planned -f Modelfile",
                                               .made = "planned",
                                               .model = name_repository};

// What the text says of one flag, which stands for a setting: where it is set instead.
static const char *place_of(const struct kvb_serve_flag *flag)
{
    const char *variable = variable_of((enum kvb_setting)flag->id);
    return variable != NULL ? variable : "a Modelfile's PARAMETER";
}

// Whether a flag as typed is the row's: dashes and underscores are alike.
static bool is_row(const char *typed, size_t length, const struct kvb_serve_flag *flag)
{
    bool same = length > 2 && strncmp(typed, "--", 2) == 0 && strlen(flag->name) == length - 2;
    for (size_t i = 0; same && i < length - 2; i++) {
        same = (typed[i + 2] == '-' ? '_' : typed[i + 2]) == flag->name[i];
    }
    return same;
}

static void say_unknown(char out[256], const struct kvb_serve_flag *flag)
{
    (void)kvb_copy(out, ERROR, "unknown flag: --");
    size_t from = strlen(out);
    kvb_add_text(out, ERROR, flag->name);
    for (char *c = out + from; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    kvb_add_text(out, ERROR, "; it is set by ");
    kvb_add_text(out, ERROR, place_of(flag));
}

// The setting that a flag as typed stands for here, where it is one.
static const struct kvb_serve_flag *setting_of(const char *line)
{
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = kvb_ollama_flag(i)) != NULL; i++) {
        if (!flag->serve_only && !flag->ours && is_row(line, strcspn(line, " =\n"), flag)) {
            return flag;
        }
    }
    return NULL;
}

void kvb_ollama_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256])
{
    const char *at = strchr(deployment->serve_flags, '\n');
    out[0] = '\0';
    for (; at != NULL && out[0] == '\0'; at = strchr(at + 1, '\n')) {
        const struct kvb_serve_flag *flag = setting_of(at + 1);
        if (flag != NULL) {
            say_unknown(out, flag);
        } else if (!engine->assumed) {
            (void)kvb_ollama_refuses(at + 1, engine->release, deployment->serve_module, out);
        }
    }
}
