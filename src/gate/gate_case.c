// One deployment of a check: flags laid over it, answered, judged, kept as a case.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/environment.h"
#include "engines/table.h"
#include "gate/gate.h"

// ---- flags of our own command line over what the file says

static void overlay_gpu(struct kvb_deployment *out, const struct kvb_deployment *flags)
{
    if (flags->gpu[0] != '\0') {
        (void)kvb_copy(out->gpu, sizeof out->gpu, flags->gpu);
        out->inline_gpu = false;
        out->gpu_memory_bytes = 0;
        out->gpu_free_bytes = 0;
        out->gpu_free_stated = false;
    }
    if (flags->gpu_memory_bytes > 0) {
        out->gpu_memory_bytes = flags->gpu_memory_bytes;
    }
    if (flags->gpu_free_stated) {
        out->gpu_free_stated = true;
        out->gpu_free_bytes = flags->gpu_free_bytes;
    }
}

static void overlay(struct kvb_deployment *out, const struct kvb_deployment *flags)
{
    overlay_gpu(out, flags);
    kvb_environment_overlay(&out->environment, &flags->environment);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (flags->settings.values[i].set) {
            kvb_settings_set(&out->settings, (enum kvb_setting)i, flags->settings.values[i].number, KVB_ORIGIN_FLAG);
        }
    }
    if (flags->model[0] != '\0') {
        (void)kvb_copy(out->model, sizeof out->model, flags->model);
        out->inline_model = false;
    }
    if (flags->engine[0] != '\0') {
        (void)kvb_copy(out->engine, sizeof out->engine, flags->engine);
        out->engine_at = (struct kvb_place){0};
    }
    if (flags->overrides[0] != '\0') {
        (void)kvb_copy(out->overrides, sizeof out->overrides, flags->overrides);
    }
    if (flags->tensor_overrides[0] != '\0') {
        memcpy(out->tensor_overrides, flags->tensor_overrides, sizeof out->tensor_overrides);
    }
    if (flags->draft_model[0] != '\0') {
        (void)kvb_copy(out->draft_model, sizeof out->draft_model, flags->draft_model);
    }
    out->usage = flags->usage_set ? flags->usage : out->usage;
    out->usage_set = out->usage_set || flags->usage_set;
    out->platform = flags->platform_set ? flags->platform : out->platform;
    out->platform_set = out->platform_set || flags->platform_set;
    out->compile_cache = flags->compile_cache != KVB_COMPILE_UNKNOWN ? flags->compile_cache : out->compile_cache;
    for (uint32_t i = 0; i < flags->reserve_count && out->reserve_count < KVB_RESERVES_MAX; i++) {
        out->reserves[out->reserve_count++] = flags->reserves[i];
    }
}

// ---- findings from the reading

