// From the words of a container or command line to the serve command among them.
// A command may hold a script, a script a document behind <<, a document of any kind commands: with the readers of all
// these it stands in a circle.
#include <string.h>

#include "base/text.h"
#include "manifest/docker.h"
#include "manifest/engines.h"
#include "manifest/manifest_reader.h"
#include "manifest/manifest_rollout.h"

#define DEPTH_MAX 4 // of commands inside commands

// A command line inside one word: `sh -c "vllm serve ..."`.
static uint32_t find_script(const struct kvb_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        const char *text = words->items[i].text;
        if (strpbrk(text, " \n") != NULL && kvb_text_starts_engine(text)) {
            return i;
        }
    }
    return KVB_NOT_FOUND;
}

bool kvb_words_start_engine(const struct kvb_words *words)
{
    return kvb_program_find(words).row != NULL || find_script(words) != KVB_NOT_FOUND;
}

// Arguments of a server whose program is the image's own: a flag that only vLLM has is among them.
static bool has_engine_flag(const struct kvb_words *words)
{
    static const char *const flags[] = {"--max-model-len", "--gpu-memory-utilization", "--max_model_len",
                                        "--gpu_memory_utilization", "--max-num-seqs"};
    for (uint32_t i = 0; i < words->count; i++) {
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            if (kvb_starts_with(words->items[i].text, flags[k])) {
                return true;
            }
        }
    }
    return false;
}

static bool has_flag(const struct kvb_words *words, const char *flag)
{
    size_t length = strlen(flag);
    for (uint32_t i = 0; i < words->count; i++) {
        const char *text = words->items[i].text;
        if (kvb_starts_with(text, flag) && (text[length] == '\0' || text[length] == '=')) {
            return true;
        }
    }
    return false;
}

// NAME=VALUE words in front of the program belong to its environment.
static void keep_assignments(struct kvb_manifest *manifest, struct kvb_container *container, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++) {
        const struct kvb_arg *word = &container->words.items[i];
        size_t length = strspn(word->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        if (length > 0 && word->text[length] == '=') {
            kvb_variable_set(manifest, &container->variables, kvb_manifest_copy(manifest, word->text, length),
                             word->unknown != NULL ? "" : word->text + length + 1, word->offset, true);
        }
    }
}

static void set_image_release(struct kvb_manifest *manifest, struct kvb_found *found,
                              const struct kvb_container *container)
{
    struct kvb_image image = {0};
    const char *from = container->image != NULL ? container->image : container->base_image;
    if (from != NULL) {
        kvb_image_read(from, &image);
    }
    const char *release = image.release[0] != '\0' ? image.release : image.name == NULL ? manifest->release : NULL;
    if (release == NULL) {
        return;
    }
    (void)kvb_copy(found->deployment.engine, sizeof found->deployment.engine,
                   kvb_manifest_join(manifest, kvb_image_engine(&image)->name, "@", release));
    found->engine = kvb_source_spot(manifest, image.release[0] != '\0' ? container->image_offset : KVB_NOWHERE);
}

static void set_gpu(struct kvb_manifest *manifest, struct kvb_found *found, const struct kvb_container *container)
{
    bool cluster = container->gpu_limit > 0 && container->gpu_limit < 1024;
    found->gpu_limit = container->gpu_limit + (cluster ? container->worker_gpus : 0);
    found->gpu_limit_place =
        kvb_source_spot(manifest, container->gpu_limit > 0 ? container->gpu_limit_offset : KVB_NOWHERE);
    if (container->slice != NULL) {
        const struct kvb_node *slice = container->slice;
        found->gpu = (struct kvb_spot){slice->key_line, slice->key_column};
        (void)kvb_copy(found->gpu_label, sizeof found->gpu_label,
                       kvb_manifest_join(manifest, slice->key, "=", slice->text));
        return;
    }
    if (container->gpu_memory_bytes > 0 && container->gpu_key == NULL) {
        found->deployment.gpu_memory_bytes = container->gpu_memory_bytes;
        found->gpu = kvb_source_spot(manifest, container->gpu_offset);
    }
    if (container->gpu_key == NULL) {
        return;
    }
    found->gpu = kvb_source_spot(manifest, container->gpu_offset);
    (void)kvb_copy(found->gpu_label, sizeof found->gpu_label,
                   kvb_manifest_join(manifest, container->gpu_key, "=", container->gpu_value));
    (void)kvb_gpu_label(container->gpu_key, container->gpu_value, found->deployment.gpu, sizeof found->deployment.gpu);
}

