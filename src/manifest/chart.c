// What lies beside a template of a chart: its values, those of the chart around it, its definitions.
#include "manifest/chart.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "text/tree.h"

#define FILE_MAX_BYTES ((size_t)2 << 20)
#define HELPERS_MAX 64U
#define FOLDERS_MAX 3U // below each other

struct opening {
    struct kvb_chart *chart;
    const struct kvb_files *files;
    const char *folder;
    bool (*speaks)(const char *text);
    uint32_t helpers;
};

// ---- where the chart is

static bool join3(char out[KVB_CHART_PATH_CAPACITY], const char *folder, size_t length, const char *name,
                  const char *end)
{
    int size = snprintf(out, KVB_CHART_PATH_CAPACITY, "%.*s%s%s", (int)length, folder, name, end);
    return size < KVB_CHART_PATH_CAPACITY;
}

static bool join(char out[KVB_CHART_PATH_CAPACITY], const char *folder, size_t length, const char *name)
{
    return join3(out, folder, length, name, "");
}

// The entries of a folder with a slash behind it, or of "".
static bool list(const struct kvb_files *files, const char *folder, struct kvb_folder *found)
{
    char path[KVB_CHART_PATH_CAPACITY];
    size_t length = strlen(folder);
    (void)join(path, length > 0 ? folder : ".", length > 0 ? length - 1 : 1, ""); // fits, as the folder did
    return kvb_files_list(files, found, path, NULL) == KVB_OK;
}

static bool is_there(const struct kvb_files *files, const char *path)
{
    struct kvb_file file;
    enum kvb_status status = kvb_files_read(files, &file, path, FILE_MAX_BYTES, NULL);
    if (status == KVB_OK) {
        kvb_file_free(&file);
    }
    return status == KVB_OK;
}

bool kvb_chart_folder(const struct kvb_files *files, const char *file, char folder[KVB_CHART_PATH_CAPACITY])
{
    char path[KVB_CHART_PATH_CAPACITY];
    for (const char *at = file; (at = strstr(at, "templates/")) != NULL; at++) {
        size_t length = (size_t)(at - file);
        bool begins = length == 0 || at[-1] == '/';
        if (begins && join(path, file, length, "Chart.yaml") && is_there(files, path)) {
            (void)join(folder, file, length, ""); // fits, as the longer path did
            return true;
        }
    }
    return false;
}

// ---- reading

// The text of a file in the chart's room; NULL: it is not there.
static const char *read_text(const struct opening *opening, const char *folder, const char *name)
{
    char path[KVB_CHART_PATH_CAPACITY];
    struct kvb_file file;
    if (!join(path, folder, strlen(folder), name) ||
        kvb_files_read(opening->files, &file, path, FILE_MAX_BYTES, NULL) != KVB_OK) {
        return NULL;
    }
    const char *text = kvb_helm_copy(&opening->chart->room, file.text, file.length);
    kvb_file_free(&file);
    opening->chart->speaks = opening->chart->speaks || opening->speaks(text);
    return text;
}

static void fail(struct kvb_chart *chart, size_t at, const char *why)
{
    if (chart->failure == NULL) {
        chart->failure = why;
        chart->failed_at = at;
    }
}

// Nothing but blanks and remarks, as the values of charts often begin.
static bool is_empty(const char *text)
{
    text += strspn(text, " \t\r\n");
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    return *text == '\0';
}

// An empty mapping where there is no such file, or nothing in it.
static struct kvb_helm_value read_values(const struct opening *opening, const char *folder, const char *name)
{
    struct kvb_helm_room *room = &opening->chart->room;
    struct kvb_helm_value values = kvb_helm_map(room);
    const char *text = read_text(opening, folder, name);
    struct kvb_tree tree;
    if (text == NULL || is_empty(text)) {
        return values;
    }
    const struct kvb_tree_part part = {0, 0, true, true};
    enum kvb_status status = kvb_tree_read_part(&tree, name, text, strlen(text), part, NULL);
    if (status != KVB_OK) {
        room->out_of_memory = room->out_of_memory || status == KVB_NO_MEMORY;
        fail(opening->chart, 0, "the values of its chart are no YAML");
        return values;
    }
    struct kvb_helm_value read = kvb_helm_from_node(room, tree.root);
    if (read.kind == KVB_HELM_MAP) {
        values = read;
    } else if (read.kind != KVB_HELM_NIL) {
        fail(opening->chart, 0, "the values of its chart are no mapping");
    }
    kvb_tree_free(&tree);
    return values;
}

