// The corpus of tests/fixtures/manifests: each file gives exactly these deployments, with the line and column of
// every flag, counted by hand in the file. NAME@L:C is the place of what stands before it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/manifest.h>

#include "base/buffer.h"
#include "unit/test.h"

static struct kvb_buffer seen;
static struct kvb_problems problems;

static void add_spot(struct kvb_spot spot)
{
    if (spot.line > 0) {
        kvb_buffer_printf(&seen, "@%u:%u", (unsigned)spot.line, (unsigned)spot.column);
    }
}

static void add_text(const char *key, const char *text, struct kvb_spot spot)
{
    if (text[0] != '\0') {
        kvb_buffer_printf(&seen, " %s=%s", key, text);
        add_spot(spot);
    }
}

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    kvb_buffer_printf(&seen, "%s %s", found->kind, found->name);
    add_spot(found->place);
    add_text("model", found->deployment.model, found->model);
    add_text("gpu", found->deployment.gpu, found->gpu);
    add_text("engine", found->deployment.engine, found->engine);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &found->deployment.settings.values[i];
        char text[48];
        if (value->set) {
            add_text(kvb_setting_row_of(i)->key, kvb_setting_format(text, (enum kvb_setting)i, value->number),
                     found->settings[i]);
        }
    }
    if (found->gpu_limit > 0) {
        kvb_buffer_printf(&seen, " gpus=%u", (unsigned)found->gpu_limit);
        add_spot(found->gpu_limit_place);
    }
    for (uint32_t i = 0; i < found->problems.count; i++) {
        const struct kvb_problem *problem = &found->problems.items[i];
        kvb_buffer_printf(&seen, " !%s@%u:%u", kvb_status_name(problem->status), (unsigned)problem->line,
                          (unsigned)problem->column);
    }
    kvb_buffer_add(&seen, "\n");
    return KVB_OK;
}

struct row {
    const char *file;
    const char *expected;
};

