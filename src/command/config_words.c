// Keys of a mapping as the flags that a release makes of them.
#include <string.h>

#include "command/serve_config.h"
#include "text/pyyaml.h"

struct writing {
    const struct kvb_config_form *how;
    const struct kvb_node *node;
    struct kvb_buffer text;
    bool failed;
};

static void take(struct writing *writing)
{
    writing->failed = writing->failed || writing->text.failed;
    writing->how->take(writing->how->context, writing->node, kvb_buffer_text(&writing->text));
    kvb_buffer_free(&writing->text);
    kvb_buffer_init(&writing->text);
}

static void take_value(struct writing *writing, const struct kvb_node *value, enum kvb_python_form form)
{
    kvb_node_write_python(&writing->text, value, form);
    take(writing);
}

static void take_flag(struct writing *writing)
{
    kvb_buffer_printf(&writing->text, "--%s", writing->node->key);
    take(writing);
}

// The file's values as the release's parser gets them; what it cannot take is refused by the judge of its flags.
static void take_key(struct writing *writing)
{
    const struct kvb_config_form *how = writing->how;
    const struct kvb_config_rules *rules = how->engine->config;
    const struct kvb_node *node = writing->node;
    bool truth = false, is_truth = kvb_node_is_bool(node, &truth);
    bool words = node->kind == KVB_NODE_SEQUENCE && how->release >= rules->lists;
    bool json = node->kind == KVB_NODE_MAPPING && how->release >= rules->mappings;
    bool spelled = is_truth && rules->spells(node->key, how->release);
    bool left_out = (is_truth && !truth && !spelled) || (words && node->count == 0);
    if (left_out) {
        return;
    }
    take_flag(writing);
    if (spelled) {
        take_value(writing, node, rules->small ? KVB_PYTHON_JSON : KVB_PYTHON_STR);
    } else if (words) {
        for (const struct kvb_node *item = node->first; item != NULL; item = item->next) {
            take_value(writing, item, how->call && item->kind != KVB_NODE_SCALAR ? KVB_PYTHON_JSON : KVB_PYTHON_STR);
        }
    } else if (!is_truth) {
        take_value(writing, node, json ? KVB_PYTHON_JSON : KVB_PYTHON_STR);
    }
}

static const struct kvb_serve_flag *flag_of(const struct kvb_engine_rows *engine, const char *key)
{
    const struct kvb_serve_flag *flag = NULL;
    return kvb_serve_flag_find(engine, key, strlen(key), &flag) == KVB_SERVE_MATCH ? flag : NULL;
}

static enum kvb_status judge_key(const struct writing *writing, const struct kvb_tree *tree,
                                 struct kvb_problems *problems)
{
    const struct kvb_config_form *how = writing->how;
    const struct kvb_config_rules *rules = how->engine->config;
    const struct kvb_node *node = writing->node;
    struct kvb_place place = {tree->file, node->key_line, node->key_column};
    const struct kvb_serve_flag *flag = node->kind == KVB_NODE_SEQUENCE ? flag_of(how->engine, node->key) : NULL;
    if (rules->excludes != NULL && rules->excludes(node->key, how->release)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED, place,
                               "%.80s: %s takes it in its command alone, not from a file of --config", node->key,
                               how->engine->title);
    }
    if (flag != NULL && flag->kind == KVB_SERVE_LIST && how->release < rules->lists) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, place,
                               "%.80s: this release of %s takes a list of a file of --config as one word; give it as "
                               "a flag",
                               node->key, how->engine->title);
    }
    return KVB_OK;
}

static bool says_nothing(const struct kvb_node *node)
{
    return node->kind == KVB_NODE_SCALAR && (kvb_node_is_null(node) || node->text[0] == '\0');
}

enum kvb_status kvb_config_words(const struct kvb_config_form *how, const struct kvb_tree *tree,
                                 const struct kvb_node *mapping, struct kvb_problems *problems)
{
    struct writing writing = {.how = how};
    enum kvb_status status = KVB_OK;
    kvb_buffer_init(&writing.text);
    for (writing.node = mapping->first; status == KVB_OK && writing.node != NULL; writing.node = writing.node->next) {
        bool skipped = how->call && says_nothing(writing.node);
        status = how->call ? KVB_OK : judge_key(&writing, tree, problems);
        if (status == KVB_OK && !skipped) {
            take_key(&writing);
        }
    }
    kvb_buffer_free(&writing.text);
    if (writing.failed) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    return status;
}

uint32_t kvb_config_release(const char *engine)
{
    const char *sign = strchr(engine, '@');
    uint32_t release = 0;
    return sign != NULL && kvb_release_parse(sign + 1, &release) ? release : UINT32_MAX;
}
