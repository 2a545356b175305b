// The flags of a serve line that move no memory and still decide whether a release starts: switches and numbers.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// Where `words` end in the line, which is compared with dashes for underscores and "=" for the space before a value;
// NULL when it begins otherwise.
static const char *after(const char *line, const char *words)
{
    for (; *words != '\0'; words++, line++) {
        char letter = *line == '_' && *words == '-' ? '-' : *line == '=' ? ' ' : *line;
        if (letter != *words) {
            return NULL;
        }
    }
    return line;
}

static bool is_end(const char *at)
{
    return *at == '\0' || *at == '\n';
}

struct switch_row {
    const char *words;
    uint32_t flag;
};

static const struct switch_row switches[] = {
    {"--enable-eplb", KVB_PLAIN_EPLB},
    {"--disable-chunked-mm-input", KVB_PLAIN_WHOLE_ITEMS},
    {"--load-format bitsandbytes", KVB_PLAIN_LOADS_BITSANDBYTES},
    {"--load-format fastsafetensors", KVB_PLAIN_LOADS_WHOLE_FILES},
    {"--use-v2-block-manager", KVB_PLAIN_V2_BLOCKS},
    {"--enable-dbo", KVB_PLAIN_DBO},
    {"--all2all-backend deepep_low_latency", KVB_PLAIN_DEEPEP},
    {"--all2all-backend deepep_high_throughput", KVB_PLAIN_DEEPEP | KVB_PLAIN_DEEPEP_PROMPTS},
    {"--all2all-backend nixl_ep", KVB_PLAIN_DEEPEP},
    {"--enable-return-routed-experts", KVB_PLAIN_ROUTED_EXPERTS},
    {"--data-parallel-hybrid-lb", KVB_PLAIN_HYBRID_LB},
    {"--data-parallel-external-lb", KVB_PLAIN_EXTERNAL_LB},
    {"--allow-deprecated-quantization", KVB_PLAIN_DEPRECATED},
    {"--distributed-executor-backend ray", KVB_PLAIN_RAY},
    {"--worker-use-ray", KVB_PLAIN_RAY},
    {"--distributed-executor-backend mp", KVB_PLAIN_MP},
    {"--offload-backend prefetch", KVB_PLAIN_PREFETCH},
    {"--enable-prompt-embeds", KVB_PLAIN_PROMPT_EMBEDS},
    {"--logprobs-mode raw_logits", KVB_PLAIN_LOGPROBS_OF_LOGITS},
    {"--logprobs-mode processed_logits", KVB_PLAIN_LOGPROBS_OF_LOGITS},
    {"--kv-sharing-fast-prefill", KVB_PLAIN_SHARED_PREFILL},
    {"--enable-elastic-ep", KVB_PLAIN_ELASTIC_EP},
    {"--distributed-executor-backend external_launcher", KVB_PLAIN_EXTERNAL_LAUNCHER},
    {"--specialize-active-lora", KVB_PLAIN_ADAPTER_COUNTS},
    {"--enable-cumem-allocator", KVB_PLAIN_CUMEM},
};

// Flags whose value does not matter.
static const struct switch_row valued[] = {
    {"--logits-processors ", KVB_PLAIN_LOGITS_PROCESSORS},
    {"--ec-transfer-config ", KVB_PLAIN_ENCODER_CACHE_TRANSFER},
};

static uint32_t switch_of(const char *line)
{
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const char *end = after(line, switches[i].words);
        if (end != NULL && is_end(end)) {
            return switches[i].flag;
        }
    }
    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; i++) {
        if (after(line, valued[i].words) != NULL) {
            return valued[i].flag;
        }
    }
    return 0;
}

struct number_row {
    const char *words;
    enum kvb_plain_number number;
    const char *member; // the flag takes JSON: its key
    bool with_sign;     // below 0 as well
};

