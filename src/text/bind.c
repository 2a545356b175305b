// libcyaml behind the strict pass: rows become its schema at run time, so a key is described once.
#include "text/bind.h"

#include <string.h>

#include <cyaml/cyaml.h>

#include "base/memory.h"

#define ROWS_MAX 32

// A libcyaml schema and the entry schemas of its lists.
struct binding {
    cyaml_schema_value_t top;
    cyaml_schema_field_t fields[ROWS_MAX + 1];
    cyaml_schema_value_t entries[ROWS_MAX];
};

static cyaml_schema_value_t text_value(size_t capacity)
{
    return (cyaml_schema_value_t){.type = CYAML_STRING,
                                  .flags = CYAML_FLAG_DEFAULT,
                                  .data_size = (uint32_t)capacity,
                                  .string = {.min = 0, .max = (uint32_t)capacity - 1}};
}

static cyaml_schema_value_t list_value(const struct kvb_field_row *row, cyaml_schema_value_t *entry)
{
    *entry = text_value(row->size);
    return (cyaml_schema_value_t){.type = CYAML_SEQUENCE,
                                  .flags = CYAML_FLAG_DEFAULT,
                                  .data_size = (uint32_t)row->size,
                                  .sequence = {.entry = entry, .min = 0, .max = (uint32_t)row->maximum}};
}

static cyaml_schema_value_t value_of(const struct kvb_field_row *row, cyaml_schema_value_t *entry)
{
    switch (row->kind) {
    case KVB_FIELD_TEXT:
    case KVB_FIELD_WORD:
    case KVB_FIELD_SIZE:
    case KVB_FIELD_RELEASE:
        return text_value(row->size);
    case KVB_FIELD_WHOLE:
        return (cyaml_schema_value_t){
            .type = CYAML_UINT, .flags = CYAML_FLAG_DEFAULT, .data_size = (uint32_t)row->size};
    case KVB_FIELD_SWITCH:
        return (cyaml_schema_value_t){
            .type = CYAML_BOOL, .flags = CYAML_FLAG_DEFAULT, .data_size = (uint32_t)row->size};
    case KVB_FIELD_TEXT_LIST:
    case KVB_FIELD_SIZE_LIST:
        return list_value(row, entry);
    case KVB_FIELD_MAPPING:
    case KVB_FIELD_TEXT_OR_MAPPING:
    case KVB_FIELD_MAPPING_LIST:
        break;
    }
    return (cyaml_schema_value_t){.type = CYAML_IGNORE, .flags = CYAML_FLAG_DEFAULT};
}

static void describe(const struct kvb_schema *schema, struct binding *binding)
{
    *binding = (struct binding){0};
    for (size_t i = 0; i < schema->row_count && i < ROWS_MAX; i++) {
        const struct kvb_field_row *row = &schema->rows[i];
        cyaml_schema_field_t *field = &binding->fields[i];
        field->key = row->key;
        field->data_offset = (uint32_t)row->offset;
        field->count_offset = (uint32_t)row->count_offset;
        field->count_size = sizeof(uint32_t);
        field->value = value_of(row, &binding->entries[i]);
        field->value.flags |= CYAML_FLAG_OPTIONAL;
    }
    binding->top = (cyaml_schema_value_t){.type = CYAML_MAPPING,
                                          .flags = CYAML_FLAG_POINTER,
                                          .data_size = (uint32_t)schema->raw_size,
                                          .mapping = {.fields = binding->fields}};
}

static void *allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size == 0) {
        kvb_release(old);
        return NULL;
    }
    return kvb_reallocate(old, size);
}

enum kvb_status kvb_bind(const char *file, const char *text, size_t length, const struct kvb_schema *schema, void *raw,
                         struct kvb_problems *problems)
{
    struct kvb_place place = {.file = file};
    const cyaml_config_t config = {.mem_fn = allocate, .flags = CYAML_CFG_NO_ALIAS};
    struct binding binding;
    describe(schema, &binding);
    cyaml_data_t *data = NULL;
    cyaml_err_t error = cyaml_load_data((const uint8_t *)text, length, &config, &binding.top, &data, NULL);
    if (error == CYAML_ERR_OOM) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, place, "not enough memory to read it");
    }
    if (error != CYAML_OK || !data) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, place, "libcyaml cannot bind it: %s",
                               cyaml_strerror(error));
    }
    memcpy(raw, data, schema->raw_size);
    (void)cyaml_free(&config, &binding.top, data, 0);
    return KVB_OK;
}
