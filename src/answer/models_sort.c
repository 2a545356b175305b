// The order in which models are shown: what starts by family and size, then what just misses.
#include "answer/models_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

// Sizes that differ by a thirtieth are one: siblings count their scales or extra layers differently.
static uint64_t size_class(uint64_t parameters)
{
    unsigned shift = 0;
    while (parameters >> shift >= 64) {
        shift++;
    }
    return (parameters >> shift) + 64U * shift;
}

static uint32_t bits_of(const struct kvb_models_row *row)
{
    return row->parameters > 0 ? (uint32_t)(row->weights_bytes * row->tensor_parallel_size / (row->parameters / 64 + 1))
                               : 0;
}

static int ascending(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b ? 1 : 0;
}

// People look for the model that answers, not for the one it was made from.
static int tuned(const struct kvb_models_row *row)
{
    return kvb_contains_ignoring_case(row->name, "instruct") || kvb_contains_ignoring_case(row->name, "chat") ||
           kvb_contains_ignoring_case(row->name, "-it");
}

// Within a family: largest first, then the finest format, then what answers.
static int by_size(const struct kvb_models_row *a, const struct kvb_models_row *b)
{
    int order = ascending(size_class(b->parameters), size_class(a->parameters));
    order = order != 0 ? order : ascending(a->verdict, b->verdict);
    order = order != 0 ? order : ascending(bits_of(b), bits_of(a));
    order = order != 0 ? order : tuned(b) - tuned(a);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static int by_family(const void *left, const void *right)
{
    const struct kvb_models_row *a = left, *b = right;
    int order = ascending(a->miss, b->miss);
    if (order == 0 && a->miss == KVB_MISS_MEMORY) {
        order = ascending(a->lacks_bytes, b->lacks_bytes);
    }
    if (order == 0 && a->miss == KVB_MISS_HOST) {
        order = ascending(a->layers - a->gpu_layers, b->layers - b->gpu_layers);
    }
    order = order != 0 || a->miss != KVB_MISS_NONE ? order : ascending(b->family_parameters, a->family_parameters);
    order = order != 0 ? order : strcmp(a->family, b->family);
    return order != 0 ? order : by_size(a, b);
}

// Each row learns how large the largest of its family is that starts.
static void measure_families(struct kvb_models *models)
{
    for (uint32_t i = 0; i < models->count; i++) {
        struct kvb_models_row *row = &models->rows[i];
        row->family_parameters = 0;
        for (uint32_t j = 0; j < models->count; j++) {
            const struct kvb_models_row *other = &models->rows[j];
            bool counts = other->miss == KVB_MISS_NONE && strcmp(other->family, row->family) == 0;
            if (counts && other->parameters > row->family_parameters) {
                row->family_parameters = other->parameters;
            }
        }
    }
}

void kvb_models_sort(struct kvb_models *models)
{
    measure_families(models);
    qsort(models->rows, models->count, sizeof models->rows[0], by_family);
    const char *family = "";
    for (uint32_t i = 0; i < models->count && models->rows[i].miss == KVB_MISS_NONE; i++) {
        models->rows[i].best_of_family = strcmp(family, models->rows[i].family) != 0;
        family = models->rows[i].family;
    }
}
