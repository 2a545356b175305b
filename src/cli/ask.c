// A request in JSON is turned into the words of a command line and the text it brings, and answered by the same
// command.
#include <kvbudget/ask.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run.h"
#include "report/json_writer.h"
#include "report/problems.h"
#include "text/strict.h"
#include "text/tree.h"
#include "text/tree_text.h"

#define ERROR_SCHEMA "kvbudget.error/1"
#define WORDS_MAX 512
#define LINE_NAME "line.sh"
#define LOG_NAME "log"
#define DEPLOYMENT_NAME "deployment.yaml"

struct asking {
    struct kvb_tree tree;
    const struct command_row *command;
    unsigned long failures_before;
    struct kvb_arena arena; // of the words
    struct kvb_buffer text; // written for the command to read
    struct given_text given;
    int count;
    const char *words[WORDS_MAX];
    const struct kvb_node *line; // a list of words, which come last
    struct kvb_problems problems;
};

// What a member of the request does; members without a row are flags.
typedef enum kvb_status member_reader(struct asking *asking, const struct kvb_node *node);
struct member_row {
    const char *key;
    member_reader *read;
};

static enum kvb_status refuse_under(struct asking *asking, const char *key, const struct kvb_node *node,
                                    const char *why)
{
    return kvb_problem_add(&asking->problems, KVB_ERROR, KVB_BAD_ARGUMENT, kvb_node_place(&asking->tree, node),
                           "%s: %s", key, why);
}

static enum kvb_status refuse(struct asking *asking, const struct kvb_node *node, const char *why)
{
    return refuse_under(asking, node->key != NULL ? node->key : "request", node, why);
}

