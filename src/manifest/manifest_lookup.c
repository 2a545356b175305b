// Values of a run by their dotted key.
#include "manifest/manifest_lookup.h"

#include <string.h>

#include "text/tree.h"

struct kvb_looked_up kvb_lookup_in_tree(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_node *node = kvb_node_path(source, key);
    const char *text = kvb_node_text(node);
    if (text == NULL || kvb_node_is_null(node) || strstr(text, "${") != NULL) {
        return (struct kvb_looked_up){NULL, KVB_NOWHERE, NULL};
    }
    return (struct kvb_looked_up){text, kvb_source_offset(manifest, node->key_line, node->key_column), NULL};
}

struct kvb_looked_up kvb_lookup_in_words(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_words *words = source;
    size_t length = strlen(key);
    (void)manifest;
    for (uint32_t i = words->count; i > 0; i--) {
        const struct kvb_arg *word = &words->items[i - 1];
        const char *text = word->text + strspn(word->text, "+");
        if (strncmp(text, key, length) == 0 && text[length] == '=') {
            return (struct kvb_looked_up){text + length + 1, word->offset, word->unknown};
        }
    }
    return (struct kvb_looked_up){NULL, KVB_NOWHERE, NULL};
}

// Whether the flag is this key; dashes and underscores are the same.
static bool is_flag(const char *word, const char *key, size_t length)
{
    if (strncmp(word, "--", 2) != 0) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = word[i + 2] == '-' ? '_' : word[i + 2];
        if (c == '\0' || c != (key[i] == '-' ? '_' : key[i])) {
            return false;
        }
    }
    return true;
}

struct kvb_looked_up kvb_lookup_in_flags(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_words *words = source;
    size_t length = strlen(key);
    (void)manifest;
    for (uint32_t i = words->count; i > 0; i--) {
        const struct kvb_arg *word = &words->items[i - 1];
        if (!is_flag(word->text, key, length)) {
            continue;
        }
        bool next = word->text[length + 2] == '\0' && i < words->count && strncmp(words->items[i].text, "--", 2) != 0;
        if (next) {
            return (struct kvb_looked_up){words->items[i].text, word->offset, words->items[i].unknown};
        }
        if (word->text[length + 2] == '=' || word->text[length + 2] == '\0') {
            const char *text = word->text[length + 2] == '=' ? word->text + length + 3 : "true";
            return (struct kvb_looked_up){text, word->offset, word->unknown};
        }
    }
    return (struct kvb_looked_up){NULL, KVB_NOWHERE, NULL};
}
