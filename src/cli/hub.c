// The hub command: what was fetched, taking it away, fetching anew.
#include <stdio.h>
#include <string.h>

#include <kvbudget/hub.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "report/columns.h"
#include "report/json_writer.h"
#include "report/style.h"

struct listing {
    struct kvb_columns columns;
    struct kvb_json *json; // NULL: as text
    unsigned count;
};

static void age_text(char out[32], uint64_t seconds)
{
    static const struct {
        uint64_t seconds;
        const char *unit;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t i = 0;
    while (i < 3 && seconds < units[i].seconds) {
        i++;
    }
    uint64_t number = seconds / units[i].seconds;
    (void)snprintf(out, 32, "%llu %s%s", (unsigned long long)number, units[i].unit, number == 1 ? "" : "s");
}

static void take_entry(void *context, const struct kvb_hub_entry *entry)
{
    struct listing *listing = context;
    char size[32], age[32];
    listing->count++;
    if (listing->json != NULL) {
        kvb_json_open_object(listing->json, NULL);
        kvb_json_text(listing->json, "name", entry->name);
        kvb_json_text(listing->json, "revision", entry->revision);
        kvb_json_text(listing->json, "commit", entry->commit);
        kvb_json_count(listing->json, "bytes", entry->bytes);
        kvb_json_count(listing->json, "age_seconds", entry->age_seconds);
        kvb_json_close_object(listing->json);
        return;
    }
    (void)snprintf(size, sizeof size, "%llu.%llu MB", (unsigned long long)(entry->bytes / 1000000),
                   (unsigned long long)(entry->bytes / 100000 % 10));
    age_text(age, entry->age_seconds);
    kvb_columns_cell(&listing->columns, entry->name);
    kvb_columns_cell(&listing->columns, entry->revision);
    kvb_columns_cell(&listing->columns, entry->commit);
    kvb_columns_cell(&listing->columns, size);
    kvb_columns_cell(&listing->columns, age);
    kvb_columns_end_row(&listing->columns);
}

static int list(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct kvb_json json;
    struct listing listing = {0};
    bool as_json = arguments->format == FORMAT_JSON;
    kvb_columns_init(&listing.columns, "lllrr", 0, 2);
    if (as_json) {
        kvb_json_init(&json, answer);
        kvb_json_open_object(&json, NULL);
        kvb_json_text(&json, "schema", arguments->command->schema);
        kvb_json_open_list(&json, "models");
        listing.json = &json;
    }
    enum kvb_status status = kvb_hub_list(take_entry, &listing, &arguments->problems);
    if (as_json) {
        kvb_json_close_list(&json);
        kvb_json_close_object(&json);
        kvb_json_finish(&json);
    } else if (listing.count == 0 && status == KVB_OK) {
        kvb_buffer_add(answer, "nothing is kept; plan and explain keep what they fetch\n");
    }
    if (answer->page_columns == 0) { // a program reads it: one line each
        answer->page_columns = KVB_PAGE_UNBROKEN;
    }
    kvb_columns_write(&listing.columns, answer);
    return kvb_status_exit_code(status);
}

static void say_document(const struct arguments *arguments, struct kvb_buffer *answer, const char *key, uint64_t number)
{
    struct kvb_json json;
    kvb_json_init(&json, answer);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", arguments->command->schema);
    kvb_json_count(&json, key, number);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}

static int prune(struct arguments *arguments, struct kvb_buffer *answer)
{
    uint64_t bytes = 0, all = 0;
    enum kvb_status status = KVB_OK;
    bool named = arguments->operand_count > 1;
    for (int i = 1; status == KVB_OK && (i < arguments->operand_count || (i == 1 && !named)); i++) {
        status = kvb_hub_prune(named ? arguments->operands[i] : NULL, &bytes, &arguments->problems);
        all += bytes;
    }
    if (status == KVB_OK && arguments->format == FORMAT_JSON) {
        say_document(arguments, answer, "removed_bytes", all);
    } else if (status == KVB_OK) {
        kvb_buffer_printf(answer, "%llu.%llu MB taken away\n", (unsigned long long)(all / 1000000),
                          (unsigned long long)(all / 100000 % 10));
    }
    return kvb_status_exit_code(status);
}

static int pull(struct arguments *arguments, struct kvb_buffer *answer)
{
    enum kvb_status status = KVB_OK;
    for (int i = 1; status == KVB_OK && i < arguments->operand_count; i++) {
        status = kvb_hub_pull(arguments->operands[i], &arguments->problems);
        if (status == KVB_OK && arguments->format != FORMAT_JSON) {
            kvb_buffer_printf(answer, "%s is here\n", arguments->operands[i]);
        }
    }
    if (status == KVB_OK && arguments->format == FORMAT_JSON) {
        say_document(arguments, answer, "pulled", (uint64_t)arguments->operand_count - 1);
    }
    return kvb_status_exit_code(status);
}

int kvb_run_hub(struct arguments *arguments, struct kvb_buffer *answer)
{
    static const struct {
        const char *name;
        int least, most;
        int (*run)(struct arguments *arguments, struct kvb_buffer *answer);
    } actions[] = {{"list", 1, 1, list}, {"prune", 1, OPERANDS_MAX, prune}, {"pull", 2, OPERANDS_MAX, pull}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(arguments->operands[0], actions[i].name) != 0) {
            continue;
        }
        if (arguments->operand_count < actions[i].least) {
            return kvb_status_exit_code(kvb_options_mistake(arguments, "'hub %s' needs a NAME", actions[i].name));
        }
        if (arguments->operand_count > actions[i].most) {
            return kvb_status_exit_code(
                kvb_options_mistake(arguments, "unexpected word '%.80s'", arguments->operands[actions[i].most]));
        }
        return actions[i].run(arguments, answer);
    }
    return kvb_status_exit_code(kvb_options_mistake(arguments, "'hub %.60s' is not known; expected list, prune or pull",
                                                    arguments->operands[0]));
}
