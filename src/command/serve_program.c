// The beginning of a serve command: variables, wrappers, and the program that says whose command it is.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/text.h"
#include "command/serve_command.h"
#include "command/serve_reading.h"

#define HERE ((struct kvb_place){0})
#define EXPECTED_CAPACITY 400

const char *kvb_serve_word(const struct kvb_serve_reading *reading, int offset)
{
    return reading->at + offset < reading->count ? reading->words[reading->at + offset] : "";
}

// "vllm", also as Windows writes it.
static bool is_program(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || strcmp(word + length, ".exe") == 0);
}

// How many words of the line are this program; 0: it does not begin so.
static int words_of(const struct kvb_serve_reading *reading, const struct kvb_serve_program *program)
{
    const char *first = kvb_last_part(kvb_serve_word(reading, 0));
    if (program->usage == NULL) {
        return 0;
    }
    if (program->form == KVB_PROGRAM_WORDS) {
        bool second = program->second == NULL || strcmp(kvb_serve_word(reading, 1), program->second) == 0;
        return is_program(first, program->name) && second ? 1 + (program->second != NULL) : 0;
    }
    bool python = kvb_starts_with(first, "python");
    if (program->form == KVB_PROGRAM_MODULE) {
        bool module =
            strcmp(kvb_serve_word(reading, 1), "-m") == 0 && kvb_starts_with(kvb_serve_word(reading, 2), program->name);
        return python && module ? 3 : 0;
    }
    return 0;
}

// The program rows of all engines, one after the other.
static const struct kvb_serve_program *program_at(unsigned index, const struct kvb_engine_rows **engine)
{
    size_t engines;
    const struct kvb_engine_rows *const *rows = kvb_engines(&engines);
    for (size_t i = 0; i < engines; i++) {
        size_t count = 0;
        const struct kvb_serve_program *programs = rows[i]->programs != NULL ? rows[i]->programs(&count) : NULL;
        if (index < count) {
            *engine = rows[i];
            return &programs[index];
        }
        index -= (unsigned)count;
    }
    return NULL;
}

static void say_expected(char out[EXPECTED_CAPACITY])
{
    const struct kvb_engine_rows *engine;
    const struct kvb_serve_program *program, *last = NULL;
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; (program = program_at(i, &engine)) != NULL; i++) {
        last = program->usage != NULL ? program : last;
    }
    for (unsigned i = 0; (program = program_at(i, &engine)) != NULL && used < EXPECTED_CAPACITY; i++) {
        if (program->usage != NULL) {
            const char *before = used == 0 ? "" : program == last ? " or " : ", ";
            int written = snprintf(out + used, EXPECTED_CAPACITY - used, "%s'%s'", before, program->usage);
            used += written > 0 ? (size_t)written : 0;
        }
    }
}

// Whether the first word alone is right, so that it is the next one that is not.
static bool begins_well(const struct kvb_serve_reading *reading)
{
    const char *first = kvb_last_part(kvb_serve_word(reading, 0));
    const struct kvb_engine_rows *engine;
    const struct kvb_serve_program *program;
    bool known = kvb_starts_with(first, "python");
    for (unsigned i = 0; (program = program_at(i, &engine)) != NULL; i++) {
        bool word = program->usage != NULL && program->form == KVB_PROGRAM_WORDS;
        known = known || (word && strcmp(first, program->name) == 0);
    }
    return known;
}

// Servers whose rules are not known here.
static const char *foreign_engine(const char *program)
{
    static const struct {
        const char *program, *engine;
    } rows[] = {{"trtllm-serve", "TensorRT-LLM"},
                {"text-generation-launcher", "Text Generation Inference"},
                {"text-generation-server", "Text Generation Inference"},
                {"lmdeploy", "LMDeploy"},
                {"mlx_lm.server", "MLX"},
                {"tritonserver", "Triton"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(program, rows[i].program) == 0) {
            return rows[i].engine;
        }
    }
    return NULL;
}

static enum kvb_status refuse_program(const struct kvb_serve_reading *reading)
{
    char expected[EXPECTED_CAPACITY];
    if (strchr(kvb_serve_word(reading, 0), ' ') != NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                               "the serve command is one quoted word; leave its quotes away");
    }
    const char *foreign = foreign_engine(kvb_last_part(kvb_serve_word(reading, 0)));
    if (foreign != NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_UNKNOWN_NAME, HERE,
                               "'%.80s' starts %s, whose rules are not known here; --engine generic --model MODEL "
                               "counts weights and KV cache of any engine, and explain reads its logs where it can",
                               kvb_serve_word(reading, 0), foreign);
    }
    const char *second = begins_well(reading) ? kvb_serve_word(reading, 1) : "";
    say_expected(expected);
    return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                           "'%.80s%s%.80s' does not begin a serve command; expected %s", kvb_serve_word(reading, 0),
                           second[0] != '\0' ? " " : "", second, expected);
}