// A flag nobody knows may be new; one that is nearly a known one is a slip that the engine refuses.
static void add_unknown_flag(struct kvb_gate *gate, const struct kvb_problem *problem, struct kvb_spot spot,
                             const struct kvb_region *region)
{
    struct kvb_nearest nearest;
    char name[KVB_PROBLEM_FLAG_CAPACITY], meant[96];
    bool flag = strncmp(problem->flag, "--", 2) == 0 && strlen(problem->flag) > 5;
    (void)kvb_copy(name, sizeof name, flag ? problem->flag + 2 : "");
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    kvb_nearest_init(&nearest, name);
    const struct kvb_engine_rows *engine = kvb_engine_said(gate->deployment->engine);
    const struct kvb_serve_flag *row;
    for (unsigned i = 0; flag && (row = engine->flag(i)) != NULL; i++) {
        if (row->kind <= KVB_SERVE_SETS && !row->serve_only && row->name != NULL) {
            kvb_nearest_offer(&nearest, row->name);
        }
    }
    if (!flag || nearest.best == NULL || nearest.distance > 3) {
        kvb_findings_add(gate->findings, KVB_CHECK_UNKNOWN_FLAG, KVB_WARNING, spot, "%s", problem->text);
        return;
    }
    (void)kvb_copy(meant, sizeof meant, nearest.best);
    for (char *c = meant; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    kvb_findings_add(gate->findings, KVB_CHECK_UNKNOWN_FLAG, KVB_ERROR, spot, "%s is no flag of %s; did you mean --%s?",
                     problem->flag, engine->title, meant);
    struct kvb_fix fix = {.region = *region};
    (void)snprintf(fix.flag, sizeof fix.flag, "--%s", meant);
    (void)snprintf(fix.was, sizeof fix.was, "%s", problem->flag);
    (void)kvb_copy(fix.text, sizeof fix.text, fix.flag);
    kvb_findings_fix(gate->findings, &fix);
}

// `region`: of the flag it speaks of, or NULL.
static void add_problem(struct kvb_gate *gate, const struct kvb_found *found, const struct kvb_problem *problem,
                        const struct kvb_region *region)
{
    struct kvb_spot spot = kvb_gate_place(found, (struct kvb_spot){problem->line, problem->column});
    bool unknown_flag =
        problem->status == KVB_UNKNOWN_NAME && problem->severity != KVB_ERROR && problem->flag[0] != '\0';
    if (unknown_flag) {
        add_unknown_flag(gate, problem, spot, region); // said by the reading alone
    } else {
        enum kvb_check_rule rule = found->foreign != NULL ? KVB_CHECK_ENGINE : KVB_CHECK_INPUT;
        kvb_findings_add(gate->findings, rule, problem->severity, spot, "%s", problem->text);
        if (problem->severity == KVB_ERROR) { // so it is the last of the list, however full that is
            bool open = problem->status == KVB_MISSING_KEY || found->foreign != NULL;
            gate->findings->items[gate->findings->count - 1].unknown = open;
        }
    }
}

// Notices are in the plan; here they would only be long.
static void add_warnings(struct kvb_gate *gate, const struct kvb_found *found)
{
    for (uint32_t i = 0; i < gate->problems->count; i++) {
        const struct kvb_problem *problem = &gate->problems->items[i];
        if (problem->severity == KVB_WARNING) {
            kvb_findings_add(gate->findings, KVB_CHECK_FITS, problem->severity, found->place, "%s", problem->text);
        }
    }
}

// ---- cases

// What is not known counts as the policy says: a failure, a warning, or nothing.
static void weigh_unknown(struct kvb_gate *gate)
{
    enum kvb_policy_unknown counts = gate->policy->unknown;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < gate->findings->count; i++) {
        struct kvb_finding *finding = &gate->findings->items[i];
        bool open = finding->severity == KVB_ERROR && !finding->stays &&
                    (finding->unknown || finding->rule == KVB_CHECK_NO_GPU || finding->rule == KVB_CHECK_NO_MODEL);
        if (open && counts == KVB_UNKNOWN_WARN) {
            finding->severity = KVB_WARNING;
        }
        if (!open || counts != KVB_UNKNOWN_IGNORE) {
            gate->findings->items[kept++] = *finding;
        }
    }
    gate->findings->count = kept;
}

static enum kvb_case_verdict verdict_of(const struct kvb_findings *findings)
{
    enum kvb_case_verdict verdict = KVB_CASE_PASS;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct kvb_finding *finding = &findings->items[i];
        if (finding->severity != KVB_ERROR || finding->waived) {
            continue;
        }
        if (kvb_check_rule_row_of(finding->rule)->is_error) {
            return KVB_CASE_ERROR;
        }
        verdict = KVB_CASE_FAIL;
    }
    return verdict;
}

static void keep_fixes(struct kvb_gate *gate, const struct kvb_finding *finding, struct kvb_check_finding *kept)
{
    size_t size = finding->fix_count * sizeof finding->fixes[0];
    struct kvb_fix *fixes = size > 0 ? kvb_arena_take(&gate->arena, size) : NULL;
    gate->no_memory = gate->no_memory || (size > 0 && fixes == NULL);
    if (fixes != NULL) {
        memcpy(fixes, finding->fixes, size);
        kept->fixes = fixes;
        kept->fix_count = finding->fix_count;
    }
}

static const struct kvb_check_finding *keep_findings(struct kvb_gate *gate)
{
    const struct kvb_findings *findings = gate->findings;
    struct kvb_check_finding *kept = kvb_arena_take(&gate->arena, (findings->count + 1U) * sizeof *kept);
    gate->no_memory = gate->no_memory || kept == NULL;
    for (uint32_t i = 0; kept != NULL && i < findings->count; i++) {
        const struct kvb_finding *finding = &findings->items[i];
        kept[i] = (struct kvb_check_finding){.rule = finding->rule,
                                             .severity = finding->severity,
                                             .waived = finding->waived,
                                             .place = finding->place,
                                             .text = kvb_gate_keep(gate, finding->text)};
        keep_fixes(gate, finding, &kept[i]);
    }
    return kept;
}

