// Reading and writing a value by a row, which may be a setting's with the words of one engine's flag.
#ifndef KVB_RELEASE_SETTINGS_VALUE_H
#define KVB_RELEASE_SETTINGS_VALUE_H

#include <kvbudget/plan.h>

// KVB_BAD_TYPE or KVB_OUT_OF_RANGE with a sentence in `why`.
enum kvb_status kvb_setting_read(const struct kvb_setting_row *row, const char *text, uint64_t *number, char why[256]);
char *kvb_setting_write(char out[48], const struct kvb_setting_row *row, uint64_t number);

#endif
