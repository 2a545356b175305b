// Text formats with command lines in them: scripts, Dockerfiles, systemd units, Procfiles.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/gpu_hints.h"
#include "manifest/manifest_reader.h"
#include "text/tree.h"

enum kvb_status kvb_read_script(struct kvb_manifest *manifest)
{
    struct kvb_container like = {.kind = "shell", .offset = KVB_NOWHERE, .image_offset = KVB_NOWHERE};
    kvb_scheduler_read(manifest, &like);
    return kvb_shell_read(manifest, manifest->text, 0, &like);
}

// ---- lines

// A logical line: continued ones are joined with the line break kept, so that offsets stay right.
struct line {
    char *text; // NUL-ended copy
    size_t offset;
};

static bool next_line(struct kvb_manifest *manifest, size_t *at, bool joined, struct line *line)
{
    size_t start = *at, end = start;
    if (start >= manifest->length) {
        return false;
    }
    for (;;) {
        const char *newline = memchr(manifest->text + end, '\n', manifest->length - end);
        end = newline != NULL ? (size_t)(newline - manifest->text) : manifest->length;
        size_t last = end > start && manifest->text[end - 1] == '\r' ? end - 1 : end;
        if (!joined || newline == NULL || last == start || manifest->text[last - 1] != '\\') {
            break;
        }
        end++;
        if (end >= manifest->length) {
            break;
        }
    }
    while (start < end && (manifest->text[start] == ' ' || manifest->text[start] == '\t')) {
        start++;
    }
    char *copy = kvb_manifest_take(manifest, end - start + 1);
    if (copy != NULL) {
        memcpy(copy, manifest->text + start, end - start);
        *line = (struct line){copy, start};
    }
    *at = end + 1;
    return copy != NULL;
}

// ---- Dockerfile

struct dockerfile {
    struct kvb_manifest *manifest;
    struct kvb_container container;
    const struct kvb_variable *arguments; // ARG in front of the first FROM
    struct kvb_words entrypoint, command;
    bool shell_entrypoint, shell_command;
    size_t offset; // of CMD or ENTRYPOINT
};

// "INSTRUCTION rest": the rest, or NULL when it is another instruction.
static const char *instruction(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        char c = line[i] >= 'a' && line[i] <= 'z' ? (char)(line[i] - 'a' + 'A') : line[i];
        if (c != name[i]) {
            return NULL;
        }
    }
    return line[length] == ' ' || line[length] == '\t' ? line + length + 1 + strspn(line + length + 1, " \t") : NULL;
}

static void read_from(struct dockerfile *file, const char *rest, size_t offset)
{
    const char *unknown = NULL;
    if (kvb_starts_with(rest, "--platform")) {
        size_t skipped = strcspn(rest, " \t");
        offset += skipped + strspn(rest + skipped, " \t");
        rest += skipped + strspn(rest + skipped, " \t");
    }
    const char *image = kvb_manifest_copy(file->manifest, rest, strcspn(rest, " \t\r\n"));
    image = kvb_expand(file->manifest, image, KVB_DOLLAR_SHELL, file->arguments, &unknown);
    file->container.image = unknown == NULL ? image : NULL;
    file->container.image_offset = offset;
    file->container.variables = file->arguments;
    file->entrypoint = (struct kvb_words){0};
    file->command = (struct kvb_words){0};
    file->shell_entrypoint = file->shell_command = false;
}

// NAME=VALUE pairs, or the old form NAME VALUE.
static void read_variables(struct dockerfile *file, const char *rest, size_t offset, bool exported)
{
    struct kvb_words words = {0};
    struct kvb_manifest *manifest = file->manifest;
    kvb_shell_split(manifest, rest, offset, KVB_DOLLAR_SHELL, file->container.variables, &words);
    bool old = words.count == 2 && strchr(words.items[0].text, '=') == NULL;
    if (old) {
        kvb_variable_set(manifest, &file->container.variables, words.items[0].text, words.items[1].text, offset,
                         exported);
    }
    for (uint32_t i = 0; i < words.count && !old; i++) {
        const char *text = words.items[i].text;
        size_t name = strcspn(text, "=");
        if (text[name] == '=' && words.items[i].unknown == NULL) {
            kvb_variable_set(manifest, &file->container.variables, kvb_manifest_copy(manifest, text, name),
                             text + name + 1, words.items[i].offset, exported);
        }
    }
}

