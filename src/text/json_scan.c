// The order in which tokens make JSON by RFC 8259: containers, keys, commas.
#include "text/json_scan.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/memory.h"
#include "text/json_token.h"

enum expected {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END,
    EXPECT_KEY,
    EXPECT_KEY_OR_END,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING,
};

enum kvb_status kvb_json_open(struct kvb_json_scan *scan, const struct kvb_open_file *file, uint64_t begin_offset,
                              uint64_t end_offset, struct kvb_problems *problems)
{
    scan->file = file;
    scan->problems = problems;
    scan->status = KVB_OK;
    scan->read_offset = begin_offset;
    scan->end_offset = end_offset;
    scan->position = 0;
    scan->filled = 0;
    scan->depth = 0;
    scan->arrays = 0;
    scan->expected = EXPECT_VALUE;
    scan->length = 0;
    scan->text[0] = '\0';
    scan->buffer = kvb_reallocate(NULL, KVB_JSON_WINDOW_BYTES);
    if (scan->buffer == NULL) {
        scan->status = kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file->path},
                                       "not enough memory to read it");
    }
    return scan->status;
}

void kvb_json_close(struct kvb_json_scan *scan)
{
    kvb_free(scan->buffer);
    scan->buffer = NULL;
}

static void after_value(struct kvb_json_scan *scan)
{
    scan->expected = scan->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

static enum kvb_json_token open_container(struct kvb_json_scan *scan, bool array)
{
    if (scan->depth + 1 >= KVB_JSON_DEPTH_MAX) {
        return kvb_json_fail(scan, KVB_NOT_ALLOWED, "nested deeper than %d levels", KVB_JSON_DEPTH_MAX - 1);
    }
    scan->position++;
    scan->depth++;
    scan->arrays = array ? scan->arrays | UINT32_C(1) << scan->depth : scan->arrays & ~(UINT32_C(1) << scan->depth);
    scan->expected = array ? EXPECT_VALUE_OR_END : EXPECT_KEY_OR_END;
    return array ? KVB_JSON_ARRAY : KVB_JSON_OBJECT;
}

static bool in_array(const struct kvb_json_scan *scan)
{
    return (scan->arrays >> scan->depth & 1) != 0;
}

static enum kvb_json_token close_container(struct kvb_json_scan *scan)
{
    bool array = in_array(scan);
    scan->position++;
    scan->depth--;
    after_value(scan);
    return array ? KVB_JSON_ARRAY_END : KVB_JSON_OBJECT_END;
}

static enum kvb_json_token read_key(struct kvb_json_scan *scan)
{
    if (kvb_json_peek(scan) != '"') {
        return kvb_json_peek(scan) < 0 ? kvb_json_fail_end(scan)
                                       : kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected a key in quotes");
    }
    if (!kvb_json_take_text(scan)) {
        return KVB_JSON_FAILED;
    }
    if (kvb_json_peek_after_space(scan) != ':') {
        return kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected ':' after a key");
    }
    scan->position++;
    scan->expected = EXPECT_VALUE;
    return KVB_JSON_KEY;
}

static enum kvb_json_token read_value(struct kvb_json_scan *scan, int c)
{
    if (c == '{' || c == '[') {
        return open_container(scan, c == '[');
    }
    after_value(scan);
    if (c == '"') {
        return kvb_json_take_text(scan) ? KVB_JSON_TEXT : KVB_JSON_FAILED;
    }
    return kvb_json_take_plain(scan);
}

static enum kvb_json_token at_end(struct kvb_json_scan *scan, int c)
{
    if (scan->status != KVB_OK) {
        return KVB_JSON_FAILED;
    }
    return c < 0 ? KVB_JSON_END : kvb_json_fail(scan, KVB_BAD_SYNTAX, "more text behind the end of the JSON");
}

enum kvb_json_token kvb_json_next(struct kvb_json_scan *scan)
{
    if (scan->status != KVB_OK) {
        return KVB_JSON_FAILED;
    }
    int c = kvb_json_peek_after_space(scan);
    if (scan->expected == EXPECT_NOTHING) {
        return at_end(scan, c);
    }
    if (scan->expected == EXPECT_COMMA_OR_END && c == ',') {
        scan->position++;
        scan->expected = in_array(scan) ? EXPECT_VALUE : EXPECT_KEY;
        c = kvb_json_peek_after_space(scan);
    } else if (scan->expected != EXPECT_VALUE && scan->expected != EXPECT_KEY && c == (in_array(scan) ? ']' : '}')) {
        return close_container(scan);
    } else if (scan->expected == EXPECT_COMMA_OR_END) {
        return c < 0 ? kvb_json_fail_end(scan)
                     : kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected ',' or the end of the container");
    }
    if (scan->expected == EXPECT_KEY || scan->expected == EXPECT_KEY_OR_END) {
        return read_key(scan);
    }
    return read_value(scan, c);
}

bool kvb_json_skip(struct kvb_json_scan *scan)
{
    uint32_t depth = scan->depth;
    enum kvb_json_token token;
    do {
        token = kvb_json_next(scan);
    } while (token > KVB_JSON_END && scan->depth > depth);
    return token > KVB_JSON_END;
}

bool kvb_json_expect(struct kvb_json_scan *scan, enum kvb_json_token token, const char *what)
{
    enum kvb_json_token found = kvb_json_next(scan);
    if (found != token && found != KVB_JSON_FAILED) {
        (void)kvb_json_fail(scan, KVB_BAD_TYPE, "expected %s", what);
    }
    return found == token;
}

bool kvb_json_text_whole(const struct kvb_json_scan *scan, uint64_t *number)
{
    return kvb_parse_whole(scan->text, number) && !kvb_is_saturated(*number);
}

bool kvb_json_whole(struct kvb_json_scan *scan, const char *what, uint64_t *number)
{
    enum kvb_json_token found = kvb_json_next(scan);
    if (found == KVB_JSON_FAILED) {
        return false;
    }
    if (found != KVB_JSON_NUMBER || !kvb_json_text_whole(scan, number)) {
        bool shown = found == KVB_JSON_NUMBER || found == KVB_JSON_TEXT || found == KVB_JSON_WORD;
        (void)kvb_json_fail(scan, KVB_BAD_TYPE, "expected %s, a whole number%s%.40s", what, shown ? ", got " : "",
                            shown ? scan->text : "");
        return false;
    }
    return true;
}
