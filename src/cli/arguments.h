// What a command line says, as every command receives it.
#ifndef KVB_CLI_ARGUMENTS_H
#define KVB_CLI_ARGUMENTS_H

#include <stdbool.h>

#include <kvbudget/kvbudget.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_GITHUB, FORMAT_MARKDOWN, FORMAT_JUNIT, FORMAT_SARIF, FORMAT_COUNT };
enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

// Bits of --show.
enum show { SHOW_FORMULAS = 1, SHOW_KV = 2, SHOW_WEIGHTS = 4, SHOW_ALL = 7 };

#define OPERANDS_MAX 256

struct command_row;

// A flag whose text is kept because the settings do not hold all of it: JSON flags and "env".
#define TYPED_MAX 48
struct typed {
    const char *name; // without dashes
    const char *value;
};

struct arguments {
    const struct command_row *command;
    const char *program;
    enum format format;
    enum color_mode color;
    bool quiet;
    unsigned show;
    const char *against;   // --against, or NULL
    const char *calibrate; // --calibrate, or NULL
    const char *gpu_flag;  // --gpu as typed, or NULL
    const char *gpu_state; // --gpu-state, or NULL
    char devices[256];     // GPUs chosen from a machine: "4", "0,1"; "" = none were
    char choice[2048];     // why, and what each accepts
    const char *policy;    // --policy, or NULL
    bool skip_others;      // files without a deployment are passed over
    bool answered;         // the answer is printed whatever the exit code
    uint32_t with_count;
    const char *with[KVB_RESIDENTS_MAX]; // --with
    int operand_count;
    const char *operands[OPERANDS_MAX];
    int serve_count; // words after --
    const char *const *serve_words;
    int serve_model;                              // index of the word that names the model, or -1
    const char *setting_texts[KVB_SETTING_COUNT]; // as typed on our own command line, or NULL
    uint32_t typed_count;
    struct typed typed[TYPED_MAX];
    struct kvb_deployment deployment; // profile, serve command and flags merged
    struct kvb_problems problems;
};

// Keeps the text of a flag; more than TYPED_MAX are not kept.
void arguments_keep(struct arguments *arguments, const char *name, const char *value);

#endif
