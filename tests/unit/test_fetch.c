// What the helper that fetches makes of addresses, tokens, header lines, bodies and endings, without a network.
#ifdef KVB_NO_CURL
int main(void)
{
    return 0; // nothing of it is built without libcurl
}
#else
#include "fetch_stand_in.h"

// ---- addresses

static void targets(void **state)
{
    (void)state;
    static char lengthy[3000];
    static const struct {
        const char *endpoint, *repository, *revision, *url, *listing; // url NULL: refused
    } rows[] = {
        {"https://h/", "a/b", "main", "https://h/a/b/resolve/main/x", "https://h/api/models/a/b/revision/main"},
        {"http://h:1/p//", "a/b", "refs/pr/1", "http://h:1/p/a/b/resolve/refs%2Fpr%2F1/x", NULL},
        {"https://www.modelscope.cn", "a/b", "main", "https://www.modelscope.cn/models/a/b/resolve/master/x",
         "https://www.modelscope.cn/api/v1/models/a/b/repo/files?Recursive=true&Revision=master"},
        {"https://modelscope.ai:443/", "a/b", "v1", "https://modelscope.ai:443/models/a/b/resolve/v1/x", NULL},
        {"https://x.cn", "a/b", "main", "https://x.cn/a/b/resolve/main/x", NULL},
        {"ftp://h", "a/b", "main", NULL, NULL},
        {"https://user@h", "a/b", "main", NULL, NULL},
        {"https://h", "ab", "main", NULL, NULL},
        {"https://h", "/b", "main", NULL, NULL},
        {"https://h", "a/", "main", NULL, NULL},
        {"https://h", ".a/b", "main", NULL, NULL},
        {"https://h", "a/b c", "main", NULL, NULL},
        {"https://h", "a b/c", "main", NULL, NULL},
        {"https://h", "a/b", "", NULL, NULL},
        {"https://h", "a/b", "a b", NULL, NULL},
        {"https://h", "a/b", "a..b", NULL, NULL},
        {lengthy, "a/b", "main", NULL, NULL},
        {"https://h", lengthy + 2000, "main", NULL, NULL},
        {"https://h", "a/b", lengthy + 2500, NULL, NULL},
    };
    (void)memset(lengthy, 'a', sizeof lengthy - 1);
    memcpy(lengthy, "https://", 8);
    lengthy[2100] = '/';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fetch_target target = {0};
        char url[FETCH_URL_CAPACITY];
        bool set = fetch_target_set(&target, rows[i].endpoint, rows[i].repository, rows[i].revision);
        if (set != (rows[i].url != NULL)) {
            fail_msg("row %zu", i);
        }
        if (set) {
            fetch_target_file(&target, "x", url);
            assert_string_equal(url, rows[i].url);
        }
        if (rows[i].listing != NULL) {
            fetch_target_listing(&target, url);
            assert_string_equal(url, rows[i].listing);
        }
    }
    char url[FETCH_URL_CAPACITY];
    fetch_target_file(&run.target, "a b/c%.json", url);
    assert_string_equal(url, HUB "/org/name/resolve/main/a%20b/c%25.json");
}

