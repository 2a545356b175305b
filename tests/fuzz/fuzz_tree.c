// The tree reader: any bytes; what it accepts is written back and must read as the same shape.
#include "fuzz_check.h"

#include "base/buffer.h"
#include "text/tree.h"
#include "text/tree_text.h"

static struct kvb_problems problems;

static uint32_t count_nodes(const struct kvb_node *node)
{
    uint32_t count = 1;
    for (const struct kvb_node *child = node->first; child; child = child->next) {
        count += count_nodes(child);
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvb_tree tree;
    struct kvb_tree again;
    struct kvb_buffer text;
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_tree_read(&tree, "fuzz", (const char *)data, size, &problems);
    fuzz_check(status, &problems);
    if (status == KVB_OK) {
        kvb_buffer_init(&text);
        kvb_node_write_json(&text, tree.root);
        // A key over libyaml's 1024 characters reads from a block but not from one line.
        if (kvb_tree_read(&again, "again", text.data, text.length, &problems) == KVB_OK &&
            count_nodes(again.root) != count_nodes(tree.root)) {
            abort();
        }
        kvb_tree_free(&again);
        kvb_buffer_free(&text);
    }
    kvb_tree_free(&tree);
    return 0;
}
