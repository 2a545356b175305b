// Drawings: what is how long, beside what, and that nothing lies on anything else. A bar is 760 pixels; figures here
// are of so many bytes that each pixel is ten, and are counted by hand.
#include "report/pictures.h"
#include "unit/drawing.h"

static struct kvb_buffer out;

static int begin(void **state)
{
    (void)state;
    kvb_buffer_init(&out);
    return 0;
}

static int end(void **state)
{
    (void)state;
    kvb_buffer_free(&out);
    return 0;
}

static void is_box(const char *style, unsigned n, unsigned x, unsigned width)
{
    const struct shape *box = box_of(style, n);
    if (box == NULL || box->x != x || box->width != width) {
        fail_msg("%s %u: %u, %u", style, n, box != NULL ? box->x : 0, box != NULL ? box->width : 0);
    }
}

static void pixels(void **state)
{
    (void)state;
    assert_int_equal(kvb_pixels(0, 100, 760), 0);
    assert_int_equal(kvb_pixels(50, 100, 760), 380);
    assert_int_equal(kvb_pixels(1, 3, 100), 33);
    assert_int_equal(kvb_pixels(100, 100, 760), 760);
    assert_int_equal(kvb_pixels(101, 100, 760), 760); // never beyond
    assert_int_equal(kvb_pixels(5, 0, 760), 760);
    assert_int_equal(kvb_pixels(0, 0, 760), 0);
    assert_int_equal(kvb_pixels(65535, 65536, 65536), 65534);                     // pairs of them: 32767 / 32768
    assert_int_equal(kvb_pixels(UINT64_C(1) << 62, UINT64_C(1) << 63, 760), 379); // 32767 of 65535 units of 2^47 + 1
    assert_int_equal(kvb_pixels(UINT64_MAX, UINT64_MAX, 760), 760);
}

// ---- a plan

static struct kvb_plan plan;
static struct kvb_budget budget;
static const struct kvb_plan_report plan_report = {.plan = &plan, .budget = &budget};

static void term(enum kvb_item item, int64_t bytes)
{
    budget.items[item] = (struct kvb_term){.bytes = bytes, .low_bytes = bytes, .high_bytes = bytes};
}

static void begin_plan(void)
{
    memset(&plan, 0, sizeof plan);
    memset(&budget, 0, sizeof budget);
    strcpy(plan.model.name, "M");
    strcpy(plan.gpu.name, "Card");
    strcpy(plan.engine.name, "vllm");
    budget.memory_bytes = 7600;
    budget.requested_bytes = 6650;
    term(KVB_ITEM_WEIGHTS, 3800);
    term(KVB_ITEM_ACTIVATION, 760);
    term(KVB_ITEM_NON_TORCH, 380);
    term(KVB_ITEM_CUDA_GRAPH, 190);
    term(KVB_ITEM_KV_CACHE, 1520);
    budget.items[KVB_ITEM_KV_CACHE].low_bytes = 760;
    budget.items[KVB_ITEM_KV_CACHE].high_bytes = 1900;
    budget.outside_bytes = 190;
}

static void draw_plan(void)
{
    kvb_render_plan_svg(&out, &plan_report);
    read_drawing(&out);
}

