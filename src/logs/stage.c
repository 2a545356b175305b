// Where a start was when memory ran out.
#include "logs/run.h"

#define HINT_REACH 400 // lines between a function name of a traceback and its exception

static bool known(const struct kvb_attempt *attempt, enum kvb_observation what)
{
    return attempt->facts.observed[what].set;
}

static int64_t value(const struct kvb_attempt *attempt, enum kvb_observation what)
{
    return attempt->facts.observed[what].value;
}

// Without a single line of progress the message itself is all there is.
static enum kvb_failure of_message(const struct kvb_attempt *attempt)
{
    const int64_t mib = INT64_C(1) << 20;
    int64_t tried = value(attempt, KVB_OBS_TRIED_ALLOC);
    int64_t slack = value(attempt, KVB_OBS_OOM_UNALLOCATED);
    int64_t held = value(attempt, KVB_OBS_OOM_ALLOCATED);
    if (known(attempt, KVB_OBS_OOM_PRIVATE)) { // graphs exist: it captures, or it has been serving
        bool fragmented = slack > held / 20;
        return fragmented || tried >= 1024 * mib ? KVB_FAILURE_OOM_SERVING : KVB_FAILURE_OOM_GRAPH;
    }
    if (known(attempt, KVB_OBS_TRIED_ALLOC) && tried <= 2 * mib) { // the smallest segment there is: the card is full
        return KVB_FAILURE_OOM_GRAPH;
    }
    if (value(attempt, KVB_OBS_OOM_FREE) > value(attempt, KVB_OBS_GPU_MEMORY) / 10) { // huge, on a card with room
        return KVB_FAILURE_OOM_PROFILE;
    }
    if (!known(attempt, KVB_OBS_OOM_UNALLOCATED)) { // a start would have left lines: it had been running
        return KVB_FAILURE_OOM_SERVING;
    }
    if (slack >= tried && slack > held / 50) { // only a server that has been running is fragmented
        return KVB_FAILURE_OOM_SERVING;
    }
    return KVB_FAILURE_OOM_LOAD;
}

// A stamp or report of a start rules serving out.
enum kvb_failure kvb_stage_of_message(const struct kvb_attempt *attempt)
{
    enum kvb_failure kind = of_message(attempt);
    bool graphs = known(attempt, KVB_OBS_OOM_PRIVATE);
    if (kind != KVB_FAILURE_OOM_SERVING || attempt->side != KVB_SIDE_START) {
        return kind;
    }
    return graphs ? KVB_FAILURE_OOM_GRAPH : KVB_FAILURE_OOM_LOAD;
}

// ---- Once something is loaded

static enum kvb_failure of_sglang(const struct kvb_attempt *attempt)
{
    switch (attempt->facts.stage) {
    case KVB_STAGE_CAPTURED:
    case KVB_STAGE_READY:
    case KVB_STAGE_SERVING:
        return KVB_FAILURE_OOM_SERVING;
    default:
        return KVB_FAILURE_OOM_GRAPH;
    }
}

// llama.cpp allocates weights, then the KV cache, then its compute buffers.
static enum kvb_failure of_llamacpp(const struct kvb_attempt *attempt)
{
    switch (attempt->facts.stage) {
    case KVB_STAGE_LOADED:
        return known(attempt, KVB_OBS_WEIGHTS) ? KVB_FAILURE_OOM_GRAPH : KVB_FAILURE_OOM_LOAD;
    case KVB_STAGE_SIZED:
    case KVB_STAGE_ALLOCATED:
        return KVB_FAILURE_OOM_PROFILE;
    default:
        return KVB_FAILURE_OOM_SERVING;
    }
}

static enum kvb_failure of_vllm(const struct kvb_attempt *attempt)
{
    bool v0 = attempt->facts.generation_known && attempt->facts.generation == KVB_GENERATION_V0;
    switch (attempt->facts.stage) {
    case KVB_STAGE_LOADED:
        return KVB_FAILURE_OOM_PROFILE;
    case KVB_STAGE_SIZED:
    case KVB_STAGE_ALLOCATED:
        return KVB_FAILURE_OOM_GRAPH;
    case KVB_STAGE_CAPTURED: // V0 warms its sampler up before, V1 after
        return v0 ? KVB_FAILURE_OOM_SERVING : KVB_FAILURE_OOM_SAMPLER;
    default:
        return KVB_FAILURE_OOM_SERVING;
    }
}

static bool hint_holds(const struct kvb_attempt *attempt, uint64_t line)
{
    if (attempt->hint == KVB_FAILURE_NONE || attempt->hint_line + HINT_REACH < line) {
        return false;
    }
    return attempt->hint_line >= attempt->progress_line || attempt->hint != KVB_FAILURE_OOM_SERVING;
}

enum kvb_failure kvb_stage_of_oom(const struct kvb_attempt *attempt, uint64_t line, bool *inferred)
{
    *inferred = false;
    if (hint_holds(attempt, line)) {
        return attempt->hint;
    }
    if (attempt->side == KVB_SIDE_SERVING) {
        return KVB_FAILURE_OOM_SERVING;
    }
    if (attempt->facts.stage == KVB_STAGE_NOTHING) {
        *inferred = true;
        return kvb_stage_of_message(attempt);
    }
    if (attempt->facts.stage == KVB_STAGE_CONFIGURED || attempt->facts.stage == KVB_STAGE_LOADING) {
        return KVB_FAILURE_OOM_LOAD;
    }
    switch (attempt->facts.engine) {
    case KVB_LOG_SGLANG:
        return of_sglang(attempt);
    case KVB_LOG_LLAMACPP:
    case KVB_LOG_OLLAMA:
        return of_llamacpp(attempt);
    default:
        return of_vllm(attempt);
    }
}
