// Members of a flag's mapping that a release takes only beside others: what its class checks once all are read.
// Source: __post_init__ and model_validator of vllm/config by tag.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define INTERVAL_SINCE R(14, 0)
#define OLD_TYPE_SINCE R(9, 0)
#define TYPE_FILLED_SINCE R(19, 0)

struct config_row {
    uint32_t since;
    const char *flag;
    const char *key, *is;             // the member has this value; NULL: any but null and ""
    const char *needs, *one, *or_one; // a member that has to be there: with any value, or one of these
    const char *text;
};

static const struct config_row rows[] = {
    {R(11, 1), "ec-transfer-config", "ec_connector", NULL, "ec_role", NULL, NULL,
     "1 validation error for ECTransferConfig, Please specify ec_role when ec_connector is set"},
    {R(13, 0), "profiler-config", "profiler", "\"torch\"", "torch_profiler_dir", NULL, NULL,
     "1 validation error for ProfilerConfig, torch_profiler_dir must be set when profiler is 'torch'"},
    {R(16, 0), "profiler-config", "torch_profiler_dir", NULL, "profiler", "\"torch\"", NULL,
     "1 validation error for ProfilerConfig, torch_profiler_dir is only applicable when profiler is set to 'torch'"},
    {R(28, 0), "profiler-config", "profiler", "\"proton\"", "proton_profiler_dir", NULL, NULL,
     "1 validation error for ProfilerConfig, proton_profiler_dir must be set when profiler is 'proton'"},
    {R(28, 0), "profiler-config", "proton_profiler_dir", NULL, "profiler", "\"proton\"", NULL,
     "1 validation error for ProfilerConfig, proton_profiler_dir only applicable when profiler is set to 'proton'"},
    {R(11, 0), "structured-outputs-config", "disable_any_whitespace", "true", "backend", "\"xgrammar\"", "\"guidance\"",
     "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(11, 0), "structured-outputs-config", "disable_additional_properties", "true", "backend", "\"guidance\"", NULL,
     "disable_additional_properties is only supported for the guidance backend."},
    {R(24, 0), "eplb-config", "communicator", "\"pynccl\"", "use_async", "false", NULL,
     "pynccl communicator is incompatible with async EPLB due to NCCL multi-stream conflicts. Use 'torch_gloo' or "
     "'nixl' instead, or leave communicator unset for automatic selection."},
    {R(24, 0), "eplb-config", "communicator", "\"torch_nccl\"", "use_async", "false", NULL,
     "torch_nccl communicator is incompatible with async EPLB due to NCCL multi-stream conflicts. Use 'torch_gloo' or "
     "'nixl' instead, or leave communicator unset for automatic selection."},
};

static bool says(const char *mapping, const char *key, const char *value)
{
    struct kvb_member member;
    bool found = false;
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, key) == 0) {
            bool nothing = kvb_vllm_member_is(&member, "null") || kvb_vllm_member_is(&member, "\"\"");
            found = value != NULL ? kvb_vllm_member_says(&member, value) : !nothing;
        }
    }
    return found;
}

static bool refuses(const struct config_row *row, const char *flag, const char *mapping, uint32_t release)
{
    if (release < row->since || strcmp(row->flag, flag) != 0 || !says(mapping, row->key, row->is)) {
        return false;
    }
    return !says(mapping, row->needs, row->one) && (row->or_one == NULL || !says(mapping, row->needs, row->or_one));
}

// EPLBConfig asks for steps between two lines only where lines are asked for; v0.20.0 bounds the field itself.
static bool judge_interval(const char *mapping, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    static const struct kvb_known_key_type positive = {"", "", 0, 0, "i", '>', 0, ""};
    struct kvb_member member;
    char sentence[64];
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, "log_balancedness_interval") == 0 && says(mapping, "log_balancedness", "true") &&
            release >= INTERVAL_SINCE && kvb_vllm_member_slips(&positive, &member, release, sentence)) {
            (void)kvb_copy(out, OPTIONAL_CAPACITY,
                           "1 validation error for EPLBConfig, log_balancedness_interval must be greater than 0.");
            return true;
        }
    }
    return false;
}

