// The streaming reader: a window slides over the log, recognisers look at what the search finds in it.
#include "logs/reader.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "logs/line_text.h"

#define SAMPLE ((size_t)64 << 10) // looked at to tell text from binary

struct kvb_log_reader *kvb_log_reader_new(void)
{
    struct kvb_log_reader *reader = kvb_reallocate(NULL, sizeof *reader);
    if (reader != NULL) {
        memset(reader, 0, sizeof *reader);
        reader->window.line = 1;
        reader->window.counted = kvb_window_add(&reader->window, "\n", 1); // so that the first line has one before it
        kvb_scanner_init(&reader->scanner);
        kvb_runs_init(&reader->runs);
    }
    return reader;
}

void kvb_log_reader_free(struct kvb_log_reader *reader)
{
    kvb_free(reader);
}

// ---- Searching, feeding

static void search(struct kvb_log_reader *reader, bool final)
{
    size_t length = reader->window.length;
    size_t limit = final ? length : length - (size_t)kvb_min(length, KVB_WINDOW_AHEAD);
    uint16_t entry = 0;
    for (;;) {
        size_t at = kvb_scanner_next(&reader->scanner, reader->window.text, length, reader->scanned, limit, &entry);
        if (at >= limit) {
            break;
        }
        kvb_log_look_at(reader, at, entry);
        reader->scanned = at + 1;
    }
    reader->scanned = (size_t)kvb_max(reader->scanned, limit);
    (void)kvb_window_line(&reader->window, reader->scanned);
}

static void slide(struct kvb_log_reader *reader)
{
    reader->slid = true;
    size_t drop = reader->scanned - (size_t)kvb_min(reader->scanned, KVB_WINDOW_BEHIND);
    kvb_window_drop(&reader->window, drop);
    reader->scanned -= drop;
}

static void sample(struct kvb_log_reader *reader, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && reader->sampled < SAMPLE; i++, reader->sampled++) {
        unsigned char byte = (unsigned char)bytes[i];
        bool harmless = byte >= 0x20 || (byte >= 0x07 && byte <= 0x0d) || byte == 0x1b;
        reader->controls += !harmless;
    }
}

static void append_whole(void *context, const char *bytes, size_t length)
{
    struct kvb_log_reader *reader = context;
    sample(reader, bytes, length);
    kvb_series_feed(&reader->series, bytes, length);
    reader->ends_in_break = bytes[length - 1] == '\n';
    while (length > 0) {
        size_t part = kvb_window_add(&reader->window, bytes, length);
        bytes += part;
        length -= part;
        if (reader->window.length == KVB_WINDOW_BYTES) {
            search(reader, false);
            slide(reader);
        }
    }
}

static void append(struct kvb_log_reader *reader, const char *bytes, size_t length)
{
    kvb_parts_feed(&reader->parts, bytes, length, append_whole, reader);
}

static void append_utf16(struct kvb_log_reader *reader, const char *bytes, size_t length)
{
    char text[2048]; // of 1024 bytes at most 3 of each two, and 3
    while (length > 0) {
        size_t part = (size_t)kvb_min(length, 1024); // same: there is room for a few more
        append(reader, text, kvb_utf16_decode(&reader->utf16, bytes, part, text));
        bytes += part;
        length -= part;
    }
}

static void append_encoded(struct kvb_log_reader *reader, const char *bytes, size_t length)
{
    if (reader->encoding == KVB_ENCODING_UTF16) {
        append_utf16(reader, bytes, length);
    } else {
        append(reader, bytes, length);
    }
}

// The first two bytes may be a byte-order mark of UTF-16.
static void decide_encoding(struct kvb_log_reader *reader)
{
    bool little = reader->head_length == 2 && reader->head[0] == 0xff && reader->head[1] == 0xfe;
    bool big = reader->head_length == 2 && reader->head[0] == 0xfe && reader->head[1] == 0xff;
    reader->encoding = little || big ? KVB_ENCODING_UTF16 : KVB_ENCODING_UTF8;
    reader->utf16.big_endian = big;
    if (reader->encoding == KVB_ENCODING_UTF8) {
        append(reader, (const char *)reader->head, reader->head_length);
    }
}

void kvb_log_reader_feed(struct kvb_log_reader *reader, const char *bytes, size_t length)
{
    reader->byte_count += length;
    while (reader->encoding == KVB_ENCODING_UNKNOWN && length > 0) {
        reader->head[reader->head_length++] = (unsigned char)*bytes++;
        length--;
        if (reader->head_length == 2) {
            decide_encoding(reader);
        }
    }
    if (length > 0) {
        append_encoded(reader, bytes, length);
    }
}

// ---- Figures picked out of a log

static bool is_blank_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '.') {
            return false;
        }
    }
    return true;
}

// What a page puts around a log.
static bool is_fence(const char *line, size_t length)
{
    size_t blanks = strspn(line, " \t>");
    return length >= blanks + 3 && memcmp(line + blanks, "```", 3) == 0 &&
           memchr(line + blanks, ' ', length - blanks) == NULL;
}

static bool states_memory(const char *line, size_t length)
{
    return kvb_has_word(line, length, "MiB") || kvb_has_word(line, length, "GiB");
}

// Whether every line is one that was recognised, or states memory: nobody's log, but what was picked out of one.
static bool only_figures(const struct kvb_log_reader *reader)
{
    const struct kvb_log_window *window = &reader->window;
    uint64_t line = 1;
    size_t begin = 1;                                                 // behind the break before the first line
    for (size_t at = 1; at < window->length && !reader->slid; at++) { // its last byte is a break
        if (window->text[at] != '\n') {
            continue;
        }
        const char *from = window->text + begin;
        if (!kvb_runs_knows_line(&reader->runs, line) && !is_blank_line(from, at - begin) &&
            !is_fence(from, at - begin) && !states_memory(from, at - begin)) {
            return false;
        }
        begin = at + 1;
        line++;
    }
    return !reader->slid && reader->runs.known_lines > 0;
}

// The last line may lack its break, which the forms look for.
static void close_last_line(struct kvb_log_reader *reader)
{
    kvb_parts_finish(&reader->parts, append_whole, reader);
    if (reader->byte_count > 0 && !reader->ends_in_break) {
        append_whole(reader, "\n", 1);
    }
}

static void settle_series(struct kvb_log_reader *reader, struct kvb_log_report *report)
{
    report->has_series = kvb_series_finish(&reader->series, &report->series);
    report->verdict = report->has_series ? KVB_LOG_HEALTHY : report->verdict;
}

void kvb_log_reader_finish(struct kvb_log_reader *reader, struct kvb_log_report *report)
{
    if (reader->encoding == KVB_ENCODING_UNKNOWN) {
        decide_encoding(reader);
    }
    close_last_line(reader);
    search(reader, true);
    kvb_runs_finish(&reader->runs, only_figures(reader), report);
    if (report->known_lines == 0) {
        settle_series(reader, report);
    }
    report->packed = reader->head_length == 2 ? kvb_packed_as(reader->head) : NULL;
    report->byte_count = reader->byte_count;
    report->line_count = reader->window.line - 1; // the last break is behind the last line
    report->not_text = report->known_lines == 0 && reader->controls >= 8 && reader->controls * 20 > reader->sampled;
    if (report->verdict == KVB_LOG_UNKNOWN) {
        report->closest_count = reader->closest_count;
        memcpy(report->closest, reader->closest, sizeof report->closest);
    }
}
