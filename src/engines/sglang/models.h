// What SGLang's lists say of a model class: served at all, multimodal, two pools, graphs of the prefill.
#ifndef KVB_ENGINES_SGLANG_MODELS_H
#define KVB_ENGINES_SGLANG_MODELS_H

#include <stddef.h>

#include <kvbudget/plan.h>

#define KVB_SGL_NEVER UINT32_MAX

// Releases that serve a class, and those that build its towers without being asked; `until` is the first without, 0:
// none.
struct kvb_sgl_class {
    char name[64]; // held here: a pointer costs the start of the tool a relocation

    uint32_t since, until;
    uint32_t towers_since, towers_until;
};
extern const struct kvb_sgl_class kvb_sgl_classes[];
extern const size_t kvb_sgl_class_count;

enum kvb_sgl_trait {
    KVB_SGL_WINDOW_POOLS,    // layers with a window have a pool of their own
    KVB_SGL_NO_PIECEWISE,    // left out of graphs of the prefill, 0.5.10 to 0.5.14
    KVB_SGL_NO_BREAKABLE,    // left out of those in segments
    KVB_SGL_TOWER_PIECEWISE, // captured in pieces although it has a tower
    KVB_SGL_TOWER_BREAKABLE, // captured in segments although it has one
    KVB_SGL_OWN_DRAFT,       // its own checkpoint is the draft when none is named
    KVB_SGL_NO_ROPE_TABLE,   // angles are computed in each step
    KVB_SGL_PLAIN_ROPE,      // the table is as long as the model's length, whatever its scaling
    KVB_SGL_HEAD_TWICE,      // a head that is tied to the embedding has memory of its own
    KVB_SGL_WHOLE_PROMPTS,   // chunked prefill is switched off
    KVB_SGL_EXTRA_BUFFER,    // states get two more slots a request where nobody says otherwise
    KVB_SGL_ONE_BRANCH,      // drafts of 3 steps without branches where nobody says otherwise, to 0.5.7
    KVB_SGL_BRANCHES,        // drafts of 5 steps with 4 branches, from 0.5.8 on, when the others have one
    KVB_SGL_TRAIT_COUNT
};
bool kvb_sgl_model_is(const struct kvb_model *model, enum kvb_sgl_trait trait, uint32_t release);

// The row of a class in a release; NULL: that release does not serve it.
const struct kvb_sgl_class *kvb_sgl_class_of(const char *name, uint32_t release);
// The first release that serves a class; 0: none does.
uint32_t kvb_sgl_class_since(const char *name);
bool kvb_sgl_builds_towers(const struct kvb_model *model, uint32_t release);

#endif