static const struct number_row numbers[] = {
    {"--max-cpu-loras ", KVB_PLAIN_MAX_CPU_LORAS, NULL, false},
    {"--max-num-partial-prefills ", KVB_PLAIN_PARTIAL_PREFILLS, NULL, true},
    {"--max-long-partial-prefills ", KVB_PLAIN_LONG_PARTIAL_PREFILLS, NULL, true},
    {"--long-prefill-token-threshold ", KVB_PLAIN_LONG_PREFILL_THRESHOLD, NULL, false},
    {"--data-parallel-size-local ", KVB_PLAIN_DATA_PARALLEL_LOCAL, NULL, false},
    {"-dpl ", KVB_PLAIN_DATA_PARALLEL_LOCAL, NULL, false},
    {"--data-parallel-rank ", KVB_PLAIN_DATA_PARALLEL_RANK, NULL, true},
    {"-dpn ", KVB_PLAIN_DATA_PARALLEL_RANK, NULL, true},
    {"--nnodes ", KVB_PLAIN_NODES, NULL, false},
    {"-n ", KVB_PLAIN_NODES, NULL, false},
    {"--ubatch-size ", KVB_PLAIN_MICROBATCHES, NULL, false},
    {"--num-redundant-experts ", KVB_PLAIN_REDUNDANT_EXPERTS, NULL, true},
    {"--eplb-config.num-redundant-experts ", KVB_PLAIN_REDUNDANT_EXPERTS, NULL, true},
    {"--eplb-config ", KVB_PLAIN_REDUNDANT_EXPERTS, "\"num_redundant_experts\"", true},
    {"--num-scheduler-steps ", KVB_PLAIN_SCHEDULER_STEPS, NULL, false},
    {"--max-num-scheduled-tokens ", KVB_PLAIN_SCHEDULED_TOKENS, NULL, false},
    {"--speculative-draft-tensor-parallel-size ", KVB_PLAIN_DRAFT_RANKS, NULL, false},
    {"--speculative-config.draft-tensor-parallel-size ", KVB_PLAIN_DRAFT_RANKS, NULL, false},
    {"--speculative-config ", KVB_PLAIN_DRAFT_RANKS, "\"draft_tensor_parallel_size\"", false},
    {"--speculative-config.max-model-len ", KVB_PLAIN_DRAFT_LENGTH, NULL, false},
    {"--speculative-config ", KVB_PLAIN_DRAFT_LENGTH, "\"max_model_len\"", false},
    {"--offload-group-size ", KVB_PLAIN_OFFLOAD_GROUP, NULL, false},
    {"--offload-num-in-group ", KVB_PLAIN_OFFLOAD_IN_GROUP, NULL, false},
    {"--offload-prefetch-step ", KVB_PLAIN_OFFLOAD_AHEAD, NULL, false},
};

// Where the text stands in this line; NULL when it does not.
static const char *in_line(const char *line, const char *text)
{
    size_t size = strcspn(line, "\n"), length = strlen(text);
    for (size_t at = 0; at + length <= size; at++) {
        if (memcmp(line + at, text, length) == 0) {
            return line + at;
        }
    }
    return NULL;
}

// A member of JSON may stand in quotes; int() takes blanks, a plus and underscores.
static bool read_number(const char *at, const struct number_row *row, struct kvb_plain_value *out)
{
    uint64_t number = 0;
    at += row->member != NULL && *at == '"' ? 1 : 0;
    at += strspn(at, " ");
    bool negative = row->with_sign && *at == '-';
    at += negative || *at == '+' ? 1 : 0;
    if (row->member != NULL && (kvb_starts_with(at, "true") || kvb_starts_with(at, "false"))) {
        *out = (struct kvb_plain_value){.set = true, .number = *at == 't' ? 1 : 0};
        return true;
    }
    if (!kvb_is_digit(*at)) {
        return false;
    }
    for (; kvb_is_digit(*at) || *at == '_'; at++) {
        number = *at == '_' ? number : kvb_add(kvb_mul(number, 10), (uint64_t)(*at - '0'));
    }
    *out = (struct kvb_plain_value){.set = true, .negative = negative && number > 0, .number = number};
    return true;
}

