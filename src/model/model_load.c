// A model by name or path: built-in profiles first known by id, then files and folders.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/model_copy.h"
#include "base/room.h"
#include "base/text.h"
#include "catalogue/builtin.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/gguf.h"
#include "model/hub_cache.h"
#include "model/model_profile.h"
#include "model/names/name.h"
#include "text/file.h"
#include "text/path.h"

// The folder of a file, with its slash; "" for a bare name.
static void folder_of(char out[KVB_PATH_CAPACITY], const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    (void)kvb_copy(out, KVB_PATH_CAPACITY, path);
    if (length < KVB_PATH_CAPACITY) {
        out[length] = '\0';
    }
}

static enum kvb_status open_gguf(struct kvb_hf_files *files, struct kvb_problems *problems)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    enum kvb_status status = kvb_gguf_load(files->path, &files->tensors, &text, problems);
    if (status != KVB_OK) {
        kvb_buffer_free(&text);
        return status;
    }
    files->config = (struct kvb_file){text.data, text.length};
    return KVB_OK;
}

enum kvb_status kvb_hf_open_config(struct kvb_hf_files *files, const char *path, struct kvb_problems *problems)
{
    char folder[KVB_PATH_CAPACITY];
    struct kvb_place place = {path, 0, 0};
    memset(files, 0, sizeof *files);
    if (kvb_path_is_folder(path)) {
        if (!kvb_path_join(files->path, path, "config.json") || kvb_path_is_missing(files->path)) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, place,
                                   "this folder has no config.json; give the folder of a checkpoint or a file");
        }
    } else {
        (void)kvb_copy(files->path, sizeof files->path, path);
    }
    if (kvb_ends_with(files->path, ".gguf")) {
        return open_gguf(files, problems);
    }
    folder_of(folder, files->path);
    enum kvb_status status = kvb_file_read(&files->config, files->path, KVB_FILE_MAX_BYTES, problems);
    if (status == KVB_OK && kvb_path_join(files->quant_path, folder, "hf_quant_config.json") &&
        !kvb_path_is_missing(files->quant_path)) {
        status = kvb_file_read(&files->quant, files->quant_path, KVB_FILE_MAX_BYTES, problems);
    }
    return status;
}

void kvb_hf_close_config(struct kvb_hf_files *files)
{
    kvb_file_free(&files->config);
    kvb_file_free(&files->quant);
}

void kvb_hf_name_from_path(char *out, size_t capacity, const char *path)
{
    char folder[KVB_PATH_CAPACITY];
    (void)kvb_copy(folder, sizeof folder, path);
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        folder[--length] = '\0';
    }
    if (kvb_ends_with(folder, "/config.json")) {
        folder[length - strlen("/config.json")] = '\0';
    } else if (kvb_ends_with(folder, ".gguf")) {
        folder[length - strlen(".gguf")] = '\0';
    }
    const char *slash = strrchr(folder, '/');
    char *name = folder + (slash ? slash + 1 - folder : 0);
    char *mark = strstr(name, "--");
    if (mark) {
        *mark = '/';
        memmove(mark + 1, mark + 2, strlen(mark + 2) + 1);
    }
    (void)kvb_copy(out, capacity, name);
}

enum kvb_status kvb_hf_attach_checkpoint(const struct kvb_hf_files *files, const char *path, struct kvb_model *model,
                                         struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    if (files->tensors.kind != KVB_CHECKPOINT_NONE) {
        memcpy(&model->checkpoint, &files->tensors, sizeof model->checkpoint);
    } else if (kvb_path_is_folder(path)) {
        status = kvb_checkpoint_load(path, model->quantisation.bits, &model->checkpoint, problems);
    }
    if (status == KVB_OK) {
        kvb_checkpoint_settle(model, path, problems);
    }
    return status;
}

// The folder's name; a bare file or folder is called what its config calls itself.
static void name_from_path(struct kvb_model *model, const char *path)
{
    char own[KVB_NAME_CAPACITY];
    (void)kvb_copy(own, sizeof own, model->name);
    kvb_hf_name_from_path(model->name, sizeof model->name, path);
    if (!strchr(model->name, '/') && strchr(own, '/') && kvb_model_name_is_served(own)) {
        (void)kvb_copy(model->name, sizeof model->name, own);
    }
}

