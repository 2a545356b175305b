// A deployment on its way out of a file: made, told its comments when the next one's start is known, handed over.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/text.h"
#include "manifest/manifest_found.h"
#include "manifest/templates.h"

struct kvb_found *kvb_found_new(struct kvb_manifest *manifest, const char *kind, const char *name, size_t offset)
{
    struct kvb_found *found = &manifest->pending->slots[manifest->pending->next];
    memset(found, 0, offsetof(struct kvb_found, problems));
    kvb_problems_init(&found->problems);
    found->kind = kind;
    found->place = kvb_source_spot(manifest, offset);
    (void)kvb_copy(found->name, sizeof found->name, kvb_template_shown(manifest, name));
    kvb_deployment_init(&found->deployment);
    return found;
}

struct kvb_resident_entry *kvb_found_residents(struct kvb_manifest *manifest, const struct kvb_found *found)
{
    struct kvb_resident_entry **room = &manifest->pending->residents[found == &manifest->pending->slots[1]];
    size_t size = KVB_RESIDENTS_MAX * sizeof **room;
    if (*room == NULL) {
        *room = kvb_arena_take(&manifest->arena, size);
        manifest->out_of_memory = manifest->out_of_memory || *room == NULL;
    }
    if (*room != NULL) {
        memset(*room, 0, size);
    }
    return *room;
}

enum kvb_status kvb_found_problem(struct kvb_manifest *manifest, struct kvb_found *found, enum kvb_status status,
                                  size_t offset, const char *format, ...)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY];
    struct kvb_spot spot = kvb_source_spot(manifest, offset);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    found->status = found->status == KVB_OK ? status : found->status;
    return kvb_problem_add(&found->problems, KVB_ERROR, status,
                           (struct kvb_place){manifest->file, spot.line, spot.column}, "%s", text);
}

// ---- what is no deployment

// A program that is told its model by whoever calls it, and asks no environment for it.
static bool is_told_its_model(const struct kvb_manifest *manifest, const struct kvb_found *found,
                              const struct kvb_words *words)
{
    bool asks = false;
    for (uint32_t i = 0; i < words->count; i++) {
        const char *unknown = words->items[i].unknown;
        asks = asks || (unknown != NULL &&
                        (strstr(unknown, "environ") != NULL || kvb_variable_find(manifest->asked, unknown) != NULL));
    }
    return strcmp(found->kind, "python") == 0 && found->deployment.model[0] == '\0' && !asks;
}

// A runtime of KServe: services that name it bring the model, which is mounted there.
static bool is_runtime(const struct kvb_found *found)
{
    static const char *const kinds[] = {"ServingRuntime/", "ClusterServingRuntime/", "LLMInferenceServiceConfig/",
                                        "Template/"};
    bool runtime = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        runtime = runtime || kvb_starts_with(found->name, kinds[i]);
    }
    return runtime && kvb_starts_with(found->deployment.model, "/mnt/models");
}

bool kvb_found_lacks_model(const struct kvb_manifest *manifest, const struct kvb_found *found,
                           const struct kvb_words *words)
{
    return !manifest->commented && (is_told_its_model(manifest, found, words) || is_runtime(found));
}

// ---- comments

static bool copy_to(char *out, size_t capacity, const char *value)
{
    return value[0] != '\0' && kvb_copy(out, capacity, value);
}

static void take_comment(void *context, const char *key, const char *value, struct kvb_spot spot)
{
    struct kvb_found *found = context;
    struct kvb_deployment *deployment = &found->deployment;
    bool fine = false;
    if (strcmp(key, "gpu") == 0) {
        fine = copy_to(deployment->gpu, sizeof deployment->gpu, value);
        found->gpu = spot;
        found->gpu_label[0] = '\0';
        deployment->inline_gpu = false;
    } else if (strcmp(key, "gpu-memory") == 0) {
        fine = kvb_parse_bytes(value, &deployment->gpu_memory_bytes) && deployment->gpu_memory_bytes > 0;
        found->gpu = spot;
    } else if (strcmp(key, "gpu-free") == 0) {
        fine = deployment->gpu_free_stated = kvb_parse_bytes(value, &deployment->gpu_free_bytes);
    } else if (strcmp(key, "model") == 0) {
        fine = copy_to(deployment->model, sizeof deployment->model, value);
        deployment->inline_model = false;
        found->model = spot;
    } else if (strcmp(key, "engine") == 0) {
        fine = copy_to(deployment->engine, sizeof deployment->engine, value);
        found->engine = spot;
    }
    if (!fine) {
        found->status = found->status == KVB_OK ? KVB_BAD_SYNTAX : found->status;
        (void)kvb_problem_add(&found->problems, KVB_ERROR, KVB_BAD_SYNTAX,
                              (struct kvb_place){NULL, spot.line, spot.column},
                              "the comment for kvbudget says '%.60s%s%.60s'; expected gpu=NAME, gpu-memory=SIZE, "
                              "gpu-free=SIZE, model=NAME or engine=NAME@VERSION",
                              key, value[0] != '\0' ? "=" : "", value);
    }
}

