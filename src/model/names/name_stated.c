// A fine-tune whose name states the built-in model it was made from: every word of that model, its version and all
// sizes.
#include <string.h>

#include "base/text.h"
#include "catalogue/builtin.h"
#include "model/names/name.h"

#define WORDS_MAX 24
#define WORD_CAPACITY 32

struct words {
    char text[WORDS_MAX][WORD_CAPACITY];
    uint32_t count;
};

// Extra words that make another shape or another head than the model's they stand beside.
static const char *const shapes[] = {
    "vl",           "vision",      "vlm",      "visual",     "omni",     "audio",     "speech",        "asr",
    "tts",          "ocr",         "llava",    "clip",       "siglip",   "draft",     "drafter",       "eagle",
    "eagle2",       "eagle3",      "medusa",   "dflash",     "mtp",      "assistant", "speculator",    "accelerator",
    "reap",         "pruned",      "prune",    "sparse",     "slim",     "moe",       "mixture",       "embed",
    "embedding",    "embeddings",  "rerank",   "reranker",   "reward",   "rm",        "prm",           "orm",
    "genrm",        "classifier",  "cls",      "guard",      "lora",     "qlora",     "adapter",       "peft",
    "minitron",     "width",       "depth",    "hybrid",     "mamba",    "nano",      "mini",          "small",
    "medium",       "large",       "tiny",     "micro",      "next",     "upscaled",  "random",        "franken",
    "frankenmerge", "merged",      "expanded", "pro",        "ultra",    "super",     "lite",          "idefics",
    "blip",         "cogvlm",      "mantis",   "vila",       "ultravox", "xcomposer", "internvl",      "paligemma",
    "flash",        "v",           "linear",   "diffusion",  "h",        "encoder",   "bidirectional", "colbert",
    "test",         "layers",      "half",     "fpquant",    "m2m",      "longlora",  "yarn",          "aqlm",
    "vptq",         "quip",        "squeeze",  "squeezellm", "eetq",     "bitnet",    "higgs",         "torchao",
    "spqr",         "marlin",      "rkllm",    "rknn",       "qnn",      "trt",       "tensorrt",      "mlc",
    "ct2",          "ctranslate2", "mnn",      "quark",      "nncf",     "tflite",    "litert",        "executorch",
    "neuron",       "onnx",        "int8wo",   "int4wo",     "text"};
// Words a model's own name may have that its fine-tunes leave out.
static const char *const left_out[] = {"instruct", "it", "chat", "base", "pt", "hf", "meta", "preview"};

static bool is_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// "8b", "0.6b", "8x7b", "a3b", "e4b", "135m".
static bool is_size(const char *word)
{
    size_t length = strlen(word), first = word[0] == 'a' || word[0] == 'e' ? 1 : 0;
    return length > first + 1 && kvb_is_digit(word[first]) && strchr("bmt", word[length - 1]) != NULL &&
           strspn(word + first, "0123456789.x") + 1 == length - first;
}

// "v0.1", "2507": one of several builds of one shape.
static bool is_build(const char *word)
{
    bool version = word[0] == 'v' && kvb_name_is_version(word + 1);
    return version || (kvb_name_is_version(word) && strlen(word) == 4 && strchr(word, '.') == NULL);
}

// "32k": the length is not the model's any more.
static bool is_length(const char *word)
{
    size_t digits = strspn(word, "0123456789");
    return digits > 0 && word[digits] == 'k' && word[digits + 1] == '\0';
}

// "2bit", "4.65bpw": a number format that no rule here knows.
static bool is_width(const char *word)
{
    const char *end = word + strspn(word, "0123456789.");
    return end > word && (strcmp(end, "bit") == 0 || strcmp(end, "bits") == 0 || strcmp(end, "bpw") == 0);
}

static void add(struct words *words, const char *text, size_t length)
{
    if (words->count < WORDS_MAX && length > 0 && length < WORD_CAPACITY) {
        memcpy(words->text[words->count], text, length);
        words->text[words->count++][length] = '\0';
    }
}

// "qwen2.5" and "llama3" are a family and its version; "v0.1" and "8b" stay whole.
static void add_parted(struct words *words, const char *word)
{
    size_t letters = 0, length = strlen(word);
    while (word[letters] >= 'a' && word[letters] <= 'z') {
        letters++;
    }
    if (!is_size(word) && !is_build(word) && letters > 0 && letters < length && kvb_name_is_version(word + letters)) {
        bool short_llama = letters == 1 && word[0] == 'l'; // "L3.3-70B"
        add(words, short_llama ? "llama" : word, short_llama ? strlen("llama") : letters);
        add(words, word + letters, length - letters);
    } else {
        add(words, word, length);
    }
}

