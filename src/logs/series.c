// Reads a series line by line.
#include "logs/series.h"

#include <string.h>

#include "base/checked.h"
#include "logs/line_text.h"

#define BARREN_LINES 300u          // a log that only begins with a table
#define UNDECIDED_LINES 12u        // without a header it is none
#define MIB_MAX (INT64_C(1) << 20) // 1 TiB of one GPU: what is above is no reading

// ---- Numbers and times

static const char *take_number(const char *text, int64_t *number)
{
    *number = 0;
    if (!kvb_is_digit(*text)) {
        return NULL;
    }
    for (; kvb_is_digit(*text); text++) {
        *number = *number <= MIB_MAX ? *number * 10 + (*text - '0') : *number; // what is beyond is all the same
    }
    return text;
}

static const char *take_mib(const char *text, int64_t *mib)
{
    const char *behind = take_number(text, mib);
    bool plausible = *mib <= MIB_MAX;
    *mib = plausible ? *mib : 0;
    return plausible ? behind : NULL;
}

// Days of the calendar since any one day.
static int64_t days_until(int64_t year, int64_t month, int64_t day)
{
    static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t leaps = year / 4 - (month < 3 && year % 4 == 0);
    return year * 365 + leaps + before[month - 1] + day;
}

// "2025/11/22 05:06:07.123", "2025-11-22T05:06:07", "05:06:07"; seconds since any one moment.
static bool read_time(const char *text, int64_t *second)
{
    int64_t part[6] = {0};
    unsigned count = 0;
    bool dated = kvb_is_digit(text[0]) && strcspn(text, "/-") == 4;
    for (unsigned i = dated ? 0 : 3; i < 6; i++) {
        text = take_number(text, &part[i]);
        if (text == NULL) {
            break;
        }
        count++;
        text += *text != '\0';
    }
    bool date = part[0] >= 1970 && part[0] < 2200 && part[1] >= 1 && part[1] <= 12 && part[2] >= 1 && part[2] <= 31;
    bool whole = count == (dated ? 6U : 3U) && date == dated && part[3] < 24 && part[4] < 60 && part[5] <= 60;
    *second = part[3] * 3600 + part[4] * 60 + part[5];
    if (whole && dated) {
        *second += days_until(part[0], part[1], part[2]) * 86400;
    }
    return whole;
}

// ---- Samples

static void thin_out(struct kvb_series_gpu *gpu)
{
    for (uint32_t i = 0; i != KVB_SERIES_POINTS / 2; i++) {
        gpu->points[i] = gpu->points[2 * (size_t)i];
    }
    gpu->count = KVB_SERIES_POINTS / 2;
    gpu->stride *= 2;
}

static void add_sample(struct kvb_series *series, uint32_t index, int64_t second, int64_t used_mib)
{
    struct kvb_series_gpu *gpu = &series->gpus[index];
    if (index >= series->gpu_count) {
        series->gpu_count = index + 1;
    }
    gpu->samples++;
    gpu->peak_mib = (int64_t)kvb_max((uint64_t)used_mib, (uint64_t)gpu->peak_mib);
    gpu->last_mib = used_mib;
    gpu->last_second = second;
    gpu->stride = gpu->stride == 0 ? 1 : gpu->stride;
    if (gpu->skipped > 0) {
        gpu->skipped--;
        return;
    }
    if (gpu->count == KVB_SERIES_POINTS) {
        thin_out(gpu);
    }
    gpu->points[gpu->count++] = (struct kvb_series_point){second, used_mib};
    gpu->skipped = gpu->stride - 1;
}

// ---- Forms

static const char *field(const char *line, int column)
{
    for (int i = 0; i < column; i++) {
        line = strchr(line, ',');
        if (line == NULL) {
            return NULL;
        }
        line++;
    }
    while (*line == ' ') {
        line++;
    }
    return line;
}

