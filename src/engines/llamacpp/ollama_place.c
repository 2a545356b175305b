// How many layers go to which GPU: up to 0.12.10 one after the other while there is room, from then on by a layout that
// takes an even share of each GPU.
// Source: llm/memory.go, EstimateGPULayers, at v0.2.0, v0.7.1 and v0.11.5; llm/server.go, Load, buildLayout,
// assignLayers, findBestFit and greedyFit, at v0.13.0 and v0.20.0. GPUs are alike here.
#include "engines/llamacpp/ollama.h"

#include "base/checked.h"

// ---- One after the other

struct room {
    const struct kvb_ollama_sizes *sizes;
    const struct kvb_ollama_cards *cards;
    uint64_t graph_bytes;
    uint64_t taken[KVB_LLAMA_DEVICES];
    uint32_t open[KVB_LLAMA_DEVICES]; // cards that have room
    uint32_t open_count;
    struct kvb_ollama_placed *out;
};

static bool has_room(const struct room *room, uint32_t card, uint64_t bytes)
{
    uint64_t used = kvb_add(kvb_add(room->taken[card], room->graph_bytes), room->cards->overhead_bytes);
    return room->cards->free_bytes > kvb_add(used, bytes);
}

static void put(struct room *room, uint32_t card, uint64_t bytes)
{
    room->taken[card] = kvb_add(room->taken[card], bytes);
    room->out->of_card[card]++;
    room->out->layers++;
}

static void open_cards(struct room *room)
{
    uint64_t first = room->sizes->layer_bytes[0];
    for (uint32_t i = 0; i < room->cards->count; i++) {
        uint64_t beside = room->open_count == 0 ? room->sizes->projector_bytes : 0;
        uint64_t needed = kvb_add(kvb_add(room->cards->overhead_bytes, beside), room->graph_bytes);
        needed = kvb_add(needed, kvb_add(room->cards->minimum_bytes, kvb_mul(first, 2)));
        if (room->cards->free_bytes >= needed) {
            room->open[room->open_count++] = i;
            room->taken[i] = kvb_add(kvb_add(room->cards->minimum_bytes, first), beside);
        }
    }
}

// A card that is full for one layer is asked no more.
static void put_layer(struct room *room, uint32_t layer)
{
    uint64_t bytes = room->sizes->layer_bytes[layer];
    for (uint32_t left = room->open_count; left > 0; left--) {
        uint32_t at = layer % left;
        if (has_room(room, room->open[at], bytes)) {
            put(room, room->open[at], bytes);
            return;
        }
        room->open_count--;
        for (uint32_t i = at; i < room->open_count; i++) {
            room->open[i] = room->open[i + 1];
        }
    }
}

void kvb_ollama_estimate(const struct kvb_ollama_sizes *sizes, const struct kvb_ollama_cards *cards, int64_t asked,
                         bool upwards, struct kvb_ollama_placed *out)
{
    uint64_t full = cards->count > 1 && !cards->metal ? sizes->partial_bytes : sizes->full_bytes;
    uint64_t partial = cards->metal ? full : sizes->partial_bytes;
    struct room room = {.sizes = sizes, .cards = cards, .graph_bytes = kvb_max(full, partial), .out = out};
    *out = (struct kvb_ollama_placed){0, {0}};
    open_cards(&room);
    for (uint32_t i = 0; i < sizes->layers; i++) {
        if (asked < 0 || out->layers < asked) {
            put_layer(&room, upwards ? i : sizes->layers - 1 - i);
        }
    }
    bool last = asked < 0 || out->layers < asked;
    for (uint32_t left = last ? room.open_count : 0; left > 0; left--) {
        uint32_t card = room.open[out->layers % left];
        if (has_room(&room, card, sizes->output_bytes)) {
            put(&room, card, sizes->output_bytes);
            return;
        }
    }
}

// ---- A layout

#define WHOLE 1000000U // of a card's room

