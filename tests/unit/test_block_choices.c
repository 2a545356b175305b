// What --block-size takes at each release: choices= of vllm/engine/arg_utils.py to 0.8.4, BlockSize of vllm/config* to
// 0.17.1, any multiple of 16 from 0.18.0 on; and whose ranks context parallelism must divide.
#include <stdio.h>
#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static const struct {
    uint32_t first, last;
    const char *choices;
} rows[] = {
    {R(2, 0), R(3, 2), "8, 16, 32"},
    {R(3, 3), R(4, 0) + 1, "8, 16, 32, 128"},
    {R(4, 1), R(5, 4), "8, 16, 32"},
    {R(5, 5), R(5, 5), "8, 16, 32, 128, 256, 512, 1024, 2048"},
    {R(6, 0), R(6, 3) + 1, "8, 16, 32"},
    {R(6, 4), R(6, 4) + 1, "8, 16, 32, 64, 128"},
    {R(6, 5), R(6, 5), "8, 16, 32"},
    {R(6, 6), R(8, 4), "8, 16, 32, 64, 128"},
    {R(8, 5), R(11, 0), "1, 8, 16, 32, 64, 128"},
    {R(11, 1), R(17, 1), "1, 8, 16, 32, 64, 128, 256"},
};

static bool is_listed(const char *choices, uint32_t size)
{
    char text[64], wanted[16];
    (void)snprintf(text, sizeof text, ", %s,", choices);
    (void)snprintf(wanted, sizeof wanted, ", %u,", size);
    return strstr(text, wanted) != NULL;
}

static void choices_at_each_release(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        for (size_t at = 0; at < sizeof sizes / sizeof sizes[0]; at++) {
            char said[160];
            make_llama_plan(&plan, i % 2 == 0 ? rows[i / 2].first : rows[i / 2].last);
            set(&plan, KVB_SET_BLOCK_SIZE, sizes[at]);
            (void)answer_into(&plan, &budget);
            (void)snprintf(said, sizeof said, "argument --block-size: invalid choice: %u (choose from %s)", sizes[at],
                           rows[i / 2].choices);
            bool refused = strstr(budget.error, said) != NULL;
            if (refused == is_listed(rows[i / 2].choices, sizes[at])) {
                fail_msg("%u at %u: %s", sizes[at], plan.engine.release, budget.error);
            }
        }
    }
}

// v1/attention/backends: get_kv_cache_shape asks for multiples of 16; later no backend takes anything else.
static void multiples_of_16(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t size;
        const char *error; // "" = none
    } asked[] = {
        {R(7, 3), 8, ""},
        {R(8, 5), 8, "Block size must be a multiple of 16."},
        {R(8, 5), 16, ""},
        {R(17, 1), 1, "Block size must be a multiple of 16."},
        {R(18, 0), 15, "No valid attention backend found for cuda with a block_size of 15"},
        {R(18, 0), 48, ""},
        {R(18, 0), 17, "No valid attention backend found for cuda with a block_size of 17"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        make_llama_plan(&plan, asked[i].release);
        set(&plan, KVB_SET_BLOCK_SIZE, asked[i].size);
        (void)answer_into(&plan, &budget);
        assert_string_equal(budget.error, asked[i].error);
    }
}

// arg_utils.py v0.10.2 (no space in its sentence), config/parallel.py v0.26.0: decode ranks divide the tensors'.
static void decode_ranks(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t tp, dcp;
        const char *error;
    } asked[] = {{R(10, 2), 8, 3, "tp_size=8 must be divisible bydcp_size=3."},
                 {R(25, 1), 8, 3, "tp_size=8 must be divisible bydcp_size=3."},
                 {R(26, 0), 8, 3, "tp_size=8 must be divisible by dcp_size=3."},
                 {R(20, 0), 8, 4, ""}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        make_latent_plan(&plan, asked[i].release, 8192, 256);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, asked[i].tp);
        set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, asked[i].dcp);
        (void)answer_into(&plan, &budget);
        assert_string_equal(budget.error, asked[i].error);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(choices_at_each_release), cmocka_unit_test(multiples_of_16),
              cmocka_unit_test(decode_ranks))
