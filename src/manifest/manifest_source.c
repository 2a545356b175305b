// A manifest's text by line and column, and the comments in it that speak to kvbudget.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"

#define SEARCH_BYTES ((size_t)4096) // how far a word may stand behind the one before it
#define PAIR_CAPACITY 256
// Every deployment of a file asks for its comments again, and all may stand in one line.
#define REMARK_LINES_MAX 256U       // on top of the file, and above a deployment
#define REMARK_BYTES ((size_t)1024) // of a line, from its end, that can be a comment for us
#define REMARK_PAIRS_MAX 32U

#define BLOCK_BYTES ((size_t)256) // characters are counted in front of each such piece

const char *kvb_skip_remarks(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#') {
            return text;
        }
        text += strcspn(text, "\n");
    }
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0U) != 0x80U;
}

static uint32_t count_lines(const char *text, size_t length)
{
    uint32_t count = 1;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))) != NULL; at++) {
        count++;
    }
    return count;
}

// A line of megabytes is no slower than any other because columns are counted from the nearest block.
static bool index_characters(struct kvb_manifest *manifest)
{
    size_t blocks = manifest->length / BLOCK_BYTES + 1;
    uint32_t *characters = kvb_arena_take(&manifest->arena, blocks * sizeof *characters);
    uint32_t count = 0;
    for (size_t i = 0; characters != NULL && i < manifest->length; i++) {
        if (i % BLOCK_BYTES == 0) {
            characters[i / BLOCK_BYTES] = count;
        }
        count += begins_character(manifest->text[i]);
    }
    if (characters != NULL && manifest->length % BLOCK_BYTES == 0) {
        characters[blocks - 1] = count;
    }
    manifest->characters = characters;
    return characters != NULL;
}

static uint32_t characters_before(const struct kvb_manifest *manifest, size_t offset)
{
    uint32_t count = manifest->characters[offset / BLOCK_BYTES];
    for (size_t i = offset / BLOCK_BYTES * BLOCK_BYTES; i < offset; i++) {
        count += begins_character(manifest->text[i]);
    }
    return count;
}

