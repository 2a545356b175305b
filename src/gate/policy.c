// Demands of a policy against an answer, GPUs by file or label, waivers.
#include <kvbudget/policy.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "text/file.h"

static const struct kvb_check_rule_row check_rule_rows[KVB_CHECK_COUNT] = {
    [KVB_CHECK_FITS] = {"fits", "The engine starts and one request of full length fits.", false},
    [KVB_CHECK_UNKNOWN_FLAG] = {"unknown-flag", "Every flag is one that this release knows.", false},
    [KVB_CHECK_GPU_COUNT] = {"gpu-count", "The container gets as many GPUs as the engine is told to use.", false},
    [KVB_CHECK_MIN_HEADROOM] = {"min-headroom", "KV cache beyond one request of full length.", false},
    [KVB_CHECK_MIN_SLACK] = {"min-slack", "Memory that stays free on the device while serving.", false},
    [KVB_CHECK_MIN_CONCURRENCY] = {"min-concurrency", "Requests of full length at the same time.", false},
    [KVB_CHECK_MIN_LENGTH] = {"min-length", "The longest request that is accepted.", false},
    [KVB_CHECK_UTILIZATION] = {"utilization", "gpu_memory_utilization inside the range that is allowed.", false},
    [KVB_CHECK_REQUIRED] = {"required-setting", "A setting that must be there.", false},
    [KVB_CHECK_FORBIDDEN] = {"forbidden-setting", "A setting that must not be there.", false},
    [KVB_CHECK_TOGETHER] = {"together", "Deployments that share a card start side by side.", false},
    [KVB_CHECK_DEPLOYMENTS] = {"deployments", "As many deployments are found as are expected.", false},
    [KVB_CHECK_ENGINE] = {"engine", "The engine is one whose memory is computed here.", true},
    [KVB_CHECK_NO_GPU] = {"no-gpu", "The GPU is named in the file, a comment, the policy or by --gpu.", true},
    [KVB_CHECK_NO_MODEL] = {"no-model", "The model is named and known.", true},
    [KVB_CHECK_INPUT] = {"input", "The file can be read and its values understood.", true},
};

// The last place, where a warning is left out for an error; where all are errors, the last of them.
static struct kvb_finding *last_place(struct kvb_findings *findings, bool *errors_alone)
{
    size_t last = KVB_FINDINGS_MAX - 1, at = KVB_FINDINGS_MAX;
    while (at > 0 && findings->items[at - 1].severity == KVB_ERROR) {
        at--;
    }
    *errors_alone = at == 0;
    if (at > 0) {
        memmove(&findings->items[at - 1], &findings->items[at], (last + 1 - at) * sizeof findings->items[0]);
    }
    return &findings->items[last];
}

void kvb_findings_add(struct kvb_findings *findings, enum kvb_check_rule rule, enum kvb_severity severity,
                      struct kvb_spot place, const char *format, ...)
{
    va_list values;
    bool full = findings->count == KVB_FINDINGS_MAX, stays = false;
    findings->dropped += full ? 1 : 0;
    if (full && severity != KVB_ERROR) {
        return;
    }
    struct kvb_finding *finding = full ? last_place(findings, &stays) : &findings->items[findings->count++];
    *finding = (struct kvb_finding){.rule = rule, .severity = severity, .place = place, .stays = stays};
    va_start(values, format);
    (void)vsnprintf(finding->text, sizeof finding->text, format, values);
    va_end(values);
    kvb_make_printable(finding->text);
}

void kvb_findings_fix(struct kvb_findings *findings, const struct kvb_fix *fix)
{
    struct kvb_finding *last = findings->count > 0 ? &findings->items[findings->count - 1] : NULL;
    if (last != NULL && findings->dropped == 0 && last->fix_count < KVB_FIXES_MAX) {
        last->fixes[last->fix_count++] = *fix;
    }
}

// ---- patterns

// A '*' that can still take more: where the pattern goes on, and how much is taken.
struct star {
    const char *pattern;
    const char *text;
};

