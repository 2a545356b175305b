// When the hub is asked, and what is said of it.
#include <kvbudget/hub.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "hub/helper.h"
#include "hub/prepare.h"
#include "hub/store.h"
#include "model/hub_cache.h"
#include "model/known.h"
#include "text/file.h"
#include "text/folder.h"
#include "text/path.h"

#define HERE ((struct kvb_place){0})
#define SILENT_SECONDS 600 // a hub that did not answer is not asked again for so long

bool kvb_hub_is_offline(void)
{
    return kvb_hub_is_yes("KVBUDGET_OFFLINE") || kvb_hub_is_yes("HF_HUB_OFFLINE");
}

// HF_ENDPOINT, ModelScope where the engine would use it, else the public Hub.
static const char *endpoint(void)
{
    const char *said = getenv("HF_ENDPOINT");
    if (said != NULL && said[0] != '\0') {
        return said;
    }
    return kvb_hub_is_yes("VLLM_USE_MODELSCOPE") ? "https://www.modelscope.cn" : "https://huggingface.co";
}

// ---- an endpoint that did not answer

static bool silence_path(char root[KVB_PATH_CAPACITY], char out[KVB_PATH_CAPACITY])
{
    return kvb_hub_own_root(root) && kvb_path_join(out, root, "silent");
}

static bool is_silent(void)
{
    char root[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY];
    struct kvb_file file;
    if (!silence_path(root, path) || kvb_path_age_seconds(path) > SILENT_SECONDS ||
        kvb_file_read(&file, path, KVB_PATH_CAPACITY, NULL) != KVB_OK) {
        return false;
    }
    bool same = strcmp(file.text, endpoint()) == 0;
    kvb_file_free(&file);
    return same;
}

// False: it could not be noted, and is asked again.
static bool note_silence(void)
{
    char root[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY];
    return silence_path(root, path) && kvb_folder_make(root, NULL) == KVB_OK &&
           kvb_file_replace(path, endpoint(), strlen(endpoint()), NULL) == KVB_OK;
}

// ---- asking

static void say_fetched(const struct kvb_name *name, const struct kvb_helper_report *report,
                        struct kvb_problems *problems)
{
    char whole[KVB_NAME_CAPACITY];
    const char *revision = name->revision[0] != '\0' ? name->revision : "main";
    bool commit = strcmp(report->commit, "-") != 0;
    kvb_name_write(whole, name);
    (void)kvb_problem_add(
        problems, KVB_NOTICE, KVB_OK, HERE,
        "fetched %s%s%s from %.100s, revision %.60s%s%.12s%s: %llu files and %llu weight headers, "
        "%llu.%llu MB in %llu.%llu s",
        whole, name->format[0] != '\0' ? ":" : "", name->format, endpoint(), revision, commit ? " (" : "",
        commit ? report->commit : "", commit ? ")" : "", (unsigned long long)report->files,
        (unsigned long long)report->headers, (unsigned long long)(report->bytes / 1000000),
        (unsigned long long)(report->bytes / 100000 % 10), (unsigned long long)(report->milliseconds / 1000),
        (unsigned long long)(report->milliseconds / 100 % 10));
}

static enum kvb_status status_of(const struct kvb_helper_report *report)
{
    static const struct {
        const char *kind;
        enum kvb_status status;
    } rows[] = {{"name", KVB_UNKNOWN_NAME}, {"access", KVB_CANNOT_OPEN}, {"offline", KVB_CANNOT_OPEN},
                {"busy", KVB_CANNOT_READ},  {"bad", KVB_CANNOT_READ},    {"system", KVB_CANNOT_WRITE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].kind, report->kind) == 0) {
            return rows[i].status;
        }
    }
    return KVB_CANNOT_READ;
}

static enum kvb_status say_failed(enum kvb_severity severity, const struct kvb_name *name,
                                  const struct kvb_helper_report *report, struct kvb_problems *problems)
{
    char whole[KVB_NAME_CAPACITY];
    kvb_name_write(whole, name);
    if (report->end == KVB_HELPER_MISSING) {
        return kvb_problem_add(
            problems, severity, KVB_CANNOT_OPEN, HERE,
            "'%.120s' could be fetched, but kvbudget-hub is not installed; it is built where libcurl "
            "is found (Debian: libcurl4-openssl-dev; cmake -DKVB_HUB=ON)",
            whole);
    }
    if (strcmp(report->kind, "offline") == 0) {
        (void)note_silence();
    }
    return kvb_problem_add(problems, severity, status_of(report), HERE, "'%.120s' was not fetched from %.100s: %.300s",
                           whole, endpoint(), report->text);
}

// What was fetched is read once and what was counted is kept beside it, so that the next plan is as quick as of a
// built-in model; what cannot be read says so when it is planned.
static enum kvb_status keep(struct kvb_store *store, const struct kvb_name *name,
                            const struct kvb_helper_report *report, struct kvb_problems *problems)
{
    if (report->end == KVB_HELPER_SAME) {
        kvb_store_drop(store);
        return kvb_store_point(store, name, report->commit, problems);
    }
    (void)kvb_hub_prepare(store->folder);
    return kvb_store_keep(store, name, report->commit, problems);
}

struct fetching {
    struct kvb_helper_ask ask;
    struct kvb_helper_report report;
    struct kvb_store store;
    struct kvb_problems own; // of the cache
    char whole[KVB_NAME_CAPACITY];
};

