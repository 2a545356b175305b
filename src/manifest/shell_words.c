// Words of shell text: quotes, continued lines, variables and arrays put in their place.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/manifest_reader.h"
#include "manifest/shell.h"

// One word while it is read.
struct reading {
    struct kvb_buffer text;
    bool started; // also true of ''
    const char *unknown;
    const char *begin;
};

bool kvb_shell_ends_word(const struct shell *shell, char c)
{
    return c == '\0' || strchr(" \t\r\n", c) != NULL || (shell->commands && strchr(";&|()<>", c) != NULL);
}

// Text that is the file itself has its offset; other text is looked up behind the word before it.
static void locate(struct shell *shell, const char *begin)
{
    if (shell->text == shell->manifest->text) {
        shell->offset = (size_t)(begin - shell->text);
        return;
    }
    size_t plain = strcspn(begin, "'\"\\$ \t\r\n;&|()<>");
    plain = plain > 0 ? plain : 1;
    size_t found = kvb_source_find(shell->manifest, shell->cursor, begin, plain);
    if (found != KVB_NOWHERE) {
        shell->offset = found;
        shell->cursor = found + plain;
    }
}

// A word that grows beyond any command line ends the reading.
static void judge_length(struct shell *shell, const struct reading *reading)
{
    if (reading->text.length > KVB_EXPANDED_MAX) {
        shell->manifest->too_large = shell->manifest->out_of_memory = true;
    }
}

static void finish_word(struct shell *shell, struct reading *reading, struct kvb_words *words)
{
    struct kvb_manifest *manifest = shell->manifest;
    if (reading->started) {
        locate(shell, reading->begin);
        kvb_words_add(manifest, words,
                      (struct kvb_arg){kvb_manifest_keep(manifest, &reading->text), shell->offset, reading->unknown});
    }
    kvb_buffer_free(&reading->text);
    reading->started = false;
    reading->unknown = NULL;
}

// An unquoted value falls apart at its blanks.
static void add_split(struct shell *shell, struct reading *reading, const char *value, struct kvb_words *words)
{
    for (; *value != '\0'; value++) {
        if (*value == ' ' || *value == '\t' || *value == '\n') {
            finish_word(shell, reading, words);
        } else {
            reading->started = true;
            kvb_buffer_add_n(&reading->text, value, 1);
        }
    }
}

// What stands before an array in its word is a word of its own; an opening quote alone is none.
static void finish_before(struct shell *shell, struct reading *reading, struct kvb_words *words)
{
    reading->started = reading->started && (reading->text.length > 0 || reading->unknown != NULL);
    finish_word(shell, reading, words);
}

// Behind "NAME[@]}", or NAME[@]+"${NAME[@]}"}, which is nothing where the array is not set; 0: it is neither.
static size_t array_end(const char *name, size_t length)
{
    const char *at = name + length;
    if (!kvb_starts_with(at, "[@]") && !kvb_starts_with(at, "[*]")) {
        return 0;
    }
    at += 3;
    if (*at == '}') {
        return (size_t)(at + 1 - name);
    }
    at += kvb_starts_with(at, ":+") ? 2 : *at == '+';
    at += *at == '"';
    bool same = kvb_starts_with(at, "${") && strncmp(at + 2, name, length + 3) == 0;
    at += same ? length + 5 : 0;
    same = same && *at == '}';
    at += same ? 1 + (at[1] == '"') : 0;
    return same && *at == '}' ? (size_t)(at + 1 - name) : 0;
}

// "${NAME[@]}": the words of an array, or none when it is not known.
static size_t add_array(struct shell *shell, struct reading *reading, struct kvb_words *words)
{
    size_t whole = shell->at[1] == '@' || shell->at[1] == '*' ? 2 : kvb_starts_with(shell->at, "${@}") ? 4 : 0;
    const struct kvb_variable *given = whole > 0 ? kvb_variable_find(shell->variables, "@") : NULL;
    if (given != NULL && given->list != NULL) {
        finish_before(shell, reading, words);
        kvb_words_append(shell->manifest, words, given->list);
        return whole;
    }
    if (shell->at[1] != '{') {
        return 0;
    }
    const char *name = shell->at + 2;
    size_t length = strspn(name, KVB_SHELL_NAME_CHARACTERS);
    size_t end = array_end(name, length);
    if (end == 0 || length == 0) {
        return 0;
    }
    const struct kvb_variable *variable =
        kvb_variable_find(shell->variables, kvb_manifest_copy(shell->manifest, name, length));
    if (variable != NULL && variable->list != NULL) {
        finish_before(shell, reading, words);
        kvb_words_append(shell->manifest, words, variable->list);
    }
    return end + 2;
}

