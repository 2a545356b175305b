// Slots and ranks of adapters below one, which no setting holds: read where there are adapters, a rank also where it is
// one of argparse's choices. Source: vllm/config.py LoRAConfig.__post_init__, vllm/config/lora.py from v0.11.1 on.
#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define BOUNDED_SINCE R(11, 1) // by the types of fields
#define ERROR_CAPACITY 256

// The number that the line gives, where it is one below one.
static const char *below_one(const struct kvb_deployment *deployment, const char *flag, uint32_t release,
                             char number[KVB_PLAIN_CAPACITY])
{
    const char *said = kvb_vllm_said(deployment, flag, release);
    number[0] = '\0';
    bool read = said != NULL && kvb_python_write_int(said, strcspn(said, "\n"), number);
    return read && (number[0] == '-' || strcmp(number, "0") == 0) ? number : NULL;
}

static void judge_slots(const char *number, struct kvb_plan *plan)
{
    if (plan->engine.release >= BOUNDED_SINCE) {
        (void)kvb_copy(plan->command_error, ERROR_CAPACITY,
                       "1 validation error for LoRAConfig, max_loras: Input should be greater than or equal to 1");
        return;
    }
    (void)kvb_copy(plan->command_error, ERROR_CAPACITY, "max_loras (");
    kvb_add_text(plan->command_error, ERROR_CAPACITY, number);
    kvb_add_text(plan->command_error, ERROR_CAPACITY, ") must be >= 1.");
}

// Adapters by kind of input are paths. Source: LoRAConfig.default_mm_loras, a field that pydantic reads.
static void judge_paths(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    static const struct kvb_known_key_type path = {"", "", 0, 0, "s", ' ', 0, ""};
    char sentence[64];
    uint32_t release = plan->engine.release;
    const char *said = kvb_vllm_said(deployment, "default-mm-loras", release);
    struct kvb_member member;
    while (said != NULL && plan->command_error[0] == '\0' && kvb_member_next(&said, &member)) {
        if (kvb_vllm_member_slips(&path, &member, release, sentence)) {
            (void)kvb_copy(plan->command_error, ERROR_CAPACITY, "1 validation error for LoRAConfig, default_mm_loras.");
            kvb_add_text(plan->command_error, ERROR_CAPACITY, member.key);
            kvb_add_text(plan->command_error, ERROR_CAPACITY, ": ");
            kvb_add_text(plan->command_error, ERROR_CAPACITY, sentence);
        }
    }
}

void kvb_vllm_judge_adapters(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    char number[KVB_PLAIN_CAPACITY];
    uint32_t release = plan->engine.release;
    bool adapters = kvb_number(plan, KVB_SET_ENABLE_LORA) != 0;
    const char *rank = below_one(deployment, "max-lora-rank", release, number);
    if (rank != NULL && (adapters || release >= BOUNDED_SINCE)) {
        char said[KVB_ERROR_TEXT_CAPACITY];
        kvb_refusal_say(said, kvb_lora_rank_sentence(release), &rank);
        (void)kvb_copy(plan->command_error, ERROR_CAPACITY, said);
        return;
    }
    const char *slots = adapters ? below_one(deployment, "max-loras", release, number) : NULL;
    if (slots != NULL) {
        judge_slots(slots, plan);
    } else if (adapters) {
        judge_paths(deployment, plan);
    }
}