// Where this process sees its GPUs: "0,1", or "" when nothing says it.
static void set_devices(const struct kvb_manifest *manifest, struct kvb_found *found,
                        const struct kvb_container *container)
{
    static const char *const names[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                        "NVIDIA_VISIBLE_DEVICES"};
    const char *devices = container->devices;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && devices == NULL; i++) {
        devices = kvb_variable_value(manifest, container->variables, names[i]);
    }
    if (devices != NULL && strcmp(devices, "all") != 0) {
        (void)kvb_copy(found->devices, sizeof found->devices, devices);
    }
    bool known = devices == NULL || strchr(devices, '$') == NULL;
    found->together =
        container->together && known && ((devices != NULL && devices[0] != '\0') || !container->by_devices);
    found->group = container->group;
}

static void name_by_model(struct kvb_manifest *manifest, struct kvb_found *found, const char *name)
{
    (void)kvb_copy(found->name, sizeof found->name, kvb_manifest_join(manifest, name, " ", found->deployment.model));
}

// An engine whose memory is not computed here is listed with its model, and said to be no vLLM.
static void read_foreign(struct kvb_manifest *manifest, struct kvb_found *found, const struct kvb_program *program,
                         const struct kvb_words *words)
{
    static const char *const flags[] = {"--model-path", "--model_path", "--model", "-m", "-hf", "--hf-repo"};
    found->foreign = program->title;
    (void)kvb_copy(found->deployment.engine, sizeof found->deployment.engine, program->name);
    for (uint32_t i = 0; i < words->count && found->deployment.model[0] == '\0'; i++) {
        const char *text = words->items[i].text;
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            size_t length = strlen(flags[k]);
            bool apart = strcmp(text, flags[k]) == 0, joined = kvb_starts_with(text, flags[k]) && text[length] == '=';
            const char *value = joined ? text + length + 1 : apart ? kvb_word_at(words, i + 1) : "";
            if (value[0] != '\0') {
                (void)kvb_copy(found->deployment.model, sizeof found->deployment.model, value);
                found->model = kvb_source_spot(manifest, words->items[i].offset);
            }
        }
    }
    found->status = kvb_problem_add(&found->problems, KVB_ERROR, KVB_UNKNOWN_NAME,
                                    (struct kvb_place){manifest->file, found->place.line, found->place.column},
                                    "%s is not planned here yet, so nothing is said of its memory", program->title);
}

// What an unnamed deployment is called by: what its command begins with, or the engine.
static const char *start_of(const struct kvb_program *program)
{
    const struct kvb_engine_rows *engine = program->engine;
    bool plain = engine != NULL && ((engine->traits & KVB_SERVE_POSITIONAL) != 0 || program->name == NULL);
    return plain ? engine->serve_command : program->name;
}

static enum kvb_status emit_server(struct kvb_manifest *manifest, const struct kvb_container *container,
                                   const struct kvb_program *program, const struct kvb_words *arguments)
{
    bool foreign = program->engine == NULL;
    const char *start = start_of(program);
    const char *name = container->name != NULL ? container->name : start;
    struct kvb_found *found = kvb_found_new(manifest, container->kind, name, container->offset);
    set_gpu(manifest, found, container);
    set_devices(manifest, found, container);
    if (foreign) {
        read_foreign(manifest, found, program, arguments);
    } else {
        set_image_release(manifest, found, container);
        manifest->mounts = container->mounts;
        kvb_found_read_serve(manifest, found, program->engine, arguments, container->variables);
        found->deployment.usage = container->offline ? KVB_USAGE_OFFLINE : found->deployment.usage;
        found->deployment.usage_set = found->deployment.usage_set || container->offline;
        if (kvb_found_lacks_model(manifest, found, arguments)) {
            manifest->dropped++;
            kvb_runtime_keep(manifest, found->name, container->image, arguments);
            return KVB_OK;
        }
    }
    if (container->shared) {
        (void)kvb_problem_add(&found->problems, KVB_NOTICE, KVB_OK,
                              (struct kvb_place){manifest->file, found->place.line, found->place.column},
                              "its card is handed to several by time slices or MPS, which does not divide the memory: "
                              "all that land on it have to fit together");
    }
    const struct kvb_line_rules *line = foreign ? NULL : program->engine->line;
    if (line != NULL && line->server != NULL && found->deployment.model[0] == '\0') {
        (void)kvb_problem_add(&found->problems, KVB_NOTICE, KVB_OK,
                              (struct kvb_place){manifest->file, found->place.line, found->place.column},
                              "%s loads the model that a request names: say which one is meant",
                              program->engine->title);
    }
    bool unnamed = container->name == NULL || container->kind == NULL || strcmp(container->kind, "python") == 0;
    if (unnamed && found->deployment.model[0] != '\0') {
        name_by_model(manifest, found, name);
    }
    return kvb_found_emit(manifest, found, container->scope_line);
}

