// The figures of the record that must not get worse.
#ifndef FIELD_FLOORS_H
#define FIELD_FLOORS_H

#include "page.h"

// Compares the record with the rows of a table `half,figure,statistic,limit`: limits in percent, of errors the most,
// of shares the least. Says each that is broken on standard error. False: one is broken, or a row is not understood.
bool floors_hold(const struct record *record, const struct table *floors);

#endif
