// Every flag of `vllm serve` known here: what it takes, and what reads it.
#include "engines/vllm/serve_flags.h"

#include <string.h>

#include <kvbudget/plan.h>

#include "base/text.h"

static const struct kvb_serve_flag special_flags[] = {
    {"model", NULL, KVB_SERVE_MODEL, 0, NULL},
    {"revision", NULL, KVB_SERVE_REVISION, 0, NULL},
    {"hf-overrides", NULL, KVB_SERVE_OVERRIDES, 0, NULL},
    {"rope-scaling", NULL, KVB_SERVE_ROPE_SCALING, 0, NULL},
    {"optimization-level", NULL, KVB_SERVE_LEVEL, 0, NULL},
    {"config", NULL, KVB_SERVE_CONFIG, 0, NULL},
    {"limit-mm-per-prompt", NULL, KVB_SERVE_JSON, 0, "limit-mm-per-prompt"},
    {"mm-processor-kwargs", NULL, KVB_SERVE_JSON, 0, "mm-processor-kwargs"},
    {"speculative-config", "-sc", KVB_SERVE_JSON, 0, "speculative-config"},
    {"compilation-config", "-cc", KVB_SERVE_JSON, 0, "compilation-config"},
    {"kv-transfer-config", NULL, KVB_SERVE_JSON, 0, "kv-transfer-config"},
    {"cudagraph-capture-sizes", NULL, KVB_SERVE_LIST, 0, "cudagraph-capture-sizes"},
    {"cuda-graph-sizes", NULL, KVB_SERVE_LIST, 0, "cudagraph-capture-sizes"},
    {"forced-num-gpu-blocks", NULL, KVB_SERVE_SETTING, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, NULL},
    {"task", NULL, KVB_SERVE_SETTING, KVB_SET_RUNNER, NULL},
    {"convert", NULL, KVB_SERVE_SETTING, KVB_SET_RUNNER, NULL},
    {"enable-multimodal-encoder-data-parallel", NULL, KVB_SERVE_ENCODER_COPY, 0, NULL},
    {"speculative-model", NULL, KVB_SERVE_DRAFT_MODEL, 0, NULL},
    {"spec-model", NULL, KVB_SERVE_DRAFT_MODEL, 0, NULL},
    {"spec-method", NULL, KVB_SERVE_DRAFT_METHOD, 0, NULL},
    {"num-speculative-tokens", NULL, KVB_SERVE_DRAFT_TOKENS, 0, NULL},
    {"spec-tokens", NULL, KVB_SERVE_DRAFT_TOKENS, 0, NULL},
    {"served-model-name", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"lora-modules", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"prompt-adapters", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"middleware", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"allowed-origins", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"allowed-methods", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"allowed-headers", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"allowed-media-domains", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"ignore-patterns", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"logits-processors", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"kv-cache-dtype-skip-layers", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"collect-detailed-traces", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"api-key", NULL, KVB_SERVE_VALUES, 0, NULL},
    {"device-ids", NULL, KVB_SERVE_VALUES, 0, NULL},
};

