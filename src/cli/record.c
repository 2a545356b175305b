// The record command: a log and flags to one row of facts, shown, and added to a table when that is asked for.
#include <kvbudget/record.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/record_report.h"

struct work {
    struct kvb_log_report log;
    struct kvb_record record;
};

static enum kvb_status make(struct arguments *arguments, struct work *work)
{
    const char *path = arguments->operand_count > 0 ? arguments->operands[0] : "-";
    const struct kvb_record_words words = {.id = arguments->record_id, .source = arguments->record_source};
    const struct given_text *given = &arguments->given;
    enum kvb_status status =
        given->name != NULL ? kvb_log_read(given->name, given->text, given->length, &work->log, &arguments->problems)
                            : kvb_log_load(path, &work->log, &arguments->problems);
    if (status == KVB_OK) {
        status =
            kvb_record_make(&arguments->question.deployment, &work->log, &words, &work->record, &arguments->problems);
    }
    return status;
}

static enum kvb_status render(const struct arguments *arguments, const struct kvb_record *record,
                              struct kvb_buffer *answer)
{
    char *header = kvb_record_header(record), *line = kvb_record_line(record);
    struct kvb_record_report report = {.record = record,
                                       .problems = &arguments->problems,
                                       .header = header,
                                       .line = line,
                                       .appended = arguments->append};
    bool made = header != NULL && line != NULL;
    if (made && arguments->format == FORMAT_JSON) {
        kvb_render_record_json(answer, &report);
    } else if (made) {
        kvb_render_record_text(answer, &report);
    }
    kvb_free(header);
    kvb_free(line);
    return made ? KVB_OK : KVB_NO_MEMORY;
}

int kvb_run_record(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct work *work = kvb_reallocate(NULL, sizeof *work);
    if (work == NULL) {
        return kvb_status_exit_code(kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY,
                                                    (struct kvb_place){0}, "not enough memory to read a log"));
    }
    enum kvb_status status = make(arguments, work);
    if (status == KVB_OK && arguments->append != NULL) {
        status = kvb_record_append(&work->record, arguments->append, &arguments->problems);
    }
    if (status == KVB_OK) {
        status = render(arguments, &work->record, answer);
    }
    kvb_free(work);
    return kvb_status_exit_code(status);
}

// ---- flags

static bool set_append(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->append = value;
    return true;
}

static bool set_source(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->record_source = value;
    return true;
}

static bool set_id(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->record_id = value;
    return true;
}

void kvb_options_add_record(struct option_list *list)
{
    static const struct option_row rows[] = {
        {"append", NULL, "FILE", "add the row to this table; begun when it is not there", NULL, set_append,
         .set_bit = OPTIONS_RECORD},
        {"source", NULL, "ADDRESS", "where the log can be read", NULL, set_source, .set_bit = OPTIONS_RECORD},
        {"id", NULL, "NAME", "the row's name; from card, release, model and length otherwise", NULL, set_id,
         .set_bit = OPTIONS_RECORD},
    };
    kvb_options_add(list, rows, sizeof rows / sizeof rows[0]);
}
