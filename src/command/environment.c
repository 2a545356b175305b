// Environment variables that engines read and that move memory, by the engines' tables.
#include "command/environment.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/text.h"
#include "engines/table.h"

#define NAME_CAPACITY 96

// All variables, engine by engine, then PyTorch's; NULL behind the last.
static const struct kvb_variable_row *row_at(unsigned index)
{
    size_t engines, count;
    const struct kvb_engine_rows *const *engine = kvb_engines(&engines);
    for (size_t i = 0; i <= engines; i++) {
        const struct kvb_variable_row *(*variables)(size_t *) =
            i < engines ? engine[i]->variables : kvb_torch_variables;
        const struct kvb_variable_row *rows = variables != NULL ? variables(&count) : NULL;
        count = rows != NULL ? count : 0;
        if (index < count) {
            return &rows[index];
        }
        index -= (unsigned)count;
    }
    return NULL;
}

static bool is_switch(const struct kvb_variable_row *row)
{
    return row->read == kvb_variable_switch || row->read == kvb_variable_truth;
}

bool kvb_environment_switch(const struct kvb_environment *environment, unsigned index, char out[KVB_SWITCH_CAPACITY])
{
    const struct kvb_variable_row *row = row_at(index);
    out[0] = '\0';
    if (row == NULL) {
        return false;
    }
    uint8_t value = is_switch(row) ? *((const uint8_t *)environment + row->offset) : KVB_UNSET;
    if (value != KVB_UNSET) {
        (void)snprintf(out, KVB_SWITCH_CAPACITY, "%s=%d", row->name, value == KVB_YES);
    }
    return true;
}

static bool is_noted(const char *name)
{
    size_t count;
    const struct kvb_engine_rows *const *engine = kvb_engines(&count);
    for (size_t i = 0; i < count; i++) {
        if (engine[i]->notes_variable != NULL && engine[i]->notes_variable(name)) {
            return true;
        }
    }
    return false;
}

static void note(struct kvb_environment *environment, const char *name, const char *value)
{
    size_t used = strlen(environment->noted), wanted = strlen(name) + strlen(value) + 2;
    if (is_noted(name) && strpbrk(value, "\n$") == NULL && used + wanted < sizeof environment->noted) {
        (void)snprintf(environment->noted + used, sizeof environment->noted - used, "%s=%s\n", name, value);
    }
}

void kvb_environment_overlay(struct kvb_environment *out, const struct kvb_environment *flags)
{
    const struct kvb_variable_row *row;
    for (unsigned i = 0; (row = row_at(i)) != NULL; i++) {
        const uint8_t *from = (const uint8_t *)flags + row->offset;
        if (is_switch(row) && *from != KVB_UNSET) {
            *((uint8_t *)out + row->offset) = *from;
        }
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        out->settings.values[i] = flags->settings.values[i].set ? flags->settings.values[i] : out->settings.values[i];
    }
    if (flags->expandable_segments != KVB_UNSET) {
        out->expandable_segments = flags->expandable_segments;
    }
    if (flags->expandable_by_cuda_name != KVB_UNSET) {
        out->expandable_by_cuda_name = flags->expandable_by_cuda_name;
    }
    kvb_add_text(out->noted, sizeof out->noted, flags->noted);
    if (flags->attention_backend != 0) {
        out->attention_backend = flags->attention_backend;
    }
    if (flags->layer_partition_count > 0) {
        out->layer_partition_count = flags->layer_partition_count;
        memcpy(out->layer_partition, flags->layer_partition, sizeof out->layer_partition);
    }
}

enum kvb_status kvb_environment_set_at(const char *name, const char *value, struct kvb_place place,
                                       struct kvb_environment *environment, struct kvb_problems *problems)
{
    const struct kvb_variable_row *row;
    note(environment, name, value);
    for (unsigned i = 0; (row = row_at(i)) != NULL; i++) {
        if (strcmp(row->name, name) != 0) {
            continue;
        }
        if (row->read(value, row, environment) || row->any_word) {
            return KVB_OK;
        }
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, place, "%s: expected %s, found '%.60s'", name,
                               row->expected, value);
    }
    return KVB_OK;
}

enum kvb_status kvb_environment_set(const char *assignment, struct kvb_environment *environment,
                                    struct kvb_problems *problems)
{
    char name[NAME_CAPACITY];
    size_t length = strcspn(assignment, "=");
    if (length == 0 || assignment[length] != '=') {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0},
                               "expected NAME=VALUE, found '%.60s'", assignment);
    }
    if (length >= sizeof name) {
        return KVB_OK; // no variable with an effect has so long a name
    }
    memcpy(name, assignment, length);
    name[length] = '\0';
    return kvb_environment_set_at(name, assignment + length + 1, (struct kvb_place){0}, environment, problems);
}
