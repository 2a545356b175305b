// Plans a second and core: one model, settings vary; once worked out anew each time, once as a sweep does it.
//   bench_sweep [MODEL]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kvbudget/kvbudget.h>

static bool count(void *context, const struct kvb_sweep_row *rows, uint32_t many)
{
    uint64_t *sum = context;
    for (uint32_t i = 0; i < many; i++) {
        *sum = *sum * 31 + rows[i].tokens + (uint64_t)rows[i].balance_bytes + (uint64_t)rows[i].verdict;
    }
    return true;
}

// Microseconds of this program's own time.
static uint64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000U + (uint64_t)time.tv_nsec / 1000U;
}

static uint64_t measure(const struct kvb_sweep *sweep, bool naive, uint64_t *sum)
{
    struct kvb_problems *problems = malloc(sizeof *problems);
    uint64_t best = UINT64_MAX;
    for (int i = 0; problems != NULL && i < 3; i++) {
        kvb_problems_init(problems);
        *sum = 0;
        uint64_t start = now();
        if (kvb_sweep_run(sweep, 1, naive, count, sum, problems) != KVB_OK) {
            (void)fprintf(stderr, "%s\n", problems->items[0].text);
            exit(1);
        }
        uint64_t took = now() - start;
        best = took < best ? took : best;
    }
    free(problems);
    return kvb_sweep_count(sweep) * 1000000U / (best > 0 ? best : 1);
}

int main(int words, char **word)
{
    static struct kvb_deployment deployment;
    char why[256] = "";
    kvb_deployment_init(&deployment);
    struct kvb_sweep *sweep = kvb_sweep_make(&deployment);
    bool fine = sweep != NULL &&
                kvb_sweep_vary(sweep, KVB_SWEEP_MODEL, KVB_SETTING_COUNT, words > 1 ? word[1] : "Qwen/Qwen3-8B", why) &&
                kvb_sweep_vary(sweep, KVB_SWEEP_GPU, KVB_SETTING_COUNT, "h100-sxm", why) &&
                kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, KVB_SET_MAX_MODEL_LEN, "1024..32768:+128", why) &&
                kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, KVB_SET_MAX_NUM_SEQS, "8..256:+8", why) &&
                kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, KVB_SET_GPU_MEMORY_UTILIZATION, "0.7..0.95:+0.05", why);
    if (!fine) {
        (void)fprintf(stderr, "%s\n", why);
        return 1;
    }
    uint64_t sum_naive, sum_shared;
    uint64_t naive = measure(sweep, true, &sum_naive), shared = measure(sweep, false, &sum_shared);
    (void)printf("naive loop     %llu plans a second and core\n", (unsigned long long)naive);
    (void)printf("sweep          %llu plans a second and core, %s rows\n", (unsigned long long)shared,
                 sum_naive == sum_shared ? "the same" : "OTHER");
    kvb_sweep_free(sweep);
    return sum_naive == sum_shared ? 0 : 1;
}
