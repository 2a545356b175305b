// case WORD in: where the word is known, one arm is read and the others are passed over.
#include <fnmatch.h>
#include <string.h>

#include "base/text.h"
#include "manifest/shell.h"

#define CASES_MAX 64
#define NAMES_MAX 16 // of variables in one word

static bool is_word(const struct kvb_words *words, uint32_t index, const char *text)
{
    return strcmp(kvb_word_at(words, index), text) == 0;
}

bool kvb_shell_is_case(const struct kvb_words *words)
{
    static const char *const before[] = {"then", "do", "else", "{", "!"};
    uint32_t count = words->count;
    bool begins = count == 3;
    for (size_t i = 0; i < sizeof before / sizeof before[0] && count > 3; i++) {
        begins = begins || is_word(words, count - 4, before[i]);
    }
    return begins && is_word(words, count - 3, "case") && is_word(words, count - 1, "in");
}

// A name that a loop or several assignments gave its value has others, too.
static bool has_one_value(const struct shell *shell, const char *name, size_t length)
{
    unsigned values = 0;
    for (const struct kvb_variable *at = shell->variables; at != NULL; at = at->older) {
        bool same = strncmp(at->name, name, length) == 0 && at->name[length] == '\0';
        values += same ? 1 + at->loop : 0;
    }
    return values <= 1;
}

bool kvb_shell_is_settled(const struct shell *shell, const struct kvb_words *words)
{
    bool settled = true;
    unsigned names = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        settled = settled && words->items[i].unknown == NULL;
    }
    for (const char *at = shell->command; at < shell->at && settled; at++) {
        const char *name = at + 1 + (at[1] == '{');
        bool argument = *name >= '0' && *name <= '9'; // of a function, which is called with several
        settled = *at != '$' || (!argument && names++ < NAMES_MAX &&
                                 has_one_value(shell, name, strspn(name, KVB_SHELL_NAME_CHARACTERS)));
    }
    return settled;
}

// At a pattern's start: moves behind the ')' of the list; 1 when one of them fits, 0 when none does, -1 when that is
// not known.
static int read_patterns(struct shell *shell, const char *subject)
{
    int fits = 0;
    shell->at += *shell->at == '(';
    while (*shell->at != '\0' && *shell->at != ')') {
        struct kvb_words words = {0};
        if (strchr(" \t\r\n|", *shell->at) != NULL) {
            shell->at++;
            continue;
        }
        if (kvb_shell_ends_word(shell, *shell->at)) {
            return -1;
        }
        kvb_shell_read_word(shell, &words);
        for (uint32_t i = 0; i < words.count && fits >= 0; i++) {
            bool same = fnmatch(words.items[i].text, subject, 0) == 0;
            fits = words.items[i].unknown != NULL ? -1 : fits > 0 || same;
        }
    }
    shell->at += *shell->at == ')';
    return fits;
}

static bool at_arm_end(const struct shell *shell)
{
    return shell->ended_by == ';' && *shell->at == ';';
}

// Moves behind the end of the arm, or of the whole case; true: the case has ended.
static bool skip(struct shell *shell, bool whole)
{
    unsigned inner = 0;
    bool more = true, ended = false;
    shell->skipping = true;
    while (more && !ended && !shell->manifest->out_of_memory) {
        struct kvb_words words = {0};
        more = kvb_shell_read_command(shell, &words);
        inner += kvb_shell_is_case(&words);
        ended = is_word(&words, 0, "esac") && inner == 0;
        inner -= is_word(&words, 0, "esac") && inner > 0;
        if (!ended && !whole && inner == 0 && at_arm_end(shell)) {
            shell->at++;
            break;
        }
    }
    shell->skipping = false;
    return ended || !more;
}

enum arms { ALL_ARMS, ONE_ARM, NO_ARM };

// Moves to the body of the first arm that fits, or behind the case.
static enum arms choose(struct shell *shell, const struct kvb_arg *subject)
{
    const char *begin = shell->at;
    do {
        shell->at += strspn(shell->at, " \t\r\n");
        if (*shell->at == '#') {
            shell->at += strcspn(shell->at, "\n");
            continue;
        }
        if (kvb_starts_with(shell->at, "esac") && kvb_shell_ends_word(shell, shell->at[4])) {
            return ONE_ARM; // none: read next, it ends the case
        }
        int fits = read_patterns(shell, subject->text);
        if (fits < 0 || *shell->at == '\0') {
            shell->at = begin;
            return ALL_ARMS;
        }
        if (fits > 0) {
            return ONE_ARM;
        }
    } while (!skip(shell, false));
    return NO_ARM;
}

static void leave(struct shell *shell)
{
    shell->chosen >>= 1;
    shell->cases--;
}

static void enter(struct shell *shell, const struct kvb_words *words)
{
    shell->chosen <<= 1;
    shell->cases++;
    enum arms arms = kvb_shell_is_settled(shell, words) ? choose(shell, &words->items[words->count - 2]) : ALL_ARMS;
    shell->chosen |= arms == ONE_ARM;
    if (arms == NO_ARM) {
        leave(shell);
    }
}

void kvb_shell_take_case(struct shell *shell, const struct kvb_words *words)
{
    if (kvb_shell_is_case(words) && shell->cases < CASES_MAX) {
        enter(shell, words);
    } else if (shell->cases > 0 && is_word(words, 0, "esac")) {
        leave(shell);
    }
    while (shell->cases > 0 && (shell->chosen & 1) != 0 && at_arm_end(shell)) {
        shell->at++;
        (void)skip(shell, true);
        leave(shell);
    }
}
