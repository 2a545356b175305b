// The `residents:` list of a deployment profile, and the trainers whose own configuration is read.
#ifndef KVB_DEPLOYMENT_RESIDENTS_H
#define KVB_DEPLOYMENT_RESIDENTS_H

#include <kvbudget/input.h>

#include "text/field.h"

// One row per key of a trainer.
extern const struct kvb_schema kvb_trainer_schema;
// Puts a value as a profile or a framework's own file writes it. False: `expected` says what would be right.
bool kvb_trainer_put(struct kvb_trainer *trainer, const struct kvb_field_row *row, const char *text,
                     char expected[160]);

// A framework's own key: what it stands for here, and what it is when left out.
struct kvb_framework_row {
    enum kvb_framework framework;
    uint32_t since, until; // releases of the framework, half open; 0: no bound
    const char *path;      // "actor_rollout_ref.actor.strategy"
    const char *key;       // of a trainer row, or of an engine setting
    enum kvb_framework_meaning {
        KVB_MEANS_TRAINER,  // value as the trainer row takes it
        KVB_MEANS_SETTING,  // value as the engine setting takes it
        KVB_MEANS_MIB,      // a size in MiB
        KVB_MEANS_SLEEP,    // true: sleeps
        KVB_MEANS_PRESENCE, // any number but 0, or true
        KVB_MEANS_TIMES,    // multiplies
        KVB_MEANS_STAGE,    // DeepSpeed's zero_stage
        KVB_MEANS_OFFLOAD   // true: parameters and optimizer leave the GPU
    } meaning;
    const char *otherwise; // default of the framework; NULL: none
};
const struct kvb_framework_row *kvb_framework_rows(size_t *count);

// Defaults of the framework, then the keys of its configuration (NULL: none); unknown keys do not
// concern memory.
enum kvb_status kvb_framework_apply(enum kvb_framework framework, uint32_t release, const struct kvb_tree *tree,
                                    const struct kvb_node *config, struct kvb_resident_entry *entry,
                                    struct kvb_problems *problems) KVB_MUST_USE;

// The same for a configuration that is no tree: `find` knows the text of a key, or NULL. `wrong` receives the first key
// whose value cannot be one.
typedef const char *kvb_framework_lookup(void *context, const char *path);
enum kvb_status kvb_framework_put(enum kvb_framework framework, uint32_t release, kvb_framework_lookup *find,
                                  void *context, struct kvb_resident_entry *entry, const char **wrong);
// What follows from the keys together, once all are read; `tokens_said`: those of a pass are.
void kvb_framework_finish(struct kvb_resident_entry *entry, bool tokens_said);

// The list of a profile's text; entries has room for KVB_RESIDENTS_MAX.
enum kvb_status kvb_residents_read(const char *file, const char *text, size_t length,
                                   struct kvb_resident_entry *entries, uint32_t *count,
                                   struct kvb_problems *problems) KVB_MUST_USE;

// Judges the list without keeping it.
enum kvb_status kvb_residents_check(const struct kvb_tree *tree, const struct kvb_node *list,
                                    struct kvb_problems *problems) KVB_MUST_USE;

#endif
