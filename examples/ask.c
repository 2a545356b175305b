// Prints the document that answers a request in JSON:  ask '{"model": "Qwen/Qwen3-8B", "gpu": "l4"}'
#include <stdio.h>

#include <kvbudget/ask.h>

int main(int count, char **words)
{
    char *document = kvb_ask(count == 2 ? words[1] : "{}");
    if (document == NULL) {
        return 3;
    }
    fputs(document, stdout);
    kvb_ask_free(document);
    return 0;
}
