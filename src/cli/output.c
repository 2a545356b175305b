// The way out: answer and problems written, flushed and checked.
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "report/json_writer.h"
#include "report/problems.h"
#include "report/safe_text.h"

const char *const kvb_output_formats[FORMAT_COUNT + 1] = {
    [FORMAT_TEXT] = "text",   [FORMAT_JSON] = "json",   [FORMAT_GITHUB] = "github", [FORMAT_MARKDOWN] = "markdown",
    [FORMAT_JUNIT] = "junit", [FORMAT_SARIF] = "sarif", [FORMAT_JSONL] = "jsonl",   [FORMAT_CSV] = "csv",
    [FORMAT_SVG] = "svg",     [FORMAT_HTML] = "html",
};

bool kvb_output_use_color(enum color_mode mode)
{
    if (mode != COLOR_AUTO) {
        return mode == COLOR_ALWAYS;
    }
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool refused = (no_color != NULL && no_color[0] != '\0') || (term != NULL && strcmp(term, "dumb") == 0);
    return !refused && isatty(STDOUT_FILENO) == 1;
}

#define WIDTH_LEAST 40U
#define WIDTH_MOST 160U

// Of the terminal, else COLUMNS; 0: neither says.
static uint64_t stated_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize window;
    uint64_t width = 0;
    memset(&window, 0, sizeof window);
    if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
        width = window.ws_col;
    }
    if (width == 0 && (columns == NULL || !kvb_parse_whole(columns, &width))) {
        width = 0;
    }
    return width;
}

// The first of these that is set decides, as in setlocale().
static bool has_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return kvb_contains_ignoring_case(value, "utf-8") || kvb_contains_ignoring_case(value, "utf8");
        }
    }
    return false;
}

void kvb_output_page(struct kvb_buffer *page)
{
    uint64_t width = stated_width();
    if (width > 0) {
        page->page_columns = (unsigned)(width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width);
    }
    page->blocks = has_utf8();
}

int kvb_output_answer(const struct kvb_buffer *answer, int code)
{
    if (answer->failed) {
        (void)fputs("kvbudget: out of memory\n", stderr);
        return kvb_status_exit_code(KVB_NO_MEMORY);
    }
    errno = 0;
    bool written = answer->length == 0 || fwrite(answer->data, 1, answer->length, stdout) == answer->length;
    if (written && fflush(stdout) == 0) {
        return code;
    }
    if (errno != EPIPE) {
        (void)fprintf(stderr, "kvbudget: cannot write the answer: %s\n", strerror(errno));
    }
    return kvb_status_exit_code(KVB_CANNOT_WRITE);
}

static void add_problem(struct kvb_buffer *out, const struct kvb_problem *problem)
{
    static const char *const words[] = {[KVB_NOTICE] = "note: ", [KVB_WARNING] = "warning: ", [KVB_ERROR] = ""};
    if (problem->file[0] != '\0') {
        kvb_text_add_safe(out, problem->file);
        if (problem->line > 0) {
            kvb_buffer_printf(out, ":%u", (unsigned)problem->line);
        }
        if (problem->line > 0 && problem->column > 0) {
            kvb_buffer_printf(out, ":%u", (unsigned)problem->column);
        }
        kvb_buffer_add(out, ": ");
    } else {
        kvb_buffer_add(out, "kvbudget: ");
    }
    kvb_buffer_add(out, words[problem->severity]);
    kvb_text_add_safe(out, problem->text);
    kvb_buffer_add(out, "\n");
}

void kvb_output_problems(const struct kvb_problems *problems, enum kvb_severity least, bool without_assumed)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (uint32_t i = 0; i < problems->count; i++) {
        bool said = without_assumed && problems->items[i].status == KVB_ASSUMED;
        if (problems->items[i].severity >= least && !said) {
            add_problem(&out, &problems->items[i]);
        }
    }
    if (problems->dropped > 0) {
        kvb_buffer_printf(&out, "kvbudget: %u more problems are not shown\n", (unsigned)problems->dropped);
    }
    if (out.failed) {
        (void)fputs("kvbudget: out of memory\n", stderr);
    } else if (out.length > 0) {
        (void)fwrite(out.data, 1, out.length, stderr);
    }
    kvb_buffer_free(&out);
}

void kvb_output_problems_json(struct kvb_buffer *out, const char *schema, const struct kvb_problems *problems)
{
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", schema);
    kvb_render_problems_json(&json, problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