// 380 + 76 + 38 + 19 + 152 + 19 of 760, and 76 free. The cache ends between 513 + 76 and 513 + 190.
static void bar_of_a_plan(void **state)
{
    (void)state;
    begin_plan();
    draw_plan();
    is_box("weights", 0, 20, 380);
    is_box("activation", 0, 400, 76);
    is_box("non_torch", 0, 476, 38);
    is_box("graphs", 0, 514, 19);
    is_box("cache", 0, 533, 152);
    is_box("outside", 0, 685, 19);
    is_box("free", 0, 704, 76);
    assert_int_equal(box_of("cache", 0)->figure, 1520);
    assert_false(box_of("free", 0)->has_figure);
    unsigned top = box_of("weights", 0)->y, height = box_of("weights", 0)->height;
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(drawn.boxes[i].y, top);
        assert_int_equal(drawn.boxes[i].height, height);
    }
    assert_int_equal(drawn.line_count, 5);
    const struct shape *range = &drawn.lines[0];
    assert_int_equal(range->x, 609); // under the bar
    assert_int_equal(range->width, 723);
    assert_true(range->y > top + height && range->y == range->height);
    for (unsigned i = 1; i < 3; i++) { // its ends
        assert_int_equal(drawn.lines[i].x, i == 1 ? 609 : 723);
        assert_int_equal(drawn.lines[i].x, drawn.lines[i].width);
        assert_int_equal(range->y - drawn.lines[i].y, drawn.lines[i].height - range->y);
        assert_true(drawn.lines[i].y > top + height);
    }
    assert_int_equal(drawn.lines[3].x, 685); // 665 are requested
    assert_int_equal(drawn.lines[3].width, 685);
    assert_true(drawn.lines[3].y < top && drawn.lines[3].height == top + height);
    assert_int_equal(words_of("requested")->x, 685);
    assert_true(words_of("requested")->y < drawn.lines[3].y);
    assert_int_equal(drawn.lines[4].x, 780); // the card, a little over the bar on both sides
    assert_int_equal(top - drawn.lines[4].y, drawn.lines[4].height - top - height);
    assert_true(drawn.lines[4].y < top);
    assert_null(box_of("over", 0));
    assert_int_equal(words_of("M on Card: fits")->x, 20);
}

// A row each, as far apart as the next: a box, and its words beside it on the same line.
static void legend_of_a_plan(void **state)
{
    (void)state;
    static const char *const styles[] = {"weights", "activation", "non_torch", "graphs", "cache", "outside"};
    begin_plan();
    draw_plan();
    const struct shape *before = NULL;
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        const struct shape *box = box_of(styles[i], 1), *word = NULL;
        assert_non_null(box);
        for (unsigned k = 0; k < drawn.word_count; k++) {
            const struct shape *other = &drawn.words[k];
            word = other->x == 44 && other->y > box->y && other->y < box->y + box->height ? other : word;
        }
        assert_non_null(word);
        assert_string_equal(word->says, box->says);
        assert_int_equal(box->x, 20);
        assert_int_equal(box->width, box->height);
        assert_true(before == NULL || box->y - before->y == 22);
        before = box;
    }
    assert_string_equal(box_of("weights", 1)->says, "weights 0.00 GiB");
    assert_non_null(strstr(box_of("cache", 1)->says, " (0.00 to 0.00)")); // from 760 to 1900 bytes
    assert_null(box_of("reserved", 0));                                   // nothing is
    assert_null(box_of("other", 0));
    unsigned height = drawn.height;
    budget.outside_bytes = 0;
    draw_plan();
    assert_null(box_of("outside", 0));
    assert_int_equal(drawn.height, height); // the place for it stays
    term(KVB_ITEM_RESERVED, 10);
    draw_plan();
    assert_int_equal(drawn.height, height + 22);
    is_box("reserved", 0, 533, 1);
}

