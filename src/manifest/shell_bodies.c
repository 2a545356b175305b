// Here-documents: a message is passed over, a script or a document for another program is read.
#include "manifest/shell.h"

#include <string.h>

#include "manifest/anywhere.h"
#include "manifest/engines.h"

#define BODY_DEPTH_MAX 3 // of here-documents inside here-documents

void kvb_shell_open_body(struct shell *shell)
{
    shell->at += 2;
    shell->at += *shell->at == '-';
    shell->at += strspn(shell->at, " \t");
    shell->at += *shell->at == '\'' || *shell->at == '"';
    size_t length = strcspn(shell->at, " \t\r\n'\";&|()<>");
    if (length > 0 && length < sizeof shell->delimiter) {
        memcpy(shell->delimiter, shell->at, length);
        shell->delimiter[length] = '\0';
    }
    shell->at += length;
    shell->at += *shell->at == '\'' || *shell->at == '"';
}

// A here-document that becomes a script, or that another program is given, is read as one.
static void read_body(struct shell *shell, const char *begin, const char *end)
{
    struct kvb_manifest *manifest = shell->manifest;
    if (!shell->body_counts || shell->skipping || shell->like == NULL || shell->like->depth >= BODY_DEPTH_MAX) {
        return;
    }
    struct kvb_container like = *shell->like;
    const char *body = kvb_manifest_copy(manifest, begin, (size_t)(end - begin));
    like.variables = shell->variables;
    like.depth++;
    like.offset = KVB_NOWHERE;
    if (strstr(body, "apiVersion:") != NULL || strstr(body, "services:") != NULL) {
        shell->status = kvb_read_document_text(manifest, body, (size_t)(begin - shell->text), &like);
    } else if (kvb_text_starts_engine(body)) {
        shell->status = kvb_shell_read(manifest, body, (size_t)(begin - shell->text), &like);
    }
}

// `cat <<END` alone says something; into a file or a program it is more.
static bool body_counts(const struct kvb_words *words, bool writes_file)
{
    static const char *const takers[] = {"bash", "sh",     "ssh",  "kubectl", "oc",   "docker",
                                         "tee",  "sbatch", "sudo", "srun",    "helm", "k"};
    const char *first = words->count > 0 ? words->items[0].text : "";
    bool takes = false;
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        takes = takes || strcmp(first, takers[i]) == 0;
    }
    return takes || writes_file;
}

// At a line's start: moves behind the line that is only the delimiter.
void kvb_shell_read_body(struct shell *shell, const struct kvb_words *words)
{
    shell->body_counts = body_counts(words, shell->writes_file);
    const char *begin = shell->at, *last = begin;
    size_t length = strlen(shell->delimiter);
    while (*shell->at != '\0') {
        const char *line = shell->at + strspn(shell->at, "\t ");
        bool ends = strncmp(line, shell->delimiter, length) == 0 && strchr("\r\n", line[length]) != NULL;
        last = shell->at;
        shell->at += strcspn(shell->at, "\n");
        shell->at += *shell->at == '\n';
        if (ends) {
            break;
        }
        last = shell->at;
    }
    read_body(shell, begin, last);
    shell->delimiter[0] = '\0';
}
