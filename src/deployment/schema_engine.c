// A `kind: engine` profile, and engines by name and release.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "catalogue/builtin.h"
#include "catalogue/profile.h"
#include "deployment/engine.h"
#include "deployment/profile_maps.h"
#include "deployment/schemas.h"
#include "engines/table.h"
#include "text/field.h"
#include "text/file.h"
#include "text/strict.h"

struct raw {
    char kind[16];
    uint64_t schema;
    char name[32];
    char version[KVB_VERSION_CAPACITY];
    char description[512];
};

static const struct kvb_field_row rows[] = {
    {"kind", KVB_FIELD_TEXT, KVB_AT(struct raw, kind), .help = "always `engine`"},
    {"schema", KVB_FIELD_WHOLE, KVB_AT(struct raw, schema), .minimum = 1, .maximum = 1,
     .help = "always 1; a new meaning of a key raises it"},
    {"name", KVB_FIELD_TEXT, KVB_AT(struct raw, name), .required = true,
     .help = "which engine's rules hold: `vllm`, or `generic` for any other"},
    {"version", KVB_FIELD_RELEASE, KVB_AT(struct raw, version), .required = true,
     .help = "the release whose rules hold"},
    {"description", KVB_FIELD_TEXT, KVB_AT(struct raw, description), .help = "what this profile is for"},
    {"settings", KVB_FIELD_MAPPING, .help = "defaults of this engine's settings, spelt as its flags"},
    {"terms", KVB_FIELD_MAPPING, .help = "terms of the budget known beforehand"},
};

const struct kvb_schema kvb_engine_schema = KVB_SCHEMA("an engine profile", rows);

static uint32_t newest_of(const struct kvb_engine_rows *rules)
{
    return rules->partly > rules->newest ? rules->partly : rules->newest;
}

static void say_newer(const struct kvb_engine_rows *rules, const char *version, struct kvb_place place,
                      struct kvb_problems *problems)
{
    char newest[32], partly[32], with[64] = "";
    kvb_release_format(newest, rules->newest);
    if (rules->partly > rules->newest) {
        (void)snprintf(with, sizeof with, " with what is known of %s", kvb_release_format(partly, rules->partly));
    }
    const char *is =
        kvb_release_is_untagged(version) ? "was built without its tags and says no release: taken as" : "is";
    (void)kvb_problem_add(problems, KVB_NOTICE, KVB_ASSUMED, place,
                          "%s %s %s newer than %s, the newest release whose rules are known; those are used%s, and the "
                          "bound is wider",
                          rules->title, version, is, newest, with);
}

// A newer release gets the newest rules and a notice; one before the first rules is refused.
static enum kvb_status set_release(const struct kvb_engine_rows *rules, const char *version, struct kvb_place place,
                                   struct kvb_engine *engine, struct kvb_problems *problems)
{
    uint32_t release;
    char newest[32];
    char oldest[32];
    kvb_release_format(newest, rules->newest);
    kvb_release_format(oldest, rules->oldest);
    bool unreleased = strcmp(version, "nightly") == 0 || strcmp(version, "main") == 0;
    if (unreleased || kvb_release_is_untagged(version)) {
        release = UINT32_MAX;
    } else if (!kvb_release_parse(version, &release) || strlen(version) >= sizeof engine->version) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, place,
                               "'%.60s' is not a release of %s; write it as %s@%s", version, rules->title, rules->name,
                               newest);
    }
    if (rules->of_main != NULL) {
        release = rules->of_main(version, release);
    }
    if (release < rules->oldest) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, place,
                               "%s %s is older than %s, the oldest release whose rules are known%s%s", rules->title,
                               version, oldest, rules->before != NULL ? "; " : "",
                               rules->before != NULL ? rules->before : "");
    }
    bool newer = release > rules->newest;
    if (newer) {
        say_newer(rules, version, place, problems);
    }
    uint32_t most = newest_of(rules);
    *engine = (struct kvb_engine){.release = release < most ? release : most, .assumed = newer};
    (void)kvb_copy(engine->name, sizeof engine->name, rules->name);
    (void)kvb_copy(engine->version, sizeof engine->version, version);
    return KVB_OK;
}

