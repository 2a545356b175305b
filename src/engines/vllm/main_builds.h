// Builds of vLLM's main branch: setuptools-scm counts their commits since the last tag that stands on it.
#ifndef KVB_VLLM_MAIN_BUILDS_H
#define KVB_VLLM_MAIN_BUILDS_H

#include <kvbudget/plan.h>

// The commit of main, counted from its first, from which the branch of 0.N.0 was cut.
#define KVB_MAIN_OF_11 9931
#define KVB_MAIN_OF_12 11849
#define KVB_MAIN_OF_13 12274
#define KVB_MAIN_OF_14 12940
#define KVB_MAIN_OF_15 13280
#define KVB_MAIN_OF_16 13733
#define KVB_MAIN_OF_17 14442
#define KVB_MAIN_OF_18 14889
#define KVB_MAIN_OF_19 15342
#define KVB_MAIN_OF_20 16103
#define KVB_MAIN_OF_21 16484
#define KVB_MAIN_OF_22 16939
#define KVB_MAIN_OF_23 17360
#define KVB_MAIN_OF_24 17918
#define KVB_MAIN_OF_25 18477
#define KVB_MAIN_OF_26 18894
#define KVB_MAIN_OF_27 19450
#define KVB_MAIN_OF_28 20038

// A commit between two cuts, as a release behind every patch of the former and before the latter: 50 to 99 in the place
// of the patch. The row of a rule whose commit is known begins there.
#define KVB_MAIN_STEP(commit, cut, next) (50 + 50 * ((commit) - (cut)) / ((next) - (cut)))
#define KVB_MAIN_BUILD(minor, next, commit)                                                                            \
    KVB_RELEASE(0, minor, KVB_MAIN_STEP(commit, KVB_MAIN_OF_##minor, KVB_MAIN_OF_##next))

// What a version like "0.27.2rc1.dev77" is counted as: main has all of the release whose branch was last cut from it,
// and of the next one what came before the build. Every other version is `release`.
uint32_t kvb_vllm_of_main(const char *version, uint32_t release);

#endif
