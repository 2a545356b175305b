// A template filled with values, for the tests of templates.
#ifndef KVB_TESTS_HELM_FILL_H
#define KVB_TESTS_HELM_FILL_H

#include <string.h>

#include "helm/eval.h"
#include "unit/test.h"

struct row {
    const char *values, *template, *wanted;
};

struct made {
    struct kvb_helm_room room;
    struct kvb_helm_run run;
    struct kvb_helm_slip slip;
    bool parsed, rendered;
};

static inline void make(struct made *made, const char *values, const char *template)
{
    struct kvb_tree tree;
    const struct kvb_helm_step_node *root = NULL;
    memset(made, 0, sizeof *made);
    kvb_arena_init(&made->room.arena);
    kvb_buffer_init(&made->run.out);
    made->run.room = &made->room;
    made->run.text = template;
    assert_int_equal(kvb_tree_read_manifest(&tree, "values.yaml", values, strlen(values), NULL), KVB_OK);
    struct kvb_helm_value top = kvb_helm_map(&made->room);
    kvb_helm_set(&made->room, &top, "Values", kvb_helm_from_node(&made->room, tree.root));
    kvb_helm_set(&made->room, &top, "Files", kvb_helm_unknown(".Files"));
    kvb_tree_free(&tree);
    made->parsed = kvb_helm_parse(&made->room, template, &made->run.defines, &root, &made->slip);
    made->rendered = made->parsed && kvb_helm_render(&made->run, root, &top);
}

static inline void drop(struct made *made)
{
    kvb_helm_run_free(&made->run);
    kvb_arena_free(&made->room.arena);
}

static inline void fill(const struct row *rows, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct made made;
        make(&made, rows[i].values, rows[i].template);
        const char *got = made.rendered ? kvb_buffer_text(&made.run.out) : "(not rendered)";
        if (strcmp(got, rows[i].wanted) != 0) {
            print_error("%s\nwanted\n%s\ngot\n%s\n", rows[i].template, rows[i].wanted, got);
            wrong++;
        }
        drop(&made);
    }
    assert_int_equal(wrong, 0);
}

#define FILL(rows) fill(rows, sizeof(rows) / sizeof(rows)[0])

#endif
