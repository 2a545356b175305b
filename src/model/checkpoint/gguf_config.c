// GGUF metadata as the config.json of the same model, so that one reader knows every class.
// Source: github.com/ggml-org/llama.cpp, src/llama-arch.cpp and convert_hf_to_gguf.py; transformers configs.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/checkpoint/gguf.h"
#include "model/checkpoint/heads.h"

struct architecture_row {
    const char *name;          // general.architecture
    const char *class_name;    // dense
    const char *experts_class; // with experts; NULL: none
    const char *model_type;
};
static const struct architecture_row architectures[] = {
    {"llama", "LlamaForCausalLM", "MixtralForCausalLM", "llama"},
    {"qwen2", "Qwen2ForCausalLM", NULL, "qwen2"},
    {"qwen2moe", NULL, "Qwen2MoeForCausalLM", "qwen2_moe"},
    {"qwen3", "Qwen3ForCausalLM", NULL, "qwen3"},
    {"qwen3moe", NULL, "Qwen3MoeForCausalLM", "qwen3_moe"},
    {"gemma", "GemmaForCausalLM", NULL, "gemma"},
    {"gemma2", "Gemma2ForCausalLM", NULL, "gemma2"},
    {"gemma3", "Gemma3ForCausalLM", NULL, "gemma3_text"},
    {"phi3", "Phi3ForCausalLM", NULL, "phi3"},
    {"deepseek2", NULL, "DeepseekV2ForCausalLM", "deepseek_v2"},
    {"command-r", "CohereForCausalLM", NULL, "cohere"},
    {"starcoder2", "Starcoder2ForCausalLM", NULL, "starcoder2"},
    {"olmo2", "Olmo2ForCausalLM", NULL, "olmo2"},
    {"granite", "GraniteForCausalLM", NULL, "granite"},
    {"stablelm", "StableLmForCausalLM", NULL, "stablelm"},
    {"glm4", "Glm4ForCausalLM", NULL, "glm4"},
    {"smollm3", "SmolLM3ForCausalLM", NULL, "smollm3"},
    {"internlm2", "InternLM2ForCausalLM", NULL, "internlm2"},
    {"gpt-oss", NULL, "GptOssForCausalLM", "gpt_oss"},
    {"qwen3next", NULL, "Qwen3NextForCausalLM", "qwen3_next"},
    {"qwen35", "Qwen3_5ForCausalLM", NULL, "qwen3_5_text"},
    {"qwen35moe", NULL, "Qwen3_5MoeForCausalLM", "qwen3_5_moe_text"},
};

// Where a number of the metadata goes in a config.json.
struct key_row {
    enum kvb_gguf_key key;
    const char *name;
    bool required;
};
static const struct key_row rows[] = {
    {GGUF_BLOCKS, "num_hidden_layers", true},
    {GGUF_EMBEDDING, "hidden_size", true},
    {GGUF_HEADS, "num_attention_heads", true},
    {GGUF_KV_HEADS, "num_key_value_heads", false},
    {GGUF_CONTEXT, "max_position_embeddings", true},
    {GGUF_FEED_FORWARD, "intermediate_size", false},
    {GGUF_WINDOW, "sliding_window", false},
    {GGUF_EXPERTS_USED, "num_experts_per_tok", false},
    {GGUF_EXPERT_FEED_FORWARD, "moe_intermediate_size", false},
    {GGUF_SHARED_FEED_FORWARD, "shared_expert_intermediate_size", false},
    {GGUF_SHARED_EXPERTS, "n_shared_experts", false},
    {GGUF_DENSE_BLOCKS, "first_k_dense_replace", false},
    {GGUF_QUERY_RANK, "q_lora_rank", false},
    {GGUF_LATENT_RANK, "kv_lora_rank", false},
};

static const struct architecture_row *find_architecture(const char *name)
{
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
        if (strcmp(architectures[i].name, name) == 0) {
            return &architectures[i];
        }
    }
    return NULL;
}

static bool has(const struct kvb_gguf *gguf, enum kvb_gguf_key key)
{
    return gguf->values[key].set && gguf->values[key].number > 0;
}

static uint64_t value(const struct kvb_gguf *gguf, enum kvb_gguf_key key)
{
    return gguf->values[key].number;
}

static void add_number(struct kvb_buffer *text, const char *name, uint64_t number)
{
    kvb_buffer_printf(text, ", \"%s\": %llu", name, (unsigned long long)number);
}

static void add_switch(struct kvb_buffer *text, const char *name, bool on)
{
    kvb_buffer_printf(text, ", \"%s\": %s", name, on ? "true" : "false");
}

