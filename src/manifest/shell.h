// A shell text while it is read, and the here-documents in it.
#ifndef KVB_MANIFEST_SHELL_H
#define KVB_MANIFEST_SHELL_H

#include "manifest/manifest_reader.h"

#define KVB_SHELL_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

struct shell {
    struct kvb_manifest *manifest;
    const char *text, *at;
    size_t offset; // in the file, of the last word found there
    size_t cursor; // behind that word
    enum kvb_dollar dollar;
    bool commands; // operators end commands; otherwise they are plain characters
    const struct kvb_variable *variables;
    char delimiter[64]; // of a here-document that begins on the next line
    bool writes_file;   // the command's output goes to one
    bool body_counts;   // it is a script or a document for another program, not a message
    const struct kvb_container *like;
    enum kvb_status status;
    bool in_background;  // a command before it goes on
    uint32_t group;      // of commands that go on at the same time
    char ended_by;       // the operator behind the command read last
    const char *command; // where it begins
    bool skipping;       // what is read counts for nothing
    uint64_t chosen;     // of the cases it is in, the innermost last: 1 = one arm of it is read
    unsigned cases;
};

// Reads up to the end of a command; true while there is more text.
bool kvb_shell_read_command(struct shell *shell, struct kvb_words *words);
// `case WORD in`, without what follows it.
bool kvb_shell_is_case(const struct kvb_words *words);
// Behind a command: of a case whose word is known only the arm that fits it is read, of any other all.
void kvb_shell_take_case(struct shell *shell, const struct kvb_words *words);

// At `<<END`: its name is kept until the line ends.
void kvb_shell_open_body(struct shell *shell);
// At the start of the line behind the command `words`: reads the body where it is one, and moves behind it.
void kvb_shell_read_body(struct shell *shell, const struct kvb_words *words);

bool kvb_shell_ends_word(const struct shell *shell, char c);
// Characters of a backslash with the break behind it; 0: none is here.
size_t kvb_shell_joined(const char *at);
// Reads the word at shell->at; an array in it gives several.
void kvb_shell_read_word(struct shell *shell, struct kvb_words *words);

#endif