static enum kvb_status load_path(const char *path, const char *overrides, struct kvb_model *model,
                                 struct kvb_problems *problems)
{
    struct loading {
        struct kvb_hf_files files;
        struct kvb_model built;
    } *loading = kvb_room(sizeof *loading, problems);
    if (loading == NULL) {
        return KVB_NO_MEMORY;
    }
    const struct kvb_hf_files *files = &loading->files;
    struct kvb_model *built = &loading->built;
    enum kvb_status status = kvb_hf_open_config(&loading->files, path, problems);
    if (status == KVB_OK && (kvb_ends_with(files->path, ".yaml") || kvb_ends_with(files->path, ".yml"))) {
        status =
            kvb_model_profile_with(files->path, files->config.text, files->config.length, overrides, built, problems);
    } else if (status == KVB_OK) {
        status = kvb_model_read_config(files->path, files->config.text, files->config.length, files->quant_path,
                                       files->quant.text, files->quant.length, overrides, built, problems);
        if (status == KVB_OK) {
            name_from_path(built, path);
            status = kvb_hf_attach_checkpoint(files, path, built, problems);
        }
    }
    kvb_hf_close_config(&loading->files);
    if (status == KVB_OK) {
        kvb_model_copy(model, built);
    }
    kvb_free(loading);
    return status;
}

// A file that should be here, rather than a folder whose name says which model it held.
static bool names_a_file(const char *name)
{
    return kvb_ends_with(name, ".yaml") || kvb_ends_with(name, ".yml") || kvb_ends_with(name, ".json");
}

// A download beats the profile of the same name when it has weights whose headers can be read.
static bool find_download(const char *name, bool built_in, char path[KVB_PATH_CAPACITY])
{
    static const char *const weights[] = {"model.safetensors.index.json", "model.safetensors"};
    char file[KVB_PATH_CAPACITY];
    if (!kvb_hub_find(name, path)) {
        return false;
    }
    bool has_weights = false;
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        has_weights = has_weights || (kvb_path_join(file, path, weights[i]) && !kvb_path_is_missing(file));
    }
    return has_weights || !built_in || kvb_ends_with(path, ".gguf");
}

// ---- a name that is not built in as it is written

static void say_source(struct kvb_model_source *source, const char *text, const struct kvb_model *model)
{
    if (source) {
        memset(source, 0, sizeof *source);
        (void)kvb_copy(source->text, sizeof source->text, text);
        source->weights_basis = kvb_model_counts_headers(model) ? KVB_BASIS_CHECKPOINT : KVB_BASIS_CONFIG;
    }
}

// The model keeps the name it is served under; of a path or a spelling it is the built-in one.
static void name_model(const struct kvb_name *name, const struct kvb_name_answer *answer, struct kvb_model *model)
{
    bool own = name->owner[0] && !name->is_path && answer->match != KVB_MATCH_SPELLING;
    if (own) {
        kvb_name_write(model->name, name);
    } else {
        (void)kvb_copy(model->name, sizeof model->name, answer->base->id);
    }
}

static void use_gguf(const struct kvb_name_scheme *scheme, struct kvb_model *model)
{
    const char *format = scheme->format[0] ? scheme->format : "Q4_K_M";
    uint64_t elements = kvb_model_parameters(model);
    uint64_t centibits = kvb_gguf_format_centibits(format, strlen(format));
    memset(&model->checkpoint, 0, sizeof model->checkpoint);
    model->checkpoint.kind = KVB_CHECKPOINT_GGUF;
    model->checkpoint.parameters = elements;
    model->checkpoint.total_bytes = kvb_mul(elements, centibits) / 800;
    (void)kvb_copy(model->checkpoint.gguf_format, sizeof model->checkpoint.gguf_format, format);
}

