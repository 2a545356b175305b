// Lines of `vllm serve` as they are written, and what vLLM's own parser makes of each: FlexibleArgumentParser and the
// JSON flags of vllm/engine/arg_utils.py (v0.11.0 to v0.20.0).
#include "unit/found_lines.h"

#define SERVE "vllm serve a/b "
#define GIVES "shell model=a/b"

static void test_numbers(void **state)
{
    (void)state;
    static const struct found_row rows[] = {
        {"s.sh", SERVE "--max_model_len=4_096", GIVES " max_model_len=4096", NULL}, // int() of Python
        {"s.sh", SERVE "--max-model-len=32k", GIVES " max_model_len=32000", NULL},  // human_readable_int: 1000
        {"s.sh", SERVE "--max-model-len 32K", GIVES " max_model_len=32768", NULL},  // and 1024
        {"s.sh", SERVE "--gpu-memory-utilization .9", GIVES " gpu_memory_utilization=0.90", NULL},
        {"s.sh", SERVE "--gpu-memory-utilization=1", GIVES " gpu_memory_utilization=1.00", NULL},
        {"s.sh", SERVE "--max-model-len", GIVES " !bad_syntax", NULL},
        {"s.sh", SERVE "--max-model-len abc", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--max-num-seqs 1.5", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "-tp 2 -pp=2 -dp 1",
         GIVES " tensor_parallel_size=2 pipeline_parallel_size=2 data_parallel_size=1", NULL},
        {"s.sh", SERVE "--enforce-eager --no-enable-prefix-caching",
         GIVES " enforce_eager=true enable_prefix_caching=false", NULL},
        {"s.sh", "VLLM_USE_V1=0 CUDA_VISIBLE_DEVICES=0 nohup vllm serve a/b --max-num-seqs 8", GIVES " max_num_seqs=8",
         NULL},
        {"s.sh", "vllm serve --model a/b --max-num-seqs 8", GIVES " max_num_seqs=8", NULL},
        {"s.sh", "python3 -m vllm.entrypoints.openai.api_server --model a/b --max-num-seqs=8", GIVES " max_num_seqs=8",
         NULL},
        {"s.sh", SERVE "--max-num-seqs 8 --max-num-seqs 16", GIVES " max_num_seqs=16", NULL}, // the last one counts
    };
    READ_FOUND_ROWS(rows);
}

static void test_json(void **state)
{
    (void)state;
    static const struct found_row rows[] = {
        {"s.sh", SERVE "--speculative-config '{\"method\": \"ngram\", \"num_speculative_tokens\": 4}'",
         GIVES " speculative_method=ngram num_speculative_tokens=4", NULL},
        {"s.sh", SERVE "--speculative-config.method ngram --speculative-config.num_speculative_tokens 4",
         GIVES " speculative_method=ngram num_speculative_tokens=4", NULL},
        {"s.sh", SERVE "--speculative-config.method=ngram --speculative_config.num_speculative_tokens=4",
         GIVES " speculative_method=ngram num_speculative_tokens=4", NULL},
        {"s.sh", SERVE "--speculative-config '{\"model\": \"x/mtp\", \"num_speculative_tokens\": null}'",
         GIVES " speculative_method=mtp", NULL},
        {"s.sh", SERVE "--speculative-config '{\"num_speculative_tokens\": 4}'", GIVES " !missing_key", NULL},
        {"s.sh", SERVE "--speculative-config '{\"methd\": \"ngram\"}'", GIVES " !unknown_key", NULL},
        {"s.sh", SERVE "--speculative-config ngram", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt image=2,video=0", GIVES " limit_images=2 limit_videos=0", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt '{\"image\": {\"count\": 2}, \"depth\": 3}'", GIVES " limit_images=2",
         NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt image=,video=0", GIVES " !bad_syntax", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt depth=1", GIVES " !bad_syntax", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt image=two", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt image=99999999999", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt image=9999999999999999999999999", GIVES " !bad_syntax", NULL},
        {"s.sh", SERVE "--limit-mm-per-prompt 3", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--mm-processor-kwargs '[1]'", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--mm-processor-kwargs '{\"max_pixels\": null}'", GIVES, NULL},
        {"s.sh", SERVE "--mm-processor-kwargs '{\"max_pixel\": 3}'", GIVES " !unknown_key", NULL},
        {"s.sh", SERVE "--cudagraph-capture-sizes 1 2 4",
         GIVES " max_cudagraph_capture_size=4 cudagraph_capture_sizes=3", NULL},
        {"s.sh", SERVE "-O3", GIVES, NULL},
        {"s.sh", SERVE "--compilation-config 3", GIVES, NULL},
        {"s.sh", SERVE "--compilation-config [3]", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--compilation-config '{\"cudagraph_mode\": null, \"use_cudagraph\": true}'", GIVES, NULL},
        {"s.sh", SERVE "--compilation-config '{\"cudagraph_mode\": \"2\"}'", GIVES " cudagraph_mode=full", NULL},
        {"s.sh", SERVE "--compilation-config '{\"full_cuda_graph\": false}'", GIVES, NULL},
        {"s.sh", SERVE "--compilation-config '{\"cudagraph_capture_sizes\": {\"a\": 1}}'", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--compilation-config '{\"cudagraph_capture_sizes\": [1, [2]]}'", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--compilation-config '{\"cudagraph_capture_sizes\": [0]}'", GIVES " !bad_type", NULL},
        {"s.sh",
         SERVE "--compilation-config '{\"max_cudagraph_capture_size\": null, \"cudagraph_capture_sizes\": null}'",
         GIVES, NULL},
        {"s.sh", SERVE "--kv-transfer-config 1", GIVES " !bad_type", NULL},
        {"s.sh", SERVE "--hf-overrides '{\"a\": {\"b\": [1, \"two\"]}}' --hf-overrides.c 3", GIVES, NULL},
        {"s.sh", SERVE "--rope-scaling '{\"factor\": 2.0}' --hf-overrides '{\"a\": 1}'", GIVES " !not_allowed", NULL},
        {"s.sh", SERVE "--hf-overrides '{\"a\": 1}' --rope-scaling '{\"factor\": 2.0}'", GIVES " !not_allowed", NULL},
        {"s.sh", SERVE "--enable-lora --lora-modules x=p/q '{\"name\": \"b\", \"path\": \"r/s\"}' '{\"name\": 1}' y",
         GIVES " enable_lora=true", NULL},
    };
    READ_FOUND_ROWS(rows);
}

KVB_TEST_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_json))
