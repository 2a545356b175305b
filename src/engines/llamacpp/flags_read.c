// How values of llama-server's flags are read that are more than a number or a word.
// Source: common/arg.cpp; common/speculative.cpp (kinds of drafting).
#include "engines/llamacpp/flags.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "engines/llamacpp/overrides.h"

#define WIDE 9999U // more layers than any model has
#define WHY 256    // of a sentence
#define SHOWN 59   // of a value in it

static bool refuse(char why[256], const char *flag, const char *value, const char *expected)
{
    (void)kvb_copy(why, WHY, flag);
    kvb_add_text(why, WHY, ": '");
    kvb_append(why, WHY, value, kvb_min(strlen(value), SHOWN));
    kvb_add_text(why, WHY, "' is not known; expected ");
    kvb_add_text(why, WHY, expected);
    return false;
}

bool kvb_llama_read_all_experts(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                                char why[256])
{
    (void)value;
    (void)why;
    kvb_settings_set(&deployment->settings, KVB_SET_CPU_MOE_LAYERS, WIDE, origin);
    return true;
}

// "3,1" or "0.75/0.25": shares of the layers, in hundredths.
bool kvb_llama_read_shares(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    struct kvb_environment *environment = &deployment->environment;
    uint8_t count = 0;
    (void)origin;
    for (const char *at = value;;) {
        char number[16];
        size_t length = strcspn(at, ",/");
        uint32_t ppm;
        uint64_t whole;
        if (length == 0 || length >= sizeof number || count == 16) {
            return refuse(why, "tensor-split", value, "shares such as 3,1");
        }
        memcpy(number, at, length);
        number[length] = '\0';
        if (kvb_parse_whole(number, &whole) && whole <= 600) {
            environment->layer_partition[count++] = (uint16_t)(whole * 100);
        } else if (kvb_parse_ppm(number, 600U * KVB_PPM, &ppm)) {
            environment->layer_partition[count++] = (uint16_t)(ppm / (KVB_PPM / 100));
        } else {
            return refuse(why, "tensor-split", value, "shares such as 3,1");
        }
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    environment->layer_partition_count = count;
    kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, count, origin);
    return true;
}

bool kvb_llama_read_override(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                             char why[256])
{
    (void)origin;
    return kvb_llama_overrides_add(deployment->tensor_overrides, sizeof deployment->tensor_overrides, value, why);
}

// "unsloth/Qwen3-8B-GGUF:Q4_K_M": the repository's model in that mixture, Q4_K_M when none is said. "-MTP-GGUF" is a
// file that has the model's own layers for further tokens.
static bool read_name(const char *value, const char *flag, char out[KVB_PATH_CAPACITY], uint64_t *type, char why[256])
{
    const char *name = value;
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(name, '/')) {
        name = slash + 1;
    }
    size_t length = strcspn(name, ":");
    const char *format = name[length] == ':' ? name + length + 1 : "Q4_K_M";
    char small[32];
    size_t i = 0;
    for (; format[i] != '\0' && i + 1 < sizeof small; i++) {
        small[i] = kvb_lower(format[i]);
    }
    small[i] = '\0';
    if (!kvb_setting_parse(KVB_SET_GGUF_TYPE, small, type, why)) {
        return false;
    }
    if (length == 0 || length >= KVB_PATH_CAPACITY) {
        return refuse(why, flag, value, "OWNER/NAME:TYPE");
    }
    memcpy(out, name, length);
    out[length] = '\0';
    if (kvb_cut_ending(out, "-GGUF")) {
        (void)kvb_cut_ending(out, "-MTP");
    }
    return true;
}

bool kvb_llama_read_repository(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                               char why[256])
{
    uint64_t number;
    if (!read_name(value, "hf-repo", deployment->model, &number, why)) {
        return false;
    }
    deployment->inline_model = false;
    deployment->projector_implied = true;
    kvb_settings_set(&deployment->settings, KVB_SET_GGUF_TYPE, number, origin);
    return true;
}

bool kvb_llama_read_projector(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                              char why[256])
{
    (void)origin;
    if (!kvb_copy(deployment->projector, sizeof deployment->projector, value)) {
        return refuse(why, "mmproj", value, "a shorter path");
    }
    return true;
}

bool kvb_llama_read_no_projector(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                                 char why[256])
{
    (void)value;
    (void)origin;
    (void)why;
    deployment->projector_refused = true;
    return true;
}

