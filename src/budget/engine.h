// The seat of an engine: all that the arithmetic shared by engines asks of one. Every engine fills one
// struct kvb_engine_rows in a file of its own; src/engines/table.c lists them.
#ifndef KVB_BUDGET_ENGINE_H
#define KVB_BUDGET_ENGINE_H

#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include "budget/estimate.h"
#include "budget/serve_flag.h"

#define KVB_CANDIDATES_MAX 16

// One setting to try when a deployment does not fit.
typedef uint32_t kvb_candidates_function(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                         uint64_t out[KVB_CANDIDATES_MAX]); // mildest first; returns how many
struct kvb_rung {
    enum kvb_setting setting;
    kvb_candidates_function *candidates;
    bool last_resort; // asks for other hardware or another model
    bool warns;       // listed although it makes things worse: people reach for it
    const char *why;
    bool removes; // the setting goes; its candidate is what the engine does without it
};

// How an engine treats what else is on its GPUs.
struct kvb_neighbourhood {
    enum kvb_charge charge;      // what it takes for its own
    bool charges_others;         // the context and others' memory are inside its request
    bool checks_free;            // it refuses a request above the free memory
    struct kvb_estimate outside; // context and communication buffers
    uint64_t ranks;              // GPUs of one copy of the model
};

// What a release does that its log does not say; explain reckons with it.
struct kvb_release_facts {
    bool takes_share;          // a share of the card is its lever (gpu-memory-utilization)
    bool charges_others;       // other processes' memory counts against that share
    bool charges_graphs;       // an estimate of its graphs comes out of the cache
    bool may_charge_graphs;    // the same, when it is asked to
    bool peak_holds_graphs;    // that estimate is inside the peak that it prints
    bool one_generation;       // its older engine cannot be asked for
    bool drops_weights;        // asleep it can let its weights go, and trainers ask it to
    bool sizes_cache_by_bytes; // --kv-cache-memory-bytes exists
    uint32_t share_ppm;        // what it takes when nothing is said; 0: it depends
    uint32_t block_tokens;     // the same; 0: it depends
    uint32_t warm_up_bytes;    // of one logit, while it samples for all its sequences at once
    const char *graph_estimate_variable, *host_cache_variable; // or NULL
};

enum kvb_off_form {
    KVB_OFF_NEGATED, // --no-NAME
    KVB_OFF_VALUE,   // --NAME=False
    KVB_OFF_UNSAID,  // by leaving it out
    KVB_OFF_SPELLED, // the same, and it is turned on by --NAME=True
    KVB_OFF_ALONE,   // --no-NAME; there is no --NAME
    KVB_OFF_SWITCH,  // of on, off and auto --NAME is on, and the others are left out
    KVB_OFF_WORD,    // of these on and off are words, and auto is left out
};

// Where the line that starts it is more than its command, the model and flags.
#define KVB_LINE_MODEL_CAPACITY 400
struct kvb_line_rules {
    // Started before it with the settings in its environment: "ollama serve"; NULL: settings are flags.
    const char *server;
    const char *(*variable)(enum kvb_setting setting);  // with a server: the variable; NULL: it has none
    const char *(*parameter)(enum kvb_setting setting); // with a server: a Modelfile's PARAMETER; NULL: it has none
    bool library_names;                                 // models have names of its own library: "qwen3:8b"
    const char *create, *made; // with parameters: makes a model of the Modelfile, and what that is called
    // The model as the command takes it. False: in the formats that a name of the library stands for.
    bool (*model)(const struct kvb_plan *plan, char out[KVB_LINE_MODEL_CAPACITY]);
};

struct kvb_engine_rows {
    const char *name;        // as written: "vllm"
    const char *title;       // in a sentence: "vLLM"
    uint32_t oldest, newest; // releases whose rules are known
    uint32_t partly;         // a newer one of which some are; 0: none
    const char *before;      // what ran before the oldest, behind a semicolon; NULL: nothing to say
    uint32_t (*of_main)(const char *version, uint32_t release); // a build between two releases; NULL: as it is written

