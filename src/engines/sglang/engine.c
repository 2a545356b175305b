// SGLang's seat among the engines: what the shared arithmetic asks, answered by its own.
#include "engines/sglang/engine.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/sglang/compute.h"
#include "engines/sglang/ladder.h"
#include "engines/sglang/serve.h"

static enum kvb_status neighbourhood(const struct kvb_plan *plan, struct kvb_neighbourhood *out,
                                     struct kvb_problems *problems)
{
    struct kvb_sgl_context context;
    (void)problems;
    kvb_sgl_context_init(plan, &context);
    *out = (struct kvb_neighbourhood){.charge = KVB_CHARGE_FREE, // free memory before and after loading
                                      .outside = kvb_sgl_before_load(&context),
                                      .ranks = (uint64_t)context.setup.tp * context.setup.pp};
    return KVB_OK;
}

// A share of what is free before the weights.
static uint64_t request(const struct kvb_plan *plan, uint64_t memory_bytes, uint32_t utilization_ppm)
{
    struct kvb_sgl_context context;
    kvb_sgl_context_init(plan, &context);
    uint64_t gone = kvb_sgl_before_load(&context).bytes;
    uint64_t before = memory_bytes - kvb_min(gone, memory_bytes);
    uint64_t outside = kvb_sgl_outside(before, (uint64_t)utilization_ppm * (KVB_SGL_PPB / 1000000U));
    return before - kvb_min(before, outside);
}

// As the models' own cards write it.
static const struct kvb_stretch_flag stretch[] = {
    {0, 0,
     "--json-model-override-args '{\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":@F.0,"
     "\"original_max_position_embeddings\":@O}}'"},
    {0, 0, NULL},
};

static bool is_ours(const struct kvb_setting_value *value)
{
    bool ours = value->origin == KVB_ORIGIN_PROFILE || value->origin == KVB_ORIGIN_FLAG;
    return ours && value->set && value->number != 0;
}

#define MODULES "--lora-target-modules all"
#define TOWERS "--encoder-urls http://127.0.0.1:30001" // of the server that encodes
// check_lora_server_args: adapters that come while it serves need a rank, as it is counted, and modules;
// check_server_args: who leaves pictures to another server says to which. A line that was given says them.
static const char *unsaid(const struct kvb_plan *plan)
{
    static const char *const texts[3][2] = {{NULL, TOWERS},
                                            {MODULES, MODULES " " TOWERS},
                                            {MODULES " --max-lora-rank 16", MODULES " --max-lora-rank 16 " TOWERS}};
    const struct kvb_setting_value *values = plan->settings.values;
    uint32_t release = plan->engine.release;
    bool adapters = release >= KVB_RELEASE(0, 4, 9) + 3 && is_ours(&values[KVB_SET_ENABLE_LORA]);
    bool towers = release >= KVB_RELEASE(0, 5, 7) && release < KVB_RELEASE(0, 5, 13) &&
                  is_ours(&values[KVB_SET_LANGUAGE_MODEL_ONLY]);
    return texts[adapters ? (values[KVB_SET_MAX_LORA_RANK].set ? 1 : 2) : 0][towers];
}

const struct kvb_engine_rows kvb_sglang_engine = {
    .name = "sglang",
    .title = "SGLang",
    .oldest = KVB_RELEASE(0, 2, 0),
    .newest = KVB_RELEASE(0, 5, 18),
    .serve_command = "python -m sglang.launch_server --model-path",
    .traits = KVB_SERVE_ABBREVIATES | KVB_SERVE_POSITIONAL | KVB_SERVE_PYTHON_NUMBERS | KVB_SERVE_SI_SUFFIXES,
    .flag = kvb_sgl_flag,
    .parts = kvb_sgl_parts,
    .programs = kvb_sgl_programs,
    .variables = kvb_sgl_variables,
    .notes_variable = kvb_sgl_notes_variable,
    .takes_value = kvb_sgl_takes_value,
    .takes_several = kvb_sgl_takes_several,
    .flag_near = kvb_sgl_flag_near,
    .config = &kvb_sgl_config,
    .judge = kvb_sgl_judge,
    .plain_flags = kvb_sgl_judge_plan,
    .unsaid = unsaid,
    .compute = kvb_sgl_compute,
    .neighbourhood = neighbourhood,
    .request = request,
    .rank_of_adapters = true,
    .share_of_free = true,
    .way =
        "takes its share of what is free before loading for weights and pools alone, measures nothing, and leaves the "
        "rest to tables, graphs and prefills",
    .rungs = kvb_sgl_rungs,
    .stretch = stretch,
};
