// Every public call works in a thread with a stack of 64 KiB: each question runs on a stack filled with a mark, and how
// deep the mark was overwritten is what it took. Sanitizers and unoptimised code take more: there the calls are made
// and the depth is not judged.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <kvbudget/kvbudget.h>
#include <kvbudget/record.h>

#include "unit/test.h"

#define STACK_BYTES (4U << 20)
#define LIMIT_BYTES (64U << 10)
#define MARK 0xA5

#if defined __OPTIMIZE__ && !defined KVB_UNJUDGED
#define JUDGED 1
#else
#define JUDGED 0
#endif

#define SOURCE(path) KVB_SOURCE_DIR "/" path
#define PROFILE SOURCE("profiles/deployments/qwen2.5-0.5b-shared-a100.yaml")
#define TRAINING SOURCE("profiles/deployments/qwen2.5-7b-grpo-8xa100.yaml")
#define LOG SOURCE("tests/fixtures/logs/v1-healthy.log")
#define FAILED_LOG SOURCE("tests/fixtures/logs/too-long-known.log")

// Large structs do not belong on a small stack.
static struct kvb_deployment deployment;
static struct kvb_answer answer, other;
static struct kvb_problems problems;
static struct kvb_question question;
static struct kvb_machine machine;
static struct kvb_machine_choice choice;
static struct kvb_cards cards;
static struct kvb_log_report report, failed;
static struct kvb_policy policy;
static struct kvb_findings findings;
static struct kvb_found kept;
static struct kvb_model model;
static struct kvb_resident_entry entries[KVB_RESIDENTS_MAX];
static struct kvb_side_by_side side;
static struct kvb_training training;
static struct kvb_record record;

// The answer does not matter, only that it was given.
static void any(enum kvb_status status)
{
    assert_non_null(kvb_status_name(status));
}

static void deploy(const char *name, const char *gpu)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", name);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", gpu);
}

static void plan_that_fits(void)
{
    deploy("Qwen/Qwen3-8B", "l40s");
    assert_int_equal(kvb_init_for(kvb_version()), KVB_OK);
    assert_int_equal(kvb_answer_deployment(&deployment, &answer, &problems), KVB_OK);
    assert_true(kvb_names_gpu(&deployment));
}

// Climbs the whole ladder, over several stages, with a draft model.
static void plan_that_does_not_fit(void)
{
    static const char *const words[] = {"vllm",
                                        "serve",
                                        "meta-llama/Llama-3.3-70B-Instruct",
                                        "-tp",
                                        "2",
                                        "-pp",
                                        "2",
                                        "--speculative-config",
                                        ("{\"method\":\"draft_model\",\"model\":\"meta-llama/Llama-3.1-8B-Instruct\","
                                         "\"num_speculative_tokens\":3}")};
    deploy("", "l4");
    assert_int_equal(kvb_serve_command_read(9, words, &deployment, &problems), KVB_OK);
    assert_int_equal(kvb_deployment_resolve(&deployment, &answer.plan, &answer.draft, &answer.source, &problems),
                     KVB_OK);
    kvb_deployment_take_gpu_count(&deployment);
    assert_int_equal(kvb_budget_compute(&answer.plan, &answer.budget, &problems), KVB_OK);
    assert_int_equal(answer.budget.verdict, KVB_DOES_NOT_FIT);
    assert_int_equal(kvb_advise(&answer.plan, &answer.budget, &answer.advice), KVB_OK);
    assert_true(answer.advice.change_count > 3);
    question.serve_count = 9;
    question.serve_words = words;
    question.serve_model = 2;
    question.deployment = deployment;
    kvb_question_keep(&question, "env", "A=1");
    assert_non_null(kvb_question_typed(&question, "env"));
    free(kvb_serve_line(&question, &answer.plan, &answer.advice));
    kvb_answer_copy(&other, &answer);
    assert_int_equal(kvb_answer_plan(&other, &problems), KVB_OK);
    static struct kvb_siblings siblings;
    assert_int_equal(kvb_answer_siblings(&deployment, &answer, &siblings, &problems), KVB_OK);
    static struct kvb_longer longer;
    assert_int_equal(kvb_answer_longer(&deployment, &answer, &longer, &problems), KVB_OK);
    assert_true(siblings.count > 0);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "l4,h200");
    assert_true(kvb_names_gpus(&deployment));
    any(kvb_answer_named_cards(&deployment, &cards, &other, &problems));
}