static struct kvb_check_case *new_case(struct kvb_gate *gate)
{
    struct kvb_gate_cases *cases = &gate->cases;
    if (cases->count == cases->capacity) {
        uint32_t capacity = cases->capacity > 0 ? cases->capacity * 2 : 64;
        struct kvb_check_case *items = kvb_arena_take(&gate->arena, capacity * sizeof *items);
        if (items == NULL) {
            gate->no_memory = true;
            return NULL;
        }
        if (cases->count > 0) {
            memcpy(items, cases->items, cases->count * sizeof *items);
        }
        cases->items = items;
        cases->capacity = capacity;
    }
    return &cases->items[cases->count++];
}

static void count_case(struct kvb_gate_totals *totals, const struct kvb_check_case *each)
{
    totals->passed += each->verdict == KVB_CASE_PASS;
    totals->failed += each->verdict == KVB_CASE_FAIL;
    totals->errors += each->verdict == KVB_CASE_ERROR;
    for (uint32_t i = 0; i < each->finding_count; i++) {
        totals->waived += each->findings[i].waived;
    }
}

// The case with its answer and the line to paste, for whoever wants them.
static void hand_over(struct kvb_gate *gate, const struct kvb_check_case *each, bool answered)
{
    struct kvb_answer *answer = gate->answer;
    char *command = NULL;
    if (!answered) {
        gate->options.take(gate->options.context, each, NULL, NULL, NULL, gate->problems);
        return;
    }
    if (answer->budget.verdict != KVB_DOES_NOT_FIT || answer->advice.apply_count > 0) {
        gate->question->deployment = *gate->deployment;
        command = kvb_serve_line(gate->question, &answer->plan, &answer->advice);
    }
    gate->options.take(gate->options.context, each, answer, gate->placed, command, gate->problems);
    kvb_free(command);
}

// `found`: what it was answered for, or NULL.
static void add_case(struct kvb_gate *gate, const char *kind, const char *name, struct kvb_spot place, const char *text,
                     const struct kvb_found *found)
{
    struct kvb_check_case *each = new_case(gate);
    if (each == NULL) {
        return;
    }
    weigh_unknown(gate);
    kvb_policy_waive(gate->policy, gate->file, name, gate->options.today, gate->findings);
    *each = (struct kvb_check_case){
        .file = kvb_gate_keep(gate, gate->file),
        .kind = kind,
        .name = kvb_gate_keep(gate, name),
        .verdict = verdict_of(gate->findings),
        .place = place,
        .text = kvb_gate_keep(gate, text),
        .finding_count = gate->findings->count,
        .findings = keep_findings(gate),
    };
    if (each->findings == NULL) {
        each->finding_count = 0;
    }
    if (found != NULL && gate->options.keeps_figures) {
        each->figures = kvb_gate_keep_figures(gate, found);
    }
    count_case(&gate->totals, each);
    if (gate->options.take != NULL) {
        hand_over(gate, each, found != NULL);
    }
}

// ---- answering

// Advice costs the most; it is asked for only where it is shown.
static enum kvb_status advise(struct kvb_gate *gate)
{
    struct kvb_answer *answer = gate->answer;
    bool shown = gate->options.take != NULL || answer->budget.verdict == KVB_DOES_NOT_FIT;
    return shown ? kvb_advise(&answer->plan, &answer->budget, &answer->advice) : KVB_OK;
}

