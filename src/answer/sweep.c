// What a sweep varies: axes in a fixed order, each with its values, and the combination that a row number means.
#include <kvbudget/sweep.h>

#include <string.h>

#include "answer/sweep_values.h"
#include "base/checked.h"
#include "base/memory.h"

struct kvb_sweep *kvb_sweep_make(const struct kvb_deployment *deployment)
{
    struct kvb_sweep *sweep = kvb_reallocate(NULL, sizeof *sweep);
    if (sweep != NULL) {
        memset(sweep, 0, sizeof *sweep);
        sweep->deployment = *deployment;
    }
    return sweep;
}

void kvb_sweep_free(struct kvb_sweep *sweep)
{
    for (uint32_t i = 0; sweep != NULL && i < sweep->axis_count; i++) {
        kvb_free(sweep->axes[i].values);
    }
    kvb_free(sweep);
}

static bool comes_before(const struct kvb_sweep_axis *a, const struct kvb_sweep_axis *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->setting < b->setting;
}

static void insert(struct kvb_sweep *sweep, const struct kvb_sweep_axis *axis)
{
    uint32_t at = sweep->axis_count;
    while (at > 0 && comes_before(axis, &sweep->axes[at - 1])) {
        sweep->axes[at] = sweep->axes[at - 1];
        at--;
    }
    sweep->axes[at] = *axis;
    sweep->axis_count++;
}

bool kvb_sweep_vary(struct kvb_sweep *sweep, enum kvb_sweep_kind kind, enum kvb_setting setting, const char *text,
                    char why[256])
{
    static const char *const names[] = {"model", "engine", "gpu"};
    struct kvb_sweep_axis axis = {.kind = kind, .setting = setting};
    axis.name = kind == KVB_SWEEP_SETTING ? kvb_setting_row_of(setting)->key : names[kind];
    if (sweep->axis_count == KVB_SWEEP_AXES_MAX) {
        kvb_sweep_why(why, "at most %u settings can vary", KVB_SWEEP_AXES_MAX);
        return false;
    }
    axis.values = kvb_reallocate(NULL, KVB_SWEEP_VALUES_MAX * sizeof axis.values[0]);
    if (axis.values == NULL) {
        kvb_sweep_why(why, "out of memory");
        return false;
    }
    if (!kvb_sweep_values_read(&axis, text, why)) {
        kvb_free(axis.values);
        return false;
    }
    struct kvb_sweep_value *fitted = kvb_reallocate(axis.values, axis.count * sizeof axis.values[0]);
    axis.values = fitted != NULL ? fitted : axis.values;
    insert(sweep, &axis);
    if (kvb_sweep_count(sweep) > KVB_SWEEP_ROWS_MAX) {
        kvb_sweep_why(why, "these are more than %u combinations", KVB_SWEEP_ROWS_MAX);
        return false;
    }
    return true;
}

uint64_t kvb_sweep_count(const struct kvb_sweep *sweep)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        count = kvb_mul(count, sweep->axes[i].count);
    }
    return count;
}

uint32_t kvb_sweep_digit(const struct kvb_sweep *sweep, uint32_t axis, uint64_t index)
{
    for (uint32_t i = sweep->axis_count - 1; i > axis; i--) {
        index /= sweep->axes[i].count;
    }
    return (uint32_t)(index % sweep->axes[axis].count);
}