// Without effect on memory and without a value.
static const char *const plain_switches[] = {
    "disable-log-requests",
    "enable-log-requests",
    "disable-log-stats",
    "disable-uvicorn-access-log",
    "disable-fastapi-docs",
    "enable-auto-tool-choice",
    "enable-reasoning",
    "enable-prompt-embeds",
    "enable-return-routed-experts",
    "disable-custom-all-reduce",
    "enable-eplb",
    "enable-dbo",
    "disable-cascade-attn",
    "enable-prompt-tokens-details",
    "enable-server-load-tracking",
    "enable-force-include-usage",
    "enable-request-id-headers",
    "enable-tokenizer-info-endpoint",
    "enable-log-outputs",
    "enable-log-deltas",
    "return-tokens-as-token-ids",
    "disable-frontend-multiprocessing",
    "disable-async-output-proc",
    "multi-step-stream-outputs",
    "use-v2-block-manager",
    "engine-use-ray",
    "worker-use-ray",
    "ray-workers-use-nsight",
    "headless",
    "data-parallel-external-lb",
    "data-parallel-hybrid-lb",
    "help",
    "allow-credentials",
    "skip-tokenizer-init",
    "enable-lora-bias",
    "fully-sharded-loras",
    "calculate-kv-scales",
    "use-tqdm-on-load",
    "disable-chunked-mm-input",
    "disable-mm-preprocessor-cache",
    "interleave-mm-strings",
    "enable-mm-embeds",
    "enable-layerwise-nvtx-tracing",
    "scheduler-reserve-full-isl",
    "enable-cumem-allocator",
    "disable-logprobs-during-spec-decoding",
    "disable-nccl-for-dp-synchronization",
    "kv-sharing-fast-prefill",
    "enable-ssl-refresh",
    "mm-encoder-only",
    "enable-elastic-ep",
    "exclude-tools-when-tool-choice-none",
    "trust-request-chat-template",
    "enable-flashinfer-autotune",
    "enable-prompt-adapter",
    "tokens-only",
    "generate-config",
    "enable-kv-cache-events",
    "cudagraph-metrics",
    "kv-cache-metrics",
    "enable-mfu-metrics",
    "disable-sliding-window-attention",
    "enable-offline-docs",
    "aggregate-engine-logging",
};

// Without effect on memory and with one value.
static const char *const plain_values[] = {
    "host",
    "port",
    "uds",
    "uvicorn-log-level",
    "ssl-keyfile",
    "ssl-certfile",
    "ssl-ca-certs",
    "ssl-cert-reqs",
    "root-path",
    "chat-template",
    "chat-template-content-format",
    "default-chat-template-kwargs",
    "response-role",
    "tokenizer",
    "tokenizer-mode",
    "tokenizer-pool-size",
    "tokenizer-pool-type",
    "tokenizer-revision",
    "code-revision",
    "load-format",
    "download-dir",
    "config-format",
    "hf-config-path",
    "hf-token",
    "seed",
    "max-logprobs",
    "logprobs-mode",
    "tool-call-parser",
    "tool-parser-plugin",
    "tool-server",
    "reasoning-parser",
    "reasoning-parser-plugin",
    "reasoning-config",
    "max-cpu-loras",
    "lora-dtype",
    "lora-extra-vocab-size",
    "long-lora-scaling-factors",
    "distributed-executor-backend",
    "max-parallel-loading-workers",
    "worker-cls",
    "worker-extension-cls",
    "scheduling-policy",
    "scheduler-cls",
    "scheduler-delay-factor",
    "max-num-partial-prefills",
    "max-long-partial-prefills",
    "long-prefill-token-threshold",
    "num-lookahead-slots",
    "num-scheduler-steps",
    "preemption-mode",
    "guided-decoding-backend",
    "structured-outputs-config",
    "mm-processor-cache-gb",
    "mm-processor-cache-type",
    "mm-shm-cache-max-object-size-mb",
    "media-io-kwargs",
    "allowed-local-media-path",
    "otlp-traces-endpoint",
    "show-hidden-metrics-for-version",
    "kv-events-config",
    "kv-offloading-size",
    "kv-offloading-backend",
    "ec-transfer-config",
    "additional-config",
    "eplb-config",
    "num-redundant-experts",
    "moe-backend",
    "linear-backend",
    "all2all-backend",
    "data-parallel-size-local",
    "data-parallel-rank",
    "data-parallel-start-rank",
    "data-parallel-address",
    "data-parallel-rpc-port",
    "data-parallel-backend",
    "nnodes",
    "node-rank",
    "master-addr",
    "master-port",
    "override-neuron-config",
    "override-pooler-config",
    "pooler-config",
    "override-generation-config",
    "generation-config",
    "model-impl",
    "max-seq-len-to-capture",
    "max-context-len-to-capture",
    "model-loader-extra-config",
    "device",
    "prefix-caching-hash-algo",
    "watermark",
    "max-num-scheduled-tokens",
    "stream-interval",
    "video-pruning-rate",
    "log-config-file",
    "max-log-len",
    "h11-max-incomplete-event-size",
    "h11-max-header-count",
    "profiler-config",
    "dcp-kv-cache-interleave-size",
    "cp-kv-cache-interleave-size",
    "logits-processor-pattern",
    "ubatch-size",
    "dbo-decode-token-threshold",
    "dbo-prefill-token-threshold",
    "weight-transfer-config",
    "attention-config",
    "kernel-config",
    "offload-backend",
    "offload-group-size",
    "offload-num-in-group",
    "offload-prefetch-step",
    "offload-params",
    "cpu-offload-params",
    "rope-theta",
    "api-server-count",
    "kv-cache-dtype-scale",
    "safetensors-load-strategy",
    "mm-encoder-attn-backend",
    "renderer-num-workers",
    "shutdown-timeout",
    "max-prompt-adapters",
    "max-prompt-adapter-token",
    "dcp-comm-backend",
    "quantization-param-path",
    "model-class-overrides",
    "io-processor-plugin",
    "disable-access-log-for-endpoints",
};

