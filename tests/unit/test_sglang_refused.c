// Methods of quantisation that SGLang refuses: configs/model_config.py of sgl-project/sglang.
#include <stdio.h>
#include <string.h>

#include "unit/sglang_plan.h"

// What --quantization takes beside what the checkpoint says, and what runs on AMD's cards.
static void methods(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *checkpoint;
        bool on_amd;
    } rows_of[] = {{"fp8", "fp8", true},    {"awq", "awq", true},           {"awq_marlin", "awq", false},
                   {"gptq", "gptq", true},  {"gptq_marlin", "gptq", false}, {"bitsandbytes", "bitsandbytes", false},
                   {"mxfp4", "mxfp4", true}};
    static const char *const stored[] = {"fp8", "awq", "gptq", "bitsandbytes", "mxfp4"};
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "Qwen/Qwen3-8B --quantization %s", rows_of[i].asked);
        for (size_t at = 0; at < sizeof stored / sizeof stored[0]; at++) {
            resolve("sglang@0.5.9", "h100-sxm", line);
            (void)snprintf(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "%s", stored[at]);
            again();
            bool differs = strcmp(stored[at], rows_of[i].checkpoint) != 0;
            if ((strstr(budget.error, "does not match the quantization method") != NULL) != differs) {
                fail_msg("%s over %s: %s", rows_of[i].asked, stored[at], budget.error);
            }
        }
        resolve("sglang@0.5.9", "mi300x", line);
        (void)snprintf(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "%s", rows_of[i].checkpoint);
        again();
        if ((strstr(budget.error, "not supported in ROCm") == NULL) != rows_of[i].on_amd) {
            fail_msg("%s on AMD: %s", rows_of[i].asked, budget.error);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(methods))
