// Reads starts.csv: model and settings as words, buffers as printed.
#include "starts.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "engines/llamacpp/mixture.h"

uint64_t start_number(const char *words, const char *key, uint64_t otherwise)
{
    size_t length = strlen(key);
    for (const char *at = strstr(words, key); at != NULL; at = strstr(at + 1, key)) {
        if ((at == words || at[-1] == ' ') && at[length] == '=') {
            return strtoull(at + length + 1, NULL, 10);
        }
    }
    return otherwise;
}

static const char *word(const char *words, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strstr(words, key); at != NULL; at = strstr(at + 1, key)) {
        if ((at == words || at[-1] == ' ') && at[length] == '=') {
            return at + length + 1;
        }
    }
    return "";
}

// "4x0;1x8": the value for a layer; a plain number holds for all.
static uint32_t by_layer(const char *list, uint32_t layer)
{
    char *end;
    uint64_t first = strtoull(list, &end, 10);
    if (*end != 'x') {
        return (uint32_t)first;
    }
    uint64_t passed = 0;
    while (*end == 'x') {
        uint64_t value = strtoull(end + 1, &end, 10);
        passed += first;
        if (layer < passed || *end != ';') {
            return (uint32_t)value;
        }
        first = strtoull(end + 1, &end, 10);
    }
    return 0;
}

static void set_state(const char *words, struct kvb_attention_shape *shape)
{
    const char *heads = word(words, "state_heads");
    bool delta = strncmp(word(words, "state"), "delta", 5) == 0;
    bool conv = strncmp(word(words, "state"), "conv", 4) == 0;
    shape->kind = delta ? KVB_ATTENTION_GDN : conv ? KVB_ATTENTION_SHORT_CONV : KVB_ATTENTION_MAMBA1;
    shape->conv_kernel = (uint32_t)start_number(words, "conv", 0);
    shape->state_key_size = (uint32_t)start_number(words, "state_size", 0);
    shape->state_value_size = shape->state_key_size;
    shape->state_inner_size = (uint32_t)start_number(words, "inner", 0);
    if (delta) {
        shape->state_key_heads = (uint32_t)strtoul(heads, NULL, 10);
        shape->state_value_heads = (uint32_t)strtoul(strchr(heads, ':') + 1, NULL, 10);
    }
}

static void set_attention(const struct start *start, const char *words, uint32_t layer,
                          struct kvb_attention_shape *shape)
{
    uint64_t every = start_number(words, "full_every", 0);
    bool full = every == 0 || (layer + 1) % every == 0;
    *shape = (struct kvb_attention_shape){.kind = KVB_ATTENTION_FULL,
                                          .heads = by_layer(word(words, "heads"), layer),
                                          .kv_heads = by_layer(word(words, "kv"), layer),
                                          .head_size = (uint32_t)start_number(words, "key", 0),
                                          .value_head_size = (uint32_t)start_number(words, "value", 0)};
    bool latent = strncmp(start->architecture, "Deepseek", 8) == 0;
    if (latent) {
        shape->kind = KVB_ATTENTION_MLA;
        shape->rope_size = 64;
        shape->nope_size = shape->head_size - 64;
        shape->latent_rank = 512;
        shape->query_rank = start->model.layer_count == 27 ? 0 : 1536;
    } else if (start_number(words, "window", 0) > 0 && !full) {
        shape->kind = KVB_ATTENTION_SLIDING;
        shape->window_tokens = (uint32_t)start_number(words, "window", 0);
        shape->head_size = (uint32_t)start_number(words, "window_key", shape->head_size);
        shape->value_head_size = shape->head_size;
    } else if (word(words, "state")[0] != '\0' && (shape->kv_heads == 0 || (every > 0 && !full))) {
        set_state(words, shape);
    } else if (shape->kv_heads == 0) {
        shape->kind = KVB_ATTENTION_NONE;
    }
    shape->gated_output =
        strncmp(start->architecture, "Qwen3_5", 7) == 0 || strncmp(start->architecture, "Qwen3Next", 9) == 0;
    shape->query_key_value_bias =
        strncmp(start->architecture, "Qwen2", 5) == 0 || strncmp(start->architecture, "GptOss", 6) == 0;
    bool oss = strncmp(start->architecture, "GptOss", 6) == 0;
    shape->output_bias = shape->sinks = oss;
    bool normed = strncmp(start->architecture, "Qwen3", 5) == 0 || strncmp(start->architecture, "Gemma3", 6) == 0 ||
                  strncmp(start->architecture, "Gemma4", 6) == 0;
    shape->qk_norm = normed ? KVB_QK_NORM_PER_HEAD : KVB_QK_NORM_NONE;
    shape->shares_kv = layer >= start_number(words, "cached", KVB_LAYERS_MAX);
}

