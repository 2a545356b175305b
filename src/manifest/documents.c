// The documents of a YAML stream, each parsed and judged alone, and documents inside the text of others.
#include "manifest/documents.h"

#include <string.h>

#include "base/text.h"
#include "manifest/anywhere.h"
#include "manifest/engines.h"

#define NESTED_MAX 3 // documents inside documents

static bool is_marker(const char *line)
{
    return strncmp(line, "---", 3) == 0 && (line[3] == '\0' || strchr(" \t\r\n", line[3]) != NULL);
}

// The start of the next document behind `at`, or the end of the text.
static size_t next_document(const struct kvb_manifest *manifest, size_t at)
{
    const char *text = manifest->text;
    const char *newline = memchr(text + at, '\n', manifest->length - at);
    while (newline != NULL) {
        if (is_marker(newline + 1)) {
            return (size_t)(newline + 1 - text);
        }
        newline = memchr(newline + 1, '\n', manifest->length - (size_t)(newline + 1 - text));
    }
    return manifest->length;
}

static uint32_t count_lines(const char *text, size_t length)
{
    uint32_t count = 0;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))) != NULL; at++) {
        count++;
    }
    return count;
}

static bool holds_something(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t blank = strspn(text + i, " \t\r\n-");
        if (i + blank >= length) {
            return false;
        }
        if (text[i + blank] != '#') {
            return true;
        }
        i += blank + strcspn(text + i + blank, "\n");
    }
    return false;
}

static bool mentions(struct kvb_manifest *manifest, size_t begin, size_t end)
{
    const char *copy = kvb_manifest_copy(manifest, manifest->text + begin, end - begin);
    return kvb_text_mentions_engine(copy);
}

// ${NAME} of envsubst inside {braces} is no YAML: the same length as a placeholder. NULL: there is none.
static const char *without_references(struct kvb_manifest *manifest, size_t begin, size_t end)
{
    char *copy = kvb_manifest_take(manifest, end - begin + 1);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, manifest->text + begin, end - begin);
    char *first = strstr(copy, "${");
    for (char *at = first; at != NULL; at = strstr(at, "${")) {
        size_t length = strcspn(at, "}\n");
        for (size_t i = 1; i <= length && at[length] == '}'; i++) {
            bool name =
                (at[i] >= 'a' && at[i] <= 'z') || (at[i] >= 'A' && at[i] <= 'Z') || (at[i] >= '0' && at[i] <= '9');
            at[i] = name ? at[i] : '_';
        }
        at += 2;
    }
    return first != NULL ? copy : NULL;
}

// A repeated key is an error to Docker Compose; to others the last one counts.
static bool may_repeat(const struct kvb_manifest *manifest, size_t begin, size_t end, const struct kvb_problems *own)
{
    bool services = kvb_starts_with(manifest->text + begin, "services:") ||
                    kvb_find_within(manifest->text + begin, end - begin, "\nservices:") != NULL;
    return own->count > 0 && own->items[0].status == KVB_DUPLICATE_KEY && !services;
}

