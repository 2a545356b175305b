// A shell text while it is read, and the here-documents in it.
#ifndef KVB_MANIFEST_SHELL_H
#define KVB_MANIFEST_SHELL_H

#include "manifest/manifest_reader.h"

#define KVB_SHELL_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

#define KVB_SHELL_IFS_MAX 32

// What is known of an `if`: nothing, so that all its arms are read; no arm has been true yet; one was.
enum kvb_arm { KVB_ARM_ANY, KVB_ARM_NONE, KVB_ARM_TAKEN };

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
    enum kvb_arm ifs[KVB_SHELL_IFS_MAX]; // it is in, the innermost last
    unsigned depth;                      // of them; those beyond the last are read whole
};

// Reads up to the end of a command; true while there is more text.
bool kvb_shell_read_command(struct shell *shell, struct kvb_words *words);
// `case WORD in`, without what follows it.
bool kvb_shell_is_case(const struct kvb_words *words);
// Behind a command: of a case whose word is known only the arm that fits it is read, of any other all.
void kvb_shell_take_case(struct shell *shell, const struct kvb_words *words);

// A word whose variables have one value each, whatever calls the script.
bool kvb_shell_is_settled(const struct shell *shell, const struct kvb_words *words);

// Before a command: the arms of an `if` behind the one that was taken are passed over.
void kvb_shell_leave_if(struct shell *shell);
// Behind a command: of an `if` whose test is known, arms that are not taken are passed over, unless they start a
// server of their own.
void kvb_shell_take_if(struct shell *shell, const struct kvb_words *words);

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
