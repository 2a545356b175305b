// Drawings as SVG and pages as HTML: one file each, nothing loaded from elsewhere, light and dark, readable aloud.
#ifndef KVB_REPORT_PICTURE_H
#define KVB_REPORT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct kvb_svg {
    struct kvb_buffer *out;
    unsigned number; // of the drawing in its page: names in it are its own
    unsigned width, height;
};
// `title` names the drawing, `description` says what it shows, for who does not see it.
void kvb_svg_open(struct kvb_svg *svg, const char *title, const char *description);
void kvb_svg_close(struct kvb_svg *svg);
// A box of a style's class; `says` is its tooltip, `bytes` a figure of the JSON that it stands for (NULL: none).
void kvb_svg_box(struct kvb_svg *svg, unsigned x, unsigned y, unsigned width, unsigned height, const char *style,
                 const char *says, const int64_t *figure);
void kvb_svg_line(struct kvb_svg *svg, unsigned x1, unsigned y1, unsigned x2, unsigned y2, const char *style);
// `anchor`: "start", "middle" or "end".
void kvb_svg_text(struct kvb_svg *svg, unsigned x, unsigned y, const char *style, const char *anchor, const char *text);

// `whole` units over `pixels`: where `part` ends. Never beyond.
unsigned kvb_pixels(uint64_t part, uint64_t whole, unsigned pixels);

void kvb_html_open(struct kvb_buffer *out, const char *title);
void kvb_html_paragraph(struct kvb_buffer *out, const char *text);
void kvb_html_heading(struct kvb_buffer *out, const char *text);
void kvb_html_code(struct kvb_buffer *out, const char *text);
void kvb_html_table_open(struct kvb_buffer *out, const char *caption);
// The same for a table of words: nothing is set to the right, and long names are broken.
void kvb_html_words_open(struct kvb_buffer *out, const char *caption);
void kvb_html_row(struct kvb_buffer *out, bool head, const char *const *cells, unsigned count);
void kvb_html_table_close(struct kvb_buffer *out);
void kvb_html_close(struct kvb_buffer *out);

#endif
