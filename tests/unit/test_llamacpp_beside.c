// What is loaded beside a model: draft models, layers for further tokens, projectors read from their files.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "budget/shapes.h"
#include "engines/llamacpp/start.h"
#include "model/projector.h"
#include "unit/gguf_bytes.h"
#include "unit/llamacpp_line.h"

static struct kvb_model model;
static struct kvb_budget budget;
static struct kvb_llama_start start;

static void resolve(const char *name, const char *engine)
{
    run_on(name, "rtx4090", engine);
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    kvb_llama_start_of(&plan, false, &start);
}

static uint64_t hundredths(uint64_t bytes)
{
    return (bytes * 100 + (1 << 19)) >> 20;
}

static int64_t part(const char *key)
{
    for (uint32_t i = 0; i < budget.part_count; i++) {
        if (strcmp(budget.parts[i].key, key) == 0) {
            return budget.parts[i].bytes;
        }
    }
    return -1;
}

// One context for all slots, as long as the model's: 16384 tokens x 28 layers x 2 x 8 x 128 x 2 bytes = 1792 MiB; in
// q8_0 34/64 of it.
static void test_a_draft_model(void **state)
{
    (void)state;
    read_line("llama-server -m Qwen3-14B-Q4_K_M.gguf -md Qwen3-0.6B-Q8_0.gguf -c 16384 -ngl 99");
    resolve("Qwen/Qwen3-14B", "llama.cpp");
    assert_int_equal(start.beside.contexts, 1);
    assert_int_equal(hundredths((uint64_t)part("draft_kv_bytes")), 179200);
    assert_true(part("draft_model_bytes") > 600 * (1 << 20) && part("draft_model_bytes") < 640 * (1 << 20));
    assert_int_equal(start.run.output_rows, 16); // four slots, one token and three drafted
    read_line("llama-server -m Qwen3-14B-Q4_K_M.gguf -hfd Qwen/Qwen3-0.6B-GGUF:Q8_0 -c 16384 -ngl 99 -ctkd q8_0 "
              "-ctvd q8_0 --draft-max 7");
    resolve("Qwen/Qwen3-14B", "llama.cpp");
    assert_int_equal(hundredths((uint64_t)part("draft_kv_bytes")), 95200);
    assert_int_equal(start.run.output_rows, 32);
    read_line("llama-server -m Qwen3-14B-Q4_K_M.gguf -md Qwen3-0.6B-Q8_0.gguf -c 16384 -ngl 99 -ngld 0 -cd 4096");
    resolve("Qwen/Qwen3-14B", "llama.cpp");
    assert_int_equal(part("draft_kv_bytes"), -1);
    assert_true(part("host_draft_bytes") > 0);
}

// Before, each slot had a context of its own, its batch as long as itself: at b4906 (issue 12436) 32768 tokens of
// Qwen2.5-0.5B take 24 layers x 2 x 2 x 64 x 2 bytes x 32768 = 384 MiB, in f16 whatever -ctk says.
static void test_a_draft_for_each_slot(void **state)
{
    (void)state;
    read_line("llama-server -m QwQ-32B-IQ4_XS.gguf -ngl 999 -c 32768 -fa on -ctv q8_0 -ctk q8_0 -ngld 99 -md "
              "Qwen2.5-0.5B-Instruct-IQ4_XS.gguf");
    resolve("Qwen/QwQ-32B", "llama.cpp@b4906");
    assert_int_equal(start.beside.contexts, 1);
    assert_int_equal(hundredths((uint64_t)part("draft_kv_bytes")), 38400);
    uint64_t compute = (uint64_t)part("draft_compute_bytes");
    read_line("llama-server -m QwQ-32B-IQ4_XS.gguf -ngl 999 -c 32768 -np 4 -fa on -ngld 99 -md "
              "Qwen2.5-0.5B-Instruct-IQ4_XS.gguf");
    resolve("Qwen/QwQ-32B", "llama.cpp@b4906");
    assert_int_equal(start.beside.contexts, 4);
    assert_int_equal(start.beside.draft_run.batch, 8192);
    assert_int_equal(start.beside.draft_run.ubatch, 512); // n_ubatch of common_params, shorter than the batch
    assert_int_equal(hundredths((uint64_t)part("draft_kv_bytes")), 38400); // a quarter each
    assert_true((uint64_t)part("draft_compute_bytes") > 2 * compute);
}

