// Flags as rows: one row serves reading, help and completion. No abbreviations, no repetition.
#ifndef KVB_CLI_OPTIONS_H
#define KVB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "engines/flags.h"

struct option_row;

// Takes one value (NULL: a plain switch; "false": its --no- form). False: a problem was added.
typedef bool option_setter(struct arguments *arguments, const struct option_row *row, const char *value);

struct option_row {
    const char *name;       // without dashes: "gpu-memory"
    const char *short_name; // "-q" or NULL
    const char *argument;   // NULL: a switch
    const char *help;
    const char *const *words; // values for completion, NULL-ended, or NULL
    option_setter *set;
    unsigned set_bit;                  // enum option_set; also the group in help
    uint32_t id;                       // enum format, ...: the setter's own
    const struct kvb_serve_flag *flag; // of an engine's flag
    bool repeatable;
    bool negatable;
    bool list; // takes the plain numbers that follow, too
};

// Sets of flags in the order in which help and the manual show them.
struct option_group {
    unsigned set; // enum option_set
    const char *title;
};
const struct option_group *kvb_options_groups(size_t *count);
// The title, with the engine's name in it where its flags are meant.
#define OPTIONS_TITLE_CAPACITY 96
char *kvb_options_title(char out[OPTIONS_TITLE_CAPACITY], const struct option_group *group,
                        const struct kvb_engine_rows *engine);

#define OPTIONS_MAX 128

struct option_list {
    const struct kvb_engine_rows *engine; // whose flags are among them
    uint32_t count;
    struct option_row rows[OPTIONS_MAX];
    char names[OPTIONS_MAX][48]; // dashed names of the engine's flags
};

// All flags of the given sets; the engine's are those of `engine`, NULL: of the usual one.
void kvb_options_build(struct option_list *list, unsigned option_sets, const struct kvb_engine_rows *engine);
bool kvb_option_is_called(const char *candidate, const char *name, size_t length); // candidate may be NULL
const struct option_row *kvb_options_find(const struct option_list *list, const char *name, size_t length);

// Reads argv behind the command's name into `arguments`. False: the command line is wrong, and
// problems say how. Also reads the deployment profile named as the operand of a plan.
enum kvb_status kvb_options_read(struct arguments *arguments, int count, const char *const *words);

// True when the words ask for JSON, so that a mistake before --json is reported in JSON as well.
bool kvb_options_want_json(int count, const char *const *words);

// The rows of one source each (plan_flags.c, engine_flags.c, output_flags.c).
void kvb_options_add(struct option_list *list, const struct option_row *rows, size_t count);
void kvb_options_add_output(struct option_list *list);
void kvb_options_add_deployment(struct option_list *list);
void kvb_options_add_explain(struct option_list *list);
void kvb_options_add_plan(struct option_list *list);
void kvb_options_add_check(struct option_list *list);
void kvb_options_add_record(struct option_list *list);
void kvb_options_add_models(struct option_list *list);
void kvb_options_add_sweep(struct option_list *list);
void kvb_options_add_need(struct option_list *list, unsigned set); // --need-len, --need-concurrency, --all
void kvb_options_add_engine(struct option_list *list);
void kvb_options_add_machine(struct option_list *list);

// Whose flags are meant, known before any is read: --engine, then the serve command, then a profile says it. NULL:
// nothing does.
const struct kvb_engine_rows *kvb_options_engine_asked(const struct command_row *command, int count,
                                                       const char *const *words);
// Another engine that has this flag, and its row of it; NULL: none, or the command takes no engine's flags.
const struct kvb_engine_rows *kvb_options_engine_with(const struct option_list *list, const char *name, size_t length,
                                                      const struct kvb_serve_flag **found);
// A flag that the engine takes in a serve command alone, and what such a line begins with.
bool kvb_options_is_of_line(const struct option_list *list, const char *name, size_t length);
const char *kvb_options_line_of(const struct option_list *list);

// Adds an error about the command line itself and returns KVB_BAD_ARGUMENT.
enum kvb_status kvb_options_mistake(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
