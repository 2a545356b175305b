// Parts of a plan's page that few deployments show: a training step that never fits, figures without a source, columns
// that do not go in, a record without a plan.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/columns.h"
#include "report/github.h"
#include "report/plan_report.h"
#include "report/record_report.h"
#include "report/residents_report.h"
#include "report/safe_text.h"
#include "unit/page_text.h"
#include "unit/test.h"

#define GIB (UINT64_C(1) << 30)

static int clear(void **state)
{
    (void)state;
    kvb_buffer_free(&out);
    out.page_columns = 160;
    return 0;
}

// ---- a training step

static struct kvb_training training;
static struct kvb_side_by_side side;
static struct kvb_trainer trainer;
static struct kvb_placed placed;

static void begin_training(void)
{
    kvb_trainer_init(&trainer);
    trainer.gpus = 8;
    training =
        (struct kvb_training){.memory_bytes = 80 * GIB, .divisible = true, .fits = true, .deciding = KVB_TRAIN_UPDATE};
    training.needs_ppm = 300000;
    training.highest_ppm = 500000;
    side = (struct kvb_side_by_side){.count = 1};
    side.rows[0].requested_bytes = 20 * GIB;
    side.rows[0].utilization_ppm = 250000;
    placed = (struct kvb_placed){.side = &side, .trainer = &trainer, .training = &training};
}

static void draw_training(void)
{
    (void)clear(NULL);
    kvb_render_phases_text(&out, &placed, false);
    for (size_t i = 0; i < out.length; i++) { // wherever a sentence is broken
        out.data[i] = out.data[i] == '\n' ? ' ' : out.data[i];
    }
}

static void rollouts_beside_a_trainer(void **state)
{
    (void)state;
    begin_training();
    draw_training();
    holds("The rollout starts from gpu_memory_utilization 0.30 on; up to 0.50 every phase fits.");
    lacks("CPU memory for each GPU");
    trainer.sleep_level = 1;
    training.host_sleep_bytes = 15 * GIB;
    draw_training();
    holds("up to 0.50 every phase in which it is awake fits.");
    holds("The rollout asleep at level 1 keeps its weights in pinned CPU memory: 15.00 GiB for each GPU.");
    training.host_bytes = 4 * GIB;
    draw_training();
    holds("CPU memory for each GPU: 4.00 GiB that the trainer has offloaded. The rollout asleep at level 1 keeps");
    training.needs_ppm = 600000;
    draw_training();
    holds("The rollout needs gpu_memory_utilization 0.60; the trainer leaves no more than 0.50.");
    training.needs_ppm = 0;
    training.divisible = false;
    draw_training();
    holds("No gpu_memory_utilization makes this rollout start beside the trainer.");
    holds(" The trainer's GPUs are no multiple of the rollout's: the framework refuses that.");
}

// The fullest phase decides; a rollout that sleeps in it cannot help.
static void phases_that_do_not_fit(void **state)
{
    (void)state;
    static const char asleep[] = "It sleeps in the fullest phase: only the trainer's own settings make that one fit.";
    static const struct {
        enum kvb_train_phase phase;
        bool sleeps;
    } rows[] = {{KVB_TRAIN_UPDATE, true},
                {KVB_TRAIN_OLD_LOG_PROBS, true},
                {KVB_TRAIN_REFERENCE_LOG_PROBS, true},
                {KVB_TRAIN_ROLLOUT, false},
                {KVB_TRAIN_SYNC, false}};
    begin_training();
    training.fits = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        training.deciding = rows[i].phase;
        trainer.sleep_level = 2;
        training.totals[rows[i].phase] = 90 * GIB;
        training.parts[rows[i].phase][KVB_TRAIN_ACTOR] = 90 * GIB;
        draw_training();
        assert_int_equal(strstr(out.data, asleep) != NULL, rows[i].sleeps);
        trainer.sleep_level = 0;
        draw_training();
        lacks(asleep);
    }
    holds("!"); // what is beyond the card
    const struct kvb_alternative other[] = {{.name = "vllm, TP 2", .weights_bytes = 30 * GIB, .tokens = 5}};
    placed.alternatives = other;
    placed.alternative_count = 1;
    placed.sequences = 4;
    draw_training();
    holds("0.25 of the card is 20.00 GiB, less than the weights alone (30.00 GiB): it can never start");
    holds("no room");
}

// ---- --show

static void figures_without_a_source(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    struct kvb_budget *budget = kvb_reallocate(NULL, sizeof *budget);
    memset(budget, 0, sizeof *budget);
    budget->steps[0] = (struct kvb_step){.name = "left",
                                         .formula = "{0} - {1:ppm} {x} {9",
                                         .values = {-1234, -5},
                                         .result = -1234,
                                         .unit = KVB_UNIT_TOKENS};
    budget->step_count = 1;
    budget->kv.group_count = 1;
    budget->kv.groups[0] = (struct kvb_kv_group){.layers = 4, .window_tokens = 512};
    budget->kv.hybrid_manager_off = true;
    budget->weights.total_bytes = GIB;
    budget->weights.unquantised_bytes = 4 * GIB;
    struct kvb_plan_report report = {
        .plan = &plan, .budget = budget, .show = KVB_SHOW_FORMULAS | KVB_SHOW_KV | KVB_SHOW_WEIGHTS};
    kvb_render_plan_show(&out, &report);
    holds("  left                       -1,234 tokens\n      -1,234 - -5 {x} {9\n");
    holds("differ");
    holds("512");
    holds("unquantised it would be  4.000  4,294,967,296\n");
    lacks("hybrid manager off");
    budget->kv.hybrid_manager_why = "a connector";
    budget->kv.cpu_blocks = 7;
    (void)clear(NULL);
    kvb_render_plan_show(&out, &report);
    holds("  hybrid manager off: a connector\n");
    holds("blocks in host memory");
    kvb_free(budget);
}

