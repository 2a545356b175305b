// What llama.cpp's builds have no word for is not in the line to paste. common/arg.cpp: --flash-attn takes on, off and auto
// from b6325 on, --kv-offload came with b7376 and --n-cpu-moe with b6089; --fit takes on and off.
#include "unit/command_rows.h"

#define PLAN "plan --model Qwen/Qwen3-8B --gpu l40s --quantization Q4_K_M --ctx-size 4096 --engine llama.cpp@"

static void lines(void **state)
{
    (void)state;
    static const struct command_row_of_test rows[] = {
        {PLAN "b6324 --flash-attn on", 0, {"--flash-attn", "!--flash-attn on"}},
        {PLAN "b6324 --flash-attn off", 0, {"!--flash-attn"}},
        {PLAN "b6325 --flash-attn off", 0, {"--flash-attn off"}},
        {PLAN "b6325 --flash-attn auto", 0, {"--flash-attn auto"}},
        {PLAN "b7375 --kv-offload", 0, {"!kv-offload"}},
        {PLAN "b7375 --no-kv-offload", 0, {"--no-kv-offload"}},
        {PLAN "b7376 --kv-offload", 0, {"--kv-offload"}},
        {PLAN "b8500 --fit auto", 0, {"!--fit"}},
        {PLAN "b8500 --fit off", 0, {"--fit off"}},
        {PLAN "b6088 --n-cpu-moe 3", 0, {"exists from llama.cpp b6089; b6088 would refuse it"}},
    };
    EACH_COMMAND(rows);
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(lines))
