// Hugging Face TGI.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(BEGIN, 0, "text_generation_launcher: Args", "INFO text_generation_launcher: Args", NOTHING),
    PLAIN(FACT, 0, "text_generation_launcher: Sharding", "INFO text_generation_launcher: Sharding model on 2 processes",
          NOTHING),
    PLAIN(ALLOCATED, 0, "KV-cache blocks: {count}, size: {count}",
          "INFO text_generation_launcher_x: KV-cache blocks: 20480, size: 1", KVB_OBS_NUM_GPU_BLOCKS,
          KVB_OBS_BLOCK_SIZE),
    PLAIN(READY, 0, "Setting max batch total tokens to {count}",
          "INFO text_generation_router_v3: Setting max batch total tokens to 20480", KVB_OBS_KV_TOKENS),
    PLAIN(ALLOCATED, 0, "Inferred max batch total tokens: {count}", "INFO Inferred max batch total tokens: 20480",
          KVB_OBS_KV_TOKENS),
    PLAIN(FAILURE, KVB_FAILURE_OOM_PROFILE, "Not enough memory to handle {count} prefill tokens",
          "RuntimeError: Not enough memory to handle 4096 prefill tokens. You need to decrease", KVB_OBS_IGNORED),
    PLAIN(FAILURE, KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, "Not enough memory to handle `max_total_tokens={count}`",
          "RuntimeError: Not enough memory to handle `max_total_tokens=8192`", KVB_OBS_MAX_MODEL_LEN),
    PLAIN(FAILURE, KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN,
          "Not enough memory to handle {count} total tokens with {count} prefill",
          "RuntimeError: Not enough memory to handle 8192 total tokens with 4096 prefill tokens", KVB_OBS_MAX_MODEL_LEN,
          KVB_OBS_IGNORED),
    PLAIN(FAILURE, KVB_FAILURE_OOM_PROFILE, "Unable to warmup model: {any}(out of memory)",
          "panicked at 'Unable to warmup model: Generation(x (out of memory)", NOTHING),
    PLAIN(FACT, 0, "Requested : {size}", "Requested               : 4.83 GiB", KVB_OBS_TRIED_ALLOC),
    PLAIN(LOADING, 0, "Waiting for shard to be ready", "INFO shard-manager: Waiting for shard to be ready... rank=0",
          NOTHING),
    PLAIN(WRAPPER, 0, "Shard cannot start", "Error: Shard cannot start: ShardCannotStart", NOTHING),
};

const struct kvb_line_table kvb_lines_tgi = {KVB_LOG_TGI, rows, KVB_LINE_ROWS(rows)};
