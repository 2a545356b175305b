// The choice among a machine's GPUs in words.
#include <string.h>

#include "report/probe_report.h"

static bool is_chosen(const struct kvb_ranking *ranking, uint32_t device)
{
    for (uint32_t i = 0; i < ranking->chosen_count; i++) {
        if (ranking->ranks[ranking->chosen[i]].device == device) {
            return true;
        }
    }
    return false;
}

// Labels or, for slices, the names that CUDA_VISIBLE_DEVICES takes.
static void add_devices(struct kvb_buffer *out, const struct kvb_machine *machine, const struct kvb_ranking *ranking,
                        bool for_driver)
{
    const char *separator = "";
    for (uint32_t i = 0; i < machine->count; i++) {
        const struct kvb_device *device = &machine->devices[i];
        if (is_chosen(ranking, i)) {
            char label[32];
            bool by_uuid = for_driver && device->is_slice && device->uuid[0] != '\0';
            kvb_buffer_printf(out, "%s%s", separator, by_uuid ? device->uuid : kvb_device_label(label, device));
            separator = ",";
        }
    }
}

void kvb_probe_chosen_labels(struct kvb_buffer *out, const struct kvb_machine *machine,
                             const struct kvb_ranking *ranking)
{
    add_devices(out, machine, ranking, false);
}

static bool is_mixed(const struct kvb_machine *machine)
{
    for (uint32_t i = 1; i < machine->count; i++) {
        if (strcmp(machine->devices[i].name, machine->devices[0].name) != 0) {
            return true;
        }
    }
    return false;
}

void kvb_probe_environment(struct kvb_buffer *out, const struct kvb_machine *machine, const struct kvb_ranking *ranking)
{
    const struct kvb_rank *rank = kvb_ranking_deciding(ranking);
    const struct kvb_device *device = rank != NULL ? &machine->devices[rank->device] : NULL;
    if (machine->vendor == KVB_VENDOR_AMD) {
        kvb_buffer_add(out, "HIP_VISIBLE_DEVICES=");
    } else if (device != NULL && device->is_slice && device->uuid[0] == '\0') {
        kvb_buffer_add(out, "NVIDIA_VISIBLE_DEVICES="); // of containers; CUDA itself knows a slice by its UUID only
    } else {
        // CUDA counts the fastest GPU first unless told otherwise; the driver counts by bus.
        bool by_number = device == NULL || !device->is_slice;
        kvb_buffer_add(out, by_number && is_mixed(machine) ? "CUDA_DEVICE_ORDER=PCI_BUS_ID " : "");
        kvb_buffer_add(out, "CUDA_VISIBLE_DEVICES=");
    }
    add_devices(out, machine, ranking, true);
}

static uint32_t count_usable(const struct kvb_ranking *ranking)
{
    uint32_t usable = 0;
    for (uint32_t i = 0; i < ranking->count; i++) {
        usable += ranking->ranks[i].usable;
    }
    return usable;
}

static void say_shortage(struct kvb_buffer *out, const struct kvb_ranking *ranking)
{
    uint32_t usable = count_usable(ranking);
    kvb_buffer_printf(out, "This deployment needs %u GPU%s; %u can be taken here.", (unsigned)ranking->needed,
                      ranking->needed == 1 ? "" : "s", (unsigned)usable);
}

static void say_state(struct kvb_buffer *out, const struct kvb_device *device, const struct kvb_rank *rank, bool many)
{
    char free_text[32], total[32];
    kvb_buffer_printf(out, "%s%s of %s GiB free", many ? "at least " : "",
                      kvb_format_gib(free_text, (int64_t)rank->free_bytes, 2),
                      kvb_format_gib(total, (int64_t)rank->memory_bytes, 2));
    if (!many && device->load_percent.known) {
        kvb_buffer_printf(out, ", %u %% load", (unsigned)device->load_percent.value);
    }
}

static void say_outcome(struct kvb_buffer *out, const struct kvb_rank *rank, bool many)
{
    const char *start = many ? "They start" : "It starts";
    const char *not = many ? "They do not start" : "It does not start";
    char own[32], accepted[32], headroom[32];
    (void)kvb_format_ppm(own, rank->utilization_ppm);
    (void)kvb_format_ppm(accepted, rank->accepted_ppm);
    bool starts = rank->starts && rank->verdict != KVB_DOES_NOT_FIT;
    if (starts && rank->slack_bytes < 0) {
        char advised[32];
        kvb_buffer_printf(out, " %s at %s, but %s GiB are missing for what lives outside the request", start, own,
                          kvb_format_gib(headroom, -rank->slack_bytes, 2));
        if (rank->has_advised) {
            kvb_buffer_printf(out, "; %s leaves room for it", kvb_format_ppm(advised, rank->advised_ppm));
        }
        kvb_buffer_add(out, ".");
    } else if (starts) {
        kvb_buffer_printf(out, " %s at %s with %s GiB of headroom.", start, own,
                          kvb_format_gib(headroom, rank->slack_bytes, 2));
    } else if (rank->starts_accepted) {
        kvb_buffer_printf(out, " %s at %s, but at up to %s, the most that the check of free memory accepts.", not, own,
                          accepted);
    } else {
        kvb_buffer_printf(out, " %s at %s, nor at any utilization that is free.", not, own);
    }
}

void kvb_probe_choice(struct kvb_buffer *out, const struct kvb_machine *machine, const struct kvb_ranking *ranking)
{
    const struct kvb_rank *rank = kvb_ranking_deciding(ranking);
    if (rank == NULL) {
        say_shortage(out, ranking);
        return;
    }
    bool many = ranking->chosen_count > 1;
    kvb_buffer_printf(out, "GPU%s ", many ? "s" : "");
    kvb_probe_chosen_labels(out, machine, ranking);
    uint32_t usable = count_usable(ranking);
    if (usable > ranking->chosen_count) {
        kvb_buffer_printf(out, " %s the best of %u (", many ? "are" : "is", (unsigned)usable);
    } else {
        kvb_buffer_add(out, " (");
    }
    say_state(out, &machine->devices[rank->device], rank, many);
    kvb_buffer_add(out, ").");
    say_outcome(out, rank, many);
    if (many && !ranking->chosen_alike) {
        kvb_buffer_add(out, " They are not of one kind; the smallest decides.");
    }
}
