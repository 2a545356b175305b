// Which flags each build of llama.cpp takes: generated tables (scripts/llamacpp-tables) and how they are asked.
#ifndef KVB_ENGINES_LLAMACPP_KNOWN_FLAGS_H
#define KVB_ENGINES_LLAMACPP_KNOWN_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVB_LLAMA_SENTENCE 96

struct kvb_llama_known_flag {
    char name[36];         // held here: a pointer costs the start a relocation; with its dashes
    uint32_t since, until; // the first build with it, 0: all before the next; the first without, 0: none
    char program;          // 's' llama-server, 'c' llama-cli, 'b' both
    char values;           // '0' to '2'
    char type; // of its value, of two the last, where it is 'i' both: 'i' stoi(), 'u' stoul(), 'f' stof(), 'p' that and
               // above 0, 'e' that and finite, 'w' one of its words, 'd' several of them, 'x' one of them or stoi(),
               // 'j' JSON, 'o' KEY=TYPE:VALUE, 'm' and 'g' a mask and a range of CPUs, 'b' TOKEN+BIAS, 'c' FILE:SCALE,
               // 's' any; 't' without one, whose variable is yes or no; 'r' the flag is refused
    int32_t low, high;
    bool nonzero;
    uint8_t sentence; // what is said of a wrong value, "%s" and "%d" the value; 0: nothing of its own
};
extern const struct kvb_llama_known_flag kvb_llama_known_flags[];
extern const size_t kvb_llama_known_flag_count;
extern const char kvb_llama_sentences[][KVB_LLAMA_SENTENCE];

// A word that a flag of type 'w', 'd' or 'x' takes.
struct kvb_llama_known_word {
    char flag[36], word[20]; // held here, as above
    uint32_t since, until;
};
extern const struct kvb_llama_known_word kvb_llama_known_words[];
extern const size_t kvb_llama_known_word_count;

// A variable that stands for a flag.
struct kvb_llama_known_variable {
    char name[48], flag[36]; // held here, as above
    uint32_t since, until;
    char program;
};
extern const struct kvb_llama_known_variable kvb_llama_known_variables[];
extern const size_t kvb_llama_known_variable_count;

// The row of a flag in a program of that build, 's' or 'c'; NULL: it has none. Two dashes in front make _ and - alike.
const struct kvb_llama_known_flag *kvb_llama_known_flag_of(const char *name, size_t length, uint32_t build,
                                                           char program);
// Its row in the other program, else in the next build with it, else in the last one; NULL: no build has it.
const struct kvb_llama_known_flag *kvb_llama_known_flag_beside(const char *name, size_t length, uint32_t build);
bool kvb_llama_is_known_word(const char *flag, uint32_t build, const char *word, size_t length);
const struct kvb_llama_known_variable *kvb_llama_known_variable_of(const char *name, size_t length, uint32_t build,
                                                                   char program);

// For the engine's row: whether a flag has a value in any build, the flag of any build that is spelled most like one
// without a row, whether a variable stands for a flag.
bool kvb_llama_takes_value(const char *word);
const char *kvb_llama_flag_near(const char *word);
bool kvb_llama_notes_variable(const char *name);

#endif
