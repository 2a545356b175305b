// Remedies from figures alone, each with the figures it needs and without them. All sums are by hand, in GiB.
#include "logs/lessons.h"
#include "logs/levers.h"
#include "unit/log_report.h"

#define SHARE "gpu-memory-utilization"
#define ESTIMATE "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS"

// An estimate of 3 GiB covers a deficit of 2 and not one of 4; nothing is offered where none was charged or is known.
static void estimate_of_graphs(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(20, 0), KVB_FAILURE_NEGATIVE_KV);
    explain();
    assert_null(remedy(ESTIMATE, "0"));
    see(KVB_OBS_GRAPH_ESTIMATE, 3 * GIB);
    explain(); // the deficit is not known: any estimate is enough for nothing
    helps(ESTIMATE, "0", true, "gives back the estimate of 3.00 GiB; graphs then live outside the request");
    see(KVB_OBS_KV_CACHE, -2 * GIB);
    explain();
    helps(ESTIMATE, "0", true, "gives back the estimate of 3.00 GiB; graphs then live outside the request");
    helps("enforce-eager", "true", true, "captures no graphs: gives back 3.00 GiB, at a price in speed");
    see(KVB_OBS_KV_CACHE, -4 * GIB);
    explain();
    helps(ESTIMATE, "0", false, "gives back the estimate of 3.00 GiB, which is not enough; ");
    helps("enforce-eager", "true", false, "captures no graphs: gives back 3.00 GiB, which is not enough");
    report.notes[KVB_NOTE_GRAPHS_NOT_CHARGED] = true;
    explain();
    assert_null(remedy(ESTIMATE, "0"));
    start(KVB_LOG_SGLANG, 0, KVB_FAILURE_NEGATIVE_KV); // which has no such variable
    report.notes[KVB_NOTE_GRAPHS_CHARGED] = true;
    see(KVB_OBS_GRAPH_ESTIMATE, 3 * GIB);
    explain();
    assert_null(remedy(ESTIMATE, NULL));
}

// Of a card whose share nobody said.
static void share_not_said(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NEGATIVE_KV);
    see(KVB_OBS_KV_CACHE, -2 * GIB);
    explain();
    helps(SHARE, "higher", true, "only a larger request or smaller terms help; give --gpu-memory for the arithmetic");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps(SHARE, "higher", true, "only a larger request or smaller terms help");
    assert_null(strstr(remedy(SHARE, "higher")->why, "give"));
    report.release = 0;
    explain();
    assert_null(remedy("enforce-eager", "true")); // of no known release it may be charged
    report.generation_known = true;
    report.generation = KVB_GENERATION_V0;
    explain();
    helps("enforce-eager", "true", false, "does not charge CUDA graphs to the request");
}

static void too_long(uint32_t release)
{
    start(KVB_LOG_VLLM, release, KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN);
}

// 0.75 of 1 GiB: 8192 x 0.75 = 6144, a multiple of 16.
static void shorter_requests(void **state)
{
    (void)state;
    too_long(V(19, 0));
    explain();
    helps("max-model-len", "shorter", true, "one request then needs less KV cache");
    assert_string_equal(remedy("max-model-len", "shorter")->from, "");
    see(KVB_OBS_NEEDED, GIB);
    see(KVB_OBS_KV_CACHE, 3 * GIB / 4);
    explain();
    helps("max-model-len", "shorter", true, "one request"); // than what is not known
    see(KVB_OBS_MAX_MODEL_LEN, 8192);
    explain();
    helps("max-model-len", "6144", true, "8192 x 0.75 / 1.00 GiB, where cache grows evenly with length");
    assert_string_equal(remedy("max-model-len", "6144")->from, "8192");
    see(KVB_OBS_KV_CACHE, 0);
    explain();
    helps("max-model-len", "shorter", true, "one request");
    see(KVB_OBS_KV_CACHE, GIB);
    see(KVB_OBS_NEEDED, 0);
    explain();
    helps("max-model-len", "shorter", true, "one request");
    forget(KVB_OBS_NEEDED);
    forget(KVB_OBS_KV_CACHE);
    see(KVB_OBS_ESTIMATED_MAX_MODEL_LEN, 0);
    see(KVB_OBS_KV_TOKENS, 6000);
    explain();
    helps("max-model-len", "6000", true, "the tokens this KV cache holds");
    see(KVB_OBS_ESTIMATED_MAX_MODEL_LEN, 5968);
    explain();
    helps("max-model-len", "5968", true, "the engine's own estimate of what this KV cache holds");
}

