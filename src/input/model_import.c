// `profiles import`: a checkpoint's config as a profile that plans exactly like it.
#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/hf_config.h"
#include "input/model_profile.h"

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

static void write_profile(struct kvb_buffer *buffer, const struct kvb_node *config, const char *name,
                          const char *provenance, bool full)
{
    kvb_buffer_init(buffer);
    kvb_buffer_add(buffer, "kind: model\nschema: 1\nname: ");
    write_quoted(buffer, name);
    kvb_buffer_add(buffer, "source: ");
    write_quoted(buffer, provenance);
    kvb_buffer_add(buffer, "config:\n");
    hf_write_config(buffer, config, full);
}

// Whether the profile reads back as the same model, byte for byte.
static bool plans_alike(const struct kvb_buffer *buffer, const struct kvb_model *model)
{
    struct kvb_problems *problems = kvb_reallocate(NULL, sizeof *problems);
    struct kvb_model again;
    bool alike = false;
    if (problems && !buffer->failed) {
        kvb_problems_init(problems);
        alike = kvb_model_read_profile("profile", buffer->data, buffer->length, &again, problems) == KVB_OK;
        memcpy(again.name, model->name, sizeof again.name);
        alike = alike && memcmp(&again, model, sizeof again) == 0;
    }
    kvb_release(problems);
    return alike;
}

static enum kvb_status make(const struct hf_files *files, const char *name, const char *provenance,
                            struct kvb_buffer *buffer, struct kvb_problems *problems)
{
    struct hf_texts texts = {files->path,
                             files->config.text,
                             files->config.length,
                             files->quant_path,
                             files->quant.text,
                             files->quant.length,
                             NULL};
    struct kvb_place place = {files->path, 0, 0};
    struct hf_trees trees;
    struct kvb_model model;
    enum kvb_status status = hf_read_trees(&trees, &texts, problems);
    if (status == KVB_OK) {
        status = hf_model_from_tree(&trees.config, trees.config.root, &model, problems);
    }
    for (int full = 0; status == KVB_OK && full < 2; full++) {
        write_profile(buffer, trees.config.root, name, provenance, full != 0);
        if (plans_alike(buffer, &model)) {
            break;
        }
        if (buffer->failed) {
            status = kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, place, "out of memory");
        } else if (full) {
            status = kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, place,
                                     "this config cannot be written as a profile that plans alike");
        }
        if (!full || status != KVB_OK) {
            kvb_buffer_free(buffer);
        }
    }
    hf_free_trees(&trees);
    return status;
}

enum kvb_status kvb_model_import(const char *path, const char *name, const char *provenance, char **text,
                                 size_t *length, struct kvb_problems *problems)
{
    struct hf_files files;
    struct kvb_buffer buffer;
    char own_name[KVB_NAME_CAPACITY];
    kvb_buffer_init(&buffer);
    enum kvb_status status = hf_open_config(&files, path, problems);
    hf_name_from_path(own_name, sizeof own_name, path);
    if (status == KVB_OK) {
        status = make(&files, name ? name : own_name, provenance ? provenance : path, &buffer, problems);
    }
    hf_close_config(&files);
    if (status != KVB_OK) {
        return status;
    }
    *text = buffer.data;
    *length = buffer.length;
    return KVB_OK;
}
