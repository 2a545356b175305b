// What stands before a message or a command on its line.
#include <string.h>

#include "logs/forms.h"
#include "logs/line_text.h"

// A time, a level, a stream, a name of a logger: what stands before a message without a bracket.
static bool is_prefix_word(const char *word, size_t length)
{
    static const char *const words[] = {"ERROR", "INFO", "CRITICAL", "FATAL", "stderr", "stdout", "F", "P", "E"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i]);
        bool bare = length == size || (length > size && word[length - size - 1] == '/');
        if (bare && kvb_ends_with_n(word, length, words[i])) {
            return true;
        }
    }
    bool digits = false;
    bool colon = false;
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '"') { // a key of JSON and what its string begins with
            return false;
        }
        digits |= kvb_is_digit(word[i]);
        colon |= word[i] == ':' || word[i] == 'T';
    }
    return digits && colon;
}

// "vllm/vllm/0a1b2c3d4e5f", the stream that `aws logs tail` writes before a line: it ends in the task's number.
static bool is_stream(const char *word, size_t length)
{
    size_t from = length;
    while (from > 0 && strchr("0123456789abcdef", word[from - 1]) != NULL) {
        from--;
    }
    return length - from >= 8 && from > 1 && word[from - 1] == '/';
}

// "3:" of srun --label: the number of the task.
static bool is_label(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && kvb_is_digit(text[at])) {
        at++;
    }
    return length > 0 && at == length;
}

bool kvb_form_begins_message(const char *record, size_t at)
{
    size_t start = kvb_line_start(record, at);
    size_t to = at;
    while (to > start && (record[to - 1] == ' ' || record[to - 1] == '\t')) {
        to--;
    }
    if (to == start) {
        return true;
    }
    bool warns = kvb_has_word(record + start, to - start, "WARN") || kvb_has_word(record + start, to - start, "DEBUG");
    if (warns) {
        return false;
    }
    char last = record[to - 1];
    if (strchr("])|>`\"'*-", last) != NULL || (unsigned char)last >= 0x80) {
        return true;
    }
    if (last == ':') {
        return is_label(record + start, to - start - 1) || kvb_ends_with_n(record + start, to - start, "]:") ||
               kvb_ends_with_n(record + start, to - start, "ERROR:") ||
               kvb_ends_with_n(record + start, to - start, "has terminated:");
    }
    size_t from = to;
    while (from > start && record[from - 1] != ' ' && record[from - 1] != '\t') {
        from--;
    }
    return is_prefix_word(record + from, to - from) || is_stream(record + from, to - from);
}

bool kvb_form_begins_command(const char *record, size_t at)
{
    static const char *const before[] = {"exec",  "nohup",    "sudo", "time",       "-c",
                                         "args:", "command:", "cmd:", "ENTRYPOINT", "-m"};
    size_t start = kvb_line_start(record, at);
    size_t to = at;
    while (to > start && (record[to - 1] == ' ' || record[to - 1] == '\t')) {
        to--;
    }
    size_t from = to;
    while (from > start && record[from - 1] != ' ' && record[from - 1] != '\t') {
        from--;
    }
    if (to == start || strchr("$#%>`\"'[+:;&|(", record[to - 1]) != NULL) {
        return true;
    }
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        if (to - from == strlen(before[i]) && memcmp(record + from, before[i], to - from) == 0) {
            return true;
        }
    }
    return memchr(record + from, '=', to - from) != NULL; // NAME=VALUE vllm serve
}