// 6840 bytes on a card of 3420: each takes half the pixels, and from the middle on it is too much.
static void more_than_the_card(void **state)
{
    (void)state;
    begin_plan();
    budget.memory_bytes = 3420;
    budget.requested_bytes = 3078;
    budget.verdict = KVB_DOES_NOT_FIT;
    budget.kv.frontier_count = 2;
    draw_plan();
    is_box("weights", 0, 20, 422); // 3800 / 9
    assert_null(box_of("free", 0));
    is_box("over", 0, 400, 380);
    assert_true(box_of("over", 0)->y >= box_of("weights", 0)->y + box_of("weights", 0)->height);
    assert_int_equal(drawn.lines[3].x, 362); // 342 are requested
    assert_int_equal(drawn.lines[4].x, 400);
    (void)words_of("M on Card: does not fit");
    begin_plan();
    budget.memory_bytes = 6840; // exactly full
    draw_plan();
    assert_null(box_of("over", 0));
    assert_null(box_of("free", 0));
    begin_plan();
    term(KVB_ITEM_KV_CACHE, -760); // nothing is left: no box, no range, and its row says so
    draw_plan();
    assert_null(box_of("cache", 0));
    assert_int_equal(drawn.line_count, 2);
    assert_non_null(box_of("over", 0));
    assert_int_equal(box_of("over", 0)->width, 14);
    term(KVB_ITEM_KV_CACHE, 0);
    draw_plan();
    assert_int_equal(drawn.line_count, 2);
    assert_non_null(box_of("cache", 0)); // the row
    kvb_settings_set(&budget.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 2, KVB_ORIGIN_FLAG);
    kvb_settings_set(&budget.settings, KVB_SET_PIPELINE_PARALLEL_SIZE, 1, KVB_ORIGIN_FLAG);
    kvb_settings_set(&budget.settings, KVB_SET_DATA_PARALLEL_SIZE, 1, KVB_ORIGIN_FLAG);
    draw_plan();
    (void)words_of("M on 2 x Card: fits");
}

// 8.00, 4.00, 1.00 and 0.50 requests: 4, 3, 1 and 0 doublings of a half, a bar each, of which the highest has all 140.
static void requests_of_a_plan(void **state)
{
    (void)state;
    static const struct kvb_frontier_point points[] = {{.length_tokens = 1024, .concurrency_hundredths = 800},
                                                       {.length_tokens = 2048, .concurrency_hundredths = 400},
                                                       {.length_tokens = 4096, .concurrency_hundredths = 100},
                                                       {.length_tokens = 8192, .concurrency_hundredths = 50}};
    static const unsigned heights[] = {140, 105, 35, 0};
    begin_plan();
    draw_plan();
    unsigned height = drawn.height;
    memcpy(budget.kv.frontier, points, sizeof points);
    budget.kv.frontier_count = 1; // one point is no line
    draw_plan();
    assert_int_equal(drawn.height, height);
    budget.kv.frontier_count = 4;
    draw_plan();
    assert_true(drawn.height > height + 140);
    unsigned bottom = box_of("cache", 2)->y + 140;
    for (unsigned i = 0; i < 4; i++) {
        static const char *const counts[] = {"8.00", "4.00", "1.00", "0.50"};
        static const char *const lengths[] = {"1,024", "2,048", "4,096", "8,192"};
        const struct shape *box = box_of("cache", 2 + i);
        assert_int_equal(box->height, heights[i]);
        assert_int_equal(box->y + box->height, bottom);
        assert_int_equal(box->width, 182); // 760 / 4 less 4 on either side
        assert_int_equal(box->x, 24 + i * 190);
        assert_int_equal(box->figure, points[i].length_tokens);
        assert_int_equal(words_of(counts[i])->x, 115 + i * 190); // in its middle
        assert_true(words_of(counts[i])->y < box->y);
        assert_int_equal(words_of(lengths[i])->x, 115 + i * 190);
        assert_true(words_of(lengths[i])->y > bottom);
    }
}

// ---- a training step

