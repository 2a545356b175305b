// Compute buffers of graphs made by hand: what ggml's allocator (ggml/src/ggml-alloc.c), its scheduler
// (ggml/src/ggml-backend.cpp) and the order of a Vulkan device (ggml-vulkan.cpp, ggml_vk_graph_optimize) make of a few
// nodes, counted beside each. Blocks are rounded to 128 bytes on a CUDA device and to 64 on the host.
#include <string.h>

#include "engines/llamacpp/allocate.h"
#include "engines/llamacpp/build.h"
#include "unit/test.h"

static struct kvb_llama_graph graph;
static struct kvb_model model;
static struct kvb_llama_run run;

static void begin(uint32_t devices, uint32_t layers)
{
    memset(&model, 0, sizeof model);
    model.layer_count = 1;
    model.kind_count = 1;
    run = (struct kvb_llama_run){.model = &model,
                                 .build = 9010,
                                 .backend = KVB_LLAMA_CUDA,
                                 .devices = devices,
                                 .gpu_layers = 2,
                                 .context_tokens = 256,
                                 .sequences = 1,
                                 .batch = 256,
                                 .ubatch = 64,
                                 .flash = true};
    assert_true(kvb_llama_graph_begin(&graph, &run, layers));
    graph.pipelined = false;
}

// A tensor in f32 on a device.
static kvb_llama_node on(uint32_t device, enum kvb_llama_kind kind, uint64_t bytes, kvb_llama_node a, kvb_llama_node b)
{
    const uint64_t ne[3] = {bytes / 4, 1, 1};
    kvb_llama_node made = kvb_llama_op(&graph, kind, ne, a, b);
    graph.nodes[made].device = (uint8_t)device;
    return made;
}

static kvb_llama_node other(uint64_t bytes, kvb_llama_node a, kvb_llama_node b)
{
    return on(0, KVB_LLAMA_OP_OTHER, bytes, a, b);
}

static kvb_llama_node add(kvb_llama_node a, kvb_llama_node b)
{
    return on(0, KVB_LLAMA_OP_ADD, 1024, a, b);
}

// Runs all up to the last node; `place`: the buffer to hold against.
static void assert_bytes(kvb_llama_node last, uint32_t place, uint64_t highest)
{
    kvb_llama_expand(&graph, last);
    kvb_llama_graph_run(&graph);
    assert_int_equal(graph.heaps[place].highest, highest);
    kvb_llama_graph_end(&graph);
}

// ggml_gallocr_allocate_node: an operation that may works in the memory of its first source that nobody else reads.
static void memory_is_handed_on(void **state)
{
    (void)state;
    begin(1, 1);
    assert_bytes(add(other(1024, 0, 0), 0), 0, 1024);
    begin(1, 1);
    assert_bytes(other(1024, other(1024, 0, 0), 0), 0, 2048); // which may not
    begin(1, 1);
    kvb_llama_node a = other(1024, 0, 0);
    assert_bytes(add(add(a, 0), a), 0, 2048); // the first of the two finds another reader
    begin(1, 1);
    a = other(1024, 0, 0);
    kvb_llama_node second = add(a, other(1024, 0, 0));
    assert_bytes(other(2048, second, a), 0, 4096); // in the second source's
    begin(1, 1);
    a = other(1024, 0, 0);
    graph.nodes[a].flags |= KVB_LLAMA_STAYS;
    assert_bytes(add(a, 0), 0, 2048);
    begin(1, 1); // a view of it is read later: 3072 for a, the sum and what reads the view; then a's place is free
    a = other(1024, 0, 0);
    const uint64_t ne[3] = {256, 1, 1};
    kvb_llama_node view = kvb_llama_view(&graph, KVB_LLAMA_OP_VIEW, a, ne);
    kvb_llama_expand(&graph, view);
    kvb_llama_node sum = add(a, 0);
    kvb_llama_expand(&graph, sum);
    assert_bytes(other(1024, sum, other(1024, view, 0)), 0, 3072);
}

