// One training step drawn: its phases in order of time, what each holds, and the card's memory as a line.
#include <stdio.h>

#include "base/checked.h"
#include "report/picture.h"
#include "report/pictures.h"

#define LEFT 20U
#define PLOT_WIDTH 760U
#define PLOT_HEIGHT 200U
#define PLOT_TOP 40U
#define LEGEND_STEP 22U

// What passes within a phase is one colour.
static const struct {
    enum kvb_train_part first, last;
    const char *style, *label;
} kinds[] = {
    {KVB_TRAIN_ACTOR, KVB_TRAIN_ACTOR, "weights", "actor: weights, gradients, optimizer"},
    {KVB_TRAIN_REFERENCE, KVB_TRAIN_REFERENCE, "non_torch", "reference"},
    {KVB_TRAIN_ENGINE, KVB_TRAIN_ENGINE, "cache", "rollout engine"},
    {KVB_TRAIN_OTHERS, KVB_TRAIN_OTHERS, "other", "other residents"},
    {KVB_TRAIN_CONTEXTS, KVB_TRAIN_CONTEXTS, "outside", "contexts and communication"},
    {KVB_TRAIN_GATHER, KVB_TRAIN_BUCKET, "activation",
     "passing: gathered units, activations, logits, weights in transit"},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

struct plot {
    struct kvb_svg *svg;
    unsigned bottom, step;
    uint64_t whole_bytes;
};

static void draw_part(const struct plot *plot, const struct kvb_training *training, unsigned phase, unsigned part,
                      const char *style, uint64_t *end_bytes)
{
    uint64_t bytes = training->parts[phase][part];
    char text[160], gib[32];
    int64_t figure = (int64_t)kvb_min(bytes, INT64_MAX);
    unsigned from = kvb_pixels(*end_bytes, plot->whole_bytes, PLOT_HEIGHT);
    *end_bytes = kvb_add(*end_bytes, bytes);
    unsigned to = kvb_pixels(*end_bytes, plot->whole_bytes, PLOT_HEIGHT);
    if (to > from) {
        (void)snprintf(text, sizeof text, "%s: %s %s GiB", kvb_train_phase_row_of(phase)->label,
                       kvb_train_part_row_of(part)->label, kvb_format_gib(gib, figure, 2));
        kvb_svg_box(plot->svg, LEFT + phase * plot->step + 3, plot->bottom - to, plot->step - 6, to - from, style, text,
                    &figure);
    }
}

static void draw_phase(const struct plot *plot, const struct kvb_training *training, unsigned phase)
{
    uint64_t end_bytes = 0;
    char gib[32];
    unsigned middle = LEFT + phase * plot->step + plot->step / 2;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (unsigned part = kinds[kind].first; part <= kinds[kind].last; part++) {
            draw_part(plot, training, phase, part, kinds[kind].style, &end_bytes);
        }
    }
    unsigned top = plot->bottom - kvb_pixels(end_bytes, plot->whole_bytes, PLOT_HEIGHT);
    bool over = training->totals[phase] > training->memory_bytes;
    (void)kvb_format_gib(gib, (int64_t)kvb_min(training->totals[phase], INT64_MAX), 2);
    kvb_svg_text(plot->svg, middle, top - 5, over ? "head" : "text", "middle", gib);
    kvb_svg_text(plot->svg, middle, plot->bottom + 16, "dim", "middle", kvb_train_phase_row_of(phase)->label);
}

static unsigned draw_legend(struct kvb_svg *svg, unsigned y)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        kvb_svg_box(svg, LEFT, y - 11, 14, 14, kinds[kind].style, kinds[kind].label, NULL);
        kvb_svg_text(svg, LEFT + 24, y, "text", "start", kinds[kind].label);
        y += LEGEND_STEP;
    }
    return y;
}

unsigned kvb_phases_height(void)
{
    return PLOT_TOP + PLOT_HEIGHT + 44 + (unsigned)KINDS * LEGEND_STEP + 10;
}

void kvb_draw_phases(struct kvb_svg *svg, unsigned top, const struct kvb_training *training)
{
    char text[160], gib[32];
    struct plot plot = {.svg = svg, .bottom = top + PLOT_TOP + PLOT_HEIGHT, .step = PLOT_WIDTH / KVB_TRAIN_PHASE_COUNT};
    plot.whole_bytes = kvb_max(training->memory_bytes, training->totals[training->deciding]);
    (void)snprintf(text, sizeof text, "One training step in GiB, phase by phase; the fullest is %s",
                   kvb_train_phase_row_of(training->deciding)->label);
    kvb_svg_text(svg, LEFT, top, "head", "start", text);
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        draw_phase(&plot, training, phase);
    }
    unsigned card = plot.bottom - kvb_pixels(training->memory_bytes, plot.whole_bytes, PLOT_HEIGHT);
    kvb_svg_line(svg, LEFT, card, LEFT + PLOT_WIDTH, card, "whisker");
    kvb_svg_line(svg, LEFT, plot.bottom, LEFT + PLOT_WIDTH, plot.bottom, "axis");
    (void)snprintf(text, sizeof text, "the card: %s GiB", kvb_format_gib(gib, (int64_t)training->memory_bytes, 2));
    kvb_svg_text(svg, LEFT + PLOT_WIDTH, card - 5, "dim", "end", text);
    (void)draw_legend(svg, plot.bottom + 44);
}

void kvb_html_phases(struct kvb_buffer *out, const struct kvb_training *training)
{
    static const char *const head[] = {"phase", "GiB", "give or take", "free"};
    kvb_html_table_open(out, "One training step, per GPU");
    kvb_html_row(out, true, head, 4);
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        char total[32], range[32], left[32];
        const char *const cells[] = {
            kvb_train_phase_row_of(phase)->label, kvb_format_gib(total, (int64_t)training->totals[phase], 2),
            kvb_format_gib(range, (int64_t)training->ranges[phase], 2),
            kvb_format_gib(left, kvb_balance(training->memory_bytes, training->totals[phase]), 2)};
        kvb_html_row(out, false, cells, 4);
    }
    kvb_html_table_close(out);
}
