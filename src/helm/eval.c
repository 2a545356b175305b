// The steps of a template: texts, actions, conditions, loops, definitions.
#include "helm/eval.h"

#include <string.h>

#include "base/text.h"

#define LEVEL_MAX 24U // of includes
#define OUT_BYTES ((size_t)8 << 20)
#define BYTES_A_STEP 64U // that are looked back at

static const char blanks[] = " \t\r\n";
static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static void run_list(struct kvb_helm_run *run, const struct kvb_helm_step_node *first, struct kvb_helm_scope *scope,
                     struct kvb_buffer *out);

// ---- where the text comes from

static void add_piece(struct kvb_helm_run *run, size_t from, bool literal)
{
    if (run->piece_count == run->piece_capacity) {
        uint32_t capacity = run->piece_capacity > 0 ? run->piece_capacity * 2 : 64;
        struct kvb_helm_piece *grown = kvb_helm_take(run->room, capacity * sizeof *grown);
        if (grown == NULL) {
            return;
        }
        if (run->piece_count > 0) {
            memcpy(grown, run->pieces, run->piece_count * sizeof *grown);
        }
        run->pieces = grown;
        run->piece_capacity = capacity;
    }
    run->pieces[run->piece_count++] = (struct kvb_helm_piece){run->out.length, from, literal};
}

size_t kvb_helm_origin(const struct kvb_helm_run *run, size_t out, bool *literal)
{
    uint32_t low = 0, high = run->piece_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (run->pieces[middle].out <= out) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *literal = run->piece_count > 0 && run->pieces[low].literal;
    if (run->piece_count == 0) {
        return 0;
    }
    return run->pieces[low].from + (*literal ? out - run->pieces[low].out : 0);
}

// What decides cannot be evaluated: an include becomes unknown as a whole, a template goes on without the block.
static void leave_open(struct kvb_helm_run *run, const char *expression)
{
    if (run->level > 0) {
        run->undecided = expression;
        return;
    }
    if (run->open_count == run->open_capacity) {
        uint32_t capacity = run->open_capacity > 0 ? run->open_capacity * 2 : 8;
        struct kvb_helm_open *grown = kvb_helm_take(run->room, capacity * sizeof *grown);
        if (grown == NULL) {
            return;
        }
        if (run->open_count > 0) {
            memcpy(grown, run->opens, run->open_count * sizeof *grown);
        }
        run->opens = grown;
        run->open_capacity = capacity;
    }
    run->opens[run->open_count++] = (struct kvb_helm_open){run->out.length, run->from, expression};
}

// ---- assignments

// `$a, $b := PIPELINE` in front of a pipeline.
struct assignment {
    const char *names[2];
    uint32_t count;
    bool declares;
    const char *pipeline;
};

static struct assignment split(struct kvb_helm_run *run, const char *text)
{
    struct assignment assignment = {.pipeline = text};
    const char *at = text;
    while (*at == '$' && assignment.count < 2) {
        size_t length = strspn(at + 1, name_characters);
        assignment.names[assignment.count++] = kvb_helm_copy(run->room, at + 1, length);
        at += 1 + length;
        at += strspn(at, blanks);
        bool more = *at == ',';
        at += more;
        at += strspn(at, blanks);
        if (!more) {
            break;
        }
    }
    assignment.declares = kvb_starts_with(at, ":=");
    if (assignment.count == 0 || (!assignment.declares && *at != '=')) {
        return (struct assignment){.pipeline = text};
    }
    at += assignment.declares ? 2 : 1;
    assignment.pipeline = at + strspn(at, blanks);
    return assignment;
}

static void declare(struct kvb_helm_run *run, struct kvb_helm_scope *scope, const char *name,
                    struct kvb_helm_value value)
{
    struct kvb_helm_variable *added = kvb_helm_take(run->room, sizeof *added);
    if (added != NULL) {
        *added = (struct kvb_helm_variable){name, value, scope->variables};
        scope->variables = added;
    }
}

