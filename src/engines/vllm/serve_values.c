// Values of a serve line that a release lists and no other: words of argparse's choices, names of parsers of tool calls
// and of reasoning. The lists are made from the releases (generated/choices.c).
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/serve.h"

#include <string.h>

#include "engines/vllm/release_tables.h"

#define OPTIONAL_CAPACITY 256
#define ENCODER_BACKEND "mm-encoder-attn-backend"
#define LISTS_SORTED_SINCE KVB_RELEASE(0, 8, 5) // get_kwargs; before, in the order in which they are written
#define TOOLS_ARE_CHOICE_UNTIL KVB_RELEASE(0, 6, 3)
#define REASONING_IS_CHOICE_SINCE KVB_RELEASE(0, 8, 0) // of argparse's, until plugins had to be known first
#define REASONING_IS_CHOICE_UNTIL KVB_RELEASE(0, 11, 1)
#define LOADERS_LISTED_SINCE KVB_RELEASE(0, 10, 1) // model_loader/__init__.py get_model_loader
#define PARSERS_SINCE KVB_RELEASE(0, 10, 2)
#define FORMATS_LISTED_UNTIL KVB_RELEASE(0, 10, 0)
#define MAMBA_SINCE KVB_RELEASE(0, 20, 0)
#define MAMBA_CPU_SINCE KVB_RELEASE(0, 27, 0)
#define NAMES_SINCE KVB_RELEASE(0, 9, 1)
#define VERSION_READ_SINCE KVB_RELEASE(0, 11, 1)
#define REASONING_SWITCH_UNTIL KVB_RELEASE(0, 9, 0) // --enable-reasoning

static void add(char out[OPTIONAL_CAPACITY], const char *text, size_t size)
{
    kvb_append(out, OPTIONAL_CAPACITY, text, size);
}

static void add_text(char out[OPTIONAL_CAPACITY], const char *text)
{
    add(out, text, strlen(text));
}

// Lower case, and underscores for dashes: flags whose own reader makes that of a word.
static bool is_read_loosely(const char *flag)
{
    return strcmp(flag, "moe-backend") == 0 || strcmp(flag, "linear-backend") == 0;
}

// Backends of attention are looked up by their names in capitals.
static bool names_backend(const char *flag)
{
    return strcmp(flag, "attention-backend") == 0 || strcmp(flag, ENCODER_BACKEND) == 0;
}

static bool is_of_any_case(const char *flag, uint32_t release)
{
    bool format = strcmp(flag, "load-format") == 0 && release >= LOADERS_LISTED_SINCE; // LoadConfig makes it lower case
    return format || names_backend(flag);
}

static char folded(char letter)
{
    return letter == '-' ? '_' : kvb_lower(letter);
}

static bool is_word(const struct kvb_known_choice *row, const char *value, size_t size, uint32_t release)
{
    // a None that argparse lists is text, and what is given as one is not
    if (strlen(row->word) != size || strcmp(row->word, "None") == 0) {
        return false;
    }
    bool loose = is_read_loosely(row->flag), any_case = is_of_any_case(row->flag, release);
    for (size_t i = 0; i < size; i++) {
        if (value[i] != row->word[i] && !(loose && folded(value[i]) == row->word[i]) &&
            !(any_case && kvb_lower(value[i]) == kvb_lower(row->word[i]))) {
            return false;
        }
    }
    return true;
}

static bool is_listed(const struct kvb_known_choice *first, const char *value, size_t size, uint32_t release)
{
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, release)) {
        if (is_word(row, value, size, release)) {
            return true;
        }
    }
    return false;
}

// " (choose from auto, fp8)"; nothing where it would be cut.
static void add_list(char out[OPTIONAL_CAPACITY], const struct kvb_known_choice *first, uint32_t release)
{
    size_t needed = strlen(" (choose from )") - strlen(", "), used = strlen(out);
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, release)) {
        needed += strlen(", ") + strlen(row->word);
    }
    if (release < LISTS_SORTED_SINCE || used + needed >= OPTIONAL_CAPACITY) {
        return;
    }
    add_text(out, " (choose from ");
    bool none = false; // stands last
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, release)) {
        bool word = strcmp(row->word, "None") != 0;
        none |= !word;
        add_text(out, !word || out[strlen(out) - 1] == ' ' ? "" : ", ");
        add_text(out, word ? row->word : "");
    }
    add_text(out, none ? ", None)" : ")");
}

