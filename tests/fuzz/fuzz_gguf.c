// A GGUF file of any bytes: read into classes and a config, or refused with a sentence.
#include "fuzz_check.h"

#include "base/buffer.h"
#include "model/checkpoint/gguf.h"

static struct kvb_problems problems;
static struct kvb_checkpoint checkpoint;

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
        status = kvb_gguf_config(&gguf, "fuzz", &text, &problems);
    }
    fuzz_check(status, &problems);
    kvb_buffer_free(&text);
    kvb_collect_end(&collector);
    return 0;
}