static void halved_cache(void **state)
{
    (void)state;
    too_long(V(19, 0));
    explain();
    helps("kv-cache-dtype", "fp8", true, "halves what full-attention layers keep of a token");
    see(KVB_OBS_NEEDED, 2 * GIB);
    explain();
    helps("kv-cache-dtype", "fp8", true, "halves what full-attention layers keep of a token");
    see(KVB_OBS_KV_CACHE, GIB);
    explain();
    helps("kv-cache-dtype", "fp8", true, "one request then needs about 1.00 GiB (full attention); 1.00 GiB are there");
    see(KVB_OBS_KV_CACHE, GIB - 1);
    log_states(KVB_SET_KV_CACHE_DTYPE, KVB_KV_AUTO);
    explain();
    helps("kv-cache-dtype", "fp8", false, "one request then needs about 1.00 GiB (full attention)");
    log_states(KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    explain();
    helps("kv-cache-dtype", "fp8", false, "one request then needs about 1.00 GiB (full attention)");
    log_states(KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    explain();
    assert_null(remedy("kv-cache-dtype", "fp8"));
}

// 1 GiB is missing: 2 of 24 - 21.6 are needed and 1 is there. 20.6 + 2 = 22.6 of 24 are 0.942.
static void larger_share(void **state)
{
    (void)state;
    too_long(V(19, 0));
    explain();
    helps(SHARE, "higher", true, "up to what is free; give --gpu-memory for the arithmetic");
    see(KVB_OBS_NEEDED, 2 * GIB);
    explain();
    helps(SHARE, "higher", true, "up to what is free; give --gpu-memory for the arithmetic");
    see(KVB_OBS_UTILIZATION, 900000); // how much is missing is not known
    explain();
    helps(SHARE, "higher", true, "up to what is free; give --gpu-memory for the arithmetic");
    forget(KVB_OBS_UTILIZATION);
    see(KVB_OBS_KV_CACHE, GIB);
    explain();
    helps(SHARE, "higher", true, "up to what is free; give --gpu-memory for the arithmetic");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain(); // 1 / 24 = 0.04167, rounded up to 0.042
    helps(SHARE, "higher", true, "by at least 0.042: 1.00 GiB are missing of 24.00 GiB");
    see(KVB_OBS_NEEDED, GIB + 301990 * 1024); // of 25165824 KiB 0.0120000044: a little more than 0.012
    explain();
    helps(SHARE, "higher", true, "by at least 0.013: 0.29 GiB are missing of 24.00 GiB");
    see(KVB_OBS_NEEDED, 13 * GIB); // 12 of 24 are the half
    explain();
    helps(SHARE, "higher", false, "by at least 0.50: 12.00 GiB are missing of 24.00 GiB");
    see(KVB_OBS_NEEDED, 2 * GIB);
    see(KVB_OBS_UTILIZATION, 900000);
    explain();
    helps(SHARE, "0.942", true, "(20.60 GiB in use besides + 2.00 GiB of KV cache) / 24.00 GiB; each 0.01 is 0.24 GiB");
    helps(SHARE, "0.80", false, "makes the KV cache 2.40 GiB smaller: -1.40 GiB");
    see(KVB_OBS_NEEDED, 2362232218); // and 22119081574 are 23907533 KiB of 25165824, 0.950000008: more than 0.95
    explain();
    helps(SHARE, "0.951", true, "(20.60 GiB in use besides + 2.20 GiB of KV cache) / 24.00 GiB");
    see(KVB_OBS_NEEDED, 2 * GIB);
    given.gpu_memory_bytes = 0; // 1 GiB over the tenth that is left
    explain();
    helps(SHARE, "higher", true,
          "helps only on a card of 10 GiB or more: the deficit is 1.00 GiB and 0.10 of the card is");
    assert_int_equal(offered(SHARE, "higher"), 1);
    helps(SHARE, "0.80", false,
          "makes the KV cache smaller by a tenth of the card; the message asks for more, not less");
    see(KVB_OBS_UTILIZATION, KVB_PPM); // nothing is left to raise
    explain();
    helps(SHARE, "higher", true, "up to what is free; give --gpu-memory for the arithmetic");
    see(KVB_OBS_UTILIZATION, 100000);
    explain();
    helps(SHARE, "lower", false, "makes the KV cache smaller still");
    forget(KVB_OBS_UTILIZATION);
    forget(KVB_OBS_NEEDED);
    forget(KVB_OBS_KV_CACHE);
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    see(KVB_OBS_UTILIZATION, 900000);
    explain();
    helps(SHARE, "0.80", false, "makes the KV cache 2.40 GiB smaller");
}

// 10 GiB of weights give 5 back at half of them, 1 gives half a one.
static void smaller_weights(void **state)
{
    (void)state;
    too_long(V(20, 0));
    see(KVB_OBS_NEEDED, 2 * GIB);
    see(KVB_OBS_KV_CACHE, GIB);
    explain();
    helps("tensor-parallel-size", NULL, true, "1.00 GiB must come from the weights");
    assert_null(strstr(remedy("tensor-parallel-size", NULL)->why, "which are"));
    see(KVB_OBS_WEIGHTS, 10 * GIB);
    explain();
    helps("tensor-parallel-size", NULL, true, "1.00 GiB must come from the weights, which are 10.00 GiB");
    see(KVB_OBS_WEIGHTS, 5 * GIB);
    explain();
    helps("tensor-parallel-size", NULL, true, "1.00 GiB must come from the weights, which are 5.00 GiB");
    see(KVB_OBS_WEIGHTS, 2 * GIB);
    see(KVB_OBS_GRAPH_ESTIMATE, GIB);
    explain();
    helps("tensor-parallel-size", NULL, false, "1.00 GiB must come from the weights, which are 2.00 GiB");
    helps(ESTIMATE, "0", true, "gives back the estimate of 1.00 GiB");
    report.engine = KVB_LOG_SGLANG; // which takes no such share
    explain();
    assert_null(remedy("tensor-parallel-size", "more GPUs, or a smaller checkpoint"));
    assert_null(remedy(SHARE, NULL));
}

// 20 of 24 free are 0.833; 24 x 0.9 - 24 x 0.833 = 21.6 - 19.992 = 1.608.
static void card_in_use(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_FREE_LESS_THAN_REQUESTED);
    explain();
    assert_null(remedy("other processes", "none"));
    given.gpu_free_bytes = (uint64_t)(20 * GIB);
    explain();
    assert_null(remedy("other processes", "none"));
    assert_null(check("highest utilization the start accepts = free / GPU memory"));
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps("other processes", "none", true, "4.00 GiB of the card were taken before this engine started");
    helps(SHARE, "0.833", true,
          "20.00 of 24.00 GiB were free; the KV cache becomes 0.00 GiB smaller, and weights and peak must still fit "
          "into 19.99 GiB");
    computed("highest utilization the start accepts = free / GPU memory", 833333, -1);
    see(KVB_OBS_UTILIZATION, 900000);
    see(KVB_OBS_WEIGHTS, 20 * GIB - 1);
    explain();
    helps(SHARE, "0.833", true, "the KV cache becomes 1.61 GiB smaller");
    assert_string_equal(remedy(SHARE, "0.833")->from, "0.90");
    see(KVB_OBS_WEIGHTS, 20 * GIB);
    explain();
    helps(SHARE, "0.833", false, "the KV cache becomes 1.61 GiB smaller");
    given.gpu_free_bytes = 0;
    explain();
    assert_null(remedy("other processes", "none"));
    report.engine = KVB_LOG_LLAMACPP;
    given.gpu_free_bytes = (uint64_t)(20 * GIB);
    explain();
    assert_null(check("highest utilization the start accepts = free / GPU memory"));
}

// 0.75 + 0.15 (150 MiB: 0.1465) of 24: 0.8965 / 24 = 0.03735, rounded up to 0.038; 0.9 - 0.038 = 0.862.
static void smaller_share(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(18, 0), KVB_FAILURE_OOM_GRAPH);
    explain();
    helps(SHARE, "lower", true, "the KV cache shrinks and leaves memory for what comes after it");
    helps(ESTIMATE, "1", true, "reserves an estimate for graphs before the KV cache is sized");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    see(KVB_OBS_TRIED_ALLOC, GIB);
    see(KVB_OBS_OOM_FREE, GIB / 4);
    explain();
    helps(SHARE, "lower", true, "by 0.038: 0.75 GiB were missing, plus 0.15 GiB, of 24.00 GiB");
    see(KVB_OBS_UTILIZATION, 900000);
    explain();
    helps(SHARE, "0.862", true,
          "frees at least the 0.75 GiB that were missing and 0.15 GiB more; the KV cache shrinks by 0.91");
    see(KVB_OBS_OOM_FREE, 0); // with 150 MiB 1006633 KiB of 25165824, 0.040000002: more than 0.04
    see(KVB_OBS_TRIED_ALLOC, INT64_C(1006633) * 1024 - 150 * MIB);
    explain();
    helps(SHARE, "0.859", true, "the KV cache shrinks by 0.98");
    see(KVB_OBS_TRIED_ALLOC, GIB);
    see(KVB_OBS_OOM_FREE, 2 * GIB); // more free than asked for: 0.15 alone are 0.0061
    explain();
    helps(SHARE, "0.893", true, "frees at least the 0.00 GiB");
    see(KVB_OBS_UTILIZATION, 7000);
    explain();
    helps(SHARE, "0.00", false, "frees at least");
    report.release = V(20, 0);
    explain();
    helps(ESTIMATE, "0", false, "removes the very headroom that was missing");
    report.release = V(27, 0);
    report.notes[KVB_NOTE_GRAPHS_NOT_CHARGED] = true;
    explain();
    assert_null(remedy(ESTIMATE, "0"));
    report.engine = KVB_LOG_SGLANG;
    explain();
    assert_null(remedy(SHARE, NULL));
    start(KVB_LOG_VLLM, V(18, 0), KVB_FAILURE_OOM_SERVING);
    explain();
    helps(SHARE, "lower", true, "the KV cache shrinks");
    report.engine = KVB_LOG_SGLANG;
    explain();
    assert_null(remedy(SHARE, NULL));
}

