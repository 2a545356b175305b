// Which rule of each kind holds in which release. A release that changes a rule is one row in releases.c.
#ifndef KVB_ENGINES_VLLM_RULES_H
#define KVB_ENGINES_VLLM_RULES_H

#include <stddef.h>
#include <stdint.h>

enum kvb_rule {
    KVB_RULE_GENERATION,         // default engine: 0 V0, 1 V1
    KVB_RULE_V1_AVAILABLE,       // 0 no, 1 with VLLM_USE_V1=1, 2 only V1
    KVB_RULE_ACCOUNTING,         // enum kvb_accounting: what is subtracted (V1)
    KVB_RULE_ACCOUNTING_V0,      // likewise (V0)
    KVB_RULE_REQUEST_CEIL,       // requested memory is rounded up
    KVB_RULE_FREE_CHECK,         // free memory must cover the request: 1 unnamed device, 2 device named
    KVB_RULE_NCCL_OUTSIDE,       // the snapshot is taken after NCCL's buffers
    KVB_RULE_GRAPH_ESTIMATE,     // 0 none, 1 opt-in, 2 on, 3 of runner V2 too, which captures all graphs for it
    KVB_RULE_GRAPH_MODES,        // graph sets captured by default: 1 piecewise, 2 full and piecewise
    KVB_RULE_CAPTURE_SIZES,      // enum kvb_capture
    KVB_RULE_UTILIZATION,        // default, ppm
    KVB_RULE_SPEC_SLIDING,       // sliding windows have a spec of their own
    KVB_RULE_SPEC_CHUNKED,       // 0 as full, 1 own spec, 2 own spec but the hybrid manager is off by default,
                                 // 3 on by default
    KVB_RULE_GROUPS,             // hybrid groups exist
    KVB_RULE_GROUPS_MERGED,      // grouping is decided on all stages together
    KVB_RULE_GROUPS_STRIDED,     // a bucket is dealt out in strides, not slices
    KVB_RULE_UNIFORM_TYPE,       // one group of unequal pages
    KVB_RULE_UNIFORM_WHOLE,      // such a group charges each stage the pages of the whole model
    KVB_RULE_UNIFY_PAGES,        // 0 no, 1 smaller pages get larger blocks, 2 or are padded, 3 Mamba too,
                                 // 4 MLA beside sliding windows falls back to promotion
    KVB_RULE_GROUP_FACTOR,       // hundredths: groups as large as the largest bucket while it is below this
    KVB_RULE_FIT,                // enum kvb_fit
    KVB_RULE_TOKENS,             // enum kvb_tokens
    KVB_RULE_OVERRIDE,           // num_gpu_blocks_override: 1 replaces blocks, 0 logged only, 2 drives the check
    KVB_RULE_MAMBA_BLOCKS,       // enum kvb_mamba_blocks
    KVB_RULE_STATE_PREFIXES,     // prefix caching of states is on by default, in mode "align"
    KVB_RULE_NULL_BLOCK,         // the check and the automatic length leave out the block that is never given away
    KVB_RULE_CROSS_IS_BATCH,     // a cross-attention request needs max_num_batched_tokens
    KVB_RULE_IN_FLIGHT,          // windows count tokens in flight, not one batch
    KVB_RULE_PCP_DIVIDES,        // prefill context parallelism divides the length
    KVB_RULE_DCP,                // decode context parallelism exists
    KVB_RULE_VALUE_SIZE,         // value heads of their own size: 1 full attention, 2 sliding too
    KVB_RULE_BLOCK_SIZE,         // enum kvb_block_rule
    KVB_RULE_HYBRID_ALIGN,       // enum kvb_hybrid_align
    KVB_RULE_SLIDING_BLOCK,      // sliding layers choose their own block size
    KVB_RULE_DS_MLA,             // DeepSeek V3.2's cache: 0 none, 1 auto and fp8, 2 fp8 only, 3 by backend
    KVB_RULE_INDEX_SHARING,      // layers without an indexer of their own have no index cache
    KVB_RULE_DSV4,               // DeepSeek V4 layout: 0 none, 1 product, 2 sum over pages, 3 overlaid
    KVB_RULE_MODEL_MAX_MEMORY,   // V1 <= 0.8.1: minimum memory over maximum layers
    KVB_RULE_STAGE_SPLIT,        // pipeline: 0 rest on the last stage, 1 spread before the last
    KVB_RULE_ERROR_NEED,         // enum kvb_error_need
    KVB_RULE_ERROR_NONE,         // enum kvb_error_none
    KVB_RULE_FIGURES,            // 0 two decimals, 1 Python's round()
    KVB_RULE_AUTO_LENGTH,        // max_model_len auto exists
    KVB_RULE_ASYNC,              // async scheduling on by default: 1 not with stages, 2 with stages, 3 draft models
    KVB_RULE_SAMPLER,            // enum kvb_sampler_rule
    KVB_RULE_V2_RUNNER,          // enum kvb_v2_rule: who runs on model runner V2 by default
    KVB_RULE_MOE_WORKSPACE,      // scratch of experts: 0 temporary, 1 kept by a manager
    KVB_RULE_MOE_CHUNK,          // tokens per expert pass; 0 = all
    KVB_RULE_LOAD_SPLIT,         // weights are loaded with a largest split of 20 MiB
    KVB_RULE_COMPILE_PEAK,       // halves of hidden tensors beside the embedding while a first start compiles; 0 = none
    KVB_RULE_MLA_PROFILE,        // the profile run touches an MLA prefill dummy
    KVB_RULE_DEFAULTS,           // enum kvb_defaults: max_num_batched_tokens and max_num_seqs
    KVB_RULE_QUANT_KV_AUTO,      // ModelOpt's declared KV format resolves "auto": 1 fp8, 2 and nvfp4
    KVB_RULE_KV_SCHEME,          // compressed-tensors' kv_cache_scheme is fp8: 1 whatever is asked, 2 over "auto"
    KVB_RULE_BACKEND_CHECKED,    // attention backends are validated against cache format and device
    KVB_RULE_ENCODER_ITEMS_CEIL, // encoder items in a budget are rounded up
    KVB_RULE_COUNT
};