// "draft-mtp" or several of them with commas: what needs a model or layers of its own decides.
bool kvb_llama_read_drafting(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                             char why[256])
{
    static const struct kvb_word kinds[] = {
        {"draft-mtp", KVB_SPECULATIVE_MTP},      {"mtp", KVB_SPECULATIVE_MTP},
        {"draft-eagle3", KVB_SPECULATIVE_EAGLE}, {"draft-simple", KVB_SPECULATIVE_DRAFT_MODEL},
        {"draft", KVB_SPECULATIVE_DRAFT_MODEL},  {"draft-dflash", KVB_SPECULATIVE_DFLASH},
        {"ngram-", KVB_SPECULATIVE_NGRAM},       {"none", KVB_SPECULATIVE_NONE},
    };
    uint64_t method = KVB_SPECULATIVE_NONE;
    for (const char *part = value;; part++) {
        size_t length = strcspn(part, ","), i = 0, count = sizeof kinds / sizeof kinds[0];
        while (i < count && !(strncmp(kinds[i].text, part, strlen(kinds[i].text)) == 0 &&
                              (strlen(kinds[i].text) == length || kinds[i].number == KVB_SPECULATIVE_NGRAM))) {
            i++;
        }
        if (i == count) {
            return refuse(why, "spec-type", value, "none, draft-simple, draft-mtp, draft-eagle3 or ngram-...");
        }
        bool lighter = kinds[i].number == KVB_SPECULATIVE_NGRAM && method != KVB_SPECULATIVE_NONE;
        method = lighter || kinds[i].number == KVB_SPECULATIVE_NONE ? method : kinds[i].number;
        part += length;
        if (*part == '\0') {
            kvb_settings_set(&deployment->settings, KVB_SET_SPECULATIVE_METHOD, method, origin);
            return true;
        }
    }
}

bool kvb_llama_read_drafted(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    uint64_t number;
    if (!kvb_parse_whole(value, &number) || number > 1024) {
        return refuse(why, "draft-max", value, "a number of tokens up to 1024");
    }
    kvb_settings_set(&deployment->settings, KVB_SET_NUM_SPECULATIVE_TOKENS, number, origin);
    return true;
}

// "Qwen3-8B-Q4_K_M.gguf" says its formats, should its header not be there.
static bool read_formats(const char *value, enum kvb_setting setting, enum kvb_origin origin,
                         struct kvb_deployment *deployment)
{
    const struct kvb_setting_row *row = kvb_setting_row_of(setting);
    size_t best = 0;
    for (uint32_t i = 0; i < row->word_count; i++) {
        size_t length = strlen(row->words[i].text);
        for (const char *at = value; *at != '\0'; at++) {
            size_t same = 0;
            while (same < length && kvb_lower(at[same]) == row->words[i].text[same]) {
                same++;
            }
            bool begins = at == value || strchr("-._/", at[-1]) != NULL;
            if (same == length && begins && length > best) {
                best = length;
                kvb_settings_set(&deployment->settings, setting, row->words[i].number, origin);
            }
        }
    }
    return best > 0;
}

bool kvb_llama_read_file_name(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                              char why[256])
{
    (void)why;
    return read_formats(value, KVB_SET_GGUF_TYPE, origin, deployment);
}

// Of a draft model: the formats that its name says.
bool kvb_llama_read_draft_name(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                               char why[256])
{
    (void)why;
    return read_formats(value, KVB_SET_DRAFT_GGUF_TYPE, origin, deployment);
}

// "ggml-org/Qwen3-0.6B-GGUF:Q8_0"
bool kvb_llama_read_draft_repository(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                                     char why[256])
{
    uint64_t number;
    if (!read_name(value, "hf-repo-draft", deployment->draft_model, &number, why)) {
        return false;
    }
    kvb_settings_set(&deployment->settings, KVB_SET_DRAFT_GGUF_TYPE, number, origin);
    if (!deployment->settings.values[KVB_SET_SPECULATIVE_METHOD].set) {
        kvb_settings_set(&deployment->settings, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL, origin);
    }
    return true;
}

// "CUDA0,CUDA1" or "Vulkan0": the backend and how many GPUs.
bool kvb_llama_read_devices(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    static const struct {
        const char *prefix;
        uint64_t backend;
    } names[] = {{"CUDA", 1}, {"ROCm", 2}, {"HIP", 2}, {"Vulkan", 3}, {"Metal", 4}, {"MTL", 4}, {"SYCL", 5}};
    uint64_t count = 1;
    for (const char *at = value; *at != '\0'; at++) {
        count += *at == ',';
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(value, names[i].prefix, strlen(names[i].prefix)) == 0) {
            kvb_settings_set(&deployment->settings, KVB_SET_GGML_BACKEND, names[i].backend, origin);
            kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, count, origin);
            return true;
        }
    }
    if (strcmp(value, "none") == 0) {
        kvb_settings_set(&deployment->settings, KVB_SET_GPU_LAYERS, 0, origin);
        return true;
    }
    return refuse(why, "device", value, "devices such as CUDA0,CUDA1");
}
