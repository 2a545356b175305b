// Nodes of a layer, the order they run in, where they run, and the copies between devices.
#include "engines/llamacpp/graph.h"

#include <string.h>

#include "base/checked.h"
#include "engines/llamacpp/allocate.h"

#define OFFLOADED_BATCH 32 // ggml_backend_cuda_device_offload_op

// ---- Nodes

static kvb_llama_node make(struct kvb_llama_graph *graph, const struct kvb_llama_tensor_node *node)
{
    if (graph->count >= graph->part_end) {
        graph->unknown = true;
        return (kvb_llama_node)(graph->part_end - 1);
    }
    graph->nodes[graph->count] = *node;
    return graph->count++;
}

kvb_llama_node kvb_llama_op(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, const uint64_t ne[3],
                            kvb_llama_node a, kvb_llama_node b)
{
    struct kvb_llama_tensor_node node = {.kind = (uint8_t)kind,
                                         .bytes = kvb_mul(kvb_mul(ne[0], kvb_mul(ne[1], ne[2])), 4),
                                         .ne = {(uint32_t)ne[0], (uint32_t)ne[1], (uint32_t)ne[2]},
                                         .element_bytes = 4,
                                         .device = graph->layer_device};
    kvb_llama_node made = make(graph, &node);
    kvb_llama_add_source(graph, made, a);
    kvb_llama_add_source(graph, made, b);
    return made;
}

kvb_llama_node kvb_llama_view(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node of,
                              const uint64_t ne[3])
{
    kvb_llama_node made = kvb_llama_op(graph, kind, ne, of, 0);
    const struct kvb_llama_tensor_node *source = &graph->nodes[of];
    struct kvb_llama_tensor_node *node = &graph->nodes[made];
    node->flags |= kind == KVB_LLAMA_OP_RESHAPE ? KVB_LLAMA_VIEW : KVB_LLAMA_VIEW | KVB_LLAMA_STRIDED;
    node->root = (source->flags & KVB_LLAMA_VIEW) != 0 ? source->root : of;
    node->device = source->device;
    return made;
}

void kvb_llama_add_source(struct kvb_llama_graph *graph, kvb_llama_node node, kvb_llama_node source)
{
    for (uint32_t i = 0; source != 0 && i < KVB_LLAMA_SOURCES; i++) {
        if (graph->nodes[node].source[i] == 0) {
            graph->nodes[node].source[i] = source;
            return;
        }
    }
}

void kvb_llama_reads_weight(struct kvb_llama_graph *graph, kvb_llama_node node, uint64_t bytes, uint8_t place)
{
    graph->nodes[node].weight_bytes = bytes;
    graph->nodes[node].weight_place = place;
}

kvb_llama_node kvb_llama_global(struct kvb_llama_graph *graph, uint64_t bytes, uint8_t device, uint16_t last_layer)
{
    for (kvb_llama_node i = 1; i < KVB_LLAMA_GLOBALS; i++) {
        if ((graph->nodes[i].flags & KVB_LLAMA_GLOBAL) == 0) {
            graph->nodes[i] = (struct kvb_llama_tensor_node){.bytes = bytes,
                                                             .flags = KVB_LLAMA_GLOBAL | KVB_LLAMA_VISITED,
                                                             .device = device,
                                                             .children = 1, // held until its last layer begins
                                                             .last_layer = last_layer,
                                                             .element_bytes = 4};
            return i;
        }
    }
    graph->unknown = true;
    return 1;
}

// Sources first, as ggml_visit_parents does.
void kvb_llama_expand(struct kvb_llama_graph *graph, kvb_llama_node node)
{
    struct kvb_llama_tensor_node *at = &graph->nodes[node];
    if (node == 0 || (at->flags & KVB_LLAMA_VISITED) != 0) {
        return;
    }
    at->flags |= KVB_LLAMA_VISITED;
    for (uint32_t i = 0; i < KVB_LLAMA_SOURCES; i++) {
        kvb_llama_expand(graph, at->source[i]);
    }
    if (graph->order_count < KVB_LLAMA_SEQUENCE) {
        graph->order[graph->order_count++] = node;
    } else {
        graph->unknown = true;
    }
}

