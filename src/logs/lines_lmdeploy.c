// LMDeploy: TurboMind and the PyTorch engine; "MB" is MiB, "No enough" is literal.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(FACT, 0, "[BlockManager] block_size = {mib} MB", "[TM][INFO] [BlockManager] block_size = 2.000 MB",
          KVB_OBS_BLOCK_BYTES),
    PLAIN(ALLOCATED, 0, "[BlockManager] max_block_count = {count}", "[TM][INFO] [BlockManager] max_block_count = 640",
          KVB_OBS_NUM_GPU_BLOCKS),
    PLAIN(FAILURE, KVB_FAILURE_NEGATIVE_KV, "No enough gpu memory for kv cache",
          "RuntimeError: No enough gpu memory for kv cache.", NOTHING),
    PLAIN(FAILURE, KVB_FAILURE_OOM_PROFILE, "No enough gpu memory for runtime",
          "RuntimeError: No enough gpu memory for runtime.", NOTHING),
    PLAIN(FAILURE, KVB_FAILURE_NEGATIVE_KV, "No enough gpu memory for state cache",
          "AssertionError: No enough gpu memory for state cache.", NOTHING),
    PLAIN(OOM, 0, "CUDA runtime error: out of memory", "[TM][ERROR] CUDA runtime error: out of memory a.cc:1", NOTHING),
};

const struct kvb_line_table kvb_lines_lmdeploy = {KVB_LOG_LMDEPLOY, rows, KVB_LINE_ROWS(rows)};
