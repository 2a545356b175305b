// Addresses of a repository's files: the Hub's way, which mirrors share, and ModelScope's.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fetch/fetch.h"

// %1: repository, %2: revision, %3: file.
struct fetch_style {
    const char *host; // of which the endpoint's ends; NULL: any other
    const char *before_repository, *before_revision;
    const char *listing, *listing_revision;
    const char *revision; // the one that is meant by "main"
};
static const struct fetch_style styles[] = {
    // modelscope.cn, docs of its Hub API: models/REPO/resolve/REV/FILE; branches are called master.
    {"modelscope.cn", "/models/", "/resolve/", "/api/v1/models/", "/repo/files?Recursive=true&Revision=", "master"},
    {"modelscope.ai", "/models/", "/resolve/", "/api/v1/models/", "/repo/files?Recursive=true&Revision=", "master"},
    // huggingface_hub/constants.py, HUGGINGFACE_CO_URL_TEMPLATE, and hf_api.py, model_info.
    {NULL, "/", "/resolve/", "/api/models/", "/revision/", "main"},
};

// The part of an address up to its path: "https://host:8080".
static size_t origin_length(const char *url)
{
    const char *host = strstr(url, "://");
    return host == NULL ? 0 : (size_t)(host - url) + 3 + strcspn(host + 3, "/?#");
}

static bool is_word(const char *text, size_t length)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    return length > 0 && text[0] != '.' && strspn(text, allowed) >= length;
}

static bool is_repository(const char *text)
{
    size_t owner = strcspn(text, "/");
    const char *name = text + owner + 1;
    return text[owner] == '/' && is_word(text, owner) && is_word(name, strlen(name));
}

// A branch, a tag, a commit; "refs/pr/1".
static bool is_revision(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./";
    return text[0] != '\0' && text[strspn(text, allowed)] == '\0' && strstr(text, "..") == NULL;
}

static const struct fetch_style *style_of(const char *endpoint)
{
    size_t host = strcspn(endpoint, "/") + 2, length = origin_length(endpoint);
    size_t end = host + strcspn(endpoint + host, ":/");
    end = end < length ? end : length;
    const struct fetch_style *style = styles;
    for (; style->host != NULL; style++) {
        size_t wanted = strlen(style->host);
        if (end - host >= wanted && strncmp(endpoint + end - wanted, style->host, wanted) == 0) {
            break;
        }
    }
    return style;
}

bool fetch_target_set(struct fetch_target *target, const char *endpoint, const char *repository, const char *revision)
{
    bool web = kvb_starts_with(endpoint, "https://") || kvb_starts_with(endpoint, "http://");
    size_t length = strlen(endpoint);
    if (!web || strpbrk(endpoint, "@?#\" ") != NULL || length >= FETCH_URL_CAPACITY / 2 || !is_repository(repository) ||
        !is_revision(revision)) {
        return false;
    }
    (void)kvb_copy(target->endpoint, sizeof target->endpoint, endpoint);
    while (length > 8 && target->endpoint[length - 1] == '/') {
        target->endpoint[--length] = '\0';
    }
    target->style = style_of(target->endpoint);
    bool usual = strcmp(revision, "main") == 0;
    return kvb_copy(target->repository, sizeof target->repository, repository) &&
           kvb_copy(target->revision, sizeof target->revision, usual ? target->style->revision : revision);
}

// Everything but letters, digits and "-_.~" as %XX; slashes too unless they are kept.
static void escape(char out[FETCH_URL_CAPACITY], const char *text, bool keep_slashes)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    size_t used = strlen(out);
    for (; *text != '\0' && used + 4 <= FETCH_URL_CAPACITY; text++) {
        if (strchr(plain, *text) != NULL || (keep_slashes && *text == '/')) {
            out[used++] = *text;
            out[used] = '\0';
        } else {
            used += (size_t)snprintf(out + used, FETCH_URL_CAPACITY - used, "%%%02X", (unsigned)(unsigned char)*text);
        }
    }
}

static void append(char out[FETCH_URL_CAPACITY], const char *text)
{
    size_t used = strlen(out);
    (void)kvb_copy(out + used, FETCH_URL_CAPACITY - used, text);
}

// An endpoint takes half of the room at most, what is escaped three times its length.
_Static_assert(FETCH_URL_CAPACITY / 2 + 2 * FETCH_WORD_CAPACITY + 3 * (FETCH_WORD_CAPACITY + FETCH_FILE_CAPACITY) +
                       128 <
                   FETCH_URL_CAPACITY,
               "an address may not fit");

void fetch_target_file(const struct fetch_target *target, const char *file, char out[FETCH_URL_CAPACITY])
{
    out[0] = '\0';
    append(out, target->endpoint);
    append(out, target->style->before_repository);
    append(out, target->repository);
    append(out, target->style->before_revision);
    escape(out, target->revision, false);
    append(out, "/");
    escape(out, file, true);
}

void fetch_target_listing(const struct fetch_target *target, char out[FETCH_URL_CAPACITY])
{
    out[0] = '\0';
    append(out, target->endpoint);
    append(out, target->style->listing);
    append(out, target->repository);
    append(out, target->style->listing_revision);
    escape(out, target->revision, false);
}

bool fetch_target_owns(const struct fetch_target *target, const char *url)
{
    size_t length = origin_length(target->endpoint);
    return length > 0 && origin_length(url) == length && strncmp(url, target->endpoint, length) == 0;
}

bool fetch_target_trusts(const struct fetch_target *target, const char *url)
{
    static const char *const own[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};
    bool safe = kvb_starts_with(url, "https://");
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        size_t length = strlen(own[i]);
        safe = safe || (kvb_starts_with(url, own[i]) && strchr(":/", url[length]) != NULL);
    }
    return safe && fetch_target_owns(target, url);
}
