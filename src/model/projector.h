// A picture projector for llama.cpp: from its GGUF file, or as the model's own encoder in 16 bits.
#ifndef KVB_MODEL_PROJECTOR_H
#define KVB_MODEL_PROJECTOR_H

#include <kvbudget/plan.h>

#include <kvbudget/problem.h>

// Fills `out` from the header of a file.
enum kvb_status kvb_projector_load(const char *path, struct kvb_projector *out,
                                   struct kvb_problems *problems) KVB_MUST_USE;
// From a header that was read, whose tensors are so large.
struct kvb_gguf;
enum kvb_status kvb_projector_of_header(const struct kvb_gguf *gguf, uint64_t bytes, const char *path,
                                        struct kvb_projector *out, struct kvb_problems *problems) KVB_MUST_USE;
// From the tower that the model's config describes; not known when it has none.
void kvb_projector_of_model(const struct kvb_model *model, struct kvb_projector *out);

#endif
