// What a build's own parser says of a line and of its variables: flags it does not have, values it does not take.
// Source: ggml-org/llama.cpp, common/arg.cpp (common_params_parse_ex) by build, before b3683 common/common.cpp and
// examples/server/server.cpp.
#include <string.h>

#include "base/text.h"
#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/known_flags.h"
#include "engines/llamacpp/serve_forms.h"
#include "engines/llamacpp/serve_values.h"

#define JUDGED KVB_LLAMA_JUDGED
#define SHOWN KVB_LLAMA_SHOWN
#define TABLE_SINCE 3683 // options are a table: b3683, common/common.cpp

struct line {
    uint32_t build;
    char program;
    uint32_t gpus;  // stated, 0: nobody says
    bool cut;       // there was no room for all of it
    const char *at; // the flag that comes next, "" behind the last
};

struct word {
    const char *at;
    size_t size;
};

static void say(char out[JUDGED], const char *text)
{
    kvb_add_text(out, JUDGED, text);
}

static void say_word(char out[JUDGED], struct word word)
{
    kvb_append(out, JUDGED, word.at, word.size < SHOWN ? word.size : SHOWN);
}

static bool is_unsaid(struct word word)
{
    return memchr(word.at, '$', word.size) != NULL || kvb_find_within(word.at, word.size, "{{") != NULL;
}

// The build that brought what is missing, the first one without it, or the program that has it.
static void say_builds(struct word flag, const struct line *line, char out[JUDGED])
{
    const struct kvb_llama_known_flag *row = kvb_llama_known_flag_beside(flag.at, flag.size, line->build);
    char build[32];
    if (row == NULL) {
        return;
    }
    if (line->build < row->since) {
        say(out, "; it came with ");
        say(out, kvb_release_format(build, KVB_BUILD(row->since)));
    } else if (row->until != 0 && line->build >= row->until) {
        say(out, "; it is gone since ");
        say(out, kvb_release_format(build, KVB_BUILD(row->until)));
    } else {
        say(out, row->program == 's' ? "; llama-server has it" : "; llama-cli has it");
    }
}

// `word.at` NULL: there is none.
static bool refuse_unknown(struct word word, const struct line *line, char out[JUDGED])
{
    if (word.at == NULL) {
        return false;
    }
    say(out, line->build >= TABLE_SINCE ? "error: invalid argument: " : "error: unknown argument: ");
    say_word(out, word);
    say_builds(word, line, out);
    return true;
}

static void begin(const char *kind, struct word name, const struct line *line, char out[JUDGED])
{
    if (line->build < TABLE_SINCE) {
        say(out, "error: invalid parameter for argument: ");
        say_word(out, name);
        return;
    }
    say(out, "error while handling ");
    say(out, kind);
    say(out, " \"");
    say_word(out, name);
    say(out, "\": ");
}

// The row's sentence with the value in it, or what the function that reads it throws.
static void say_why(const struct kvb_llama_known_flag *row, struct word value, char out[JUDGED])
{
    const char *sentence = kvb_llama_sentences[row->sentence];
    bool number = row->type == 'x' || (row->type == 'i' && !kvb_llama_is_whole_number(value.at, value.size));
    if (number || sentence[0] == '\0') {
        say(out, number             ? "stoi"
                 : row->type == 'u' ? "stoul"
                 : row->type == 'f' ? "stof"
                 : row->type == 'j' ? "parse error of JSON"
                                    : "invalid value");
        say(out, ": '");
        say_word(out, value);
        say(out, "'");
        return;
    }
    const char *percent = strchr(sentence, '%');
    size_t front = percent != NULL ? (size_t)(percent - sentence) : strlen(sentence);
    kvb_append(out, JUDGED, sentence, front);
    if (percent != NULL) {
        say_word(out, value);
        say(out, percent + 2);
    }
}

static bool refuse_value(const struct kvb_llama_known_flag *row, const char *kind, struct word name, struct word value,
                         const struct line *line, char out[JUDGED])
{
    char form[JUDGED] = "";
    if (is_unsaid(value)) {
        return false;
    }
    if (kvb_llama_takes(row, line->build, value.at, value.size)) {
        if (!kvb_llama_form_is_refused(row->name, value.at, value.size, line->gpus, form)) {
            return false;
        }
        begin(kind, name, line, out);
        say(out, form);
        return true;
    }
    begin(kind, name, line, out);
    if (line->build >= TABLE_SINCE) {
        say_why(row, value, out);
    }
    return true;
}

