// The schema command: a JSON Schema of a command's document, or of the requests of kvb_ask, made from the rows of
// objects, settings, flags and keys of profiles.
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/schema_rows.h"
#include "report/json_writer.h"

#define KEY_CAPACITY 64
#define DIALECT "https://json-schema.org/draft/2020-12/schema"

struct key {
    char name[KEY_CAPACITY], types[KEY_CAPACITY], object[KEY_CAPACITY];
    bool optional;
};

// The key at *at, which moves behind it; false at the end.
static bool next_key(const char **at, struct key *key)
{
    size_t word = strcspn(*at, " "), name = strcspn(*at, ": ");
    if (word == 0 || name >= KEY_CAPACITY || word - name >= KEY_CAPACITY) {
        return false;
    }
    memset(key, 0, sizeof *key);
    memcpy(key->name, *at, name);
    size_t types = strspn(*at + name + 1, "tinbol0");
    memcpy(key->types, *at + name + 1, types);
    const char *rest = *at + name + 1 + types;
    key->optional = *rest == '?';
    rest += key->optional;
    if (*rest == '=') {
        memcpy(key->object, rest + 1, (size_t)(*at + word - rest - 1));
    }
    *at += word + ((*at)[word] == ' ');
    return true;
}

static void write_types(struct kvb_json *json, const char *types)
{
    static const char *const names[] = {['t'] = "string", ['i'] = "integer", ['n'] = "number", ['b'] = "boolean",
                                        ['o'] = "object", ['l'] = "array",   ['0'] = "null"};
    kvb_json_open_list(json, "type");
    for (; *types != '\0'; types++) {
        kvb_json_text(json, NULL, names[(unsigned char)*types]);
    }
    kvb_json_close_list(json);
}

static void write_reference(struct kvb_json *json, const char *object)
{
    char path[KEY_CAPACITY + 16] = "#/$defs/";
    strncat(path, object, KEY_CAPACITY);
    kvb_json_text(json, "$ref", path);
}

// Null or the object; a list of objects or of texts; a plain value.
static void write_key(struct kvb_json *json, const struct key *key)
{
    kvb_json_open_object(json, key->name);
    if (strchr(key->types, 'l') != NULL) {
        write_types(json, key->types);
        kvb_json_open_object(json, "items");
        if (key->object[0] != '\0') {
            write_reference(json, key->object);
        } else {
            kvb_json_text(json, "type", "string");
        }
        kvb_json_close_object(json);
    } else if (strchr(key->types, 'o') != NULL && key->object[0] != '\0') {
        kvb_json_open_list(json, "anyOf");
        kvb_json_open_object(json, NULL);
        write_reference(json, key->object);
        kvb_json_close_object(json);
        if (strchr(key->types, '0') != NULL) {
            kvb_json_open_object(json, NULL);
            kvb_json_text(json, "type", "null");
            kvb_json_close_object(json);
        }
        kvb_json_close_list(json);
    } else {
        write_types(json, key->types);
    }
    kvb_json_close_object(json);
}

static void write_required(struct kvb_json *json, const char *keys)
{
    struct key key;
    kvb_json_open_list(json, "required");
    while (next_key(&keys, &key)) {
        if (!key.optional) {
            kvb_json_text(json, NULL, key.name);
        }
    }
    kvb_json_close_list(json);
}

static void write_object(struct kvb_json *json, const struct schema_object *object)
{
    struct key key;
    const char *at = object->keys;
    kvb_json_open_object(json, object->name);
    if (object->keys[0] != '\0') {
        kvb_json_text(json, "type", "object");
        kvb_json_open_object(json, "properties");
        while (next_key(&at, &key)) {
            write_key(json, &key);
        }
        kvb_json_close_object(json);
        write_required(json, object->keys);
    }
    kvb_json_close_object(json);
}

static const char *types_of(enum kvb_value_kind kind)
{
    switch (kind) {
    case KVB_VALUE_PPM:
    case KVB_VALUE_GIB:
        return "n0";
    case KVB_VALUE_COUNT:
        return "i0";
    case KVB_VALUE_LENGTH:
        return "it0";
    case KVB_VALUE_SWITCH:
        return "b0";
    case KVB_VALUE_WORD:
        return "t0";
    case KVB_VALUE_PART:
        return "tnbol0";
    }
    return "tnbol0";
}

