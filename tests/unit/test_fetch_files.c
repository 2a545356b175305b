// Which files of a repository are asked for and kept, and what of them is refused, without a network.
#ifdef KVB_NO_CURL
int main(void)
{
    return 0; // nothing of it is built without libcurl
}
#else
#include "fetch_stand_in.h"

// ---- a repository

static bool kept(const char *name, const char *text)
{
    char path[128];
    struct kvb_file file;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!kvb_path_exists(path) || kvb_file_read(&file, path, 1 << 20, NULL) != KVB_OK) {
        return false;
    }
    bool same = strcmp(file.text, text) == 0;
    kvb_file_free(&file);
    return same;
}

static bool same;

static bool fetch_all(const struct answer *given)
{
    asked[0] = '\0';
    answers = given;
    return fetch_repository(&run, NULL, 0, &same);
}

#define HEAD "\2\0\0\0\0\0\0\0{}"

static void repositories(void **state)
{
    (void)state;
    static const struct answer one[] = {
        {"config.json", " {\"a\": 1}", 0, 9}, {"model.safetensors", HEAD, 10, 1000}, {NULL, NULL, 0, 0}};
    assert_true(fetch_all(one));
    assert_true(kept("config.json", " {\"a\": 1}") && kept("kvbudget-sizes", "1000 model.safetensors\n") == false);
    assert_int_equal(run.files, 1);
    assert_int_equal(run.heads, 1);
    assert_null(strstr(asked, "adapter")); // a model with a config is no adapter
    (void)begin(NULL);
    static const struct answer shards[] = {
        {"config.json", "{}", 0, 2},
        {"model.safetensors.index.json", "{\"weight_map\": {\"a\": \"m-1.safetensors\", \"b\": \"m-2.safetensors\"}}",
         0, 0},
        {"m-1.safetensors", HEAD, 10, 7},
        {"m-2.safetensors", HEAD, 10, 8},
        {NULL, NULL, 0, 0}};
    assert_true(fetch_all(shards));
    assert_int_equal(run.heads, 2);
    (void)begin(NULL);
    static const struct answer gap[] = {
        {"config.json", "{}", 0, 2},
        {"model.safetensors.index.json", "{\"weight_map\": {\"a\": \"gone.safetensors\"}}", 0, 0},
        {NULL, NULL, 0, 0}};
    assert_false(fetch_all(gap));
    failed(FETCH_NAME, "there is no gone.safetensors");
    (void)begin(NULL);
    static const struct answer adapter[] = {
        {"adapter_config.json", "{\"r\": 8}", 0, 8}, {"adapter_model.safetensors", HEAD, 10, 9}, {NULL, NULL, 0, 0}};
    assert_true(fetch_all(adapter));
    assert_true(kept("adapter_config.json", "{\"r\": 8}"));
    (void)begin(NULL);
    static const struct answer mistral[] = {{"params.json", "{}", 0, 2}, {NULL, NULL, 0, 0}};
    assert_true(fetch_all(mistral));
    (void)begin(NULL);
    char *const known[] = {(char[]){"0000"}, (char[]){SHA}};
    answers = mistral;
    (void)strcpy(run.target.commit, SHA);
    assert_true(fetch_repository(&run, known, 2, &same) && same);
    assert_true(fetch_repository(&run, known, 1, &same) && !same);
    assert_string_equal(run.target.revision, SHA); // one commit is read
}

static void what_is_no_config(void **state)
{
    (void)state;
    static const char *const texts[] = {"<html>", "[1]", "{\"a\": }", "{} {}", " "};
    static const char text[] =
        "config.json: what came is no JSON object; a proxy or a page to log in may stand between";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct answer page[] = {{"config.json", texts[i], 0, 0}, {NULL, NULL, 0, 0}};
        assert_false(fetch_all(page));
        failed(FETCH_BAD, text);
    }
    static const struct answer page[] = {
        {"config.json", "{}", 0, 0}, {"model.safetensors", HEAD, 10, 9}, {NULL, NULL, 0, 0}};
    run.folder = "/nowhere";
    assert_false(fetch_all(page));
    failed(FETCH_SYSTEM, "cannot write config.json");
    static char lengthy[5000];
    (void)memset(lengthy, 'a', sizeof lengthy - 1);
    run.folder = lengthy;
    assert_false(fetch_all(page));
    failed(FETCH_SYSTEM, "cannot write config.json");
    run.folder = folder;
    transfers_fail = true;
    assert_false(fetch_all(page));
    failed(FETCH_OFFLINE, "nobody answers");
}

static void memory_runs_out(void **state)
{
    (void)state;
    static const struct answer shards[] = {
        {"config.json", "{}", 0, 2},
        {"model.safetensors.index.json", "{\"weight_map\": {\"a\": \"m-1.safetensors\"}}", 0, 0},
        {"m-1.safetensors", HEAD, 10, 7},
        {NULL, NULL, 0, 0}};
    static const struct answer files[] = {
        {"its list of files", "{\"siblings\": [{\"rfilename\": \"m-Q4_K_M.gguf\"}]}", 0, 0},
        {"m-Q4_K_M.gguf", "GGUF", 0, 9},
        {NULL, NULL, 0, 0}};
    for (unsigned k = 0; k < 2; k++) {
        unsigned refused = 0;
        for (unsigned long n = 1; n < 40; n++) {
            (void)begin(NULL);
            run.format = k == 0 ? "" : "Q4_K_M";
            unsigned long before = kvb_memory_failures();
            (void)kvb_memory_fail_once(n);
            bool fine = fetch_all(k == 0 ? shards : files);
            (void)kvb_memory_fail_once(0);
            assert_true(kvb_memory_failures() == before || !fine); // never taken for whole
            refused += !fine;
        }
        assert_true(refused > 3);
    }
}

