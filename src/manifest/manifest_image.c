// Container images that hold an engine: whether their entrypoint is the server, and which release their tag names.
#include <string.h>

#include <kvbudget/plan.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"

struct image_row {
    const char *part; // of the name without registry, tag and digest
    bool serves;
    bool tagged;        // the tag is the engine's release
    const char *engine; // NULL: vLLM
    bool builds;        // the tag names the program and a build: server-cuda-b5432
};

// The first row that fits counts. Tags of NVIDIA's and ROCm's own images count in their own way.
static const struct image_row rows[] = {
    {"ggml-org/llama.cpp", true, true, "llama.cpp", true}, // server, server-cuda, server-cuda-b5432
    {"ggerganov/llama.cpp", true, true, "llama.cpp", true},
    {"ollama/ollama", true, true, "ollama", false}, // 0.32.0-rocm; its entrypoint is a server without a model
    {"lmsysorg/sglang", false, true, "sglang", false},
    {"nvcr.io/nvidia/sglang", false, false, "sglang", false},
    {"sgl-dev", false, false, "sglang", false},
    {"/sglang", false, true, "sglang", false},
    {"nvcr.io/nvidia/vllm", false, false, NULL, false},
    {"rocm/vllm", false, false, NULL, false},
    {"lmcache/vllm-openai", true, false, NULL, false}, // its tags count LMCache's releases
    {"vllm-openai", true, true, NULL, false},          // vllm/vllm-openai and its copies
    {"vllm-router", false, false, NULL, false},
    {"production-stack", false, false, NULL, false},
    {"vllm-tpu", false, true, NULL, false},
    {"vllm-cpu", false, true, NULL, false},
    {"vllm/", true, true, NULL, false},
    {"/vllm", false, true, NULL, false},
    {"vllm", false, true, NULL, false},
};

// "v0.8.5", "0.8.5.post1", "v0.8.5-cu126", "v0.9.0_x": the release in front, or nothing.
static void read_tag(const char *tag, char release[32])
{
    uint32_t number;
    size_t length = 0;
    tag += *tag == 'v';
    while (tag[length] != '\0' && length < 31 &&
           ((tag[length] >= '0' && tag[length] <= '9') || tag[length] == '.' ||
            (length > 4 && strncmp(tag + length, "post", 4) == 0))) {
        length += tag[length] == 'p' ? 4 : 1;
    }
    if (length == 0 || length > 31 || strchr(tag, '.') == NULL) {
        return;
    }
    memcpy(release, tag, length);
    release[length] = '\0';
    if (!kvb_release_parse(release, &number)) {
        release[0] = '\0';
    }
}

// "server-cuda-b5432": a build at the end.
static void read_build(const char *tag, char release[32])
{
    uint32_t number;
    const char *dash = strrchr(tag, '-');
    const char *build = dash != NULL ? dash + 1 : tag;
    if (build[0] == 'b' && kvb_release_parse(build, &number)) {
        (void)kvb_copy(release, 32, build);
    }
}

// The engine has no release before 0.2 or from 1.0 on that is known here: whoever built such an image counts in his own
// way.
static void drop_own_count(struct kvb_image *out)
{
    const char *release = out->release;
    bool early = release[0] != '\0' && strchr("01", release[2]) != NULL && !kvb_is_digit(release[3]);
    if (out->name == NULL && (release[0] != '0' || early)) {
        out->release[0] = '\0';
    }
}

void kvb_image_read(const char *image, struct kvb_image *out)
{
    char name[KVB_LABEL_CAPACITY];
    *out = (struct kvb_image){0};
    const char *slash = strrchr(image, '/');
    const char *tag = strchr(slash != NULL ? slash : image, ':');
    size_t length = tag != NULL ? (size_t)(tag - image) : strcspn(image, "@");
    if (length >= sizeof name) {
        return;
    }
    memcpy(name, image, length);
    name[length] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strstr(name, rows[i].part) == NULL) {
            continue;
        }
        out->engine = true;
        out->name = rows[i].engine;
        out->serves = rows[i].serves;
        bool builds = rows[i].builds;
        if (rows[i].tagged && tag != NULL && !builds) {
            read_tag(tag + 1, out->release);
            drop_own_count(out);
        } else if (rows[i].tagged && tag != NULL) {
            out->serves = strncmp(tag + 1, "server", 6) == 0; // "light" and "full" begin otherwise
            read_build(tag + 1, out->release);
        }
        return;
    }
}

const struct kvb_engine_rows *kvb_image_engine(const struct kvb_image *image)
{
    size_t count;
    const struct kvb_engine_rows *found = image != NULL && image->name != NULL ? kvb_engine_find(image->name) : NULL;
    return found != NULL ? found : kvb_engines(&count)[0];
}