// Each sequence takes 131072 x 16 bytes = 2 MiB; 850 missing and 150 besides are 500 of them and one more.
static void fewer_sequences(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_SAMPLER);
    report.start_seen = true;
    explain();
    helps("max-num-seqs", "lower", true, "the warm-up samples for that many sequences at once");
    helps(SHARE, "lower", false, "before any KV cache");
    see(KVB_OBS_WARMUP_REQUESTS, 1);
    explain();
    helps("max-num-seqs", "lower", true, "the warm-up samples for that many sequences at once");
    see(KVB_OBS_WARMUP_REQUESTS, 1024);
    explain();
    helps("max-num-seqs", "256", true, "each about vocabulary x 16 bytes");
    given.vocabulary_size = 131072;
    explain();
    helps("max-num-seqs", "256", true, "each about vocabulary x 16 bytes");
    see(KVB_OBS_TRIED_ALLOC, 850 * MIB);
    explain();
    helps("max-num-seqs", "523", true, ": enough for what was missing and 0.15 GiB");
    see(KVB_OBS_WARMUP_REQUESTS, 501);
    explain();
    helps("max-num-seqs", "125", true, "each about vocabulary x 16 bytes");
    assert_null(strstr(remedy("max-num-seqs", "125")->why, "enough"));
    see(KVB_OBS_WARMUP_REQUESTS, 502);
    explain();
    helps("max-num-seqs", "1", true, ": enough for what was missing and 0.15 GiB");
    see(KVB_OBS_WARMUP_REQUESTS, 3);
    explain();
    helps("max-num-seqs", "1", true, "each about vocabulary x 16 bytes"); // a quarter of 3 is none
    report.stage = KVB_STAGE_SIZED;
    explain();
    helps(SHARE, "lower", true, "the KV cache shrinks");
}

