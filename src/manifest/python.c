// A Python file statement by statement: what names are set to, and everything that starts an engine on the way.
// A value may be a call, a call has values, and a trainer is a call that sets some: these files stand in a circle.
#include "manifest/python.h"

#include <string.h>

#include "base/text.h"
#include "manifest/engines.h"
#include "manifest/python_engines.h"

void kvb_py_set(struct kvb_py *py, const char *name, const struct kvb_py_value *value)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    manifest->too_large = manifest->too_large || ++manifest->variables > KVB_VARIABLES_MAX;
    struct kvb_py_name *made = kvb_manifest_take(manifest, sizeof *made);
    if (made != NULL) {
        *made = (struct kvb_py_name){.name = name, .value = *value, .older = py->names};
        made->value.named = name;
        py->names = made;
    }
}

static struct kvb_py_name *name_of(struct kvb_py *py, const char *name)
{
    struct kvb_py_name *each = py->names;
    while (each != NULL && strcmp(each->name, name) != 0) {
        each = each->older;
    }
    return each;
}

// A list under a name is complete when the name is set anew or the file ends.
static void give_up(struct kvb_py *py, struct kvb_py_name *name)
{
    if (name != NULL && name->value.kind == KVB_PY_LIST && !name->given) {
        name->given = true;
        kvb_py_emit_list(py, &name->value);
    }
}

static void append(struct kvb_py *py, struct kvb_py_name *name, const struct kvb_py_value *more)
{
    if (name == NULL || name->value.kind != KVB_PY_LIST) {
        return;
    }
    if (more->kind != KVB_PY_LIST) {
        kvb_py_add(py, &name->value, *more);
        return;
    }
    for (uint32_t i = 0; i < more->count; i++) {
        kvb_py_add(py, &name->value, more->items[i]);
    }
}

// NAME = VALUE, NAME: type = VALUE and NAME += VALUE.
static void read_assignment(struct kvb_py *py, const char *name, bool adds)
{
    kvb_py_next(&py->reader);
    struct kvb_py_value value = kvb_py_value_read(py);
    struct kvb_py_name *old = name_of(py, name);
    if (adds) {
        append(py, old, &value);
        return;
    }
    bool extends = value.kind == KVB_PY_LIST && value.named != NULL; // cmd = cmd + [...]
    if (!extends) {
        give_up(py, old);
    }
    kvb_py_set(py, name, &value);
}

// NAME.append(x) and NAME.extend([...]); true: it was one.
static bool read_append(struct kvb_py *py, const char *name, const char *method)
{
    bool adds = strcmp(method, "append") == 0 || strcmp(method, "extend") == 0;
    struct kvb_py_name *old = name_of(py, name);
    if (!adds || old == NULL || old->value.kind != KVB_PY_LIST || !kvb_py_is(&py->reader, "(")) {
        return false;
    }
    kvb_py_next(&py->reader);
    py->silent++;
    struct kvb_py_value value = kvb_py_value_read(py);
    py->silent--;
    append(py, old, &value);
    return true;
}

static void skip_type(struct kvb_py *py)
{
    while (py->reader.token.kind != KVB_PY_END && py->reader.token.kind != KVB_PY_LINE &&
           !kvb_py_is(&py->reader, "=")) {
        kvb_py_next(&py->reader);
    }
}

