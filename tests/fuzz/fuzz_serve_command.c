// Serve commands: the words are the lines of the input.
#include "fuzz_check.h"

#include <string.h>

#include <kvbudget/input.h>

#define WORDS_MAX 64

static struct kvb_problems problems;
static struct kvb_deployment deployment;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    const char *words[WORDS_MAX] = {"vllm", "serve"};
    int count = 2;
    if (size >= sizeof text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; count < WORDS_MAX && at != NULL;) {
        char *end = strchr(at, '\n');
        words[count++] = at;
        if (end != NULL) {
            *end++ = '\0';
        }
        at = end;
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    fuzz_check(kvb_serve_command_read(count, words, &deployment, &problems), &problems);
    return 0;
}