// ---- Where nodes run

// Weights in the host's memory are copied to the first GPU for a batch; without that they are read where they lie.
static uint8_t host_ops(const struct kvb_llama_graph *graph)
{
    const struct kvb_llama_run *run = graph->run;
    bool offloads = run->devices > 0 && kvb_llama_backend_row_of(run->backend)->offloads && !run->no_op_offload;
    return offloads && graph->tokens >= OFFLOADED_BATCH ? 0 : KVB_LLAMA_HOST;
}

static void place_nodes(struct kvb_llama_graph *graph)
{
    bool host_attends = graph->run->keep_cache_on_host;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        struct kvb_llama_tensor_node *node = &graph->nodes[graph->order[i]];
        if ((node->flags & (KVB_LLAMA_OUTSIDE | KVB_LLAMA_WRITES)) == KVB_LLAMA_OUTSIDE) {
            continue;
        }
        if ((node->flags & KVB_LLAMA_VIEW) != 0) {
            node->device = graph->nodes[node->root].device;
        } else if (node->weight_bytes > 0 && node->weight_place == KVB_LLAMA_HOST) {
            node->device = host_ops(graph);
        } else if (node->weight_bytes > 0) { // on another GPU: it runs there
            node->device = node->weight_place;
        } else if ((node->flags & KVB_LLAMA_WRITES) != 0) {
            node->device = host_attends ? KVB_LLAMA_HOST : (uint8_t)kvb_llama_place_of(graph->run, graph->layer);
        } else if ((node->flags & KVB_LLAMA_ATTENDS) != 0 && host_attends) {
            node->device = KVB_LLAMA_HOST;
        } else {
            node->device = graph->layer_device;
        }
    }
}

// ---- Splits

static void insert(struct kvb_llama_graph *graph, uint32_t at, uint16_t entry)
{
    if (graph->sequence_count >= KVB_LLAMA_SEQUENCE) {
        graph->unknown = true;
        return;
    }
    for (uint32_t i = graph->sequence_count; i > at; i--) {
        graph->sequence[i] = graph->sequence[i - 1];
    }
    graph->sequence[at] = entry;
    graph->sequence_count++;
}

static kvb_llama_node find_copy(const struct kvb_llama_graph *graph, kvb_llama_node source, uint8_t device)
{
    for (uint32_t i = 1; i < graph->count; i++) {
        const struct kvb_llama_tensor_node *node = &graph->nodes[i];
        bool used = i < KVB_LLAMA_GLOBALS ? (node->flags & KVB_LLAMA_GLOBAL) != 0 : i >= graph->part;
        if (used && node->root == source && (node->flags & KVB_LLAMA_VIEW) == 0 && node->device == device) {
            return (kvb_llama_node)i;
        }
    }
    return 0;
}

// Until when a copy of one of the graph's inputs is read on a device.
static uint16_t last_use(const struct kvb_llama_graph *graph, kvb_llama_node source, uint8_t device)
{
    for (uint32_t windowed = 0; windowed < 2; windowed++) {
        if (source == graph->cast[windowed]) {
            return kvb_llama_reader(graph, true, windowed != 0, device);
        }
        if (source == graph->mask[windowed]) { // a mask that is cast is read by the cast alone
            return kvb_llama_reader(graph, !kvb_llama_casts_mask(graph->run), windowed != 0, device);
        }
    }
    for (uint32_t windowed = 0; windowed < 2; windowed++) {
        if (source == graph->key_rows[windowed] || source == graph->value_rows[windowed]) {
            return kvb_llama_reader(graph, true, windowed != 0, device);
        }
    }
    if (source == graph->positions || source == graph->rotation[0] || source == graph->rotation[1]) {
        uint16_t full = kvb_llama_reader(graph, true, false, device);
        uint16_t windowed = kvb_llama_reader(graph, true, true, device);
        return full == UINT16_MAX || (windowed != UINT16_MAX && windowed > full) ? windowed : full;
    }
    if (source == graph->state_rows || source == graph->no_rows) {
        return kvb_llama_state_reader(graph, device);
    }
    if (source == graph->chosen_rows || source == graph->layer_inputs) {
        return (uint16_t)(graph->run->model->layer_count - 1);
    }
    return graph->nodes[source].last_layer;
}

