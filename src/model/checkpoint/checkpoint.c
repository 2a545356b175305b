// Tensors into classes: name to role and split, stored shape to unquantised shape.
#include "model/checkpoint/checkpoint.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "model/checkpoint/checkpoint_names.h"

#define MEMO_SLOTS 2048U
#define NAMES_FIRST 8192U
#define NAMES_MAX (UINT32_C(1) << 22)

_Static_assert(KVB_CHECKPOINT_ROLES >= KVB_ROLE_COUNT, "room for every role");
_Static_assert(KVB_CHECKPOINT_LAYER_WORDS * 64 >= KVB_LAYERS_MAX, "a bit for every layer");

struct kvb_kind_memo {
    uint32_t used;
    uint64_t hashes[MEMO_SLOTS]; // of names without their numbers; 0 = free
    struct kvb_tensor_kind kinds[MEMO_SLOTS];
};

struct name_slot {
    uint64_t hash; // 0 = free
    uint32_t file;
};
struct kvb_name_set {
    uint32_t used, slots; // a power of two
    struct name_slot *rows;
};

static uint64_t hash_name(const char *name, bool numbers)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (; *name; name++) {
        if (numbers || *name < '0' || *name > '9') {
            hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
        }
    }
    return hash + (hash == 0); // 0 stands for a free slot
}

static struct name_slot *name_slot(const struct kvb_name_set *set, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (set->slots - 1);
    while (set->rows[at].hash != 0 && set->rows[at].hash != hash) {
        at = (at + 1) & (set->slots - 1);
    }
    return &set->rows[at];
}

static bool grow_names(struct kvb_name_set *set)
{
    struct kvb_name_set larger = {.used = set->used, .slots = set->slots > 0 ? set->slots * 2 : NAMES_FIRST};
    larger.rows = larger.slots <= NAMES_MAX ? kvb_reallocate(NULL, larger.slots * sizeof *larger.rows) : NULL;
    if (larger.rows == NULL) {
        return false;
    }
    memset(larger.rows, 0, larger.slots * sizeof *larger.rows);
    for (uint32_t i = 0; i < set->slots; i++) {
        if (set->rows[i].hash != 0) {
            *name_slot(&larger, set->rows[i].hash) = set->rows[i];
        }
    }
    kvb_free(set->rows);
    *set = larger;
    return true;
}

enum kvb_status kvb_collect_begin(struct kvb_collector *collector, struct kvb_checkpoint *out,
                                  enum kvb_checkpoint_kind kind, uint32_t bits, struct kvb_problems *problems)
{
    memset(collector, 0, sizeof *collector);
    memset(out, 0, sizeof *out);
    out->kind = kind;
    out->classes_whole = true;
    collector->out = out;
    collector->bits = bits;
    collector->names = kvb_reallocate(NULL, sizeof *collector->names);
    if (collector->names != NULL) {
        memset(collector->names, 0, sizeof *collector->names);
    }
    collector->memo = kvb_reallocate(NULL, sizeof *collector->memo);
    if (collector->names == NULL || collector->memo == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                               "not enough memory to read the checkpoint's headers");
    }
    memset(collector->memo, 0, sizeof *collector->memo);
    return KVB_OK;
}

void kvb_collect_end(struct kvb_collector *collector)
{
    if (collector->names != NULL) {
        kvb_free(collector->names->rows);
    }
    kvb_free(collector->names);
    kvb_free(collector->memo);
    collector->names = NULL;
    collector->memo = NULL;
}

// A name may be met once per file; in a later file it is the same tensor again and counts once.
static enum kvb_status note_name(struct kvb_collector *collector, const char *name, bool *again,
                                 struct kvb_problems *problems)
{
    struct kvb_place place = {.file = collector->path};
    struct kvb_name_set *set = collector->names;
    if ((uint64_t)set->used * 2 >= set->slots && !grow_names(set)) {
        bool full = set->slots >= NAMES_MAX;
        return kvb_problem_add(problems, KVB_ERROR, full ? KVB_TOO_LARGE : KVB_NO_MEMORY, place,
                               full ? "more tensors than any checkpoint has" : "not enough memory to read its header");
    }
    uint64_t hash = hash_name(name, true);
    struct name_slot *slot = name_slot(set, hash);
    *again = slot->hash != 0;
    if (*again && slot->file == collector->file) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_DUPLICATE_KEY, place, "tensor '%.300s' is there twice", name);
    }
    set->used += *again ? 0 : 1;
    *slot = (struct name_slot){hash, collector->file};
    return KVB_OK;
}