// A flag's own name, and the words that were read with it; the line that comes next.
static struct word next_flag(struct line *line, struct word *rest)
{
    struct word flag = {line->at, strcspn(line->at, " =\n")};
    size_t size = strcspn(line->at, "\n");
    if (line->at[flag.size] == '=') {
        flag.size = size; // one word, as nothing is cut at "="
    }
    *rest = flag.size < size ? (struct word){line->at + flag.size + 1, size - flag.size - 1} : (struct word){NULL, 0};
    line->at += size + (line->at[size] == '\n' ? 1 : 0);
    return flag;
}

// A flag without its value takes the next one for it.
static bool refuse_next(const struct kvb_llama_known_flag *row, struct word flag, struct line *line, char out[JUDGED])
{
    if (line->at[0] == '\0' && line->cut) {
        return false;
    }
    if (line->at[0] == '\0') {
        begin("argument", flag, line, out);
        say(out, line->build >= TABLE_SINCE ? "expected value for argument" : "");
        return true;
    }
    struct word rest, value = next_flag(line, &rest);
    return (row->values == '1' && refuse_value(row, "argument", flag, value, line, out)) ||
           refuse_unknown(rest, line, out);
}

// Two words; a blank inside one of them is taken for the one between them.
static bool refuse_pair(const struct kvb_llama_known_flag *row, struct word flag, struct word words,
                        const struct line *line, char out[JUDGED])
{
    size_t first = 0;
    while (first < words.size && words.at[first] != ' ') {
        first++;
    }
    if (first == words.size) {
        return false;
    }
    struct word last = {words.at + first + 1, words.size - first - 1};
    return (row->type == 'i' && refuse_value(row, "argument", flag, (struct word){words.at, first}, line, out)) ||
           refuse_value(row, "argument", flag, last, line, out);
}

static bool refuse_flag(struct line *line, char out[JUDGED])
{
    struct word rest, flag = next_flag(line, &rest);
    const struct kvb_llama_known_flag *row = kvb_llama_known_flag_of(flag.at, flag.size, line->build, line->program);
    if (row == NULL) {
        return refuse_unknown(flag, line, out);
    }
    if (row->type == 'r') {
        begin("argument", flag, line, out);
        say(out, kvb_llama_sentences[row->sentence]);
        return true;
    }
    if (row->values == '0') {
        return refuse_unknown(rest, line, out);
    }
    if (rest.at == NULL) {
        return refuse_next(row, flag, line, out);
    }
    return row->values == '1' ? refuse_value(row, "argument", flag, rest, line, out)
                              : refuse_pair(row, flag, rest, line, out);
}

static bool is_yes_or_no(struct word word)
{
    static const char *const words[] = {"on", "enabled", "true", "1", "off", "disabled", "false", "0"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == word.size && strncmp(words[i], word.at, word.size) == 0) {
            return true;
        }
    }
    return false;
}

static bool refuse_variable(struct word name, struct word value, const struct line *line, char out[JUDGED])
{
    const struct kvb_llama_known_variable *row =
        kvb_llama_known_variable_of(name.at, name.size, line->build, line->program);
    const struct kvb_llama_known_flag *flag =
        row != NULL ? kvb_llama_known_flag_of(row->flag, strlen(row->flag), line->build, line->program) : NULL;
    if (flag == NULL) {
        return false;
    }
    if (flag->type == 't' && !is_yes_or_no(value)) {
        begin("environment variable", name, line, out);
        say(out, "invalid boolean value");
        return true;
    }
    return flag->values == '1' && refuse_value(flag, "environment variable", name, value, line, out);
}

static bool refuse_variables(const char *noted, const struct line *line, char out[JUDGED])
{
    while (*noted != '\0') {
        size_t size = strcspn(noted, "\n"), length = strcspn(noted, "=");
        struct word value = {noted + length + 1, size - length - 1};
        if (refuse_variable((struct word){noted, length}, value, line, out)) {
            return true;
        }
        noted += size + 1;
    }
    return false;
}

void kvb_llama_judge(const struct kvb_deployment *deployment, const struct kvb_engine *engine, char out[JUDGED])
{
    struct line line = {.build = engine->release - KVB_BUILD(0),
                        .program = deployment->serve_module ? 'c' : 's',
                        .gpus = deployment->gpus_stated,
                        .cut = deployment->serve_flags_cut};
    out[0] = '\0';
    if (engine->assumed || refuse_variables(deployment->environment.noted, &line, out)) {
        return; // of a build that nobody knows nothing is said
    }
    line.at = deployment->serve_flags + (deployment->serve_flags[0] == '\n' ? 1 : 0);
    while (line.at[0] != '\0' && !refuse_flag(&line, out)) {
    }
    const char *repository = line.cut ? NULL : kvb_llama_repository_refusal(deployment->serve_flags, line.build);
    if (out[0] == '\0' && repository != NULL) {
        say(out, repository);
    }
}
