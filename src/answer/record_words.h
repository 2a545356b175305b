// Settings, environment and names of a start as cells of the field record.
#ifndef KVB_ANSWER_RECORD_WORDS_H
#define KVB_ANSWER_RECORD_WORDS_H

#include <stddef.h>

#include <kvbudget/input.h>
#include <kvbudget/logs.h>

#include "engines/table.h"

// The settings of a start: what the flags say stands above the log; lengths the log prints fill in.
void kvb_record_settings(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                         struct kvb_settings *settings);
// As flags in the order of the settings' table: "--max-model-len 4096 --enforce-eager".
void kvb_record_write_settings(char *out, size_t capacity, const struct kvb_engine_rows *engine,
                               const struct kvb_settings *settings, const char *draft_model);
// Appends "--hf-overrides JSON" as one word: blanks between the JSON's words go, those inside strings become \u0020.
void kvb_record_write_overrides(char *out, size_t capacity, const char *overrides);
// "VLLM_USE_V1=0".
void kvb_record_write_environment(char *out, size_t capacity, const struct kvb_environment *environment);
// A name stays; of a path its last part, of a folder of the Hub's cache the name it holds.
void kvb_record_model_name(char *out, size_t capacity, const char *model);
// "h100-80gb-hbm3-0190-qwen3-8b-len4096": lower case, digits and dashes.
void kvb_record_write_id(char *out, size_t capacity, const char *gpu, const char *version, const char *model,
                         const struct kvb_settings *settings);

#endif
