// Jupyter notebooks: the code of the cells, decoded in place so that lines of the file stay lines.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"

// The code with blanks around it, as long as the file.
struct code {
    char *text;
    const char *file;
    const char *type; // the first cell's type behind what is read, once it was looked for
};

// A line that ends with its string and with the line of the file ends once; what continues it stands at its end.
static void end_line(struct code *code, size_t begin, size_t to, size_t quote)
{
    size_t next = quote + 1 + strspn(code->file + quote + 1, " \t\r,");
    if (to == begin || code->text[to - 1] != '\n' || code->file[next] != '\n') {
        return;
    }
    code->text[to - 1] = ' ';
    if (to - 1 > begin && code->text[to - 2] == '\\') {
        code->text[to - 2] = ' ';
        code->text[next - 1] = '\\';
    }
}

// One JSON string from its opening quote into the same place; returns the offset behind it.
static size_t decode(struct code *code, size_t at)
{
    size_t begin = ++at, to = begin;
    for (; code->file[at] != '\0' && code->file[at] != '"' && code->file[at] != '\n'; at++) {
        char c = code->file[at];
        if (c == '\\' && code->file[at + 1] != '\0') {
            c = code->file[++at];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'u' ? '?' : c;
        }
        code->text[to++] = c;
    }
    if (code->file[at] != '"') {
        return at;
    }
    end_line(code, begin, to, at);
    return at + 1;
}

static size_t skip_string(const char *file, size_t at)
{
    for (at++; file[at] != '\0' && file[at] != '"'; at++) {
        at += file[at] == '\\' && file[at + 1] != '\0';
    }
    return file[at] == '"' ? at + 1 : at;
}

// The strings of a "source" list, or its one string.
static size_t decode_source(struct code *code, size_t at)
{
    at += strspn(code->file + at, " \t\r\n:");
    if (code->file[at] == '"') {
        return decode(code, at);
    }
    if (code->file[at] != '[') {
        return at;
    }
    for (at++; code->file[at] != '\0' && code->file[at] != ']';) {
        at = code->file[at] == '"' ? decode(code, at) : at + 1;
    }
    return at;
}

static bool is_key(const char *file, size_t at, const char *key)
{
    return strncmp(file + at, key, strlen(key)) == 0;
}

// Cells are mappings; their type may stand in front of the source or behind it.
static bool is_code_cell(struct code *code, size_t source)
{
    const char *file = code->file, *type = NULL;
    size_t low = source > 4000 ? source - 4000 : 0;
    for (size_t i = source; i > low && type == NULL; i--) {
        type = is_key(file, i - 1, "\"cell_type\"") ? file + i - 1 : NULL;
    }
    if (type == NULL && (code->type == NULL || code->type < file + source)) {
        const char *behind = strstr(file + source, "\"cell_type\"");
        code->type = behind != NULL ? behind : file + source + strlen(file + source);
    }
    type = type != NULL ? type : code->type;
    return *type != '\0' && kvb_starts_with(type + 11 + strspn(type + 11, " :"), "\"code\"");
}

enum kvb_status kvb_read_notebook(struct kvb_manifest *manifest)
{
    static const char key[] = "\"source\"";
    struct code code = {.text = kvb_manifest_take(manifest, manifest->length + 1), .file = manifest->text};
    if (code.text == NULL) {
        return KVB_OK; // said by the caller
    }
    for (size_t i = 0; i < manifest->length; i++) {
        code.text[i] = code.file[i] == '\n' ? '\n' : ' ';
    }
    for (size_t at = 0; at < manifest->length;) {
        if (code.file[at] != '"') {
            at++;
        } else if (is_key(code.file, at, key) && is_code_cell(&code, at)) {
            at = decode_source(&code, at + sizeof key - 1);
        } else {
            at = skip_string(code.file, at);
        }
    }
    manifest->text = code.text;
    return kvb_read_python(manifest);
}
