// What stands beside a model among the built-in ones: itself in other number formats, and the next smaller of its
// family.
#include <string.h>

#include <kvbudget/models.h>

#include "base/text.h"
#include "catalogue/builtin.h"
#include "model/names/name.h"

// The name without the words of its number format, folded.
static void fold_plain(char out[KVB_NAME_PART], const char *id, struct kvb_name_scheme *scheme)
{
    struct kvb_name name = {0};
    char rest[KVB_NAME_PART];
    size_t owner = strcspn(id, "/");
    if (id[owner] == '/' && owner < sizeof name.owner) {
        memcpy(name.owner, id, owner);
    }
    (void)kvb_copy(name.name, sizeof name.name, kvb_last_part(id));
    kvb_name_take_words(&name, rest, scheme);
    kvb_name_fold(out, KVB_NAME_PART, rest);
}

uint32_t kvb_name_formats(const char *id, const struct kvb_builtin **out, uint32_t most)
{
    size_t count;
    uint32_t found = 0;
    struct kvb_name_kin kin;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    kvb_name_kin_of(&kin, id);
    for (size_t i = 0; i < count && found < most; i++) {
        if (kvb_name_is_kin(&kin, rows[i].id)) {
            out[found++] = &rows[i];
        }
    }
    return found;
}

// "8B", "0.6b", "30B", "A3B", "135M": thousands of parameters; 0: no size.
static uint64_t size_of(const char *word, size_t length)
{
    uint64_t whole = 0, thousandths = 0, unit = 1000;
    size_t i = length > 0 && (word[0] == 'A' || word[0] == 'a' || word[0] == 'E' || word[0] == 'e') ? 1 : 0;
    size_t first = i;
    for (; i < length && word[i] >= '0' && word[i] <= '9' && i < first + 5; i++) {
        whole = whole * 10 + (uint64_t)(word[i] - '0');
    }
    if (i == first) {
        return 0;
    }
    for (i += i < length && word[i] == '.'; i < length && word[i] >= '0' && word[i] <= '9' && unit > 1; i++) {
        unit /= 10;
        thousandths += unit * (uint64_t)(word[i] - '0');
    }
    bool millions = i < length && (word[i] == 'M' || word[i] == 'm');
    bool billions = i < length && (word[i] == 'B' || word[i] == 'b');
    if (i + 1 != length || (!millions && !billions)) {
        return 0;
    }
    return (whole * 1000 + thousandths) * (millions ? 1 : 1000);
}

// Cuts the sizes out; `rest` is what makes the family, `sparse` whether a part of it is active at a time.
static uint64_t take_size(const char *name, bool loose, char rest[KVB_NAME_PART], bool *sparse)
{
    char kept[KVB_NAME_PART];
    uint64_t size = 0;
    size_t used = 0;
    *sparse = false;
    while (*name) {
        size_t length = strcspn(name, "-_");
        uint64_t one = size_of(name, length);
        size = one > size ? one : size;
        *sparse = *sparse || (one > 0 && (*name == 'A' || *name == 'a'));
        for (size_t i = 0; one == 0 && i < length && used + 2 < sizeof kept; i++) {
            if (loose && name[i] == '.') {
                break; // "3.3" and "3.1" are one family
            }
            kept[used++] = name[i];
        }
        name += length;
        name += *name != '\0';
        if (one == 0 && used + 2 < sizeof kept) {
            kept[used++] = '-';
        }
    }
    kept[used] = '\0';
    kvb_name_fold(rest, KVB_NAME_PART, kept);
    return size;
}

static const struct kvb_builtin *find_smaller(const char *id, bool loose)
{
    char wanted[KVB_NAME_PART], have[KVB_NAME_PART];
    struct kvb_name_scheme scheme;
    const struct kvb_builtin *best = NULL;
    bool sparse, other;
    uint64_t most = 0, size = take_size(kvb_last_part(id), loose, wanted, &sparse);
    size_t count, owner = strcspn(id, "/");
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    for (size_t i = 0; size > 0 && i < count; i++) {
        uint64_t one = take_size(kvb_last_part(rows[i].id), loose, have, &other);
        bool own = strncmp(rows[i].id, id, owner + 1) == 0;
        if (own && one < size && one > most && (loose || other == sparse) && strcmp(have, wanted) == 0) {
            fold_plain(have, rows[i].id, &scheme);
            best = scheme.method == KVB_NAME_UNSAID ? &rows[i] : best;
            most = scheme.method == KVB_NAME_UNSAID ? one : most;
        }
    }
    return best;
}

const struct kvb_builtin *kvb_name_smaller(const char *id)
{
    const struct kvb_builtin *found = find_smaller(id, false);
    return found ? found : find_smaller(id, true);
}
