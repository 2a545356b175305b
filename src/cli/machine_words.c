// The choice among a machine's GPUs in words, and the flags that ask for one.
#include "cli/machine_words.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
#include "report/probe_report.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

const char *kvb_machine_library(void)
{
    const char *library = getenv("KVBUDGET_NVML");
    return library != NULL && library[0] != '\0' ? library : NULL;
}

// What each GPU would accept, best first.
static void add_accepted(struct kvb_buffer *out, const struct kvb_machine_choice *choice)
{
    const struct kvb_ranking *ranking = &choice->ranking;
    const char *separator = " Highest --gpu-memory-utilization that the check of free memory accepts now: ";
    const char *end = "";
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct kvb_rank *rank = &ranking->ranks[i];
        char label[32], share[32];
        if (rank->usable && rank->checks_free) {
            kvb_buffer_printf(out, "%s%s on GPU %s", separator, kvb_format_ppm(share, rank->accepted_ppm),
                              kvb_device_label(label, &choice->machine.devices[rank->device]));
            separator = ", ";
            end = ".";
        }
    }
    kvb_buffer_add(out, end);
}

static void describe(struct arguments *arguments, const struct kvb_machine_choice *choice)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_probe_chosen_labels(&text, &choice->machine, &choice->ranking);
    (void)kvb_copy(arguments->devices, sizeof arguments->devices, kvb_buffer_text(&text));
    kvb_buffer_free(&text);
    kvb_buffer_init(&text);
    kvb_probe_choice(&text, &choice->machine, &choice->ranking);
    add_accepted(&text, choice);
    kvb_buffer_add(&text, " ");
    kvb_probe_environment(&text, &choice->machine, &choice->ranking);
    (void)kvb_copy(arguments->choice, sizeof arguments->choice, kvb_buffer_text(&text));
    kvb_buffer_free(&text);
}

static enum kvb_status use_chosen(struct arguments *arguments, const struct kvb_machine_choice *choice)
{
    const struct kvb_rank *rank = kvb_ranking_deciding(&choice->ranking);
    if (rank == NULL) {
        struct kvb_buffer why;
        kvb_buffer_init(&why);
        kvb_probe_choice(&why, &choice->machine, &choice->ranking);
        enum kvb_status status = kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_CONTRADICTION, nowhere, "%s",
                                                 why.data != NULL ? why.data : "too few GPUs");
        kvb_buffer_free(&why);
        return status;
    }
    kvb_machine_use(choice, rank, &arguments->question.deployment);
    describe(arguments, choice);
    return KVB_OK;
}

enum kvb_status kvb_machine_use_best(struct arguments *arguments)
{
    struct kvb_machine_choice *choice = kvb_reallocate(NULL, sizeof *choice);
    if (choice == NULL) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, nowhere, "out of memory");
    }
    enum kvb_status status =
        kvb_machine_take(&arguments->question, kvb_machine_library(), choice, &arguments->problems);
    if (status == KVB_OK) {
        status = kvb_machine_choose(&arguments->question.deployment, choice, &arguments->problems);
    }
    if (status == KVB_OK) {
        status = use_chosen(arguments, choice);
    }
    kvb_free(choice);
    return status;
}

static bool set_gpu_state(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (value[0] == '\0') {
        (void)kvb_options_mistake(arguments, "--%s needs a file, or - for standard input", row->name);
        return false;
    }
    arguments->question.gpu_state = value;
    arguments->question.deployment.gpu_memory_bytes = 0; // those of a profile's GPU
    arguments->question.deployment.gpu_free_bytes = 0;
    arguments->question.deployment.gpu_free_stated = false;
    return true;
}

static const struct option_row rows[] = {
    {"gpu-state", NULL, "FILE|-", "pasted output of nvidia-smi, rocm-smi or amd-smi; --gpu N picks one of its GPUs",
     NULL, set_gpu_state, .set_bit = OPTIONS_MACHINE},
};

void kvb_options_add_machine(struct option_list *list)
{
    kvb_options_add(list, rows, sizeof rows / sizeof rows[0]);
}
