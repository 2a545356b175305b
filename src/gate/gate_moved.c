// What moved between two answers for one deployment: figures first, then the flags that moved them.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "command/setting_flag.h"
#include "gate/gate.h"

struct moved_list {
    struct kvb_gate *gate;
    struct kvb_moved *items;
    uint32_t count;
};

static void add(struct moved_list *list, const char *what, const char *before, const char *after, uint32_t line)
{
    if (list->count < KVB_MOVED_MAX) {
        list->items[list->count++] = (struct kvb_moved){
            .what = kvb_gate_keep(list->gate, what),
            .before = before != NULL ? kvb_gate_keep(list->gate, before) : NULL,
            .after = after != NULL ? kvb_gate_keep(list->gate, after) : NULL,
            .line = line,
        };
    }
}

static void add_text(struct moved_list *list, const char *what, const char *before, const char *after)
{
    if (strcmp(before, after) != 0) {
        add(list, what, before, after, 0);
    }
}

static void add_bytes(struct moved_list *list, const char *what, int64_t before, int64_t after)
{
    char first[40], second[40], size[32];
    if (before != after) {
        (void)snprintf(first, sizeof first, "%s GiB", kvb_format_gib(size, before, 2));
        (void)snprintf(second, sizeof second, "%s GiB", kvb_format_gib(size, after, 2));
        add(list, what, first, second, 0);
    }
}

static void add_hundredths(struct moved_list *list, const char *what, uint64_t before, uint64_t after)
{
    char first[40], second[40];
    if (before != after) {
        (void)snprintf(first, sizeof first, "%llu.%02llu", (unsigned long long)(before / 100),
                       (unsigned long long)(before % 100));
        (void)snprintf(second, sizeof second, "%llu.%02llu", (unsigned long long)(after / 100),
                       (unsigned long long)(after % 100));
        add(list, what, first, second, 0);
    }
}

static void add_tokens(struct moved_list *list, uint64_t before, uint64_t after)
{
    char first[40], second[40];
    if (before != after) {
        (void)kvb_format_count(first, before);
        (void)kvb_format_count(second, after);
        add(list, "longest request, tokens", first, second, 0);
    }
}

static void add_figures(struct moved_list *list, const struct kvb_case_figures *before,
                        const struct kvb_case_figures *after)
{
    add_text(list, "model", before->model, after->model);
    add_text(list, "GPUs", before->gpus, after->gpus);
    add_text(list, "engine", before->engine, after->engine);
    add_bytes(list, "weights", before->weights_bytes, after->weights_bytes);
    add_bytes(list, "KV cache", before->kv_cache_bytes, after->kv_cache_bytes);
    add_bytes(list, "one request needs", (int64_t)before->needed_bytes, (int64_t)after->needed_bytes);
    add_tokens(list, before->length_tokens, after->length_tokens);
    add_hundredths(list, "requests at once", before->concurrency_hundredths, after->concurrency_hundredths);
}

// ---- flags

static const struct kvb_case_setting *find(const struct kvb_case_figures *figures, enum kvb_setting setting)
{
    for (uint32_t i = 0; i < figures->setting_count; i++) {
        if (figures->settings[i].setting == setting) {
            return &figures->settings[i];
        }
    }
    return NULL;
}

// "8192" of "--max-model-len 8192", or the whole flag where it has no value of its own.
static const char *value_of(const char *flag, const char *name)
{
    size_t length = strlen(name);
    return strncmp(flag, name, length) == 0 && flag[length] == ' ' ? flag + length + 1 : flag;
}

static void add_setting(struct moved_list *list, const struct kvb_engine_rows *engine,
                        const struct kvb_case_setting *before, const struct kvb_case_setting *after)
{
    char first[KVB_FLAG_CAPACITY], second[KVB_FLAG_CAPACITY], name[KVB_FLAG_CAPACITY];
    enum kvb_setting setting = before != NULL ? before->setting : after->setting;
    if (before != NULL && after != NULL && before->number == after->number) {
        return;
    }
    if (before != NULL) {
        (void)kvb_setting_flag_of(first, engine, setting, before->number);
    }
    if (after != NULL) {
        (void)kvb_setting_flag_of(second, engine, setting, after->number);
    }
    (void)kvb_copy(name, sizeof name, before != NULL ? first : second);
    name[strcspn(name, " ")] = '\0';
    bool same_flag = before == NULL || after == NULL || strncmp(second, name, strlen(name)) == 0;
    if (!same_flag && strncmp(name, "--no-", 5) == 0) {
        (void)kvb_copy(name, sizeof name, second);
    }
    add(list, name, before != NULL ? value_of(first, name) : NULL, after != NULL ? value_of(second, name) : NULL,
        after != NULL ? after->place.line : 0);
}

static void add_settings(struct moved_list *list, const struct kvb_case_figures *before,
                         const struct kvb_case_figures *after)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_case_setting *first = find(before, (enum kvb_setting)i);
        const struct kvb_case_setting *second = find(after, (enum kvb_setting)i);
        if (first != NULL || second != NULL) {
            add_setting(list, kvb_engine_said(after->engine), first, second);
        }
    }
}

static const char *said(const struct kvb_check_case *each)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    return reason != NULL ? reason->text : each->text;
}

void kvb_gate_say_moved(struct kvb_gate *gate, struct kvb_case_change *change, struct kvb_moved *scratch)
{
    struct moved_list list = {gate, scratch, 0};
    const struct kvb_check_case *before = change->before, *after = change->after;
    if (before != NULL && after != NULL) {
        add_text(&list, "file", before->file, after->file);
        add_text(&list, "name", before->name, after->name);
    }
    if (before != NULL && after != NULL && before->figures != NULL && after->figures != NULL) {
        add_figures(&list, before->figures, after->figures);
        add_settings(&list, before->figures, after->figures);
    } else if (before != NULL && after != NULL && before->verdict == after->verdict) {
        add_text(&list, "finding", said(before), said(after));
    }
    struct kvb_moved *kept = kvb_arena_take(&gate->arena, (list.count + 1U) * sizeof *kept);
    if (kept == NULL) {
        gate->no_memory = true;
        return;
    }
    memcpy(kept, scratch, list.count * sizeof *kept);
    change->moved = kept;
    change->moved_count = list.count;
}
