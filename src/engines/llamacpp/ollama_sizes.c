// The sizes that Ollama's estimate counts with: tensors by layer as they lie in the file, a cache without windows or
// padding, and a graph by a formula of the architecture.
// Source: fs/ggml/ggml.go (llm/ggml.go before 0.5.12), GraphSize and kvCacheBytesPerElement, at v0.2.0, v0.2.2,
// v0.3.10, v0.4.0, v0.5.0, v0.6.3, v0.9.3, v0.11.0, v0.11.3, v0.11.5, v0.11.8, v0.11.11 and v0.13.4.
#include "engines/llamacpp/ollama.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/layer.h"
#include "engines/llamacpp/tensors.h"

// What the formulas are made of.
struct terms {
    uint64_t context, batch, slots, embedding, vocabulary, feed_forward;
    uint64_t heads, kv_heads, head, key, value; // sizes of a head: of the embedding, of keys, of values
    uint64_t experts_gate_bytes;                // of layer 0
    uint64_t kv_bytes, plain_kv_bytes;          // plain: as if no layer had a window
    uint32_t release;
    bool flash;
};

static uint64_t floats(uint64_t elements)
{
    return kvb_mul(elements, 4);
}

// ---- Formulas of the graph

static void of_llama(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding;
    out->full_bytes = floats(b * (1 + 4 * e + c * (1 + t->heads)));
    if (t->release >= KVB_RELEASE(0, 3, 10)) {
        out->full_bytes = kvb_max(out->full_bytes, floats(b * (e + t->vocabulary)));
    }
    uint64_t attention =
        floats(b * (1 + e + kvb_max(c, e))) + e * e * 9 / 16 + floats(c * (b * t->heads + t->head * t->kv_heads));
    uint64_t logits = floats(b * (e + t->vocabulary)) + e * t->vocabulary * 105 / 128;
    out->partial_bytes = floats(b * e) + kvb_max(attention, logits);
    if (t->experts_gate_bytes > 0) {
        uint64_t moved =
            3 * t->experts_gate_bytes + floats(b * (2 * t->feed_forward + t->kv_heads + e + c + t->head * t->kv_heads));
        uint64_t read = floats(c * b * t->heads + c * t->head * t->kv_heads + b * 1024 + t->head * t->kv_heads * b);
        out->partial_bytes = kvb_max(moved, read);
    }
}

static void of_gemma(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding, q = t->key * t->heads;
    out->full_bytes = kvb_max(floats(b * (e + t->vocabulary)), floats(b * (2 + c + c * t->heads + 2 * e + 2 * q)));
    uint64_t logits = floats(e * b) + e * t->vocabulary * 105 / 128 + floats(t->vocabulary * b);
    uint64_t attention = floats(b * (2 * e + 1 + 2 * q + c + c * t->heads)) + floats(t->key * c * 8) + e * q * 9 / 16;
    out->partial_bytes = kvb_max(logits, attention);
}

static void of_gemma3n(const struct terms *t, struct kvb_ollama_sizes *out)
{
    of_gemma(t, out);
    out->full_bytes *= 4;
    out->partial_bytes *= 4;
}

static void of_command_r(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding, logits = floats(b * (e + t->vocabulary));
    out->full_bytes = kvb_max(logits, floats(b * (2 + 4 * e + c * (1 + t->heads))));
    out->partial_bytes = kvb_max(logits + e * t->vocabulary * 105 / 128,
                                 floats(b * (1 + 2 * e + c * (1 + t->heads))) + floats(e * c) + e * e * 9 / 16);
}

static void of_qwen2(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding, logits = floats(b * (e + t->vocabulary));
    uint64_t attention = b * (1 + 2 * e + c * (1 + t->heads));
    out->full_bytes = kvb_max(logits, floats(attention));
    out->partial_bytes = kvb_max(logits + e * t->vocabulary * 105 / 128, floats(attention + e * (1 + c)));
}

static void of_phi2(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding, v = t->vocabulary;
    out->full_bytes = kvb_max(floats(b * (e + v)), floats(b * (1 + 4 * e + c + c * t->heads)));
    out->partial_bytes =
        kvb_max(floats(b * (2 * e + v)) + e * v * 105 / 128, floats(b * (2 + 3 * e + c + c * t->heads)));
}

static void of_stablelm(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t b = t->batch, e = t->embedding;
    out->full_bytes = floats(b * (t->context * (1 + t->heads) + 3 * e + 2));
    out->partial_bytes = kvb_max(floats(b * (t->vocabulary + 2 * e)), out->full_bytes);
}

