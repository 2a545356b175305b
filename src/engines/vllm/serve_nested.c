// Mappings inside the JSON of a flag, and words of one flag that another's JSON goes with.
// Source: vllm/config/attention.py backend_per_kind, kernel.py ir_op_priority and quantization.py by tag.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define FUSED_SINCE R(21, 0)
#define PREFETCH_SINCE R(21, 0)
#define XPU_KERNELS_UNTIL R(27, 0)
#define KINDS_SINCE R(26, 0) // before 0.16 the config takes any member

static bool say(char out[OPTIONAL_CAPACITY], const char *key, const char *what)
{
    (void)kvb_copy(out, OPTIONAL_CAPACITY, "1 validation error, ");
    kvb_add_text(out, OPTIONAL_CAPACITY, key);
    kvb_add_text(out, OPTIONAL_CAPACITY, ": ");
    kvb_add_text(out, OPTIONAL_CAPACITY, what);
    return true;
}

static bool same(const char *word, const char *text, size_t size, bool any_case)
{
    for (size_t i = 0; i < size; i++) {
        if (word[i] == '\0' || (text[i] != word[i] && !(any_case && kvb_lower(word[i]) == kvb_lower(text[i])))) {
            return false;
        }
    }
    return word[size] == '\0';
}

static bool is_listed(const char *list, const char *text, size_t size, uint32_t release)
{
    bool backends = kvb_ends_with(list, "backend"); // by their names in capitals
    const struct kvb_known_choice *row = kvb_choices_of(list, release);
    while (row != NULL && !same(row->word, text, size, backends)) {
        row = kvb_choice_after(row, release);
    }
    return row != NULL;
}

// A backend by its name in capitals, which "auto" is not here.
static bool judge_kinds(const struct kvb_member *whole, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    if (whole->value[0] != '{') {
        return say(out, whole->key, "Input should be an object");
    }
    for (const char *at = whole->value; kvb_member_next(&at, &member);) {
        bool quoted = member.value[0] == '"';
        const char *name = member.value + quoted;
        size_t size = member.size - 2 * (size_t)quoted;
        if (!is_listed("attention-config.kind", member.key, strlen(member.key), release)) {
            return say(out, whole->key, "Unknown KV cache group kind");
        }
        bool custom = kvb_vllm_member_is(&member, "null"); // the value of CUSTOM
        bool named =
            quoted && !same("auto", name, size, true) && is_listed("attention-config.backend", name, size, release);
        if (!named && !custom) {
            return say(out, whole->key, "Unknown attention backend");
        }
    }
    return false;
}

// What vllm/kernels registers, whatever the platform.
static bool is_provider(const char *text, size_t size, uint32_t release)
{
    static const char *const words[] = {"native", "vllm_c", "aiter", "oink", "xpu_kernels"};
    size_t count = sizeof words / sizeof words[0] - (release >= XPU_KERNELS_UNTIL ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        if (same(words[i], text, size, false)) {
            return true;
        }
    }
    return false;
}

// A list of names, or one text with commas between them, of which no blank counts.
static bool names_providers(const struct kvb_member *op, uint32_t release)
{
    struct kvb_member name;
    bool list = op->value[0] == '[', all = list || op->value[0] == '"';
    for (const char *at = op->value + 1; list && kvb_element_next(&at, &name);) {
        all = all && name.value[0] == '"' && is_provider(name.value + 1, name.size - 2, release);
    }
    const char *end = op->value + op->size - 1; // the quote behind the text
    for (const char *at = op->value + 1; !list && all && at <= end;) {
        at += strspn(at, " ");
        size_t size = strcspn(at, " ,\"");
        all = is_provider(at, size, release);
        at += size + strspn(at + size, " ") + 1;
    }
    return all;
}

static bool judge_op(const struct kvb_member *op, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    bool fused = release >= FUSED_SINCE && strcmp(op->key, "fused_add_rms_norm") == 0;
    if (!fused && strcmp(op->key, "rms_norm") != 0) {
        return say(out, op->key, "Unexpected keyword argument");
    }
    if (!names_providers(op, release)) {
        return say(out, op->key, "All providers in priority must be registered implementations.");
    }
    return false;
}

static bool judge_priority(const struct kvb_member *whole, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    if (whole->value[0] != '{') {
        return say(out, whole->key, "Input should be an object");
    }
    for (const char *at = whole->value; kvb_member_next(&at, &member);) {
        if (judge_op(&member, release, out)) {
            return true;
        }
    }
    return false;
}

