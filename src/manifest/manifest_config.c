// Files whose keys are settings already: deployment profiles, and those for vllm serve --config.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "command/json_flag.h"
#include "deployment/residents.h"
#include "manifest/manifest_found.h"

enum kvb_status kvb_read_vllm_config(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    struct kvb_words words = {0};
    bool half = manifest->options->lenient && kvb_node_get(root, "model") == NULL; // a command names such a file
    // vLLM takes no other ending than that of YAML; Triton's backend keeps the engine's arguments in model.json.
    bool table = kvb_ends_with(manifest->name, ".json") && strcmp(manifest->name, "model.json") != 0;
    if (half || table) {
        return KVB_OK;
    }
    struct kvb_found *found =
        kvb_found_new(manifest, "vllm-config", "vllm serve --config", kvb_node_offset(manifest, root));
    if (manifest->release != NULL) {
        (void)kvb_copy(found->deployment.engine, sizeof found->deployment.engine,
                       kvb_manifest_join(manifest, kvb_image_engine(NULL)->name, "@", manifest->release));
    }
    found->status = kvb_words_from_file(manifest, root, found->deployment.engine, &words, &found->problems);
    kvb_found_read_serve(manifest, found, kvb_image_engine(NULL), &words, NULL);
    return kvb_found_emit(manifest, found, root->line);
}

// ---- deployment profiles

static struct kvb_spot key_spot(const struct kvb_node *node)
{
    return node != NULL ? (struct kvb_spot){node->key_line, node->key_column} : (struct kvb_spot){0};
}

static void place_settings(struct kvb_found *found, const struct kvb_node *settings)
{
    for (const struct kvb_node *child = settings != NULL && settings->kind == KVB_NODE_MAPPING ? settings->first : NULL;
         child != NULL; child = child->next) {
        for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
            if (strcmp(kvb_setting_row_of(i)->key, child->key) == 0) {
                found->settings[i] = key_spot(child);
            }
        }
    }
}

// The line behind the document's last.
static uint32_t next_marker(const struct kvb_manifest *manifest, uint32_t line)
{
    while (line <= manifest->line_count && !kvb_starts_with(manifest->text + manifest->lines[line - 1], "---")) {
        line++;
    }
    return line;
}

// The document alone, behind as many line breaks as lines stand in front of it, so that places stay right.
static void add_document(struct kvb_manifest *manifest, const struct kvb_node *root, struct kvb_buffer *text)
{
    uint32_t first = root->line, last = next_marker(manifest, root->line);
    size_t begin = manifest->lines[first - 1];
    size_t end = last <= manifest->line_count ? manifest->lines[last - 1] : manifest->length;
    if (begin == end) { // "--- {kind: deployment}": the marker is on the same line
        begin += 3;
        last = next_marker(manifest, first + 1);
        end = last <= manifest->line_count ? manifest->lines[last - 1] : manifest->length;
        kvb_buffer_fill(text, '\n', first - 1);
        kvb_buffer_add(text, "   ");
    } else {
        kvb_buffer_fill(text, '\n', first - 1);
    }
    kvb_buffer_add_n(text, manifest->text + begin, end > begin ? end - begin : 0);
}

enum kvb_status kvb_read_profile_document(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    struct kvb_buffer text;
    const struct kvb_node *name = kvb_node_get(root, "name");
    struct kvb_found *found = kvb_found_new(
        manifest, "profile", kvb_node_text(name) != NULL ? name->text : "deployment", kvb_node_offset(manifest, root));
    kvb_buffer_init(&text);
    add_document(manifest, root, &text);
    found->status =
        text.failed ? KVB_NO_MEMORY
                    : kvb_deployment_read(manifest->file, text.data, text.length, &found->deployment, &found->problems);
    if (found->status == KVB_OK && found->deployment.resident_count > 0) {
        struct kvb_resident_entry *residents = kvb_found_residents(manifest, found);
        found->residents = residents;
        found->status = residents == NULL ? KVB_NO_MEMORY
                                          : kvb_residents_read(manifest->file, text.data, text.length, residents,
                                                               &found->resident_count, &found->problems);
    }
    manifest->out_of_memory = manifest->out_of_memory || text.failed;
    kvb_buffer_free(&text);
    place_settings(found, kvb_node_get(root, "settings"));
    found->model = key_spot(kvb_node_get(root, "model"));
    found->gpu = key_spot(kvb_node_get(root, "gpu"));
    found->engine = key_spot(kvb_node_get(root, "engine"));
    return kvb_found_emit(manifest, found, root->line);
}
