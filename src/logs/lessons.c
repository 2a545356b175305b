// Comparing two starts of one log.
#include "logs/lessons.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "logs/remedy.h"

#define POOLS_APART_MIN (INT64_C(1) << 29) // below that, two figures rounded to 0.01 GiB say less than to 2 %
#define SHARES_APART_MIN 1000              // ppm
#define FLAG_CAPACITY 64
#define TOTAL_MIN (INT64_C(1) << 30)
#define TOTAL_MAX (INT64_C(1) << 40)

static struct kvb_setting_value stated(const struct kvb_log_report *report, enum kvb_setting setting)
{
    struct kvb_setting_value value = report->settings.values[setting];
    if (setting == KVB_SET_GPU_MEMORY_UTILIZATION) { // its default is known and other lines print it
        struct kvb_log_given nothing;
        kvb_log_given_init(&nothing);
        value.set = kvb_log_setting(report, &nothing, setting, &value.number);
    }
    return value;
}

enum likeness { SAME, DIFFERENT, NOT_TOLD };

static enum likeness compare(const struct kvb_log_report *one, const struct kvb_log_report *other,
                             enum kvb_setting setting)
{
    struct kvb_setting_value a = stated(one, setting);
    struct kvb_setting_value b = stated(other, setting);
    if (!a.set && !b.set) {
        return SAME;
    }
    if (a.set && b.set) {
        return a.number == b.number ? SAME : DIFFERENT;
    }
    return one->arguments_seen && other->arguments_seen ? DIFFERENT : NOT_TOLD;
}

// The setting they differ in; KVB_SETTING_COUNT when it is none, several, or not told.
static enum kvb_setting only_difference(const struct kvb_log_report *one, const struct kvb_log_report *other)
{
    enum kvb_setting found = KVB_SETTING_COUNT;
    if (one->engine != other->engine || strcmp(one->model, other->model) != 0 || one->release != other->release) {
        return found;
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        enum likeness likeness = compare(one, other, (enum kvb_setting)i);
        if (likeness == NOT_TOLD || (likeness == DIFFERENT && found != KVB_SETTING_COUNT)) {
            return KVB_SETTING_COUNT;
        }
        found = likeness == DIFFERENT ? (enum kvb_setting)i : found;
    }
    return found;
}

// Everything else that utilization is shared among.
static bool equal_terms(const struct kvb_log_report *one, const struct kvb_log_report *other)
{
    static const enum kvb_observation terms[] = {KVB_OBS_WEIGHTS, KVB_OBS_ACTIVATION, KVB_OBS_NON_TORCH,
                                                 KVB_OBS_GRAPH_ESTIMATE, KVB_OBS_CONSUMED, KVB_OBS_PEAK_WITH_GRAPHS};
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        const struct kvb_log_value *a = &one->observed[terms[i]];
        const struct kvb_log_value *b = &other->observed[terms[i]];
        if (a->set != b->set || (a->set && a->value != b->value)) {
            return false;
        }
    }
    return one->observed[KVB_OBS_WEIGHTS].set || one->observed[KVB_OBS_CONSUMED].set;
}

static bool takes_share(const struct kvb_log_report *report)
{
    const struct kvb_engine_rows *engine = kvb_engine_find(kvb_log_engine_name(report->engine));
    struct kvb_release_facts facts = {0};
    if (engine != NULL && engine->facts != NULL) {
        engine->facts(report->release, KVB_GENERATION_NONE, &facts);
    }
    return facts.takes_share;
}

