// Every deployment of files and folders answered and judged by a policy: what the check command does, one case per
// deployment. A gate keeps its cases until it is freed; it is used by one thread at a time.
#ifndef KVBUDGET_GATE_H
#define KVBUDGET_GATE_H

#include <kvbudget/answer.h>
#include <kvbudget/export.h>
#include <kvbudget/policy.h>

KVB_PUBLIC_BEGIN

enum kvb_case_verdict { KVB_CASE_PASS, KVB_CASE_FAIL, KVB_CASE_ERROR };
const char *kvb_case_verdict_name(enum kvb_case_verdict verdict); // "pass", "fail", "error"

struct kvb_check_finding {
    enum kvb_check_rule rule;
    enum kvb_severity severity;
    bool waived;
    struct kvb_spot place;
    const char *text;
    uint32_t fix_count;
    const struct kvb_fix *fixes;
};

// What a deployment was planned as, for a comparison.
struct kvb_case_setting {
    enum kvb_setting setting;
    uint64_t number;
    struct kvb_spot place;
};
struct kvb_case_figures {
    const char *model, *engine; // "vllm 0.11.0"
    const char *gpus;           // "2 x NVIDIA L4"
    int64_t weights_bytes, kv_cache_bytes;
    uint64_t requested_bytes;
    uint64_t needed_bytes; // by one request of full length
    int64_t balance_bytes; // KV cache - needed
    uint64_t length_tokens, concurrency_hundredths;
    uint32_t setting_count;
    const struct kvb_case_setting *settings; // those that the file or a flag says
};

struct kvb_check_case {
    const char *file;
    const char *kind; // NULL: the file as a whole could not be read
    const char *name;
    enum kvb_case_verdict verdict;
    struct kvb_spot place;
    const char *text; // one sentence about the whole case
    uint32_t finding_count;
    const struct kvb_check_finding *findings;
    const struct kvb_case_figures *figures; // of a case that was answered, where they are kept; or NULL
};

// The finding that decides the verdict, or NULL when the case passes; and its place, or the case's own.
const struct kvb_check_finding *kvb_case_reason(const struct kvb_check_case *each);
struct kvb_spot kvb_case_spot(const struct kvb_check_case *each);

// What became of one deployment since another commit.
struct kvb_moved {
    const char *what;           // "KV cache", "--max-model-len"
    const char *before, *after; // NULL: it was not there, or is no more
    uint32_t line;              // of the flag as it stands now; 0: not known
};
enum kvb_trend { KVB_TREND_SAME, KVB_TREND_WORSE, KVB_TREND_BETTER, KVB_TREND_NEW, KVB_TREND_GONE, KVB_TREND_COUNT };
const char *kvb_trend_name(enum kvb_trend trend); // "changed", "worse", "better", "new", "gone"
struct kvb_case_change {
    enum kvb_trend trend;                        // SAME: something moved, and the verdict did not
    const struct kvb_check_case *before, *after; // NULL: there is none
    uint32_t moved_count;
    const struct kvb_moved *moved;
};
struct kvb_against {
    const char *ref, *commit;
    uint32_t trends[KVB_TREND_COUNT];
    uint32_t untouched; // deployments of which nothing moved
    uint32_t count;
    const struct kvb_case_change *changes;
};

struct kvb_gate_totals {
    const struct kvb_check_case *cases;
    uint32_t count, passed, failed, errors, waived;
    uint32_t files_seen, files_read, files_with; // read: opened; with: hold a deployment
    const char *policy;                          // path, or NULL
    bool system_failed;                          // something could not be opened or read
    const char *const *not_understood;           // files that speak of an engine and gave no deployment
    uint32_t not_understood_count;
    const struct kvb_against *against; // NULL: compared with nothing
};

// Receives each case as it is made. `answer`: NULL when there is none; `placed`: others on its GPUs, or NULL;
// `command`: the line to paste, or NULL.
typedef void kvb_case_taker(void *context, const struct kvb_check_case *each, const struct kvb_answer *answer,
                            const struct kvb_placed *placed, const char *command, const struct kvb_problems *problems);

struct kvb_gate_options {
    const struct kvb_question *flags; // laid over what every file says; its typed "env" stand for ${NAME} in files
    const char *policy;               // path, or NULL for the usual name if it is here
    uint32_t today;                   // 20261121: waivers count in days
    bool no_policy;                   // not even the usual one
    bool expects;                     // exactly `expected` deployments
    uint32_t expected;
    bool keeps_figures;   // for kvb_gate_compare()
    bool online;          // models that are not here are fetched
    kvb_case_taker *take; // or NULL: nobody wants advice where a case passes
    void *context;
};

// NULL: `problems` say why, also what is wrong with the policy; *status receives its kind.
struct kvb_gate *kvb_gate_new(const struct kvb_gate_options *options, enum kvb_status *status,
                              struct kvb_problems *problems);
// Judges a file ("-": standard input) or all files of a folder. `skip_others`: a named file without a deployment is
// passed over. What is wrong with a file becomes a case; a status other than KVB_OK ends the work.
enum kvb_status kvb_gate_path(struct kvb_gate *gate, const char *path, bool skip_others,
                              struct kvb_problems *problems) KVB_MUST_USE;
// After the last path: whether as many deployments were found as are expected.
enum kvb_status kvb_gate_finish(struct kvb_gate *gate, struct kvb_problems *problems) KVB_MUST_USE;
// Compares with the same paths as they are in the commit that `ref` names, judged by the same policy. Git's objects
// are read through git itself; no checkout is made or touched. Where not everything could be read, nothing is compared.
enum kvb_status kvb_gate_compare(struct kvb_gate *gate, const char *ref, const char *const *paths, uint32_t count,
                                 struct kvb_problems *problems) KVB_MUST_USE;
struct kvb_gate_totals kvb_gate_count(const struct kvb_gate *gate);
// A policy to begin with, as a new file: a line to fill in for every GPU and model that is missing, and today's
// other findings waived for 90 days. A file that is there is not touched.
enum kvb_status kvb_gate_write_policy(struct kvb_gate *gate, const char *path,
                                      struct kvb_problems *problems) KVB_MUST_USE;
// Whether that policy has lines whose names nobody knows.
bool kvb_gate_has_fill_ins(const struct kvb_gate *gate);
void kvb_gate_free(struct kvb_gate *gate);

KVB_PUBLIC_END

#endif
