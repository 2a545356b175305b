// Which programs start an engine, and which commands only speak of one.
#include "manifest/engines.h"

#include <string.h>

#include "base/text.h"

// Engines that are not planned here.
struct other_row {
    const char *name, *title;
    struct kvb_serve_program program;
};
static const struct other_row others[] = {
    {"llama.cpp", "llama.cpp", {.form = KVB_PROGRAM_MODULE, .name = "llama_cpp.server"}},
};
#define OTHER_COUNT (sizeof others / sizeof others[0])

// All programs, those of the engines planned here first; false behind the last.
static bool program_at(size_t index, struct kvb_program *out)
{
    size_t engines, count;
    const struct kvb_engine_rows *const *engine = kvb_engines(&engines);
    *out = (struct kvb_program){.first = KVB_NOT_FOUND, .arguments = KVB_NOT_FOUND};
    for (size_t i = 0; i < engines; i++) {
        const struct kvb_serve_program *rows = engine[i]->programs != NULL ? engine[i]->programs(&count) : NULL;
        count = rows != NULL ? count : 0;
        if (index < count) {
            out->row = &rows[index];
            out->engine = engine[i];
            out->name = engine[i]->name;
            out->title = engine[i]->title;
            return true;
        }
        index -= count;
    }
    if (index < OTHER_COUNT) {
        out->row = &others[index].program;
        out->name = others[index].name;
        out->title = others[index].title;
    }
    return index < OTHER_COUNT;
}

// A path of a virtual environment or sys.executable is Python, too.
static bool is_python(const char *word)
{
    const char *name = kvb_last_part(word);
    return kvb_starts_with(name, "python") || strcmp(word, "${sys.executable}") == 0 || strcmp(name, "pypy3") == 0;
}

// `python -u -m MODULE`: the index of what is run, or KVB_NOT_FOUND.
static uint32_t run_by_python(const struct kvb_words *words, uint32_t index, bool *is_module)
{
    *is_module = false;
    for (uint32_t i = index + 1; i < index + 6 && i < words->count; i++) {
        if (strcmp(kvb_word_at(words, i), "-m") == 0) {
            *is_module = true;
            return i + 1 < words->count ? i + 1 : KVB_NOT_FOUND;
        }
        if (kvb_word_at(words, i)[0] != '-') {
            return i;
        }
    }
    return KVB_NOT_FOUND;
}

static bool fits_words(const struct kvb_serve_program *row, const struct kvb_words *words, uint32_t index)
{
    const char *next = kvb_word_at(words, index + 1);
    bool second = row->second == NULL || strcmp(next, row->second) == 0;
    return strcmp(kvb_last_part(kvb_word_at(words, index)), row->name) == 0 && second &&
           (!row->needs_flag || next[0] == '-');
}

// The row of a module or a file at `run`. The first whose name is the beginning of a module's decides: its second word
// must follow, so that `python -m vllm.entrypoints.cli.main bench` is no server.
static bool take_run(const struct kvb_words *words, uint32_t first, uint32_t run, bool is_module,
                     struct kvb_program *found)
{
    const char *what = kvb_word_at(words, run), *next = kvb_word_at(words, run + 1);
    for (size_t i = 0; program_at(i, found); i++) {
        const struct kvb_serve_program *row = found->row;
        bool fits = row->form == KVB_PROGRAM_MODULE ? is_module && kvb_starts_with(what, row->name)
                                                    : row->form == KVB_PROGRAM_FILE && kvb_ends_with(what, row->name);
        if (fits) {
            found->first = first;
            found->arguments = run + 1 + (row->second != NULL);
            return row->second == NULL || strcmp(next, row->second) == 0;
        }
    }
    return false;
}

static bool take_python(const struct kvb_words *words, uint32_t index, struct kvb_program *found)
{
    bool is_module = false;
    uint32_t run = is_python(kvb_word_at(words, index)) ? run_by_python(words, index, &is_module) : KVB_NOT_FOUND;
    return run != KVB_NOT_FOUND && take_run(words, index, run, is_module, found);
}

// `-m MODULE` behind an image whose entrypoint is Python.
static bool take_bare_module(const struct kvb_words *words, struct kvb_program *found)
{
    return strcmp(kvb_word_at(words, 0), "-m") == 0 && take_run(words, 0, 1, true, found);
}

struct kvb_program kvb_program_find(const struct kvb_words *words)
{
    struct kvb_program found;
    if (take_bare_module(words, &found)) {
        return found;
    }
    for (uint32_t i = 0; i < words->count; i++) {
        for (size_t k = 0; program_at(k, &found); k++) {
            if (found.row->form == KVB_PROGRAM_WORDS && fits_words(found.row, words, i)) {
                found.first = i;
                found.arguments = i + (found.row->second != NULL ? 2 : 1);
                return found;
            }
        }
        if (take_python(words, i, &found)) {
            return found;
        }
    }
    return (struct kvb_program){.first = KVB_NOT_FOUND, .arguments = KVB_NOT_FOUND};
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
    struct kvb_program program;
    for (size_t i = 0; program_at(i, &program); i++) {
        const struct kvb_serve_program *row = program.row;
        bool pair = row->second != NULL && has_pair(text, row->name, row->second);
        bool alone = row->second == NULL && strstr(text, row->name) != NULL;
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
    const char *word = kvb_last_part(kvb_word_at(words, first));
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