static void read_helper(struct opening *opening, const char *folder, const char *name)
{
    const struct kvb_helm_step_node *root = NULL;
    struct kvb_helm_define *before = opening->chart->run.defines;
    struct kvb_helm_slip slip;
    bool helper = name[0] == '_' || kvb_ends_with(name, ".tpl");
    if (!helper) {
        return;
    }
    opening->helpers++;
    const char *text = read_text(opening, folder, name);
    if (text != NULL && !kvb_helm_parse(&opening->chart->room, text, &opening->chart->run.defines, &root, &slip)) {
        opening->chart->run.defines = before; // what it defines is not known where it is included
    }
}

static void read_helpers(struct opening *opening, const char *folder, unsigned depth)
{
    struct kvb_folder found;
    char below[KVB_CHART_PATH_CAPACITY];
    if (depth > FOLDERS_MAX || !list(opening->files, folder, &found)) {
        return;
    }
    for (size_t i = 0; i < found.count && opening->helpers < HELPERS_MAX; i++) {
        const struct kvb_folder_entry *entry = &found.entries[i];
        bool fits = !entry->is_link && join3(below, folder, strlen(folder), entry->name, "/");
        if (fits && entry->is_folder) {
            read_helpers(opening, below, depth + 1);
        } else if (fits) {
            read_helper(opening, folder, entry->name);
        }
    }
    kvb_folder_free(&found);
}

// Definitions of charts inside this one come first, so that its own win.
static void read_definitions(struct opening *opening)
{
    char folder[KVB_CHART_PATH_CAPACITY], inner[KVB_CHART_PATH_CAPACITY];
    struct kvb_folder charts;
    (void)join(folder, opening->folder, strlen(opening->folder), "charts/"); // fits, as "Chart.yaml" did
    if (list(opening->files, folder, &charts)) {
        for (size_t i = 0; i < charts.count; i++) {
            const char *name = charts.entries[i].name;
            if (charts.entries[i].is_folder && join3(inner, folder, strlen(folder), name, "/templates/")) {
                read_helpers(opening, inner, 0);
            }
        }
        kvb_folder_free(&charts);
    }
    (void)join(folder, opening->folder, strlen(opening->folder), "templates/");
    read_helpers(opening, folder, 0);
}

// ---- values

// Of the chart around this one: what it says under this one's name, and what it says to all.
static void add_outer_values(const struct opening *opening, struct kvb_helm_value *values)
{
    size_t length = strlen(opening->folder), end = length > 0 ? length - 1 : 0, begin = end;
    struct kvb_helm_room *room = &opening->chart->room;
    while (begin > 0 && opening->folder[begin - 1] != '/') {
        begin--;
    }
    static const char charts[] = "charts/";
    size_t outer = begin >= sizeof charts - 1 ? begin - (sizeof charts - 1) : 0;
    if (begin < sizeof charts - 1 || strncmp(opening->folder + outer, charts, sizeof charts - 1) != 0 ||
        (outer > 0 && opening->folder[outer - 1] != '/')) {
        return;
    }
    const char *name = kvb_helm_copy(room, opening->folder + begin, end - begin);
    const char *folder = kvb_helm_copy(room, opening->folder, outer);
    struct kvb_helm_value given = read_values(opening, folder, "values.yaml");
    const struct kvb_helm_value *own = kvb_helm_get(&given, name), *global = kvb_helm_get(&given, "global");
    if (own != NULL) {
        kvb_helm_merge(room, values, own, true, true);
    }
    if (global != NULL && global->kind == KVB_HELM_MAP) {
        struct kvb_helm_value all = kvb_helm_map(room);
        kvb_helm_set(room, &all, "global", *global);
        kvb_helm_merge(room, values, &all, true, true);
    }
}

// The keys of Chart.yaml as templates know them.
static struct kvb_helm_value chart_of(const struct opening *opening)
{
    static const char *const names[][2] = {{"name", "Name"},
                                           {"version", "Version"},
                                           {"appVersion", "AppVersion"},
                                           {"description", "Description"},
                                           {"type", "Type"}};
    struct kvb_helm_room *room = &opening->chart->room;
    struct kvb_helm_value read = read_values(opening, opening->folder, "Chart.yaml"), chart = kvb_helm_map(room);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct kvb_helm_value *value = kvb_helm_get(&read, names[i][0]);
        if (value != NULL) {
            kvb_helm_set(room, &chart, names[i][1], *value);
        }
    }
    return chart;
}

