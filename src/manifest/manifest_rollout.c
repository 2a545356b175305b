// Training loops that generate with vLLM: verl's rollout keys and OpenRLHF's flags, as a serve command.
#include "manifest/manifest_rollout.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "manifest/manifest_kubernetes.h"

// verl's key below actor_rollout_ref.rollout, vLLM's flag, and verl's own default
// (verl/trainer/config/rollout/rollout.yaml).
static const struct {
    const char *key;
    const char *flag;
    const char *fallback; // NULL: vLLM's
} verl_rows[] = {
    {"gpu_memory_utilization", "--gpu-memory-utilization", "0.5"},
    {"tensor_model_parallel_size", "--tensor-parallel-size", "2"},
    {"pipeline_model_parallel_size", "--pipeline-parallel-size", NULL},
    {"max_num_batched_tokens", "--max-num-batched-tokens", "8192"},
    {"max_num_seqs", "--max-num-seqs", "1024"},
    {"max_model_len", "--max-model-len", NULL},
    {"dtype", "--dtype", "bfloat16"},
    {"quantization", "--quantization", NULL},
};
static const struct {
    const char *key;
    const char *flag;
    bool fallback;
} verl_switches[] = {
    {"enforce_eager", "--enforce-eager", false},
    {"free_cache_engine", "--enable-sleep-mode", true},
    {"enable_chunked_prefill", "--enable-chunked-prefill", true},
    {"enable_prefix_caching", "--enable-prefix-caching", true},
};

// OpenRLHF's flag and vLLM's (openrlhf/cli/train_ppo_ray.py).
static const struct {
    const char *name;
    const char *flag;
    const char *fallback;
} openrlhf_rows[] = {
    {"vllm_gpu_memory_utilization", "--gpu-memory-utilization", "0.95"},
    {"vllm_tensor_parallel_size", "--tensor-parallel-size", "1"},
};

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

static void add_verl(struct kvb_manifest *manifest, lookup *find, const void *source, struct kvb_words *words)
{
    struct value model = find(manifest, source, "actor_rollout_ref.model.path");
    bool has_length = rollout_key(manifest, find, source, "max_model_len").text != NULL;
    say(manifest, words, "--model", model, NULL);
    for (size_t i = 0; i < sizeof verl_rows / sizeof verl_rows[0]; i++) {
        say(manifest, words, verl_rows[i].flag, rollout_key(manifest, find, source, verl_rows[i].key),
            verl_rows[i].fallback);
    }
    for (size_t i = 0; i < sizeof verl_switches / sizeof verl_switches[0]; i++) {
        struct value value = rollout_key(manifest, find, source, verl_switches[i].key);
        bool on = value.text != NULL ? kvb_equal_ignoring_case(value.text, "true") : verl_switches[i].fallback;
        if (on) {
            kvb_words_say(manifest, words, verl_switches[i].flag, value.offset);
        }
    }
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
    for (size_t i = 0; i < sizeof openrlhf_rows / sizeof openrlhf_rows[0]; i++) {
        say(manifest, words, openrlhf_rows[i].flag, in_flags(manifest, source, openrlhf_rows[i].name),
            openrlhf_rows[i].fallback);
    }
    struct value eager = in_flags(manifest, source, "enforce_eager");
    struct value sleep = in_flags(manifest, source, "vllm_enable_sleep");
    if (eager.text != NULL) {
        kvb_words_say(manifest, words, "--enforce-eager", eager.offset);
    }
    if (sleep.text != NULL) {
        kvb_words_say(manifest, words, "--enable-sleep-mode", sleep.offset);
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
                       kvb_manifest_join(manifest, "vllm@", manifest->release, ""));
    }
    kvb_found_read_serve(manifest, found, words, container->variables);
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
