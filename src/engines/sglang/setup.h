// What a start is computed from: SGLang's own arguments with their defaults filled in, as the release fills them.
#ifndef KVB_ENGINES_SGLANG_SETUP_H
#define KVB_ENGINES_SGLANG_SETUP_H

#include <kvbudget/plan.h>

#define KVB_SGL_OFF UINT64_MAX // chunked prefill switched off
#define KVB_SGL_PPB 1000000000U
#define KVB_SGL_NGRAM_BREADTH 10U // --speculative-ngram-max-bfs-breadth

enum kvb_sgl_draft {
    KVB_SGL_DRAFT_NONE,
    KVB_SGL_DRAFT_EAGLE, // EAGLE, EAGLE3, NEXTN: layers like the target's
    KVB_SGL_DRAFT_STANDALONE,
    KVB_SGL_DRAFT_NGRAM, // no weights, no cache
    KVB_SGL_DRAFT_DFLASH
};
enum kvb_sgl_backend { // of attention; those that something hangs on
    KVB_SGL_BACKEND_AUTO,
    KVB_SGL_BACKEND_FLASHINFER,
    KVB_SGL_BACKEND_TRITON,
    KVB_SGL_BACKEND_FA3,
    KVB_SGL_BACKEND_FA4,
    KVB_SGL_BACKEND_FLASHMLA,
    KVB_SGL_BACKEND_CUTLASS_MLA,
    KVB_SGL_BACKEND_TRTLLM_MLA,
    KVB_SGL_BACKEND_TRTLLM_MHA,
    KVB_SGL_BACKEND_AITER,
    KVB_SGL_BACKEND_SPARSE, // nsa, dsa, dsv4: chosen by the model
    KVB_SGL_BACKEND_OTHER
};
enum kvb_sgl_role { KVB_SGL_WHOLE, KVB_SGL_PREFILL, KVB_SGL_DECODE }; // --disaggregation-mode

struct kvb_sgl_setup {
    uint32_t release;
    const struct kvb_model *model;
    const struct kvb_model *draft_model; // NULL: none, not known, or modules of the model itself
    // the card
    uint64_t card_mib; // as nvidia-smi prints it, the smallest listed; 0: nobody says
    bool cuda, hip;
    uint32_t compute_capability;
    // how it is split
    uint32_t tp, pp, dp;
    bool dp_attention, dp_attention_late; // late: turned on for the model, once the default fraction was computed
    // the arguments; 0: left to the engine, where not said otherwise
    uint64_t fraction_ppb; // 0: left to the engine
    uint64_t context_tokens, context_asked;
    uint64_t chunk_tokens; // KVB_SGL_OFF: none
    uint64_t max_prefill_tokens;
    uint64_t max_total_tokens;
    uint64_t max_running_requests, requests_asked; // of all data-parallel ranks together
    uint64_t page_asked, page_tokens;              // --page-size, and what the backend makes of it
    enum kvb_sgl_backend backend_asked, backend;   // --attention-backend, and what the release makes of it
    uint64_t graph_batch;                          // the largest decode batch that is captured
    uint64_t prefill_graph_tokens;
    bool no_graphs;
    enum kvb_tristate prefill_graphs; // the user's own choice
    bool no_radix, no_overlap, no_window_pools;
    bool torch_compile, lora, offloads, hierarchical, deterministic, symmetric_memory, embedding, expert_balancing;
    bool two_batch_overlap, all_to_all; // all_to_all: a MoE backend that exchanges tokens
    bool deepep;
    enum kvb_moe_backend experts; // --moe-runner-backend
    enum kvb_sgl_role role;
    bool text_only;    // towers are not loaded
    bool multimodal;   // the release has a processor for the model's towers
    bool other_format; // GGUF
    uint64_t window_ratio_ppm, state_ratio_ppm;
    uint64_t state_slots;    // --max-mamba-cache-size
    uint32_t state_element;  // bytes of one element of the recurrent state; 0: 4
    bool state_extra_buffer; // two more slots a request
    enum kvb_sgl_draft draft;
    bool draft_named; // by a path of its own
    uint64_t draft_topk_asked, draft_tokens_asked;
    uint64_t draft_steps, draft_topk, draft_tokens, draft_layers;
    bool adaptive;              // --speculative-adaptive, where the release does not switch it off
    uint64_t draft_tokens_most; // that steps can come to while it serves
    // of the cache
    uint32_t element_bytes; // of one key or value; 4-bit formats: 1, with `four_bits`
    bool four_bits, mxfp8;
    bool fp8_cache;
    bool mla_off; // keys and values of an MLA model are kept whole
};

// What the release decides where the arguments are silent.
struct kvb_sgl_defaults {
    uint64_t fraction_ppb;
    bool fraction_is_default;
    uint64_t reserve_mib_tenths; // behind the default fraction; 0: a table of shares gave it
    uint64_t active_tokens;      // whose activations are reserved for; 0: a table gave it
    uint64_t chunk_tokens;       // KVB_SGL_OFF: none
    uint64_t graph_batch;
    uint64_t prefill_tokens; // of the longest prompt captured
    uint64_t prefill_sizes;  // captured; 0: none
    uint64_t page_tokens;
};

void kvb_sgl_defaults_of(const struct kvb_sgl_setup *setup, struct kvb_sgl_defaults *out);

// The backend of attention: what was asked for, or what the release chooses by card and model.
enum kvb_sgl_backend kvb_sgl_backend_of(const struct kvb_sgl_setup *setup);
// Tokens of a page under a backend, when `asked` were asked for; 0: left to the engine.
uint64_t kvb_sgl_page_of(const struct kvb_sgl_setup *setup, enum kvb_sgl_backend backend, uint64_t asked);

// Ranks that share the attention of one request.
uint32_t kvb_sgl_attention_ranks(const struct kvb_sgl_setup *setup);
// Data-parallel attention groups; requests are dealt out among them.
uint32_t kvb_sgl_attention_groups(const struct kvb_sgl_setup *setup);
// Whether graphs of the prefill are captured and reserved for.
bool kvb_sgl_prefill_graphs(const struct kvb_sgl_setup *setup);
bool kvb_sgl_is_named(const struct kvb_sgl_setup *setup, const char *architecture);
// How many sizes up to `tokens` the release captures.
uint64_t kvb_sgl_prefill_sizes(uint32_t release, uint64_t tokens);

#endif