// The last block in front of which there are at most `count` characters.
static size_t block_of(const struct kvb_manifest *manifest, uint32_t count)
{
    size_t low = 0, high = manifest->length / BLOCK_BYTES + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (manifest->characters[middle] <= count) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool kvb_source_open(struct kvb_manifest *manifest)
{
    uint32_t count = count_lines(manifest->text, manifest->length), line = 0;
    size_t *lines = kvb_arena_take(&manifest->arena, count * sizeof *lines);
    if (lines == NULL) {
        return false;
    }
    const char *end = manifest->text + manifest->length;
    lines[line++] = 0;
    for (const char *at = manifest->text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        lines[line++] = (size_t)(at + 1 - manifest->text);
    }
    manifest->lines = lines;
    manifest->line_count = count;
    manifest->commented = kvb_find_within(manifest->text, manifest->length, "kvbudget:") != NULL;
    return index_characters(manifest);
}

struct kvb_spot kvb_source_spot(const struct kvb_manifest *manifest, size_t offset)
{
    if (offset == KVB_NOWHERE || offset > manifest->length) {
        return (struct kvb_spot){0};
    }
    uint32_t low = 0, high = manifest->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (manifest->lines[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    uint32_t column = characters_before(manifest, offset) - characters_before(manifest, manifest->lines[low]);
    return (struct kvb_spot){low + 1, column + 1};
}

size_t kvb_source_offset(const struct kvb_manifest *manifest, uint32_t line, uint32_t column)
{
    if (line == 0 || line > manifest->line_count) {
        return KVB_NOWHERE;
    }
    size_t start = manifest->lines[line - 1];
    size_t end = line < manifest->line_count ? manifest->lines[line] - 1 : manifest->length;
    uint32_t wanted = characters_before(manifest, start) + (column > 0 ? column - 1 : 0);
    size_t offset = block_of(manifest, wanted) * BLOCK_BYTES;
    uint32_t count = manifest->characters[offset / BLOCK_BYTES];
    if (offset < start) {
        offset = start;
        count = characters_before(manifest, start);
    }
    while (offset < end && (count < wanted || !begins_character(manifest->text[offset]))) {
        count += begins_character(manifest->text[offset]);
        offset++;
    }
    return offset < end ? offset : end;
}

size_t kvb_node_offset(const struct kvb_manifest *manifest, const struct kvb_node *node)
{
    return kvb_source_offset(manifest, node->line, node->column);
}

size_t kvb_source_find(const struct kvb_manifest *manifest, size_t offset, const char *text, size_t length)
{
    if (offset >= manifest->length || length == 0) {
        return KVB_NOWHERE;
    }
    size_t left = manifest->length - offset;
    size_t limit = left < SEARCH_BYTES ? left : SEARCH_BYTES;
    for (size_t i = 0; i + length <= limit; i++) {
        if (manifest->text[offset + i] == text[0] && memcmp(manifest->text + offset + i, text, length) == 0) {
            return offset + i;
        }
    }
    return KVB_NOWHERE;
}

// A line without what is around it.
struct line {
    const char *text;
    size_t length;
};

static struct line line_at(const struct kvb_manifest *manifest, uint32_t line)
{
    size_t start = manifest->lines[line - 1];
    size_t end = line < manifest->line_count ? manifest->lines[line] : manifest->length;
    while (end > start && strchr(" \t\r\n", manifest->text[end - 1]) != NULL) {
        end--;
    }
    while (start < end && (manifest->text[start] == ' ' || manifest->text[start] == '\t')) {
        start++;
    }
    return (struct line){manifest->text + start, end - start};
}

static bool is_remark(struct line line)
{
    return line.length == 0 || line.text[0] == '#';
}

uint32_t kvb_source_header(const struct kvb_manifest *manifest)
{
    uint32_t line = 1;
    while (line <= manifest->line_count && line <= REMARK_LINES_MAX) {
        struct line text = line_at(manifest, line);
        bool marker = text.length >= 3 && memcmp(text.text, "---", 3) == 0;
        if (!is_remark(text) && !(marker && line == 1)) {
            break;
        }
        line++;
    }
    return line - 1;
}

uint32_t kvb_source_above(const struct kvb_manifest *manifest, uint32_t line)
{
    uint32_t first = line;
    while (first > 1 && line <= manifest->line_count && line - first < REMARK_LINES_MAX &&
           is_remark(line_at(manifest, first - 1))) {
        first--;
    }
    return first;
}

static size_t word_length(const char *text, const char *end)
{
    size_t length = 0;
    while (text + length < end && text[length] != ' ' && text[length] != '\t' && text[length] != ',') {
        length++;
    }
    return length;
}

// "gpu=l4" with its place; a word without '=' has the value "".
static void take_pair(const struct kvb_manifest *manifest, const char *text, size_t length,
                      void (*take)(void *context, const char *key, const char *value, struct kvb_spot spot),
                      void *context)
{
    char pair[PAIR_CAPACITY];
    size_t kept = length < sizeof pair - 1 ? length : sizeof pair - 1;
    memcpy(pair, text, kept);
    pair[kept] = '\0';
    char *equals = strchr(pair, '=');
    if (equals != NULL) {
        *equals = '\0';
    }
    take(context, pair, equals != NULL ? equals + 1 : "", kvb_source_spot(manifest, (size_t)(text - manifest->text)));
}

// Behind "# kvbudget:" of a comment that fills the line or ends it; the line's end when there is none.
static const char *behind_mark(struct line line)
{
    static const char mark[] = "kvbudget:";
    const char *end = line.text + line.length;
    for (const char *at = line.length > REMARK_BYTES ? end - REMARK_BYTES : line.text; at < end; at++) {
        bool begins = *at == '#' && (at == line.text || at[-1] == ' ' || at[-1] == '\t');
        const char *word = at;
        while (begins && word < end && (*word == ' ' || *word == '#')) {
            word++;
        }
        if (begins && (size_t)(end - word) >= sizeof mark - 1 && memcmp(word, mark, sizeof mark - 1) == 0) {
            return word + sizeof mark - 1;
        }
        at = begins ? word - 1 : at;
    }
    return end;
}

void kvb_source_comments(const struct kvb_manifest *manifest, uint32_t first, uint32_t last,
                         void (*take)(void *context, const char *key, const char *value, struct kvb_spot spot),
                         void *context)
{
    for (uint32_t i = first > 0 ? first : 1; i <= last && i <= manifest->line_count; i++) {
        struct line line = line_at(manifest, i);
        const char *end = line.text + line.length;
        uint32_t pairs = 0;
        for (const char *at = behind_mark(line); at < end && pairs < REMARK_PAIRS_MAX;) {
            size_t length = word_length(at, end);
            if (length > 0) {
                take_pair(manifest, at, length, take, context);
                pairs++;
            }
            at += length > 0 ? length : 1;
        }
    }
}
