// What is said of a log, in every format, of reports made by hand: each figure, each verdict, each list that is cut.
#include <stdio.h>
#include <string.h>

#include "report/pictures.h"
#include "unit/page_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define V(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_log_report report;
static struct kvb_problems problems;
static struct kvb_explain_report page;

static void start(enum kvb_log_engine engine, uint32_t release, enum kvb_failure kind)
{
    memset(&report, 0, sizeof report);
    report.engine = engine;
    report.release = release;
    report.failure.kind = kind;
    report.verdict = kind == KVB_FAILURE_NONE ? KVB_LOG_HEALTHY : KVB_LOG_FAILED;
}

static void see(enum kvb_observation what, int64_t value)
{
    report.observed[what] = (struct kvb_log_value){.set = true, .value = value, .low = value, .high = value};
}

typedef void render(struct kvb_buffer *out, const struct kvb_explain_report *report);

static int clear(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    page = (struct kvb_explain_report){.log = &report, .problems = &problems, .file = "a.log"};
    start(KVB_LOG_VLLM, V(11, 0), KVB_FAILURE_NONE);
    return 0;
}

static void draw(render *write)
{
    kvb_buffer_free(&out);
    out.page_columns = 160;
    write(&out, &page);
    assert_false(out.failed);
}

// Three readings of a card of 1,000 MiB.
static void add_readings(bool timed)
{
    static const struct kvb_log_point points[] = {{0, 100 * MIB}, {10, 500 * MIB}, {20, 600 * MIB}};
    report.has_series = true;
    report.series = (struct kvb_log_series){.gpus = 1, .samples = 3, .point_count = 3};
    memcpy(report.series.points, points, sizeof points);
    report.series.first_bytes = 100 * MIB;
    report.series.jump_bytes = 400 * MIB;
    report.series.peak_bytes = report.series.steady_bytes = report.series.last_bytes = 600 * MIB;
    report.series.has_time = timed;
    report.series.seconds = timed ? 20 : 0;
}

static void readings(void **state)
{
    (void)state;
    add_readings(true);
    report.series.total_bytes = 1000 * MIB;
    report.series.free_bytes = 400 * MIB;
    report.series.has_growth = true;
    report.series.growth_bytes_per_hour = 100 * MIB; // the 400 MiB last four hours
    draw(kvb_render_explain_text);
    holds("readings of GPU memory over time\n");
    holds("Memory over time, GPU 0 of 1, 3 readings\n  length                   20 s\n");
    holds("  growth in an hour        0.10 GiB\n  until the card is full   4 h\n");
    holds("  free at the end          0.39 GiB\n");
    draw(kvb_render_explain_json);
    holds("\"seconds\": 20,");
    holds("\"growth_bytes_per_hour\": 104857600,");
    holds("\"seconds_left\": 14400,");
    holds("\"memory_bytes\": 1048576000,");
    holds("\"second\": 20,");
    draw(kvb_render_explain_svg);
    holds(">0.98 GiB, the card<");
    holds("0.49 GiB after 10 s<");
    holds(">20 s<");
    draw(kvb_render_explain_html);
    holds("<tr><td>readings</td><td>3</td></tr>");
    holds("Readings of GPU memory as a line: peak 0.59 GiB over 3 readings.");
}

// Without times and without a total: readings are counted, and the peak is the top of the drawing.
static void readings_without_a_clock(void **state)
{
    (void)state;
    add_readings(false);
    report.engine = KVB_LOG_UNKNOWN_ENGINE;
    draw(kvb_render_explain_text);
    lacks("  length ");
    lacks("free at the end");
    lacks("until the card is full");
    draw(kvb_render_explain_json);
    holds("\"seconds\": null,");
    holds("\"free_bytes\": null,");
    holds("\"seconds_left\": null,");
    draw(kvb_render_explain_svg);
    holds("0.49 GiB after 10 readings<");
    holds(">20 readings<");
    lacks(", the card<");
    report.series.point_count = 1; // one point is no line
    report.series.points[0].second = 0;
    draw(kvb_render_explain_svg);
    lacks("Memory held of GPU");
    report.series.point_count = 2;
    report.series.points[1].second = 0;
    draw(kvb_render_explain_svg);
    holds(">0 readings<");
}

