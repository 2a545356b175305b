// What is recognised by its form and not by its words: exceptions of any name, frames of a traceback, and the shell's
// notice of a killed process.
#ifndef KVB_LOGS_FORMS_H
#define KVB_LOGS_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include <kvbudget/logs.h>

enum kvb_form {
    KVB_FORM_NONE,
    KVB_FORM_EXCEPTION,
    KVB_FORM_FRAME,
    KVB_FORM_KILLED,
    KVB_FORM_RECORD, // an error record of vLLM: only its stamp is looked at
};

// What an anchor of a form looks like; '?' stands for any character. Eight characters each.
struct kvb_form_anchor {
    const char *window;
    enum kvb_form form;
    unsigned char skip; // characters before the literal part
};
extern const struct kvb_form_anchor kvb_form_anchors[];
extern const size_t kvb_form_anchor_count;

// Where the message of a form begins and ends in its line.
struct kvb_form_place {
    size_t start, end;
};

// Whether the line (up to its end or the first break behind `at`) bears this form at `at`; fills `place`.
bool kvb_form_read(enum kvb_form form, const char *record, size_t length, size_t at, struct kvb_form_place *place);
// Whether the line of an exception ends so soon behind its name that the search cannot know the message.
bool kvb_form_wrapped_early(const char *record, const struct kvb_form_place *place);

// The engine whose package a frame's path goes through.
enum kvb_log_engine kvb_form_engine(const char *text, size_t length);

// Whether a command begins at `at`: at the start of its line, behind a prompt, a quote or assignments. A step's name
// ("Run vllm serve<TAB>2025-...") and a shell's notice of death bear commands that nobody ran there.
bool kvb_form_begins_command(const char *record, size_t at);

// Whether what stands before `at` on its line is only what loggers, shells and wrappers put there.
bool kvb_form_begins_message(const char *record, size_t at);

#endif
