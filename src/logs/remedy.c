// Adding a remedy to a report, and the figures in its sentence.
#include "logs/remedy.h"

#include <stdarg.h>
#include <stdio.h>

#include <kvbudget/units.h>

#include "base/text.h"

void kvb_remedy_add(struct kvb_reckoning *r, const char *setting, const char *from, const char *to, bool works,
                    const char *format, ...)
{
    struct kvb_remedy remedy = {.works = works};
    va_list list;
    va_start(list, format);
    (void)vsnprintf(remedy.why, sizeof remedy.why, format,
                    list); // NOLINT(clang-analyzer-valist.Uninitialized): it is started above
    va_end(list);
    kvb_copy(remedy.setting, sizeof remedy.setting, setting);
    kvb_copy(remedy.from, sizeof remedy.from, from);
    kvb_copy(remedy.to, sizeof remedy.to, to);
    if (r->report->remedy_count < KVB_REMEDIES_MAX) {
        r->report->remedies[r->report->remedy_count++] = remedy;
    }
}

struct kvb_remedy_text kvb_remedy_gib(int64_t bytes)
{
    struct kvb_remedy_text out;
    kvb_format_gib(out.text, bytes, 2);
    return out;
}

struct kvb_remedy_text kvb_remedy_fraction(int64_t ppm)
{
    struct kvb_remedy_text out;
    kvb_format_ppm(out.text, ppm < 0 ? 0 : (uint32_t)ppm);
    return out;
}

struct kvb_remedy_text kvb_remedy_number(int64_t value)
{
    struct kvb_remedy_text out;
    snprintf(out.text, sizeof out.text, "%lld", (long long)value);
    return out;
}
