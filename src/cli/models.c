// The models command: which built-in models start on a GPU; also plan without a model.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/machine_words.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/pictures.h"

#define GPU_COUNT_MAX 64U
#define FEWEST_PARAMETERS 1000000U

static enum kvb_status use_machine(struct arguments *arguments)
{
    struct kvb_machine_choice *choice = kvb_reallocate(NULL, sizeof *choice);
    uint64_t count = 1;
    if (choice == NULL) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    enum kvb_status status =
        kvb_machine_take(&arguments->question, kvb_machine_library(), choice, &arguments->problems);
    if (status == KVB_OK) {
        status = kvb_models_use_machine(choice, &arguments->question.deployment, &count, &arguments->problems);
    }
    if (status == KVB_OK && arguments->wish.gpu_count == 0) {
        arguments->wish.gpu_count = count;
    } else if (status == KVB_OK && arguments->wish.gpu_count > count) {
        status = kvb_options_mistake(arguments, "--gpu-count: %u GPUs are asked for, and %u are here and free alike",
                                     (unsigned)arguments->wish.gpu_count, (unsigned)count);
    }
    kvb_free(choice);
    return status;
}

static void render(const struct arguments *arguments, const struct kvb_models *models, struct kvb_buffer *answer)
{
    struct kvb_models_report report = {
        .models = models,
        .problems = &arguments->problems,
        .all = arguments->all,
        .color = arguments->format == FORMAT_TEXT && kvb_output_use_color(arguments->color),
    };
    if (arguments->format == FORMAT_JSON) {
        kvb_render_models_json(answer, &report);
    } else if (arguments->format == FORMAT_SVG) {
        kvb_render_models_svg(answer, &report);
    } else if (arguments->format == FORMAT_HTML) {
        kvb_render_models_html(answer, &report);
    } else {
        kvb_render_models_text(answer, &report);
    }
}

int kvb_models_of_gpu(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    struct kvb_models *models = NULL;
    enum kvb_status status = kvb_machine_is_asked(&arguments->question) ? use_machine(arguments) : KVB_OK;
    arguments->wish.length_tokens = deployment->need.length_tokens;
    arguments->wish.concurrency_hundredths = deployment->need.concurrency_hundredths;
    if (status == KVB_OK) {
        status = kvb_models_find(deployment, &arguments->wish, &models, &arguments->problems);
    }
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    if (models->asked == 0 && models->licence_unknown == 0) {
        (void)kvb_problem_add(&arguments->problems, KVB_WARNING, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                              "no built-in model is left by --family, --min-params, --license and --task; `kvbudget "
                              "profiles list models` names them all");
    }
    render(arguments, models, answer);
    int code = models->starting > 0 ? 0 : 1;
    kvb_models_free(models);
    return code;
}

int kvb_run_models(struct arguments *arguments, struct kvb_buffer *answer)
{
    const struct kvb_deployment *deployment = &arguments->question.deployment;
    if (deployment->inline_model || deployment->model[0] != '\0') {
        return kvb_status_exit_code(kvb_options_mistake(
            arguments, "models asks about all models; for one, use kvbudget plan --model %.120s", deployment->model));
    }
    if (!kvb_names_gpu(deployment) && !kvb_machine_is_asked(&arguments->question)) {
        return kvb_status_exit_code(
            kvb_options_mistake(arguments, "no GPU is named; give --gpu NAME, --gpu-memory SIZE or --gpu live"));
    }
    return kvb_models_of_gpu(arguments, answer);
}

static bool set_gpu_count(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (!kvb_parse_whole(value, &arguments->wish.gpu_count) || arguments->wish.gpu_count == 0 ||
        arguments->wish.gpu_count > GPU_COUNT_MAX) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not a number of GPUs; expected 1 to %u", row->name,
                                  value, GPU_COUNT_MAX);
        return false;
    }
    return true;
}

static bool set_family(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (value[0] == '\0') {
        (void)kvb_options_mistake(arguments, "--%s needs a part of a name, such as Qwen3", row->name);
        return false;
    }
    arguments->wish.family = value;
    return true;
}

static bool set_license(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (value[0] == '\0') {
        (void)kvb_options_mistake(arguments, "--%s needs a part of a licence, such as apache or mit", row->name);
        return false;
    }
    arguments->wish.licence = value;
    return true;
}

// "7B", "500M", "1.5b", or a plain number.
static bool parse_parameters(const char *value, uint64_t *parameters)
{
    static const struct {
        char letter, as;
    } units[] = {{'B', 'g'}, {'b', 'g'}, {'M', 'm'}, {'T', 't'}};
    char text[32];
    size_t length = strlen(value);
    if (length == 0 || length >= sizeof text) {
        return false;
    }
    memcpy(text, value, length + 1);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (value[length - 1] == units[i].letter) {
            text[length - 1] = units[i].as;
        }
    }
    return kvb_parse_count(text, parameters);
}

static bool set_minimum(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (!parse_parameters(value, &arguments->wish.minimum_parameters)) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not a number of parameters; expected such as 7B or 500M",
                                  row->name, value);
        return false;
    }
    if (arguments->wish.minimum_parameters > 0 && arguments->wish.minimum_parameters < FEWEST_PARAMETERS) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is fewer than any model has; expected such as 7B or 500M",
                                  row->name, value);
        return false;
    }
    return true;
}

static const char *const task_words[] = {"text", "vision", "audio", "embedding", "classification", NULL};

static bool set_task(struct arguments *arguments, const struct option_row *row, const char *value)
{
    for (unsigned i = 0; task_words[i] != NULL; i++) {
        if (strcmp(value, task_words[i]) == 0) {
            arguments->wish.one_task = true;
            arguments->wish.task = (enum kvb_task)i;
            return true;
        }
    }
    (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not known; expected %s", row->name, value, row->argument);
    return false;
}

static const struct option_row rows[] = {
    {"gpu-count", NULL, "N", "how many of that GPU there are; models are split over them", NULL, set_gpu_count,
     .set_bit = OPTIONS_MODELS},
    {"family", NULL, "PART", "only models whose name or family holds this: Qwen3, llama", NULL, set_family,
     .set_bit = OPTIONS_MODELS},
    {"min-params", NULL, "N", "only models of so many parameters or more: 7B, 500M", NULL, set_minimum,
     .set_bit = OPTIONS_MODELS},
    {"license", NULL, "PART", "only models whose licence is known and holds this: apache, mit, llama3", NULL,
     set_license, .set_bit = OPTIONS_MODELS},
    {"task", NULL, "text|vision|audio|embedding|classification", "only models for this", task_words, set_task,
     .set_bit = OPTIONS_MODELS},
};

void kvb_options_add_models(struct option_list *list)
{
    kvb_options_add(list, rows, sizeof rows / sizeof rows[0]);
    kvb_options_add_need(list, OPTIONS_MODELS);
}