// A token goes to the endpoint alone, and over plain http to this machine alone.
static void trust(void **state)
{
    (void)state;
    static const struct {
        const char *endpoint, *url;
        bool owns, trusts;
    } rows[] = {
        {HUB, HUB "/x", true, true},
        {HUB, "https://hub.example.evil/x", false, false},
        {HUB, "https://hub.example:444/x", false, false},
        {HUB, "https://hub.exampla/x", false, false},
        {HUB, "no address", false, false},
        {"http://hub.example", "http://hub.example/x", true, false},
        {"http://127.0.0.1:8", "http://127.0.0.1:8/x", true, true},
        {"http://localhost", "http://localhost/x", true, true},
        {"http://localhostess", "http://localhostess/x", true, false},
        {"http://[::1]:8", "http://[::1]:8/x", true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(fetch_target_set(&run.target, rows[i].endpoint, "a/b", "main"));
        assert_int_equal(fetch_target_owns(&run.target, rows[i].url), rows[i].owns);
        assert_int_equal(fetch_target_trusts(&run.target, rows[i].url), rows[i].trusts);
    }
}

// ---- the token

static void tokens(void **state)
{
    (void)state;
    static const char *const names[] = {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
                                        "HF_HOME",  "XDG_CACHE_HOME",         "HOME"};
    static char lengthy[5000];
    char token[16], path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(unsetenv(names[i]), 0);
    }
    fetch_token_find(token, sizeof token);
    assert_string_equal(token, "");
    static const struct {
        const char *value, *token;
    } rows[] = {{" hf_a \n", "hf_a"}, {"", ""}, {"  ", ""}, {"a\"b", ""}, {"0123456789abcdef", ""},
                {"two words", "two"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(setenv("HF_TOKEN", rows[i].value, 1), 0);
        fetch_token_find(token, sizeof token);
        assert_string_equal(token, rows[i].token);
    }
    assert_int_equal(setenv("HF_TOKEN", "", 1), 0); // empty is not set
    assert_int_equal(setenv("HUGGING_FACE_HUB_TOKEN", "old", 1), 0);
    fetch_token_find(token, sizeof token);
    assert_string_equal(token, "old");
    assert_int_equal(unsetenv("HUGGING_FACE_HUB_TOKEN"), 0);
    (void)snprintf(path, sizeof path, "%s/token", folder);
    assert_int_equal(kvb_file_create(path, "hf_file\n", 8, NULL), KVB_OK);
    assert_int_equal(setenv("HF_TOKEN_PATH", "", 1), 0);
    assert_int_equal(setenv("HF_HOME", folder, 1), 0);
    fetch_token_find(token, sizeof token);
    assert_string_equal(token, "hf_file");
    assert_int_equal(setenv("HF_TOKEN_PATH", "/nowhere", 1), 0); // the first that is set decides
    fetch_token_find(token, sizeof token);
    assert_string_equal(token, "");
    assert_int_equal(setenv("HF_TOKEN_PATH", folder, 1), 0);
    fetch_token_find(token, sizeof token);
    assert_string_equal(token, "");
    (void)memset(lengthy, 'a', sizeof lengthy - 1);
    assert_int_equal(setenv("HF_TOKEN_PATH", lengthy, 1), 0);
    fetch_token_find(token, sizeof token);
    assert_string_equal(token, "");
}

static struct fetch_job job;

// ---- header lines

static void say(const char *line)
{
    fetch_response_line(&job, line, strlen(line));
}

static void set_job(enum fetch_kind kind, const char *file, bool optional)
{
    kvb_buffer_free(&job.body);
    assert_true(fetch_job_set(&run, &job, kind, file, optional));
}

static void header_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool has_range;
        uint64_t begin, total;
    } ranges[] = {
        {"Content-Range: bytes 5-7/1234\r\n", true, 5, 1234},
        {"content-range:\tbytes 5-7/*\r\n", true, 5, 0},
        {"content-range: lines 5-7/8\r\n", false, 0, 0},
        {"content-range: bytes 5\r\n", false, 0, 0},
        {"content-range: bytes 5-7\r\n", false, 0, 0},
        {"content-range: bytes 5/7-8\r\n", false, 0, 0},
        {"content-range: bytes x-7/8\r\n", false, 0, 0},
        {"content-range: bytes 5-7/x\r\n", false, 5, 0},
        {"content-range: bytes 5-7/123456789012345678901234567890\r\n", false, 5, 0},
        {"content-range: bytes 123456789012345678901234567890-7/8\r\n", false, 0, 0},
    };
    set_job(FETCH_WHOLE, "config.json", false);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        say("HTTP/1.1 206 Partial\r\n");
        say(ranges[i].line);
        assert_int_equal(job.response.has_range, ranges[i].has_range);
        assert_int_equal(job.response.range_begin, ranges[i].begin);
        assert_int_equal(job.response.range_total, ranges[i].total);
    }
    static char lengthy[FETCH_URL_CAPACITY + 32] = "location: ";
    (void)memset(lengthy + 10, 'a', FETCH_URL_CAPACITY - 12);
    say(lengthy);
    assert_int_equal(strlen(job.response.location), FETCH_URL_CAPACITY - 12);
    (void)memset(lengthy + 10, 'b', FETCH_URL_CAPACITY + 10); // longer than a line may be: as if it were not there
    say(lengthy);
    assert_int_equal(job.response.location[0], 'a');
    say("X-Error-Code: GatedRepo\r\n");
    assert_string_equal(job.response.error_code, "GatedRepo");
    static const char *const commits[] = {"x-repo-commit: abc\r\n", "x-repo-commit: " SHA "g\r\n",
                                          "x-repo-commit: " SHA SHA "\r\n"};
    for (size_t i = 0; i < sizeof commits / sizeof commits[0]; i++) {
        say(commits[i]);
        assert_string_equal(run.target.commit, "");
    }
    (void)strcpy(job.url, "https://elsewhere.example/x"); // another host names no commit
    say("x-repo-commit: " SHA "\r\n");
    assert_string_equal(run.target.commit, "");
    (void)strcpy(job.url, HUB "/x");
    say("x-repo-commit: " SHA "\r\n");
    say("x-repo-commit: 1111111111111111111111111111111111111111\r\n"); // the first stays
    assert_string_equal(run.target.commit, SHA);
}

