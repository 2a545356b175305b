// Each part of an answer beside the buffer that llama.cpp prints for it: of which item, on the GPU or on the host. The
// lines of a log: "load_tensors: CUDA0 model buffer size" and "CPU_Mapped model buffer size", "llama_kv_cache: CUDA0 KV
// buffer size" and "CPU KV buffer size", "llama_memory_recurrent: CUDA0 RS buffer size", "CUDA0 compute buffer size"
// and "CUDA_Host compute buffer size", "CUDA_Host output buffer size"; the same again of a draft and of a projector.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>

#include "engines/llamacpp/start.h"
#include "unit/llamacpp_line.h"

static struct kvb_budget budget;
static struct kvb_llama_start start;

static void ask_of(const char *model, const char *line)
{
    read_line(line);
    run_on(model, "h100-80", "llama.cpp");
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    kvb_llama_start_of(&plan, false, &start);
}

static void ask(const char *line)
{
    ask_of("Qwen/Qwen3.6-27B", line);
}

struct told {
    const char *key, *label;
    enum kvb_item item;
    bool host;
    uint64_t bytes;
};

static void expect_parts(const struct told *told, size_t count)
{
    assert_int_equal(budget.part_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct kvb_budget_part *part = &budget.parts[i];
        assert_string_equal(part->key, told[i].key);
        assert_string_equal(part->label, told[i].label);
        assert_true(told[i].bytes > 0);
        if (part->item != told[i].item || part->host != told[i].host || part->bytes != (int64_t)told[i].bytes) {
            fail_msg("%s: item %d, host %d, %lld bytes, not %llu", part->key, (int)part->item, part->host,
                     (long long)part->bytes, (unsigned long long)told[i].bytes);
        }
    }
}

// 40 of 65 layers on the GPU, a draft with 20 of 29 there, a projector on it.
static void on_both_sides(void **state)
{
    (void)state;
    ask("llama-server -m Qwen3.6-27B-Q4_K_M.gguf -c 8192 -ngl 40 -md Qwen3-0.6B-Q8_0.gguf -ngld 20 --mmproj m.gguf");
    const struct kvb_llama_place *device = &start.buffers.places[0], *host = &start.buffers.places[KVB_LLAMA_HOST];
    const struct kvb_llama_place *drafter = &start.beside.draft.places[0];
    const struct kvb_llama_place *idle = &start.beside.draft.places[KVB_LLAMA_HOST];
    const struct told told[] = {
        {"kv_buffer_bytes", "KV buffer", KVB_ITEM_KV_CACHE, false, device->cache_bytes},
        {"recurrent_state_bytes", "recurrent state", KVB_ITEM_KV_CACHE, false, device->state_bytes},
        {"host_model_bytes", "model buffer", KVB_ITEM_WEIGHTS, true, host->model_bytes},
        {"host_kv_bytes", "KV buffer", KVB_ITEM_KV_CACHE, true, host->cache_bytes + host->state_bytes},
        {"host_compute_bytes", "compute buffer", KVB_ITEM_ACTIVATION, true, host->compute_bytes},
        {"draft_model_bytes", "draft: model buffer", KVB_ITEM_WEIGHTS, false, drafter->model_bytes},
        {"draft_kv_bytes", "draft: KV buffer", KVB_ITEM_KV_CACHE, false, drafter->cache_bytes},
        {"draft_compute_bytes", "draft: compute buffer", KVB_ITEM_ACTIVATION, false, drafter->compute_bytes},
        {"host_draft_bytes", "draft: all buffers", KVB_ITEM_OTHER, true,
         idle->model_bytes + idle->cache_bytes + idle->compute_bytes},
        {"projector_model_bytes", "projector: model buffer", KVB_ITEM_WEIGHTS, false, plan.projector.bytes},
        {"projector_compute_bytes", "projector: compute buffer", KVB_ITEM_ACTIVATION, false,
         start.beside.projector.compute_bytes},
        {"host_output_bytes", "output buffer", KVB_ITEM_OTHER, true, start.buffers.output_bytes},
    };
    expect_parts(told, sizeof told / sizeof told[0]);
    assert_true(host->state_bytes > 0 && host->cache_bytes > 0);
    // an item holds what lies on the GPU, of all that is loaded
    const struct kvb_term *items = budget.items;
    assert_int_equal(items[KVB_ITEM_WEIGHTS].bytes, device->model_bytes + drafter->model_bytes + plan.projector.bytes);
    assert_int_equal(items[KVB_ITEM_KV_CACHE].bytes, device->cache_bytes + device->state_bytes + drafter->cache_bytes);
    assert_int_equal(items[KVB_ITEM_ACTIVATION].bytes,
                     device->compute_bytes + drafter->compute_bytes + start.beside.projector.compute_bytes);
}

// A picture is then read on the CPU: its inputs alone lie in a buffer of the graph.
static void projector_on_the_host(void **state)
{
    (void)state;
    ask("llama-server -m Qwen3.6-27B-Q4_K_M.gguf -c 8192 -ngl 99 --mmproj m.gguf --no-mmproj-offload");
    const struct kvb_llama_place *device = &start.buffers.places[0], *host = &start.buffers.places[KVB_LLAMA_HOST];
    const struct told told[] = {
        {"kv_buffer_bytes", "KV buffer", KVB_ITEM_KV_CACHE, false, device->cache_bytes},
        {"recurrent_state_bytes", "recurrent state", KVB_ITEM_KV_CACHE, false, device->state_bytes},
        {"host_model_bytes", "model buffer", KVB_ITEM_WEIGHTS, true, host->model_bytes},
        {"host_compute_bytes", "compute buffer", KVB_ITEM_ACTIVATION, true, host->compute_bytes},
        {"host_projector_bytes", "projector: model buffer", KVB_ITEM_WEIGHTS, true, plan.projector.bytes},
        {"host_projector_compute_bytes", "projector: compute buffer", KVB_ITEM_ACTIVATION, true,
         start.beside.projector.input_bytes},
        {"host_output_bytes", "output buffer", KVB_ITEM_OTHER, true, start.buffers.output_bytes},
    };
    expect_parts(told, sizeof told / sizeof told[0]);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].bytes, device->model_bytes);
    assert_int_equal(budget.items[KVB_ITEM_ACTIVATION].bytes, device->compute_bytes);
}

// Of a model without states the cache is one buffer, which the item names already.
static void without_states(void **state)
{
    (void)state;
    ask_of("Qwen/Qwen3-0.6B", "llama-server -m Qwen3-0.6B-Q8_0.gguf -c 8192 -ngl 99");
    const struct kvb_llama_place *device = &start.buffers.places[0], *host = &start.buffers.places[KVB_LLAMA_HOST];
    const struct told told[] = {
        {"host_model_bytes", "model buffer", KVB_ITEM_WEIGHTS, true, host->model_bytes},
        {"host_compute_bytes", "compute buffer", KVB_ITEM_ACTIVATION, true, host->compute_bytes},
        {"host_output_bytes", "output buffer", KVB_ITEM_OTHER, true, start.buffers.output_bytes},
    };
    expect_parts(told, sizeof told / sizeof told[0]);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, device->cache_bytes);
}

KVB_TEST_MAIN(cmocka_unit_test(without_states), cmocka_unit_test(on_both_sides),
              cmocka_unit_test(projector_on_the_host))