// The command says the engine, unless what was said before is that engine in some release, a file, or an engine
// without a command of its own, which answers for any.
static void take_engine(const struct kvb_serve_reading *reading)
{
    char *said = reading->deployment->engine;
    char name[sizeof reading->deployment->engine];
    size_t count, length = strcspn(said, "@");
    const struct kvb_engine_rows *usual = kvb_engines(&count)[0];
    (void)kvb_copy(name, length + 1 < sizeof name ? length + 1 : sizeof name, said);
    const struct kvb_engine_rows *before = length > 0 ? kvb_engine_find(name) : usual;
    bool answers = before == reading->engine || before == NULL || before->programs == NULL;
    if (!answers) {
        (void)kvb_copy(said, sizeof reading->deployment->engine, reading->engine->name);
    }
}

static enum kvb_status read_environment(struct kvb_serve_reading *reading)
{
    static const char *const wrappers[] = {"env", "exec", "nohup", "sudo", "time"};
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && reading->at < reading->count) {
        const char *word = reading->words[reading->at];
        bool wrapper = false;
        for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++) {
            wrapper = wrapper || strcmp(word, wrappers[i]) == 0;
        }
        if (!wrapper && !kvb_is_assignment(word)) {
            break;
        }
        status = wrapper ? KVB_OK : kvb_environment_set(word, &reading->deployment->environment, reading->problems);
        reading->at++;
    }
    return status;
}

// Moves behind a program that starts another one, with its own words: `uv run vllm serve`, `numactl -N 0 vllm serve`.
static void skip_launcher(struct kvb_serve_reading *reading)
{
    static const char *const launchers[] = {"uv",     "uvx",       "poetry",     "pipenv",   "pdm",     "pixi",
                                            "conda",  "mamba",     "micromamba", "numactl",  "taskset", "nice",
                                            "ionice", "srun",      "mpirun",     "torchrun", "stdbuf",  "timeout",
                                            "tini",   "dumb-init", "nsys",       "setsid"};
    const char *first = kvb_last_part(kvb_serve_word(reading, 0));
    bool launches = false;
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        launches = launches || strcmp(first, launchers[i]) == 0;
    }
    struct kvb_serve_reading ahead = *reading;
    for (ahead.at++; launches && ahead.at < ahead.count; ahead.at++) {
        const struct kvb_engine_rows *engine;
        const struct kvb_serve_program *program;
        for (unsigned i = 0; (program = program_at(i, &engine)) != NULL; i++) {
            if (words_of(&ahead, program) > 0) {
                reading->at = ahead.at;
                return;
            }
        }
    }
}

enum kvb_status kvb_serve_read_next_program(struct kvb_serve_reading *reading)
{
    const struct kvb_serve_program *program;
    const struct kvb_engine_rows *engine;
    for (unsigned i = 0; (program = program_at(i, &engine)) != NULL; i++) {
        int words = engine == reading->engine ? words_of(reading, program) : 0;
        if (words > 0) {
            reading->at += words;
            return KVB_OK;
        }
    }
    return refuse_program(reading);
}

enum kvb_status kvb_serve_read_program(struct kvb_serve_reading *reading)
{
    const struct kvb_serve_program *program;
    enum kvb_status status = read_environment(reading);
    skip_launcher(reading);
    for (unsigned i = 0; status == KVB_OK && (program = program_at(i, &reading->engine)) != NULL; i++) {
        int words = words_of(reading, program);
        if (words > 0) {
            reading->at += words;
            reading->deployment->serve_module = program->is_module;
            take_engine(reading);
            return KVB_OK;
        }
    }
    return status == KVB_OK ? refuse_program(reading) : status;
}

const struct kvb_engine_rows *kvb_serve_engine_of(int count, const char *const *words)
{
    struct kvb_serve_reading reading = {.count = count, .words = words};
    const struct kvb_engine_rows *engine;
    const struct kvb_serve_program *program;
    for (; reading.at < count; reading.at++) {
        for (unsigned i = 0; (program = program_at(i, &engine)) != NULL; i++) {
            if (words_of(&reading, program) > 0) {
                return engine;
            }
        }
    }
    return NULL;
}
