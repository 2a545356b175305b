// A file that came whole is kept under the name that a reader looks for.
#include <string.h>

#include "base/text.h"
#include "fetch/fetch.h"
#include "text/json_scan.h"
#include "text/path.h"

static bool is_json(const struct fetch_job *job)
{
    struct kvb_open_file file;
    struct kvb_json_scan scan;
    kvb_open_memory(&file, job->file, job->body.data, job->body.length);
    bool fine = job->body.length > 0 && job->body.data[strspn(job->body.data, " \t\r\n")] == '{' &&
                kvb_json_open(&scan, &file, 0, file.size_bytes, NULL) == KVB_OK;
    if (fine) {
        fine = kvb_json_skip(&scan) && kvb_json_next(&scan) == KVB_JSON_END;
        kvb_json_close(&scan);
    }
    return fine;
}

bool fetch_keep(struct fetch_run *run, const struct fetch_job *job)
{
    char path[KVB_PATH_CAPACITY];
    const char *name = kvb_last_part(job->file);
    if (job->state != FETCH_DONE) {
        return true;
    }
    if (job->kind == FETCH_WHOLE && !is_json(job)) {
        return fetch_fail(run, FETCH_BAD,
                          "%s: what came is no JSON object; a proxy or a page to log in may stand between", job->file);
    }
    if (!kvb_path_join(path, run->folder, name) ||
        kvb_file_create(path, job->body.data, job->body.length, NULL) != KVB_OK) {
        return fetch_fail(run, FETCH_SYSTEM, "cannot write %s", name);
    }
    if (job->kind == FETCH_WHOLE) {
        run->files++;
        return true;
    }
    run->heads++;
    kvb_buffer_printf(&run->sizes, "%llu %s\n", (unsigned long long)job->total_bytes, name);
    return true;
}
