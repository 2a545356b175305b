// The state of reading one serve command, shared by the files that do it.
#ifndef KVB_COMMAND_SERVE_READING_H
#define KVB_COMMAND_SERVE_READING_H

#include "engines/flags.h"

struct kvb_serve_reading {
    int count, at;
    const char *const *words;
    const struct kvb_engine_rows *engine; // known once the program is
    struct kvb_deployment *deployment;
    struct kvb_problems *problems;
    bool model_said, key_said, overrides_said;
    const char *abbreviated; // the word being read, where it is only the beginning of its flag's name; else NULL
};

// The word `offset` ahead, "" behind the last.
const char *kvb_serve_word(const struct kvb_serve_reading *reading, int offset);

// Moves behind assignments, wrappers such as nohup, and the program; says whose it is.
enum kvb_status kvb_serve_read_program(struct kvb_serve_reading *reading);
// The same in the middle of a line, behind "&".
enum kvb_status kvb_serve_read_next_program(struct kvb_serve_reading *reading);

// What one flag with its value does to the deployment. `value` is "" for a flag that takes none.
enum kvb_status kvb_serve_set(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag, const char *value);
enum kvb_status kvb_serve_set_model(struct kvb_serve_reading *reading, const char *value);

#endif
