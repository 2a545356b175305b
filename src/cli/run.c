// One command from its words to its answer.
#include "cli/run.h"

#include <string.h>

#include "base/memory.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/page.h"

struct arguments *kvb_run_begin(const struct command_row *command)
{
    unsigned long failures = kvb_memory_failures();
    struct arguments *arguments = kvb_reallocate(NULL, sizeof *arguments);
    if (arguments == NULL) {
        return NULL;
    }
    size_t question = offsetof(struct arguments, question), behind = question + sizeof arguments->question.deployment;
    memset(arguments, 0, question);
    memset((char *)arguments + behind, 0, sizeof *arguments - behind);
    arguments->command = command;
    arguments->failures_before = failures;
    kvb_problems_init(&arguments->problems);
    kvb_deployment_init(&arguments->question.deployment);
    return arguments;
}

void kvb_run_end(struct arguments *arguments)
{
    kvb_free(arguments);
}

// An answer made while memory ran out may lack a part that nobody missed: it is not one.
static int check_memory(struct arguments *arguments, const struct kvb_buffer *answer, int code)
{
    int system_code = kvb_status_exit_code(KVB_NO_MEMORY);
    if (!answer->failed && kvb_memory_failures() == arguments->failures_before) {
        return code;
    }
    arguments->answered = false;
    if (code != system_code || kvb_problems_status(&arguments->problems) == KVB_OK) {
        (void)kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    return system_code;
}

static int settle(struct arguments *arguments, struct kvb_buffer *answer, int code)
{
    code = check_memory(arguments, answer, code);
    bool trouble = code > 1 && !arguments->answered;
    bool json = arguments->format == FORMAT_JSON && arguments->command->schema != NULL;
    if (trouble || arguments->quiet) {
        kvb_buffer_free(answer);
        kvb_buffer_init(answer);
    }
    if (trouble && json && !arguments->quiet) {
        kvb_output_problems_json(answer, arguments->command->schema, &arguments->problems);
    }
    return code;
}

int kvb_run_words(struct arguments *arguments, int count, const char *const *words, struct kvb_buffer *answer)
{
    const struct command_row *command = arguments->command;
    if ((command->formats >> FORMAT_JSON & 1U) && kvb_options_want_json(count, words)) {
        arguments->format = FORMAT_JSON;
    }
    enum kvb_status status = kvb_options_read(arguments, count, words);
    kvb_output_page(answer);
    int code = status == KVB_OK ? command->run(arguments, answer) : kvb_status_exit_code(status);
    if (arguments->format == FORMAT_TEXT && command->schema != NULL) {
        kvb_page_fold(answer);
    }
    return settle(arguments, answer, code);
}
