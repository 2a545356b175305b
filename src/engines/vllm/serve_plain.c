// The flags of a serve line that move no memory and still decide whether a release starts: switches and numbers.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/checked.h"

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
    {"--all2all-backend deepep_high_throughput", KVB_PLAIN_DEEPEP},
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
};

static const struct number_row numbers[] = {
    {"--max-cpu-loras ", KVB_PLAIN_MAX_CPU_LORAS, NULL},
    {"--max-num-partial-prefills ", KVB_PLAIN_PARTIAL_PREFILLS, NULL},
    {"--max-long-partial-prefills ", KVB_PLAIN_LONG_PARTIAL_PREFILLS, NULL},
    {"--long-prefill-token-threshold ", KVB_PLAIN_LONG_PREFILL_THRESHOLD, NULL},
    {"--data-parallel-size-local ", KVB_PLAIN_DATA_PARALLEL_LOCAL, NULL},
    {"-dpl ", KVB_PLAIN_DATA_PARALLEL_LOCAL, NULL},
    {"--data-parallel-rank ", KVB_PLAIN_DATA_PARALLEL_RANK, NULL},
    {"-dpn ", KVB_PLAIN_DATA_PARALLEL_RANK, NULL},
    {"--nnodes ", KVB_PLAIN_NODES, NULL},
    {"-n ", KVB_PLAIN_NODES, NULL},
    {"--num-redundant-experts ", KVB_PLAIN_REDUNDANT_EXPERTS, NULL},
    {"--eplb-config.num-redundant-experts ", KVB_PLAIN_REDUNDANT_EXPERTS, NULL},
    {"--eplb-config ", KVB_PLAIN_REDUNDANT_EXPERTS, "\"num_redundant_experts\""},
    {"--num-scheduler-steps ", KVB_PLAIN_SCHEDULER_STEPS, NULL},
    {"--max-num-scheduled-tokens ", KVB_PLAIN_SCHEDULED_TOKENS, NULL},
    {"--speculative-draft-tensor-parallel-size ", KVB_PLAIN_DRAFT_RANKS, NULL},
    {"--speculative-config.draft-tensor-parallel-size ", KVB_PLAIN_DRAFT_RANKS, NULL},
    {"--speculative-config ", KVB_PLAIN_DRAFT_RANKS, "\"draft_tensor_parallel_size\""},
    {"--compilation-config ", KVB_PLAIN_MOST_GRAPH, "\"max_cudagraph_capture_size\""},
    {"--offload-group-size ", KVB_PLAIN_OFFLOAD_GROUP, NULL},
    {"--offload-num-in-group ", KVB_PLAIN_OFFLOAD_IN_GROUP, NULL},
    {"--offload-prefetch-step ", KVB_PLAIN_OFFLOAD_AHEAD, NULL},
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

static bool read_number(const char *at, uint64_t *out)
{
    uint64_t number = 0;
    if (*at < '0' || *at > '9') {
        return false;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        number = kvb_add(kvb_mul(number, 10), (uint64_t)(*at - '0'));
    }
    *out = number;
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
        uint64_t number;
        if (at != NULL && read_number(at, &number)) {
            plan->plain_numbers[numbers[i].number] = (struct kvb_plain_value){true, number};
        }
    }
}

// The largest of the numbers up to the end of their list.
static void note_largest(const char *at, struct kvb_plain_value *largest)
{
    for (; *at != ']' && !is_end(at); at++) {
        uint64_t number;
        if (read_number(at, &number)) {
            largest->number = kvb_max(largest->number, number);
            largest->set = true;
            at += strspn(at, "0123456789") - 1;
        }
    }
}

// Batch sizes that get a graph: a flag of their own, or a member of JSON.
static void note_graphs(const char *line, struct kvb_plan *plan)
{
    static const char member[] = "\"cudagraph_capture_sizes\"";
    const char *sizes = after(line, "--cudagraph-capture-sizes ");
    const char *config = after(line, "--compilation-config ");
    const char *inside = config != NULL ? in_line(config, member) : NULL;
    if (sizes != NULL || inside != NULL) {
        note_largest(sizes != NULL ? sizes : inside + strlen(member), &plan->plain_numbers[KVB_PLAIN_LARGEST_GRAPH]);
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

// A connector and its role, in JSON or one flag each.
static void note_connector(const char *line, bool *connector, bool *role)
{
    if (after(line, "--kv-transfer-config") != NULL) {
        *connector = *connector || in_line(line, "kv_connector") != NULL || in_line(line, "kv-connector") != NULL;
        *role = *role || in_line(line, "kv_role") != NULL || in_line(line, "kv-role") != NULL;
    }
}

void kvb_vllm_plain_flags(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    bool connector = false, role = false;
    plan->plain_flags = deployment->serve_flags[0] != '\0' ? KVB_PLAIN_SERVE_LINE : 0;
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        plan->plain_flags |= switch_of(line);
        note_number(line, plan);
        note_graphs(line, plan);
        plan->plain_flags |= names_eagle3(line) ? KVB_PLAIN_EAGLE3 : 0;
        plan->plain_flags |= words_of_draft(line);
        note_connector(line, &connector, &role);
    }
    plan->plain_flags |= connector && !role ? KVB_PLAIN_NO_ROLE : 0;
    kvb_vllm_judge_pairs(deployment, plan);
}
