// Directives on top of a script: the cards that a scheduler is asked for.
#include <string.h>

#include "base/text.h"
#include "manifest/gpu_hints.h"

// What a flag of a directive says of cards.
enum meaning {
    ON_EACH_NODE, // gpu:a6000:4
    IN_ALL,       // h100:2
    WITHOUT_SUM,  // for each task: how many there are is said elsewhere
    NODES,
    PRODUCT // a feature of nodes, which may be the name of a card
};
static const struct {
    const char *flag;
    enum meaning meaning;
} rows[] = {
    {"--gres", ON_EACH_NODE},
    {"--gpus-per-node", ON_EACH_NODE},
    {"--gpus", IN_ALL},
    {"-G", IN_ALL},
    {"--gpus-per-task", WITHOUT_SUM},
    {"--nodes", NODES},
    {"-N", NODES},
    {"--constraint", PRODUCT},
    {"-C", PRODUCT},
    {"gpu_type", PRODUCT},
    {"gpu_model", PRODUCT},
    {"ngpus", ON_EACH_NODE},
    {"gmodel", PRODUCT},
    {"gpus", IN_ALL},
    {"num", IN_ALL},
};

struct asked {
    struct kvb_manifest *manifest;
    struct kvb_container *container;
    uint32_t nodes;
    bool on_each_node;
};

// Whether a word that may be anything is a card's name.
static bool names_gpu(const char *text)
{
    char name[KVB_NAME_CAPACITY];
    struct kvb_gpu gpu;
    bool product = kvb_gpu_label("gres", text, name, sizeof name);
    return kvb_gpu_meant(text) != NULL || (product && kvb_gpu_load(name, &gpu, NULL) == KVB_OK);
}

static void take(struct asked *asked, enum meaning meaning, const char *value, size_t offset)
{
    struct kvb_container *container = asked->container;
    struct kvb_gpu_spec spec;
    switch (meaning) {
    case NODES:
        kvb_gpu_spec_read(value, &spec);
        asked->nodes = spec.count > 0 ? spec.count : asked->nodes;
        break;
    case PRODUCT: {
        const char *name = kvb_manifest_copy(asked->manifest, value, strcspn(value, "&|,*:+\"'"));
        if (container->gpu_key == NULL && names_gpu(name)) {
            kvb_gpu_hint(asked->manifest, "gres", name, offset, container);
        }
        break;
    }
    default:
        kvb_gpu_hint(asked->manifest, "gres", value, offset, container);
        asked->on_each_node = meaning == ON_EACH_NODE;
        container->gpu_limit = meaning == WITHOUT_SUM ? 0 : container->gpu_limit;
    }
}

// "--gres=gpu:a6000:4", "--gres gpu:4", "ngpus=4" of a list that colons part.
static void take_words(struct asked *asked, const struct kvb_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i].text;
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            size_t length = strlen(rows[k].flag);
            const char *at = rows[k].flag[0] == '-' ? (kvb_starts_with(word, rows[k].flag) ? word : NULL)
                                                    : strstr(word, rows[k].flag);
            bool bounded = at != NULL && (at == word || strchr(":, ", at[-1]) != NULL);
            if (bounded && at[length] == '=') {
                take(asked, rows[k].meaning, at + length + 1, words->items[i].offset);
            } else if (bounded && at[length] == '\0' && rows[k].flag[0] == '-' && i + 1 < words->count) {
                take(asked, rows[k].meaning, words->items[i + 1].text, words->items[i + 1].offset);
            }
        }
    }
}

void kvb_scheduler_read(struct kvb_manifest *manifest, struct kvb_container *container)
{
    static const char *const marks[] = {"#SBATCH", "#PBS", "#BSUB", "#FLUX:", "#flux:", "#$ "};
    struct asked asked = {manifest, container, 1, false};
    for (uint32_t i = 1; i <= manifest->line_count && !manifest->out_of_memory; i++) {
        const char *line = manifest->text + manifest->lines[i - 1];
        for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
            if (!kvb_starts_with(line, marks[k])) {
                continue;
            }
            const char *text = line + strlen(marks[k]);
            size_t length = strcspn(text, "\r\n#");
            struct kvb_words words = {0};
            kvb_shell_split(manifest, kvb_manifest_copy(manifest, text, length), (size_t)(text - manifest->text),
                            KVB_DOLLAR_PLAIN, NULL, &words);
            take_words(&asked, &words);
        }
    }
    if (asked.on_each_node && container->gpu_limit > 0 && container->gpu_limit * asked.nodes <= 65536) {
        container->gpu_limit *= asked.nodes;
    }
}