static void set_mlp(const char *words, uint32_t layer, struct kvb_mlp_shape *mlp)
{
    uint64_t dense = start_number(words, "dense", 0), every = start_number(words, "moe_every", 1);
    *mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = by_layer(word(words, "ff"), layer)};
    if (start_number(words, "experts", 0) > 0 && layer >= dense && (layer + 1) % every == 0) {
        mlp->kind = KVB_MLP_MOE;
        mlp->experts = (uint32_t)start_number(words, "experts", 0);
        mlp->experts_per_token = (uint32_t)start_number(words, "used", 0);
        mlp->expert_intermediate_size = (uint32_t)start_number(words, "expert_ff", mlp->intermediate_size);
        mlp->shared_intermediate_size = (uint32_t)start_number(words, "shared_ff", 0);
        mlp->intermediate_size = 0;
        mlp->expert_gated = true;
        mlp->expert_bias = start_number(words, "expert_bias", 0) != 0;
        mlp->router_bias = mlp->expert_bias;
        mlp->shared_gate = start_number(words, "shared_gate", 0) != 0;
    }
}

// Layers that are alike share a kind.
static void set_layers(struct start *start, const char *words)
{
    struct kvb_model *model = &start->model;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        struct kvb_layer_kind kind;
        memset(&kind, 0, sizeof kind);
        set_attention(start, words, i, &kind.attention);
        set_mlp(words, i, &kind.mlp);
        kind.norms = (uint8_t)start_number(words, "norms", 2);
        uint32_t at = 0;
        while (at < model->kind_count && memcmp(&model->kinds[at], &kind, sizeof kind) != 0) {
            at++;
        }
        if (at == model->kind_count) {
            model->kinds[model->kind_count++] = kind;
        }
        model->kind_of_layer[i] = (uint8_t)at;
    }
}

static enum kvb_llama_cache cache_of(const char *word)
{
    for (uint32_t i = 0; i < KVB_LLAMA_CACHE_COUNT; i++) {
        const char *name = kvb_llama_cache_name((enum kvb_llama_cache)i);
        size_t length = strlen(name);
        if (strncmp(word, name, length) == 0 && (word[length] == ' ' || word[length] == '\0')) {
            return (enum kvb_llama_cache)i;
        }
    }
    return KVB_LLAMA_CACHE_F16;
}

static void set_run(struct start *start, const char *words, uint32_t build, uint32_t gpus)
{
    struct kvb_llama_run *run = &start->run;
    *run = (struct kvb_llama_run){.model = &start->model,
                                  .build = build,
                                  .devices = gpus,
                                  .gpu_layers = (uint32_t)start_number(words, "ngl", 0),
                                  .cpu_experts = (uint32_t)start_number(words, "ncmoe", 0),
                                  .context_tokens = start_number(words, "c", 0),
                                  .sequences = (uint32_t)start_number(words, "np", 1),
                                  .batch = (uint32_t)start_number(words, "b", 2048),
                                  .ubatch = (uint32_t)start_number(words, "ub", 512),
                                  .unified = start_number(words, "unified", 0) != 0,
                                  .flash = start_number(words, "fa", 0) != 0,
                                  .keep_cache_on_host = start_number(words, "nkvo", 0) != 0,
                                  .no_op_offload = start_number(words, "noop", 0) != 0,
                                  .mapped = true,
                                  .window_full = start_number(words, "swafull", 0) != 0,
                                  .server = start_number(words, "server", 0) != 0,
                                  .output_rows = (uint32_t)start_number(words, "rows", 0),
                                  .state_copies = (uint32_t)start_number(words, "rs_seq", 1),
                                  .key_type = cache_of(word(words, "ctk")),
                                  .value_type = cache_of(word(words, "ctv"))};
    run->split = strncmp(word(words, "split"), "row", 3) == 0 ? KVB_LLAMA_SPLIT_ROW : KVB_LLAMA_SPLIT_LAYER;
    for (uint32_t i = 0; i < KVB_LLAMA_BACKEND_COUNT; i++) {
        if (strcmp(kvb_llama_backend_row_of((enum kvb_llama_backend)i)->name, start->backend) == 0) {
            run->backend = (enum kvb_llama_backend)i;
        }
    }
    const char *list = word(words, "layers");
    for (uint32_t i = 0; i < gpus && *list >= '0' && *list <= '9'; i++) {
        char *end;
        run->share[i] = strtoull(list, &end, 10);
        list = *end == ';' ? end + 1 : end;
    }
}

