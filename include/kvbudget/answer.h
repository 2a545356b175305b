// A question answered whole: names resolved, budget computed, advice given. What it means to have no GPU,
// a log to calibrate with, a machine or residents is decided here, so that a tool only reads arguments and
// writes answers. Results of these functions are large: keep them off the stack.
#ifndef KVBUDGET_ANSWER_H
#define KVBUDGET_ANSWER_H

#include <kvbudget/budget.h>
#include <kvbudget/export.h>
#include <kvbudget/input.h>
#include <kvbudget/logs.h>
#include <kvbudget/machine.h>
#include <kvbudget/residents.h>

KVB_PUBLIC_BEGIN

// A flag whose text is kept because the settings do not hold all of it: JSON flags and "env".
#define KVB_TYPED_MAX 48
struct kvb_typed {
    const char *name; // without dashes
    const char *value;
};

// The deployment, and the words it was asked in, which the line to paste keeps.
struct kvb_question {
    struct kvb_deployment deployment; // profile, serve command and flags merged
    const char *profile;              // whose `residents:` count, or NULL
    uint32_t entry_count;             // residents that were read already: instead of the profile's
    const struct kvb_resident_entry *entries;
    uint32_t with_count;
    const char *with[KVB_RESIDENTS_MAX]; // further deployment profiles on the same GPUs
    const char *gpu_flag;                // the GPU as typed, or NULL: "live:0,1", "3"
    const char *gpu_state;               // what nvidia-smi printed, as a file; "-": standard input; or NULL
    int serve_count;                     // words of a serve command
    const char *const *serve_words;
    int serve_model;                              // index of the word that names the model, or -1
    const char *setting_texts[KVB_SETTING_COUNT]; // as typed, or NULL
    uint32_t typed_count;
    struct kvb_typed typed[KVB_TYPED_MAX];
};

// Keeps the text of a flag; more than KVB_TYPED_MAX are not kept.
void kvb_question_keep(struct kvb_question *question, const char *name, const char *value);
const char *kvb_question_typed(const struct kvb_question *question, const char *name); // or NULL

struct kvb_answer {
    struct kvb_plan plan;
    struct kvb_model draft; // plan.draft points here
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_advice advice;
};

// Copies an answer, whose plan then points to the copy's own draft.
void kvb_answer_copy(struct kvb_answer *to, const struct kvb_answer *from);

// Resolves, computes and advises.
enum kvb_status kvb_answer_deployment(const struct kvb_deployment *deployment, struct kvb_answer *answer,
                                      struct kvb_problems *problems) KVB_MUST_USE;
// Computes and advises on answer->plan as it is.
enum kvb_status kvb_answer_plan(struct kvb_answer *answer, struct kvb_problems *problems) KVB_MUST_USE;
// Whether a GPU or its memory is named.
bool kvb_names_gpu(const struct kvb_deployment *deployment);

// Replaces the models of the terms by what the run of this log ("-": standard input) measured.
enum kvb_status kvb_answer_calibrate(const char *path, const struct kvb_deployment *deployment,
                                     struct kvb_answer *answer, struct kvb_problems *problems) KVB_MUST_USE;

// ---- Where it does not fit: other checkpoints that do

enum kvb_sibling_kind {
    KVB_SIBLING_FORMAT,   // the same model, built in, in another number format
    KVB_SIBLING_ANY_4BIT, // none is built in: one of the usual kind
    KVB_SIBLING_SMALLER,  // the next smaller model of the family
    KVB_SIBLING_KIND_COUNT
};
const char *kvb_sibling_kind_name(enum kvb_sibling_kind kind); // "format"

#define KVB_SIBLING_FORMATS_MAX 4
#define KVB_SIBLINGS_MAX 6
struct kvb_sibling {
    enum kvb_sibling_kind kind;
    char name[KVB_NAME_CAPACITY];
    uint64_t weights_bytes; // of the fullest GPU
    uint64_t tokens;
    uint64_t max_model_len; // the length it starts with; 0: as asked
    enum kvb_verdict verdict;
};
struct kvb_siblings {
    uint32_t count;
    struct kvb_sibling rows[KVB_SIBLINGS_MAX];
};
// Those that start with what else was asked, perhaps at a shorter length. None where it fits, or where memory is not
// the reason.
enum kvb_status kvb_answer_siblings(const struct kvb_deployment *deployment, const struct kvb_answer *answer,
                                    struct kvb_siblings *siblings, struct kvb_problems *problems) KVB_MUST_USE;

