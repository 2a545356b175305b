// The file of flags that a serve line names with --config, as words of that line.
#ifndef KVB_COMMAND_SERVE_CONFIG_H
#define KVB_COMMAND_SERVE_CONFIG_H

#include "base/arena.h"
#include "command/serve_command.h"
#include "command/serve_reading.h"
#include "text/tree.h"

#define KVB_CONFIG_MAX_BYTES ((size_t)1 << 20)

// Keys of a mapping as flags, as the engine's release makes them of a file, or as they are meant in a call of Python.
struct kvb_config_form {
    const struct kvb_engine_rows *engine;
    uint32_t release; // UINT32_MAX: the newest
    bool call;        // null and "" say nothing, and nothing is refused
    void (*take)(void *context, const struct kvb_node *node, const char *word); // `word` does not outlive the call
    void *context;
};
enum kvb_status kvb_config_words(const struct kvb_config_form *how, const struct kvb_tree *tree,
                                 const struct kvb_node *mapping, struct kvb_problems *problems) KVB_MUST_USE;

// The release of "vllm@0.11.0"; UINT32_MAX where none is said.
uint32_t kvb_config_release(const char *engine);

// A line with the words of its file in it.
struct kvb_expanded_line {
    struct kvb_arena arena; // of the file's words
    const char **words;     // NULL: it names no file
    struct kvb_word_place {
        int index;             // in the line as it was given; of the file's words that of --config
        uint32_t line, column; // in the file; 0: the word is the line's own
    } * places;
    int count, capacity;
    const char *file;
};
// Reads the file, if one is named, and lets `reading` go on with the longer line, also where the file cannot be read.
enum kvb_status kvb_line_expand(struct kvb_expanded_line *line, struct kvb_serve_reading *reading,
                                const struct kvb_serve_beside *beside) KVB_MUST_USE;
void kvb_expanded_line_free(struct kvb_expanded_line *line);

#endif