static void assign(struct kvb_helm_run *run, struct kvb_helm_scope *scope, const struct assignment *assignment,
                   struct kvb_helm_value value)
{
    if (assignment->declares) {
        declare(run, scope, assignment->names[0], value);
        return;
    }
    for (struct kvb_helm_variable *at = scope->variables; at != NULL; at = at->older) {
        if (strcmp(at->name, assignment->names[0]) == 0) {
            at->value = value;
            return;
        }
    }
}

// ---- actions

// Keys below which nothing moves memory, so that what is not known there may be left out.
static bool is_beside_the_point(const char *key, size_t length)
{
    static const char *const keys[] = {
        "labels",          "annotations",
        "matchLabels",     "metadata",
        "securityContext", "strategy",
        "livenessProbe",   "readinessProbe",
        "startupProbe",    "imagePullSecrets",
        "affinity",        "selector",
        "updateStrategy",  "topologySpreadConstraints",
        "dnsConfig",       "lifecycle",
        "volumes",         "ports",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i]) == length && strncmp(keys[i], key, length) == 0) {
            return true;
        }
    }
    return false;
}

// The text is one hole, on lines of its own below a key of no matter. `reached` receives how far back that was looked
// for.
static bool is_hole_of_no_matter(const struct kvb_buffer *out, const char *text, const char **reached)
{
    const char *hole = text + strspn(text, blanks), *all = kvb_buffer_text(out), *at = all + out->length;
    if (!kvb_starts_with(hole, "$_") || hole[strcspn(hole, "\n")] != '\0') {
        return false;
    }
    const char *line = strrchr(text, '\n');
    size_t indent = line != NULL ? (size_t)(hole - line - 1) : 0;
    while (at > all) {
        const char *begin = at;
        while (begin > all && begin[-1] != '\n') {
            begin--;
        }
        *reached = begin;
        size_t margin = strspn(begin, " "), length = strcspn(begin + margin, ":\n");
        bool blank = begin + margin >= at || begin[margin] == '\n';
        if (line == NULL && at == all + out->length) {
            indent = margin; // it goes on in a line that has begun
            if (!blank) {
                return false;
            }
        } else if (!blank && margin < indent) {
            return begin[margin + length] == ':' && is_beside_the_point(begin + margin, length);
        }
        at = begin > all ? begin - 1 : all;
    }
    return false;
}

static bool may_be_left_out(struct kvb_helm_run *run, const struct kvb_buffer *out, const char *text)
{
    const char *end = kvb_buffer_text(out) + out->length, *reached = end;
    bool left_out = is_hole_of_no_matter(out, text, &reached);
    (void)kvb_helm_step(run->room, (size_t)(end - reached) / BYTES_A_STEP);
    return left_out;
}

static void run_action(struct kvb_helm_run *run, const struct kvb_helm_step_node *node, struct kvb_helm_scope *scope,
                       struct kvb_buffer *out)
{
    struct assignment assignment = split(run, node->text);
    struct kvb_helm_value value = kvb_helm_evaluate(run, scope, assignment.pipeline);
    if (assignment.count > 0) {
        assign(run, scope, &assignment, value);
        return;
    }
    if (value.kind == KVB_HELM_NIL) {
        value = kvb_helm_unknown(node->text);
    }
    struct kvb_helm_value text = kvb_helm_to_text(run->room, &value);
    if (!text.holes || !may_be_left_out(run, out, text.text)) {
        kvb_buffer_add(out, text.text);
    }
}

static void run_if(struct kvb_helm_run *run, const struct kvb_helm_step_node *node, const struct kvb_helm_scope *scope,
                   struct kvb_buffer *out)
{
    for (;;) {
        struct kvb_helm_scope inner = *scope;
        struct assignment assignment = split(run, node->text);
        struct kvb_helm_value value = kvb_helm_evaluate(run, scope, assignment.pipeline);
        if (kvb_helm_is_open(&value)) {
            leave_open(run, node->text);
            return;
        }
        bool truth = kvb_helm_is_true(&value);
        if (assignment.count > 0) {
            assign(run, &inner, &assignment, value);
        }
        const struct kvb_helm_step_node *other = node->otherwise;
        bool chained = other != NULL && other->next == NULL &&
                       (other->kind == KVB_HELM_STEP_IF || other->kind == KVB_HELM_STEP_WITH);
        if (truth || !chained) {
            inner.dot = truth && node->kind == KVB_HELM_STEP_WITH ? value : inner.dot;
            run_list(run, truth ? node->body : other, &inner, out);
            return;
        }
        node = other;
    }
}