// Every setting with its help, or where each comes from.
static void write_settings(struct kvb_json *json, bool origin)
{
    kvb_json_open_object(json, origin ? "origin" : "settings");
    kvb_json_text(json, "type", "object");
    kvb_json_open_object(json, "properties");
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of((enum kvb_setting)i);
        kvb_json_open_object(json, row->key);
        kvb_json_text_or_null(json, "description", row->help);
        write_types(json, origin ? "t0" : types_of(row->kind));
        kvb_json_close_object(json);
    }
    if (!origin) {
        kvb_json_open_object(json, "origin");
        write_reference(json, "origin");
        kvb_json_close_object(json);
    }
    kvb_json_close_object(json);
    kvb_json_close_object(json);
}

// The answer, or what says that there is none.
static void write_document(struct kvb_json *json, const struct command_row *command)
{
    size_t count;
    const struct schema_object *rows = kvb_schema_objects(&count);
    kvb_json_text(json, "title", command->schema);
    kvb_json_text(json, "description", command->summary);
    kvb_json_open_list(json, "anyOf");
    kvb_json_open_object(json, NULL);
    write_reference(json, command->name);
    kvb_json_close_object(json);
    kvb_json_open_object(json, NULL);
    write_reference(json, "trouble");
    kvb_json_close_object(json);
    kvb_json_close_list(json);
    kvb_json_open_object(json, "$defs");
    for (size_t i = 0; i < count; i++) {
        write_object(json, &rows[i]);
    }
    write_settings(json, false);
    write_settings(json, true);
    kvb_json_close_object(json);
}

static void write_member(struct kvb_json *json, const char *name, const char *types, const char *help)
{
    char key[KEY_CAPACITY];
    (void)kvb_copy(key, sizeof key, name);
    for (char *c = key; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    kvb_json_open_object(json, key);
    kvb_json_text(json, "description", help);
    write_types(json, types);
    kvb_json_close_object(json);
}

static bool is_written_nowhere(const struct option_row *row)
{
    static const char *const refused[] = {"append", "init", "format", "json", "quiet", "color"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (strcmp(row->name, refused[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool stands_before(const struct option_list *list, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(list->rows[i].name, list->rows[at].name) == 0) {
            return true;
        }
    }
    return false;
}

// Flags of every command, each once: a later command's flag of the same name means the same.
static void write_flags(struct kvb_json *json)
{
    size_t count;
    struct option_list list;
    unsigned sets = 0;
    const struct command_row *rows = kvb_commands_all(&count);
    for (size_t i = 0; i < count; i++) {
        sets |= rows[i].option_sets;
    }
    kvb_options_build(&list, sets, NULL);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct option_row *row = &list.rows[i];
        if (!stands_before(&list, i) && !is_written_nowhere(row)) {
            write_member(json, row->name, row->argument != NULL ? "tnbl0" : "b0", row->help);
        }
    }
}

static void write_commands(struct kvb_json *json)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_json_open_object(json, "command");
    kvb_json_open_list(json, "enum");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].schema != NULL) {
            kvb_json_text(json, NULL, rows[i].name);
        }
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

static void write_request(struct kvb_json *json)
{
    struct kvb_profile_key key;
    kvb_json_text(json, "title", "a request of kvb_ask");
    kvb_json_text(json, "type", "object");
    kvb_json_open_object(json, "properties");
    write_commands(json);
    write_member(json, "line", "tl", "a serve command: a text as one types it, or a list of words");
    write_member(json, "log", "t", "the text of a log");
    write_member(json, "paths", "l", "files and folders, or the words of a command");
    kvb_json_open_object(json, "deployment");
    kvb_json_text(json, "type", "object");
    kvb_json_open_object(json, "properties");
    for (unsigned i = 0; kvb_profile_key_at(KVB_PROFILE_DEPLOYMENT, i, &key); i++) {
        if (key.inside == NULL) {
            kvb_json_open_object(json, key.key);
            kvb_json_text(json, "description", key.help);
            kvb_json_close_object(json);
        }
    }
    kvb_json_close_object(json);
    kvb_json_close_object(json);
    write_flags(json);
    kvb_json_close_object(json);
    kvb_json_bool(json, "additionalProperties", true); // flags of other engines
}

int kvb_run_schema(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct kvb_json json;
    const char *asked = arguments->operands[0];
    const struct command_row *command = kvb_commands_find(asked);
    bool request = strcmp(asked, "request") == 0;
    if (!request && (command == NULL || command->schema == NULL)) {
        return kvb_status_exit_code(kvb_options_mistake(
            arguments, "'%.60s' has no document; expected request or a command with --json", asked));
    }
    kvb_json_init(&json, answer);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "$schema", DIALECT);
    if (request) {
        write_request(&json);
    } else {
        write_document(&json, command);
    }
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
    return 0;
}
