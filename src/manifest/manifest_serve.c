// The words of a serve command into a deployment: flags of some releases, the model, roles.
#include <string.h>

#include "base/text.h"
#include "command/environment.h"
#include "engines/flags.h"
#include "manifest/manifest_serve.h"
#include "manifest/templates.h"

static const struct kvb_words no_words;

static bool is_all_arguments(const struct kvb_arg *word)
{
    return word->unknown != NULL &&
           (strcmp(word->text, "$@") == 0 || strcmp(word->text, "$*") == 0 || strcmp(word->text, "${@}") == 0);
}

// A variable that is a whole word and called as if it held more flags is taken as empty.
static bool holds_more_flags(const struct kvb_arg *word)
{
    return word->unknown != NULL && word->text[0] == '$' &&
           (kvb_contains_ignoring_case(word->unknown, "args") || kvb_contains_ignoring_case(word->unknown, "flags") ||
            kvb_contains_ignoring_case(word->unknown, "opts") || kvb_contains_ignoring_case(word->unknown, "extra") ||
            kvb_contains_ignoring_case(word->unknown, "options"));
}

static void note_dropped(struct kvb_manifest_serve *serve, const struct kvb_arg *word)
{
    struct kvb_spot spot = kvb_source_spot(serve->manifest, word->offset);
    (void)kvb_problem_add(&serve->found->problems, KVB_NOTICE, KVB_MISSING_KEY,
                          (struct kvb_place){serve->manifest->file, spot.line, spot.column},
                          "%.80s is not known and taken as empty; %.90s", word->unknown,
                          kvb_serve_remedy(serve->manifest, word->unknown));
}

// The folder of the manifest followed by `path`, unless that is absolute.
static const char *beside(struct kvb_manifest *manifest, const char *path)
{
    const char *slash = strrchr(manifest->file, '/');
    if (path[0] == '/' || slash == NULL) {
        return path;
    }
    const char *folder = kvb_manifest_copy(manifest, manifest->file, (size_t)(slash - manifest->file) + 1);
    return kvb_manifest_join(manifest, folder, path, "");
}

// Where a path of the container lies outside of it; a path that is not mounted stays as it is.
static const char *outside(struct kvb_manifest *manifest, const char *path)
{
    for (const struct kvb_variable *mount = manifest->mounts; mount != NULL; mount = mount->older) {
        size_t length = strlen(mount->name);
        if (length > 0 && kvb_starts_with(path, mount->name) && (path[length] == '\0' || path[length] == '/')) {
            const char *host = mount->value, *rest = path + length;
            host += strcmp(host, ".") == 0 ? 1 : kvb_starts_with(host, "./") ? 2 : 0;
            size_t end = strlen(host);
            rest += *rest == '/' && (end == 0 || host[end - 1] == '/');
            return kvb_manifest_join(manifest, host, rest, "");
        }
    }
    return path;
}

// A file that the command names lies beside the manifest, or where a volume puts it.
static const char *locate(void *context, const char *path)
{
    struct kvb_manifest *manifest = context;
    return beside(manifest, outside(manifest, path));
}

// The engine's own program in front of the arguments, whatever started it.
static void add_program(struct kvb_manifest_serve *serve)
{
    size_t count;
    const struct kvb_serve_program *program = serve->engine->programs(&count);
    if (program->form == KVB_PROGRAM_MODULE) {
        kvb_words_say(serve->manifest, &serve->words, "python", KVB_NOWHERE);
        kvb_words_say(serve->manifest, &serve->words, "-m", KVB_NOWHERE);
    }
    kvb_words_say(serve->manifest, &serve->words, program->name, KVB_NOWHERE);
    if (program->second != NULL) {
        kvb_words_say(serve->manifest, &serve->words, program->second, KVB_NOWHERE);
    }
    serve->program_words = serve->words.count;
}