static void look_up(struct kvb_kind_memo *memo, const char *name, struct kvb_tensor_kind *kind)
{
    uint64_t hash = hash_name(name, false);
    uint32_t at = (uint32_t)hash & (MEMO_SLOTS - 1);
    while (memo->hashes[at] != 0 && memo->hashes[at] != hash) {
        at = (at + 1) & (MEMO_SLOTS - 1);
    }
    if (memo->hashes[at] == hash) {
        *kind = memo->kinds[at];
        return;
    }
    kvb_tensor_kind_of(name, kind);
    if (memo->used < MEMO_SLOTS / 2) {
        memo->hashes[at] = hash;
        memo->kinds[at] = *kind;
        memo->used++;
    }
}

static uint64_t product(const struct kvb_stored_tensor *tensor, uint32_t from)
{
    uint64_t value = 1;
    for (uint32_t i = from; i < tensor->dimension_count; i++) {
        value = kvb_mul(value, tensor->dimensions[i]);
    }
    return value;
}

// Elements held by one stored number.
static uint64_t packing(const struct kvb_collector *collector, const struct kvb_stored_tensor *tensor,
                        enum kvb_leaf leaf)
{
    uint32_t stored = kvb_element_bits(tensor->element);
    if (tensor->element == KVB_ELEMENT_U8) {
        return leaf == KVB_LEAF_PACKED_WORDS || leaf == KVB_LEAF_PACKED_HALF || tensor->dimension_count > 1 ? 2 : 1;
    }
    if (leaf == KVB_LEAF_PACKED_WORDS && stored >= 32) {
        uint32_t bits = collector->bits > 0 && collector->bits <= 8 ? collector->bits : 4;
        return stored / bits;
    }
    return 1;
}

static bool ends_with_bias(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, "_bias") == 0;
}

static void shape_of(const struct kvb_collector *collector, const struct kvb_stored_tensor *tensor,
                     const struct kvb_tensor_kind *kind, struct kvb_tensor_class *row)
{
    bool bias_list = tensor->dimension_count == 2 && ends_with_bias(tensor->name);
    bool stacked = kind->role == KVB_ROLE_EXPERTS && (tensor->dimension_count > 2 || bias_list);
    uint32_t first = stacked ? 1 : 0;
    row->count = stacked ? tensor->dimensions[0] : 1;
    row->rows = tensor->dimension_count > first ? tensor->dimensions[first] : 1;
    row->columns = kvb_mul(product(tensor, first + 1), packing(collector, tensor, kind->leaf));
}

static bool is_quantised(const struct kvb_stored_tensor *tensor, const struct kvb_tensor_kind *kind)
{
    uint32_t bits = kvb_element_bits(tensor->element);
    return kind->leaf == KVB_LEAF_PACKED_WORDS || kind->leaf == KVB_LEAF_PACKED_HALF || bits < 16;
}

static bool same_class(const struct kvb_tensor_class *a, const struct kvb_tensor_class *b)
{
    return a->rows == b->rows && a->columns == b->columns && a->role == b->role && a->split == b->split &&
           a->element == b->element && a->bytes_per_1024 == b->bytes_per_1024 && a->in_layer == b->in_layer &&
           a->quantised == b->quantised && strcmp(a->name, b->name) == 0;
}

// "blk.7.attn_v.weight" -> "attn_v.weight", cut where it is too long.
static void name_class(const struct kvb_stored_tensor *tensor, struct kvb_tensor_class *row)
{
    const char *name = tensor->name;
    if (strncmp(name, "blk.", 4) == 0) {
        const char *dot = strchr(name + 4, '.');
        name = dot != NULL ? dot + 1 : name;
    }
    size_t length = strlen(name);
    length = length < sizeof row->name ? length : sizeof row->name - 1;
    memcpy(row->name, name, length);
    row->name[length] = '\0';
}

static struct kvb_tensor_class *class_for(struct kvb_checkpoint *out, const struct kvb_tensor_class *row)
{
    for (uint32_t i = 0; i < out->class_count; i++) {
        if (same_class(&out->classes[i], row)) {
            return &out->classes[i];
        }
    }
    if (out->class_count == KVB_CHECKPOINT_CLASSES_MAX) {
        out->classes_whole = false;
        return NULL;
    }
    struct kvb_tensor_class *made = &out->classes[out->class_count++];
    *made = *row;
    made->count = 0;
    return made;
}

