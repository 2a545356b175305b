// Shell text as commands, never run: assignments, arrays, redirections, loops, here-documents.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"
#include "manifest/shell.h"

static size_t assignment_name(const char *word)
{
    size_t length = strspn(word, KVB_SHELL_NAME_CHARACTERS);
    return length > 0 && (word[0] < '0' || word[0] > '9') && word[length] == '=' ? length : 0;
}

// NAME+=("$WORD") in a loop over several: each of them is added in its turn.
static bool add_loop(struct shell *shell, struct kvb_words *words)
{
    const char *name = shell->at + (*shell->at == '"');
    if (*name != '$') {
        return false;
    }
    name += name[1] == '{' ? 2 : 1;
    size_t length = strspn(name, KVB_SHELL_NAME_CHARACTERS);
    const char *end = name + length;
    end += name[-1] == '{' && *end == '}';
    end += *shell->at == '"' && *end == '"';
    const struct kvb_variable *variable =
        kvb_variable_find(shell->variables, kvb_manifest_copy(shell->manifest, name, length));
    if (*end != ')' || variable == NULL || variable->list == NULL || !variable->loop) {
        return false;
    }
    kvb_words_append(shell->manifest, words, variable->list);
    shell->at = end;
    return true;
}

// NAME+=("$1") of a script that hands on what it was called with: as good as "$@", and as little known.
static void drop_given(struct kvb_words *list, uint32_t before)
{
    bool given = true;
    for (uint32_t i = before; i < list->count; i++) {
        const struct kvb_arg *word = &list->items[i];
        given = given && word->unknown != NULL && word->text[0] == '$' && kvb_is_digit(word->text[1]) &&
                word->text[2] == '\0';
    }
    list->count = given ? before : list->count;
}

// NAME=( words ): an array; the part behind `=(` is at shell->at.
static void read_array(struct shell *shell, const char *word, bool append)
{
    struct kvb_manifest *manifest = shell->manifest;
    struct kvb_words *list = kvb_manifest_take(manifest, sizeof *list);
    struct kvb_variable *variable = kvb_manifest_take(manifest, sizeof *variable);
    if (list == NULL || variable == NULL) {
        return;
    }
    const char *name = kvb_manifest_copy(manifest, word, strcspn(word, "+="));
    const struct kvb_variable *old = append ? kvb_variable_find(shell->variables, name) : NULL;
    if (old != NULL && old->list != NULL) {
        *list = *old->list; // words behind its count are nobody's yet
    }
    uint32_t before = list->count;
    for (shell->at++; *shell->at != '\0' && *shell->at != ')';) {
        size_t joined = kvb_shell_joined(shell->at);
        if (joined > 0) {
            shell->at += joined;
        } else if (*shell->at == '#') {
            shell->at += strcspn(shell->at, "\n");
        } else if (kvb_shell_ends_word(shell, *shell->at)) {
            shell->at++;
        } else if (!append || !add_loop(shell, list)) {
            kvb_shell_read_word(shell, list);
        }
    }
    shell->at += *shell->at == ')';
    if (append) {
        drop_given(list, before);
    }
    if (shell->skipping) {
        return;
    }
    *variable = (struct kvb_variable){
        .name = name, .value = "", .offset = shell->offset, .list = list, .older = shell->variables};
    manifest->too_large = manifest->too_large || ++manifest->variables > KVB_VARIABLES_MAX;
    shell->variables = variable;
}

// `> FILE` and `2>&1`: the operator and the word behind it say nothing about the engine.
static void skip_redirection(struct shell *shell, struct kvb_words *words)
{
    struct kvb_words ignored = {0};
    if (shell->at[0] == '<' && shell->at[1] == '<' && shell->at[2] != '<') {
        kvb_shell_open_body(shell);
        return;
    }
    if (words->count > 0 && shell->at > shell->text && shell->at[-1] >= '0' && shell->at[-1] <= '9' &&
        strlen(words->items[words->count - 1].text) == 1) {
        words->count--;
    }
    shell->writes_file = shell->writes_file || *shell->at == '>';
    shell->at += strspn(shell->at, "<>&");
    shell->at += strspn(shell->at, " \t");
    if (!kvb_shell_ends_word(shell, *shell->at)) {
        kvb_shell_read_word(shell, &ignored);
    }
}

bool kvb_shell_read_command(struct shell *shell, struct kvb_words *words)
{
    shell->writes_file = false;
    shell->ended_by = '\n';
    shell->command = shell->at;
    while (*shell->at != '\0') {
        char c = *shell->at;
        size_t joined = kvb_shell_joined(shell->at);
        if (joined > 0) {
            shell->at += joined;
        } else if (c == '#') {
            shell->at += strcspn(shell->at, "\n");
        } else if (c == ' ' || c == '\t' || c == '\r') {
            shell->at++;
        } else if (c == '\n') {
            shell->at++;
            if (shell->delimiter[0] != '\0') {
                kvb_shell_read_body(shell, words);
            }
            shell->ended_by = '\n';
            return true;
        } else if (c == '<' || c == '>') {
            skip_redirection(shell, words);
        } else if (kvb_shell_ends_word(shell, c)) {
            shell->at++;
            shell->ended_by = c == '&' && *shell->at == '&' ? ';' : c;
            return true;
        } else {
            const char *begin = shell->at;
            kvb_shell_read_word(shell, words);
            if (kvb_shell_is_case(words)) {
                return true;
            }
            size_t length = (size_t)(shell->at - begin);
            if (*shell->at == '(' && length > 1 && begin[length - 1] == '=') {
                words->count -= words->count > 0;
                read_array(shell, begin, begin[length - 2] == '+');
            }
        }
    }
    return false;
}

