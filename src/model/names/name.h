// A model by the name people write: taken apart, and found among the built-in models.
#ifndef KVB_MODEL_NAMES_NAME_H
#define KVB_MODEL_NAMES_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/input.h>

#define KVB_NAME_PART 128

// OWNER/NAME@REVISION:FORMAT, however it was written: as an address, a path, Ollama's name.
struct kvb_name {
    char owner[KVB_NAME_PART], name[KVB_NAME_PART]; // owner "": not said
    char revision[KVB_NAME_PART];                   // "": not said
    char format[16];                                // of a GGUF file, "Q4_K_M"; "": not said
    char tag[64];                                   // NAME:TAG without an owner, as Ollama writes it
    bool is_path;                                   // the end of a path or of a bucket's address
};
// False when there is nothing in the text that could be a name.
bool kvb_name_parse(const char *text, struct kvb_name *name);
// Whether OWNER/NAME can be a repository's: nothing in it means anything to a shell.
bool kvb_name_is_repository(const struct kvb_name *name);
// Whether its maker serves it and gives out no weights: "openai/gpt-4o", "gemini-2.5-pro".
bool kvb_name_is_closed(const struct kvb_name *name);
// "OWNER/NAME", or the name alone.
void kvb_name_write(char out[KVB_NAME_CAPACITY], const struct kvb_name *name);

// What words such as AWQ, FP8-dynamic, w4a16 or GGUF in a name say of the weights.
enum kvb_name_method {
    KVB_NAME_UNSAID,
    KVB_NAME_PLAIN,   // "-BF16": not quantised, whatever the original is
    KVB_NAME_INTEGER, // 4 or 8 bits, nothing more is said
    KVB_NAME_AWQ,
    KVB_NAME_GPTQ,
    KVB_NAME_AUTOROUND,
    KVB_NAME_PACKED, // compressed-tensors, weights only
    KVB_NAME_INT8,   // compressed-tensors, weights and activations
    KVB_NAME_FP8,
    KVB_NAME_NVFP4,
    KVB_NAME_MXFP4,
    KVB_NAME_BNB,
    KVB_NAME_GGUF,
    KVB_NAME_FOREIGN, // a format that no release of this engine loads: MLX, EXL2
    KVB_NAME_METHOD_COUNT
};
struct kvb_name_scheme {
    enum kvb_name_method method;
    uint32_t bits, group; // 0: not said
    bool dynamic, block;  // of FP8; `dynamic` of bitsandbytes: some layers stay as they are
    bool activations;     // "w8a8"
    bool weights_alone;   // "nvfp4a16": activations keep 16 bits
    char format[16];      // of GGUF
    const char *word;     // FOREIGN: what it is called
};
// Copies the name without the words it understands, which go into `scheme`.
void kvb_name_take_words(const struct kvb_name *name, char rest[KVB_NAME_PART], struct kvb_name_scheme *scheme);
// Owners whose repositories are all of one kind ("mlx-community").
void kvb_name_owner_words(const char *owner, struct kvb_name_scheme *scheme);
// JSON of the quantization_config, "" when the weights are not quantised.
void kvb_name_scheme_config(char *out, size_t capacity, const struct kvb_name_scheme *scheme);
// "AWQ, 4 bits in groups of 128".
void kvb_name_scheme_text(char *out, size_t capacity, const struct kvb_name_scheme *scheme);
// How far the weights may lie below and above what the scheme usually makes of them, parts per million.
void kvb_name_scheme_bound(const struct kvb_name_scheme *scheme, uint32_t *low_ppm, uint32_t *high_ppm);

// Hundredths of a bit per weight of a GGUF format; 0 = no such format.
uint32_t kvb_gguf_format_centibits(const char *format, size_t length);

