// vLLM's seat among the engines: what the shared arithmetic asks, answered by its own.
#include "engines/vllm/engine.h"

#include "engines/vllm/compute.h"
#include "engines/vllm/facts.h"
#include "engines/vllm/ladder.h"
#include "engines/vllm/main_builds.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/printed.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/terms.h"
#include "engines/vllm/v1_oracle.h"

// Sources: vllm/worker/worker.py and vllm/v1/worker/gpu_worker.py at their tags, vllm/utils/mem_utils.py.
static enum kvb_charge charge_of(const struct kvb_context *context)
{
    static const enum kvb_charge v0[] = {
        [KVB_V0_TORCH_PEAK] = KVB_CHARGE_NOTHING, [KVB_V0_DEVICE_USED] = KVB_CHARGE_DEVICE,
        [KVB_V0_FREE_DELTA] = KVB_CHARGE_FREE,    [KVB_V0_DEVICE_WIDE] = KVB_CHARGE_DEVICE,
        [KVB_V0_SNAPSHOT] = KVB_CHARGE_GROWTH,
    };
    static const enum kvb_charge v1[] = {
        [KVB_ACCOUNT_DEVICE_WIDE] = KVB_CHARGE_DEVICE,
        [KVB_ACCOUNT_SNAPSHOT] = KVB_CHARGE_GROWTH,
        [KVB_ACCOUNT_FREE_MEMORY] = KVB_CHARGE_FREE,
    };
    if (kvb_cache_is_fixed(context)) {
        return KVB_CHARGE_FIXED;
    }
    return context->generation == KVB_GENERATION_V1 ? v1[kvb_rule(context, KVB_RULE_ACCOUNTING)]
                                                    : v0[kvb_rule(context, KVB_RULE_ACCOUNTING_V0)];
}

static enum kvb_status neighbourhood(const struct kvb_plan *plan, struct kvb_neighbourhood *out,
                                     struct kvb_problems *problems)
{
    struct kvb_context context;
    enum kvb_status status = kvb_context_init(&context, plan, problems);
    if (status == KVB_OK) {
        out->charge = charge_of(&context);
        out->charges_others = kvb_charges_others(&context);
        out->checks_free = context.generation == KVB_GENERATION_V1 && kvb_rule(&context, KVB_RULE_FREE_CHECK) > 0;
        kvb_context_estimate(&context, &out->outside);
        out->ranks = (uint64_t)context.tp * context.pp * context.dp;
    }
    return status;
}

static uint64_t request(const struct kvb_plan *plan, uint64_t memory_bytes, uint32_t utilization_ppm)
{
    struct kvb_rules rules;
    kvb_rules_of(plan->engine.release, &rules);
    return kvb_printed_request(memory_bytes, utilization_ppm, rules.value[KVB_RULE_REQUEST_CEIL] != 0);
}

// The flag wrote config.rope_scaling (vllm/config/model.py of v0.11.0) and is gone in v0.11.1; from v0.12.0 the release
// reads config.rope_parameters, which holds the rotary base, too (vllm/transformers_utils/config.py).
#define YARN "{\"rope_type\":\"yarn\",\"factor\":@F.0,\"original_max_position_embeddings\":@O"
static const struct kvb_stretch_flag stretch[] = {
    {KVB_RELEASE(0, 6, 0), KVB_RELEASE(0, 11, 0), "--rope-scaling '" YARN "}'"},
    {KVB_RELEASE(0, 11, 1), KVB_RELEASE(0, 11, 99), "--hf-overrides '{\"rope_scaling\":" YARN "}}'"},
    {KVB_RELEASE(0, 12, 0), 0, "--hf-overrides '{\"rope_parameters\":" YARN ",\"rope_theta\":@T}}'"},
    {0, 0, NULL},
};

const struct kvb_engine_rows kvb_vllm_engine = {
    .name = "vllm",
    .title = "vLLM",
    .oldest = KVB_OLDEST_VLLM,
    .newest = KVB_NEWEST_VLLM,
    .partly = KVB_PARTLY_VLLM,
    .of_main = kvb_vllm_of_main,
    .serve_command = "vllm serve",
    .traits = KVB_SERVE_ABBREVIATES | KVB_SERVE_UNDERSCORES | KVB_SERVE_DOTS | KVB_SERVE_POSITIONAL |
              KVB_SERVE_PYTHON_NUMBERS,
    .flag = kvb_vllm_flag,
    .parts = kvb_vllm_parts,
    .programs = kvb_vllm_programs,
    .variables = kvb_vllm_variables,
    .takes_value = kvb_vllm_takes_value,
    .takes_several = kvb_vllm_takes_several,
    .notes_variable = kvb_vllm_notes_variable,
    .config = &kvb_vllm_config,
    .judge = kvb_vllm_judge,
    .plain_flags = kvb_vllm_plain_flags,
    .unsaid = kvb_v1_unsaid,
    .class_called = kvb_vllm_class_called,
    .companion = kvb_vllm_companion,
    .facts = kvb_vllm_facts,
    .off_form = kvb_vllm_off_form,
    .compute = kvb_vllm_compute,
    .neighbourhood = neighbourhood,
    .request = request,
    .way = "takes its share of the whole card, measures a profile run inside it and gives the cache what is left",
    .rungs = kvb_rungs,
    .stretch = stretch,
};