// ---- GGUF files

static void list_of(const char *names, const char *format, const char *wanted)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "{\"sha\": \"%s\", \"siblings\": [%s]}", SHA, names);
    const struct answer list[] = {{"its list of files", text, 0, 0}, {NULL, NULL, 0, 0}};
    (void)begin(NULL);
    run.format = format;
    assert_false(fetch_all(list)); // the files themselves are not there
    if (strcmp(run.text, wanted) != 0) {
        fail_msg("%s of %s: '%s', wanted '%s'", format, names, run.text, wanted);
    }
}

#define F(name) "{\"rfilename\": \"" name "\"}"

// The file of a format, the shortest name where there are several; nothing that lies elsewhere.
static void gguf_files(void **state)
{
    (void)state;
    static const char none[] = "org/name has no GGUF file of the format Q4_K_M";
    list_of(F("m-Q4_K_M.gguf"), "Q4_K_M", "there is no m-Q4_K_M.gguf");
    list_of(F("m-long-Q4_K_M.gguf") "," F("m-Q4_K_M.gguf") "," F("m-other-Q4_K_M.gguf"), "q4_k_m",
            "there is no m-Q4_K_M.gguf");
    list_of(F("Q4_K_M/m.gguf"), "Q4_K_M", "there is no Q4_K_M/m.gguf");
    list_of("{\"Path\": \"m-Q4_K_M.GGUF\"}", "Q4_K_M", "there is no m-Q4_K_M.GGUF");
    static const char *const others[] = {F("m-IQ4_K_M.gguf"),
                                         F("m-Q4_K_ML.gguf"),
                                         F("m-Q4_K_M"),
                                         F(".gguf"),
                                         F("/m-Q4_K_M.gguf"),
                                         F(".m-Q4_K_M.gguf"),
                                         F("a/../m-Q4_K_M.gguf"),
                                         F("a/.m-Q4_K_M.gguf"),
                                         F("m\\\\-Q4_K_M.gguf"),
                                         F("m%-Q4_K_M.gguf"),
                                         F("m\xc3\xa9-Q4_K_M.gguf"),

                                         F("mmproj-Q4_K_M.gguf"),
                                         F("m-imatrix-Q4_K_M.gguf"),
                                         F("m-Q4_K_M-00002-of-00002.gguf"),
                                         "{\"other\": \"m-Q4_K_M.gguf\"}",
                                         "{\"rfilename\": 1}"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        list_of(others[i], "Q4_K_M", none);
    }
    list_of(F("m-Q8_0.gguf"), "a-format-that-is-longer-than-a-word-of-a-file",
            "org/name has no GGUF file of the format "
            "a-format-that-is");
    static char lengthy[700];
    (void)snprintf(lengthy, sizeof lengthy, "{\"rfilename\": \"%0300d-Q4_K_M.gguf\"}", 0);
    list_of(lengthy, "Q4_K_M", none);
}

// Of a repository without a config the usual format is taken, else any; all parts of a file in parts.
static void gguf_parts(void **state)
{
    (void)state;
    static const struct answer parts[] = {
        {"its list of files",
         "{\"siblings\": [" F("m-Q4_K_M-00001-of-00002.gguf") "," F("m-Q4_K_M-00002-of-00002.gguf") "," F(
             "m-Q8_0.gguf") "," F("m-Q4_K_M-extra.gguf") "]}",
         0, 0},
        {"m-Q4_K_M-00001-of-00002.gguf", "GGUF", 0, 9},
        {"m-Q4_K_M-00002-of-00002.gguf", "GGUF", 0, 8},
        {NULL, NULL, 0, 0}};
    run.format = "Q4_K_M";
    assert_false(fetch_all(parts)); // the shorter name is the model
    failed(FETCH_NAME, "there is no m-Q4_K_M-extra.gguf");
    static const struct answer usual[] = {
        {"its list of files",
         "{\"siblings\": [" F("m-Q8_0.gguf") "," F("m-Q4_K_M-00001-of-00002.gguf") "," F(
             "m-Q4_K_M-00002-of-00002.gguf") "]}",
         0, 0},
        {"m-Q4_K_M-00001-of-00002.gguf", "GGUF", 0, 9},
        {"m-Q4_K_M-00002-of-00002.gguf", "GGUF", 0, 8},
        {NULL, NULL, 0, 0}};
    (void)begin(NULL);
    assert_true(fetch_all(usual));
    assert_int_equal(run.heads, 2);
    static const struct answer any[] = {{"its list of files", "{\"siblings\": [" F("m-Q8_0.gguf") "]}", 0, 0},
                                        {"m-Q8_0.gguf", "GGUF", 0, 9},
                                        {NULL, NULL, 0, 0}};
    (void)begin(NULL);
    assert_true(fetch_all(any));
    static const struct answer nothing[] = {{"its list of files", "{\"siblings\": []}", 0, 0}, {NULL, NULL, 0, 0}};
    (void)begin(NULL);
    assert_false(fetch_all(nothing));
    failed(FETCH_NAME, "org/name has neither a config.json nor a GGUF file");
    static const struct answer page[] = {{"its list of files", "{\"siblings\": [", 0, 0}, {NULL, NULL, 0, 0}};
    assert_false(fetch_all(page));
    failed(FETCH_BAD, "its list of files is no JSON");
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, TEST(repositories), TEST(what_is_no_config), TEST(memory_runs_out),
                   TEST(gguf_files), TEST(gguf_parts))
#endif