static void all_models(void)
{
    size_t count = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i += 7) {
        if (rows[i].kind == KVB_PROFILE_MODEL) {
            deploy(rows[i].id, "h200-sxm");
            any(kvb_answer_deployment(&deployment, &answer, &problems));
        }
    }
    assert_non_null(kvb_builtins_digest());
    deploy("", "l4");
    struct kvb_models *models = NULL;
    const struct kvb_models_wish wish = {.family = "phi"};
    char family[KVB_NAME_CAPACITY], format[32];
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    kvb_models_free(models);
    assert_string_equal(kvb_model_licence("Qwen/Qwen3-8B"), "apache-2.0");
    kvb_model_family("Qwen/Qwen3-8B", family);
    kvb_model_format(&model, format);
    assert_int_equal(kvb_models_are_siblings(family, format), kvb_model_format_bits(&model) == 0);
    assert_non_null(kvb_task_name(kvb_model_task(&model)));
    deploy("Qwen/Qwen3-8B", "");
    assert_int_equal(kvb_answer_cards(&deployment, &cards, &answer, &problems), KVB_OK);
}

static bool take_rows(void *context, const struct kvb_sweep_row *rows, uint32_t count)
{
    struct kvb_sweep_condition condition;
    enum kvb_sweep_figure figure;
    char text[48], why[256];
    assert_true(kvb_sweep_condition_parse("tokens > 0", &condition, why));
    assert_true(kvb_sweep_figure_find(kvb_sweep_figure_name(condition.figure), &figure));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kvb_sweep_condition_holds(&condition, &rows[i]), kvb_sweep_figure_of(&rows[i], figure) > 0);
        assert_non_null(kvb_sweep_figure_format(text, figure, kvb_sweep_figure_of(&rows[i], figure)));
        assert_false(kvb_sweep_beats(context, &rows[i], &rows[i]));
        assert_true(kvb_sweep_digit(context, 0, rows[i].index) == 0);
    }
    return true;
}

static void sweeping(void)
{
    char why[256];
    bool assumed;
    deploy("", "l4");
    struct kvb_sweep *sweep = kvb_sweep_make(&deployment);
    assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_MODEL, KVB_SETTING_COUNT, "Qwen/Qwen3-8B", why));
    assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, KVB_SET_MAX_MODEL_LEN, "1k..16k", why));
    assert_int_equal(kvb_sweep_count(sweep), 5);
    assert_int_equal(kvb_sweep_run(sweep, 1, false, take_rows, sweep, &problems), KVB_OK);
    kvb_sweep_free(sweep);
    assert_true(kvb_model_in_format("Qwen/Qwen3-8B", 4, &model, &assumed));
}

static void reading(void)
{
    static const char gpu[] = "rtx4090";
    struct kvb_gpu card;
    struct kvb_engine engine;
    enum kvb_profile_kind kind;
    char *text = NULL;
    size_t length = 0;
    deploy("", "");
    assert_int_equal(kvb_deployment_load(PROFILE, &deployment, &problems), KVB_OK);
    any(kvb_deployment_read("x", "kind: deployment\nnonsense: [1, {a: b}]\n", 39, &deployment, &problems));
    assert_int_equal(kvb_profile_check(TRAINING, &kind, &problems), KVB_OK);
    assert_int_equal(kvb_profile_check(SOURCE("profiles/engines/vllm.yaml"), &kind, &problems), KVB_OK);
    assert_int_equal(kvb_model_load(SOURCE("tests/fixtures/configs/ai21labs--AI21-Jamba-1.5-Mini.json"), NULL, &model,
                                    &answer.source, &problems),
                     KVB_OK);
    assert_int_not_equal(kvb_model_load("nobody/knows-this", NULL, &model, &answer.source, &problems), KVB_OK);
    assert_int_equal(kvb_model_import(SOURCE("tests/fixtures/configs/zai-org--GLM-4.5V.json"), "a/b", NULL, &text,
                                      &length, &problems),
                     KVB_OK);
    assert_int_equal(kvb_model_read_profile("a", text, length, &model, &problems), KVB_OK);
    free(text);
    any(kvb_model_read_config("c", "{\"a\": [1, {\"b\": 2}]}", 20, NULL, NULL, 0, NULL, &model, &problems));
    assert_int_equal(kvb_gpu_load(gpu, &card, &problems), KVB_OK);
    any(kvb_gpu_load("rtx 40", &card, &problems));
    kvb_gpu_from_memory(KVB_GIB, &card);
    assert_int_equal(kvb_engine_load("vllm@0.11.0", &engine, &deployment.settings, &problems), KVB_OK);
    assert_int_equal(kvb_json_flag("limit-mm-per-prompt", "{\"image\": 2}", KVB_ORIGIN_FLAG, &deployment, &problems),
                     KVB_OK);
    assert_int_equal(kvb_environment_set("VLLM_USE_V1=1", &deployment.environment, &problems), KVB_OK);
}

