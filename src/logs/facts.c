// What one recognised line adds to the facts of an attempt.
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "logs/clean.h"
#include "logs/cursor.h"
#include "logs/forms.h"
#include "logs/line_text.h"
#include "logs/run.h"
#include "logs/settings.h"

// ---- The text of a failure

// Where the message of this line begins: behind the record's or the process's prefix.
static size_t message_start(const struct kvb_log_hit *hit)
{
    size_t at = hit->start;
    while (at >= 2 && hit->start - at < 200) {
        char last = hit->record[at - 2];
        bool blank = hit->record[at - 1] == ' ';
        if (hit->record[at - 1] == '\n' || (blank && (last == ']' || last == ')' || last == '|'))) {
            return at;
        }
        if (blank && last == ':' && at >= 3 && hit->record[at - 3] == ']') { // "[rank0]: "
            return at;
        }
        at--;
    }
    return at < 2 ? 0 : hit->start;
}

// Whether the line at `at` begins a record of its own and does not go on with the one before.
static bool begins_record(const struct kvb_log_hit *hit, size_t at)
{
    static const char *const starts[] = {"INFO",      "WARNING", "ERROR", "DEBUG",  "CRITICAL",
                                         "Traceback", "[",       "{",     "File \""};
    static const char *const marks[] = {"pid=", "Error: ", "INFO ", "ERROR ", "WARNING "};
    char line[96];
    while (at < hit->length && hit->record[at] == ' ') {
        at++;
    }
    size_t length = 0;
    while (at + length < hit->length && hit->record[at + length] != '\n' && length < sizeof line - 1) {
        line[length] = hit->record[at + length];
        length++;
    }
    line[length] = '\0';
    bool begins = length == 0;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        begins |= kvb_starts_with(line, starts[i]);
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        begins |= strstr(line, marks[i]) != NULL;
    }
    return begins;
}

// The end of the message: of its line, or of the lines it was wrapped over, with those that follow a sentence or not.
static size_t message_end(const struct kvb_log_hit *hit, bool wraps, bool sentences)
{
    size_t to = hit->end;
    for (;;) {
        while (to < hit->length && hit->record[to] != '\n') {
            to++;
        }
        bool sentence_ends = !sentences && to > 0 && strchr(".'\")", hit->record[to - 1]) != NULL;
        if (sentence_ends || !wraps || begins_record(hit, to + 1)) { // as does the end of the text
            return to;
        }
        to++;
    }
}

// The message from its beginning to its end.
void kvb_attempt_describe(const struct kvb_log_hit *hit, char text[KVB_LOG_TEXT_CAPACITY])
{
    bool wraps =
        hit->engine != KVB_LOG_LLAMACPP && (hit->row->event == KVB_EVENT_FAILURE || hit->row->event == KVB_EVENT_OOM);
    size_t from = message_start(hit);
    kvb_printable(hit->record + from, message_end(hit, wraps, false) - from, text, KVB_LOG_TEXT_CAPACITY);
}

#define WRAPPED_LINES 3 // of an exception whose first line names no cause

void kvb_attempt_wrapped(const struct kvb_log_hit *hit, bool glue, char text[KVB_LOG_TEXT_CAPACITY])
{
    char part[KVB_LOG_TEXT_CAPACITY];
    size_t used = 0, to = message_end(hit, true, true);
    unsigned breaks = 0;
    for (size_t at = hit->end; at < to && used < sizeof part && breaks < WRAPPED_LINES; at++) {
        breaks += hit->record[at] == '\n';
        if (!glue || hit->record[at] != '\n') {
            part[used++] = hit->record[at];
        }
    }
    kvb_printable(part, used, text, KVB_LOG_TEXT_CAPACITY);
}

// ---- Observations

static bool replaces(enum kvb_log_combine combine, int64_t old, int64_t value)
{
    switch (combine) {
    case KVB_LOG_SMALLEST:
        return value < old;
    case KVB_LOG_LARGEST:
        return value > old;
    case KVB_LOG_LAST:
    case KVB_LOG_SUM:
        return true;
    default:
        return false;
    }
}

// Beyond these no machine goes: such figures are underflows ("17179869184.00 GiB") or noise.
static bool is_plausible(enum kvb_observation what, int64_t value)
{
    static const int64_t most[] = {
        [KVB_LOG_BYTES] = INT64_C(1) << 50, [KVB_LOG_TOKENS] = INT64_C(1) << 36,
        [KVB_LOG_COUNT] = INT64_C(1) << 36, [KVB_LOG_HUNDREDTHS] = INT64_C(1) << 40,
        [KVB_LOG_PPM] = INT64_C(100000000),
    };
    enum kvb_log_unit unit = kvb_observation_row_of(what)->unit;
    bool may_be_negative = unit == KVB_LOG_BYTES;
    return value <= most[unit] && value >= (may_be_negative ? -most[unit] : 0);
}

