// Reads the file of flags that a serve line names and puts its words in front of the line's own, so that these win.
#include "command/serve_config.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define HERE ((struct kvb_place){0})

struct expanding {
    struct kvb_expanded_line *line;
    struct kvb_serve_reading *reading;
    const struct kvb_serve_beside *beside;
    int config; // the word --config
    uint32_t release;
    bool failed;      // no memory
    bool model_first; // what the file says of the model does not count
    bool model_inside;
};

static enum kvb_status no_memory(const struct expanding *expanding)
{
    return kvb_problem_add(expanding->reading->problems, KVB_ERROR, KVB_NO_MEMORY, HERE, "out of memory");
}

static void add(struct expanding *expanding, const char *word, struct kvb_word_place place)
{
    struct kvb_expanded_line *line = expanding->line;
    if (line->count == line->capacity) {
        int capacity = line->capacity * 2 + expanding->reading->count;
        const char **words = kvb_reallocate(line->words, (size_t)capacity * sizeof *words);
        line->words = words != NULL ? words : line->words;
        struct kvb_word_place *places =
            words != NULL ? kvb_reallocate(line->places, (size_t)capacity * sizeof *places) : NULL;
        if (places == NULL) {
            expanding->failed = true;
            return;
        }
        line->places = places;
        line->capacity = capacity;
    }
    line->words[line->count] = word;
    line->places[line->count++] = place;
}

static bool is_model(const struct kvb_node *node)
{
    return strcmp(node->key, "model") == 0;
}

static void take_word(void *context, const struct kvb_node *node, const char *word)
{
    struct expanding *expanding = context;
    bool dropped = is_model(node) && expanding->model_first;
    char *copy = dropped || expanding->failed ? NULL : kvb_arena_copy(&expanding->line->arena, word, strlen(word));
    expanding->model_inside = expanding->model_inside || is_model(node);
    if (copy != NULL) {
        add(expanding, copy, (struct kvb_word_place){expanding->config, node->key_line, node->key_column});
    }
    expanding->failed = expanding->failed || (copy == NULL && !dropped);
}

// ---- the file

static bool has_ending(const char *path, bool any_case)
{
    const char *dot = strrchr(path, '.');
    const char *ending = dot != NULL ? dot + 1 : path;
    if (any_case) {
        return dot != NULL && dot > path && dot[-1] != '/' &&
               (kvb_equal_ignoring_case(ending, "yaml") || kvb_equal_ignoring_case(ending, "yml"));
    }
    return strcmp(ending, "yaml") == 0 || strcmp(ending, "yml") == 0;
}

static bool says_nothing(const struct kvb_file *file)
{
    for (const char *at = file->text; *at != '\0'; at += *at == '\n') {
        size_t blanks = strspn(at, " \t\r");
        bool empty = at[blanks] == '\n' || at[blanks] == '\0' || at[blanks] == '#';
        if (!empty) {
            return false;
        }
        at += strcspn(at, "\n");
    }
    return true;
}

static enum kvb_status read_mapping(struct expanding *expanding, const struct kvb_tree *tree)
{
    const struct kvb_engine_rows *engine = expanding->reading->engine;
    const struct kvb_config_form how = {
        .engine = engine, .release = expanding->release, .take = take_word, .context = expanding};
    struct kvb_problems *problems = expanding->reading->problems;
    if (tree->root->kind != KVB_NODE_MAPPING) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(tree, tree->root),
                               "expected keys that are flags of %s, as --config reads them", engine->title);
    }
    if (tree->root->next != NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED, kvb_node_place(tree, tree->root->next),
                               "a second document: %s takes one in a file of --config", engine->title);
    }
    enum kvb_status status = kvb_config_words(&how, tree, tree->root, problems);
    return status == KVB_OK && expanding->failed ? no_memory(expanding) : status;
}

static enum kvb_status read_text(struct expanding *expanding, const struct kvb_file *file)
{
    static const struct kvb_tree_part last = {.repeated_keys = true, .last_counts = true}; // as PyYAML
    struct kvb_tree tree;
    if (expanding->reading->engine->config->may_be_empty && says_nothing(file)) {
        return KVB_OK;
    }
    enum kvb_status status =
        kvb_tree_read_part(&tree, expanding->line->file, file->text, file->length, last, expanding->reading->problems);
    if (status == KVB_OK) {
        status = read_mapping(expanding, &tree);
        kvb_tree_free(&tree);
    }
    return status;
}

static enum kvb_status read_file(struct expanding *expanding)
{
    const struct kvb_serve_reading *reading = expanding->reading;
    const struct kvb_serve_beside *beside = expanding->beside;
    const char *path = reading->words[expanding->config + 1];
    struct kvb_file file;
    expanding->line->file = beside->locate != NULL ? beside->locate(beside->context, path) : path;
    if (!has_ending(path, reading->engine->config->any_case)) {
        return kvb_problem_add(
            reading->problems, KVB_ERROR, KVB_BAD_TYPE, (struct kvb_place){.file = expanding->line->file},
            "%s takes a file of --config only when its name ends in .yaml or .yml", reading->engine->title);
    }
    enum kvb_status status =
        kvb_files_read(beside->files, &file, expanding->line->file, KVB_CONFIG_MAX_BYTES, reading->problems);
    if (status == KVB_OK) {
        status = read_text(expanding, &file);
        kvb_file_free(&file);
    }
    return status;
}