static void test_what_drafts_nothing(void **state)
{
    (void)state;
    read_line("llama-server -m Qwen3-14B-Q4_K_M.gguf --spec-type ngram-mod -c 4096");
    resolve("Qwen/Qwen3-14B", "llama.cpp");
    assert_int_equal(start.beside.contexts, 0);
    read_line("llama-server -m Qwen3-14B-Q4_K_M.gguf --spec-type draft-mtp,ngram-mod -c 4096");
    resolve("Qwen/Qwen3-14B", "llama.cpp");
    assert_int_equal(start.beside.contexts, 0);
    assert_true(is_said("draft-mtp is asked for and the model has no layers for further tokens"));
    read_line("llama-server -m Qwen3-14B-Q4_K_M.gguf -md unknown-model-Q8_0.gguf -c 4096 -ngl 99");
    resolve("Qwen/Qwen3-14B", "llama.cpp");
    assert_int_equal(budget.verdict, KVB_TIGHT);
    assert_true(is_said("is not here and its name is not known: it is not counted"));
}

static struct kvb_llama_run qwen36_27b(uint32_t build)
{
    memset(&model, 0, sizeof model);
    (void)snprintf(model.architecture, sizeof model.architecture, "Qwen3_5ForCausalLM");
    model.layer_count = 64;
    model.hidden_size = 5120;
    model.vocabulary_size = 248320;
    model.kind_count = 2;
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_FULL,
                                                            .heads = 24,
                                                            .kv_heads = 4,
                                                            .head_size = 256,
                                                            .value_head_size = 256,
                                                            .gated_output = true,
                                                            .qk_norm = KVB_QK_NORM_PER_HEAD};
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 17408};
    model.kinds[1] = model.kinds[0];
    model.kinds[1].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                            .conv_kernel = 4,
                                                            .state_key_size = 128,
                                                            .state_value_size = 128,
                                                            .state_key_heads = 16,
                                                            .state_value_heads = 48};
    for (uint32_t i = 0; i < 64; i++) {
        model.kind_of_layer[i] = (i + 1) % 4 == 0 ? 0 : 1;
    }
    model.mtp_layers = 1;
    model.mtp_extra_matrices_hidden = 2;
    model.mtp_norms = 3;
    return (struct kvb_llama_run){.model = &model,
                                  .build = build,
                                  .backend = KVB_LLAMA_CUDA,
                                  .devices = 1,
                                  .gpu_layers = 65,
                                  .context_tokens = 131072,
                                  .sequences = 4,
                                  .unified = true,
                                  .batch = 2048,
                                  .ubatch = 512,
                                  .flash = true,
                                  .server = true,
                                  .key_type = KVB_LLAMA_CACHE_Q8_0,
                                  .value_type = KVB_LLAMA_CACHE_Q8_0};
}

// unsloth/Qwen3.6-27B-MTP-GGUF, 2026-05-14: "creating MTP draft context", KV 272.00 MiB of one layer, compute buffer
// 495.00, host 276.28: the mask, two hidden states, and 256 x 256 and 64 x 64 numbers that a quantised cache is rotated
// by.
static void test_layers_for_further_tokens(void **state)
{
    struct kvb_llama_run run = qwen36_27b(9170);
    struct kvb_llama_buffers buffers;
    (void)state;
    kvb_llama_head_buffers(&run, &buffers);
    assert_int_equal(hundredths(buffers.places[0].cache_bytes), 27200);
    assert_int_equal(hundredths(buffers.places[0].compute_bytes), 49500);
    assert_int_equal(hundredths(buffers.places[KVB_LLAMA_HOST].compute_bytes), 27628);
    // A class whose context is not filtered keeps the cache of all its layers: 16 with attention, and that one.
    (void)snprintf(model.architecture, sizeof model.architecture, "LongcatFlashForCausalLM");
    kvb_llama_head_buffers(&run, &buffers);
    assert_int_equal(hundredths(buffers.places[0].cache_bytes), 17 * 27200);
}