struct layout {
    const struct kvb_ollama_sizes *sizes;
    uint64_t room_bytes[KVB_LLAMA_DEVICES];
    uint32_t count; // of layers, with or without the output
    int64_t asked;
};

static uint64_t bytes_of(const struct layout *layout, uint32_t layer)
{
    return layer < layout->sizes->layers ? layout->sizes->layer_bytes[layer] : layout->sizes->output_bytes;
}

static uint64_t share_of(uint64_t bytes, uint64_t millionths)
{
    return kvb_add(kvb_mul(bytes / WHOLE, millionths), kvb_mul(bytes % WHOLE, millionths) / WHOLE);
}

// From the last layer and the last card on.
static void fill(const struct layout *layout, uint32_t cards, uint64_t millionths, struct kvb_ollama_placed *out)
{
    uint32_t card = cards - 1;
    uint64_t left = share_of(layout->room_bytes[card], millionths);
    *out = (struct kvb_ollama_placed){0, {0}};
    for (uint32_t i = 0; i < layout->count && (layout->asked < 0 || i < layout->asked); i++) {
        uint64_t bytes = bytes_of(layout, layout->count - 1 - i);
        while (bytes > left) {
            if (card == 0) {
                return;
            }
            left = share_of(layout->room_bytes[--card], millionths);
        }
        left -= bytes;
        out->of_card[card]++;
        out->layers++;
    }
}

// The smallest share of the cards that holds as many.
static void fill_evenly(const struct layout *layout, uint32_t cards, bool forced, struct kvb_ollama_placed *out)
{
    uint64_t low = 0, high = forced ? UINT64_C(1000) * WHOLE : WHOLE;
    fill(layout, cards, high, out);
    while (high - low > 1) {
        struct kvb_ollama_placed tried;
        uint64_t middle = (low + high) / 2;
        fill(layout, cards, middle, &tried);
        if (tried.layers == out->layers) {
            high = middle;
            *out = tried;
        } else {
            low = middle;
        }
    }
}

// As few cards as hold all; where none do, the output is left out.
static void assign(struct layout *layout, const struct kvb_ollama_cards *cards, uint32_t used,
                   struct kvb_ollama_placed *out)
{
    int64_t asked = layout->asked;
    for (layout->count = layout->sizes->layers + 1; layout->count >= layout->sizes->layers; layout->count--) {
        layout->asked = asked > layout->count ? layout->count : asked;
        for (uint32_t i = used > 0 ? used : 1; i <= cards->count; i++) {
            fill_evenly(layout, i, asked >= 0 && i == cards->count, out);
            if (out->layers == layout->count || out->layers == layout->asked) {
                break;
            }
        }
        if (out->layers == layout->count) {
            break;
        }
    }
    layout->asked = asked;
}

static uint32_t cards_used(const struct kvb_ollama_placed *placed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < KVB_LLAMA_DEVICES; i++) {
        count = placed->of_card[i] > 0 ? i + 1 : count;
    }
    return count;
}

void kvb_ollama_layout(const struct kvb_ollama_sizes *sizes, const struct kvb_ollama_cards *cards, int64_t asked,
                       struct kvb_ollama_placed *out)
{
    uint32_t used = 0, before;
    struct layout layout = {.sizes = sizes, .asked = asked};
    uint64_t graph = kvb_max(sizes->full_bytes, cards->metal ? sizes->full_bytes : sizes->partial_bytes);
    do {
        before = used;
        for (uint32_t i = 0; i < cards->count; i++) {
            uint64_t taken = kvb_add(cards->overhead_bytes, cards->minimum_bytes);
            taken = kvb_add(taken, kvb_add(cards->buffer_bytes, i == 0 ? sizes->projector_bytes : 0));
            taken = kvb_add(taken, i < used ? graph : 0);
            layout.room_bytes[i] = kvb_less(cards->free_bytes, taken);
        }
        assign(&layout, cards, used, out);
        used = (uint32_t)kvb_max(used, cards_used(out));
    } while (used > before);
}