// Only what lies alike: with the second source's memory 1024 + 1024 + 2048 are taken, without 1024 more.
static void memory_of_another_layout(void **state)
{
    (void)state;
    static const struct {
        uint32_t ne[3];
        uint8_t element_bytes;
        uint16_t flags;
        uint64_t highest;
    } rows[] = {{{256, 1, 1}, 4, 0, 4096}, {{128, 2, 1}, 4, 0, 5120}, {{256, 2, 1}, 4, 0, 5120},
                {{256, 1, 2}, 4, 0, 5120}, {{256, 1, 1}, 2, 0, 5120}, {{256, 1, 1}, 4, KVB_LLAMA_STRIDED, 5120}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(1, 1);
        kvb_llama_node a = other(1024, 0, 0), b = other(1024, 0, 0);
        memcpy(graph.nodes[b].ne, rows[i].ne, sizeof rows[i].ne);
        graph.nodes[b].element_bytes = rows[i].element_bytes;
        graph.nodes[b].flags |= rows[i].flags;
        kvb_llama_node sum = add(a, b);
        assert_bytes(other(2048, sum, a), 0, rows[i].highest);
    }
}

// ggml_backend_sched_split_graph: what another device made is copied once, when the split begins, and the copy is given
// back behind its last reader.
static void copies_between_devices(void **state)
{
    (void)state;
    begin(2, 1);
    kvb_llama_node a = other(1024, 0, 0);
    assert_bytes(on(1, KVB_LLAMA_OP_OTHER, 1024, a, 0), 1, 2048);
    begin(2, 1);
    a = other(1024, 0, 0);
    kvb_llama_node b = on(1, KVB_LLAMA_OP_OTHER, 1024, a, 0);
    assert_bytes(on(1, KVB_LLAMA_OP_OTHER, 1024, b, a), 1, 3072); // the same copy twice
    begin(2, 1);
    a = other(1024, 0, 0);
    b = on(1, KVB_LLAMA_OP_OTHER, 1024, a, 0);
    assert_bytes(other(1024, b, 0), 0, 2048); // the copy of b where a was
    begin(2, 1);
    graph.pipelined = true; // four of each copy, for good
    a = other(1000, 0, 0);
    kvb_llama_node in = kvb_llama_input(&graph, 500);
    assert_bytes(on(1, KVB_LLAMA_OP_OTHER, 1024, a, in), 1, 1024);
    assert_int_equal(graph.heaps[1].pinned, 4 * (1024 + 512));
    assert_int_equal(graph.heaps[KVB_LLAMA_HOST].pinned, 4 * 512);
    assert_int_equal(graph.heaps[KVB_LLAMA_HOST].highest, 0);
    assert_int_equal(graph.heaps[0].highest, 1024);
    begin(2, 1); // what nothing binds runs on the host
    const uint64_t ne[3] = {32, 1, 1};
    assert_bytes(kvb_llama_op(&graph, KVB_LLAMA_OP_OTHER, ne, 0, 0), KVB_LLAMA_HOST, 128);
}

