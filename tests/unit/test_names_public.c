// Public names that were not built in: what each is taken for, and that every refusal can be pasted.
#include <string.h>

#include "catalogue/builtin.h"
#include "unit/fixture_rows.h"
#include "unit/hf_text.h"
#include "unit/test.h"

#define FLOOR_PERCENT 70

static struct kvb_model_source source;

static enum kvb_status load(const char *name)
{
    kvb_problems_init(&problems);
    return kvb_model_load(name, NULL, &model, &source, &problems);
}

// "sibling of X", "built-in profile of X", or the model itself.
static const char *taken_for(const char *name)
{
    const char *of = strstr(source.text, " of ");
    return of != NULL ? of + 4 : name;
}

// Between backticks: one command whose words mean nothing else to a shell.
static void check_step(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./: ";
    const char *nearest = strstr(problems.items[0].text, "`kvbudget plan --model ");
    const char *fetch = strstr(problems.items[0].text, "`curl -fL ");
    char id[KVB_NAME_CAPACITY];
    bool files = strstr(problems.items[0].text, "`hf download ") != NULL; // of GGUF
    if (nearest == NULL && fetch == NULL && !files) {
        fail_msg("%s: no next step: %s", name, problems.items[0].text);
    }
    if (fetch != NULL && strncmp(fetch, "`curl -fL -H ", 13) != 0) {
        fetch += strlen("`curl -fL ");
        size_t length = strcspn(fetch, "&");
        assert_true(strspn(fetch, allowed) >= length);
    }
    if (nearest != NULL) {
        nearest += strlen("`kvbudget plan --model ");
        size_t length = strcspn(nearest, "`");
        assert_true(length < sizeof id);
        memcpy(id, nearest, length);
        id[length] = '\0';
        assert_int_equal(load(id), KVB_OK);
        assert_int_equal(problems.count, 0);
    }
}

struct half {
    const char *word;
    unsigned names, answered;
};
static struct half halves[] = {{"build", 0, 0}, {"held", 0, 0}};

static bool look(char *const *cells, struct seen_rows *seen)
{
    (void)seen;
    struct half *half = &halves[strcmp(cells[2], "held") == 0];
    assert_string_equal(cells[2], half->word);
    half->names++;
    if (load(cells[0]) == KVB_OK) {
        half->answered++;
        if (strcmp(taken_for(cells[0]), cells[1]) != 0) {
            fail_msg("%s: taken for %s, should be '%s'", cells[0], taken_for(cells[0]), cells[1]);
        }
    } else {
        if (cells[1][0] != '\0') {
            fail_msg("%s: %s", cells[0], problems.items[0].text);
        }
        check_step(cells[0]);
    }
    return true;
}

static void public_names(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("names/names.csv", 4, look, &seen);
    assert_int_equal(halves[0].names + halves[1].names, 420);
    for (unsigned i = 0; i < 2; i++) {
        print_message("%s: %u of %u answered\n", halves[i].word, halves[i].answered, halves[i].names);
        assert_true(halves[i].answered * 100 >= halves[i].names * FLOOR_PERCENT);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(public_names))
