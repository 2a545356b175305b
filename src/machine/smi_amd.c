// JSON of rocm-smi (an object of cards) and amd-smi (a list of GPUs).
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "machine/smi.h"
#include "text/tree.h"

struct amd {
    const struct kvb_smi_text *text;
    struct kvb_machine *machine;
    struct kvb_tree tree;
};

// One row per figure: the path of keys to it, and where it goes.
struct amd_row {
    const char *path[3];
    enum { AMD_SIZE, AMD_NAME, AMD_LOAD, AMD_UUID } kind;
    size_t offset; // of the figure
    uint64_t unit_bytes;
};

#define FIGURE(member) offsetof(struct kvb_device, member)

static const struct amd_row rocm_rows[] = {
    {{"VRAM Total Memory (B)"}, AMD_SIZE, FIGURE(total_bytes), 1},
    {{"VRAM Total Used Memory (B)"}, AMD_SIZE, FIGURE(used_bytes), 1},
    {{"Card SKU"}, AMD_NAME, 0, 0},
    {{"Card model"}, AMD_NAME, 0, 0},
    {{"Card Model"}, AMD_NAME, 0, 0},
    {{"Device Name"}, AMD_NAME, 0, 0},
    {{"Card series"}, AMD_NAME, 0, 0},
    {{"Card Series"}, AMD_NAME, 0, 0},
    {{"GPU use (%)"}, AMD_LOAD, 0, 0},
    {{"Unique ID"}, AMD_UUID, 0, 0},
};

// amd-smi writes MB and means MiB: an MI300X of 191.98 GiB is 196592.
static const struct amd_row amd_rows[] = {
    {{"vram", "size"}, AMD_SIZE, FIGURE(total_bytes), KVB_MIB},
    {{"vram_total"}, AMD_SIZE, FIGURE(total_bytes), KVB_MIB},
    {{"mem_usage", "total_vram"}, AMD_SIZE, FIGURE(total_bytes), KVB_MIB},
    {{"vram_used"}, AMD_SIZE, FIGURE(used_bytes), KVB_MIB},
    {{"mem_usage", "used_vram"}, AMD_SIZE, FIGURE(used_bytes), KVB_MIB},
    {{"mem_usage", "free_vram"}, AMD_SIZE, FIGURE(free_bytes), KVB_MIB},
    {{"asic", "market_name"}, AMD_NAME, 0, 0},
    {{"board", "product_name"}, AMD_NAME, 0, 0},
    {{"gfx"}, AMD_LOAD, 0, 0},
    {{"usage", "gfx_activity"}, AMD_LOAD, 0, 0},
    {{"uuid"}, AMD_UUID, 0, 0},
};

static const struct kvb_node *get(const struct kvb_node *node, const char *key)
{
    return node != NULL && node->kind == KVB_NODE_MAPPING ? kvb_node_get(node, key) : NULL;
}

// The scalar at the path; {value, unit} is its value.
static const struct kvb_node *find(const struct kvb_node *card, const struct amd_row *row)
{
    const struct kvb_node *node = card;
    for (size_t i = 0; i < 3 && row->path[i] != NULL; i++) {
        node = get(node, row->path[i]);
    }
    if (node != NULL && node->kind == KVB_NODE_MAPPING) {
        node = kvb_node_get(node, "value");
    }
    return node != NULL && node->kind == KVB_NODE_SCALAR ? node : NULL;
}

static bool is_useful_name(struct kvb_slice name)
{
    return !kvb_slice_is_absent(name) && !kvb_slice_begins(name, "0x");
}

static enum kvb_status take(const struct amd *amd, const struct amd_row *row, const struct kvb_node *node,
                            struct kvb_device *device)
{
    struct kvb_slice value = kvb_slice_trim(kvb_slice_of(node->text));
    struct kvb_figure *figure = (struct kvb_figure *)(void *)((char *)device + row->offset);
    switch (row->kind) {
    case AMD_SIZE:
        if (kvb_slice_is_absent(value)) {
            return KVB_OK;
        }
        if (!kvb_slice_size(value, row->unit_bytes, &figure->value)) {
            return kvb_smi_fail(amd->text, node->line, node->column, "expected a size; found '%.40s'", node->text);
        }
        figure->known = true;
        return KVB_OK;
    case AMD_NAME:
        if (is_useful_name(value)) {
            kvb_device_set_name(device, value);
        }
        return KVB_OK;
    case AMD_LOAD:
        device->load_percent.known = kvb_slice_whole(value, &device->load_percent.value);
        return KVB_OK;
    case AMD_UUID:
        kvb_slice_copy(value, device->uuid, sizeof device->uuid);
        return KVB_OK;
    }
    return KVB_OK;
}

