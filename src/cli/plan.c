// The plan command: resolves the question, answers it, and hands the answer to a renderer.
#include "cli/plan.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/machine_words.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "engines/flags.h"
#include "report/pictures.h"
#include "text/file.h"

_Static_assert(SHOW_FORMULAS == KVB_SHOW_FORMULAS && SHOW_KV == KVB_SHOW_KV && SHOW_WEIGHTS == KVB_SHOW_WEIGHTS,
               "the bits of --show are the report's");

int kvb_plan_exit_code(const struct kvb_budget *budget)
{
    return budget->verdict == KVB_DOES_NOT_FIT ? 1 : 0;
}

// A flag that this release does not have is answered, and said.
static void note_flags_out_of_range(const struct kvb_deployment *deployment, const struct kvb_plan *plan,
                                    struct kvb_problems *problems)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &deployment->settings.values[i];
        uint32_t since, until, release = plan->engine.release;
        bool asked = value->set && value->origin >= KVB_ORIGIN_COMMAND;
        bool has = asked && kvb_engine_has(engine, (enum kvb_setting)i, &since, &until);
        bool early = has && since != 0 && release < since;
        bool late = has && until != 0 && release > until;
        char version[32];
        if (early || late) {
            (void)kvb_problem_add(problems, KVB_WARNING, KVB_CONTRADICTION, (struct kvb_place){0},
                                  "%s exists %s %s %s; %s would refuse it", kvb_setting_row_of(i)->key,
                                  early ? "from" : "up to", engine->title,
                                  kvb_release_format(version, early ? since : until), plan->engine.version);
        }
    }
}

static struct kvb_plan_report make_report(const struct arguments *arguments, const struct kvb_answer *answer)
{
    return (struct kvb_plan_report){
        .plan = &answer->plan,
        .source = &answer->source,
        .budget = &answer->budget,
        .advice = &answer->advice,
        .problems = &arguments->problems,
        .show = arguments->show,
        .cache_wanted_bytes = arguments->cache_wanted_bytes,
        .devices = arguments->devices[0] != '\0' ? arguments->devices : NULL,
        .choice = arguments->choice[0] != '\0' ? arguments->choice : NULL,
        .all = arguments->all,
        .color = arguments->format == FORMAT_TEXT && kvb_output_use_color(arguments->color),
    };
}

// What else would start.
struct offers {
    struct kvb_siblings siblings;
    struct kvb_longer longer;
};

static void render(struct arguments *arguments, const struct kvb_answer *answer, const struct kvb_answer *against,
                   const struct kvb_cards *cards, const struct kvb_placed *residents, const struct offers *offers,
                   struct kvb_buffer *out)
{
    struct kvb_plan_report report = make_report(arguments, answer);
    struct kvb_plan_report other;
    char *command = NULL;
    report.cards = cards;
    report.residents = residents;
    report.siblings = offers != NULL ? &offers->siblings : NULL;
    report.longer = offers != NULL ? &offers->longer : NULL;
    if (answer->budget.verdict != KVB_DOES_NOT_FIT || answer->advice.apply_count > 0) {
        command = kvb_serve_line(&arguments->question, &answer->plan, &answer->advice);
        report.command = command;
    }
    if (against != NULL) {
        other = make_report(arguments, against);
        report.against = &other;
    }
    if (arguments->format == FORMAT_JSON) {
        kvb_render_plan_json(out, &report);
    } else if (arguments->format == FORMAT_SVG) {
        kvb_render_plan_svg(out, &report);
    } else if (arguments->format == FORMAT_HTML) {
        kvb_render_plan_html(out, &report);
    } else if (cards != NULL) {
        kvb_render_cards_text(out, &report);
    } else {
        kvb_render_plan_text(out, &report);
        arguments->assumed_is_said = true;
    }
    kvb_free(command);
}

static void add_formulas(const struct arguments *arguments, struct kvb_answer *answer)
{
    if (arguments->show & SHOW_FORMULAS) {
        kvb_budget_formulas(&answer->plan, &answer->budget);
    }
}

// The same question put to another release, or to a profile that says what differs.
static enum kvb_status answer_against(struct arguments *arguments, struct kvb_answer *answer)
{
    struct kvb_deployment *other = kvb_reallocate(NULL, sizeof *other);
    enum kvb_status status = KVB_OK;
    if (other == NULL) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    *other = arguments->question.deployment;
    if (kvb_is_path(arguments->against) || kvb_path_exists(arguments->against)) {
        status = kvb_deployment_load(arguments->against, other, &arguments->problems);
    } else if (!kvb_copy(other->engine, sizeof other->engine, arguments->against)) {
        status = kvb_options_mistake(arguments, "--against is too long");
    }
    if (status == KVB_OK) {
        status = kvb_answer_deployment(other, answer, &arguments->problems);
    }
    kvb_free(other);
    return status;
}

// Residents and training phases decide too: one verdict, in every place where it stands.
static void take_residents(struct kvb_answer *answer, const struct kvb_placed *residents)
{
    struct kvb_budget *budget = &answer->budget;
    if (residents == NULL || kvb_placed_fit(residents) || budget->verdict == KVB_DOES_NOT_FIT) {
        return;
    }
    budget->verdict = KVB_DOES_NOT_FIT;
    budget->starts = false;
    answer->advice.apply_count = 0;
}

