// Ollama's Modelfile: FROM names the model, PARAMETER sets what its runner is started with.
// Source: docs/modelfile.md and parser/parser.go of ollama v0.32.0; api/types.go, Runner.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"

#define BLOCK "\"\"\""

struct modelfile {
    struct kvb_manifest *manifest;
    struct kvb_words words, parameters;
    size_t offset; // of FROM
    bool block;    // inside """
};

// "FROM rest", in any case: the rest; NULL: another instruction.
static const char *behind(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        char c = line[i] >= 'a' && line[i] <= 'z' ? (char)(line[i] - 'a' + 'A') : line[i];
        if (c != name[i]) {
            return NULL;
        }
    }
    size_t blanks = strspn(line + length, " \t");
    return blanks > 0 && line[length + blanks] != '\0' ? line + length + blanks : NULL;
}

// Up to the end of the line, without quotes around it.
static const char *rest_of(struct kvb_manifest *manifest, const char *rest)
{
    size_t length = strcspn(rest, "\r\n");
    while (length > 0 && (rest[length - 1] == ' ' || rest[length - 1] == '\t')) {
        length--;
    }
    bool quoted = length > 1 && rest[0] == '"' && rest[length - 1] == '"';
    return kvb_manifest_copy(manifest, rest + quoted, length - (quoted ? 2 : 0));
}

static void read_parameter(struct modelfile *file, const char *rest, size_t offset)
{
    size_t name = strcspn(rest, " \t\r\n");
    size_t blanks = strspn(rest + name, " \t");
    const char *key = kvb_manifest_copy(file->manifest, rest, name);
    const char *value = rest_of(file->manifest, rest + name + blanks);
    if (key != NULL && value != NULL && value[0] != '\0') {
        kvb_words_say(file->manifest, &file->parameters, "--parameter", offset);
        kvb_words_say(file->manifest, &file->parameters, kvb_manifest_join(file->manifest, key, "=", value), offset);
    }
}

static void read_line(struct modelfile *file, const char *line, size_t offset)
{
    const char *from = behind(line, "FROM"), *parameter = behind(line, "PARAMETER");
    if (from != NULL) { // the last one counts
        const char *model = rest_of(file->manifest, from);
        file->words = (struct kvb_words){0};
        file->offset = offset;
        kvb_words_say(file->manifest, &file->words, "ollama", offset);
        kvb_words_say(file->manifest, &file->words, "run", offset);
        kvb_words_say(file->manifest, &file->words, model != NULL ? model : "", offset + (size_t)(from - line));
    } else if (parameter != NULL) {
        read_parameter(file, parameter, offset);
    }
}

// Whether the line opens or closes a text of several lines.
static bool turns_block(const char *line)
{
    size_t length = strcspn(line, "\n"), count = 0;
    for (const char *at = line; (at = kvb_find_within(at, length - (size_t)(at - line), BLOCK)) != NULL;) {
        count++;
        at += 3;
    }
    return count % 2 == 1;
}

enum kvb_status kvb_read_modelfile(struct kvb_manifest *manifest)
{
    struct modelfile file = {.manifest = manifest};
    for (size_t at = 0; at < manifest->length;) {
        const char *line = manifest->text + at;
        size_t blanks = strspn(line, " \t");
        bool turns = turns_block(line);
        if (!file.block && line[blanks] != '#') {
            read_line(&file, line + blanks, at + blanks);
        }
        file.block = file.block != turns;
        at += strcspn(line, "\n") + 1;
    }
    struct kvb_container container = {
        .kind = "modelfile", .offset = file.offset, .image_offset = KVB_NOWHERE, .words = file.words};
    kvb_words_append(manifest, &container.words, &file.parameters);
    return kvb_container_emit(manifest, &container);
}
