// What each flag with a mapping or list as value means for memory; its other keys are let pass.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/text.h"
#include "command/json_flag.h"
#include "command/plain_number.h"
#include "release/settings_words.h"
#include "text/strict.h"
#include "text/tree_text.h"

static enum kvb_status need_mapping(const struct kvb_flag_part *part, const char *example)
{
    char expected[128];
    (void)snprintf(expected, sizeof expected, "a mapping such as %s", example);
    return kvb_expected(part->tree, part->node, KVB_BAD_TYPE, expected, part->problems);
}

// A key that is one or two letters off a known one is a slip of the pen, not a key without effect.
static enum kvb_status refuse_slips(const struct kvb_flag_part *part, const char *const *known, const char *noun)
{
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = part->node->first; child; child = child->next) {
        struct kvb_nearest nearest;
        kvb_nearest_init(&nearest, child->key);
        for (size_t i = 0; known[i]; i++) {
            kvb_nearest_offer(&nearest, known[i]);
        }
        if (nearest.best && nearest.distance > 0 && nearest.distance <= 2) {
            status = kvb_unknown_key(part->tree, child, noun, nearest.best, part->problems);
        }
    }
    return status;
}

static const char *text_of(const struct kvb_node *mapping, const char *key)
{
    const struct kvb_node *node = kvb_node_get(mapping, key);
    return node && node->kind == KVB_NODE_SCALAR && !kvb_node_is_null(node) ? node->text : NULL;
}

// Gemma 4's are modules of MTP by the type their config states: vllm/config/speculative.py v0.21.0 hf_config_override.
static bool is_assistant(const char *model)
{
    return kvb_contains_ignoring_case(model, "gemma") && kvb_contains_ignoring_case(model, "assistant");
}

// The method vLLM takes when only a model is named.
static uint64_t method_of_model(const char *model)
{
    if (kvb_equal_ignoring_case(model, "ngram") || kvb_equal_ignoring_case(model, "[ngram]")) {
        return KVB_SPECULATIVE_NGRAM;
    }
    if (kvb_contains_ignoring_case(model, "eagle")) {
        return KVB_SPECULATIVE_EAGLE;
    }
    if (kvb_contains_ignoring_case(model, "dflash")) {
        return KVB_SPECULATIVE_DFLASH;
    }
    if (kvb_contains_ignoring_case(model, "dspark")) {
        return KVB_SPECULATIVE_DSPARK;
    }
    bool module = kvb_contains_ignoring_case(model, "mtp") || is_assistant(model);
    return module ? KVB_SPECULATIVE_MTP : KVB_SPECULATIVE_DRAFT_MODEL;
}

static enum kvb_status keep_draft_model(const struct kvb_flag_part *part, const char *model)
{
    const struct kvb_setting_value *method = &part->deployment->settings.values[KVB_SET_SPECULATIVE_METHOD];
    bool overruled = method->origin > (uint8_t)part->origin;
    bool none = !model || method->number == KVB_SPECULATIVE_NGRAM || method->number == KVB_SPECULATIVE_NONE;
    if (overruled) {
        return KVB_OK;
    }
    if (!kvb_copy(part->deployment->draft_model, sizeof part->deployment->draft_model, none ? "" : model)) {
        return kvb_expected(part->tree, kvb_node_get(part->node, "model"), KVB_OUT_OF_RANGE, "a shorter path",
                            part->problems);
    }
    return KVB_OK;
}

// A member by its name with underscores or dashes; which of them a release takes, its engine says.
static const struct kvb_node *member_of(const struct kvb_node *mapping, const char *name, const char *dashed)
{
    const struct kvb_node *node = kvb_node_get(mapping, name);
    return node != NULL ? node : kvb_node_get(mapping, dashed);
}

enum kvb_status kvb_read_speculative_config(const struct kvb_flag_part *part)
{
    static const char *const known[] = {"method", "model", "num_speculative_tokens", "num-speculative-tokens", NULL};
    if (part->node->kind != KVB_NODE_MAPPING) {
        return need_mapping(part, "{\"method\": \"ngram\", \"num_speculative_tokens\": 3}");
    }
    enum kvb_status status = refuse_slips(part, known, "a speculative config");
    const char *model = text_of(part->node, "model");
    const struct kvb_node *method = kvb_node_get(part->node, "method");
    const struct kvb_node *tokens = member_of(part->node, "num_speculative_tokens", "num-speculative-tokens");
    if (status == KVB_OK && method && !kvb_node_is_null(method)) {
        status = kvb_flag_number(part, method, KVB_SET_SPECULATIVE_METHOD);
    } else if (status == KVB_OK && model) {
        kvb_flag_set(part, KVB_SET_SPECULATIVE_METHOD, method_of_model(model));
    } else if (status == KVB_OK) {
        status = kvb_problem_add(part->problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(part->tree, part->node),
                                 "a speculative config needs the key 'method' or 'model'");
    }
    if (status == KVB_OK && tokens && !kvb_node_is_null(tokens)) {
        status = kvb_flag_number(part, tokens, KVB_SET_NUM_SPECULATIVE_TOKENS);
    }
    return status == KVB_OK ? keep_draft_model(part, model) : status;
}

