// One deployment of a check: flags laid over it, answered, judged, kept as a case.
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/check.h"

// ---- flags of our own command line over what the file says

static void overlay_environment(struct kvb_environment *out, const struct kvb_environment *flags)
{
    uint8_t *const to[] = {
        &out->use_v1,      &out->use_v2_model_runner,        &out->use_flashinfer_sampler,   &out->estimate_cudagraphs,
        &out->mla_disable, &out->allow_chunked_local_hybrid, &out->allow_long_max_model_len, &out->expandable_segments};
    const uint8_t from[] = {flags->use_v1,
                            flags->use_v2_model_runner,
                            flags->use_flashinfer_sampler,
                            flags->estimate_cudagraphs,
                            flags->mla_disable,
                            flags->allow_chunked_local_hybrid,
                            flags->allow_long_max_model_len,
                            flags->expandable_segments};
    for (size_t i = 0; i < sizeof from; i++) {
        *to[i] = from[i] != KVB_UNSET ? from[i] : *to[i];
    }
    out->attention_backend = flags->attention_backend != 0 ? flags->attention_backend : out->attention_backend;
    if (flags->layer_partition_count > 0) {
        out->layer_partition_count = flags->layer_partition_count;
        memcpy(out->layer_partition, flags->layer_partition, sizeof out->layer_partition);
    }
}

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
    overlay_environment(&out->environment, &flags->environment);
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
    }
    if (flags->overrides[0] != '\0') {
        (void)kvb_copy(out->overrides, sizeof out->overrides, flags->overrides);
    }
    if (flags->draft_model[0] != '\0') {
        (void)kvb_copy(out->draft_model, sizeof out->draft_model, flags->draft_model);
    }
    out->usage = flags->usage_set ? flags->usage : out->usage;
    out->usage_set = out->usage_set || flags->usage_set;
    out->platform = flags->platform_set ? flags->platform : out->platform;
    out->platform_set = out->platform_set || flags->platform_set;
    for (uint32_t i = 0; i < flags->reserve_count && out->reserve_count < KVB_RESERVES_MAX; i++) {
        out->reserves[out->reserve_count++] = flags->reserves[i];
    }
}

// ---- findings from the reading

// The name of a flag at the beginning of a sentence, with underscores; false: there is none.
static bool flag_name(const char *text, char name[96])
{
    size_t length = strcspn(text, " =");
    if (length < 6 || length >= 96 || text[0] != '-' || text[1] != '-') {
        return false;
    }
    memcpy(name, text + 2, length - 2);
    name[length - 2] = '\0';
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    return true;
}

// A flag nobody knows may be new; one that is nearly a known one is a slip that the engine refuses.
static void add_unknown_flag(struct checking *checking, const struct kvb_problem *problem, struct kvb_spot spot)
{
    struct kvb_nearest nearest;
    char name[96], meant[96];
    bool flag = flag_name(problem->text, name);
    kvb_nearest_init(&nearest, flag ? name : "");
    for (unsigned i = 0; i < KVB_SETTING_COUNT && flag; i++) {
        if (kvb_setting_rows[i].kind != KVB_VALUE_PART) {
            kvb_nearest_offer(&nearest, kvb_setting_rows[i].key);
        }
    }
    if (!flag || nearest.best == NULL || nearest.distance > 3) {
        kvb_findings_add(checking->findings, KVB_CHECK_UNKNOWN_FLAG, KVB_WARNING, spot, "%s", problem->text);
        return;
    }
    (void)kvb_copy(meant, sizeof meant, nearest.best);
    for (char *c = meant; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    kvb_findings_add(checking->findings, KVB_CHECK_UNKNOWN_FLAG, KVB_ERROR, spot,
                     "%.*s is no flag of vLLM; did you mean --%s?", (int)strcspn(problem->text, " ="), problem->text,
                     meant);
}

static void add_problem(struct checking *checking, const struct kvb_found *found, const struct kvb_problem *problem)
{
    struct kvb_spot spot = check_place(found, (struct kvb_spot){problem->line, problem->column});
    bool unknown_flag =
        problem->status == KVB_UNKNOWN_NAME && problem->severity != KVB_ERROR && problem->text[0] == '-';
    if (unknown_flag) {
        add_unknown_flag(checking, problem, spot);
    } else {
        kvb_findings_add(checking->findings, KVB_CHECK_INPUT, problem->severity, spot, "%s", problem->text);
    }
}

// Notices are in the plan; here they would only be long.
static void add_warnings(struct checking *checking, const struct kvb_found *found)
{
    for (uint32_t i = 0; i < checking->problems->count; i++) {
        const struct kvb_problem *problem = &checking->problems->items[i];
        if (problem->severity == KVB_WARNING) {
            kvb_findings_add(checking->findings, KVB_CHECK_FITS, problem->severity, found->place, "%s", problem->text);
        }
    }
}

// ---- cases

static enum kvb_case_verdict verdict_of(const struct kvb_findings *findings)
{
    enum kvb_case_verdict verdict = KVB_CASE_PASS;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct kvb_finding *finding = &findings->items[i];
        if (finding->severity != KVB_ERROR || finding->waived) {
            continue;
        }
        if (kvb_check_rule_rows[finding->rule].is_error) {
            return KVB_CASE_ERROR;
        }
        verdict = KVB_CASE_FAIL;
    }
    return verdict;
}

