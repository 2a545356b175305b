// `docker run` and its kin: options up to the image, then the container's own words.
#include "manifest/docker.h"

#include <string.h>

#include "base/text.h"
#include "manifest/engines.h"

// Long options of `docker run` and of `podman run` behind which no value stands (their reference pages).
static bool is_switch(const char *option)
{
    static const char *const switches[] = {"--detach",         "--disable-content-trust",
                                           "--help",           "--init",
                                           "--interactive",    "--no-healthcheck",
                                           "--privileged",     "--oom-kill-disable",
                                           "--publish-all",    "--quiet",
                                           "--read-only",      "--rm",
                                           "--sig-proxy",      "--tty",
                                           "--use-api-socket", "--env-host",
                                           "--http-proxy",     "--no-hosts",
                                           "--no-hostname",    "--passwd",
                                           "--replace",        "--rmi",
                                           "--rootfs",         "--tls-verify",
                                           "--read-only-tmpfs"};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strcmp(option, switches[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Short options stand together, "-itp 80:80"; the first of those that take a value ends them, "-p80:80".
static bool takes_value(const char *option)
{
    if (kvb_starts_with(option, "--")) {
        return !is_switch(option);
    }
    size_t plain = 1 + strspn(option + 1, "dtiPq");
    return option[plain] != '\0' && option[plain + 1] == '\0' && strchr("vpewuhlmac", option[plain]) != NULL;
}

// The program, or a function or variable called after it: run_docker, $DOCKER_CMD, ${DOCKER}.
static bool is_program(const char *word, const char *program)
{
    size_t length = strlen(word), end = strlen(program);
    bool wraps = length > end && word[length - end - 1] == '_' && strcmp(word + length - end, program) == 0;
    bool variable = word[0] == '$' && kvb_contains_ignoring_case(word, program);
    return strcmp(word, program) == 0 || wraps || variable;
}

uint32_t kvb_docker_find(const struct kvb_words *words)
{
    static const char *const programs[] = {"docker", "podman", "nerdctl", "nvidia-docker"};
    for (uint32_t i = 0; i + 1 < words->count; i++) {
        for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
            if (!is_program(kvb_last_part(kvb_word_at(words, i)), programs[k])) {
                continue;
            }
            bool container = strcmp(kvb_word_at(words, i + 1), "container") == 0;
            const char *verb = kvb_word_at(words, i + (container ? 2 : 1));
            if (strcmp(verb, "run") == 0 || strcmp(verb, "create") == 0) {
                return i + (container ? 3 : 2);
            }
        }
    }
    return KVB_NOT_FOUND;
}

static bool is_environment(const char *option, size_t length)
{
    return (length == 2 && strncmp(option, "-e", 2) == 0) || (length == 5 && strncmp(option, "--env", 5) == 0);
}

// "-e NAME=VALUE": part of the container's environment.
static void keep_environment(struct kvb_manifest *manifest, struct kvb_container *inner, const char *pair,
                             size_t offset)
{
    size_t name = strcspn(pair, "=");
    if (pair[name] == '=') {
        kvb_variable_set(manifest, &inner->variables, kvb_manifest_copy(manifest, pair, name), pair + name + 1, offset,
                         true);
    }
}

// "-v HOST:CONTAINER[:ro]", also of compose: where what the container sees lies beside the manifest.
void kvb_container_mount(struct kvb_manifest *manifest, struct kvb_container *container, const char *text)
{
    size_t host = strcspn(text, ":");
    if (text[host] == ':' && (text[0] == '.' || text[0] == '/')) {
        const char *inside = text + host + 1;
        kvb_variable_set(manifest, &container->mounts, kvb_manifest_copy(manifest, inside, strcspn(inside, ":")),
                         kvb_manifest_copy(manifest, text, host), KVB_NOWHERE, false);
    }
}

// --gpus '"device=0,2"': the part behind `device=`.
static const char *devices_of(struct kvb_manifest *manifest, const char *value)
{
    const char *at = strstr(value, "device=");
    return at != NULL ? kvb_manifest_copy(manifest, at + 7, strcspn(at + 7, "\"' ")) : NULL;
}

// Variables that hold options nobody knows stand in front of the image, too.
static uint32_t find_image(const struct kvb_words *words, uint32_t at)
{
    for (uint32_t i = at; i < words->count && words->items[at].unknown != NULL; i++) {
        struct kvb_image image;
        kvb_image_read(words->items[i].text, &image);
        if (image.engine) {
            return i;
        }
    }
    return at;
}

// Options of `docker run` up to the image; the rest becomes the container's own words.
enum kvb_status kvb_docker_emit(struct kvb_manifest *manifest, const struct kvb_container *container, uint32_t at)
{
    struct kvb_container inner = *container;
    const struct kvb_words *words = &container->words;
    const char *entrypoint = NULL;
    size_t entrypoint_offset = KVB_NOWHERE;
    for (; at < words->count && words->items[at].text[0] == '-'; at++) {
        const char *option = words->items[at].text;
        size_t length = strcspn(option, "=");
        bool apart = option[length] == '\0' && takes_value(option);
        const char *value = apart ? kvb_word_at(words, at + 1) : option[length] == '=' ? option + length + 1 : "";
        if (is_environment(option, length)) {
            keep_environment(manifest, &inner, value, words->items[at].offset);
        }
        if (length == 6 && strncmp(option, "--gpus", 6) == 0) {
            inner.devices = devices_of(manifest, value);
        }
        if (strcmp(option, "-v") == 0 || strncmp(option, "--volume", length > 8 ? length : 8) == 0) {
            kvb_container_mount(manifest, &inner, value);
        }
        if (strcmp(option, "-d") == 0 || strcmp(option, "-itd") == 0 || strcmp(option, "--detach") == 0) {
            inner.together = true; // it goes on while the next one starts
        }
        if (length == 12 && strncmp(option, "--entrypoint", 12) == 0) {
            entrypoint = value;
            entrypoint_offset = words->items[at].offset;
        }
        at += apart;
    }
    if (at >= words->count) {
        return KVB_OK;
    }
    at = find_image(words, at);
    inner.image = words->items[at].text;
    inner.image_offset = words->items[at].offset;
    inner.depth++;
    inner.words = (struct kvb_words){0};
    struct kvb_words rest;
    kvb_words_from(&rest, words, at + 1);
    if (entrypoint != NULL && entrypoint[0] != '\0') {
        kvb_words_say(manifest, &inner.words, entrypoint, entrypoint_offset);
    }
    kvb_words_append(manifest, &inner.words, &rest);
    return kvb_container_emit(manifest, &inner);
}