static void of_deepseek2(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding, k = t->key * t->kv_heads;
    uint64_t logits = floats(b * (3 * e + t->vocabulary));
    out->full_bytes = kvb_max(logits, floats(b * (3 * e + 2 + c * (1 + t->kv_heads) + 2 * k)));
    out->partial_bytes =
        kvb_max(logits + e * t->vocabulary * 105 / 128,
                floats(b * (2 * e + 1 + 2 * k + c + c * t->kv_heads)) + floats(k * c) + e * k * 9 / 16);
}

static void of_chatglm(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t c = t->context, b = t->batch, e = t->embedding, q = t->key * t->heads;
    uint64_t bias = (t->heads + 2 * t->kv_heads) * t->key; // of attn_qkv
    uint64_t logits = floats(b * (e + t->vocabulary));
    out->full_bytes = kvb_max(logits, floats(b * (2 + 2 * e + c + c * t->heads + q + bias)));
    out->partial_bytes = kvb_max(logits + e * t->vocabulary * 105 / 128,
                                 floats(b * (1 + 2 * e + q + c + c * t->heads)) + floats(2 * t->key * c + bias));
}

static void of_gptoss(const struct terms *t, struct kvb_ollama_sizes *out)
{
    uint64_t share = t->heads / kvb_max(t->kv_heads, 1);
    if (t->release >= KVB_RELEASE(0, 11, 5)) {
        out->partial_bytes = t->flash && t->release >= KVB_RELEASE(0, 11, 8)
                                 ? (4 * t->slots + (t->context >> 10) + 110) * KVB_MIB
                                 : 2 * share * t->plain_kv_bytes / 6;
        return;
    }
    out->full_bytes = 4 * share * t->plain_kv_bytes / 6;
    out->partial_bytes = out->full_bytes * (t->release < KVB_RELEASE(0, 11, 3) ? 2 : 1);
}

struct formula {
    const char *name; // how the class begins
    uint32_t since;
    void (*of)(const struct terms *terms, struct kvb_ollama_sizes *out);
};

