// Rendering a template with the values of its chart. What cannot be evaluated stays a hole, called after its
// expression; where that decides which lines there are, the place is told.
#ifndef KVB_HELM_EVAL_H
#define KVB_HELM_EVAL_H

#include "helm/template.h"

#define KVB_HELM_DEPTH_MAX 80U // of blocks, parentheses and includes inside each other

struct kvb_helm_variable {
    const char *name;
    struct kvb_helm_value value;
    struct kvb_helm_variable *older;
};

struct kvb_helm_scope {
    struct kvb_helm_value dot, root;
    struct kvb_helm_variable *variables;
};

// From byte `out` of the rendered text on: byte `from` of the template, and so on where it is literal.
struct kvb_helm_piece {
    size_t out, from;
    bool literal;
};

// An expression that would have decided what is rendered here.
struct kvb_helm_open {
    size_t out, from;
    const char *expression;
};

struct kvb_helm_run {
    struct kvb_helm_room *room;
    struct kvb_helm_define *defines;
    const char *text; // of the template that is rendered
    struct kvb_buffer out;
    struct kvb_helm_piece *pieces;
    uint32_t piece_count, piece_capacity;
    struct kvb_helm_open *opens;
    uint32_t open_count, open_capacity;
    size_t from;           // of the step of the template that is in hand
    unsigned depth, level; // level: of includes
    const char *undecided; // inside an include: what ended it
    bool breaks, continues;
};

// Renders into run->out; false: the room is spent. The run's buffer is freed by kvb_helm_run_free.
bool kvb_helm_render(struct kvb_helm_run *run, const struct kvb_helm_step_node *root,
                     const struct kvb_helm_value *values);
void kvb_helm_run_free(struct kvb_helm_run *run);
// Where byte `out` of the rendered text comes from; `literal`: it stands there as it is.
size_t kvb_helm_origin(const struct kvb_helm_run *run, size_t out, bool *literal);

// ---- between the files of this room
// The value of a pipeline without assignments (expression.c).
struct kvb_helm_value kvb_helm_evaluate(struct kvb_helm_run *run, const struct kvb_helm_scope *scope, const char *text);
// What `include` gives: the definition's text with `dot` (eval.c).
struct kvb_helm_value kvb_helm_include(struct kvb_helm_run *run, const char *name, const struct kvb_helm_value *dot);
struct kvb_helm_value kvb_helm_tpl(struct kvb_helm_run *run, const char *text, const struct kvb_helm_value *dot);
// A function on its arguments, those of a pipe last; `whole` is the expression it stands in (functions.c).
struct kvb_helm_value kvb_helm_call(struct kvb_helm_room *room, const char *name, struct kvb_helm_value *args,
                                    uint32_t count, const char *whole);

#endif