// A release called like its chart, as nobody said how it is called.
static struct kvb_helm_value release_of(struct kvb_helm_room *room, const struct kvb_helm_value *chart)
{
    struct kvb_helm_value release = kvb_helm_map(room);
    const struct kvb_helm_value *name = kvb_helm_get(chart, "Name");
    kvb_helm_set(room, &release, "Name", name != NULL ? *name : kvb_helm_text("release"));
    kvb_helm_set(room, &release, "Namespace", kvb_helm_text("default"));
    kvb_helm_set(room, &release, "Service", kvb_helm_text("Helm"));
    kvb_helm_set(room, &release, "IsInstall", kvb_helm_bool(true));
    kvb_helm_set(room, &release, "IsUpgrade", kvb_helm_bool(false));
    kvb_helm_set(room, &release, "Revision", kvb_helm_whole(room, 1));
    return release;
}

static struct kvb_helm_value top_of(struct opening *opening, const char *overlay)
{
    struct kvb_helm_room *room = &opening->chart->room;
    struct kvb_helm_value values = read_values(opening, opening->folder, "values.yaml"), top = kvb_helm_map(room);
    add_outer_values(opening, &values);
    if (overlay != NULL) {
        struct kvb_helm_value more = read_values(opening, opening->folder, overlay);
        kvb_helm_merge(room, &values, &more, true, true);
    }
    if (kvb_helm_get(&values, "global") == NULL) {
        kvb_helm_set(room, &values, "global", kvb_helm_map(room));
    }
    struct kvb_helm_value chart = chart_of(opening);
    kvb_helm_set(room, &top, "Values", values);
    kvb_helm_set(room, &top, "Chart", chart);
    kvb_helm_set(room, &top, "Release", release_of(room, &chart));
    kvb_helm_set(room, &top, "Capabilities", kvb_helm_unknown(".Capabilities"));
    kvb_helm_set(room, &top, "Files", kvb_helm_unknown(".Files"));
    kvb_helm_set(room, &top, "Template", kvb_helm_unknown(".Template"));
    return top;
}

bool kvb_chart_render(struct kvb_chart *chart, const struct kvb_files *files, const char *folder, const char *text,
                      const char *overlay, bool (*speaks)(const char *text))
{
    struct opening opening = {.chart = chart, .files = files, .folder = folder, .speaks = speaks};
    const struct kvb_helm_step_node *root = NULL;
    struct kvb_helm_slip slip = {0};
    *chart = (struct kvb_chart){0};
    kvb_arena_init(&chart->room.arena);
    kvb_buffer_init(&chart->run.out);
    chart->run.room = &chart->room;
    chart->run.text = text;
    struct kvb_helm_value top = top_of(&opening, overlay);
    read_definitions(&opening);
    if (!kvb_helm_parse(&chart->room, text, &chart->run.defines, &root, &slip) && slip.at != NULL) {
        fail(chart, (size_t)(slip.at - text), slip.why);
    }
    if (chart->failure == NULL && kvb_helm_render(&chart->run, root, &top)) {
        chart->rendered = true;
    } else {
        fail(chart, 0, "filling it takes more work than any chart needs");
    }
    return !chart->room.out_of_memory;
}

void kvb_chart_free(struct kvb_chart *chart)
{
    kvb_helm_run_free(&chart->run);
    kvb_arena_free(&chart->room.arena);
}

// ---- values for other places

static void add_overlays(struct kvb_chart_overlays *overlays, const struct kvb_files *files, const char *folder,
                         const char *below)
{
    struct kvb_folder found;
    char path[KVB_CHART_PATH_CAPACITY];
    (void)join(path, folder, strlen(folder), below); // fits, as "Chart.yaml" did
    if (!list(files, path, &found)) {
        return;
    }
    for (size_t i = 0; i < found.count && overlays->count < KVB_CHART_OVERLAYS_MAX; i++) {
        const struct kvb_folder_entry *entry = &found.entries[i];
        bool yaml = kvb_ends_with(entry->name, ".yaml") || kvb_ends_with(entry->name, ".yml");
        bool named =
            below[0] != '\0' || (kvb_starts_with(entry->name, "values") && strcmp(entry->name, "values.yaml") != 0);
        char *name = overlays->names[overlays->count];
        if (yaml && named && !entry->is_folder && !entry->is_link &&
            strlen(below) + strlen(entry->name) < sizeof overlays->names[0]) {
            (void)kvb_copy(name, sizeof overlays->names[0], below);
            kvb_add_text(name, sizeof overlays->names[0], entry->name);
            overlays->count++;
        }
    }
    kvb_folder_free(&found);
}

void kvb_chart_list_overlays(struct kvb_chart_overlays *overlays, const struct kvb_files *files, const char *folder)
{
    overlays->count = 0;
    add_overlays(overlays, files, folder, "");
    add_overlays(overlays, files, folder, "values/");
}
