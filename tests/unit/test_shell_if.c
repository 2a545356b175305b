// Arms of an `if` in a script: which are read. What a row expects is what bash gives for it when it is run with no
// arguments and an empty environment; where the test is not known, all arms are read.
#include <string.h>

#include <kvbudget/manifest.h>

#include "unit/test.h"

struct row {
    const char *text;
    uint64_t length; // of the deployment found last
    unsigned deployments;
};

static struct kvb_problems problems;
static struct kvb_found found;

static enum kvb_status take(void *context, const struct kvb_found *each)
{
    (void)context;
    found = *each;
    return KVB_OK;
}

#define SERVE "\nvllm serve a/b \"${A[@]}\""
#define IF(test) "A=(--max-model-len 1)\nX=\"${X:-}\"\nN=3\nif " test "; then\nA+=(--max-model-len 2)\nfi" SERVE
static const struct row rows[] = {
    {IF("[[ -n \"$X\" ]]"), 1, 1},
    {IF("[[ -n $X ]]"), 1, 1}, // no word falls out of [[ ]]
    {IF("[ -n $X ]"), 2, 1},   // but it does out of [ ], where -n alone is a word like any
    {IF("[[ -z $X ]]"), 2, 1},
    {IF("[ -z \"$X\" ]"), 2, 1},
    {IF("[ -z full ]"), 1, 1},
    {IF("[[ -n full ]]"), 2, 1},
    {IF("[ \"$X\" ]"), 1, 1},
    {IF("[ full ]"), 2, 1},
    {IF("[ ! \"$X\" ]"), 2, 1},
    {IF("[ ! full ]"), 1, 1},
    {IF("[ \"${MODE:-fast}\" = fast ]"), 2, 1},
    {IF("[ \"${MODE:-fast}\" != fast ]"), 1, 1},
    {IF("[[ ${MODE:-fast} == f* ]]"), 2, 1},
    {IF("[ \"${MODE:-fast}\" == 'f*' ]"), 1, 1},
    {IF("[ $N -eq 3 ]"), 2, 1},
    {IF("[ $N -ne 3 ]"), 1, 1},
    {IF("[ $N -gt 2 ]"), 2, 1},
    {IF("[ $N -lt 2 ]"), 1, 1},
    {IF("[ $N -ge 3 ]"), 2, 1},
    {IF("[ $N -le 2 ]"), 1, 1},
    // Not known, so that what stands in the arm counts.
    {IF("[ x -eq 3 ]"), 2, 1},
    {IF("[ 3 -eq x ]"), 2, 1},
    {IF("[ ! 3 -eq x ]"), 2, 1},
    {IF("[ $N -nt 3 ]"), 2, 1},
    {IF("[ -d /nowhere ]"), 2, 1},
    {IF("[ a b c d ]"), 2, 1},
    {IF("[ -n \"$1\" ]"), 2, 1},
    {IF("[ -n \"$UNSET\" ]"), 2, 1},
    {IF("[[ $N > 5 ]]"), 2, 1},
    {IF("[[ $N < 1 ]]"), 2, 1},
    {IF("[ -z `date` ]"), 2, 1},
    {IF("[ -n \"$X\" ] && true"), 2, 1},
    {IF("[ -n \"$X\" ] || true"), 2, 1},
    {IF("[ -n \"$X\" -a y ]"), 2, 1},
    {IF("test -n full"), 2, 1},
    {IF("[ ]"), 2, 1},
    {IF("[[ -n \"$X\" ]"), 2, 1},
    // Several values: a script that sets it twice knows more than we do.
    {"X=a\nX=b\nA=(--max-model-len 1)\nif [ $X = a ]\nthen A+=(--max-model-len 2)\nfi" SERVE, 2, 1},
    // else and elif.
    {"A=()\nif [ a = b ]; then A+=(--max-model-len 2); else A+=(--max-model-len 3); fi" SERVE, 3, 1},
    {"A=()\nif [ a = a ]; then A+=(--max-model-len 2); else A+=(--max-model-len 3); fi" SERVE, 2, 1},
    {"A=()\nif [ a = b ]; then A+=(--max-model-len 2)\nelif [ a = a ]; then A+=(--max-model-len 3)\n"
     "elif [ a = a ]; then A+=(--max-model-len 4)\nelse A+=(--max-model-len 5)\nfi" SERVE,
     3, 1},
    {"A=()\nif [ a = b ]; then A+=(--max-model-len 2)\nelif [ a = c ]; then A+=(--max-model-len 3)\n"
     "else\n  A+=(--max-model-len 5)\nfi" SERVE,
     5, 1},
    {"A=()\nif [ a = b ]; then A+=(--max-model-len 2)\nelif [ -d x ]; then A+=(--max-model-len 3)\n"
     "else\n  A+=(--max-model-len 5)\nfi" SERVE,
     5, 1},
    {"A=()\nif [ -d x ]; then A+=(--max-model-len 2)\nelif [ a = b ]; then A+=(--max-model-len 3)\nfi" SERVE, 3, 1},
    // Others inside.
    {"A=()\nif [ a = b ]; then\n  if [ a = a ]; then A+=(--max-model-len 2); fi\n  A+=(--max-model-len 4)\nelse "
     "if [ a = a ]; then A+=(--max-model-len 3); fi; fi" SERVE,
     3, 1},
    {"A=()\nif [ a = a ]; then\n  { if [ a = b ]; then A+=(--max-model-len 2); fi; }\n  A+=(--max-model-len 4)\n"
     "else\n  if true; then A+=(--max-model-len 3); else A+=(--max-model-len 6); fi\nfi" SERVE,
     4, 1},
    {"A=(--max-model-len 4)\nif [ a = b ]; then\n  A=(--max-model-len 5)" SERVE, 5, 1}, // all that follows is in it
    {"fi\nA=(--max-model-len 6)" SERVE, 6, 1},
    {"elsewhere\nA=(--max-model-len 6)" SERVE, 6, 1},
    // An arm that starts a server is read, whatever its test says.
    {"if [ \"${ROLE:-head}\" = head ]; then\n  vllm serve a/b --max-model-len 1\nelse\n  vllm serve a/b "
     "--max-model-len 2\nfi",
     2, 2},
    {"if [ \"${ROLE:-head}\" = worker ]; then\n  vllm serve a/b --max-model-len 1\nelse\n  vllm serve a/b "
     "--max-model-len 2\nfi",
     2, 2},
    // A list that may be empty, as `set -u` asks for it.
    {"A=(--max-model-len 8)\nvllm serve a/b \"${A[@]+\"${A[@]}\"}\"", 8, 1},
    {"A=(--max-model-len 8)\nvllm serve a/b ${A[@]:+${A[@]}} ${NONE[@]+\"${NONE[@]}\"}", 8, 1},
    {"A=(--max-model-len 8)\nvllm serve a/b \"${A[*]}\"", 8, 1},
    // What a script hands on is not known.
    {"A=(--max-model-len 8)\nA+=(\"$1\")\nA+=($1 \"$2\")" SERVE, 8, 1},
    // What eval is given is read once more.
    {"C=\"vllm serve \\\"a/b\\\" --max-model-len 7\"\neval $C", 7, 1},
    {"C='vllm serve a/b --max-model-len 7'\neval \"$C --enforce-eager\"", 7, 1},
    {"eval eval eval eval eval eval vllm serve a/b --max-model-len 7", 7, 1},
    {"eval\nvllm serve a/b --max-model-len 7", 7, 1},
};

