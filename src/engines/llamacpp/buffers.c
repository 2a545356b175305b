// All buffers of a start, by device.
#include "engines/llamacpp/layer.h"

void kvb_llama_all_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out)
{
    kvb_llama_lasting_buffers(run, out);
    kvb_llama_compute_buffers(run, out);
}
