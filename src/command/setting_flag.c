// A setting as the flag of an engine that makes it, JSON flags included.
#include "command/setting_flag.h"

#include <stdio.h>
#include <string.h>

char *kvb_setting_part_value(char out[64], const struct kvb_setting_part *part, uint64_t number)
{
    char text[48];
    kvb_setting_format(text, part->setting, number);
    bool word = kvb_setting_row_of(part->setting)->words != NULL;
    for (char *c = text; part->upper && *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
    (void)snprintf(out, 64, word ? "\"%s\"" : "%s", text);
    return out;
}

char *kvb_serve_flag_name(char out[KVB_FLAG_CAPACITY], const struct kvb_serve_flag *flag)
{
    (void)snprintf(out, KVB_FLAG_CAPACITY, "%s%s", flag->name != NULL ? "--" : "",
                   flag->name != NULL ? flag->name : flag->short_name);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return out;
}

char *kvb_setting_flag(char out[KVB_FLAG_CAPACITY], const struct kvb_engine *engine, enum kvb_setting setting,
                       uint64_t number)
{
    return kvb_setting_flag_of(out, kvb_engine_said(engine->name), setting, number);
}

char *kvb_setting_flag_of(char out[KVB_FLAG_CAPACITY], const struct kvb_engine_rows *engine, enum kvb_setting setting,
                          uint64_t number)
{
    const struct kvb_setting_part *part = kvb_part_of_setting(engine, setting);
    const struct kvb_serve_flag *flag = kvb_serve_flag_of(engine, setting, number);
    char value[64], name[KVB_FLAG_CAPACITY];
    if (part != NULL) {
        (void)snprintf(out, KVB_FLAG_CAPACITY, "--%s '{\"%s\": %s}'", part->flag, part->key,
                       kvb_setting_part_value(value, part, number));
    } else if (flag == NULL) {
        (void)snprintf(out, KVB_FLAG_CAPACITY, "%s %s", kvb_setting_row_of(setting)->key,
                       kvb_setting_format(value, setting, number));
    } else if (flag->kind == KVB_SERVE_SETS) {
        (void)kvb_serve_flag_name(out, flag);
    } else if (kvb_setting_row_of(setting)->kind == KVB_VALUE_SWITCH) {
        (void)snprintf(out, KVB_FLAG_CAPACITY, "--%s%.100s", number != 0 ? "" : "no-",
                       kvb_serve_flag_name(name, flag) + 2);
    } else {
        (void)snprintf(out, KVB_FLAG_CAPACITY, "%.60s %s", kvb_serve_flag_name(name, flag),
                       kvb_serve_value_format(value, flag, number));
    }
    return out;
}
