// The trainer beside an engine that a training loop calls itself.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_lookup.h"

struct asked {
    struct kvb_manifest *manifest;
    kvb_lookup *find;
    const void *source;
    const char *unknown; // a variable nobody knows, in a value that was asked for
};

static const char *find_text(void *context, const char *path)
{
    struct asked *asked = context;
    struct kvb_looked_up value = asked->find(asked->manifest, asked->source, path);
    if (value.text != NULL && value.unknown != NULL) {
        asked->unknown = value.unknown;
        return NULL;
    }
    return value.text;
}

// What shards the trainer of TRL is the launcher's to say; without it nothing is said of the trainer.
static bool take_launcher(struct asked *asked, struct kvb_trainer *trainer)
{
    static const struct {
        const char *part;
        enum kvb_sharding sharding;
    } configs[] = {{"zero3", KVB_SHARD_ZERO3}, {"zero2", KVB_SHARD_ZERO2}, {"zero1", KVB_SHARD_ZERO1},
                   {"fsdp2", KVB_SHARD_FSDP2}, {"fsdp", KVB_SHARD_FSDP},   {"multi_gpu", KVB_SHARD_NONE}};
    const char *processes = find_text(asked, "num_processes"), *config = find_text(asked, "config_file");
    uint64_t number = 0;
    if (processes == NULL || config == NULL || !kvb_parse_whole(processes, &number) || number < 1 || number > 65536) {
        return false;
    }
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        if (kvb_contains_ignoring_case(config, configs[i].part)) {
            trainer->gpus = (uint32_t)number;
            trainer->sharding = configs[i].sharding;
            return true;
        }
    }
    return false;
}

void kvb_rollout_add_trainer(struct kvb_manifest *manifest, struct kvb_found *found, enum kvb_framework framework,
                             kvb_lookup *find, const void *source)
{
    struct asked asked = {manifest, find, source, NULL};
    const char *wrong = NULL;
    struct kvb_resident_entry *entry = framework != KVB_FRAMEWORK_NONE ? kvb_found_residents(manifest, found) : NULL;
    if (entry == NULL) {
        return;
    }
    entry->kind = KVB_RESIDENT_TRAINER;
    (void)kvb_copy(entry->name, sizeof entry->name, kvb_framework_name(framework));
    kvb_trainer_init(&entry->trainer);
    entry->trainer.framework = framework;
    bool launched = framework != KVB_FRAMEWORK_TRL || take_launcher(&asked, &entry->trainer);
    enum kvb_status status = kvb_framework_put(framework, UINT32_MAX, find_text, &asked, entry, &wrong);
    if (status == KVB_OK && asked.unknown == NULL && launched) {
        found->residents = entry;
        found->resident_count = 1;
        return;
    }
    struct kvb_place place = {manifest->file, found->place.line, found->place.column};
    (void)kvb_problem_add(
        &found->problems, KVB_NOTICE, KVB_OK, place,
        "what the trainer itself holds on these GPUs is not counted, because %.80s %s; --reserve or --gpu-free says it",
        !launched               ? "--num_processes and an accelerate --config_file that names its sharding"
        : asked.unknown != NULL ? asked.unknown
                                : wrong,
        !launched               ? "are not both said"
        : asked.unknown != NULL ? "is not known"
                                : "is not understood");
}
