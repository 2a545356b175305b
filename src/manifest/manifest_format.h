// Which kind of text a file is, by its name and its first words.
#ifndef KVB_MANIFEST_MANIFEST_FORMAT_H
#define KVB_MANIFEST_MANIFEST_FORMAT_H

#include "manifest/manifest_reader.h"

// The name without endings of templates: "serve.sh.j2" is a script.
const char *kvb_manifest_plain_name(struct kvb_manifest *manifest);
bool kvb_manifest_is_yaml(const char *path); // or JSON
// A programming language, whose braces are its own.
bool kvb_manifest_is_code(const struct kvb_manifest *manifest);
// NULL: none, so that it may be YAML.
kvb_manifest_text_reader *kvb_manifest_text_reader_of(const struct kvb_manifest *manifest);

// Words of which one is in every file that holds a deployment.
bool kvb_manifest_may_hold(const char *text);
// It names an engine outside of lines that are comments.
bool kvb_manifest_speaks(const char *text);
// Reads the text as what it is; whoever waits is handed over too (manifest.c).
enum kvb_status kvb_manifest_read_opened(struct kvb_manifest *manifest);

#endif