// Others hold 4 of 24 GiB; a twentieth, 1.2, is what a desktop takes.
static void another_process(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_LOAD);
    see(KVB_OBS_OOM_PROCESS, 4 * GIB);
    see(KVB_OBS_OOM_THIS_PROCESS, 18 * GIB);
    explain();
    assert_null(remedy("other processes", "none"));
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps("other processes", "none", true, "another process on this GPU held 4.00 GiB of its 24.00 GiB: stop it");
    see(KVB_OBS_OOM_PROCESS, 24 * GIB / 20);
    explain();
    assert_null(remedy("other processes", "none"));
    // Nobody is named beside it and it holds what PyTorch allocated: the process is this one, and 24 - 1 - 20 = 3 are
    // others'.
    forget(KVB_OBS_OOM_THIS_PROCESS);
    see(KVB_OBS_OOM_PROCESS, 20 * GIB);
    see(KVB_OBS_OOM_ALLOCATED, 20 * GIB);
    explain();
    assert_null(remedy("other processes", "none"));
    see(KVB_OBS_OOM_FREE, GIB);
    explain();
    helps("other processes", "none", true, "another process on this GPU held 3.00 GiB of its 24.00 GiB");
    see(KVB_OBS_OOM_ALLOCATED, 20 * GIB + 1); // so it is another one
    explain();
    helps("other processes", "none", true, "another process on this GPU held 20.00 GiB of its 24.00 GiB");
    see(KVB_OBS_OOM_ALLOCATED, 20 * GIB);
    given.gpu_memory_bytes = 0; // how much the others hold is not known
    explain();
    assert_null(remedy("other processes", "none"));
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    forget(KVB_OBS_OOM_PROCESS);
    forget(KVB_OBS_OOM_ALLOCATED);
    explain();
    assert_null(remedy("other processes", "none"));
    report.failure.kind = KVB_FAILURE_OTHER;
    see(KVB_OBS_OOM_PROCESS, 20 * GIB);
    explain();
    assert_null(remedy("other processes", "none"));
}