struct modality_row {
    const char *name;
    enum kvb_setting setting;
};
static const struct modality_row modality_rows[] = {
    {"image", KVB_SET_LIMIT_IMAGES},
    {"video", KVB_SET_LIMIT_VIDEOS},
    {"audio", KVB_SET_LIMIT_AUDIOS},
};

static const struct modality_row *find_modality(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof modality_rows / sizeof modality_rows[0]; i++) {
        if (strlen(modality_rows[i].name) == length && strncmp(modality_rows[i].name, name, length) == 0) {
            return &modality_rows[i];
        }
    }
    return NULL;
}

// "image=2,video=0", as releases before 0.10 took it.
static enum kvb_status read_limit_pairs(const struct kvb_flag_part *part)
{
    static const char expected[] = "limits such as {\"image\": 2, \"video\": 0} or image=2,video=0";
    const char *text = part->node->text;
    while (*text) {
        char number[24];
        size_t name_length = strcspn(text, "=,");
        const struct modality_row *row = find_modality(text, name_length);
        const char *value = text + name_length + 1;
        size_t length = text[name_length] == '=' ? strcspn(value, ",") : 0;
        uint64_t limit;
        if (!row || length == 0 || length >= sizeof number) {
            return kvb_expected(part->tree, part->node, KVB_BAD_SYNTAX, expected, part->problems);
        }
        memcpy(number, value, length);
        number[length] = '\0';
        if (!kvb_parse_whole(number, &limit) || limit > UINT32_MAX) {
            return kvb_expected(part->tree, part->node, KVB_BAD_TYPE, expected, part->problems);
        }
        kvb_flag_set(part, row->setting, limit);
        text = value + length + (value[length] == ',');
    }
    return KVB_OK;
}

enum kvb_status kvb_read_limit_mm_per_prompt(const struct kvb_flag_part *part)
{
    static const char *const known[] = {"image", "video", "audio", NULL};
    if (part->node->kind == KVB_NODE_SCALAR && strchr(part->node->text, '=')) {
        return read_limit_pairs(part);
    }
    if (part->node->kind != KVB_NODE_MAPPING) {
        return need_mapping(part, "{\"image\": 2, \"video\": 0}");
    }
    enum kvb_status status = refuse_slips(part, known, "a limit of modalities");
    for (const struct kvb_node *child = part->node->first; child && status == KVB_OK; child = child->next) {
        const struct modality_row *row = find_modality(child->key, strlen(child->key));
        const struct kvb_node *count = child->kind == KVB_NODE_MAPPING ? kvb_node_get(child, "count") : child;
        if (row && count) {
            status = kvb_flag_number(part, count, row->setting);
        }
    }
    return status;
}

enum kvb_status kvb_read_mm_processor_kwargs(const struct kvb_flag_part *part)
{
    static const char *const known[] = {"max_pixels", "min_pixels", "size", NULL};
    if (part->node->kind != KVB_NODE_MAPPING) {
        return need_mapping(part, "{\"max_pixels\": 1003520}");
    }
    enum kvb_status status = refuse_slips(part, known, "a mapping of processor arguments");
    const struct kvb_node *pixels = kvb_node_get(part->node, "max_pixels");
    if (!pixels) {
        pixels = kvb_node_get(kvb_node_get(part->node, "size"), "longest_edge");
    }
    if (status == KVB_OK && pixels && !kvb_node_is_null(pixels)) {
        status = kvb_flag_number(part, pixels, KVB_SET_MM_MAX_PIXELS);
    }
    return status;
}