// Latent attention splits a key into a part with and one without positions.
static void add_heads(const struct kvb_gguf *gguf, struct kvb_buffer *text)
{
    bool latent = has(gguf, GGUF_LATENT_RANK);
    enum kvb_gguf_key key = has(gguf, GGUF_KEY_LENGTH_MLA) ? GGUF_KEY_LENGTH_MLA : GGUF_KEY_LENGTH;
    enum kvb_gguf_key values = has(gguf, GGUF_VALUE_LENGTH_MLA) ? GGUF_VALUE_LENGTH_MLA : GGUF_VALUE_LENGTH;
    uint64_t rope = value(gguf, GGUF_ROPE_DIMENSIONS);
    if (latent && value(gguf, key) > rope) {
        add_number(text, "qk_rope_head_dim", rope);
        add_number(text, "qk_nope_head_dim", value(gguf, key) - rope);
        add_number(text, "v_head_dim", value(gguf, values));
    } else if (has(gguf, GGUF_KEY_LENGTH)) {
        add_number(text, "head_dim", value(gguf, GGUF_KEY_LENGTH));
    }
}

// Gated delta nets beside attention: heads and their sizes, and which layers attend.
static void add_state(const struct kvb_gguf *gguf, struct kvb_buffer *text)
{
    uint64_t heads = value(gguf, GGUF_STATE_HEADS);
    if (!has(gguf, GGUF_STATE_GROUPS) || heads == 0) {
        return;
    }
    add_number(text, "linear_num_key_heads", value(gguf, GGUF_STATE_GROUPS));
    add_number(text, "linear_num_value_heads", heads);
    add_number(text, "linear_key_head_dim", value(gguf, GGUF_STATE_SIZE));
    add_number(text, "linear_value_head_dim", value(gguf, GGUF_STATE_INNER) / heads);
    add_number(text, "linear_conv_kernel_dim", value(gguf, GGUF_STATE_CONV));
    add_number(text, "full_attention_interval", has(gguf, GGUF_FULL_INTERVAL) ? value(gguf, GGUF_FULL_INTERVAL) : 4);
}

static const char *class_of(const struct kvb_gguf *gguf, const struct architecture_row *row)
{
    if (strcmp(row->name, "deepseek2") == 0 && gguf->has_correction_bias) {
        return "DeepseekV3ForCausalLM";
    }
    bool experts = has(gguf, GGUF_EXPERTS) && row->experts_class != NULL;
    return experts || row->class_name == NULL ? row->experts_class : row->class_name;
}

static void write_config(const struct kvb_gguf *gguf, const struct architecture_row *row, struct kvb_buffer *text)
{
    bool latent = has(gguf, GGUF_LATENT_RANK);
    kvb_buffer_printf(text, "{\"architectures\": [\"%s\"], \"model_type\": \"%s\", \"torch_dtype\": \"float16\"",
                      class_of(gguf, row), row->model_type);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool as_heads = latent && rows[i].key == GGUF_KV_HEADS;
        uint64_t less = rows[i].key == GGUF_BLOCKS ? value(gguf, GGUF_NEXTN) : 0; // those are counted apart
        if (has(gguf, rows[i].key)) {
            add_number(text, rows[i].name, value(gguf, as_heads ? GGUF_HEADS : rows[i].key) - less);
        }
    }
    if (has(gguf, GGUF_EXPERTS)) {
        const char *class_name = class_of(gguf, row);
        bool local = strcmp(class_name, "MixtralForCausalLM") == 0 || strcmp(class_name, "GptOssForCausalLM") == 0;
        add_number(text,
                   local    ? "num_local_experts"
                   : latent ? "n_routed_experts"
                            : "num_experts",
                   value(gguf, GGUF_EXPERTS));
    }
    if (has(gguf, GGUF_NEXTN)) {
        add_number(text, "num_nextn_predict_layers", value(gguf, GGUF_NEXTN));
    }
    add_heads(gguf, text);
    add_state(gguf, text);
    add_number(text, "vocab_size", has(gguf, GGUF_VOCABULARY) ? value(gguf, GGUF_VOCABULARY) : gguf->token_count);
    add_switch(text, "tie_word_embeddings", !gguf->has_output);
    if (strcmp(row->name, "llama") == 0 && gguf->has_query_bias) {
        add_switch(text, "attention_bias", true);
    }
    if (latent && gguf->has_correction_bias) {
        kvb_buffer_add(text, ", \"topk_method\": \"noaux_tc\"");
    }
    kvb_buffer_add(text, ", \"quantization_config\": {\"quant_method\": \"gguf\"}}\n");
}

static enum kvb_status check_values(const struct kvb_gguf *gguf, const char *path, struct kvb_problems *problems)
{
    struct kvb_place place = {.file = path};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_gguf_value *entry = &gguf->values[rows[i].key];
        if (rows[i].required && !entry->set) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, place, "its metadata has no '%s.%s'",
                                   gguf->architecture, kvb_gguf_key_name(rows[i].key));
        }
        if (entry->varies) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KIND, place,
                                   "'%s.%s' differs from layer to layer, which cannot be read from GGUF here; give the "
                                   "folder with the model's config.json",
                                   gguf->architecture, kvb_gguf_key_name(rows[i].key));
        }
    }
    if (value(gguf, GGUF_NEXTN) >= value(gguf, GGUF_BLOCKS)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, place,
                               "'%s.%s' is %llu of %llu blocks: none is left", gguf->architecture,
                               kvb_gguf_key_name(GGUF_NEXTN), (unsigned long long)value(gguf, GGUF_NEXTN),
                               (unsigned long long)value(gguf, GGUF_BLOCKS));
    }
    if (!has(gguf, GGUF_VOCABULARY) && gguf->token_count == 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, place,
                               "its metadata has neither '%s.vocab_size' nor a list of tokens", gguf->architecture);
    }
    return KVB_OK;
}

