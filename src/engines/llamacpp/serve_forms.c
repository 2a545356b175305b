// Values that the flag's type takes and what follows refuses: names of devices, overrides of a draft's tensors,
// repositories. Source: ggml-org/llama.cpp, common/arg.cpp (parse_device_list, parse_tensor_buffer_overrides),
// common/download.cpp (common_download_split_repo_tag; common_get_hf_file before), each from the build beside it.
#include "engines/llamacpp/serve_forms.h"

#include <string.h>

#include "base/text.h"

#define SPLIT_SINCE 4470 // a repository without a file: -hf

struct word {
    const char *at; // NULL: not said
    size_t size;
};

// The part up to the first separator or the end.
static struct word part(struct word word, char separator)
{
    size_t size = 0;
    while (size < word.size && word.at[size] != separator) {
        size++;
    }
    return (struct word){word.at, size};
}

static struct word behind(struct word word, size_t size)
{
    size += size < word.size ? 1 : 0; // the separator
    return (struct word){word.at + size, word.size - size};
}

// The number at the end of a device's name; false: no backend of that name has devices.
static bool read_device(struct word name, uint64_t *index)
{
    static const char *const backends[] = {"CUDA",  "ROCm",   "HIP",      "MUSA",   "Vulkan",     "SYCL",   "MTL",
                                           "Metal", "RPC",    "CANN",     "BLAS",   "Accelerate", "HTP",    "Hexagon",
                                           "zDNN",  "ZenDNN", "OPENVINO", "OPENCL", "GPUOpenCL",  "WebGPU", "VirtGPU"};
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        size_t size = strlen(backends[i]);
        if (name.size >= size && strncmp(name.at, backends[i], size) == 0) {
            *index = 0;
            for (size_t k = size; k < name.size && memchr("0123456789", name.at[k], 10) != NULL && *index < 1000; k++) {
                *index = *index * 10 + (uint64_t)(name.at[k] - '0');
            }
            return true;
        }
    }
    return false;
}

static bool refuse_devices(struct word names, uint32_t gpus, char out[KVB_LLAMA_JUDGED])
{
    bool alone = part(names, ',').size == names.size;
    while (names.size > 0) {
        uint64_t index;
        struct word name = part(names, ',');
        bool none = alone && name.size == 4 && strncmp(name.at, "none", 4) == 0;
        bool known = none || read_device(name, &index);
        if (!known || (!none && gpus > 0 && index >= gpus)) {
            kvb_add_text(out, KVB_LLAMA_JUDGED, "invalid device: ");
            kvb_append(out, KVB_LLAMA_JUDGED, name.at, name.size < KVB_LLAMA_SHOWN ? name.size : KVB_LLAMA_SHOWN);
            return true;
        }
        names = behind(names, name.size);
    }
    return false;
}

static bool refuse_tensors(struct word overrides, char out[KVB_LLAMA_JUDGED])
{
    while (overrides.size > 0) {
        struct word one = part(overrides, ',');
        if (part(one, '=').size == one.size) {
            kvb_add_text(out, KVB_LLAMA_JUDGED, "invalid value");
            return true;
        }
        overrides = behind(overrides, one.size);
    }
    return false;
}

bool kvb_llama_form_is_refused(const char *flag, const char *value, size_t size, uint32_t gpus,
                               char out[KVB_LLAMA_JUDGED])
{
    static const struct {
        const char *name;
        bool devices;
    } rows[] = {
        {"-dev", true},
        {"--device", true},
        {"-devd", true},
        {"--device-draft", true},
        {"--spec-draft-device", true},
        {"-otd", false},
        {"--override-tensor-draft", false},
        {"--spec-draft-override-tensor", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, flag) == 0) {
            struct word word = {value, size};
            return rows[i].devices ? refuse_devices(word, gpus, out) : refuse_tensors(word, out);
        }
    }
    return false;
}

// The value that one of the flags has the last time one is said.
static struct word said(const char *lines, const char *const flags[])
{
    struct word found = {NULL, 0};
    for (const char *at = strchr(lines, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        size_t length = strcspn(at + 1, " \n"), size = strcspn(at + 1, "\n");
        for (size_t i = 0; flags[i] != NULL; i++) {
            if (strlen(flags[i]) == length && strncmp(flags[i], at + 1, length) == 0) {
                size_t from = length < size ? length + 1 : length;
                found = (struct word){at + 1 + from, size - from};
            }
        }
    }
    return found;
}

// Two names with a slash between, a tag behind a colon or none; a slash at the end splits nothing.
static bool is_repository(struct word value)
{
    struct word repository = part(value, ':');
    size_t slashes = 0;
    for (size_t i = 0; i + 1 < repository.size; i++) {
        slashes += repository.at[i] == '/' ? 1 : 0;
    }
    return slashes == 1 || memchr(value.at, '$', value.size) != NULL;
}

const char *kvb_llama_repository_refusal(const char *lines, uint32_t build)
{
    static const char *const repositories[][5] = {{"-hf", "-hfr", "--hf-repo", NULL},
                                                  {"-hfd", "-hfrd", "--hf-repo-draft", "--spec-draft-hf", NULL}};
    static const char *const files[][9] = {
        {"-m", "--model", "-hff", "--hf-file", "-mu", "--model-url", "-dr", "--docker-repo", NULL},
        {"-md", "--model-draft", "--spec-draft-model", NULL}};
    for (size_t i = 0; build >= SPLIT_SINCE && i < 2; i++) {
        struct word value = said(lines, repositories[i]);
        if (value.at != NULL && value.size > 0 && said(lines, files[i]).at == NULL && !is_repository(value)) {
            return "error: invalid HF repo format, expected <user>/<model>[:quant]";
        }
    }
    return NULL;
}
