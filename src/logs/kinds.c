// The kind of an exception, and the place of a frame.
#include "logs/kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "logs/line_text.h"

const struct kvb_kind_table *const kvb_kind_tables[KVB_KIND_TABLES] = {&kvb_kinds_words, &kvb_kinds_code};

static bool fits(const struct kvb_kind_row *row, const char *text, size_t name_length, const char *place)
{
    return (row->name == NULL || kvb_has_word(text, name_length, row->name)) &&
           (row->words == NULL || kvb_contains_ignoring_case(text, row->words)) &&
           (row->also == NULL || kvb_contains_ignoring_case(text, row->also)) &&
           (row->place == NULL || strstr(place, row->place) != NULL);
}

const struct kvb_kind_row *kvb_kind_of(const char *text, const char *place)
{
    size_t name_length = 0;
    while (kvb_is_name(text[name_length])) {
        name_length++;
    }
    for (size_t t = 0; t < KVB_KIND_TABLES; t++) {
        const struct kvb_kind_table *table = kvb_kind_tables[t];
        for (size_t i = 0; i != table->count; i++) {
            if (fits(&table->rows[i], text, name_length, place)) {
                return &table->rows[i];
            }
        }
    }
    return NULL;
}

bool kvb_place_is_plumbing(const char *place)
{
    static const char *const folders[] = {
        "pydantic/", "torch/nn/modules/module.py", "torch/_ops.py", "asyncio/", "concurrent/futures/",
    };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (strstr(place, folders[i]) != NULL) {
            return true;
        }
    }
    return false;
}

// Behind the folder that packages are installed in; of any other path the last three parts.
static const char *inner_path(const char *path, size_t length)
{
    static const char *const roots[] = {"site-packages/", "dist-packages/"};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        const char *root = strstr(path, roots[i]);
        if (root != NULL && root < path + length) {
            return root + strlen(roots[i]);
        }
    }
    const char *from = path + length;
    for (unsigned parts = 0; from > path; from--) {
        if (from[-1] == '/' && ++parts == 3) {
            break;
        }
    }
    return from;
}

void kvb_frame_place(const char *frame, char *place, size_t capacity)
{
    static const char number[] = "\", line ";
    const char *path = strstr(frame, "File \"");
    const char *line = strstr(frame, number);
    place[0] = '\0';
    if (path == NULL || line == NULL) {
        return;
    }
    path += strlen("File \"");
    size_t digits = strspn(line + strlen(number), "0123456789");
    const char *inner = inner_path(path, (size_t)(line - path));
    static const char in[] = ", in ";
    const char *function = strstr(line, in);
    const char *name = function != NULL ? function + strlen(in) : "";
    size_t length = strcspn(name, "\""); // a string of JSON that carried the line ends there
    (void)snprintf(place, capacity, "%.*s:%.*s%s%.*s", (int)(line - inner), inner, (int)digits, line + strlen(number),
                   function != NULL ? " in " : "", (int)length, name);
}
