// The record as a table for programs: what was planned beside what was logged.
#ifndef FIELD_ROWS_H
#define FIELD_ROWS_H

#include "page.h"

// One CSV line a run, bytes as whole numbers; a figure that was not logged, or not planned, is empty.
void rows_write(struct kvb_buffer *out, const struct record *record);

#endif
