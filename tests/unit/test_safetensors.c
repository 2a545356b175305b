// Safetensors headers: what is read, and one sentence for each way in which a header can lie.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/checkpoint/safetensors.h"
#include "text/json_scan.h"
#include "unit/test.h"

static struct kvb_problems problems;

struct seen {
    uint32_t count;
    uint64_t bytes;
    struct kvb_stored_tensor last;
};

static enum kvb_status take(void *context, const struct kvb_stored_tensor *tensor, struct kvb_problems *unused)
{
    struct seen *seen = context;
    (void)unused;
    seen->count++;
    seen->bytes += tensor->bytes;
    seen->last = *tensor;
    return KVB_OK;
}

// Length, header and `data_bytes` zeros; `stated_length` 0: the true one.
static unsigned char *build(const char *header, uint64_t data_bytes, uint64_t stated_length, size_t *length)
{
    size_t text = strlen(header);
    uint64_t stated = stated_length > 0 ? stated_length : text;
    *length = 8 + text + (size_t)data_bytes;
    unsigned char *bytes = calloc(1, *length);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(stated >> 8 * i);
    }
    memcpy(bytes + 8, header, text);
    return bytes;
}

static enum kvb_status read_text(const char *header, uint64_t data_bytes, uint64_t stated_length, struct seen *seen)
{
    struct kvb_open_file file;
    size_t length;
    unsigned char *bytes = build(header, data_bytes, stated_length, &length);
    *seen = (struct seen){0};
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "m.safetensors", bytes, length);
    enum kvb_status status = kvb_safetensors_read(&file, take, seen, &problems);
    free(bytes);
    return status;
}

#define T(dtype, shape, begin, end) "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

// Tensors of no bytes stand where another begins; a name has an end, and a file a number of tensors.
static void test_lengths(void **state)
{
    (void)state;
    struct seen seen;
    assert_int_equal(read_text("{\"c\":" T("F32", "[1]", "4", "8") ",\"b\":" T("F32", "[1]", "0", "4") ",\"a\":" T(
                                   "F32", "[0]", "0", "0") ",\"d\":" T("F32", "[0]", "4", "4") "}",
                               8, 0, &seen),
                     KVB_OK);
    assert_int_equal(seen.count, 4);
    size_t length = 60 * (KVB_TENSORS_PER_FILE_MAX + 1) + 8192;
    char *header = malloc(length);
    assert_non_null(header);
    (void)snprintf(header, length, "{\"%0*u\":" T("F32", "[0]", "0", "0") "}", KVB_JSON_TEXT_CAPACITY, 1U);
    assert_int_equal(read_text(header, 0, 0, &seen), KVB_TOO_LARGE);
    assert_non_null(strstr(problems.items[0].text, "a tensor name longer than"));
    size_t used = 0;
    for (unsigned i = 0; i <= KVB_TENSORS_PER_FILE_MAX; i++) {
        used +=
            (size_t)snprintf(header + used, length - used, "%c\"%u\":" T("I8", "[0]", "0", "0"), i == 0 ? '{' : ',', i);
    }
    (void)snprintf(header + used, length - used, "}");
    assert_int_equal(read_text(header, 0, 0, &seen), KVB_TOO_LARGE);
    assert_non_null(strstr(problems.items[0].text, "more than 500000 tensors in one file"));
    assert_int_equal(seen.count, KVB_TENSORS_PER_FILE_MAX);
    free(header);
}

static void test_good(void **state)
{
    (void)state;
    struct seen seen;
    assert_int_equal(read_text("{\"__metadata__\":{\"format\":\"pt\"},"
                               "\"b\":" T("BF16", "[3,4]", "8", "32") ",\"a\":" T("F32", "[2]", "0", "8") "}   ",
                               32, 0, &seen),
                     KVB_OK);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.bytes, 32); // 3*4*2 + 2*4
    assert_int_equal(seen.last.element, KVB_ELEMENT_F32);
    assert_int_equal(problems.count, 0);
}

static void test_odd_but_right(void **state)
{
    (void)state;
    struct seen seen;
    assert_int_equal(read_text("{}", 0, 0, &seen), KVB_OK);                                      // a file of no tensors
    assert_int_equal(read_text("{\"a\":" T("F32", "[]", "0", "4") "}", 4, 0, &seen), KVB_OK);    // one number
    assert_int_equal(read_text("{\"a\":" T("F32", "[0,9]", "0", "0") "}", 0, 0, &seen), KVB_OK); // none
    assert_int_equal(read_text("{\"a\":" T("F4", "[3]", "0", "2") "}", 2, 0, &seen), KVB_OK);    // 12 bits
}