// Keeps NAME=VALUE words in front, or behind export, as variables of what follows.
static bool keep_assignments(struct shell *shell, const struct kvb_words *words)
{
    static const char *const makers[] = {"export", "declare", "local", "readonly", "set"};
    bool exported = false, only = words->count > 0;
    for (uint32_t i = 0; i < words->count && only; i++) {
        const char *word = words->items[i].text;
        size_t length = assignment_name(word);
        for (size_t k = 0; k < sizeof makers / sizeof makers[0]; k++) {
            exported = exported || (i == 0 && strcmp(word, makers[k]) == 0);
        }
        only = length > 0 || exported;
    }
    for (uint32_t i = 0; i < words->count && only; i++) {
        const struct kvb_arg *word = &words->items[i];
        size_t length = assignment_name(word->text);
        if (length > 0 && word->unknown == NULL) {
            kvb_variable_set(shell->manifest, &shell->variables, kvb_manifest_copy(shell->manifest, word->text, length),
                             word->text + length + 1, word->offset, exported);
        }
    }
    return only;
}

// `for NAME in A B C`: what follows is read for the first of them.
static void take_loop(struct shell *shell, const struct kvb_words *words)
{
    bool loop = words->count > 3 && strcmp(words->items[0].text, "for") == 0 && strcmp(words->items[2].text, "in") == 0;
    struct kvb_words *all = loop ? kvb_manifest_take(shell->manifest, sizeof *all) : NULL;
    struct kvb_variable *variable = all != NULL ? kvb_manifest_take(shell->manifest, sizeof *variable) : NULL;
    if (variable == NULL || words->items[3].unknown != NULL) {
        return;
    }
    kvb_words_from(all, words, 3);
    *variable = (struct kvb_variable){.name = words->items[1].text,
                                      .value = words->items[3].text,
                                      .offset = words->items[3].offset,
                                      .list = all,
                                      .loop = true,
                                      .older = shell->variables};
    shell->manifest->too_large = shell->manifest->too_large || ++shell->manifest->variables > KVB_VARIABLES_MAX;
    shell->variables = variable;
}

// Commands that go on beside each other: what waits for them, ends them or chooses between them starts anew.
static void take_background(struct shell *shell, struct kvb_container *container)
{
    static const char *const ends[] = {"wait", "kill", "pkill", "killall", "else",
                                       "elif", "fi",   "done",  "esac",    "case"};
    const char *word = container->words.count > 0 ? container->words.items[0].text : "";
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (strcmp(word, ends[i]) == 0) {
            shell->group++;
            shell->in_background = false;
        }
    }
    bool background = shell->ended_by == '&';
    if (!shell->like->together) {
        container->together = background || shell->in_background;
        container->by_devices = true;
        container->group = shell->group;
    }
    shell->in_background = shell->in_background || background;
}

enum kvb_status kvb_shell_read(struct kvb_manifest *manifest, const char *text, size_t offset,
                               const struct kvb_container *like)
{
    struct kvb_container own = *like;
    return kvb_shell_continue(manifest, text, offset, &own);
}

enum kvb_status kvb_shell_continue(struct kvb_manifest *manifest, const char *text, size_t offset,
                                   struct kvb_container *like)
{
    struct shell shell = {.manifest = manifest,
                          .text = text,
                          .at = text,
                          .offset = offset,
                          .cursor = offset,
                          .dollar = KVB_DOLLAR_SHELL,
                          .commands = true,
                          .variables = like->variables,
                          .like = like};
    enum kvb_status status = KVB_OK;
    bool more = true;
    while (more && status == KVB_OK && !manifest->out_of_memory) {
        struct kvb_container container = *like;
        container.words = (struct kvb_words){0};
        kvb_shell_leave_if(&shell);
        more = kvb_shell_read_command(&shell, &container.words);
        status = shell.status;
        kvb_shell_take_case(&shell, &container.words);
        kvb_shell_take_if(&shell, &container.words);
        take_loop(&shell, &container.words);
        take_background(&shell, &container);
        if (status == KVB_OK && container.words.count > 0 && !keep_assignments(&shell, &container.words)) {
            container.variables = shell.variables;
            container.shell = true;
            container.depth = like->depth + 1;
            container.offset = like->offset == KVB_NOWHERE ? container.words.items[0].offset : like->offset;
            status = kvb_container_emit(manifest, &container);
        }
    }
    like->variables = shell.variables;
    return status;
}
