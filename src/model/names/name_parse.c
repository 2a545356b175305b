// Addresses, paths, revisions and tags: what people write around OWNER/NAME.
#include <string.h>

#include "base/text.h"
#include "model/names/name.h"

#define TEXT_CAPACITY 1024
#define SEGMENTS_MAX 32

// How an address begins, and what follows.
enum kind { HUB, OLLAMA, BUCKET };
struct beginning {
    const char *text;
    enum kind kind;
};
static const struct beginning beginnings[] = {
    {"huggingface.co/", HUB},
    {"www.huggingface.co/", HUB},
    {"hf.co/", HUB},
    {"hf-mirror.com/", HUB},
    {"modelscope.cn/models/", HUB},
    {"www.modelscope.cn/models/", HUB},
    {"modelscope.ai/models/", HUB},
    {"www.modelscope.ai/models/", HUB},
    {"ollama.com/library/", OLLAMA},
    {"ollama.com/", OLLAMA},
    {"registry.ollama.ai/library/", OLLAMA},
    {"library/", OLLAMA},
    {"ollama/", OLLAMA}, // LiteLLM's words for its servers
    {"ollama_chat/", OLLAMA},
};
static const struct beginning schemes[] = {
    {"hf://", HUB},      {"huggingface://", HUB}, {"hf-hub:", HUB},   {"ollama://", OLLAMA}, {"s3://", BUCKET},
    {"gs://", BUCKET},   {"az://", BUCKET},       {"gcs://", BUCKET}, {"oci://", BUCKET},    {"pvc://", BUCKET},
    {"file://", BUCKET}, {"abfss://", BUCKET},    {"cos://", BUCKET}, {"oss://", BUCKET},
};

struct segments {
    char text[TEXT_CAPACITY];
    char *parts[SEGMENTS_MAX];
    uint32_t count;
};

// Cuts at slashes; empty parts and "." are dropped. False when there are too many or none.
static bool split(struct segments *segments, const char *text)
{
    (void)kvb_copy(segments->text, sizeof segments->text, text); // a part of a text of that length
    segments->count = 0;
    char *at = segments->text;
    while (*at) {
        size_t length = strcspn(at, "/");
        bool more = at[length] == '/';
        at[length] = '\0';
        if (length > 0 && strcmp(at, ".") != 0 && strcmp(at, "..") != 0) {
            if (segments->count == SEGMENTS_MAX) {
                return false;
            }
            segments->parts[segments->count++] = at;
        }
        at += length + more;
    }
    return segments->count > 0;
}

// Cuts `mark` and what follows off, into `out`.
static void cut_off(char *text, char mark, char *out, size_t capacity)
{
    char *at = strrchr(text, mark);
    if (at && at != text) {
        *at = '\0';
        (void)kvb_copy(out, capacity, at + 1);
    }
}

static void read_tag(struct kvb_name *name, char *last)
{
    char tag[sizeof name->tag] = "";
    cut_off(last, ':', tag, sizeof tag);
    cut_off(last, '@', name->revision, sizeof name->revision);
    if (kvb_gguf_format_centibits(tag, strlen(tag)) > 0) {
        (void)kvb_copy(name->format, sizeof name->format, tag);
    } else {
        (void)kvb_copy(name->tag, sizeof name->tag, tag);
    }
}

// "Qwen3.6-27B-MTP-GGUF", and a file "Qwen3.6-27B-MTP-UD-Q4_K_XL.gguf": whole models with their layers for further
// tokens.
static void drop_layers(struct kvb_name *name, const char *before)
{
    char ending[16] = "-MTP";
    kvb_add_text(ending, sizeof ending, before);
    if (kvb_cut_ending(name->name, ending)) {
        kvb_add_text(name->name, sizeof name->name, before);
    }
}

// "Qwen3-8B-Q4_K_M-00001-of-00002.gguf": the name and the format, both without what is a file's.
static void read_gguf_file(struct kvb_name *name)
{
    size_t length = strlen(name->name);
    name->name[length - strlen(".gguf")] = '\0';
    char *shard = strstr(name->name, "-00001-of-");
    if (shard) {
        *shard = '\0';
    }
    for (char *at = name->name; (at = strpbrk(at, "-.")) != NULL; at++) {
        if (kvb_gguf_format_centibits(at + 1, strlen(at + 1)) > 0) {
            (void)kvb_copy(name->format, sizeof name->format, at + 1);
            *at = '\0';
            drop_layers(name, "");
            return;
        }
    }
}

static void set_name(struct kvb_name *name, const char *owner, char *last)
{
    read_tag(name, last);
    (void)kvb_copy(name->owner, sizeof name->owner, owner);
    (void)kvb_copy(name->name, sizeof name->name, last);
    drop_layers(name, "-GGUF");
    if (kvb_is_gguf(name->name)) {
        read_gguf_file(name);
    }
}

// OWNER/NAME[/tree/REVISION[/FILE]].
static bool read_hub(struct kvb_name *name, struct segments *segments)
{
    if (segments->count == 1) {
        set_name(name, "", segments->parts[0]);
        return true;
    }
    set_name(name, segments->parts[0], segments->parts[1]);
    static const char *const views[] = {"tree", "blob", "resolve", "raw", "commit"};
    for (size_t i = 0; segments->count > 3 && i < sizeof views / sizeof views[0]; i++) {
        if (strcmp(segments->parts[2], views[i]) == 0) {
            (void)kvb_copy(name->revision, sizeof name->revision, segments->parts[3]);
        }
    }
    const char *last = segments->parts[segments->count - 1];
    if (segments->count > 2 && kvb_is_gguf(last)) {
        struct kvb_name file = {0};
        (void)kvb_copy(file.name, sizeof file.name, last);
        if (kvb_is_gguf(file.name)) {
            read_gguf_file(&file);
        }
        (void)kvb_copy(name->format, sizeof name->format, file.format);
    }
    return true;
}

