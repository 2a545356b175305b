// What stands beside a file: .env of a compose file, the ranks of adapters, and tensors packed in words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/manifest.h>

#include "checkpoint_files.h"
#include "deployment/adapters.h"
#include "model/checkpoint/checkpoint.h"
#include "unit/found_lines.h"
#include "unit/own_folder.h"

static struct kvb_problems problems, said;

// ---- compose

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    for (uint32_t i = 0; i < found->problems.count && said.count == 0; i++) {
        said = found->problems;
    }
    return take_found_line(context, found);
}

static const char *read_compose(const char *environment, const char *arguments)
{
    char text[512], path[128];
    const struct kvb_manifest_options options = {.lenient = true};
    struct kvb_manifest_seen seen;
    (void)snprintf(text, sizeof text, "services:\n  v:\n    image: vllm/vllm-openai:v0.11.0\n    command: %s\n",
                   arguments);
    (void)snprintf(path, sizeof path, "%s/compose.yaml", root);
    write_text(root, "compose.yaml", text);
    write_text(root, ".env", environment);
    kvb_buffer_free(&found_lines);
    kvb_buffer_init(&found_lines);
    kvb_problems_init(&problems);
    kvb_problems_init(&said);
    assert_int_equal(kvb_manifest_load(path, &options, take, NULL, &seen, &problems), KVB_OK);
    return found_lines.data;
}

// compose-go, dotenv: comments, blanks, quotes of both kinds; the last of a name counts.
static void env_files(void **state)
{
    (void)state;
    static const char start[] =
        "# of this folder\n\nMODEL='a/b'\nLENGTH=\"512\" \r\nno pair\nEMPTY=\nHALF='4096\nHF_TOKEN=s3cret\n";
    assert_string_equal(read_compose(start, "--model ${MODEL} --max-model-len ${LENGTH}"),
                        "compose model=a/b engine=vllm@0.11.0 max_model_len=512 !ok");
    assert_non_null(strstr(said.items[0].text, "LENGTH"));
    assert_string_equal(read_compose("LENGTH=1\nLENGTH=2", "--model a/b --max-model-len ${LENGTH}"),
                        "compose model=a/b engine=vllm@0.11.0 max_model_len=2 !ok");
    assert_string_equal(read_compose(start, "--model a/b --max-model-len ${EMPTY:-256}"),
                        "compose model=a/b engine=vllm@0.11.0 max_model_len=256 !ok");
    assert_string_equal(read_compose(start, "--model a/b --max-model-len ${HALF}"),
                        "compose model=a/b engine=vllm@0.11.0 !ok !bad_type");
    (void)read_compose(start, "--model a/${HF_TOKEN}"); // what looks like a secret is never shown
    assert_null(strstr(found_lines.data, "s3cret"));
    kvb_buffer_free(&found_lines);
}

// ---- adapters

static void adapter(struct kvb_deployment *deployment, const char *name, const char *config)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
    if (config != NULL) {
        write_text(path, "adapter_config.json", config);
    }
    (void)snprintf(deployment->adapters[deployment->adapter_count++], KVB_NAME_CAPACITY, "%s", path);
}

static void forget_adapters(const struct kvb_deployment *deployment)
{
    for (uint32_t i = 0; i < deployment->adapter_count; i++) {
        empty_folder(deployment->adapters[i]);
        (void)rmdir(deployment->adapters[i]);
    }
}

// vllm/lora/peft_helper.py, validate_legal: `if self.r > lora_config.max_lora_rank` refuses.
static void ranks_of_adapters(void **state)
{
    static struct kvb_deployment deployment;
    char expected[512];
    (void)state;
    kvb_deployment_init(&deployment);
    adapter(&deployment, "fits", "{\"r\": 16}");
    adapter(&deployment, "high", "{\"r\": 64, \"lora_alpha\": 32}");
    adapter(&deployment, "word", "{\"r\": \"many\"}");
    adapter(&deployment, "list", "{\"r\": [8]}");
    adapter(&deployment, "keyless", "{}");
    adapter(&deployment, "sequence", "[]");
    adapter(&deployment, "broken", "{");
    adapter(&deployment, "empty", NULL);
    assert_int_equal(kvb_adapters_rank(&deployment), 64);
    kvb_problems_init(&problems);
    kvb_adapters_judge(&deployment, &problems);
    assert_int_equal(problems.count, 7); // all but the one that fits
    (void)snprintf(expected, sizeof expected,
                   "the adapter '%s/high' has rank 64, and max_lora_rank is 16: the engine refuses it at start; set "
                   "--max-lora-rank 64",
                   root);
    assert_string_equal(problems.items[0].text, expected);
    assert_int_equal(problems.items[0].severity, KVB_WARNING);
    for (uint32_t i = 1; i < problems.count; i++) {
        (void)snprintf(expected, sizeof expected,
                       "the adapter '%s' is not here: its rank is taken to be at most 16, the engine's max_lora_rank",
                       deployment.adapters[i + 1]);
        assert_string_equal(problems.items[i].text, expected);
        assert_int_equal(problems.items[i].severity, KVB_NOTICE);
    }
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_LORA_RANK, 64, KVB_ORIGIN_FLAG);
    kvb_problems_init(&problems);
    kvb_adapters_judge(&deployment, &problems);
    assert_int_equal(problems.count, 6); // 64 is enough for the high one
    forget_adapters(&deployment);
}