// Every format: as many bytes as its bits need, one more or less is refused.
static void test_every_element(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KVB_ELEMENT_PACKED; i++) {
        struct seen seen;
        uint32_t bytes = kvb_element_bits((enum kvb_element)i); // of eight elements
        char header[200];
        assert_true(bytes > 0);
        (void)snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"%s\",\"shape\":[8],\"data_offsets\":[0,%u]}}",
                       kvb_element_name((enum kvb_element)i), bytes);
        assert_int_equal(read_text(header, bytes, 0, &seen), KVB_OK);
        assert_int_equal(seen.last.element, i);
        (void)snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"%s\",\"shape\":[8],\"data_offsets\":[0,%u]}}",
                       kvb_element_name((enum kvb_element)i), bytes + 1);
        assert_int_equal(read_text(header, bytes + 1, 0, &seen), KVB_CONTRADICTION);
    }
}

struct bad {
    const char *header;
    uint64_t data_bytes, stated_length;
    enum kvb_status status;
    const char *part; // of the sentence
};

static const struct bad bad_rows[] = {
    {"{}", 0, 3, KVB_OUT_OF_RANGE, "its header says it is 3 bytes long, the file has 10"},
    {"{}", 0, UINT64_MAX, KVB_OUT_OF_RANGE, "18446744073709551615 bytes long"},
    {"{", 0, 0, KVB_BAD_SYNTAX, "the JSON ends in the middle"},
    {"[]", 0, 0, KVB_BAD_TYPE, "expected an object of tensors"},
    {"{\"a\":1}", 0, 0, KVB_BAD_TYPE, "expected an object with dtype"},
    {"{\"a\":{}}", 0, 0, KVB_MISSING_KEY, "tensor 'a': needs dtype, shape and data_offsets"},
    {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, 0, KVB_DUPLICATE_KEY, "'dtype' is there twice"},
    {"{\"a\":{\"stride\":1}}", 0, 0, KVB_UNKNOWN_KEY, "key 'stride' is unknown"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":4}}", 4, 0, KVB_BAD_TYPE,
     "expected data_offsets [begin, end]"},
    {"{\"a\":" T("F32", "[1]", "\"x\"", "4") "}", 4, 0, KVB_BAD_TYPE, "expected the begin of data_offsets"},
    {"{\"a\":" T("F32", "[1]", "0", "null") "}", 4, 0, KVB_BAD_TYPE, "expected the end of data_offsets"},
    {"{\"a\":" T("F32", "[1]", "0", "4,8") "}", 4, 0, KVB_BAD_TYPE, "expected two numbers in data_offsets"},
    {"{\"a\":" T("F32", "[1.5]", "0", "4") "}", 4, 0, KVB_OUT_OF_RANGE, "no size below 2^62"},
    {"{\"a\":" T("F32", "[\"1\"]", "0", "4") "}", 4, 0, KVB_OUT_OF_RANGE, "no size below 2^62"},
    {"{\"a\":{\"dtype\":\"F32\"", 0, 0, KVB_BAD_SYNTAX, "the JSON ends in the middle"},
    {"{\"a\":{\"shape\":[1", 0, 0, KVB_BAD_SYNTAX, "the JSON ends in the middle"},
    {"{\"a\":" T("F128", "[1]", "0", "16") "}", 16, 0, KVB_UNKNOWN_KIND, "unknown dtype 'F128'"},
    {"{\"a\":" T("F32", "[-1]", "0", "4") "}", 4, 0, KVB_OUT_OF_RANGE, "no size below 2^62"},
    {"{\"a\":" T("F32", "[9223372036854775808]", "0", "4") "}", 4, 0, KVB_OUT_OF_RANGE, "no size below 2^62"},
    {"{\"a\":" T("F32", "[2147483648,2147483648]", "0", "4") "}", 4, 0, KVB_OVERFLOW, "more than any machine"},
    {"{\"a\":" T("F32", "[1,1,1,1,1,1,1,1,1]", "0", "4") "}", 4, 0, KVB_OUT_OF_RANGE, "more than 8 dimensions"},
    {"{\"a\":" T("F32", "[1]", "0", "8") "}", 8, 0, KVB_CONTRADICTION, "needs 4 bytes, its data_offsets hold 8"},
    {"{\"a\":" T("F32", "[1]", "4", "0") "}", 4, 0, KVB_OUT_OF_RANGE, "[4, 0] leave the 4 bytes"},
    {"{\"a\":" T("F32", "[4]", "0", "16") "}", 15, 0, KVB_OUT_OF_RANGE, "cut short"},
    {"{\"a\":" T("F32", "[2]", "0", "8") ",\"b\":" T("F32", "[2]", "4", "12") "}", 12, 0, KVB_CONTRADICTION, "overlap"},
    {"{\"a\":" T("F32", "[1]", "0", "4") ",\"b\":" T("F32", "[1]", "8", "12") "}", 12, 0, KVB_CONTRADICTION,
     "no tensor claims"},
    {"{\"a\":" T("F32", "[1]", "0", "4") "}", 8, 0, KVB_CONTRADICTION, "end at byte 4 of 8 bytes"},
    {"{\"a\":{\"dtype\":1}}", 0, 0, KVB_BAD_TYPE, "expected a dtype"},
    {"{\"a\":{\"shape\":1}}", 0, 0, KVB_BAD_TYPE, "expected a shape"},
    {"{\"a\":{\"data_offsets\":[1,2,3]}}", 0, 0, KVB_BAD_TYPE, "two numbers"},
    {"{} x", 0, 0, KVB_BAD_SYNTAX, "more text"},
};

