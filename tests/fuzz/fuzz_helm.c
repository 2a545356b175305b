// Templates of charts: the first line that is "===" ends the values, the rest is the template.
#include "fuzz_check.h"

#include <string.h>

#include "helm/eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *template = strstr(text, "\n===\n");
    if (template != NULL && strlen(text) == size) {
        struct kvb_helm_room room = {0};
        struct kvb_tree tree = {0};
        const struct kvb_helm_step_node *root = NULL;
        struct kvb_helm_slip slip;
        *template = '\0';
        template += 5;
        struct kvb_helm_run run = {.room = &room, .text = template};
        kvb_arena_init(&room.arena);
        kvb_buffer_init(&run.out);
        struct kvb_helm_value top = kvb_helm_map(&room);
        if (kvb_tree_read_manifest(&tree, "", text, strlen(text), NULL) == KVB_OK && tree.root != NULL) {
            kvb_helm_set(&room, &top, "Values", kvb_helm_from_node(&room, tree.root));
        }
        if (kvb_helm_parse(&room, template, &run.defines, &root, &slip) && kvb_helm_render(&run, root, &top)) {
            bool literal;
            size_t from = kvb_helm_origin(&run, run.out.length / 2, &literal);
            if (from > strlen(template)) {
                abort();
            }
        }
        kvb_tree_free(&tree);
        kvb_helm_run_free(&run);
        kvb_arena_free(&room.arena);
    }
    free(text);
    return 0;
}
