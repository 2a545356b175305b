// What a team demands of its deployments beyond starting, where their GPUs are named, and what is waived.
#ifndef KVBUDGET_POLICY_H
#define KVBUDGET_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/budget.h>
#include <kvbudget/export.h>
#include <kvbudget/manifest.h>

KVB_PUBLIC_BEGIN

// Why a case fails or cannot be answered. One row each, of kvb_check_rule_row_of.
enum kvb_check_rule {
    KVB_CHECK_FITS,
    KVB_CHECK_UNKNOWN_FLAG,
    KVB_CHECK_GPU_COUNT,
    KVB_CHECK_MIN_HEADROOM,
    KVB_CHECK_MIN_SLACK,
    KVB_CHECK_MIN_CONCURRENCY,
    KVB_CHECK_MIN_LENGTH,
    KVB_CHECK_UTILIZATION,
    KVB_CHECK_REQUIRED,
    KVB_CHECK_FORBIDDEN,
    KVB_CHECK_TOGETHER,
    KVB_CHECK_DEPLOYMENTS,
    KVB_CHECK_NO_GPU,
    KVB_CHECK_NO_MODEL,
    KVB_CHECK_ENGINE,
    KVB_CHECK_INPUT,
    KVB_CHECK_COUNT
};
struct kvb_check_rule_row {
    const char *id;   // "min-headroom"
    const char *help; // one sentence
    bool is_error;    // the case could not be answered
};
const struct kvb_check_rule_row *kvb_check_rule_row_of(enum kvb_check_rule rule); // NULL: no such row

// What to write instead: at a piece of a line, or as a flag that is added.
struct kvb_fix {
    struct kvb_region region; // first.line 0: the flag is added, or taken out
    bool removes;             // the flag is left out
    char flag[128];           // "--max-model-len 20960"
    char was[128];            // as it is now, by the file or by default; or ""
    char text[64];            // that takes the region's place; or ""
    const char *why;          // static sentence, or NULL
};
#define KVB_FIXES_MAX 3

#define KVB_FINDINGS_MAX 64 // an error beyond takes the place of a warning, or of the last error, which then stays
struct kvb_finding {
    enum kvb_check_rule rule;
    enum kvb_severity severity; // errors decide, warnings are only said
    struct kvb_spot place;
    bool waived;
    bool stays;         // errors behind it are not listed: it is neither waived nor left out
    bool unknown;       // something is not known, rather than wrong: the policy says what that counts
    uint32_t fix_count; // all of them together mend it
    struct kvb_fix fixes[KVB_FIXES_MAX];
    char text[KVB_PROBLEM_TEXT_CAPACITY];
};
struct kvb_findings {
    uint32_t count, dropped;
    struct kvb_finding items[KVB_FINDINGS_MAX];
};
void kvb_findings_add(struct kvb_findings *findings, enum kvb_check_rule rule, enum kvb_severity severity,
                      struct kvb_spot place, const char *format, ...) __attribute__((format(printf, 5, 6)));

// What mends the finding that was added last.
void kvb_findings_fix(struct kvb_findings *findings, const struct kvb_fix *fix);

#define KVB_POLICY_LISTED_MAX 16
#define KVB_PATTERN_CAPACITY 256

struct kvb_policy_setting {
    enum kvb_setting setting;
    bool any; // whatever its value
    uint64_t number;
};

enum kvb_policy_bound { KVB_BOUND_LIKELY, KVB_BOUND_LOW };

struct kvb_policy_rule {
    char files[KVB_PATTERN_CAPACITY]; // "" = all
    enum kvb_policy_bound bound;      // which end of the figures is judged
    bool has_headroom, has_slack;
    uint64_t min_headroom_bytes, min_slack_bytes;
    uint64_t min_concurrency_hundredths;               // 0 = not asked
    uint64_t min_length_tokens;                        // 0 = not asked
    uint32_t min_utilization_ppm, max_utilization_ppm; // 0 = not asked
    uint32_t required_count, forbidden_count;
    struct kvb_policy_setting required[KVB_POLICY_LISTED_MAX], forbidden[KVB_POLICY_LISTED_MAX];
};

struct kvb_policy_gpu {
    char files[KVB_PATTERN_CAPACITY]; // "" = any
    char label[KVB_LABEL_CAPACITY];   // "KEY=VALUE"; "" = any
    char gpu[KVB_NAME_CAPACITY];
    uint64_t gpu_memory_bytes; // 0 = the GPU's own
};

struct kvb_policy_model {
    char name[KVB_PATH_CAPACITY];
    char path[KVB_PATH_CAPACITY]; // another name, or a path beside the policy
};

struct kvb_policy_waiver {
    char files[KVB_PATTERN_CAPACITY];
    char name[KVB_NAME_CAPACITY]; // of the deployment; "" = any
    enum kvb_check_rule rule;
    char reason[KVB_PATTERN_CAPACITY];
    uint32_t until; // 20261231
};

// What a case counts that cannot be answered, and a file that mentions an engine and was not understood.
enum kvb_policy_unknown { KVB_UNKNOWN_DEFAULT, KVB_UNKNOWN_ERROR, KVB_UNKNOWN_WARN, KVB_UNKNOWN_IGNORE };

#define KVB_POLICY_MAX 64
#define KVB_POLICY_LINES_MAX 512     // of gpus, models and waivers: a baseline has one for each finding
#define KVB_POLICY_FILL_IN "FILL-IN" // written by --init where a name is missing; stands for nothing yet
struct kvb_policy {
    uint32_t rule_count, gpu_count, model_count, waiver_count;
    enum kvb_policy_unknown unknown, not_understood;
    uint32_t min_deployments; // 0 = not asked
    struct kvb_policy_rule rules[KVB_POLICY_MAX];
    struct kvb_policy_gpu gpus[KVB_POLICY_LINES_MAX];
    struct kvb_policy_model models[KVB_POLICY_LINES_MAX];
    struct kvb_policy_waiver waivers[KVB_POLICY_LINES_MAX];
};

// Strict: every departure is said with its place. `policy` is untouched on failure.
enum kvb_status kvb_policy_read(const char *file, const char *text, size_t length, struct kvb_policy *policy,
                                struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_policy_load(const char *path, struct kvb_policy *policy,
                                struct kvb_problems *problems) KVB_MUST_USE;
bool kvb_policy_exists(const char *path);
// The index-th key of a policy; false: there are no more.
bool kvb_policy_key_at(unsigned index, struct kvb_profile_key *key);

// The GPU of a file or label, the first entry that fits; NULL: the policy names none.
const struct kvb_policy_gpu *kvb_policy_find_gpu(const struct kvb_policy *policy, const char *file, const char *label);
// What stands for a model's name; NULL: nothing else.
const char *kvb_policy_find_model(const struct kvb_policy *policy, const char *name);

// Adds a finding for every demand of the rules for this file that is not met.
void kvb_policy_judge(const struct kvb_policy *policy, const char *file, const struct kvb_found *found,
                      const struct kvb_budget *budget, struct kvb_findings *findings);
// Marks what a waiver covers on the day `today` (20261121) and says the reason; a waiver that has run out is said.
void kvb_policy_waive(const struct kvb_policy *policy, const char *file, const char *name, uint32_t today,
                      struct kvb_findings *findings);

// "k8s/**/*.yaml": '*' and '?' stay inside one folder, '**' does not; without '/' the file's name alone counts.
bool kvb_pattern_fits(const char *pattern, const char *path);

KVB_PUBLIC_END

#endif
