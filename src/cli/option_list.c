// A list of flags: what commands add to it, and the row of a name.
#include "cli/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum kvb_status kvb_options_mistake(struct arguments *arguments, const char *format, ...)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0}, "%s", text);
}

void kvb_options_add(struct option_list *list, const struct option_row *rows, size_t count)
{
    for (size_t i = 0; i < count && list->count < OPTIONS_MAX; i++) {
        list->rows[list->count++] = rows[i];
    }
}

bool kvb_option_is_called(const char *candidate, const char *name, size_t length)
{
    return candidate != NULL && strlen(candidate) == length && strncmp(candidate, name, length) == 0;
}

const struct option_row *kvb_options_find(const struct option_list *list, const char *name, size_t length)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct option_row *row = &list->rows[i];
        if (kvb_option_is_called(row->short_name, name, length)) {
            return row;
        }
        if (length > 2 && name[0] == '-' && name[1] == '-' && kvb_option_is_called(row->name, name + 2, length - 2)) {
            return row;
        }
    }
    return NULL;
}
