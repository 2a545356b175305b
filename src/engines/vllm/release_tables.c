// Asks the generated tables what a release knows.
#include "engines/vllm/release_tables.h"

#include <string.h>

#include <kvbudget/plan.h>

#include "base/text.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static bool covers(uint32_t since, uint32_t gone, uint32_t release)
{
    return release == 0 || (since <= release && (gone == 0 || release < gone));
}

// The rows are sorted by name (scripts/release-tables); several of one name follow each other.
static unsigned first_row_of(const char *name)
{
    unsigned low = 0, high = kvb_known_class_row_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (strcmp(kvb_known_class_rows[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct kvb_known_class *kvb_class_of(const char *name, uint32_t release)
{
    for (unsigned i = first_row_of(name); i < kvb_known_class_row_count; i++) {
        const struct kvb_known_class *row = &kvb_known_class_rows[i];
        if (strcmp(row->name, name) != 0) {
            return NULL;
        }
        if (covers(row->since, row->gone, release)) {
            return row;
        }
    }
    return NULL;
}

// What ends a class's name: the first that does is replaced by each in turn, until a class has the name; only classes
// that pool are made of others here, as a text model's weights have other names than those of one with pictures.
// vllm/model_executor/models/registry.py v0.10.0 _try_inspect_model_cls (classifiers of causal models alone), v0.10.1
// _normalize_arch with vllm/config _SUFFIX_TO_DEFAULTS.
static const struct ending {
    const char *text;
    uint32_t replaced, replaces; // since; 0: never
} endings[] = {
    {"ForCausalLM", 0, R(10, 0)},
    {"ForConditionalGeneration", 0, R(10, 1)},
    {"ChatModel", 0, R(10, 1)},
    {"LMHeadModel", 0, R(10, 1)},
    {"ForTextEncoding", R(10, 1), R(10, 1)},
    {"EmbeddingModel", R(10, 1), R(10, 1)},
    {"ForSequenceClassification", R(10, 0), R(10, 1)},
    {"ForTokenClassification", R(13, 0), R(13, 0)},
    {"ForAudioClassification", R(10, 1), R(10, 1)},
    {"ForImageClassification", R(10, 1), R(10, 1)},
    {"ForVideoClassification", R(10, 1), R(10, 1)},
    {"ClassificationModel", R(10, 1), R(10, 1)},
    {"ForRewardModeling", R(10, 1), R(10, 1)},
    {"RewardModel", R(10, 1), R(10, 1)},
    {"Model", R(10, 1), R(10, 1)},
};
#define ENDING_COUNT (sizeof endings / sizeof endings[0])

// The class whose name ends so instead, or NULL.
static const struct kvb_known_class *class_ending(const char *name, size_t stem, const char *ending, uint32_t release)
{
    char base[KVB_NAME_CAPACITY];
    if (stem >= sizeof base) {
        return NULL;
    }
    memcpy(base, name, stem);
    return kvb_copy(base + stem, sizeof base - stem, ending) ? kvb_class_of(base, release) : NULL;
}

const struct kvb_known_class *kvb_class_served_by(const char *name, uint32_t release)
{
    const struct kvb_known_class *found = kvb_class_of(name, release);
    size_t own = 0;
    while (own < ENDING_COUNT && !kvb_ends_with(name, endings[own].text)) {
        own++;
    }
    if (own == ENDING_COUNT || endings[own].replaced == 0 || release < endings[own].replaced) {
        return found;
    }
    size_t stem = strlen(name) - strlen(endings[own].text);
    for (size_t i = 0; i < ENDING_COUNT && found == NULL; i++) {
        found = release >= endings[i].replaces ? class_ending(name, stem, endings[i].text, release) : NULL;
    }
    return found;
}

bool kvb_class_is_known(const char *name)
{
    return kvb_class_of(name, 0) != NULL;
}

const struct kvb_withdrawn_class *kvb_withdrawn_of(const char *name, uint32_t release)
{
    for (unsigned i = 0; i < kvb_withdrawn_class_row_count; i++) {
        const struct kvb_withdrawn_class *row = &kvb_withdrawn_class_rows[i];
        if (covers(row->since, row->gone, release) && strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return NULL;
}

const struct kvb_known_method *kvb_method_of(const char *name, uint32_t release)
{
    for (unsigned i = 0; i < kvb_known_method_row_count; i++) {
        const struct kvb_known_method *row = &kvb_known_method_rows[i];
        if (covers(row->since, row->gone, release) && strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return NULL;
}

const struct kvb_known_requirements *kvb_requirements_of(uint32_t release)
{
    const struct kvb_known_requirements *found = NULL;
    for (unsigned i = 0; i < kvb_known_requirements_row_count; i++) {
        if (kvb_known_requirements_rows[i].since <= release) {
            found = &kvb_known_requirements_rows[i];
        }
    }
    return found;
}

// A cubin runs on its own capability and on later minor ones of the same generation, PTX on all later ones.
static bool runs_on(const struct kvb_known_kernels *row, uint32_t capability)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < sizeof row->capabilities / sizeof row->capabilities[0]; i++) {
        uint32_t have = row->capabilities[i];
        if (have > 0 && have / 10 == capability / 10 && have <= capability) {
            return true;
        }
        newest = have > newest ? have : newest;
    }
    return row->forward && capability >= newest;
}

bool kvb_kernels_run_on(uint32_t capability, uint32_t release)
{
    for (unsigned i = 0; i < kvb_known_kernels_row_count; i++) {
        const struct kvb_known_kernels *row = &kvb_known_kernels_rows[i];
        if (covers(row->since, row->gone, release)) {
            return runs_on(row, capability);
        }
    }
    return true;
}

const struct kvb_known_flag *kvb_flag_of(const char *name, size_t length, uint32_t release, unsigned *matches)
{
    const struct kvb_known_flag *found = NULL;
    *matches = 0;
    for (unsigned i = 0; length > 0 && i < kvb_known_flag_row_count; i++) {
        const struct kvb_known_flag *row = &kvb_known_flag_rows[i];
        if (!covers(row->since, row->gone, release)) {
            continue;
        }
        enum kvb_name_match match = kvb_match_name(name, length, row->name);
        if (match == KVB_NAME_EQUAL) {
            *matches = 1;
            return row;
        }
        if (match == KVB_NAME_BEGINS && (found == NULL || strcmp(found->name, row->name) != 0)) {
            found = row;
            ++*matches;
        }
    }
    return *matches == 1 ? found : NULL;
}

bool kvb_flag_is_gone(const char *name, uint32_t release)
{
    bool gone = false;
    for (unsigned i = 0; i < kvb_known_flag_row_count; i++) {
        const struct kvb_known_flag *row = &kvb_known_flag_rows[i];
        bool same = strcmp(row->name, name) == 0;
        if (same && (row->gone == 0 || row->gone > release)) {
            return false;
        }
        gone = gone || same;
    }
    return gone;
}

static const struct kvb_known_choice *choice_from(const struct kvb_known_choice *row, unsigned count, const char *flag,
                                                  uint32_t release)
{
    for (; count > 0 && strcmp(row->flag, flag) == 0; row++, count--) {
        if (covers(row->since, row->gone, release)) {
            return row;
        }
    }
    return NULL;
}

static const struct kvb_known_choice *first_of(const struct kvb_known_choice *rows, unsigned count, const char *flag,
                                               uint32_t release)
{
    unsigned at = 0;
    while (at < count && strcmp(rows[at].flag, flag) != 0) {
        at++;
    }
    return choice_from(rows + at, count - at, flag, release);
}

const struct kvb_known_choice *kvb_choices_of(const char *flag, uint32_t release)
{
    return first_of(kvb_known_choice_rows, kvb_known_choice_row_count, flag, release);
}

const struct kvb_known_choice *kvb_choice_after(const struct kvb_known_choice *row, uint32_t release)
{
    unsigned left = kvb_known_choice_row_count - (unsigned)(row - kvb_known_choice_rows) - 1;
    return choice_from(row + 1, left, row->flag, release);
}

bool kvb_keys_are_listed(const char *flag, uint32_t release)
{
    return first_of(kvb_known_key_rows, kvb_known_key_row_count, flag, release) != NULL;
}

bool kvb_key_is_listed(const char *flag, const char *key, uint32_t release)
{
    for (unsigned i = 0; i < kvb_known_key_row_count; i++) {
        const struct kvb_known_choice *row = &kvb_known_key_rows[i];
        if (strcmp(row->flag, flag) == 0 && strcmp(row->word, key) == 0 && covers(row->since, row->gone, release)) {
            return true;
        }
    }
    return false;
}

const struct kvb_known_key_type *kvb_key_type_of(const char *flag, const char *key, uint32_t release)
{
    for (unsigned i = 0; i < kvb_known_key_type_row_count; i++) {
        const struct kvb_known_key_type *row = &kvb_known_key_type_rows[i];
        if (strcmp(row->flag, flag) == 0 && strcmp(row->key, key) == 0 && covers(row->since, row->gone, release)) {
            return row;
        }
    }
    return NULL;
}