static void metrics(void **state)
{
    (void)state;
    report.has_metrics = true;
    see(KVB_OBS_RUNNING, 3);
    see(KVB_OBS_WAITING, 2);
    see(KVB_OBS_KV_USAGE, 990000);
    see(KVB_OBS_PREEMPTIONS, 7);
    draw(kvb_render_explain_text);
    holds("a server that runs\n");
    holds("The running server\n");
    holds("One scrape is one moment: how full the cache was before is not in it.");
    draw(kvb_render_explain_json);
    holds("\"metrics\": {\n");
    holds("\"preemptions\": 7,");
    holds("0.99");
}

// What failed for a reason that is no matter of memory, or one that the message alone does not tell.
static void headlines(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(11, 0), KVB_FAILURE_OTHER);
    report.failure.line = 9;
    static const struct {
        enum kvb_log_answer about;
        const char *title, *text, *json;
    } rows[] = {
        {KVB_LOG_NO, "a flag is unknown", "Not about GPU memory: a flag is unknown\n", "\"about_memory\": false"},
        {KVB_LOG_NO, NULL, "Not about GPU memory: the exception is below\n", "\"about_memory\": false"},
        {KVB_LOG_YES, "x", "other: x\n", "\"about_memory\": true"},
        {KVB_LOG_YES, NULL, "other: the engine refuses to start\n", "\"about_memory\": true"},
        {KVB_LOG_NOT_KNOWN, "the engine's core ended", "the engine's core ended; the cause is above what was pasted\n",
         "\"about_memory\": null"},
        {KVB_LOG_NOT_KNOWN, NULL, "It failed; the cause is above what was pasted\n", "\"about_memory\": null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report.failure.about_memory = rows[i].about;
        report.failure.title = rows[i].title;
        draw(kvb_render_explain_text);
        holds(rows[i].text);
        draw(kvb_render_explain_json);
        holds(rows[i].json);
    }
    report.failure.kind = KVB_FAILURE_OOM_LOAD;
    report.failure.stage_unknown = true;
    draw(kvb_render_explain_text);
    holds("oom_load, most likely: out of memory while loading, profiling, capturing or serving\n");
    start(KVB_LOG_VLLM, 0, KVB_FAILURE_NONE);
    report.excerpt = true;
    draw(kvb_render_explain_text);
    holds("figures of a start, none of them bad; nothing shows that the server became ready\n");
}

// The release by its number, by the wording of its lines, or not at all; a path as model is cut to its last part.
static void who(void **state)
{
    (void)state;
    static const char folder[] = "/srv/models/of/somebody/who/likes/long/folders/Qwen3-8B";
    report.since = V(9, 0);
    (void)snprintf(report.model, sizeof report.model, "%s", folder);
    draw(kvb_render_explain_text);
    holds("vllm 0.9.0 to newest by its wording, Qwen3-8B");
    report.until = V(10, 2);
    report.generation_known = true;
    report.generation = KVB_GENERATION_V0;
    (void)snprintf(report.model, sizeof report.model, "%s/", folder); // nothing behind the slash to cut it to
    draw(kvb_render_explain_json);
    holds("\"generation\": \"v0\"");
    kvb_buffer_free(&out);
    kvb_explain_engine(&out, &report);
    holds("vllm 0.9.0 to 0.10.2 by its wording (V0), /srv/models/of/somebody/who/likes/long/folders/Qwen3-8B/");
    report.until = V(9, 0);
    kvb_buffer_free(&out);
    kvb_explain_engine(&out, &report);
    holds("vllm 0.9.0 by its wording (V0)");
    report.until = V(8, 0); // lines of releases that never were together say nothing
    (void)snprintf(report.model, sizeof report.model, "%s",
                   "a-name-without-any-folder-that-is-longer-than-44-characters");
    kvb_buffer_free(&out);
    kvb_explain_engine(&out, &report);
    assert_string_equal(out.data, "vllm (V0), a-name-without-any-folder-that-is-longer-than-44-characters");
}