static void observe(struct kvb_attempt *attempt, enum kvb_observation what, int64_t value,
                    const struct kvb_log_hit *hit)
{
    struct kvb_log_value *slot = &attempt->facts.observed[what];
    bool twice = hit->engine == KVB_LOG_TENSORRT && (what == KVB_OBS_KV_CACHE || what == KVB_OBS_KV_TOKENS);
    if (!slot->set || twice || replaces(kvb_observation_row_of(what)->combine, slot->value, value)) {
        slot->value = value;
        slot->line = hit->line;
    }
    if (!slot->set) {
        slot->low = slot->high = value;
    }
    slot->low = replaces(KVB_LOG_SMALLEST, slot->low, value) ? value : slot->low;
    slot->high = replaces(KVB_LOG_LARGEST, slot->high, value) ? value : slot->high;
    slot->count++;
    slot->set = true;
    if (what == KVB_OBS_KV_CACHE && slot->line == hit->line) {
        kvb_attempt_describe(hit, attempt->size_text);
    }
}

// ---- Devices of one server

bool kvb_is_host_device(const struct kvb_hole *device)
{
    static const char *const words[] = {"CPU", "Host", "BLAS", "AMX"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (kvb_has_word(device->text, device->length, words[i])) {
            return true;
        }
    }
    return false;
}

// The number at the end of its name.
static size_t device_index(const struct kvb_hole *device)
{
    struct kvb_cursor in = {device->text, device->length, device->length};
    int64_t index = 0;
    while (in.at > 0 && kvb_is_digit(in.text[in.at - 1])) {
        in.at--;
    }
    (void)kvb_take_whole(&in, &index);
    return (size_t)index % KVB_DEVICES_MAX;
}

// A figure of one device; what is observed is the sum. Caches of one device add up (windows beside full attention)
// unless a line says the whole of a device.
static void observe_device(struct kvb_attempt *attempt, enum kvb_observation what, int64_t value,
                           const struct kvb_log_hit *hit)
{
    size_t kind = what == KVB_OBS_WEIGHTS ? 0 : what == KVB_OBS_ACTIVATION ? 1 : 2;
    int64_t *slot = &attempt->devices[kind][device_index(&hit->holes[0])];
    int64_t sum = 0;
    bool adds = kind == 2 && hit->row->detail == KVB_PER_DEVICE;
    *slot = adds ? *slot + value : value;
    for (size_t i = 0; i < KVB_DEVICES_MAX; i++) {
        sum += attempt->devices[kind][i];
    }
    observe(attempt, what, value, hit);
    attempt->facts.observed[what].value = sum;
}

// vLLM's runner V2 captures all graphs once while it profiles, before the pool is sized: what they take then is the
// estimate. The older runner's profile says so in words of its own.
bool kvb_is_trial_capture(const struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    static const char file[] = "[model_runner.py:";
    const struct kvb_log_report *facts = &attempt->facts;
    bool v1 = facts->generation_known && facts->generation == KVB_GENERATION_V1;
    return hit->row->event == KVB_EVENT_CAPTURED && v1 && facts->stage < KVB_STAGE_SIZED &&
           kvb_has_word(hit->record, hit->start, file);
}

void kvb_attempt_observe(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    bool trial = kvb_is_trial_capture(attempt, hit);
    unsigned holes = kvb_pattern_holes(hit->row->pattern);
    if (hit->row->detail == KVB_PER_DEVICE || hit->row->detail == KVB_WHOLE_DEVICE) {
        enum kvb_observation what = hit->row->gives[1];
        int64_t value = hit->holes[1].value;
        if (kvb_is_host_device(&hit->holes[0]) || !is_plausible(what, value)) {
            return;
        }
        if (hit->row->event != KVB_EVENT_OOM) {
            observe_device(attempt, what, value, hit);
        } else {
            observe(attempt, what, value, hit);
        }
        return;
    }
    for (unsigned i = 0; i < holes; i++) {
        enum kvb_observation what = hit->row->gives[i];
        what = trial && what == KVB_OBS_CUDA_GRAPH ? KVB_OBS_GRAPH_ESTIMATE : what;
        if (what != KVB_OBS_IGNORED && is_plausible(what, hit->holes[i].value)) {
            observe(attempt, what, hit->holes[i].value, hit);
        }
    }
}

