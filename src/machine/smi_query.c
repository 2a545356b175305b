// `nvidia-smi -q`: indented sections of `name : value` lines.
#include <string.h>

#include "machine/smi_fields.h"

#define DEPTH_MAX 12

struct query {
    struct kvb_smi_fields fields;
    struct kvb_smi_line line;
    size_t depth;
    size_t indents[DEPTH_MAX];
    struct kvb_slice sections[DEPTH_MAX];
};

static bool is_section(const struct query *query, const char *name)
{
    for (size_t i = 0; i < query->depth; i++) {
        if (kvb_slice_is(query->sections[i], name)) {
            return true;
        }
    }
    return false;
}

static void leave_sections(struct query *query, size_t indent)
{
    bool in_slice = is_section(query, "MIG Device");
    while (query->depth > 0 && query->indents[query->depth - 1] >= indent) {
        query->depth--;
    }
    if (in_slice && !is_section(query, "MIG Device")) {
        kvb_smi_end_slice(&query->fields);
    }
}

static enum kvb_status enter_section(struct query *query, size_t indent, struct kvb_slice name)
{
    enum kvb_status status = KVB_OK;
    if (indent == 0 && kvb_slice_begins(name, "GPU ")) {
        struct kvb_slice bus = name;
        name = kvb_slice_word(&bus);
        status = kvb_smi_begin_gpu(&query->fields, query->line.number, bus);
    } else if (kvb_slice_is(name, "MIG Device")) {
        status = kvb_smi_begin_slice(&query->fields, query->line.number);
    }
    if (query->depth == DEPTH_MAX) {
        return kvb_smi_fail(query->fields.text, query->line.number, 0, "sections nested deeper than %d", DEPTH_MAX);
    }
    query->indents[query->depth] = indent;
    query->sections[query->depth++] = name;
    return status;
}

static enum kvb_status read_field(struct query *query, struct kvb_slice text, const char *colon)
{
    struct kvb_slice key = kvb_slice_trim((struct kvb_slice){text.start, (size_t)(colon - text.start)});
    struct kvb_slice value =
        kvb_slice_trim((struct kvb_slice){colon + 1, text.length - (size_t)(colon - text.start) - 1});
    struct kvb_slice section = query->depth > 0 ? query->sections[query->depth - 1] : kvb_slice_of("");
    if (is_section(query, "Processes")) {
        section = kvb_slice_of("Processes");
        if (kvb_slice_is(key, "Process ID")) {
            kvb_smi_begin_process(&query->fields);
        }
    }
    return kvb_smi_field(&query->fields, section, key, value, &query->line);
}

// `Processes : None` is a field, `Processes` alone opens a section; names may hold colons of their own.
static const char *find_colon(struct kvb_slice text)
{
    const char *colon = kvb_slice_find(text, " : ");
    if (colon != NULL) {
        return colon + 1;
    }
    bool at_end = text.length > 0 && text.start[text.length - 1] == ':';
    return at_end ? text.start + text.length - 1 : NULL;
}

static enum kvb_status read_line(struct query *query)
{
    struct kvb_slice text = kvb_slice_trim(query->line.text);
    if (text.length == 0 || text.start[0] == '=') {
        return KVB_OK;
    }
    size_t indent = (size_t)(text.start - query->line.text.start);
    const char *colon = find_colon(text);
    leave_sections(query, indent);
    return colon != NULL ? read_field(query, text, colon) : enter_section(query, indent, text);
}

enum kvb_status kvb_smi_read_query(const struct kvb_smi_text *text, struct kvb_machine *machine)
{
    struct query query = {.fields = {.text = text, .machine = machine, .form = KVB_SMI_FORM_TEXT}};
    size_t offset = 0;
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && kvb_smi_next(text, &offset, &query.line)) {
        status = read_line(&query);
    }
    kvb_smi_end_process(&query.fields);
    if (status == KVB_OK && machine->count == 0) {
        return kvb_smi_fail(text, 0, 0, "no GPU in this output; expected lines such as 'GPU 00000000:07:00.0'");
    }
    return status;
}
