// What must hold after any input: a failure is explained, and nothing in it can reach a terminal's controls.
#ifndef KVB_FUZZ_CHECK_H
#define KVB_FUZZ_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <kvbudget/problem.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int kvb_tool_main(int count, char **words); // src/cli/main.c, under another name

static inline void fuzz_check(enum kvb_status status, const struct kvb_problems *problems)
{
    if (status != KVB_OK && problems->count == 0) {
        abort();
    }
    for (uint32_t i = 0; i < problems->count; i++) {
        for (const char *c = problems->items[i].text; *c; c++) {
            if ((unsigned char)*c < 0x20 || *c == 0x7F) {
                abort();
            }
        }
    }
}

#endif