// ggml_backend_cuda_device_offload_op: weights of 4096 bytes in the host's memory come to the first GPU for batches of
// at least 32, which are rows of a product, tokens of a product by expert, else all rows; rows of a table never.
static void weights_of_the_host(void **state)
{
    (void)state;
    static const struct {
        enum kvb_llama_kind kind;
        uint64_t ne[3];
        bool no_op_offload, metal;
        uint64_t device, host;
    } rows[] = {{KVB_LLAMA_OP_MUL_MAT, {8, 32, 1}, false, false, 4096 + 1024, 0},
                {KVB_LLAMA_OP_MUL_MAT, {8, 31, 2}, false, false, 0, 1984},
                {KVB_LLAMA_OP_MUL_MAT_ID, {8, 2, 32}, false, false, 4096 + 2048, 0},
                {KVB_LLAMA_OP_MUL_MAT_ID, {8, 32, 31}, false, false, 0, 31744},
                {KVB_LLAMA_OP_GET_ROWS, {8, 64, 1}, false, false, 0, 2048},
                {KVB_LLAMA_OP_MUL, {8, 8, 4}, false, false, 4096 + 1024, 0},
                {KVB_LLAMA_OP_MUL, {32, 31, 1}, false, false, 0, 3968},
                {KVB_LLAMA_OP_MUL_MAT, {8, 32, 1}, true, false, 0, 1024},
                {KVB_LLAMA_OP_MUL_MAT, {8, 32, 1}, false, true, 0, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(1, 1);
        run.no_op_offload = rows[i].no_op_offload;
        run.backend = rows[i].metal ? KVB_LLAMA_METAL : KVB_LLAMA_CUDA;
        kvb_llama_node product = kvb_llama_op(&graph, rows[i].kind, rows[i].ne, 0, 0);
        kvb_llama_reads_weight(&graph, product, 4096, KVB_LLAMA_HOST);
        assert_bytes(product, 0, rows[i].device);
        assert_int_equal(graph.heaps[KVB_LLAMA_HOST].highest, rows[i].host);
    }
}

// A product's matrix is its first source and copied first; what is multiplied by element comes behind the other.
static void copies_in_order(void **state)
{
    (void)state;
    static const struct {
        enum kvb_llama_kind kind;
        unsigned weight; // which copy it is
    } rows[] = {{KVB_LLAMA_OP_MUL_MAT, 0}, {KVB_LLAMA_OP_MUL_MAT_ID, 0}, {KVB_LLAMA_OP_MUL, 1}, {KVB_LLAMA_OP_ADD, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(1, 1);
        kvb_llama_node made = on(0, rows[i].kind, 128, kvb_llama_input(&graph, 64), kvb_llama_input(&graph, 64));
        kvb_llama_reads_weight(&graph, made, 4096, KVB_LLAMA_HOST);
        kvb_llama_expand(&graph, made);
        kvb_llama_graph_run(&graph);
        assert_int_equal(graph.sequence_count, 3 + 1 + 2);
        for (unsigned j = 0; j < 3; j++) { // copies, each of 64 bytes or the weight
            const struct kvb_llama_tensor_node *copy = &graph.nodes[graph.sequence[j]];
            assert_int_equal(copy->bytes, j == rows[i].weight ? 4096 : 64);
            assert_int_equal(copy->root == 0, j == rows[i].weight);
        }
        kvb_llama_graph_end(&graph);
    }
}

// What is not held is said to be unknown: more free blocks, nodes, or inputs of a split than there is room for. A node
// has six sources at most here; a weight beside them is copied and never given back.
static void more_than_is_held(void **state)
{
    (void)state;
    for (uint32_t holes = 200; holes <= 300; holes += 100) {
        begin(1, 20);
        for (uint32_t i = 0; i < 2 * holes; i++) {
            kvb_llama_expand(&graph, other(128, 0, 0));
        }
        for (uint32_t i = 0; i < 2 * holes; i++) { // first every second one is read, by what fits in no hole
            uint32_t read = i < holes ? 2 * i + 1 : 2 * (i - holes) + 2;
            kvb_llama_expand(&graph, other(256, (kvb_llama_node)read, 0));
        }
        kvb_llama_graph_run(&graph); // one of the others beside them, the rest where two holes have become one
        assert_true(holes == 300 || graph.heaps[0].highest == 400 * 128 + 201 * 256);
        assert_int_equal(graph.unknown, holes == 300);
        kvb_llama_graph_end(&graph);
    }
    for (uint32_t inputs = 64; inputs <= 65; inputs++) {
        kvb_llama_node last = 0;
        begin(1, 1);
        for (uint32_t i = 0; i < inputs; i++) {
            last = other(128, kvb_llama_input(&graph, 64), last);
        }
        kvb_llama_expand(&graph, last);
        kvb_llama_graph_run(&graph);
        assert_int_equal(graph.unknown, inputs == 65);
        kvb_llama_graph_end(&graph);
    }
    begin(2, 1);
    kvb_llama_node one = other(128, 0, 0), node = one;
    while (graph.count < graph.capacity) {
        node = on(1, KVB_LLAMA_OP_OTHER, 128, one, 0);
    }
    assert_false(graph.unknown);
    assert_int_equal(other(128, 0, 0), node); // the last one again
    assert_true(graph.unknown);
    graph.unknown = false;
    graph.nodes[node].device = 1;
    kvb_llama_reads_weight(&graph, node, 128, 0);
    kvb_llama_expand(&graph, node);
    kvb_llama_graph_run(&graph); // copies have no room either
    assert_true(graph.unknown);
    kvb_llama_graph_end(&graph);
    begin(1, 1);
    kvb_llama_node seven = other(128, other(128, 0, 0), other(128, 0, 0));
    for (uint32_t i = 2; i < 7; i++) {
        kvb_llama_add_source(&graph, seven, other(128, 0, 0));
    }
    assert_int_equal(graph.nodes[seven].source[5], seven + 4);
    kvb_llama_reads_weight(&graph, seven, 4096, KVB_LLAMA_HOST);
    assert_bytes(seven, 0, 4096 + 6 * 128 + 128);
}

static void free_blocks(void **state)
{
    (void)state;
    struct kvb_llama_heap heap;
    kvb_llama_heap_begin(&heap, 128);
    assert_int_equal(kvb_llama_heap_take(&heap, UINT64_MAX), 0); // all there is: the block stays, without room
    assert_int_equal(heap.count, 1);
    assert_int_equal(kvb_llama_heap_take(&heap, 128), heap.highest);
    // tensors of nothing have an address, too, which may come to lie inside what is free: then behind the last block
    kvb_llama_heap_begin(&heap, 128);
    assert_int_equal(kvb_llama_heap_take(&heap, 256), 0);
    assert_int_equal(kvb_llama_heap_take(&heap, 0), 256);
    assert_int_equal(kvb_llama_heap_take(&heap, 0), 256);
    kvb_llama_heap_give(&heap, 0, 256);
    assert_int_equal(heap.count, 1);
    kvb_llama_heap_give(&heap, 256, 0);
    kvb_llama_heap_give(&heap, 256, 0);
    assert_int_equal(heap.count, 2);
    assert_int_equal(kvb_llama_heap_take(&heap, 512), 0);
    assert_int_equal(heap.highest, 512);
}

// ---- The order of a Vulkan device

static void assert_order(const kvb_llama_node *expected, uint32_t count)
{
    kvb_llama_sort(&graph, 0, graph.order_count);
    assert_int_equal(graph.sequence_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(graph.sequence[i], expected[i]);
    }
    kvb_llama_graph_end(&graph);
}

static kvb_llama_node listed(enum kvb_llama_kind kind, kvb_llama_node a, kvb_llama_node b)
{
    kvb_llama_node made = on(0, kind, 128, a, b);
    graph.order[graph.order_count++] = made;
    return made;
}

static void who_sorts(void **state)
{
    (void)state;
    struct kvb_llama_run sorted = {.backend = KVB_LLAMA_VULKAN, .devices = 1, .build = 7166};
    assert_true(kvb_llama_sorts(&sorted));
    sorted.build = 7165;
    assert_false(kvb_llama_sorts(&sorted));
    sorted.build = 9010;
    sorted.devices = 0;
    assert_false(kvb_llama_sorts(&sorted));
    sorted.devices = 1;
    sorted.backend = KVB_LLAMA_CUDA;
    assert_false(kvb_llama_sorts(&sorted));
}

// A router with a sigmoid stays together from b7600 on; before, its first operation was drawn in front of others.
static void routers_stay_together(void **state)
{
    (void)state;
    static const enum kvb_llama_kind kinds[] = {KVB_LLAMA_OP_UNARY,   KVB_LLAMA_OP_RESHAPE,  KVB_LLAMA_OP_ADD,
                                                KVB_LLAMA_OP_ARGSORT, KVB_LLAMA_OP_VIEW,     KVB_LLAMA_OP_GET_ROWS,
                                                KVB_LLAMA_OP_RESHAPE, KVB_LLAMA_OP_SUM_ROWS, KVB_LLAMA_OP_CLAMP,
                                                KVB_LLAMA_OP_DIV,     KVB_LLAMA_OP_RESHAPE};
    for (uint32_t build = 7599; build <= 7600; build++) {
        begin(1, 1);
        run.build = build;
        kvb_llama_node x = listed(KVB_LLAMA_OP_OTHER, 0, 0), y = listed(KVB_LLAMA_OP_OTHER, x, 0), before = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            before = listed(kinds[i], before, 0);
        }
        kvb_llama_sort(&graph, 0, graph.order_count);
        assert_int_equal(graph.sequence_count, 13);
        assert_int_equal(graph.sequence[1], build == 7600 ? y : y + 1);
        kvb_llama_graph_end(&graph);
    }
}

// A norm draws the rotation behind it where that waits for an input alone; the rotation draws its rows that go to the
// cache, through their own view.
static void rotations_follow_norms(void **state)
{
    (void)state;
    begin(1, 1);
    kvb_llama_node in = kvb_llama_input(&graph, 64);
    kvb_llama_node norm = listed(KVB_LLAMA_OP_RMS_NORM, 0, 0), scaled = listed(KVB_LLAMA_OP_MUL, norm, 0);
    kvb_llama_node waits = listed(KVB_LLAMA_OP_OTHER, norm, 0), rope = listed(KVB_LLAMA_OP_ROPE, scaled, in);
    assert_order((const kvb_llama_node[]){norm, scaled, rope, waits}, 4);
    begin(1, 1);
    kvb_llama_node made = listed(KVB_LLAMA_OP_OTHER, 0, 0);
    norm = listed(KVB_LLAMA_OP_RMS_NORM, 0, 0);
    scaled = listed(KVB_LLAMA_OP_MUL, norm, 0);
    waits = listed(KVB_LLAMA_OP_OTHER, norm, 0);
    rope = listed(KVB_LLAMA_OP_ROPE, scaled, made);
    assert_order((const kvb_llama_node[]){made, norm, scaled, waits, rope}, 5);
    for (int own = 0; own < 2; own++) {
        begin(1, 1);
        in = kvb_llama_input(&graph, 64);
        kvb_llama_node first = listed(KVB_LLAMA_OP_OTHER, 0, 0);
        rope = listed(KVB_LLAMA_OP_ROPE, in, 0);
        waits = listed(KVB_LLAMA_OP_OTHER, first, 0);
        kvb_llama_node view = listed(KVB_LLAMA_OP_VIEW, rope, 0);
        kvb_llama_node rows = listed(KVB_LLAMA_OP_SET_ROWS, own != 0 ? view : first, 0);
        if (own != 0) {
            assert_order((const kvb_llama_node[]){first, rope, view, rows, waits}, 5);
        } else { // the view comes behind the set, with what it looks at
            assert_order((const kvb_llama_node[]){first, rope, view, waits, rows}, 5);
        }
    }
}

// A product and two additions are one; the second addition follows where it reads the first and nothing to come.
static void additions_behind_a_product(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        begin(1, 1);
        kvb_llama_node first = listed(KVB_LLAMA_OP_OTHER, 0, 0), product = listed(KVB_LLAMA_OP_MUL_MAT, 0, 0);
        kvb_llama_node sum = listed(KVB_LLAMA_OP_ADD, product, 0), waits = listed(KVB_LLAMA_OP_OTHER, first, 0);
        kvb_llama_node second = listed(KVB_LLAMA_OP_ADD, follows != 0 ? sum : waits, 0);
        if (follows != 0) {
            assert_order((const kvb_llama_node[]){first, product, sum, second, waits}, 5);
        } else {
            assert_order((const kvb_llama_node[]){first, product, sum, waits, second}, 5);
        }
    }
}

