// Many plans at once: settings as lists and ranges, every combination planned, on all cores.
#ifndef KVBUDGET_SWEEP_H
#define KVBUDGET_SWEEP_H

#include <kvbudget/answer.h>

KVB_PUBLIC_BEGIN

// ---- What varies

enum kvb_sweep_kind { KVB_SWEEP_MODEL, KVB_SWEEP_ENGINE, KVB_SWEEP_GPU, KVB_SWEEP_SETTING };
#define KVB_SWEEP_AXES_MAX 16
#define KVB_SWEEP_VALUES_MAX 1024
#define KVB_SWEEP_ROWS_MAX 100000000U

struct kvb_sweep_value {
    char text[KVB_NAME_CAPACITY]; // as written, of a range as its flag takes it: "2xh100", "16000"
    uint64_t number;              // of a setting, in stored units
};
struct kvb_sweep_axis {
    enum kvb_sweep_kind kind;
    enum kvb_setting setting;
    const char *name; // "model", "gpu", "max_model_len"
    uint32_t count;
    struct kvb_sweep_value *values;
};
// Models first, then releases, GPUs and settings; the last varies fastest.
struct kvb_sweep {
    struct kvb_deployment deployment; // what does not vary
    uint32_t axis_count;
    struct kvb_sweep_axis axes[KVB_SWEEP_AXES_MAX];
};

// NULL: out of memory. The caller frees it with kvb_sweep_free.
struct kvb_sweep *kvb_sweep_make(const struct kvb_deployment *deployment);
void kvb_sweep_free(struct kvb_sweep *sweep); // NULL is let pass

// `text`: values with commas between them; for a setting that is a number also FIRST..LAST:xFACTOR and
// FIRST..LAST:+STEP, FIRST..LAST doubles. One value varies nothing and is allowed. False, with a sentence in `why`.
bool kvb_sweep_vary(struct kvb_sweep *sweep, enum kvb_sweep_kind kind, enum kvb_setting setting, const char *text,
                    char why[256]);
uint64_t kvb_sweep_count(const struct kvb_sweep *sweep); // combinations; 1 when nothing varies
// Which value of the axis row `index` has.
uint32_t kvb_sweep_digit(const struct kvb_sweep *sweep, uint32_t axis, uint64_t index);

// ---- Planning all of them

// One combination: what `kvbudget plan` says of it, in short.
struct kvb_sweep_row {
    uint64_t index;
    bool planned; // false: the numbers cannot work, and plan says why
    bool starts;
    enum kvb_verdict verdict;
    const char *refusal; // the rule, a constant word; or NULL
    uint64_t gpus, max_model_len, weights_bytes, requested_bytes;
    uint64_t tokens, max_model_len_that_fits, max_concurrency_hundredths;
    int64_t kv_cache_bytes, balance_bytes, slack_bytes;
};

// Rows come in order, some at a time, from one thread after the other. False: stop here.
typedef bool kvb_sweep_taker(void *context, const struct kvb_sweep_row *rows, uint32_t count);
// `threads`: 0 = one for each core. KVB_OK also when the taker stopped it. `naive`: nothing is shared between plans.
enum kvb_status kvb_sweep_run(const struct kvb_sweep *sweep, uint32_t threads, bool naive, kvb_sweep_taker *take,
                              void *context, struct kvb_problems *problems) KVB_MUST_USE;

// ---- Figures of a row

enum kvb_sweep_figure {
    KVB_SWEEP_FIGURE_VERDICT,
    KVB_SWEEP_FIGURE_TOKENS,
    KVB_SWEEP_FIGURE_CONCURRENCY, // hundredths
    KVB_SWEEP_FIGURE_POOL,        // bytes
    KVB_SWEEP_FIGURE_SLACK,       // bytes
    KVB_SWEEP_FIGURE_LENGTH,      // the longest that fits
    KVB_SWEEP_FIGURE_BALANCE,     // bytes
    KVB_SWEEP_FIGURE_GPUS,
    KVB_SWEEP_FIGURE_COUNT
};
const char *kvb_sweep_figure_name(enum kvb_sweep_figure figure); // "tokens", ...; NULL: no such figure
bool kvb_sweep_figure_find(const char *name, enum kvb_sweep_figure *figure);
int64_t kvb_sweep_figure_of(const struct kvb_sweep_row *row,
                            enum kvb_sweep_figure figure); // verdict: 2 fits, 1 tight, 0 neither
char *kvb_sweep_figure_format(char out[48], enum kvb_sweep_figure figure, int64_t number);

// "concurrency >= 8", "pool > 12GiB", "verdict = fits".
struct kvb_sweep_condition {
    enum kvb_sweep_figure figure;
    char sign[3];
    int64_t number;
};
bool kvb_sweep_condition_parse(const char *text, struct kvb_sweep_condition *condition, char why[256]);
bool kvb_sweep_condition_holds(const struct kvb_sweep_condition *condition, const struct kvb_sweep_row *row);

// Whether nothing about `a` is worse than about `b` and something is better: fewer GPUs, longer requests, more of them. Rows of two
// models are not compared.
bool kvb_sweep_beats(const struct kvb_sweep *sweep, const struct kvb_sweep_row *a, const struct kvb_sweep_row *b);

KVB_PUBLIC_END

#endif