// A list of batch sizes.
static enum kvb_status keep_sizes(const struct kvb_flag_part *part, const char *text)
{
    struct kvb_graph_sizes *sizes = &part->deployment->graph_sizes;
    uint64_t count = 0;
    uint64_t largest = 0;
    for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
        char number[KVB_PLAIN_CAPACITY];
        uint64_t size;
        size_t length = strcspn(text, " ,");
        if (!kvb_python_write_int(text, length, number) || !kvb_parse_whole(number, &size) || size == 0 ||
            size > UINT32_MAX) {
            return kvb_expected(part->tree, part->node, KVB_BAD_TYPE, "batch sizes such as [1, 2, 4] or 1 2 4",
                                part->problems);
        }
        if (count < KVB_GRAPH_SIZES_MAX) {
            sizes->tokens[count] = (uint32_t)size;
        }
        count++;
        largest = size > largest ? size : largest;
        text += length;
    }
    sizes->count = count <= KVB_GRAPH_SIZES_MAX ? (uint32_t)count : 0;
    sizes->of_flag = !part->of_config;
    kvb_flag_set(part, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, count);
    sizes->named_none = count == 0;
    sizes->largest = (uint32_t)largest;
    if (!part->deployment->settings.values[KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE].set) { // else it was said before
        kvb_flag_set(part, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, largest);
    }
    return KVB_OK;
}

enum kvb_status kvb_read_cudagraph_capture_sizes(const struct kvb_flag_part *part)
{
    if (part->node->kind == KVB_NODE_SCALAR) {
        return keep_sizes(part, part->node->text);
    }
    if (part->node->kind == KVB_NODE_MAPPING) {
        return kvb_expected(part->tree, part->node, KVB_BAD_TYPE, "batch sizes such as [1, 2, 4]", part->problems);
    }
    struct kvb_buffer joined;
    char plain[KVB_PLAIN_CAPACITY];
    kvb_buffer_init(&joined);
    kvb_buffer_add(&joined, "");
    for (const struct kvb_node *entry = part->node->first; entry; entry = entry->next) {
        // A list or an empty text among the sizes is no number and is refused as one.
        kvb_buffer_add(&joined,
                       entry->kind == KVB_NODE_SCALAR && *entry->text ? kvb_as_plain_member(entry, plain) : "list");
        kvb_buffer_add(&joined, ",");
    }
    enum kvb_status status = joined.failed
                                 ? kvb_problem_add(part->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                                                   "not enough memory to read the batch sizes")
                                 : keep_sizes(part, joined.data);
    kvb_buffer_free(&joined);
    return status;
}

// Names of enum CUDAGraphMode, and the numbers some configs write for them.
static enum kvb_status keep_graph_mode(const struct kvb_flag_part *part, const struct kvb_node *node)
{
    if (kvb_node_is_null(node)) {
        return KVB_OK;
    }
    bool number = node->kind == KVB_NODE_SCALAR && node->text[0] >= '0' && node->text[0] <= '2' && !node->text[1];
    if (number) {
        static const uint64_t modes[] = {KVB_GRAPH_MODE_NONE, KVB_GRAPH_MODE_PIECEWISE, KVB_GRAPH_MODE_FULL};
        kvb_flag_set(part, KVB_SET_CUDAGRAPH_MODE, modes[node->text[0] - '0']);
        return KVB_OK;
    }
    return kvb_flag_number(part, node, KVB_SET_CUDAGRAPH_MODE);
}

// Numbers count from 0; what follows of them is the release's affair.
static enum kvb_status keep_mode(const struct kvb_flag_part *part, const struct kvb_node *node, uint8_t *kept)
{
    if (kvb_node_is_null(node)) {
        return KVB_OK;
    }
    uint64_t number = KVB_COMPILATION_MODES;
    for (size_t i = 0; node->kind == KVB_NODE_SCALAR && i < KVB_COMPILATION_WORD_COUNT; i++) {
        bool same = kvb_equal_ignoring_case(node->text, kvb_compilation_words[i].text);
        number = same ? kvb_compilation_words[i].number : number;
    }
    if (number == KVB_COMPILATION_MODES) {
        return kvb_expected(part->tree, node, KVB_BAD_TYPE, "NONE or a number from 0 to 3", part->problems);
    }
    *kept = (uint8_t)(1 + number);
    return KVB_OK;
}

// "mode", which was called "level".
static enum kvb_status keep_any_mode(const struct kvb_flag_part *part)
{
    struct kvb_graph_sizes *sizes = &part->deployment->graph_sizes;
    const struct kvb_node *mode = kvb_node_get(part->node, "mode"), *level = kvb_node_get(part->node, "level");
    enum kvb_status status = mode ? keep_mode(part, mode, &sizes->compile_mode) : KVB_OK;
    return status == KVB_OK && level ? keep_mode(part, level, &sizes->compile_level) : status;
}

