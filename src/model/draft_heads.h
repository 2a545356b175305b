// Heads that draft, by the name they are published under.
#ifndef KVB_MODEL_DRAFT_HEADS_H
#define KVB_MODEL_DRAFT_HEADS_H

#include <stddef.h>

#include <kvbudget/model.h>
#include <kvbudget/problem.h>

enum kvb_draft_kind {
    KVB_DRAFT_EAGLE,
    KVB_DRAFT_EAGLE3,
    KVB_DRAFT_DFLASH,
    KVB_DRAFT_DFLASH2,
    KVB_DRAFT_LAGUNA,
    KVB_DRAFT_ASSISTANT,
    KVB_DRAFT_KIND_COUNT
};

struct kvb_draft_head {
    const char *name; // at its hub
    enum kvb_draft_kind kind;
    uint32_t hidden, intermediate, heads, kv_heads, head_size;
    uint32_t vocabulary, draft_vocabulary; // the second of EAGLE3 alone
    uint32_t layers, states;               // states: layers of the target that DFlash looks at
    uint32_t window, full; // of DFlash and assistants: window of their layers but the last ones, and how many these are
    uint32_t positions;
    uint32_t target; // of assistants: width of the model they draft for
};
const struct kvb_draft_head *kvb_draft_head_rows(size_t *count);

bool kvb_is_draft_head(const char *name);

// KVB_UNKNOWN_NAME, without a problem, when no head is called so; case is ignored. Of a path the last part is the name.
enum kvb_status kvb_draft_head_load(const char *name, struct kvb_model *model,
                                    struct kvb_problems *problems) KVB_MUST_USE;

#endif
