// Training loops that generate with vLLM: verl's rollout keys and OpenRLHF's flags, as a serve command.
#include "manifest/manifest_rollout.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "deployment/residents.h"
#include "manifest/manifest_found.h"
#include "manifest/manifest_kubernetes.h"
#include "manifest/manifest_lookup.h"

static void say(struct kvb_manifest *manifest, struct kvb_words *words, const char *flag, struct kvb_looked_up value,
                const char *fallback)
{
    const char *text = value.text != NULL ? value.text : fallback;
    if (text != NULL) {
        kvb_words_say(manifest, words, flag, value.offset);
        kvb_words_add(manifest, words, (struct kvb_arg){text, value.offset, value.unknown});
    }
}

// Prompt and answer together are the longest request when no length is set.
static void say_length(struct kvb_manifest *manifest, struct kvb_words *words, struct kvb_looked_up prompt,
                       struct kvb_looked_up answer)
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

static struct kvb_looked_up first_of(struct kvb_looked_up a, struct kvb_looked_up b)
{
    return a.text != NULL ? a : b;
}

static struct kvb_looked_up rollout_key(struct kvb_manifest *manifest, kvb_lookup *find, const void *source,
                                        const char *key)
{
    return find(manifest, source, kvb_manifest_join(manifest, "actor_rollout_ref.rollout.", key, ""));
}

static bool is_off(const char *text)
{
    return kvb_equal_ignoring_case(text, "false") || strcmp(text, "0") == 0;
}

// The rows of the framework's own keys, as `plan` reads them for residents, of its newest release.
static void say_framework(struct kvb_manifest *manifest, enum kvb_framework framework, kvb_lookup *find,
                          const void *source, struct kvb_words *words)
{
    size_t count;
    const struct kvb_framework_row *rows = kvb_framework_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct kvb_framework_row *row = &rows[i];
        bool sleeps = row->meaning == KVB_MEANS_SLEEP;
        if (row->framework != framework || row->until != 0 || (row->meaning != KVB_MEANS_SETTING && !sleeps)) {
            continue;
        }
        struct kvb_looked_up value =
            row->path[0] != '\0' ? find(manifest, source, row->path) : (struct kvb_looked_up){0};
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

static void add_verl(struct kvb_manifest *manifest, kvb_lookup *find, const void *source, struct kvb_words *words)
{
    struct kvb_looked_up model = find(manifest, source, "actor_rollout_ref.model.path");
    bool has_length = rollout_key(manifest, find, source, "max_model_len").text != NULL;
    say(manifest, words, "--model", model, NULL);
    say_framework(manifest, KVB_FRAMEWORK_VERL, find, source, words);
    if (!has_length) {
        struct kvb_looked_up prompt = first_of(rollout_key(manifest, find, source, "prompt_length"),
                                               find(manifest, source, "data.max_prompt_length"));
        struct kvb_looked_up answer = first_of(rollout_key(manifest, find, source, "response_length"),
                                               find(manifest, source, "data.max_response_length"));
        say_length(manifest, words, prompt, answer);
    }
}

static void add_openrlhf(struct kvb_manifest *manifest, const struct kvb_words *source, struct kvb_words *words)
{
    say(manifest, words, "--model", kvb_lookup_in_flags(manifest, source, "pretrain"), NULL);
    say_framework(manifest, KVB_FRAMEWORK_OPENRLHF, kvb_lookup_in_flags, source, words);
    struct kvb_looked_up eager = kvb_lookup_in_flags(manifest, source, "enforce_eager");
    if (eager.text != NULL) {
        kvb_words_say(manifest, words, "--enforce-eager", eager.offset);
    }
    say_length(manifest, words, kvb_lookup_in_flags(manifest, source, "prompt_max_len"),
               kvb_lookup_in_flags(manifest, source, "generate_max_len"));
}

// How a framework's run becomes words of a serve command and a trainer.
struct run {
    enum kvb_framework framework;
    kvb_lookup *find;
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
    kvb_rollout_add_trainer(manifest, found, run->framework, run->find, run->source);
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
    const char *text = kvb_lookup_in_flags(manifest, words, key).text;
    return text != NULL && !is_off(text);
}

// GRPO and its like with an engine on the trainer's own GPUs; a server elsewhere is a deployment of its own.
static bool is_trl(const struct kvb_words *words)
{
    bool model = kvb_lookup_in_flags(NULL, words, "model_name_or_path").text != NULL;
    const char *mode = kvb_lookup_in_flags(NULL, words, "vllm_mode").text;
    return says(NULL, words, "use_vllm") && model && (mode == NULL || strcmp(mode, "colocate") == 0);
}

static enum kvb_status emit_trl(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_words words = {0};
    const struct run run = {KVB_FRAMEWORK_TRL, kvb_lookup_in_flags, &container->words};
    say(manifest, &words, "--model", kvb_lookup_in_flags(manifest, &container->words, "model_name_or_path"), NULL);
    say_framework(manifest, KVB_FRAMEWORK_TRL, kvb_lookup_in_flags, &container->words, &words);
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
    return trains && kvb_lookup_in_flags(NULL, words, "hf_checkpoint").text != NULL &&
           kvb_lookup_in_flags(NULL, words, "actor_num_gpus_per_node").text != NULL;
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
    say(manifest, &own.words, "--model-path", kvb_lookup_in_flags(manifest, words, "hf_checkpoint"), NULL);
    say(manifest, &own.words, "--tp-size", kvb_lookup_in_flags(manifest, words, "rollout_num_gpus_per_engine"), "1");
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
    const struct run run = {together ? KVB_FRAMEWORK_OPENRLHF : KVB_FRAMEWORK_NONE, kvb_lookup_in_flags,
                            &container->words};
    if (kvb_lookup_in_flags(manifest, &container->words, "vllm_num_engines").text == NULL) {
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
    const struct run run = {KVB_FRAMEWORK_VERL, kvb_lookup_in_words, &container->words};
    struct kvb_looked_up engine = rollout_key(manifest, kvb_lookup_in_words, &container->words, "name");
    if (engine.text != NULL && strcmp(engine.text, "vllm") != 0) {
        return KVB_OK;
    }
    add_verl(manifest, kvb_lookup_in_words, &container->words, &words);
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
    const struct run run = {KVB_FRAMEWORK_VERL, kvb_lookup_in_tree, root};
    add_verl(manifest, kvb_lookup_in_tree, root, &words);
    return emit(manifest, &container, &run, &words);
}