static bool take_more(struct star *star, bool across, const char **pattern, const char **text)
{
    if (star->pattern == NULL || *star->text == '\0' || (!across && *star->text == '/')) {
        return false;
    }
    star->text++;
    *pattern = star->pattern;
    *text = star->text;
    return true;
}

// Only the last '*' and the last '**' are ever widened, so the time is bounded by the square of the lengths.
static bool fits(const char *pattern, const char *text)
{
    struct star one = {NULL, NULL}, all = {NULL, NULL};
    while (*text != '\0' || *pattern != '\0') {
        if (pattern[0] == '*' && pattern[1] == '*') {
            pattern += pattern[2] == '/' ? 3 : 2;
            all = (struct star){pattern, text};
            one = (struct star){NULL, NULL};
        } else if (*pattern == '*') {
            one = (struct star){++pattern, text};
        } else if (*text != '\0' && (*pattern == *text || (*pattern == '?' && *text != '/'))) {
            pattern++;
            text++;
        } else if (!take_more(&one, false, &pattern, &text)) {
            one.pattern = NULL;
            if (!take_more(&all, true, &pattern, &text)) {
                return false;
            }
        }
    }
    return true;
}

bool kvb_pattern_fits(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (pattern[0] == '\0') {
        return true;
    }
    while (kvb_starts_with(path, "./")) {
        path += 2;
    }
    return fits(pattern, strchr(pattern, '/') == NULL && slash != NULL ? slash + 1 : path);
}

// ---- what a policy adds

const struct kvb_policy_gpu *kvb_policy_find_gpu(const struct kvb_policy *policy, const char *file, const char *label)
{
    for (uint32_t i = 0; i < policy->gpu_count; i++) {
        const struct kvb_policy_gpu *gpu = &policy->gpus[i];
        if (strcmp(gpu->gpu, KVB_POLICY_FILL_IN) == 0) {
            continue;
        }
        if (kvb_pattern_fits(gpu->files, file) && (gpu->label[0] == '\0' || strcmp(gpu->label, label) == 0)) {
            return gpu;
        }
    }
    return NULL;
}

const char *kvb_policy_find_model(const struct kvb_policy *policy, const char *name)
{
    for (uint32_t i = 0; i < policy->model_count; i++) {
        bool filled = strcmp(policy->models[i].path, KVB_POLICY_FILL_IN) != 0;
        if (filled && strcmp(policy->models[i].name, name) == 0) {
            return policy->models[i].path;
        }
    }
    return NULL;
}

bool kvb_policy_exists(const char *path)
{
    return !kvb_path_is_missing(path) || kvb_path_is_link(path); // what cannot be looked at is read, which says why
}

// ---- demands

struct judging {
    const struct kvb_policy_rule *rule;
    const struct kvb_found *found;
    const struct kvb_budget *budget;
    struct kvb_findings *findings;
};

// The place of a setting, or of the model, or of the deployment.
static struct kvb_spot place_of(const struct kvb_found *found, enum kvb_setting setting)
{
    struct kvb_spot spot = found->settings[setting];
    spot = spot.line > 0 ? spot : found->model;
    return spot.line > 0 ? spot : found->place;
}

static int64_t kv_bytes(const struct judging *judging)
{
    const struct kvb_term *kv = &judging->budget->items[KVB_ITEM_KV_CACHE];
    return judging->rule->bound == KVB_BOUND_LOW ? kv->low_bytes : kv->bytes;
}

static const char *bound_word(const struct judging *judging)
{
    return judging->rule->bound == KVB_BOUND_LOW ? " at the low end of the figures" : "";
}

