// A GGUF file of any bytes: read into classes and a config, or refused with a sentence; what llama.cpp would take for
// the model it describes, on two GPUs and in part on the host; and for a picture projector, should it be one.
#include "fuzz_check.h"

#include "base/buffer.h"
#include "engines/llamacpp/projector.h"
#include "engines/llamacpp/run.h"
#include "model/checkpoint/gguf.h"
#include "model/projector.h"

static struct kvb_problems problems;
static struct kvb_checkpoint checkpoint;

static struct kvb_model model;

static void hold_buffers(const struct kvb_buffer *text)
{
    static struct kvb_problems unread;
    static struct kvb_llama_buffers buffers;
    kvb_problems_init(&unread);
    if (kvb_model_read_config("fuzz", text->data, text->length, NULL, NULL, 0, NULL, &model, &unread) != KVB_OK) {
        return;
    }
    model.checkpoint = checkpoint;
    for (uint32_t i = 0; i < 4; i++) {
        struct kvb_llama_run run = {.model = &model,
                                    .build = i % 2 == 0 ? 4747 : KVB_LLAMA_NEWEST,
                                    .backend = KVB_LLAMA_CUDA,
                                    .devices = 2,
                                    .gpu_layers = i < 2 ? model.layer_count + 1 : model.layer_count / 2,
                                    .cpu_experts = i,
                                    .context_tokens = 4096,
                                    .sequences = 2,
                                    .batch = 512,
                                    .ubatch = 512,
                                    .flash = i % 2 == 1};
        kvb_llama_all_buffers(&run, &buffers);
        kvb_llama_sums_begin(&run);
        kvb_llama_lasting_buffers(&run, &buffers);
        kvb_llama_sums_end(&run);
    }
}

static void hold_projector(const struct kvb_gguf *gguf)
{
    static struct kvb_problems unread;
    static struct kvb_model beside;
    struct kvb_projector projector;
    struct kvb_llama_projected projected;
    beside.layer_count = beside.kind_count = 1;
    kvb_problems_init(&unread);
    if (kvb_projector_of_header(gguf, checkpoint.total_bytes, "fuzz", &projector, &unread) == KVB_OK) {
        struct kvb_llama_run run = {.model = &beside,
                                    .build = KVB_LLAMA_NEWEST,
                                    .backend = KVB_LLAMA_CUDA,
                                    .devices = 1,
                                    .gpu_layers = 2,
                                    .context_tokens = 4096,
                                    .sequences = 1,
                                    .batch = 512,
                                    .ubatch = 512,
                                    .flash = true};
        kvb_llama_projector_of(&run, &projector, 0, &projected);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvb_open_file file;
    struct kvb_collector collector;
    struct kvb_gguf gguf = {0};
    struct kvb_buffer text;
    kvb_problems_init(&problems);
    kvb_buffer_init(&text);
    kvb_open_memory(&file, "fuzz", data, size);
    enum kvb_status status = kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_GGUF, 0, &problems);
    if (status == KVB_OK) {
        status = kvb_gguf_read(&file, &gguf, kvb_collect, &collector, &problems);
    }
    if (status == KVB_OK && checkpoint.total_bytes > size) {
        abort(); // tensors never hold more than the file does
    }
    if (status == KVB_OK) {
        hold_projector(&gguf);
        status = kvb_gguf_config(&gguf, "fuzz", &text, &problems);
    }
    if (status == KVB_OK) {
        hold_buffers(&text);
    }
    fuzz_check(status, &problems);
    kvb_buffer_free(&text);
    kvb_collect_end(&collector);
    return 0;
}
