// Flags of one line that a release refuses together, for their value, or on this card and for this model.
#ifndef KVB_ENGINES_SGLANG_SERVE_RULES_H
#define KVB_ENGINES_SGLANG_SERVE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/input.h>

// Of a class whose pictures no other server encodes, to 0.5.12 and later.
#define KVB_SGL_QWEN_TOWERS                                                                                            \
    "Model type is not supported for encoder disaggregation, only Qwen models are supported for now."
#define KVB_SGL_SOME_TOWERS                                                                                            \
    "Model type is not supported for encoder disaggregation. Supported architectures: Qwen2VL, Qwen3VL, Qwen3.5, "     \
    "InternS2, Qwen2Audio, Qwen2.5Omni, Kimi, MiMoV2."

// `when`: terms with a blank between, all of which hold. A flag's value is the last one said, its first word, or the
// release's default; "none" where there is none.
//   name      it is given            name=a|b  one of these words     name<b  name>b  below, above
//   !name     it is not              name^a|b  none of them           name%b  not a multiple of
//   a/b       one of them is given   name#N    more than N words   name{a|b  JSON with another key than these
//   name}a|b  JSON with one of them that is no mapping              name~:    it has that character
// `b` and `N` are a number, a flag, or several of them with * between. Numbers that nobody said make no term true.
// What begins with @ is asked of the plan:
//   @sm      compute capability of an NVIDIA card, 90 of 9.0; 0: it is none
//   @class   the model's             @method   the checkpoint's quantisation, "none"
//   @mla     1: it keeps latents     @sparse   1: latents and an indexer
//   @states  1: it has layers of states
//   @prefill @decode   the backend of attention asked for or chosen
//   @chunk   tokens of a chunk of one group as the release chooses them; none where a variable says what it is
//            compared with
struct kvb_sgl_line_rule {
    uint32_t since, until; // releases that refuse it; until 0: all later
    const char *when;
    const char *text; // what it says
};
extern const struct kvb_sgl_line_rule kvb_sgl_line_rules[];
extern const size_t kvb_sgl_line_rule_count;
extern const struct kvb_sgl_line_rule kvb_sgl_feature_rules[];
extern const size_t kvb_sgl_feature_rule_count;
extern const struct kvb_sgl_line_rule kvb_sgl_plan_rules[]; // those that ask the plan
extern const size_t kvb_sgl_plan_rule_count;

// What the release says of the line (kvb_deployment.serve_flags); NULL: no rule refuses it.
const char *kvb_sgl_line_refusal(const char *line, uint32_t release);
const char *kvb_sgl_plan_refusal(const struct kvb_deployment *deployment, const struct kvb_plan *plan);
bool kvb_sgl_lacks_tower(const struct kvb_plan *plan); // the class is none whose pictures another server encodes
bool kvb_sgl_line_holds(const char *when, const char *line, uint32_t release);

#endif
