// Flags with JSON values, sizes and names: the first byte chooses, the rest is the text.
#include "fuzz_check.h"

#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "command/json_flag.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;
static struct kvb_gpu gpu;

static void read_units(const char *text)
{
    uint64_t number;
    uint32_t ppm;
    char out[32];
    uint64_t again;
    if (kvb_parse_bytes(text, &number) &&
        (!kvb_parse_bytes(kvb_format_bytes_exact(out, number), &again) || again != number)) {
        abort();
    }
    (void)kvb_parse_ppm(text, KVB_PPM, &ppm);
    (void)kvb_parse_count(text, &number);
    (void)kvb_parse_whole(text, &number);
    (void)kvb_parse_gib(text, &number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    if (size < 1 || size > sizeof text) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    size_t choice = data[0] % (kvb_flag_row_count + 3);
    if (choice < kvb_flag_row_count) {
        fuzz_check(kvb_json_flag(kvb_flag_rows[choice].flag, text, KVB_ORIGIN_FLAG, &deployment, &problems), &problems);
    } else if (choice == kvb_flag_row_count) {
        fuzz_check(kvb_environment_set(text, &deployment.environment, &problems), &problems);
    } else if (choice == kvb_flag_row_count + 1 && !strchr(text, '/')) {
        fuzz_check(kvb_gpu_load(text, &gpu, &problems), &problems);
    } else {
        read_units(text);
    }
    return 0;
}