static void each_row(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_manifest_options options = {.lenient = true};
        const struct kvb_setting_value *length = &found.deployment.settings.values[KVB_SET_MAX_MODEL_LEN];
        struct kvb_manifest_seen seen;
        memset(&found, 0, sizeof found);
        kvb_problems_init(&problems);
        assert_int_equal(
            kvb_manifest_read("s.sh", rows[i].text, strlen(rows[i].text), &options, take, NULL, &seen, &problems),
            KVB_OK);
        bool fine =
            seen.deployments == rows[i].deployments &&
            (seen.deployments == 0 || (found.status == KVB_OK && length->set && length->number == rows[i].length));
        if (!fine) {
            print_error("%s\n  wanted %u of length %u, got %u of length %u %s\n", rows[i].text, rows[i].deployments,
                        (unsigned)rows[i].length, seen.deployments, (unsigned)length->number,
                        found.problems.count > 0 ? found.problems.items[0].text : "");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

// Beyond so many inside each other all arms are read.
static void too_deep(void **state)
{
    static char text[8192];
    const struct kvb_manifest_options options = {.lenient = true};
    struct kvb_manifest_seen seen;
    (void)state;
    text[0] = '\0';
    for (unsigned i = 0; i < 40; i++) {
        strcat(text, "if [ a = a ]; then\n");
    }
    strcat(text, "if [ a = b ]; then\nA=(--max-model-len 7)\nfi\n");
    for (unsigned i = 0; i < 40; i++) {
        strcat(text, "fi\n");
    }
    strcat(text, "vllm serve a/b \"${A[@]}\"\n");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_manifest_read("s.sh", text, strlen(text), &options, take, NULL, &seen, &problems), KVB_OK);
    assert_int_equal(seen.deployments, 1);
    assert_int_equal(found.deployment.settings.values[KVB_SET_MAX_MODEL_LEN].number, 7);
}

KVB_TEST_MAIN(cmocka_unit_test(each_row), cmocka_unit_test(too_deep))
