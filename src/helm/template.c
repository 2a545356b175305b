// Templates into steps: braces, trimmed blanks, blocks and their ends.
#include "helm/template.h"

#include <string.h>

#include "base/text.h"

#define DEPTH_MAX 64U // of blocks inside blocks

struct parsing {
    struct kvb_helm_room *room;
    const char *at;
    bool trims;             // blanks that follow are taken away
    unsigned depth, ranges; // ranges: that are open here
    struct kvb_helm_define **defines;
    struct kvb_helm_slip *slip;
};

// What stands between braces.
struct action {
    const char *begin;       // of the braces
    const char *inner, *end; // trimmed
};

static const char blanks[] = " \t\r\n";

static bool fail(struct parsing *parsing, const char *at, const char *why)
{
    if (parsing->slip->at == NULL && !parsing->room->spent) {
        *parsing->slip = (struct kvb_helm_slip){at, why};
    }
    return false;
}

static struct kvb_helm_step_node *add(struct parsing *parsing, struct kvb_helm_step_node ***last,
                                      enum kvb_helm_step_kind kind, const char *begin)
{
    struct kvb_helm_step_node *node = kvb_helm_take(parsing->room, sizeof *node);
    if (node != NULL) {
        node->kind = kind;
        node->begin = begin;
        **last = node;
        *last = &node->next;
    }
    return node;
}

// The text up to the next braces.
static bool take_text(struct parsing *parsing, struct kvb_helm_step_node ***last)
{
    const char *begin = parsing->at;
    const char *braces = strstr(begin, "{{"), *end = braces != NULL ? braces : begin + strlen(begin);
    parsing->at = end;
    if (parsing->trims) {
        begin += strspn(begin, blanks);
        begin = begin < end ? begin : end;
    }
    parsing->trims = false;
    if (braces != NULL && braces[2] == '-' && braces[3] != '\0' && strchr(blanks, braces[3]) != NULL) {
        while (end > begin && strchr(blanks, end[-1]) != NULL) {
            end--;
        }
    }
    struct kvb_helm_step_node *node = begin < end ? add(parsing, last, KVB_HELM_STEP_TEXT, begin) : NULL;
    if (node != NULL) {
        node->text = begin;
        node->length = (size_t)(end - begin);
    }
    return !parsing->room->spent;
}

// Behind a text in quotes; NULL: it does not end.
static const char *behind_quotes(const char *at)
{
    char quote = *at++;
    while (*at != '\0' && *at != quote) {
        at += *at == '\\' && quote != '`' && at[1] != '\0' ? 2 : 1;
    }
    return *at == quote ? at + 1 : NULL;
}

static const char *closing_braces(const char *at)
{
    while (*at != '\0' && strncmp(at, "}}", 2) != 0) {
        bool quoted = *at == '"' || *at == '`' || *at == '\'';
        at = quoted ? behind_quotes(at) : at + 1;
        if (at == NULL) {
            return NULL;
        }
    }
    return *at == '\0' ? NULL : at;
}

// Comments leave an empty action.
static bool take_action(struct parsing *parsing, struct action *action)
{
    const char *inner = parsing->at + 2;
    action->begin = parsing->at;
    inner += inner[0] == '-' && inner[1] != '\0' && strchr(blanks, inner[1]) != NULL;
    inner += strspn(inner, blanks);
    bool remarks = kvb_starts_with(inner, "/*");
    const char *comment = remarks ? strstr(inner + 2, "*/") : NULL, *shown = remarks ? comment : inner;
    const char *end = shown != NULL ? closing_braces(shown) : NULL;
    if (end == NULL) {
        return fail(parsing, action->begin, "braces that do not end");
    }
    parsing->at = end + 2;
    parsing->trims = end > inner && end[-1] == '-' && (end - 1 == inner || strchr(blanks, end[-2]) != NULL);
    end -= parsing->trims;
    while (end > inner && strchr(blanks, end[-1]) != NULL) {
        end--;
    }
    action->inner = comment != NULL ? end : inner;
    action->end = end;
    return true;
}

static bool is_word(const struct action *action, const char *word, const char **rest)
{
    size_t length = strlen(word), whole = (size_t)(action->end - action->inner);
    if (whole < length || strncmp(action->inner, word, length) != 0 ||
        (whole > length && strchr(" \t\r\n(", action->inner[length]) == NULL)) {
        return false;
    }
    *rest = action->inner + length;
    *rest += strspn(*rest, blanks);
    *rest = *rest < action->end ? *rest : action->end;
    return true;
}

static void take_expression(struct parsing *parsing, struct kvb_helm_step_node *node, const char *from,
                            const struct action *action)
{
    if (node != NULL) {
        node->text = kvb_helm_copy(parsing->room, from, (size_t)(action->end - from));
        node->length = (size_t)(action->end - from);
    }
}

// What ended a list of steps: the end of the text, `end` or `else`.
enum stop { STOP_NOWHERE, STOP_TEXT, STOP_END, STOP_ELSE };

static enum stop take_list(struct parsing *parsing, struct kvb_helm_step_node **first, struct action *last);

