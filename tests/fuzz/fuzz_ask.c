// Requests of the one call: any bytes; there is a document for each, and the same whichever way it is asked for.
#include "fuzz_check.h"

#include <stdlib.h>
#include <string.h>

#include <kvbudget/ask.h>

// Paths of the machine and its driver are left alone.
static bool reaches_out(const char *text)
{
    return strstr(text, "live") != NULL || strchr(text, '/') != NULL || strstr(text, "..") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char request[4096];
    if (size >= sizeof request) {
        return 0;
    }
    memcpy(request, data, size);
    request[size] = '\0';
    if (strlen(request) != size || reaches_out(request)) {
        return 0;
    }
    char *document = kvb_ask(request);
    if (document == NULL || document[0] != '{' || strstr(document, "\"schema\": \"kvbudget.") == NULL) {
        abort();
    }
    if (kvb_ask_into(request, size, NULL, 0) != strlen(document)) {
        abort();
    }
    kvb_ask_free(document);
    return 0;
}