static bool is_statement_word(const char *word)
{
    static const char *const words[] = {
        "if",      "elif",   "else", "for",   "while",  "return", "def",      "class",  "with",     "try", "except",
        "finally", "import", "from", "raise", "yield",  "await",  "async",    "lambda", "in",       "not", "and",
        "or",      "is",     "del",  "pass",  "global", "assert", "nonlocal", "break",  "continue", "as"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// A statement that begins with a name.
static void read_named(struct kvb_py *py)
{
    struct kvb_py_reader before = py->reader;
    bool begins = py->reader.line_begins;
    const char *name = py->reader.token.text, *method = "";
    kvb_py_next(&py->reader);
    while (begins && kvb_py_is(&py->reader, ".")) {
        kvb_py_next(&py->reader);
        method = py->reader.token.text;
        kvb_py_next(&py->reader);
        if (kvb_py_is(&py->reader, "=") || kvb_py_is(&py->reader, ".")) {
            name = kvb_manifest_join(py->reader.manifest, name, ".", method); // self.model = ...
        }
    }
    if (begins && method[0] != '\0' && read_append(py, name, method)) {
        return;
    }
    if (begins && kvb_py_is(&py->reader, ":")) {
        struct kvb_py_reader at = py->reader;
        skip_type(py);
        if (!kvb_py_is(&py->reader, "=")) {
            py->reader = at;
        }
    }
    if (begins && (kvb_py_is(&py->reader, "=") || kvb_py_is(&py->reader, "+="))) {
        read_assignment(py, name, kvb_py_is(&py->reader, "+="));
        return;
    }
    py->reader = before;
    (void)kvb_py_value_read(py);
}

// A string that is a statement is a comment.
static void read_string_statement(struct kvb_py *py)
{
    bool begins = py->reader.line_begins;
    py->silent += begins;
    (void)kvb_py_value_read(py);
    py->silent -= begins;
}

// !vllm serve ... of a notebook.
static void read_shell_line(struct kvb_py *py)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    size_t begin = py->reader.token.offset + 1;
    size_t end = begin;
    for (;;) {
        size_t length = strcspn(py->reader.text + end, "\n");
        end += length;
        bool continued = end > begin && py->reader.text[end - 1] == '\\' && py->reader.text[end] == '\n';
        if (!continued) {
            break;
        }
        end++;
    }
    const char *line = kvb_manifest_copy(manifest, py->reader.text + begin, end - begin);
    struct kvb_container like = py->around;
    like.kind = "notebook";
    like.words = (struct kvb_words){0};
    like.offset = KVB_NOWHERE;
    py->status = kvb_shell_read(manifest, line, begin, &like);
    py->reader.at = end;
    py->reader.brackets = 0;
    py->reader.token.kind = KVB_PY_LINE;
    kvb_py_next(&py->reader);
}

static void read_statement(struct kvb_py *py)
{
    size_t before = py->reader.at;
    enum kvb_py_kind kind = py->reader.token.kind;
    if (kind == KVB_PY_LINE) {
        py->reader.brackets = 0;
        kvb_py_next(&py->reader);
    } else if (kind == KVB_PY_NAME && !is_statement_word(py->reader.token.text)) {
        read_named(py);
    } else if (kind == KVB_PY_STRING) {
        read_string_statement(py);
    } else if (py->reader.line_begins && kvb_py_is(&py->reader, "!")) {
        read_shell_line(py);
    } else if (kvb_py_is(&py->reader, "[") || kvb_py_is(&py->reader, "(") || kvb_py_is(&py->reader, "{")) {
        (void)kvb_py_value_read(py);
    } else {
        kvb_py_next(&py->reader);
    }
    if (py->reader.at == before && py->reader.token.kind != KVB_PY_END) {
        kvb_py_next(&py->reader);
    }
}

static void give_all(struct kvb_py *py)
{
    for (struct kvb_py_name *each = py->names; each != NULL && py->status == KVB_OK; each = each->older) {
        if (name_of(py, each->name) == each) {
            give_up(py, each);
        }
    }
}

enum kvb_status kvb_read_python(struct kvb_manifest *manifest)
{
    struct kvb_py py = {.around = {.kind = "python", .offset = KVB_NOWHERE, .image_offset = KVB_NOWHERE}};
    py.imports = kvb_py_imports(manifest->text);
    kvb_py_begin(&py.reader, manifest);
    while (py.reader.token.kind != KVB_PY_END && py.status == KVB_OK && !manifest->out_of_memory) {
        read_statement(&py);
    }
    if (py.status == KVB_OK) {
        give_all(&py);
    }
    return py.status;
}
