// Streams of YAML documents, of which one that cannot be read does not hide the others.
#ifndef KVB_MANIFEST_DOCUMENTS_H
#define KVB_MANIFEST_DOCUMENTS_H

#include "manifest/manifest_reader.h"

struct kvb_documents {
    uint32_t documents, trees; // not empty; of those, lists and mappings
    uint32_t broken;           // could not be parsed; `problems` say why the first could not
    uint32_t broken_speaking;  // of those, they mention an engine
    size_t begin;              // of the first broken one
    struct kvb_problems problems;
    struct kvb_problems own; // of the document being read
};

typedef enum kvb_status kvb_document_reader(struct kvb_manifest *manifest, const struct kvb_node *root);
enum kvb_status kvb_documents_read(struct kvb_manifest *manifest, kvb_document_reader *read,
                                   struct kvb_documents *seen);

#endif
