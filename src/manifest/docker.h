// `docker run` and its kin in the words of a command line.
#ifndef KVB_MANIFEST_DOCKER_H
#define KVB_MANIFEST_DOCKER_H

#include "manifest/manifest_reader.h"

// The word behind `run`; KVB_NOT_FOUND: there is none.
uint32_t kvb_docker_find(const struct kvb_words *words);
// Reads options and image from word `at` on and emits the container that runs.
enum kvb_status kvb_docker_emit(struct kvb_manifest *manifest, const struct kvb_container *container, uint32_t at);

#endif
