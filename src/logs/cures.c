// Remedies outside the arithmetic of the budget.
#include "logs/cures.h"

#include <string.h>

#include <kvbudget/units.h>

#include "logs/levers.h"
#include "logs/lines.h"
#include "logs/remedy.h"
#include "logs/utilization.h"

// Layers that a card takes off the host's memory help where that is short.
static bool card_relieves_host(const struct kvb_reckoning *r)
{
    const char *title = r->report->failure.title;
    return kvb_log_engine_row_of(r->report->engine)->parts_layers && title != NULL &&
           strstr(title, "host memory") != NULL;
}

void kvb_cure_other(struct kvb_reckoning *r)
{
    const struct kvb_log_failure *failure = &r->report->failure;
    if (failure->advice != NULL) {
        const char *setting = kvb_own_setting(r->report->engine, failure->fix);
        kvb_remedy_add(r, setting, "", failure->fix_to, true, "%s", failure->advice);
    } else if (!failure->cause_in_log) {
        kvb_remedy_add(r, "log", "", "from its beginning", true,
                       "these lines only report that something died: the first exception, of the process that died "
                       "first, stands above them");
    }
    if (failure->about_memory == KVB_LOG_NO && !card_relieves_host(r)) {
        kvb_remedy_add(r, kvb_share_lever(r->report->engine), "", "any", false, "the failure is not about GPU memory");
    }
}

static void raise_for_states(struct kvb_reckoning *r, int64_t block, int64_t sequences, int64_t blocks)
{
    int64_t missing = block * (sequences - blocks);
    if (r->total.known && r->utilization.known) {
        int64_t enough = kvb_utilization_up(r->utilization.value + kvb_share_ppm(missing, r->total.value, true));
        int64_t most = kvb_utilization_highest(r);
        kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text,
                       kvb_remedy_fraction(enough < most ? enough : most).text, enough <= most,
                       "%s state blocks more are %s GiB of KV cache more: that needs %s of the card",
                       kvb_remedy_number(sequences - blocks).text, kvb_remedy_gib(missing).text,
                       kvb_remedy_fraction(enough).text);
    } else if (!kvb_utilization_bound(r, missing)) {
        kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text, "higher", true,
                       "%s state blocks more are %s GiB of KV cache more", kvb_remedy_number(sequences - blocks).text,
                       kvb_remedy_gib(missing).text);
    }
}

void kvb_cure_states(struct kvb_reckoning *r)
{
    int64_t blocks = kvb_is_observed(r, KVB_OBS_MAMBA_BLOCKS) ? kvb_observed(r, KVB_OBS_MAMBA_BLOCKS) : 0;
    int64_t sequences = kvb_is_observed(r, KVB_OBS_MAMBA_SEQS) ? kvb_observed(r, KVB_OBS_MAMBA_SEQS) : 0;
    if (blocks == 0) {
        kvb_remedy_add(r, "max-num-seqs", "", "at most the blocks of the KV cache", true,
                       "a graph of so many sequences is captured, each of which holds one state block");
        kvb_remedy_add(r, "max-cudagraph-capture-size", "", "at most the blocks of the KV cache", true,
                       "larger batches then run without a graph");
        return;
    }
    kvb_remedy_add(r, "max-num-seqs", kvb_remedy_number(sequences).text, kvb_remedy_number(blocks).text, true,
                   "each running sequence holds one state block, and there are that many");
    if (!r->pool.known || r->pool.value <= 0 || sequences <= blocks) {
        return;
    }
    raise_for_states(r, r->pool.value / blocks, sequences, blocks);
}

void kvb_cure_unknown_stage(struct kvb_reckoning *r)
{
    kvb_remedy_add(r, "model", "", "smaller or quantised, or more GPUs", true,
                   "helps when the weights did not fit or little was left beside them");
    if (kvb_utilization_exists(r)) {
        kvb_remedy_add(r, "gpu-memory-utilization", "", "lower", true,
                       "helps when it was already serving or capturing graphs; while weights load it changes nothing");
        kvb_remedy_add(r, "max-num-batched-tokens", "", "lower", true,
                       "helps in the profiling run and while serving: the peak grows with it");
    }
    kvb_remedy_add(r, "log", "", "from its beginning", true,
                   "the lines before the message tell loading, profiling, capture and serving apart");
}

// Of whom "Process N has ..." speaks: of others where this process is named beside it, of itself where it holds what
// PyTorch allocated.
static int64_t held_by_others(const struct kvb_reckoning *r)
{
    int64_t named = kvb_is_observed(r, KVB_OBS_OOM_PROCESS) ? kvb_observed(r, KVB_OBS_OOM_PROCESS) : 0;
    bool own = !kvb_is_observed(r, KVB_OBS_OOM_THIS_PROCESS) &&
               named >= (kvb_is_observed(r, KVB_OBS_OOM_ALLOCATED) ? kvb_observed(r, KVB_OBS_OOM_ALLOCATED) : 0);
    if (!own) {
        return named;
    }
    bool whole = named > 0 && r->total.known && kvb_is_observed(r, KVB_OBS_OOM_FREE);
    return whole ? r->total.value - kvb_observed(r, KVB_OBS_OOM_FREE) - named : 0;
}

void kvb_cure_tenant(struct kvb_reckoning *r)
{
    int64_t held = held_by_others(r);
    if (!r->total.known || held <= r->total.value / 20) {
        return;
    }
    kvb_remedy_add(r, "other processes", "", "none", true,
                   "another process on this GPU held %s GiB of its %s GiB: stop it, or choose another GPU",
                   kvb_remedy_gib(held).text, kvb_remedy_gib(r->total.value).text);
}

static bool stated(const struct kvb_reckoning *r, enum kvb_setting setting)
{
    return r->report->settings.values[setting].set || r->given->settings.values[setting].set;
}

bool kvb_cure_override(struct kvb_reckoning *r)
{
    bool blocks = stated(r, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE) || kvb_is_observed(r, KVB_OBS_OVERRIDDEN_BLOCKS);
    bool bytes = stated(r, KVB_SET_KV_CACHE_MEMORY_BYTES);
    bool cpu = r->report->notes[KVB_NOTE_CPU_BACKEND] && r->facts.host_cache_variable != NULL;
    bool short_of_room = r->report->failure.kind == KVB_FAILURE_OOM_GRAPH;
    const char *setting = blocks  ? "num-gpu-blocks-override"
                          : bytes ? "kv-cache-memory-bytes"
                                  : r->facts.host_cache_variable;
    if (!blocks && !bytes && !cpu) {
        return false;
    }
    kvb_remedy_add(r, setting, "", short_of_room ? "lower, or without it" : "higher, or without it", true,
                   "the KV cache has the size this setting gives it, whatever is free");
    kvb_remedy_add(r, "gpu-memory-utilization", "", "any", false,
                   "%s decides the size of the KV cache, not the share of the card", setting);
    return true;
}
