// What SGLang says of its serve command, part of its seat.
#ifndef KVB_ENGINES_SGLANG_SERVE_H
#define KVB_ENGINES_SGLANG_SERVE_H

#include "budget/serve_flag.h"

const struct kvb_serve_flag *kvb_sgl_flag(unsigned index);       // NULL behind the last
const struct kvb_serve_flag *kvb_sgl_plain_flag(unsigned index); // those without effect on memory
const struct kvb_serve_program *kvb_sgl_programs(size_t *count);
const struct kvb_variable_row *kvb_sgl_variables(size_t *count);
const struct kvb_setting_part *kvb_sgl_parts(size_t *count);

#endif