    // ---- Its serve command
    const char *serve_command; // what the line to paste begins with, before the model: "vllm serve"; NULL: it has none
    unsigned traits;           // enum kvb_serve_trait: how its parser takes a line
    const struct kvb_serve_flag *(*flag)(unsigned index);       // NULL behind the last
    const struct kvb_setting_part *(*parts)(size_t *count);     // members of flags that take JSON; or NULL
    const struct kvb_serve_program *(*programs)(size_t *count); // ways to start it; or NULL
    const struct kvb_variable_row *(*variables)(size_t *count); // environment; or NULL
    bool (*takes_value)(const char *word);   // a flag ("--name") without a row; NULL: it does when a value follows
    bool (*takes_several)(const char *word); // of such a flag: several; NULL: none does
    // The flag without a row that is spelled most like "--word", without dashes in front; NULL: none, or nobody knows.
    const char *(*flag_near)(const char *word);
    // A variable whose value a release may refuse, beside those above; NULL: there is none.
    bool (*notes_variable)(const char *name);
    const struct kvb_config_rules *config; // of a file with flags; NULL: it takes none
    // What the release's own argument parser says of the flags noted in the deployment, "" when it takes them; or NULL.
    void (*judge)(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[256]);

    // Notes in the plan those flags that move no memory and decide a start; NULL: none.
    void (*plain_flags)(const struct kvb_deployment *deployment, struct kvb_plan *plan);

    // Another flag that the release wants beside a setting's, as it is written: "--load-format ..."; NULL: none.
    const char *(*companion)(enum kvb_setting setting, uint64_t number, uint32_t release);

    // How the release turns a switch off; NULL: by --no-NAME.
    enum kvb_off_form (*off_form)(const char *name, uint32_t release);
    const struct kvb_line_rules *line; // or NULL
    // A flag that no setting stands for and without which the line starts another engine than the plan's; NULL: none.
    const char *(*unsaid)(const struct kvb_plan *plan);
    // What the published config's class has to be called for the release to find it, as JSON of --hf-overrides; NULL:
    // as it is.
    const char *(*class_called)(const struct kvb_model *model);

    // ---- Its arithmetic
    // The whole answer; `quiet`: for searches, without problems, steps and parameters.
    enum kvb_status (*compute)(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                               bool quiet);
    // Quietly: whether it starts, should no layer have to go to the host for that; `budget` says how where it does.
    // NULL: `compute` says it at once.
    bool (*is_whole)(const struct kvb_plan *plan, struct kvb_budget *budget);
    // Adds steps that take a while and only --show formulas asks for; NULL: `compute` adds all.
    void (*formulas)(const struct kvb_plan *plan, struct kvb_budget *budget);
    enum kvb_status (*neighbourhood)(const struct kvb_plan *plan, struct kvb_neighbourhood *out,
                                     struct kvb_problems *problems);
    // Bytes that a share of the card's memory asks for, rounded as the engine rounds.
    uint64_t (*request)(const struct kvb_plan *plan, uint64_t memory_bytes, uint32_t utilization_ppm);

    bool rank_of_adapters; // without a rank it takes the highest of the adapters loaded at start
    bool share_of_free;    // its share is of what is free when it starts, not of the card

    // Release 0: not known; `generation` KVB_GENERATION_NONE: not known, or it has one. NULL: none of it holds.
    void (*facts)(uint32_t release, enum kvb_generation generation, struct kvb_release_facts *out);

    // How a request longer than the model's own length is allowed, by release: a flag with @F for the factor, @O for
    // the length it is of, @T for the rotary base. Ends with a row without a flag; NULL: it has none.
    const struct kvb_stretch_flag {
        uint32_t since, until; // 0: from the first, to the newest
        const char *flag;
    } * stretch;

    // ---- Its words
    const char *way;           // how it shares a card out, a clause: "measures a profile run ..."; or NULL
    const char *const *labels; // of the items in text, KVB_ITEM_COUNT of them, each may be NULL; NULL: the shared ones
    const struct kvb_rung *(*rungs)(size_t *count); // settings to try, least harm first
};

#endif
