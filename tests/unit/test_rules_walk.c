// Every sizing rule at every release tag, told a second time by the words that a search finds in vLLM's code at the
// tags: envs.py (VLLM_USE_V1, VLLM_FUSED_MOE_CHUNK_SIZE, VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS),
// v1/core/kv_cache_utils.py, v1/kv_cache_interface.py, v1/worker/, worker/worker.py, config/, engine/arg_utils.py.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/plan.h>

#include "engines/vllm/rules.h"
#include "unit/release_tags.h"
#include "unit/test.h"

struct told {
    enum kvb_rule rule;
    const char *changes; // release=value, one behind another; 0 before the first
};

static const struct told told[] = {
    {KVB_RULE_GENERATION, "0.8.0=1"},            // VLLM_USE_V1 is "1" by default
    {KVB_RULE_V1_AVAILABLE, "0.6.4=1 0.11.0=2"}, // the variable exists; worker/worker.py is gone
    {KVB_RULE_ACCOUNTING, "0.9.1=1 0.27.0=2"},   // MemorySnapshot in gpu_worker.py; free memory before and after
    {KVB_RULE_ACCOUNTING_V0, "0.2.5=1 0.3.1=2 0.6.4=3 0.6.5=4"}, // worker.py profile_num_available_blocks
    {KVB_RULE_REQUEST_CEIL, "0.14.0=1"},                         // math.ceil in v1/worker/utils.py
    {KVB_RULE_FREE_CHECK, "0.9.1=1 0.14.0=2"}, // "is less than desired GPU memory utilization"; "on device"
    {KVB_RULE_NCCL_OUTSIDE, "0.11.0=1"},       // init_device: the snapshot behind init_worker_distributed_environment
    {KVB_RULE_GRAPH_ESTIMATE, "0.18.0=1 0.20.0=2"},         // the variable; its default "1"
    {KVB_RULE_GRAPH_MODES, "0.2.0=1 0.11.0=2"},             // FULL_AND_PIECEWISE by default
    {KVB_RULE_CAPTURE_SIZES, "0.10.0=1 0.11.1=2 0.28.0=3"}, // max_num_seqs * 2; every 16 above 256
    {KVB_RULE_UTILIZATION, "0.2.0=900000 0.20.0=920000"},
    {KVB_RULE_SPEC_SLIDING, "0.8.3=1"},                    // class SlidingWindowSpec
    {KVB_RULE_SPEC_CHUNKED, "0.10.0=1 0.10.1=2 0.14.0=3"}, // ChunkedLocalAttentionSpec; VLLM_ALLOW_CHUNKED_LOCAL_...
    {KVB_RULE_GROUPS, "0.9.1=1"},                          // _get_kv_cache_config_uniform_page_size
    {KVB_RULE_GROUPS_MERGED, "0.11.0=1"},                  // merged_kv_cache_specs
    {KVB_RULE_GROUPS_STRIDED, "0.11.0=1"},                 // layers[i::num_groups]
    {KVB_RULE_UNIFORM_TYPE, "0.11.0=1"},                   // UniformTypeKVCacheSpecs
    {KVB_RULE_UNIFORM_WHOLE, "0.11.0=1 0.17.0=0"},
    {KVB_RULE_UNIFY_PAGES, "0.12.0=1 0.24.0=2 0.26.0=3 0.27.0=4"}, // unify_kv_cache_spec_page_size
    {KVB_RULE_GROUP_FACTOR, "0.2.0=100 0.12.0=125 0.18.0=150"},    // min_num_layers * 1.25, * 1.5
    {KVB_RULE_FIT, "0.14.0=1 0.17.0=2 0.19.0=3"},                  // _max_memory_usage_bytes_from_groups
    {KVB_RULE_TOKENS, "0.9.1=1 0.9.2=2 0.11.0=3 0.20.1=4"},        // "GPU KV cache size: ... tokens"
    {KVB_RULE_OVERRIDE, "0.2.0=1 0.9.1=0 0.9.2=1 0.20.1=2"},
    {KVB_RULE_MAMBA_BLOCKS, "0.11.1=1 0.15.0=2 0.22.0=3"}, // mamba_cache_mode from 0.15.0 on
    {KVB_RULE_STATE_PREFIXES, "0.28.0=1"},                 // default_prefix_caching in arg_utils.py
    {KVB_RULE_NULL_BLOCK, ""},                             // from 0.29.0
    {KVB_RULE_CROSS_IS_BATCH, "0.13.0=1"},
    {KVB_RULE_IN_FLIGHT, "0.26.0=1"},            // tokens in flight in v1/kv_cache_interface.py
    {KVB_RULE_PCP_DIVIDES, "0.12.0=1 0.26.0=0"}, // pcp_world_size there
    {KVB_RULE_DCP, "0.10.2=1"},                  // decode_context_parallel_size
    {KVB_RULE_VALUE_SIZE, "0.14.0=1 0.20.0=2"},  // head_size_v
    {KVB_RULE_BLOCK_SIZE, "0.8.0=1 0.18.0=2"},
    {KVB_RULE_HYBRID_ALIGN, "0.10.0=1 0.11.1=2 0.20.0=3"},
    {KVB_RULE_SLIDING_BLOCK, "0.25.0=1"},
    {KVB_RULE_DS_MLA, "0.11.0=1 0.12.0=2 0.18.0=3"},
    {KVB_RULE_INDEX_SHARING, "0.24.0=1"},
    {KVB_RULE_DSV4, "0.20.0=1 0.23.0=2 0.27.0=3"},
    {KVB_RULE_MODEL_MAX_MEMORY, "0.7.0=1 0.8.2=0"},
    {KVB_RULE_STAGE_SPLIT, "0.8.0=1"},                                  // remaining_layers in distributed/utils.py
    {KVB_RULE_ERROR_NEED, "0.8.3=1 0.8.4=2 0.9.1=3 0.13.0=4 0.22.0=5"}, // estimate_max_model_len; conserving_memory
    {KVB_RULE_ERROR_NONE, "0.13.0=1 0.22.0=2"},
    {KVB_RULE_FIGURES, "0.14.0=1"},
    {KVB_RULE_AUTO_LENGTH, "0.14.0=1"}, // _auto_fit_max_model_len
    {KVB_RULE_ASYNC, "0.14.0=1 0.15.0=2 0.28.0=3"},
    {KVB_RULE_SAMPLER, "0.10.0=2 0.10.1=1 0.10.2=2 0.11.1=0 0.17.0=3"},
    {KVB_RULE_V2_RUNNER,
     "0.22.0=1 0.23.0=2 0.24.0=3 0.25.0=4 0.26.0=5 0.27.0=6 0.28.0=7"}, // use_v2_model_runner in config/vllm.py
    {KVB_RULE_MOE_WORKSPACE, "0.13.0=1"},                               // current_workspace_manager
    {KVB_RULE_MOE_CHUNK, "0.2.0=32768 0.12.0=16384 0.18.0=0"},          // 32 * 1024, 16 * 1024, the variable is gone
    {KVB_RULE_LOAD_SPLIT, "0.21.0=1"},                                  // set_allocator_settings
    {KVB_RULE_COMPILE_PEAK, "0.19.0=4 0.20.0=6 0.27.0=3"},
    {KVB_RULE_MLA_PROFILE, "0.11.0=1"},                              // mla/common.py profiles its prefill
    {KVB_RULE_DEFAULTS, "0.8.0=1 0.8.4=2 0.8.5=3 0.9.0=4 0.28.0=5"}, // arg_utils.py _set_default_args_v1
    {KVB_RULE_QUANT_KV_AUTO, "0.14.0=1 0.20.0=2"},                   // resolve_kv_cache_dtype_string
    {KVB_RULE_KV_SCHEME, "0.15.0=1 0.22.0=2"},
    {KVB_RULE_BACKEND_CHECKED, "0.11.1=1"}, // validate_configuration
    {KVB_RULE_ENCODER_ITEMS_CEIL, "0.9.1=1 0.10.0=0"},
};

static uint32_t value_at(const char *changes, uint32_t release)
{
    uint32_t value = 0;
    char text[128];
    (void)snprintf(text, sizeof text, "%s", changes);
    for (char *change = strtok(text, " "); change != NULL; change = strtok(NULL, " ")) {
        uint32_t since;
        char *equals = strchr(change, '=');
        *equals = '\0';
        assert_true(kvb_release_parse(change, &since));
        value = release >= since ? (uint32_t)strtoul(equals + 1, NULL, 10) : value;
    }
    return value;
}

static void rules_at_every_tag(void **state)
{
    (void)state;
    uint32_t tags[TAGS_MAX];
    size_t count = tags_since(0, tags);
    for (size_t tag = 0; tag < count; tag++) {
        struct kvb_rules rules;
        kvb_rules_of(tags[tag], &rules);
        for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
            uint32_t expected = value_at(told[i].changes, tags[tag]);
            if (rules.value[told[i].rule] != expected) {
                fail_msg("rule %u at %u: %u, not %u", told[i].rule, tags[tag], rules.value[told[i].rule], expected);
            }
        }
    }
    assert_true(count > 80);
}

KVB_TEST_MAIN(cmocka_unit_test(rules_at_every_tag))
