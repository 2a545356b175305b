// Programs that start an engine, and the words around them that say whether a command really does.
#ifndef KVB_MANIFEST_ENGINES_H
#define KVB_MANIFEST_ENGINES_H

#include "manifest/manifest_reader.h"

#define KVB_NOT_FOUND UINT32_MAX

// A way to start an engine.
struct kvb_program_row {
    const char *engine; // as a deployment names it
    const char *title;  // as people write it
    bool planned;       // its memory is computed here
    enum kvb_program_form {
        KVB_PROGRAM_WORDS,  // `vllm serve`: program and, unless NULL, its first word
        KVB_PROGRAM_MODULE, // `python -m vllm.entrypoints...`: the beginning of the module
        KVB_PROGRAM_FILE,   // `python .../vllm/entrypoints/openai/api_server.py`: the end of the path
    } form;
    const char *name, *second;
    bool needs_flag; // a word alone may be a name
};
const struct kvb_program_row *kvb_program_at(size_t index); // NULL behind the last

// Where an engine's program begins among the words, and where its arguments do; NULL: none is started.
struct kvb_program {
    const struct kvb_program_row *row;
    uint32_t first, arguments;
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