// Where copies pile up they are pinned: four of each, never given back.
static kvb_llama_node copy_to(struct kvb_llama_graph *graph, kvb_llama_node source, uint8_t device)
{
    const struct kvb_llama_tensor_node from = graph->nodes[source];
    bool global = source < KVB_LLAMA_GLOBALS && source != graph->hidden;
    kvb_llama_node copy;
    if (global) {
        uint16_t last = last_use(graph, source, device);
        copy = kvb_llama_global(graph, from.bytes, device, last);
        graph->nodes[copy].children = last > graph->layer ? 1 : 0;
        if (source == graph->picked) { // worked on where it lies
            memcpy(graph->nodes[copy].ne, from.ne, sizeof from.ne);
        }
    } else {
        struct kvb_llama_tensor_node node = {
            .bytes = from.bytes, .device = device, .element_bytes = from.element_bytes};
        memcpy(node.ne, from.ne, sizeof node.ne);
        copy = make(graph, &node);
    }
    graph->nodes[copy].root = source;
    graph->nodes[copy].flags |= (uint16_t)(from.flags & KVB_LLAMA_STRIDED);
    if (graph->pipelined) {
        struct kvb_llama_heap *heap = &graph->heaps[device];
        graph->nodes[copy].flags |= KVB_LLAMA_OUTSIDE;
        heap->pinned = kvb_add(heap->pinned, kvb_mul(kvb_round_up(from.bytes, heap->alignment), KVB_LLAMA_COPIES));
    }
    insert(graph, graph->split_begin++, (uint16_t)(copy | KVB_LLAMA_COPY_MARK));
    return copy;
}

static kvb_llama_node reach(struct kvb_llama_graph *graph, kvb_llama_node source, uint8_t device)
{
    if (source == 0 || graph->nodes[source].device == device) {
        return source;
    }
    kvb_llama_node copy = find_copy(graph, source, device);
    if (copy == 0) {
        copy = copy_to(graph, source, device);
        graph->split_has_inputs = true;
    }
    return copy;
}

// The mask that layers on the device read; where this very layer casts it, as it is.
static void reach_mask(struct kvb_llama_graph *graph, bool windowed, uint8_t device)
{
    kvb_llama_node cast = graph->cast[windowed ? 1 : 0], mask = graph->mask[windowed ? 1 : 0];
    bool read = kvb_llama_reader(graph, true, windowed, device) != UINT16_MAX;
    bool lies = cast != 0 && (graph->nodes[cast].flags & KVB_LLAMA_LIVE) != 0;
    if (mask != 0 && read) {
        (void)reach(graph, lies ? cast : mask, device);
    }
}

// Rows of the cache and the mask of layers on the device, those with a window or those without.
static void reach_cache(struct kvb_llama_graph *graph, bool windowed, uint8_t device)
{
    if (kvb_llama_reader(graph, true, windowed, device) != UINT16_MAX) {
        (void)reach(graph, graph->key_rows[windowed ? 1 : 0], device);
        (void)reach(graph, graph->value_rows[windowed ? 1 : 0], device);
        reach_mask(graph, windowed, device);
    }
}

