// Flags of a serve command that move no memory and decide whether a release starts.
#ifndef KVBUDGET_PLAIN_H
#define KVBUDGET_PLAIN_H

#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

// Bits of kvb_plan.plain_flags.
enum kvb_plain_flag {
    KVB_PLAIN_SERVE_LINE = 1,                   // a serve command was given
    KVB_PLAIN_EPLB = 2,                         // --enable-eplb
    KVB_PLAIN_WHOLE_ITEMS = 4,                  // --disable-chunked-mm-input
    KVB_PLAIN_LOADS_BITSANDBYTES = 8,           // --load-format bitsandbytes
    KVB_PLAIN_V2_BLOCKS = 16,                   // --use-v2-block-manager
    KVB_PLAIN_DBO = 32,                         // --enable-dbo
    KVB_PLAIN_DEEPEP = 64,                      // --all2all-backend of those that steps in two halves run with
    KVB_PLAIN_ROUTED_EXPERTS = 128,             // --enable-return-routed-experts
    KVB_PLAIN_HYBRID_LB = 256,                  // --data-parallel-hybrid-lb
    KVB_PLAIN_EXTERNAL_LB = 512,                // --data-parallel-external-lb
    KVB_PLAIN_DEPRECATED = 1024,                // --allow-deprecated-quantization
    KVB_PLAIN_RAY = 4096,                       // --distributed-executor-backend ray
    KVB_PLAIN_MP = 8192,                        // --distributed-executor-backend mp
    KVB_PLAIN_NO_ROLE = 2048,                   // --kv-transfer-config names a connector and no kv_role
    KVB_PLAIN_EAGLE3 = 16384,                   // a draft of this kind is named
    KVB_PLAIN_PREFETCH = 32768,                 // --offload-backend prefetch
    KVB_PLAIN_LOGITS_PROCESSORS = 65536,        // --logits-processors
    KVB_PLAIN_PROMPT_EMBEDS = 131072,           // --enable-prompt-embeds
    KVB_PLAIN_LOGPROBS_OF_LOGITS = 262144,      // --logprobs-mode raw_logits or processed_logits
    KVB_PLAIN_SHARED_PREFILL = 524288,          // --kv-sharing-fast-prefill
    KVB_PLAIN_ENCODER_CACHE_TRANSFER = 1048576, // --ec-transfer-config
    KVB_PLAIN_ELASTIC_EP = 2097152,             // --enable-elastic-ep
    KVB_PLAIN_EXTERNAL_LAUNCHER = 4194304,      // --distributed-executor-backend external_launcher
    KVB_PLAIN_ADAPTER_COUNTS = 8388608,         // --specialize-active-lora
    KVB_PLAIN_DRAFT_NAMED = 16777216,           // "model" of a speculative config
    KVB_PLAIN_METHOD_NAMED = 33554432,          // its "method"
    KVB_PLAIN_SUFFIX = 67108864,                // which is suffix: it counts its tokens itself
    KVB_PLAIN_HEADS_ONLY = 134217728,           // which is medusa or mlp_speculator
    KVB_PLAIN_LOADS_WHOLE_FILES = 268435456,    // --load-format fastsafetensors
    KVB_PLAIN_CUMEM = 536870912,                // --enable-cumem-allocator
    KVB_PLAIN_DEEPEP_PROMPTS = 1073741824,      // --all2all-backend deepep_high_throughput
};

// Numbers of such flags; kvb_plan.plain_numbers.
enum kvb_loader_package {
    KVB_LOADER_NONE,
    KVB_LOADER_GGUF,
    KVB_LOADER_TENSORIZER,
    KVB_LOADER_FASTSAFETENSORS,
    KVB_LOADER_INSTANTTENSOR,
    KVB_LOADER_MODELEXPRESS,
};

enum kvb_plain_number {
    KVB_PLAIN_MAX_CPU_LORAS,
    KVB_PLAIN_PARTIAL_PREFILLS,       // --max-num-partial-prefills
    KVB_PLAIN_LONG_PARTIAL_PREFILLS,  // --max-long-partial-prefills
    KVB_PLAIN_LONG_PREFILL_THRESHOLD, // --long-prefill-token-threshold
    KVB_PLAIN_DATA_PARALLEL_LOCAL,    // --data-parallel-size-local
    KVB_PLAIN_DATA_PARALLEL_RANK,
    KVB_PLAIN_NODES,        // --nnodes
    KVB_PLAIN_MICROBATCHES, // --ubatch-size
    KVB_PLAIN_REDUNDANT_EXPERTS,
    KVB_PLAIN_SCHEDULER_STEPS,   // --num-scheduler-steps
    KVB_PLAIN_SCHEDULED_TOKENS,  // --max-num-scheduled-tokens
    KVB_PLAIN_DRAFT_RANKS,       // draft_tensor_parallel_size
    KVB_PLAIN_OFFLOAD_GROUP,     // --offload-group-size
    KVB_PLAIN_OFFLOAD_IN_GROUP,  // --offload-num-in-group
    KVB_PLAIN_OFFLOAD_AHEAD,     // --offload-prefetch-step
    KVB_PLAIN_OFFLOAD_ROLES,     // a bit for each enum kvb_role that --offload-params or --cpu-offload-params name
    KVB_PLAIN_DRAFT_LENGTH,      // max_model_len of a speculative config
    KVB_PLAIN_DRAFT_SAMPLES,     // 1: its draft_sample_method is probabilistic
    KVB_PLAIN_LOADER_PACKAGE,    // enum kvb_loader_package: a word of --load-format whose loader is a package's
    KVB_PLAIN_GRPC,              // 1: --grpc
    KVB_PLAIN_DATA_PARALLEL_RAY, // 1: --data-parallel-backend ray
    KVB_PLAIN_NUMBER_COUNT
};

KVB_PUBLIC_END

#endif
