// Flags of one line that a release refuses together, or for their value, before it looks at a card.
#ifndef KVB_ENGINES_SGLANG_SERVE_RULES_H
#define KVB_ENGINES_SGLANG_SERVE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `when`: terms with a blank between, all of which hold. A flag's value is the last one said, its first word, or the
// release's default; "none" where there is none.
//   name      it is given            name=a|b  one of these words     name<b  name>b  below, above
//   !name     it is not              name^a|b  none of them           name%b  not a multiple of
//                                    name~:    it has that character
// `b` is a number or a flag. Numbers that nobody said make no term true.
struct kvb_sgl_line_rule {
    uint32_t since, until; // releases that refuse it; until 0: all later
    const char *when;
    const char *text; // what it says
};
extern const struct kvb_sgl_line_rule kvb_sgl_line_rules[];
extern const size_t kvb_sgl_line_rule_count;

// What the release says of the line (kvb_deployment.serve_flags); NULL: no rule refuses it.
const char *kvb_sgl_line_refusal(const char *line, uint32_t release);
bool kvb_sgl_line_holds(const char *when, const char *line, uint32_t release);

#endif
