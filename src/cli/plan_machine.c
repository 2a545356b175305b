// A deployment on the GPUs that are here: --gpu live[:N] and --gpu-state.
#include "cli/plan_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
#include "report/probe_report.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

static bool is_live(const char *gpu)
{
    return strcmp(gpu, "live") == 0 || kvb_starts_with(gpu, "live:");
}

bool machine_is_asked(const struct arguments *arguments)
{
    return arguments->gpu_state != NULL || is_live(arguments->deployment.gpu);
}

// What of --gpu selects among the GPUs; "" = all of them. A GPU that a profile names is no selection.
static const char *selection(const struct arguments *arguments)
{
    const char *gpu = arguments->gpu_flag != NULL ? arguments->gpu_flag : "";
    if (!is_live(gpu)) {
        return gpu;
    }
    return gpu[4] == ':' ? gpu + 5 : "";
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789:") == strlen(text);
}

// The id of the profile that goes by this name or alias; the name itself when there is none.
static const char *profile_called(const char *name, char id[64])
{
    struct kvb_problems ignored;
    struct kvb_gpu gpu;
    kvb_problems_init(&ignored);
    if (strchr(name, '/') != NULL || kvb_gpu_load(name, &gpu, &ignored) != KVB_OK) {
        return name;
    }
    (void)kvb_copy(id, sizeof gpu.id, gpu.id);
    return id;
}

// A number of a GPU that is cut into slices means all of them.
static bool is_numbered(const struct kvb_device *device, const char *wanted)
{
    char label[32];
    (void)kvb_device_label(label, device);
    size_t length = strlen(wanted);
    return strcmp(label, wanted) == 0 || (strncmp(label, wanted, length) == 0 && label[length] == ':');
}

static bool is_selected(const struct kvb_device *device, const char *wanted)
{
    if (is_number(wanted)) {
        return is_numbered(device, wanted);
    }
    char profile[sizeof device->gpu.id];
    bool by_uuid = device->uuid[0] != '\0' && kvb_equal_ignoring_case(device->uuid, wanted);
    bool by_profile = device->recognised && kvb_equal_ignoring_case(device->gpu.id, profile_called(wanted, profile));
    return by_uuid || by_profile || kvb_contains_ignoring_case(device->name, wanted);
}

static enum kvb_status say_not_here(struct arguments *arguments, const struct kvb_machine *machine, const char *wanted)
{
    struct kvb_buffer labels;
    char label[32];
    kvb_buffer_init(&labels);
    for (uint32_t i = 0; i < machine->count; i++) {
        kvb_buffer_printf(&labels, "%s%s", i > 0 ? ", " : "", kvb_device_label(label, &machine->devices[i]));
    }
    enum kvb_status status = kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_UNKNOWN_NAME, nowhere,
                                             "no GPU '%.60s' in this machine; it has %.300s", wanted,
                                             labels.data != NULL ? labels.data : "none");
    kvb_buffer_free(&labels);
    return status;
}

// "3", "0,1", "0:1" for a MIG slice, a UUID, or a name of which there may be several.
static enum kvb_status select_gpus(struct arguments *arguments, struct machine_choice *choice)
{
    const struct kvb_machine *machine = &choice->machine;
    const char *rest = selection(arguments);
    for (uint32_t i = 0; i < machine->count; i++) {
        choice->pool[i] = rest[0] == '\0';
    }
    while (*rest != '\0') {
        char wanted[KVB_NAME_CAPACITY]; // as long as --gpu may be
        size_t length = strcspn(rest, ",");
        bool found = false;
        memcpy(wanted, rest, length);
        wanted[length] = '\0';
        for (uint32_t i = 0; i < machine->count; i++) {
            bool selected = is_selected(&machine->devices[i], wanted);
            choice->pool[i] = choice->pool[i] || selected;
            found = found || selected;
        }
        if (!found) {
            return say_not_here(arguments, machine, wanted);
        }
        rest += length + (rest[length] == ',');
    }
    return KVB_OK;
}

static void note_platform(struct arguments *arguments, const struct kvb_machine *machine)
{
    struct kvb_deployment *deployment = &arguments->deployment;
    if (deployment->platform_set || machine->platform == KVB_PLATFORM_LINUX) {
        return;
    }
    deployment->platform_set = true;
    deployment->platform = machine->platform;
    (void)kvb_problem_add(
        &arguments->problems, KVB_NOTICE, KVB_OK, nowhere,
        "the driver is the one of Windows (%s): the total includes its reserve, and 0.8 to 1.7 GiB of "
        "what it calls free is not to be had",
        machine->platform == KVB_PLATFORM_WSL2 ? "WSL2" : "WDDM");
}

enum kvb_status machine_take(struct arguments *arguments, struct machine_choice *choice)
{
    const char *library = getenv("KVBUDGET_NVML");
    memset(choice, 0, sizeof *choice);
    enum kvb_status status = arguments->gpu_state != NULL
                                 ? kvb_machine_load(arguments->gpu_state, &choice->machine, &arguments->problems)
                                 : kvb_machine_ask(library != NULL && library[0] != '\0' ? library : NULL,
                                                   &choice->machine, &arguments->problems);
    if (status != KVB_OK) {
        return status;
    }
    note_platform(arguments, &choice->machine);
    return select_gpus(arguments, choice);
}