// ---- bodies

static void bodies(void **state)
{
    (void)state;
    set_job(FETCH_SAFETENSORS, "model.safetensors", false);
    job.response = (struct fetch_response){.status = 206, .has_range = true, .range_begin = 4, .range_total = 9};
    assert_false(fetch_body_begin(&job));
    failed(FETCH_BAD, "model.safetensors: bytes from 0 on were asked for, and others came");
    job.response = (struct fetch_response){.status = 200, .has_length = true, .length = 100};
    job.total_bytes = 90;
    assert_false(fetch_body_begin(&job));
    failed(FETCH_BAD, "model.safetensors: first it had 90 bytes, now 100");
    job.total_bytes = 100;
    assert_true(fetch_body_begin(&job)); // still as long
    job.response = (struct fetch_response){.status = 200};
    assert_true(fetch_body_begin(&job)); // and where the length is not said
    assert_int_equal(job.total_bytes, 100);
    job.asked_bytes = 10;
    assert_true(fetch_body_take(&job, "\2\0\0\0\0\0\0", 7)); // not yet its length
    assert_int_equal(job.wanted_bytes, 0);
    assert_false(fetch_body_whole(&job));
    assert_false(fetch_body_take(&job, "\0{}", 3)); // ten bytes are enough: the rest is not waited for
    assert_true(job.satisfied && fetch_body_whole(&job));
    assert_int_equal(job.body.length, 10);
    assert_true(fetch_body_begin(&job)); // a server without ranges begins anew
    assert_int_equal(job.body.length, 0);
    run.bytes = FETCH_BYTES_MAX;
    assert_false(fetch_body_take(&job, "x", 1));
    failed(FETCH_BAD, "more than 268435456 bytes came; no model's headers are as long");
    run.bytes = 0;
    job.response.status = 404;
    assert_true(fetch_body_take(&job, "no such", 7)); // words for people
    job.response.length = 65536;
    assert_false(fetch_body_take(&job, "x", 1));
    assert_int_equal(run.error, FETCH_FINE);
    set_job(FETCH_WHOLE, "config.json", false);
    job.response.status = 200;
    (void)kvb_memory_fail_once(1);
    assert_false(fetch_body_take(&job, "{}", 2));
    (void)kvb_memory_fail_once(0);
    failed(FETCH_SYSTEM, "config.json: not enough memory");
    set_job(FETCH_WHOLE, "config.json", false);
    job.response.status = 200;
    assert_true(fetch_body_take(&job, "{}", 2));
    assert_true(fetch_body_whole(&job)); // of a length that nobody said
    job.total_bytes = 3;
    assert_false(fetch_body_whole(&job));
    set_job(FETCH_GGUF, "m.gguf", false);
    assert_false(fetch_body_whole(&job)); // nothing of it is here
    kvb_buffer_fill(&job.body, 'x', 64);  // no GGUF
    job.total_bytes = 64;
    assert_true(fetch_body_whole(&job)); // who reads it says what is wrong with it
}

// ---- how a response ends

static void ends(enum fetch_kind kind, long status, CURLcode code)
{
    set_job(kind, kind == FETCH_WHOLE ? "config.json" : "model.safetensors", false);
    job.response.status = status;
    job.tries = 5; // asked often enough
    (void)fetch_job_judge(&run, &job, code);
}

