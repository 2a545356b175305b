// A template as a tree: texts, actions and what steers them. Expressions stay text until they are evaluated.
#ifndef KVB_HELM_TEMPLATE_H
#define KVB_HELM_TEMPLATE_H

#include "helm/value.h"

enum kvb_helm_step_kind {
    KVB_HELM_STEP_TEXT,
    KVB_HELM_STEP_ACTION,
    KVB_HELM_STEP_IF,
    KVB_HELM_STEP_WITH,
    KVB_HELM_STEP_RANGE,
    KVB_HELM_STEP_TEMPLATE,
    KVB_HELM_STEP_BREAK,
    KVB_HELM_STEP_CONTINUE,
};

struct kvb_helm_step_node {
    enum kvb_helm_step_kind kind;
    const char *begin; // of the text or of the braces in front of the expression
    const char *text;  // of the template, or the expression, NUL-ended
    size_t length;
    struct kvb_helm_step_node *body, *otherwise, *next;
};

struct kvb_helm_define {
    const char *name;
    const struct kvb_helm_step_node *body;
    struct kvb_helm_define *older;
};

// Where a template is none.
struct kvb_helm_slip {
    const char *at; // NULL: nowhere
    const char *why;
};

// Parses NUL-ended text, which has to stay; its definitions are added to `defines`. False: `slip` says where, or the
// room is spent.
bool kvb_helm_parse(struct kvb_helm_room *room, const char *text, struct kvb_helm_define **defines,
                    const struct kvb_helm_step_node **root, struct kvb_helm_slip *slip);

#endif
