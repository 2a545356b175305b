// Engines with a Python interface: what a file imports to use one, its classes, and the serve line they come to.
#ifndef KVB_MANIFEST_PYTHON_ENGINES_H
#define KVB_MANIFEST_PYTHON_ENGINES_H

#include "manifest/manifest_reader.h"

// How a server takes what Python says as keywords.
struct kvb_py_package {
    const char *name;
    const char *imports[4];   // texts of which a file that uses it holds one
    const char *model_flag;   // NULL: the model stands by place
    bool dashes;              // flags are written with dashes alone
    bool lists_are_words;     // values of a list follow the flag; otherwise they are one word of JSON
    const char *remotes[2];   // keywords of a client of a server elsewhere
    const char *negatives[3]; // settings that are on unless they are switched off
};

// A class whose arguments are the engine's own settings.
struct kvb_py_class {
    const char *callee;
    const struct kvb_py_package *package;
    bool offline;       // no server
    bool needs_import;  // the name alone is anybody's
    const char *model;  // the keyword of the model; by place it is the first
    const char *nested; // settings in a mapping under this keyword, or NULL
};

// The class that a call names; NULL: none that a file with these imports may mean.
const struct kvb_py_class *kvb_py_class_of(unsigned imports, const char *name);
// The package that a file imports; a bit for each row.
unsigned kvb_py_imports(const char *text);
// The package that a text speaks of, without regard to case; the first where none is named.
const struct kvb_py_package *kvb_py_package_in(const char *text);

// A flag with dashes where it has underscores.
const char *kvb_py_dashed(struct kvb_manifest *manifest, const char *flag);

#endif
