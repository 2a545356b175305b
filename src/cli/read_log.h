// Reads a log file or standard input into a report.
#ifndef KVB_CLI_READ_LOG_H
#define KVB_CLI_READ_LOG_H

#include <kvbudget/logs.h>

// "-": standard input. Fills everything but checks and remedies.
enum kvb_status read_log(const char *path, struct kvb_log_report *log, struct kvb_problems *problems) KVB_MUST_USE;

#endif