// 60 of 80 bytes are 150 of 200 pixels, and so on for each part; the fullest has more than the card.
static void phases(void **state)
{
    (void)state;
    static struct kvb_training training;
    struct kvb_svg svg = {.out = &out, .width = 800, .height = kvb_phases_height()};
    training = (struct kvb_training){.memory_bytes = 80, .deciding = KVB_TRAIN_UPDATE};
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        training.parts[phase][KVB_TRAIN_ACTOR] = 40;
        training.parts[phase][KVB_TRAIN_ENGINE] = 20;
        training.totals[phase] = 60;
    }
    for (unsigned over = 0; over < 2; over++) {
        unsigned halves = over != 0 ? 4 : 5; // of a pixel for each byte: 200 for 80, or for 100
        training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_GATHER] = over * 40;
        training.totals[KVB_TRAIN_UPDATE] = 60 + over * 40;
        kvb_svg_open(&svg, "t", "d");
        kvb_draw_phases(&svg, 20, &training);
        kvb_svg_close(&svg);
        read_drawing(&out);
        unsigned step = 760 / KVB_TRAIN_PHASE_COUNT, bottom = 0;
        for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
            const struct shape *actor = box_of("weights", phase), *engine = box_of("cache", phase);
            bottom = phase == 0 ? actor->y + actor->height : bottom;
            assert_int_equal(actor->height, 20 * halves);
            assert_int_equal(actor->y + actor->height, bottom);
            assert_int_equal(engine->height, 10 * halves);
            assert_int_equal(engine->y + engine->height, actor->y);
            assert_int_equal(actor->x, 23 + phase * step);
            assert_int_equal(actor->width, step - 6);
            assert_int_equal(actor->figure, 40);
        }
        const struct shape *passing = box_of("activation", 0);
        if (over != 0) {
            assert_int_equal(passing->x, 23 + KVB_TRAIN_UPDATE * step);
            assert_int_equal(passing->height, 80);
            assert_int_equal(bottom - passing->y, 200);
        } else {
            assert_int_equal(passing->width, passing->height); // of the legend
        }
        assert_int_equal(drawn.lines[0].y, bottom - 40 * halves); // the card
        assert_int_equal(drawn.lines[0].x, 20);
        assert_int_equal(drawn.lines[0].width, 780);
        assert_int_equal(drawn.lines[1].y, bottom);
        assert_true(words_of("the card: 0.00 GiB")->y < drawn.lines[0].y);
        unsigned heads = 0;
        for (unsigned i = 0; i < drawn.word_count; i++) { // what is too much stands out
            bool head = strcmp(drawn.words[i].style, "head") == 0 && strcmp(drawn.words[i].anchor, "middle") == 0;
            heads += head;
            assert_true(!head || drawn.words[i].x == 20 + KVB_TRAIN_UPDATE * step + step / 2);
        }
        assert_int_equal(heads, over);
    }
}

// ---- models

// Of 3600 bytes a pixel is ten.
static void models(void **state)
{
    (void)state;
    static struct kvb_models_row rows[4];
    static struct kvb_models all = {.count = 4, .rows = rows, .memory_bytes = 3600, .starting = 3, .asked = 4};
    const struct kvb_models_report best = {.models = &all}, every = {.models = &all, .all = true};
    memset(rows, 0, sizeof rows);
    for (unsigned i = 0; i < 4; i++) {
        (void)snprintf(rows[i].name, sizeof rows[i].name, "m%u", i);
        rows[i].weights_bytes = 1200;
        rows[i].kv_cache_bytes = 1800 - 900 * (int64_t)i;
        rows[i].max_model_len_that_fits = 1000 + i;
        rows[i].best_of_family = i != 1;
    }
    rows[1].verdict = KVB_TIGHT;
    rows[3].miss = KVB_MISS_MEMORY;
    strcpy(all.gpu.name, "Card");
    kvb_render_models_svg(&out, &best);
    read_drawing(&out);
    unsigned height = drawn.height;
    assert_null(box_of("weights", 2)); // the best of each family that starts
    (void)words_of("Models on Card: 3 of 4 start");
    all.gpu_count = 2;
    kvb_render_models_svg(&out, &every);
    read_drawing(&out);
    (void)words_of("Models on 2 x Card: 3 of 4 start");
    assert_null(box_of("weights", 3));
    for (unsigned i = 0; i < 3; i++) {
        const struct shape *card = box_of("free", i), *weights = box_of("weights", i), *cache = box_of("cache", i);
        assert_int_equal(card->width, 360);
        assert_int_equal(weights->x, card->x);
        assert_int_equal(weights->width, 120);
        assert_int_equal(cache->x, card->x + 120);
        assert_int_equal(weights->figure, 1200);
        assert_true(i == 0 || card->y - box_of("free", i - 1)->y > card->height);
        assert_true(words_of(rows[i].name)->x < card->x);
        assert_true(words_of(rows[i].name)->y > card->y && words_of(rows[i].name)->y < card->y + card->height);
    }
    assert_int_equal(drawn.height - height, box_of("free", 1)->y - box_of("free", 0)->y);
    assert_int_equal(box_of("cache", 2)->width, 0);
    assert_true(words_of("1,001, tight")->x > box_of("free", 1)->x + 360);
    (void)words_of("1,000");
}

