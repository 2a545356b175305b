// Parts of a serve command to paste: JSON flags and which of them change, words, the model, a server before it.
#ifndef KVB_ANSWER_SERVE_PARTS_H
#define KVB_ANSWER_SERVE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/answer.h>

#include "base/buffer.h"
#include "engines/flags.h"

struct serve_setting {
    bool written; // appears in the line
    bool changed; // said anew: what the given serve command says of it is dropped
    uint64_t number;
    const char *text; // spelling to keep, or NULL
};
struct serve_settings {
    struct serve_setting values[KVB_SETTING_COUNT];
};

// The index-th flag of the engine that takes JSON and may be written, or NULL.
const struct kvb_serve_flag *kvb_serve_part_at(const struct kvb_engine_rows *engine, unsigned index);

// True when the advice touched a setting of this flag, so that its text as typed no longer holds.
bool kvb_serve_part_is_advised(const struct kvb_engine_rows *engine, const struct kvb_serve_flag *flag,
                               const struct serve_settings *settings, const struct kvb_question *question);

// Appends the flag's value as JSON; nothing when no part of it is written.
void kvb_serve_part_write(struct kvb_buffer *out, const struct kvb_engine_rows *engine,
                          const struct kvb_serve_flag *flag, const struct serve_settings *settings,
                          const struct kvb_deployment *deployment);

// Whether `word` ("--max_model_len=8192", "-tp") of a serve command is said anew.
bool kvb_serve_flag_is_changed(const struct kvb_engine_rows *engine, const char *word,
                               const struct serve_settings *settings, const struct kvb_question *question,
                               bool *takes_value);

// Whether a shell takes the word as it stands.
bool kvb_serve_word_is_plain(const char *word);
void kvb_serve_quote(struct kvb_buffer *out, const char *word);

// NAME='value' and a space: the name stays outside the quotes to remain an assignment.
void kvb_serve_assign(struct kvb_buffer *out, const char *assignment);

// A file of weights is served as it is called, whatever the model is called here.

// In the place of a model in a command that was given: a file or a spelling of ours is not what the engine serves, the
// model's name is. A folder is served as it is.
const char *kvb_serve_model_given(const struct kvb_question *question, const struct kvb_plan *plan);

// In a command of our own.
void kvb_serve_model_name(char out[KVB_LINE_MODEL_CAPACITY], const struct kvb_question *question,
                          const struct kvb_plan *plan);

void kvb_serve_server_line(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan,
                           const struct serve_settings *settings);

#endif