// COPY SOURCE... TARGET of the build's own files: what lies in the image lies beside the Dockerfile, too.
static void read_copy(struct dockerfile *file, const char *rest, size_t offset)
{
    struct kvb_words words = {0};
    struct kvb_manifest *manifest = file->manifest;
    kvb_shell_split(manifest, rest, offset, KVB_DOLLAR_SHELL, file->container.variables, &words);
    const char *target = words.count > 1 ? words.items[words.count - 1].text : "";
    size_t length = strlen(target);
    for (uint32_t i = 0; i + 1 < words.count && target[0] == '/' && words.items[0].text[0] != '-'; i++) {
        const char *source = words.items[i].text;
        bool folder = target[length - 1] == '/';
        const char *inside = kvb_manifest_join(manifest, target, folder ? kvb_last_part(source) : "", "");
        kvb_variable_set(manifest, &file->container.mounts, inside, source, KVB_NOWHERE, false);
    }
}

// A continued list is one line to the reader of lists.
static const char *uncontinued(struct kvb_manifest *manifest, const char *text)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (; *text != '\0'; text++) {
        bool joined = text[0] == '\\' && (text[1] == '\n' || text[1] == '\r');
        kvb_buffer_add_n(&out, joined ? " " : text, 1);
    }
    return kvb_manifest_keep(manifest, &out);
}

// ["a", "b"], or a line for the shell.
static bool read_words(struct dockerfile *file, const char *rest, size_t offset, struct kvb_words *words)
{
    struct kvb_tree tree = {0};
    struct kvb_manifest *manifest = file->manifest;
    *words = (struct kvb_words){0};
    const char *text = rest[0] == '[' ? uncontinued(manifest, rest) : "";
    enum kvb_status status =
        rest[0] == '[' ? kvb_tree_read(&tree, manifest->file, text, strlen(text), NULL) : KVB_BAD_SYNTAX;
    bool list = status == KVB_OK && tree.root->kind == KVB_NODE_SEQUENCE;
    manifest->out_of_memory = manifest->out_of_memory || status == KVB_NO_MEMORY;
    for (const struct kvb_node *node = list ? tree.root->first : NULL; node != NULL; node = node->next) {
        if (node->kind == KVB_NODE_SCALAR) {
            size_t length = strlen(node->text), plain = strcspn(node->text, "\"\\");
            size_t found = kvb_source_find(manifest, offset, node->text, plain > 0 ? plain : 1);
            offset = found != KVB_NOWHERE ? found : offset;
            kvb_words_say(manifest, words, kvb_manifest_copy(manifest, node->text, length), offset);
        }
    }
    kvb_tree_free(&tree);
    if (!list) {
        kvb_words_say(manifest, words, "sh", KVB_NOWHERE);
        kvb_words_say(manifest, words, "-c", KVB_NOWHERE);
        kvb_words_say(manifest, words, rest, offset);
    }
    return !list;
}

static void read_instruction(struct dockerfile *file, const struct line *line)
{
    const char *rest = instruction(line->text, "FROM");
    if (rest != NULL) {
        read_from(file, rest, line->offset + (size_t)(rest - line->text));
    } else if ((rest = instruction(line->text, "ENV")) != NULL) {
        read_variables(file, rest, line->offset + (size_t)(rest - line->text), true);
    } else if ((rest = instruction(line->text, "ARG")) != NULL) {
        read_variables(file, rest, line->offset + (size_t)(rest - line->text), false);
        if (file->container.image == NULL && file->container.image_offset == KVB_NOWHERE) {
            file->arguments = file->container.variables;
        }
    } else if ((rest = instruction(line->text, "COPY")) != NULL || (rest = instruction(line->text, "ADD")) != NULL) {
        read_copy(file, rest, line->offset + (size_t)(rest - line->text));
    } else if ((rest = instruction(line->text, "ENTRYPOINT")) != NULL) {
        file->offset = line->offset;
        file->shell_entrypoint = read_words(file, rest, line->offset + (size_t)(rest - line->text), &file->entrypoint);
        file->command = (struct kvb_words){0};
    } else if ((rest = instruction(line->text, "CMD")) != NULL) {
        file->offset = file->entrypoint.count > 0 ? file->offset : line->offset;
        file->shell_command = read_words(file, rest, line->offset + (size_t)(rest - line->text), &file->command);
    }
}