// ---- the line

// The index of --config, as the releases look for it: a word of its own; -1: there is none.
static int find(const struct kvb_serve_reading *reading, int from)
{
    for (int i = from; i < reading->count; i++) {
        if (strcmp(reading->words[i], "--config") == 0) {
            return i;
        }
    }
    return -1;
}

static bool has_model_flag(const struct kvb_serve_reading *reading)
{
    for (int i = reading->at; i < reading->count; i++) {
        if (strcmp(reading->words[i], "--model") == 0 || kvb_starts_with(reading->words[i], "--model=")) {
            return true;
        }
    }
    return false;
}

static enum kvb_status judge_line(const struct expanding *expanding)
{
    const struct kvb_serve_reading *reading = expanding->reading;
    const char *(*refuses)(const struct kvb_config_line *, uint32_t) = reading->engine->config->refuses;
    const char *first = kvb_serve_word(reading, 0), *second = kvb_serve_word(reading, 1);
    const struct kvb_config_line line = {
        .module = reading->deployment->serve_module,
        .model_first = expanding->model_first,
        .model_flag = has_model_flag(reading),
        .config_first = expanding->config == reading->at,
        .splits = first[0] == '-' && strchr(first, '=') == NULL && second[0] != '-',
        .model_inside = expanding->model_inside,
    };
    const char *why = refuses != NULL && !expanding->beside->any_program ? refuses(&line, expanding->release) : NULL;
    return why == NULL ? KVB_OK
                       : kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                                         "in the serve command: with --config %.200s, %s",
                                         reading->words[expanding->config + 1], why);
}

// Every --config goes with its value, whether or not its file could be read: what else the line says is read all the
// same.
static void add_rest(struct expanding *expanding, int from)
{
    const struct kvb_serve_reading *reading = expanding->reading;
    for (int i = from; i < reading->count && !expanding->failed; i++) {
        if (strcmp(reading->words[i], "--config") == 0) {
            i++;
        } else {
            add(expanding, reading->words[i], (struct kvb_word_place){.index = i});
        }
    }
}

static enum kvb_status judge_flag(const struct expanding *expanding)
{
    const struct kvb_serve_reading *reading = expanding->reading;
    if (find(reading, expanding->config + 1) >= 0) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                               "in the serve command: --config is given twice; %s takes one file",
                               reading->engine->title);
    }
    return expanding->config + 1 < reading->count ? KVB_OK
                                                  : kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                                                                    "in the serve command: --config needs a value");
}

static enum kvb_status expand(struct expanding *expanding)
{
    struct kvb_serve_reading *reading = expanding->reading;
    int front = reading->at + (expanding->model_first ? 1 : 0);
    for (int i = 0; i < front && !expanding->failed; i++) {
        add(expanding, reading->words[i], (struct kvb_word_place){.index = i});
    }
    enum kvb_status status = judge_flag(expanding);
    if (status == KVB_OK) {
        status = read_file(expanding);
    }
    if (status == KVB_OK) {
        status = judge_line(expanding);
    }
    add_rest(expanding, front);
    if (expanding->failed) {
        return no_memory(expanding);
    }
    reading->words = expanding->line->words;
    reading->count = expanding->line->count;
    return status;
}

static bool release_reads(const struct expanding *expanding)
{
    const struct kvb_serve_flag *flag = NULL;
    const struct kvb_engine_rows *engine = expanding->reading->engine;
    return engine->config != NULL && kvb_serve_flag_find(engine, "config", 6, &flag) == KVB_SERVE_MATCH &&
           expanding->release >= flag->since;
}

enum kvb_status kvb_line_expand(struct kvb_expanded_line *line, struct kvb_serve_reading *reading,
                                const struct kvb_serve_beside *beside)
{
    const char *said = beside->engine != NULL ? beside->engine : reading->deployment->engine;
    struct expanding expanding = {.line = line, .reading = reading, .beside = beside};
    *line = (struct kvb_expanded_line){0};
    kvb_arena_init(&line->arena);
    expanding.config = find(reading, reading->at);
    expanding.release = kvb_config_release(said);
    if (expanding.config < 0 || !release_reads(&expanding)) {
        return KVB_OK;
    }
    bool positional = (reading->engine->traits & KVB_SERVE_POSITIONAL) != 0 && !reading->deployment->serve_module;
    expanding.model_first = positional && kvb_serve_word(reading, 0)[0] != '-';
    return expand(&expanding);
}

void kvb_expanded_line_free(struct kvb_expanded_line *line)
{
    kvb_arena_free(&line->arena);
    kvb_free(line->words);
    kvb_free(line->places);
    *line = (struct kvb_expanded_line){0};
}