// Names are looked up as text: null is none of them.
static bool judge_kernel(const struct kvb_member *member, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    if (kvb_ends_with(member->key, "_backend") && member->value[0] != '"') {
        return say(out, member->key, "Input should be one of the names of kernels");
    }
    return strcmp(member->key, "ir_op_priority") == 0 && judge_priority(member, release, out);
}

// One kind of layer: what its weights and its activations are made of.
static bool judge_spec(const struct kvb_member *whole, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    struct kvb_member member;
    for (const char *at = whole->value; kvb_member_next(&at, &member);) {
        if (strcmp(member.key, "weight") != 0 && strcmp(member.key, "activation") != 0) {
            return say(out, member.key, "Unexpected keyword argument");
        }
        bool quoted = member.value[0] == '"';
        bool known = quoted && is_listed("quantization-config.spec", member.value + 1, member.size - 2, release);
        if (!known && !kvb_vllm_member_is(&member, "null")) {
            return say(out, member.key, "unknown quantization name");
        }
    }
    return false;
}

// How a draft is loaded: members of LoadConfig, from v0.17.0 on.
static bool judge_load(const struct kvb_member *whole, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    static const char *const keys[] = {"load_format",
                                       "download_dir",
                                       "safetensors_load_strategy",
                                       "model_loader_extra_config",
                                       "device",
                                       "ignore_patterns",
                                       "use_tqdm_on_load",
                                       "pt_load_map_location",
                                       "safetensors_prefetch_num_threads",
                                       "safetensors_prefetch_block_size"};
    size_t count = sizeof keys / sizeof keys[0] - (release >= PREFETCH_SINCE ? 0 : 2);
    struct kvb_member member;
    if (kvb_vllm_member_is(whole, "null")) {
        return false;
    }
    if (whole->value[0] != '{') {
        return say(out, whole->key, "Input should be a dictionary");
    }
    for (const char *at = whole->value; kvb_member_next(&at, &member);) {
        bool known = false;
        for (size_t i = 0; i < count; i++) {
            known |= strcmp(keys[i], member.key) == 0;
        }
        if (!known) {
            return say(out, member.key, "Unexpected keyword argument");
        }
    }
    return false;
}

bool kvb_vllm_judge_nested(const char *flag, const struct kvb_member *member, uint32_t release,
                           char out[OPTIONAL_CAPACITY])
{
    if (strcmp(flag, "attention-config") == 0) {
        return release >= KINDS_SINCE && strcmp(member->key, "backend_per_kind") == 0 &&
               judge_kinds(member, release, out);
    }
    if (strcmp(flag, "ir-op-priority") == 0) {
        return judge_op(member, release, out);
    }
    if (strcmp(flag, "speculative-config") == 0) {
        return strcmp(member->key, "draft_load_config") == 0 && judge_load(member, release, out);
    }
    if (strcmp(flag, "kernel-config") == 0) {
        return judge_kernel(member, release, out);
    }
    if (strcmp(flag, "quantization-config") != 0) {
        return false;
    }
    if (strcmp(member->key, "ignore") == 0) { // a list of text, as its type says
        return false;
    }
    if (member->value[0] == '{') {
        return judge_spec(member, release, out);
    }
    if (member->value[0] == '"' || kvb_vllm_member_is(member, "null")) {
        return false;
    }
    return say(out, member->key, "Input should be a dictionary or a name");
}

// ---- Words of --quantization that a config goes with

bool kvb_vllm_judge_schemes(const struct kvb_deployment *deployment, const struct kvb_engine *engine,
                            char out[OPTIONAL_CAPACITY])
{
    uint32_t release = engine->release;
    char dotted[KVB_DOTTED_CAPACITY];
    kvb_vllm_gather_dotted(deployment, "quantization-config", release, dotted);
    bool config = dotted[1] != '}' || kvb_vllm_said(deployment, "quantization-config", release) != NULL;
    const char *word = kvb_vllm_said(deployment, "quantization", release);
    if (!config || word == NULL || !kvb_vllm_is_release(engine)) {
        return false;
    }
    if (is_listed("quantization-config.shorthand", word, strcspn(word, "\n"), release)) {
        return false;
    }
    (void)kvb_copy(out, OPTIONAL_CAPACITY, "quantization_config is only supported when quantization is one of [");
    for (const struct kvb_known_choice *row = kvb_choices_of("quantization-config.shorthand", release); row != NULL;
         row = kvb_choice_after(row, release)) {
        kvb_add_text(out, OPTIONAL_CAPACITY, out[strlen(out) - 1] == '[' ? "'" : ", '");
        kvb_add_text(out, OPTIONAL_CAPACITY, row->word);
        kvb_add_text(out, OPTIONAL_CAPACITY, "'");
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, "]");
    return true;
}