static void note_number(const char *line, struct kvb_plan *plan)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *at = after(line, numbers[i].words);
        if (at != NULL && numbers[i].member != NULL) {
            const char *member = in_line(at, numbers[i].member);
            at = member != NULL ? member + strlen(numbers[i].member) : NULL;
            at = at != NULL ? at + strspn(at, " :") : NULL;
        }
        if (at != NULL) {
            (void)read_number(at, &numbers[i], &plan->plain_numbers[numbers[i].number]);
        }
    }
}

static bool names_eagle3(const char *line)
{
    static const char *const spellings[] = {"eagle3", "EAGLE3", "Eagle3"};
    if (after(line, "--spec") == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (in_line(line, spellings[i]) != NULL) {
            return true;
        }
    }
    return false;
}

// What a speculative config says, in JSON or one flag each.
static uint32_t words_of_draft(const char *line)
{
    const char *config = after(line, "--speculative-config");
    config = config != NULL ? config : after(line, "-sc ");
    bool dotted = config != NULL && *config == '.';
    bool model = config != NULL && (dotted ? strncmp(config, ".model", 6) == 0 : in_line(config, "\"model\"") != NULL);
    bool method =
        config != NULL && (dotted ? strncmp(config, ".method", 7) == 0 : in_line(config, "\"method\"") != NULL);
    model |= after(line, "--spec-model ") != NULL;
    method |= after(line, "--spec-method ") != NULL;
    bool suffix = method && in_line(line, "suffix") != NULL;
    bool heads = method && (in_line(line, "medusa") != NULL || in_line(line, "mlp_speculator") != NULL);
    return (model ? KVB_PLAIN_DRAFT_NAMED : 0U) | (method ? KVB_PLAIN_METHOD_NAMED : 0U) |
           (suffix ? KVB_PLAIN_SUFFIX : 0U) | (heads ? KVB_PLAIN_HEADS_ONLY : 0U);
}

// Parts of a layer by the segment of a parameter's name; scales beside weights of experts are small.
static const struct {
    const char *segment;
    uint32_t roles;
} segments[] = {
    {"experts", 1U << KVB_ROLE_EXPERTS},
    {"w13_weight", 1U << KVB_ROLE_EXPERTS},
    {"w2_weight", 1U << KVB_ROLE_EXPERTS},
    {"shared_experts", 1U << KVB_ROLE_SHARED_EXPERT},
    {"self_attn", 1U << KVB_ROLE_ATTENTION},
    {"mlp", 1U << KVB_ROLE_MLP | 1U << KVB_ROLE_ROUTER | 1U << KVB_ROLE_EXPERTS | 1U << KVB_ROLE_SHARED_EXPERT},
};

static uint32_t roles_of(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        if (strlen(segments[i].segment) == size && memcmp(segments[i].segment, word, size) == 0) {
            return segments[i].roles;
        }
    }
    return 0;
}

// What of a layer may leave; with a name that is not known here, all of it.
static void note_moved(const char *line, struct kvb_plan *plan)
{
    static const char between[] = " ,\"'[]{}";
    const char *at = after(line, "--cpu-offload-params ");
    at = at != NULL ? at : after(line, "--offload-params ");
    uint64_t roles = 0;
    while (at != NULL && !is_end(at)) {
        size_t size = strcspn(at, " ,\"'[]{}\n");
        uint32_t own = roles_of(at, size);
        if (size > 0 && own == 0) {
            return;
        }
        roles |= own;
        at += size;
        at += strspn(at, between);
    }
    if (roles != 0) {
        plan->plain_numbers[KVB_PLAIN_OFFLOAD_ROLES] = (struct kvb_plain_value){.set = true, .number = roles};
    }
}

