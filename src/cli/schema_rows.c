// The objects of the documents by name; a test holds every document that tests produce against them.
#include "cli/schema_rows.h"

// clang-format off
static const struct schema_object rows[] = {
    {"plan",
     "schema:t verdict:t model:o=plan.model gpu:o=plan.gpu engine:o=plan.engine settings:o=settings "
     "budget:o=plan.budget kv_cache:o=plan.kv_cache startup:o=plan.startup "
     "recommendation:o=plan.recommendation problems:l=problem residents:o?=plan.residents "
     "cpu_memory:l?=plan.cpu_memory against:o?=plan.against utilization_for:o?=plan.utilization_for "
     "cards:l?=plan.cards catalogue:l?=plan.catalogue"},
    {"plan.against",
     "verdict:t model:o=plan.model gpu:o=plan.gpu engine:o=plan.engine settings:o=settings "
     "budget:o=plan.budget kv_cache:o=plan.kv_cache startup:o=plan.startup moved:l=moved"},
    {"plan.budget",
     "requested_bytes:i weights_bytes:i activation_bytes:i non_torch_bytes:i cuda_graph_bytes:i "
     "reserved_bytes:i other_bytes:i kv_cache_bytes:i kv_cache_low_bytes:i kv_cache_high_bytes:i "
     "needed_bytes:i balance_bytes:i really_needed_bytes:i load_peak_bytes:i0 outside_bytes:i "
     "slack_bytes:i parts:l?=plan.budget.parts share_of_bytes:i? beside:o?=plan.budget.beside"},
    {"plan.budget.beside",
     "context_bytes:i tables_bytes:i graphs_bytes:i activation_bytes:i draft_bytes:i"},
    {"plan.budget.parts",
     "name:t inside:t0 host:b bytes:i"},
    {"plan.cards",
     "id:t name:t count:i memory_bytes:i verdict:t kv_cache_bytes:i balance_bytes:i tokens:i"},
    {"plan.catalogue",
     "id:t name:t class_gb:i memory_bytes:i most:i 16_bit:o0=width 8_bit:o=width 4_bit:o=width"},
    {"plan.cpu_memory",
     "setting:t ignored:b host_bytes:i freed_bytes:i moved_bytes:i microseconds:i"},
    {"plan.engine",
     "name:t version:t generation:t0 assumed:b"},
    {"plan.gpu",
     "name:t count:i memory_bytes:i free_bytes:i devices:t? choice:t?"},
    {"plan.kv_cache",
     "bytes_per_token:i block_size:i bytes_per_block:i num_blocks:i tokens:i max_concurrency:n "
     "max_model_len_that_fits:i groups:l=plan.kv_cache.groups"},
    {"plan.kv_cache.groups",
     "kind:t layers:i block_size:i blocks_per_request:i"},
    {"plan.model",
     "name:t source:t architecture:t parameters:i weights_basis:t"},
    {"plan.recommendation",
     "gpu_memory_utilization:n0 max_model_len:i0 max_num_seqs:i changes:l=plan.recommendation.changes "
     "siblings:l=plan.recommendation.siblings command:t0 frontier:l=plan.recommendation.frontier"},
    {"plan.recommendation.changes",
     "setting:t from:tnb0 to:tnb0 frees_bytes:i balance_bytes:i fits:b why:t together:b helps:b starts:b applied:b"},
    {"plan.recommendation.frontier",
     "max_model_len:i max_concurrency:n"},
    {"plan.recommendation.siblings",
     "kind:t model:t verdict:t weights_bytes:i tokens:i max_model_len:i0"},
    {"plan.residents",
     "memory_bytes:i held_bytes:i all_start:b all_start_at_once:b crowded:b order:l=plan.residents.order "
     "training:o0=plan.residents.training"},
    {"plan.residents.order",
     "kind:t name:t own:b held_before_bytes:i held_bytes:i engine:t? version:t? model:t? "
     "gpu_memory_utilization:n? charges:t? charged_bytes:i? starts:b? error:t0? verdict:t? "
     "requested_bytes:i? kv_cache_bytes:i? needed_bytes:i? tokens:i? utilization_needed:n0? "
     "utilization_accepted:n? at_once:o?=plan.residents.order.at_once"},
    {"plan.residents.order.at_once",
     "starts:b kv_cache_bytes:i kv_cache_low_bytes:i kv_cache_high_bytes:i gained_bytes:i"},
    {"plan.residents.training",
     "gpus:i sharding:t fits:b deciding:t state_bytes:i state_at_start_bytes:i reference_bytes:i "
     "static_bytes:i utilization_needed:n utilization_highest:n gpus_divisible:b host_bytes:i "
     "host_sleep_bytes:i phases:l=plan.residents.training.phases "
     "rollouts:l=plan.residents.training.rollouts"},
    {"plan.residents.training.phases",
     "phase:t actor_bytes:i reference_bytes:i engine_bytes:i others_bytes:i contexts_bytes:i "
     "gathered_bytes:i gradient_bytes:i activations_bytes:i layer_bytes:i logits_bytes:i bucket_bytes:i "
     "total_bytes:i range_bytes:i free_bytes:i"},
    {"plan.residents.training.rollouts",
     "name:t tensor_parallel_size:i weights_bytes:i cache_bytes:i passing_bytes:i tokens:i fits:b"},
    {"plan.startup",
     "starts:b error:t0 refusal:t0"},
    {"plan.utilization_for",
     "kv_cache_bytes:i utilization:n hundredth_bytes:i"},
    {"models",
     "schema:t gpu:o=models.gpu engine:o=models.engine known:i asked:i starting:i models:l=models.models "
     "problems:l=problem"},
    {"models.engine",
     "name:t version:t"},
    {"models.gpu",
     "name:t count:i memory_bytes:i free_bytes:i"},
    {"models.models",
     "name:t family:t task:t format:t parameters:i verdict:t weights_bytes:i max_model_len:i "
     "max_model_len_that_fits:i max_concurrency:n context_tokens:i tensor_parallel_size:i "
     "kv_cache_bytes:i balance_bytes:i slack_bytes:i tokens:i best_of_family:b misses:t0 lacks_bytes:i0 "
     "refusal:t0 license:t0 gpu_layers:i? layers:i?"},
    {"sweep",
     "schema:t axes:l=sweep.axes planned:i fits:i tight:i rows:l=sweep.rows problems:l=problem"},
    {"sweep.axes",
     "name:t values:l"},
    {"sweep.rows",
     "verdict:t starts:b refusal:t0 gpus:i weights_bytes:i requested_bytes:i kv_cache_bytes:i "
     "balance_bytes:i slack_bytes:i tokens:i max_concurrency:n max_model_len_that_fits:i"},
    {"check",
     "schema:t verdict:t cases:l=check.cases passed:i failed:i errors:i waived:i files:o=check.files "
     "not_understood:l policy:t0 against:o0=check.against problems:l=problem"},
    {"check.against",
     "ref:t commit:t changed:i worse:i better:i new:i gone:i untouched:i changes:l=any"},
    {"check.cases",
     "file:t line:i name:t verdict:t rule:t0 text:t plan:o0=plan kind:t0 column:i deployment_line:i "
     "findings:l=check.cases.findings"},
    {"check.cases.findings",
     "rule:t severity:t line:i column:i text:t waived:b fixes:l=check.cases.findings.fixes"},
    {"check.cases.findings.fixes",
     "flag:t removes:b text:t line:i0 column:i0 characters:i0"},
    {"check.files",
     "seen:i read:i with_deployments:i"},
    {"explain",
     "schema:t verdict:t engine:o=explain.engine model:o=explain.model gpu:o=explain.gpu "
     "settings:o=settings observed:o=explain.observed failure:o0=explain.failure stage:t excerpt:b "
     "checks:l=explain.checks remedies:l=explain.remedies plan_verdict:t0 command:t0 runs:l=explain.runs "
     "closest:l=explain.closest problems:l=problem"},
    {"explain.checks",
     "what:t0 logged:n0 computed:n0 agrees:b0 note:t0"},
    {"explain.closest",
     "line:i0 text:t0"},
    {"explain.engine",
     "name:t0 version:t0 generation:t0"},
    {"explain.failure",
     "kind:t0 line:i0 text:t0 inferred:b stage:t0 about_memory:b0 cause_in_log:b raised_in:t0 title:t0 "
     "advice:t0"},
    {"explain.gpu",
     "name:t0 memory_bytes:i0 free_bytes:i0"},
    {"explain.model",
     "name:t0"},
    {"explain.observed",
     "weights_bytes:i0 activation_bytes:i0 non_torch_bytes:i0 cuda_graph_bytes:i0 kv_cache_bytes:i0 "
     "requested_bytes:i0 gpu_memory_bytes:i0 gpu_free_bytes:i0 needed_bytes:i0 needed_for_len:i0 "
     "estimated_max_model_len:i0 kv_tokens:i0 num_gpu_blocks:i0 max_concurrency:n0 initial_free_bytes:i0 "
     "current_free_bytes:i0 tried_alloc_bytes:i0 series:o0=any metrics:o0=any"},
    {"explain.remedies",
     "setting:t0 from:tnb0 to:tnb0 works:b why:t0"},
    {"explain.runs",
     "line:i0 stage:t0 failure:t0 explained:b"},
    {"record",
     "schema:t table:t row:o=record.row line:t starts:b0 by_name:b not_planned:t0 figures:l=record.figures "
     "appended:t0 problems:l=problem"},
    {"record.figures",
     "figure:t planned:n logged:n error_percent:n"},
    {"record.row",
     "id:t source:t half:t fed:t model:t shape:t engine:t gpu:t gpu_memory:t gpu_free:t other:t "
     "environment:t usage:t platform:t settings:t=settings weights_gib:t activation_gib:t "
     "non_torch_gib:t pool_gib:t tokens:t concurrency:t concurrency_tokens:t graphs_gib:t estimate_gib:t "
     "compile_cache:t note:t"},
    {"profiles",
     "schema:t checked:l?=profiles.checked models:l?=profiles.models gpus:l?=profiles.gpus "
     "engines:l?=profiles.engines deployments:l?=profiles.deployments"},
    {"profiles.checked",
     "file:t kind:t"},
    {"profiles.deployments",
     "id:t about:t"},
    {"profiles.engines",
     "id:t about:t"},
    {"profiles.gpus",
     "id:t name:t memory_bytes:i basis:t"},
    {"profiles.models",
     "id:t about:t"},
    {"hub",
     "schema:t models:l=hub.models"},
    {"hub.models",
     "name:t revision:t commit:t bytes:i age_seconds:i"},
    {"probe",
     "schema:t source:t driver:t0 cuda:t0 platform:t gpus:l=probe.gpus verdict:t0 "
     "deployment:o0=probe.deployment ranking:l0=probe.ranking recommendation:o0=probe.recommendation "
     "problems:l=problem"},
    {"probe.deployment",
     "model:t engine:t version:t gpus_needed:i gpu_memory_utilization:n"},
    {"probe.gpus",
     "id:t index:i slice:i0 name:t0 profile:t0 uuid:t0 bus_id:t0 total_bytes:i0 reserved_bytes:i0 "
     "memory_bytes:i0 used_bytes:i0 free_bytes:i0 load_percent:i0 mig_enabled:b unified_memory:b "
     "process_count:i processes:l=probe.gpus.processes"},
    {"probe.gpus.processes",
     "pid:i name:t kind:t used_bytes:i0"},
    {"probe.ranking",
     "id:t index:i usable:b starts:b? verdict:t? memory_bytes:i? free_bytes:i? requested_bytes:i? "
     "kv_cache_bytes:i? balance_bytes:i? slack_bytes:i? tokens:i? accepted_utilization:n? "
     "starts_at_accepted:b? advised_utilization:n?"},
    {"probe.recommendation",
     "gpus:l environment:t gpu_memory_utilization:n0 why:t"},
    {"trouble",
     "schema:t exit_code:i? problems:l=problem"},
    {"any",
     ""},
    {"moved",
     "term:t from:tnb0 to:tnb0"},
    {"problem",
     "severity:t code:t file:t0 line:i0 column:i0 text:t"},
    {"width",
     "model:t assumed:b count:i verdict:t"},
};
// clang-format on

const struct schema_object *kvb_schema_objects(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