// The mapping itself, which is asked for its type: of a flag to 0.8.5 by the new name alone.
static bool judge_scaling(const char *mapping, uint32_t release, bool old_name, char out[OPTIONAL_CAPACITY])
{
    bool typed = kvb_vllm_has_member(mapping, "rope_type") || (old_name && kvb_vllm_has_member(mapping, "type"));
    if (typed || mapping[1] != '"' || release >= TYPE_FILLED_SINCE) {
        return false;
    }
    (void)kvb_copy(out, OPTIONAL_CAPACITY, "rope_scaling should have a 'rope_type' key");
    return true;
}

// Overrides replace the mapping of the config: transformers 5, which fills the type in, came later.
// Source: vllm/transformers_utils/config.py v0.8.5 to v0.18.0.
static bool judge_rope(const char *mapping, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, "rope_scaling") == 0 && member.value[0] == '{' &&
            judge_scaling(member.value, release, true, out)) {
            return true;
        }
    }
    return false;
}

// Flags that take a mapping whose values are of one type.
static const struct value_row {
    uint32_t since;
    const char *flag, *field;
    struct kvb_known_key_type of;
} values[] = {
    {R(10, 2), "media-io-kwargs", "ModelConfig, media_io_kwargs.", {"", "", 0, 0, "m", ' ', 0, ""}},
    {R(9, 1), "pt-load-map-location", "LoadConfig, pt_load_map_location.", {"", "", 0, 0, "s", ' ', 0, ""}},
    {R(25, 0), "model-class-overrides", "ModelConfig, model_class_overrides.", {"", "", 0, 0, "s", ' ', 0, ""}},
};

static bool judge_values(const char *flag, const char *mapping, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    char sentence[64];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        bool asked = release >= values[i].since && strcmp(values[i].flag, flag) == 0;
        for (const char *at = mapping; asked && kvb_member_next(&at, &member);) {
            if (kvb_vllm_member_slips(&values[i].of, &member, release, sentence)) {
                (void)kvb_copy(out, OPTIONAL_CAPACITY, "1 validation error for ");
                kvb_add_text(out, OPTIONAL_CAPACITY, values[i].field);
                kvb_add_text(out, OPTIONAL_CAPACITY, member.key);
                kvb_add_text(out, OPTIONAL_CAPACITY, ": ");
                kvb_add_text(out, OPTIONAL_CAPACITY, sentence);
                return true;
            }
        }
    }
    return false;
}

bool kvb_vllm_judge_config(const char *flag, const char *mapping, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (refuses(&rows[i], flag, mapping, release)) {
            (void)kvb_copy(out, OPTIONAL_CAPACITY, rows[i].text);
            return true;
        }
    }
    return (strcmp(flag, "eplb-config") == 0 && judge_interval(mapping, release, out)) ||
           (strcmp(flag, "hf-overrides") == 0 && judge_rope(mapping, release, out)) ||
           (strcmp(flag, "rope-scaling") == 0 && judge_scaling(mapping, release, release >= OLD_TYPE_SINCE, out)) ||
           judge_values(flag, mapping, release, out);
}

void kvb_vllm_gather_dotted(const struct kvb_deployment *deployment, const char *flag, uint32_t release,
                            char out[KVB_DOTTED_CAPACITY])
{
    char name[KVB_MEMBER_CAPACITY], dotted[KVB_DOTTED_CAPACITY];
    (void)kvb_copy(out, KVB_DOTTED_CAPACITY, "{");
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        const char *text = kvb_json_of_line(line, release, name, dotted);
        if (text == dotted && strcmp(name, flag) == 0) {
            kvb_add_text(out, KVB_DOTTED_CAPACITY, out[1] != '\0' ? ", " : "");
            kvb_append(out, KVB_DOTTED_CAPACITY, dotted + 1, strlen(dotted) - 2);
        }
    }
    kvb_add_text(out, KVB_DOTTED_CAPACITY, "}");
}