static int column_of(const char *header, const char *name)
{
    const char *at = strstr(header, name);
    int column = 0;
    if (at == NULL) {
        return -1;
    }
    for (const char *p = header; p != at; p++) {
        column += *p == ',';
    }
    return column;
}

// Where the digits right before `end` begin.
static const char *number_before(const char *line, const char *end)
{
    size_t digits = 0;
    for (const char *p = line; p < end; p++) {
        digits = kvb_is_digit(*p) ? digits + 1 : 0;
    }
    return end - digits;
}

// "Sat Nov 22 05:06:07 2025", which stands above each plain table.
static void note_clock(struct kvb_series *series)
{
    const char *line = series->line;
    const char *colon = strchr(line, ':');
    int64_t second;
    if (colon != NULL && line[0] != '|' && read_time(number_before(line, colon), &second)) {
        series->has_time = true;
        series->table_second = second;
    }
}

static void read_header(struct kvb_series *series)
{
    const char *line = series->line;
    note_clock(series);
    if (strstr(line, "memory.used") != NULL && strchr(line, ',') != NULL && strstr(line, "--query") == NULL) {
        series->form = KVB_SERIES_CSV;
        series->column_time = column_of(line, "timestamp");
        series->column_index = column_of(line, "index");
        series->column_used = column_of(line, "memory.used");
        series->column_free = column_of(line, "memory.free");
        series->column_total = column_of(line, "memory.total");
    } else if (line[0] == '#' && strstr(line, "gpu") != NULL && strstr(line, " fb") != NULL) {
        series->form = KVB_SERIES_DMON;
        series->column_time = strstr(line, "Time") != NULL ? (strstr(line, "Date") != NULL ? 2 : 1) : 0;
        int column = 0;
        for (const char *p = line + 1; *p != '\0';) { // the names stand over the figures
            while (*p == ' ') {
                p++;
            }
            if (strncmp(p, "gpu", 3) == 0) {
                series->column_index = column;
            } else if (strncmp(p, "fb", 2) == 0) {
                series->column_used = column;
            }
            column++;
            while (*p != '\0' && *p != ' ') {
                p++;
            }
        }
    } else if (strstr(line, "NVIDIA-SMI") != NULL) {
        series->form = KVB_SERIES_TABLE;
    } else if (series->lines > UNDECIDED_LINES) {
        series->form = KVB_SERIES_NONE;
    }
}

static void read_csv(struct kvb_series *series)
{
    const char *used = field(series->line, series->column_used);
    const char *left = series->column_free >= 0 ? field(series->line, series->column_free) : NULL;
    const char *total = series->column_total >= 0 ? field(series->line, series->column_total) : NULL;
    const char *index = series->column_index >= 0 ? field(series->line, series->column_index) : NULL;
    const char *when = series->column_time >= 0 ? field(series->line, series->column_time) : NULL;
    int64_t used_mib;
    int64_t gpu = 0;
    int64_t second = 0;
    if (used == NULL || take_mib(used, &used_mib) == NULL) {
        return;
    }
    if (index != NULL && (take_number(index, &gpu) == NULL || gpu >= (int64_t)KVB_SERIES_GPUS)) {
        return;
    }
    bool timed = when != NULL && read_time(when, &second);
    struct kvb_series_gpu *slot = &series->gpus[gpu];
    series->has_time = series->gpu_count == 0 ? timed : series->has_time;
    if (!series->has_time) {
        second = (int64_t)slot->samples;
    } else if (!timed) { // cut short: a reading of the moment before
        second = slot->samples > 0 ? slot->last_second : series->gpus[series->gpu_count - 1].last_second;
    }
    if (left != NULL) {
        (void)take_mib(left, &slot->free_mib);
    }
    if (total != NULL) {
        (void)take_mib(total, &slot->total_mib);
    }
    add_sample(series, (uint32_t)gpu, second, used_mib);
}

