// Models and GPUs by name for a whole check: each is looked up once, however many deployments name it.
#include <stdio.h>
#include <string.h>

#include <kvbudget/hub.h>

#include "base/model_copy.h"
#include "base/text.h"
#include "gate/gate.h"

struct loaded_model {
    struct loaded_model *older;
    const char *name;
    enum kvb_status status;
    char text[KVB_PROBLEM_TEXT_CAPACITY]; // why not, or what it was taken for
    struct kvb_model model;
    struct kvb_model_source source;
};

struct loaded_gpu {
    struct loaded_gpu *older;
    const char *name;
    enum kvb_status status;
    char text[KVB_PROBLEM_TEXT_CAPACITY];
    struct kvb_gpu gpu;
};

struct kvb_spot kvb_gate_place(const struct kvb_found *found, struct kvb_spot spot)
{
    return spot.line > 0 ? spot : found->place;
}

static const char *first_error(const struct kvb_problems *problems)
{
    for (uint32_t i = 0; i < problems->count; i++) {
        if (problems->items[i].severity == KVB_ERROR) {
            return problems->items[i].text;
        }
    }
    return "it could not be loaded";
}

// ---- models

// What the name was taken for, if it was not the model's own.
static void note_name(struct loaded_model *entry, const struct kvb_problems *problems)
{
    for (uint32_t i = problems->count; i-- > 0;) {
        if (problems->items[i].severity == KVB_NOTICE) {
            (void)kvb_copy(entry->text, sizeof entry->text, problems->items[i].text);
        }
    }
}

// A path is named; a name stands in the sentence already.
static void say_unloaded(struct loaded_model *entry, const struct kvb_problems *problems)
{
    bool is_path = problems->count > 0 && problems->items[0].file[0] != '\0';
    (void)snprintf(entry->text, sizeof entry->text, "%s%.200s%s%s", is_path ? "model '" : "",
                   is_path ? entry->name : "", is_path ? "': " : "", first_error(problems));
    kvb_make_printable(entry->text);
}

static const struct loaded_model *load_model(struct kvb_gate *gate, const char *name)
{
    for (const struct loaded_model *entry = gate->models; entry != NULL; entry = entry->older) {
        if (strcmp(entry->name, name) == 0) {
            return entry;
        }
    }
    struct kvb_problems *problems = gate->scratch;
    struct loaded_model *entry = kvb_arena_take(&gate->arena, sizeof *entry);
    if (entry == NULL || (entry->name = kvb_arena_copy(&gate->arena, name, strlen(name))) == NULL) {
        gate->no_memory = true;
        return NULL;
    }
    kvb_problems_init(problems);
    if (gate->options.online) {
        kvb_hub_fetch_model(name, "", problems);
    }
    entry->status = kvb_model_load(name, NULL, &entry->model, &entry->source, problems);
    if (entry->status != KVB_OK) {
        say_unloaded(entry, problems);
    } else {
        note_name(entry, problems);
    }
    entry->older = gate->models;
    gate->models = entry;
    return entry;
}

static bool resolve_model(struct kvb_gate *gate, const struct kvb_found *found)
{
    struct kvb_deployment *deployment = gate->deployment;
    struct kvb_spot spot = kvb_gate_place(found, found->model);
    if (deployment->inline_model) {
        return true;
    }
    if (deployment->model[0] == '\0') {
        kvb_findings_add(gate->findings, KVB_CHECK_NO_MODEL, KVB_ERROR, spot,
                         "no model is named; write it in the file, in a comment '# kvbudget: model=NAME', or give "
                         "--model");
        return false;
    }
    const char *mapped = kvb_policy_find_model(gate->policy, deployment->model);
    if (mapped != NULL) {
        (void)kvb_copy(deployment->model, sizeof deployment->model, mapped);
    }
    const struct loaded_model *entry = load_model(gate, deployment->model);
    if (entry == NULL || entry->status != KVB_OK) {
        kvb_gate_note_missing(gate, KVB_CHECK_NO_MODEL, "", deployment->model);
        kvb_findings_add(gate->findings, KVB_CHECK_NO_MODEL, KVB_ERROR, spot, "%s",
                         entry != NULL ? entry->text : "out of memory");
        return false;
    }
    if (entry->text[0] != '\0') {
        kvb_findings_add(gate->findings, KVB_CHECK_NO_MODEL, KVB_NOTICE, spot, "%s", entry->text);
    }
    if (deployment->overrides[0] != '\0') { // each in its own way, so it is loaded once more
        return true;
    }
    deployment->inline_model = true;
    kvb_model_copy(&deployment->model_value, &entry->model);
    gate->answer->source = entry->source;
    return true;
}

