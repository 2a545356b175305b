// Text, sections and headings in the language of man.
#include <kvbudget/kvbudget.h>

#include "cli/manual.h"

void kvb_manual_text(struct kvb_buffer *out, const char *text)
{
    bool line_begins = true;
    for (; *text != '\0'; text++) {
        if (line_begins && (*text == '.' || *text == '\'')) {
            kvb_buffer_add(out, "\\&");
        }
        if (*text == '\\') {
            kvb_buffer_add(out, "\\e");
        } else if (*text == '-') {
            kvb_buffer_add(out, "\\-");
        } else {
            kvb_buffer_add_n(out, text, 1);
        }
        line_begins = *text == '\n';
    }
}

void kvb_manual_section(struct kvb_buffer *out, const char *title)
{
    kvb_buffer_printf(out, ".SH %s\n", title);
}

void kvb_manual_heading(struct kvb_buffer *out, const char *name, int section, const char *what)
{
    kvb_buffer_add(out, ".TH \"");
    kvb_manual_text(out, name);
    kvb_buffer_printf(out, "\" %d \"\" \"kvbudget %s\"\n.SH NAME\n", section, kvb_version());
    kvb_manual_text(out, name);
    kvb_buffer_add(out, " \\- ");
    kvb_manual_text(out, what);
    kvb_buffer_add(out, "\n");
}
