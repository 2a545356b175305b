// Calls that start an engine from Python, and statements that set what they use.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/engines.h"
#include "manifest/gpu_hints.h"
#include "manifest/manifest_found.h"
#include "manifest/python.h"
#include "manifest/python_engines.h"

static const char *last_part(const char *callee)
{
    const char *dot = strrchr(callee, '.');
    return dot != NULL ? dot + 1 : callee;
}

bool kvb_py_is_speaker(const char *callee)
{
    static const char *const names[] = {"print",      "info",           "warning",   "error",      "debug",
                                        "log",        "add_argument",   "warn",      "Exception",  "RuntimeError",
                                        "ValueError", "ArgumentParser", "exception", "critical",   "markdown",
                                        "write",      "Field",          "echo",      "startswith", "endswith",
                                        "add_parser", "secho",          "skip",      "skipif",     "raises"};
    const char *name = last_part(callee);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// ---- settings as flags

static void serve(struct kvb_py *py, const struct kvb_py_package *package, const struct kvb_py_value *model,
                  struct kvb_words *words)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    kvb_words_say(manifest, words, package->name, KVB_NOWHERE);
    kvb_words_say(manifest, words, "serve", KVB_NOWHERE);
    if (package->model_flag != NULL) {
        kvb_words_say(manifest, words, package->model_flag, KVB_NOWHERE);
    }
    kvb_words_add(manifest, words, (struct kvb_arg){model->text, model->offset, model->unknown});
}

static void add_json(struct kvb_buffer *out, const struct kvb_py_value *value)
{
    bool mapping = value->kind == KVB_PY_MAPPING;
    if (value->kind == KVB_PY_LIST || mapping) {
        kvb_buffer_add(out, mapping ? "{" : "[");
        for (uint32_t i = 0; i < value->count; i++) {
            kvb_buffer_add(out, i > 0 ? ", " : "");
            if (mapping && value->items[i].key != NULL) {
                kvb_buffer_printf(out, "\"%s\": ", value->items[i].key);
            }
            add_json(out, &value->items[i]);
        }
        kvb_buffer_add(out, mapping ? "}" : "]");
    } else if (value->kind == KVB_PY_WORD) {
        kvb_buffer_add(out, strcmp(value->text, "True") == 0    ? "true"
                            : strcmp(value->text, "False") == 0 ? "false"
                                                                : "null");
    } else if (value->kind == KVB_PY_WHOLE) {
        kvb_buffer_add(out, value->text);
    } else {
        kvb_buffer_printf(out, "\"%s\"", value->text != NULL ? value->text : "");
    }
}

static const char *as_json(struct kvb_py *py, const struct kvb_py_value *value)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    add_json(&out, value);
    return kvb_manifest_keep(py->reader.manifest, &out);
}

// The first part of a value that nobody knows, however deep it stands; NULL: all of it is known.
static const char *unknown_in(const struct kvb_py_value *value)
{
    const char *unknown = value->unknown;
    for (uint32_t i = 0; unknown == NULL && i < value->count; i++) {
        unknown = unknown_in(&value->items[i]);
    }
    return unknown;
}

