// Ollama: key="value" records with sizes of one decimal.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(FACT, 0, "memory.available=\"[{size}", "msg=offload memory.available=\"[22.0 GiB]\"", KVB_OBS_GPU_FREE),
    PLAIN(FACT, 0, "memory.required.full=\"{size}", "msg=offload memory.required.full=\"5.5 GiB\"", KVB_OBS_IGNORED),
    PLAIN(SIZED, 0, "memory.required.kv=\"{size}", "msg=offload memory.required.kv=\"1.0 GiB\"", KVB_OBS_KV_CACHE),
    PLAIN(FACT, 0, "memory.weights.total=\"{size}", "msg=offload memory.weights.total=\"4.0 GiB\"", KVB_OBS_WEIGHTS),
    PLAIN(FACT, 0, "memory.graph.full=\"{size}", "msg=offload memory.graph.full=\"512.0 MiB\"", KVB_OBS_ACTIVATION),
    PLAIN(LOADED, 0, "msg=\"model weights\" device={word} size=\"{size}",
          "level=INFO msg=\"model weights\" device=CUDA0 size=\"4.0 GiB\"", KVB_OBS_IGNORED, KVB_OBS_WEIGHTS),
    PLAIN(SIZED, 0, "msg=\"kv cache\" device={word} size=\"{size}",
          "level=INFO msg=\"kv cache\" device=CUDA0 size=\"1.0 GiB\"", KVB_OBS_IGNORED, KVB_OBS_KV_CACHE),
    PLAIN(FACT, 0, "msg=\"compute graph\" device={word} size=\"{size}",
          "level=INFO msg=\"compute graph\" device=CUDA0 size=\"512.0 MiB\"", KVB_OBS_IGNORED, KVB_OBS_ACTIVATION),
    PLAIN(FAILURE, KVB_FAILURE_OTHER, "model requires more system memory ({size}) than is available ({size})",
          "model requires more system memory (9.0 GiB) than is available (8.0 GiB)", KVB_OBS_IGNORED, KVB_OBS_IGNORED),
    PLAIN(OOM, 0, "llama runner process has terminated: cudaMalloc failed",
          "llama runner process has terminated: cudaMalloc failed", NOTHING),
    PLAIN(OOM, 0, "llama-server reported out-of-memory during startup",
          "llama-server reported out-of-memory during startup: x", NOTHING),
    PLAIN(TRACE, KVB_FAILURE_OOM_SERVING, "runtime OOM detected", "msg=\"runtime OOM detected; expiring", NOTHING),
};

const struct kvb_line_table kvb_lines_ollama = {KVB_LOG_OLLAMA, rows, KVB_LINE_ROWS(rows)};