static void with_residents(void)
{
    uint32_t count = 0;
    struct kvb_placed *placed = NULL;
    deploy("", "");
    memset(&question, 0, sizeof question);
    assert_int_equal(kvb_deployment_load(TRAINING, &question.deployment, &problems), KVB_OK);
    question.profile = TRAINING;
    question.with_count = 1;
    question.with[0] = PROFILE;
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    any(kvb_residents_place(&question, &answer.plan, &placed, &problems));
    assert_non_null(placed);
    (void)kvb_placed_fit(placed);
    kvb_placed_free(placed);
    assert_int_equal(kvb_residents_load(TRAINING, entries, &count, &problems), KVB_OK);
    struct kvb_resident resident = {.kind = KVB_RESIDENT_ENGINE, .name = "own", .plan = &answer.plan};
    assert_int_equal(kvb_side_by_side_compute(&answer.plan.gpu, &resident, 1, &side, &problems), KVB_OK);
    struct kvb_trainer trainer;
    kvb_trainer_init(&trainer);
    trainer.gpus = 8;
    trainer.micro_batch_tokens = 4096;
    any(kvb_training_compute(&trainer, &answer.plan, 0, &training, &problems));
    (void)kvb_trainer_at_start(&trainer, &answer.plan.model);
    (void)kvb_charge_of(&answer.plan);
    kvb_plan_hold(&answer.plan, "x", 1);
    struct kvb_host_memory host;
    kvb_host_memory_of(&answer.plan, &answer.budget, &host);
    struct kvb_transformers rollout = {.sequences = 2, .prompt_tokens = 3, .answer_tokens = 4};
    struct kvb_transformers_answer generated;
    kvb_transformers_compute(&answer.plan.model, &rollout, &generated);
    struct kvb_measured measured = {.known = {true}, .bytes = {1}};
    any(kvb_calibrate(&answer.plan, &measured, &answer.plan.calibration));
}

static void on_a_machine(void)
{
    char label[32];
    memset(&question, 0, sizeof question);
    deploy("Qwen/Qwen3-8B", "");
    question.gpu_state = SOURCE("tests/fixtures/smi/query.xml");
    question.deployment = deployment;
    assert_true(kvb_machine_is_asked(&question));
    assert_int_equal(kvb_machine_take(&question, NULL, &choice, &problems), KVB_OK);
    assert_int_equal(kvb_machine_choose(&question.deployment, &choice, &problems), KVB_OK);
    const struct kvb_rank *rank = kvb_ranking_deciding(&choice.ranking);
    if (rank != NULL) {
        kvb_machine_use(&choice, rank, &question.deployment);
    }
    uint64_t gpu_count = 0;
    any(kvb_models_use_machine(&choice, &question.deployment, &gpu_count, &problems));
    assert_int_equal(kvb_machine_rank(&choice.plan, &choice.machine, NULL, &choice.ranking, &problems), KVB_OK);
    assert_int_equal(kvb_machine_load(question.gpu_state, &machine, &problems), KVB_OK);
    any(kvb_machine_read("x", "[1]", 3, &machine, &problems));
    any(kvb_machine_ask("/nowhere/at/all.so", &machine, &problems));
    (void)kvb_device_label(label, &choice.machine.devices[0]);
    (void)kvb_device_usable(&choice.machine.devices[0]);
}

// A log of a start that failed for memory.
static void plan_the_next_start(void)
{
    struct kvb_log_given given;
    struct kvb_log_next next;
    deploy("", "rtx-4090");
    memset(&question, 0, sizeof question);
    question.deployment = deployment;
    assert_int_equal(kvb_log_load(FAILED_LOG, &failed, &problems), KVB_OK);
    kvb_log_given_init(&given);
    any(kvb_log_given_by(&deployment, &failed, &given, &problems));
    assert_true(kvb_log_plan(&question, &failed, &given, &next));
    free(next.line);
}