// ---- Who is speaking

void kvb_attempt_version(struct kvb_attempt *attempt, const struct kvb_hole *hole)
{
    char text[48];
    kvb_printable(hole->text, hole->length, text, sizeof text);
    const char *version = text[0] == 'v' ? text + 1 : text;
    uint32_t release;
    if (kvb_release_parse(version, &release)) {
        kvb_copy(attempt->facts.version, sizeof attempt->facts.version, version);
        attempt->facts.version_known = true;
        attempt->facts.release = kvb_release_is_untagged(version) ? 0 : release; // 0: by the wording of its lines
    }
}

// To the releases from `since` to `until`; 0 = open.
static void narrow(struct kvb_log_report *facts, uint32_t since, uint32_t until)
{
    facts->since = (uint32_t)kvb_max(facts->since, since);
    if (until != 0) {
        facts->until = facts->until != 0 ? (uint32_t)kvb_min(facts->until, until) : until;
    }
}

static void take_generation(struct kvb_attempt *attempt, const struct kvb_line_row *row)
{
    struct kvb_log_report *facts = &attempt->facts;
    if (row->generation != 0 && !facts->generation_known) {
        facts->generation_known = true;
        facts->generation = row->generation == 1 ? KVB_GENERATION_V0 : KVB_GENERATION_V1;
    }
    narrow(facts, row->since, row->until);
}

// A stamp narrows the releases and names the engine, like the wording of a line.
void kvb_attempt_stamp(struct kvb_attempt *attempt, const struct kvb_stamp_row *row)
{
    struct kvb_log_report *facts = &attempt->facts;
    if (facts->engine == KVB_LOG_UNKNOWN_ENGINE) {
        facts->engine = KVB_STAMPED_ENGINE;
    }
    if (facts->engine == KVB_STAMPED_ENGINE) {
        narrow(facts, row->since, row->until >= facts->since ? row->until : 0);
    }
}

void kvb_attempt_engine(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    if (hit->row->event == KVB_EVENT_FRAME) { // its path names the package
        enum kvb_log_engine engine = kvb_form_engine(hit->record + hit->start, hit->end - hit->start);
        if (attempt->facts.engine == KVB_LOG_UNKNOWN_ENGINE) {
            attempt->facts.engine = engine;
        }
        return;
    }
    if (hit->engine == KVB_LOG_TORCH) {
        return;
    }
    bool stamped = hit->engine == KVB_STAMPED_ENGINE;
    bool generic = stamped && (hit->row->event == KVB_EVENT_TRACE || hit->row->event == KVB_EVENT_WRAPPER ||
                               (hit->row->event == KVB_EVENT_LOADING && hit->row->pattern[0] == 'L') ||
                               hit->row->event == KVB_EVENT_READY || hit->row->event == KVB_EVENT_SERVING);
    if (attempt->facts.engine == KVB_LOG_UNKNOWN_ENGINE && !generic) {
        attempt->facts.engine = hit->engine;
    }
    if (stamped && attempt->facts.engine == KVB_STAMPED_ENGINE) {
        take_generation(attempt, hit->row);
    }
}

void kvb_attempt_name(const struct kvb_hole *hole, char name[KVB_NAME_CAPACITY])
{
    if (name[0] == '\0') {
        kvb_printable(hole->text, hole->length, name, KVB_NAME_CAPACITY);
    }
}

void kvb_attempt_settings(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    struct kvb_log_report *facts = &attempt->facts;
    struct kvb_dump_result result = {&facts->settings, facts->model, &facts->observed[KVB_OBS_STATIC_FRACTION]};
    if (hit->row->event == KVB_EVENT_METRIC_CONFIG) {
        kvb_read_dump(hit->record + hit->start, hit->length - hit->start, &result);
        return;
    }
    if (hit->row->event != KVB_EVENT_COMMAND) {
        kvb_read_dump(hit->record + hit->end, hit->length - hit->end, &result);
        facts->arguments_seen |= hit->row->event == KVB_EVENT_ARGUMENTS;
        return;
    }
    if (!kvb_form_begins_command(hit->record, hit->start)) {
        return;
    }
    bool named = kvb_pattern_holes(hit->row->pattern) > 0; // "vllm serve MODEL"
    const char *from = named ? hit->holes[0].text : hit->record + hit->end - strlen("--");
    kvb_read_command(from, (size_t)(hit->record + hit->length - from), &result);
}