// "models--OWNER--NAME" is how the Hub's cache calls a folder.
static bool read_cache_folder(struct kvb_name *name, struct segments *segments)
{
    for (uint32_t i = segments->count; i-- > 0;) {
        char *dashes =
            kvb_starts_with_ignoring_case(segments->parts[i], "models--") ? strstr(segments->parts[i] + 8, "--") : NULL;
        if (dashes) {
            *dashes = '\0';
            set_name(name, segments->parts[i] + 8, dashes + 2);
            return true;
        }
    }
    return false;
}

static bool is_noise(const char *part)
{
    static const char *const words[] = {"snapshots", "main", "latest", "hf", "original", "checkpoint", "model"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (kvb_equal_ignoring_case(part, words[i])) {
            return true;
        }
    }
    size_t digits = strspn(part, "0123456789abcdef");
    return part[digits] == '\0' && (digits == 40 || strspn(part, "0123456789") == digits);
}

// The last part that could be a name, and the one before it as the owner.
static bool read_path(struct kvb_name *name, struct segments *segments)
{
    name->is_path = true;
    if (read_cache_folder(name, segments)) {
        return true;
    }
    uint32_t last = segments->count;
    while (last > 1 && is_noise(segments->parts[last - 1])) {
        last--;
    }
    set_name(name, last > 1 ? segments->parts[last - 2] : "", segments->parts[last - 1]);
    return true;
}

static bool read_kind(struct kvb_name *name, enum kind kind, const char *rest)
{
    struct segments segments;
    if (!split(&segments, rest)) {
        return false;
    }
    return kind == BUCKET ? read_path(name, &segments) : read_hub(name, &segments);
}

static bool read_address(const char *text, struct kvb_name *name, bool web)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (kvb_starts_with_ignoring_case(text, beginnings[i].text)) {
            return read_kind(name, beginnings[i].kind, text + strlen(beginnings[i].text));
        }
    }
    if (web) {
        return read_kind(name, BUCKET, text);
    }
    const char *slash = strchr(text, '/');
    const char *second = slash ? strchr(slash + 1, '/') : NULL;
    bool path =
        strchr("/.~", text[0]) || kvb_starts_with_ignoring_case(text, "models--") || (second && second[1] != '\0');
    return read_kind(name, path ? BUCKET : HUB, text);
}

// "OWNER/NAME@feature/one": a branch may have slashes, which are none of the name's.
static void cut_branch(char *text, struct kvb_name *name)
{
    char *slash = strchr(text, '/');
    char *at = slash ? strchr(slash, '@') : NULL;
    char *second = slash ? strchr(slash + 1, '/') : NULL;
    if (at && second && second > at && !strchr("/.~", text[0]) && kvb_copy(name->revision, KVB_NAME_PART, at + 1)) {
        *at = '\0';
    }
}

bool kvb_name_parse(const char *text, struct kvb_name *name)
{
    char copy[TEXT_CAPACITY];
    memset(name, 0, sizeof *name);
    if (!kvb_copy(copy, sizeof copy, text)) {
        return false;
    }
    bool web = kvb_starts_with_ignoring_case(copy, "https://") || kvb_starts_with_ignoring_case(copy, "http://");
    if (web) {
        copy[strcspn(copy, "?#")] = '\0';
        const char *host = strstr(copy, "://") + 3;
        return read_address(host, name, true) && name->name[0] != '\0';
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (kvb_starts_with_ignoring_case(copy, schemes[i].text)) {
            return read_kind(name, schemes[i].kind, copy + strlen(schemes[i].text)) && name->name[0] != '\0';
        }
    }
    cut_branch(copy, name);
    return read_address(copy, name, false) && name->name[0] != '\0';
}

static bool is_word(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    size_t length = strlen(text);
    return length > 0 && length <= 96 && text[0] != '.' && text[0] != '-' && text[length - 1] != '.' &&
           text[length - 1] != '-' && text[strspn(text, allowed)] == '\0' && !strstr(text, "..") && !strstr(text, "--");
}

bool kvb_name_is_repository(const struct kvb_name *name)
{
    return !name->is_path && is_word(name->owner) && is_word(name->name);
}

void kvb_name_write(char out[KVB_NAME_CAPACITY], const struct kvb_name *name)
{
    size_t length = strlen(name->owner);
    (void)kvb_copy(out, KVB_NAME_CAPACITY, name->owner);
    if (length > 0) { // a part is shorter than the room
        out[length++] = '/';
    }
    (void)kvb_copy(out + length, KVB_NAME_CAPACITY - length, name->name);
}

bool kvb_model_name_is_served(const char *text)
{
    struct kvb_name name = {0};
    size_t owner = strcspn(text, "/");
    if (strlen(text) >= KVB_NAME_CAPACITY || owner >= sizeof name.owner || strlen(text) - owner >= sizeof name.name) {
        return false;
    }
    memcpy(name.owner, text, owner);
    return text[owner] == '\0' ? is_word(name.owner) : is_word(name.owner) && is_word(text + owner + 1);
}