enum kvb_status kvb_read_dockerfile(struct kvb_manifest *manifest)
{
    struct dockerfile file = {.manifest = manifest, .container = {.kind = "dockerfile", .image_offset = KVB_NOWHERE}};
    struct line line;
    size_t at = 0;
    while (next_line(manifest, &at, true, &line)) {
        if (line.text[0] != '#') {
            read_instruction(&file, &line);
        }
    }
    kvb_words_append(manifest, &file.container.words, &file.entrypoint);
    if (!file.shell_entrypoint) {
        kvb_words_append(manifest, &file.container.words, &file.command);
    }
    file.container.offset = file.offset;
    return kvb_container_emit(manifest, &file.container);
}

// ---- systemd unit

static void read_unit_environment(struct kvb_manifest *manifest, const char *text, size_t offset,
                                  const struct kvb_variable **variables)
{
    struct kvb_words words = {0};
    kvb_shell_split(manifest, text, offset, KVB_DOLLAR_PLAIN, NULL, &words);
    for (uint32_t i = 0; i < words.count; i++) {
        const char *pair = words.items[i].text;
        size_t name = strcspn(pair, "=");
        if (pair[name] == '=') {
            kvb_variable_set(manifest, variables, kvb_manifest_copy(manifest, pair, name), pair + name + 1,
                             words.items[i].offset, true);
        }
    }
}

enum kvb_status kvb_read_unit(struct kvb_manifest *manifest)
{
    const struct kvb_variable *variables = NULL;
    enum kvb_status status = KVB_OK;
    struct line line;
    for (size_t at = 0; next_line(manifest, &at, true, &line);) {
        if (kvb_starts_with(line.text, "Environment=")) {
            read_unit_environment(manifest, line.text + 12, line.offset + 12, &variables);
        }
    }
    for (size_t at = 0; status == KVB_OK && next_line(manifest, &at, true, &line);) {
        if (!kvb_starts_with(line.text, "ExecStart=")) {
            continue;
        }
        size_t prefix = 10 + strspn(line.text + 10, "-@:+! ");
        struct kvb_container container = {
            .kind = "systemd", .offset = line.offset, .variables = variables, .image_offset = KVB_NOWHERE};
        kvb_shell_split(manifest, line.text + prefix, line.offset + prefix, KVB_DOLLAR_SYSTEMD, variables,
                        &container.words);
        status = kvb_container_emit(manifest, &container);
    }
    return status;
}

// ---- Procfile

enum kvb_status kvb_read_procfile(struct kvb_manifest *manifest)
{
    enum kvb_status status = KVB_OK;
    struct line line;
    for (size_t at = 0; status == KVB_OK && next_line(manifest, &at, false, &line);) {
        size_t name = strcspn(line.text, ":");
        if (line.text[0] == '#' || line.text[name] != ':') {
            continue;
        }
        size_t begin = name + 1 + strspn(line.text + name + 1, " \t");
        struct kvb_container like = {.kind = "procfile",
                                     .name = kvb_manifest_copy(manifest, line.text, name),
                                     .offset = line.offset,
                                     .image_offset = KVB_NOWHERE};
        status = kvb_shell_read(manifest, line.text + begin, line.offset + begin, &like);
    }
    return status;
}

// ---- supervisord

// [program:NAME] with command= and environment=.
enum kvb_status kvb_read_supervisor(struct kvb_manifest *manifest)
{
    struct kvb_container like = {.kind = "supervisord", .image_offset = KVB_NOWHERE};
    enum kvb_status status = KVB_OK;
    struct line line;
    for (unsigned pass = 0; pass < 2; pass++) { // environment= may stand behind command=
        for (size_t at = 0; status == KVB_OK && next_line(manifest, &at, true, &line);) {
            size_t key = strcspn(line.text, "= ");
            size_t value = key + strspn(line.text + key, "= ");
            if (kvb_starts_with(line.text, "[program:")) {
                like.name = kvb_manifest_copy(manifest, line.text + 9, strcspn(line.text + 9, "]"));
            } else if (key == 11 && strncmp(line.text, "environment", 11) == 0 && pass == 0) {
                for (char *comma = strchr(line.text, ','); comma != NULL; comma = strchr(comma, ',')) {
                    *comma = ' ';
                }
                read_unit_environment(manifest, line.text + value, line.offset + value, &like.variables);
            } else if (key == 7 && strncmp(line.text, "command", 7) == 0 && pass == 1) {
                like.offset = line.offset;
                status = kvb_shell_read(manifest, line.text + value, line.offset + value, &like);
            }
        }
    }
    return status;
}
