// Checks a profile of any kind from end to end with the reader of its kind.
#include "deployment/schemas.h"

#include <kvbudget/input.h>

#include "base/memory.h"
#include "base/room.h"
#include "catalogue/profile.h"
#include "text/field_keys.h"
#include "text/file.h"

const struct kvb_schema *kvb_profile_schema(enum kvb_profile_kind kind)
{
    static const struct kvb_schema *const schemas[KVB_PROFILE_KIND_COUNT] = {
        [KVB_PROFILE_GPU] = &kvb_gpu_schema,
        [KVB_PROFILE_ENGINE] = &kvb_engine_schema,
        [KVB_PROFILE_DEPLOYMENT] = &kvb_deployment_schema,
    };
    return (size_t)kind < KVB_PROFILE_KIND_COUNT ? schemas[kind] : NULL;
}

bool kvb_profile_key_at(enum kvb_profile_kind kind, unsigned index, struct kvb_profile_key *key)
{
    return kvb_field_key_at(kvb_profile_schema(kind), index, key);
}

// One room for whichever value is read only to be checked.
union any_value {
    struct kvb_model model;
    struct kvb_gpu gpu;
    struct kvb_deployment deployment;
};

static enum kvb_status read_into(union any_value *value, const char *path, const struct kvb_file *file,
                                 enum kvb_profile_kind kind, struct kvb_problems *problems)
{
    struct kvb_engine engine;
    struct kvb_settings settings = {0};
    switch (kind) {
    case KVB_PROFILE_MODEL:
        return kvb_model_read_profile(path, file->text, file->length, &value->model, problems);
    case KVB_PROFILE_GPU:
        return kvb_gpu_read(path, file->text, file->length, &value->gpu, problems);
    case KVB_PROFILE_ENGINE:
        return kvb_engine_read(path, file->text, file->length, &engine, &settings, problems);
    case KVB_PROFILE_DEPLOYMENT:
        kvb_deployment_init(&value->deployment);
        return kvb_deployment_read(path, file->text, file->length, &value->deployment, problems);
    case KVB_PROFILE_KIND_COUNT:
        break;
    }
    return KVB_BAD_ARGUMENT;
}

static enum kvb_status check_text(const char *path, const struct kvb_file *file, enum kvb_profile_kind kind,
                                  struct kvb_problems *problems)
{
    union any_value *value = kvb_room(sizeof *value, problems);
    enum kvb_status status = value != NULL ? read_into(value, path, file, kind, problems) : KVB_NO_MEMORY;
    kvb_free(value);
    return status;
}

enum kvb_status kvb_profile_check(const char *path, enum kvb_profile_kind *kind, struct kvb_problems *problems)
{
    struct kvb_file file;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, problems);
    if (status != KVB_OK) {
        return status;
    }
    struct kvb_tree tree;
    enum kvb_profile_kind found;
    status = kvb_profile_open(&tree, path, file.text, file.length, &found, problems);
    kvb_tree_free(&tree);
    if (status == KVB_OK) {
        status = check_text(path, &file, found, problems);
    }
    if (status == KVB_OK) {
        *kind = found;
    }
    kvb_file_free(&file);
    return status;
}
