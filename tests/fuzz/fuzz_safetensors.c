// A safetensors file of any bytes, or of any header with a true length and some values: read into classes or
// refused with a sentence.
#include "fuzz_check.h"

#include <string.h>

#include "model/checkpoint/checkpoint.h"

static struct kvb_problems problems;
static struct kvb_checkpoint checkpoint;

#define VALUES_BYTES 64

static void read_file(const uint8_t *data, size_t size)
{
    struct kvb_open_file file;
    struct kvb_collector collector;
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "fuzz", data, size);
    enum kvb_status status = kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_SAFETENSORS, 4, &problems);
    if (status == KVB_OK) {
        status = kvb_safetensors_read(&file, kvb_collect, &collector, &problems);
    }
    fuzz_check(status, &problems);
    if (status == KVB_OK && checkpoint.total_bytes > size) {
        abort(); // tensors never hold more than the file does
    }
    kvb_collect_end(&collector);
}

// Text is taken for the header itself, so that seeds can be written by hand.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || data[0] != '{') {
        read_file(data, size);
        return 0;
    }
    uint8_t *whole = calloc(1, 8 + size + VALUES_BYTES);
    if (whole == NULL) {
        abort();
    }
    for (int i = 0; i < 8; i++) {
        whole[i] = (uint8_t)((uint64_t)size >> 8 * i);
    }
    memcpy(whole + 8, data, size);
    read_file(whole, 8 + size + VALUES_BYTES);
    free(whole);
    return 0;
}