// What the layers of a model hold, of what makers of copies treat apart.
struct parts_held {
    bool states, deltas, experts;
};

static struct parts_held parts_of(const struct kvb_model *model)
{
    struct parts_held held = {false, false, false};
    for (uint8_t i = 0; i < model->kind_count; i++) {
        enum kvb_attention kind = model->kinds[i].attention.kind;
        held.states = held.states || (KVB_ATTENTION_MAMBA1 <= kind && kind <= KVB_ATTENTION_SHORT_CONV);
        held.deltas = held.deltas || kind == KVB_ATTENTION_GDN;
        held.experts = held.experts || model->kinds[i].mlp.experts > 0;
    }
    return held;
}

static bool is_integer(const struct kvb_name_scheme *scheme)
{
    static const enum kvb_name_method integers[] = {KVB_NAME_AWQ, KVB_NAME_GPTQ, KVB_NAME_AUTOROUND, KVB_NAME_PACKED,
                                                    KVB_NAME_INTEGER};
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        if (scheme->method == integers[i]) {
            return true;
        }
    }
    return false;
}

// Of 64 layers the head, and the feed-forward parts of the last eight, are as attention is.
static void store_as_attention(struct kvb_model *model)
{
    if (model->layer_count == 64 && !model->tied_embeddings) {
        model->quantisation.head_quantised = true;
        model->quantisation.roles_as_attention |= UINT32_C(1) << KVB_ROLE_HEAD;
        model->quantisation.mlps_as_attention[56 / 8] = 0xff;
    }
}

// Copies of models with recurrent layers: integers take the experts and leave what stands beside them, by the weights
// logged for four copies of three owners; 4-bit floats leave delta nets at 16 bits where there are experts and take
// attention, what goes with it and the cache to 8 bits where there are none, by llm-compressor's examples for
// Qwen3.6-35B-A3B and Qwen3.8-27B (docs/models.md).
static void keep_beside(const struct kvb_name_scheme *scheme, struct kvb_model *model)
{
    struct parts_held held = parts_of(model);
    bool dynamic = scheme->method == KVB_NAME_FP8 && scheme->dynamic;
    if (held.states && held.experts && (scheme->method == KVB_NAME_NVFP4 || dynamic)) {
        model->quantisation.plain_states = true;
    }
    if (held.deltas && !held.experts && scheme->method == KVB_NAME_NVFP4) {
        store_as_attention(model);
        model->quantisation.attention_method = KVB_QUANT_FP8;
        model->quantisation.cache = KVB_DECLARED_SCHEME;
    }
    if (held.states && held.experts && is_integer(scheme)) {
        model->quantisation.unquantised_roles |= UINT32_C(1) << KVB_ROLE_ATTENTION | UINT32_C(1)
                                                                                         << KVB_ROLE_SHARED_EXPERT;
    }
}

// Another number format than the built-in profile's: its shape with what the name says.
static enum kvb_status load_sibling(const struct kvb_name_answer *answer, const char *overrides,
                                    struct kvb_model *model, struct kvb_problems *problems)
{
    const struct kvb_builtin *base = answer->base;
    const struct kvb_name_scheme *scheme = &answer->scheme;
    char config[1024];
    kvb_name_scheme_config(config, sizeof config, scheme);
    enum kvb_status status =
        kvb_model_profile_quantised(base->id, base->text, base->length, overrides, config, model, problems);
    if (status == KVB_OK && scheme->method == KVB_NAME_GGUF) {
        use_gguf(scheme, model);
    }
    if (status == KVB_OK && scheme->method == KVB_NAME_AWQ) {
        model->dtype = KVB_DTYPE_FP16; // as AutoAWQ writes it, whatever the original was: torch_dtype of Qwen's own copies
    }
    if (status == KVB_OK) {
        keep_beside(scheme, model);
        kvb_name_scheme_bound(scheme, &model->assumed_low_ppm, &model->assumed_high_ppm);
    }
    return status;
}