static void add_to_class(struct kvb_collector *collector, const struct kvb_stored_tensor *tensor,
                         const struct kvb_tensor_kind *kind)
{
    struct kvb_tensor_class row = {.role = (uint8_t)kind->role,
                                   .split = (uint8_t)kind->split,
                                   .element = (uint8_t)tensor->element,
                                   .quantised = is_quantised(tensor, kind),
                                   .in_layer = kind->in_layer};
    struct kvb_checkpoint *out = collector->out;
    shape_of(collector, tensor, kind, &row);
    if (out->kind == KVB_CHECKPOINT_GGUF) {
        name_class(tensor, &row);
    }
    uint64_t elements = kvb_mul(kvb_mul(row.rows, row.columns), row.count);
    out->parameters = kvb_add(out->parameters, elements);
    row.bytes_per_1024 = elements > 0 ? (uint32_t)kvb_min(kvb_mul(tensor->bytes, 1024) / elements, UINT32_MAX) : 0;
    struct kvb_tensor_class *found = class_for(out, &row);
    if (found == NULL) {
        return;
    }
    found->count = kvb_add(found->count, row.count);
    found->stored_bytes = kvb_add(found->stored_bytes, tensor->bytes);
    uint32_t layer = kind->in_layer ? kvb_tensor_layer(tensor->name) : 0;
    if (kind->in_layer && layer < KVB_LAYERS_MAX) {
        found->layers[layer / 64] |= UINT64_C(1) << layer % 64;
    }
}

enum kvb_status kvb_collect(void *context, const struct kvb_stored_tensor *tensor, struct kvb_problems *problems)
{
    struct kvb_collector *collector = context;
    struct kvb_checkpoint *out = collector->out;
    struct kvb_tensor_kind kind;
    bool again = false;
    enum kvb_status status = note_name(collector, tensor->name, &again, problems);
    if (status != KVB_OK || again) {
        return status;
    }
    look_up(collector->memo, tensor->name, &kind);
    out->tensor_count++;
    out->total_bytes = kvb_add(out->total_bytes, tensor->bytes);
    out->role_bytes[kind.role] = kvb_add(out->role_bytes[kind.role], tensor->bytes);
    out->element_bytes[tensor->element] = kvb_add(out->element_bytes[tensor->element], tensor->bytes);
    if (kind.leaf == KVB_LEAF_SCALE) {
        out->scale_bytes[kind.role] = kvb_add(out->scale_bytes[kind.role], tensor->bytes);
    } else if (kind.leaf != KVB_LEAF_BUFFER) {
        add_to_class(collector, tensor, &kind);
    }
    if (kvb_is_saturated(out->parameters) || kvb_is_saturated(out->total_bytes)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OVERFLOW, (struct kvb_place){.file = collector->path},
                               "its tensors add up to more than any machine holds");
    }
    return KVB_OK;
}

// What the engine would load of a head that repeats the embedding is nothing.
static uint64_t loaded_parameters(const struct kvb_model *model)
{
    const struct kvb_checkpoint *checkpoint = &model->checkpoint;
    uint64_t repeated = 0;
    for (uint32_t i = 0; model->tied_embeddings && i < checkpoint->class_count; i++) {
        const struct kvb_tensor_class *row = &checkpoint->classes[i];
        if (row->role == KVB_ROLE_HEAD) {
            repeated += kvb_mul(kvb_mul(row->rows, row->columns), row->count);
        }
    }
    return checkpoint->parameters > repeated ? checkpoint->parameters - repeated : 0;
}

void kvb_checkpoint_settle(struct kvb_model *model, const char *path, struct kvb_problems *problems)
{
    uint64_t counted = loaded_parameters(model);
    uint64_t described = kvb_model_parameters(model);
    if (model->checkpoint.parameters == 0) {
        return;
    }
    model->checkpoint.parameters = counted;
    uint64_t difference = counted > described ? counted - described : described - counted;
    if (difference > described / 1000) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, (struct kvb_place){.file = path},
                              "the checkpoint's headers hold %llu parameters, its config describes %llu; weights are "
                              "counted from the headers",
                              (unsigned long long)counted, (unsigned long long)described);
    }
}
