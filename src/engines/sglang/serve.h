// What SGLang says of its serve command, part of its seat.
#ifndef KVB_ENGINES_SGLANG_SERVE_H
#define KVB_ENGINES_SGLANG_SERVE_H

#include "budget/serve_flag.h"

const struct kvb_serve_flag *kvb_sgl_flag(unsigned index);       // NULL behind the last
const struct kvb_serve_flag *kvb_sgl_plain_flag(unsigned index); // those without effect on memory
const struct kvb_serve_program *kvb_sgl_programs(size_t *count);
const struct kvb_variable_row *kvb_sgl_variables(size_t *count);
bool kvb_sgl_notes_variable(const char *name);
const struct kvb_setting_part *kvb_sgl_parts(size_t *count);
extern const struct kvb_config_rules kvb_sgl_config; // serve_config.c

// What the release's parser says of the flags noted in the deployment; "" when it takes them.
void kvb_sgl_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);
// What it says of them for the card and the model, where it took them.
void kvb_sgl_judge_plan(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_mapping.c: a line of that flag with a value that has to be JSON and is none.
bool kvb_sgl_judge_mapping(const char *name, const char *line, char out[256]);
// serve_buckets.c: the same with bounds of a histogram that the release does not take.
bool kvb_sgl_judge_buckets(const char *name, const char *line, uint32_t release, char out[256]);
// serve_values.c: the flag's line with a value that is none of its words or no number; `out` goes on from what it
// holds.
struct kvb_sgl_known_flag;
bool kvb_sgl_judge_value(const struct kvb_sgl_known_flag *flag, const char *line, uint32_t release, char out[256]);
bool kvb_sgl_takes_value(const char *word); // of a flag without a row
bool kvb_sgl_takes_several(const char *word);
// The flag of any release that is spelled most like "--word", or NULL.
const char *kvb_sgl_flag_near(const char *word);

#endif