// `else if` and `else with` begin a block in the block's other arm that the same `end` closes.
static bool take_block(struct parsing *parsing, struct kvb_helm_step_node *node, const struct action *opened)
{
    struct action action = *opened;
    unsigned range = node->kind == KVB_HELM_STEP_RANGE;
    parsing->ranges += range;
    enum stop stop = take_list(parsing, &node->body, &action);
    parsing->ranges -= range;
    while (stop == STOP_ELSE) {
        struct action inner = action;
        const char *rest = action.inner, *condition = action.end;
        (void)is_word(&action, "else", &rest);
        inner.inner = rest;
        bool chained = is_word(&inner, "if", &condition), with = !chained && is_word(&inner, "with", &condition);
        struct kvb_helm_step_node **place = &node->otherwise;
        if (chained || with) {
            node = add(parsing, &place, chained ? KVB_HELM_STEP_IF : KVB_HELM_STEP_WITH, action.begin);
            take_expression(parsing, node, condition, &action);
            place = node != NULL ? &node->body : NULL;
        }
        stop = place != NULL ? take_list(parsing, place, &action) : STOP_NOWHERE;
        if (stop == STOP_ELSE && !chained && !with) {
            return fail(parsing, action.begin, "a second else");
        }
    }
    return stop == STOP_END || fail(parsing, opened->begin, "a block that does not end");
}

static bool take_define(struct parsing *parsing, const char *name, const struct action *action,
                        struct kvb_helm_step_node ***last, bool block)
{
    struct kvb_helm_step_node holder = {0};
    const char *end = *name == '"' || *name == '`' ? behind_quotes(name) : NULL;
    if (end == NULL || end > action->end) {
        return fail(parsing, action->begin, "a definition without a name");
    }
    struct kvb_helm_step_node *call = block ? add(parsing, last, KVB_HELM_STEP_TEMPLATE, action->begin) : NULL;
    take_expression(parsing, call, name, action);
    struct kvb_helm_define *define = kvb_helm_take(parsing->room, sizeof *define);
    unsigned ranges = parsing->ranges;
    parsing->ranges = 0;
    if (define == NULL || !take_block(parsing, &holder, action)) {
        return false;
    }
    parsing->ranges = ranges;
    *define = (struct kvb_helm_define){kvb_helm_copy(parsing->room, name + 1, (size_t)(end - name - 2)), holder.body,
                                       *parsing->defines};
    *parsing->defines = define;
    return true;
}

// One action; true when the list goes on behind it.
static bool take_step(struct parsing *parsing, struct kvb_helm_step_node ***last, const struct action *action)
{
    static const struct {
        const char *word;
        enum kvb_helm_step_kind kind;
    } rows[] = {
        {"if", KVB_HELM_STEP_IF},       {"with", KVB_HELM_STEP_WITH},         {"range", KVB_HELM_STEP_RANGE},
        {"break", KVB_HELM_STEP_BREAK}, {"continue", KVB_HELM_STEP_CONTINUE}, {"template", KVB_HELM_STEP_TEMPLATE},
    };
    const char *rest = action->inner;
    bool block = is_word(action, "block", &rest);
    if (block || is_word(action, "define", &rest)) {
        return take_define(parsing, rest, action, last, block);
    }
    enum kvb_helm_step_kind kind = KVB_HELM_STEP_ACTION;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kind = is_word(action, rows[i].word, &rest) ? rows[i].kind : kind;
    }
    if ((kind == KVB_HELM_STEP_BREAK || kind == KVB_HELM_STEP_CONTINUE) && parsing->ranges == 0) {
        return fail(parsing, action->begin, "a break or continue outside a range");
    }
    struct kvb_helm_step_node *node = add(parsing, last, kind, action->begin);
    take_expression(parsing, node, rest, action);
    bool opens = kind == KVB_HELM_STEP_IF || kind == KVB_HELM_STEP_WITH || kind == KVB_HELM_STEP_RANGE;
    return node != NULL && (!opens || take_block(parsing, node, action));
}

static enum stop take_list(struct parsing *parsing, struct kvb_helm_step_node **first, struct action *last)
{
    struct kvb_helm_step_node **place = first;
    const char *rest;
    if (++parsing->depth > DEPTH_MAX) {
        (void)fail(parsing, last->begin, "blocks nested deeper than 64 levels");
        return STOP_NOWHERE;
    }
    for (;;) {
        if (!take_text(parsing, &place)) {
            return STOP_NOWHERE;
        }
        if (*parsing->at == '\0') {
            parsing->depth--;
            return STOP_TEXT;
        }
        if (!take_action(parsing, last)) {
            return STOP_NOWHERE;
        }
        bool ends = is_word(last, "end", &rest), turns = is_word(last, "else", &rest);
        if (ends || turns) {
            parsing->depth--;
            return ends ? STOP_END : STOP_ELSE;
        }
        if (last->inner < last->end && !take_step(parsing, &place, last)) {
            return STOP_NOWHERE;
        }
    }
}

bool kvb_helm_parse(struct kvb_helm_room *room, const char *text, struct kvb_helm_define **defines,
                    const struct kvb_helm_step_node **root, struct kvb_helm_slip *slip)
{
    struct kvb_helm_step_node *first = NULL;
    struct parsing parsing = {.room = room, .at = text, .defines = defines, .slip = slip};
    struct action last = {.begin = text};
    *slip = (struct kvb_helm_slip){0};
    enum stop stop = take_list(&parsing, &first, &last);
    *root = first;
    return stop == STOP_TEXT || fail(&parsing, last.begin, "an end without a beginning");
}
