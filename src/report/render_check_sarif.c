// A check as SARIF 2.1.0: the rules, and a result per finding.
#include <string.h>

#include "report/check_report.h"

// A path as a URI reference: all but unreserved characters and '/' as %XX.
static void add_uri(struct kvb_json *json, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    struct kvb_buffer uri;
    kvb_buffer_init(&uri);
    while (strncmp(path, "./", 2) == 0) {
        path += 2;
    }
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL) {
            kvb_buffer_add_n(&uri, path, 1);
        } else {
            kvb_buffer_printf(&uri, "%%%02X", (unsigned)(unsigned char)*path);
        }
    }
    kvb_json_text(json, "uri", kvb_buffer_text(&uri));
    json->out->failed |= uri.failed;
    kvb_buffer_free(&uri);
}

static void add_text(struct kvb_json *json, const char *key, const char *text)
{
    kvb_json_open_object(json, key);
    kvb_json_text(json, "text", text);
    kvb_json_close_object(json);
}

static void add_driver(struct kvb_json *json, const struct kvb_check_report *report)
{
    kvb_json_open_object(json, "tool");
    kvb_json_open_object(json, "driver");
    kvb_json_text(json, "name", "kvbudget");
    kvb_json_text(json, "version", report->version);
    kvb_json_open_list(json, "rules");
    for (unsigned i = 0; i < KVB_CHECK_COUNT; i++) {
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "id", kvb_check_rule_row_of(i)->id);
        add_text(json, "shortDescription", kvb_check_rule_row_of(i)->help);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
    kvb_json_close_object(json);
}

static void add_location(struct kvb_json *json, const struct kvb_check_case *each, struct kvb_spot spot)
{
    kvb_json_open_list(json, "locations");
    kvb_json_open_object(json, NULL);
    kvb_json_open_object(json, "physicalLocation");
    kvb_json_open_object(json, "artifactLocation");
    add_uri(json, each->file);
    kvb_json_close_object(json);
    if (spot.line > 0) {
        kvb_json_open_object(json, "region");
        kvb_json_count(json, "startLine", spot.line);
        kvb_json_count(json, "startColumn", spot.column > 0 ? spot.column : 1);
        kvb_json_close_object(json);
    }
    kvb_json_close_object(json);
    kvb_json_close_object(json);
    kvb_json_close_list(json);
}

// Only where every change is one of a piece of the file.
static bool is_replacement(const struct kvb_check_finding *finding)
{
    for (uint32_t i = 0; i < finding->fix_count; i++) {
        if (finding->fixes[i].region.first.line == 0) {
            return false;
        }
    }
    return finding->fix_count > 0;
}

static void add_replacement(struct kvb_json *json, const struct kvb_fix *fix)
{
    const struct kvb_spot first = fix->region.first;
    kvb_json_open_object(json, NULL);
    kvb_json_open_object(json, "deletedRegion");
    kvb_json_count(json, "startLine", first.line);
    kvb_json_count(json, "startColumn", first.column);
    kvb_json_count(json, "endColumn", (uint64_t)first.column + fix->region.characters);
    kvb_json_close_object(json);
    add_text(json, "insertedContent", fix->text);
    kvb_json_close_object(json);
}

static void add_fixes(struct kvb_json *json, const struct kvb_check_case *each, const struct kvb_check_finding *finding)
{
    struct kvb_buffer text;
    if (!is_replacement(finding)) {
        return;
    }
    kvb_buffer_init(&text);
    for (uint32_t i = 0; i < finding->fix_count; i++) {
        kvb_buffer_printf(&text, "%s%s", i == 0 ? "Set " : " and ", finding->fixes[i].flag);
    }
    kvb_json_open_list(json, "fixes");
    kvb_json_open_object(json, NULL);
    add_text(json, "description", kvb_buffer_text(&text));
    kvb_json_open_list(json, "artifactChanges");
    kvb_json_open_object(json, NULL);
    kvb_json_open_object(json, "artifactLocation");
    add_uri(json, each->file);
    kvb_json_close_object(json);
    kvb_json_open_list(json, "replacements");
    for (uint32_t i = 0; i < finding->fix_count; i++) {
        add_replacement(json, &finding->fixes[i]);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
    kvb_json_close_list(json);
    kvb_json_close_object(json);
    kvb_json_close_list(json);
    json->out->failed |= text.failed;
    kvb_buffer_free(&text);
}

static void add_result(struct kvb_json *json, const struct kvb_check_case *each,
                       const struct kvb_check_finding *finding)
{
    static const char *const levels[] = {[KVB_NOTICE] = "note", [KVB_WARNING] = "warning", [KVB_ERROR] = "error"};
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_buffer_add(&text, each->name);
    kvb_buffer_add(&text, each->name[0] != '\0' ? ": " : "");
    kvb_buffer_add(&text, finding->text);
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "ruleId", kvb_check_rule_row_of(finding->rule)->id);
    kvb_json_count(json, "ruleIndex", (uint64_t)finding->rule);
    kvb_json_text(json, "level", levels[finding->severity]);
    add_text(json, "message", kvb_buffer_text(&text));
    add_location(json, each, finding->place.line > 0 ? finding->place : each->place);
    add_fixes(json, each, finding);
    if (finding->waived) {
        kvb_json_open_list(json, "suppressions");
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "kind", "external");
        kvb_json_close_object(json);
        kvb_json_close_list(json);
    }
    kvb_json_close_object(json);
    json->out->failed |= text.failed;
    kvb_buffer_free(&text);
}

void kvb_render_check_sarif(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    kvb_json_text(&json, "version", "2.1.0");
    kvb_json_open_list(&json, "runs");
    kvb_json_open_object(&json, NULL);
    add_driver(&json, report);
    kvb_json_text(&json, "columnKind", "unicodeCodePoints");
    kvb_json_open_list(&json, "results");
    for (uint32_t i = 0; i < report->totals.count; i++) {
        for (uint32_t k = 0; k < report->totals.cases[i].finding_count; k++) {
            add_result(&json, &report->totals.cases[i], &report->totals.cases[i].findings[k]);
        }
    }
    kvb_json_close_list(&json);
    kvb_json_close_object(&json);
    kvb_json_close_list(&json);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
