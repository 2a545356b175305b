// Answers whose files cannot be looked at, read or written: no policy is passed over, no rows of a table are lost, no
// weights or formats of a model are taken for missing.
#include <kvbudget/gate.h>
#include <kvbudget/input.h>
#include <kvbudget/record.h>

#include "model/hub_cache.h"
#include "text/file.h"
#include "unit/system_calls.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define OLD_ROWS "id,gpu\nfirst,l4\n"
#define OLD_POLICY "kind: policy\nschema: 1\nmin_deployments: 1\n"
#define CONFIG                                                                                                         \
    "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"intermediate_size\": 128, "                    \
    "\"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"vocab_size\": 128, "                                      \
    "\"max_position_embeddings\": 512, \"torch_dtype\": \"bfloat16\"}"

static struct kvb_record record = {.table = "runs.csv", .column_count = 2, .names = {"id", "gpu"}};
static struct kvb_question flags;
static struct kvb_model model;
static struct kvb_model_source source;

static int set_up(void **state)
{
    (void)state;
    static const char *const unset[] = {"HF_HOME", "HUGGINGFACE_HUB_CACHE", "VLLM_USE_MODELSCOPE"};
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
        (void)unsetenv(unset[i]);
    }
    if (mkdtemp(root) == NULL || chdir(root) != 0) {
        return -1;
    }
    shell("mkdir -p model files hub/models--org--name/refs hub/models--org--name/snapshots/" COMMIT);
    put("model/config.json", CONFIG, 0600);
    put("model/hf_quant_config.json", "{\"quantization\": {\"quant_algo\": \"FP8\"}}", 0600);
    shell("cp model/config.json hub/models--org--name/snapshots/" COMMIT);
    put("hub/models--org--name/refs/main", COMMIT "\n", 0600);
    put("files/serve.sh", "vllm serve Qwen/Qwen3-0.6B --max-model-len 4096\n", 0600);
    strcpy(record.cells[0], "second");
    strcpy(record.cells[1], "h100");
    kvb_deployment_init(&flags.deployment);
    (void)snprintf(flags.deployment.gpu, sizeof flags.deployment.gpu, "l4");
    return setenv("HF_HUB_CACHE", below("hub"), 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 &&
                   setenv("KVBUDGET_OFFLINE", "1", 1) == 0
               ? 0
               : -1;
}

// ---- what is asked for

static enum kvb_status append(void)
{
    enum kvb_status status = kvb_record_append(&record, "table.csv", &problems);
    assert_true(holds("table.csv", OLD_ROWS) || holds("table.csv", OLD_ROWS "second,h100\n")); // none of it is lost
    return status;
}

static bool has_both_rows(void)
{
    return holds("table.csv", OLD_ROWS "second,h100\n");
}

static struct kvb_gate *new_gate(bool no_policy, enum kvb_status *status)
{
    const struct kvb_gate_options options = {.flags = &flags, .today = 20261101, .no_policy = no_policy};
    return kvb_gate_new(&options, status, &problems);
}

static enum kvb_status write_over_policy(void)
{
    enum kvb_status status;
    struct kvb_gate *gate = new_gate(true, &status);
    assert_non_null(gate);
    status = kvb_gate_write_policy(gate, "kvbudget-policy.yaml", &problems);
    kvb_gate_free(gate);
    assert_true(holds("kvbudget-policy.yaml", OLD_POLICY)); // stays as it is
    return status;
}

static bool is_never_whole(void)
{
    return false;
}

static uint32_t files_read;
static bool found_policy;
static enum kvb_status judge(void)
{
    enum kvb_status status;
    struct kvb_gate *gate = new_gate(false, &status);
    if (gate == NULL) {
        return status;
    }
    status = kvb_gate_path(gate, "files", false, &problems);
    struct kvb_gate_totals totals = kvb_gate_count(gate);
    found_policy = totals.policy != NULL;
    files_read = totals.files_read;
    for (uint32_t i = 0; status == KVB_OK && totals.system_failed && i < totals.count; i++) {
        const struct kvb_check_finding *reason = kvb_case_reason(&totals.cases[i]);
        if (totals.cases[i].verdict == KVB_CASE_ERROR && reason != NULL) { // said in a case of its own
            status = kvb_problem_add(&problems, KVB_ERROR, KVB_CANNOT_READ, (struct kvb_place){0}, "%s", reason->text);
        }
    }
    kvb_gate_free(gate);
    return status;
}

static bool has_judged(void)
{
    return found_policy && files_read == 1;
}

static enum kvb_status load_folder(void)
{
    return kvb_model_load("model", NULL, &model, &source, &problems);
}

static bool has_format(void)
{
    return model.layer_count == 2 && model.quantisation.method == KVB_QUANT_FP8;
}

static enum kvb_status load_download(void)
{
    return kvb_model_load("org/name", NULL, &model, &source, &problems);
}

static bool has_download(void)
{
    return model.layer_count == 2 && strcmp(model.name, "org/name") == 0;
}

static const struct asked rows[] = {
    {"append to a table", "printf '" OLD_ROWS "' >table.csv", append, has_both_rows},
    {"write over a policy", "printf '" OLD_POLICY "' >kvbudget-policy.yaml", write_over_policy, is_never_whole},
    {"judge by the policy of the folder", ":", judge, has_judged},
    {"load a model's folder", ":", load_folder, has_format},
    {"load a download", ":", load_download, has_download},
};

static void each_failure_is_said(void **state)
{
    (void)state;
    assert_true(fail_each_call(rows, sizeof rows / sizeof rows[0]) > 50);
}

static void each_signal_is_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].is_whole != is_never_whole) {
            break_off_each_call(&rows[i], 1);
        }
    }
}

KVB_TEST_MAIN_WITH(set_up, remove_root, cmocka_unit_test(each_failure_is_said),
                   cmocka_unit_test(each_signal_is_survived))
