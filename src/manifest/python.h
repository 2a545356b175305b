// Python text as literals: what is written down is read, nothing is run.
#ifndef KVB_MANIFEST_PYTHON_H
#define KVB_MANIFEST_PYTHON_H

#include "manifest/manifest_reader.h"
#include "manifest/python_engines.h"

enum kvb_py_kind {
    KVB_PY_END,
    KVB_PY_NAME,   // also True, False and None
    KVB_PY_NUMBER, // as written
    KVB_PY_STRING, // decoded; {name} of an f-string stands in it as ${name}
    KVB_PY_SIGN,   // one character, or "**", "==", "+=", ":="
    KVB_PY_LINE,   // a line ends outside of brackets
};

struct kvb_py_token {
    enum kvb_py_kind kind;
    const char *text;
    size_t offset;
    bool formatted; // an f-string
};

struct kvb_py_reader {
    struct kvb_manifest *manifest;
    const char *text; // of the whole file, NUL-ended
    size_t at;
    unsigned brackets;
    struct kvb_py_token token; // in hand
    bool line_begins;          // `token` is the first of its line
};

void kvb_py_begin(struct kvb_py_reader *reader, struct kvb_manifest *manifest);
void kvb_py_next(struct kvb_py_reader *reader);
bool kvb_py_is(const struct kvb_py_reader *reader, const char *sign);

// ---- values

enum kvb_py_value_kind { KVB_PY_UNKNOWN, KVB_PY_TEXT, KVB_PY_WHOLE, KVB_PY_WORD, KVB_PY_LIST, KVB_PY_MAPPING };

// A literal, or what is known of it.
struct kvb_py_value {
    enum kvb_py_value_kind kind;
    const char *text;    // text, number, "True"; of an unknown value its name
    const char *unknown; // the first part that nobody knows, or NULL
    size_t offset;
    struct kvb_py_value *items; // of a list or mapping
    uint32_t count, capacity;
    const char *key;   // in a mapping or call; NULL: by place
    const char *named; // the name it was set to, or NULL
};

struct kvb_py_name {
    const char *name;
    struct kvb_py_value value;
    struct kvb_py_name *older;
    bool given; // to whoever looks for commands
};

struct kvb_py {
    struct kvb_py_reader reader;
    struct kvb_py_name *names;   // newest first
    struct kvb_container around; // GPU and environment seen so far
    unsigned depth;
    unsigned imports;          // packages of engines, a bit each
    struct kvb_words training; // flags of the last configuration of a trainer that generates with vLLM
    size_t training_offset;
    unsigned silent; // inside a call that only prints or declares
    enum kvb_status status;
};

// Reads one expression and whatever starts an engine inside it.
struct kvb_py_value kvb_py_value_read(struct kvb_py *py);
void kvb_py_set(struct kvb_py *py, const char *name, const struct kvb_py_value *value);
const struct kvb_py_value *kvb_py_find(const struct kvb_py *py, const char *name);
const struct kvb_py_value *kvb_py_item(const struct kvb_py_value *value, const char *key);
void kvb_py_add(struct kvb_py *py, struct kvb_py_value *list, struct kvb_py_value item);
// A list as the words of a command.
void kvb_py_words(struct kvb_py *py, const struct kvb_py_value *list, struct kvb_words *words);

// ---- what starts an engine (python_calls.c)
void kvb_py_call(struct kvb_py *py, const char *callee, const struct kvb_py_value *arguments, size_t offset,
                 struct kvb_py_value *result);
void kvb_py_emit_list(struct kvb_py *py, const struct kvb_py_value *list);
void kvb_py_emit_text(struct kvb_py *py, const struct kvb_py_value *text);
// A keyword and its value as a flag of a server of `package`.
void kvb_py_serve_setting(struct kvb_py *py, const struct kvb_py_package *package, const struct kvb_py_value *value,
                          struct kvb_words *words);
struct kvb_container kvb_py_container(const struct kvb_py *py, size_t offset);
// GRPOConfig(use_vllm=True, ...) and the trainer that takes it (python_training.c).
void kvb_py_training(struct kvb_py *py, const char *name, const struct kvb_py_value *arguments, size_t offset);
bool kvb_py_is_speaker(const char *callee);

#endif
