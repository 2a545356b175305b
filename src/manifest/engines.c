// Which programs start an engine, and which commands only speak of one.
#include "manifest/engines.h"

#include <string.h>

#include "base/text.h"

static const struct kvb_program_row rows[] = {
    {"vllm", "vLLM", true, KVB_PROGRAM_WORDS, "vllm", "serve", false},
    {"vllm", "vLLM", true, KVB_PROGRAM_MODULE, "vllm.entrypoints.", NULL, false},
    {"vllm", "vLLM", true, KVB_PROGRAM_MODULE, "dynamo.vllm", NULL, false}, // takes the engine's own flags
    {"vllm", "vLLM", true, KVB_PROGRAM_WORDS, "trl", "vllm-serve", false},
    {"vllm", "vLLM", true, KVB_PROGRAM_FILE, "vllm/entrypoints/openai/api_server.py", NULL, false},
    {"vllm", "vLLM", true, KVB_PROGRAM_FILE, "vllm/entrypoints/api_server.py", NULL, false},
    {"sglang", "SGLang", false, KVB_PROGRAM_MODULE, "sglang.launch_server", NULL, false},
    {"sglang", "SGLang", false, KVB_PROGRAM_MODULE, "sglang_router.launch_server", NULL, false},
    {"sglang", "SGLang", false, KVB_PROGRAM_MODULE, "dynamo.sglang", NULL, false},
    {"sglang", "SGLang", false, KVB_PROGRAM_WORDS, "sglang", "serve", false},
    {"llama.cpp", "llama.cpp", false, KVB_PROGRAM_WORDS, "llama-server", NULL, true},
    {"llama.cpp", "llama.cpp", false, KVB_PROGRAM_MODULE, "llama_cpp.server", NULL, false},
};

const struct kvb_program_row *kvb_program_at(size_t index)
{
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *word_at(const struct kvb_words *words, uint32_t index)
{
    return index < words->count ? words->items[index].text : "";
}

// A path of a virtual environment or sys.executable is Python, too.
static bool is_python(const char *word)
{
    const char *name = last_part(word);
    return kvb_starts_with(name, "python") || strcmp(word, "${sys.executable}") == 0 || strcmp(name, "pypy3") == 0;
}

// `python -u -m MODULE`: the index of what is run, or KVB_NOT_FOUND.
static uint32_t run_by_python(const struct kvb_words *words, uint32_t index, bool *is_module)
{
    *is_module = false;
    for (uint32_t i = index + 1; i < index + 6 && i < words->count; i++) {
        if (strcmp(word_at(words, i), "-m") == 0) {
            *is_module = true;
            return i + 1 < words->count ? i + 1 : KVB_NOT_FOUND;
        }
        if (word_at(words, i)[0] != '-') {
            return i;
        }
    }
    return KVB_NOT_FOUND;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

static bool fits_words(const struct kvb_program_row *row, const struct kvb_words *words, uint32_t index)
{
    const char *next = word_at(words, index + 1);
    bool second = row->second == NULL || strcmp(next, row->second) == 0;
    return strcmp(last_part(word_at(words, index)), row->name) == 0 && second && (!row->needs_flag || next[0] == '-');
}

static bool take_python(const struct kvb_words *words, uint32_t index, struct kvb_program *found)
{
    bool is_module = false;
    uint32_t run = is_python(word_at(words, index)) ? run_by_python(words, index, &is_module) : KVB_NOT_FOUND;
    for (size_t i = 0; run != KVB_NOT_FOUND && i < sizeof rows / sizeof rows[0]; i++) {
        const char *what = word_at(words, run);
        bool fits = rows[i].form == KVB_PROGRAM_MODULE
                        ? is_module && kvb_starts_with(what, rows[i].name)
                        : rows[i].form == KVB_PROGRAM_FILE && ends_with(what, rows[i].name);
        if (fits) {
            *found = (struct kvb_program){&rows[i], index, run + 1};
            return true;
        }
    }
    return false;
}

// `-m MODULE` behind an image whose entrypoint is Python.
static bool take_bare_module(const struct kvb_words *words, struct kvb_program *found)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && strcmp(word_at(words, 0), "-m") == 0; i++) {
        if (rows[i].form == KVB_PROGRAM_MODULE && kvb_starts_with(word_at(words, 1), rows[i].name)) {
            *found = (struct kvb_program){&rows[i], 0, 2};
            return true;
        }
    }
    return false;
}

