// The answer: where each byte goes, whether it starts, and what to set instead. Pure arithmetic: no
// input or output, no allocation, no clock, no environment.
#ifndef KVBUDGET_BUDGET_H
#define KVBUDGET_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/plan.h>

KVB_PUBLIC_BEGIN

// requested = the sum of all items. Per GPU, of the tightest rank.
enum kvb_item {
    KVB_ITEM_WEIGHTS,
    KVB_ITEM_ACTIVATION,
    KVB_ITEM_NON_TORCH,
    KVB_ITEM_CUDA_GRAPH,
    KVB_ITEM_RESERVED,
    KVB_ITEM_OTHER,
    KVB_ITEM_KV_CACHE,
    KVB_ITEM_COUNT
};
struct kvb_item_row {
    const char *key;   // JSON: "weights_bytes"
    const char *label; // text: "weights"
    const char *help;
};
const struct kvb_item_row *kvb_item_row_of(enum kvb_item item); // NULL: no such row

struct kvb_term {
    int64_t bytes; // likely value; the KV cache can be negative (a deficit), and non-torch memory: see released_bytes
    int64_t low_bytes, high_bytes;
    enum kvb_basis basis;
};

enum kvb_verdict { KVB_FITS, KVB_TIGHT, KVB_DOES_NOT_FIT };
const char *kvb_verdict_name(enum kvb_verdict verdict); // "fits", "tight", "does_not_fit"

#define KVB_GROUPS_MAX 96

struct kvb_kv_group {
    enum kvb_attention kind;
    uint32_t layers;        // real layers, on the whole model
    uint32_t padding_slots; // slots paid for but unused
    uint64_t block_tokens;
    uint64_t page_bytes; // of one layer (0: pages differ, see bytes_per_block)
    uint64_t blocks_per_request;
    uint32_t window_tokens;
};

// How many requests of a length run at once.
#define KVB_FRONTIER_MAX 8
struct kvb_frontier_point {
    uint64_t length_tokens;
    uint64_t concurrency_hundredths;
};

struct kvb_kv_cache {
    uint64_t bytes_per_token; // average over one request of max_model_len
    uint64_t block_tokens;
    uint64_t bytes_per_block; // one block id over all tensors of the tightest rank
    uint64_t num_blocks;
    uint64_t cpu_blocks; // V0, from swap_space
    uint64_t tokens;
    uint64_t max_concurrency_hundredths; // as printed with two decimals
    uint64_t blocks_per_request;
    uint64_t max_model_len_that_fits; // capped only by the model's own maximum; 0 = none
    uint64_t state_blocks_needed;     // each sequence of a captured step keeps a state in one; 0 = not asked
    uint64_t auto_max_model_len;      // what --max-model-len auto settles on; 0 = not asked
    uint64_t really_needed_bytes;     // when the release's own check is wrong; else equal to needed
    bool hybrid_manager_off;
    const char *hybrid_manager_why; // static text or NULL
    uint32_t group_count;
    struct kvb_kv_group groups[KVB_GROUPS_MAX];
    uint32_t frontier_count;
    struct kvb_frontier_point frontier[KVB_FRONTIER_MAX]; // shortest length first
    uint64_t wanted_bytes;                                // for what plan->need asks; 0 = nothing was asked
};

// What a shown figure was computed from: `formula` is a constant text with {0}..{7} for the numbers.
#define KVB_STEPS_MAX 64
#define KVB_STEP_VALUES_MAX 8
enum kvb_step_unit { KVB_UNIT_BYTES, KVB_UNIT_COUNT, KVB_UNIT_TOKENS };
struct kvb_step {
    const char *name;    // "requested"
    const char *formula; // "ceil({0} x {1})", {0:gib} {1:ppm} {2:n} choose how a number is shown
    const char *source;  // where the formula comes from
    int64_t values[KVB_STEP_VALUES_MAX];
    int64_t result;
    enum kvb_step_unit unit;
};

// What share of the weights each role takes on the tightest rank.
struct kvb_weights {
    uint64_t role_bytes[KVB_ROLE_COUNT];
    uint64_t rope_bytes, lora_bytes, absorbed_bytes, draft_bytes, buffer_bytes;
    uint64_t rounding_bytes;        // allocator's rounding
    uint64_t offloaded_bytes;       // moved to the CPU, not counted in the total
    uint64_t returning_layer_bytes; // V0: the largest offloaded layer, copied back during a forward pass
    uint64_t total_bytes;
    uint64_t unquantised_bytes; // the same rank at the model's dtype; equals total when not quantised
    // The largest quantised matrix (of all experts of a layer together): at the model's dtype, and as stored.
    uint64_t largest_plain_bytes, largest_stored_bytes;
    uint64_t expert_rest_bytes; // of segments whose experts were copied out of them, as long as the model stays
    uint64_t stranded_bytes;    // loaded into a pool of its own: blocks of it that nothing lies in any more
    uint32_t rank_stage;        // pipeline stage meant
};

// What an engine reserves under a name of its own. Those of the GPU are inside the item they name.
#define KVB_BUDGET_PARTS_MAX 32
struct kvb_budget_part {
    const char *key;   // constant; JSON: "window_pool_bytes"
    const char *label; // constant; text: "window pool"
    enum kvb_item item;
    bool host; // in the host's memory: inside no item
    int64_t bytes;
};

#define KVB_ERROR_TEXT_CAPACITY 1024