// ---- packed tensors

struct packed_row {
    const char *name, *element;
    unsigned bytes;
    uint64_t rows, columns;
    uint32_t bits;       // of an element in packed words; 0: not said
    uint64_t parameters; // by hand
};

static const struct packed_row packed_rows[] = {
    // gptqmodel: 32 / bits numbers in a word of 32 bits.
    {"model.layers.0.self_attn.q_proj.qweight", "I32", 4, 8, 64, 4, 8 * 64 * 8},
    {"model.layers.0.self_attn.q_proj.qweight", "I32", 4, 8, 64, 8, 8 * 64 * 4},
    {"model.layers.0.self_attn.q_proj.qweight", "I32", 4, 8, 64, 2, 8 * 64 * 16},
    {"model.layers.0.self_attn.q_proj.qweight", "I32", 4, 8, 64, 0, 8 * 64 * 8}, // four bits are usual
    {"model.layers.0.self_attn.q_proj.qweight", "I32", 4, 8, 64, 16, 8 * 64 * 8},
    // bitsandbytes, nvfp4 and mxfp4: two numbers in a byte; a vector of bytes is one of each.
    {"model.layers.0.mlp.down_proj.weight", "U8", 1, 8, 64, 0, 8 * 64 * 2},
    {"model.layers.0.mlp.down_proj.weight", "U8", 1, 512, 0, 0, 512},
    {"model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", 1, 512, 0, 0, 512 * 2},
    {"model.layers.0.self_attn.q_proj.weight", "BF16", 2, 8, 64, 0, 8 * 64},
};

static void packed_tensors(void **state)
{
    (void)state;
    static struct kvb_checkpoint checkpoint;
    for (size_t i = 0; i < sizeof packed_rows / sizeof packed_rows[0]; i++) {
        const struct packed_row *row = &packed_rows[i];
        struct shard shard;
        empty_folder(root);
        shard_begin(&shard, root, "model.safetensors");
        shard_tensor(&shard, row->element, row->bytes, row->rows, row->columns, "%s", row->name);
        shard_end(&shard);
        kvb_problems_init(&problems);
        enum kvb_status status = kvb_checkpoint_load(root, row->bits, &checkpoint, &problems);
        if (status != KVB_OK || checkpoint.parameters != row->parameters) {
            fail_msg("row %zu: %s, %llu parameters", i, kvb_status_name(status),
                     (unsigned long long)checkpoint.parameters);
        }
    }
}

static void files_that_are_no_weights(void **state)
{
    (void)state;
    static struct kvb_checkpoint checkpoint;
    static const char *const others[] = {"adapter_model.safetensors", "consolidated.safetensors", ".hidden.safetensors",
                                         "readme.txt", "safetensors"};
    struct shard shard;
    empty_folder(root);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        write_text(root, others[i], "no weights");
    }
    kvb_problems_init(&problems);
    assert_int_equal(kvb_checkpoint_load(root, 0, &checkpoint, &problems), KVB_OK);
    assert_int_equal(checkpoint.kind, KVB_CHECKPOINT_NONE);
    shard_begin(&shard, root, "model.safetensors");
    shard_tensor(&shard, "BF16", 2, 8, 8, "lm_head.weight");
    shard_end(&shard);
    assert_int_equal(kvb_checkpoint_load(root, 0, &checkpoint, &problems), KVB_OK);
    assert_int_equal(checkpoint.kind, KVB_CHECKPOINT_SAFETENSORS);
    assert_int_equal(checkpoint.file_count, 1);
    assert_int_equal(problems.count, 0);
}

KVB_TEST_MAIN_WITH(make_bare_root, remove_root, cmocka_unit_test(env_files), cmocka_unit_test(ranks_of_adapters),
                   cmocka_unit_test(packed_tensors), cmocka_unit_test(files_that_are_no_weights))
