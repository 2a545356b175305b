// What each vLLM release knows: generated tables (scripts/release-tables) and how they are asked.
#ifndef KVB_ENGINES_VLLM_RELEASE_TABLES_H
#define KVB_ENGINES_VLLM_RELEASE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Long tables hold their names, rather than point at them: a pointer costs the start of the tool a relocation.
// Releases are KVB_RELEASE numbers of 0.x: 80400 is 0.8.4; gone: the first without it, 0 when none is.
struct kvb_known_class {
    char name[64];
    uint32_t since, gone;
    char interfaces[8]; // "L" LoRA, "P" pipeline parallelism; "?" not known
};
struct kvb_withdrawn_class {
    const char *name;
    uint32_t since, gone;
    const char *last; // the last release that had it, or where its plugin is
};
struct kvb_known_flag {
    char name[64]; // without two dashes in front; a short form with its one dash
    uint32_t since, gone;
    char values; // '0' none, 'b' none and a --no- form, 'B' none or True/False, '1' one, '?' one or none, '+' several
};
struct kvb_known_choice { // a word that the flag takes; it takes no other
    char flag[48], word[48];
    uint32_t since, gone;
};
struct kvb_known_key_type { // what a member of the flag's JSON may be
    char flag[32], key[48];
    uint32_t since, gone;
    char types[8]; // 's' text, 'i' whole number, 'f' number, 'b' truth, 'm' mapping, 'l' list, 'n' null
    char bound;    // '=' no number below `least`, '>' nor that itself, ' ' any
    uint8_t least;
    char elements[3]; // what the elements of a list or the values of a mapping may be; "" any
};
struct kvb_known_variable { // of the environment; read at every start, whatever the start needs
    char name[64];
    uint32_t since, gone;
    char kind; // 'i' int(), 'f' float(), 'c' one of a list of words, 'C' the same whatever the case
};
struct kvb_known_method {
    const char *name;
    uint32_t since, gone;
    uint32_t least_capability;    // 0: none stated
    const char *activation_types; // "h" half, "b" bfloat16, "f" float32
    bool needs_file;              // the checkpoint must hold a configuration of this method
};
struct kvb_known_kernels {
    uint32_t since, gone;
    uint32_t least_accepted; // by the build from source
    bool forward;            // the newest of the list is there as PTX too
    uint32_t capabilities[12];
};
struct kvb_known_requirements {
    uint32_t since, gone;
    const char *torch, *transformers;
};

extern const struct kvb_known_class kvb_known_class_rows[];
extern const unsigned kvb_known_class_row_count;
extern const struct kvb_withdrawn_class kvb_withdrawn_class_rows[];
extern const unsigned kvb_withdrawn_class_row_count;
extern const struct kvb_known_flag kvb_known_flag_rows[];
extern const unsigned kvb_known_flag_row_count;
extern const struct kvb_known_choice kvb_known_choice_rows[];
extern const unsigned kvb_known_choice_row_count;
extern const struct kvb_known_choice kvb_known_key_rows[]; // keys of the flag's JSON
extern const unsigned kvb_known_key_row_count;
extern const struct kvb_known_key_type kvb_known_key_type_rows[];
extern const unsigned kvb_known_key_type_row_count;
extern const struct kvb_known_variable kvb_known_variable_rows[];
extern const unsigned kvb_known_variable_row_count;
extern const struct kvb_known_choice kvb_known_variable_word_rows[];
extern const unsigned kvb_known_variable_word_row_count;
extern const struct kvb_known_method kvb_known_method_rows[];
extern const unsigned kvb_known_method_row_count;
extern const struct kvb_known_kernels kvb_known_kernels_rows[];
extern const unsigned kvb_known_kernels_row_count;
extern const struct kvb_known_requirements kvb_known_requirements_rows[];
extern const unsigned kvb_known_requirements_row_count;

// Each NULL when that release does not have it.
const struct kvb_known_class *kvb_class_of(const char *name, uint32_t release);
// As above, or the class whose model is turned into one of that name: Qwen3ForSequenceClassification of
// Qwen3ForCausalLM.
const struct kvb_known_class *kvb_class_served_by(const char *name, uint32_t release);
const struct kvb_withdrawn_class *kvb_withdrawn_of(const char *name, uint32_t release);
const struct kvb_known_method *kvb_method_of(const char *name, uint32_t release);
const struct kvb_known_requirements *kvb_requirements_of(uint32_t release);
// Whether any release ever had the class.
bool kvb_class_is_known(const char *name);
// Whether the published wheels of the release hold kernels that run on the capability.
bool kvb_kernels_run_on(uint32_t capability, uint32_t release);

// A flag (`length` characters behind the dashes, dashes and underscores alike) as argparse finds it in that
// release: whole, or the beginning of exactly one. `matches` receives how many begin so. Release 0: any.
const struct kvb_known_flag *kvb_flag_of(const char *name, size_t length, uint32_t release, unsigned *matches);

// Whether releases before this one had the flag, and neither it nor any after it has.
bool kvb_flag_is_gone(const char *name, uint32_t release);

// The first row of a flag whose value is one of a list in that release; NULL: it takes any word. The others follow it.
const struct kvb_known_choice *kvb_choices_of(const char *flag, uint32_t release);
// The next word that the release lists for the same flag; NULL behind the last.
const struct kvb_known_choice *kvb_choice_after(const struct kvb_known_choice *row, uint32_t release);

// Whether the JSON of that flag takes none but listed keys in that release, and whether it lists this one. A member
// that is a mapping is asked for as "FLAG.MEMBER".
bool kvb_keys_are_listed(const char *flag, uint32_t release);
bool kvb_key_is_listed(const char *flag, const char *key, uint32_t release);
// What that member may be; NULL where the release does not check it, or by rules that no row says.
const struct kvb_known_key_type *kvb_key_type_of(const char *flag, const char *key, uint32_t release);

#endif
