// Templates of Helm, Jinja and workflow languages, made readable in place.
#ifndef KVB_MANIFEST_TEMPLATES_H
#define KVB_MANIFEST_TEMPLATES_H

#include "manifest/manifest_reader.h"

// The text has parts that a template engine replaces.
bool kvb_is_templated(const char *text);

// A text of the same length with every byte in its place: what steers the template becomes blanks, what stands for
// a value becomes the variable $_NAME__, and defaults written there are its values. NULL: no memory.
const char *kvb_template_plain(struct kvb_manifest *manifest, const char *text, size_t length);

// The name of a placeholder's variable without its ends and without "env", "inputs", "matrix" or "vars" in front.
const char *kvb_template_core(struct kvb_manifest *manifest, const char *name);

// The text with its placeholders as the file writes them: "{{ .Values.model }}" for "$__Values_model___".
const char *kvb_template_shown(struct kvb_manifest *manifest, const char *text);

// What to give for the placeholder `shown`: "Values_model". NULL: it is none.
const char *kvb_template_variable(struct kvb_manifest *manifest, const char *shown);

#endif