// A run of layers on one device is one split: all that it reads of the graph's inputs is copied when it begins, in the
// order in which it is read.
static void reach_inputs(struct kvb_llama_graph *graph, uint8_t device)
{
    uint32_t last = graph->run->model->layer_count - 1;
    if (device == KVB_LLAMA_HOST || kvb_llama_place_of(graph->run, graph->layer) != device) {
        return;
    }
    (void)reach(graph, graph->picked, device);
    (void)reach(graph, graph->hidden, device);
    if (kvb_llama_state_reader(graph, device) != UINT16_MAX) {
        (void)reach(graph, graph->state_rows, device);
        (void)reach(graph, graph->no_rows, device);
    }
    (void)reach(graph, graph->positions, device);
    if (!graph->run->keep_cache_on_host) {
        bool window_first =
            kvb_llama_reader(graph, false, true, device) < kvb_llama_reader(graph, false, false, device);
        (void)reach(graph, graph->rotation[0], device);
        (void)reach(graph, graph->rotation[1], device);
        reach_cache(graph, window_first, device);
        reach_cache(graph, !window_first, device);
    }
    bool fetches = graph->run->cpu_experts > graph->layer; // each weight that is fetched begins another split
    if (kvb_llama_place_of(graph->run, last) == device && !fetches) {
        (void)reach(graph, graph->chosen_rows, device);
    }
}

static void schedule_node(struct kvb_llama_graph *graph, kvb_llama_node at)
{
    struct kvb_llama_tensor_node *node = &graph->nodes[at];
    bool fetched = node->weight_bytes > 0 && node->weight_place == KVB_LLAMA_HOST && node->device != KVB_LLAMA_HOST;
    if (node->kind > KVB_LLAMA_OP_PERMUTE) { // views begin no split
        bool moved = node->device != graph->split_device;
        if (moved || (fetched && graph->split_has_inputs)) {
            graph->split_device = node->device;
            graph->split_has_inputs = false;
            graph->split_begin = graph->sequence_count;
            if (moved && !fetched) {
                reach_inputs(graph, node->device);
            }
        }
        for (uint32_t i = 0; i < KVB_LLAMA_SOURCES; i++) {
            kvb_llama_node source = reach(graph, node->source[i], node->device);
            graph->nodes[at].source[i] = source;
        }
        if (fetched) {
            struct kvb_llama_tensor_node weight = {.bytes = node->weight_bytes, .device = node->device};
            kvb_llama_node copy = make(graph, &weight);
            kvb_llama_add_source(graph, at, copy);
            insert(graph, graph->split_begin++, (uint16_t)(copy | KVB_LLAMA_COPY_MARK));
            graph->split_has_inputs = true;
        }
    }
    insert(graph, graph->sequence_count, at);
}

uint16_t kvb_llama_reader(const struct kvb_llama_graph *graph, bool last, bool windowed, uint32_t device)
{
    uint16_t found = UINT16_MAX;
    const struct kvb_llama_run *run = graph->run;
    for (uint32_t i = graph->layer; i < run->model->layer_count && (last || found == UINT16_MAX); i++) {
        struct kvb_llama_layer layer;
        uint32_t place = kvb_llama_place_of(run, i);
        kvb_llama_layer_of(run, i, &layer);
        bool reads = layer.mixer == KVB_LLAMA_MIXER_ATTENTION || layer.mixer == KVB_LLAMA_MIXER_LATENT ||
                     layer.mixer == KVB_LLAMA_MIXER_EXPANDED;
        uint32_t where = run->keep_cache_on_host ? KVB_LLAMA_HOST : place == KVB_LLAMA_HOST ? host_ops(graph) : place;
        if (reads && (device == KVB_LLAMA_ANYWHERE || where == device) && layer.windowed == windowed) {
            found = (uint16_t)i;
        }
    }
    return found;
}

uint16_t kvb_llama_state_reader(const struct kvb_llama_graph *graph, uint32_t device)
{
    uint16_t found = UINT16_MAX;
    const struct kvb_llama_run *run = graph->run;
    for (uint32_t i = graph->layer; i < run->model->layer_count; i++) {
        struct kvb_llama_layer layer;
        uint32_t place = kvb_llama_place_of(run, i);
        kvb_llama_layer_of(run, i, &layer);
        bool here = device == KVB_LLAMA_ANYWHERE || (place == KVB_LLAMA_HOST ? host_ops(graph) : place) == device;
        if (here && kvb_add(layer.conv_state, layer.state) > 0) {
            found = (uint16_t)i;
        }
    }
    return found;
}