static const char *keep(struct checking *checking, const char *text)
{
    const char *copy = kvb_arena_copy(&checking->arena, text, strlen(text));
    checking->no_memory = checking->no_memory || copy == NULL;
    return copy != NULL ? copy : "";
}

static const struct kvb_check_finding *keep_findings(struct checking *checking)
{
    const struct kvb_findings *findings = checking->findings;
    struct kvb_check_finding *kept = kvb_arena_take(&checking->arena, (findings->count + 1U) * sizeof *kept);
    checking->no_memory = checking->no_memory || kept == NULL;
    for (uint32_t i = 0; kept != NULL && i < findings->count; i++) {
        const struct kvb_finding *finding = &findings->items[i];
        kept[i] = (struct kvb_check_finding){finding->rule, finding->severity, finding->waived, finding->place,
                                             keep(checking, finding->text)};
    }
    return kept;
}

static struct kvb_check_case *new_case(struct checking *checking)
{
    struct arena_cases *cases = &checking->cases;
    if (cases->count == cases->capacity) {
        uint32_t capacity = cases->capacity > 0 ? cases->capacity * 2 : 64;
        struct kvb_check_case *items = kvb_arena_take(&checking->arena, capacity * sizeof *items);
        if (items == NULL) {
            checking->no_memory = true;
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

static void count_case(struct kvb_check_report *report, const struct kvb_check_case *each)
{
    report->passed += each->verdict == KVB_CASE_PASS;
    report->failed += each->verdict == KVB_CASE_FAIL;
    report->errors += each->verdict == KVB_CASE_ERROR;
    for (uint32_t i = 0; i < each->finding_count; i++) {
        report->waived += each->findings[i].waived;
    }
}

// The plan of a case as the plan command would print it.
static void add_json(struct checking *checking, const struct kvb_check_case *each, bool answered)
{
    char *command = NULL;
    struct kvb_answer *answer = checking->answer;
    if (!answered) {
        kvb_check_json_case(&checking->json, each, NULL);
        return;
    }
    struct arguments *as = checking->as_arguments;
    as->question.deployment = *checking->deployment;
    bool worth = answer->budget.verdict != KVB_DOES_NOT_FIT || answer->advice.apply_count > 0;
    if (worth) {
        command = kvb_serve_line(&as->question, &answer->plan, &answer->advice);
        checking->no_memory = checking->no_memory || command == NULL;
    }
    struct kvb_plan_report report = {
        .plan = &answer->plan,
        .source = &answer->source,
        .budget = &answer->budget,
        .advice = &answer->advice,
        .problems = checking->problems,
        .command = command,
    };
    kvb_check_json_case(&checking->json, each, &report);
    kvb_release(command);
}

static void add_case(struct checking *checking, const char *kind, const char *name, struct kvb_spot place,
                     const char *text, bool answered)
{
    struct kvb_check_case *each = new_case(checking);
    if (each == NULL) {
        return;
    }
    kvb_policy_waive(checking->policy, checking->file, name, checking->today, checking->findings);
    *each = (struct kvb_check_case){
        .file = checking->file,
        .kind = kind,
        .name = keep(checking, name),
        .verdict = verdict_of(checking->findings),
        .place = place,
        .text = keep(checking, text),
        .finding_count = checking->findings->count,
        .findings = keep_findings(checking),
    };
    if (each->findings == NULL) {
        each->finding_count = 0;
    }
    count_case(&checking->report, each);
    if (checking->arguments->format == FORMAT_JSON) {
        add_json(checking, each, answered);
    }
}

// ---- answering

// Advice costs the most; it is asked for only where it is shown.
static enum kvb_status advise(struct checking *checking)
{
    struct kvb_answer *answer = checking->answer;
    bool shown = checking->arguments->format == FORMAT_JSON || answer->budget.verdict == KVB_DOES_NOT_FIT;
    return shown ? kvb_advise(&answer->plan, &answer->budget, &answer->advice) : KVB_OK;
}

static bool answer_case(struct checking *checking, const struct kvb_found *found)
{
    struct kvb_answer *answer = checking->answer;
    struct kvb_model_source source = answer->source;
    bool named = checking->deployment->model[0] != '\0';
    enum kvb_status status = kvb_deployment_resolve(checking->deployment, &answer->plan, &answer->draft,
                                                    &answer->source, checking->problems);
    if (named && checking->deployment->overrides[0] == '\0') {
        answer->source = source; // inline only because it was looked up before
    }
    bool resolved = status == KVB_OK;
    status = resolved ? kvb_budget_compute(&answer->plan, &answer->budget, checking->problems) : status;
    status = status == KVB_OK ? advise(checking) : status;
    if (status == KVB_OK && checking->deployment->resident_count > 0) {
        (void)kvb_problem_add(checking->problems, KVB_WARNING, KVB_OK, (struct kvb_place){0},
                              "its %u residents are not counted here; 'kvbudget plan' on this profile does",
                              (unsigned)checking->deployment->resident_count);
    }
    if (status == KVB_OK) {
        return true;
    }
    if (resolved && (status == KVB_INDIVISIBLE || status == KVB_CONTRADICTION)) {
        check_judge_split(checking, found);
        return false;
    }
    for (uint32_t i = 0; i < checking->problems->count; i++) {
        if (checking->problems->items[i].severity == KVB_ERROR) {
            add_problem(checking, found, &checking->problems->items[i]);
        }
    }
    return false;
}

void check_found(struct checking *checking, const struct kvb_found *found)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY] = "";
    bool answered = false;
    checking->findings->count = checking->findings->dropped = 0;
    kvb_problems_init(checking->problems);
    memset(&checking->answer->advice, 0, sizeof checking->answer->advice);
    *checking->deployment = found->deployment;
    overlay(checking->deployment, &checking->arguments->question.deployment);
    for (uint32_t i = 0; i < found->problems.count; i++) {
        add_problem(checking, found, &found->problems.items[i]);
    }
    bool named = found->status == KVB_OK && check_resolve_names(checking, found);
    if (named && answer_case(checking, found)) {
        answered = true;
        (void)check_summary(checking, text, sizeof text);
        check_judge_answer(checking, found);
        kvb_policy_judge(checking->policy, checking->file, found, &checking->answer->budget, checking->findings);
        add_warnings(checking, found);
    }
    add_case(checking, found->kind, found->name, found->place, text, answered);
}

void check_unreadable(struct checking *checking, const struct kvb_problems *problems)
{
    checking->findings->count = checking->findings->dropped = 0;
    for (uint32_t i = 0; i < problems->count; i++) {
        const struct kvb_problem *problem = &problems->items[i];
        kvb_findings_add(checking->findings, KVB_CHECK_INPUT, problem->severity,
                         (struct kvb_spot){problem->line, problem->column}, "%s", problem->text);
    }
    struct kvb_spot place = problems->count > 0 ? (struct kvb_spot){problems->items[0].line, problems->items[0].column}
                                                : (struct kvb_spot){0};
    add_case(checking, NULL, "", place, "", false);
}
