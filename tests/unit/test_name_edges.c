// Names at the edges: addresses without a name in them, parts that are too long, tags of a library, folders that are no
// names.
#include <stdio.h>
#include <string.h>

#include "model/names/name.h"
#include "unit/test.h"

#define TEN "xxxxxxxxxx"
#define FIFTY TEN TEN TEN TEN TEN
#define LONG FIFTY FIFTY FIFTY // longer than a part may be
#define HASH "0123456789abcdef0123456789abcdef01234567"

static const struct {
    const char *text, *owner, *name, *revision, *format;
} cases[] = {
    {"@v1", "", "@v1", "", ""}, // nothing in front of a revision
    {"org/name@feature/one", "org", "name", "feature/one", ""},
    {"/x/org/name@1/2", "org", "name", "1", ""}, // of a path a number at the end is no name
    {"/models/Qwen3-8B/main", "models", "Qwen3-8B", "", ""},
    {"/models/Qwen3-8B/snapshots/" HASH, "models", "Qwen3-8B", "", ""},
    {"/models/Qwen3-8B/abc", "Qwen3-8B", "abc", "", ""}, // neither a commit nor a number
    {"/models/Qwen3-8B/4", "models", "Qwen3-8B", "", ""},
    {"https://huggingface.co/a/B/blob/main/README.md", "a", "B", "main", ""},
    {"https://huggingface.co/a/B/discussions/4", "a", "B", "", ""},
    {"https://huggingface.co/a/B/resolve/main/" LONG "-Q4_K_M.gguf", "a", "B", "main", ""}, // cut, so no format
    {"HTTPS://HuggingFace.co/a/B", "a", "B", "", ""},
    {"https://example.org/a/B", "a", "B", "", ""},
};

static void parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kvb_name name;
        if (!kvb_name_parse(cases[i].text, &name) || strcmp(name.owner, cases[i].owner) != 0 ||
            strcmp(name.name, cases[i].name) != 0 || strcmp(name.revision, cases[i].revision) != 0 ||
            strcmp(name.format, cases[i].format) != 0) {
            fail_msg("%s: '%s' '%s' '%s' '%s'", cases[i].text, name.owner, name.name, name.revision, name.format);
        }
    }
}

static void no_names(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    "/",       "https://",     "https://huggingface.co/",       "hf://", "s3://",
        "...", ":Q4_K_M", "hf://:Q4_K_M", "https://huggingface.co/:Q4_K_M"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct kvb_name name;
        bool named = kvb_name_parse(texts[i], &name);
        if (named && kvb_name_is_repository(&name)) {
            fail_msg("'%s' is taken for '%s' '%s'", texts[i], name.owner, name.name);
        }
    }
    static char lengthy[8192];
    struct kvb_name name;
    memset(lengthy, 'a', sizeof lengthy - 1);
    assert_false(kvb_name_parse(lengthy, &name));
}

// What a server may be told to call a model: words as the Hub allows them.
static void served_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "a/b", "Org-1/name_2.0", FIFTY, FIFTY "/" FIFTY};
    static const char *const bad[] = {"",
                                      "/",
                                      "/b",
                                      "a/",
                                      ".a",
                                      "-a",
                                      "a.",
                                      "a-",
                                      "a b",
                                      "a..b",
                                      "a--b",
                                      "a/.b",
                                      "a/-b",
                                      "a/b.",
                                      "a/b-",
                                      "a/b..c",
                                      "a/b/c",
                                      "a/b;c",
                                      FIFTY FIFTY,
                                      LONG,
                                      "a/" LONG,
                                      LONG "/a",
                                      LONG LONG LONG "/" LONG};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!kvb_model_name_is_served(good[i])) {
            fail_msg("'%s' is refused", good[i]);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (kvb_model_name_is_served(bad[i])) {
            fail_msg("'%s' is taken", bad[i]);
        }
    }
}

// Tags of Ollama's library, https://ollama.com/library: a size, then what it was made of.
static void tags(void **state)
{
    (void)state;
    static const struct {
        const char *name, *tag, *hub, *format; // hub NULL: not there
    } rows[] = {
        {"granite4", "micro", "ibm-granite/granite-4.0-micro", ""},
        {"granite4", "micro-h", "ibm-granite/granite-4.0-h-micro", ""}, // not the shorter tag with more behind it
        {"granite4", "MICRO-H", "ibm-granite/granite-4.0-h-micro", ""},
        {"granite4", "micro-q8_0", "ibm-granite/granite-4.0-micro", "q8_0"},
        {"granite4", "micros", NULL, ""},
        {"granite4", "mic", NULL, ""},
        {"granite4", "", "ibm-granite/granite-4.0-micro", ""},
        {"granite4", "latest", "ibm-granite/granite-4.0-micro", ""},
        {"granite4", "Latest", "ibm-granite/granite-4.0-micro", ""},
        {"granite4", "instruct", NULL, ""},
        {"nobody", "8b", NULL, ""},
        {"Phi4", "14b-fp16", "microsoft/phi-4", "fp16"},
        {"phi4", "14b-chat", "microsoft/phi-4", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *format = "";
        const char *hub = kvb_ollama_find(rows[i].name, rows[i].tag, &format);
        bool same =
            hub != NULL && rows[i].hub != NULL ? strcmp(hub, rows[i].hub) == 0 : hub == NULL && rows[i].hub == NULL;
        if (!same || (hub != NULL && strcmp(format, rows[i].format) != 0)) {
            fail_msg("%s:%s: %s, '%s'", rows[i].name, rows[i].tag, hub != NULL ? hub : "none", format);
        }
    }
    assert_string_equal(kvb_tag_format("8b"), "");
    assert_string_equal(kvb_tag_format("8b-instruct"), "");
    assert_string_equal(kvb_tag_format("8b-instruct-q4_K_M"), "q4_K_M");
}

// The library's name of a repository, where there is one and room for it.
static void in_library(void **state)
{
    (void)state;
    char out[32];
    assert_true(kvb_name_in_library("Microsoft/Phi-4", out, sizeof out));
    assert_string_equal(out, "phi4:14b");
    assert_false(kvb_name_in_library("microsoft/phi-4", out, strlen("phi4:14b")));
    assert_false(kvb_name_in_library("microsoft/phi-5", out, sizeof out));
}

KVB_TEST_MAIN(cmocka_unit_test(parts), cmocka_unit_test(no_names), cmocka_unit_test(served_names),
              cmocka_unit_test(tags), cmocka_unit_test(in_library))
