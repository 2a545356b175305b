// What a line to paste calls the model.
#include <string.h>

#include "answer/serve_parts.h"
#include "base/text.h"
#include "model/names/name.h"

const char *kvb_serve_model_given(const struct kvb_question *question, const struct kvb_plan *plan)
{
    const struct kvb_deployment *deployment = &question->deployment;
    const char *model = deployment->model;
    size_t length = strlen(model);
    static const char *const endings[] = {".json", ".yaml", ".yml"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && kvb_equal_ignoring_case(model + length - ending, endings[i])) {
            return plan->model.name;
        }
    }
    bool spelled = strstr(model, "://") != NULL || strchr(model, '@') != NULL ||
                   (strchr("/.~", model[0]) == NULL && strchr(model, '/') == NULL);
    spelled = spelled || kvb_starts_with(model, "hf.co/") || kvb_starts_with(model, "huggingface.co/");
    bool named = deployment->inline_model || deployment->served_name[0] != '\0' || spelled;
    return length == 0 || named ? plan->model.name : model;
}

// A file of weights, or a name of the engine's own library: said as it was typed.
static bool keeps_typed_name(const struct kvb_line_rules *rules, const char *typed)
{
    bool plain = strchr(typed, '/') == NULL || kvb_starts_with(typed, "hf.co/");
    bool name = typed[0] != '\0' && strchr("./~", typed[0]) == NULL && strchr(typed, '@') == NULL;
    bool file = strstr(typed, ".json") != NULL || strstr(typed, ".yaml") != NULL || strstr(typed, ".yml") != NULL;
    return kvb_is_gguf(typed) || (rules->library_names && plain && name && !file && strstr(typed, "://") == NULL);
}

void kvb_serve_model_name(char out[KVB_LINE_MODEL_CAPACITY], const struct kvb_question *question,
                          const struct kvb_plan *plan)
{
    const struct kvb_line_rules *rules = kvb_engine_of(plan)->line;
    const char *typed = question->deployment.model;
    char library[KVB_LINE_MODEL_CAPACITY];
    if (rules == NULL || keeps_typed_name(rules, typed)) {
        (void)kvb_copy(out, KVB_LINE_MODEL_CAPACITY, rules == NULL ? kvb_serve_model_given(question, plan) : typed);
        return;
    }
    bool other_formats = rules->model(plan, out);
    if (rules->library_names && !other_formats && kvb_name_in_library(plan->model.name, library, sizeof library)) {
        (void)kvb_copy(out, KVB_LINE_MODEL_CAPACITY, library);
    }
}