static enum kvb_status emit_script(struct kvb_manifest *manifest, const struct kvb_container *container, uint32_t index)
{
    const struct kvb_arg *word = &container->words.items[index];
    struct kvb_container like = *container;
    like.words = (struct kvb_words){0};
    if (index + 1 < container->words.count) { // bash -c SCRIPT NAME WORDS: they are its "$@"
        struct kvb_words *given = kvb_manifest_take(manifest, sizeof *given);
        struct kvb_variable *all = kvb_manifest_take(manifest, sizeof *all);
        if (given == NULL || all == NULL) {
            return KVB_OK;
        }
        kvb_words_from(given, &container->words,
                       index + 2 < container->words.count ? index + 2 : container->words.count);
        *all = (struct kvb_variable){.name = "@", .value = "", .offset = KVB_NOWHERE, .list = given};
        all->older = like.variables;
        like.variables = all;
    }
    return kvb_shell_read(manifest, word->text, word->offset, &like);
}

// `eval WORDS`: the shell reads what they say once more.
static enum kvb_status emit_eval(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_container like = *container;
    const char *text = "";
    for (uint32_t i = 1; i < container->words.count; i++) {
        text = kvb_manifest_join(manifest, text, " ", container->words.items[i].text);
    }
    like.words = (struct kvb_words){0};
    return kvb_shell_read(manifest, text, KVB_NOWHERE, &like);
}

// OWNER/MODEL, no path and no script.
static bool names_model(const char *text)
{
    bool script = kvb_ends_with(text, ".sh") || kvb_ends_with(text, ".py");
    return strchr(text, '/') != NULL && text[0] != '/' && text[0] != '.' && !script;
}

// An image whose entrypoint is the server takes words that are its arguments.
static bool is_served_by_image(const struct kvb_container *container)
{
    struct kvb_image image = {0};
    const struct kvb_words *words = &container->words;
    if (container->image != NULL) {
        kvb_image_read(container->image, &image);
    }
    bool arguments = words->count > 0 && words->items[0].text[0] == '-';
    bool named = words->count > 0 && names_model(words->items[0].text);
    bool model = named || (words->count > 0 && words->items[0].unknown != NULL && has_engine_flag(words));
    bool cards = container->image != NULL && strstr(container->image, "cpu") == NULL;
    bool program = cards && image.engine && image.name == NULL && has_flag(words, "--model");
    return (image.serves && (arguments || model)) ||
           (container->image != NULL && ((arguments && program) || ((arguments || named) && has_engine_flag(words))));
}

// An image made of vLLM's own whose entrypoint is its program: `serve MODEL` follows.
static bool is_program_of_image(const struct kvb_container *container)
{
    struct kvb_image image = {0};
    const struct kvb_words *words = &container->words;
    if (container->image != NULL) {
        kvb_image_read(container->image, &image);
    }
    bool own = image.engine && image.name == NULL && !image.serves;
    return own && words->count > 1 && strcmp(words->items[0].text, "serve") == 0 && names_model(words->items[1].text);
}

// `vllm serve --help` starts nothing.
static bool only_asks(const struct kvb_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        const char *text = words->items[i].text;
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0 || strcmp(text, "--version") == 0 ||
            kvb_starts_with(text, "--help=")) {
            return true;
        }
    }
    return false;
}

