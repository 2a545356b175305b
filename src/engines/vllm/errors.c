// The start-up errors of each release, word for word, typing slips included.
// Source: vllm/v1/core/kv_cache_utils.py, v1/worker/utils.py, worker/worker.py.
#include "engines/vllm/errors.h"

#include <string.h>

#include "base/checked.h"
#include "engines/vllm/printed.h"

struct kvb_error_line kvb_error_begin(char out[KVB_ERROR_TEXT_CAPACITY])
{
    out[0] = '\0';
    return (struct kvb_error_line){out, 0};
}

void kvb_error_add(struct kvb_error_line *line, const char *text)
{
    size_t length = strlen(text);
    size_t room = KVB_ERROR_TEXT_CAPACITY - 1 - line->length;
    length = (size_t)kvb_min(length, room);
    memcpy(line->out + line->length, text, length);
    line->length += length;
    line->out[line->length] = '\0';
}

void kvb_error_add_count(struct kvb_error_line *line, uint64_t count)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    kvb_error_add(line, digits + at);
}

static void add_gib(struct kvb_error_line *line, int64_t bytes, bool python_round)
{
    char text[32];
    (void)kvb_printed_gib(text, bytes, python_round);
    kvb_error_add(line, text);
}

static const char see_docs[] = " See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details.";

void kvb_error_text(const char *text, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, text);
}

void kvb_error_no_memory(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line,
                  "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing "
                  "the engine");
    if (kvb_rule(context, KVB_RULE_ERROR_NONE) == KVB_NONE_CPU) {
        kvb_error_add(&line, " (this flag also controls CPU memory reservation on the CPU backend, despite its name)");
    }
    kvb_error_add(&line, ".");
    if (kvb_rule(context, KVB_RULE_ERROR_NONE) != KVB_NONE_PLAIN) {
        kvb_error_add(&line, see_docs);
    }
}

#define ONE_SPACE_SINCE KVB_RELEASE(0, 14, 0)

static void add_estimate(const struct kvb_context *context, struct kvb_error_line *line, uint64_t estimate_tokens)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_ERROR_NEED);
    if (rule < KVB_NEED_GIB_BROKEN) {
        return;
    }
    if (estimate_tokens == 0) { // the space around it stayed until 0.13
        kvb_error_add(line, context->release < ONE_SPACE_SINCE ? " " : "");
        return;
    }
    kvb_error_add(line, " ");
    kvb_error_add(line, "Based on the available memory, ");
    if (rule != KVB_NEED_GIB_BROKEN) {
        kvb_error_add(line, "the estimated maximum model length is ");
        kvb_error_add_count(line, estimate_tokens);
        kvb_error_add(line, ".");
    }
}

void kvb_error_too_long(const struct kvb_context *context, uint64_t needed_bytes, int64_t pool_bytes,
                        uint64_t estimate_tokens, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    uint32_t rule = kvb_rule(context, KVB_RULE_ERROR_NEED);
    bool python_round = kvb_rule(context, KVB_RULE_FIGURES) != 0;
    const char *unit = rule == KVB_NEED_GB ? " GB" : " GiB";
    kvb_error_add(&line, "To serve at least one request with the ");
    kvb_error_add(&line, rule >= KVB_NEED_CPU ? "model's" : "models's");
    kvb_error_add(&line, " max seq len (");
    kvb_error_add_count(&line, context->max_model_len);
    kvb_error_add(&line, "), (");
    add_gib(&line, (int64_t)needed_bytes, python_round);
    kvb_error_add(&line, unit);
    kvb_error_add(&line, " KV cache is needed, which is larger than the available KV cache memory (");
    add_gib(&line, pool_bytes, python_round);
    kvb_error_add(&line, unit);
    kvb_error_add(&line, ").");
    add_estimate(context, &line, estimate_tokens);
    kvb_error_add(&line, " Try increasing `gpu_memory_utilization` ");
    kvb_error_add(&line, rule >= KVB_NEED_CPU ? "(which also controls CPU memory on the CPU backend) " : "");
    kvb_error_add(&line, "or decreasing `max_model_len` when initializing the engine.");
    if (rule >= KVB_NEED_URL) {
        kvb_error_add(&line, see_docs);
    }
}

