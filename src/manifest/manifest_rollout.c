// Training loops that generate with vLLM: verl's rollout keys and OpenRLHF's flags, as a serve command.
#include "manifest/manifest_rollout.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "deployment/residents.h"
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

// --NAME VALUE or --NAME=VALUE.
static struct value in_flags(struct kvb_manifest *manifest, const void *source, const char *key)
{
    const struct kvb_words *words = source;
    size_t length = strlen(key);
    (void)manifest;
    for (uint32_t i = words->count; i > 0; i--) {
        const struct kvb_arg *word = &words->items[i - 1];
        if (strncmp(word->text, "--", 2) != 0 || strncmp(word->text + 2, key, length) != 0) {
            continue;
        }
        bool next = word->text[length + 2] == '\0' && i < words->count;
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

// Both call vLLM's LLM() themselves and keep the trainer on the same GPUs.
static enum kvb_status emit(struct kvb_manifest *manifest, const struct kvb_container *container,
                            const struct kvb_words *words)
{
    const char *name = container->name != NULL ? container->name : "rollout";
    struct kvb_found *found = kvb_found_new(manifest, "rollout", name, container->offset);
    if (manifest->release != NULL) {
        (void)kvb_copy(found->deployment.engine, sizeof found->deployment.engine,
                       kvb_manifest_join(manifest, kvb_image_engine()->name, "@", manifest->release));
    }
    kvb_found_read_serve(manifest, found, kvb_image_engine(), words, container->variables);
    if (container->name == NULL && found->deployment.model[0] != '\0') {
        (void)kvb_copy(found->name, sizeof found->name,
                       kvb_manifest_join(manifest, name, " ", found->deployment.model));
    }
    found->deployment.usage = KVB_USAGE_OFFLINE;
    found->deployment.usage_set = true;
    (void)kvb_problem_add(
        &found->problems, KVB_NOTICE, KVB_OK,
        (struct kvb_place){manifest->file, found->place.line, found->place.column},
        "what the trainer itself holds on these GPUs is not counted; --reserve or --gpu-free says it");
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

bool kvb_rollout_starts(const struct kvb_words *words)
{
    return is_module(words, "verl.trainer.main") || is_module(words, "openrlhf.cli.train_");
}

enum kvb_status kvb_rollout_emit(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_words words = {0};
    if (is_module(&container->words, "openrlhf.")) {
        if (in_flags(manifest, &container->words, "vllm_num_engines").text == NULL) {
            return KVB_OK;
        }
        add_openrlhf(manifest, &container->words, &words);
        return emit(manifest, container, &words);
    }
    struct value engine = rollout_key(manifest, in_words, &container->words, "name");
    if (engine.text != NULL && strcmp(engine.text, "vllm") != 0) {
        return KVB_OK;
    }
    add_verl(manifest, in_words, &container->words, &words);
    return emit(manifest, container, &words);
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
    add_verl(manifest, in_tree, root, &words);
    return emit(manifest, &container, &words);
}
