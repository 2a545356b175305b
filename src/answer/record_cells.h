// The cells of one row of the field record, made from a log and the flags beside it.
#ifndef KVB_ANSWER_RECORD_CELLS_H
#define KVB_ANSWER_RECORD_CELLS_H

#include <kvbudget/record.h>

#include "engines/table.h"

// What a row is made of.
struct kvb_record_facts {
    const struct kvb_deployment *deployment;
    const struct kvb_log_report *log;
    const struct kvb_engine_rows *engine; // of the log; NULL: none that is planned here
    const char *id, *source;
    struct kvb_settings settings;
    char model[KVB_NAME_CAPACITY], shape[KVB_NAME_CAPACITY], gpu[KVB_NAME_CAPACITY], version[48];
};

// Appends name and text of every column that the row's table has.
void kvb_record_fill(const struct kvb_record_facts *facts, struct kvb_record *record);

#endif
