// Training loops that generate with vLLM: verl's keys and OpenRLHF's flags.
#ifndef KVB_MANIFEST_MANIFEST_ROLLOUT_H
#define KVB_MANIFEST_MANIFEST_ROLLOUT_H

#include "manifest/manifest_reader.h"

// `python -m verl.trainer.main_ppo KEY=VALUE ...` or `python -m openrlhf.cli... --vllm_... VALUE`.
bool kvb_rollout_starts(const struct kvb_words *words);
enum kvb_status kvb_rollout_emit(struct kvb_manifest *manifest, const struct kvb_container *container);

#endif