static void add_words(struct kvb_manifest_serve *serve, const struct kvb_words *words)
{
    add_program(serve);
    for (uint32_t i = 0; i < words->count; i++) {
        const struct kvb_arg *word = &words->items[i];
        if (holds_more_flags(word)) {
            note_dropped(serve, word);
        } else if (!is_all_arguments(word) && word->text[0] != '\0') {
            kvb_words_add(serve->manifest, &serve->words, *word);
        }
    }
}

static bool make_texts(struct kvb_manifest_serve *serve)
{
    serve->texts = kvb_manifest_take(serve->manifest, (serve->words.count + 1U) * sizeof *serve->texts);
    for (uint32_t i = 0; serve->texts != NULL && i < serve->words.count; i++) {
        serve->texts[i] = serve->words.items[i].text;
    }
    return serve->texts != NULL;
}

// The flag that a word is; NULL: it is none, or nobody knows it.
static const struct kvb_serve_flag *flag_of(const struct kvb_engine_rows *engine, const char *word)
{
    const struct kvb_serve_flag *flag = NULL;
    size_t length = strcspn(word, "=."), used = 0;
    bool negated = kvb_starts_with(word, "--no-") || kvb_starts_with(word, "--no_");
    size_t dashes = negated ? 5 : 2;
    bool is_long = length > dashes && word[0] == '-' && word[1] == '-';
    if (is_long) {
        return kvb_serve_flag_find(engine, word + dashes, length - dashes, &flag) == KVB_SERVE_MATCH ? flag : NULL;
    }
    return word[0] == '-' && length > 1 ? kvb_serve_short_find(engine, word, length, &used) : NULL;
}

// Flags that only some releases know are kept with their range; which release it is comes later.
static void keep_dated(struct kvb_manifest_serve *serve)
{
    struct kvb_found *found = serve->found;
    for (uint32_t i = serve->program_words; i < serve->words.count && found->dated_count < KVB_DATED_FLAGS_MAX; i++) {
        const struct kvb_arg *word = &serve->words.items[i];
        const struct kvb_serve_flag *flag = word->offset != KVB_NOWHERE ? flag_of(serve->engine, word->text) : NULL;
        if (flag != NULL && (flag->since != 0 || flag->until != 0)) {
            found->dated[found->dated_count++] =
                (struct kvb_dated_flag){flag->name != NULL ? flag->name : flag->short_name, flag->since, flag->until,
                                        kvb_source_spot(serve->manifest, word->offset)};
        }
    }
}

// OWNER/NAME behind --served-model-name, where the file writes one; NULL: none. OME's runtimes name the model there and
// let the controller fill in where it lies.
static const char *served_name(const struct kvb_manifest_serve *serve)
{
    static const char *const flags[] = {"--served-model-name", "--served_model_name"};
    for (uint32_t i = serve->program_words; i < serve->words.count; i++) {
        const char *text = serve->words.items[i].text;
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            size_t length = strlen(flags[k]);
            bool apart = strcmp(text, flags[k]) == 0, joined = kvb_starts_with(text, flags[k]) && text[length] == '=';
            const char *value = joined ? text + length + 1 : apart ? kvb_word_at(&serve->words, i + 1) : "";
            const char *slash = strchr(value, '/');
            bool named = slash != NULL && slash != value && slash[1] != '\0' && strchr(slash + 1, '/') == NULL;
            if (named && strpbrk(value, "$`") == NULL) {
                return value;
            }
        }
    }
    return NULL;
}