// Comments on top of the file, then its own, which win.
static void apply_comments(struct kvb_manifest *manifest, struct kvb_found *found, uint32_t first, uint32_t last)
{
    uint32_t header = kvb_source_header(manifest), before = found->problems.count;
    kvb_source_comments(manifest, 1, header, take_comment, found);
    kvb_source_comments(manifest, first > header ? first : header + 1, last, take_comment, found);
    for (uint32_t i = before; i < found->problems.count; i++) {
        (void)kvb_copy(found->problems.items[i].file, sizeof found->problems.items[i].file, manifest->file);
    }
}

// ---- the same twice

static uint64_t mix(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++) { // FNV-1a
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text, strlen(text) + 1);
}

// All that two branches of a script would have to differ in to be two deployments.
static uint64_t identity_of(const struct kvb_found *found)
{
    const struct kvb_deployment *deployment = &found->deployment;
    const char *const texts[] = {found->kind,
                                 found->name,
                                 deployment->model,
                                 deployment->engine,
                                 deployment->gpu,
                                 deployment->overrides,
                                 deployment->name,
                                 deployment->draft_model,
                                 found->gpu_label,
                                 found->devices,
                                 found->foreign != NULL ? found->foreign : ""};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hash = mix_text(hash, texts[i]);
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &deployment->settings.values[i];
        uint64_t number = value->set ? value->number + 1 : 0;
        hash = mix(hash, &number, sizeof number);
    }
    hash = mix(hash, &deployment->gpu_memory_bytes, sizeof deployment->gpu_memory_bytes);
    return mix(hash, &found->apart, sizeof found->apart);
}

// True when one like it was handed over before: a branch that says the same again.
static bool is_again(struct kvb_manifest *manifest, const struct kvb_found *found)
{
    struct kvb_pending *pending = manifest->pending;
    uint64_t identity = identity_of(found);
    bool own = strcmp(found->kind, "profile") == 0; // profiles are written one by one
    for (uint32_t i = 0; i < pending->identity_count && !own; i++) {
        if (pending->identities[i] == identity) {
            return true;
        }
    }
    if (pending->identity_count == pending->identity_capacity) {
        uint32_t capacity = pending->identity_capacity > 0 ? pending->identity_capacity * 2 : 16;
        uint64_t *grown = kvb_manifest_take(manifest, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        if (pending->identity_count > 0) {
            memcpy(grown, pending->identities, pending->identity_count * sizeof *grown);
        }
        pending->identities = grown;
        pending->identity_capacity = capacity;
    }
    pending->identities[pending->identity_count++] = identity;
    return false;
}

// ---- handing over

#define LINES_MAX 400U // of one command

// The last line of a command in text: of its last flag, and those that are continued behind it.
static uint32_t last_line(const struct kvb_manifest *manifest, const struct kvb_found *found)
{
    uint32_t first = found->place.line, last = first;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        uint32_t line = found->settings[i].line;
        last = line > last && line < first + LINES_MAX ? line : last;
    }
    last = found->model.line > last && found->model.line < first + LINES_MAX ? found->model.line : last;
    while (last > 0 && last < manifest->line_count && last < first + LINES_MAX) {
        size_t end = manifest->lines[last] - 1; // of the line break
        end -= end > 0 && manifest->text[end - 1] == '\r';
        if (end == 0 || manifest->text[end - 1] != '\\') {
            break;
        }
        last++;
    }
    return last;
}

static enum kvb_status hand_over(struct kvb_manifest *manifest, uint32_t next_scope)
{
    struct kvb_pending *pending = manifest->pending;
    struct kvb_found *found = &pending->slots[1 - pending->next];
    uint32_t first = pending->scope_line, last = next_scope > 0 ? next_scope - 1 : UINT32_MAX - 1;
    if (manifest->tree == NULL) { // in text a comment stands above its command or at the end of its lines
        first = pending->last_line + 1;
        last = last_line(manifest, found);
        last = next_scope > found->place.line && last >= next_scope ? next_scope - 1 : last;
    } else if (last < first) {
        last = UINT32_MAX - 1;
    }
    apply_comments(manifest, found, first, last);
    pending->last_line = manifest->tree == NULL ? last : found->place.line;
    pending->full = false;
    if (is_again(manifest, found)) {
        return KVB_OK;
    }
    pending->count++;
    return pending->take(pending->context, found);
}

enum kvb_status kvb_found_emit(struct kvb_manifest *manifest, struct kvb_found *found, uint32_t scope_line)
{
    struct kvb_pending *pending = manifest->pending;
    enum kvb_status status = KVB_OK;
    manifest->out_of_memory = manifest->out_of_memory || found->status == KVB_NO_MEMORY;
    scope_line = kvb_source_above(manifest, scope_line > 0 ? scope_line : found->place.line);
    if (pending->full) {
        status = hand_over(manifest, scope_line);
    }
    pending->next = 1 - pending->next;
    pending->scope_line = scope_line;
    pending->full = true;
    return status;
}

enum kvb_status kvb_found_flush(struct kvb_manifest *manifest, uint32_t next_line)
{
    return manifest->pending->full ? hand_over(manifest, next_line) : KVB_OK;
}

uint32_t kvb_found_count(const struct kvb_manifest *manifest)
{
    return manifest->pending->count + manifest->pending->full;
}
