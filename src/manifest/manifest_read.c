// A file read as what it is: a template of a chart filled with its values, anything else as it stands.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "manifest/chart.h"
#include "manifest/filled.h"
#include "manifest/manifest_format.h"
#include "manifest/manifest_found.h"
#include "text/files.h"

#define LENIENT_MAX_BYTES ((size_t)4 << 20)

static enum kvb_status no_memory(const char *file, struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file},
                           "not enough memory to read it");
}

// One text with a manifest of its own.
static enum kvb_status read_one(struct kvb_manifest *manifest, kvb_found_taker *take, void *context,
                                struct kvb_manifest_seen *seen)
{
    struct kvb_pending *pending = kvb_reallocate(NULL, sizeof *pending);
    *seen = (struct kvb_manifest_seen){0};
    if (pending == NULL) {
        return no_memory(manifest->file, manifest->problems);
    }
    memset(pending, 0, offsetof(struct kvb_pending, slots));
    pending->take = take;
    pending->context = context;
    manifest->pending = pending;
    kvb_arena_init(&manifest->arena);
    enum kvb_status status = kvb_manifest_read_opened(manifest);
    seen->deployments = pending->count;
    seen->not_understood = manifest->not_understood;
    kvb_arena_free(&manifest->arena);
    kvb_free(pending);
    return status;
}

// ---- a template of a chart

struct template
{
    const char *file, *text, *folder;
    size_t length;
    const struct kvb_manifest_options *options;
    kvb_found_taker *take;
    void *context;
    struct kvb_problems *problems;
};

// As it stands, and each deployment is told what kept it from being filled.
static enum kvb_status read_unfilled(const struct template *template, struct kvb_filled *filled,
                                     struct kvb_manifest_seen *seen)
{
    struct kvb_manifest_options options = *template->options;
    options.lenient = true;
    struct kvb_manifest manifest = {.file = template->file,
                                    .text = template->text,
                                    .length = template->length,
                                    .options = &options,
                                    .problems = template->problems};
    filled->rendered = NULL;
    enum kvb_status status = read_one(&manifest, kvb_filled_take, filled, seen);
    seen->not_understood = seen->not_understood || seen->deployments == 0;
    return status;
}

static enum kvb_status read_rendered(const struct template *template, struct kvb_filled *filled,
                                     struct kvb_manifest_seen *seen)
{
    const struct kvb_buffer *out = &filled->chart->run.out;
    struct kvb_manifest_options options = *template->options;
    options.lenient = true;
    struct kvb_manifest manifest = {.file = template->file,
                                    .text = kvb_buffer_text(out),
                                    .length = out->length,
                                    .options = &options,
                                    .problems = template->problems,
                                    .templated = true,
                                    .filled = true,
                                    .holes = filled->chart->room.holes};
    if (!kvb_manifest_may_hold(manifest.text)) {
        return KVB_OK;
    }
    filled->rendered = &manifest;
    return read_one(&manifest, kvb_filled_take, filled, seen);
}

// The chart with one file of values. What cannot be filled, or comes to nothing for want of a value, is read as it
// stands.
static enum kvb_status read_filled(const struct template *template, struct kvb_chart *chart, const char *overlay,
                                   struct kvb_manifest_seen *seen)
{
    struct kvb_filled filled = {.chart = chart,
                                .overlay = overlay,
                                .file = template->file,
                                .take = template->take,
                                .context = template->context,
                                .copy = kvb_room(sizeof *filled.copy, template->problems)};
    bool open = chart->failure != NULL || chart->run.open_count > 0;
    enum kvb_status status = KVB_NO_MEMORY;
    *seen = (struct kvb_manifest_seen){0};
    if (filled.copy != NULL && kvb_filled_open(&filled, template->text, template->length)) {
        status = chart->rendered ? read_rendered(template, &filled, seen) : KVB_OK;
        bool broken = seen->not_understood && chart->room.holes != NULL;
        if (status == KVB_OK && seen->deployments == 0 && (open || broken) && overlay == NULL) {
            status = read_unfilled(template, &filled, seen);
        }
    }
    kvb_filled_close(&filled);
    kvb_free(filled.copy);
    return status == KVB_NO_MEMORY ? no_memory(template->file, template->problems) : status;
}

static bool is_same(const struct kvb_buffer *a, const struct kvb_buffer *b)
{
    return a->length == b->length && memcmp(kvb_buffer_text(a), kvb_buffer_text(b), a->length) == 0;
}

// With the values of each place that has its own, where they make a difference.
static enum kvb_status read_overlays(const struct template *template, const struct kvb_chart *base,
                                     struct kvb_manifest_seen *seen)
{
    struct kvb_chart_overlays *overlays = kvb_room(sizeof *overlays, template->problems);
    enum kvb_status status = overlays != NULL ? KVB_OK : KVB_NO_MEMORY;
    if (overlays != NULL) {
        kvb_chart_list_overlays(overlays, template->options->files, template->folder);
    }
    for (uint32_t i = 0; status == KVB_OK && i < overlays->count; i++) {
        struct kvb_manifest_seen more = {0};
        struct kvb_chart chart;
        bool made = kvb_chart_render(&chart, template->options->files, template->folder, template->text,
                                     overlays->names[i], kvb_manifest_may_hold);
        if (!made) {
            status = no_memory(template->file, template->problems);
        } else if (chart.rendered && !is_same(&chart.run.out, &base->run.out)) {
            status = read_filled(template, &chart, overlays->names[i], &more);
            seen->deployments += more.deployments;
        }
        kvb_chart_free(&chart);
    }
    kvb_free(overlays);
    return status;
}

