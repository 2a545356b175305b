// `profiles import`: a checkpoint's config as a profile that plans exactly like it.
#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "model/config/hf_config.h"
#include "model/hub_cache.h"
#include "model/model_profile.h"
#include "model/profile_checkpoint.h"

static void write_quoted(struct kvb_buffer *buffer, const char *text)
{
    kvb_buffer_add(buffer, "\"");
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            kvb_buffer_add(buffer, "\\");
        }
        kvb_buffer_add_n(buffer, byte < ' ' ? "?" : c, 1);
    }
    kvb_buffer_add(buffer, "\"\n");
}

struct import {
    const struct kvb_node *config;
    const char *name, *provenance;
    struct kvb_model model; // what the config says, for comparison
};

static void write_profile(struct kvb_buffer *buffer, const struct import *import, const struct kvb_hf_style *style)
{
    kvb_buffer_init(buffer);
    kvb_buffer_add(buffer, "kind: model\nschema: 1\nname: ");
    write_quoted(buffer, import->name);
    kvb_buffer_add(buffer, "source: ");
    write_quoted(buffer, import->provenance);
    kvb_profile_checkpoint_write(buffer, &import->model.checkpoint);
    kvb_buffer_add(buffer, "config:\n");
    kvb_hf_write_config(buffer, import->config, style);
}

// Whether the profile reads back as the same model, byte for byte.
static bool plans_alike(const struct kvb_buffer *buffer, const struct kvb_model *model)
{
    struct again {
        struct kvb_model model;
        struct kvb_problems problems;
    } *again = kvb_room(sizeof *again, NULL);
    bool alike = false;
    if (again && !buffer->failed &&
        kvb_model_read_profile("profile", buffer->data, buffer->length, &again->model, &again->problems) == KVB_OK) {
        memcpy(again->model.name, model->name, sizeof model->name);
        alike = memcmp(&again->model, model, sizeof *model) == 0;
    }
    kvb_free(again);
    return alike;
}

static bool try_style(struct kvb_buffer *buffer, const struct import *import, const struct kvb_hf_style *style)
{
    write_profile(buffer, import, style);
    if (plans_alike(buffer, &import->model)) {
        return true;
    }
    kvb_buffer_free(buffer);
    return false;
}

// Roles whose names in an ignore list are worth writing.
static uint32_t roles_of(const struct kvb_quantisation *quantisation)
{
    bool part = quantisation->output_quantised || quantisation->plain_states || quantisation->plain_attention;
    uint32_t attention = part ? UINT32_C(1) << KVB_ROLE_ATTENTION : 0;
    return quantisation->unquantised_roles | attention;
}

// Lists that only repeat what the class does anyway are left out, each after trying without it.
static void leave_out(const struct import *import, bool left_out[HF_KEY_COUNT])
{
    static const enum kvb_hf_key keys[] = {HF_LAYER_TYPES, HF_NO_ROPE_LAYERS, HF_MLP_ONLY,      HF_MLP_TYPES,
                                           HF_MOE_LAYERS,  HF_MOE_FREQ,       HF_INDEXER_TYPES, HF_Q_PRODUCER,
                                           HF_Q_GROUPS,    HF_Q_LAYERS,       HF_Q_IGNORE,      HF_V_DEEPSTACK,
                                           HF_V_TAPS,      HF_V_RATIOS,       HF_ACTIVATION};
    struct kvb_hf_style style = {false, left_out, roles_of(&import->model.quantisation)};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct kvb_buffer buffer;
        left_out[keys[i]] = true;
        left_out[keys[i]] = try_style(&buffer, import, &style);
        if (left_out[keys[i]]) {
            kvb_buffer_free(&buffer);
        }
    }
}

static enum kvb_status write_best(const struct import *import, struct kvb_buffer *buffer, const char *path,
                                  struct kvb_problems *problems)
{
    static const bool nothing[HF_KEY_COUNT];
    bool left_out[HF_KEY_COUNT] = {false};
    struct kvb_hf_style compact = {false, left_out, roles_of(&import->model.quantisation)};
    struct kvb_hf_style full = {true, nothing, UINT32_MAX};
    struct kvb_place place = {path, 0, 0};
    leave_out(import, left_out);
    if (try_style(buffer, import, &compact) || try_style(buffer, import, &full)) {
        return KVB_OK;
    }
    return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, place,
                           "this config cannot be written as a profile that plans alike, or memory is short");
}

// Headers beside the config must be readable; what they know better goes into the profile.
static enum kvb_status judge_headers(const struct kvb_hf_files *files, const char *path, struct kvb_model *model,
                                     struct kvb_problems *problems)
{
    struct kvb_checkpoint *reduced = kvb_room(sizeof *reduced, problems);
    if (reduced == NULL) {
        return KVB_NO_MEMORY;
    }
    enum kvb_status status = kvb_hf_attach_checkpoint(files, path, model, problems);
    if (status == KVB_OK) {
        kvb_profile_checkpoint_reduce(model, reduced);
        memcpy(&model->checkpoint, reduced, sizeof *reduced);
    }
    kvb_free(reduced);
    return status;
}

static enum kvb_status make(const struct kvb_hf_files *files, const char *path, const char *name,
                            const char *provenance, struct kvb_buffer *buffer, struct kvb_problems *problems)
{
    struct kvb_hf_texts texts = {files->path,
                                 files->config.text,
                                 files->config.length,
                                 files->quant_path,
                                 files->quant.text,
                                 files->quant.length,
                                 NULL};
    struct kvb_hf_trees trees;
    struct import *import = kvb_room(sizeof *import, problems);
    if (import == NULL) {
        return KVB_NO_MEMORY;
    }
    import->name = name;
    import->provenance = provenance;
    enum kvb_status status = kvb_hf_read_trees(&trees, &texts, problems);
    if (status == KVB_OK) {
        import->config = trees.config.root;
        status = kvb_hf_model_from_tree(&trees.config, trees.config.root, files->quant_path, &import->model, problems);
    }
    if (status == KVB_OK) {
        status = judge_headers(files, path, &import->model, problems);
    }
    if (status == KVB_OK) {
        status = write_best(import, buffer, files->path, problems);
    }
    kvb_hf_free_trees(&trees);
    kvb_free(import);
    return status;
}

enum kvb_status kvb_model_import(const char *path, const char *name, const char *provenance, char **text,
                                 size_t *length, struct kvb_problems *problems)
{
    struct kvb_buffer buffer;
    char own_name[KVB_NAME_CAPACITY];
    char download[KVB_PATH_CAPACITY];
    struct kvb_hf_files *files = kvb_room(sizeof *files, problems);
    if (files == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_buffer_init(&buffer);
    kvb_hf_name_from_path(own_name, sizeof own_name, path);
    if (!kvb_path_exists(path) && kvb_hub_find(path, download)) {
        (void)kvb_copy(own_name, sizeof own_name, path);
        provenance = provenance ? provenance : path;
        path = download;
    }
    enum kvb_status status = kvb_hf_open_config(files, path, problems);
    if (status == KVB_OK) {
        status = make(files, path, name ? name : own_name, provenance ? provenance : path, &buffer, problems);
    }
    kvb_hf_close_config(files);
    kvb_free(files);
    if (status != KVB_OK) {
        return status;
    }
    *text = buffer.data;
    *length = buffer.length;
    return KVB_OK;
}
