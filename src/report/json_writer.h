// JSON written in the order of the calls: commas, indentation and escapes are taken care of.
#ifndef KVB_REPORT_JSON_WRITER_H
#define KVB_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct kvb_json {
    struct kvb_buffer *out;
    unsigned depth;
    bool has_member; // of the object or list being written
};

void kvb_json_init(struct kvb_json *json, struct kvb_buffer *out);

// `key` is NULL inside a list and for the document itself.
void kvb_json_open_object(struct kvb_json *json, const char *key);
void kvb_json_close_object(struct kvb_json *json);
void kvb_json_open_list(struct kvb_json *json, const char *key);
void kvb_json_close_list(struct kvb_json *json);
void kvb_json_text(struct kvb_json *json, const char *key, const char *text);         // NULL: null
void kvb_json_text_or_null(struct kvb_json *json, const char *key, const char *text); // "" too: null
void kvb_json_number(struct kvb_json *json, const char *key, int64_t number);
void kvb_json_count(struct kvb_json *json, const char *key, uint64_t number);
void kvb_json_count_or_null(struct kvb_json *json, const char *key, uint64_t number);  // 0: null
void kvb_json_hundredths(struct kvb_json *json, const char *key, uint64_t hundredths); // 5255: 52.55
void kvb_json_ppm(struct kvb_json *json, const char *key, uint64_t ppm);               // 925000: 0.925
void kvb_json_plain(struct kvb_json *json, const char *key, const char *number);       // digits as they are
void kvb_json_bool(struct kvb_json *json, const char *key, bool value);
void kvb_json_null(struct kvb_json *json, const char *key);
// The document's last line break.
void kvb_json_finish(struct kvb_json *json);

#endif
