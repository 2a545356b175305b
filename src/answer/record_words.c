// Settings, environment and names of a start as cells of the field record.
#include "answer/record_words.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command/environment.h"
#include "command/setting_flag.h"

static void fill_length(struct kvb_settings *settings, const struct kvb_log_report *log)
{
    static const enum kvb_observation lengths[] = {KVB_OBS_NEEDED_FOR_LEN, KVB_OBS_CONCURRENCY_LEN,
                                                   KVB_OBS_MAX_MODEL_LEN};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const struct kvb_log_value *value = &log->observed[lengths[i]];
        if (value->set && value->value > 0) {
            kvb_settings_set(settings, KVB_SET_MAX_MODEL_LEN, (uint64_t)value->value, KVB_ORIGIN_DEFAULT);
        }
    }
}

void kvb_record_settings(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                         struct kvb_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    fill_length(settings, log);
    const struct kvb_log_value *utilization = &log->observed[KVB_OBS_UTILIZATION];
    if (utilization->set && utilization->value > 0) {
        kvb_settings_set(settings, KVB_SET_GPU_MEMORY_UTILIZATION, (uint64_t)utilization->value, KVB_ORIGIN_DEFAULT);
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *said = &deployment->settings.values[i];
        const struct kvb_setting_value *logged = &log->settings.values[i];
        if (said->set || logged->set) {
            settings->values[i] = said->set ? *said : *logged;
        }
    }
}

static bool is_written(const struct kvb_settings *settings, unsigned setting)
{
    const struct kvb_setting_value *value = &settings->values[setting];
    char text[48];
    return value->set && value->number != KVB_AUTO && setting != KVB_SET_TRUST_REMOTE_CODE &&
           (kvb_setting_row_of((enum kvb_setting)setting)->kind != KVB_VALUE_WORD ||
            strcmp(kvb_setting_format(text, (enum kvb_setting)setting, value->number), "other") != 0);
}

// The members of one JSON flag, without blanks: a cell is split at blanks when it is read.
static void add_json(char *out, size_t capacity, const struct kvb_engine_rows *engine,
                     const struct kvb_settings *settings, const char *flag, const char *draft_model)
{
    char json[512] = "";
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_part *part = kvb_part_of_setting(engine, (enum kvb_setting)i);
        if (part != NULL && strcmp(part->flag, flag) == 0 && is_written(settings, i)) {
            char text[64], member[160];
            const char *value = kvb_setting_part_value(text, part, settings->values[i].number);
            if (strcmp(value, "\"other\"") == 0) { // a word the vocabulary lacks is not one to pass on
                continue;
            }
            (void)snprintf(member, sizeof member, "%s\"%s\":%s", json[0] == '\0' ? "{" : ",", part->key, value);
            kvb_add_text(json, sizeof json, member);
        }
    }
    if (json[0] == '\0') {
        return;
    }
    if (draft_model[0] != '\0' && strcmp(flag, "speculative-config") == 0) {
        char name[KVB_NAME_CAPACITY], member[KVB_NAME_CAPACITY + 16];
        kvb_record_model_name(name, sizeof name, draft_model);
        (void)snprintf(member, sizeof member, ",\"model\":\"%s\"", name);
        kvb_add_text(json, sizeof json, member);
    }
    kvb_add_text(json, sizeof json, "}");
    kvb_add_text(out, capacity, out[0] == '\0' ? "--" : " --");
    kvb_add_text(out, capacity, flag);
    kvb_add_text(out, capacity, " ");
    kvb_add_text(out, capacity, json);
}

void kvb_record_write_overrides(char *out, size_t capacity, const char *overrides)
{
    bool inside = false;
    size_t used;
    if (overrides[0] == '\0') {
        return;
    }
    kvb_add_text(out, capacity, out[0] == '\0' ? "--hf-overrides " : " --hf-overrides ");
    used = strlen(out);
    for (const char *c = overrides; *c != '\0' && used + 7 < capacity; c++) {
        bool blank = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (blank && inside) {
            used += (size_t)snprintf(out + used, capacity - used, "\\u%04x", (unsigned)*c);
        } else if (!blank) {
            out[used++] = *c;
        }
        if (inside && *c == '\\' && c[1] != '\0') {
            out[used++] = *++c;
        } else if (*c == '"') {
            inside = !inside;
        }
        out[used] = '\0';
    }
}