static int64_t at_most(uint64_t bytes)
{
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

static void judge_memory(const struct judging *judging)
{
    const struct kvb_policy_rule *rule = judging->rule;
    const struct kvb_budget *budget = judging->budget;
    int64_t headroom = kv_bytes(judging) - at_most(budget->needed_bytes);
    char have[32], want[32];
    if (rule->has_headroom && headroom < at_most(rule->min_headroom_bytes)) {
        kvb_findings_add(judging->findings, KVB_CHECK_MIN_HEADROOM, KVB_ERROR,
                         place_of(judging->found, KVB_SET_GPU_MEMORY_UTILIZATION),
                         "headroom beyond one request of full length is %s GiB%s; the policy asks for %s GiB",
                         kvb_format_gib(have, headroom, 2), bound_word(judging),
                         kvb_format_gib(want, at_most(rule->min_headroom_bytes), 2));
    }
    if (rule->has_slack && budget->slack_bytes < at_most(rule->min_slack_bytes)) {
        kvb_findings_add(
            judging->findings, KVB_CHECK_MIN_SLACK, KVB_ERROR, place_of(judging->found, KVB_SET_GPU_MEMORY_UTILIZATION),
            "%s GiB stay free on the device while serving; the policy asks for %s GiB",
            kvb_format_gib(have, budget->slack_bytes, 2), kvb_format_gib(want, at_most(rule->min_slack_bytes), 2));
    }
}

// At the low end fewer requests fit, in the same proportion as there is less cache.
static uint64_t concurrency(const struct judging *judging)
{
    const struct kvb_term *kv = &judging->budget->items[KVB_ITEM_KV_CACHE];
    uint64_t likely = judging->budget->kv.max_concurrency_hundredths;
    if (judging->rule->bound != KVB_BOUND_LOW || kv->bytes <= 0 || kv->low_bytes >= kv->bytes) {
        return likely;
    }
    return kv->low_bytes <= 0 ? 0 : kvb_mul(likely, (uint64_t)kv->low_bytes / 1024) / ((uint64_t)kv->bytes / 1024 + 1);
}

static void judge_requests(const struct judging *judging)
{
    const struct kvb_policy_rule *rule = judging->rule;
    const struct kvb_budget *budget = judging->budget;
    uint64_t have = concurrency(judging), want = rule->min_concurrency_hundredths;
    uint64_t length = budget->kv.auto_max_model_len > 0 ? budget->kv.auto_max_model_len
                                                        : budget->settings.values[KVB_SET_MAX_MODEL_LEN].number;
    char first[32], second[32];
    if (have < want) {
        kvb_findings_add(judging->findings, KVB_CHECK_MIN_CONCURRENCY, KVB_ERROR,
                         place_of(judging->found, KVB_SET_MAX_MODEL_LEN),
                         "%llu.%02llu requests of full length fit at the same time%s; the policy asks for %llu.%02llu",
                         (unsigned long long)(have / 100), (unsigned long long)(have % 100), bound_word(judging),
                         (unsigned long long)(want / 100), (unsigned long long)(want % 100));
    }
    if (length < rule->min_length_tokens) {
        kvb_findings_add(judging->findings, KVB_CHECK_MIN_LENGTH, KVB_ERROR,
                         place_of(judging->found, KVB_SET_MAX_MODEL_LEN), "max_model_len is %s; the policy asks for %s",
                         kvb_format_count(first, length), kvb_format_count(second, rule->min_length_tokens));
    }
}

static void judge_utilization(const struct judging *judging)
{
    const struct kvb_policy_rule *rule = judging->rule;
    const struct kvb_setting_value *value = &judging->budget->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
    bool low = rule->min_utilization_ppm > 0 && value->number < rule->min_utilization_ppm;
    bool high = rule->max_utilization_ppm > 0 && value->number > rule->max_utilization_ppm;
    char have[32], want[32];
    if (low || high) {
        kvb_findings_add(judging->findings, KVB_CHECK_UTILIZATION, KVB_ERROR,
                         place_of(judging->found, KVB_SET_GPU_MEMORY_UTILIZATION),
                         "gpu_memory_utilization is %s; the policy allows %s %s",
                         kvb_format_ppm(have, (uint32_t)value->number), low ? "at least" : "at most",
                         kvb_format_ppm(want, low ? rule->min_utilization_ppm : rule->max_utilization_ppm));
    }
}

static bool has_value(const struct judging *judging, const struct kvb_policy_setting *wanted)
{
    const struct kvb_setting_value *given = &judging->found->deployment.settings.values[wanted->setting];
    const struct kvb_setting_value *value = &judging->budget->settings.values[wanted->setting];
    const struct kvb_setting_value *used = given->set ? given : value;
    if (wanted->any) { // a switch counts when it is on
        bool off = kvb_setting_row_of(wanted->setting)->kind == KVB_VALUE_SWITCH && given->number == 0;
        return given->set && !off;
    }
    return used->set ? used->number == wanted->number : wanted->number == 0;
}

static const char *describe(char out[128], const struct kvb_policy_setting *wanted)
{
    char value[48];
    const char *key = kvb_setting_row_of(wanted->setting)->key;
    if (wanted->any) {
        (void)kvb_copy(out, 128, key);
    } else {
        (void)snprintf(out, 128, "%s: %s", key, kvb_setting_format(value, wanted->setting, wanted->number));
    }
    return out;
}

static void judge_settings(const struct judging *judging)
{
    const struct kvb_policy_rule *rule = judging->rule;
    char text[128];
    for (uint32_t i = 0; i < rule->required_count; i++) {
        if (!has_value(judging, &rule->required[i])) {
            kvb_findings_add(judging->findings, KVB_CHECK_REQUIRED, KVB_ERROR,
                             place_of(judging->found, rule->required[i].setting), "the policy asks for %s",
                             describe(text, &rule->required[i]));
        }
    }
    for (uint32_t i = 0; i < rule->forbidden_count; i++) {
        if (has_value(judging, &rule->forbidden[i])) {
            kvb_findings_add(judging->findings, KVB_CHECK_FORBIDDEN, KVB_ERROR,
                             place_of(judging->found, rule->forbidden[i].setting), "the policy forbids %s",
                             describe(text, &rule->forbidden[i]));
        }
    }
}

void kvb_policy_judge(const struct kvb_policy *policy, const char *file, const struct kvb_found *found,
                      const struct kvb_budget *budget, struct kvb_findings *findings)
{
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        struct judging judging = {&policy->rules[i], found, budget, findings};
        if (!kvb_pattern_fits(policy->rules[i].files, file)) {
            continue;
        }
        if (judging.rule->bound == KVB_BOUND_LOW && budget->verdict == KVB_TIGHT) {
            kvb_findings_add(findings, KVB_CHECK_FITS, KVB_ERROR, place_of(found, KVB_SET_MAX_MODEL_LEN),
                             "it fits at the likely figures but not at their low end, where the policy judges it");
        }
        judge_memory(&judging);
        judge_requests(&judging);
        judge_utilization(&judging);
        judge_settings(&judging);
    }
}

