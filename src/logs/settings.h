// Reads settings out of what engines print of them: argument dumps, configurations, command lines.
#ifndef KVB_LOGS_SETTINGS_H
#define KVB_LOGS_SETTINGS_H

#include <kvbudget/logs.h>

struct kvb_dump_result {
    struct kvb_settings *settings;
    char *model; // KVB_NAME_CAPACITY
    struct kvb_log_value *static_fraction;
};

// "key=value, ..." or "'key': value, ...", whatever brackets stand around.
void kvb_read_dump(const char *text, size_t length, const struct kvb_dump_result *result);

// "MODEL --flag value --flag=value ..." up to the end of the command.
void kvb_read_command(const char *text, size_t length, const struct kvb_dump_result *result);

#endif