static enum kvb_status read_template(const struct template *template, struct kvb_manifest_seen *seen)
{
    struct kvb_chart chart;
    enum kvb_status status = KVB_OK;
    bool made = kvb_chart_render(&chart, template->options->files, template->folder, template->text, NULL,
                                 kvb_manifest_may_hold);
    bool speaks = kvb_manifest_may_hold(template->text) || chart.speaks;
    if (!made) {
        status = no_memory(template->file, template->problems);
    } else if (speaks) {
        status = read_filled(template, &chart, NULL, seen);
        status = status == KVB_OK && chart.rendered ? read_overlays(template, &chart, seen) : status;
        bool pod = strstr(template->text, "image:") != NULL && kvb_manifest_speaks(template->text);
        seen->not_understood = seen->deployments == 0 && (seen->not_understood || pod);
    }
    kvb_chart_free(&chart);
    return status;
}

// A part that others include is read where they do.
static bool is_part(const char *file)
{
    return kvb_last_part(file)[0] == '_';
}

static bool is_rendered(const char *file, const char *text)
{
    bool ending = kvb_ends_with(file, ".yaml") || kvb_ends_with(file, ".yml") || kvb_ends_with(file, ".tpl");
    return ending && strstr(text, "{{") != NULL;
}

// ---- values of a chart

static enum kvb_status count_one(void *context, const struct kvb_found *found)
{
    (void)found;
    ++*(uint32_t *)context;
    return KVB_OK;
}

// Servers that templates of the chart make of its values.
static uint32_t count_of_template(const struct kvb_manifest_options *options, const char *folder, const char *path)
{
    struct kvb_file file;
    uint32_t count = 0;
    struct kvb_manifest_seen seen;
    if (is_part(path) || kvb_files_read(options->files, &file, path, LENIENT_MAX_BYTES, NULL) != KVB_OK) {
        return 0;
    }
    struct kvb_problems *problems = kvb_room(sizeof *problems, NULL);
    const struct template template = {path, file.text, folder, file.length, options, count_one, &count, problems};
    if (problems != NULL && is_rendered(path, file.text) && memchr(file.text, '\0', file.length) == NULL) {
        (void)read_template(&template, &seen);
    }
    kvb_free(problems);
    kvb_file_free(&file);
    return count;
}

// True for the values of a chart whose own templates start servers with them: those are read in the templates.
static bool are_values_of_chart(const struct kvb_manifest_options *options, const char *file)
{
    char folder[KVB_CHART_PATH_CAPACITY], templates[KVB_CHART_PATH_CAPACITY];
    const char *name = kvb_last_part(file);
    struct kvb_folder found;
    uint32_t count = 0;
    if (!kvb_starts_with(name, "values") || !kvb_copy(folder, sizeof folder, file)) {
        return false;
    }
    folder[name - file] = '\0';
    if (!kvb_copy(templates, sizeof templates, folder) || strlen(templates) + sizeof "templates" > sizeof templates) {
        return false;
    }
    kvb_add_text(templates, sizeof templates, "templates");
    if (kvb_files_list(options->files, &found, templates, NULL) != KVB_OK) {
        return false;
    }
    for (size_t i = 0; i < found.count && count == 0; i++) {
        char path[KVB_CHART_PATH_CAPACITY], chart[KVB_CHART_PATH_CAPACITY];
        int size = snprintf(path, sizeof path, "%s/%s", templates, found.entries[i].name);
        bool fits = size > 0 && size < KVB_CHART_PATH_CAPACITY && !found.entries[i].is_folder;
        if (fits && kvb_chart_folder(options->files, path, chart)) {
            count += count_of_template(options, chart, path);
        }
    }
    kvb_folder_free(&found);
    return count > 0;
}

// ---- any file

enum kvb_status kvb_manifest_read(const char *file, const char *text, size_t length,
                                  const struct kvb_manifest_options *options, kvb_found_taker *take, void *context,
                                  struct kvb_manifest_seen *seen, struct kvb_problems *problems)
{
    char folder[KVB_CHART_PATH_CAPACITY];
    struct kvb_manifest manifest = {
        .file = file, .text = text, .length = length, .options = options, .problems = problems};
    bool binary = length > 0 && memchr(text, '\0', length) != NULL;
    *seen = (struct kvb_manifest_seen){0};
    bool candidate = kvb_manifest_is_candidate(file) || kvb_starts_with(text, "#!");
    bool chart = !binary && candidate && is_rendered(file, text) && kvb_chart_folder(options->files, file, folder);
    if (chart && is_part(file) && options->lenient) {
        return KVB_OK;
    }
    if (chart) {
        const struct template template = {file, text, folder, length, options, take, context, problems};
        return read_template(&template, seen);
    }
    if (options->lenient &&
        (binary || !candidate || !kvb_manifest_may_hold(text) || are_values_of_chart(options, file))) {
        return KVB_OK;
    }
    if (binary) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){.file = file},
                               "this is no text: a NUL byte is in it");
    }
    enum kvb_status status = read_one(&manifest, take, context, seen);
    seen->not_understood =
        seen->not_understood || (seen->deployments == 0 && !manifest.own_file && kvb_manifest_speaks(text));
    return status;
}

enum kvb_status kvb_manifest_load(const char *path, const struct kvb_manifest_options *options, kvb_found_taker *take,
                                  void *context, struct kvb_manifest_seen *seen, struct kvb_problems *problems)
{
    struct kvb_file file;
    *seen = (struct kvb_manifest_seen){0};
    size_t most = options->lenient ? LENIENT_MAX_BYTES : KVB_FILE_MAX_BYTES;
    enum kvb_status status = kvb_files_read(options->files, &file, path, most, problems);
    if (status == KVB_OK) {
        const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
        status = kvb_manifest_read(name, file.text, file.length, options, take, context, seen, problems);
        kvb_file_free(&file);
    }
    return status;
}
