// Bytes that may not occur in a text, and keys that may not occur twice.
#include "text/tree_checks.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/file.h"

#define FEW_KEYS 12       // compared pair by pair
#define COMPARED_KEYS 128 // of a mapping in which the last of a name counts

struct kvb_place kvb_tree_place_of_offset(const char *file, const char *text, size_t length, size_t offset)
{
    struct kvb_place place = {file, 1, 1};
    for (size_t i = 0; i < offset && i < length; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (!kvb_utf8_follows(text[i])) {
            place.column++;
        }
    }
    return place;
}

// The start of a line that begins with %TAG, or NULL.
static const char *find_tag_directive(const char *text, size_t length)
{
    const char *end = text + length;
    while (text && end - text > 4) {
        if (memcmp(text, "%TAG", 4) == 0) {
            return text;
        }
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    return NULL;
}

enum kvb_status kvb_tree_check_bytes(const char *file, const char *text, size_t length, struct kvb_problems *problems)
{
    if (length > KVB_FILE_MAX_BYTES) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){.file = file},
                               "larger than %zu bytes, the most that is read of such a file", KVB_FILE_MAX_BYTES);
    }
    const char *nul = length > 0 ? memchr(text, '\0', length) : NULL;
    if (nul) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED,
                               kvb_tree_place_of_offset(file, text, length, (size_t)(nul - text)),
                               "a NUL byte: expected YAML or JSON as UTF-8 text");
    }
    const char *directive = find_tag_directive(text, length);
    if (directive) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED,
                               kvb_tree_place_of_offset(file, text, length, (size_t)(directive - text)),
                               "a %%TAG directive is not allowed");
    }
    return KVB_OK;
}

static enum kvb_status say_duplicate(const struct kvb_tree *tree, const struct kvb_node *first,
                                     const struct kvb_node *again, struct kvb_problems *problems)
{
    return kvb_problem_add(
        problems, KVB_ERROR, KVB_DUPLICATE_KEY, (struct kvb_place){tree->file, again->key_line, again->key_column},
        "the key '%s' is there twice; the first is on line %u", again->key, (unsigned)first->key_line);
}

static enum kvb_status check_few(const struct kvb_tree *tree, const struct kvb_node *mapping,
                                 struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *again = mapping->first; again; again = again->next) {
        for (const struct kvb_node *first = mapping->first; first != again; first = first->next) {
            if (strcmp(first->key, again->key) == 0) {
                status = say_duplicate(tree, first, again, problems);
                break;
            }
        }
    }
    return status;
}

typedef const struct kvb_node *node_ref;

// One pass of a bottom-up merge sort: runs of `width` from `in` become runs of twice that in `out`.
static void merge_runs(const node_ref *in, node_ref *out, size_t count, size_t width)
{
    for (size_t start = 0; start < count; start += 2 * width) {
        size_t middle = start + width < count ? start + width : count;
        size_t end = start + 2 * width < count ? start + 2 * width : count;
        size_t left = start;
        size_t right = middle;
        for (size_t i = start; i < end; i++) {
            bool from_left = left < middle && (right >= end || strcmp(in[left]->key, in[right]->key) <= 0);
            out[i] = from_left ? in[left++] : in[right++];
        }
    }
}

static enum kvb_status check_many(const struct kvb_tree *tree, const struct kvb_node *mapping, node_ref *nodes,
                                  struct kvb_problems *problems)
{
    size_t count = mapping->count;
    node_ref *from = nodes;
    node_ref *to = nodes + count;
    size_t filled = 0;
    for (const struct kvb_node *child = mapping->first; child; child = child->next) {
        from[filled++] = child;
    }
    for (size_t width = 1; width < count; width *= 2) {
        merge_runs(from, to, count, width);
        node_ref *swap = from;
        from = to;
        to = swap;
    }
    enum kvb_status status = KVB_OK;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(from[i - 1]->key, from[i]->key) == 0) {
            status = say_duplicate(tree, from[i - 1], from[i], problems);
        }
    }
    return status;
}

enum kvb_status kvb_tree_check_duplicates(const struct kvb_tree *tree, const struct kvb_node *mapping,
                                          struct kvb_problems *problems)
{
    if (mapping->count <= FEW_KEYS) {
        return check_few(tree, mapping, problems);
    }
    node_ref *nodes = kvb_reallocate(NULL, 2 * (size_t)mapping->count * sizeof *nodes);
    if (!nodes) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = tree->file},
                               "not enough memory to read it");
    }
    enum kvb_status status = check_many(tree, mapping, nodes, problems);
    kvb_free((void *)nodes);
    return status;
}

static bool comes_again(const struct kvb_node *node)
{
    for (const struct kvb_node *later = node->next; later != NULL; later = later->next) {
        if (strcmp(later->key, node->key) == 0) {
            return true;
        }
    }
    return false;
}

void kvb_tree_keep_last(struct kvb_node *mapping)
{
    bool few = mapping->count <= COMPARED_KEYS;
    for (struct kvb_node **at = &mapping->first; few && *at != NULL;) {
        bool again = comes_again(*at);
        mapping->count -= again;
        if (again) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
}