#define SPECIAL_COUNT (sizeof special_flags / sizeof special_flags[0])
#define SWITCH_COUNT (sizeof plain_switches / sizeof plain_switches[0])
#define VALUE_COUNT (sizeof plain_values / sizeof plain_values[0])

bool kvb_serve_flag_at(unsigned index, struct kvb_serve_flag *flag)
{
    *flag = (struct kvb_serve_flag){0};
    if (index < KVB_SETTING_COUNT) {
        const struct kvb_setting_row *row = kvb_setting_row_of(index);
        flag->name = row->kind == KVB_VALUE_PART ? NULL : row->key;
        flag->short_name = row->short_name;
        flag->kind = KVB_SERVE_SETTING;
        flag->id = index;
        return true;
    }
    index -= KVB_SETTING_COUNT;
    if (index < SPECIAL_COUNT) {
        *flag = special_flags[index];
        return true;
    }
    index -= (unsigned)SPECIAL_COUNT;
    if (index < SWITCH_COUNT) {
        flag->name = plain_switches[index];
        flag->kind = KVB_SERVE_NOTHING;
        return true;
    }
    index -= (unsigned)SWITCH_COUNT;
    flag->name = index < VALUE_COUNT ? plain_values[index] : NULL;
    flag->kind = KVB_SERVE_VALUE;
    return index < VALUE_COUNT;
}

enum kvb_serve_match kvb_serve_flag_find(const char *name, size_t length, struct kvb_serve_flag *flag)
{
    struct kvb_serve_flag candidate;
    unsigned beginnings = 0;
    if (length == 0) {
        return KVB_SERVE_NO_MATCH;
    }
    for (unsigned i = 0; kvb_serve_flag_at(i, &candidate); i++) {
        enum kvb_name_match match =
            candidate.name != NULL ? kvb_match_name(name, length, candidate.name) : KVB_NAME_DIFFERS;
        if (match == KVB_NAME_EQUAL) {
            *flag = candidate;
            return KVB_SERVE_MATCH;
        }
        if (match == KVB_NAME_BEGINS) {
            *flag = candidate;
            beginnings++;
        }
    }
    return beginnings == 0 ? KVB_SERVE_NO_MATCH : beginnings == 1 ? KVB_SERVE_MATCH : KVB_SERVE_AMBIGUOUS;
}

bool kvb_serve_short_find(const char *word, size_t length, struct kvb_serve_flag *flag, size_t *used)
{
    struct kvb_serve_flag candidate;
    *used = 0;
    for (unsigned i = 0; kvb_serve_flag_at(i, &candidate); i++) {
        size_t size = candidate.short_name != NULL ? strlen(candidate.short_name) : 0;
        bool begins = size > 0 && size <= length && strncmp(word, candidate.short_name, size) == 0;
        bool digits = begins && strspn(word + size, "0123456789") >= length - size;
        if (begins && size > *used && (size == length || digits)) {
            *flag = candidate;
            *used = size;
        }
    }
    return *used > 0;
}
