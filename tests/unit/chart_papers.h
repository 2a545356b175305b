// Charts in memory, and the deployments that are read of one of their files, in words.
#ifndef KVB_TESTS_CHART_PAPERS_H
#define KVB_TESTS_CHART_PAPERS_H

#include <stdio.h>
#include <string.h>

#include <kvbudget/manifest.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "text/files.h"
#include "unit/test.h"

// A link has no text; CLOSED cannot be read.
struct paper {
    const char *path, *text;
};
#define CLOSED "\x01"

static struct kvb_buffer seen;
static struct kvb_problems problems;

static enum kvb_status read_paper(void *context, struct kvb_file *file, const char *path, size_t max_bytes,
                                  struct kvb_problems *said)
{
    (void)max_bytes;
    for (const struct paper *paper = context; paper->path != NULL; paper++) {
        if (strcmp(paper->path, path) == 0 && paper->text != NULL && paper->text[0] != 1) {
            file->length = strlen(paper->text);
            file->text = kvb_reallocate(NULL, file->length + 1);
            if (file->text == NULL) {
                return KVB_NO_MEMORY;
            }
            memcpy(file->text, paper->text, file->length + 1);
            return KVB_OK;
        }
    }
    return kvb_problem_add(said, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){.file = path}, "it is not there");
}

static enum kvb_status list_papers(void *context, struct kvb_folder *folder, const char *path,
                                   struct kvb_problems *said)
{
    size_t capacity = 0, length = strcmp(path, ".") == 0 ? 0 : strlen(path);
    *folder = (struct kvb_folder){0};
    for (const struct paper *paper = context; paper->path != NULL; paper++) {
        const char *rest = paper->path + length + (length > 0);
        bool below = strncmp(paper->path, path, length) == 0 && (length == 0 || paper->path[length] == '/');
        char name[1024];
        if (length == 0 || below) {
            (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "/"), rest);
            bool again = folder->count > 0 && strcmp(folder->entries[folder->count - 1].name, name) == 0;
            if (!again &&
                !kvb_folder_add(folder, &capacity, name, strchr(rest, '/') != NULL, paper->text == NULL)) {
                kvb_folder_free(folder);
                return KVB_NO_MEMORY;
            }
        }
    }
    return folder->count > 0
               ? KVB_OK
               : kvb_problem_add(said, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){.file = path}, "it is not there");
}

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    const struct kvb_setting_value *length = &found->deployment.settings.values[KVB_SET_MAX_MODEL_LEN];
    const struct kvb_spot at = found->settings[KVB_SET_MAX_MODEL_LEN];
    kvb_buffer_printf(&seen, "%s@%u:%u %s", found->name, (unsigned)found->place.line, (unsigned)found->place.column,
                      found->deployment.model);
    if (length->set) {
        kvb_buffer_printf(&seen, " %u@%u:%u", (unsigned)length->number, (unsigned)at.line, (unsigned)at.column);
    }
    const struct kvb_region *region = &found->values[KVB_SET_MAX_MODEL_LEN];
    if (region->first.line > 0) {
        kvb_buffer_printf(&seen, "+%u:%u", (unsigned)region->first.column, (unsigned)region->characters);
    }
    kvb_buffer_printf(&seen, " %s", found->deployment.engine);
    for (uint32_t i = 0; i < found->problems.count; i++) {
        if (found->problems.items[i].severity == KVB_ERROR) {
            kvb_buffer_printf(&seen, " !%u:%u %s", (unsigned)found->problems.items[i].line,
                              (unsigned)found->problems.items[i].column, found->problems.items[i].text);
        }
    }
    kvb_buffer_add(&seen, "\n");
    return KVB_OK;
}

static void reads(struct paper *papers, const char *path, const char *wanted, bool not_understood)
{
    const struct kvb_files files = {papers, read_paper, list_papers};
    const struct kvb_manifest_options options = {.lenient = true, .files = &files};
    struct kvb_manifest_seen result;
    kvb_buffer_init(&seen);
    kvb_buffer_add(&seen, "");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_manifest_load(path, &options, take, NULL, &result, &problems), KVB_OK);
    assert_string_equal(kvb_buffer_text(&seen), wanted);
    assert_int_equal(result.not_understood, not_understood);
    kvb_buffer_free(&seen);
}

#define CHART                                                                                                          \
    {                                                                                                                  \
        "c/Chart.yaml", "name: chat\nappVersion: v0.11.0\n"                                                            \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, NULL                                                                                                     \
    }

// The image's tag is the chart's version; flags that are written out keep their place.
static const char pod[] = "kind: Deployment\n"
                          "apiVersion: apps/v1\n"
                          "metadata:\n"
                          "  name: {{ include \"chat.name\" . }}\n"
                          "spec:\n"
                          "  template:\n"
                          "    spec:\n"
                          "      containers:\n"
                          "        - image: \"{{ .Values.image }}:{{ .Chart.AppVersion }}\"\n"
                          "          args:\n"
                          "            - --model={{ .Values.model.name }}\n"
                          "            - --max-model-len={{ .Values.length }}\n"
                          "            {{- range .Values.more }}\n"
                          "            - {{ . | quote }}\n"
                          "            {{- end }}\n";
#define HELPER                                                                                                         \
    {                                                                                                                  \
        "c/templates/_helpers.tpl", "{{ define \"chat.name\" }}{{ .Release.Name }}-x{{ end }}"                         \
    }

#endif
