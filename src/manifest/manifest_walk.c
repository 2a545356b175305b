// The files of a folder that can hold a deployment, in the order of their names.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "manifest/manifest_reader.h"
#include "manifest/manifest_walk.h"

#define DEPTH_MAX 24

static const char *const endings[] = {
    ".yaml",  ".yml",  ".json",       ".jsonc",         ".sh",     ".bash",  ".zsh",  ".service", ".sbatch",
    ".slurm", ".sub",  ".dockerfile", ".containerfile", ".py",     ".ipynb", ".tf",   ".hcl",     ".nomad",
    ".mk",    ".just", ".j2",         ".jinja",         ".jinja2", ".tpl",   ".tmpl", ".gotmpl",  ".template",
    ".conf",  ".ini",  ".toml",       ".modelfile"};
static const char *const beginnings[] = {"Dockerfile", "Containerfile", "Procfile",
                                         "Makefile",   "GNUmakefile",   "Modelfile"};
static const char *const whole_names[] = {"dockerfile", "containerfile", "makefile",      "justfile",
                                          "Justfile",   ".justfile",     ".gitlab-ci.yml"};
static const char *const skipped_folders[] = {"node_modules", "__pycache__", "venv", "site-packages", "vendor"};
static const char *const hidden_folders[] = {".github",   ".gitlab", ".buildkite",
                                             ".circleci", ".vscode", ".devcontainer"};

bool kvb_manifest_is_candidate(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (strcmp(name, "pyproject.toml") == 0 || strcmp(name, "Cargo.toml") == 0) {
        return false; // lists of packages
    }
    if (kvb_starts_with(name, ".#")) { // an editor's lock, a link to nowhere
        return false;
    }
    for (size_t i = 0; i < sizeof whole_names / sizeof whole_names[0]; i++) {
        if (strcmp(name, whole_names[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && kvb_equal_ignoring_case(name + length - end, endings[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (kvb_starts_with(name, beginnings[i])) {
            return true;
        }
    }
    return false;
}

static bool is_skipped(const char *name)
{
    bool skipped = name[0] == '.';
    for (size_t i = 0; i < sizeof hidden_folders / sizeof hidden_folders[0]; i++) {
        skipped = skipped && strcmp(name, hidden_folders[i]) != 0;
    }
    for (size_t i = 0; i < sizeof skipped_folders / sizeof skipped_folders[0] && !skipped; i++) {
        skipped = strcmp(name, skipped_folders[i]) == 0;
    }
    return skipped;
}

// What lies there is not known; the walk goes on.
static enum kvb_status miss(struct kvb_walk *walk, const char *path, enum kvb_status status)
{
    walk->not_read = walk->not_read == KVB_OK ? status : walk->not_read;
    return walk->missed != NULL ? walk->missed(walk->context, path, walk->problems) : KVB_OK;
}

static bool is_looked_at(const struct kvb_folder_entry *entry)
{
    return entry->is_folder ? !is_skipped(entry->name) : kvb_manifest_is_candidate(entry->name);
}

static enum kvb_status enter(struct kvb_walk *walk, const char *path, unsigned depth);

static enum kvb_status look_at(struct kvb_walk *walk, const char *name, size_t size,
                               const struct kvb_folder_entry *entry, unsigned depth)
{
    if (!entry->is_folder) {
        ++*walk->seen;
    }
    if (!is_looked_at(entry)) {
        return KVB_OK;
    }
    if (size > KVB_PATH_CAPACITY) {
        enum kvb_status status =
            kvb_problem_add(walk->problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){.file = name},
                            "not looked at, because its path is longer than %u bytes", (unsigned)KVB_PATH_CAPACITY - 1);
        return miss(walk, name, status);
    }
    return entry->is_folder ? enter(walk, name, depth + 1) : walk->visit(walk->context, name);
}

// Folders lie in folders: the name is no array on the stack.
static enum kvb_status look_into(struct kvb_walk *walk, const char *path, const struct kvb_folder_entry *entry,
                                 unsigned depth)
{
    const char *folder = strcmp(path, ".") == 0 ? "" : path;
    size_t length = strlen(folder);
    bool slash = length == 0 || folder[length - 1] == '/';
    size_t size = length + (slash ? 0 : 1) + strlen(entry->name) + 1;
    if (entry->is_link) {
        return KVB_OK; // what a link leads to is looked at where it stands, and never outside of the tree
    }
    char *name = kvb_room(size, walk->problems);
    if (name == NULL) {
        return KVB_NO_MEMORY;
    }
    (void)snprintf(name, size, "%s%s%s", folder, slash ? "" : "/", entry->name);
    enum kvb_status status = look_at(walk, name, size, entry, depth);
    kvb_free(name);
    return status;
}

static enum kvb_status enter(struct kvb_walk *walk, const char *path, unsigned depth)
{
    struct kvb_folder folder;
    if (depth > DEPTH_MAX) {
        enum kvb_status deep =
            kvb_problem_add(walk->problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){.file = path},
                            "not entered, because it lies more than %u folders deep", (unsigned)DEPTH_MAX);
        return miss(walk, path, deep);
    }
    enum kvb_status status = kvb_files_list(walk->files, &folder, path, walk->problems);
    bool absent = depth == 0 && status == KVB_UNKNOWN_NAME; // in a commit
    if (status != KVB_OK) {
        return status == KVB_NO_MEMORY || absent ? status : miss(walk, path, status);
    }
    for (size_t i = 0; i < folder.count && status == KVB_OK; i++) {
        status = look_into(walk, path, &folder.entries[i], depth);
    }
    kvb_folder_free(&folder);
    return status;
}

enum kvb_status kvb_manifest_walk_in(struct kvb_walk *walk, const char *folder)
{
    walk->not_read = KVB_OK;
    enum kvb_status status = enter(walk, folder, 0);
    return status == KVB_OK ? walk->not_read : status;
}

enum kvb_status kvb_manifest_walk(const char *folder, kvb_file_visitor *visit, void *context, uint32_t *seen,
                                  struct kvb_problems *problems)
{
    struct kvb_walk walk = {.visit = visit, .context = context, .seen = seen, .problems = problems};
    return kvb_manifest_walk_in(&walk, folder);
}

bool kvb_manifest_is_folder(const char *path)
{
    return kvb_path_is_folder(path);
}
