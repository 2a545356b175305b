// What the tensors of each layer come to, added up once for searches that move layers, experts and the context.
#include "engines/llamacpp/layer.h"

#include "base/checked.h"
#include "base/memory.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/tensors.h"

struct adding {
    const struct kvb_llama_run *run;
    struct kvb_llama_sum *sum;
};

static void add_tensor(void *context, const struct kvb_llama_tensor *tensor)
{
    struct adding *adding = context;
    for (uint32_t host = 0; host < 2; host++) {
        uint64_t *held =
            tensor->role == KVB_ROLE_EXPERTS ? &adding->sum->experts_bytes[host] : &adding->sum->other_bytes[host];
        *held = kvb_add(*held, kvb_llama_padded(adding->run, host > 0 ? KVB_LLAMA_HOST : 0, tensor));
    }
}

void kvb_llama_sums_begin(struct kvb_llama_run *run)
{
    uint32_t count = run->model->layer_count + 1;
    struct kvb_llama_sum *sums = kvb_llama_overrides_any(run) ? NULL : kvb_reallocate(NULL, count * sizeof *sums);
    for (uint32_t i = 0; i < count && sums != NULL; i++) {
        struct adding adding = {run, &sums[i]};
        sums[i] = (struct kvb_llama_sum){{0}, {0}};
        kvb_llama_layer_tensors(run, i, add_tensor, &adding);
    }
    run->sums = sums;
}

void kvb_llama_sums_end(struct kvb_llama_run *run)
{
    kvb_free(run->sums);
    run->sums = NULL;
}
