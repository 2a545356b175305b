// A `kind: engine` profile, and engines by name and release.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "deployment/schemas.h"
#include "catalogue/builtin.h"
#include "deployment/engine.h"
#include "text/file.h"
#include "catalogue/profile.h"
#include "text/bind.h"
#include "deployment/profile_maps.h"
#include "text/strict.h"

struct raw {
    char kind[16];
    uint64_t schema;
    char name[32];
    char version[32];
    char description[512];
};

static const char *const name_words[] = {"vllm", NULL};

static const struct kvb_field_row rows[] = {
    KVB_TEXT_ROW("kind", false, struct raw, kind, "always `engine`"),
    KVB_WHOLE_ROW("schema", false, 1, 1, struct raw, schema, "always 1; a new meaning of a key raises it"),
    KVB_WORD_ROW("name", true, name_words, struct raw, name, "which engine's rules hold"),
    KVB_RELEASE_ROW("version", true, struct raw, version, "the release whose rules hold"),
    KVB_TEXT_ROW("description", false, struct raw, description, "what this profile is for"),
    KVB_TREE_ROW("settings", KVB_FIELD_MAPPING, "defaults of this engine's settings, spelt as its flags"),
    KVB_TREE_ROW("terms", KVB_FIELD_MAPPING, "terms of the budget known beforehand"),
};

const struct kvb_schema kvb_engine_schema = {"an engine profile", rows, sizeof rows / sizeof rows[0],
                                             sizeof(struct raw)};

// A newer release gets the newest rules and a notice; one before the first rules is refused.
static enum kvb_status set_release(const char *version, struct kvb_place place, struct kvb_engine *engine,
                                   struct kvb_problems *problems)
{
    uint32_t release;
    char newest[32];
    char oldest[32];
    kvb_release_format(newest, KVB_NEWEST_VLLM);
    kvb_release_format(oldest, KVB_OLDEST_VLLM);
    if (!kvb_release_parse(version, &release) || strlen(version) >= sizeof engine->version) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, place,
                               "'%.60s' is not a release of vLLM; write it as vllm@%s", version, newest);
    }
    if (release < KVB_OLDEST_VLLM) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, place,
                               "vLLM %s is older than %s, the oldest release whose rules are known", version, oldest);
    }
    if (release > KVB_NEWEST_VLLM) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OUT_OF_RANGE, place,
                              "vLLM %s is newer than %s, the newest release whose rules are known; those are used",
                              version, newest);
        release = KVB_NEWEST_VLLM;
    }
    *engine = (struct kvb_engine){.name = "vllm", .release = release};
    (void)kvb_copy(engine->version, sizeof engine->version, version);
    return KVB_OK;
}

// The mappings are judged even when a scalar is wrong: one run shows all there is to mend.
static enum kvb_status check_all(const struct kvb_tree *tree, struct kvb_deployment *values,
                                 struct kvb_problems *problems)
{
    enum kvb_status status = kvb_strict_check(tree, tree->root, &kvb_engine_schema, problems);
    enum kvb_status settings = kvb_read_settings_map(tree, kvb_node_get(tree->root, "settings"), values, problems);
    enum kvb_status terms = kvb_read_terms_map(tree, kvb_node_get(tree->root, "terms"), values->stated, problems);
    status = status == KVB_OK ? settings : status;
    return status == KVB_OK ? terms : status;
}

// Settings and terms of the profile land in `values`.
static enum kvb_status read_profile(const char *file, const char *text, size_t length, struct kvb_engine *engine,
                                    struct kvb_deployment *values, struct kvb_problems *problems)
{
    struct kvb_tree tree;
    struct raw raw;
    enum kvb_status status = kvb_profile_open_as(&tree, file, text, length, KVB_PROFILE_ENGINE, problems);
    if (status == KVB_OK) {
        status = check_all(&tree, values, problems);
    }
    if (status == KVB_OK) {
        status = kvb_bind(file, text, length, &kvb_engine_schema, &raw, problems);
    }
    if (status == KVB_OK) {
        struct kvb_place place = kvb_node_place(&tree, kvb_node_get(tree.root, "version"));
        status = set_release(raw.version, place, engine, problems);
    }
    kvb_tree_free(&tree);
    return status;
}

static enum kvb_status read_with_terms(const char *file, const char *text, size_t length, struct kvb_engine *engine,
                                       struct kvb_settings *settings, struct kvb_stated_term *stated,
                                       struct kvb_problems *problems)
{
    struct kvb_deployment values;
    struct kvb_engine read;
    kvb_deployment_init(&values);
    enum kvb_status status = read_profile(file, text, length, &read, &values, problems);
    if (status != KVB_OK) {
        return status;
    }
    *engine = read;
    for (int i = 0; settings && i < KVB_SETTING_COUNT; i++) {
        if (values.settings.values[i].set && !settings->values[i].set) {
            settings->values[i] = values.settings.values[i];
        }
    }
    for (int i = 0; stated && i < KVB_STATED_COUNT; i++) {
        if (values.stated[i].set && !stated[i].set) {
            stated[i] = values.stated[i];
        }
    }
    return KVB_OK;
}

enum kvb_status kvb_engine_read(const char *file, const char *text, size_t length, struct kvb_engine *engine,
                                struct kvb_settings *settings, struct kvb_problems *problems)
{
    return read_with_terms(file, text, length, engine, settings, NULL, problems);
}

static enum kvb_status load_file(const char *path, struct kvb_engine *engine, struct kvb_settings *settings,
                                 struct kvb_stated_term *stated, struct kvb_problems *problems)
{
    struct kvb_file file;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, problems);
    if (status == KVB_OK) {
        status = read_with_terms(path, file.text, file.length, engine, settings, stated, problems);
        kvb_file_free(&file);
    }
    return status;
}

enum kvb_status kvb_engine_load_with_terms(const char *name, struct kvb_engine *engine, struct kvb_settings *settings,
                                           struct kvb_stated_term stated[KVB_STATED_COUNT],
                                           struct kvb_problems *problems)
{
    char id[32];
    size_t length = strcspn(name, "@");
    if (kvb_name_is_path(name)) {
        return load_file(name, engine, settings, stated, problems);
    }
    (void)kvb_copy(id, length < sizeof id ? length + 1 : sizeof id, name);
    const struct kvb_builtin *builtin = kvb_builtin_find(KVB_PROFILE_ENGINE, length == 0 ? "vllm" : id);
    if (!builtin || (length == 0 && name[0] != '\0')) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                               "no engine is called '%.60s'; expected vllm, vllm@0.11.0 or a path to an engine profile",
                               name);
    }
    struct kvb_engine asked;
    if (name[length] == '@') {
        enum kvb_status known = set_release(name + length + 1, (struct kvb_place){0}, &asked, problems);
        if (known != KVB_OK) {
            return known;
        }
    }
    enum kvb_status status =
        read_with_terms(builtin->id, builtin->text, builtin->length, engine, settings, stated, problems);
    if (status == KVB_OK && name[length] == '@') {
        *engine = asked;
    }
    return status;
}

enum kvb_status kvb_engine_load(const char *name, struct kvb_engine *engine, struct kvb_settings *settings,
                                struct kvb_problems *problems)
{
    return kvb_engine_load_with_terms(name, engine, settings, NULL, problems);
}