static enum kvb_status set_engine(const struct kvb_tree *tree, const struct raw *raw, struct kvb_engine *engine,
                                  struct kvb_problems *problems)
{
    const struct kvb_engine_rows *rules = kvb_engine_find(raw->name);
    char names[KVB_ENGINE_NAMES_CAPACITY];
    if (rules == NULL) {
        return kvb_expected(tree, kvb_node_get(tree->root, "name"), KVB_BAD_TYPE, kvb_engine_names(names), problems);
    }
    struct kvb_place place = kvb_node_place(tree, kvb_node_get(tree->root, "version"));
    return set_release(rules, raw->version, place, engine, problems);
}

// The mappings are judged even when a scalar is wrong: one run shows all there is to mend.
static enum kvb_status read_all(const struct kvb_tree *tree, struct raw *raw, struct kvb_deployment *values,
                                struct kvb_problems *problems)
{
    const struct kvb_reading reading = {tree, NULL, problems};
    enum kvb_status status = kvb_fields_read(&reading, tree->root, &kvb_engine_schema, raw);
    enum kvb_status settings =
        kvb_read_settings_map(tree, kvb_node_get(tree->root, "settings"), kvb_engine_said(raw->name), values, problems);
    enum kvb_status terms = kvb_read_terms_map(tree, kvb_node_get(tree->root, "terms"), values->stated, problems);
    status = status == KVB_OK ? settings : status;
    return status == KVB_OK ? terms : status;
}

// Settings and terms of the profile land in `values`.
static enum kvb_status read_profile(const char *file, const char *text, size_t length, struct kvb_engine *engine,
                                    struct kvb_deployment *values, struct kvb_problems *problems)
{
    struct kvb_tree tree;
    struct raw raw = {0};
    enum kvb_status status = kvb_profile_open_as(&tree, file, text, length, KVB_PROFILE_ENGINE, problems);
    if (status == KVB_OK) {
        status = read_all(&tree, &raw, values, problems);
    }
    if (status == KVB_OK) {
        status = set_engine(&tree, &raw, engine, problems);
    }
    kvb_tree_free(&tree);
    return status;
}

// What is not set yet.
static void take_over(const struct kvb_deployment *values, struct kvb_settings *settings,
                      struct kvb_stated_term *stated)
{
    for (int i = 0; settings && i < KVB_SETTING_COUNT; i++) {
        if (values->settings.values[i].set && !settings->values[i].set) {
            settings->values[i] = values->settings.values[i];
        }
    }
    for (int i = 0; stated && i < KVB_STATED_COUNT; i++) {
        if (values->stated[i].set && !stated[i].set) {
            stated[i] = values->stated[i];
        }
    }
}

static enum kvb_status read_with_terms(const char *file, const char *text, size_t length, struct kvb_engine *engine,
                                       struct kvb_settings *settings, struct kvb_stated_term *stated,
                                       struct kvb_problems *problems)
{
    struct kvb_engine read;
    struct kvb_deployment *values = kvb_bare_room(sizeof *values, problems);
    if (values == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_deployment_init(values);
    enum kvb_status status = read_profile(file, text, length, &read, values, problems);
    if (status == KVB_OK) {
        *engine = read;
        take_over(values, settings, stated);
    }
    kvb_free(values);
    return status;
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
    if (kvb_is_path(name)) {
        return load_file(name, engine, settings, stated, problems);
    }
    size_t count;
    (void)kvb_copy(id, length < sizeof id ? length + 1 : sizeof id, name);
    const char *wanted = length == 0 ? kvb_engines(&count)[0]->name : id;
    const struct kvb_builtin *builtin = kvb_builtin_find(KVB_PROFILE_ENGINE, wanted);
    if (!builtin || (length == 0 && name[0] != '\0')) {
        char names[KVB_ENGINE_NAMES_CAPACITY];
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                               "no engine is called '%.60s'; expected %s, one of its releases as in %s@0.11.0, or a "
                               "path to an engine profile",
                               name, kvb_engine_names(names), kvb_engine_said("")->name);
    }
    struct kvb_engine asked;
    if (name[length] == '@') {
        enum kvb_status known =
            set_release(kvb_engine_find(builtin->id), name + length + 1, (struct kvb_place){0}, &asked, problems);
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