// How a draft chooses its tokens.
static void note_sampling(const char *line, struct kvb_plan *plan)
{
    const char *config = after(line, "--speculative-config");
    config = config != NULL ? config : after(line, "-sc ");
    const char *word = config != NULL ? in_line(config, "draft_sample_method") : NULL;
    word = word != NULL || config == NULL ? word : in_line(config, "draft-sample-method");
    if (word != NULL && in_line(word, "probabilistic") != NULL) {
        plan->plain_numbers[KVB_PLAIN_DRAFT_SAMPLES] = (struct kvb_plain_value){.set = true, .number = 1};
    }
}

// One word of a flag's, for which no bit is left.
static void note_word(const char *line, struct kvb_plan *plan)
{
    static const struct {
        const char *words;
        enum kvb_plain_number number;
        uint64_t value;
    } words[] = {
        {"--load-format gguf", KVB_PLAIN_LOADER_PACKAGE, KVB_LOADER_GGUF},
        {"--load-format tensorizer", KVB_PLAIN_LOADER_PACKAGE, KVB_LOADER_TENSORIZER},
        {"--load-format fastsafetensors", KVB_PLAIN_LOADER_PACKAGE, KVB_LOADER_FASTSAFETENSORS},
        {"--load-format instanttensor", KVB_PLAIN_LOADER_PACKAGE, KVB_LOADER_INSTANTTENSOR},
        {"--load-format modelexpress", KVB_PLAIN_LOADER_PACKAGE, KVB_LOADER_MODELEXPRESS},
        {"--grpc", KVB_PLAIN_GRPC, 1},
        {"--data-parallel-backend ray", KVB_PLAIN_DATA_PARALLEL_RAY, 1},
        {"-dpb ray", KVB_PLAIN_DATA_PARALLEL_RAY, 1},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *end = after(line, words[i].words);
        if (end != NULL && is_end(end)) {
            plan->plain_numbers[words[i].number] = (struct kvb_plain_value){.set = true, .number = words[i].value};
        }
    }
}

// A member of JSON that is not null, or one given as a flag of its own.
static bool is_member_said(const char *line, const char *member, const char *dotted)
{
    const char *at = in_line(line, member);
    if (at == NULL) {
        return after(line, dotted) != NULL;
    }
    at += strlen(member);
    return strncmp(at + strspn(at, " :"), "null", 4) != 0;
}

// A connector and its role, in JSON or one flag each.
static void note_connector(const char *line, bool *connector, bool *role)
{
    if (after(line, "--kv-transfer-config") != NULL) {
        *connector |= is_member_said(line, "\"kv_connector\"", "--kv-transfer-config.kv-connector ");
        *role |= is_member_said(line, "\"kv_role\"", "--kv-transfer-config.kv-role ");
    }
}

// Flags that V1 left to V0. Source: vllm/engine/arg_utils.py _is_v1_supported_oracle v0.8.0 to v0.10.2.
static const struct {
    const char *words, *taken; // taken: the value that V1 has, too
    uint32_t since, gone;
    const char *feature;
} left_to_v0[] = {
    {"--load-format sharded_state", NULL, R(8, 0), R(11, 0), "--load_format sharded_state"},
    {"--load-format tensorizer", NULL, R(8, 0), R(9, 0), "--load_format tensorizer"},
    {"--logits-processor-pattern ", NULL, R(8, 0), R(11, 0), "--logits-processor-pattern"},
    {"--preemption-mode ", NULL, R(8, 0), R(11, 0), "--preemption-mode"},
    {"--disable-async-output-proc", NULL, R(8, 0), R(11, 0), "--disable-async-output-proc"},
    {"--scheduling-policy ", "fcfs", R(8, 0), R(9, 2), "--scheduling-policy"},
    {"--scheduler-delay-factor ", "0", R(8, 0), R(11, 0), "--scheduler-delay-factor"},
    {"--enable-prompt-adapter", NULL, R(8, 0), R(10, 0), "--enable-prompt-adapter"},
    {"--enable-prompt-embeds", NULL, R(9, 0), R(11, 0), "--enable-prompt-embeds"},
    {"--otlp-traces-endpoint ", NULL, R(8, 0), R(10, 2), "--otlp-traces-endpoint"},
    {"--guided-decoding-backend lm-format-enforcer", NULL, R(8, 0), R(8, 5), "--guided-decoding-backend"},
    {"--guided-decoding-backend lm-format-enforcer", NULL, R(8, 5), R(10, 1),
     "--guided-decoding-backend=lm-format-enforcer"},
    {"--guided-decoding-backend outlines", NULL, R(8, 0), R(8, 5), "--guided-decoding-backend"},
    {"--guided-decoding-backend outlines", NULL, R(8, 5), R(10, 0), "--guided-decoding-backend=outlines"},
};