static const struct row rows[] = {
    {"good/Dockerfile", "dockerfile vllm serve Qwen/Qwen2.5-7B-Instruct@8:1 model=Qwen/Qwen2.5-7B-Instruct@8:7 "
                        "gpu=a100-sxm-80@4:13 engine=vllm@0.11.0@3:6 max_model_len=32768@10:7\n"},
    {"good/Procfile", "procfile web@2:1 model=Qwen/Qwen2.5-0.5B-Instruct@2:17 gpu=l4@1:13 max_model_len=4096@2:44\n"},
    {"good/compose.yaml",
     "compose services.small@18:3 model=Qwen/Qwen2.5-0.5B-Instruct@20:14 gpu=l4@17:15 engine=vllm@0.11.0@12:10 "
     "max_model_len=8192@20:49 gpus=1@7:13\n"
     "compose services.large@24:3 model=Qwen/Qwen2.5-7B-Instruct@33:25 gpu=h100-sxm@23:15 engine=vllm@0.11.0@12:10 "
     "gpu_memory_utilization=0.90@35:11 max_model_len=32768@34:11 gpus=1@7:13\n"},
    {"good/deployment.yaml",
     "kubernetes Deployment/qwen@26:11 model=Qwen/Qwen2.5-7B-Instruct@35:15 gpu=nvidia-a100-sxm4-80gb@22:33 "
     "engine=vllm@0.10.1@27:18 max_model_len=16384@37:15 enable_prefix_caching=true@38:15 gpus=1@41:15\n"},
    {"good/docker-run.sh", "shell vllm serve Qwen/Qwen2.5-7B-Instruct@2:1 model=Qwen/Qwen2.5-7B-Instruct@6:3 "
                           "gpu=l40s@1:13 engine=vllm@0.8.5.post1@5:3 max_model_len=16384@6:36\n"},
    {"good/kserve-containers.yaml", "kserve InferenceService/custom@9:9 model=Qwen/Qwen2.5-0.5B-Instruct@13:13 "
                                    "gpu=nvidia-l4@7:44 max_model_len=4096@14:13 gpus=1@16:20\n"},
    {"good/with-config.sh",
     "shell vllm serve Qwen/Qwen2.5-1.5B-Instruct@2:1 model=Qwen/Qwen2.5-1.5B-Instruct@2:12 gpu=l4@1:13 "
     "gpu_memory_utilization=0.85@2:12 max_model_len=8192@2:31 enforce_eager=true@2:12 limit_images=0@2:12\n"},
    {"good/kserve.yaml",
     "kserve InferenceService/qwen-chat@10:7 model=Qwen/Qwen2.5-1.5B-Instruct@14:11 gpu=l4@8:41 "
     "max_model_len=8192@15:11 gpus=1@18:11\n"
     "kserve LLMInferenceService/qwen-scaled@35:9 model=Qwen/Qwen2.5-7B-Instruct@26:5 gpu=nvidia-l40s@33:31 "
     "gpu_memory_utilization=0.85@38:43 max_model_len=16384@38:21 tensor_parallel_size=2@30:5 gpus=2@41:13\n"},
    {"good/lws.yaml", "kubernetes LeaderWorkerSet/llama-70b@15:13 model=meta-llama/Llama-3.1-70B-Instruct@21:76 "
                      "gpu=h100-sxm@13:45 engine=vllm@0.9.2@16:20 max_model_len=16384@22:70 "
                      "tensor_parallel_size=4@22:18 pipeline_parallel_size=2@22:43 gpus=8@25:17\n"},
    {"good/profiles.yaml",
     "profile chat@1:1 model=Qwen/Qwen2.5-7B-Instruct@4:1 gpu=l40s@5:1 engine=vllm@0.11.0@6:1 max_model_len=16384@8:3\n"
     "profile drafts@10:1 model=Qwen/Qwen2.5-0.5B-Instruct@13:1 gpu=l4@14:1 engine=vllm@0.11.0@15:1 "
     "max_model_len=32768@17:3\n"},
    {"good/serve.sh", "shell vllm serve Qwen/Qwen2.5-3B-Instruct@13:1 model=Qwen/Qwen2.5-3B-Instruct@13:41 "
                      "gpu=rtx4090@2:13 engine=vllm@0.10.2 gpu_memory_utilization=0.92@9:3 max_model_len=16000@8:3 "
                      "limit_images=0@15:3 !missing_key@15:40\n"},
    {"good/stack-values.yaml",
     "helm modelSpec.qwen@5:7 model=Qwen/Qwen2.5-7B-Instruct@8:7 gpu=nvidia-a10@24:24 engine=vllm@0.9.1@7:12 "
     "gpu_memory_utilization=0.85@18:9 max_model_len=16384@16:9 max_num_seqs=64@19:21 dtype=bfloat16@17:9 "
     "enable_prefix_caching=true@15:9 enable_chunked_prefill=true@14:9 gpus=1@12:7\n"},
    {"good/train.sh", "rollout rollout Qwen/Qwen2.5-3B-Instruct@2:1 model=Qwen/Qwen2.5-3B-Instruct@5:5 "
                      "gpu=h100-sxm@1:13 gpu_memory_utilization=0.40@8:5 max_model_len=1536@4:5 max_num_seqs=256 "
                      "max_num_batched_tokens=8192 tensor_parallel_size=1@7:5 dtype=bfloat16 "
                      "enable_prefix_caching=true enable_chunked_prefill=true enable_sleep_mode=true\n"
                      "rollout rollout Qwen/Qwen2.5-7B-Instruct@10:1 model=Qwen/Qwen2.5-7B-Instruct@11:5 "
                      "gpu=h100-sxm@1:13 gpu_memory_utilization=0.60@14:5 max_model_len=2048@15:27 "
                      "tensor_parallel_size=2@13:5 enable_sleep_mode=true@16:5\n"},
    {"good/verl.yaml", "rollout actor_rollout_ref.rollout@8:3 model=Qwen/Qwen2.5-7B-Instruct@7:5 gpu=h100-sxm@1:13 "
                       "gpu_memory_utilization=0.60@10:5 max_model_len=4096@4:3 max_num_seqs=256 "
                       "max_num_batched_tokens=8192 tensor_parallel_size=2@11:5 dtype=bfloat16 "
                       "enable_prefix_caching=true enable_chunked_prefill=true enable_sleep_mode=true\n"},
    {"good/vllm.service", "systemd vllm serve Qwen/Qwen2.5-3B-Instruct@9:1 model=Qwen/Qwen2.5-3B-Instruct@9:36 "
                          "gpu=a10g@6:13 engine=vllm@0.10.1@6:22 max_model_len=8192@10:5 swap_space=0@11:5\n"},
    {"good/vllm.yaml",
     "vllm-config vllm serve --config@2:1 model=Qwen/Qwen2.5-1.5B-Instruct@2:1 gpu=l4@1:13 engine=vllm@0.11.0@1:20 "
     "gpu_memory_utilization=0.85@6:1 max_model_len=16384@5:1 enforce_eager=true@7:1 limit_images=0@8:1\n"},
    {"bad/binary.bin", "bad_syntax@0:0\n"},
    {"bad/bomb.yaml", "too_large@6:8\n"},
    {"bad/broken.yaml", "bad_syntax@4:1\n"},
    {"bad/compose.yaml",
     "compose services.long@2:3 model=Qwen/Qwen2.5-7B-Instruct@6:7 gpu=l4@4:17 engine=vllm@0.11.0@3:12 "
     "gpu_memory_utilization=0.75@7:7 max_model_len=32768@8:7 max_num_seqs=256@9:7\n"
     "compose services.nameless@10:3 model=Qwen/Qwen2.5-0.5B-Instruct@12:15 engine=vllm@0.11.0@11:12 "
     "!missing_key@12:56\n"
     "compose services.somewhere@13:3 model=Qwen/Qwen2.5-0.5B-Instruct@15:14 engine=vllm@0.11.0@14:12\n"},
    {"bad/deployment.yaml",
     "kubernetes StatefulSet/llama@15:11 model=Qwen/Qwen2.5-7B-Instruct@17:38 gpu=a10g@13:87 engine=vllm@0.18.0@16:18 "
     "max_model_len=8192@20:15 tensor_parallel_size=4@19:15 swap_space=4@21:15 gpus=2@24:22 !unknown_name@22:15\n"},
    {"bad/split.sh",
     "shell vllm serve Qwen/Qwen2.5-7B-Instruct@3:1 model=Qwen/Qwen2.5-7B-Instruct@3:12 gpu=h100-sxm@2:13 "
     "max_model_len=8192@3:43 tensor_parallel_size=3@3:37\n"
     "shell vllm serve Qwen/Qwen2.5-72B-Instruct@4:1 model=Qwen/Qwen2.5-72B-Instruct@4:12 gpu=h100-sxm@2:13 "
     "max_model_len=4096@4:38\n"
     "shell vllm serve Qwen/Qwen2.5-7B-Instruct@5:1 model=Qwen/Qwen2.5-7B-Instruct@5:12 gpu=h100-sxm@2:13 "
     "!bad_type@5:37\n"
     "shell vllm serve nobody/knows-this-model@6:1 model=nobody/knows-this-model@6:12 gpu=h100-sxm@2:13\n"},
    {"bad/template.yaml", "missing_key@0:0\n"}, // read as far as it goes: its image and arguments are not in it
    {"bad/values.yaml", "missing_key@0:0\n"},
};

static void read_row(const struct row *row)
{
    char path[512];
    struct kvb_manifest_seen seen_there = {0};
    static const char *const environment[] = {"PORT=9000"};
    const struct kvb_manifest_options options = {environment, 1, false, NULL};
    (void)snprintf(path, sizeof path, KVB_SOURCE_DIR "/tests/fixtures/manifests/%s", row->file);
    kvb_buffer_init(&seen);
    kvb_buffer_add(&seen, "");
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_manifest_load(path, &options, take, NULL, &seen_there, &problems);
    if (status != KVB_OK) {
        kvb_buffer_printf(&seen, "%s@%u:%u\n", kvb_status_name(status), (unsigned)problems.items[0].line,
                          (unsigned)problems.items[0].column);
    }
}

static void test_corpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_row(&rows[i]);
        if (strcmp(seen.data, rows[i].expected) != 0) {
            print_error("%s:\nwanted\n%sgot\n%s", rows[i].file, rows[i].expected, seen.data);
            fail();
        }
        kvb_buffer_free(&seen);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_corpus))