static enum kvb_status read_card(const struct amd *amd, const struct kvb_node *card, uint32_t index,
                                 const struct amd_row *rows, size_t count)
{
    struct kvb_device *device = kvb_machine_find(amd->machine, index);
    if (device != NULL) {
        return kvb_smi_fail(amd->text, card->line, card->column, "GPU %u is listed twice", (unsigned)index);
    }
    device = kvb_machine_add(amd->machine, amd->text, card->line);
    if (device == NULL) {
        return KVB_BAD_SYNTAX;
    }
    device->index = index;
    enum kvb_status status = KVB_OK;
    for (size_t i = 0; status == KVB_OK && i < count; i++) {
        const struct kvb_node *node = find(card, &rows[i]);
        status = node != NULL ? take(amd, &rows[i], node, device) : KVB_OK;
    }
    return status;
}

static enum kvb_status read_rocm(const struct amd *amd)
{
    enum kvb_status status = KVB_OK;
    amd->machine->source = KVB_MACHINE_ROCM_SMI;
    for (const struct kvb_node *card = amd->tree.root->first; card != NULL && status == KVB_OK; card = card->next) {
        uint64_t index;
        bool numbered = kvb_starts_with(card->key, "card") && kvb_slice_whole(kvb_slice_of(card->key + 4), &index);
        if (numbered && index < UINT32_MAX && card->kind == KVB_NODE_MAPPING) {
            status = read_card(amd, card, (uint32_t)index, rocm_rows, sizeof rocm_rows / sizeof rocm_rows[0]);
        } else if (card->kind == KVB_NODE_MAPPING) {
            const struct kvb_node *version = kvb_node_get(card, "Driver version");
            if (version != NULL && version->kind == KVB_NODE_SCALAR) {
                kvb_slice_copy(kvb_slice_of(version->text), amd->machine->driver, sizeof amd->machine->driver);
            }
        }
    }
    return status;
}

static enum kvb_status read_amd(const struct amd *amd, const struct kvb_node *list)
{
    enum kvb_status status = KVB_OK;
    uint64_t index = 0;
    amd->machine->source = KVB_MACHINE_AMD_SMI;
    for (const struct kvb_node *card = list->first; card != NULL && status == KVB_OK; card = card->next) {
        const struct kvb_node *number = get(card, "gpu");
        if (number != NULL && number->kind == KVB_NODE_SCALAR &&
            (!kvb_slice_whole(kvb_slice_of(number->text), &index) || index >= UINT32_MAX)) {
            return kvb_smi_fail(amd->text, number->line, number->column,
                                "gpu: expected the number of a GPU; found '%.40s'", number->text);
        }
        status = read_card(amd, card, (uint32_t)index, amd_rows, sizeof amd_rows / sizeof amd_rows[0]);
        index++;
    }
    return status;
}

static enum kvb_status read_tree(struct amd *amd)
{
    const struct kvb_node *root = amd->tree.root;
    const struct kvb_node *list = root->kind == KVB_NODE_SEQUENCE ? root : get(root, "gpu_data");
    amd->machine->vendor = KVB_VENDOR_AMD;
    if (list != NULL && list->kind == KVB_NODE_SEQUENCE) {
        return read_amd(amd, list);
    }
    if (root->kind == KVB_NODE_MAPPING) {
        return read_rocm(amd);
    }
    return KVB_OK;
}

// Warnings may stand in front of the document; lines keep their numbers.
static size_t document_start(const struct kvb_smi_text *text)
{
    struct kvb_smi_line line = {0};
    size_t offset = 0;
    for (size_t start = 0; kvb_smi_next(text, &offset, &line); start = offset) {
        if (kvb_slice_begins(line.text, "{") || kvb_slice_begins(line.text, "[")) {
            return start;
        }
    }
    return 0;
}

enum kvb_status kvb_smi_read_amd(const struct kvb_smi_text *text, struct kvb_machine *machine)
{
    struct amd amd = {.text = text, .machine = machine};
    size_t start = document_start(text);
    enum kvb_status status =
        kvb_tree_read(&amd.tree, text->file, text->text + start, text->length - start, text->problems);
    if (status != KVB_OK) {
        return status;
    }
    status = read_tree(&amd);
    kvb_tree_free(&amd.tree);
    if (status == KVB_OK && machine->count == 0) {
        return kvb_smi_fail(
            text, 1, 1,
            "no GPU in this JSON; expected the output of 'rocm-smi --showproductname --showmeminfo vram "
            "--showuse --json' or 'amd-smi metric --json'");
    }
    return status;
}
