// Programs that start an engine, and the words around them that say whether a command really does.
#ifndef KVB_MANIFEST_ENGINES_H
#define KVB_MANIFEST_ENGINES_H

#include "engines/table.h"
#include "manifest/manifest_reader.h"

#define KVB_NOT_FOUND UINT32_MAX

// A program that serves models: of an engine planned here, or of another, which is then only named.
struct kvb_program {
    const struct kvb_serve_program *row;  // NULL: none is started
    const struct kvb_engine_rows *engine; // NULL: its memory is not computed here
    const char *name, *title;             // of the engine, as a deployment names it and as people write it
    uint32_t first, arguments;            // where it begins among the words, and where its arguments do
};
struct kvb_program kvb_program_find(const struct kvb_words *words);

// The text holds words that start an engine; where they do is for a shell to say.
bool kvb_text_starts_engine(const char *text);
// A file with this text has to do with one of the engines.
bool kvb_text_mentions_engine(const char *text);

// `echo`, `grep` and the like: what follows is said or looked for, never run.
bool kvb_words_only_speak(const struct kvb_words *words);
// The words before `first` are such as stand in front of a program: assignments and starters like nohup or srun.
bool kvb_words_lead_to(const struct kvb_words *words, uint32_t first);

#endif
