// A row as a line of its table, and the table with the line added.
#include <kvbudget/record.h>

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "text/file.h"

static void add_cell(struct kvb_buffer *out, const char *cell)
{
    bool quoted = strpbrk(cell, ",\"") != NULL;
    kvb_buffer_add(out, quoted ? "\"" : "");
    for (; *cell != '\0'; cell++) {
        kvb_buffer_add(out, *cell == '"' ? "\"" : "");
        kvb_buffer_add_n(out, cell, 1);
    }
    kvb_buffer_add(out, quoted ? "\"" : "");
}

// The buffer's text, which the caller frees; NULL when there was no memory.
static char *taken(struct kvb_buffer *buffer)
{
    if (buffer->failed) {
        kvb_buffer_free(buffer);
        return NULL;
    }
    return buffer->data;
}

char *kvb_record_header(const struct kvb_record *record)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (uint32_t i = 0; i < record->column_count; i++) {
        kvb_buffer_add(&out, i == 0 ? "" : ",");
        kvb_buffer_add(&out, record->names[i]);
    }
    return taken(&out);
}

char *kvb_record_line(const struct kvb_record *record)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (uint32_t i = 0; i < record->column_count; i++) {
        kvb_buffer_add(&out, i == 0 ? "" : ",");
        add_cell(&out, record->cells[i]);
    }
    return taken(&out);
}

static enum kvb_status no_memory(struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "not enough memory for a table");
}

// Whether a line of the table begins with this cell.
static enum kvb_status find_row(const char *table, const char *id, bool *found)
{
    struct kvb_buffer start;
    kvb_buffer_init(&start);
    kvb_buffer_add(&start, "\n");
    add_cell(&start, id);
    kvb_buffer_add(&start, ",");
    *found = !start.failed && strstr(table, start.data) != NULL;
    enum kvb_status status = start.failed ? KVB_NO_MEMORY : KVB_OK;
    kvb_buffer_free(&start);
    return status;
}

static enum kvb_status check_table(const struct kvb_record *record, const struct kvb_file *file, const char *header,
                                   const char *path, struct kvb_problems *problems)
{
    size_t length = strlen(header);
    struct kvb_place place = {.file = path, .line = 1};
    bool same = file->length > length && strncmp(file->text, header, length) == 0 &&
                (file->text[length] == '\n' || strncmp(file->text + length, "\r\n", 2) == 0);
    if (!same) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, place,
                               "these are not the columns of %s; nothing was written", record->table);
    }
    bool again;
    if (find_row(file->text, record->cells[0], &again) != KVB_OK) {
        return no_memory(problems);
    }
    if (again) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_DUPLICATE_KEY, (struct kvb_place){.file = path},
                               "has a row called '%.120s' already; --id gives another name", record->cells[0]);
    }
    return KVB_OK;
}

static enum kvb_status write_table(const char *path, const struct kvb_file *file, const char *header, const char *line,
                                   struct kvb_problems *problems)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    if (file->length > 0) {
        kvb_buffer_add_n(&out, file->text, file->length);
        kvb_buffer_add(&out, file->text[file->length - 1] == '\n' ? "" : "\n");
    } else {
        kvb_buffer_add(&out, header);
        kvb_buffer_add(&out, "\n");
    }
    kvb_buffer_add(&out, line);
    kvb_buffer_add(&out, "\n");
    enum kvb_status status = out.failed ? no_memory(problems) : kvb_file_replace(path, out.data, out.length, problems);
    kvb_buffer_free(&out);
    return status;
}

enum kvb_status kvb_record_append(const struct kvb_record *record, const char *path, struct kvb_problems *problems)
{
    struct kvb_file file = {0};
    char *header = kvb_record_header(record), *line = kvb_record_line(record);
    enum kvb_status status = header == NULL || line == NULL ? no_memory(problems) : KVB_OK;
    bool there = status == KVB_OK && !kvb_path_is_missing(path); // rows that cannot be looked at are not none
    if (there) {
        status = kvb_file_read(&file, path, KVB_FILE_MAX_BYTES, problems);
    }
    if (there && status == KVB_OK) {
        status = check_table(record, &file, header, path, problems);
    }
    if (status == KVB_OK) {
        status = write_table(path, &file, header, line, problems);
    }
    kvb_file_free(&file);
    kvb_free(header);
    kvb_free(line);
    return status;
}
