// Which release of the library this is, and whether a program was compiled for it.
#include <kvbudget/version.h>

#include <string.h>

const char *kvb_version(void)
{
    return KVB_VERSION;
}

enum kvb_status kvb_init_for(const char *headers)
{
    return headers != NULL && strcmp(headers, KVB_VERSION) == 0 ? KVB_OK : KVB_BAD_ARGUMENT;
}
