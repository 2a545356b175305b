// Flags, programs and variables of llama-server and of Ollama.
#ifndef KVB_ENGINES_LLAMACPP_FLAGS_H
#define KVB_ENGINES_LLAMACPP_FLAGS_H

#include "budget/engine.h"

const struct kvb_serve_flag *kvb_llama_flag(unsigned index);
const struct kvb_serve_program *kvb_llama_programs(size_t *count);
const struct kvb_variable_row *kvb_llama_variables(size_t *count);
// What a build's parser says of the line and of variables; "" where it takes them (serve_judge.c).
void kvb_llama_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);
// What its parser has no word for is said by leaving it out.
enum kvb_off_form kvb_llama_off_form(const char *name, uint32_t release);

const struct kvb_serve_flag *kvb_ollama_flag(unsigned index);
const struct kvb_serve_program *kvb_ollama_programs(size_t *count);
const struct kvb_variable_row *kvb_ollama_variables(size_t *count);

// How a line to start them is written, and what Ollama's own parser says of flags that it does not have (line.c).
extern const struct kvb_line_rules kvb_llama_line, kvb_ollama_line;
// ollama_flags.c: whether a release refuses the flag that the line begins with; `served`: of `ollama serve`. What it
// says is added to `out`.
bool kvb_ollama_refuses(const char *line, uint32_t release, bool served, char out[256]);
bool kvb_ollama_takes_value(const char *word);
void kvb_ollama_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);

// Readers of the table (flags_read.c).
kvb_serve_reader kvb_llama_read_all_experts;
kvb_serve_reader kvb_llama_read_shares;
kvb_serve_reader kvb_llama_read_override;
kvb_serve_reader kvb_llama_read_repository;
kvb_serve_reader kvb_llama_read_projector;
kvb_serve_reader kvb_llama_read_no_projector;
kvb_serve_reader kvb_llama_read_drafting;
kvb_serve_reader kvb_llama_read_drafted;
kvb_serve_reader kvb_llama_read_file_name;
kvb_serve_reader kvb_llama_read_devices;
kvb_serve_reader kvb_llama_read_draft_name;
kvb_serve_reader kvb_llama_read_draft_repository;

#endif