// ---- GPUs

static const struct loaded_gpu *load_gpu(struct kvb_gate *gate, const char *name)
{
    for (const struct loaded_gpu *entry = gate->gpus; entry != NULL; entry = entry->older) {
        if (strcmp(entry->name, name) == 0) {
            return entry;
        }
    }
    struct kvb_problems *problems = gate->scratch;
    struct loaded_gpu *entry = kvb_arena_take(&gate->arena, sizeof *entry);
    if (entry == NULL || (entry->name = kvb_arena_copy(&gate->arena, name, strlen(name))) == NULL) {
        gate->no_memory = true;
        return NULL;
    }
    kvb_problems_init(problems);
    entry->status = kvb_gpu_load(name, &entry->gpu, problems);
    if (entry->status != KVB_OK) {
        (void)kvb_copy(entry->text, sizeof entry->text, first_error(problems));
    }
    entry->older = gate->gpus;
    gate->gpus = entry;
    return entry;
}

// What the policy says of this label or file, unless a flag, a comment or the file's own name came first.
static void use_policy(struct kvb_gate *gate, const struct kvb_found *found)
{
    struct kvb_deployment *deployment = gate->deployment;
    bool flagged =
        gate->options.flags->deployment.gpu[0] != '\0' || gate->options.flags->deployment.gpu_memory_bytes > 0;
    bool named = deployment->gpu[0] != '\0' || deployment->inline_gpu || deployment->gpu_memory_bytes > 0;
    const struct kvb_policy_gpu *gpu = kvb_policy_find_gpu(gate->policy, gate->file, found->gpu_label);
    if (gpu == NULL || flagged || (named && gpu->label[0] == '\0')) {
        return;
    }
    (void)kvb_copy(deployment->gpu, sizeof deployment->gpu, gpu->gpu);
    deployment->gpu_memory_bytes = gpu->gpu_memory_bytes;
}

static bool resolve_gpu(struct kvb_gate *gate, const struct kvb_found *found)
{
    struct kvb_deployment *deployment = gate->deployment;
    struct kvb_spot spot = kvb_gate_place(found, found->gpu);
    use_policy(gate, found);
    if (deployment->inline_gpu || (deployment->gpu[0] == '\0' && deployment->gpu_memory_bytes > 0)) {
        return true;
    }
    if (deployment->gpu[0] == '\0') {
        kvb_gate_note_missing(gate, KVB_CHECK_NO_GPU, found->gpu_label, "");
        kvb_findings_add(gate->findings, KVB_CHECK_NO_GPU, KVB_ERROR, spot,
                         "the GPU is not known%s%s; name it with --gpu, a comment '# kvbudget: gpu=NAME', or under "
                         "gpus in a policy",
                         found->gpu_label[0] != '\0' ? " from the label " : "", found->gpu_label);
        return false;
    }
    const struct loaded_gpu *entry = load_gpu(gate, deployment->gpu);
    if (entry == NULL || entry->status != KVB_OK) {
        kvb_findings_add(gate->findings, KVB_CHECK_NO_GPU, KVB_ERROR, spot, "%s",
                         entry != NULL ? entry->text : "out of memory");
        return false;
    }
    deployment->inline_gpu = true;
    deployment->gpu_value = entry->gpu;
    return true;
}

bool kvb_gate_resolve_names(struct kvb_gate *gate, const struct kvb_found *found)
{
    bool model = resolve_model(gate, found);
    bool gpu = resolve_gpu(gate, found);
    return model && gpu;
}