// As a whole start: the layer's cache is in f16 whatever the model's is in: 4096 cells x 2 x 4 x 256 x 2 bytes = 16
// MiB; it lies on the host with the model's layers. A draft model of its own stands in place of the layer.
static void test_a_start_with_them(void **state)
{
    (void)state;
    read_line("llama-server -m Qwen3.6-27B-Q4_K_M.gguf --spec-type draft-mtp -c 4096 -ngl 99 -ctk q8_0 -ctv q8_0");
    resolve("Qwen/Qwen3.6-27B", "llama.cpp");
    assert_true(start.beside.heads);
    assert_true(start.run.loads_heads);
    assert_false(start.beside.draft_run.loads_heads); // the model that is loaded already has them
    assert_int_equal(start.beside.contexts, 1);
    assert_int_equal(hundredths((uint64_t)part("draft_kv_bytes")), 1600);
    read_line("llama-server -m Qwen3.6-27B-Q4_K_M.gguf --spec-type draft-mtp -c 4096 -ngl 0");
    resolve("Qwen/Qwen3.6-27B", "llama.cpp");
    assert_int_equal(part("draft_kv_bytes"), -1);
    assert_true(part("host_draft_bytes") > 16 * (1 << 20));
    read_line("llama-server -m Qwen3.6-27B-Q4_K_M.gguf --spec-type draft-mtp -md Qwen3-0.6B-Q8_0.gguf -c 4096 -ngl 99");
    resolve("Qwen/Qwen3.6-27B", "llama.cpp");
    assert_false(start.beside.heads);
    assert_int_equal(hundredths((uint64_t)part("draft_kv_bytes")), 44800); // 4096 x 28 layers x 2 x 8 x 128 x 2 bytes
    read_line("llama-server -m Qwen3.6-27B-Q4_K_M.gguf --spec-type ngram-mod -md Qwen3-0.6B-Q8_0.gguf -c 4096");
    resolve("Qwen/Qwen3.6-27B", "llama.cpp");
    assert_int_equal(start.beside.contexts, 0); // what drafts from the prompt reads no model
}

static void test_weights_of_those_layers(void **state)
{
    struct kvb_llama_run run = qwen36_27b(9500);
    struct kvb_llama_buffers with, without;
    (void)state;
    kvb_llama_lasting_buffers(&run, &without);
    run.loads_heads = true;
    kvb_llama_lasting_buffers(&run, &with);
    // In f16: attention 5120 x (12288 + 2 x 1024 + 6144) - the gate is in the first -, MLP 3 x 5120 x 17408, the joint
    // matrix 10240 x 5120; in f32 norms of queries and keys of 256 and three of 5120; the model here says of no others.
    uint64_t matrices = 2ULL * (5120ULL * (12288 + 2 * 1024 + 6144) + 3ULL * 5120 * 17408 + 10240ULL * 5120);
    assert_int_equal(with.places[0].model_bytes - without.places[0].model_bytes, matrices + 4 * (2 * 256 + 3 * 5120));
}

// ---- Files of projectors

static void write_projector(const char *architecture, const char *kind, uint32_t layers)
{
    struct gguf_bytes bytes;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    gguf_head(&bytes, 3, 3, 10);
    gguf_word(&bytes, "general.architecture", architecture);
    gguf_word(&bytes, "clip.projector_type", kind);
    gguf_whole(&bytes, "clip.vision.block_count", layers);
    gguf_whole(&bytes, "clip.vision.embedding_length", 1152);
    gguf_whole(&bytes, "clip.vision.feed_forward_length", 4304);
    gguf_whole(&bytes, "clip.vision.attention.head_count", 16);
    gguf_whole(&bytes, "clip.vision.image_size", 768);
    gguf_whole(&bytes, "clip.vision.patch_size", 16);
    gguf_whole(&bytes, "clip.vision.spatial_merge_size", 2);
    gguf_whole(&bytes, "clip.vision.projection_dim", 5120);
    gguf_tensor(&bytes, "v.blk.0.attn_qkv.weight", 1, 1152, 3456, 0, 1152 * 3456 * 2);
    gguf_tensor(&bytes, "v.deepstack.8.fc1.weight", 1, 4608, 4608, 0, 4608 * 4608 * 2);
    gguf_tensor(&bytes, "v.blk.0.ffn_up.weight", 1, 1152, 4304, 0, 1152 * 4304 * 2);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes.data, bytes.length), bytes.length);
    assert_int_equal(ftruncate(descriptor, (off_t)((bytes.length + 31) / 32 * 32 + bytes.data_offset)), 0);
    assert_int_equal(close(descriptor), 0);
    free(bytes.data);
}

