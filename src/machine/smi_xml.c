// `nvidia-smi -q -x`: a small reader of its XML, which has elements and text and nothing else of note.
#include <string.h>

#include "machine/smi_fields.h"

#define DEPTH_MAX 32

struct xml {
    struct kvb_smi_fields fields;
    const char *at, *end;
    struct kvb_smi_line line; // where `at` is
    size_t depth;
    struct kvb_slice open[DEPTH_MAX];
    struct kvb_slice value; // text since the last tag
};

static struct kvb_slice rest_of(const struct xml *xml)
{
    return (struct kvb_slice){xml->at, (size_t)(xml->end - xml->at)};
}

// Moves on and keeps count of lines.
static void advance(struct xml *xml, const char *to)
{
    for (; xml->at < to; xml->at++) {
        if (*xml->at == '\n') {
            xml->line.number++;
            xml->line.text.start = xml->at + 1;
        }
    }
    xml->line.text.length = (size_t)(xml->at - xml->line.text.start);
}

static enum kvb_status fail(struct xml *xml, const char *what)
{
    return kvb_smi_fail(xml->fields.text, xml->line.number, kvb_smi_column(&xml->line, xml->at), "%s", what);
}

// The five named characters of XML become themselves in place of a copy.
static void decode(struct kvb_slice value, char *out, size_t capacity)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    size_t used = 0;
    for (size_t i = 0; i < value.length && used + 1 < capacity; i++) {
        char c = value.start[i];
        for (size_t n = 0; c == '&' && n < sizeof names / sizeof names[0]; n++) {
            if (kvb_slice_begins((struct kvb_slice){value.start + i, value.length - i}, names[n].name)) {
                c = names[n].c;
                i += strlen(names[n].name) - 1;
                break;
            }
        }
        out[used++] = c;
    }
    out[used] = '\0';
}

static enum kvb_status open_element(struct xml *xml, struct kvb_slice tag)
{
    struct kvb_slice rest = tag;
    struct kvb_slice name = kvb_slice_word(&rest);
    if (xml->depth == DEPTH_MAX) {
        return fail(xml, "elements nested deeper than nvidia-smi writes them");
    }
    xml->open[xml->depth++] = name;
    if (kvb_slice_is(name, "gpu") && xml->depth == 2) {
        struct kvb_slice quoted = rest;
        (void)kvb_slice_until(&quoted, '"');
        return kvb_smi_begin_gpu(&xml->fields, xml->line.number, kvb_slice_until(&quoted, '"'));
    }
    if (kvb_slice_is(name, "mig_device")) {
        return kvb_smi_begin_slice(&xml->fields, xml->line.number);
    }
    if (kvb_slice_is(name, "process_info")) {
        kvb_smi_begin_process(&xml->fields);
    }
    return KVB_OK;
}

static enum kvb_status close_element(struct xml *xml, struct kvb_slice name)
{
    if (xml->depth == 0 || name.length != xml->open[xml->depth - 1].length ||
        memcmp(name.start, xml->open[xml->depth - 1].start, name.length) != 0) {
        return fail(xml, "this element closes what is not open; the output seems to be cut or mixed");
    }
    xml->depth--;
    enum kvb_status status = KVB_OK;
    if (xml->depth > 0 && xml->value.length > 0) {
        char text[256];
        decode(xml->value, text, sizeof text);
        status = kvb_smi_field(&xml->fields, xml->open[xml->depth - 1], name, kvb_slice_of(text), &xml->line);
    }
    if (kvb_slice_is(name, "mig_device")) {
        kvb_smi_end_slice(&xml->fields);
    } else if (kvb_slice_is(name, "process_info")) {
        kvb_smi_end_process(&xml->fields);
    }
    return status;
}

// Everything from one '<' to its '>'; declarations and comments are passed over.
static enum kvb_status read_tag(struct xml *xml)
{
    bool comment = kvb_slice_begins(rest_of(xml), "<!--");
    const char *closing = kvb_slice_find(rest_of(xml), comment ? "-->" : ">");
    if (closing == NULL) {
        return fail(xml, "a '<' without its '>'; the output is cut");
    }
    struct kvb_slice tag = {xml->at + 1, (size_t)(closing - xml->at - 1)};
    enum kvb_status status = KVB_OK;
    if (tag.length > 0 && tag.start[0] == '/') {
        status = close_element(xml, kvb_slice_trim((struct kvb_slice){tag.start + 1, tag.length - 1}));
    } else if (tag.length > 0 && tag.start[0] != '?' && tag.start[0] != '!' && tag.start[tag.length - 1] != '/') {
        status = open_element(xml, tag);
    }
    advance(xml, closing + (comment ? 3 : 1));
    return status;
}

static struct kvb_slice trim_lines(struct kvb_slice slice)
{
    static const char blanks[] = " \t\r\n";
    while (slice.length > 0 && strchr(blanks, slice.start[0]) != NULL) {
        slice.start++;
        slice.length--;
    }
    while (slice.length > 0 && strchr(blanks, slice.start[slice.length - 1]) != NULL) {
        slice.length--;
    }
    return slice;
}

enum kvb_status kvb_smi_read_xml(const struct kvb_smi_text *text, struct kvb_machine *machine)
{
    struct xml xml = {.fields = {.text = text, .machine = machine, .form = KVB_SMI_FORM_XML},
                      .at = text->text,
                      .end = text->text + text->length,
                      .line = {.text = {text->text, 0}, .number = 1}};
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && xml.at < xml.end) {
        const char *tag = memchr(xml.at, '<', (size_t)(xml.end - xml.at));
        const char *start = xml.at;
        advance(&xml, tag != NULL ? tag : xml.end);
        xml.value = trim_lines((struct kvb_slice){start, (size_t)(xml.at - start)});
        status = tag != NULL ? read_tag(&xml) : KVB_OK;
    }
    if (status == KVB_OK && xml.depth > 0) {
        return fail(&xml, "the document ends before its elements are closed; the output is cut");
    }
    if (status == KVB_OK && machine->count == 0) {
        return fail(&xml, "no <gpu> in this document");
    }
    return status;
}
