// Reads the one deployment of a file for a plan, whatever kind of file it is.
#include "cli/plan_file.h"

#include <string.h>

#include "base/buffer.h"
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

static enum kvb_status no_memory(struct arguments *arguments)
{
    return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
}

static void keep_problems(struct kvb_problems *out, const struct kvb_problems *problems)
{
    for (uint32_t i = 0; i < problems->count; i++) {
        const struct kvb_problem *problem = &problems->items[i];
        struct kvb_place place = {problem->file, problem->line, problem->column};
        (void)kvb_problem_add(out, problem->severity, problem->status, place, "%s", problem->text);
    }
}

static struct kvb_place place_of(const struct kvb_place *file, struct kvb_spot spot)
{
    return (struct kvb_place){spot.line > 0 ? file->file : NULL, spot.line, spot.column};
}

static enum kvb_status use(struct arguments *arguments, const struct taking *taking, const char *path)
{
    struct kvb_place place = {.file = strcmp(path, "-") == 0 ? "standard input" : path};
    if (taking->count > 1) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_AMBIGUOUS_NAME, place,
                               "it holds %u deployments (%s); a plan is about one, 'kvbudget check' answers all",
                               (unsigned)taking->count, taking->names);
    }
    const struct kvb_found *found = taking->first;
    struct kvb_deployment *deployment = &arguments->question.deployment;
    keep_problems(&arguments->problems, &found->problems);
    *deployment = found->deployment;
    deployment->model_at = place_of(&place, found->model);
    deployment->gpu_at = place_of(&place, found->gpu);
    deployment->engine_at = place_of(&place, found->engine);
    return found->status;
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
    return use(arguments, taking, path);
}

// ---- a container's command line, read as a script that holds it alone

#define LINE_NAME "the command behind --"

static bool is_shell(const char *program)
{
    return strcmp(program, "bash") == 0 || strcmp(program, "sh") == 0 || strcmp(program, "zsh") == 0;
}

// Where `docker run`, or `bash -c`, begins; -1: the line is neither.
static int container_word(const struct arguments *arguments)
{
    static const char *const programs[] = {"docker", "podman", "nerdctl", "nvidia-docker"};
    static const char *const before[] = {"sudo", "env", "exec", "nohup", "time"};
    const struct kvb_question *question = &arguments->question;
    for (int i = 0; i + 1 < question->serve_count; i++) {
        const char *word = question->serve_words[i];
        for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
            if (strcmp(kvb_last_part(word), programs[k]) == 0) {
                return i;
            }
        }
        if (is_shell(kvb_last_part(word)) && question->serve_words[i + 1][0] == '-') {
            return i;
        }
        bool passes = kvb_is_assignment(word) || word[0] == '-';
        for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
            passes = passes || strcmp(word, before[k]) == 0;
        }
        if (!passes) {
            return -1;
        }
    }
    return -1;
}

bool kvb_container_line(const struct arguments *arguments)
{
    return container_word(arguments) >= 0;
}

static void add_quoted(struct kvb_buffer *out, const char *word)
{
    kvb_buffer_add(out, "'");
    for (; *word != '\0'; word++) {
        kvb_buffer_add_n(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    }
    kvb_buffer_add(out, "' ");
}

static enum kvb_status load_line(struct arguments *arguments, const struct kvb_buffer *line,
                                 const struct kvb_manifest_options *options, struct taking *taking)
{
    struct kvb_manifest_seen seen = {0};
    enum kvb_status status = kvb_manifest_read(LINE_NAME, kvb_buffer_text(line), line->length, options, take, taking,
                                               &seen, &arguments->problems);
    return status == KVB_OK ? use(arguments, taking, LINE_NAME) : status;
}

enum kvb_status kvb_container_line_load(struct arguments *arguments, const char *const *environment, uint32_t count)
{
    const struct kvb_manifest_options options = {.environment = environment, .environment_count = count};
    struct taking taking = {.first = kvb_reallocate(NULL, sizeof *taking.first)};
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    for (int i = container_word(arguments); i < arguments->question.serve_count; i++) {
        add_quoted(&line, arguments->question.serve_words[i]);
    }
    bool whole = taking.first != NULL && !line.failed;
    enum kvb_status status = whole ? load_line(arguments, &line, &options, &taking) : no_memory(arguments);
    arguments->question.serve_count = 0;
    kvb_buffer_free(&line);
    kvb_free(taking.first);
    return status;
}

enum kvb_status kvb_plan_file_load(struct arguments *arguments, const char *const *environment, uint32_t count)
{
    const struct kvb_manifest_options options = {.environment = environment, .environment_count = count};
    struct taking taking = {.first = kvb_reallocate(NULL, sizeof *taking.first)};
    if (taking.first == NULL) {
        return no_memory(arguments);
    }
    enum kvb_status status = load(arguments, &options, &taking);
    kvb_free(taking.first);
    return status;
}
