// What a release of vLLM does that its log does not say, by the same rules that the budget follows.
#include "engines/vllm/facts.h"

#include "engines/vllm/logits.h"
#include "engines/vllm/rules.h"

#define WEIGHTS_DROPPED_SINCE KVB_RELEASE(0, 8, 5) // verl asks for level 2 from that release on
#define V0_GONE KVB_RELEASE(0, 11, 0)
#define CACHE_BYTES_SINCE KVB_RELEASE(0, 10, 2)
#define PEAK_WITH_GRAPHS KVB_RELEASE(0, 18, 0) // gpu_worker.py: peak_activation_memory, which 0.19.0 leaves alone
#define PEAK_ALONE KVB_RELEASE(0, 19, 0)
#define PEAK_WITH_GRAPHS_AGAIN KVB_RELEASE(0, 27, 0)
#define USUAL_BLOCK_TOKENS 16

bool kvb_rules_charge_others(const struct kvb_rules *rules, enum kvb_generation generation)
{
    if (generation == KVB_GENERATION_V1) {
        return rules->value[KVB_RULE_ACCOUNTING] == KVB_ACCOUNT_DEVICE_WIDE;
    }
    uint32_t rule = rules->value[KVB_RULE_ACCOUNTING_V0];
    return rule == KVB_V0_DEVICE_USED || rule == KVB_V0_DEVICE_WIDE;
}

static bool prints_graphs_in_peak(uint32_t release)
{
    return (release >= PEAK_WITH_GRAPHS && release < PEAK_ALONE) || release >= PEAK_WITH_GRAPHS_AGAIN;
}

void kvb_vllm_facts(uint32_t release, enum kvb_generation generation, struct kvb_release_facts *out)
{
    struct kvb_rules rules;
    kvb_rules_of(release, &rules);
    *out = (struct kvb_release_facts){
        .takes_share = true,
        .charges_others =
            release != 0 && generation != KVB_GENERATION_NONE && kvb_rules_charge_others(&rules, generation),
        .charges_graphs = rules.value[KVB_RULE_GRAPH_ESTIMATE] >= 2,
        .may_charge_graphs = rules.value[KVB_RULE_GRAPH_ESTIMATE] > 0,
        .peak_holds_graphs = prints_graphs_in_peak(release),
        .one_generation = release == 0 || release >= V0_GONE,
        .drops_weights = release >= WEIGHTS_DROPPED_SINCE,
        .sizes_cache_by_bytes = release == 0 || release >= CACHE_BYTES_SINCE,
        .share_ppm = release != 0 ? rules.value[KVB_RULE_UTILIZATION] : 0,
        .block_tokens = USUAL_BLOCK_TOKENS,
        .warm_up_bytes = KVB_WARM_UP_BYTES_PER_LOGIT,
        .graph_estimate_variable = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS",
        .host_cache_variable = "VLLM_CPU_KVCACHE_SPACE",
    };
}