static void of_a_log(void)
{
    struct kvb_log_given given;
    deploy("", "");
    assert_int_equal(kvb_log_load(LOG, &report, &problems), KVB_OK);
    kvb_log_given_init(&given);
    any(kvb_log_given_by(&deployment, &report, &given, &problems));
    kvb_log_explain(&report, &given);
    (void)kvb_log_metrics_say(&report);
    struct kvb_log_series series = {0};
    int64_t seconds;
    (void)kvb_log_series_left(&series, &seconds);
    kvb_log_check_budget(&deployment, &report, &given);
    plan_the_next_start();
    uint64_t said;
    (void)kvb_log_setting(&report, &given, KVB_SET_MAX_MODEL_LEN, &said);
    struct kvb_record_words words = {.id = "x"};
    any(kvb_record_make(&deployment, &report, &words, &record, &problems));
    free(kvb_record_header(&record));
    free(kvb_record_line(&record));
    any(kvb_record_append(&record, "/nowhere/at/all.csv", &problems));
    struct kvb_check check = report.checks[0];
    (void)kvb_log_add_check(&report, &check);
    struct kvb_log_reader *reader = kvb_log_reader_new();
    kvb_log_reader_feed(reader, "text\n", 5);
    kvb_log_reader_finish(reader, &report);
    kvb_log_reader_free(reader);
    deploy("Qwen/Qwen3-8B", "l40s");
    assert_int_equal(kvb_answer_deployment(&deployment, &answer, &problems), KVB_OK);
    any(kvb_answer_calibrate(LOG, &deployment, &answer, &problems));
}

static enum kvb_status keep(void *context, const struct kvb_found *found)
{
    (void)context;
    kept = *found;
    return KVB_OK;
}

static enum kvb_status look(void *context, const char *path)
{
    struct kvb_manifest_options options = {.lenient = true};
    struct kvb_manifest_seen seen = {0};
    return kvb_manifest_load(path, &options, keep, context, &seen, &problems);
}

static void of_files(void)
{
    struct kvb_manifest_options options = {.lenient = true};
    uint32_t count = 0;
    struct kvb_manifest_seen seen = {0};
    const char *kind, *what;
    deploy("", "");
    assert_true(kvb_manifest_is_folder(SOURCE("tests/fixtures/manifests/good")));
    assert_int_equal(kvb_manifest_walk(SOURCE("tests/fixtures/manifests/good"), look, NULL, &count, &problems), KVB_OK);
    any(kvb_manifest_walk(SOURCE("tests/fixtures/manifests/bad"), look, NULL, &count, &problems));
    any(kvb_manifest_read("a.sh", "vllm serve a/b\n", 15, &options, keep, NULL, &seen, &problems));
    assert_true(kvb_manifest_kind_at(0, &kind, &what));
}

static void of_the_gate(void)
{
    enum kvb_status status = KVB_OK;
    memset(&question, 0, sizeof question);
    deploy("", "l4");
    question.deployment = deployment;
    struct kvb_gate_options options = {.flags = &question,
                                       .policy = SOURCE("tests/fixtures/manifests/gate/policy.yaml"),
                                       .today = 20261121,
                                       .keeps_figures = true};
    struct kvb_gate *gate = kvb_gate_new(&options, &status, &problems);
    assert_non_null(gate);
    any(kvb_gate_path(gate, SOURCE("tests/fixtures/manifests"), true, &problems));
    any(kvb_gate_finish(gate, &problems));
    any(kvb_gate_write_policy(gate, "/nowhere/at/all.yaml", &problems));
    (void)kvb_gate_has_fill_ins(gate);
    static const char *const paths[] = {SOURCE("tests/fixtures/manifests")};
    any(kvb_gate_compare(gate, "HEAD", paths, 1, &problems));
    assert_non_null(kvb_trend_name(KVB_TREND_WORSE));
    struct kvb_gate_totals totals = kvb_gate_count(gate);
    assert_true(totals.count > 10);
    (void)kvb_case_reason(&totals.cases[0]);
    (void)kvb_case_spot(&totals.cases[0]);
    kvb_gate_free(gate);
    assert_true(kvb_policy_exists(options.policy));
    assert_int_equal(kvb_policy_load(options.policy, &policy, &problems), KVB_OK);
    any(kvb_policy_read("p", "kind: policy\n", 13, &policy, &problems));
    (void)kvb_policy_find_gpu(&policy, "a.yaml", "k=v");
    (void)kvb_policy_find_model(&policy, "m");
    kvb_policy_judge(&policy, "a.yaml", &kept, &answer.budget, &findings);
    kvb_policy_waive(&policy, "a.yaml", "n", 20261121, &findings);
    kvb_findings_add(&findings, KVB_CHECK_FITS, KVB_ERROR, (struct kvb_spot){1, 1}, "%d", 1);
    kvb_findings_fix(&findings, &(struct kvb_fix){.flag = "--max-model-len 1024"});
    struct kvb_profile_key key;
    assert_true(kvb_policy_key_at(0, &key));
    assert_true(kvb_profile_key_at(KVB_PROFILE_GPU, 0, &key));
    (void)kvb_pattern_fits("**/a?.yaml", "b/c/ad.yaml");
}

