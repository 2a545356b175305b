// The first thing that went wrong is kept.
#include "fetch/fetch.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

bool fetch_fail(struct fetch_run *run, enum fetch_error error, const char *format, ...)
{
    va_list values;
    if (run->error == FETCH_FINE) {
        va_start(values, format);
        (void)vsnprintf(run->text, sizeof run->text, format, values);
        va_end(values);
        kvb_make_printable(run->text);
        run->error = error;
    }
    return false;
}
