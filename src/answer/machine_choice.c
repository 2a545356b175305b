// A deployment on the GPUs of a machine: which may be taken, how they rank, which decides.
#include <kvbudget/answer.h>

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

static bool is_live(const char *gpu)
{
    return strcmp(gpu, "live") == 0 || kvb_starts_with(gpu, "live:");
}

bool kvb_machine_is_asked(const struct kvb_question *question)
{
    return question->gpu_state != NULL || is_live(question->deployment.gpu);
}

// What of --gpu selects among the GPUs; "" = all of them. A GPU that a profile names is no selection.
static const char *selection(const struct kvb_question *question)
{
    const char *gpu = question->gpu_flag != NULL ? question->gpu_flag : "";
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

static enum kvb_status say_not_here(const struct kvb_machine *machine, const char *wanted,
                                    struct kvb_problems *problems)
{
    struct kvb_buffer labels;
    char label[32];
    kvb_buffer_init(&labels);
    for (uint32_t i = 0; i < machine->count; i++) {
        kvb_buffer_printf(&labels, "%s%s", i > 0 ? ", " : "", kvb_device_label(label, &machine->devices[i]));
    }
    enum kvb_status status =
        kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, nowhere, "no GPU '%.60s' in this machine; it has %.300s",
                        wanted, labels.data != NULL ? labels.data : "none");
    kvb_buffer_free(&labels);
    return status;
}

// "3", "0,1", "0:1" for a MIG slice, a UUID, or a name of which there may be several.
static enum kvb_status select_gpus(const struct kvb_question *question, struct kvb_machine_choice *choice,
                                   struct kvb_problems *problems)
{
    const struct kvb_machine *machine = &choice->machine;
    const char *rest = selection(question);
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
            return say_not_here(machine, wanted, problems);
        }
        rest += length + (rest[length] == ',');
    }
    return KVB_OK;
}

static void note_platform(struct kvb_deployment *deployment, const struct kvb_machine *machine,
                          struct kvb_problems *problems)
{
    if (deployment->platform_set || machine->platform == KVB_PLATFORM_LINUX) {
        return;
    }
    deployment->platform_set = true;
    deployment->platform = machine->platform;
    (void)kvb_problem_add(
        problems, KVB_NOTICE, KVB_OK, nowhere,
        "the driver is the one of Windows (%s): the total includes its reserve, and 0.8 to 1.7 GiB of "
        "what it calls free is not to be had",
        machine->platform == KVB_PLATFORM_WSL2 ? "WSL2" : "WDDM");
}

enum kvb_status kvb_machine_take(struct kvb_question *question, const char *library, struct kvb_machine_choice *choice,
                                 struct kvb_problems *problems)
{
    memset(choice, 0, sizeof *choice);
    enum kvb_status status = question->gpu_state != NULL
                                 ? kvb_machine_load(question->gpu_state, &choice->machine, problems)
                                 : kvb_machine_ask(library, &choice->machine, problems);
    if (status != KVB_OK) {
        return status;
    }
    note_platform(&question->deployment, &choice->machine, problems);
    return select_gpus(question, choice, problems);
}

// Where the driver does not say what is free, the budget assumes that nobody else is there.
static void note_unknown_free(const struct kvb_machine_choice *choice, struct kvb_problems *problems)
{
    for (uint32_t i = 0; i < choice->ranking.count; i++) {
        const struct kvb_device *device = &choice->machine.devices[choice->ranking.ranks[i].device];
        char label[32];
        if (choice->ranking.ranks[i].usable && !device->free_bytes.known) {
            (void)kvb_problem_add(problems, KVB_WARNING, KVB_MISSING_KEY, nowhere,
                                  "the driver does not say what is free on GPU %s; it is taken as idle%s",
                                  kvb_device_label(label, device),
                                  device->unified ? ", but it shares the memory of the host: give --gpu-free to plan"
                                                  : "");
        }
    }
}

// What is said to be free stands above what the machine says of each of its GPUs.
static void take_stated_free(const struct kvb_deployment *deployment, struct kvb_machine *machine)
{
    for (uint32_t i = 0; deployment->gpu_free_stated && i < machine->count; i++) {
        struct kvb_device *device = &machine->devices[i];
        uint64_t most = device->gpu.memory_bytes, stated = deployment->gpu_free_bytes;
        device->free_bytes = (struct kvb_figure){.known = true, .value = stated < most ? stated : most};
    }
}

enum kvb_status kvb_machine_choose(struct kvb_deployment *deployment, struct kvb_machine_choice *choice,
                                   struct kvb_problems *problems)
{
    deployment->gpu[0] = '\0';
    deployment->inline_gpu = true;
    for (uint32_t i = 0; i < choice->machine.count; i++) {
        if (kvb_device_usable(&choice->machine.devices[i])) {
            deployment->gpu_value = choice->machine.devices[i].gpu; // stands in until one is chosen
        }
    }
    if (deployment->gpu_value.memory_bytes == 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, nowhere,
                               "no GPU here says how much memory it has; give its total with --gpu-memory and no "
                               "--gpu-state or --gpu live");
    }
    enum kvb_status status =
        kvb_deployment_resolve(deployment, &choice->plan, &choice->draft, &choice->source, problems);
    if (status != KVB_OK) {
        return status;
    }
    take_stated_free(deployment, &choice->machine);
    status = kvb_machine_rank(&choice->plan, &choice->machine, choice->pool, &choice->ranking, problems);
    if (status == KVB_OK) {
        note_unknown_free(choice, problems);
    }
    return status;
}

const struct kvb_rank *kvb_ranking_deciding(const struct kvb_ranking *ranking)
{
    return ranking->chosen_count > 0 ? &ranking->ranks[ranking->chosen[ranking->chosen_count - 1]] : NULL;
}

void kvb_machine_use(const struct kvb_machine_choice *choice, const struct kvb_rank *rank,
                     struct kvb_deployment *deployment)
{
    const struct kvb_device *device = &choice->machine.devices[rank->device];
    deployment->gpu_value = device->gpu;
    if (!deployment->gpu_free_stated && device->free_bytes.known) {
        deployment->gpu_free_stated = true;
        deployment->gpu_free_bytes = device->free_bytes.value;
    }
}