// A name with a variable in it that nobody knows is no name; the name it is served under may be one.
static void judge_model(struct kvb_manifest_serve *serve, const struct kvb_serve_trace *trace)
{
    const char *unknown = trace->model > 0 ? kvb_serve_unknown(serve, (uint32_t)trace->model) : NULL;
    bool open = unknown != NULL && strpbrk(serve->found->deployment.model, "$`") != NULL;
    const char *served = open && serve->found->deployment.model[0] == '$' ? served_name(serve) : NULL;
    if (served != NULL) {
        struct kvb_spot spot = kvb_source_spot(serve->manifest, serve->words.items[trace->model].offset);
        (void)kvb_problem_add(&serve->found->problems, KVB_NOTICE, KVB_OK,
                              (struct kvb_place){serve->manifest->file, spot.line, spot.column},
                              "the model depends on %.80s, which is not known: the name it is served under, %.100s, is "
                              "planned",
                              unknown, served);
        (void)kvb_copy(serve->found->deployment.model, sizeof serve->found->deployment.model, served);
    } else if (open) {
        (void)kvb_found_problem(serve->manifest, serve->found, KVB_MISSING_KEY, serve->words.items[trace->model].offset,
                                "the model depends on %.80s, which is not known; %.120s", unknown,
                                kvb_serve_remedy(serve->manifest, unknown));
        serve->found->deployment.model[0] = '\0';
    }
}

static void read_environment(struct kvb_manifest *manifest, struct kvb_found *found,
                             const struct kvb_variable *variables)
{
    for (const struct kvb_variable *variable = variables; variable != NULL; variable = variable->older) {
        struct kvb_spot spot = kvb_source_spot(manifest, variable->offset);
        if (!variable->exported || kvb_variable_find(variables, variable->name) != variable) {
            continue;
        }
        const char *value = kvb_variable_value(manifest, variables, variable->name);
        enum kvb_status status =
            kvb_environment_set_at(variable->name, value, (struct kvb_place){manifest->file, spot.line, spot.column},
                                   &found->deployment.environment, &found->problems);
        found->status = found->status == KVB_OK ? status : found->status;
    }
}

// Ports and roles keep servers apart whose memory is the same; an encoder that hands its outputs on has no cache.
static void read_roles(struct kvb_found *found, const struct kvb_words *words)
{
    static const char *const flags[] = {"--port", "--kv-transfer-config", "--kv_transfer_config"};
    for (uint32_t i = 0; i < words->count; i++) {
        const char *text = words->items[i].text;
        const char *value = i + 1 < words->count ? words->items[i + 1].text : "";
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            if (kvb_starts_with(text, flags[k])) {
                for (const char *c = text[strlen(flags[k])] == '=' ? text : value; *c != '\0'; c++) {
                    found->apart = found->apart * 31 + (unsigned char)*c;
                }
            }
        }
        bool encoder = kvb_starts_with(text, "--ec-transfer-config") || kvb_starts_with(text, "--ec_transfer_config");
        if (encoder) {
            found->encodes_only = strstr(text, "ec_producer") != NULL || strstr(value, "ec_producer") != NULL;
        }
    }
}

void kvb_found_read_serve(struct kvb_manifest *manifest, struct kvb_found *found, const struct kvb_engine_rows *engine,
                          const struct kvb_words *words, const struct kvb_variable *variables)
{
    struct kvb_manifest_serve serve = {.manifest = manifest, .found = found, .engine = engine, .words = no_words};
    struct kvb_serve_trace trace;
    read_environment(manifest, found, variables);
    add_words(&serve, words);
    if (!make_texts(&serve) || manifest->out_of_memory) { // words that are missing are none of the command
        found->status = KVB_NO_MEMORY;
        return;
    }
    read_roles(found, words);
    if (manifest->from_outside != NULL) {
        (void)kvb_problem_add(&found->problems, KVB_NOTICE, KVB_OK,
                              (struct kvb_place){manifest->file, found->place.line, found->place.column},
                              "%.80s has its value from .env beside this file", manifest->from_outside);
        manifest->from_outside = NULL;
    }
    uint32_t before = found->problems.count;
    const struct kvb_serve_beside around = {
        .files = manifest->options->files, .locate = locate, .context = manifest, .any_program = true};
    enum kvb_status status = kvb_serve_command_read_beside((int)serve.words.count, serve.texts, &around, &trace,
                                                           &found->deployment, &found->problems);
    found->status = found->status == KVB_OK ? status : found->status;
    kvb_serve_place(&serve, &trace, before);
    judge_model(&serve, &trace);
    keep_dated(&serve);
}
