// Training loops that generate with vLLM: verl's rollout keys and OpenRLHF's flags, as a serve command.
#include "manifest/manifest_rollout.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "deployment/residents.h"
#include "manifest/manifest_found.h"
#include "manifest/manifest_kubernetes.h"

// One value with its place, or nothing.
struct value {
    const char *text;
    size_t offset;
    const char *unknown;
};

// Looks a dotted key up, wherever the values are kept.
typedef struct value lookup(struct kvb_manifest *manifest, const void *source, const char *key);

static struct value in_tree(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_node *node = kvb_node_path(source, key);
    const char *text = kvb_node_text(node);
    if (text == NULL || kvb_node_is_null(node) || strstr(text, "${") != NULL) {
        return (struct value){NULL, KVB_NOWHERE, NULL};
    }
    return (struct value){text, kvb_source_offset(manifest, node->key_line, node->key_column), NULL};
}

// KEY=VALUE or +KEY=VALUE words of a hydra command line; the last one counts.
static struct value in_words(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_words *words = source;
    size_t length = strlen(key);
    (void)manifest;
    for (uint32_t i = words->count; i > 0; i--) {
        const struct kvb_arg *word = &words->items[i - 1];
        const char *text = word->text + strspn(word->text, "+");
        if (strncmp(text, key, length) == 0 && text[length] == '=') {
            return (struct value){text + length + 1, word->offset, word->unknown};
        }
    }
    return (struct value){NULL, KVB_NOWHERE, NULL};
}

// Whether the flag is this key; dashes and underscores are the same.
static bool is_flag(const char *word, const char *key, size_t length)
{
    if (strncmp(word, "--", 2) != 0) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = word[i + 2] == '-' ? '_' : word[i + 2];
        if (c == '\0' || c != (key[i] == '-' ? '_' : key[i])) {
            return false;
        }
    }
    return true;
}

// --NAME VALUE or --NAME=VALUE; a flag that another follows is "true".
static struct value in_flags(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_words *words = source;
    size_t length = strlen(key);
    (void)manifest;
    for (uint32_t i = words->count; i > 0; i--) {
        const struct kvb_arg *word = &words->items[i - 1];
        if (!is_flag(word->text, key, length)) {
            continue;
        }
        bool next = word->text[length + 2] == '\0' && i < words->count && strncmp(words->items[i].text, "--", 2) != 0;
        if (next) {
            return (struct value){words->items[i].text, word->offset, words->items[i].unknown};
        }
        if (word->text[length + 2] == '=' || word->text[length + 2] == '\0') {
            const char *text = word->text[length + 2] == '=' ? word->text + length + 3 : "true";
            return (struct value){text, word->offset, word->unknown};
        }
    }
    return (struct value){NULL, KVB_NOWHERE, NULL};
}

static void say(struct kvb_manifest *manifest, struct kvb_words *words, const char *flag, struct value value,
                const char *fallback)
{
    const char *text = value.text != NULL ? value.text : fallback;
    if (text != NULL) {
        kvb_words_say(manifest, words, flag, value.offset);
        kvb_words_add(manifest, words, (struct kvb_arg){text, value.offset, value.unknown});
    }
}

// Prompt and answer together are the longest request when no length is set.
static void say_length(struct kvb_manifest *manifest, struct kvb_words *words, struct value prompt, struct value answer)
{
    uint64_t first, second;
    char text[32];
    if (prompt.text == NULL || answer.text == NULL || !kvb_parse_whole(prompt.text, &first) ||
        !kvb_parse_whole(answer.text, &second) || first > UINT32_MAX || second > UINT32_MAX) {
        return;
    }
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)(first + second));
    kvb_words_say(manifest, words, "--max-model-len", answer.offset);
    kvb_words_say(manifest, words, kvb_manifest_copy(manifest, text, strlen(text)), answer.offset);
}

static struct value first_of(struct value a, struct value b)
{
    return a.text != NULL ? a : b;
}

static struct value rollout_key(struct kvb_manifest *manifest, lookup *find, const void *source, const char *key)
{
    return find(manifest, source, kvb_manifest_join(manifest, "actor_rollout_ref.rollout.", key, ""));
}

static bool is_off(const char *text)
{
    return kvb_equal_ignoring_case(text, "false") || strcmp(text, "0") == 0;
}

// The rows of the framework's own keys, as `plan` reads them for residents, of its newest release.
static void say_framework(struct kvb_manifest *manifest, enum kvb_framework framework, lookup *find, const void *source,
                          struct kvb_words *words)
{
    size_t count;
    const struct kvb_framework_row *rows = kvb_framework_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct kvb_framework_row *row = &rows[i];
        bool sleeps = row->meaning == KVB_MEANS_SLEEP;
        if (row->framework != framework || row->until != 0 || (row->meaning != KVB_MEANS_SETTING && !sleeps)) {
            continue;
        }
        struct value value = row->path[0] != '\0' ? find(manifest, source, row->path) : (struct value){0};
        value.offset = value.text != NULL ? value.offset : KVB_NOWHERE;
        const char *text = value.text != NULL ? value.text : row->otherwise;
        const char *flag = kvb_manifest_join(manifest, "--", sleeps ? "enable-sleep-mode" : row->key, "");
        bool on = text != NULL && (kvb_equal_ignoring_case(text, "true") || (sleeps && !is_off(text)));
        if (on) {
            kvb_words_say(manifest, words, flag, value.offset);
        } else if (text != NULL && !is_off(text)) {
            say(manifest, words, flag, value, row->otherwise);
        }
    }
}

