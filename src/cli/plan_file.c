// Reads the one deployment of a file for a plan, whatever kind of file it is.
#include "cli/plan_file.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct taking {
    struct kvb_found *first;
    uint32_t count;
    char names[256]; // of all, for a message
};

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    struct taking *taking = context;
    size_t used = strlen(taking->names);
    if (taking->count++ == 0) {
        *taking->first = *found;
    }
    (void)kvb_copy(taking->names + used, sizeof taking->names - used, used > 0 ? ", " : "");
    used = strlen(taking->names);
    (void)kvb_copy(taking->names + used, sizeof taking->names - used, found->name);
    return KVB_OK;
}

static void keep_problems(struct kvb_problems *out, const struct kvb_problems *problems)
{
    for (uint32_t i = 0; i < problems->count; i++) {
        const struct kvb_problem *problem = &problems->items[i];
        struct kvb_place place = {problem->file, problem->line, problem->column};
        (void)kvb_problem_add(out, problem->severity, problem->status, place, "%s", problem->text);
    }
}

static enum kvb_status use(struct arguments *arguments, const struct taking *taking)
{
    struct kvb_place place = {.file = arguments->operands[0]};
    if (taking->count > 1) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_AMBIGUOUS_NAME, place,
                               "it holds %u deployments (%s); a plan is about one, 'kvbudget check' answers all",
                               (unsigned)taking->count, taking->names);
    }
    keep_problems(&arguments->problems, &taking->first->problems);
    arguments->question.deployment = taking->first->deployment;
    return taking->first->status;
}

// A file without a deployment is read as the profile it was meant to be, whose reader says what is wrong.
static bool is_meant_as_profile(const char *path, const struct taking *taking)
{
    size_t length = strlen(path);
    bool yaml = length > 4 && (strcmp(path + length - 4, ".yml") == 0 || strcmp(path + length - 4, "yaml") == 0);
    return taking->count == 0 && yaml;
}

static enum kvb_status load(struct arguments *arguments, const struct kvb_manifest_options *options,
                            struct taking *taking)
{
    struct kvb_problems problems;
    const char *path = arguments->operands[0];
    struct kvb_manifest_seen seen_there = {0};
    kvb_problems_init(&problems);
    const struct given_text *given = &arguments->given;
    struct kvb_deployment *deployment = &arguments->question.deployment;
    enum kvb_status status =
        given->name != NULL
            ? kvb_manifest_read(given->name, given->text, given->length, options, take, taking, &seen_there, &problems)
            : kvb_manifest_load(path, options, take, taking, &seen_there, &problems);
    if (is_meant_as_profile(path, taking)) {
        return given->name != NULL
                   ? kvb_deployment_read(given->name, given->text, given->length, deployment, &arguments->problems)
                   : kvb_deployment_load(path, deployment, &arguments->problems);
    }
    if (status != KVB_OK) {
        keep_problems(&arguments->problems, &problems);
        return status;
    }
    return use(arguments, taking);
}

enum kvb_status kvb_plan_file_load(struct arguments *arguments, const char *const *environment, uint32_t count)
{
    const struct kvb_manifest_options options = {.environment = environment, .environment_count = count};
    struct taking taking = {.first = kvb_reallocate(NULL, sizeof *taking.first)};
    if (taking.first == NULL) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    enum kvb_status status = load(arguments, &options, &taking);
    kvb_free(taking.first);
    return status;
}