static const char *feature_of_v0(const char *line, uint32_t release)
{
    for (size_t i = 0; i < sizeof left_to_v0 / sizeof left_to_v0[0]; i++) {
        bool covers = release >= left_to_v0[i].since && release < left_to_v0[i].gone;
        const char *value = covers ? after(line, left_to_v0[i].words) : NULL;
        size_t size = value != NULL ? strcspn(value, "\n") : 0;
        const char *taken = left_to_v0[i].taken;
        bool same = value != NULL && taken != NULL && strncmp(value, taken, strlen(taken)) == 0 &&
                    strspn(value + strlen(taken), ".0") == size - strlen(taken);
        bool whole = left_to_v0[i].words[strlen(left_to_v0[i].words) - 1] == ' ' || size == 0;
        if (value != NULL && whole && !same) {
            return left_to_v0[i].feature;
        }
    }
    return NULL;
}

// The line with its flag's whole name; as it is where the release has none of that name.
static const char *written_out(const char *line, uint32_t release, size_t capacity, char *out)
{
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, release, &value);
    if (flag == NULL) {
        return line;
    }
    (void)kvb_copy(out, capacity, "--");
    kvb_append(out, capacity, flag->name, strlen(flag->name));
    const char *rest = line + strcspn(line, " =\n");
    kvb_append(out, capacity, rest, strcspn(rest, "\n"));
    return out;
}

void kvb_vllm_plain_flags(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    bool connector = false, role = false;
    plan->plain_flags = deployment->serve_flags[0] != '\0' ? KVB_PLAIN_SERVE_LINE : 0;
    plan->v0_feature = NULL;
    for (const char *at = deployment->serve_flags; *at != '\0'; at = kvb_vllm_next_line(at)) {
        if (kvb_vllm_is_replaced(at, plan->engine.release)) {
            continue;
        }
        char written[sizeof deployment->serve_flags + sizeof((struct kvb_known_flag){0}.name)];
        const char *line = written_out(at, plan->engine.release, sizeof written, written);
        plan->plain_flags |= switch_of(line);
        const char *feature = feature_of_v0(line, plan->engine.release);
        plan->v0_feature = plan->v0_feature != NULL ? plan->v0_feature : feature;
        note_number(line, plan);
        note_sampling(line, plan);
        note_word(line, plan);
        note_moved(line, plan);
        plan->plain_flags |= names_eagle3(line) ? KVB_PLAIN_EAGLE3 : 0;
        plan->plain_flags |= words_of_draft(line);
        note_connector(line, &connector, &role);
    }
    plan->plain_flags |= connector && !role ? KVB_PLAIN_NO_ROLE : 0;
    kvb_vllm_graphs_said(deployment, plan);
    kvb_vllm_judge_bounds(deployment, plan);
    kvb_vllm_judge_limits(deployment, plan);
    kvb_vllm_judge_encoder(deployment, plan);
    kvb_vllm_judge_pooler(deployment, plan);
    kvb_vllm_judge_adapters(deployment, plan);
    kvb_vllm_judge_pairs(deployment, plan);
    kvb_vllm_judge_ranks(deployment, plan);
}