// ---- a record

static void records(void **state)
{
    (void)state;
    struct kvb_record *record = kvb_reallocate(NULL, sizeof *record);
    memset(record, 0, sizeof *record);
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    record->table = "runs.csv";
    (void)snprintf(record->not_planned, sizeof record->not_planned, "the log names no model");
    const struct kvb_record_report report = {.record = record, .problems = &problems, .header = "id", .line = "x"};
    kvb_render_record_text(&out, &report);
    holds("\nNot compared with a plan: the log names no model\n");
    record->planned = record->starts = record->failed = true;
    (void)clear(NULL);
    kvb_render_record_text(&out, &report);
    holds("\nThe plan says that it starts, which it did not foresee.\n");
    lacks("planned");
    record->failed = false;
    record->figure_count = 3;
    record->figures[0] =
        (struct kvb_record_figure){.name = "tokens", .unit = KVB_LOG_TOKENS, .planned = 1010, .logged = 1000};
    record->figures[1] = (struct kvb_record_figure){
        .name = "cache", .unit = KVB_LOG_BYTES, .planned = -(int64_t)GIB, .logged = -2 * (int64_t)GIB};
    record->figures[2] = (struct kvb_record_figure){.name = "none", .unit = KVB_LOG_HUNDREDTHS, .planned = -5};
    (void)clear(NULL);
    kvb_render_record_text(&out, &report);
    holds("\nThe plan says that it starts.\n");
    holds("1,010      1,000   1.00%\n");
    holds("-1.00 GiB  -2.00 GiB  50.00%\n");
    holds("0.00x      0.00x   0.00%\n"); // nothing was logged, so nothing is apart
    kvb_free(record);
}

// ---- the writers below

static void cells(struct kvb_columns *columns, const char *const *text, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        kvb_columns_cell(columns, text[i]);
    }
    kvb_columns_end_row(columns);
}

// A cell too many is none; figures wider than the page stand alone; a last column that is cut keeps three letters.
static void columns_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const wide[] = {"name", "1234567890123456789012345678901234567890", "2"};
    struct kvb_columns columns;
    kvb_columns_init(&columns, "lrr", 0, 2);
    cells(&columns, wide, 3);
    out.page_columns = 40;
    kvb_columns_write(&columns, &out);
    assert_string_equal(out.data, "name  1234567890123456789012345678901234567890\n\nname  2\n");
    (void)clear(NULL);
    kvb_columns_init(&columns, "l", 0, 2);
    cells(&columns, wide, 2);
    kvb_columns_write(&columns, &out);
    assert_string_equal(out.data, "name\n");
    (void)clear(NULL);
    out.page_columns = 40;
    kvb_columns_init(&columns, "l", 0, 2);
    kvb_columns_cell(&columns, "a single column is broken nowhere, whatever its length");
    kvb_columns_end_row(&columns);
    kvb_columns_write(&columns, &out);
    assert_non_null(strstr(out.data, "..."));
    (void)clear(NULL);
    out.page_columns = 40;
    static const char *const last[] = {"a name of thirty-six letters, or so", "abcd"};
    kvb_columns_init(&columns, "ll", 0, 2);
    cells(&columns, last, 2);
    kvb_columns_write_last(&columns, &out); // too narrow to be cut: it stays
    assert_string_equal(out.data, "a name of thirty-six letters, or so  abcd\n");
}

// Every column that may go goes; then the widest are cut, down to six letters.
static void columns_that_hardly_fit(void **state)
{
    (void)state;
    static const char *const wide[] = {"first-of-some-length", "second-of-some-length", "third-of-some-length"};
    struct kvb_columns columns;
    out.page_columns = 40;
    kvb_columns_init(&columns, "lll", 0, 2);
    cells(&columns, wide, 3);
    assert_int_equal(kvb_columns_write_in(&columns, &out, "012"), 2);
    assert_string_equal(out.data, "first-of-some-length\n");
    (void)clear(NULL);
    out.page_columns = 10;
    kvb_columns_init(&columns, "lll", 0, 2);
    cells(&columns, wide, 3);
    assert_int_equal(kvb_columns_write_in(&columns, &out, "000"), 0);
    assert_string_equal(out.data, "fir...  sec...  thi...\n");
}

static void odd_text(void **state)
{
    (void)state;
    kvb_text_add_wrapped(&out, "a b c d e f g h i", 20, 10); // a page narrower than its indent
    assert_string_equal(out.data, "                    a b c d\n                    e f g h\n                    i\n");
    (void)clear(NULL);
    kvb_text_add_command(&out, "run --a \"x\\\" --y\" --b 'p\\' --c", 0, 20);
    assert_string_equal(out.data, "run --a \"x\\\" --y\" \\\n      --b 'p\\' --c\n");
    (void)clear(NULL);
    kvb_github_add(&out, "a:b,c%d", false);
    assert_string_equal(out.data, "a:b,c%25d");
    (void)clear(NULL);
    struct kvb_json json;
    kvb_json_init(&json, &out);
    kvb_json_text(&json, NULL, "\xc2\x9b~\x7f\xc3\xa9");
    assert_string_equal(out.data, "\"\\u009b~\\u007f\xc3\xa9\"");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, forget_page)

KVB_TEST_MAIN(TEST(rollouts_beside_a_trainer), TEST(phases_that_do_not_fit), TEST(figures_without_a_source),
              TEST(records), TEST(columns_that_do_not_fit), TEST(columns_that_hardly_fit), TEST(odd_text))
