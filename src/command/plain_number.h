// Numbers as Python reads them, written as the readers of settings take them.
#ifndef KVB_COMMAND_PLAIN_NUMBER_H
#define KVB_COMMAND_PLAIN_NUMBER_H

#include <kvbudget/plan.h>

#include "base/python_numbers.h"
#include "text/tree.h"

// The value of a setting's flag by the engine's traits (enum kvb_serve_trait); what is no number is left as it is,
// without the blanks around it.
const char *kvb_as_plain_number(const char *value, const struct kvb_setting_row *row, unsigned traits,
                                char out[KVB_PLAIN_CAPACITY]);
// The text of a scalar of JSON; of a whole number that is written 8.0, 1e1 or true: its digits.
const char *kvb_as_plain_member(const struct kvb_node *node, char out[KVB_PLAIN_CAPACITY]);

#endif
