// Members of --override-pooler-config by the release that reads them: from 0.11.0 on as --pooler-config, before only
// where the model pools, and by argparse itself to 0.8.5.
// Source: vllm/config.py PoolerConfig.from_json v0.6.4 to v0.8.5 and ModelConfig._init_pooler_config v0.9.0 to v0.10.2.
#include <string.h>

#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define TYPES_SINCE R(9, 1) // by pydantic, which passes over other keys
#define POOLS_SINCE R(9, 0)
#define CLASS_SINCE R(11, 0)
#define ERROR_CAPACITY 256

static bool is_key(const char *key)
{
    static const char *const keys[] = {"pooling_type", "normalize", "softmax", "step_tag_id", "returned_token_ids"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void say_key(const char *mapping, const char *key, uint32_t release, char out[ERROR_CAPACITY])
{
    bool parsed = release < POOLS_SINCE;
    (void)kvb_copy(out, ERROR_CAPACITY,
                   parsed ? "argument --override-pooler-config: invalid from_json value: '"
                          : "PoolerConfig.__init__() got an unexpected keyword argument '");
    kvb_append(out, ERROR_CAPACITY, parsed ? mapping : key, parsed ? strcspn(mapping, "\n") : strlen(key));
    kvb_add_text(out, ERROR_CAPACITY, "'");
}

static bool judge_member(const char *mapping, const struct kvb_member *member, uint32_t release,
                         char out[ERROR_CAPACITY])
{
    char sentence[64];
    if (release < TYPES_SINCE) {
        if (!is_key(member->key)) {
            say_key(mapping, member->key, release, out);
            return true;
        }
        return false;
    }
    const struct kvb_known_key_type *row = kvb_key_type_of("pooler-config", member->key, release);
    if (row == NULL || !kvb_vllm_member_slips(row, member, release, sentence)) {
        return false;
    }
    (void)kvb_copy(out, ERROR_CAPACITY, "1 validation error for ModelConfig, ");
    kvb_add_text(out, ERROR_CAPACITY, member->key);
    kvb_add_text(out, ERROR_CAPACITY, ": ");
    kvb_add_text(out, ERROR_CAPACITY, sentence);
    return true;
}

static void judge_mapping(const char *mapping, struct kvb_plan *plan)
{
    struct kvb_member member;
    for (const char *at = mapping; plan->command_error[0] == '\0' && kvb_member_next(&at, &member);) {
        (void)judge_member(mapping, &member, plan->engine.release, plan->command_error);
    }
}

void kvb_vllm_judge_pooler(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    char flag[KVB_MEMBER_CAPACITY], dotted[KVB_DOTTED_CAPACITY];
    uint32_t release = plan->engine.release;
    bool asked = release < CLASS_SINCE && kvb_vllm_is_release(&plan->engine) &&
                 (release < POOLS_SINCE || kvb_vllm_plan_pools(plan));
    for (const char *line = deployment->serve_flags; asked && *line != '\0'; line = kvb_vllm_next_line(line)) {
        const char *mapping = kvb_json_of_line(line, release, flag, dotted);
        if (mapping != NULL && strcmp(flag, "override-pooler-config") == 0) {
            judge_mapping(mapping, plan);
        }
    }
}