// "speculator.eagle3" is two words, "2.5" and "v0.1" are one.
static bool parts_words(const char *at, size_t used)
{
    char before = used > 0 ? kvb_lower(at[-1]) : '.', after = *at == '.' ? kvb_lower(at[1]) : '.';
    return before >= 'a' && before <= 'z' && after >= 'a' && after <= 'z';
}

static void cut(struct words *words, const char *name)
{
    words->count = 0;
    while (*name) {
        char word[WORD_CAPACITY];
        size_t used = 0;
        while (*name && !parts_words(name, used) &&
               (strchr("-_ ", *name) == NULL ||
                (*name == '_' && used > 0 && kvb_is_digit(name[-1]) && kvb_is_digit(name[1])))) {
            if (used + 1 < sizeof word) {
                word[used++] = *name == '_' ? '.' : kvb_lower(*name);
            }
            name++;
        }
        word[used] = '\0';
        add_parted(words, word);
        name += *name != '\0';
    }
}

static uint32_t sizes_of(const struct words *words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        count += is_size(words->text[i]);
    }
    return count;
}

static bool is_version(const struct words *words, uint32_t at)
{
    return at < words->count && kvb_name_is_version(words->text[at]) && !is_build(words->text[at]);
}

// What follows a family's word has to follow it in the name too: its version, and where it has none its size.
static bool breaks_version(const struct words *name, uint32_t at, const struct words *base, uint32_t of)
{
    bool wants = is_version(base, of + 1) || (of + 1 < base->count && is_size(base->text[of + 1]));
    bool same = at + 1 < name->count && of + 1 < base->count && strcmp(name->text[at + 1], base->text[of + 1]) == 0;
    return wants ? !same : is_version(name, at + 1);
}

static bool find_word(const struct words *name, const struct words *base, uint32_t of, bool used[WORDS_MAX])
{
    for (uint32_t i = 0; i < name->count; i++) {
        if (!used[i] && strcmp(name->text[i], base->text[of]) == 0 &&
            (is_size(base->text[of]) || kvb_name_is_version(base->text[of]) || !breaks_version(name, i, base, of))) {
            used[i] = true;
            return true;
        }
    }
    return false;
}

// Points of a model whose every word the name has, 0 where it lacks one or has one that makes another shape.
static uint32_t points(const struct words *name, const struct words *base)
{
    bool used[WORDS_MAX] = {false};
    uint32_t sum = 0;
    for (uint32_t i = 0; i < base->count; i++) {
        const char *word = base->text[i];
        bool may_lack = is_build(word) || is_among(word, left_out, sizeof left_out / sizeof left_out[0]);
        if (find_word(name, base, i, used)) {
            sum += may_lack ? 1 : 16;
        } else if (!may_lack) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < name->count; i++) {
        const char *word = name->text[i];
        if (!used[i] && (is_size(word) || is_length(word) || is_width(word) ||
                         is_among(word, shapes, sizeof shapes / sizeof shapes[0]))) {
            return 0;
        }
    }
    return sum;
}

static bool is_plain(const char *id, struct words *words)
{
    struct kvb_name parts = {0};
    struct kvb_name_scheme scheme;
    char rest[KVB_NAME_PART];
    const char *slash = strchr(id, '/');
    (void)kvb_copy(parts.name, sizeof parts.name, slash ? slash + 1 : id);
    kvb_name_take_words(&parts, rest, &scheme);
    cut(words, rest);
    return scheme.method == KVB_NAME_UNSAID && words->count > 1 && sizes_of(words) > 0;
}

// Whether versions of the family were made in this size: "Qwen-7B" may be any of four models.
static bool has_versions(const struct words *base)
{
    struct words other;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    for (size_t i = 0; i < count && base->count > 1 && is_size(base->text[1]); i++) {
        if (is_plain(rows[i].id, &other) && other.count > 2 && strcmp(other.text[0], base->text[0]) == 0 &&
            is_version(&other, 1) && strcmp(other.text[2], base->text[1]) == 0) {
            return true;
        }
    }
    return false;
}

const struct kvb_builtin *kvb_name_stated(const char *name)
{
    struct words wanted, have;
    const struct kvb_builtin *best = NULL;
    uint32_t most = 0;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    cut(&wanted, name);
    for (size_t i = 0; i < count; i++) {
        uint32_t sum = is_plain(rows[i].id, &have) ? points(&wanted, &have) : 0;
        if (sum > most) {
            most = sum;
            best = &rows[i];
        }
    }
    return best && is_plain(best->id, &have) && has_versions(&have) ? NULL : best;
}