static void test_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof bad_rows[0]; i++) {
        const struct bad *row = &bad_rows[i];
        struct seen seen;
        enum kvb_status status = read_text(row->header, row->data_bytes, row->stated_length, &seen);
        if (status != row->status || problems.count != 1 || strstr(problems.items[0].text, row->part) == NULL) {
            fail_msg("%s: %s: %s", row->header, kvb_status_name(status), problems.count ? problems.items[0].text : "");
        }
        assert_string_equal(problems.items[0].file, "m.safetensors");
    }
}

static void test_too_short(void **state)
{
    (void)state;
    struct kvb_open_file file;
    struct seen seen = {0};
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "m.safetensors", "abc", 3);
    assert_int_equal(kvb_safetensors_read(&file, take, &seen, &problems), KVB_BAD_SYNTAX);
    assert_non_null(strstr(problems.items[0].text, "3 bytes"));
}

// 100,000 keys in the metadata and 100,000 more in a tensor: read through or refused at the first.
static void test_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    struct seen seen;
    char *text = malloc(KEYS * 16 + 64);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "{\"__metadata__\":{");
    for (int i = 0; i < KEYS; i++) {
        length += (size_t)sprintf(text + length, "%s\"k%d\":\"\"", i ? "," : "", i);
    }
    (void)sprintf(text + length, "}}");
    assert_int_equal(read_text(text, 0, 0, &seen), KVB_OK);
    memcpy(text, "{\"a_tensor____\":{", 17);
    assert_int_equal(read_text(text, 0, 0, &seen), KVB_UNKNOWN_KEY);
    assert_int_equal(problems.count, 1);
    free(text);
}

// A header that claims more than the format allows, in a sparse file that is as long as it says.
static void test_huge_header(void **state)
{
    (void)state;
    char path[] = "/tmp/kvbudget-huge-XXXXXX";
    int descriptor = mkstemp(path);
    uint64_t length = 100000001;
    struct kvb_open_file file;
    struct seen seen = {0};
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, &length, 8), 8); // little endian, as every machine this runs on
    assert_int_equal(ftruncate(descriptor, 200000000), 0);
    assert_int_equal(close(descriptor), 0);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_open(&file, path, &problems), KVB_OK);
    assert_int_equal(kvb_safetensors_read(&file, take, &seen, &problems), KVB_TOO_LARGE);
    kvb_close_file(&file);
    assert_int_equal(unlink(path), 0);
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    static const struct {
        const char *path, *part;
    } rows[] = {{"/tmp", "a folder"}, {"/dev/zero", "a device"}, {"/nonexistent/x", "cannot open"}};
    struct kvb_open_file file;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        assert_int_equal(kvb_file_open(&file, rows[i].path, &problems), KVB_CANNOT_OPEN);
        assert_non_null(strstr(problems.items[0].text, rows[i].part));
    }
    char path[] = "/tmp/kvbudget-loop-XXXXXX";
    assert_true(mkstemp(path) >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(path, path), 0);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_open(&file, path, &problems), KVB_CANNOT_OPEN);
    assert_non_null(strstr(problems.items[0].text, "symbolic links"));
    assert_int_equal(unlink(path), 0);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    enum kvb_status status = KVB_NO_MEMORY;
    struct seen seen;
    for (unsigned long n = 1; status == KVB_NO_MEMORY; n++) {
        kvb_memory_fail_after(n);
        status = read_text("{\"a\":" T("F32", "[1]", "0", "4") "}", 4, 0, &seen);
        kvb_memory_fail_after(0);
        assert_true(status == KVB_OK || problems.count == 1);
        assert_true(n < 100);
    }
    assert_int_equal(status, KVB_OK);
}

KVB_TEST_MAIN(cmocka_unit_test(test_good), cmocka_unit_test(test_lengths), cmocka_unit_test(test_odd_but_right),
              cmocka_unit_test(test_every_element), cmocka_unit_test(test_lies), cmocka_unit_test(test_too_short),
              cmocka_unit_test(test_many_keys), cmocka_unit_test(test_huge_header),
              cmocka_unit_test(test_what_is_no_file), cmocka_unit_test(test_memory_runs_out))