// Sequence parallelism leaves out sizes that the ranks do not share; asynchronous products stand on it.
static void keep_passes(const struct kvb_flag_part *part)
{
    static const char *const brings_it[] = {"enable_sp", "enable_sequence_parallelism", "fuse_gemm_comms",
                                            "enable_async_tp"};
    const struct kvb_node *passes = kvb_node_get(part->node, "pass_config");
    for (size_t i = 0; passes && passes->kind == KVB_NODE_MAPPING && i < sizeof brings_it / sizeof *brings_it; i++) {
        const char *word = text_of(passes, brings_it[i]);
        part->deployment->graph_sizes.sequence_parallel |= word && kvb_equal_ignoring_case(word, "true");
    }
    const struct kvb_node *splits = kvb_node_get(part->node, "splitting_ops");
    part->deployment->graph_sizes.splits_nowhere = splits && splits->kind == KVB_NODE_SEQUENCE && !splits->first;
    static const char *const takes_attention_in[] = {"fuse_attn_quant", "enable_attn_fusion"};
    for (size_t i = 0; passes && passes->kind == KVB_NODE_MAPPING && i < 2; i++) {
        const char *word = text_of(passes, takes_attention_in[i]);
        part->deployment->graph_sizes.fuses_attention |= word && kvb_equal_ignoring_case(word, "true");
    }
    const char *specialised = text_of(part->node, "cudagraph_specialize_lora");
    part->deployment->graph_sizes.adapters_always = specialised && kvb_equal_ignoring_case(specialised, "false");
}

static enum kvb_status keep_compilation(const struct kvb_flag_part *part)
{
    const struct kvb_node *mode = kvb_node_get(part->node, "cudagraph_mode");
    const struct kvb_node *sizes = kvb_node_get(part->node, "cudagraph_capture_sizes");
    const struct kvb_node *largest = kvb_node_get(part->node, "max_cudagraph_capture_size");
    const char *use = text_of(part->node, "use_cudagraph");
    const char *full = text_of(part->node, "full_cuda_graph");
    enum kvb_status status = KVB_OK;
    keep_passes(part);
    part->deployment->graph_sizes.use_off = use && kvb_equal_ignoring_case(use, "false");
    part->deployment->graph_sizes.full = full && kvb_equal_ignoring_case(full, "true");
    if (mode) {
        status = keep_graph_mode(part, mode);
    }
    status = status == KVB_OK ? keep_any_mode(part) : status;
    if (status == KVB_OK && sizes && !kvb_node_is_null(sizes)) {
        struct kvb_flag_part inner = *part;
        inner.node = sizes;
        inner.of_config = true;
        status = kvb_read_cudagraph_capture_sizes(&inner);
    }
    if (status == KVB_OK && largest && !kvb_node_is_null(largest)) {
        status = kvb_flag_number(part, largest, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    }
    return status;
}

enum kvb_status kvb_read_compilation_config(const struct kvb_flag_part *part)
{
    static const char *const known[] = {"cudagraph_mode",
                                        "cudagraph_capture_sizes",
                                        "max_cudagraph_capture_size",
                                        "use_cudagraph",
                                        "full_cuda_graph",
                                        "mode",
                                        "level",
                                        NULL};
    uint64_t level;
    if (part->node->kind == KVB_NODE_SCALAR && kvb_parse_whole(part->node->text, &level)) {
        return keep_mode(part, part->node, &part->deployment->graph_sizes.compile_level);
    }
    if (part->node->kind != KVB_NODE_MAPPING) {
        return need_mapping(part, "{\"cudagraph_mode\": \"PIECEWISE\"}");
    }
    enum kvb_status status = refuse_slips(part, known, "a compilation config");
    return status == KVB_OK ? keep_compilation(part) : status;
}

enum kvb_status kvb_read_kv_transfer_config(const struct kvb_flag_part *part)
{
    if (part->node->kind != KVB_NODE_MAPPING) {
        return need_mapping(part, "{\"kv_connector\": \"LMCacheConnectorV1\", \"kv_role\": \"kv_both\"}");
    }
    kvb_flag_set(part, KVB_SET_KV_TRANSFER, text_of(part->node, "kv_connector") != NULL);
    return KVB_OK;
}

enum kvb_status kvb_read_hf_overrides(const struct kvb_flag_part *part)
{
    if (part->node->kind != KVB_NODE_MAPPING) {
        return need_mapping(part, "{\"max_position_embeddings\": 65536}");
    }
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_node_write_json(&text, part->node);
    enum kvb_status status = KVB_OK;
    if (text.failed) {
        status = kvb_problem_add(part->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                                 "not enough memory to read the overrides");
    } else if (!kvb_copy(part->deployment->overrides, sizeof part->deployment->overrides, text.data)) {
        status =
            kvb_expected(part->tree, part->node, KVB_OUT_OF_RANGE, "at most 1023 characters of JSON", part->problems);
    }
    kvb_buffer_free(&text);
    return status;
}
