// The tags of vLLM, for tests that ask at each of them.
#ifndef KVB_TESTS_RELEASE_TAGS_H
#define KVB_TESTS_RELEASE_TAGS_H

#include "unit/fixture_rows.h"

#define TAGS_MAX 128

// Those from `since` on, in their order. Returns how many.
static inline size_t tags_since(uint32_t since, uint32_t tags[TAGS_MAX])
{
    char line[ROW_MAX_BYTES];
    size_t count = 0;
    FILE *file = open_rows("fixtures/releases/tags.txt");
    while (next_line(file, line)) {
        assert_true(count < TAGS_MAX && kvb_release_parse(line, &tags[count]));
        count += tags[count] >= since;
    }
    (void)fclose(file);
    assert_int_equal(tags[count - 1], KVB_NEWEST_VLLM);
    return count;
}

#endif
