// A log's report made by hand: which figures it has, and what is explained of them.
#ifndef LOG_REPORT_H
#define LOG_REPORT_H

#include <string.h>

#include "logs/explain.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define TENTHS(number) ((number)*GIB / 10)
#define V(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_log_report report;
static struct kvb_log_given given;

static inline void start(enum kvb_log_engine engine, uint32_t release, enum kvb_failure kind)
{
    memset(&report, 0, sizeof report);
    kvb_log_given_init(&given);
    report.engine = engine;
    report.release = release;
    report.failure.kind = kind;
    report.verdict = kind == KVB_FAILURE_NONE ? KVB_LOG_HEALTHY : KVB_LOG_FAILED;
}

static inline void see(enum kvb_observation what, int64_t value)
{
    report.observed[what] = (struct kvb_log_value){.set = true, .value = value};
}

static inline void forget(enum kvb_observation what)
{
    report.observed[what].set = false;
}

static inline void log_states(enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&report.settings, setting, number, KVB_ORIGIN_COMMAND);
}

static inline void explain(void)
{
    kvb_log_explain(&report, &given);
    for (uint32_t i = 0; i < report.remedy_count; i++) { // none is empty
        assert_true(report.remedies[i].setting[0] != '\0' && report.remedies[i].why[0] != '\0');
    }
}

static inline const struct kvb_check *check(const char *what)
{
    for (uint32_t i = 0; i < report.check_count; i++) {
        if (strcmp(report.checks[i].what, what) == 0) {
            return &report.checks[i];
        }
    }
    return NULL;
}

// The figure of a check that has to be there, and whether it agrees with the log: -1 where there is nothing to compare.
static inline void computed(const char *what, int64_t bytes, int agrees)
{
    const struct kvb_check *found = check(what);
    if (found == NULL) {
        fail_msg("no check '%s'", what);
    }
    assert_true(found->has_computed);
    assert_int_equal(found->computed, bytes);
    assert_int_equal(found->has_agrees ? found->agrees : -1, agrees);
}

static inline const struct kvb_remedy *remedy(const char *setting, const char *to)
{
    for (uint32_t i = 0; i < report.remedy_count; i++) {
        if (strcmp(report.remedies[i].setting, setting) == 0 &&
            (to == NULL || strcmp(report.remedies[i].to, to) == 0)) {
            return &report.remedies[i];
        }
    }
    return NULL;
}

static inline unsigned offered(const char *setting, const char *to)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < report.remedy_count; i++) {
        count += strcmp(report.remedies[i].setting, setting) == 0 && strcmp(report.remedies[i].to, to) == 0;
    }
    return count;
}

static inline void helps(const char *setting, const char *to, bool works, const char *why)
{
    const struct kvb_remedy *found = remedy(setting, to);
    const char *wanted = to != NULL ? to : "(anything)";
    if (found == NULL) {
        fail_msg("no remedy %s = %s", setting, wanted);
    }
    assert_int_equal(found->works, works);
    if (strstr(found->why, why) == NULL) {
        fail_msg("%s = %s says '%s', not '%s'", setting, wanted, found->why, why);
    }
}

#endif
