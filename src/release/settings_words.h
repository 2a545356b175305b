// The words that settings with a fixed vocabulary take, as vLLM spells them.
#ifndef KVB_RELEASE_SETTINGS_WORDS_H
#define KVB_RELEASE_SETTINGS_WORDS_H

#include <kvbudget/plan.h>

#define KVB_DTYPE_WORD_COUNT 6
#define KVB_QUANTIZATION_WORD_COUNT 43
#define KVB_KV_DTYPE_WORD_COUNT 18
#define KVB_BACKEND_WORD_COUNT 50
#define KVB_SPECULATIVE_WORD_COUNT 39
#define KVB_GRAPH_MODE_WORD_COUNT 6
#define KVB_MAMBA_MODE_WORD_COUNT 4
#define KVB_ENCODER_SPLIT_WORD_COUNT 2
#define KVB_PERFORMANCE_WORD_COUNT 3
#define KVB_MOE_BACKEND_WORD_COUNT 17
#define KVB_RUNNER_WORD_COUNT 11
#define KVB_GGUF_CACHE_WORD_COUNT 9
#define KVB_ON_OFF_AUTO_WORD_COUNT 11
#define KVB_SPLIT_MODE_WORD_COUNT 3
#define KVB_COMPILATION_WORD_COUNT 12
#define KVB_COMPILATION_MODES 4 // the last compiles in pieces
#define KVB_GGUF_TYPE_WORD_COUNT 65
#define KVB_GGML_BACKEND_WORD_COUNT 7
#define KVB_DISAGGREGATION_WORD_COUNT 3
#define KVB_ALL_TO_ALL_WORD_COUNT 10
#define KVB_STATE_STRATEGY_WORD_COUNT 4

extern const struct kvb_word kvb_dtype_words[KVB_DTYPE_WORD_COUNT];
extern const struct kvb_word kvb_quantization_words[KVB_QUANTIZATION_WORD_COUNT];
extern const struct kvb_word kvb_kv_dtype_words[KVB_KV_DTYPE_WORD_COUNT];
extern const struct kvb_word kvb_backend_words[KVB_BACKEND_WORD_COUNT];
extern const struct kvb_word kvb_speculative_words[KVB_SPECULATIVE_WORD_COUNT];
extern const struct kvb_word kvb_graph_mode_words[KVB_GRAPH_MODE_WORD_COUNT];
extern const struct kvb_word kvb_compilation_words[KVB_COMPILATION_WORD_COUNT];
extern const struct kvb_word kvb_mamba_mode_words[KVB_MAMBA_MODE_WORD_COUNT];
extern const struct kvb_word kvb_encoder_split_words[KVB_ENCODER_SPLIT_WORD_COUNT];
extern const struct kvb_word kvb_performance_words[KVB_PERFORMANCE_WORD_COUNT];
extern const struct kvb_word kvb_moe_backend_words[KVB_MOE_BACKEND_WORD_COUNT];
extern const struct kvb_word kvb_runner_words[KVB_RUNNER_WORD_COUNT];
extern const struct kvb_word kvb_gguf_cache_words[KVB_GGUF_CACHE_WORD_COUNT];
extern const struct kvb_word kvb_on_off_auto_words[KVB_ON_OFF_AUTO_WORD_COUNT];
extern const struct kvb_word kvb_split_mode_words[KVB_SPLIT_MODE_WORD_COUNT];
extern const struct kvb_word kvb_gguf_type_words[KVB_GGUF_TYPE_WORD_COUNT];
extern const struct kvb_word kvb_ggml_backend_words[KVB_GGML_BACKEND_WORD_COUNT];
extern const struct kvb_word kvb_disaggregation_words[KVB_DISAGGREGATION_WORD_COUNT];
extern const struct kvb_word kvb_state_strategy_words[KVB_STATE_STRATEGY_WORD_COUNT];
extern const struct kvb_word kvb_all_to_all_words[KVB_ALL_TO_ALL_WORD_COUNT];

#endif