static enum kvb_status out_of_memory(struct asking *asking)
{
    return kvb_problem_add(&asking->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
}

static enum kvb_status add_word(struct asking *asking, const char *word)
{
    if (asking->count == WORDS_MAX) {
        return kvb_problem_add(&asking->problems, KVB_ERROR, KVB_OUT_OF_RANGE, (struct kvb_place){0},
                               "more than %d words", WORDS_MAX);
    }
    asking->words[asking->count++] = word;
    return KVB_OK;
}

// "--max-model-len=4096"; a value is never taken for a flag.
static enum kvb_status add_flag(struct asking *asking, const char *key, const char *value, const char *before)
{
    size_t capacity = strlen(before) + strlen(key) + (value != NULL ? strlen(value) : 0) + 2;
    char *word = kvb_arena_take(&asking->arena, capacity);
    if (word == NULL) {
        return out_of_memory(asking);
    }
    (void)snprintf(word, capacity, "%s%s%s%s", before, key, value != NULL ? "=" : "", value != NULL ? value : "");
    for (char *c = word + strlen(before); *c != '\0' && *c != '='; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return add_word(asking, word);
}

static bool is_word(const struct kvb_node *node, const char *word)
{
    return !node->quoted && strcmp(node->text, word) == 0;
}

static enum kvb_status read_flag_value(struct asking *asking, const char *key, const struct kvb_node *node)
{
    if (node->kind != KVB_NODE_SCALAR) {
        return refuse_under(asking, key, node, "expected a text, a number, true or false, or a list of them");
    }
    if (kvb_node_is_null(node)) {
        return KVB_OK;
    }
    bool on = is_word(node, "true"), off = is_word(node, "false");
    return add_flag(asking, key, on || off ? NULL : node->text, off ? "--no-" : "--");
}

// A value that is JSON, or a list of numbers, as the flag takes it.
static enum kvb_status add_json(struct asking *asking, const struct kvb_node *node)
{
    struct kvb_buffer json;
    kvb_buffer_init(&json);
    kvb_node_write_json(&json, node);
    enum kvb_status status =
        json.failed ? out_of_memory(asking) : add_flag(asking, node->key, kvb_buffer_text(&json), "--");
    kvb_buffer_free(&json);
    return status;
}

// 8192,16384: what a sweep varies.
static enum kvb_status add_varied(struct asking *asking, const struct kvb_node *node)
{
    struct kvb_buffer values;
    enum kvb_status status = KVB_OK;
    kvb_buffer_init(&values);
    for (const struct kvb_node *each = node->first; status == KVB_OK && each != NULL; each = each->next) {
        bool fine = each->kind == KVB_NODE_SCALAR && !kvb_node_is_null(each);
        status = fine ? KVB_OK : refuse_under(asking, node->key, each, "expected texts or numbers");
        kvb_buffer_printf(&values, "%s%s", each == node->first ? "" : ",", fine ? each->text : "");
    }
    if (status == KVB_OK) {
        status = values.failed ? out_of_memory(asking) : add_flag(asking, node->key, kvb_buffer_text(&values), "--");
    }
    kvb_buffer_free(&values);
    return status;
}

static const struct option_row *row_of(const struct asking *asking, struct option_list *list, const char *key)
{
    char name[128];
    size_t length = strlen(key);
    if (length + 3 > sizeof name) {
        return NULL;
    }
    (void)snprintf(name, sizeof name, "--%s", key);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    kvb_options_build(list, asking->command->option_sets, NULL);
    return kvb_options_find(list, name, length + 2);
}

static enum kvb_status read_flag(struct asking *asking, const struct kvb_node *node)
{
    enum kvb_status status = KVB_OK;
    struct option_list list;
    const struct option_row *row = node->kind != KVB_NODE_SCALAR ? row_of(asking, &list, node->key) : NULL;
    bool json = row != NULL && row->argument != NULL && strcmp(row->argument, "JSON") == 0;
    bool sequence = node->kind == KVB_NODE_SEQUENCE;
    if ((json && !sequence) || (sequence && row != NULL && row->list)) {
        return add_json(asking, node);
    }
    if (sequence && row != NULL && asking->command->varies && !row->repeatable && node->first != NULL) {
        return add_varied(asking, node);
    }
    if (!sequence) {
        return read_flag_value(asking, node->key, node);
    }
    for (const struct kvb_node *each = node->first; status == KVB_OK && each != NULL; each = each->next) {
        status = read_flag_value(asking, node->key, each);
    }
    return status;
}

static enum kvb_status give(struct asking *asking, const struct kvb_node *node, const char *name, const char *text)
{
    if (asking->given.name != NULL) {
        return refuse(asking, node, "one of deployment, line and log at a time");
    }
    asking->given = (struct given_text){name, text, strlen(text)};
    return add_word(asking, name);
}

static enum kvb_status read_deployment(struct asking *asking, const struct kvb_node *node)
{
    if (node->kind != KVB_NODE_MAPPING) {
        return refuse(asking, node, "expected an object with the keys of a deployment profile");
    }
    kvb_node_write_at_place(&asking->text, node, "kind: deployment, schema: 1, ");
    return asking->text.failed ? out_of_memory(asking) : give(asking, node, DEPLOYMENT_NAME, asking->text.data);
}

static enum kvb_status read_line(struct asking *asking, const struct kvb_node *node)
{
    if (node->kind == KVB_NODE_SCALAR) {
        return give(asking, node, LINE_NAME, node->text);
    }
    for (const struct kvb_node *each = node->first; each != NULL; each = each->next) {
        if (node->kind != KVB_NODE_SEQUENCE || each->kind != KVB_NODE_SCALAR) {
            return refuse(asking, node, "expected a text or a list of words");
        }
    }
    asking->line = node;
    return KVB_OK;
}

static enum kvb_status read_log(struct asking *asking, const struct kvb_node *node)
{
    return node->kind == KVB_NODE_SCALAR ? give(asking, node, LOG_NAME, node->text)
                                         : refuse(asking, node, "expected the text of a log");
}

static enum kvb_status read_paths(struct asking *asking, const struct kvb_node *node)
{
    enum kvb_status status = node->kind == KVB_NODE_SEQUENCE ? KVB_OK : refuse(asking, node, "expected a list");
    for (const struct kvb_node *each = node->first; status == KVB_OK && each != NULL; each = each->next) {
        status = each->kind == KVB_NODE_SCALAR && each->text[0] != '-'
                     ? add_word(asking, each->text)
                     : refuse_under(asking, node->key, each, "expected a path");
    }
    return status;
}

static enum kvb_status read_nothing(struct asking *asking, const struct kvb_node *node)
{
    (void)asking;
    (void)node;
    return KVB_OK;
}

static enum kvb_status refuse_writing(struct asking *asking, const struct kvb_node *node)
{
    return refuse(asking, node, "a request writes no file and chooses no format");
}

static const struct member_row members[] = {
    {"command", read_nothing}, {"deployment", read_deployment}, {"line", read_line},       {"log", read_log},
    {"paths", read_paths},     {"append", refuse_writing},      {"init", refuse_writing},  {"format", refuse_writing},
    {"json", refuse_writing},  {"quiet", refuse_writing},       {"color", refuse_writing},
};

static enum kvb_status read_member(struct asking *asking, const struct kvb_node *node)
{
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].key, node->key) == 0) {
            return members[i].read(asking, node);
        }
    }
    return read_flag(asking, node);
}