bool kvb_lesson_total(const struct kvb_log_report *one, const struct kvb_log_report *other, int64_t *total_bytes)
{
    const struct kvb_log_value *a = &one->observed[KVB_OBS_KV_CACHE];
    const struct kvb_log_value *b = &other->observed[KVB_OBS_KV_CACHE];
    bool forced = one->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set;
    bool sized = a->set && b->set && takes_share(one);
    if (!sized || forced || !equal_terms(one, other) || only_difference(one, other) != KVB_SET_GPU_MEMORY_UTILIZATION) {
        return false;
    }
    int64_t shares = (int64_t)stated(one, KVB_SET_GPU_MEMORY_UTILIZATION).number -
                     (int64_t)stated(other, KVB_SET_GPU_MEMORY_UTILIZATION).number;
    int64_t pools = a->value - b->value;
    if (shares < 0) {
        shares = -shares;
        pools = -pools;
    }
    if (shares < SHARES_APART_MIN || shares > KVB_PPM || pools < POOLS_APART_MIN) {
        return false;
    }
    *total_bytes = pools / shares * KVB_PPM + pools % shares * KVB_PPM / shares;
    return *total_bytes >= TOTAL_MIN && *total_bytes <= TOTAL_MAX;
}

struct kvb_log_lesson kvb_lesson_change(const struct kvb_log_report *failed, const struct kvb_log_report *worked)
{
    struct kvb_log_lesson lesson = {.setting = only_difference(failed, worked)};
    if (lesson.setting == KVB_SETTING_COUNT) {
        return lesson;
    }
    struct kvb_setting_value from = stated(failed, lesson.setting);
    struct kvb_setting_value to = stated(worked, lesson.setting);
    lesson.known = true;
    lesson.from_set = from.set;
    lesson.from = from.number;
    lesson.to_set = to.set;
    lesson.to = to.number;
    return lesson;
}

// ---- The remedy

static void value_text(char out[48], enum kvb_setting setting, bool set, uint64_t number)
{
    if (set) {
        (void)kvb_setting_format(out, setting, number);
    } else {
        kvb_copy(out, 48, "not set");
    }
}

// As the engine's flag is written.
static void flag_text(char out[FLAG_CAPACITY], enum kvb_setting setting)
{
    kvb_copy(out, FLAG_CAPACITY, kvb_setting_row_of(setting)->key);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
}

void kvb_lesson_cure(struct kvb_reckoning *r)
{
    const struct kvb_log_lesson *lesson = &r->report->lesson;
    if (!lesson->known) {
        return;
    }
    char flag[FLAG_CAPACITY];
    char from[48];
    char to[48];
    flag_text(flag, lesson->setting);
    value_text(from, lesson->setting, lesson->from_set, lesson->from);
    value_text(to, lesson->setting, lesson->to_set, lesson->to);
    kvb_remedy_add(r, flag, from, to, true,
                   "worked at line %llu of this log: the start from line %llu differs in nothing else that is printed",
                   (unsigned long long)lesson->ready_line, (unsigned long long)lesson->first_line);
}

// "0.80" and "lower" point down from "0.90".
static bool points_other_way(const struct kvb_log_lesson *lesson, const struct kvb_remedy *remedy)
{
    bool told = lesson->from_set && lesson->to_set; // they differ
    bool up = told && lesson->to > lesson->from;
    bool down = told && !up;
    uint64_t number = 0;
    char why[256];
    if (kvb_setting_parse(lesson->setting, remedy->to, &number, why)) {
        return (up && number < lesson->from) || (down && number > lesson->from);
    }
    bool lower = strcmp(remedy->to, "lower") == 0 || strcmp(remedy->to, "shorter") == 0;
    return (up && lower) || (down && strcmp(remedy->to, "higher") == 0);
}

void kvb_lesson_uphold(struct kvb_reckoning *r)
{
    const struct kvb_log_lesson *lesson = &r->report->lesson;
    struct kvb_log_report *report = r->report;
    if (!lesson->known) {
        return;
    }
    char flag[FLAG_CAPACITY];
    flag_text(flag, lesson->setting);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < report->remedy_count; i++) {
        const struct kvb_remedy *remedy = &report->remedies[i];
        bool against = !remedy->works && strcmp(remedy->setting, flag) == 0 && !points_other_way(lesson, remedy);
        if (!against) {
            report->remedies[kept++] = *remedy;
        }
    }
    report->remedy_count = kept;
}