static const struct formula *formula_of(const struct kvb_model *model, uint32_t release)
{
    static const struct formula rows[] = {
        {"LlamaFor", 0, of_llama},
        {"MistralFor", 0, of_llama},
        {"MixtralFor", 0, of_llama},
        {"Llama4For", KVB_RELEASE(0, 6, 7), of_llama},
        {"Gemma3n", KVB_RELEASE(0, 9, 3), of_gemma3n},
        {"Gemma3For", KVB_RELEASE(0, 6, 0), of_gemma},
        {"GemmaFor", 0, of_gemma},
        {"Gemma2For", 0, of_gemma},
        {"CohereFor", 0, of_command_r},
        {"Qwen2For", 0, of_qwen2},
        {"PhiFor", 0, of_phi2},
        {"StableL", 0, of_stablelm},
        {"DeepseekV2For", 0, of_deepseek2},
        {"DeepseekV3For", 0, of_deepseek2},
        {"ChatGLM", KVB_RELEASE(0, 2, 2), of_chatglm},
        {"GptOss", KVB_RELEASE(0, 11, 0), of_gptoss},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (release >= rows[i].since && strncmp(model->architecture, rows[i].name, strlen(rows[i].name)) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

// ---- Tensors and cache

struct adding {
    uint64_t bytes, experts_gate_bytes;
};

static void add_tensor(void *context, const struct kvb_llama_tensor *tensor)
{
    struct adding *adding = context;
    adding->bytes = kvb_add(adding->bytes, tensor->bytes);
    if (strcmp(tensor->name, "ffn_gate_exps.weight") == 0) {
        adding->experts_gate_bytes = tensor->bytes;
    }
}

static void take_shape(const struct kvb_llama_run *run, const struct kvb_attention_shape *shape, struct terms *out)
{
    bool latent = shape->kind == KVB_ATTENTION_MLA; // full heads, as files of that time say
    uint64_t key = latent ? (uint64_t)shape->nope_size + shape->rope_size : shape->head_size;
    uint64_t value = shape->value_head_size > 0 ? shape->value_head_size : shape->head_size;
    out->heads = kvb_max(out->heads, shape->heads);
    out->kv_heads = kvb_max(out->kv_heads, latent ? shape->heads : shape->kv_heads);
    out->key = kvb_max(out->key, key);
    out->value = kvb_max(out->value, value);
    out->head = shape->heads > 0 ? run->model->hidden_size / shape->heads : out->head;
}

static bool keeps_tokens(const struct kvb_attention_shape *shape)
{
    return shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING ||
           shape->kind == KVB_ATTENTION_CHUNKED || shape->kind == KVB_ATTENTION_MLA;
}

// Twice the bytes of an element: q8_0 counts as one, q4_0 as a half.
static uint64_t halves_of(enum kvb_llama_cache type)
{
    return type == KVB_LLAMA_CACHE_Q8_0 ? 2 : type == KVB_LLAMA_CACHE_Q4_0 ? 1 : 4;
}

static uint64_t plain_cache_of(const struct kvb_llama_run *run, const struct terms *terms)
{
    uint64_t each = kvb_mul(terms->key + terms->value, terms->kv_heads);
    return kvb_mul(kvb_mul(terms->context, each), halves_of(run->key_type)) / 2;
}

static uint64_t cache_of(const struct kvb_llama_run *run, const struct terms *terms, uint32_t layer)
{
    const struct kvb_attention_shape *shape = &kvb_kind_of(run->model, layer)->attention;
    const char *class = run->model->architecture;
    uint64_t cells = terms->context, each = kvb_mul(terms->key + terms->value, terms->kv_heads);
    bool sliding = shape->kind == KVB_ATTENTION_SLIDING;
    if (terms->release >= KVB_RELEASE(0, 11, 11)) {
        struct kvb_llama_layer of;
        kvb_llama_layer_of(run, layer, &of);
        if (!keeps_tokens(shape)) {
            return floats(kvb_add(of.conv_state, of.state));
        }
        each = kvb_mul(terms->key + terms->value, shape->kind == KVB_ATTENTION_MLA ? shape->heads : shape->kv_heads);
    }
    if (sliding && strncmp(class, "Gemma3For", 9) == 0 && terms->release >= KVB_RELEASE(0, 6, 3)) {
        cells = kvb_add(kvb_mul(terms->slots, shape->window_tokens), terms->batch);
    } else if (sliding && strncmp(class, "GptOss", 6) == 0) {
        cells = kvb_add(kvb_mul(terms->slots, 4096), terms->batch);
    }
    return kvb_mul(kvb_mul(cells, each), halves_of(run->key_type)) / 2;
}

void kvb_ollama_sizes_of(const struct kvb_llama_start *start, uint32_t release, struct kvb_ollama_sizes *out)
{
    const struct kvb_llama_run *run = &start->run;
    const struct kvb_model *model = run->model;
    struct adding adding;
    struct terms terms = {.context = run->context_tokens,
                          .batch = start->asked_batch,
                          .slots = run->sequences,
                          .embedding = model->hidden_size,
                          .vocabulary = model->vocabulary_size,
                          .release = release,
                          .flash = run->flash};
    *out =
        (struct kvb_ollama_sizes){.layers = model->layer_count, .projector_bytes = start->beside.projector.model_bytes};
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_layer_kind *kind = &model->kinds[i];
        bool dense = kind->mlp.intermediate_size > 0;
        terms.feed_forward =
            kvb_max(terms.feed_forward, dense ? kind->mlp.intermediate_size : kind->mlp.expert_intermediate_size);
        if (keeps_tokens(&kind->attention)) {
            take_shape(run, &kind->attention, &terms);
        }
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        adding = (struct adding){0, 0};
        kvb_llama_layer_tensors(run, i, add_tensor, &adding);
        uint64_t cache = cache_of(run, &terms, i);
        terms.experts_gate_bytes = i == 0 ? adding.experts_gate_bytes : terms.experts_gate_bytes;
        terms.kv_bytes = kvb_add(terms.kv_bytes, cache);
        terms.plain_kv_bytes = kvb_add(terms.plain_kv_bytes, plain_cache_of(run, &terms));
        out->layer_bytes[i] = kvb_add(adding.bytes, cache);
    }
    adding = (struct adding){0, 0};
    kvb_llama_layer_tensors(run, model->layer_count, add_tensor, &adding);
    out->output_bytes = adding.bytes;
    const struct formula *formula = formula_of(model, release);
    if (formula != NULL) {
        formula->of(&terms, out);
    }
    if (out->partial_bytes == 0) {
        out->partial_bytes = kvb_mul(terms.heads / kvb_max(terms.kv_heads, 1), terms.kv_bytes) / 6;
    }
    out->full_bytes = out->full_bytes > 0 ? out->full_bytes : out->partial_bytes;
}