// The Hub's name of what Ollama calls NAME:TAG; NULL when the table has none. `quantised` says what the tag
// adds ("q8_0"), or "".
const char *kvb_ollama_find(const char *name, const char *tag, const char **quantised);
// The format at the end of a tag, "q4_K_M" of "8b-instruct-q4_K_M", or "".
const char *kvb_tag_format(const char *tag);
// "qwen3:8b" of "Qwen/Qwen3-8B"; false: its library has none of that name.
bool kvb_name_in_library(const char *hub, char *out, size_t capacity);

// "3", "2.5".
bool kvb_name_is_version(const char *word);

// Lower case without separators, but for those between digits: "Llama_3.1-8B" and "llama3.1-8b" are one.
void kvb_name_fold(char *out, size_t capacity, const char *name);
// The same without the words that tell variants apart ("instruct", "dpo").
void kvb_name_fold_core(char out[KVB_NAME_PART], const char *name);
// Whether its words say that it is tuned to follow instructions.
bool kvb_name_is_tuned(const char *name);

enum kvb_name_found {
    KVB_MATCH_NONE,
    KVB_MATCH_SPELLING, // another spelling, or the owner left out
    KVB_MATCH_OWNER,    // another owner's model of the same name
    KVB_MATCH_LIKE,     // the table of names says so: renamed, a copy, a fine-tune of the same shape
    KVB_MATCH_SIBLING,  // the same model in another number format
    KVB_MATCH_VARIANT,  // base and instruct of one model
    KVB_MATCH_SEVERAL,
};
#define KVB_NAME_CANDIDATES_MAX 6
// A fine-tune may have words of its own in its vocabulary: 5 % of Llama 2 7B are 41,000 words beside its 32,000.
#define KVB_NAME_STATED_PPM 50000
struct kvb_name_answer {
    enum kvb_name_found match;
    const struct kvb_builtin *base;
    const char *why; // LIKE: "fine-tune", "renamed"; Ollama's name: "Ollama"; else NULL
    struct kvb_name_scheme scheme;
    const struct kvb_builtin *candidates[KVB_NAME_CANDIDATES_MAX]; // SEVERAL
    uint32_t candidate_count;
    bool stated;      // VARIANT, SIBLING: a fine-tune, whose name says no more than the base's family, version and size
    bool unquantised; // SIBLING: what its owner quantised, itself at 16 bits: "X" of whom "X-FP8" is built in
};
void kvb_name_find(const struct kvb_name *name, struct kvb_name_answer *answer);
// A name whose number format does not count, made once to be held beside many.
struct kvb_name_kin {
    const char *name; // borrowed
    char folded[KVB_NAME_PART];
};
void kvb_name_kin_of(struct kvb_name_kin *kin, const char *name);
bool kvb_name_is_kin(const struct kvb_name_kin *kin, const char *name); // the same model in another number format

// The built-in model every word of which is in the name of a fine-tune ("Llama-3-Open-Ko-8B"), or NULL; a word that
// makes another shape ("VL", "Reward", "REAP", "128k") or another size refuses it.
const struct kvb_builtin *kvb_name_stated(const char *name);
// Built-in models that are `id` in other number formats; how many were written.
uint32_t kvb_name_formats(const char *id, const struct kvb_builtin **out, uint32_t most);
// The next smaller built-in model of the same owner and family, not quantised; NULL: there is none.
const struct kvb_builtin *kvb_name_smaller(const char *id);
// The built-in models most like it by family, size and kind, best first; how many were written.
#define KVB_NAME_NEAREST_MAX 3
uint32_t kvb_name_nearest(const struct kvb_name *name, const struct kvb_builtin *out[KVB_NAME_NEAREST_MAX]);

// The problems of an unknown name, each with a next step that works when pasted.
enum kvb_status kvb_name_refuse(const char *text, const struct kvb_name *name, const struct kvb_name_answer *answer,
                                struct kvb_problems *problems);
// One notice of what a name was taken for.
void kvb_name_say(const char *text, const struct kvb_name_answer *answer, struct kvb_problems *problems);

#endif
