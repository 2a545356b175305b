// if TEST; then: where the test is known, arms that are not taken are passed over.
#include <fnmatch.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "manifest/engines.h"
#include "manifest/shell.h"

static bool is_word(const struct kvb_words *words, uint32_t index, const char *text)
{
    return index < words->count && strcmp(words->items[index].text, text) == 0;
}

// Behind the words that may stand before a command.
static uint32_t first_word(const struct kvb_words *words)
{
    static const char *const before[] = {"then", "else", "do", "{"};
    uint32_t at = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
            more = more || is_word(words, at, before[i]);
        }
        at += more;
    }
    return at;
}

// ---- the test

enum truth { UNKNOWN, NO, YES };

static enum truth truth_of(bool holds)
{
    return holds ? YES : NO;
}

static enum truth compare_numbers(const char *left, const char *operation, const char *right)
{
    static const char *const operations[] = {"-eq", "-ne", "-gt", "-lt", "-ge", "-le"};
    uint64_t a, b;
    size_t index = 0;
    while (index < 6 && strcmp(operation, operations[index]) != 0) {
        index++;
    }
    if (index == 6 || !kvb_parse_whole(left, &a) || !kvb_parse_whole(right, &b)) {
        return UNKNOWN;
    }
    const bool holds[] = {a == b, a != b, a > b, a < b, a >= b, a <= b};
    return truth_of(holds[index]);
}

static enum truth compare(const struct kvb_words *words, uint32_t at, bool patterns)
{
    const char *left = words->items[at].text, *operation = words->items[at + 1].text;
    const char *right = words->items[at + 2].text;
    bool differs = strcmp(operation, "!=") == 0;
    if (differs || strcmp(operation, "=") == 0 || strcmp(operation, "==") == 0) {
        bool same = patterns ? fnmatch(right, left, 0) == 0 : strcmp(right, left) == 0;
        return truth_of(same != differs);
    }
    return compare_numbers(left, operation, right);
}

// The words between the brackets; in [[ ]] a variable that is empty stays a word.
static enum truth truth_between(const struct kvb_words *words, uint32_t at, uint32_t end, bool patterns)
{
    uint32_t count = end - at;
    bool empty = is_word(words, at, "-z"), filled = is_word(words, at, "-n");
    if (count > 0 && is_word(words, at, "!")) {
        enum truth inner = truth_between(words, at + 1, end, patterns);
        return inner == UNKNOWN ? UNKNOWN : truth_of(inner == NO);
    }
    if (count == 1 && (empty || filled)) {
        return truth_of(empty || !patterns);
    }
    if (count == 1) {
        return truth_of(words->items[at].text[0] != '\0');
    }
    if (count == 2 && (empty || filled)) {
        return truth_of((words->items[at + 1].text[0] == '\0') == empty);
    }
    return count == 3 ? compare(words, at, patterns) : UNKNOWN;
}

// A test alone, which nothing joins to another.
static enum truth truth_of_test(const struct shell *shell, const struct kvb_words *words, uint32_t at)
{
    bool single = is_word(words, at, "["), twice = is_word(words, at, "[[");
    uint32_t last = words->count - 1;
    bool closed = (single && is_word(words, last, "]")) || (twice && is_word(words, last, "]]"));
    bool alone = (shell->ended_by == ';' || shell->ended_by == '\n') && *shell->at != '&';
    for (const char *c = shell->command; c < shell->at && alone; c++) {
        alone = *c != '<' && *c != '>' && *c != '`';
    }
    if (!closed || !alone || last <= at || !kvb_shell_is_settled(shell, words)) {
        return UNKNOWN;
    }
    return truth_between(words, at + 1, last, twice);
}

// ---- the arms

// Moves to the next `elif`, `else` or `fi` of this `if`, or with `whole` to its `fi`.
static void skip(struct shell *shell, bool whole)
{
    unsigned inner = 0;
    bool more = true, ended = false;
    size_t cursor = shell->cursor;
    shell->skipping = true;
    while (more && !ended && !shell->manifest->out_of_memory) {
        struct kvb_words words = {0};
        cursor = shell->cursor;
        more = kvb_shell_read_command(shell, &words);
        bool end = is_word(&words, 0, "fi"), next = is_word(&words, 0, "else") || is_word(&words, 0, "elif");
        ended = inner == 0 && (end || (next && !whole));
        inner -= end && inner > 0;
        inner += is_word(&words, first_word(&words), "if");
    }
    shell->skipping = false;
    if (ended) { // it is read next
        shell->at = shell->command;
        shell->cursor = cursor;
    }
}

// As above, but what starts a server of its own is read.
static bool pass_over(struct shell *shell, bool whole)
{
    const struct shell before = *shell;
    skip(shell, whole);
    const char *arm = kvb_manifest_copy(shell->manifest, before.at, (size_t)(shell->at - before.at));
    if (kvb_text_starts_engine(arm)) {
        shell->at = before.at;
        shell->cursor = before.cursor;
        return false;
    }
    return true;
}

static enum kvb_arm *innermost(struct shell *shell)
{
    return shell->depth > 0 && shell->depth <= KVB_SHELL_IFS_MAX ? &shell->ifs[shell->depth - 1] : NULL;
}

static void enter_arm(struct shell *shell, enum truth truth)
{
    enum kvb_arm *arm = innermost(shell);
    bool passed = truth == NO && arm != NULL && pass_over(shell, false);
    if (arm != NULL) {
        *arm = passed ? KVB_ARM_NONE : truth == YES ? KVB_ARM_TAKEN : KVB_ARM_ANY;
    }
}

void kvb_shell_leave_if(struct shell *shell)
{
    enum kvb_arm *arm = innermost(shell);
    const char *at = shell->at + strspn(shell->at, " \t\r\n;");
    bool next = kvb_starts_with(at, "elif") || (kvb_starts_with(at, "else") && kvb_shell_ends_word(shell, at[4]));
    if (arm != NULL && *arm == KVB_ARM_TAKEN && next && !pass_over(shell, true)) {
        *arm = KVB_ARM_ANY;
    }
}

void kvb_shell_take_if(struct shell *shell, const struct kvb_words *words)
{
    uint32_t at = first_word(words);
    enum kvb_arm *arm = innermost(shell);
    if (is_word(words, 0, "fi")) {
        shell->depth -= shell->depth > 0;
    } else if (is_word(words, 0, "elif") && arm != NULL && *arm == KVB_ARM_NONE) {
        enter_arm(shell, truth_of_test(shell, words, 1));
    } else if (is_word(words, 0, "else") && arm != NULL && *arm == KVB_ARM_NONE) {
        *arm = KVB_ARM_TAKEN;
    }
    if (is_word(words, at, "if")) {
        shell->depth++;
        enter_arm(shell, shell->depth <= KVB_SHELL_IFS_MAX ? truth_of_test(shell, words, at + 1) : UNKNOWN);
    }
}
