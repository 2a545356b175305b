// What an engine says of its own serve command: flags, members of flags that take JSON, variables, programs.
// Rows of constant tables; src/command reads a line by them, src/answer writes one.
#ifndef KVB_BUDGET_SERVE_FLAG_H
#define KVB_BUDGET_SERVE_FLAG_H

#include <stddef.h>

#include <kvbudget/input.h>

enum kvb_serve_kind {
    KVB_SERVE_SETTING,      // gives setting `id` its value
    KVB_SERVE_SETS,         // gives setting `id` the value `number`; takes no value itself
    KVB_SERVE_JSON,         // a mapping, read by kvb_json_flag as `part`
    KVB_SERVE_LIST,         // the same, and takes several words
    KVB_SERVE_MODEL,        // names the model; `read` may take more out of the name
    KVB_SERVE_DRAFT_MODEL,  // names the model that drafts; sets KVB_SET_SPECULATIVE_METHOD
    KVB_SERVE_REVISION,     // of the model
    KVB_SERVE_OVERRIDES,    // JSON over config.json
    KVB_SERVE_CONFIG_KEY,   // JSON over its key `part`
    KVB_SERVE_CONFIG_FILE,  // a file with more flags
    KVB_SERVE_OTHER_CONFIG, // names the config that the engine reads in place of the model's
    KVB_SERVE_OWN,          // read by `read`; what begins with { is JSON of `part`, when there is one
    KVB_SERVE_NOTHING,      // no effect on memory, no value
    KVB_SERVE_VALUE,        // no effect on memory, one value
    KVB_SERVE_ADAPTERS, // several NAME=PATH of LoRA adapters; with `number` also bare paths, and setting `id` is given
    KVB_SERVE_VALUES,   // no effect on memory, several values
};

// Reads a value into the deployment, by kvb_settings_set where it is a setting. False: `why` says what would be right.
typedef bool kvb_serve_reader(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                              char why[256]);

#define KVB_WORD_AUTO UINT32_MAX // the number of a word that leaves a length to the engine

struct kvb_serve_flag {
    const char *name;       // dashes or underscores inside, none in front; NULL: a short form only
    const char *short_name; // "-tp" or NULL
    enum kvb_serve_kind kind;
    uint32_t id;                  // enum kvb_setting
    uint64_t number;              // KVB_SERVE_SETS
    const char *part;             // "speculative-config"
    uint32_t since, until;        // releases that know it; 0 = all
    bool negatable;               // --no-NAME exists
    bool serve_only;              // an old or second spelling: read in a serve command, never offered nor written
    bool ours;                    // kvbudget's own: never written into a line
    bool attached;                // its short form takes any value without a blank: -O3
    const char *uncounted;        // words of its values whose memory is not known here, a blank between; NULL: none
    bool below_is_least;          // a number below the setting's least, 0 or 1, counts as that
    bool none_is_unsaid;          // "None" is as if the flag were not there
    const char *absent;           // what it means without a value; NULL: it needs one
    const char *argument;         // of our own flag, for help; NULL: the setting's
    const char *help;             // the same
    const struct kvb_word *words; // spelling of its values where that is not the setting's; beside numbers of a length
    uint32_t word_count;
    kvb_serve_reader *read;
};

// A setting that is one member of a flag that takes JSON; `key` NULL: the flag as a whole, which is not written from
// it.
struct kvb_setting_part {
    enum kvb_setting setting;
    const char *flag;      // "limit-mm-per-prompt"
    const char *key;       // "image"
    uint32_t since, until; // releases that know it; 0 = all
    bool upper;            // its words are written in capitals
};

// How the engine's own parser takes a line; bits.
enum kvb_serve_trait {
    KVB_SERVE_ABBREVIATES = 1,     // the beginning of exactly one flag stands for it
    KVB_SERVE_UNDERSCORES = 2,     // _ and - are alike in names
    KVB_SERVE_DOTS = 4,            // --JSON-FLAG.key value
    KVB_SERVE_POSITIONAL = 8,      // a word that is no flag names the model
    KVB_SERVE_PYTHON_NUMBERS = 16, // int() and float() of Python read its numbers: +4, 1_0, 1e1
    KVB_SERVE_SI_SUFFIXES = 32,    // 1M is 1000000 and 1Mi 1048576, where 1M is that otherwise
    KVB_SERVE_DASHES = 64,         // _ in a name is -
    KVB_SERVE_C_NUMBERS = 128,     // stoi() reads its numbers: the digits they begin with, 32 of 32k
};

// A way to start the engine.
struct kvb_serve_program {
    enum kvb_program_form {
        KVB_PROGRAM_WORDS,  // `vllm serve`: program and, unless NULL, its first word
        KVB_PROGRAM_MODULE, // `python -m vllm.entrypoints...`: the beginning of the module, then `second`
        KVB_PROGRAM_FILE,   // `python .../openai/api_server.py`: the end of the path
    } form;
    const char *name, *second;
    bool needs_flag;   // in a file: a word alone may be a name
    const char *usage; // an example for a message; NULL: found in files only, a pasted line does not begin so
    bool is_module;    // noted as kvb_deployment.serve_module: the other of two
};

// What decides whether a line's --config is read, beside its file.
struct kvb_config_line {
    bool module;       // python -m
    bool model_first;  // the model stands where the engine looks for it
    bool model_flag;   // a flag names it
    bool config_first; // --config stands in front of all other words
    bool splits;       // the first word is a flag whose value is a word of its own
    bool model_inside; // the file names one
};

// How releases turn a file of flags, --config, into words in front of the line's own.
struct kvb_config_rules {
    uint32_t lists;                                    // the first release that makes a word of each item
    uint32_t mappings;                                 // the first release that writes them as JSON, not as Python does
    bool any_case;                                     // of the file's ending
    bool may_be_empty;                                 // a file that says nothing
    bool small;                                        // "true", not "True", where a truth is spelled
    bool (*spells)(const char *key, uint32_t release); // a truth stands behind its flag
    bool (*excludes)(const char *key, uint32_t release); // the release takes no such key from a file; NULL: all
    // What it says where it does not take the line; NULL: it does. NULL: it takes all.
    const char *(*refuses)(const struct kvb_config_line *line, uint32_t release);
};

// An environment variable that the engine reads.
struct kvb_variable_row {
    const char *name;
    bool (*read)(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment);
    size_t offset;            // of its member, for kvb_variable_switch
    const char *expected;     // for a message
    enum kvb_setting setting; // for kvb_variable_setting
    bool any_word;            // what `read` does not take is left to the engine's own judge
};
// A member of enum kvb_tristate: 0, 1, true, no, ...
bool kvb_variable_switch(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment);
// The same where 1 and true are yes, and all else is no.
bool kvb_variable_truth(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment);
// The value of a setting that no flag says.
bool kvb_variable_setting(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment);
// Variables that are read by PyTorch, whatever the engine.
const struct kvb_variable_row *kvb_torch_variables(size_t *count);

#define KVB_VARIABLE_SWITCH(text, member)                                                                              \
    {                                                                                                                  \
        .name = text, .read = kvb_variable_switch, .offset = offsetof(struct kvb_environment, member),                 \
        .expected = "0 or 1"                                                                                           \
    }
#define KVB_VARIABLE_TRUTH(text, member)                                                                               \
    {                                                                                                                  \
        .name = text, .read = kvb_variable_truth, .offset = offsetof(struct kvb_environment, member),                  \
        .expected = "1 or true"                                                                                        \
    }

#endif