static void add_reference(struct shell *shell, struct reading *reading, bool quoted, struct kvb_words *words)
{
    const char *value = NULL, *name = NULL;
    size_t length = shell->dollar == KVB_DOLLAR_SHELL ? add_array(shell, reading, words) : 0;
    if (length > 0) {
        shell->at += length;
        return;
    }
    length = kvb_expand_one(shell->manifest, shell->at, shell->dollar, shell->variables, &value, &name);
    if (length > 0 && value != NULL && !quoted) {
        add_split(shell, reading, value, words);
    } else if (length > 0 && value != NULL) {
        reading->started = true;
        kvb_buffer_add(&reading->text, value);
    } else {
        reading->started = true;
        reading->unknown = length > 0 && reading->unknown == NULL ? name : reading->unknown;
        kvb_buffer_add_n(&reading->text, shell->at, length > 0 ? length : 1);
    }
    shell->at += length > 0 ? length : 1;
}

static void read_single_quotes(struct shell *shell, struct reading *reading)
{
    const char *begin = ++shell->at;
    const char *end = strchr(begin, '\'');
    size_t length = end != NULL ? (size_t)(end - begin) : strlen(begin);
    struct kvb_manifest *manifest = shell->manifest;
    if (shell->dollar == KVB_DOLLAR_COMPOSE) { // compose replaces variables before it splits words
        const char *text = kvb_expand(manifest, kvb_manifest_copy(manifest, begin, length), shell->dollar,
                                      shell->variables, &reading->unknown);
        kvb_buffer_add(&reading->text, text);
    } else {
        kvb_buffer_add_n(&reading->text, begin, length);
    }
    shell->at = end != NULL ? end + 1 : begin + length;
}

static void read_double_quotes(struct shell *shell, struct reading *reading, struct kvb_words *words)
{
    shell->at++;
    while (*shell->at != '\0' && *shell->at != '"' && reading->text.length <= KVB_EXPANDED_MAX) {
        if (*shell->at == '\\' && shell->at[1] != '\0' && strchr("\"\\$`\n", shell->at[1]) != NULL) {
            if (shell->at[1] != '\n') {
                kvb_buffer_add_n(&reading->text, shell->at + 1, 1);
            }
            shell->at += 2;
        } else if (*shell->at == '$') {
            add_reference(shell, reading, true, words);
        } else {
            kvb_buffer_add_n(&reading->text, shell->at++, 1);
        }
    }
    shell->at += *shell->at == '"';
}

// Skips `...` as the unknown it is.
static void read_backticks(struct shell *shell, struct reading *reading)
{
    const char *end = strchr(shell->at + 1, '`');
    size_t length = end != NULL ? (size_t)(end + 1 - shell->at) : strlen(shell->at);
    reading->unknown = kvb_manifest_copy(shell->manifest, shell->at, length < 80 ? length : 80);
    kvb_buffer_add_n(&reading->text, shell->at, length);
    shell->at += length;
}

// One part of a word: quoted, escaped, a reference or a run of plain characters.
static void read_part(struct shell *shell, struct reading *reading, struct kvb_words *words)
{
    char c = *shell->at;
    if (!reading->started) {
        reading->begin = shell->at;
    }
    if (c == '$') {
        add_reference(shell, reading, false, words);
        return;
    }
    reading->started = true;
    if (c == '\'') {
        read_single_quotes(shell, reading);
    } else if (c == '"') {
        read_double_quotes(shell, reading, words);
    } else if (c == '`' && shell->commands) {
        read_backticks(shell, reading);
    } else if (c == '\\' && shell->at[1] != '\0') {
        kvb_buffer_add_n(&reading->text, shell->at + 1, 1);
        shell->at += 2;
    } else {
        kvb_buffer_add_n(&reading->text, shell->at++, 1);
    }
}

size_t kvb_shell_joined(const char *at)
{
    if (at[0] != '\\') {
        return 0;
    }
    return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

void kvb_shell_read_word(struct shell *shell, struct kvb_words *words)
{
    struct reading reading = {.begin = shell->at};
    kvb_buffer_init(&reading.text);
    while (!kvb_shell_ends_word(shell, *shell->at)) {
        size_t joined = kvb_shell_joined(shell->at);
        if (joined > 0) {
            shell->at += joined;
        } else {
            read_part(shell, &reading, words);
            judge_length(shell, &reading);
        }
        if (shell->manifest->out_of_memory) {
            shell->at += strlen(shell->at); // what follows is not read
        }
    }
    finish_word(shell, &reading, words);
}

void kvb_shell_split(struct kvb_manifest *manifest, const char *text, size_t offset, enum kvb_dollar dollar,
                     const struct kvb_variable *variables, struct kvb_words *words)
{
    struct shell shell = {.manifest = manifest,
                          .text = text,
                          .at = text,
                          .offset = offset,
                          .cursor = offset,
                          .dollar = dollar,
                          .variables = variables};
    while (*shell.at != '\0' && !manifest->out_of_memory) {
        size_t joined = kvb_shell_joined(shell.at);
        if (joined > 0) {
            shell.at += joined;
        } else if (kvb_shell_ends_word(&shell, *shell.at)) {
            shell.at++;
        } else {
            kvb_shell_read_word(&shell, words);
        }
    }
}