static void test_a_file(void **state)
{
    struct kvb_projector read;
    (void)state;
    write_projector("clip", "qwen3vl_merger", 27);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_projector_load(path, &read, &problems), KVB_OK);
    assert_true(read.known && read.header && read.fused_qkv && !read.gated);
    assert_int_equal(read.family, KVB_ENCODER_QWEN3_VL);
    assert_int_equal(read.layers, 27);
    assert_int_equal(read.deepstack_levels, 1);
    assert_int_equal(read.bytes, 2 * (1152 * 3456 + 4608 * 4608 + 1152 * 4304));
    char line[200];
    (void)snprintf(line, sizeof line, "llama-server -m Qwen3-8B-Q4_K_M.gguf --mmproj %s -c 4096 -ngl 99", path);
    read_line(line);
    resolve("Qwen/Qwen3-8B", "llama.cpp");
    assert_int_equal(part("projector_model_bytes"), read.bytes);
    read_line(strcat(line, " --no-mmproj-offload"));
    resolve("Qwen/Qwen3-8B", "llama.cpp");
    assert_int_equal(part("projector_model_bytes"), -1);
    assert_int_equal(part("host_projector_bytes"), read.bytes);
}

static void assert_refused(const char *why)
{
    struct kvb_projector read;
    kvb_problems_init(&problems);
    assert_int_not_equal(kvb_projector_load(path, &read, &problems), KVB_OK);
    assert_true(is_said(why));
}

static void test_files_refused(void **state)
{
    (void)state;
    write_projector("qwen3", "qwen3vl_merger", 27);
    assert_refused("no picture projector: its architecture is 'qwen3', expected 'clip'");
    write_projector("clip", "qwen3vl_merger", 0);
    assert_refused("its metadata has no 'clip.vision.block_count'");
    write_projector("clip", "qwen3vl_merger", 70000);
    assert_refused("'clip.vision.block_count' is 70000; expected at most 65536");
    write_projector("clip", "of-another-kind", 27);
    struct kvb_projector read;
    assert_int_equal(kvb_projector_load(path, &read, &problems), KVB_OK);
    assert_int_equal(read.family, KVB_ENCODER_OTHER);
}

// mmproj-BF16 of Qwen3.6-27B: "model size: 887.99 MiB"; F16 of Qwen3-VL-30B: 1033.29. Counted from the config: 0.3 %.
static void test_the_models_own(void **state)
{
    (void)state;
    read_line("llama-server -hf unsloth/Qwen3.6-27B-GGUF:Q4_K_M -c 4096");
    resolve("", "llama.cpp");
    assert_true(plan.projector.known && !plan.projector.header);
    assert_in_range(hundredths(plan.projector.bytes), 88533, 89066);
    assert_true(is_said("pictures beyond 1472 x 1472 pixels take up to 232 MiB more"));
    read_line("llama-server -hf unsloth/Qwen3.6-27B-GGUF:Q4_K_M -c 4096 --no-mmproj");
    resolve("", "llama.cpp");
    assert_false(plan.projector.named);
    read_line("llama-server -m Qwen3-8B-Q4_K_M.gguf --mmproj mmproj-F16.gguf -c 4096 -ngl 99");
    resolve("Qwen/Qwen3-8B", "llama.cpp");
    assert_true(is_said("is not here and the model's config describes none"));
    assert_int_equal(budget.verdict, KVB_TIGHT);
    read_line("llama-server -m x-Q4_K_M.gguf --mmproj mmproj-F16.gguf -c 4096 -ngl 99");
    resolve("Qwen/Qwen3.6-27B", "llama.cpp");
    assert_true(is_said("is not here: it is counted as the model's own encoder in 16 bits"));
}