static enum kvb_status emit_program(struct kvb_manifest *manifest, struct kvb_container *own,
                                    struct kvb_program program)
{
    struct kvb_words rest;
    bool bare = program.arguments >= own->words.count; // a name, or an image that others give a model
    bool image = own->kind != NULL && strcmp(own->kind, "dockerfile") == 0;
    if (bare && (own->strict || image)) {
        return KVB_OK;
    }
    if (own->strict && !kvb_words_lead_to(&own->words, program.first)) {
        return KVB_OK; // a sentence about it
    }
    keep_assignments(manifest, own, program.first);
    kvb_words_from(&rest, &own->words, program.arguments);
    if (only_asks(&rest)) {
        return KVB_OK;
    }
    return emit_server(manifest, own, &program, &rest);
}

// An image that is started without words: its variables name the model, or its server loads what is asked of it.
static enum kvb_status emit_image_alone(struct kvb_manifest *manifest, struct kvb_container *own)
{
    static const char *const variables[][2] = {{"LLAMA_ARG_MODEL", "-m"}, {"LLAMA_ARG_HF_REPO", "-hf"}};
    struct kvb_image image = {0};
    struct kvb_words words = {0};
    struct kvb_program program = {0};
    kvb_image_read(own->image, &image);
    bool dockerfile = own->kind != NULL && strcmp(own->kind, "dockerfile") == 0;
    if (!image.engine || !image.serves || image.name == NULL || dockerfile) {
        return KVB_OK;
    }
    program.engine = kvb_image_engine(&image);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = kvb_variable_value(manifest, own->variables, variables[i][0]);
        if (value != NULL && value[0] != '\0' && words.count == 0) {
            kvb_words_say(manifest, &words, variables[i][1], own->offset);
            kvb_words_say(manifest, &words, value, own->offset);
        }
    }
    bool loads = program.engine->line != NULL && program.engine->line->server != NULL;
    return words.count > 0 || loads ? emit_server(manifest, own, &program, &words) : KVB_OK;
}

enum kvb_status kvb_container_emit(struct kvb_manifest *manifest, const struct kvb_container *container)
{
    struct kvb_container own = *container;
    if (own.depth <= DEPTH_MAX && own.words.count == 0 && own.image != NULL) {
        return emit_image_alone(manifest, &own);
    }
    if (own.depth > DEPTH_MAX || own.words.count == 0 || (own.shell && kvb_words_only_speak(&own.words))) {
        return KVB_OK;
    }
    if (own.shell && strcmp(own.words.items[0].text, "eval") == 0 && own.depth < DEPTH_MAX) {
        return emit_eval(manifest, &own);
    }
    const char *end = own.words.items[own.words.count - 1].text;
    if (own.strict && strcmp(end, "\\") == 0) {
        return KVB_OK; // a line of a longer command that somebody shows
    }
    uint32_t docker = kvb_docker_find(&own.words);
    uint32_t script = find_script(&own.words);
    if (docker != KVB_NOT_FOUND && own.depth < DEPTH_MAX) {
        keep_assignments(manifest, &own, docker);
        return kvb_docker_emit(manifest, &own, docker);
    }
    struct kvb_program program = kvb_program_find(&own.words);
    if (program.row != NULL && (script == KVB_NOT_FOUND || program.first < script)) {
        return emit_program(manifest, &own, program);
    }
    if (script != KVB_NOT_FOUND) {
        if (own.strict && !kvb_words_lead_to(&own.words, script)) {
            return KVB_OK;
        }
        keep_assignments(manifest, &own, script);
        return emit_script(manifest, &own, script);
    }
    if (kvb_rollout_starts(&own.words)) {
        keep_assignments(manifest, &own, own.words.count);
        return kvb_rollout_emit(manifest, &own);
    }
    struct kvb_image from = {0};
    if (own.image != NULL) {
        kvb_image_read(own.image, &from);
    }
    program.engine = kvb_image_engine(&from);
    if (is_program_of_image(&own)) {
        struct kvb_words arguments;
        kvb_words_from(&arguments, &own.words, 1);
        return emit_server(manifest, &own, &program, &arguments);
    }
    return is_served_by_image(&own) ? emit_server(manifest, &own, &program, &own.words) : KVB_OK;
}
