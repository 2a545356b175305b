// Lists and ranges as people write them.
#ifndef KVB_ANSWER_SWEEP_VALUES_H
#define KVB_ANSWER_SWEEP_VALUES_H

#include <kvbudget/sweep.h>

// Fills axis->values, which has room for KVB_SWEEP_VALUES_MAX, and axis->count.
bool kvb_sweep_values_read(struct kvb_sweep_axis *axis, const char *text, char why[256]);
void kvb_sweep_why(char why[256], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
