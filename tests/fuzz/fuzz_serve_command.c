// Serve commands: the words are the lines of the input, and behind a line "===" the file that --config names.
#include "fuzz_check.h"

#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "command/serve_command.h"

#define WORDS_MAX 64

static struct kvb_problems problems;
static struct kvb_deployment deployment;

// Nothing of the disk is opened.
static enum kvb_status read_file(void *context, struct kvb_file *file, const char *path, size_t max_bytes,
                                 struct kvb_problems *said)
{
    const char *text = context;
    (void)path;
    (void)max_bytes;
    (void)said;
    file->length = strlen(text);
    file->text = kvb_reallocate(NULL, file->length + 1);
    if (file->text == NULL) {
        return KVB_NO_MEMORY;
    }
    memcpy(file->text, text, file->length + 1);
    return KVB_OK;
}

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
    char *marker = strstr(text, "\n===\n");
    char *file = marker != NULL ? marker + 5 : text + size;
    const struct kvb_files files = {.context = file, .read = read_file};
    const struct kvb_serve_beside beside = {.files = &files};
    if (marker != NULL) {
        *marker = '\0';
    }
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
    fuzz_check(kvb_serve_command_read_beside(count, words, &beside, NULL, &deployment, &problems), &problems);
    return 0;
}