static void add_verl(struct kvb_manifest *manifest, lookup *find, const void *source, struct kvb_words *words)
{
    struct value model = find(manifest, source, "actor_rollout_ref.model.path");
    bool has_length = rollout_key(manifest, find, source, "max_model_len").text != NULL;
    say(manifest, words, "--model", model, NULL);
    say_framework(manifest, KVB_FRAMEWORK_VERL, find, source, words);
    if (!has_length) {
        struct value prompt = first_of(rollout_key(manifest, find, source, "prompt_length"),
                                       find(manifest, source, "data.max_prompt_length"));
        struct value answer = first_of(rollout_key(manifest, find, source, "response_length"),
                                       find(manifest, source, "data.max_response_length"));
        say_length(manifest, words, prompt, answer);
    }
}

static void add_openrlhf(struct kvb_manifest *manifest, const struct kvb_words *source, struct kvb_words *words)
{
    say(manifest, words, "--model", in_flags(manifest, source, "pretrain"), NULL);
    say_framework(manifest, KVB_FRAMEWORK_OPENRLHF, in_flags, source, words);
    struct value eager = in_flags(manifest, source, "enforce_eager");
    if (eager.text != NULL) {
        kvb_words_say(manifest, words, "--enforce-eager", eager.offset);
    }
    say_length(manifest, words, in_flags(manifest, source, "prompt_max_len"),
               in_flags(manifest, source, "generate_max_len"));
}

// ---- the trainer beside it

struct asked {
    struct kvb_manifest *manifest;
    lookup *find;
    const void *source;
    const char *unknown; // a variable nobody knows, in a value that was asked for
};