// server-context.cpp adds what the projector takes to the margin of --fit.
static void test_fit_leaves_room(void **state)
{
    (void)state;
    read_line("llama-server -hf unsloth/Qwen3.6-27B-GGUF:Q4_K_M -np 1");
    resolve("", "llama.cpp");
    uint64_t with = start.run.context_tokens;
    read_line("llama-server -hf unsloth/Qwen3.6-27B-GGUF:Q4_K_M -np 1 --no-mmproj");
    resolve("", "llama.cpp");
    assert_true(with < start.run.context_tokens);
    assert_true(with > 0);
}

static void test_words_refused(void **state)
{
    static const char *const lines[][3] = {
        {"--spec-type", "fast", "spec-type: 'fast' is not known; expected none, draft-simple, draft-mtp"},
        {"--draft-max", "many", "draft-max: 'many' is not known; expected a number of tokens up to 1024"},
        {"-hfd", "Qwen/Qwen3-0.6B-GGUF:Q9", "'q9' is not known"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *words[] = {"llama-server", lines[i][0], lines[i][1]};
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        assert_int_not_equal(kvb_serve_command_read(3, words, &deployment, &problems), KVB_OK);
        assert_true(is_said(lines[i][2]));
    }
}

// Heads of 16 bits for Qwen3-8B (4096 hidden, MLP of 4 x that, 151936 tokens; 8 KV heads of 128), whose file is not
// here: EAGLE-3 2 * (7 * 4096^2 + 3 * 4096 * 16384 + 3 * 4096^2 + 151936 * 4096), DFlash 2 * (8 * (4 * 4096^2 + 3 *
// 4096 * 16384) + 6 * 4096^2); 8192 cells of 2048 elements in each layer.
static void test_heads_that_are_not_here(void **state)
{
    static const struct {
        const char *line;
        int64_t weights_bytes, cache_bytes;
    } rows[] = {
        {"llama-server -m x.gguf -c 8192 -np 1 --spec-type draft-eagle3 -md head.gguf", 1982857216, 33554432},
        {"llama-server -m x.gguf -c 8192 -np 1 --spec-type draft-dflash -md head.gguf", 4496293888, 268435456},
        {"llama-server -m x.gguf -c 8192 -np 1 -md head.gguf", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_line("llama-server -m x.gguf -c 8192 -np 1");
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
        resolve("Qwen/Qwen3-8B", "llama.cpp");
        struct kvb_budget plain = budget;
        read_line(rows[i].line);
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
        resolve("Qwen/Qwen3-8B", "llama.cpp");
        const struct kvb_term *weights = &budget.items[KVB_ITEM_WEIGHTS], *cache = &budget.items[KVB_ITEM_KV_CACHE];
        assert_int_equal(weights->high_bytes - plain.items[KVB_ITEM_WEIGHTS].high_bytes, rows[i].weights_bytes);
        assert_int_equal(cache->high_bytes - plain.items[KVB_ITEM_KV_CACHE].high_bytes, rows[i].cache_bytes);
        assert_int_equal(cache->basis, rows[i].cache_bytes > 0 ? KVB_BASIS_MODELLED : KVB_BASIS_EXACT);
        assert_int_equal(budget.verdict, KVB_TIGHT);
        const char *text = problems.items[problems.count - 1].text;
        assert_true(problems.count > 0);
        assert_int_equal(strstr(text, "the most that such a head can be is in the bound") != NULL,
                         rows[i].cache_bytes > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_draft_model),
        cmocka_unit_test(test_a_draft_for_each_slot),
        cmocka_unit_test(test_what_drafts_nothing),
        cmocka_unit_test(test_layers_for_further_tokens),
        cmocka_unit_test(test_a_start_with_them),
        cmocka_unit_test(test_weights_of_those_layers),
        cmocka_unit_test_setup_teardown(test_a_file, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_files_refused, make_path, remove_path),
        cmocka_unit_test(test_the_models_own),
        cmocka_unit_test(test_fit_leaves_room),
        cmocka_unit_test(test_words_refused),
        cmocka_unit_test(test_heads_that_are_not_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
