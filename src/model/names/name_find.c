// The built-in model that a name means: spelling, owner, the table of names, other number formats, variants.
#include <string.h>

#include "base/text.h"
#include "catalogue/builtin.h"
#include "model/names/name.h"

// Their repositories are copies of other owners' models.
static const char *const repackagers[] = {"unsloth",     "NousResearch",   "RedHatAI",      "neuralmagic",
                                          "TheBloke",    "hugging-quants", "mlx-community", "sgl-project",
                                          "meta-models", "nvidia",         "alpindale"};

static bool is_repackager(const char *id)
{
    size_t length = strcspn(id, "/");
    for (size_t i = 0; i < sizeof repackagers / sizeof repackagers[0]; i++) {
        if (strlen(repackagers[i]) == length && strncmp(repackagers[i], id, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool owner_is(const char *id, const char *owner)
{
    size_t length = strlen(owner), same = 0;
    while (same < length && kvb_lower(id[same]) == kvb_lower(owner[same])) {
        same++;
    }
    return length > 0 && same == length && id[length] == '/';
}

// Built-in models whose name folds to the same; the best owner's alone, when one is better than the others.
struct found {
    const struct kvb_builtin *rows[KVB_NAME_CANDIDATES_MAX];
    uint32_t count;
    uint32_t rank; // of those in rows
};

static void offer(struct found *found, const struct kvb_builtin *row, uint32_t rank)
{
    if (found->count == 0 || rank > found->rank) {
        found->count = 0;
        found->rank = rank;
    }
    if (rank == found->rank && found->count < KVB_NAME_CANDIDATES_MAX) {
        found->rows[found->count++] = row;
    }
}

static uint32_t rank_of(const struct kvb_builtin *row, const char *owner)
{
    return owner_is(row->id, owner) ? 4 : is_repackager(row->id) ? 0 : 2;
}

static void find_folded(struct found *found, const char *owner, const char *name)
{
    char wanted[KVB_NAME_PART], have[KVB_NAME_PART];
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    found->count = 0;
    kvb_name_fold(wanted, sizeof wanted, name);
    for (size_t i = 0; wanted[0] && i < count; i++) {
        kvb_name_fold(have, sizeof have, kvb_last_part(rows[i].id));
        if (strcmp(have, wanted) == 0) {
            bool same = kvb_equal_ignoring_case(kvb_last_part(rows[i].id), name);
            offer(found, &rows[i], rank_of(&rows[i], owner) + (same ? 1 : 0));
        }
    }
}

// Models whose own name says how they are quantised are a base for their siblings; else variants are.
static void find_core(struct found *found, const struct kvb_name *name, const char *rest, bool quantised)
{
    char wanted[KVB_NAME_PART], have[KVB_NAME_PART], own[KVB_NAME_PART], folded[KVB_NAME_PART];
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    found->count = 0;
    kvb_name_fold_core(wanted, rest);
    kvb_name_fold(folded, sizeof folded, rest);
    for (size_t i = 0; wanted[0] && i < count; i++) {
        struct kvb_name row = {0};
        struct kvb_name_scheme scheme;
        (void)kvb_copy(row.name, sizeof row.name, kvb_last_part(rows[i].id));
        kvb_name_take_words(&row, own, &scheme);
        if (scheme.method != KVB_NAME_UNSAID && scheme.method != KVB_NAME_PLAIN && !quantised) {
            continue;
        }
        kvb_name_fold_core(have, own);
        if (strcmp(have, wanted) == 0) {
            kvb_name_fold(have, sizeof have, own);
            offer(found, &rows[i],
                  rank_of(&rows[i], name->owner) + (scheme.method == KVB_NAME_UNSAID ? 8 : 0) +
                      (strcmp(have, folded) == 0 ? 16 : 0) +
                      (kvb_name_is_tuned(own) == kvb_name_is_tuned(rest) ? 1 : 0));
        }
    }
}

// "X" of whose owner "X-FP8" is built in, and X is not: what the owner quantised.
static void find_quantised(struct found *found, const struct kvb_name *name)
{
    char wanted[KVB_NAME_PART], have[KVB_NAME_PART], own[KVB_NAME_PART];
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    found->count = 0;
    kvb_name_fold(wanted, sizeof wanted, name->name);
    for (size_t i = 0; wanted[0] && i < count; i++) {
        struct kvb_name row = {0};
        struct kvb_name_scheme scheme;
        (void)kvb_copy(row.name, sizeof row.name, kvb_last_part(rows[i].id));
        if (!owner_is(rows[i].id, name->owner)) {
            continue;
        }
        kvb_name_take_words(&row, own, &scheme);
        kvb_name_fold(have, sizeof have, own);
        if (scheme.method != KVB_NAME_UNSAID && scheme.method != KVB_NAME_PLAIN && strcmp(have, wanted) == 0) {
            offer(found, &rows[i], 0);
        }
    }
}

// ---- the table of names

// By the whole name, and without its owner by the folded one.
static const struct kvb_known_name *find_like(const char *owner, const char *name)
{
    char whole[2 * KVB_NAME_PART], wanted[KVB_NAME_PART], have[KVB_NAME_PART];
    size_t count, length = strlen(owner);
    const struct kvb_known_name *rows = kvb_known_names(&count);
    (void)kvb_copy(whole, sizeof whole, owner);
    if (length > 0) {
        whole[length++] = '/';
    }
    (void)kvb_copy(whole + length, sizeof whole - length, name);
    const struct kvb_known_name *exact = kvb_known_find(whole);
    if (exact) {
        return exact;
    }
    kvb_name_fold(wanted, sizeof wanted, name);
    for (size_t i = 0; wanted[0] && i < count; i++) {
        kvb_name_fold(have, sizeof have, kvb_last_part(rows[i].name));
        if (strcmp(have, wanted) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

// The row whose name differs by words that tell variants apart: "Olmo-3-32B-Think" of "Olmo-3-32B-Think-SFT". NULL:
// there is none, or there are some of several models.
static const struct kvb_known_name *find_like_core(const char *rest)
{
    char wanted[KVB_NAME_PART], have[KVB_NAME_PART];
    size_t count;
    const struct kvb_known_name *rows = kvb_known_names(&count), *best = NULL;
    kvb_name_fold_core(wanted, rest);
    for (size_t i = 0; wanted[0] && i < count; i++) {
        kvb_name_fold_core(have, kvb_last_part(rows[i].name));
        if (strcmp(have, wanted) == 0) {
            if (best && strcmp(best->like, rows[i].like) != 0) {
                return NULL;
            }
            best = &rows[i];
        }
    }
    return best;
}

static bool use_like(struct kvb_name_answer *answer, const char *owner, const char *name)
{
    const struct kvb_known_name *known = find_like(owner, name);
    answer->base = known ? kvb_builtin_find(KVB_PROFILE_MODEL, known->like) : NULL;
    answer->why = answer->base ? known->why : NULL;
    return answer->base != NULL;
}

static void take_library(const char *quantised, struct kvb_name_answer *answer)
{
    answer->why = "Ollama";
    answer->match = quantised[0] ? KVB_MATCH_SIBLING : KVB_MATCH_LIKE;
    if (quantised[0]) {
        answer->scheme.method = KVB_NAME_GGUF;
        (void)kvb_copy(answer->scheme.format, sizeof answer->scheme.format, quantised);
    }
}

static bool use_library(const struct kvb_name *name, struct kvb_name_answer *answer)
{
    const char *quantised = "";
    const char *hub = name->owner[0] ? NULL : kvb_ollama_find(name->name, name->tag, &quantised);
    const struct kvb_known_name *known = hub ? kvb_known_find(hub) : NULL;
    answer->base = hub ? kvb_builtin_find(KVB_PROFILE_MODEL, known ? known->like : hub) : NULL;
    if (answer->base) {
        take_library(quantised, answer);
    }
    return answer->base != NULL;
}

// NAME:TAG that the table has not: "starcoder2:15b" is what others call starcoder2-15b. A tag is never left out, as it
// says the size.
static void find_tagged(const struct kvb_name *name, struct kvb_name_answer *answer)
{
    struct kvb_name joined = {0};
    struct found found;
    const char *quantised = kvb_tag_format(name->tag);
    size_t tag = strlen(name->tag) - (quantised[0] ? strlen(quantised) + 1 : 0);
    size_t length = strlen(name->name);
    if (use_library(name, answer) || length + 1 + tag >= sizeof joined.name) {
        return;
    }
    (void)kvb_copy(joined.name, sizeof joined.name, name->name);
    joined.name[length] = '-';
    memcpy(joined.name + length + 1, name->tag, tag);
    find_folded(&found, "", joined.name);
    if (found.count == 0) {
        find_core(&found, &joined, joined.name, false);
    }
    if (found.count > 0) {
        answer->base = found.rows[0];
        take_library(quantised, answer);
    }
}

static bool take_found(const struct found *found, enum kvb_name_found match, struct kvb_name_answer *answer)
{
    if (found->count == 0) {
        return false;
    }
    answer->base = found->rows[0];
    answer->match = match;
    return true;
}

// "Qwen3-8B" of several owners and none of them said.
static bool is_several(const struct found *found, const struct kvb_name *name, struct kvb_name_answer *answer)
{
    if (found->count < 2 || name->owner[0]) {
        return false;
    }
    answer->match = KVB_MATCH_SEVERAL;
    answer->candidate_count = found->count;
    memcpy(answer->candidates, found->rows, sizeof answer->candidates);
    return true;
}

// NVFP4 of ModelOpt and of compressed-tensors leave other layers out and declare other caches: another owner's copy is
// not the built-in one when its original is built in too.
static bool is_of_another_maker(const struct kvb_name *name, const struct found *found)
{
    char rest[KVB_NAME_PART];
    struct kvb_name_scheme scheme;
    struct found original;
    if (found->count == 0 || !name->owner[0] || name->is_path || owner_is(found->rows[0]->id, name->owner)) {
        return false;
    }
    kvb_name_take_words(name, rest, &scheme);
    if (scheme.method != KVB_NAME_NVFP4) {
        return false;
    }
    find_folded(&original, name->owner, rest);
    return original.count > 0;
}

static bool find_whole(const struct kvb_name *name, struct kvb_name_answer *answer)
{
    struct found found;
    find_folded(&found, name->owner, name->name);
    if (is_of_another_maker(name, &found)) {
        return false;
    }
    if (is_several(&found, name, answer)) {
        return true;
    }
    bool owned = found.count > 0 && (!name->owner[0] || name->is_path || owner_is(found.rows[0]->id, name->owner));
    if (take_found(&found, owned ? KVB_MATCH_SPELLING : KVB_MATCH_OWNER, answer)) {
        return true;
    }
    if (use_like(answer, name->owner, name->name)) {
        answer->match = KVB_MATCH_LIKE;
        return true;
    }
    return use_library(name, answer);
}

void kvb_name_find(const struct kvb_name *name, struct kvb_name_answer *answer)
{
    char rest[KVB_NAME_PART];
    struct found found;
    memset(answer, 0, sizeof *answer);
    if (name->tag[0] && !name->owner[0] && !kvb_equal_ignoring_case(name->tag, "latest")) {
        find_tagged(name, answer);
        return;
    }
    if (!name->format[0] && find_whole(name, answer)) {
        return;
    }
    kvb_name_take_words(name, rest, &answer->scheme);
    bool quantised = answer->scheme.method != KVB_NAME_UNSAID;
    if (quantised) {
        find_folded(&found, name->owner, rest);
        if (take_found(&found, KVB_MATCH_SIBLING, answer)) {
            return;
        }
        if (use_like(answer, name->owner, rest)) {
            answer->match = KVB_MATCH_SIBLING;
            return;
        }
    }
    find_core(&found, name, rest, quantised);
    if (take_found(&found, quantised ? KVB_MATCH_SIBLING : KVB_MATCH_VARIANT, answer) || !name->owner[0]) {
        return;
    }
    const struct kvb_known_name *like = find_like_core(rest);
    answer->base = like ? kvb_builtin_find(KVB_PROFILE_MODEL, like->like) : NULL;
    if (answer->base) {
        answer->match = quantised ? KVB_MATCH_SIBLING : KVB_MATCH_VARIANT;
        return;
    }
    find_quantised(&found, name);
    if (!quantised && take_found(&found, KVB_MATCH_SIBLING, answer)) {
        answer->scheme.method = KVB_NAME_PLAIN;
        answer->unquantised = true;
        return;
    }
    answer->base = kvb_name_stated(rest);
    if (answer->base && owner_is(answer->base->id, name->owner)) {
        answer->base = NULL; // a maker's own further word is another model: "Qwen/Qwen3-ForcedAligner-0.6B"
    }
    answer->stated = answer->base != NULL;
    answer->match = !answer->base ? KVB_MATCH_NONE : quantised ? KVB_MATCH_SIBLING : KVB_MATCH_VARIANT;
}
