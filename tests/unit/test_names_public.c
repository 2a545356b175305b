// Public names that were not built in: what each is taken for, and that every refusal can be pasted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "catalogue/builtin.h"
#include "unit/hf_text.h"

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
    if (nearest == NULL && fetch == NULL) {
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

static void try_name(char *line)
{
    char *cells[4] = {line, NULL, NULL, NULL};
    for (unsigned i = 1; i < 4; i++) {
        char *comma = strchr(cells[i - 1], ',');
        assert_non_null(comma);
        *comma = '\0';
        cells[i] = comma + 1;
    }
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
}

static void public_names(void **state)
{
    char line[256];
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/names/names.csv", "r");
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#') {
            try_name(line);
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(halves[0].names + halves[1].names, 420);
    for (unsigned i = 0; i < 2; i++) {
        print_message("%s: %u of %u answered\n", halves[i].word, halves[i].answered, halves[i].names);
        assert_true(halves[i].answered * 100 >= halves[i].names * FLOOR_PERCENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(public_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
