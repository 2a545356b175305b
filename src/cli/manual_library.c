// libkvbudget(3): how to build with it, its one call, the words of its statuses and the documents it gives.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "cli/commands.h"
#include "cli/manual.h"

#define STATUSES_MAX 256
#define NO_STATUS 9999

static void add_documents(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_manual_section(out, "DOCUMENTS");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].schema != NULL) {
            kvb_buffer_add(out, ".TP\n.B ");
            kvb_manual_text(out, rows[i].schema);
            kvb_buffer_add(out, "\n");
            kvb_manual_text(out, rows[i].summary);
            kvb_buffer_add(out, "\n");
        }
    }
}

static void add_statuses(struct kvb_buffer *out)
{
    kvb_manual_section(out, "ERRORS");
    kvb_manual_text(
        out, "Functions return an enum kvb_status, KVB_OK when all is well; problems hold file, line, column and\n"
             "text. Documents name a status by its word; the tool turns it into an exit code.\n");
    for (unsigned i = 1; i < STATUSES_MAX; i++) {
        const char *name = kvb_status_name((enum kvb_status)i);
        if (strcmp(name, kvb_status_name((enum kvb_status)NO_STATUS)) != 0) {
            kvb_buffer_add(out, ".TP\n.B ");
            kvb_manual_text(out, name);
            kvb_buffer_printf(out, "\nexit code %d\n", kvb_status_exit_code((enum kvb_status)i));
        }
    }
}

void kvb_manual_library(struct kvb_buffer *out)
{
    kvb_manual_heading(out, "libkvbudget", 3, "GPU memory budget of an LLM server as a library");
    kvb_manual_section(out, "SYNOPSIS");
    kvb_buffer_add(out, ".nf\n#include <kvbudget/ask.h>\n.sp\nchar *kvb_ask(const char *request);\n"
                        "size_t kvb_ask_into(const char *request, size_t length, char *document, size_t capacity);\n"
                        "void kvb_ask_free(char *document);\n.sp\n");
    kvb_manual_text(out, "cc program.c $(pkg-config --cflags --libs kvbudget)\n");
    kvb_buffer_add(out, ".fi\n");
    kvb_manual_section(out, "DESCRIPTION");
    kvb_manual_text(
        out,
        "kvb_ask takes a request in JSON and gives the document that the tool prints with --json; no struct\n"
        "crosses. A member \"command\" names a command (plan unless said), \"line\" a serve command, \"log\" the\n"
        "text of a log, \"deployment\" the keys of a deployment profile, \"paths\" files and folders; every other\n"
        "member is a flag of the command with its dashes as underscores. The document is given back with\n"
        "kvb_ask_free; NULL is out of memory. Any thread may ask.\n");
    kvb_buffer_add(out, ".PP\n");
    kvb_manual_text(
        out, "The functions beneath are declared and explained in the headers of kvbudget/. Their structs change\n"
             "with every release before 1.0: kvb_init says whether headers and library belong together.\n");
    add_documents(out);
    add_statuses(out);
    kvb_manual_section(out, "SEE ALSO");
    kvb_buffer_add(out, ".BR kvbudget (1),\n.BR kvbudget\\-profile (5),\n.BR kvbudget\\-policy (5)\n");
}
