// The plan command: resolves the question, answers it, and hands the answer to a renderer.
#include "cli/plan.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/cards.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/plan_machine.h"
#include "cli/plan_residents.h"
#include "cli/serve_line.h"
#include "report/plan_report.h"

_Static_assert(SHOW_FORMULAS == KVB_SHOW_FORMULAS && SHOW_KV == KVB_SHOW_KV && SHOW_WEIGHTS == KVB_SHOW_WEIGHTS,
               "the bits of --show are the report's");

enum kvb_status plan_answer(const struct kvb_deployment *deployment, struct answer *answer,
                            struct kvb_problems *problems)
{
    enum kvb_status status =
        kvb_deployment_resolve(deployment, &answer->plan, &answer->draft, &answer->source, problems);
    return status == KVB_OK ? plan_compute(answer, problems) : status;
}

enum kvb_status plan_compute(struct answer *answer, struct kvb_problems *problems)
{
    enum kvb_status status = kvb_budget_compute(&answer->plan, &answer->budget, problems);
    return status == KVB_OK ? kvb_advise(&answer->plan, &answer->budget, &answer->advice) : status;
}

int plan_exit_code(const struct kvb_budget *budget)
{
    return budget->verdict == KVB_DOES_NOT_FIT ? 1 : 0;
}

static bool has_gpu(const struct kvb_deployment *deployment)
{
    return deployment->inline_gpu || deployment->gpu[0] != '\0' || deployment->gpu_memory_bytes > 0;
}

// A flag that this release does not have is answered, and said.
static void note_flags_out_of_range(const struct kvb_deployment *deployment, const struct kvb_plan *plan,
                                    struct kvb_problems *problems)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = &kvb_setting_rows[i];
        const struct kvb_setting_value *value = &deployment->settings.values[i];
        uint32_t release = plan->engine.release;
        bool early = row->since != 0 && release < row->since;
        bool late = row->until != 0 && release > row->until;
        char version[32];
        if (value->set && value->origin >= KVB_ORIGIN_COMMAND && (early || late)) {
            (void)kvb_problem_add(problems, KVB_WARNING, KVB_CONTRADICTION, (struct kvb_place){0},
                                  "%s exists %s vLLM %s; %s would refuse it", row->key, early ? "from" : "up to",
                                  kvb_release_format(version, early ? row->since : row->until), plan->engine.version);
        }
    }
}

static struct kvb_plan_report make_report(const struct arguments *arguments, const struct answer *answer)
{
    return (struct kvb_plan_report){
        .plan = &answer->plan,
        .source = &answer->source,
        .budget = &answer->budget,
        .advice = &answer->advice,
        .problems = &arguments->problems,
        .show = arguments->show,
        .devices = arguments->devices[0] != '\0' ? arguments->devices : NULL,
        .choice = arguments->choice[0] != '\0' ? arguments->choice : NULL,
        .color = arguments->format == FORMAT_TEXT && output_use_color(arguments->color),
    };
}

static void render(const struct arguments *arguments, const struct answer *answer, const struct answer *against,
                   const struct kvb_cards *cards, const struct residents *residents, struct kvb_buffer *out)
{
    struct kvb_plan_report report = make_report(arguments, answer);
    struct kvb_plan_report other;
    struct kvb_buffer command;
    report.cards = cards;
    report.residents = residents != NULL ? &residents->report : NULL;
    kvb_buffer_init(&command);
    if (answer->budget.verdict != KVB_DOES_NOT_FIT || answer->advice.apply_count > 0) {
        serve_line_write(&command, arguments, &answer->plan, &answer->advice);
        report.command = command.data;
        out->failed = out->failed || command.failed;
    }
    if (against != NULL) {
        other = make_report(arguments, against);
        report.against = &other;
    }
    if (arguments->format == FORMAT_JSON) {
        kvb_render_plan_json(out, &report);
    } else if (cards != NULL) {
        kvb_render_cards_text(out, &report);
    } else {
        kvb_render_plan_text(out, &report);
    }
    kvb_buffer_free(&command);
}

void plan_render(const struct arguments *arguments, const struct answer *answer, const struct kvb_cards *cards,
                 struct kvb_buffer *out)
{
    render(arguments, answer, NULL, cards, NULL, out);
}

static bool is_profile_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') != NULL || (length > 5 && strcmp(text + length - 5, ".yaml") == 0);
}

// The same question put to another release, or to a profile that says what differs.
static enum kvb_status answer_against(struct arguments *arguments, struct answer *answer)
{
    struct kvb_deployment *other = kvb_reallocate(NULL, sizeof *other);
    enum kvb_status status = KVB_OK;
    if (other == NULL) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    *other = arguments->deployment;
    if (is_profile_path(arguments->against)) {
        status = kvb_deployment_load(arguments->against, other, &arguments->problems);
    } else if (!kvb_copy(other->engine, sizeof other->engine, arguments->against)) {
        status = options_mistake(arguments, "--against is too long");
    }
    if (status == KVB_OK) {
        status = plan_answer(other, answer, &arguments->problems);
    }
    kvb_release(other);
    return status;
}

static int answer_and_render(struct arguments *arguments, struct answer *answers, struct kvb_buffer *out)
{
    struct answer *against = arguments->against != NULL ? &answers[1] : NULL;
    struct residents *residents = NULL;
    enum kvb_status status = kvb_deployment_resolve(&arguments->deployment, &answers[0].plan, &answers[0].draft,
                                                    &answers[0].source, &arguments->problems);
    if (status == KVB_OK && arguments->calibrate != NULL) {
        status = plan_calibrate(arguments->calibrate, &arguments->deployment, &answers[0], &arguments->problems);
    }
    if (status == KVB_OK) {
        status = residents_place(arguments, &answers[0].plan, &residents);
    }
    if (status == KVB_OK) {
        status = plan_compute(&answers[0], &arguments->problems);
    }
    if (status == KVB_OK) {
        note_flags_out_of_range(&arguments->deployment, &answers[0].plan, &arguments->problems);
    }
    if (status == KVB_OK && against != NULL) {
        status = answer_against(arguments, against);
    }
    int code = kvb_status_exit_code(status);
    if (status == KVB_OK) {
        if (residents != NULL) {
            residents->report.color = arguments->format == FORMAT_TEXT && output_use_color(arguments->color);
        }
        render(arguments, &answers[0], against, NULL, residents, out);
        code = residents != NULL && !residents_fit(residents) ? 1 : plan_exit_code(&answers[0].budget);
    }
    kvb_release(residents);
    return code;
}

int plan_run(struct arguments *arguments, struct kvb_buffer *answer)
{
    const struct kvb_deployment *deployment = &arguments->deployment;
    if (!deployment->inline_model && deployment->model[0] == '\0') {
        return kvb_status_exit_code(options_mistake(
            arguments, "no model is named; give --model NAME, a profile, or a serve command behind --"));
    }
    enum kvb_status status = machine_is_asked(arguments) ? machine_use_best(arguments) : KVB_OK;
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    if (!has_gpu(deployment) && (arguments->with_count > 0 || deployment->resident_count > 0)) {
        return kvb_status_exit_code(
            options_mistake(arguments, "residents share one GPU, so it must be named; add --gpu NAME"));
    }
    if (!has_gpu(deployment)) {
        return cards_run(arguments, answer);
    }
    struct answer *answers = kvb_reallocate(NULL, 2 * sizeof *answers);
    if (answers == NULL) {
        return kvb_status_exit_code(
            kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory"));
    }
    int code = answer_and_render(arguments, answers, answer);
    kvb_release(answers);
    return code;
}