// ---- Longer than the model's own length

#define KVB_LONGER_FLAG_CAPACITY 256
struct kvb_longer {
    bool asked;          // the length asked for is longer than the model's own
    bool known;          // its card names a way, and this release has a flag for it; the members below mean something
    uint64_t own_tokens; // the model's own limit
    uint64_t to_tokens;  // how long a request can be with it
    char flag[KVB_LONGER_FLAG_CAPACITY];
    enum kvb_verdict verdict; // with it, at the length asked for
    uint64_t needed_bytes;
    int64_t balance_bytes, weights_bytes; // the KV cache's; what the weights grow by, with their rotary tables
};
// What the model's card names for longer requests, with what it costs.
enum kvb_status kvb_answer_longer(const struct kvb_deployment *deployment, const struct kvb_answer *answer,
                                  struct kvb_longer *longer, struct kvb_problems *problems) KVB_MUST_USE;

// ---- Without a GPU: the smallest cards that start it

#define KVB_CARDS_MAX 8
struct kvb_card {
    char id[64];
    char name[KVB_NAME_CAPACITY];
    uint64_t count; // tensor parallel
    uint64_t memory_bytes;
    uint32_t class_gigabytes, rank; // see kvb_card_line
    enum kvb_verdict verdict;
    int64_t kv_cache_bytes, balance_bytes;
    uint64_t tokens;
};

// The same model with weights of another width: 16 bits, 8 and 4.
#define KVB_CARD_FORMATS 3
struct kvb_card_format {
    bool known;   // there is such a model
    bool own;     // it is the one asked for
    bool assumed; // its name is made up: what it weighs is a bound
    char model[KVB_NAME_CAPACITY];
    char format[32]; // "16 bit", "FP8", "AWQ-4"
};

// How many of one built-in card each format takes; 0 = it does not start on as many as a machine has of them.
#define KVB_CARD_LINES_MAX 256
struct kvb_card_line {
    char id[64];
    char name[KVB_NAME_CAPACITY];
    uint64_t memory_bytes;
    uint32_t class_gigabytes; // the size people call it by: 8, 12, 16, ... 288
    uint32_t rank;            // 0: of its class what most people own
    uint32_t most;            // of them in one machine
    uint64_t counts[KVB_CARD_FORMATS];
    enum kvb_verdict verdicts[KVB_CARD_FORMATS]; // tight also where only a lower utilization leaves room
};
struct kvb_cards {
    bool named; // those that were asked for, in their order, starting or not
    uint32_t count;
    uint32_t starting;                   // how many of the catalogue start, listed or not
    struct kvb_card rows[KVB_CARDS_MAX]; // smallest total memory first
    struct kvb_card_format formats[KVB_CARD_FORMATS];
    uint32_t line_count;
    struct kvb_card_line lines[KVB_CARD_LINES_MAX]; // every card the release runs on; by class, then by rank
};
// Puts the deployment to every built-in card, alone and in as many as machines have of it. `best` becomes the answer on
// the first of them, or on a stand-in when none starts it; the deployment takes over the number of GPUs found.
enum kvb_status kvb_answer_cards(struct kvb_deployment *deployment, struct kvb_cards *cards, struct kvb_answer *best,
                                 struct kvb_problems *problems) KVB_MUST_USE;
// "l4,2xH100" as the deployment's GPU: each of them beside the others; `best` is the answer on the first.
enum kvb_status kvb_answer_named_cards(const struct kvb_deployment *deployment, struct kvb_cards *cards,
                                       struct kvb_answer *best, struct kvb_problems *problems) KVB_MUST_USE;
bool kvb_names_gpus(const struct kvb_deployment *deployment); // several, with commas between

// ---- On the GPUs of a machine