struct kvb_program kvb_program_find(const struct kvb_words *words)
{
    struct kvb_program found = {NULL, KVB_NOT_FOUND, KVB_NOT_FOUND};
    if (take_bare_module(words, &found)) {
        return found;
    }
    for (uint32_t i = 0; i < words->count; i++) {
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if (rows[k].form == KVB_PROGRAM_WORDS && fits_words(&rows[k], words, i)) {
                return (struct kvb_program){&rows[k], i, i + (rows[k].second != NULL ? 2 : 1)};
            }
        }
        if (take_python(words, i, &found)) {
            return found;
        }
    }
    return found;
}

// ---- text

// "vllm serve", with any blanks or a continued line between the words.
static bool has_pair(const char *text, const char *first, const char *second)
{
    size_t length = strlen(first);
    for (const char *at = strstr(text, first); at != NULL; at = strstr(at + 1, first)) {
        size_t gap = strspn(at + length, " \t\\\r\n");
        if (gap > 0 && kvb_starts_with(at + length + gap, second)) {
            return true;
        }
    }
    return false;
}

// `docker run ... vllm/vllm-openai ...`
static bool runs_image(const char *text)
{
    bool image = strstr(text, "vllm-openai") != NULL;
    return image &&
           (strstr(text, "docker") != NULL || strstr(text, "podman") != NULL || strstr(text, "nerdctl") != NULL);
}

bool kvb_text_starts_engine(const char *text)
{
    static const char *const trainers[] = {"verl.trainer.main", "openrlhf.cli.train_"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool pair = rows[i].second != NULL && has_pair(text, rows[i].name, rows[i].second);
        bool alone = rows[i].second == NULL && strstr(text, rows[i].name) != NULL;
        if (pair || alone) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof trainers / sizeof trainers[0]; i++) {
        if (strstr(text, trainers[i]) != NULL) {
            return true;
        }
    }
    return runs_image(text);
}

bool kvb_text_mentions_engine(const char *text)
{
    static const char *const words[] = {"vllm", "vLLM", "VLLM", "sglang", "SGLang", "llama-server", "llama_cpp.server"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

// ---- what stands in front

static bool is_among(const char *const *list, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], word) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_AMONG(list, word) is_among(list, sizeof list / sizeof list[0], word)

bool kvb_words_only_speak(const struct kvb_words *words)
{
    static const char *const before[] = {"if",   "!",    "while", "until", "then", "else", "elif", "do",     "sudo",
                                         "time", "exec", "env",   "{",     "&&",   "||",   "@",    "command"};
    static const char *const speakers[] = {
        "echo",    "printf", "print", "cat",    "grep", "egrep", "pgrep", "pkill",   "killall", "kill",
        "ps",      "pidof",  "wait",  "which",  "type", "alias", "test",  "[",       "[[",      "sed",
        "awk",     "tee",    "head",  "tail",   "ls",   "curl",  "wget",  "git",     "pip",     "pip3",
        "apt-get", "warn",   "die",   "figlet", "say",  "read",  "trap",  "unset",   "source",  ".",
        "return",  "exit",   "case",  "mkdir",  "cp",   "mv",    "rm",    "complete"};
    static const char *const parts[] = {"log", "echo", "print", "info", "warn", "error", "msg", "usage", "wait_for"};
    uint32_t first = 0;
    while (first < words->count && IS_AMONG(before, words->items[first].text)) {
        first++;
    }
    const char *word = last_part(word_at(words, first));
    word += strspn(word, "@-"); // of a recipe
    if (IS_AMONG(speakers, word)) {
        return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (kvb_contains_ignoring_case(word, parts[i]) && strchr(word, '=') == NULL) {
            return true;
        }
    }
    return false;
}

bool kvb_words_lead_to(const struct kvb_words *words, uint32_t first)
{
    static const char *const starters[] = {
        "exec",        "nohup",     "sudo",       "env",      "time",     "timeout",     "srun",          "mpirun",
        "numactl",     "taskset",   "nice",       "uv",       "uvx",      "conda",       "poetry",        "pipx",
        "singularity", "apptainer", "docker",     "podman",   "kubectl",  "ssh",         "bash",          "sh",
        "/bin/bash",   "/bin/sh",   "tmux",       "screen",   "nsys",     "ncu",         "stdbuf",        "tini",
        "dumb-init",   "ray",       "accelerate", "torchrun", "xvfb-run", "systemd-run", "nvidia-docker", "pdm",
        "rye",         "hatch",     "setsid",     "eval",     "if",       "then",        "else",          "do",
        "!",           "{",         "&&",         "while"};
    for (uint32_t i = 0; i < first; i++) {
        const char *word = words->items[i].text;
        size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
        if (name > 0 && word[name] == '=') {
            continue;
        }
        return IS_AMONG(starters, word);
    }
    return true;
}
