// Drawings as SVG and pages as HTML.
#include "report/picture.h"

#include <inttypes.h>
#include <string.h>

#include "report/safe_text.h"

// Classes of the drawings; the colours tell apart without red against green, and each box has its word beside it.
static const char light[] =
    ".page{fill:#ffffff}.text{fill:#1b1f24;font:13px sans-serif}.head{fill:#1b1f24;font:bold 16px sans-serif}"
    ".dim{fill:#57606a;font:12px sans-serif}.axis{stroke:#8c959f;stroke-width:1}.whisker{stroke:#1b1f24;stroke-width:2}"
    ".curve{stroke:#0a58ca;stroke-width:2}"
    ".weights{fill:#0a58ca}.activation{fill:#f2a900}.non_torch{fill:#8c5ac8}.graphs{fill:#c2557a}.reserved{fill:#"
    "7a7f87}"
    ".other{fill:#5d4037}.cache{fill:#1a9988}.outside{fill:#b0b7bf}.free{fill:#e7ebef}.over{fill:#b3261e}"
    ".fits{fill:#9fd8cb}.tight{fill:#f5d67a}.no{fill:#e9a8a3}.on{fill:#10141a;font:13px sans-serif}";
static const char dark[] = ".page{fill:#12161c}.text{fill:#e6edf3}.head{fill:#e6edf3}.dim{fill:#9aa4af}"
                           ".axis{stroke:#6e7681}.whisker{stroke:#e6edf3}.curve{stroke:#6ea8fe}.free{fill:#2a313a}"
                           ".weights{fill:#4f8df0}.outside{fill:#5f6973}";

void kvb_svg_open(struct kvb_svg *svg, const char *title, const char *description)
{
    struct kvb_buffer *out = svg->out;
    kvb_buffer_printf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" "
                      "role=\"img\" aria-labelledby=\"title%u desc%u\">\n<title id=\"title%u\">",
                      svg->width, svg->height, svg->width, svg->height, svg->number, svg->number, svg->number);
    kvb_xml_add(out, title);
    kvb_buffer_printf(out, "</title>\n<desc id=\"desc%u\">", svg->number);
    kvb_xml_add(out, description);
    kvb_buffer_printf(out, "</desc>\n<style>%s@media screen and (prefers-color-scheme: dark){%s}</style>\n", light,
                      dark);
    kvb_buffer_printf(out, "<rect class=\"page\" width=\"%u\" height=\"%u\"/>\n", svg->width, svg->height);
}

void kvb_svg_close(struct kvb_svg *svg)
{
    kvb_buffer_add(svg->out, "</svg>\n");
}

void kvb_svg_box(struct kvb_svg *svg, unsigned x, unsigned y, unsigned width, unsigned height, const char *style,
                 const char *says, const int64_t *figure)
{
    kvb_buffer_printf(svg->out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"", style, x, y, width,
                      height);
    if (figure != NULL) {
        kvb_buffer_printf(svg->out, " data-figure=\"%" PRId64 "\"", *figure);
    }
    kvb_buffer_add(svg->out, "><title>");
    kvb_xml_add(svg->out, says);
    kvb_buffer_add(svg->out, "</title></rect>\n");
}

void kvb_svg_line(struct kvb_svg *svg, unsigned x1, unsigned y1, unsigned x2, unsigned y2, const char *style)
{
    kvb_buffer_printf(svg->out, "<line class=\"%s\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n", style, x1, y1, x2,
                      y2);
}

void kvb_svg_text(struct kvb_svg *svg, unsigned x, unsigned y, const char *style, const char *anchor, const char *text)
{
    kvb_buffer_printf(svg->out, "<text class=\"%s\" x=\"%u\" y=\"%u\" text-anchor=\"%s\">", style, x, y, anchor);
    kvb_xml_add(svg->out, text);
    kvb_buffer_add(svg->out, "</text>\n");
}

unsigned kvb_pixels(uint64_t part, uint64_t whole, unsigned pixels)
{
    uint64_t unit = whole / 65536U + 1; // so that the product stays small
    uint64_t scaled = part / unit * pixels / (whole / unit > 0 ? whole / unit : 1);
    return scaled > pixels ? pixels : (unsigned)scaled;
}

void kvb_html_open(struct kvb_buffer *out, const char *title)
{
    kvb_buffer_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                        "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>");
    kvb_xml_add(out, title);
    kvb_buffer_add(
        out,
        "</title>\n<style>:root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:60em;"
        "margin:2em auto;padding:0 1em}table{border-collapse:collapse}th,td{padding:.2em .8em;"
        "text-align:right;border-bottom:1px solid #8c959f}th:first-child,td:first-child{text-align:left}"
        "table{margin:1em 0}.words th,.words "
        "td{text-align:left;vertical-align:top;}.words td{overflow-wrap:anywhere;min-width:5em}main{overflow-x:auto}"
        "caption{text-align:left;font-weight:bold}pre{white-space:pre-wrap}svg{max-width:100%;height:auto}"
        "@media print{:root{color-scheme:light}body{margin:0}}</style>\n</head>\n<body>\n<main>\n<h1>");
    kvb_xml_add(out, title);
    kvb_buffer_add(out, "</h1>\n");
}

static void add_element(struct kvb_buffer *out, const char *open, const char *text, const char *close)
{
    kvb_buffer_add(out, open);
    kvb_xml_add(out, text);
    kvb_buffer_add(out, close);
}

void kvb_html_paragraph(struct kvb_buffer *out, const char *text)
{
    add_element(out, "<p>", text, "</p>\n");
}

void kvb_html_heading(struct kvb_buffer *out, const char *text)
{
    add_element(out, "<h2>", text, "</h2>\n");
}

void kvb_html_code(struct kvb_buffer *out, const char *text)
{
    add_element(out, "<pre><code>", text, "</code></pre>\n");
}

void kvb_html_table_open(struct kvb_buffer *out, const char *caption)
{
    add_element(out, "<table>\n<caption>", caption, "</caption>\n");
}

void kvb_html_words_open(struct kvb_buffer *out, const char *caption)
{
    add_element(out, "<table class=\"words\">\n<caption>", caption, "</caption>\n");
}

void kvb_html_row(struct kvb_buffer *out, bool head, const char *const *cells, unsigned count)
{
    kvb_buffer_add(out, "<tr>");
    for (unsigned i = 0; i < count; i++) {
        add_element(out, head ? "<th>" : "<td>", cells[i], head ? "</th>" : "</td>");
    }
    kvb_buffer_add(out, "</tr>\n");
}

void kvb_html_table_close(struct kvb_buffer *out)
{
    kvb_buffer_add(out, "</table>\n");
}

void kvb_html_close(struct kvb_buffer *out)
{
    kvb_buffer_add(out, "</main>\n</body>\n</html>\n");
}
