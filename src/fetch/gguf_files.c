// The GGUF file of a format among a repository's files, with all its parts.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "fetch/fetch.h"
#include "text/json_scan.h"

#define FILES_MAX 4096
#define PARTS_MAX 512
#define USUAL_FORMAT "Q4_K_M"

struct files {
    uint32_t count;
    char names[FILES_MAX][FETCH_FILE_CAPACITY];
};

// A path below the repository that stays below it, with nothing in it that a terminal would obey.
static bool is_safe(const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        if (*c < ' ' || *c == 0x7f || *c == '\\' || *c == '%') {
            return false;
        }
    }
    return name[0] != '/' && name[0] != '.' && strstr(name, "..") == NULL && strstr(name, "/.") == NULL;
}

// The Hub calls a file rfilename, ModelScope Path.
static bool read_names(struct kvb_json_scan *scan, struct files *files, char commit[FETCH_COMMIT_CAPACITY])
{
    char key[16] = "";
    for (enum kvb_json_token token; (token = kvb_json_next(scan)) != KVB_JSON_END;) {
        if (token == KVB_JSON_FAILED) {
            return false;
        }
        if (token == KVB_JSON_KEY) {
            (void)kvb_copy(key, sizeof key, scan->text);
            continue;
        }
        bool named = strcmp(key, "rfilename") == 0 || strcmp(key, "Path") == 0;
        if (token == KVB_JSON_TEXT && named && !scan->cut && kvb_is_gguf(scan->text) && is_safe(scan->text) &&
            files->count < FILES_MAX && kvb_copy(files->names[files->count], FETCH_FILE_CAPACITY, scan->text)) {
            files->count++;
        }
        bool sha = token == KVB_JSON_TEXT && strcmp(key, "sha") == 0 && commit[0] == '\0';
        if (sha && strlen(scan->text) == 40 && strspn(scan->text, "0123456789abcdef") == 40) {
            (void)kvb_copy(commit, FETCH_COMMIT_CAPACITY, scan->text);
        }
        key[0] = '\0';
    }
    return true;
}

static bool list(struct fetch_run *run, struct files *files)
{
    struct fetch_job *job = fetch_jobs_new(run, 1);
    struct kvb_json_scan scan;
    struct kvb_open_file file;
    files->count = 0;
    bool fine = job != NULL && fetch_job_set(run, job, FETCH_WHOLE, "its list of files", false);
    if (fine) {
        fetch_target_listing(&run->target, job->url);
        fine = fetch_transfer(run, job, 1);
    }
    if (fine) {
        kvb_open_memory(&file, job->file, job->body.data, job->body.length);
        fine = kvb_json_open(&scan, &file, 0, file.size_bytes, NULL) == KVB_OK &&
               read_names(&scan, files, run->target.commit);
        kvb_json_close(&scan);
        fine = fine || fetch_fail(run, FETCH_BAD, "its list of files is no JSON");
    }
    fetch_jobs_free(job, job != NULL ? 1 : 0);
    return fine;
}

// Whether FORMAT stands in the name as a word of its own: "-Q4_K_M.gguf", not in "-IQ4_K_M".
static bool has_format(const char *name, const char *format)
{
    size_t length = strlen(format);
    for (const char *at = name; *at != '\0'; at++) {
        char word[32];
        bool begins = at == name || strchr("-._/", at[-1]) != NULL;
        if (begins && length < sizeof word && strlen(at) > length && strchr("-./", at[length]) != NULL) {
            memcpy(word, at, length);
            word[length] = '\0';
            if (kvb_equal_ignoring_case(word, format)) {
                return true;
            }
        }
    }
    return false;
}

// Of several the shortest name: the model itself, not a variant of the file.
static const char *choose(const struct files *files, const char *format)
{
    const char *best = NULL;
    for (uint32_t i = 0; i < files->count; i++) {
        const char *name = files->names[i];
        bool later = strstr(name, "-of-") != NULL && strstr(name, "-00001-of-") == NULL;
        bool model = strstr(name, "mmproj") == NULL && strstr(name, "imatrix") == NULL && !later;
        if (model && (format == NULL || has_format(name, format)) && (best == NULL || strlen(name) < strlen(best))) {
            best = name;
        }
    }
    return best;
}

static bool fetch_parts(struct fetch_run *run, const struct files *files, const char *first)
{
    const char *mark = strstr(first, "-00001-of-");
    uint32_t count = 0;
    struct fetch_job *jobs = fetch_jobs_new(run, PARTS_MAX);
    bool fine = jobs != NULL;
    for (uint32_t i = 0; fine && i < files->count && count < PARTS_MAX; i++) {
        const char *name = files->names[i];
        bool part =
            mark != NULL && strncmp(name, first, (size_t)(mark - first) + 1) == 0 && strstr(name, "-of-") != NULL;
        if (name == first || part) {
            fine = fetch_job_set(run, &jobs[count++], FETCH_GGUF, name, false);
        }
    }
    fine = fine && fetch_transfer(run, jobs, count);
    for (uint32_t i = 0; fine && i < count; i++) {
        fine = fetch_keep(run, &jobs[i]);
    }
    fetch_jobs_free(jobs, jobs != NULL ? count : 0);
    return fine;
}

bool fetch_gguf(struct fetch_run *run)
{
    bool asked = run->format[0] != '\0';
    struct files *files = kvb_reallocate(NULL, sizeof *files);
    if (files == NULL) {
        return fetch_fail(run, FETCH_SYSTEM, "not enough memory");
    }
    bool fine = list(run, files);
    const char *name = fine ? choose(files, asked ? run->format : USUAL_FORMAT) : NULL;
    if (fine && name == NULL && !asked) {
        name = choose(files, NULL);
    }
    if (fine && name == NULL) {
        fine =
            asked ? fetch_fail(run, FETCH_NAME, "%s has no GGUF file of the format %.16s", run->target.repository,
                               run->format)
                  : fetch_fail(run, FETCH_NAME, "%s has neither a config.json nor a GGUF file", run->target.repository);
    }
    fine = fine && fetch_parts(run, files, name);
    kvb_free(files);
    return fine;
}