// ---- a check

// The largest of all, 3000 bytes, is 300 pixels.
static void cases(void **state)
{
    (void)state;
    static const struct kvb_case_figures figures[] = {
        {.model = "M", .engine = "e", .gpus = "1 x C", .kv_cache_bytes = 3000, .needed_bytes = 1000},
        {.model = "M", .engine = "e", .gpus = "1 x C", .kv_cache_bytes = -5, .needed_bytes = 2000},
        {.model = "M", .engine = "e", .gpus = "1 x C"},
    };
    static const struct kvb_check_case rows[] = {
        {.file = "a.sh", .kind = "k", .name = "one", .text = "", .place = {7, 1}, .figures = &figures[0]},
        {.file = "b.sh", .kind = "k", .name = "two", .text = "", .verdict = KVB_CASE_FAIL, .figures = &figures[1]},
        {.file = "c.sh", .kind = "k", .name = "three", .text = "", .verdict = KVB_CASE_ERROR, .figures = &figures[2]},
        {.file = "d.sh", .name = "", .text = "", .verdict = KVB_CASE_ERROR},
    };
    struct kvb_check_report report = {.totals = {.cases = rows, .count = 4, .passed = 1, .failed = 1, .errors = 2}};
    kvb_render_check_svg(&out, &report);
    read_drawing(&out);
    (void)words_of("1 passed, 1 failed, 2 errors");
    assert_int_equal(box_of("cache", 0)->width, 300);
    assert_int_equal(box_of("outside", 0)->width, 100);
    assert_int_equal(box_of("outside", 0)->x, box_of("cache", 0)->x);
    assert_int_equal(box_of("cache", 1)->width, 0);
    assert_int_equal(box_of("outside", 1)->width, 200);
    assert_null(box_of("cache", 2)); // no figures
    assert_non_null(box_of("fits", 0));
    assert_non_null(box_of("no", 0));
    assert_int_equal(box_of("tight", 1)->y - box_of("tight", 0)->y, box_of("no", 0)->y - box_of("fits", 0)->y);
    assert_int_equal(words_of("a.sh:7")->x, words_of("one")->x);
    assert_true(words_of("one")->x > box_of("fits", 0)->x + box_of("fits", 0)->width);
    assert_true(words_of("pass")->y > box_of("fits", 0)->y);
    assert_true(words_of("pass")->y < box_of("fits", 0)->y + box_of("fits", 0)->height);
    assert_int_equal(words_of("pass")->x, box_of("fits", 0)->x + box_of("fits", 0)->width / 2);
    report.totals.errors = 1;
    report.totals.count = 0;
    unsigned height = drawn.height;
    kvb_render_check_svg(&out, &report);
    read_drawing(&out);
    (void)words_of("1 passed, 1 failed, 1 error");
    assert_true(drawn.height < height);
}

// ---- a log

static struct kvb_log_report log_report;
static const struct kvb_explain_report explained = {.log = &log_report};

static void see(enum kvb_observation what, int64_t value)
{
    log_report.observed[what] = (struct kvb_log_value){.set = true, .value = value};
}

static void draw_log(void)
{
    kvb_render_explain_svg(&out, &explained);
    read_drawing(&out);
}