static bool has_negative(const struct kvb_py_package *package, const char *key)
{
    for (size_t i = 0; i < sizeof package->negatives / sizeof package->negatives[0]; i++) {
        if (package->negatives[i] != NULL && strcmp(package->negatives[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static const char *flag_of(struct kvb_py *py, const struct kvb_py_package *package, const char *prefix, const char *key)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    const char *flag = kvb_manifest_join(manifest, prefix, key, "");
    return package->dashes ? kvb_py_dashed(manifest, flag) : flag;
}

// torch.bfloat16
static bool is_torch_dtype(const struct kvb_py_value *value)
{
    return value->kind == KVB_PY_UNKNOWN && value->unknown != NULL && kvb_starts_with(value->unknown, "torch.") &&
           strcmp(value->key, "dtype") == 0 && strchr(value->unknown, '(') == NULL;
}

void kvb_py_serve_setting(struct kvb_py *py, const struct kvb_py_package *package, const struct kvb_py_value *value,
                          struct kvb_words *words)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    bool word = value->kind == KVB_PY_WORD;
    if (word && strcmp(value->text, "None") == 0) {
        return;
    }
    if (word && strcmp(value->text, "False") == 0) {
        if (has_negative(package, value->key)) {
            kvb_words_say(manifest, words, flag_of(py, package, "--no-", value->key), value->offset);
        }
        return;
    }
    kvb_words_say(manifest, words, flag_of(py, package, "--", value->key), value->offset);
    if (is_torch_dtype(value)) {
        kvb_words_say(manifest, words, value->unknown + 6, value->offset);
        return;
    }
    if (value->kind == KVB_PY_LIST && package->lists_are_words) {
        kvb_py_words(py, value, words);
    } else if (value->kind == KVB_PY_MAPPING || value->kind == KVB_PY_LIST) {
        kvb_words_add(manifest, words, (struct kvb_arg){as_json(py, value), value->offset, unknown_in(value)});
    } else if (!word) {
        kvb_words_add(manifest, words, (struct kvb_arg){value->text, value->offset, value->unknown});
    }
}

// Keywords of LLM() and its like that are no settings of the engine.
static bool is_foreign_key(const char *key)
{
    static const char *const keys[] = {"hf_token",    "callbacks",           "top_k",      "top_p",
                                       "temperature", "max_new_tokens",      "verbose",    "batch_size",
                                       "concurrency", "apply_chat_template", "runtime_env"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void add_settings(struct kvb_py *py, const struct kvb_py_value *arguments, const struct kvb_py_class *row,
                         struct kvb_words *words)
{
    for (uint32_t i = 0; i < arguments->count; i++) {
        const struct kvb_py_value *item = &arguments->items[i];
        if (item->key == NULL || strcmp(item->key, row->model) == 0) {
            continue;
        }
        if (row->nested != NULL && strcmp(item->key, row->nested) == 0 && item->kind == KVB_PY_MAPPING) {
            for (uint32_t k = 0; k < item->count; k++) {
                if (item->items[k].key != NULL) {
                    kvb_py_serve_setting(py, row->package, &item->items[k], words);
                }
            }
        } else if (!is_foreign_key(item->key)) {
            kvb_py_serve_setting(py, row->package, item, words);
        }
    }
}

// ---- emitting

struct kvb_container kvb_py_container(const struct kvb_py *py, size_t offset)
{
    struct kvb_container container = py->around;
    container.kind = "python";
    container.offset = offset;
    container.image_offset = KVB_NOWHERE;
    container.words = (struct kvb_words){0};
    return container;
}

static bool is_remote(const struct kvb_py_class *row, const struct kvb_py_value *arguments)
{
    for (size_t i = 0; i < sizeof row->package->remotes / sizeof row->package->remotes[0]; i++) {
        const char *key = row->package->remotes[i];
        if (key != NULL && kvb_py_item(arguments, key) != NULL) {
            return true;
        }
    }
    return false;
}

static void emit_engine(struct kvb_py *py, const struct kvb_py_class *row, const struct kvb_py_value *arguments,
                        size_t offset)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    const struct kvb_py_value *model = kvb_py_item(arguments, row->model);
    bool placed = model == NULL && arguments->count > 0 && arguments->items[0].key == NULL;
    model = placed ? &arguments->items[0] : model;
    bool has_text = model != NULL && model->text != NULL;
    if (is_remote(row, arguments) || arguments->count == 0 || !has_text || py->status != KVB_OK) {
        return;
    }
    struct kvb_container container = kvb_py_container(py, offset);
    container.name = kvb_manifest_join(manifest, row->callee, "()", "");
    container.offline = row->offline;
    serve(py, row->package, model, &container.words);
    add_settings(py, arguments, row, &container.words);
    py->status = kvb_container_emit(manifest, &container);
}

void kvb_py_emit_list(struct kvb_py *py, const struct kvb_py_value *list)
{
    struct kvb_container container = kvb_py_container(py, list->offset);
    if (py->silent > 0 || py->status != KVB_OK || list->kind != KVB_PY_LIST) {
        return;
    }
    kvb_py_words(py, list, &container.words);
    if (kvb_program_find(&container.words).row != NULL && kvb_program_find(&container.words).first < 8) {
        py->status = kvb_container_emit(py->reader.manifest, &container);
    }
}

void kvb_py_emit_text(struct kvb_py *py, const struct kvb_py_value *text)
{
    if (py->silent > 0 || py->status != KVB_OK || strpbrk(text->text, " \n") == NULL ||
        !kvb_text_starts_engine(text->text)) {
        return;
    }
    struct kvb_container like = kvb_py_container(py, KVB_NOWHERE);
    like.strict = true;
    py->status = kvb_shell_read(py->reader.manifest, text->text, text->offset, &like);
}

// ---- calls

static void take_gpu(struct kvb_py *py, const struct kvb_py_value *arguments)
{
    for (uint32_t i = 0; i < arguments->count; i++) {
        const struct kvb_py_value *item = &arguments->items[i];
        if (item->key != NULL && kvb_gpu_is_hint(item->key) && item->kind == KVB_PY_TEXT) {
            kvb_gpu_hint(py->reader.manifest, item->key, item->text, item->offset, &py->around);
        }
        if (item->kind == KVB_PY_MAPPING) { // resources={"gpu": 1, "gpu_type": "nvidia-l4"}
            take_gpu(py, item);
        }
    }
}

// parser.add_argument("--model", default="x"): what args.model is when nobody says otherwise.
static void take_argument(struct kvb_py *py, const struct kvb_py_value *arguments)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    const struct kvb_py_value *fallback = kvb_py_item(arguments, "default");
    for (uint32_t i = 0; fallback != NULL && i < arguments->count; i++) {
        const struct kvb_py_value *flag = &arguments->items[i];
        if (flag->key == NULL && flag->kind == KVB_PY_TEXT && kvb_starts_with(flag->text, "--")) {
            char name[96];
            (void)kvb_copy(name, sizeof name, flag->text + 2);
            for (char *c = name; *c != '\0'; c++) {
                *c = *c == '-' ? '_' : *c;
            }
            struct kvb_py_value value = *fallback;
            value.key = NULL;
            kvb_py_set(py, kvb_manifest_join(manifest, "args.", name, ""), &value);
        }
    }
}

// os.environ.get("MODEL", "x"), os.getenv, str(...), int(...), dict(...), modal.gpu.H100(count=2).
static void take_known(struct kvb_py *py, const char *callee, const struct kvb_py_value *arguments,
                       struct kvb_py_value *result)
{
    size_t offset = result->offset;
    const char *name = last_part(callee);
    bool look_up = strcmp(callee, "os.environ.get") == 0 || strcmp(callee, "os.getenv") == 0 ||
                   strcmp(callee, "getenv") == 0 || strcmp(callee, "environ.get") == 0;
    bool cast = strcmp(name, "str") == 0 || strcmp(name, "int") == 0 || strcmp(name, "float") == 0 ||
                strcmp(name, "Path") == 0 || strcmp(name, "list") == 0 || strcmp(name, "asdict") == 0;
    bool configuration = kvb_ends_with(name, "TransferConfig") || kvb_ends_with(name, "CompilationConfig") ||
                         kvb_ends_with(name, "SpeculativeConfig");
    if (look_up && arguments->count > 0 && arguments->items[0].text != NULL) {
        const char *value = kvb_variable_value(py->reader.manifest, NULL, arguments->items[0].text);
        kvb_variable_set(py->reader.manifest, &py->reader.manifest->asked, arguments->items[0].text, "", offset, false);
        *result = arguments->count > 1 ? arguments->items[1] : *result;
        result->unknown = arguments->count > 1 ? result->unknown : arguments->items[0].text;
        if (value != NULL) {
            *result = (struct kvb_py_value){.kind = KVB_PY_TEXT, .text = value, .offset = result->offset};
        }
    } else if (cast && arguments->count == 1) {
        *result = arguments->items[0];
    } else if (strcmp(name, "dict") == 0 || configuration) {
        *result = *arguments;
        result->kind = KVB_PY_MAPPING;
    } else if (kvb_starts_with(callee, "modal.gpu.") || kvb_starts_with(callee, "gpu.")) {
        const struct kvb_py_value *count = kvb_py_item(arguments, "count"), *size = kvb_py_item(arguments, "size");
        const char *text = kvb_manifest_join(py->reader.manifest, name, size != NULL && size->text ? ":" : "",
                                             size != NULL && size->text ? size->text : "");
        text = kvb_manifest_join(py->reader.manifest, text, ":", count != NULL && count->text ? count->text : "1");
        *result = (struct kvb_py_value){.kind = KVB_PY_TEXT, .text = text, .offset = result->offset};
    }
}

// LLMConfig(model_loading_config=..., engine_kwargs=...) of Ray Serve.
static void emit_ray(struct kvb_py *py, const struct kvb_py_value *arguments, size_t offset)
{
    static const struct kvb_py_value none;
    struct kvb_manifest *manifest = py->reader.manifest;
    const struct kvb_py_value *loading = kvb_py_item(arguments, "model_loading_config");
    const struct kvb_py_value *engine = kvb_py_item(arguments, "engine_kwargs");
    const struct kvb_py_value *id = loading != NULL ? kvb_py_item(loading, "model_id") : NULL;
    const struct kvb_py_value *source = loading != NULL ? kvb_py_item(loading, "model_source") : NULL;
    const struct kvb_py_value *model = source != NULL && source->text != NULL ? source : id;
    if (model == NULL || model->text == NULL || py->status != KVB_OK) {
        return;
    }
    struct kvb_container container = kvb_py_container(py, offset);
    const struct kvb_py_value *server = kvb_py_item(arguments, "server_cls");
    const struct kvb_py_package *package = kvb_py_package_in(server != NULL ? server->text : NULL);
    container.name = "LLMConfig()";
    serve(py, package, model, &container.words);
    const struct kvb_py_value *settings = engine != NULL ? engine : &none;
    for (uint32_t i = 0; i < settings->count; i++) {
        if (settings->items[i].key != NULL) {
            kvb_py_serve_setting(py, package, &settings->items[i], &container.words);
        }
    }
    py->status = kvb_container_emit(manifest, &container);
}

void kvb_py_call(struct kvb_py *py, const char *callee, const struct kvb_py_value *arguments, size_t offset,
                 struct kvb_py_value *result)
{
    const char *name = last_part(callee);
    take_known(py, callee, arguments, result);
    take_gpu(py, arguments);
    if (strcmp(name, "add_argument") == 0) {
        take_argument(py, arguments);
    }
    kvb_py_training(py, name, arguments, offset);
    if (strcmp(name, "LLMConfig") == 0) {
        emit_ray(py, arguments, offset);
    }
    const struct kvb_py_class *row = kvb_py_class_of(py->imports, name);
    if (row != NULL) {
        emit_engine(py, row, arguments, offset);
    }
    for (uint32_t i = 0; i < arguments->count && py->silent == 0; i++) {
        if (arguments->items[i].kind == KVB_PY_LIST && arguments->items[i].named == NULL) {
            kvb_py_emit_list(py, &arguments->items[i]);
        }
    }
}