// Parsers are looked up by the server itself once plugins are read; a plugin may bring any name.
static const char *parser_sentence(const struct kvb_deployment *deployment, const char *flag, uint32_t release,
                                   bool *asked)
{
    bool reasoning = strcmp(flag, "reasoning-parser") == 0;
    *asked = true;
    if (reasoning && release >= REASONING_IS_CHOICE_SINCE && release < REASONING_IS_CHOICE_UNTIL) {
        return NULL;
    }
    if (!reasoning && (strcmp(flag, "tool-call-parser") != 0 || release < TOOLS_ARE_CHOICE_UNTIL)) {
        return NULL;
    }
    const char *on = !reasoning ? "enable-auto-tool-choice" : "enable-reasoning";
    bool needs = !reasoning || release < REASONING_SWITCH_UNTIL;
    const char *plugin = reasoning ? "reasoning-parser-plugin" : "tool-parser-plugin";
    *asked = (!needs || kvb_vllm_said(deployment, on, release) != NULL) &&
             kvb_vllm_said(deployment, plugin, release) == NULL;
    return reasoning ? "invalid reasoning parser: " : "invalid tool call parser: ";
}

// create_load_config: bitsandbytes as the method is the format too, whatever is said of that.
static bool is_given_as(const struct kvb_deployment *deployment, const char *flag, const char *word, uint32_t release)
{
    const char *said = kvb_vllm_said(deployment, flag, release);
    return said != NULL && strcspn(said, "\n") == strlen(word) && kvb_starts_with(said, word);
}

static bool judge_value(const struct kvb_deployment *deployment, const struct kvb_known_choice *first,
                        const char *value, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    size_t size = strcspn(value, "\n");
    bool asked;
    const char *sentence = parser_sentence(deployment, first->flag, release, &asked);
    bool loads = strcmp(first->flag, "load-format") == 0 && release >= LOADERS_LISTED_SINCE;
    bool brought = loads && size == 4 && strncmp(value, "gguf", size) == 0;                // by a plugin, from 0.24.0
    bool none = names_backend(first->flag) && size == 4 && strncmp(value, "None", 4) == 0; // optional_type()
    bool replaced = loads && is_given_as(deployment, "quantization", "bitsandbytes", release);
    bool looked_up = sentence != NULL || names_backend(first->flag); // of these an empty word is none
    bool said = size > 0 || (!looked_up && (value[-1] == '=' || value[-1] == ' '));
    if (!asked || !said || none || brought || replaced || is_listed(first, value, size, release)) {
        return false;
    }
    out[0] = '\0';
    if (names_backend(first->flag)) {
        add_text(out, "Unknown attention backend: '");
        add(out, value, size);
        add_text(out, "'.");
        return true;
    }
    if (loads) {
        add_text(out, "Load format `");
        add(out, value, size);
        add_text(out, "` is not supported");
        return true;
    }
    if (sentence != NULL) {
        add_text(out, sentence);
        add(out, value, size);
        return true;
    }
    add_text(out, "argument --");
    add_text(out, first->flag);
    add_text(out, ": invalid choice: '");
    add(out, value, size);
    add_text(out, "'");
    add_list(out, first, release);
    return true;
}

// Words that code compares and argparse does not list, or lists in some releases only.
// Source: vllm/transformers_utils/config.py get_config_parser, from v0.10.2; an enum before, which argparse lists up to
// v0.9.2. vllm/config/mamba.py MambaBackendEnum, v0.20.0 to v0.28.0, looked up in capitals.
static const struct {
    uint32_t since, gone; // 0 = no end
    const char *flag;
    bool any_case;
    const char *opening, *closing;
    const char *words[5];
} compared[] = {
    {0,
     FORMATS_LISTED_UNTIL,
     "config-format",
     false,
     "argument --config-format: invalid choice: '",
     "' (choose from 'auto', 'hf', 'mistral')",
     {"auto", "hf", "mistral", ""}},
    {FORMATS_LISTED_UNTIL,
     PARSERS_SINCE,
     "config-format",
     false,
     "'",
     "' is not a valid ConfigFormat",
     {"auto", "hf", "mistral", ""}},
    {PARSERS_SINCE, 0, "config-format", false, "Unknown config format `", "`.", {"auto", "hf", "mistral", ""}},
    {MAMBA_SINCE,
     MAMBA_CPU_SINCE,
     "mamba-backend",
     true,
     "Unknown Mamba SSU backend: '",
     "'. Valid options are: TRITON, FLASHINFER",
     {"triton", "flashinfer"}},
    {MAMBA_CPU_SINCE,
     0,
     "mamba-backend",
     true,
     "Unknown Mamba SSU backend: '",
     "'. Valid options are: TRITON, FLASHINFER, CPU",
     {"triton", "flashinfer", "cpu"}},
};

