// The whole tool: the lines up to an empty one are the words of a command line, the rest is the file they name. The
// file stands in the working folder under the name the words use for it: one that begins with "f." and ends as its kind
// does. Commands that write files are left to the fault tests.
#define _GNU_SOURCE
#include "fuzz_check.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MAX 40
#define TEXT_MAX 65536

static bool writes(const char *word)
{
    static const char *const flags[] = {"--append", "--init", "import", "hub", "--output", "live", "--gpu-state=-"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strstr(word, flags[i]) != NULL) {
            return true;
        }
    }
    return word[0] == '/' || strstr(word, "..") != NULL || strcmp(word, "-") == 0;
}

static bool is_file_name(const char *word)
{
    return strncmp(word, "f.", 2) == 0 && strlen(word) < 16 && strchr(word, '/') == NULL;
}

static void put_file(const char *name, const char *text, size_t length)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, text, length) != (ssize_t)length) {
        abort();
    }
    (void)close(file);
}

// A folder of its own, empty but for the file; no cache and no home to read from.
static void enter_folder(void)
{
    static bool entered;
    char folder[] = "/tmp/kvbudget-fuzz-XXXXXX";
    if (entered) {
        return;
    }
    entered = true;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || setenv("HOME", folder, 1) != 0 ||
        setenv("KVBUDGET_OFFLINE", "1", 1) != 0) {
        abort();
    }
    (void)unsetenv("HF_HOME");
    (void)unsetenv("XDG_CACHE_HOME");
}

// Cuts the first part into words; NULL when there is none that may run.
static char *split(char *text, char *words[WORDS_MAX + 1], int *count)
{
    *count = 1;
    while (*text != '\0' && *text != '\n' && *count < WORDS_MAX) {
        char *end = text + strcspn(text, "\n");
        bool last = *end == '\0';
        *end = '\0';
        if (writes(text)) {
            return NULL;
        }
        words[(*count)++] = text;
        text = last ? end : end + 1;
    }
    return *count > 1 ? text + (*text == '\n' ? 1 : 0) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[TEXT_MAX];
    static char own_name[] = "kvbudget";
    char *words[WORDS_MAX + 1] = {own_name};
    int count = 0;
    if (size >= sizeof text) {
        return 0;
    }
    enter_folder();
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = split(text, words, &count);
    if (rest == NULL) {
        return 0;
    }
    words[count] = NULL;
    for (int i = 1; i < count; i++) {
        if (is_file_name(words[i])) {
            put_file(words[i], rest, size - (size_t)(rest - text));
        }
    }
    int code = kvb_tool_main(count, words);
    for (int i = 1; i < count; i++) {
        if (is_file_name(words[i])) {
            (void)unlink(words[i]);
        }
    }
    if (code < 0 || code > 4) {
        abort();
    }
    return 0;
}