static bool answer_case(struct kvb_gate *gate, const struct kvb_found *found)
{
    struct kvb_answer *answer = gate->answer;
    struct kvb_model_source source = answer->source;
    bool named = gate->deployment->model[0] != '\0';
    enum kvb_status status =
        kvb_deployment_resolve(gate->deployment, &answer->plan, &answer->draft, &answer->source, gate->problems);
    if (named && gate->deployment->overrides[0] == '\0') {
        answer->source = source; // inline only because it was looked up before
    }
    bool resolved = status == KVB_OK;
    bool named_already = found->dated_count > 0 || found->problems.count > 0; // rule unknown-flag, with its place
    if (gate->deployment->engine[0] == '\0' || named_already) {
        answer->plan.command_error[0] = '\0';
    }
    struct kvb_placed *placed = NULL;
    status = resolved ? kvb_gate_place_residents(gate, found, &placed) : status;
    status = status == KVB_OK ? kvb_budget_compute(&answer->plan, &answer->budget, gate->problems) : status;
    status = status == KVB_OK ? advise(gate) : status;
    gate->placed = placed;
    if (status == KVB_OK) {
        return true;
    }
    if (resolved && (status == KVB_INDIVISIBLE || status == KVB_CONTRADICTION)) {
        kvb_gate_judge_split(gate, found);
        return false;
    }
    for (uint32_t i = 0; i < gate->problems->count; i++) {
        if (gate->problems->items[i].severity == KVB_ERROR) {
            add_problem(gate, found, &gate->problems->items[i], NULL);
        }
    }
    return false;
}

// What nobody answered never passes, whatever kept it from being read.
static void add_unanswered(struct kvb_gate *gate, const struct kvb_found *found)
{
    bool said = found->encodes_only && found->status == KVB_OK;
    for (uint32_t i = 0; i < gate->findings->count; i++) {
        said = said || gate->findings->items[i].severity == KVB_ERROR;
    }
    if (!said) {
        kvb_findings_add(gate->findings, KVB_CHECK_INPUT, KVB_ERROR, found->place,
                         "it was not read as a whole, so nothing is said of it");
    }
}

void kvb_gate_found(struct kvb_gate *gate, const struct kvb_found *found)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY] = "";
    bool answered = false;
    gate->findings->count = gate->findings->dropped = 0;
    kvb_problems_init(gate->problems);
    memset(&gate->answer->advice, 0, sizeof gate->answer->advice);
    *gate->deployment = found->deployment;
    gate->deployment->engine_at = (struct kvb_place){.line = found->engine.line, .column = found->engine.column};
    overlay(gate->deployment, &gate->options.flags->deployment);
    for (uint32_t i = 0; i < found->problems.count; i++) {
        add_problem(gate, found, &found->problems.items[i], &found->mistakes[i]);
    }
    gate->deployments++;
    bool planned = found->status == KVB_OK && !found->encodes_only;
    bool named = planned && kvb_gate_resolve_names(gate, found);
    if (found->encodes_only && found->status == KVB_OK) {
        (void)kvb_copy(text, sizeof text, "it encodes for other servers and keeps no KV cache");
    }
    if (named && answer_case(gate, found)) {
        answered = true;
        kvb_gate_judge_answer(gate, found);
        kvb_gate_judge_residents(gate, found, gate->placed);
        (void)kvb_gate_summary(gate, text, sizeof text);
        kvb_policy_judge(gate->policy, gate->file, found, &gate->answer->budget, gate->findings);
        add_warnings(gate, found);
        kvb_gate_judge_together(gate, found);
    }
    if (!answered) {
        add_unanswered(gate, found);
    }
    add_case(gate, found->kind, found->name, found->place, text, answered ? found : NULL);
    kvb_placed_free(gate->placed);
    gate->placed = NULL;
}

void kvb_gate_add_case(struct kvb_gate *gate, const char *file, const char *name, enum kvb_check_rule rule,
                       enum kvb_severity severity, struct kvb_spot place, const char *text)
{
    gate->findings->count = gate->findings->dropped = 0;
    kvb_problems_init(gate->problems);
    gate->file = file;
    kvb_findings_add(gate->findings, rule, severity, place, "%s", text);
    add_case(gate, NULL, name, place, "", NULL);
}

void kvb_gate_unreadable(struct kvb_gate *gate, const struct kvb_problems *problems)
{
    gate->findings->count = gate->findings->dropped = 0;
    for (uint32_t i = 0; i < problems->count; i++) {
        const struct kvb_problem *problem = &problems->items[i];
        kvb_findings_add(gate->findings, KVB_CHECK_INPUT, problem->severity,
                         (struct kvb_spot){problem->line, problem->column}, "%s", problem->text);
    }
    struct kvb_spot place = problems->count > 0 ? (struct kvb_spot){problems->items[0].line, problems->items[0].column}
                                                : (struct kvb_spot){0};
    add_case(gate, NULL, "", place, "", NULL);
}
