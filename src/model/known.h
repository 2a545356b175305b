// Whether a model's name is answered from what is here, and how surely.
#ifndef KVB_MODEL_KNOWN_H
#define KVB_MODEL_KNOWN_H

#include "model/names/name.h"

enum kvb_known {
    KVB_KNOWN_HERE,    // built in, downloaded, a file
    KVB_KNOWN_GUESSED, // taken from the name: a sibling, a variant, another revision
    KVB_KNOWN_NOT,     // a repository that could be asked for
    KVB_KNOWN_NEVER    // nothing that anybody could be asked for
};
// `name`: the name taken apart, where it is one.
enum kvb_known kvb_model_known(const char *text, struct kvb_name *name);

#endif