enum kvb_status kvb_gguf_config(const struct kvb_gguf *gguf, const char *path, struct kvb_buffer *text,
                                struct kvb_problems *problems)
{
    const struct architecture_row *row = find_architecture(gguf->architecture);
    struct kvb_place place = {.file = path};
    if (gguf->architecture[0] == '\0') {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, place,
                               "its metadata has no 'general.architecture'");
    }
    if (row == NULL) {
        struct kvb_nearest nearest;
        kvb_nearest_init(&nearest, gguf->architecture);
        for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
            kvb_nearest_offer(&nearest, architectures[i].name);
        }
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KIND, place,
                               "GGUF architecture '%.60s' is not known%s%s; give the folder with the model's "
                               "config.json",
                               gguf->architecture, nearest.best ? ", nearest is " : "",
                               nearest.best ? nearest.best : "");
    }
    enum kvb_status status = check_values(gguf, path, problems);
    if (status != KVB_OK) {
        return status;
    }
    write_config(gguf, row, text);
    return text->failed ? kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, place, "not enough memory to read it")
                        : KVB_OK;
}

// Name of a further part: "x-00001-of-00003.gguf" -> "x-00002-of-00003.gguf".
static bool part_name(char out[KVB_PATH_CAPACITY], const char *path, uint64_t part, uint64_t count)
{
    static const char form[] = "00001-of-00003.gguf";
    char ending[64];
    size_t length = strlen(path);
    if (length < sizeof form || !kvb_copy(out, KVB_PATH_CAPACITY, path)) {
        return false;
    }
    char *tail = out + length - (sizeof form - 1);
    (void)snprintf(ending, sizeof ending, "%05llu-of-%05llu.gguf", 1ULL, (unsigned long long)count);
    if (strcmp(tail, ending) != 0) {
        return false;
    }
    (void)snprintf(ending, sizeof ending, "%05llu-of-%05llu.gguf", (unsigned long long)part, (unsigned long long)count);
    return kvb_copy(tail, sizeof form, ending);
}

static enum kvb_status read_part(const char *path, struct kvb_collector *collector, struct kvb_gguf *gguf,
                                 struct kvb_problems *problems)
{
    struct kvb_open_file file;
    enum kvb_status status = kvb_open_weights(&file, path, problems);
    if (status == KVB_OK) {
        collector->path = path;
        collector->file++;
        status = kvb_gguf_read(&file, gguf, kvb_collect, collector, problems);
        collector->path = NULL;
        kvb_close_file(&file);
    }
    return status;
}

static enum kvb_status read_parts(const char *path, struct kvb_collector *collector, struct kvb_gguf *gguf,
                                  struct kvb_problems *problems)
{
    enum kvb_status status = read_part(path, collector, gguf, problems);
    uint64_t count = gguf->split_count;
    for (uint64_t part = 2; status == KVB_OK && part <= count; part++) {
        char name[KVB_PATH_CAPACITY];
        struct kvb_gguf other;
        if (count > KVB_SHARDS_MAX || !part_name(name, path, part, count)) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED, (struct kvb_place){.file = path},
                                   "one of %llu parts; give the first, whose name ends in 00001-of-%05llu.gguf",
                                   (unsigned long long)count, (unsigned long long)count);
        }
        status = read_part(name, collector, &other, problems);
        gguf->has_output = gguf->has_output || (status == KVB_OK && other.has_output);
        gguf->has_correction_bias = gguf->has_correction_bias || (status == KVB_OK && other.has_correction_bias);
    }
    return status;
}

enum kvb_status kvb_gguf_read_path(const char *path, struct kvb_gguf *gguf, struct kvb_checkpoint *checkpoint,
                                   struct kvb_problems *problems)
{
    struct kvb_collector collector;
    memset(gguf, 0, sizeof *gguf);
    enum kvb_status status = kvb_collect_begin(&collector, checkpoint, KVB_CHECKPOINT_GGUF, 0, problems);
    if (status == KVB_OK) {
        status = read_parts(path, &collector, gguf, problems);
    }
    checkpoint->file_count = collector.file;
    kvb_collect_end(&collector);
    return status;
}

enum kvb_status kvb_gguf_load(const char *path, struct kvb_checkpoint *checkpoint, struct kvb_buffer *text,
                              struct kvb_problems *problems)
{
    struct kvb_gguf gguf;
    enum kvb_status status = kvb_gguf_read_path(path, &gguf, checkpoint, problems);
    if (status == KVB_OK && text != NULL) {
        status = kvb_gguf_config(&gguf, path, text, problems);
    }
    return status;
}
