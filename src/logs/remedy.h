// One remedy of a report: what to set, whether it works, and why in a sentence with figures.
#ifndef KVB_LOGS_REMEDY_H
#define KVB_LOGS_REMEDY_H

#include "logs/explain.h"

#define KVB_REMEDY_HEADROOM_BYTES (INT64_C(150) << 20) // left besides what was missing

// `format` gives the reason. `from` is the present value, or "". Beyond the room of a report nothing is added.
void kvb_remedy_add(struct kvb_reckoning *r, const char *setting, const char *from, const char *to, bool works,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));

// A figure as text, by value, so that several fit into one sentence.
struct kvb_remedy_text {
    char text[32];
};
struct kvb_remedy_text kvb_remedy_gib(int64_t bytes);
struct kvb_remedy_text kvb_remedy_fraction(int64_t ppm);
struct kvb_remedy_text kvb_remedy_number(int64_t value);

#endif
