// Bars and their legends.
#include "report/bar.h"

#include <string.h>

#include "report/style.h"

#define FULL "\xe2\x96\x88"
#define DARK "\xe2\x96\x93"
#define MEDIUM "\xe2\x96\x92"
#define LIGHT "\xe2\x96\x91"

// Neighbours in a bar differ in colour and those of like colour in their shade.
static const struct block {
    char letter;
    const char *color, *block;
} blocks[] = {
    {'W', "\033[34m", FULL}, {'a', "\033[33m", FULL}, {'n', "\033[35m", FULL}, {'g', "\033[95m", DARK},
    {'r', "\033[90m", FULL}, {'o', "\033[37m", DARK}, {'k', "\033[36m", FULL}, {'x', "\033[90m", DARK},
    {'A', "\033[34m", FULL}, {'R', "\033[35m", FULL}, {'E', "\033[36m", FULL}, {'p', "\033[33m", FULL},
    {'!', "\033[31m", FULL}, {'.', "\033[2m", LIGHT},
};
static const struct block other = {'\0', "", MEDIUM};

static const struct block *block_of(char letter)
{
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (blocks[i].letter == letter) {
            return &blocks[i];
        }
    }
    return &other;
}

static void add_cell(struct kvb_buffer *out, bool color, char letter)
{
    if (color && out->blocks) {
        kvb_buffer_add(out, block_of(letter)->block);
    } else {
        kvb_buffer_add_n(out, &letter, 1);
    }
}

void kvb_bar_add(struct kvb_buffer *out, bool color, const char *cells)
{
    bool painted = color && out->blocks;
    for (const char *at = cells; *at != '\0'; at++) {
        if (painted && (at == cells || at[-1] != at[0])) {
            kvb_style(out, at > cells, KVB_STYLE_PLAIN);
            kvb_buffer_add(out, block_of(*at)->color);
        }
        add_cell(out, color, *at);
    }
    kvb_style(out, painted && cells[0] != '\0', KVB_STYLE_PLAIN);
}

void kvb_bar_legend(struct kvb_buffer *out, bool color, size_t *used, char letter, const char *label)
{
    size_t length = strlen(label) + 4;
    char cell[2] = {letter, '\0'};
    if (*used + length > kvb_page_width(out)) {
        kvb_buffer_add(out, "\n ");
        *used = 1;
    }
    kvb_buffer_add(out, "  ");
    kvb_bar_add(out, color, cell);
    kvb_buffer_printf(out, " %s", label);
    *used += length;
}
