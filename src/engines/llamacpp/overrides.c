// --override-tensor: tensors that lie elsewhere than their layer. The first pattern found in a name decides.
// Source: common/arg.cpp, parse_tensor_buffer_overrides (cut at commas, then at the first =);
// src/llama-model-loader.cpp and src/llama-model.cpp, create_tensor (std::regex_search), since b5124.
#include "engines/llamacpp/overrides.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "engines/llamacpp/pattern.h"

#define NAME_CAPACITY 64
#define WHY 256  // of a sentence
#define SHOWN 60 // of a part in it

static bool refuse(char why[256], const char *part, size_t length, const char *what)
{
    (void)kvb_copy(why, WHY, "override-tensor: '");
    kvb_append(why, WHY, part, kvb_min(length, SHOWN));
    kvb_add_text(why, WHY, "': ");
    kvb_add_text(why, WHY, what);
    return false;
}

static bool is_buffer(const char *name, size_t length)
{
    static const char *const devices[] = {"CUDA", "ROCm", "Vulkan", "SYCL", "CANN", "Metal", "MTL"};
    if (length == 3 && strncmp(name, "CPU", 3) == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        size_t prefix = strlen(devices[i]);
        bool numbered = length > prefix && strspn(name + prefix, "0123456789") == length - prefix;
        bool bare = length == prefix && strcmp(devices[i], "Metal") == 0;
        if (length >= prefix && length < prefix + 3 && strncmp(name, devices[i], prefix) == 0 && (numbered || bare)) {
            return true;
        }
    }
    return false;
}

static bool check_part(const char *part, size_t length, char why[256])
{
    struct kvb_pattern pattern;
    char wrong[KVB_PATTERN_WHY], sentence[KVB_PATTERN_WHY + 32];
    const char *equals = memchr(part, '=', length);
    if (equals == NULL || equals == part) {
        return refuse(why, part, length, "expected PATTERN=BUFFER such as exps=CPU");
    }
    size_t before = (size_t)(equals - part);
    if (!is_buffer(equals + 1, length - before - 1)) {
        return refuse(why, part, length, "expected a buffer such as CPU, CUDA0 or Vulkan0 behind the =");
    }
    if (!kvb_pattern_read(&pattern, part, before, wrong)) {
        (void)kvb_copy(sentence, sizeof sentence, wrong);
        kvb_add_text(sentence, sizeof sentence, " is not read in a pattern");
        return refuse(why, part, length, sentence);
    }
    return true;
}

bool kvb_llama_overrides_add(char *lines, size_t capacity, const char *value, char why[256])
{
    for (const char *part = value;; part++) {
        size_t length = strcspn(part, ",\n"), used = strlen(lines);
        if (part[length] == '\n') {
            return refuse(why, part, length, "a line ends inside");
        }
        if (!check_part(part, length, why)) {
            return false;
        }
        if (used + length + 2 > capacity) {
            return refuse(why, part, length, "all patterns together are too long");
        }
        kvb_append(lines, capacity, part, length);
        kvb_add_text(lines, capacity, "\n");
        part += length;
        if (*part == '\0') {
            return true;
        }
    }
}

// KVB_LLAMA_PLACES: this run has no such buffer.
static uint32_t place_named(const struct kvb_llama_run *run, const char *name, size_t length)
{
    const char *backend = kvb_llama_backend_row_of(run->backend)->name;
    size_t prefix = strlen(backend);
    if (length == 3 && strncmp(name, "CPU", 3) == 0) {
        return KVB_LLAMA_HOST;
    }
    if (run->backend == KVB_LLAMA_METAL && strncmp(name, "MTL", 3) == 0) {
        prefix = 3;
    } else if (strncmp(name, backend, prefix) != 0) {
        return KVB_LLAMA_PLACES;
    }
    uint32_t device = 0;
    for (size_t i = prefix; i < length; i++) {
        device = device * 10 + (uint32_t)(name[i] - '0');
    }
    return device < run->devices ? device : KVB_LLAMA_PLACES;
}

static const char *buffer_of(const char *line, size_t *pattern, size_t *length)
{
    *pattern = strcspn(line, "=");
    *length = strcspn(line + *pattern + 1, "\n");
    return line + *pattern + 1;
}

// "blk.12.attn_q.weight"; without a layer the name alone.
static void name_whole(uint32_t layer, const char *name, char out[NAME_CAPACITY])
{
    char digits[8];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    out[0] = '\0';
    if (layer < KVB_LAYERS_MAX) {
        do {
            digits[--at] = (char)('0' + layer % 10);
            layer /= 10;
        } while (layer > 0);
        kvb_add_text(out, NAME_CAPACITY, "blk.");
        kvb_add_text(out, NAME_CAPACITY, digits + at);
        kvb_add_text(out, NAME_CAPACITY, ".");
    }
    kvb_add_text(out, NAME_CAPACITY, name);
}

bool kvb_llama_overrides_any(const struct kvb_llama_run *run)
{
    return run->overrides != NULL && run->overrides[0] != '\0';
}

uint32_t kvb_llama_tensor_place(const struct kvb_llama_run *run, uint32_t layer, const char *name, bool experts,
                                uint32_t usual)
{
    char whole[NAME_CAPACITY], why[KVB_PATTERN_WHY];
    uint32_t otherwise = experts && layer < run->cpu_experts ? KVB_LLAMA_HOST : usual;
    if (!kvb_llama_overrides_any(run)) {
        return otherwise;
    }
    name_whole(layer < run->model->layer_count ? layer : KVB_LAYERS_MAX, name, whole);
    for (const char *line = run->overrides; *line != '\0'; line = strchr(line, '\n') + 1) {
        struct kvb_pattern pattern;
        size_t before, length;
        const char *buffer = buffer_of(line, &before, &length);
        uint32_t place = place_named(run, buffer, length);
        (void)kvb_pattern_read(&pattern, line, before, why); // it was when the flag was
        if (place < KVB_LLAMA_PLACES && kvb_pattern_is_in(&pattern, whole)) {
            return place;
        }
    }
    return otherwise;
}

const char *kvb_llama_overrides_unknown(const struct kvb_llama_run *run)
{
    size_t before, length;
    for (const char *line = run->overrides; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *buffer = buffer_of(line, &before, &length);
        if (place_named(run, buffer, length) == KVB_LLAMA_PLACES) {
            return buffer;
        }
    }
    return NULL;
}
