// Which commit of main a development build is. Source: the tags of rc0 that stand on main, and the first commits of
// main behind v0.N.0, both counted with git rev-list --count.
#include "engines/vllm/main_builds.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// "rc1.dev" counts from the tag rc0 of the same release.
static const struct {
    uint32_t release, commit;
} tags[] = {
    {R(11, 1), 9931},  {R(14, 0), 12401}, {R(15, 2), 13613}, {R(16, 0), 13412}, {R(16, 1), 14236},
    {R(17, 0), 14442}, {R(17, 1), 14667}, {R(17, 2), 14907}, {R(18, 0), 14889}, {R(18, 1), 15112},
    {R(18, 2), 15405}, {R(19, 1), 15494}, {R(19, 2), 15887}, {R(20, 1), 16115}, {R(20, 2), 16274},
    {R(21, 1), 16653}, {R(22, 1), 17097}, {R(23, 1), 17615}, {R(26, 1), 19194}, {R(27, 2), 19887},
};

static const struct {
    uint32_t minor, commit;
} cuts[] = {
    {12, KVB_MAIN_OF_12}, {13, KVB_MAIN_OF_13}, {14, KVB_MAIN_OF_14}, {15, KVB_MAIN_OF_15}, {16, KVB_MAIN_OF_16},
    {17, KVB_MAIN_OF_17}, {18, KVB_MAIN_OF_18}, {19, KVB_MAIN_OF_19}, {20, KVB_MAIN_OF_20}, {21, KVB_MAIN_OF_21},
    {22, KVB_MAIN_OF_22}, {23, KVB_MAIN_OF_23}, {24, KVB_MAIN_OF_24}, {25, KVB_MAIN_OF_25}, {26, KVB_MAIN_OF_26},
    {27, KVB_MAIN_OF_27}, {28, KVB_MAIN_OF_28},
};
#define LAST (sizeof cuts / sizeof cuts[0] - 1)

static uint32_t tag_of(uint32_t release)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tags[i].release == release) {
            return tags[i].commit;
        }
    }
    return 0;
}

uint32_t kvb_vllm_of_main(const char *version, uint32_t release)
{
    static const char mark[] = "rc1.dev";
    const char *at = strstr(version, mark);
    uint32_t commit = tag_of(release), count = 0;
    if (at == NULL || commit == 0) {
        return release;
    }
    for (at += sizeof mark - 1; kvb_is_digit(*at) && count < 10000; at++) {
        count = count * 10 + (uint32_t)(*at - '0');
    }
    commit += count;
    if (commit < cuts[0].commit) {
        return R(11, 0) + 1; // between 0.11.0 and 0.11.1 main went 1,456 commits on
    }
    size_t last = 0;
    while (last < LAST && cuts[last + 1].commit <= commit) {
        last++;
    }
    uint32_t next = last < LAST ? cuts[last + 1].commit : UINT32_MAX;
    return R(cuts[last].minor, KVB_MAIN_STEP((uint64_t)commit, cuts[last].commit, next));
}