static bool is_first_of_flag(const struct kvb_engine_rows *engine, unsigned setting,
                             const struct kvb_setting_part *part)
{
    for (unsigned i = 0; i < setting; i++) {
        const struct kvb_setting_part *earlier = kvb_part_of_setting(engine, (enum kvb_setting)i);
        if (earlier != NULL && strcmp(earlier->flag, part->flag) == 0) {
            return false;
        }
    }
    return true;
}

void kvb_record_write_settings(char *out, size_t capacity, const struct kvb_engine_rows *engine,
                               const struct kvb_settings *settings, const char *draft_model)
{
    out[0] = '\0';
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_part *part = kvb_part_of_setting(engine, (enum kvb_setting)i);
        char flag[KVB_FLAG_CAPACITY];
        if (part != NULL && is_first_of_flag(engine, i, part)) {
            add_json(out, capacity, engine, settings, part->flag, draft_model);
        } else if (part == NULL && is_written(settings, i) &&
                   kvb_serve_flag_of(engine, (enum kvb_setting)i, settings->values[i].number) != NULL) {
            kvb_add_text(out, capacity, out[0] == '\0' ? "" : " ");
            kvb_add_text(out, capacity,
                         kvb_setting_flag_of(flag, engine, (enum kvb_setting)i, settings->values[i].number));
        }
    }
}

void kvb_record_write_environment(char *out, size_t capacity, const struct kvb_environment *environment)
{
    char assignment[KVB_SWITCH_CAPACITY];
    out[0] = '\0';
    for (unsigned i = 0; kvb_environment_switch(environment, i, assignment); i++) {
        if (assignment[0] != '\0') {
            kvb_add_text(out, capacity, out[0] == '\0' ? "" : " ");
            kvb_add_text(out, capacity, assignment);
        }
    }
}

// ".../models--Qwen--Qwen3-8B/snapshots/..." to "Qwen/Qwen3-8B".
static bool cached_name(char *out, size_t capacity, const char *model)
{
    static const char mark[] = "models--";
    const char *name = strstr(model, mark);
    const char *owner_end = name == NULL ? NULL : strstr(name + sizeof mark - 1, "--");
    if (owner_end == NULL) {
        return false;
    }
    name += sizeof mark - 1;
    size_t rest = strcspn(owner_end + 2, "/\\");
    (void)snprintf(out, capacity, "%.*s/%.*s", (int)(owner_end - name), name, (int)rest, owner_end + 2);
    return true;
}

void kvb_record_model_name(char *out, size_t capacity, const char *model)
{
    if (cached_name(out, capacity, model)) {
        return;
    }
    (void)kvb_copy(out, capacity, model);
    if (!kvb_is_path(model)) {
        return;
    }
    size_t end = strlen(out);
    while (end > 0 && (out[end - 1] == '/' || out[end - 1] == '\\')) {
        out[--end] = '\0';
    }
    size_t start = end;
    while (start > 0 && out[start - 1] != '/' && out[start - 1] != '\\') {
        start--;
    }
    memmove(out, out + start, end - start + 1);
}

// Appends letters and digits, lower case; what stands between them becomes one dash.
static void add_plain(char *out, size_t capacity, const char *text, bool keep_dots)
{
    size_t used = strlen(out);
    for (; *text != '\0' && used + 2 < capacity; text++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain) {
            out[used++] = c;
        } else if (used > 0 && out[used - 1] != '-' && (keep_dots || c != '.')) {
            out[used++] = '-';
        }
    }
    out[used] = '\0';
}

void kvb_record_write_id(char *out, size_t capacity, const char *gpu, const char *version, const char *model,
                         const struct kvb_settings *settings)
{
    static const char *const makers[] = {"NVIDIA GeForce ", "NVIDIA ", "AMD Instinct ", "AMD Radeon ", "AMD "};
    const char *name = strrchr(model, '/');
    char length[32] = "";
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (kvb_starts_with(gpu, makers[i])) {
            gpu += strlen(makers[i]);
            break;
        }
    }
    out[0] = '\0';
    add_plain(out, capacity, gpu, true);
    add_plain(out, capacity, out[0] == '\0' ? "" : " ", true);
    add_plain(out, capacity, version, false);
    add_plain(out, capacity, " ", true);
    add_plain(out, capacity, name == NULL ? model : name + 1, true);
    if (settings->values[KVB_SET_MAX_MODEL_LEN].set && settings->values[KVB_SET_MAX_MODEL_LEN].number != KVB_AUTO) {
        (void)snprintf(length, sizeof length, " len%llu",
                       (unsigned long long)settings->values[KVB_SET_MAX_MODEL_LEN].number);
    }
    add_plain(out, capacity, length, true);
}