// Figures with their units; what several ranks printed differently stands beside it.
static void figures(void **state)
{
    (void)state;
    see(KVB_OBS_WEIGHTS, 14 * GIB);
    see(KVB_OBS_KV_CACHE, -GIB / 2);
    see(KVB_OBS_KV_TOKENS, 30944);
    see(KVB_OBS_MAX_CONCURRENCY, 705);
    see(KVB_OBS_STATIC_FRACTION, 874000);
    see(KVB_OBS_CONSUMED, 15 * GIB);
    see(KVB_OBS_OOM_PRIVATE, GIB);
    see(KVB_OBS_OOM_PROCESS, GIB);
    see(KVB_OBS_TORCH_OOMS, 1);
    see(KVB_OBS_AVAIL_BEFORE_LOAD, GIB);
    see(KVB_OBS_AVAIL_AFTER_POOL, GIB);
    see(KVB_OBS_BLOCK_SIZE, 16); // no figure of memory
    report.observed[KVB_OBS_WEIGHTS].low = 13 * GIB;
    report.observed[KVB_OBS_WEIGHTS].high = 14 * GIB;
    report.observed[KVB_OBS_WEIGHTS].count = 4;
    draw(kvb_render_explain_text);
    holds("14.00 GiB  13.00 GiB to 14.00 GiB over 4 lines\n");
    holds("30,944");
    holds("7.05x");
    holds("0.874");
    holds("The profile run left the KV cache less than nothing, and it was laid out all the same:");
    lacks("block size");
    report.observed[KVB_OBS_KV_TOKENS].set = false;
    draw(kvb_render_explain_text);
    lacks("The profile run left the KV cache less than nothing");
    see(KVB_OBS_KV_TOKENS, 0);
    draw(kvb_render_explain_text);
    lacks("The profile run left the KV cache less than nothing");
    see(KVB_OBS_KV_CACHE, GIB);
    draw(kvb_render_explain_text);
    lacks("The profile run left the KV cache less than nothing");
    char text[48];
    kvb_explain_value(text, KVB_LOG_BYTES, -512);
    assert_string_equal(text, "-512 B");
    kvb_explain_value(text, KVB_LOG_BYTES, 512);
    assert_string_equal(text, "512 B");
    see(KVB_OBS_MAX_CONCURRENCY, -705); // nothing that an engine prints; numbers all the same
    report.has_metrics = true;
    see(KVB_OBS_KV_USAGE, -1);
    draw(kvb_render_explain_json);
    holds("\"max_concurrency\": -705,");
    holds("\"kv_cache_usage\": -1,");
}

static void add_fix(const char *setting, const char *from, const char *to, bool works)
{
    struct kvb_remedy *remedy = &report.remedies[report.remedy_count++];
    *remedy = (struct kvb_remedy){.works = works, .why = "because."};
    (void)snprintf(remedy->setting, sizeof remedy->setting, "%s", setting);
    (void)snprintf(remedy->from, sizeof remedy->from, "%s", from);
    (void)snprintf(remedy->to, sizeof remedy->to, "%s", to);
}

// In JSON what reads as a number is one; a step that changes nothing to something has no arrow.
static void remedies(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(11, 0), KVB_FAILURE_NEGATIVE_KV);
    report.failure.line = 12;
    (void)snprintf(report.failure.text, sizeof report.failure.text, "No available memory for the cache blocks.");
    add_fix("max-model-len", "4096", "2048", true);
    add_fix("gpu-memory-utilization", "0.9", "0.95", true);
    add_fix("other processes", "", "", true);
    add_fix("a", "007", "1.", false);
    add_fix("b", "1.5.2", "fp8", false);
    add_fix("c", "0", "x1", false);
    draw(kvb_render_explain_text);
    holds("  + max-model-len 4096 -> 2048\n");
    holds("  + other processes\n      because.\n");
    holds("    1 more with --all\n");
    draw(kvb_render_explain_json);
    holds("\"from\": 4096,");
    holds("\"to\": 0.95,");
    holds("\"from\": \"007\",");
    holds("\"to\": \"1.\",");
    holds("\"from\": \"1.5.2\",");
    holds("\"from\": 0,");
    draw(kvb_render_explain_github);
    holds("::error file=a.log,line=12,title=kvbudget explain::negative_kv: ");
    holds("::notice file=a.log,line=12,title=fixes it::max-model-len 2048: because.\n");
    while (report.remedy_count < 12) {
        add_fix("more", "1", "2", true);
    }
    draw(kvb_render_explain_github);
    holds("::notice title=kvbudget explain::3 more in the text and JSON formats\n");
}

