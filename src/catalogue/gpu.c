// Finding a GPU by what people call it.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "catalogue/builtin.h"
#include "catalogue/profile.h"
#include "text/file.h"

#define MATCHES_MAX 8
#define WORDS_CAPACITY 160

// Words in front that people leave out or add, after blanks and hyphens are gone.
static const char *const prefixes[] = {"nvidia", "geforce", "tesla", "amd", "instinct",
                                       "radeon", "intel",   "rtx",   "gtx"};

static char *without_prefixes(char *name)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && name[length] != '\0') {
            name += length;
            i = SIZE_MAX; // from the start again: "nvidia geforce rtx"
        }
    }
    return name;
}

// A size is meant with its unit or without.
static void cut_unit(char *name)
{
    size_t number = strlen(name);
    while (number > 0 && strchr("gib", name[number - 1])) {
        number--;
    }
    bool unit = strcmp(name + number, "gb") == 0 || strcmp(name + number, "gib") == 0;
    if (unit && number > 0 && name[number - 1] <= '9') { // digits come before letters
        name[number] = '\0';
    }
}

// Lower case letters and digits only: "NVIDIA A100-SXM4-80GB" -> "a100sxm480". Returns a part of `out`.
static const char *normalise(char out[WORDS_CAPACITY], const char *name, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < WORDS_CAPACITY; i++) {
        char c = name[i];
        if (c >= 'A' && c <= 'Z') {
            c = (char)(c - 'A' + 'a');
        }
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            out[used++] = c;
        }
    }
    out[used] = '\0';
    cut_unit(out);
    return without_prefixes(out);
}

// The search for one name over all ids, names and aliases.
struct search {
    const char *wanted; // normalised
    const struct kvb_builtin *by_id;
    const struct kvb_builtin *matches[MATCHES_MAX];
    size_t match_count;
    const struct kvb_builtin *family[MATCHES_MAX]; // ids that begin with what is wanted: "a100" of "a100-sxm-80"
    size_t family_count;
    const struct kvb_builtin *nearest; // looked for only when nothing was found
    unsigned nearest_distance;
};

static bool is_wanted(const struct search *search, const char *name, size_t length)
{
    char words[WORDS_CAPACITY];
    const char *normal = normalise(words, name, length);
    return *normal != '\0' && strcmp(normal, search->wanted) == 0;
}

// The same words in another order: "RTX 6000 Pro".
static bool same_letters(const char *a, const char *b)
{
    int counts[UCHAR_MAX + 1] = {0};
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        counts[(unsigned char)*a]++;
        counts[(unsigned char)*b]--;
    }
    bool same = *a == '\0' && *b == '\0';
    for (size_t i = 0; same && i <= UCHAR_MAX; i++) {
        same = counts[i] == 0;
    }
    return same;
}

// Remembers the nearest name.
static void consider(struct search *search, const struct kvb_builtin *row, const char *name, size_t length)
{
    char words[WORDS_CAPACITY];
    const char *normal = normalise(words, name, length);
    size_t have = strlen(normal);
    size_t want = strlen(search->wanted);
    bool farther = search->nearest && (have > want ? have - want : want - have) >= search->nearest_distance;
    if (have == 0 || farther) {
        return;
    }
    unsigned distance = same_letters(normal, search->wanted) ? 1 : kvb_edit_distance(normal, search->wanted);
    if (!search->nearest || distance < search->nearest_distance) {
        search->nearest = row;
        search->nearest_distance = distance;
    }
}

static void consider_row(struct search *search, const struct kvb_builtin *row)
{
    consider(search, row, row->id, strlen(row->id));
    const char *name = row->names;
    while (*name) {
        size_t length = strcspn(name, ",");
        consider(search, row, name, length);
        name += length + (name[length] == ',');
    }
}

static bool begins_with_wanted(const struct search *search, const char *id)
{
    char words[WORDS_CAPACITY];
    if (!strpbrk(search->wanted, "0123456789")) {
        return false; // "rtx" is a brand
    }
    for (const char *end = strchr(id, '-'); end; end = strchr(end + 1, '-')) {
        if (strcmp(normalise(words, id, (size_t)(end - id)), search->wanted) == 0) {
            return true;
        }
    }
    return false;
}

static void search_row(struct search *search, const struct kvb_builtin *row)
{
    if (is_wanted(search, row->id, strlen(row->id))) {
        search->by_id = row;
    }
    bool found = false;
    const char *name = row->names;
    while (*name) {
        size_t length = strcspn(name, ",");
        found = is_wanted(search, name, length) || found;
        name += length + (name[length] == ',');
    }
    if (found && search->match_count < MATCHES_MAX) {
        search->matches[search->match_count++] = row;
    }
    if (search->family_count < MATCHES_MAX && begins_with_wanted(search, row->id)) {
        search->family[search->family_count++] = row;
    }
}

static enum kvb_status say_ambiguous(const char *name, const struct kvb_builtin *const *rows, size_t count,
                                     struct kvb_problems *problems)
{
    char ids[320] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(ids);
        const char *joint = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        (void)snprintf(ids + used, sizeof ids - used, "%s%s", joint, rows[i]->id);
    }
    return kvb_problem_add(problems, KVB_ERROR, KVB_AMBIGUOUS_NAME, (struct kvb_place){0},
                           "several GPUs are called '%.80s': write %s", name, ids);
}

