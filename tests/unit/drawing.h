// A drawing read back: its boxes, lines and words, and that all of them are inside of it and none lies on another.
#ifndef DRAWING_H
#define DRAWING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "unit/test.h"

#define SHAPES_MAX 512

struct shape {
    char style[24], says[160], anchor[8];
    unsigned x, y, width, height; // of a line: where it ends
    bool has_figure;
    long long figure;
};
static struct drawing {
    unsigned width, height, box_count, line_count, word_count;
    struct shape boxes[SHAPES_MAX], lines[SHAPES_MAX], words[SHAPES_MAX];
} drawn;

static inline unsigned number_of(const char *element, const char *key)
{
    char name[24];
    (void)snprintf(name, sizeof name, " %s=\"", key);
    const char *at = strstr(element, name);
    assert_non_null(at);
    return (unsigned)strtoul(at + strlen(name), NULL, 10);
}

static inline void word_of(const char *element, const char *before, const char *behind, char *out, size_t capacity)
{
    const char *at = strstr(element, before), *end = at != NULL ? strstr(at + strlen(before), behind) : NULL;
    assert_non_null(end);
    size_t length = (size_t)(end - at) - strlen(before);
    assert_true(length < capacity);
    memcpy(out, at + strlen(before), length);
    out[length] = '\0';
}

static inline struct shape *next_shape(struct shape *shapes, unsigned *count, const char *line)
{
    assert_true(*count < SHAPES_MAX);
    struct shape *shape = &shapes[(*count)++];
    word_of(line, "class=\"", "\"", shape->style, sizeof shape->style);
    return shape;
}

static inline void read_element(const char *line)
{
    if (strncmp(line, "<svg", 4) == 0) {
        drawn.width = number_of(line, "width");
        drawn.height = number_of(line, "height");
    } else if (strncmp(line, "<rect", 5) == 0 && strstr(line, " x=\"") != NULL) {
        struct shape *box = next_shape(drawn.boxes, &drawn.box_count, line);
        box->x = number_of(line, "x");
        box->y = number_of(line, "y");
        box->width = number_of(line, "width");
        box->height = number_of(line, "height");
        const char *figure = strstr(line, "data-figure=\"");
        box->has_figure = figure != NULL;
        box->figure = figure != NULL ? strtoll(figure + strlen("data-figure=\""), NULL, 10) : 0;
        word_of(line, "<title>", "</title>", box->says, sizeof box->says);
    } else if (strncmp(line, "<line", 5) == 0) {
        struct shape *found = next_shape(drawn.lines, &drawn.line_count, line);
        found->x = number_of(line, "x1");
        found->y = number_of(line, "y1");
        found->width = number_of(line, "x2");
        found->height = number_of(line, "y2");
    } else if (strncmp(line, "<text", 5) == 0) {
        struct shape *word = next_shape(drawn.words, &drawn.word_count, line);
        word->x = number_of(line, "x");
        word->y = number_of(line, "y");
        word_of(line, "text-anchor=\"", "\"", word->anchor, sizeof word->anchor);
        word_of(line, "\">", "</text>", word->says, sizeof word->says);
    }
}

static inline bool apart(const struct shape *a, const struct shape *b)
{
    return a->x + a->width <= b->x || b->x + b->width <= a->x || a->y + a->height <= b->y || b->y + b->height <= a->y;
}

static inline bool inside(const struct shape *a, const struct shape *b)
{
    return a->x >= b->x && a->x + a->width <= b->x + b->width && a->y >= b->y && a->y + a->height <= b->y + b->height;
}

static inline void judge_drawing(void)
{
    for (unsigned i = 0; i < drawn.box_count; i++) {
        const struct shape *box = &drawn.boxes[i];
        assert_true(box->x + box->width <= drawn.width && box->y + box->height <= drawn.height);
        for (unsigned k = 0; k < i; k++) {
            if (!apart(box, &drawn.boxes[k]) && !inside(box, &drawn.boxes[k])) {
                fail_msg("'%s' lies on '%s'", box->says, drawn.boxes[k].says);
            }
        }
    }
    for (unsigned i = 0; i < drawn.line_count; i++) {
        const struct shape *line = &drawn.lines[i];
        assert_true(line->x <= drawn.width && line->width <= drawn.width);
        assert_true(line->y <= drawn.height && line->height <= drawn.height);
    }
    for (unsigned i = 0; i < drawn.word_count; i++) {
        const struct shape *word = &drawn.words[i];
        assert_true(word->x <= drawn.width && word->y <= drawn.height && word->y >= 10);
        for (unsigned k = 0; k < i; k++) {
            const struct shape *other = &drawn.words[k];
            unsigned between = word->y > other->y ? word->y - other->y : other->y - word->y;
            if (word->x == other->x && strcmp(word->anchor, other->anchor) == 0 && between < 12) {
                fail_msg("'%s' lies on '%s'", word->says, other->says);
            }
        }
    }
}

// Reads what was drawn last.
static inline void read_drawing(struct kvb_buffer *out)
{
    memset(&drawn, 0, sizeof drawn);
    assert_false(out->failed);
    for (char *line = strtok(out->data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        read_element(line);
    }
    kvb_buffer_free(out);
    kvb_buffer_init(out);
    judge_drawing();
}

// The n-th box of a style, counted from 0.
static inline const struct shape *box_of(const char *style, unsigned n)
{
    for (unsigned i = 0; i < drawn.box_count; i++) {
        if (strcmp(drawn.boxes[i].style, style) == 0 && n-- == 0) {
            return &drawn.boxes[i];
        }
    }
    return NULL;
}

static inline const struct shape *words_of(const char *says)
{
    for (unsigned i = 0; i < drawn.word_count; i++) {
        if (strcmp(drawn.words[i].says, says) == 0) {
            return &drawn.words[i];
        }
    }
    fail_msg("'%s' is not written", says);
    return NULL;
}

#endif
