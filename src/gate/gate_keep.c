// Text that lives as long as the answer of a check.
#include <string.h>

#include "gate/gate.h"

const char *kvb_gate_keep(struct kvb_gate *gate, const char *text)
{
    const char *copy = kvb_arena_copy(&gate->arena, text, strlen(text));
    gate->no_memory = gate->no_memory || copy == NULL;
    return copy != NULL ? copy : "";
}