static void terms_of_a_log(void **state)
{
    (void)state;
    memset(&log_report, 0, sizeof log_report);
    draw_log();
    assert_int_equal(drawn.box_count, 0);
    unsigned empty = drawn.height;
    see(KVB_OBS_WEIGHTS, 3800);
    see(KVB_OBS_ACTIVATION, 760);
    see(KVB_OBS_KV_CACHE, 1900);
    draw_log(); // 6460 are all there is to say
    is_box("free", 0, 20, 760);
    is_box("weights", 0, 20, 447); // 3800 x 2 / 17
    is_box("activation", 0, 467, 89);
    is_box("cache", 0, 556, 224);
    assert_true(drawn.height > empty);
    see(KVB_OBS_REQUESTED, 6840);
    draw_log();
    is_box("weights", 0, 20, 422);
    see(KVB_OBS_GPU_MEMORY, 7600); // the larger of the two
    draw_log();
    is_box("weights", 0, 20, 380);
    is_box("activation", 0, 400, 76);
    is_box("cache", 0, 476, 190);
    assert_int_equal(box_of("cache", 1)->y - box_of("activation", 1)->y, 22);
    assert_int_equal(box_of("activation", 1)->y - box_of("weights", 1)->y, 22);
    assert_string_equal(box_of("weights", 0)->says, "weights 3,800 B");
    assert_int_equal(words_of("weights 3,800 B")->x, 44);
    assert_int_equal(box_of("cache", 0)->figure, 1900);
    unsigned height = drawn.height;
    see(KVB_OBS_NEEDED, 10);
    see(KVB_OBS_NON_TORCH, 10);
    draw_log();
    assert_int_equal(drawn.height, height + 22);
    assert_int_equal(words_of("needed for one request 10 B")->y - box_of("cache", 1)->y, 33);
    see(KVB_OBS_KV_CACHE, -10); // a row, but no part of the bar
    draw_log();
    assert_int_equal(box_of("cache", 0)->width, 0);
    assert_int_equal(box_of("over", 0)->width, 14);
}

// Three readings over 76 seconds: a second is ten pixels; 220 bytes of the card are 220.
static void series_of_a_log(void **state)
{
    (void)state;
    memset(&log_report, 0, sizeof log_report);
    struct kvb_log_series *series = &log_report.series;
    log_report.has_series = true;
    *series = (struct kvb_log_series){.samples = 3, .peak_bytes = 110, .total_bytes = 220, .has_time = true};
    series->point_count = 1;
    draw_log();
    assert_int_equal(drawn.line_count, 0); // one reading is no line
    series->point_count = 3;
    series->points[0] = (struct kvb_log_point){0, 20};
    series->points[1] = (struct kvb_log_point){38, 110};
    series->points[2] = (struct kvb_log_point){76, 55};
    draw_log();
    assert_int_equal(drawn.line_count, 4); // two axes, and from point to point
    unsigned bottom = drawn.lines[0].y;
    assert_int_equal(drawn.lines[1].y, bottom - 220);
    assert_int_equal(drawn.lines[2].x, 20);
    assert_int_equal(drawn.lines[2].y, bottom - 20);
    assert_int_equal(drawn.lines[2].width, 400);
    assert_int_equal(drawn.lines[2].height, bottom - 110);
    assert_int_equal(drawn.lines[3].width, 780);
    assert_int_equal(drawn.lines[3].height, bottom - 55);
    is_box("weights", 0, 20, 3);
    is_box("weights", 1, 399, 3); // around its point
    assert_int_equal(box_of("weights", 1)->y, bottom - 111);
    assert_string_equal(box_of("weights", 1)->says, "0.00 GiB after 38 s");
    assert_true(words_of("0.00 GiB, the card")->y < bottom - 220);
    assert_true(words_of("76 s")->y > bottom);
    series->total_bytes = 0;
    series->has_time = false;
    draw_log();
    assert_int_equal(drawn.lines[2].height, drawn.lines[0].y - 220); // the peak is the most there is
    (void)words_of("0.00 GiB");
    (void)words_of("76 readings");
    series->points[2].second = 0; // all at one moment
    draw_log();
    assert_int_equal(drawn.lines[3].width, 20);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

KVB_TEST_MAIN(EACH(pixels), EACH(bar_of_a_plan), EACH(legend_of_a_plan), EACH(more_than_the_card),
              EACH(requests_of_a_plan), EACH(phases), EACH(models), EACH(cases), EACH(terms_of_a_log),
              EACH(series_of_a_log))
