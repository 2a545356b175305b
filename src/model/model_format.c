// A model in another number format: the built-in sibling, or one whose name is made up.
#include <stdio.h>
#include <string.h>

#include <kvbudget/models.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/names/name.h"

struct room {
    struct kvb_model model, best;
    struct kvb_model_source source;
    struct kvb_problems problems;
};

static bool same_owner(const char *a, const char *b)
{
    size_t length = strcspn(a, "/");
    return length == strcspn(b, "/") && strncmp(a, b, length) == 0;
}

// The model's own owner before others; of one owner the plainest name.
static bool is_nearer(const char *name, const char *id, const char *best)
{
    bool own = same_owner(name, id), best_own = same_owner(name, best);
    return own != best_own ? own : strlen(id) < strlen(best);
}

static bool load(struct room *room, const char *name)
{
    kvb_problems_init(&room->problems);
    return kvb_model_load(name, NULL, &room->model, &room->source, &room->problems) == KVB_OK;
}

static bool find_built_in(struct room *room, const char *name, uint32_t bits)
{
    size_t count;
    bool found = false;
    struct kvb_name_kin kin;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    kvb_name_kin_of(&kin, name);
    for (size_t i = 0; i < count; i++) {
        bool sibling = rows[i].kind == KVB_PROFILE_MODEL && kvb_name_is_kin(&kin, rows[i].id);
        bool better = !found || is_nearer(name, rows[i].id, room->best.name);
        if (sibling && better && load(room, rows[i].id) && kvb_model_format_bits(&room->model) == bits) {
            room->best = room->model;
            found = true;
        }
    }
    return found;
}

static bool make_up(struct room *room, const char *name, uint32_t bits)
{
    char made[KVB_NAME_CAPACITY];
    int length = snprintf(made, sizeof made, "%s%s", name, bits == 8 ? "-FP8" : "-AWQ");
    if (bits > 8 || length < 0 || (size_t)length >= sizeof made || !load(room, made)) {
        return false;
    }
    room->best = room->model;
    return kvb_model_format_bits(&room->model) == bits;
}

bool kvb_model_in_format(const char *name, uint32_t bits, struct kvb_model *model, bool *assumed)
{
    struct room *room = kvb_reallocate(NULL, sizeof *room);
    bool found = room != NULL && find_built_in(room, name, bits);
    *assumed = room != NULL && !found && make_up(room, name, bits);
    if (found || *assumed) {
        *model = room->best;
        found = true;
    }
    kvb_free(room);
    return found;
}
