// Flags of `ollama run`, by release, as cobra reads them; `ollama serve` has none. Source: cmd/cmd.go and
// x/imagegen/cli.go of ollama at each tag from v0.2.0 on; spf13/pflag v1.0.5 (flag.go, bool.go, int.go).
#include <string.h>

#include "base/text.h"
#include "engines/llamacpp/flags.h"

#define JUDGED 256
#define SHOWN 60 // of a word in it
#define R(minor, patch) KVB_RELEASE(0, minor, patch)

struct word {
    const char *at;
    size_t size;
};

struct flag {
    const char *name;
    uint32_t since, until; // the first release with it, 0: all before; the first without, 0: none
    char kind;             // 'b' a truth, 'i' a number, 's' a text, 't' a text or nothing
};

static const struct flag flags[] = {
    {"format", 0, 0, 's'},
    {"insecure", 0, 0, 'b'},
    {"keepalive", 0, 0, 's'},
    {"nowordwrap", 0, 0, 'b'},
    {"verbose", 0, 0, 'b'},
    {"hidethinking", R(9, 0), 0, 'b'},
    {"think", R(9, 0), R(11, 0), 'b'},
    {"think", R(11, 0), 0, 't'},
    {"dimensions", R(12, 10), 0, 'i'},
    {"truncate", R(12, 10), 0, 'b'},
    {"experimental", R(14, 0), R(31, 2), 'b'},
    {"experimental-websearch", R(14, 0), R(31, 2), 'b'},
    {"experimental-yolo", R(14, 0), R(31, 2), 'b'},
    {"height", R(14, 0), R(32, 6), 'i'},
    {"negative", R(14, 0), R(32, 6), 's'},
    {"seed", R(14, 0), R(32, 6), 'i'},
    {"steps", R(14, 0), R(32, 6), 'i'},
    {"width", R(14, 0), R(32, 6), 'i'},
    {"imagegen", R(16, 2), R(32, 6), 'b'},
    {"help", 0, 0, 'b'},
};

static bool is_word(struct word word, const char *text)
{
    return strlen(text) == word.size && strncmp(word.at, text, word.size) == 0;
}

static void say(char out[JUDGED], const char *text)
{
    kvb_add_text(out, JUDGED, text);
}

static void say_word(char out[JUDGED], struct word word)
{
    kvb_append(out, JUDGED, word.at, word.size < SHOWN ? word.size : SHOWN);
}

// Release 0: any.
static const struct flag *flag_of(struct word name, uint32_t release)
{
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        bool then = release == 0 || (release >= flags[i].since && (flags[i].until == 0 || release < flags[i].until));
        if (then && is_word(name, flags[i].name)) {
            return &flags[i];
        }
    }
    return NULL;
}

static bool takes(const struct flag *flag, struct word value)
{
    static const char *const truths[] = {"1", "t", "T", "TRUE",  "true",  "True",
                                         "0", "f", "F", "FALSE", "false", "False"};
    if (flag->kind == 'i') {
        size_t sign = value.size > 0 && (value.at[0] == '-' || value.at[0] == '+') ? 1 : 0;
        return value.size > sign && strspn(value.at + sign, "0123456789abcdefABCDEFxXoO_") >= value.size - sign;
    }
    for (size_t i = 0; flag->kind == 'b' && i < sizeof truths / sizeof truths[0]; i++) {
        if (is_word(value, truths[i])) {
            return true;
        }
    }
    return flag->kind != 'b';
}

static void say_value(const struct flag *flag, struct word value, char out[JUDGED])
{
    say(out, "invalid argument \"");
    say_word(out, value);
    say(out, "\" for \"--");
    say(out, flag->name);
    say(out, flag->kind == 'b' ? "\" flag: strconv.ParseBool: parsing \"" : "\" flag: strconv.ParseInt: parsing \"");
    say_word(out, value);
    say(out, "\": invalid syntax");
}

static void say_unknown(struct word typed, bool served, char out[JUDGED])
{
    struct word name = {typed.at + 2, typed.size - 2};
    const struct flag *any = served ? NULL : flag_of(name, 0);
    char release[32];
    say(out, "unknown flag: ");
    say_word(out, typed);
    if (any != NULL) { // of another release
        say(out, "; from ");
        say(out, kvb_release_format(release, any->since));
        say(out, any->until != 0 ? " to before " : " on it is one");
        say(out, any->until != 0 ? kvb_release_format(release, any->until) : "");
        say(out, any->until != 0 ? " it is one" : "");
    }
}

bool kvb_ollama_refuses(const char *line, uint32_t release, bool served, char out[JUDGED])
{
    struct word typed = {line, strcspn(line, " =\n")};
    struct word value = {line + typed.size + (line[typed.size] == '=' || line[typed.size] == ' ' ? 1 : 0), 0};
    value.size = strcspn(value.at, "\n");
    bool is_long = typed.size > 2 && typed.at[1] == '-', help = is_word(typed, "-h");
    bool reader = is_word(typed, "--parameter"); // a Modelfile's, as it is read here
    if (typed.size < 2 || is_word(typed, "--") || help || reader) {
        return false;
    }
    if (!is_long) {
        say(out, "unknown shorthand flag: '");
        say_word(out, (struct word){typed.at + 1, 1});
        say(out, "' in ");
        say_word(out, typed);
        return true;
    }
    struct word name = {typed.at + 2, typed.size - 2};
    const struct flag *flag = served && !is_word(name, "help") ? NULL : flag_of(name, release);
    if (flag == NULL) {
        say_unknown(typed, served, out);
        return true;
    }
    bool said = line[typed.size] == '=' || (line[typed.size] == ' ' && flag->kind == 'i');
    if (!said || memchr(value.at, '$', value.size) != NULL || takes(flag, value)) {
        return false;
    }
    say_value(flag, value, out);
    return true;
}

bool kvb_ollama_takes_value(const char *word)
{
    struct word name = {word + 2, strcspn(word + 2, "=")};
    const struct flag *flag = strncmp(word, "--", 2) == 0 ? flag_of(name, 0) : NULL;
    return flag == NULL || flag->kind == 'i' || flag->kind == 's';
}