// 256 sequences and 100 blocks of 10 / 100 = 0.1 GiB: 156 are missing, 15.6 GiB. Of 24 GiB that is 0.65 more than 0.9;
// of 240 GiB 0.065.
static void fewer_blocks_than_sequences(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(20, 0), KVB_FAILURE_STATE_BLOCKS);
    explain();
    helps("max-num-seqs", "at most the blocks of the KV cache", true, "a graph of so many sequences is captured");
    helps("max-cudagraph-capture-size", "at most the blocks of the KV cache", true, "without a graph");
    see(KVB_OBS_MAMBA_BLOCKS, 100);
    see(KVB_OBS_MAMBA_SEQS, 256);
    explain();
    helps("max-num-seqs", "100", true, "each running sequence holds one state block");
    assert_string_equal(remedy("max-num-seqs", "100")->from, "256");
    assert_null(remedy("max-cudagraph-capture-size", NULL));
    assert_null(remedy(SHARE, NULL));
    helps("enforce-eager", "true", true, "without them fewer run at once");
    helps("max-model-len", "shorter", false, "as large at any length");
    helps("kv-cache-dtype", "fp8", false, "there are no more of them");
    see(KVB_OBS_KV_CACHE, 10 * GIB);
    explain();
    helps(SHARE, "higher", true, "156 state blocks more are 15.60 GiB of KV cache more");
    log_states(KVB_SET_GPU_MEMORY_UTILIZATION, 900000);
    explain();
    helps(SHARE, "higher", true, "the deficit is 15.60 GiB and 0.10 of the card is left");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps(SHARE, "1.00", false, "that needs 1.55 of the card");
    given.gpu_memory_bytes = (uint64_t)(240 * GIB);
    explain();
    helps(SHARE, "0.965", true, "that needs 0.965 of the card");
    log_states(KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 100);
    explain();
    helps("num-gpu-blocks-override", "higher, or without it", true, "the KV cache has the size this setting gives it");
    assert_null(remedy("max-num-seqs", "100"));
}

static void forced_pool(void **state)
{
    (void)state;
    too_long(V(19, 0));
    log_states(KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 100);
    explain();
    helps("num-gpu-blocks-override", "higher, or without it", true, "the KV cache has the size this setting gives it");
    helps(SHARE, "any", false, "num-gpu-blocks-override decides the size of the KV cache, not the share of the card");
    helps("max-model-len", "shorter", true, "one request then needs less KV cache");
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NEGATIVE_KV);
    see(KVB_OBS_OVERRIDDEN_BLOCKS, 7);
    explain();
    helps("num-gpu-blocks-override", "higher, or without it", true, "whatever is free");
    helps("max-model-len", "shorter", false, "length decides how much one request needs");
    assert_null(remedy(SHARE, "higher")); // which is what raises a cache that is not forced
    assert_null(remedy(SHARE, "lower"));
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_GRAPH);
    kvb_settings_set(&given.settings, KVB_SET_KV_CACHE_MEMORY_BYTES, 1, KVB_ORIGIN_FLAG);
    explain();
    helps("kv-cache-memory-bytes", "lower, or without it", true, "whatever is free");
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NEGATIVE_KV);
    report.notes[KVB_NOTE_CPU_BACKEND] = true;
    explain();
    helps("VLLM_CPU_KVCACHE_SPACE", "higher, or without it", true, "whatever is free");
    report.engine = KVB_LOG_SGLANG; // which has no such variable
    explain();
    assert_null(remedy("VLLM_CPU_KVCACHE_SPACE", NULL));
}

