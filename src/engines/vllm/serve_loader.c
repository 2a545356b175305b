// What a loader of weights takes beside its format. Source: vllm/model_executor/model_loader/loader.py v0.8.5,
// default_loader.py and dummy_loader.py from v0.9.0, config/load.py by release.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define FORMAT_CAPACITY 32
#define CONFIG_SINCE R(8, 5)
#define KEYS_SINCE R(10, 2)
#define TYPED_SINCE R(24, 0)
#define TRACK_SINCE R(22, 0)
#define UNLIMITED_SINCE R(25, 0)

static bool is_one_of(const char *text, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            return true;
        }
    }
    return false;
}

// The formats of DefaultModelLoader, "dummy" and "gguf": the last two take no config of their own.
static bool find_format(const struct kvb_deployment *deployment, uint32_t release, char out[FORMAT_CAPACITY],
                        bool *takes_keys, bool *sharded)
{
    static const char *const common[] = {"auto",    "hf",      "safetensors",     "pt",
                                         "npcache", "mistral", "fastsafetensors", "instanttensor"};
    static const char *const bare[] = {"dummy", "gguf"};
    static const char *const pattern[] = {"sharded_state", "runai_streamer_sharded"};
    const char *said = kvb_vllm_said(deployment, "load-format", release);
    said = said != NULL ? said : "auto";
    size_t size = strcspn(said, "\n");
    out[0] = '\0';
    kvb_append(out, FORMAT_CAPACITY, said, size);
    *sharded = is_one_of(out, pattern, sizeof pattern / sizeof pattern[0]);
    *takes_keys = is_one_of(out, common, sizeof common / sizeof common[0]);
    return *sharded || *takes_keys || is_one_of(out, bare, sizeof bare / sizeof bare[0]);
}

// The first key that is none of the loader's; false where all are.
static bool find_other_key(const char *value, bool sharded, uint32_t release, char out[64])
{
    static const char *const common[] = {"enable_multithread_load", "num_threads", "enable_weights_track"};
    static const char *const pattern[] = {"pattern"};
    const char *const *keys = sharded ? pattern : common;
    size_t known = sharded ? 1 : release >= TRACK_SINCE ? 3 : 2;
    size_t depth = 0;
    for (const char *at = value; *at != '\0' && *at != '\n'; at++) {
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        if (*at != '"') {
            continue;
        }
        size_t size = strcspn(at + 1, "\"\n");
        const char *behind = at + 1 + size + strspn(at + 1 + size, "\"");
        bool key = depth == 1 && behind[strspn(behind, " ")] == ':';
        out[0] = '\0';
        kvb_append(out, 64, at + 1, size);
        if (key && !is_one_of(out, keys, known)) {
            return true;
        }
        at = behind - 1;
    }
    return false;
}

static bool judge_types(const char *value, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    for (const char *at = value; kvb_member_next(&at, &member);) {
        bool truth = kvb_vllm_member_is(&member, "true") || kvb_vllm_member_is(&member, "false");
        if (strcmp(member.key, "enable_multithread_load") == 0 && !truth) {
            (void)kvb_copy(out, OPTIONAL_CAPACITY, "enable_multithread_load must be a bool");
            return true;
        }
        bool count = kvb_is_digit(member.value[0]) && !kvb_vllm_member_is(&member, "0");
        if (strcmp(member.key, "num_threads") == 0 && !count && !kvb_vllm_member_is(&member, "null")) {
            (void)kvb_copy(out, OPTIONAL_CAPACITY, "num_threads must be a positive integer");
            return true;
        }
    }
    return false;
}

// RunaiModelStreamerLoader v0.24.0; from v0.25.0 a limit may be none, -1, too.
static bool judge_streamer(const char *value, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    for (const char *at = value; kvb_member_next(&at, &member);) {
        bool truth = kvb_vllm_member_is(&member, "true") || kvb_vllm_member_is(&member, "false");
        bool digits = strspn(member.value, "0123456789") == member.size, zero = kvb_vllm_member_is(&member, "0");
        bool limit = strcmp(member.key, "memory_limit") == 0;
        bool unlimited = limit && release >= UNLIMITED_SINCE && (zero || kvb_vllm_member_is(&member, "-1"));
        const char *text = strcmp(member.key, "distributed") == 0 ? (truth ? "" : "distributed must be a bool")
                           : limit || strcmp(member.key, "concurrency") == 0
                               ? ((digits && !zero) || unlimited ? "" : " must be a positive integer")
                               : "Unexpected extra config keys for runai_streamer: ";
        if (*text != '\0') {
            out[0] = '\0';
            kvb_add_text(out, OPTIONAL_CAPACITY, *text == ' ' ? member.key : "");
            kvb_add_text(out, OPTIONAL_CAPACITY, text);
            kvb_add_text(out, OPTIONAL_CAPACITY, *text == 'U' ? member.key : "");
            return true;
        }
    }
    return false;
}

// create_load_config: this method has a loader of its own, whatever the format.
static bool by_method(const struct kvb_deployment *deployment, uint32_t release)
{
    const char *method = kvb_vllm_said(deployment, "quantization", release);
    return method != NULL && kvb_starts_with(method, "bitsandbytes");
}

bool kvb_vllm_judge_loader(const struct kvb_deployment *deployment, const struct kvb_engine *engine,
                           char out[OPTIONAL_CAPACITY])
{
    uint32_t release = engine->release;
    const char *value = kvb_vllm_said(deployment, "model-loader-extra-config", release);
    char format[FORMAT_CAPACITY], key[64];
    bool takes_keys, sharded;
    if (value == NULL || *value != '{' || value[1 + strspn(value + 1, " ")] == '}' || release < CONFIG_SINCE ||
        by_method(deployment, release)) {
        return false;
    }
    if (!find_format(deployment, release, format, &takes_keys, &sharded)) {
        return strcmp(format, "runai_streamer") == 0 && release >= TYPED_SINCE && judge_streamer(value, release, out);
    }
    bool no_config = !sharded && (!takes_keys || release < KEYS_SINCE);
    if (!no_config && !find_other_key(value, sharded, release, key)) {
        return !sharded && release >= TYPED_SINCE && judge_types(value, out);
    }
    const char *parts[] = {no_config ? "Model loader extra config is not supported for load format "
                                     : "Unexpected extra config keys for load format ",
                           format, no_config ? "" : ": {'", no_config ? "" : key, no_config ? "" : "'}"};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        kvb_add_text(out, OPTIONAL_CAPACITY, parts[i]);
    }
    return true;
}
