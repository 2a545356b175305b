// Names made comparable: spelling, makers and the words of variants taken away.
#include <string.h>

#include "base/text.h"
#include "model/names/name.h"

// Words that tell one variant of a model from another of the same shape.
static const char *const variants[] = {"instruct", "it",   "chat",  "base",      "pt",      "hf",          "sft",
                                       "dpo",      "orpo", "rl",    "grpo",      "kto",     "abliterated", "uncensored",
                                       "heretic",  "ft",   "tuned", "finetuned", "finetune"};

// "Meta-Llama" and "Llama" are one.
static const char *without_maker(const char *name)
{
    static const char *const makers[] = {"meta-",   "nvidia-",      "mistralai-", "qwen-qwen",
                                         "google-", "deepseek-ai-", "c4ai-"};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        size_t length = strlen(makers[i]), same = 0;
        while (same < length && kvb_lower(name[same]) == makers[i][same]) {
            same++;
        }
        if (same == length) {
            return name + length - (strcmp(makers[i], "qwen-qwen") == 0 ? 4 : 0);
        }
    }
    return name;
}

void kvb_name_fold(char *out, size_t capacity, const char *name)
{
    size_t used = 0;
    const char *at = without_maker(name);
    for (const char *c = at; *c && used + 1 < capacity; c++) {
        bool mark = strchr("-_. ", *c) != NULL;
        bool between = mark && c > at && kvb_is_digit(c[-1]) && kvb_is_digit(c[1]);
        if (!mark || between) {
            out[used++] = *c == '_' ? '.' : kvb_lower(*c);
        }
    }
    out[used] = '\0';
}

static bool is_variant(const char *at, size_t length)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        size_t same = 0;
        while (same < length && variants[i][same] == kvb_lower(at[same])) {
            same++;
        }
        if (same == length && variants[i][same] == '\0') {
            return true;
        }
    }
    return false;
}

void kvb_name_fold_core(char out[KVB_NAME_PART], const char *name)
{
    char kept[KVB_NAME_PART];
    size_t used = 0;
    while (*name) {
        size_t length = strcspn(name, "-_ ");
        if (!is_variant(name, length) && used + length + 2 < sizeof kept) {
            if (used > 0) {
                kept[used++] = '-';
            }
            memcpy(kept + used, name, length);
            used += length;
        }
        name += length;
        name += *name != '\0';
    }
    kept[used] = '\0';
    kvb_name_fold(out, KVB_NAME_PART, kept);
}

bool kvb_name_is_tuned(const char *name)
{
    while (*name) {
        size_t length = strcspn(name, "-_ ");
        if (is_variant(name, length) && (kvb_lower(*name) == 'i' || kvb_lower(*name) == 'c')) {
            return true; // "instruct", "it", "chat"
        }
        name += length;
        name += *name != '\0';
    }
    return false;
}