static void endings(void **state)
{
    (void)state;
    ends(FETCH_WHOLE, 418, CURLE_OK);
    failed(FETCH_BAD, "config.json: answered 418");
    ends(FETCH_WHOLE, 100, CURLE_OK);
    failed(FETCH_BAD, "config.json: answered 100");
    ends(FETCH_WHOLE, 403, CURLE_OK);
    failed(FETCH_ACCESS, "config.json: the server refuses it (403); it may want a token in HF_TOKEN");
    ends(FETCH_WHOLE, 429, CURLE_OK);
    failed(FETCH_BUSY, "config.json: answered 429, too many requests");
    ends(FETCH_WHOLE, 503, CURLE_OK);
    failed(FETCH_BUSY, "config.json: answered 503");
    ends(FETCH_WHOLE, 404, CURLE_OK);
    failed(FETCH_NAME, "org/name has no config.json");
    ends(FETCH_WHOLE, 401, CURLE_OK);
    failed(FETCH_ACCESS, "there is no org/name, or it is private and wants HF_TOKEN");
    (void)strcpy(run.token, "hf_x");
    ends(FETCH_WHOLE, 401, CURLE_OK);
    failed(FETCH_ACCESS, "there is no org/name, or the token does not reach it");
    ends(FETCH_WHOLE, 403, CURLE_OK);
    failed(FETCH_ACCESS, "config.json: the server refuses it (403)");
    set_job(FETCH_WHOLE, "config.json", false);
    job.response.status = 403;
    (void)strcpy(job.response.error_code, "GatedRepo");
    assert_false(fetch_job_judge(&run, &job, CURLE_OK));
    failed(FETCH_ACCESS, "org/name is gated, and the token's account was not let in; ask for access on its page");
    job.response.status = 401;
    assert_false(fetch_job_judge(&run, &job, CURLE_OK));
    failed(FETCH_ACCESS, "org/name is gated, and the token's account was not let in; ask for access on its page");
    job.response.status = 403;
    (void)strcpy(job.response.error_code, "Other");
    assert_false(fetch_job_judge(&run, &job, CURLE_OK));
    failed(FETCH_ACCESS, "org/name is gated, and the token's account was not let in; ask for access on its page");
    assert_true(fetch_target_set(&run.target, "http://hub.example", "org/name", "main"));
    ends(FETCH_WHOLE, 401, CURLE_OK);
    failed(FETCH_ACCESS, "org/name wants a token, and none is sent over plain http");
    ends(FETCH_WHOLE, 0, CURLE_PEER_FAILED_VERIFICATION);
    assert_int_equal(run.error, FETCH_BAD);
    run.error = FETCH_FINE;
    ends(FETCH_WHOLE, 0, CURLE_SSL_CACERT_BADFILE);
    assert_int_equal(run.error, FETCH_BAD);
    run.error = FETCH_FINE;
    ends(FETCH_WHOLE, 0, CURLE_SSL_CONNECT_ERROR);
    assert_int_equal(run.error, FETCH_BAD);
    run.error = FETCH_FINE;
    ends(FETCH_WHOLE, 0, CURLE_COULDNT_CONNECT);
    assert_int_equal(run.error, FETCH_OFFLINE);
    run.error = FETCH_FINE;
    ends(FETCH_WHOLE, 200, CURLE_OPERATION_TIMEDOUT);
    failed(FETCH_OFFLINE, "config.json: less than 512 bytes a second came for 10 seconds");
}

// What broke off is asked on from where it ended, a while later.
static void broken_off(void **state)
{
    (void)state;
    static const CURLcode codes[] = {CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
                                     CURLE_GOT_NOTHING};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        for (unsigned here = 0; here < 2; here++) {
            set_job(FETCH_WHOLE, "config.json", false);
            job.total_bytes = 9;
            job.response.status = 200;
            kvb_buffer_add(&job.body, here ? "{" : "");
            assert_true(fetch_job_judge(&run, &job, codes[i]));
            assert_int_equal(job.state, FETCH_WAITING);
            assert_int_equal(job.body.length, here);
        }
    }
    job.tries = 2;
    assert_false(fetch_job_judge(&run, &job, CURLE_PARTIAL_FILE));
    failed(FETCH_BAD, "config.json: ends after 1 of 9 bytes");
    set_job(FETCH_SAFETENSORS, "model.safetensors", false);
    job.total_bytes = 5000;
    job.wanted_bytes = 4000;
    job.response.status = 206;
    job.asked_bytes = 1000;
    job.tries = 2;
    kvb_buffer_fill(&job.body, 'x', 1000);
    assert_true(fetch_job_judge(&run, &job, CURLE_OK)); // all that was asked for is here: more is asked
    assert_int_equal(job.state, FETCH_WAITING);
    job.satisfied = true;
    assert_true(fetch_job_judge(&run, &job, CURLE_WRITE_ERROR)); // it was hung up on
    job.satisfied = false;
    job.asked_bytes = 2000;
    assert_false(fetch_job_judge(&run, &job, CURLE_OK));
    failed(FETCH_BAD, "model.safetensors: ends after 1000 of 4000 bytes");
}

