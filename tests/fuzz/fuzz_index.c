// A weight index of any bytes: the files it names, all in its own folder, or a sentence.
#include "fuzz_check.h"

#include <string.h>

#include "model/checkpoint/checkpoint.h"

static struct kvb_problems problems;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvb_open_file file;
    struct kvb_shards shards;
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "fuzz", data, size);
    enum kvb_status status = kvb_index_read(&file, &shards, &problems);
    fuzz_check(status, &problems);
    for (uint32_t i = 0; i < shards.count; i++) {
        if (strchr(shards.names[i], '/') != NULL || shards.names[i][0] == '.') {
            abort();
        }
    }
    kvb_shards_free(&shards);
    return 0;
}
