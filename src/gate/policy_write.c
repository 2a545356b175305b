// Lines of a policy as YAML. libcyaml writes them from static tables, so that a file's name with quotes, line breaks or
// a leading dash comes out as YAML reads it back.
#include "gate/policy_write.h"

#include <stddef.h>

#include <cyaml/cyaml.h>

#include "base/memory.h"

#define TEXT(key, type, member)                                                                                        \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, 0, CYAML_UNLIMITED)
#define LIST(member, entry)                                                                                            \
    CYAML_FIELD_SEQUENCE(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kvb_policy_lines, member, entry, 0, \
                         CYAML_UNLIMITED)

static const cyaml_schema_field_t gpu_fields[] = {TEXT("label", struct kvb_gpu_line, label),
                                                  TEXT("gpu", struct kvb_gpu_line, gpu), CYAML_FIELD_END};
static const cyaml_schema_value_t gpu_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct kvb_gpu_line, gpu_fields)};

static const cyaml_schema_field_t model_fields[] = {TEXT("name", struct kvb_model_line, name),
                                                    TEXT("model", struct kvb_model_line, model), CYAML_FIELD_END};
static const cyaml_schema_value_t model_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct kvb_model_line, model_fields)};

static const cyaml_schema_field_t waiver_fields[] = {
    TEXT("files", struct kvb_waiver_line, files), TEXT("name", struct kvb_waiver_line, name),
    TEXT("rule", struct kvb_waiver_line, rule),   TEXT("reason", struct kvb_waiver_line, reason),
    TEXT("until", struct kvb_waiver_line, until), CYAML_FIELD_END};
static const cyaml_schema_value_t waiver_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct kvb_waiver_line, waiver_fields)};

static const cyaml_schema_field_t policy_fields[] = {
    TEXT("kind", struct kvb_policy_lines, kind),
    CYAML_FIELD_UINT("schema", CYAML_FLAG_DEFAULT, struct kvb_policy_lines, schema),
    TEXT("unknown", struct kvb_policy_lines, unknown),
    TEXT("not_understood", struct kvb_policy_lines, not_understood),
    CYAML_FIELD_UINT("min_deployments", CYAML_FLAG_DEFAULT, struct kvb_policy_lines, min_deployments),
    LIST(gpus, &gpu_entry),
    LIST(models, &model_entry),
    LIST(waivers, &waiver_entry),
    CYAML_FIELD_END};
static const cyaml_schema_value_t policy_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct kvb_policy_lines, policy_fields)};

static void *allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size == 0) {
        kvb_free(old);
        return NULL;
    }
    return kvb_reallocate(old, size);
}

enum kvb_status kvb_policy_write(struct kvb_buffer *out, const struct kvb_policy_lines *lines,
                                 struct kvb_problems *problems)
{
    const cyaml_config_t config = {.mem_fn = allocate, .flags = CYAML_CFG_STYLE_BLOCK};
    char *text = NULL;
    size_t length = 0;
    cyaml_err_t error = cyaml_save_data(&text, &length, &config, &policy_value, lines, 0);
    if (error != CYAML_OK) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                               "the policy cannot be written: %s", cyaml_strerror(error));
    }
    kvb_buffer_add_n(out, text, length);
    kvb_free(text);
    return out->failed ? kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory")
                       : KVB_OK;
}