// From b9194 on what follows a convolution and its bias is drawn with it, whatever else it reads.
static void convolutions(void **state)
{
    (void)state;
    for (uint32_t build = 9193; build <= 9194; build++) {
        for (int reads = 0; reads < 2; reads++) {
            begin(1, 1);
            run.build = build;
            kvb_llama_node first = listed(KVB_LLAMA_OP_OTHER, 0, 0), made = listed(KVB_LLAMA_OP_SSM_CONV, 0, 0);
            kvb_llama_node biased = listed(KVB_LLAMA_OP_ADD, made, 0), waits = listed(KVB_LLAMA_OP_OTHER, first, 0);
            kvb_llama_node active = listed(KVB_LLAMA_OP_UNARY, reads != 0 ? biased : waits, 0);
            if (build == 9193) { // the bias waits for the convolution, too
                assert_order((const kvb_llama_node[]){first, made, biased, waits, active}, 5);
            } else if (reads != 0) {
                assert_order((const kvb_llama_node[]){first, made, biased, active, waits}, 5);
            } else {
                assert_order((const kvb_llama_node[]){first, made, biased, waits, active}, 5);
            }
        }
    }
}

static void fill(uint32_t count, kvb_llama_node waits_for)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)listed(KVB_LLAMA_OP_OTHER, waits_for, 0);
    }
}