enum kvb_accounting { KVB_ACCOUNT_DEVICE_WIDE, KVB_ACCOUNT_SNAPSHOT, KVB_ACCOUNT_FREE_MEMORY };
enum kvb_accounting_v0 {
    KVB_V0_TORCH_PEAK,  // torch's peak alone
    KVB_V0_DEVICE_USED, // everything used on the device
    KVB_V0_FREE_DELTA,  // free at start less free after
    KVB_V0_DEVICE_WIDE, // torch's peak and what else the device holds
    KVB_V0_SNAPSHOT     // weights, peak increase and non-torch increase
};
enum kvb_capture { KVB_CAPTURE_512, KVB_CAPTURE_TWICE_SEQS, KVB_CAPTURE_SPARSE, KVB_CAPTURE_1024 };
enum kvb_fit { KVB_FIT_LAYERS, KVB_FIT_FIRST_GROUP_WHOLE, KVB_FIT_FIRST_GROUP, KVB_FIT_ALL_GROUPS };
enum kvb_tokens {
    KVB_TOKENS_BLOCKS,
    KVB_TOKENS_GROUPS_CACHE_BLOCK,
    KVB_TOKENS_GROUPS_MIN,
    KVB_TOKENS_GROUPS,
    KVB_TOKENS_CONCURRENCY
};
enum kvb_mamba_blocks { KVB_MAMBA_ONE, KVB_MAMBA_BY_LENGTH, KVB_MAMBA_BY_MODE, KVB_MAMBA_BY_MODE_ALL_PLUS };
enum kvb_block_rule { KVB_BLOCK_V0, KVB_BLOCK_FLASHMLA_64, KVB_BLOCK_BACKEND };
enum kvb_hybrid_align { KVB_ALIGN_NONE, KVB_ALIGN_16, KVB_ALIGN_KERNEL, KVB_ALIGN_LARGEST };
enum kvb_error_need { KVB_NEED_GB, KVB_NEED_GIB, KVB_NEED_GIB_BROKEN, KVB_NEED_ESTIMATE, KVB_NEED_URL, KVB_NEED_CPU };
enum kvb_error_none { KVB_NONE_PLAIN, KVB_NONE_URL, KVB_NONE_CPU };
enum kvb_sampler_rule {
    KVB_SAMPLER_SORT,
    KVB_SAMPLER_FLASHINFER_LIKELY,
    KVB_SAMPLER_SORT_LIKELY,
    KVB_SAMPLER_TRITON // from 0.21 both it and FlashInfer's run in the profile run
};
enum kvb_v2_rule {
    KVB_V2_NEVER,
    KVB_V2_QWEN3,
    KVB_V2_LLAMA,
    KVB_V2_SOME_MOE,
    KVB_V2_DENSE,
    KVB_V2_DENSE_26,
    KVB_V2_DENSE_27,
    KVB_V2_DSV4,
    KVB_V2_ALL
};
enum kvb_defaults {
    KVB_DEFAULTS_V1_EARLY,
    KVB_DEFAULTS_ALL_1024,
    KVB_DEFAULTS_BY_NAME,
    KVB_DEFAULTS_BY_MEMORY,
    KVB_DEFAULTS_NOT_A100,
    KVB_DEFAULTS_LARGEST // and more on 160 GiB
};

struct kvb_rules {
    uint32_t value[KVB_RULE_COUNT];
};

struct kvb_rule_row {
    uint32_t since; // KVB_RELEASE number
    enum kvb_rule rule;
    uint32_t value;
};

// Rows sorted by release; each holds until a later row of the same rule.
const struct kvb_rule_row *kvb_rule_rows(size_t *count);
void kvb_rules_of(uint32_t release, struct kvb_rules *rules);

#endif