// What stands beside the share of an engine that reserves nothing for it; terms of kvb_budget.beside.
enum kvb_beside {
    KVB_BESIDE_CONTEXT, // gone before the engine measures: CUDA context, communication
    KVB_BESIDE_TABLES,  // of requests, workspaces
    KVB_BESIDE_GRAPHS,
    KVB_BESIDE_ACTIVATION,
    KVB_BESIDE_DRAFT, // a draft that is loaded after the pool
    KVB_BESIDE_COUNT
};
struct kvb_beside_row {
    const char *key;   // JSON: "context_bytes"
    const char *label; // text: "context"
};
const struct kvb_beside_row *kvb_beside_row_of(enum kvb_beside beside); // NULL: no such row

struct kvb_budget {
    enum kvb_verdict verdict;
    enum kvb_generation generation;
    struct kvb_settings settings; // effective values: every number the engine would use, with origin
    uint64_t memory_bytes;        // the total this platform reports
    uint64_t free_bytes;          // at start, before the engine
    uint64_t requested_bytes;
    uint64_t share_of_bytes; // what the share is taken of; 0: memory_bytes
    struct kvb_term items[KVB_ITEM_COUNT];
    struct kvb_term beside[KVB_BESIDE_COUNT]; // all zero: the engine's share holds everything
    struct kvb_weights weights;
    uint64_t parameters;
    uint64_t needed_bytes;   // by that release's check
    int64_t balance_bytes;   // KV cache - needed
    int64_t outside_bytes;   // what the device holds beyond requested
    int64_t slack_bytes;     // free - requested - outside
    uint64_t released_bytes; // the engine counts them as the allocator's though they went back: less non-torch memory
    uint64_t graph_actual_bytes;
    uint64_t usually_gone_bytes; // of free_bytes, where what is free is not stated and the platform usually holds some
    uint64_t load_peak_bytes;    // what stands on the card at the worst moment of loading; at least the weights
    uint64_t request_tokens;     // of plan->request; 0 = none was given
    struct kvb_kv_cache kv;
    bool uncounted; // the parallel sizes do not go with the model: no figure is meant
    bool starts;
    char error[KVB_ERROR_TEXT_CAPACITY]; // what this release would print; "" when it starts
    bool fails_loading;                  // memory runs out while weights load
    const char *refusal;                 // the rule behind it when it is not about memory, a constant word; or NULL
    uint32_t tightest_stage;
    const char *widest_term; // the item whose uncertainty dominates the bound
    char requested_as[64];   // what the request is, in the engine's words; "": a share of the card
    uint32_t part_count, step_count;
    struct kvb_budget_part parts[KVB_BUDGET_PARTS_MAX]; // behind the counts nothing is meant
    struct kvb_step steps[KVB_STEPS_MAX];
};

// GPUs of one deployment: tensor x pipeline x prefill context x data. Saturates.
uint64_t kvb_gpu_count(const struct kvb_settings *settings);
// The length one request can have: max_model_len, or what auto settles on.
uint64_t kvb_request_length(const struct kvb_budget *budget);

// Fills `budget` from `plan`. KVB_OK also when it does not fit; a status of the 30s when the numbers
// cannot work at all (indivisible heads, overflow), said as the engine says it where it does.
// Notices and warnings about the answer are added to `problems` too.
enum kvb_status kvb_budget_compute(const struct kvb_plan *plan, struct kvb_budget *budget,
                                   struct kvb_problems *problems) KVB_MUST_USE;

// Terms read off a run. A pool with a term missing is put down to non-torch memory, else to activation.
struct kvb_measured {
    bool known[KVB_ITEM_COUNT];
    int64_t bytes[KVB_ITEM_COUNT];
};
// `logged`: the plan of the run itself. Its prediction less what was measured becomes the calibration.
enum kvb_status kvb_calibrate(const struct kvb_plan *logged, const struct kvb_measured *measured,
                              struct kvb_calibration *calibration) KVB_MUST_USE;

// ---- Advice

#define KVB_CHANGES_MAX 50
struct kvb_change {
    enum kvb_setting setting;
    uint64_t from, to;     // in the setting's stored units
    bool removes_setting;  // `to` is the engine's default
    int64_t frees_bytes;   // change of the balance; negative: it makes things worse
    int64_t balance_bytes; // after it alone
    bool fits;             // alone; a `together` change: with the ones before it
    bool starts;           // as `fits`, whether or not it leaves room for what lives outside the request
    bool together;         // counted on top of the `together` changes before it, not alone
    bool last_resort;      // asks for other hardware or another model
    bool useless;          // listed because people reach for it; it does not help
    const char *why;       // static sentence
};

struct kvb_advice {
    bool has_utilization;
    uint32_t gpu_memory_utilization_ppm; // largest that starts and leaves room outside the budget
    bool has_max_model_len;
    uint64_t max_model_len; // largest at that utilization
    bool has_max_num_seqs;
    uint64_t max_num_seqs;
    uint32_t change_count;
    struct kvb_change changes[KVB_CHANGES_MAX]; // least harm first
    uint32_t apply_count;                       // the first so many, taken together, make it fit; 0 = none do
    uint32_t apply[KVB_CHANGES_MAX];            // indexes into changes
};

enum kvb_status kvb_advise(const struct kvb_plan *plan, const struct kvb_budget *budget,
                           struct kvb_advice *advice) KVB_MUST_USE;

KVB_PUBLIC_END

#endif