// Of a family that is called by one word, the card that is meant most often: what clouds rent out under that word.
static const struct common_row {
    const char *family, *id;
} common[] = {
    {"a100", "a100-sxm-80"},
    {"h100", "h100-sxm"},
    {"v100", "v100-16"},
    {"gh200", "gh200-96"},
};

static const struct kvb_builtin *find_common(const char *wanted)
{
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        if (strcmp(common[i].family, wanted) == 0) {
            return kvb_builtin_find(KVB_PROFILE_GPU, common[i].id);
        }
    }
    return NULL;
}

static enum kvb_status load_common(const char *name, const struct kvb_builtin *row, struct kvb_gpu *gpu,
                                   struct kvb_problems *problems)
{
    enum kvb_status status = kvb_gpu_read(row->id, row->text, row->length, gpu, problems);
    if (status == KVB_OK) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, (struct kvb_place){0},
                              "several GPUs are called '%.40s': %s is taken, the common one", name, row->id);
    }
    return status;
}

static enum kvb_status say_unknown(const char *name, const struct search *search, struct kvb_problems *problems)
{
    size_t length = strlen(search->wanted);
    bool near = search->nearest_distance <= (length < 6 ? 1 : length / 3);
    return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                           "no GPU is called '%.80s'%s%s%s; `kvbudget profiles list` shows all, and --gpu-memory takes "
                           "the memory of any other",
                           name, near ? "; the nearest is '" : "", near ? search->nearest->id : "", near ? "'" : "");
}

static enum kvb_status load_file(const char *path, struct kvb_gpu *gpu, struct kvb_problems *problems)
{
    struct kvb_file file;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, problems);
    if (status == KVB_OK) {
        status = kvb_gpu_read(path, file.text, file.length, gpu, problems);
        kvb_file_free(&file);
    }
    return status;
}

// "24GB": a card that is sold with so much. False when it is no such size.
static bool is_nameplate(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    const char *unit = name + digits + strspn(name + digits, " ");
    return digits >= 1 && digits <= 4 && name[0] != '0' && kvb_equal_ignoring_case(unit, "gb");
}

static enum kvb_status load_nameplate(const char *name, struct kvb_gpu *gpu, struct kvb_problems *problems)
{
    char text[160], size[32];
    int digits = (int)strspn(name, "0123456789");
    int length = snprintf(text, sizeof text,
                          "kind: gpu\nschema: 1\nid: %.*sgb\nname: \"GPU sold with %.*s GB\"\nnameplate_gb: %.*s\n",
                          digits, name, digits, name, digits, name);
    enum kvb_status status = kvb_gpu_read(name, text, (size_t)length, gpu, problems);
    if (status == KVB_OK) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, (struct kvb_place){0},
                              "'%.20s' is taken for a card sold with so much, of which an engine sees about %s GiB; "
                              "--gpu-memory takes an exact size, --gpu a card's name",
                              name, kvb_format_gib(size, (int64_t)gpu->memory_bytes, 1));
    }
    return status;
}

enum kvb_status kvb_gpu_load(const char *name, struct kvb_gpu *gpu, struct kvb_problems *problems)
{
    if (kvb_is_path(name)) {
        return load_file(name, gpu, problems);
    }
    if (is_nameplate(name)) {
        return load_nameplate(name, gpu, problems);
    }
    const struct kvb_builtin *exact = kvb_builtin_find(KVB_PROFILE_GPU, name);
    if (exact) {
        return kvb_gpu_read(exact->id, exact->text, exact->length, gpu, problems);
    }
    char words[WORDS_CAPACITY];
    struct search search = {.wanted = normalise(words, name, strlen(name))};
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_GPU, &count);
    for (size_t i = 0; i < count; i++) {
        search_row(&search, &rows[i]);
    }
    const struct kvb_builtin *found = search.by_id ? search.by_id : search.match_count == 1 ? search.matches[0] : NULL;
    if (found) {
        return kvb_gpu_read(found->id, found->text, found->length, gpu, problems);
    }
    const struct kvb_builtin *usual = find_common(search.wanted);
    if (usual) {
        return load_common(name, usual, gpu, problems);
    }
    if (search.match_count > 1) {
        return say_ambiguous(name, search.matches, search.match_count, problems);
    }
    if (search.family_count > 1) {
        return say_ambiguous(name, search.family, search.family_count, problems);
    }
    for (size_t i = 0; search.family_count == 0 && i < count; i++) {
        consider_row(&search, &rows[i]);
    }
    for (size_t i = 0; search.family_count == 0 && i < sizeof common / sizeof common[0]; i++) {
        const struct kvb_builtin *row = find_common(common[i].family);
        if (row) {
            consider(&search, row, common[i].family, strlen(common[i].family));
        }
    }
    if (search.family_count == 1) {
        search.nearest = search.family[0];
        search.nearest_distance = 0;
    }
    return say_unknown(name, &search, problems);
}

void kvb_gpu_from_memory(uint64_t memory_bytes, struct kvb_gpu *gpu)
{
    char size[32];
    *gpu = (struct kvb_gpu){.vendor = KVB_VENDOR_NVIDIA,
                            .memory_bytes = memory_bytes,
                            .memory_low_bytes = memory_bytes,
                            .memory_high_bytes = memory_bytes,
                            .memory_basis = KVB_BASIS_STATED};
    (void)snprintf(gpu->name, sizeof gpu->name, "GPU with %s GiB", kvb_format_gib(size, (int64_t)memory_bytes, 2));
}
