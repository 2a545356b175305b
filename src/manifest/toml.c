// TOML, as far as commands and settings in it go: tables of keys and values, texts, and lists of texts.
#include <string.h>

#include "base/text.h"
#include "manifest/engines.h"
#include "manifest/gpu_hints.h"

// What is read so far of one table.
struct table {
    struct kvb_manifest *manifest;
    const char *name; // "tool.serve", or ""
    size_t offset;
    struct kvb_words settings; // --key value
    bool has_model, has_setting;
    struct kvb_container around; // what it says of cards
};

// A basic string without the backslashes before quotes and backslashes, and with its ends of lines; others stay.
static const char *unescaped(struct kvb_manifest *manifest, const char *begin, size_t length)
{
    char *text = kvb_manifest_take(manifest, length + 1), *to = text;
    for (size_t i = 0; text != NULL && i < length; i++) {
        char next = begin[i] == '\\' && i + 1 < length ? begin[i + 1] : '\0';
        bool escape = next == '"' || next == '\\' || next == 'n';
        *to++ = (char)(!escape ? begin[i] : next == 'n' ? '\n' : next);
        i += escape;
    }
    return text != NULL ? text : "";
}

// The text at a quote; *at moves behind it.
static const char *read_text(struct kvb_manifest *manifest, const char **at, size_t *offset)
{
    char quote = **at;
    bool triple = (*at)[1] == quote && (*at)[2] == quote;
    const char *begin = *at + (triple ? 3 : 1);
    begin += triple && *begin == '\n';
    const char *end = begin;
    while (*end != '\0' && (*end != quote || (triple && (end[1] != quote || end[2] != quote)))) {
        end += *end == '\\' && quote == '"' && end[1] != '\0' ? 2 : 1;
        if (!triple && *end == '\n') {
            break;
        }
    }
    *offset = (size_t)(begin - manifest->text);
    size_t length = (size_t)(end - begin);
    const char *text = quote == '"' ? unescaped(manifest, begin, length) : kvb_manifest_copy(manifest, begin, length);
    *at = end + (*end == '\0' ? 0 : triple ? 3 : *end == quote);
    return text;
}

static enum kvb_status take_command(struct table *table, const char *text, size_t offset)
{
    struct kvb_container like = table->around;
    like.name = table->name[0] != '\0' ? table->name : NULL;
    like.offset = KVB_NOWHERE;
    return kvb_text_starts_engine(text) ? kvb_shell_read(table->manifest, text, offset, &like) : KVB_OK;
}

// ["vllm", "serve", ...]: one process, or commands one after the other.
static enum kvb_status take_list(struct table *table, const char **at, size_t begin)
{
    struct kvb_manifest *manifest = table->manifest;
    struct kvb_container own = table->around;
    enum kvb_status status = KVB_OK;
    own.words = (struct kvb_words){0};
    for (*at = kvb_skip_remarks(*at + 1); **at != '\0' && **at != ']' && !manifest->out_of_memory;
         *at = kvb_skip_remarks(*at)) {
        size_t offset;
        if (**at == '"' || **at == '\'') {
            const char *text = read_text(manifest, at, &offset);
            kvb_words_say(manifest, &own.words, text, offset);
        } else {
            (*at)++;
        }
    }
    *at += **at == ']';
    own.name = table->name[0] != '\0' ? table->name : NULL;
    own.offset = begin;
    if (kvb_program_find(&own.words).row != NULL) {
        return kvb_container_emit(manifest, &own);
    }
    for (uint32_t i = 0; i < own.words.count && status == KVB_OK; i++) {
        status = take_command(table, own.words.items[i].text, own.words.items[i].offset);
    }
    return status;
}

static bool is_model_key(const char *key)
{
    return strcmp(key, "model") == 0 || strcmp(key, "model_name") == 0 || strcmp(key, "model_id") == 0 ||
           strcmp(key, "model_path") == 0 || strcmp(key, "model-path") == 0;
}

static void take_setting(struct table *table, const char *key, const char *value, size_t key_offset, size_t offset)
{
    struct kvb_manifest *manifest = table->manifest;
    if (is_model_key(key)) {
        table->has_model = true;
        key = "model";
    } else if (kvb_gpu_is_hint(key)) {
        kvb_gpu_hint(manifest, key, value, offset, &table->around);
        return;
    }
    if (strcmp(value, "false") == 0 || value[0] == '\0') {
        return;
    }
    kvb_words_say(manifest, &table->settings, kvb_manifest_join(manifest, "--", key, ""), key_offset);
    if (strcmp(value, "true") != 0) {
        kvb_words_say(manifest, &table->settings, value, offset);
    }
    table->has_setting = table->has_setting || kvb_key_is_setting(key);
}

static enum kvb_status end_table(struct table *table)
{
    struct kvb_container own = table->around;
    if (!table->has_model || !table->has_setting) {
        return KVB_OK;
    }
    own.name = table->name[0] != '\0' ? table->name : "settings";
    own.offset = table->offset;
    own.words = (struct kvb_words){0};
    kvb_words_say(table->manifest, &own.words, "vllm", KVB_NOWHERE);
    kvb_words_say(table->manifest, &own.words, "serve", KVB_NOWHERE);
    kvb_words_append(table->manifest, &own.words, &table->settings);
    return kvb_container_emit(table->manifest, &own);
}

static void begin_table(struct kvb_manifest *manifest, struct table *table, const char *name, size_t offset)
{
    *table = (struct table){.manifest = manifest,
                            .name = name,
                            .offset = offset,
                            .around = {.kind = "toml", .offset = offset, .image_offset = KVB_NOWHERE}};
}

// KEY = VALUE at `at`; moves behind it.
static enum kvb_status take_pair(struct table *table, const char **at)
{
    struct kvb_manifest *manifest = table->manifest;
    const char *begin = *at + (**at == '"');
    size_t length = strspn(begin, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    const char *key = kvb_manifest_copy(manifest, begin, length), *sign = begin + length;
    size_t key_offset = (size_t)(begin - manifest->text), offset;
    sign += *sign == '"';
    sign += strspn(sign, " \t");
    if (length == 0 || *sign != '=') {
        *at += strcspn(*at, "\n");
        return KVB_OK;
    }
    *at = sign + 1 + strspn(sign + 1, " \t");
    if (**at == '[') {
        return take_list(table, at, key_offset);
    }
    if (**at == '"' || **at == '\'') {
        const char *text = read_text(manifest, at, &offset);
        take_setting(table, key, text, key_offset, offset);
        return take_command(table, text, offset);
    }
    size_t size = strcspn(*at, " \t\r\n#,");
    offset = (size_t)(*at - manifest->text);
    take_setting(table, key, kvb_manifest_copy(manifest, *at, size), key_offset, offset);
    *at += strcspn(*at, "\n");
    return KVB_OK;
}

enum kvb_status kvb_read_toml(struct kvb_manifest *manifest)
{
    struct table table;
    enum kvb_status status = KVB_OK;
    begin_table(manifest, &table, "", 0);
    for (const char *at = kvb_skip_remarks(manifest->text); *at != '\0' && status == KVB_OK && !manifest->out_of_memory;
         at = kvb_skip_remarks(at)) {
        if (*at != '[') {
            status = take_pair(&table, &at);
            continue;
        }
        status = end_table(&table);
        const char *name = at + strspn(at, "[ ");
        size_t length = strcspn(name, "]\n");
        begin_table(manifest, &table, kvb_manifest_copy(manifest, name, length), (size_t)(at - manifest->text));
        at += strcspn(at, "\n");
    }
    return status == KVB_OK ? end_table(&table) : status;
}
