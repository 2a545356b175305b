// Words and variables of a manifest.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/manifest_reader.h"

#define TAKEN_MAX ((size_t)64 << 20) // of one file, beside TAKEN_FACTOR times its own size
#define TAKEN_FACTOR 48

void *kvb_manifest_take(struct kvb_manifest *manifest, size_t size)
{
    manifest->taken_bytes += size;
    manifest->too_large = manifest->too_large || manifest->taken_bytes > TAKEN_MAX + TAKEN_FACTOR * manifest->length;
    void *memory = manifest->too_large ? NULL : kvb_arena_take(&manifest->arena, size);
    manifest->out_of_memory = manifest->out_of_memory || memory == NULL;
    return memory;
}

const char *kvb_manifest_copy(struct kvb_manifest *manifest, const char *text, size_t length)
{
    char *copy = kvb_manifest_take(manifest, length + 1);
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy != NULL ? copy : "";
}

const char *kvb_manifest_keep(struct kvb_manifest *manifest, struct kvb_buffer *text)
{
    const char *copy = kvb_manifest_copy(manifest, text->data, text->length);
    manifest->out_of_memory = manifest->out_of_memory || text->failed;
    kvb_buffer_free(text);
    return copy;
}

const char *kvb_manifest_join(struct kvb_manifest *manifest, const char *a, const char *b, const char *c)
{
    struct kvb_buffer joined;
    kvb_buffer_init(&joined);
    kvb_buffer_add(&joined, a);
    kvb_buffer_add(&joined, b);
    kvb_buffer_add(&joined, c);
    return kvb_manifest_keep(manifest, &joined);
}

void kvb_words_add(struct kvb_manifest *manifest, struct kvb_words *words, struct kvb_arg word)
{
    if (words->count == words->capacity) {
        uint32_t capacity = words->capacity > 0 ? words->capacity * 2 : 32;
        struct kvb_arg *items = kvb_manifest_take(manifest, capacity * sizeof *items);
        if (items == NULL) {
            return;
        }
        if (words->count > 0) {
            memcpy(items, words->items, words->count * sizeof *items);
        }
        words->items = items;
        words->capacity = capacity;
    }
    words->items[words->count++] = word;
}

void kvb_words_say(struct kvb_manifest *manifest, struct kvb_words *words, const char *text, size_t offset)
{
    kvb_words_add(manifest, words, (struct kvb_arg){text, offset, NULL});
}

const char *kvb_word_at(const struct kvb_words *words, uint32_t index)
{
    return index < words->count ? words->items[index].text : "";
}

void kvb_words_from(struct kvb_words *out, const struct kvb_words *words, uint32_t first)
{
    *out = *words;
    out->items = words->count > 0 ? words->items + first : NULL;
    out->count = words->count - first;
    out->capacity = out->count; // the next addition copies
}

void kvb_words_append(struct kvb_manifest *manifest, struct kvb_words *words, const struct kvb_words *more)
{
    for (uint32_t i = 0; i < more->count; i++) {
        kvb_words_add(manifest, words, more->items[i]);
    }
}

void kvb_variable_set(struct kvb_manifest *manifest, const struct kvb_variable **newest, const char *name,
                      const char *value, size_t offset, bool exported)
{
    manifest->too_large = manifest->too_large || ++manifest->variables > KVB_VARIABLES_MAX;
    struct kvb_variable *variable = kvb_manifest_take(manifest, sizeof *variable);
    if (variable != NULL) {
        *variable = (struct kvb_variable){
            .name = name, .value = value, .offset = offset, .exported = exported, .older = *newest};
        *newest = variable;
    }
}

void kvb_variable_set_outside(struct kvb_manifest *manifest, const struct kvb_variable **newest, const char *name,
                              const char *value)
{
    struct kvb_variable *variable = kvb_manifest_take(manifest, sizeof *variable);
    manifest->too_large = manifest->too_large || ++manifest->variables > KVB_VARIABLES_MAX;
    if (variable != NULL) {
        *variable = (struct kvb_variable){
            .name = name, .value = value, .offset = KVB_NOWHERE, .outside = true, .older = *newest};
        *newest = variable;
    }
}

const struct kvb_variable *kvb_variable_find(const struct kvb_variable *newest, const char *name)
{
    while (newest != NULL && strcmp(newest->name, name) != 0) {
        newest = newest->older;
    }
    return newest;
}

const char *kvb_variable_value(const struct kvb_manifest *manifest, const struct kvb_variable *variables,
                               const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < manifest->options->environment_count; i++) {
        const char *pair = manifest->options->environment[i];
        if (strncmp(pair, name, length) == 0 && pair[length] == '=') {
            return pair + length + 1;
        }
    }
    const struct kvb_variable *variable = kvb_variable_find(variables, name);
    return variable != NULL ? variable->value : NULL;
}
