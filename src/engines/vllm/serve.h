// What vLLM says of its serve command, part of its seat.
#ifndef KVB_ENGINES_VLLM_SERVE_H
#define KVB_ENGINES_VLLM_SERVE_H

#include "budget/engine.h"

const struct kvb_serve_flag *kvb_vllm_flag(unsigned index);       // NULL behind the last
const struct kvb_serve_flag *kvb_vllm_plain_flag(unsigned index); // those without effect on memory
bool kvb_vllm_has_flag(unsigned setting);
extern const struct kvb_config_rules kvb_vllm_config; // serve_config.c
const struct kvb_setting_part *kvb_vllm_parts(size_t *count);
const struct kvb_serve_program *kvb_vllm_programs(size_t *count);
const struct kvb_variable_row *kvb_vllm_variables(size_t *count);

// variable_words.c: variables that are read as a number or one of a list, and one that is neither.
bool kvb_vllm_notes_variable(const char *name);
bool kvb_vllm_judge_variables(const char *noted, const struct kvb_engine *engine, char out[256]);

// What the release's own argument parser says of the flags that were noted; "" when it takes them.
void kvb_vllm_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);
// What follows this flag in the serve command, to the end of its line: "" for a switch; NULL when it is not given, or
// turned off. Where it is given twice, the last one.
const char *kvb_vllm_said(const struct kvb_deployment *deployment, const char *flag, uint32_t release);
// The long name of a short form ("-tp") that the release has; NULL: it has none, or that of -O.
const char *kvb_vllm_long_of(const char *word, size_t length, uint32_t release);
// The long flag that a line of the noted serve command gives, in its short form too, NULL when the release has none of that name; `value`
// receives what follows it.
const struct kvb_known_flag *kvb_vllm_flag_of_line(const char *line, uint32_t release, const char **value);
// serve_values.c: a line with a value that the release does not list. True when it refuses.
bool kvb_vllm_judge_value(const struct kvb_deployment *deployment, const char *line, const struct kvb_engine *engine,
                          char out[256]);
// serve_json.c: a line with JSON that has a key, a word or a number that the release does not take.
bool kvb_vllm_judge_json(const struct kvb_deployment *deployment, const char *line, const struct kvb_engine *engine,
                         char out[256]);
// serve_nested.c: a word of --quantization that --quantization-config does not go with.
bool kvb_vllm_judge_schemes(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);
// serve_reasoning.c: a parser of a reasoning config that the release does not list.
bool kvb_vllm_judge_reasoning(const struct kvb_deployment *deployment, const char *mapping, uint32_t release,
                              char out[256]);
// serve_drafts.c: what the method of a speculative config cannot do without.
bool kvb_vllm_judge_draft(const char *mapping, char out[256]);
// serve_synthetic.c: the same for its rates of synthetic rejection.
bool kvb_vllm_judge_synthetic(const char *mapping, uint32_t release, char out[256]);
// serve_configs.c: members of a flag's mapping that the release does not take beside each other.
bool kvb_vllm_judge_config(const char *flag, const char *mapping, uint32_t release, char out[256]);
// The mapping that all dotted lines of the flag make up.
void kvb_vllm_gather_dotted(const struct kvb_deployment *deployment, const char *flag, uint32_t release, char out[512]);
// serve_modules.c: a line with adapters that are neither NAME=PATH nor JSON of the right members.
bool kvb_vllm_judge_modules(const char *line, const struct kvb_engine *engine, char out[256]);
// serve_mapping.c: a line with a value that has to be JSON and is none.
bool kvb_vllm_judge_mapping(const char *line, const struct kvb_engine *engine, char out[256]);
// serve_bounds.c: a line with a number that the release bounds, and a size of --block-size that it does not list.
bool kvb_vllm_judge_block(const char *value, size_t size, uint32_t release, char out[256]);
bool kvb_vllm_judge_bound(const char *line, const struct kvb_engine *engine, char out[256]);
// serve_lists.c: a line with a list of numbers or of words, one of which is none.
bool kvb_vllm_judge_list(const char *line, const struct kvb_engine *engine, char out[256]);
// serve_numbers.c: a line with a value that is no number where the release reads one; and, once the model is known,
// with one below the least or above the most that its field takes.
bool kvb_vllm_judge_number(const char *line, const struct kvb_engine *engine, char out[256]);
void kvb_vllm_judge_bounds(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_executors.c: a name of an executor that is none.
bool kvb_vllm_judge_executors(const struct kvb_deployment *deployment, uint32_t release, char out[256]);
// serve_loader.c: what is said to a loader of weights that takes no such thing.
bool kvb_vllm_judge_loader(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);
// serve_lines.c. Whether the build is the release it names, and neither one behind it (a fork, a development build) nor
// newer than all that are known: those may have flags and words of later releases.
bool kvb_vllm_is_release(const struct kvb_engine *engine);
// The same, or the one that the line turns off as --no-NAME.
const struct kvb_known_flag *kvb_vllm_flag_given(const char *line, uint32_t release, const char **value, bool *off);
// Whether a line behind this one gives the same flag, or turns it off: argparse keeps the last.
bool kvb_vllm_is_replaced(const char *line, uint32_t release);
// The noted line behind this one.
const char *kvb_vllm_next_line(const char *line);
// serve_values.c: a backend of a model's encoder that the release does not list.
void kvb_vllm_judge_encoder(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_adapters.c: slots and ranks of adapters below one.
void kvb_vllm_judge_adapters(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_pooler.c: members of --override-pooler-config, to 0.10.2.
void kvb_vllm_judge_pooler(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// context_init.c: whether the model pools, by itself or as it is asked to.
bool kvb_vllm_plan_pools(const struct kvb_plan *plan);
// serve_limits.c: entries of --limit-mm-per-prompt that the release's classes do not take.
void kvb_vllm_judge_limits(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_pairs.c: flags that the release does not take together, or not alone.
void kvb_vllm_judge_pairs(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_ranks.c: ranks of a data-parallel line that begin or end outside, and two ways to spread requests over them.
void kvb_vllm_judge_ranks(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// Whether a flag ("--name") without a row here takes a value, by the releases' own tables.
bool kvb_vllm_takes_value(const char *word);
// And whether it takes several.
bool kvb_vllm_takes_several(const char *word);
// serve_graphs.c: which of the words about graphs the release reads, and what they mean to it.
void kvb_vllm_graphs_said(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// serve_plain.c: flags that decide a start although they move no memory.
void kvb_vllm_plain_flags(const struct kvb_deployment *deployment, struct kvb_plan *plan);
// Until 0.8.1 the format of the files did not follow from bitsandbytes as the method.
const char *kvb_vllm_class_called(const struct kvb_model *model);
const char *kvb_vllm_companion(enum kvb_setting setting, uint64_t number, uint32_t release);

// How a switch is turned off: releases before 0.8.5 have no --no- form.
enum kvb_off_form kvb_vllm_off_form(const char *name, uint32_t release);

#endif
