// "2xH100", "4 x 4090", "T4x2", "H200 x 8": how many of a card, said in its name.
#include <string.h>

#include <kvbudget/input.h>

#define COUNT_MAX 64U

// The name behind the count, or NULL when there is no count in front.
static const char *read_count(const char *text, uint64_t *count)
{
    size_t digits = strspn(text, "0123456789");
    *count = 0;
    for (size_t i = 0; i < digits && i < 3; i++) {
        *count = *count * 10 + (uint64_t)(text[i] - '0');
    }
    const char *mark = text + digits + strspn(text + digits, " ");
    if (digits == 0 || digits > 2 || (*mark != 'x' && *mark != 'X' && *mark != '*')) {
        return NULL;
    }
    mark += 1 + strspn(mark + 1, " ");
    return *count >= 1 && *count <= COUNT_MAX && *mark ? mark : NULL;
}

// "T4x2": cuts the count off the end; "RTX2060" has no such end, as its number is no count.
static bool cut_count(char *text, uint64_t *count)
{
    size_t length = strlen(text), at = length;
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') {
        at--;
    }
    *count = 0;
    for (size_t i = at; i < length && length - at <= 2; i++) {
        *count = *count * 10 + (uint64_t)(text[i] - '0');
    }
    while (at > 0 && text[at - 1] == ' ') {
        at--;
    }
    if (*count < 1 || *count > COUNT_MAX || at < 3 || strchr(text, '/') || !strchr("xX*", text[at - 1])) {
        return false;
    }
    for (at--; at > 0 && text[at - 1] == ' ';) {
        at--;
    }
    if (at > 0) {
        text[at] = '\0';
    }
    return at > 0;
}

void kvb_deployment_take_gpu_count(struct kvb_deployment *deployment)
{
    static const enum kvb_setting splits[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE,
                                              KVB_SET_DATA_PARALLEL_SIZE};
    uint64_t count;
    if (strchr(deployment->gpu, ',')) { // each of several may have its own
        return;
    }
    const char *name = read_count(deployment->gpu, &count);
    if (name) {
        memmove(deployment->gpu, name, strlen(name) + 1);
    } else if (!cut_count(deployment->gpu, &count)) {
        return;
    }
    deployment->gpus_stated = (uint32_t)count;
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        if (deployment->settings.values[splits[i]].set) {
            return; // how the cards are used is said
        }
    }
    kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, count, KVB_ORIGIN_FLAG);
}