static void read_dmon(struct kvb_series *series)
{
    int64_t values[] = {0, -1};
    int64_t second = 0;
    int column = 0;
    char when[32] = "";
    if (series->line[0] == '#') {
        return;
    }
    for (const char *p = series->line; *p != '\0';) {
        while (*p == ' ') {
            p++;
        }
        if (column == series->column_index) {
            (void)take_number(p, &values[0]);
        } else if (column == series->column_used && take_mib(p, &values[1]) == NULL) {
            values[1] = -1;
        }
        if (series->column_time > 0 && column == series->column_time - 1 && strlen(p) > 8) {
            memcpy(when, p, 8);
            when[8] = '\0';
        }
        column += *p != '\0';
        while (*p != '\0' && *p != ' ') {
            p++;
        }
    }
    if (values[1] < 0 || values[0] >= (int64_t)KVB_SERIES_GPUS) {
        return;
    }
    series->has_time = true; // one sample a second unless it says otherwise
    const struct kvb_series_gpu *slot = &series->gpus[values[0]];
    if (when[0] == '\0' || !read_time(when, &second)) {
        second = slot->samples > 0 ? slot->last_second + 1 : 0;
    }
    add_sample(series, (uint32_t)values[0], second, values[1]);
}

// "Sat Nov 22 05:06:07 2025" above the table; "20238MiB / 24576MiB" in the row of a GPU.
static void read_table(struct kvb_series *series)
{
    const char *line = series->line;
    const char *slash = strstr(line, "MiB /");
    if (strstr(line, "NVIDIA-SMI") != NULL) {
        series->table_gpu = 0;
    } else if (slash == NULL) {
        note_clock(series);
        series->form = ++series->barren > BARREN_LINES ? KVB_SERIES_NONE : series->form;
        return;
    }
    if (slash == NULL || series->table_gpu >= KVB_SERIES_GPUS) {
        return;
    }
    int64_t used;
    int64_t total = 0;
    const char *behind = slash + strlen("MiB /");
    (void)take_mib(behind + strspn(behind, " "), &total);
    if (take_mib(number_before(line, slash), &used) != NULL) {
        series->barren = 0;
        struct kvb_series_gpu *gpu = &series->gpus[series->table_gpu];
        gpu->total_mib = total;
        gpu->free_mib = total - (int64_t)kvb_min((uint64_t)total, (uint64_t)used);
        add_sample(series, series->table_gpu++, series->has_time ? series->table_second : (int64_t)gpu->samples, used);
    }
}

// One line of a series that is none is not even gathered.
static void take_line(struct kvb_series *series)
{
    static void (*const readers[])(struct kvb_series * series) = {
        [KVB_SERIES_UNDECIDED] = read_header,
        [KVB_SERIES_CSV] = read_csv,
        [KVB_SERIES_DMON] = read_dmon,
        [KVB_SERIES_TABLE] = read_table,
    };
    series->line[series->length] = '\0';
    series->lines++;
    readers[series->form](series);
    series->length = 0;
}

void kvb_series_feed(struct kvb_series *series, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && series->form != KVB_SERIES_NONE; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            take_line(series);
        } else if (series->length + 1 < KVB_SERIES_LINE) {
            series->line[series->length++] = bytes[i];
        }
    }
}

bool kvb_series_finish(struct kvb_series *series, struct kvb_log_series *out)
{
    if (series->length > 0) {
        take_line(series);
    }
    memset(out, 0, sizeof *out);
    bool found = false;
    for (uint32_t i = 0; i < series->gpu_count; i++) { // the fullest GPU is shown
        struct kvb_log_series one;
        if (series->gpus[i].samples < 2) {
            continue;
        }
        memset(&one, 0, sizeof one);
        kvb_series_measure(series, i, &one);
        if (!found || one.peak_bytes > out->peak_bytes) {
            *out = one;
        }
        found = true;
    }
    out->gpus = series->gpu_count;
    return found;
}