// The words of a list behind --, after all flags.
static enum kvb_status add_line(struct asking *asking)
{
    enum kvb_status status = asking->line != NULL ? add_word(asking, "--") : KVB_OK;
    const struct kvb_node *each = asking->line != NULL ? asking->line->first : NULL;
    for (; status == KVB_OK && each != NULL; each = each->next) {
        status = add_word(asking, each->text);
    }
    return status;
}

static enum kvb_status find_command(struct asking *asking)
{
    const struct kvb_node *node = kvb_node_get(asking->tree.root, "command");
    const char *named = node == NULL ? "plan" : node->kind == KVB_NODE_SCALAR ? node->text : "";
    asking->command = kvb_commands_find(named);
    if (asking->command == NULL || asking->command->schema == NULL) {
        return refuse(asking, node, "expected a command with a JSON document, such as plan, explain or check");
    }
    return KVB_OK;
}

static enum kvb_status read_request(struct asking *asking, const char *request, size_t length)
{
    enum kvb_status status = kvb_tree_read(&asking->tree, "request", request, length, &asking->problems);
    if (status != KVB_OK) {
        return status;
    }
    if (asking->tree.root->kind != KVB_NODE_MAPPING) {
        return refuse(asking, asking->tree.root, "expected an object");
    }
    status = find_command(asking);
    if (status == KVB_OK) {
        status = add_word(asking, "--json");
    }
    for (const struct kvb_node *node = asking->tree.root->first; status == KVB_OK && node != NULL; node = node->next) {
        status = read_member(asking, node);
    }
    return status == KVB_OK ? add_line(asking) : status;
}

static void write_trouble(struct kvb_buffer *answer, const char *schema, int code, const struct kvb_problems *problems)
{
    struct kvb_json json;
    kvb_buffer_free(answer);
    kvb_buffer_init(answer);
    kvb_json_init(&json, answer);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", schema);
    kvb_json_number(&json, "exit_code", code);
    kvb_render_problems_json(&json, problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}

static void run_command(struct asking *asking, struct kvb_buffer *answer)
{
    struct arguments *arguments = kvb_run_begin(asking->command);
    if (arguments == NULL) {
        answer->failed = true;
        return;
    }
    arguments->failures_before = asking->failures_before; // reading the request belongs to it
    arguments->given = asking->given;
    int code = kvb_run_words(arguments, asking->count, asking->words, answer);
    if (code > 1 && !arguments->answered) {
        write_trouble(answer, asking->command->schema, code, &arguments->problems);
    }
    kvb_run_end(arguments);
}

static void answer_request(struct asking *asking, const char *request, size_t length, struct kvb_buffer *answer)
{
    enum kvb_status status = read_request(asking, request, length);
    if (status == KVB_OK) {
        run_command(asking, answer);
    } else {
        write_trouble(answer, ERROR_SCHEMA, kvb_status_exit_code(status), &asking->problems);
    }
}

static void answer_into(const char *request, size_t length, struct kvb_buffer *answer)
{
    unsigned long failures = kvb_memory_failures();
    struct asking *asking = kvb_reallocate(NULL, sizeof *asking);
    kvb_buffer_init(answer);
    if (asking == NULL) {
        answer->failed = true;
        return;
    }
    memset(asking, 0, sizeof *asking);
    asking->failures_before = failures;
    kvb_problems_init(&asking->problems);
    kvb_buffer_init(&asking->text);
    kvb_arena_init(&asking->arena);
    answer_request(asking, request, length, answer);
    kvb_tree_free(&asking->tree);
    kvb_arena_free(&asking->arena);
    kvb_buffer_free(&asking->text);
    kvb_free(asking);
}

char *kvb_ask(const char *request)
{
    struct kvb_buffer answer;
    answer_into(request, strlen(request), &answer);
    if (answer.failed) {
        kvb_buffer_free(&answer);
        return NULL;
    }
    return answer.data;
}

void kvb_ask_free(char *document)
{
    kvb_free(document);
}

size_t kvb_ask_into(const char *request, size_t length, char *document, size_t capacity)
{
    struct kvb_buffer answer;
    answer_into(request, length, &answer);
    size_t needed = answer.failed ? 0 : answer.length;
    size_t kept = needed < capacity ? needed : capacity - (capacity > 0 ? 1 : 0);
    if (capacity > 0) {
        memcpy(document, needed > 0 ? answer.data : "", kept);
        document[kept] = '\0';
    }
    kvb_buffer_free(&answer);
    return needed;
}