// As much as was asked for, and a twentieth of what is held: 1024 of 20480 MiB.
static void fragments(void **state)
{
    (void)state;
    static const struct {
        int64_t unallocated, tried, held;
        bool fragmented;
    } rows[] = {
        {1024, 1024, 20480, true}, {1024, 1025, 20480, false}, {1023, 1023, 20480, false},
        {1024, 100, 20500, false}, {1025, 100, 20500, true},   {0, 1, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_SERVING);
        see(KVB_OBS_TRIED_ALLOC, rows[i].tried * MIB);
        see(KVB_OBS_OOM_ALLOCATED, rows[i].held * MIB);
        see(KVB_OBS_OOM_UNALLOCATED, rows[i].unallocated * MIB);
        explain();
        helps("PYTORCH_CUDA_ALLOC_CONF", NULL, rows[i].fragmented,
              rows[i].fragmented ? "that is fragmentation" : "nothing to");
    }
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_SERVING); // the message does not say
    explain();
    helps("PYTORCH_CUDA_ALLOC_CONF", NULL, false, "nothing to defragment");
}

static void no_stage(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_LOAD);
    report.failure.stage_unknown = true;
    explain();
    helps("model", "smaller or quantised, or more GPUs", true, "helps when the weights did not fit");
    helps(SHARE, "lower", true, "helps when it was already serving or capturing graphs");
    helps("max-num-batched-tokens", "lower", true, "helps in the profiling run and while serving");
    helps("log", "from its beginning", true, "tell loading, profiling, capture and serving apart");
    report.engine = KVB_LOG_SGLANG;
    explain();
    assert_null(remedy(SHARE, "lower"));
    helps("log", "from its beginning", true, "tell loading, profiling, capture and serving apart");
}

// A cause outside memory: its own advice, or that its cause is looked for, and what is no lever of it, by engine.
static void other_causes(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OTHER);
    explain();
    helps("log", "from its beginning", true, "these lines only report that something died");
    assert_null(remedy(SHARE, "any"));
    report.failure.cause_in_log = true;
    report.failure.about_memory = KVB_LOG_NO;
    explain();
    assert_null(remedy("log", NULL));
    helps(SHARE, "any", false, "the failure is not about GPU memory");
    report.failure.advice = "because 100 % of it is wrong";
    report.failure.fix = "model";
    report.failure.fix_to = "another";
    explain();
    helps("model", "another", true, "because 100 % of it is wrong");
    // where layers live on either side, more of them on the card leave more of the host
    static const struct {
        enum kvb_log_engine engine;
        const char *title, *share;
        bool useless;
    } rows[] = {
        {KVB_LOG_OLLAMA, "host memory, not GPU memory", "num_gpu", false},
        {KVB_LOG_LLAMACPP, "host memory, not GPU memory", "n-gpu-layers", false},
        {KVB_LOG_LLAMACPP, "the process crashed", "n-gpu-layers", true},
        {KVB_LOG_OLLAMA, NULL, "num_gpu", true},
        {KVB_LOG_VLLM, "host memory, not GPU memory", SHARE, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report.engine = rows[i].engine;
        report.failure.title = rows[i].title;
        explain();
        assert_int_equal(remedy(rows[i].share, "any") != NULL, rows[i].useless);
    }
    assert_string_equal(kvb_share_lever(KVB_LOG_SGLANG), "mem-fraction-static");
    assert_string_equal(kvb_share_lever(KVB_LOG_LMDEPLOY), "cache-max-entry-count");
    assert_string_equal(kvb_share_lever(KVB_LOG_UNKNOWN_ENGINE), SHARE);
}

KVB_TEST_MAIN(cmocka_unit_test(estimate_of_graphs), cmocka_unit_test(share_not_said),
              cmocka_unit_test(shorter_requests), cmocka_unit_test(halved_cache), cmocka_unit_test(larger_share),
              cmocka_unit_test(smaller_weights), cmocka_unit_test(card_in_use), cmocka_unit_test(smaller_share),
              cmocka_unit_test(fewer_sequences), cmocka_unit_test(another_process),
              cmocka_unit_test(fewer_blocks_than_sequences), cmocka_unit_test(forced_pool), cmocka_unit_test(fragments),
              cmocka_unit_test(no_stage), cmocka_unit_test(other_causes))
