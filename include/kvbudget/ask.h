// One call: a JSON request in, the document out that the tool prints for it. No struct crosses; for other languages.
#ifndef KVBUDGET_ASK_H
#define KVBUDGET_ASK_H

#include <stddef.h>

#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

// The request is an object. "command" names a command ("plan" unless said); "deployment" holds the keys of a deployment
// profile; "line" a serve command, as text or as a list of words; "log" the text of a log; "paths" the files and
// folders of `check`. Every other member is a flag of that command with its dashes written as underscores: true
// switches it on, a list gives it several times.
//
// The document is the one of `kvbudget COMMAND --json`, ended by NUL, given back with kvb_ask_free. A request that
// cannot be answered gives {"schema", "exit_code", "problems"}. NULL: out of memory. Any thread may ask.
char *kvb_ask(const char *request);
void kvb_ask_free(char *document); // NULL is let pass

// The same for a request of `length` bytes, into the caller's memory. Returns the bytes the document has without its
// NUL, whether or not they went in (cut, then, with a NUL at the end); 0: out of memory.
size_t kvb_ask_into(const char *request, size_t length, char *document, size_t capacity);

KVB_PUBLIC_END

#endif