// Where the driver does not say what is free, the budget assumes that nobody else is there.
static void note_unknown_free(struct arguments *arguments, const struct machine_choice *choice)
{
    for (uint32_t i = 0; i < choice->ranking.count; i++) {
        const struct kvb_device *device = &choice->machine.devices[choice->ranking.ranks[i].device];
        char label[32];
        if (choice->ranking.ranks[i].usable && !device->free_bytes.known) {
            (void)kvb_problem_add(&arguments->problems, KVB_WARNING, KVB_MISSING_KEY, nowhere,
                                  "the driver does not say what is free on GPU %s; it is taken as idle%s",
                                  kvb_device_label(label, device),
                                  device->unified ? ", but it shares the memory of the host: give --gpu-free to plan"
                                                  : "");
        }
    }
}

enum kvb_status machine_rank(struct arguments *arguments, struct machine_choice *choice)
{
    struct kvb_deployment *deployment = &arguments->deployment;
    deployment->gpu[0] = '\0';
    deployment->inline_gpu = true;
    for (uint32_t i = 0; i < choice->machine.count; i++) {
        if (kvb_device_usable(&choice->machine.devices[i])) {
            deployment->gpu_value = choice->machine.devices[i].gpu; // stands in until one is chosen
        }
    }
    if (deployment->gpu_value.memory_bytes == 0) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_MISSING_KEY, nowhere,
                               "no GPU here says how much memory it has; give its total with --gpu-memory and no "
                               "--gpu-state or --gpu live");
    }
    enum kvb_status status =
        kvb_deployment_resolve(deployment, &choice->plan, &choice->draft, &choice->source, &arguments->problems);
    if (status != KVB_OK) {
        return status;
    }
    status = kvb_machine_rank(&choice->plan, &choice->machine, choice->pool, &choice->ranking, &arguments->problems);
    if (status == KVB_OK && !deployment->gpu_free_stated) {
        note_unknown_free(arguments, choice);
    }
    return status;
}

// What each GPU would accept, best first.
static void add_accepted(struct kvb_buffer *out, const struct machine_choice *choice)
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

static void describe(struct arguments *arguments, const struct machine_choice *choice)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_probe_chosen_labels(&text, &choice->machine, &choice->ranking);
    (void)kvb_copy(arguments->devices, sizeof arguments->devices, text.data != NULL ? text.data : "");
    kvb_buffer_free(&text);
    kvb_buffer_init(&text);
    kvb_probe_choice(&text, &choice->machine, &choice->ranking);
    add_accepted(&text, choice);
    kvb_buffer_add(&text, " ");
    kvb_probe_environment(&text, &choice->machine, &choice->ranking);
    (void)kvb_copy(arguments->choice, sizeof arguments->choice, text.data != NULL ? text.data : "");
    kvb_buffer_free(&text);
}

static void use_device(struct kvb_deployment *deployment, const struct kvb_device *device)
{
    deployment->gpu_value = device->gpu;
    if (!deployment->gpu_free_stated && device->free_bytes.known) {
        deployment->gpu_free_stated = true;
        deployment->gpu_free_bytes = device->free_bytes.value;
    }
}

static enum kvb_status use_chosen(struct arguments *arguments, const struct machine_choice *choice)
{
    const struct kvb_rank *rank = kvb_probe_deciding(&choice->ranking);
    if (rank == NULL) {
        struct kvb_buffer why;
        kvb_buffer_init(&why);
        kvb_probe_choice(&why, &choice->machine, &choice->ranking);
        enum kvb_status status = kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_CONTRADICTION, nowhere, "%s",
                                                 why.data != NULL ? why.data : "too few GPUs");
        kvb_buffer_free(&why);
        return status;
    }
    use_device(&arguments->deployment, &choice->machine.devices[rank->device]);
    describe(arguments, choice);
    return KVB_OK;
}

enum kvb_status machine_use_best(struct arguments *arguments)
{
    struct machine_choice *choice = kvb_reallocate(NULL, sizeof *choice);
    if (choice == NULL) {
        return kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, nowhere, "out of memory");
    }
    enum kvb_status status = machine_take(arguments, choice);
    if (status == KVB_OK) {
        status = machine_rank(arguments, choice);
    }
    if (status == KVB_OK) {
        status = use_chosen(arguments, choice);
    }
    kvb_release(choice);
    return status;
}

static bool set_gpu_state(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (value[0] == '\0') {
        (void)options_mistake(arguments, "--%s needs a file, or - for standard input", row->name);
        return false;
    }
    arguments->gpu_state = value;
    arguments->deployment.gpu_memory_bytes = 0; // those of a profile's GPU
    arguments->deployment.gpu_free_bytes = 0;
    arguments->deployment.gpu_free_stated = false;
    return true;
}

static const struct option_row rows[] = {
    {"gpu-state", NULL, "FILE|-", "pasted output of nvidia-smi, rocm-smi or amd-smi; --gpu N picks one of its GPUs",
     NULL, set_gpu_state, .set_bit = OPTIONS_MACHINE},
};

void options_add_machine(struct option_list *list)
{
    options_add(list, rows, sizeof rows / sizeof rows[0]);
}