// The entries as they are now: what the block sets or unsets is not walked through.
static struct kvb_helm_value entries_now(struct kvb_helm_run *run, const struct kvb_helm_value *over)
{
    struct kvb_helm_value walked = kvb_helm_list(run->room);
    for (uint32_t i = 0; i < kvb_helm_count(over) && kvb_helm_step(run->room, 1); i++) {
        kvb_helm_append(run->room, &walked, over->items->entries[i].value);
        if (!run->room->spent) {
            walked.items->entries[i].key = over->items->entries[i].key;
        }
    }
    return walked;
}

static void run_range(struct kvb_helm_run *run, const struct kvb_helm_step_node *node,
                      const struct kvb_helm_scope *scope, struct kvb_buffer *out)
{
    struct assignment assignment = split(run, node->text);
    struct kvb_helm_value over = kvb_helm_evaluate(run, scope, assignment.pipeline);
    bool counts = over.kind == KVB_HELM_NUMBER && over.whole && over.number >= 0;
    bool walks = counts || over.kind == KVB_HELM_NIL || over.kind == KVB_HELM_LIST || over.kind == KVB_HELM_MAP;
    if (!walks) {
        leave_open(run, node->text);
        return;
    }
    struct kvb_helm_value walked = entries_now(run, &over);
    int64_t count = counts ? over.number : (int64_t)kvb_helm_count(&walked);
    struct kvb_helm_scope inner = *scope;
    if (count == 0) {
        run_list(run, node->otherwise, &inner, out);
    }
    for (int64_t i = 0; i < count && !run->breaks && kvb_helm_step(run->room, 1); i++) {
        const struct kvb_helm_entry *entry = counts ? NULL : &walked.items->entries[i];
        inner = *scope;
        inner.dot = entry != NULL ? entry->value : kvb_helm_whole(run->room, i);
        if (assignment.count == 2) {
            bool key = entry != NULL && entry->key != NULL;
            declare(run, &inner, assignment.names[0], key ? kvb_helm_text(entry->key) : kvb_helm_whole(run->room, i));
        }
        if (assignment.count > 0) {
            declare(run, &inner, assignment.names[assignment.count - 1], inner.dot);
        }
        run_list(run, node->body, &inner, out);
        run->continues = false;
    }
    run->breaks = false;
}

// `template "name" PIPELINE`: as include, and what stands behind the name is the dot.
static void run_template(struct kvb_helm_run *run, const struct kvb_helm_step_node *node,
                         const struct kvb_helm_scope *scope, struct kvb_buffer *out)
{
    bool named = *node->text == '"' || *node->text == '`';
    const char *end = named ? strchr(node->text + 1, *node->text) : NULL;
    struct kvb_helm_value dot = {.kind = KVB_HELM_NIL}, text = kvb_helm_unknown(node->text);
    if (end != NULL) {
        const char *rest = end + 1 + strspn(end + 1, blanks);
        dot = *rest != '\0' ? kvb_helm_evaluate(run, scope, rest) : dot;
        text = kvb_helm_include(run, kvb_helm_copy(run->room, node->text + 1, (size_t)(end - node->text) - 1), &dot);
    }
    if (text.kind == KVB_HELM_UNKNOWN && text.text[0] == '\0') {
        text = kvb_helm_unknown(node->text);
    }
    struct kvb_helm_value shown = kvb_helm_to_text(run->room, &text);
    if (!shown.holes || !may_be_left_out(run, out, shown.text)) {
        kvb_buffer_add(out, shown.text);
    }
}