static void take_nothing(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
}

static void of_shapes(void)
{
    static struct kvb_tensor tensors[KVB_TENSORS_MAX];
    deploy("Qwen/Qwen3-8B", "");
    assert_int_equal(kvb_model_load("Qwen/Qwen3-8B", NULL, &model, &answer.source, &problems), KVB_OK);
    assert_true(kvb_layer_tensors(&model, &model.kinds[0], tensors) > 0);
    assert_true(kvb_outer_tensors(&model, tensors) > 0);
    assert_true(kvb_model_parameters(&model) > 0);
    (void)kvb_model_counts_headers(&model);
    assert_true(kvb_model_name_is_served("a/b"));
    assert_int_equal(kvb_stream_read(LOG, take_nothing, NULL, &problems), KVB_OK);
    kvb_problems_init(&problems);
    (void)kvb_problem_add(&problems, KVB_ERROR, KVB_OVERFLOW, (struct kvb_place){LOG, 1, 1}, "%s", "x");
    assert_int_equal(kvb_status_exit_code(kvb_problems_status(&problems)), 3);
}

static void of_units(void)
{
    char out[48], why[256];
    uint64_t number = 0;
    uint32_t small = 0;
    size_t count = 0;
    (void)kvb_parse_bytes("1GiB", &number), (void)kvb_parse_count("32k", &number), (void)kvb_parse_gib("0.5", &number);
    (void)kvb_parse_whole("1", &number), (void)kvb_parse_ppm("0.9", KVB_PPM, &small);
    (void)kvb_format_gib(out, 5, 2), (void)kvb_format_count(out, 5), (void)kvb_format_ppm(out, 5);
    (void)kvb_format_bytes_exact(out, 5), (void)kvb_release_parse("0.19.0", &small),
        (void)kvb_release_format(out, small), (void)kvb_release_is_untagged("v0.1.dev1");
    (void)kvb_setting_parse(KVB_SET_MAX_MODEL_LEN, "32k", &number, why);
    (void)kvb_setting_format(out, KVB_SET_MAX_MODEL_LEN, number);
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, 1, KVB_ORIGIN_FLAG);
    (void)kvb_gpu_count(&deployment.settings), (void)kvb_dtype_bytes(KVB_DTYPE_BF16);
    (void)kvb_request_length(&answer.budget);
    (void)kvb_platform_rows(&count), (void)kvb_platform_row_of(KVB_PLATFORM_WSL2, &answer.plan.gpu);
    (void)kvb_setting_row_of(0), (void)kvb_charge_row_of(0), (void)kvb_sharding_row_of(0), (void)kvb_host_row_of(0);
    (void)kvb_beside_row_of(0);
    (void)kvb_precision_row_of(0), (void)kvb_train_phase_row_of(0), (void)kvb_train_part_row_of(0);
    (void)kvb_item_row_of(0), (void)kvb_observation_row_of(0), (void)kvb_check_rule_row_of(0);
    (void)kvb_attention_name(0), (void)kvb_basis_name(0), (void)kvb_case_verdict_name(0), (void)kvb_dtype_name(0);
    (void)kvb_element_name(0), (void)kvb_failure_name(0), (void)kvb_failure_title(0), (void)kvb_framework_name(0);
    (void)kvb_log_engine_name(0), (void)kvb_log_stage_name(0), (void)kvb_log_verdict_name(0);
    (void)kvb_machine_source_name(0), (void)kvb_optimizer_name(0), (void)kvb_origin_name(0);
    (void)kvb_profile_kind_name(0), (void)kvb_quantisation_name(0), (void)kvb_resident_kind_name(0);
    (void)kvb_role_name(0), (void)kvb_status_name(0), (void)kvb_verdict_name(0);
}

