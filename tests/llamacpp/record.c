// Public starts of llama.cpp counted again: a page with what comes out, and floors under it.
//   record STARTS.csv... [--floors FLOORS.csv]     with floors it says which are missed and fails
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "starts.h"

#define EXACT 6 // hundredths of a MiB

enum group { KNOWN, BUILD, HELD, GROUPS };
static const char *const groups[GROUPS] = {"", "build", "held"};
enum quantity { CACHE, STATE, MODEL, ONE_DEVICE, MORE_DEVICES, PARTIAL, HOST, QUANTITIES };
static const char *const keys[QUANTITIES] = {"cache",        "state",   "model", "one_device",
                                             "more_devices", "partial", "host"};
static const char *const titles[QUANTITIES] = {
    "KV cache, all devices",
    "recurrent state, all devices",
    "model buffer of a GPU, mixture by its name",
    "compute buffer, all layers on one device",
    "compute buffer, several devices",
    "compute buffer, layers on the host",
    "compute buffer of the host",
};

struct tally {
    uint64_t count, exact, within_1, within_10, inside; // inside: of the bound that an answer gives
};

static uint64_t hundredths(uint64_t bytes)
{
    return (bytes * 100 + (1 << 19)) >> 20;
}

// The bound of a compute buffer, in hundredths; a log rounds them.
static bool is_inside(const struct start *start, const struct kvb_llama_buffers *buffers, uint64_t bytes, uint64_t seen)
{
    struct kvb_llama_range range =
        kvb_llama_compute_range(&start->run, bytes, buffers->compute_bounded, buffers->mask_bytes);
    return seen + EXACT >= hundredths(range.low) && seen <= hundredths(range.high) + EXACT;
}

static void add(struct tally *tally, uint64_t said, uint64_t seen)
{
    uint64_t off = said > seen ? said - seen : seen - said;
    tally->count++;
    tally->exact += off <= EXACT;
    tally->within_1 += off <= EXACT || off * 100 <= seen;
    tally->within_10 += off <= EXACT || off * 10 <= seen;
}

// The device that comes so manieth among those whose figure of this kind the log prints.
static bool seen_on(const struct start *start, uint32_t device, const char *kind, uint64_t *seen)
{
    static const char *const metal[] = {"Metal", "MTL0"};
    uint32_t found = 0;
    for (uint32_t number = 0; number < 16; number++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s%" PRIu32, start->backend, number);
        if (start_observed(start, name, kind, seen) && found++ == device) {
            return true;
        }
    }
    return device == 0 && found == 0 && strcmp(start->backend, "Metal") == 0 &&
           (start_observed(start, metal[0], kind, seen) || start_observed(start, metal[1], kind, seen));
}

static bool seen_on_host(const struct start *start, const char *kind, uint64_t *seen)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s_Host", start->backend);
    return start_observed(start, name, kind, seen) || start_observed(start, "CUDA_Host", kind, seen) ||
           start_observed(start, "CPU", kind, seen);
}

// What the log says of a kind, over all devices.
static bool seen_in_all(const struct start *start, const char *kind, uint64_t *sum)
{
    char ending[32];
    *sum = 0;
    (void)snprintf(ending, sizeof ending, ".%s=", kind);
    bool found = false;
    for (const char *at = strstr(start->observed, ending); at != NULL; at = strstr(at + 1, ending)) {
        char *end;
        uint64_t whole = strtoull(at + strlen(ending), &end, 10);
        uint64_t tenths = *end == '.' ? (uint64_t)(end[1] - '0') : 0;
        uint64_t rest = *end == '.' && end[2] >= '0' && end[2] <= '9' ? (uint64_t)(end[2] - '0') : 0;
        *sum += whole * 100 + tenths * 10 + rest;
        found = true;
    }
    return found;
}

static bool can_be_held(const struct start *start)
{
    return start->note[0] == '\0' || strcmp(start->note, "build by date") == 0;
}

static void hold_lasting(const struct start *start, const struct kvb_llama_buffers *buffers,
                         struct tally tallies[QUANTITIES])
{
    uint64_t cache = 0, state = 0, seen;
    for (uint32_t i = 0; i < KVB_LLAMA_PLACES; i++) {
        cache += buffers->places[i].cache_bytes;
        state += buffers->places[i].state_bytes;
    }
    if (seen_in_all(start, "kv", &seen)) {
        add(&tallies[CACHE], hundredths(cache), seen);
    }
    if (seen_in_all(start, "recurrent", &seen)) {
        add(&tallies[STATE], hundredths(state), seen);
    }
    for (uint32_t i = 0; start->run.mixture != 0 && i < start->run.devices; i++) {
        if (buffers->places[i].model_bytes > 0 && strstr(start->observed, "_Split") == NULL &&
            seen_on(start, i, "model", &seen)) {
            add(&tallies[MODEL], hundredths(buffers->places[i].model_bytes), seen);
        }
    }
}

