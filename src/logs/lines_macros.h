// Short spellings for table rows; only the lines_*.c files include this.
#ifndef KVB_LOGS_LINES_MACROS_H
#define KVB_LOGS_LINES_MACROS_H

#include "logs/lines.h"

#define R(major, minor, patch) KVB_RELEASE(major, minor, patch)
#define ANY_ENGINE 0
#define V0 1
#define V1 2
#define NOTHING KVB_OBS_IGNORED

// event, detail, since, until, generation, pattern, specimen, what each hole gives
#define LINE(event_, detail_, since_, until_, generation_, pattern_, specimen_, ...)                                   \
    {                                                                                                                  \
        .pattern = pattern_, .event = KVB_EVENT_##event_, .detail = (unsigned)(detail_), .gives = {__VA_ARGS__},       \
        .since = since_, .until = until_, .generation = generation_, .specimen = specimen_                             \
    }
// A line of an engine whose releases are not told apart.
#define PLAIN(event_, detail_, pattern_, specimen_, ...)                                                               \
    LINE(event_, detail_, 0, 0, ANY_ENGINE, pattern_, specimen_, __VA_ARGS__)

#endif