static void run_step(struct kvb_helm_run *run, const struct kvb_helm_step_node *node, struct kvb_helm_scope *scope,
                     struct kvb_buffer *out)
{
    if (run->level == 0) {
        run->from = (size_t)(node->begin - run->text);
        add_piece(run, run->from, node->kind == KVB_HELM_STEP_TEXT);
    }
    switch (node->kind) {
    case KVB_HELM_STEP_TEXT:
        kvb_buffer_add_n(out, node->text, node->length);
        break;
    case KVB_HELM_STEP_ACTION:
        run_action(run, node, scope, out);
        break;
    case KVB_HELM_STEP_RANGE:
        run_range(run, node, scope, out);
        break;
    case KVB_HELM_STEP_TEMPLATE:
        run_template(run, node, scope, out);
        break;
    case KVB_HELM_STEP_BREAK:
        run->breaks = true;
        break;
    case KVB_HELM_STEP_CONTINUE:
        run->continues = true;
        break;
    default:
        run_if(run, node, scope, out);
    }
}

static void run_list(struct kvb_helm_run *run, const struct kvb_helm_step_node *first, struct kvb_helm_scope *scope,
                     struct kvb_buffer *out)
{
    bool fits = ++run->depth <= KVB_HELM_DEPTH_MAX;
    if (!fits && first != NULL) {
        leave_open(run, "blocks inside blocks");
    }
    for (const struct kvb_helm_step_node *node = first;
         fits && node != NULL && run->undecided == NULL && !run->breaks && !run->continues; node = node->next) {
        run->room->spent = run->room->spent || out->failed || out->length > OUT_BYTES;
        if (!kvb_helm_step(run->room, 1)) {
            break;
        }
        run_step(run, node, scope, out);
    }
    run->depth--;
}

// ---- texts of their own

static struct kvb_helm_value capture(struct kvb_helm_run *run, const struct kvb_helm_step_node *first,
                                     const struct kvb_helm_value *dot)
{
    struct kvb_helm_scope scope = {.dot = *dot, .root = *dot};
    struct kvb_buffer out;
    const char *before = run->undecided;
    if (run->level >= LEVEL_MAX || run->depth >= KVB_HELM_DEPTH_MAX) {
        return kvb_helm_unknown("");
    }
    kvb_buffer_init(&out);
    run->level++;
    run->undecided = NULL;
    run_list(run, first, &scope, &out);
    struct kvb_helm_value text = kvb_helm_keep(run->room, &out);
    text.holes = strstr(text.text, "$_") != NULL;
    if (run->undecided != NULL) {
        text = kvb_helm_unknown(run->undecided);
    }
    run->undecided = before;
    run->level--;
    run->breaks = run->continues = false;
    return text;
}

struct kvb_helm_value kvb_helm_include(struct kvb_helm_run *run, const char *name, const struct kvb_helm_value *dot)
{
    for (const struct kvb_helm_define *define = run->defines; define != NULL && kvb_helm_step(run->room, 1);
         define = define->older) {
        if (strcmp(define->name, name) == 0) {
            return capture(run, define->body, dot);
        }
    }
    return kvb_helm_unknown("");
}

struct kvb_helm_value kvb_helm_tpl(struct kvb_helm_run *run, const char *text, const struct kvb_helm_value *dot)
{
    const struct kvb_helm_step_node *root = NULL;
    struct kvb_helm_define *before = run->defines;
    struct kvb_helm_slip slip;
    if (strstr(text, "{{") == NULL) {
        return kvb_helm_text(text);
    }
    if (!kvb_helm_step(run->room, strlen(text)) || !kvb_helm_parse(run->room, text, &run->defines, &root, &slip)) {
        run->defines = before;
        return kvb_helm_unknown("");
    }
    struct kvb_helm_value filled = capture(run, root, dot);
    run->defines = before;
    return filled;
}

bool kvb_helm_render(struct kvb_helm_run *run, const struct kvb_helm_step_node *root,
                     const struct kvb_helm_value *values)
{
    struct kvb_helm_scope scope = {.dot = *values, .root = *values};
    kvb_buffer_init(&run->out);
    run_list(run, root, &scope, &run->out);
    run->room->out_of_memory = run->room->out_of_memory || run->out.failed;
    return !run->room->spent && !run->out.failed;
}

void kvb_helm_run_free(struct kvb_helm_run *run)
{
    kvb_buffer_free(&run->out);
}
