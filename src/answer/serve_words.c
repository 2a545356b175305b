// Words of a line to paste, quoted for a shell.
#include <string.h>

#include "answer/serve_parts.h"

bool kvb_serve_word_is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

void kvb_serve_quote(struct kvb_buffer *out, const char *word)
{
    if (kvb_serve_word_is_plain(word)) {
        kvb_buffer_add(out, word);
        return;
    }
    kvb_buffer_add(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            kvb_buffer_add(out, "'\\''");
        } else {
            kvb_buffer_add_n(out, word, 1);
        }
    }
    kvb_buffer_add(out, "'");
}

void kvb_serve_assign(struct kvb_buffer *out, const char *assignment)
{
    size_t name = strcspn(assignment, "=");
    kvb_buffer_add_n(out, assignment, name + 1);
    if (assignment[name + 1] != '\0') {
        kvb_serve_quote(out, assignment + name + 1);
    }
    kvb_buffer_add(out, " ");
}
