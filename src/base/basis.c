// The words for how sure a figure is.
#include <kvbudget/gpu.h>

#include <stddef.h>

const char *kvb_basis_name(enum kvb_basis basis)
{
    static const char *const names[] = {
        [KVB_BASIS_EXACT] = "exact",       [KVB_BASIS_CHECKPOINT] = "checkpoint", [KVB_BASIS_CONFIG] = "config",
        [KVB_BASIS_MEASURED] = "measured", [KVB_BASIS_MODELLED] = "modelled",     [KVB_BASIS_ASSUMED] = "assumed",
        [KVB_BASIS_STATED] = "stated",     [KVB_BASIS_NAMEPLATE] = "nameplate",
    };
    _Static_assert(sizeof names / sizeof names[0] == KVB_BASIS_COUNT, "one word per basis");
    return (size_t)basis < KVB_BASIS_COUNT ? names[basis] : "unknown";
}
