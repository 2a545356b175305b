// Values of a file as PyYAML's safe_load takes them (YAML 1.1: yes and off are truths, 0x10 and 1_000 numbers), and as
// Python writes them again.
#ifndef KVB_TEXT_PYYAML_H
#define KVB_TEXT_PYYAML_H

#include "base/buffer.h"
#include "text/tree.h"

enum kvb_python_form {
    KVB_PYTHON_STR,  // str(value)
    KVB_PYTHON_REPR, // repr(value), as str() writes what is inside a list or dict
    KVB_PYTHON_JSON, // json.dumps(value)
};

// Whether the value is a truth, and which.
bool kvb_node_is_bool(const struct kvb_node *node, bool *value);
void kvb_node_write_python(struct kvb_buffer *out, const struct kvb_node *node, enum kvb_python_form form);

#endif