static enum kvb_status ask(struct fetching *at, const struct kvb_name *name, enum kvb_severity severity,
                           struct kvb_problems *problems)
{
    kvb_name_write(at->whole, name);
    at->ask.endpoint = endpoint();
    at->ask.repository = at->whole;
    at->ask.revision = name->revision[0] != '\0' ? name->revision : "main";
    at->ask.format = name->format;
    at->ask.folder = at->store.folder;
    at->ask.known_count = kvb_store_commits(&at->store, name, at->ask.known, KVB_HELPER_KNOWN_MAX);
    kvb_helper_run(&at->ask, &at->report);
    bool fetched = at->report.end == KVB_HELPER_FETCHED;
    if (!fetched && at->report.end != KVB_HELPER_SAME) {
        return say_failed(severity, name, &at->report, problems);
    }
    enum kvb_status status = keep(&at->store, name, &at->report, &at->own);
    if (status == KVB_OK && fetched) {
        say_fetched(name, &at->report, problems);
    }
    return status;
}

// What the cache could not take is as grave as a hub that did not answer.
static enum kvb_status fetch(const struct kvb_name *name, enum kvb_severity severity, struct kvb_problems *problems)
{
    struct fetching *at = kvb_room(sizeof *at, problems);
    if (at == NULL) {
        return KVB_NO_MEMORY;
    }
    enum kvb_status status = kvb_store_begin(&at->store, name, &at->own);
    if (status == KVB_OK) {
        status = ask(at, name, severity, problems);
        kvb_store_drop(&at->store);
    }
    for (uint32_t i = 0; i < at->own.count; i++) {
        const struct kvb_problem *each = &at->own.items[i];
        (void)kvb_problem_add(problems, severity, each->status, (struct kvb_place){.file = each->file}, "%s",
                              each->text);
    }
    kvb_free(at);
    return status;
}

// ---- what a deployment names

void kvb_hub_fetch_model(const char *text, const char *revision, struct kvb_problems *problems)
{
    struct kvb_name name;
    char path[KVB_PATH_CAPACITY];
    if (kvb_hub_is_offline()) {
        return;
    }
    enum kvb_known known = kvb_model_known(text, &name);
    if (known == KVB_KNOWN_HERE && revision[0] != '\0' && name.revision[0] == '\0' && kvb_name_is_repository(&name)) {
        (void)kvb_copy(name.revision, sizeof name.revision, revision);
        known = strcmp(revision, "main") == 0 || kvb_hub_find_name(&name, path) ? KVB_KNOWN_HERE : KVB_KNOWN_GUESSED;
    }
    bool wanted = known == KVB_KNOWN_NOT || known == KVB_KNOWN_GUESSED;
    bool answered = known == KVB_KNOWN_GUESSED;
    if (!wanted || (answered && !kvb_helper_find(path))) {
        return;
    }
    if (name.revision[0] == '\0') {
        (void)kvb_copy(name.revision, sizeof name.revision, revision);
    }
    if (is_silent()) {
        (void)kvb_problem_add(problems, answered ? KVB_NOTICE : KVB_WARNING, KVB_OK, HERE,
                              "'%.120s' was not fetched: %.100s did not answer in the last %d minutes; `kvbudget hub "
                              "pull` asks it at once",
                              text, endpoint(), SILENT_SECONDS / 60);
        return;
    }
    (void)fetch(&name, answered ? KVB_NOTICE : KVB_WARNING, problems);
}

// An adapter has no config.json of its own; what is fetched is adapter_config.json.
static void fetch_adapter(const char *text, struct kvb_problems *problems)
{
    struct kvb_name name;
    char path[KVB_PATH_CAPACITY];
    bool wanted = !kvb_path_exists(text) && kvb_name_parse(text, &name) && kvb_name_is_repository(&name) &&
                  !kvb_hub_find_adapter(text, path) && kvb_helper_find(path) && !is_silent() && !kvb_hub_is_offline();
    if (wanted) {
        (void)fetch(&name, KVB_NOTICE, problems);
    }
}

void kvb_hub_fetch_for(const struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    if (!deployment->inline_model && deployment->model[0] != '\0') {
        kvb_hub_fetch_model(deployment->model, deployment->revision, problems);
    }
    if (deployment->draft_model[0] != '\0' && !kvb_equal_ignoring_case(deployment->draft_model, deployment->model)) {
        kvb_hub_fetch_model(deployment->draft_model, "", problems);
    }
    for (uint32_t i = 0; i < deployment->adapter_count; i++) {
        fetch_adapter(deployment->adapters[i], problems);
    }
}

enum kvb_status kvb_hub_pull(const char *text, struct kvb_problems *problems)
{
    struct kvb_name name;
    if (!kvb_name_parse(text, &name) || !kvb_name_is_repository(&name)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, HERE,
                               "'%.120s' is no repository's name; expected OWNER/NAME, OWNER/NAME@REVISION or "
                               "OWNER/NAME:Q4_K_M",
                               text);
    }
    if (kvb_hub_is_offline()) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, HERE,
                               "nothing is fetched while KVBUDGET_OFFLINE or HF_HUB_OFFLINE is set");
    }
    return fetch(&name, KVB_ERROR, problems);
}
