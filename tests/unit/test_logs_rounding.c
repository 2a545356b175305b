// What rounding of a log's figures may make of a sum. All sums are by hand, beside the case.
#include "unit/log_report.h"

#define OF_BLOCKS "concurrency = blocks / blocks of the longest request"
#define STATE_BLOCK "one state block = KV cache / blocks"

// A request takes whole blocks: the number whose quotient is nearest to what is logged.
static void state_blocks(void **state)
{
    (void)state;
    static const struct {
        int64_t blocks, logged; // the concurrency in hundredths
        int64_t computed;
        int agrees;
    } rows[] = {
        {100, 125, 125, 1},                                                       // 80 each: 1.25
        {100, 116, 116, 1},                                                       // 86 each: 1.1628
        {7, 350, 350, 1},                                                         // 2 each: 3.50
        {7, 233, 233, 1},                                                         // 3 each: 2.3333
        {8, 267, 267, 1},                                                         // 3 each: 2.6667
        {8, 266, 267, 1},                                                         // as an engine that cuts says it
        {8, 268, 267, 1},   {8, 265, 267, 0}, {8, 269, 267, 0}, {1, 201, 100, 0}, // no request takes less than a block
        {3, 400, 300, 0},                                                         // 0.75 each is one
    };
    start(KVB_LOG_VLLM, V(20, 0), KVB_FAILURE_NONE);
    see(KVB_OBS_MAX_CONCURRENCY, 100);
    explain();
    assert_null(check(OF_BLOCKS));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        see(KVB_OBS_MAMBA_BLOCKS, rows[i].blocks);
        see(KVB_OBS_MAX_CONCURRENCY, rows[i].logged);
        explain();
        computed(OF_BLOCKS, rows[i].computed, rows[i].agrees);
        assert_null(check(STATE_BLOCK));
    }
    see(KVB_OBS_MAX_CONCURRENCY, 1); // of a request of 100 blocks
    see(KVB_OBS_MAMBA_BLOCKS, 1);
    explain();
    computed(OF_BLOCKS, 1, 1);
    see(KVB_OBS_MAX_CONCURRENCY, 0);
    see(KVB_OBS_KV_CACHE, 7 * GIB);
    see(KVB_OBS_MAMBA_BLOCKS, 7);
    explain();
    assert_null(check(OF_BLOCKS));
    computed(STATE_BLOCK, GIB, -1);
    see(KVB_OBS_MAMBA_BLOCKS, 1);
    see(KVB_OBS_KV_CACHE, 1);
    explain();
    computed(STATE_BLOCK, 1, -1);
    see(KVB_OBS_KV_CACHE, 0);
    explain();
    assert_null(check(STATE_BLOCK));
    see(KVB_OBS_KV_CACHE, GIB);
    see(KVB_OBS_MAX_CONCURRENCY, 100);
    see(KVB_OBS_MAMBA_BLOCKS, 0);
    explain();
    assert_null(check(OF_BLOCKS));
    assert_null(check(STATE_BLOCK));
}

// 256 sequences and 100 state blocks of 0.1 GiB need 15.6 GiB more, said without the share where that is not known.
static void state_blocks_of_a_card(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(20, 0), KVB_FAILURE_STATE_BLOCKS);
    see(KVB_OBS_MAMBA_BLOCKS, 100);
    see(KVB_OBS_MAMBA_SEQS, 256);
    see(KVB_OBS_KV_CACHE, 0); // a pool of nothing has no blocks to reckon with
    explain();
    helps("max-num-seqs", "100", true, "each running sequence holds one state block");
    assert_null(remedy("gpu-memory-utilization", NULL));
    see(KVB_OBS_KV_CACHE, 10 * GIB);
    see(KVB_OBS_MAMBA_SEQS, 100); // as many as there are: none is missing
    explain();
    assert_null(remedy("gpu-memory-utilization", NULL));
    start(KVB_LOG_VLLM, 0, KVB_FAILURE_STATE_BLOCKS);
    see(KVB_OBS_MAMBA_BLOCKS, 100);
    see(KVB_OBS_MAMBA_SEQS, 256);
    see(KVB_OBS_KV_CACHE, 10 * GIB);
    given.gpu_memory_bytes = (uint64_t)(240 * GIB);
    explain();
    helps("gpu-memory-utilization", "higher", true, "156 state blocks more are 15.60 GiB of KV cache more");
}

KVB_TEST_MAIN(cmocka_unit_test(state_blocks), cmocka_unit_test(state_blocks_of_a_card))
