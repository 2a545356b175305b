// Recipes of Makefiles and justfiles: variables of the file, then each recipe as a script.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/engines.h"
#include "manifest/manifest_reader.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-"

struct recipes {
    struct kvb_manifest *manifest;
    const struct kvb_variable *variables;
};

// $(NAME) and $$ as a shell writes them, in a copy of the same length.
static const char *as_shell(struct kvb_manifest *manifest, const char *text, size_t length)
{
    char *copy = kvb_manifest_take(manifest, length + 1);
    if (copy == NULL) {
        return "";
    }
    memcpy(copy, text, length);
    for (char *at = copy; (at = strchr(at, '$')) != NULL; at++) {
        size_t name = at[1] == '(' ? strspn(at + 2, NAME_CHARACTERS) : 0;
        if (name > 0 && at[2 + name] == ')') {
            at[1] = '{';
            at[2 + name] = '}';
        } else if (at[1] == '$') {
            *at++ = ' '; // "$$NAME" is the shell's own
        }
    }
    for (size_t i = 0; i < length; i++) { // lines that end as on Windows
        bool ends = copy[i] == '\r' && (i + 1 == length || copy[i + 1] == '\n');
        bool continued = ends && i > 0 && copy[i - 1] == '\\';
        if (continued) {
            copy[i - 1] = ' ';
        }
        copy[i] = continued ? '\\' : ends ? ' ' : copy[i];
    }
    return copy;
}

static bool is_continued(const char *line, const char *end)
{
    end -= end > line && end[-1] == '\r';
    return end > line && end[-1] == '\\';
}

static const char *end_of(const char *line)
{
    const char *end = line + strcspn(line, "\n");
    while (*end == '\n' && is_continued(line, end)) {
        end += 1 + strcspn(end + 1, "\n");
    }
    return end;
}

// NAME := value, NAME ?= value, NAME = value, export NAME = value.
static bool take_assignment(struct recipes *recipes, const char *line, const char *end)
{
    struct kvb_manifest *manifest = recipes->manifest;
    bool exported = kvb_starts_with(line, "export ");
    line += exported ? 7 : 0;
    size_t name = strspn(line, NAME_CHARACTERS);
    const char *at = line + name + strspn(line + name, " \t");
    bool adds = *at == '+';
    at += strspn(at, ":?+");
    if (name == 0 || *at != '=' || at >= end) {
        return false;
    }
    at += 1 + strspn(at + 1, " \t");
    if (at > end) {
        return true;
    }
    const char *value = as_shell(manifest, at, (size_t)(end - at)), *unknown = NULL;
    struct kvb_words words = {0};
    kvb_shell_split(manifest, value, (size_t)(at - manifest->text), KVB_DOLLAR_SHELL, recipes->variables, &words);
    const char *text = "";
    for (uint32_t i = 0; i < words.count; i++) {
        unknown = unknown != NULL ? unknown : words.items[i].unknown;
        text = kvb_manifest_join(manifest, text, i > 0 ? " " : "", words.items[i].text);
    }
    const char *key = kvb_manifest_copy(manifest, line, name);
    const struct kvb_variable *old = adds ? kvb_variable_find(recipes->variables, key) : NULL;
    if (unknown == NULL) {
        text = old != NULL ? kvb_manifest_join(manifest, old->value, " ", text) : text;
        kvb_variable_set(manifest, &recipes->variables, key, text, (size_t)(at - manifest->text), exported);
    }
    return true;
}

static bool is_recipe(const char *line)
{
    return *line == '\t' || (*line == ' ' && line[1] == ' ');
}

static bool is_blank(const char *line)
{
    return line[*line == '\r'] == '\n';
}

// The @, - and + in front of a recipe's commands become blanks.
static const char *without_marks(struct kvb_manifest *manifest, const char *text)
{
    size_t length = strlen(text);
    char *copy = kvb_manifest_take(manifest, length + 1);
    bool begins = true;
    for (size_t i = 0; copy != NULL && i < length; i++) {
        bool mark = begins && strchr("@-+", text[i]) != NULL;
        copy[i] = mark ? ' ' : text[i];
        begins = (begins && (mark || text[i] == ' ' || text[i] == '\t')) ||
                 (text[i] == '\n' && (i == 0 || text[i - 1] != '\\'));
    }
    return copy != NULL ? copy : "";
}

static enum kvb_status read_recipe(struct recipes *recipes, const char *name, const char *begin, const char *end)
{
    struct kvb_manifest *manifest = recipes->manifest;
    const char *text = without_marks(manifest, as_shell(manifest, begin, (size_t)(end - begin)));
    struct kvb_container like = {.kind = "recipe",
                                 .name = name,
                                 .offset = KVB_NOWHERE,
                                 .image_offset = KVB_NOWHERE,
                                 .variables = recipes->variables};
    return kvb_text_starts_engine(text) || kvb_text_mentions_engine(text)
               ? kvb_shell_read(manifest, text, (size_t)(begin - manifest->text), &like)
               : KVB_OK;
}

// The first word of "serve: deps" or of "serve model='x':".
static const char *target_of(struct kvb_manifest *manifest, const char *line, const char *end)
{
    size_t length = strcspn(line, ": \t\n");
    const char *colon = memchr(line, ':', (size_t)(end - line));
    return colon != NULL && length > 0 && line[0] != '.' && line[0] != '#' ? kvb_manifest_copy(manifest, line, length)
                                                                           : NULL;
}

enum kvb_status kvb_read_recipes(struct kvb_manifest *manifest)
{
    struct recipes recipes = {manifest, NULL};
    enum kvb_status status = KVB_OK;
    const char *target = NULL;
    for (unsigned pass = 0; pass < 2 && status == KVB_OK; pass++) { // recipes see variables set below them
        for (const char *line = manifest->text; *line != '\0' && status == KVB_OK && !manifest->out_of_memory;) {
            const char *end = end_of(line);
            if (is_recipe(line)) {
                const char *begin = line;
                while (*end == '\n' && (is_recipe(end + 1) || is_blank(end + 1))) {
                    end = end_of(end + 1);
                }
                status = pass == 1 ? read_recipe(&recipes, target, begin, end) : KVB_OK;
            } else if (!take_assignment(&recipes, line, end) && *line != '\n') {
                target = target_of(manifest, line, end);
            }
            line = end + (*end == '\n');
        }
    }
    return status;
}
