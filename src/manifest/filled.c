// From places of the filled text back to those of the template, and what could not be filled.
#include "manifest/filled.h"

#include <string.h>

#include "base/text.h"

bool kvb_filled_open(struct kvb_filled *filled, const char *text, size_t length)
{
    filled->source = (struct kvb_manifest){.file = filled->file, .text = text, .length = length};
    kvb_arena_init(&filled->source.arena);
    return kvb_source_open(&filled->source);
}

void kvb_filled_close(struct kvb_filled *filled)
{
    kvb_arena_free(&filled->source.arena);
}

// `literal` receives whether the template has it there word for word.
static struct kvb_spot place_of(const struct kvb_filled *filled, struct kvb_spot spot, bool *literal)
{
    *literal = false;
    if (spot.line == 0) {
        return spot;
    }
    size_t out = kvb_source_offset(filled->rendered, spot.line, spot.column);
    return kvb_source_spot(&filled->source, kvb_helm_origin(&filled->chart->run, out, literal));
}

static void move(const struct kvb_filled *filled, struct kvb_spot *spot)
{
    bool literal;
    *spot = place_of(filled, *spot, &literal);
}

// A piece of a line that is filled in is nowhere as it is.
static void move_region(const struct kvb_filled *filled, struct kvb_region *region)
{
    bool begins, ends;
    struct kvb_spot last = region->first;
    if (region->first.line == 0) {
        return;
    }
    last.column += region->characters > 0 ? region->characters - 1 : 0;
    region->first = place_of(filled, region->first, &begins);
    last = place_of(filled, last, &ends);
    if (!begins || !ends || last.line != region->first.line ||
        last.column - region->first.column + 1 != region->characters) {
        *region = (struct kvb_region){0};
    }
}

static void move_all(const struct kvb_filled *filled, struct kvb_found *found)
{
    struct kvb_spot *const spots[] = {&found->place, &found->model, &found->gpu, &found->engine,
                                      &found->gpu_limit_place};
    for (size_t i = 0; i < sizeof spots / sizeof spots[0]; i++) {
        move(filled, spots[i]);
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        move(filled, &found->settings[i]);
        move_region(filled, &found->values[i]);
    }
    for (uint32_t i = 0; i < found->dated_count; i++) {
        move(filled, &found->dated[i].place);
    }
    for (uint32_t i = 0; i < found->problems.count; i++) {
        struct kvb_problem *problem = &found->problems.items[i];
        struct kvb_spot spot = {problem->line, problem->column};
        move_region(filled, &found->mistakes[i]);
        move(filled, &spot);
        problem->line = spot.line;
        problem->column = spot.column;
    }
}

// The first expression that would have decided what stands in the same document; NULL: none.
static const struct kvb_helm_open *open_beside(const struct kvb_filled *filled, size_t out)
{
    const struct kvb_helm_run *run = &filled->chart->run;
    const char *text = filled->rendered->text, *at = text + out;
    const char *end = strstr(at, "\n---");
    while (at > text && (at[0] != '\n' || !kvb_starts_with(at, "\n---"))) {
        at--;
    }
    size_t begin = (size_t)(at - text) + (*at == '\n'); // what ends the document before it stands in that one
    for (uint32_t i = 0; i < run->open_count; i++) {
        const struct kvb_helm_open *open = &run->opens[i];
        if (open->out >= begin && (end == NULL || open->out <= (size_t)(end - text))) {
            return open;
        }
    }
    return NULL;
}

static void refuse(struct kvb_found *found, const struct kvb_filled *filled, size_t from, const char *front,
                   const char *expression, const char *behind)
{
    struct kvb_spot spot = kvb_source_spot(&filled->source, from);
    kvb_problems_init(&found->problems);
    memset(found->mistakes, 0, sizeof found->mistakes);
    found->status = kvb_problem_add(&found->problems, KVB_ERROR, KVB_MISSING_KEY,
                                    (struct kvb_place){filled->file, spot.line, spot.column},
                                    "%s%.160s%s; render it, for example with helm template", front, expression, behind);
}

static void refuse_open(struct kvb_found *found, const struct kvb_filled *filled, size_t from, const char *expression)
{
    refuse(found, filled, from, "what is started depends on {{ ", expression, " }}, which cannot be evaluated here");
}

static void refuse_unfilled(struct kvb_found *found, const struct kvb_filled *filled)
{
    const struct kvb_chart *chart = filled->chart;
    if (chart->failure != NULL) {
        refuse(found, filled, chart->failed_at, "the template cannot be filled: ", chart->failure, "");
    } else if (chart->run.open_count > 0) {
        refuse_open(found, filled, chart->run.opens[0].from, chart->run.opens[0].expression);
    } else {
        const struct kvb_helm_hole *hole = chart->room.holes;
        const char *at = strstr(filled->source.text, hole->expression);
        refuse_open(found, filled, at != NULL ? (size_t)(at - filled->source.text) : 0, hole->expression);
    }
}

enum kvb_status kvb_filled_take(void *context, const struct kvb_found *found)
{
    struct kvb_filled *filled = context;
    struct kvb_found *copy = filled->copy;
    *copy = *found;
    if (filled->rendered == NULL) {
        refuse_unfilled(copy, filled);
        return filled->take(filled->context, copy);
    }
    size_t out = kvb_source_offset(filled->rendered, found->place.line, found->place.column);
    const struct kvb_helm_open *open = out != KVB_NOWHERE ? open_beside(filled, out) : NULL;
    move_all(filled, copy);
    if (open != NULL) {
        refuse_open(copy, filled, open->from, open->expression);
    }
    if (filled->overlay != NULL) {
        kvb_add_text(copy->name, sizeof copy->name, " (");
        kvb_add_text(copy->name, sizeof copy->name, filled->overlay);
        kvb_add_text(copy->name, sizeof copy->name, ")");
    }
    return filled->take(filled->context, copy);
}