// Whether `drawn` runs at this place of the sequence.
static bool runs_at(uint32_t place, kvb_llama_node drawn)
{
    kvb_llama_sort(&graph, 0, graph.order_count);
    bool there = graph.sequence[place] == drawn;
    assert_int_equal(graph.sequence_count, graph.order_count);
    kvb_llama_graph_end(&graph);
    return there;
}

// ggml_vk_graph_optimize: NUM_TO_CHECK is 20; up to 15 behind what a norm, a product or a convolution begins, up to 10
// behind a rotation. All between waits for the first.
static void how_far_it_looks(void **state)
{
    (void)state;
    for (uint32_t distance = 9; distance <= 20; distance++) {
        begin(1, 1);
        kvb_llama_node first = listed(KVB_LLAMA_OP_OTHER, 0, 0);
        fill(distance - 1, first);
        kvb_llama_node free = listed(KVB_LLAMA_OP_OTHER, 0, 0);
        fill(20, first);
        assert_int_equal(runs_at(1, free), distance < 20);
        begin(1, 1);
        kvb_llama_node in = kvb_llama_input(&graph, 64), norm = listed(KVB_LLAMA_OP_RMS_NORM, 0, 0);
        kvb_llama_node scaled = listed(KVB_LLAMA_OP_MUL, norm, 0);
        fill(distance - 1, norm);
        kvb_llama_node rope = listed(KVB_LLAMA_OP_ROPE, scaled, in);
        fill(20, norm);
        assert_int_equal(runs_at(2, rope), distance < 15);
        begin(1, 1);
        first = listed(KVB_LLAMA_OP_OTHER, 0, 0);
        kvb_llama_node product = listed(KVB_LLAMA_OP_MUL_MAT, 0, 0), sum = listed(KVB_LLAMA_OP_ADD, product, 0);
        fill(distance - 1, first);
        kvb_llama_node second = listed(KVB_LLAMA_OP_ADD, sum, 0);
        fill(20, first);
        assert_int_equal(runs_at(3, second), distance < 15);
        begin(1, 1);
        in = kvb_llama_input(&graph, 64);
        first = listed(KVB_LLAMA_OP_OTHER, 0, 0);
        rope = listed(KVB_LLAMA_OP_ROPE, in, 0);
        fill(distance - 2, first);
        kvb_llama_node rows = listed(KVB_LLAMA_OP_SET_ROWS, listed(KVB_LLAMA_OP_VIEW, rope, 0), 0);
        fill(20, first);
        assert_int_equal(runs_at(3, rows), distance < 10);
    }
    // what ends with the graph
    begin(1, 1);
    kvb_llama_node in = kvb_llama_input(&graph, 64), first = listed(KVB_LLAMA_OP_OTHER, 0, 0);
    kvb_llama_node rope = listed(KVB_LLAMA_OP_ROPE, in, 0), waits = listed(KVB_LLAMA_OP_OTHER, first, 0);
    kvb_llama_node view = listed(KVB_LLAMA_OP_VIEW, rope, 0), rows = listed(KVB_LLAMA_OP_SET_ROWS, view, 0);
    graph.order[graph.order_count] = first; // behind the last
    assert_order((const kvb_llama_node[]){first, rope, view, rows, waits}, 5);
}

KVB_TEST_MAIN(cmocka_unit_test(memory_is_handed_on), cmocka_unit_test(memory_of_another_layout),
              cmocka_unit_test(copies_between_devices), cmocka_unit_test(weights_of_the_host),
              cmocka_unit_test(copies_in_order), cmocka_unit_test(more_than_is_held), cmocka_unit_test(free_blocks),
              cmocka_unit_test(who_sorts), cmocka_unit_test(routers_stay_together),
              cmocka_unit_test(rotations_follow_norms), cmocka_unit_test(additions_behind_a_product),
              cmocka_unit_test(convolutions), cmocka_unit_test(how_far_it_looks))