static bool judge_compared(const struct kvb_known_flag *flag, const char *value, uint32_t release,
                           char out[OPTIONAL_CAPACITY])
{
    char word[64] = "";
    kvb_append(word, sizeof word, value, strcspn(value, "\n"));
    for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
        bool covers = release >= compared[i].since && (compared[i].gone == 0 || release < compared[i].gone);
        bool known = !covers || strcmp(compared[i].flag, flag->name) != 0;
        for (const char *const *at = compared[i].words; *at != NULL; at++) {
            known |= compared[i].any_case ? kvb_equal_ignoring_case(*at, word) : strcmp(*at, word) == 0;
        }
        if (!known) {
            (void)kvb_copy(out, OPTIONAL_CAPACITY, compared[i].opening);
            add_text(out, word);
            add_text(out, compared[i].closing);
            return true;
        }
    }
    return false;
}

// Once pydantic reads them: a name that is empty is None to optional_type(), and no text.
static bool judge_name(const struct kvb_known_flag *flag, const char *value, uint32_t release,
                       char out[OPTIONAL_CAPACITY])
{
    bool empty = strcspn(value, "\n") == 0 && (value[-1] == ' ' || value[-1] == '=');
    if (!empty || release < NAMES_SINCE || strcmp(flag->name, "served-model-name") != 0) {
        return false;
    }
    (void)kvb_copy(out, OPTIONAL_CAPACITY,
                   "2 validation errors for ModelConfig, served_model_name.str: Input should be a valid string");
    return true;
}

// What packaging.version reads: numbers with dots, then nothing or what stands before or behind a release.
// Source: vllm/config/observability.py, from v0.11.1.
static bool judge_version(const struct kvb_known_flag *flag, const char *value, uint32_t release,
                          char out[OPTIONAL_CAPACITY])
{
    size_t size = strcspn(value, "\n"), at = size > 0 && kvb_lower(value[0]) == 'v' ? 1 : 0;
    size_t digits = strspn(value + at, "0123456789.");
    bool numbers = kvb_is_digit(value[at]) && value[at + digits - 1] != '.';
    bool rest = at + digits < size && strchr("abcdprABCDPR+-_!", value[at + digits]) != NULL;
    if (size == 0 || release < VERSION_READ_SINCE || strcmp(flag->name, "show-hidden-metrics-for-version") != 0 ||
        (numbers && (rest || at + digits == size))) {
        return false;
    }
    (void)kvb_copy(out, OPTIONAL_CAPACITY,
                   "1 validation error for ObservabilityConfig, show_hidden_metrics_for_version: Invalid version: '");
    add(out, value, size);
    add_text(out, "'");
    return true;
}

bool kvb_vllm_judge_value(const struct kvb_deployment *deployment, const char *line, const struct kvb_engine *engine,
                          char out[OPTIONAL_CAPACITY])
{
    uint32_t release = engine->release;
    if (!kvb_vllm_is_release(engine)) {
        return false;
    }
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, release, &value);
    bool read = flag != NULL && strcmp(flag->name, ENCODER_BACKEND) != 0;
    const struct kvb_known_choice *first = read ? kvb_choices_of(flag->name, release) : NULL;
    if (flag != NULL && (judge_compared(flag, value, release, out) || judge_name(flag, value, release, out) ||
                         judge_version(flag, value, release, out))) {
        return true;
    }
    return first != NULL && judge_value(deployment, first, value, release, out);
}

void kvb_vllm_judge_encoder(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    uint32_t release = plan->engine.release;
    const struct kvb_known_choice *first = kvb_choices_of(ENCODER_BACKEND, release);
    const char *value = first != NULL ? kvb_vllm_said(deployment, ENCODER_BACKEND, release) : NULL;
    if (value != NULL && kvb_vllm_is_release(&plan->engine) && kvb_model_is_multimodal(&plan->model) &&
        plan->command_error[0] == '\0') {
        (void)judge_value(deployment, first, value, release, plan->command_error);
    }
}