static const char *find_text(void *context, const char *path)
{
    struct asked *asked = context;
    struct value value = asked->find(asked->manifest, asked->source, path);
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

// The framework's defaults and keys as `plan` reads them for a resident of kind trainer.
static void add_trainer(struct kvb_manifest *manifest, struct kvb_found *found, enum kvb_framework framework,
                        lookup *find, const void *source)
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

// How a framework's run becomes words of a serve command and a trainer.
struct run {
    enum kvb_framework framework;
    lookup *find;
    const void *source;
};

// They call the engine themselves and keep the trainer on the same GPUs.
static enum kvb_status emit(struct kvb_manifest *manifest, const struct kvb_container *container, const struct run *run,
                            const struct kvb_words *words)
{
    const char *name = container->name != NULL ? container->name : "rollout";
    struct kvb_found *found = kvb_found_new(manifest, "rollout", name, container->offset);
    if (manifest->release != NULL) {
        (void)kvb_copy(found->deployment.engine, sizeof found->deployment.engine,
                       kvb_manifest_join(manifest, kvb_image_engine(NULL)->name, "@", manifest->release));
    }
    kvb_found_read_serve(manifest, found, kvb_image_engine(NULL), words, container->variables);
    if (container->name == NULL && found->deployment.model[0] != '\0') {
        (void)kvb_copy(found->name, sizeof found->name,
                       kvb_manifest_join(manifest, name, " ", found->deployment.model));
    }
    found->deployment.usage = KVB_USAGE_OFFLINE;
    found->deployment.usage_set = true;
    add_trainer(manifest, found, run->framework, run->find, run->source);
    return kvb_found_emit(manifest, found, container->scope_line);
}

static bool is_module(const struct kvb_words *words, const char *part)
{
    for (uint32_t i = 0; i + 1 < words->count; i++) {
        if (strcmp(words->items[i].text, "-m") == 0 && kvb_starts_with(words->items[i + 1].text, part)) {
            return true;
        }
    }
    return false;
}

// ---- TRL: flags of its scripts, keys of its recipes

static bool says(struct kvb_manifest *manifest, const struct kvb_words *words, const char *key)
{
    const char *text = in_flags(manifest, words, key).text;
    return text != NULL && !is_off(text);
}

// GRPO and its like with an engine on the trainer's own GPUs; a server elsewhere is a deployment of its own.
static bool is_trl(const struct kvb_words *words)
{
    bool model = in_flags(NULL, words, "model_name_or_path").text != NULL;
    const char *mode = in_flags(NULL, words, "vllm_mode").text;
    return says(NULL, words, "use_vllm") && model && (mode == NULL || strcmp(mode, "colocate") == 0);
}

static enum kvb_status emit_trl(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_words words = {0};
    const struct run run = {KVB_FRAMEWORK_TRL, in_flags, &container->words};
    say(manifest, &words, "--model", in_flags(manifest, &container->words, "model_name_or_path"), NULL);
    say_framework(manifest, KVB_FRAMEWORK_TRL, in_flags, &container->words, &words);
    return emit(manifest, container, &run, &words);
}

enum kvb_status kvb_read_trl(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    struct kvb_container container = {.name = "use_vllm", .offset = kvb_node_offset(manifest, root)};
    kvb_words_from_mapping(manifest, root, &container.words);
    return is_trl(&container.words) ? emit_trl(manifest, &container) : KVB_OK;
}

// ---- slime: Megatron trains, SGLang generates (slime/backends/sglang_utils/arguments.py)

static bool is_slime(const struct kvb_words *words)
{
    bool trains = false;
    for (uint32_t i = 0; i < words->count; i++) {
        const char *slash = strrchr(words->items[i].text, '/');
        const char *name = slash != NULL ? slash + 1 : words->items[i].text;
        trains = trains || strcmp(name, "train.py") == 0 || strcmp(name, "train_async.py") == 0;
    }
    return trains && in_flags(NULL, words, "hf_checkpoint").text != NULL &&
           in_flags(NULL, words, "actor_num_gpus_per_node").text != NULL;
}

// Flags of the engine stand behind the prefix --sglang-.
static enum kvb_status emit_slime(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    static const char prefix[] = "--sglang-";
    struct kvb_container own = *container;
    const struct kvb_words *words = &container->words;
    own.kind = "rollout";
    own.words = (struct kvb_words){0};
    kvb_words_say(manifest, &own.words, "sglang", KVB_NOWHERE);
    kvb_words_say(manifest, &own.words, "serve", KVB_NOWHERE);
    say(manifest, &own.words, "--model-path", in_flags(manifest, words, "hf_checkpoint"), NULL);
    say(manifest, &own.words, "--tp-size", in_flags(manifest, words, "rollout_num_gpus_per_engine"), "1");
    for (uint32_t i = 0; i < words->count; i++) {
        struct kvb_arg word = words->items[i];
        if (kvb_starts_with(word.text, prefix)) {
            word.text = kvb_manifest_join(manifest, "--", word.text + sizeof prefix - 1, "");
            kvb_words_add(manifest, &own.words, word);
            bool value = i + 1 < words->count && strncmp(words->items[i + 1].text, "--", 2) != 0;
            if (value && strchr(word.text, '=') == NULL) {
                kvb_words_add(manifest, &own.words, words->items[i + 1]);
            }
        }
    }
    return kvb_container_emit(manifest, &own);
}

bool kvb_rollout_starts(const struct kvb_words *words)
{
    return is_module(words, "verl.trainer.main") || is_module(words, "openrlhf.cli.train_") || is_trl(words) ||
           is_slime(words);
}

static enum kvb_status emit_openrlhf(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_words words = {0};
    // Engines on GPUs of their own share nothing with the trainer.
    bool together = says(manifest, &container->words, "colocate_all_models");
    const struct run run = {together ? KVB_FRAMEWORK_OPENRLHF : KVB_FRAMEWORK_NONE, in_flags, &container->words};
    if (in_flags(manifest, &container->words, "vllm_num_engines").text == NULL) {
        return KVB_OK;
    }
    add_openrlhf(manifest, &container->words, &words);
    return emit(manifest, container, &run, &words);
}

enum kvb_status kvb_rollout_emit(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_words words = {0};
    if (is_slime(&container->words)) {
        return emit_slime(manifest, container);
    }
    if (is_trl(&container->words)) {
        return emit_trl(manifest, container);
    }
    if (is_module(&container->words, "openrlhf.")) {
        return emit_openrlhf(manifest, container);
    }
    const struct run run = {KVB_FRAMEWORK_VERL, in_words, &container->words};
    struct value engine = rollout_key(manifest, in_words, &container->words, "name");
    if (engine.text != NULL && strcmp(engine.text, "vllm") != 0) {
        return KVB_OK;
    }
    add_verl(manifest, in_words, &container->words, &words);
    return emit(manifest, container, &run, &words);
}

enum kvb_status kvb_read_rollout(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *rollout = kvb_node_path(root, "actor_rollout_ref.rollout");
    const char *engine = kvb_node_text(kvb_node_get(rollout, "name"));
    struct kvb_words words = {0};
    struct kvb_container container = {.name = "actor_rollout_ref.rollout"};
    if (rollout == NULL || (engine != NULL && strcmp(engine, "vllm") != 0)) {
        return KVB_OK;
    }
    container.offset = kvb_source_offset(manifest, rollout->key_line, rollout->key_column);
    const struct run run = {KVB_FRAMEWORK_VERL, in_tree, root};
    add_verl(manifest, in_tree, root, &words);
    return emit(manifest, &container, &run, &words);
}
