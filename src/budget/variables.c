// How a variable's value is read: what engines share.
#include "budget/serve_flag.h"

#include <string.h>

#include "base/text.h"

bool kvb_variable_switch(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment)
{
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off", ""};
    uint8_t *out = (uint8_t *)environment + row->offset;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (kvb_equal_ignoring_case(value, yes[i])) {
            *out = KVB_YES;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        if (kvb_equal_ignoring_case(value, no[i])) {
            *out = KVB_NO;
            return true;
        }
    }
    return false;
}

bool kvb_variable_truth(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment)
{
    bool yes = strcmp(value, "1") == 0 || kvb_equal_ignoring_case(value, "true");
    *((uint8_t *)environment + row->offset) = yes ? KVB_YES : KVB_NO;
    return true;
}

bool kvb_variable_setting(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment)
{
    char why[256];
    uint64_t number;
    if (!kvb_setting_parse(row->setting, value, &number, why)) {
        return false;
    }
    kvb_settings_set(&environment->settings, row->setting, number, KVB_ORIGIN_COMMAND);
    return true;
}

// "expandable_segments:True,max_split_size_mb:128"; other parts have no effect that is modelled.
static bool read_allocator(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment)
{
    bool on = kvb_contains_ignoring_case(value, "expandable_segments:true");
    if (!on && !kvb_contains_ignoring_case(value, "expandable_segments:false")) {
        return true;
    }
    environment->expandable_segments = on ? KVB_YES : KVB_NO;
    if (strstr(row->name, "_CUDA_") != NULL) {
        environment->expandable_by_cuda_name = environment->expandable_segments;
    }
    return true;
}

const struct kvb_variable_row *kvb_torch_variables(size_t *count)
{
    static const struct kvb_variable_row rows[] = {
        {.name = "PYTORCH_CUDA_ALLOC_CONF", .read = read_allocator, .expected = "allocator settings"},
        {.name = "PYTORCH_ALLOC_CONF", .read = read_allocator, .expected = "allocator settings"},
        KVB_VARIABLE_SWITCH("TORCH_COMPILE_DISABLE", compile_disable),
        KVB_VARIABLE_SWITCH("TORCHDYNAMO_DISABLE", dynamo_disable),
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
