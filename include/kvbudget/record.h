// One start as a row of facts for the field record: what a log and the flags beside it say, and nothing else of them.
//
// A cell holds a number, a word of the settings' vocabulary, or the name of a model or GPU; a path is cut to its last
// part. The structs are large: keep them off the stack.
#ifndef KVBUDGET_RECORD_H
#define KVBUDGET_RECORD_H

#include <kvbudget/export.h>
#include <kvbudget/input.h>
#include <kvbudget/logs.h>

KVB_PUBLIC_BEGIN

#define KVB_RECORD_COLUMNS_MAX 32
#define KVB_RECORD_CELL 2560

// A figure of the log beside the plan of the same start.
#define KVB_RECORD_FIGURES_MAX 6
struct kvb_record_figure {
    const char *name; // "KV pool"
    enum kvb_log_unit unit;
    int64_t planned, logged;
};

struct kvb_record {
    bool failed;       // a row of failures.csv, otherwise of runs.csv
    const char *table; // "runs.csv"
    uint32_t column_count;
    const char *names[KVB_RECORD_COLUMNS_MAX];
    char cells[KVB_RECORD_COLUMNS_MAX][KVB_RECORD_CELL];
    bool planned; // the four below mean something
    bool starts;  // by the plan
    bool by_name; // the model is known by its name alone: no measure of the figures
    uint32_t figure_count;
    struct kvb_record_figure figures[KVB_RECORD_FIGURES_MAX];
    char not_planned[256]; // why not, when not planned
};

// What neither log nor flags can say; NULL: not said.
struct kvb_record_words {
    const char *id;     // the row's name; made from card, release, model and length otherwise
    const char *source; // where the log can be read
};

// Makes the row; what the flags say stands above the log.
// KVB_MISSING_KEY when the log is of another engine or says too little to be a row.
enum kvb_status kvb_record_make(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                                const struct kvb_record_words *words, struct kvb_record *record,
                                struct kvb_problems *problems) KVB_MUST_USE;

// The names of the columns, and the row, as a table of commas has them, without the line break. The caller frees
// them with free(); NULL when there is no memory.
char *kvb_record_header(const struct kvb_record *record);
char *kvb_record_line(const struct kvb_record *record);

// Adds the row to a table, which is replaced whole; a table that is not there yet is begun. Refused are a file with
// other columns and a second row of the same name.
enum kvb_status kvb_record_append(const struct kvb_record *record, const char *path,
                                  struct kvb_problems *problems) KVB_MUST_USE;

KVB_PUBLIC_END

#endif