static enum kvb_status find_offers(struct arguments *arguments, const struct kvb_answer *answer, struct offers *offers)
{
    const struct kvb_deployment *deployment = &arguments->question.deployment;
    enum kvb_status status = kvb_answer_siblings(deployment, answer, &offers->siblings, &arguments->problems);
    return status == KVB_OK ? kvb_answer_longer(deployment, answer, &offers->longer, &arguments->problems) : status;
}

static int answer_and_render(struct arguments *arguments, struct kvb_answer *answers, struct kvb_buffer *out)
{
    struct kvb_answer *against = arguments->against != NULL ? &answers[1] : NULL;
    struct kvb_placed *residents = NULL;
    enum kvb_status status = kvb_deployment_resolve(&arguments->question.deployment, &answers[0].plan,
                                                    &answers[0].draft, &answers[0].source, &arguments->problems);
    if (status == KVB_OK && arguments->calibrate != NULL) {
        status = kvb_answer_calibrate(arguments->calibrate, &arguments->question.deployment, &answers[0],
                                      &arguments->problems);
    }
    if (status == KVB_OK) {
        status = kvb_residents_place(&arguments->question, &answers[0].plan, &residents, &arguments->problems);
    }
    if (status == KVB_OK) {
        status = kvb_answer_plan(&answers[0], &arguments->problems);
    }
    if (status == KVB_OK) {
        take_residents(&answers[0], residents);
        note_flags_out_of_range(&arguments->question.deployment, &answers[0].plan, &arguments->problems);
    }
    if (status == KVB_OK && against != NULL) {
        status = answer_against(arguments, against);
    }
    struct offers offers = {0};
    if (status == KVB_OK && residents == NULL) { // what is trained beside it is this model
        status = find_offers(arguments, &answers[0], &offers);
    }
    int code = kvb_status_exit_code(status);
    if (status == KVB_OK) {
        add_formulas(arguments, &answers[0]);
        render(arguments, &answers[0], against, NULL, residents, &offers, out);
        code = kvb_plan_exit_code(&answers[0].budget);
    }
    kvb_placed_free(residents);
    return code;
}

// No GPU is named: what is needed, and the cards that start it.
static int cards_and_render(struct arguments *arguments, struct kvb_answer *best, struct kvb_buffer *out)
{
    struct kvb_cards *cards = kvb_reallocate(NULL, sizeof *cards);
    if (cards == NULL) {
        return kvb_status_exit_code(
            kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory"));
    }
    const struct kvb_deployment *asked = &arguments->question.deployment;
    enum kvb_status status = kvb_names_gpus(asked)
                                 ? kvb_answer_named_cards(asked, cards, best, &arguments->problems)
                                 : kvb_answer_cards(&arguments->question.deployment, cards, best, &arguments->problems);
    int code = kvb_status_exit_code(status);
    if (status == KVB_OK) {
        add_formulas(arguments, best);
        render(arguments, best, NULL, cards, NULL, NULL, out);
        code = cards->count > 0 && (!cards->named || cards->starting > 0) ? 0 : 1;
    }
    kvb_free(cards);
    return code;
}

// Without a model the question is which ones start on the GPU.
static int plan_without_model(struct arguments *arguments, struct kvb_buffer *answer)
{
    bool alone = arguments->question.serve_count == 0 && arguments->operand_count == 0 &&
                 arguments->question.with_count == 0; // residents are of one plan
    if (alone && (kvb_names_gpu(&arguments->question.deployment) || kvb_machine_is_asked(&arguments->question))) {
        return kvb_models_of_gpu(arguments, answer);
    }
    return kvb_status_exit_code(kvb_options_mistake(
        arguments,
        "no model is named; give --model NAME, a profile, or a serve command behind --; with --gpu alone, the "
        "models that start on it are listed"));
}

int kvb_run_plan(struct arguments *arguments, struct kvb_buffer *answer)
{
    const struct kvb_deployment *deployment = &arguments->question.deployment;
    bool file = arguments->operand_count == 1 && !arguments->names_model;
    arguments->question.profile = file ? arguments->operands[0] : NULL;
    if (!deployment->inline_model && deployment->model[0] == '\0') {
        return plan_without_model(arguments, answer);
    }
    if (!arguments->offline) {
        kvb_hub_fetch_for(deployment, &arguments->problems);
    }
    enum kvb_status status = kvb_machine_is_asked(&arguments->question) ? kvb_machine_use_best(arguments) : KVB_OK;
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    if (!kvb_names_gpu(deployment) && (arguments->question.with_count > 0 || deployment->resident_count > 0)) {
        return kvb_status_exit_code(
            kvb_options_mistake(arguments, "residents share one GPU, so it must be named; add --gpu NAME"));
    }
    struct kvb_answer *answers = kvb_reallocate(NULL, 2 * sizeof *answers);
    if (answers == NULL) {
        return kvb_status_exit_code(
            kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory"));
    }
    bool one = kvb_names_gpu(deployment) && !kvb_names_gpus(deployment);
    int code = one ? answer_and_render(arguments, answers, answer) : cards_and_render(arguments, answers, answer);
    if (arguments->names_model && arguments->problems.count > 0 && code == kvb_status_exit_code(KVB_UNKNOWN_NAME)) {
        (void)kvb_problem_add(&arguments->problems, KVB_NOTICE, KVB_OK, (struct kvb_place){0},
                              "there is no file '%.160s', so it was taken for the name of a model",
                              arguments->operands[0]);
    }
    kvb_free(answers);
    return code;
}
