// Values of a serve line that a release lists and no other: words of argparse's choices, names of parsers of tool calls
// and of reasoning. The lists are made from the releases (generated/choices.c).
#include "base/text.h"
#include "engines/vllm/serve.h"

#include <string.h>

#include "engines/vllm/release_tables.h"

#define OPTIONAL_CAPACITY 256
#define LISTS_SORTED_SINCE KVB_RELEASE(0, 8, 5) // get_kwargs; before, in the order in which they are written
#define TOOLS_ARE_CHOICE_UNTIL KVB_RELEASE(0, 6, 3)
#define REASONING_IS_CHOICE_SINCE KVB_RELEASE(0, 8, 0) // of argparse's, until plugins had to be known first
#define REASONING_IS_CHOICE_UNTIL KVB_RELEASE(0, 11, 1)
#define LOADERS_LISTED_SINCE KVB_RELEASE(0, 10, 1) // model_loader/__init__.py get_model_loader
#define PARSERS_SINCE KVB_RELEASE(0, 10, 2)
#define FORMATS_LISTED_UNTIL KVB_RELEASE(0, 10, 0)
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
    return strcmp(flag, "attention-backend") == 0 || strcmp(flag, "mm-encoder-attn-backend") == 0;
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
    if (strlen(row->word) != size) {
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
    for (const struct kvb_known_choice *row = first; row != NULL; row = kvb_choice_after(row, release)) {
        add_text(out, row == first ? "" : ", ");
        add_text(out, row->word);
    }
    add_text(out, ")");
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
    bool brought = loads && size == 4 && strncmp(value, "gguf", size) == 0; // by a plugin, from 0.24.0
    bool replaced = loads && is_given_as(deployment, "quantization", "bitsandbytes", release);
    if (!asked || size == 0 || brought || replaced || is_listed(first, value, size, release)) {
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

// Source: vllm/transformers_utils/config.py get_config_parser, from v0.10.2; an enum before, which argparse lists up to
// v0.9.2.
static bool judge_format(const struct kvb_known_flag *flag, const char *value, uint32_t release,
                         char out[OPTIONAL_CAPACITY])
{
    static const char *const words[] = {"auto", "hf", "mistral", ""};
    size_t size = strcspn(value, "\n");
    bool known = strcmp(flag->name, "config-format") != 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        known |= strlen(words[i]) == size && strncmp(words[i], value, size) == 0;
    }
    if (known) {
        return false;
    }
    bool parsed = release >= PARSERS_SINCE, listed = release < FORMATS_LISTED_UNTIL;
    out[0] = '\0';
    add_text(out, parsed ? "Unknown config format `" : listed ? "argument --config-format: invalid choice: '" : "'");
    add(out, value, size);
    add_text(out, parsed ? "`." : listed ? "' (choose from 'auto', 'hf', 'mistral')" : "' is not a valid ConfigFormat");
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
    const struct kvb_known_choice *first = flag != NULL ? kvb_choices_of(flag->name, release) : NULL;
    if (flag != NULL && judge_format(flag, value, release, out)) {
        return true;
    }
    return first != NULL && judge_value(deployment, first, value, release, out);
}
