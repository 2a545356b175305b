// What log and user say together of a setting; shares of a card, and room for a check.
#include <string.h>

#include <kvbudget/units.h>

#include "logs/explain.h"

void kvb_log_given_init(struct kvb_log_given *given)
{
    memset(given, 0, sizeof *given);
}

bool kvb_log_add_check(struct kvb_log_report *report, const struct kvb_check *check)
{
    if (report->check_count >= KVB_CHECKS_MAX) {
        return false;
    }
    report->checks[report->check_count++] = *check;
    return true;
}

int64_t kvb_scale(int64_t value, int64_t ppm)
{
    const int64_t one = KVB_PPM;
    return value / one * ppm + value % one * ppm / one;
}

int64_t kvb_share_ppm(int64_t part, int64_t whole, bool up)
{
    const int64_t kib = 1024; // keeps part x million inside 64 bits
    int64_t small = whole / kib;
    if (small <= 0) {
        return 0;
    }
    if (part <= 0) { // same: of 0 it is 0 either way
        return 0;
    }
    int64_t scaled = part / kib * KVB_PPM;
    return scaled / small + (up && scaled % small != 0);
}

// What the release takes when nothing is said: only where the log shows that nobody said otherwise.
static bool default_utilization(const struct kvb_log_report *report, uint32_t release, uint64_t *number)
{
    const struct kvb_engine_rows *engine = kvb_engine_find(kvb_log_engine_name(report->engine));
    struct kvb_release_facts facts = {0};
    if (!report->arguments_seen || release == 0 || engine == NULL || engine->facts == NULL) {
        return false;
    }
    engine->facts(release, KVB_GENERATION_NONE, &facts);
    *number = facts.share_ppm;
    return facts.share_ppm != 0;
}

static bool from_observation(const struct kvb_log_report *report, enum kvb_setting setting, uint64_t *number)
{
    static const struct {
        enum kvb_setting setting;
        enum kvb_observation observation;
    } rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, KVB_OBS_UTILIZATION},
        {KVB_SET_MAX_MODEL_LEN, KVB_OBS_NEEDED_FOR_LEN},
        {KVB_SET_MAX_MODEL_LEN, KVB_OBS_MAX_MODEL_LEN},
        {KVB_SET_MAX_MODEL_LEN, KVB_OBS_CONCURRENCY_LEN},
        {KVB_SET_MAX_NUM_BATCHED_TOKENS, KVB_OBS_MAX_BATCHED_TOKENS},
        {KVB_SET_BLOCK_SIZE, KVB_OBS_BLOCK_SIZE},
        {KVB_SET_MAX_NUM_SEQS, KVB_OBS_MAMBA_SEQS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_value *value = &report->observed[rows[i].observation];
        if (rows[i].setting == setting && value->set && value->value > 0) {
            *number = (uint64_t)value->value;
            return true;
        }
    }
    return false;
}

bool kvb_log_setting(const struct kvb_log_report *report, const struct kvb_log_given *given, enum kvb_setting setting,
                     uint64_t *number)
{
    const struct kvb_setting_value *user = &given->settings.values[setting];
    const struct kvb_setting_value *logged = &report->settings.values[setting];
    if (user->set && user->number != KVB_AUTO) {
        *number = user->number;
        return true;
    }
    if (from_observation(report, setting, number)) {
        return true;
    }
    if (logged->set && logged->number != KVB_AUTO) {
        *number = logged->number;
        return true;
    }
    return setting == KVB_SET_GPU_MEMORY_UTILIZATION &&
           default_utilization(report, kvb_log_release_of(report, given), number);
}