static enum kvb_status load_found(const char *text, const struct kvb_name *name, const struct kvb_name_answer *answer,
                                  const char *overrides, struct kvb_model *model, struct kvb_problems *problems)
{
    const struct kvb_builtin *base = answer->base;
    bool sibling = answer->match == KVB_MATCH_SIBLING;
    enum kvb_status status =
        sibling ? load_sibling(answer, overrides, model, problems)
                : kvb_model_profile_with(base->id, base->text, base->length, overrides, model, problems);
    if (status == KVB_OK) {
        model->assumed_low_ppm += answer->stated ? KVB_NAME_STATED_PPM : 0;
        model->assumed_high_ppm += answer->stated ? KVB_NAME_STATED_PPM : 0;
        name_model(name, answer, model);
        kvb_name_say(text, answer, problems);
    }
    return status;
}

static enum kvb_status load_named(const char *text, const char *overrides, struct kvb_model *model,
                                  struct kvb_model_source *source, struct kvb_problems *problems)
{
    struct kvb_name name;
    struct kvb_name_answer answer = {0};
    bool path = kvb_is_path(text);
    if (!names_a_file(text) && kvb_name_parse(text, &name)) {
        kvb_name_find(&name, &answer);
    }
    bool loads = answer.base && answer.scheme.method != KVB_NAME_FOREIGN;
    if (!loads && path && !answer.base) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){text, 0, 0},
                               kvb_ends_with(text, ".gguf")
                                   ? "no such file; one that is on a hub goes by OWNER/NAME:FORMAT, "
                                     "as in unsloth/Qwen3-8B-GGUF:Q4_K_M"
                                   : "no such file or folder");
    }
    if (!loads) {
        return kvb_name_refuse(text, &name, &answer, problems);
    }
    enum kvb_status status = load_found(text, &name, &answer, overrides, model, problems);
    if (status == KVB_OK && source) {
        char from[KVB_NAME_CAPACITY + 32];
        bool sibling = answer.match == KVB_MATCH_SIBLING;
        (void)snprintf(from, sizeof from, "%s %s", sibling ? "sibling of" : "built-in profile of", answer.base->id);
        say_source(source, answer.match == KVB_MATCH_SPELLING ? "built-in profile" : from, model);
        source->weights_basis = sibling || answer.stated ? KVB_BASIS_ASSUMED : source->weights_basis;
    }
    return status;
}

// A file, a folder, a download or a built-in profile, by the very name that was written.
static enum kvb_status load_written(const char *name, const char *overrides, struct kvb_model *model,
                                    struct kvb_model_source *source, bool *found, struct kvb_problems *problems)
{
    const struct kvb_builtin *builtin = kvb_builtin_find(KVB_PROFILE_MODEL, name);
    bool is_path = kvb_path_exists(name) && (!builtin || !kvb_path_is_folder(name));
    char download[KVB_PATH_CAPACITY];
    enum kvb_status status = KVB_OK;
    bool downloaded = !is_path && find_download(name, builtin != NULL, download);
    *found = is_path || downloaded || builtin;
    if (is_path || downloaded) {
        status = load_path(is_path ? name : download, overrides, model, problems);
    } else if (builtin) {
        status = kvb_model_profile_with(builtin->id, builtin->text, builtin->length, overrides, model, problems);
    }
    struct kvb_name parts;
    if (status == KVB_OK && downloaded && kvb_name_parse(name, &parts)) {
        kvb_name_write(model->name, &parts);
    }
    if (status == KVB_OK && *found) {
        say_source(source, is_path ? name : downloaded ? download : "built-in profile", model);
    }
    return status;
}

enum kvb_status kvb_model_load(const char *name, const char *overrides, struct kvb_model *model,
                               struct kvb_model_source *source, struct kvb_problems *problems)
{
    bool found;
    unsigned long before = kvb_memory_failures();
    enum kvb_status status = load_written(name, overrides, model, source, &found, problems);
    if (status != KVB_NO_MEMORY && kvb_memory_failures() != before) { // what could not be looked for is not unknown
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                               "not enough memory to look for '%.120s'", name);
    }
    return found ? status : load_named(name, overrides, model, source, problems);
}