void kvb_error_too_long_v0(const struct kvb_context *context, uint64_t stored_tokens, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "The model's max seq len (");
    kvb_error_add_count(&line, context->max_model_len);
    kvb_error_add(&line, ") is larger than the maximum number of tokens that can be stored in KV cache (");
    kvb_error_add_count(&line, stored_tokens);
    kvb_error_add(
        &line,
        "). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.");
}

void kvb_error_not_free(const struct kvb_context *context, uint64_t requested_bytes, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    char fraction[32];
    (void)kvb_printed_fraction(fraction, context->utilization_ppm);
    kvb_error_add(&line, "Free memory on device ");
    kvb_error_add(&line, kvb_rule(context, KVB_RULE_FREE_CHECK) >= 2 ? "cuda:0 (" : "(");
    add_gib(&line, (int64_t)context->free_bytes, true);
    kvb_error_add(&line, "/");
    add_gib(&line, (int64_t)context->memory_bytes, true);
    kvb_error_add(&line, " GiB) on startup is less than desired GPU memory utilization (");
    kvb_error_add(&line, fraction);
    kvb_error_add(&line, ", ");
    add_gib(&line, (int64_t)requested_bytes, true);
    kvb_error_add(&line, " GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.");
}

void kvb_error_few_tokens(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "max_num_batched_tokens (");
    kvb_error_add_count(&line, context->max_num_batched_tokens);
    kvb_error_add(&line, ") must be greater than or equal to max_num_seqs (");
    kvb_error_add_count(&line, context->max_num_seqs);
    kvb_error_add(&line, ").");
}

void kvb_error_short_batch(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "max_num_batched_tokens (");
    kvb_error_add_count(&line, context->max_num_batched_tokens);
    kvb_error_add(&line, ") is smaller than max_model_len (");
    kvb_error_add_count(&line, context->max_model_len);
    kvb_error_add(
        &line, "). This effectively limits the maximum sequence length to max_num_batched_tokens and makes vLLM reject "
               "longer sequences. Please increase max_num_batched_tokens or decrease max_model_len.");
}

#define LONG_HINT_SINCE KVB_RELEASE(0, 5, 4)

void kvb_error_long_length(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "User-specified max_model_len (");
    kvb_error_add_count(&line, context->max_model_len);
    kvb_error_add(&line, ") is greater than the derived max_model_len (max_position_embeddings=");
    kvb_error_add_count(&line, context->longest_taken);
    kvb_error_add(&line, " or model_max_length=None in model's config.json).");
    if (context->release >= LONG_HINT_SINCE) {
        kvb_error_add(&line, " To allow overriding this maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1");
    }
}

#define LOAD_HINT_SINCE KVB_RELEASE(0, 13, 0)
#define SHORT_NAME_SINCE KVB_RELEASE(0, 6, 4) // torch 2.5 dropped "cuda" from the exception's name

void kvb_error_profile(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool short_name = context->release >= SHORT_NAME_SINCE;
    kvb_error_text(short_name ? "torch.OutOfMemoryError: CUDA out of memory."
                              : "torch.cuda.OutOfMemoryError: CUDA out of memory.",
                   out);
}

bool kvb_error_hints_at_share(const struct kvb_context *context)
{
    return context->release >= LOAD_HINT_SINCE;
}

void kvb_error_load(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!kvb_error_hints_at_share(context)) {
        kvb_error_profile(context, out);
        return;
    }
    kvb_error_text("Failed to load model - not enough GPU memory. Try lowering --gpu-memory-utilization to free memory "
                   "for weights, increasing --tensor-parallel-size, or using --quantization. See "
                   "https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more tips. (original error: "
                   "CUDA out of memory. ...)",
                   out);
}

// Source: vllm/model_executor/models/registry.py _raise_for_unsupported; the list that follows is left out.
void kvb_error_unknown_class(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "Model architectures ['");
    kvb_error_add(&line, context->model->architecture);
    kvb_error_add(&line, "'] are not supported for now.");
}

void kvb_error_no_auto_fit(char out[KVB_ERROR_TEXT_CAPACITY])
{
    kvb_error_text("Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token. Try "
                   "increasing `gpu_memory_utilization`.",
                   out);
}
