// The rank in an adapter_config.json against --max-lora-rank.
// Source: vllm/lora/peft_helper.py, PEFTHelper.validate_legal, v0.8.0 to v0.27.1: a higher rank ends the start.
#include "deployment/adapters.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "model/hub_cache.h"
#include "text/file.h"
#include "text/tree.h"

#define CONFIG_MAX_BYTES ((size_t)1 << 20)
#define RANK_BY_DEFAULT 16 // vllm/config/lora.py, LoRAConfig.max_lora_rank, in all releases

static bool read_rank(const char *adapter, uint64_t *rank)
{
    char folder[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY];
    struct kvb_file file;
    struct kvb_tree tree;
    bool here = kvb_path_is_folder(adapter);
    if (!here && !kvb_hub_find_adapter(adapter, folder)) {
        return false;
    }
    int written = snprintf(path, sizeof path, "%s/adapter_config.json", here ? adapter : folder);
    if (written < 0 || written >= (int)sizeof path || !kvb_path_exists(path) ||
        kvb_file_read(&file, path, CONFIG_MAX_BYTES, NULL) != KVB_OK) {
        return false;
    }
    bool read = kvb_tree_read(&tree, path, file.text, file.length, NULL) == KVB_OK;
    if (read) {
        const struct kvb_node *node = tree.root->kind == KVB_NODE_MAPPING ? kvb_node_get(tree.root, "r") : NULL;
        read = node != NULL && node->kind == KVB_NODE_SCALAR && kvb_parse_whole(node->text, rank);
        kvb_tree_free(&tree);
    }
    kvb_file_free(&file);
    return read;
}

uint64_t kvb_adapters_rank(const struct kvb_deployment *deployment)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < deployment->adapter_count; i++) {
        uint64_t rank;
        if (read_rank(deployment->adapters[i], &rank) && rank > most) {
            most = rank;
        }
    }
    return most;
}

void kvb_adapters_judge(const struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    const struct kvb_setting_value *said = &deployment->settings.values[KVB_SET_MAX_LORA_RANK];
    uint64_t most = said->set ? said->number : RANK_BY_DEFAULT;
    for (uint32_t i = 0; i < deployment->adapter_count; i++) {
        uint64_t rank;
        if (!read_rank(deployment->adapters[i], &rank)) {
            (void)kvb_problem_add(
                problems, KVB_NOTICE, KVB_OK, (struct kvb_place){0},
                "the adapter '%.120s' is not here: its rank is taken to be at most %llu, the engine's "
                "max_lora_rank",
                deployment->adapters[i], (unsigned long long)most);
        } else if (rank > most) {
            (void)kvb_problem_add(
                problems, KVB_WARNING, KVB_CONTRADICTION, (struct kvb_place){0},
                "the adapter '%.120s' has rank %llu, and max_lora_rank is %llu: the engine refuses it "
                "at start; set --max-lora-rank %llu",
                deployment->adapters[i], (unsigned long long)rank, (unsigned long long)most, (unsigned long long)rank);
        }
    }
}