// What one document came to.
static enum kvb_status read_one(struct kvb_manifest *manifest, size_t begin, size_t end, uint32_t lines,
                                kvb_document_reader *read, struct kvb_documents *seen)
{
    struct kvb_tree tree;
    struct kvb_problems *own = &seen->own;
    struct kvb_tree_part part = {lines, 0, manifest->templated, false};
    kvb_problems_init(own);
    enum kvb_status status = kvb_tree_read_part(&tree, manifest->file, manifest->text + begin, end - begin, part, own);
    if (status == KVB_DUPLICATE_KEY && may_repeat(manifest, begin, end, own)) {
        part.last_counts = part.repeated_keys = true;
        status = kvb_tree_read_part(&tree, manifest->file, manifest->text + begin, end - begin, part, NULL);
    }
    if (status != KVB_OK && status != KVB_NO_MEMORY && !manifest->templated) {
        const char *plain = without_references(manifest, begin, end);
        enum kvb_status again = plain == NULL ? status
                                              : kvb_tree_read_part(&tree, manifest->file, plain, end - begin,
                                                                   (struct kvb_tree_part){lines, 0, true, false}, NULL);
        manifest->templated = again == KVB_OK;
        status = again;
    }
    if (status == KVB_NO_MEMORY) {
        return status;
    }
    if (status != KVB_OK) {
        bool speaks = mentions(manifest, begin, end);
        if (seen->broken == 0) {
            seen->problems = *own;
        }
        seen->broken++;
        seen->broken_speaking += speaks;
        seen->begin = seen->broken == 1 ? begin : seen->begin;
        return KVB_OK;
    }
    manifest->tree = &tree;
    for (const struct kvb_node *root = tree.root; root != NULL && status == KVB_OK; root = root->next) {
        seen->trees += root->kind != KVB_NODE_SCALAR;
        status = read(manifest, root);
    }
    uint32_t behind = lines + count_lines(manifest->text + begin, end - begin) + 1;
    status = status == KVB_OK ? kvb_found_flush(manifest, end < manifest->length ? behind : 0) : status;
    manifest->tree = NULL;
    kvb_tree_free(&tree);
    return status;
}

enum kvb_status kvb_documents_read(struct kvb_manifest *manifest, kvb_document_reader *read, struct kvb_documents *seen)
{
    enum kvb_status status = KVB_OK;
    uint32_t lines = 0;
    memset(seen, 0, sizeof *seen);
    kvb_problems_init(&seen->problems);
    for (size_t at = 0; at < manifest->length && status == KVB_OK && !manifest->out_of_memory;) {
        size_t end = next_document(manifest, at);
        if (holds_something(manifest->text + at, end - at)) {
            seen->documents++;
            status = read_one(manifest, at, end, lines, read, seen);
        }
        lines += count_lines(manifest->text + at, end - at);
        at = end;
    }
    return status;
}

// ---- inside text

static bool may_be_document(const char *text)
{
    static const char *const words[] = {"llm_configs", "model_loading_config", "import_path:",     "apiVersion:",
                                        "services:",   "containers:",          "actor_rollout_ref"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

// What does not read as YAML is no document.
static enum kvb_status read_part(struct kvb_manifest *manifest, const char *text, struct kvb_tree_part part,
                                 const struct kvb_container *around)
{
    struct kvb_tree tree;
    enum kvb_status status = kvb_tree_read_part(&tree, manifest->file, text, strlen(text), part, NULL);
    if (status != KVB_OK) {
        return status == KVB_NO_MEMORY ? status : KVB_OK;
    }
    manifest->nested++;
    for (const struct kvb_node *root = tree.root; root != NULL && status == KVB_OK; root = root->next) {
        status = kvb_read_anywhere_in(manifest, root, around);
    }
    manifest->nested--;
    kvb_tree_free(&tree);
    return status;
}

enum kvb_status kvb_read_nested(struct kvb_manifest *manifest, const struct kvb_node *node,
                                const struct kvb_container *around, bool *taken)
{
    *taken = false;
    if (!node->block || !may_be_document(node->text) || manifest->nested >= NESTED_MAX) {
        return KVB_OK;
    }
    size_t first = strcspn(node->text, "\n"), begin = kvb_node_offset(manifest, node);
    size_t at = kvb_source_find(manifest, begin, node->text, first);
    struct kvb_spot spot = kvb_source_spot(manifest, at);
    struct kvb_tree_part part = {spot.line > 0 ? spot.line - 1 : node->line, spot.column > 0 ? spot.column - 1 : 0,
                                 manifest->templated, false};
    uint32_t before = kvb_found_count(manifest);
    enum kvb_status status = read_part(manifest, node->text, part, around);
    *taken = kvb_found_count(manifest) > before;
    return status;
}

enum kvb_status kvb_read_document_text(struct kvb_manifest *manifest, const char *text, size_t offset,
                                       const struct kvb_container *around)
{
    struct kvb_spot spot = kvb_source_spot(manifest, offset);
    struct kvb_tree_part part = {spot.line > 0 ? spot.line - 1 : 0, 0, true, false};
    return read_part(manifest, text, part, around);
}