static void hold_compute(const struct start *start, const struct kvb_llama_buffers *buffers,
                         struct tally tallies[QUANTITIES], char line[256])
{
    const struct kvb_llama_run *run = &start->run;
    bool whole = run->gpu_layers > run->model->layer_count && run->cpu_experts == 0;
    uint64_t seen;
    line[0] = '\0';
    for (uint32_t i = 0; i < run->devices; i++) {
        enum quantity quantity = !whole ? PARTIAL : run->devices > 1 ? MORE_DEVICES : ONE_DEVICE;
        if (seen_on(start, i, "compute", &seen)) {
            uint64_t said = hundredths(buffers->places[i].compute_bytes);
            add(&tallies[quantity], said, seen);
            tallies[quantity].inside += is_inside(start, buffers, buffers->places[i].compute_bytes, seen);
            size_t length = strlen(line);
            (void)snprintf(line + length, 256 - length, "%s%" PRIu64 ".%02" PRIu64 " / %" PRIu64 ".%02" PRIu64,
                           length > 0 ? ", " : "", said / 100, said % 100, seen / 100, seen % 100);
        }
    }
    if (seen_on_host(start, "compute", &seen)) {
        uint64_t said = hundredths(buffers->places[KVB_LLAMA_HOST].compute_bytes);
        struct tally *tally = &tallies[run->devices == 0 ? ONE_DEVICE : HOST];
        add(tally, said, seen);
        tally->inside += is_inside(start, buffers, buffers->places[KVB_LLAMA_HOST].compute_bytes, seen);
        if (run->devices == 0) {
            (void)snprintf(line, 256, "%" PRIu64 ".%02" PRIu64 " / %" PRIu64 ".%02" PRIu64, said / 100, said % 100,
                           seen / 100, seen % 100);
        }
    }
}

static void print_table(const struct tally tallies[QUANTITIES])
{
    (void)printf("| quantity | figures | exact | within 1 %% | within 10 %% | inside the bound |\n"
                 "|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < QUANTITIES; i++) {
        const struct tally *tally = &tallies[i];
        (void)printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", titles[i], tally->count,
                     tally->exact, tally->within_1, tally->within_10);
        if (i >= ONE_DEVICE) { // the others have none
            (void)printf(" %" PRIu64, tally->inside);
        }
        (void)printf(" |\n");
    }
}

static void print_page(struct tally tallies[GROUPS][QUANTITIES], const char *rows)
{
    (void)printf("# Starts of llama.cpp counted again\n\n"
                 "Written by a test from `tests/llamacpp/starts.csv`: public logs with their model, settings and "
                 "buffers.\n"
                 "Exact is 0.06 MiB, as logs round.\n\n");
    print_table(tallies[KNOWN]);
    (void)printf(
        "\n## Starts found later\n\n"
        "`tests/llamacpp/fresh.csv`: logs that were looked for when the rules stood. A hash of the source parts "
        "them: the first half was\nlooked into where it differed, the second only added up.\n\n"
        "### The half that was looked into\n\n");
    print_table(tallies[BUILD]);
    (void)printf("\n### The half that was only added up\n\n");
    print_table(tallies[HELD]);
    (void)printf("\n## Each start\n\nEach start, compute buffers in MiB as counted / as printed, of the GPUs in order, "
                 "or of the host "
                 "where there is no GPU:\n\n| start | class | build | compute | left out because |\n"
                 "|---|---|---|---|---|\n%s",
                 rows);
}

static bool names(const char *key, enum group group, uint32_t quantity)
{
    char whole[48];
    (void)snprintf(whole, sizeof whole, "%s%s%s", groups[group], group == KNOWN ? "" : ".", keys[quantity]);
    return strcmp(whole, key) == 0;
}

static int check_floors(const char *path, struct tally tallies[GROUPS][QUANTITIES])
{
    char key[32];
    unsigned count, exact, within_1;
    int missed = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*[^\n]") == EOF) {
        return 2;
    }
    while (fscanf(file, " %31[^,],%u,%u,%u", key, &count, &exact, &within_1) == 4) {
        for (uint32_t i = 0; i < GROUPS * QUANTITIES; i++) {
            const struct tally *tally = &tallies[i / QUANTITIES][i % QUANTITIES];
            if (names(key, (enum group)(i / QUANTITIES), i % QUANTITIES) &&
                (tally->count < count || tally->exact < exact || tally->within_1 < within_1)) {
                (void)fprintf(stderr, "%s: %" PRIu64 " figures, %" PRIu64 " exact, %" PRIu64 " within 1 %%\n", key,
                              tally->count, tally->exact, tally->within_1);
                missed = 1;
            }
        }
    }
    (void)fclose(file);
    return missed;
}

static enum group group_of(const struct start *start)
{
    return strcmp(start->half, "build") == 0 ? BUILD : strcmp(start->half, "held") == 0 ? HELD : KNOWN;
}

static bool read_file(const char *path, struct tally tallies[GROUPS][QUANTITIES], char *rows, size_t size)
{
    static struct start start;
    static struct kvb_llama_buffers buffers;
    char line[256];
    size_t length = strlen(rows);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*[^\n]%*c") == EOF) {
        return false;
    }
    while (start_next(file, &start)) {
        bool held = can_be_held(&start);
        struct tally unused[QUANTITIES] = {{0, 0, 0, 0, 0}};
        enum group group = group_of(&start);
        kvb_llama_all_buffers(&start.run, &buffers);
        hold_lasting(&start, &buffers, held ? tallies[group] : unused);
        hold_compute(&start, &buffers, held ? tallies[group] : unused, line);
        if (group != HELD && length < size) {
            length +=
                (size_t)snprintf(rows + length, size - length, "| [%s](%s) | %s | b%" PRIu32 " | %s | %s |\n", start.id,
                                 start.source, start.architecture, start.run.build, line, held ? "" : start.note);
        }
    }
    (void)fclose(file);
    return true;
}

int main(int argc, char **argv)
{
    static char rows[131072];
    static struct tally tallies[GROUPS][QUANTITIES];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--floors") == 0 && i + 1 < argc) {
            return check_floors(argv[i + 1], tallies);
        }
        if (!read_file(argv[i], tallies, rows, sizeof rows)) {
            return 2;
        }
    }
    print_page(tallies, rows);
    return 0;
}