// A signed address on another host lasts a while only: the endpoint is asked for a new one.
static void addresses_elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *location, *url, *text; // text NULL: it is followed
    } rows[] = {
        {"/other", HUB "/other", NULL},
        {"https://cdn.example/x?y", "https://cdn.example/x?y", NULL},
        {"", NULL, "config.json: sent on to nowhere"},
        {"http://hub.example/x", NULL, "config.json: sent on from https to http, which is not followed"},
        {"file:///etc/passwd", NULL, "config.json: sent on to what is neither https nor http"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_job(FETCH_WHOLE, "config.json", false);
        job.response.status = 302;
        (void)strcpy(job.response.location, rows[i].location);
        assert_int_equal(fetch_job_judge(&run, &job, CURLE_OK), rows[i].text == NULL);
        if (rows[i].text != NULL) {
            failed(FETCH_BAD, rows[i].text);
        } else {
            assert_string_equal(job.url, rows[i].url);
        }
    }
    set_job(FETCH_WHOLE, "config.json", false);
    job.response.status = 302;
    (void)strcpy(job.response.location, "/x");
    url_fails = 1;
    assert_false(fetch_job_judge(&run, &job, CURLE_OK));
    failed(FETCH_BAD, "config.json: sent on to nowhere");
    static const long codes[] = {401, 403, 404};
    for (size_t i = 0; i < 3; i++) {
        set_job(FETCH_WHOLE, "config.json", false);
        (void)strcpy(job.url, "https://cdn.example/x");
        job.response.status = codes[i];
        assert_true(fetch_job_judge(&run, &job, CURLE_OK));
        assert_string_equal(job.url, HUB "/org/name/resolve/main/config.json");
        assert_int_equal(job.state, FETCH_WAITING);
    }
    (void)strcpy(job.url, "https://cdn.example/x");
    job.tries = 2;
    assert_false(fetch_job_judge(&run, &job, CURLE_OK));
    failed(FETCH_BAD, "config.json: the server it is kept on answered 404");
    set_job(FETCH_WHOLE, "params.json", true);
    (void)strcpy(job.url, "https://cdn.example/x");
    job.response.status = 404;
    assert_true(fetch_job_judge(&run, &job, CURLE_OK));
    assert_int_equal(job.state, FETCH_ABSENT);
}

static void names_of_files(void **state)
{
    (void)state;
    static char lengthy[400];
    (void)memset(lengthy, 'a', sizeof lengthy - 1);
    assert_false(fetch_job_set(&run, &job, FETCH_WHOLE, "a\nb", false));
    failed(FETCH_BAD, "the name of a file holds control characters");
    assert_false(fetch_job_set(&run, &job, FETCH_WHOLE, "a\x7f", false));
    failed(FETCH_BAD, "the name of a file holds control characters");
    assert_false(fetch_job_set(&run, &job, FETCH_WHOLE, lengthy, false));
    failed(FETCH_BAD, "the name of a file is too long");
}

// ---- where libcurl fails

static void libcurl_fails(void **state)
{
    (void)state;
    struct fetch_job *jobs = fetch_jobs_new(&run, 1);
    assert_non_null(jobs);
    assert_true(fetch_job_set(&run, jobs, FETCH_WHOLE, "config.json", false));
    multi_fails = 1;
    assert_false(fetch_transfer(&run, jobs, 1));
    failed(FETCH_SYSTEM, "not enough memory");
    easy_fails = 1;
    assert_false(fetch_transfer(&run, jobs, 1));
    failed(FETCH_SYSTEM, "not enough memory");
    add_fails = 1;
    assert_false(fetch_transfer(&run, jobs, 1));
    failed(FETCH_SYSTEM, "not enough memory");
    assert_true(fetch_job_set(&run, jobs, FETCH_WHOLE, "config.json", false));
    perform_fails = 1;
    assert_false(fetch_transfer(&run, jobs, 1));
    failed(FETCH_SYSTEM, "the transfers cannot go on");
    assert_true(fetch_job_set(&run, jobs, FETCH_WHOLE, "config.json", false));
    (void)strcpy(jobs->url, "http://127.0.0.1:1/x");
    jobs->not_before_ms = 5000; // it waits beyond the end
    now_ms = 2000;
    assert_false(fetch_transfer(&run, jobs, 1));
    failed(FETCH_OFFLINE, "not done after 1 seconds; it is given up");
    fetch_jobs_free(jobs, 1);
    (void)kvb_memory_fail_once(1);
    assert_null(fetch_jobs_new(&run, 1));
    (void)kvb_memory_fail_once(0);
    failed(FETCH_SYSTEM, "not enough memory");
    fetch_jobs_free(NULL, 3);
}

static void last_body_is_freed(void **state)
{
    (void)state;
    fetch_body_reset(&job);
    assert_int_equal(job.body.length, 0);
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, TEST(targets), TEST(trust), TEST(tokens), TEST(header_lines),
                   TEST(bodies), TEST(endings), TEST(broken_off), TEST(addresses_elsewhere), TEST(names_of_files),
                   TEST(libcurl_fails), TEST(last_body_is_freed))
#endif