static void annotations(void **state)
{
    (void)state;
    page.file = "-"; // standard input has no place to point at
    draw(kvb_render_explain_github);
    holds("::notice title=kvbudget explain::no failure found; ");
    report.verdict = KVB_LOG_UNKNOWN;
    draw(kvb_render_explain_github);
    holds("::warning title=kvbudget explain::");
    report.verdict = KVB_LOG_INCOMPLETE;
    page.file = "a,b:c%.log";
    draw(kvb_render_explain_github);
    holds("::warning file=a%2Cb%3Ac%25.log,line=1,title=kvbudget explain::");
    start(KVB_LOG_VLLM, V(11, 0), KVB_FAILURE_OTHER);
    (void)snprintf(report.failure.text, sizeof report.failure.text, "caf\xc3\xa9 \xff\x1b[1m\x7f\r\nend");
    draw(kvb_render_explain_github);
    holds("%0Acaf\xc3\xa9 ?[1m%0D%0Aend\n"); // characters stay, bytes that are none do not, nor do controls
}

// A message longer than is shown is cut where a word ends; one without a blank is cut to nothing.
static void long_messages(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(11, 0), KVB_FAILURE_OOM_GRAPH);
    report.failure.inferred = true;
    memset(report.failure.text, 'w', 400);
    for (size_t i = 9; i < 400; i += 10) {
        report.failure.text[i] = ' ';
    }
    draw(kvb_render_explain_text);
    holds(", by inference:\n");
    holds(" wwwwwwwww...\n"); // 355 characters at most
    report.failure.kind = KVB_FAILURE_OTHER;
    memset(report.failure.text, 'w', 400);
    draw(kvb_render_explain_text);
    lacks(", by inference");
    holds(":\n  ...\n");
}

static void many_starts(void **state)
{
    (void)state;
    report.run_count = KVB_LOG_RUNS_MAX + 1;
    for (unsigned i = 0; i < KVB_LOG_RUNS_MAX; i++) {
        report.runs[i] = (struct kvb_log_run){.first_line = 10 * i + 1,
                                              .stage = KVB_STAGE_READY,
                                              .failure = i < 2 ? KVB_FAILURE_OOM_LOAD : KVB_FAILURE_NONE};
    }
    report.run_shown = 1;
    draw(kvb_render_explain_text);
    holds("33 starts in this log\n  from line 1: oom_load\n  from line 11: oom_load  (explained above)\n"
          "  from line 311: ");
    holds("  30 x no failure\n  2 x oom_load\n");
    draw(kvb_render_explain_json);
    holds("\"line\": 311,");
    page.all = true;
    draw(kvb_render_explain_text);
    holds("  from line 21: ");
    lacks(" x no failure");
}

static void what_a_plan_says(void **state)
{
    (void)state;
    page.plan = "does_not_fit";
    draw(kvb_render_explain_text);
    holds("these settings do not fit, and no setting alone makes them");
    page.command = "vllm serve Qwen/Qwen3-8B --max-model-len 4096";
    draw(kvb_render_explain_text);
    holds("these settings do not fit; with the first changes that do:\n  vllm serve Qwen/Qwen3-8B --max-model-len "
          "4096\n");
    page.plan = "fits";
    draw(kvb_render_explain_text);
    holds("these settings start on this card when it is empty: look for what else held memory\n");
}

static void unknown(void **state)
{
    (void)state;
    start(KVB_LOG_UNKNOWN_ENGINE, 0, KVB_FAILURE_NONE);
    report.verdict = KVB_LOG_UNKNOWN;
    report.line_count = 4;
    draw(kvb_render_explain_text);
    holds("4 lines read. None of them speaks of memory.\n");
    report.closest_count = 1;
    report.closest[0] = (struct kvb_closest){.line = 3, .text = "GPU \x1b]0;x memory"};
    draw(kvb_render_explain_text);
    holds("Closest to something known:\n  3: GPU ");
    lacks("\x1b");
    draw(kvb_render_explain_svg);
    lacks("unknown engine");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, forget_page)

KVB_TEST_MAIN(TEST(readings), TEST(readings_without_a_clock), TEST(metrics), TEST(headlines), TEST(who), TEST(figures),
              TEST(remedies), TEST(annotations), TEST(long_messages), TEST(many_starts), TEST(what_a_plan_says),
              TEST(unknown))