bool kvb_llama_casts_mask(const struct kvb_llama_run *run)
{
    return run->flash && !kvb_llama_since(run, KVB_LLAMA_MASK_F16);
}

// ---- Layers

void kvb_llama_graph_begin(struct kvb_llama_graph *graph, const struct kvb_llama_run *run)
{
    memset(graph, 0, sizeof *graph);
    graph->run = run;
    graph->class = kvb_llama_class_of(run->model);
    kvb_llama_cells_of(run, &graph->cells);
    graph->tokens = kvb_min(run->ubatch, graph->cells.context_tokens);
    graph->pipelined = kvb_llama_is_pipelined(run);
    graph->split_device = KVB_LLAMA_HOST;
    graph->part = graph->count = KVB_LLAMA_GLOBALS;
    graph->sorts = kvb_llama_sorts(run);
    for (uint32_t i = 0; i < KVB_LLAMA_PLACES; i++) {
        enum kvb_llama_backend backend = i == KVB_LLAMA_HOST ? KVB_LLAMA_CPU : run->backend;
        kvb_llama_heap_begin(&graph->heaps[i], kvb_llama_backend_row_of(backend)->alignment);
    }
}

void kvb_llama_layer_begin(struct kvb_llama_graph *graph, uint32_t layer)
{
    uint32_t place = kvb_llama_place_of(graph->run, layer);
    graph->layer = layer;
    graph->layer_device = place == KVB_LLAMA_HOST ? host_ops(graph) : (uint8_t)place;
    bool room = graph->count + KVB_LLAMA_PART_NODES <= KVB_LLAMA_NODES;
    graph->part = graph->sorts && room ? graph->count : KVB_LLAMA_GLOBALS; // layers before may still wait
    graph->part_end = (uint16_t)(graph->sorts ? graph->part + KVB_LLAMA_PART_NODES : KVB_LLAMA_NODES);
    graph->count = graph->part;
    graph->order_count = 0;
    graph->sequence_count = 0;
    graph->split_begin = 0;
    for (uint32_t i = 1; i < KVB_LLAMA_GLOBALS; i++) {
        struct kvb_llama_tensor_node *node = &graph->nodes[i];
        if ((node->flags & KVB_LLAMA_GLOBAL) != 0 && node->last_layer == layer && node->children > 0) {
            node->children--;
        }
    }
}

// A copy of `source` as a global of its own.
static kvb_llama_node keep(struct kvb_llama_graph *graph, kvb_llama_node source)
{
    struct kvb_llama_tensor_node node = graph->nodes[source];
    kvb_llama_node kept = kvb_llama_global(graph, node.bytes, node.device, UINT16_MAX);
    node.flags |= KVB_LLAMA_GLOBAL | KVB_LLAMA_VISITED;
    node.root = 0;
    memset(node.source, 0, sizeof node.source);
    node.last_layer = UINT16_MAX;
    graph->nodes[kept] = node;
    return kept;
}

void kvb_llama_layer_end(struct kvb_llama_graph *graph, kvb_llama_node out)
{
    kvb_llama_expand(graph, out);
    place_nodes(graph);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        schedule_node(graph, graph->order[i]);
    }
    kvb_llama_allocate(graph);
    kvb_llama_node before = graph->hidden;
    graph->hidden = graph->sorts ? out : keep(graph, out);
    if (before < KVB_LLAMA_GLOBALS && !graph->sorts) {
        graph->nodes[before].flags = 0;
    }
    for (uint32_t i = 1; i < KVB_LLAMA_GLOBALS; i++) { // what nobody reads any more makes room
        struct kvb_llama_tensor_node *node = &graph->nodes[i];
        bool own = i == graph->hidden || i == graph->cast[0] || i == graph->cast[1] || i == graph->mask[0] ||
                   i == graph->mask[1] || i == graph->layer_inputs;
        bool waits = graph->sorts && (node->flags & KVB_LLAMA_LIVE) != 0;
        if (!own && !waits && (node->flags & KVB_LLAMA_GLOBAL) != 0 && node->last_layer <= graph->layer) {
            node->flags = 0;
        }
    }
}
