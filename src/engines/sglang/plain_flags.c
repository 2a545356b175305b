// Flags of SGLang's serve command without effect on memory, for those whose values could be taken for something else.
#include "engines/sglang/serve.h"

#define NOTHING(text)                                                                                                  \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_NOTHING, .serve_only = true                                                    \
    }
#define VALUE(text)                                                                                                    \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_VALUE, .serve_only = true                                                      \
    }
#define VALUES(text)                                                                                                   \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_VALUES, .serve_only = true                                                     \
    }

static const struct kvb_serve_flag rows[] = {
    NOTHING("enable-metrics"),
    NOTHING("enable-mixed-chunk"),
    NOTHING("enable-cache-report"),
    NOTHING("enable-p2p-check"),
    NOTHING("enable-nccl-nvls"),
    NOTHING("enable-flashinfer-allreduce-fusion"),
    NOTHING("enable-memory-saver"),
    NOTHING("enable-dp-lm-head"),
    NOTHING("disable-custom-all-reduce"),
    NOTHING("disable-cuda-graph-padding"),
    NOTHING("disable-shared-experts-fusion"),
    NOTHING("disable-chunked-prefix-cache"),
    NOTHING("skip-tokenizer-init"),
    NOTHING("skip-server-warmup"),
    NOTHING("log-requests"),
    NOTHING("show-time-cost"),
    NOTHING("allow-auto-truncate"),
    NOTHING("enable-custom-logit-processor"),
    NOTHING("disable-outlines-disk-cache"),
    NOTHING("triton-attention-reduce-in-fp32"),
    NOTHING("enable-return-hidden-states"),
    NOTHING("delete-ckpt-after-loading"),
    NOTHING("weight-loader-disable-mmap"),
    NOTHING("enable-metrics-for-all-schedulers"),
    VALUE("host"),
    VALUE("port"),
    VALUE("api-key"),
    VALUE("served-model-name"),
    VALUE("tokenizer-path"),
    VALUE("tokenizer-mode"),
    VALUE("tokenizer-worker-num"),
    VALUE("load-format"),
    VALUE("model-loader-extra-config"),
    VALUE("model-impl"),
    VALUE("revision"),
    VALUE("device"),
    VALUE("random-seed"),
    VALUE("log-level"),
    VALUE("log-level-http"),
    VALUE("log-requests-level"),
    VALUE("download-dir"),
    VALUE("base-gpu-id"),
    VALUE("gpu-id-step"),
    VALUE("nnodes"),
    VALUE("node-rank"),
    VALUE("dist-init-addr"),
    VALUE("nccl-init-addr"),
    VALUE("dist-timeout"),
    VALUE("schedule-policy"),
    VALUE("schedule-conservativeness"),
    VALUE("stream-interval"),
    VALUE("watchdog-timeout"),
    VALUE("chat-template"),
    VALUE("completion-template"),
    VALUE("reasoning-parser"),
    VALUE("tool-call-parser"),
    VALUE("prefill-attention-backend"),
    VALUE("decode-attention-backend"),
    VALUE("mm-attention-backend"),
    VALUE("sampling-backend"),
    VALUE("grammar-backend"),
    VALUE("lora-backend"),
    VALUE("lora-eviction-policy"),
    VALUE("moe-dense-tp-size"),
    VALUE("deepep-mode"),
    VALUE("ep-num-redundant-experts"),
    VALUE("load-balance-method"),
    VALUE("num-continuous-decode-steps"),
    VALUE("torch-compile-max-bs"),
    VALUE("torchao-config"),
    VALUE("quantization-param-path"),
    VALUE("hicache-write-policy"),
    VALUE("hicache-io-backend"),
    VALUE("hicache-mem-layout"),
    VALUE("hicache-storage-backend"),
    VALUE("disaggregation-transfer-backend"),
    VALUE("disaggregation-bootstrap-port"),
    VALUE("disaggregation-ib-device"),
    VALUE("speculative-draft-model-quantization"),
    VALUE("speculative-draft-model-revision"),
    VALUE("speculative-token-map"),
    VALUE("speculative-attention-mode"),
    VALUE("speculative-accept-threshold-single"),
    VALUE("speculative-accept-threshold-acc"),
    VALUE("max-queued-requests"),
    VALUE("preferred-sampling-params"),
    VALUE("mm-process-config"),
    VALUE("crash-dump-folder"),
    VALUES("lora-target-modules"),
    VALUES("cuda-graph-bs-prefill"),
    VALUES("cuda-graph-bs-decode"),
};

const struct kvb_serve_flag *kvb_sgl_plain_flag(unsigned index)
{
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}