static void take_entry(void *context, const struct kvb_hub_entry *entry)
{
    (void)context;
    assert_true(entry->name[0] != '\0');
}

// Without the helper, and with a cache that is not there: nobody is asked.
static void of_a_hub(void)
{
    uint64_t bytes;
    (void)setenv("KVBUDGET_CACHE", "/proc/none/cache", 1);
    (void)setenv("KVBUDGET_LIBEXEC", "/nonexistent", 1);
    kvb_problems_init(&problems);
    deploy("org/nobody-knows", "l4");
    (void)kvb_hub_is_offline();
    kvb_hub_fetch_for(&deployment, &problems);
    assert_non_null(kvb_sibling_kind_name(KVB_SIBLING_FORMAT));
    kvb_hub_fetch_model("org/nobody-knows", "main", &problems);
    any(kvb_hub_pull("org/nobody-knows@x:Q4_K_M", &problems));
    assert_int_equal(kvb_hub_list(take_entry, NULL, &problems), KVB_OK);
    assert_int_equal(kvb_hub_prune(NULL, &bytes, &problems), KVB_OK);
}

static void of_one_call(void)
{
    static const char *const requests[] = {
        "{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\"}",
        "{\"command\": \"explain\", \"log\": \"ValueError: No available memory for the cache blocks.\"}",
        "{\"command\": \"check\", \"paths\": [\"" SOURCE("tests/fixtures/manifests/gate") "\"]}",
        "{\"deployment\": {\"name\": \"d\", \"model\": \"Qwen/Qwen3-8B\"}}",
    };
    char document[64];
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        kvb_ask_free(kvb_ask(requests[i]));
    }
    (void)kvb_ask_into(requests[0], strlen(requests[0]), document, sizeof document);
    any(kvb_log_read("log", "no log", 6, &report, &problems));
}

struct row {
    const char *name;
    void (*ask)(void);
};
static const struct row rows[] = {
    {"units", of_units},
    {"a plan that fits", plan_that_fits},
    {"a plan that does not fit", plan_that_does_not_fit},
    {"all models", all_models},
    {"sweep", sweeping},
    {"reading", reading},
    {"residents", with_residents},
    {"a machine", on_a_machine},
    {"a log", of_a_log},
    {"files", of_files},
    {"the gate", of_the_gate},
    {"shapes", of_shapes},
    {"a hub", of_a_hub},
    {"one call", of_one_call},
};

static void *run(void *context)
{
    ((const struct row *)context)->ask();
    return NULL;
}

static size_t depth_of(const struct row *row)
{
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned char *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert_true(stack != MAP_FAILED);
    memset(stack, MARK, STACK_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, (void *)(uintptr_t)row), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    size_t untouched = 0;
    while (stack[untouched] == MARK) {
        untouched++;
    }
    (void)pthread_attr_destroy(&attributes);
    (void)munmap(stack, STACK_BYTES);
    return STACK_BYTES - untouched;
}

static void every_question(void **state)
{
    (void)state;
    unsigned deep = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t bytes = depth_of(&rows[i]);
        print_message("%s: %zu bytes of stack\n", rows[i].name, bytes);
        deep += bytes > LIMIT_BYTES;
    }
    if (JUDGED && deep > 0) {
        fail_msg("%u questions take more than 64 KiB of stack", deep);
    }
}

// No public function is left out above.
static void every_function(void **state)
{
    (void)state;
    static const char command[] = "cat " SOURCE(
        "include/kvbudget/*.h") " | sed 's://.*::' | grep -vE '^(#|typedef|static)' | grep -E '^[a-z]' | "
                                "grep -oE '\\bkvb_[a-z0-9_]+\\(' | sort -u | while read -r name; do "
                                "grep -qF \"$name\" " SOURCE(
                                    "tests/unit/test_stack.c") " || echo \"${name}) is not called\"; done";
    char line[256];
    unsigned missing = 0;
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe) != NULL) {
        print_message("%s", line);
        missing++;
    }
    (void)pclose(pipe);
    assert_int_equal(missing, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(every_question), cmocka_unit_test(every_function))
