// Reads a log file or standard input into a report.
#include <kvbudget/answer.h>

#include <string.h>

static void feed(void *context, const char *bytes, size_t length)
{
    kvb_log_reader_feed(context, bytes, length);
}

// What cannot be the log of an engine.
static enum kvb_status judge(const char *file, const struct kvb_log_report *log, struct kvb_problems *problems)
{
    if (log->packed != NULL && (log->not_text || log->known_lines == 0)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){.file = file},
                               "this is compressed with %s; expected text: unpack it on the way, as in "
                               "'%s -dc < LOG | kvbudget explain'",
                               log->packed, log->packed);
    }
    if (log->not_text) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){.file = file},
                               "this is no text: expected the log of a serving engine, found bytes of a binary file");
    }
    return KVB_OK;
}

static struct kvb_log_reader *new_reader(struct kvb_problems *problems)
{
    struct kvb_log_reader *reader = kvb_log_reader_new();
    if (reader == NULL) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                              "not enough memory to read a log");
    }
    return reader;
}

enum kvb_status kvb_log_load(const char *path, struct kvb_log_report *log, struct kvb_problems *problems)
{
    struct kvb_log_reader *reader = new_reader(problems);
    if (reader == NULL) {
        return KVB_NO_MEMORY;
    }
    enum kvb_status status = kvb_stream_read(path, feed, reader, problems);
    if (status == KVB_OK) {
        kvb_log_reader_finish(reader, log);
    }
    kvb_log_reader_free(reader);
    return status == KVB_OK ? judge(strcmp(path, "-") == 0 ? "standard input" : path, log, problems) : status;
}

enum kvb_status kvb_log_read(const char *name, const char *text, size_t length, struct kvb_log_report *log,
                             struct kvb_problems *problems)
{
    struct kvb_log_reader *reader = new_reader(problems);
    if (reader == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_log_reader_feed(reader, text, length);
    kvb_log_reader_finish(reader, log);
    kvb_log_reader_free(reader);
    return judge(name, log, problems);
}