// The machine, which of its GPUs may be taken, and their ranking.
struct kvb_machine_choice {
    struct kvb_machine machine;
    bool pool[KVB_DEVICES_MAX];
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_ranking ranking;
};
bool kvb_machine_is_asked(const struct kvb_question *question); // "live" or a state was given
// Asks the driver (`library`: its path, or NULL for the usual names) or reads the state, and applies the selection.
enum kvb_status kvb_machine_take(struct kvb_question *question, const char *library, struct kvb_machine_choice *choice,
                                 struct kvb_problems *problems) KVB_MUST_USE;
// Resolves the deployment and ranks the GPUs for it.
enum kvb_status kvb_machine_choose(struct kvb_deployment *deployment, struct kvb_machine_choice *choice,
                                   struct kvb_problems *problems) KVB_MUST_USE;
// The rank that decides for all GPUs of the deployment; NULL when there are not enough.
const struct kvb_rank *kvb_ranking_deciding(const struct kvb_ranking *ranking);
// Puts the deployment on the GPU of that rank, with what is free there.
void kvb_machine_use(const struct kvb_machine_choice *choice, const struct kvb_rank *rank,
                     struct kvb_deployment *deployment);

// ---- With residents

#define KVB_ALTERNATIVES_MAX 8
// Another way to run the rollout of a training step.
struct kvb_alternative {
    char name[64]; // "vllm, TP 2"
    uint64_t tp;   // 0: the transformers library
    uint64_t weights_bytes;
    int64_t cache_bytes;
    uint64_t passing_bytes; // the widest moment besides (transformers)
    uint64_t tokens;        // of all its GPUs together
    bool starts;
};

struct kvb_placed {
    uint32_t own; // index of the deployment's own engine
    const struct kvb_resident *residents;
    const struct kvb_side_by_side *side;
    const struct kvb_trainer *trainer; // or NULL; then there is no training either
    const struct kvb_training *training;
    uint32_t alternative_count;
    const struct kvb_alternative *alternatives;
    uint64_t sequences, prompt_tokens, answer_tokens; // that the transformers rows are for
};

// Reads the residents of the profile and of `with`, puts them in order, and makes `plan` hold what those before it
// do. *placed stays NULL when there are none; the caller frees it with kvb_placed_free.
enum kvb_status kvb_residents_place(struct kvb_question *question, struct kvb_plan *plan, struct kvb_placed **placed,
                                    struct kvb_problems *problems) KVB_MUST_USE;
void kvb_placed_free(struct kvb_placed *placed); // NULL is let pass
// Everybody starts, one after another, and every phase fits.
bool kvb_placed_fit(const struct kvb_placed *placed);

// ---- The line to paste

// Writes the command that starts the deployment with the advised changes applied, quoted for a POSIX shell; a serve
// command that was given is kept word for word except for what changes. NULL: out of memory, or the engine has no
// such command. The caller frees it with free().
char *kvb_serve_line(const struct kvb_question *question, const struct kvb_plan *plan, const struct kvb_advice *advice);

// ---- A run's log

// Reads a log ("-": standard input); everything but checks and remedies.
enum kvb_status kvb_log_load(const char *path, struct kvb_log_report *log, struct kvb_problems *problems) KVB_MUST_USE;
// The same of a text; `name` stands in problems.
enum kvb_status kvb_log_read(const char *name, const char *text, size_t length, struct kvb_log_report *log,
                             struct kvb_problems *problems) KVB_MUST_USE;
// What the deployment adds to a log; what the log itself names is tried without complaint.
enum kvb_status kvb_log_given_by(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                                 struct kvb_log_given *given, struct kvb_problems *problems) KVB_MUST_USE;
// Adds checks that need the model: tokens from the pool, need from the length.
void kvb_log_check_budget(const struct kvb_deployment *deployment, struct kvb_log_report *log,
                          const struct kvb_log_given *given);

// What plan says of the deployment that a log shows failing for memory.
struct kvb_log_next {
    bool answered;        // model, card and release are known
    enum kvb_verdict now; // of the settings as they were
    char *line;           // the serve line with the changes that make it fit; NULL: none do, or none are needed
};
// False when it cannot be asked. The caller frees the line with free().
bool kvb_log_plan(const struct kvb_question *asked, const struct kvb_log_report *log, const struct kvb_log_given *given,
                  struct kvb_log_next *next);

KVB_PUBLIC_END

#endif
