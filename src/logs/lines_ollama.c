// Ollama: key="value" records with sizes of one decimal. What its estimate says before the runner starts is none of
// what the runner then takes: that comes in llama.cpp's own lines, or in those of Ollama's own engine. Source:
// server/routes.go, server/sched.go, llm/memory.go, llm/server.go, discover/types.go, ml/backend/ggml/ggml.go and
// ml/device.go by tag from v0.2.0 to v0.24.0.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(VERSION, 0, "(version {word})\"", "level=INFO msg=\"Listening on 127.0.0.1:11434 (version 0.9.6)\"", NOTHING),
    PLAIN(
        GPU, 0, "msg=\"inference compute\" id={any} name=\"{name}\" total=\"{size}\" available=\"{size}",
        "msg=\"inference compute\" id=GPU-1 driver=12.4 name=\"NVIDIA X 1\" total=\"24.0 GiB\" available=\"23.0 GiB\"",
        KVB_OBS_IGNORED, KVB_OBS_GPU_MEMORY, KVB_OBS_GPU_FREE),
    PLAIN(GPU, 0, "msg=\"inference compute\" id={any} description=\"{name}\"{any}total=\"{size}\" available=\"{size}",
          "msg=\"inference compute\" id=GPU-1 name=CUDA0 description=\"NVIDIA X 1\" type=discrete total=\"24.0 GiB\" "
          "available=\"23.0 GiB\"",
          KVB_OBS_IGNORED, KVB_OBS_GPU_MEMORY, KVB_OBS_GPU_FREE),
    PLAIN(LOADING, 0, "layers.model={count} layers.offload={count}",
          "msg=offload layers.requested=-1 layers.model=33 layers.offload=33", KVB_OBS_MODEL_LAYERS,
          KVB_OBS_OFFLOADED_LAYERS),
    PLAIN(FACT, 0, "memory.available=\"[{size}", "msg=offload memory.available=\"[22.0 GiB]\"", KVB_OBS_GPU_FREE),
    PLAIN(FACT, 0, "memory.required.full=\"{size}", "msg=offload memory.required.full=\"5.5 GiB\"", KVB_OBS_IGNORED),
    PLAIN(FACT, 0, "memory.required.kv=\"{size}", "msg=offload memory.required.kv=\"1.0 GiB\"", KVB_OBS_IGNORED),
    PLAIN(FACT, 0, "memory.weights.total=\"{size}", "msg=offload memory.weights.total=\"4.0 GiB\"", KVB_OBS_IGNORED),
    PLAIN(FACT, 0, "memory.graph.full=\"{size}", "msg=offload memory.graph.full=\"512.0 MiB\"", KVB_OBS_IGNORED),
    PLAIN(LOADING, 0, "msg=\"starting llama server\"", "level=INFO msg=\"starting llama server\" cmd=\"/x\"", NOTHING),
    PLAIN(LOADED, KVB_PER_DEVICE, "msg=\"model weights\" device={word} size=\"{size}",
          "level=INFO msg=\"model weights\" device=CUDA0 size=\"4.0 GiB\"", KVB_OBS_IGNORED, KVB_OBS_WEIGHTS),
    PLAIN(LOADED, KVB_PER_DEVICE, "msg=\"model weights\" buffer={word} size=\"{size}",
          "level=INFO msg=\"model weights\" buffer=CUDA0 size=\"4.0 GiB\"", KVB_OBS_IGNORED, KVB_OBS_WEIGHTS),
    PLAIN(SIZED, KVB_WHOLE_DEVICE, "msg=\"kv cache\" device={word} size=\"{size}",
          "level=INFO msg=\"kv cache\" device=CUDA0 size=\"1.0 GiB\"", KVB_OBS_IGNORED, KVB_OBS_KV_CACHE),
    PLAIN(FACT, KVB_PER_DEVICE, "msg=\"compute graph\" device={word} size=\"{size}",
          "level=INFO msg=\"compute graph\" device=CUDA0 size=\"512.0 MiB\"", KVB_OBS_IGNORED, KVB_OBS_ACTIVATION),
    PLAIN(FACT, KVB_PER_DEVICE, "buffer_type={word} size=\"{size}",
          "level=INFO msg=\"compute graph\" backend=CUDA0 buffer_type=CUDA0 size=\"512.0 MiB\"", KVB_OBS_IGNORED,
          KVB_OBS_ACTIVATION),
    PLAIN(READY, 0, "msg=\"llama runner started in", "level=INFO msg=\"llama runner started in 2.51 seconds\"",
          NOTHING),
    PLAIN(FAILURE, KVB_FAILURE_OTHER, "model requires more system memory ({size}) than is available ({size})",
          "model requires more system memory (9.0 GiB) than is available (8.0 GiB)", KVB_OBS_IGNORED, KVB_OBS_IGNORED),
    PLAIN(FAILURE, KVB_FAILURE_OTHER, "model request too large for system",
          "level=WARN msg=\"model request too large for system\" requested=\"9.0 GiB\" available=\"8.0 GiB\"", NOTHING),
    PLAIN(FAILURE, KVB_FAILURE_OTHER, "requested model ({size}) is too large for this system ({size})",
          "requested model (9.0 GiB) is too large for this system (8.0 GiB)", KVB_OBS_IGNORED, KVB_OBS_IGNORED),
    // llm/server.go v0.11.5 - v0.24.0: no split of layers, cache and graph could be allocated
    PLAIN(FAILURE, KVB_FAILURE_OOM_LOAD, "memory layout cannot be allocated",
          "memory layout cannot be allocated with num_gpu = 26", NOTHING),
    PLAIN(OOM, 0, "llama-server process has terminated: {any}out of memory",
          "llama-server process has terminated: cudaMalloc failed: out of memory", NOTHING),
    PLAIN(OOM, 0, "llama runner process has terminated: cudaMalloc failed",
          "llama runner process has terminated: cudaMalloc failed", NOTHING),
    PLAIN(OOM, 0, "llama-server reported out-of-memory during startup",
          "llama-server reported out-of-memory during startup: x", NOTHING),
    PLAIN(TRACE, KVB_FAILURE_OOM_SERVING, "runtime OOM detected", "msg=\"runtime OOM detected; expiring", NOTHING),
};

const struct kvb_line_table kvb_lines_ollama = {KVB_LOG_OLLAMA, rows, KVB_LINE_ROWS(rows)};
