// The token of an account, where huggingface_hub looks for it: HF_TOKEN, then a file. It is never printed.
// Source: huggingface_hub/utils/_auth.py and constants.py.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fetch/fetch.h"
#include "text/file.h"

#define TOKEN_FILE_MAX_BYTES 4096

// A token is one line of letters, digits and few marks; anything else could become another header line.
static bool take(char *out, size_t capacity, const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/~";
    size_t begin = strspn(text, " \t\r\n");
    size_t length = strcspn(text + begin, " \t\r\n");
    if (length == 0 || length >= capacity || strspn(text + begin, allowed) < length) {
        return false;
    }
    memcpy(out, text + begin, length);
    out[length] = '\0';
    return true;
}

static bool take_file(char *out, size_t capacity, const char *folder, const char *below)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_file file;
    int written = snprintf(path, sizeof path, "%s%s", folder, below);
    if (written < 0 || written >= (int)sizeof path || !kvb_path_exists(path) ||
        kvb_file_read(&file, path, TOKEN_FILE_MAX_BYTES, NULL) != KVB_OK) {
        return false;
    }
    bool taken = take(out, capacity, file.text);
    kvb_file_free(&file);
    return taken;
}

void fetch_token_find(char *out, size_t capacity)
{
    static const char *const variables[] = {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"};
    static const struct {
        const char *variable, *below;
    } files[] = {{"HF_TOKEN_PATH", ""},
                 {"HF_HOME", "/token"},
                 {"XDG_CACHE_HOME", "/huggingface/token"},
                 {"HOME", "/.cache/huggingface/token"}};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && take(out, capacity, value)) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *value = getenv(files[i].variable);
        if (value != NULL && value[0] != '\0') { // the first that is set decides
            (void)take_file(out, capacity, value, files[i].below);
            return;
        }
    }
}
