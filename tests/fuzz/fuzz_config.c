// config.json with overrides and a quantisation file beside it, and model profiles: a model or a sentence.
#include "fuzz_check.h"

#include <stdlib.h>
#include <string.h>

#include <kvbudget/input.h>

static struct kvb_problems problems;
static struct kvb_model model;
static struct kvb_tensor tensors[KVB_TENSORS_MAX];

static void walk(void)
{
    for (uint32_t i = 0; i < model.kind_count; i++) {
        if (kvb_layer_tensors(&model, &model.kinds[i], tensors) >= KVB_TENSORS_MAX) {
            abort();
        }
    }
    if (model.layer_count == 0 || kvb_model_parameters(&model) == 0) {
        abort();
    }
}

// The text up to the first '\f' is the config, then overrides, then the file beside it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *overrides = memchr(text, '\f', size);
    char *quant = overrides ? strchr(overrides + 1, '\f') : NULL;
    size_t length = overrides ? (size_t)(overrides - text) : size;
    if (overrides) {
        *overrides++ = '\0';
    }
    if (quant) {
        *quant++ = '\0';
    }
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_model_read_config("fuzz", text, length, "beside", quant, quant ? strlen(quant) : 0,
                                                   overrides, &model, &problems);
    fuzz_check(status, &problems);
    if (status == KVB_OK) {
        walk();
    }
    kvb_problems_init(&problems);
    status = kvb_model_read_profile("fuzz", text, length, &model, &problems);
    fuzz_check(status, &problems);
    if (status == KVB_OK) {
        walk();
    }
    free(text);
    return 0;
}