bool start_next(FILE *file, struct start *out)
{
    static char line[8192];
    char *cells[11];
    if (fgets(line, sizeof line, file) == NULL) {
        return false;
    }
    memset(out, 0, sizeof *out);
    line[strcspn(line, "\n")] = '\0';
    char *at = line;
    for (int i = 0; i < 11; i++) { // the last one is in fresh.csv alone
        cells[i] = at;
        at += strcspn(at, ",");
        if (*at == ',') {
            *at++ = '\0';
        }
    }
    (void)kvb_copy(out->id, sizeof out->id, cells[0]);
    (void)kvb_copy(out->architecture, sizeof out->architecture, cells[2]);
    (void)kvb_copy(out->backend, sizeof out->backend, cells[4]);
    (void)kvb_copy(out->observed, sizeof out->observed, cells[8]);
    (void)kvb_copy(out->source, sizeof out->source, cells[1]);
    (void)kvb_copy(out->settings, sizeof out->settings, cells[7]);
    (void)kvb_copy(out->note, sizeof out->note, cells[9]);
    (void)kvb_copy(out->half, sizeof out->half, cells[10]);
    (void)snprintf(out->model.architecture, sizeof out->model.architecture, "%s", cells[2]);
    out->model.layer_count = (uint32_t)start_number(cells[6], "layers", 0);
    out->model.hidden_size = (uint32_t)start_number(cells[6], "hidden", 0);
    out->model.vocabulary_size = (uint32_t)start_number(cells[6], "vocab", 0);
    out->model.context_tokens = start_number(cells[6], "trained", 0);
    out->model.tied_embeddings = start_number(cells[6], "tied", 0) != 0;
    out->model.final_norms = 1;
    if (start_number(cells[6], "per_layer", 0) > 0) { // Gemma 4's second embedding
        (void)kvb_copy(out->model.extras[0].name, sizeof out->model.extras[0].name, "per_layer_projection_norm");
        out->model.extras[0].rows = start_number(cells[6], "per_layer", 0);
        out->model.extra_count = 1;
    }
    set_layers(out, cells[6]);
    char type[16] = "";
    (void)sscanf(word(cells[6], "type"), "%15[^ ]", type);
    set_run(out, cells[7], (uint32_t)strtoul(cells[3], NULL, 10), (uint32_t)strtoul(cells[5], NULL, 10));
    out->run.mixture = kvb_llama_mixture_find(type);
    return true;
}

bool start_observed(const struct start *start, const char *device, const char *kind, uint64_t *hundredths)
{
    char key[64];
    (void)snprintf(key, sizeof key, "%s.%s", device, kind);
    const char *found = word(start->observed, key);
    if (*found == '\0') {
        return false;
    }
    char *end;
    *hundredths = strtoull(found, &end, 10) * 100;
    if (*end == '.') {
        *hundredths += (uint64_t)(end[1] >= '0' ? end[1] - '0' : 0) * 10;
        *hundredths += (uint64_t)(end[1] >= '0' && end[2] >= '0' && end[2] <= '9' ? end[2] - '0' : 0);
    }
    return true;
}
