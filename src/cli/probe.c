// The probe command: which GPUs are here, what is free, which one for this deployment.
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/machine_words.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/probe_report.h"

static bool names_model(const struct kvb_deployment *deployment)
{
    return deployment->inline_model || deployment->model[0] != '\0';
}

static void render(const struct arguments *arguments, const struct kvb_machine_choice *choice, bool ranked,
                   struct kvb_buffer *answer)
{
    struct kvb_probe_report report = {
        .machine = &choice->machine,
        .plan = ranked ? &choice->plan : NULL,
        .ranking = ranked ? &choice->ranking : NULL,
        .problems = &arguments->problems,
        .color = arguments->format == FORMAT_TEXT && kvb_output_use_color(arguments->color),
    };
    if (arguments->format == FORMAT_JSON) {
        kvb_render_probe_json(answer, &report);
    } else {
        kvb_render_probe_text(answer, &report);
    }
}

static int exit_code(const struct kvb_ranking *ranking)
{
    const struct kvb_rank *rank = kvb_ranking_deciding(ranking);
    return rank != NULL && rank->verdict != KVB_DOES_NOT_FIT ? 0 : 1;
}

static int probe(struct arguments *arguments, struct kvb_machine_choice *choice, struct kvb_buffer *answer)
{
    bool ranked = names_model(&arguments->question.deployment);
    enum kvb_status status =
        kvb_machine_take(&arguments->question, kvb_machine_library(), choice, &arguments->problems);
    if (status == KVB_OK && ranked) {
        status = kvb_machine_choose(&arguments->question.deployment, choice, &arguments->problems);
    }
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    render(arguments, choice, ranked, answer);
    return ranked ? exit_code(&choice->ranking) : 0;
}

int kvb_run_probe(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    if (deployment->gpu_memory_bytes > 0 || deployment->gpu_free_stated) {
        (void)kvb_problem_add(&arguments->problems, KVB_WARNING, KVB_CONTRADICTION, (struct kvb_place){0},
                              "probe takes sizes from the machine; the GPU memory given is set aside");
        deployment->gpu_memory_bytes = 0;
        deployment->gpu_free_bytes = 0;
        deployment->gpu_free_stated = false;
    }
    struct kvb_machine_choice *choice = kvb_reallocate(NULL, sizeof *choice);
    if (choice == NULL) {
        return kvb_status_exit_code(
            kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory"));
    }
    int code = probe(arguments, choice, answer);
    kvb_free(choice);
    return code;
}