// ---- waivers

static void say_expired(struct kvb_finding *finding, const struct kvb_policy_waiver *waiver)
{
    size_t used = strlen(finding->text);
    (void)snprintf(finding->text + used, sizeof finding->text - used, " (its waiver ran out on %04u-%02u-%02u)",
                   (unsigned)(waiver->until / 10000), (unsigned)(waiver->until / 100 % 100),
                   (unsigned)(waiver->until % 100));
}

void kvb_policy_waive(const struct kvb_policy *policy, const char *file, const char *name, uint32_t today,
                      struct kvb_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct kvb_finding *finding = &findings->items[i];
        for (uint32_t k = 0; k < policy->waiver_count && !finding->waived; k++) {
            const struct kvb_policy_waiver *waiver = &policy->waivers[k];
            bool covers = waiver->rule == finding->rule && kvb_pattern_fits(waiver->files, file) &&
                          (waiver->name[0] == '\0' || strcmp(waiver->name, name) == 0);
            if (!covers || finding->severity != KVB_ERROR || finding->stays) {
                continue;
            }
            if (today > waiver->until) {
                say_expired(finding, waiver);
                continue;
            }
            size_t used = strlen(finding->text);
            finding->waived = true;
            (void)snprintf(finding->text + used, sizeof finding->text - used, " (waived: %s)", waiver->reason);
        }
    }
}

const struct kvb_check_rule_row *kvb_check_rule_row_of(enum kvb_check_rule rule)
{
    return (unsigned)rule < KVB_CHECK_COUNT ? &check_rule_rows[rule] : NULL;
}
