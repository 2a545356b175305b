// Which releases know each flag of the tables of flags, against the tables that scripts make from the syntax of the
// engines' own code at every release.
#include <string.h>

#include "budget/engine.h"
#include "engines/sglang/known_flags.h"
#include "engines/sglang/serve.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "unit/release_tags.h"
#include "unit/test.h"

// What the generated tables say of a flag; gone: 0, every release since has it.
struct known {
    bool any;
    uint32_t since, gone;
};

static void add(struct known *known, uint32_t since, uint32_t gone)
{
    known->since = !known->any || since < known->since ? since : known->since;
    known->gone = known->any && known->gone == 0 ? 0 : gone == 0 ? 0 : gone > known->gone ? gone : known->gone;
    known->any = true;
}

static bool same_name(const char *one, const char *other)
{
    for (; *one != '\0' && (*one == *other || (*one == '_' && *other == '-')); one++, other++) {
    }
    return *one == *other;
}

// The last release of a row is one that lies before the first without the flag, and none lies between them.
static void check_row(const struct kvb_serve_flag *flag, const struct known *known, uint32_t first)
{
    uint32_t since = known->since == first ? 0 : known->since;
    if (flag->since != 0 && flag->since != since) {
        fail_msg("%s is there from %u on, not %u", flag->name, since, flag->since);
    }
    uint32_t step = flag->until / 100 == known->gone / 100 ? 1 : KVB_RELEASE(0, 1, 0);
    if (flag->until != 0 && (flag->until >= known->gone || known->gone - flag->until > step)) {
        fail_msg("%s is gone from %u on, and at %u it is still there", flag->name, known->gone, flag->until);
    }
}

static bool is_tag(uint32_t release)
{
    uint32_t tags[TAGS_MAX];
    bool found = false;
    for (size_t i = tags_since(0, tags); i > 0; i--) {
        found = found || tags[i - 1] == release;
    }
    return found;
}

static void releases_of_vllm(void **state)
{
    (void)state;
    const struct kvb_serve_flag *flag;
    for (unsigned at = 0; (flag = kvb_vllm_flag(at)) != NULL; at++) {
        struct known known = {0};
        for (unsigned i = 0; i < kvb_known_flag_row_count && flag->name != NULL; i++) {
            if (same_name(flag->name, kvb_known_flag_rows[i].name)) {
                add(&known, kvb_known_flag_rows[i].since, kvb_known_flag_rows[i].gone);
            }
        }
        if (!known.any) {
            fail_msg("no release has %s", flag->name);
        }
        check_row(flag, &known, KVB_RELEASE(0, 2, 0));
        if (flag->until != 0 && !is_tag(flag->until)) {
            fail_msg("%s: %u is no release", flag->name, flag->until);
        }
    }
}

// The newest row of the flag.
static const struct kvb_known_flag *newest_of(const char *name)
{
    const struct kvb_known_flag *found = NULL;
    for (unsigned i = 0; i < kvb_known_flag_row_count; i++) {
        const struct kvb_known_flag *row = &kvb_known_flag_rows[i];
        if (same_name(name, row->name) && (found == NULL || row->since > found->since)) {
            found = row;
        }
    }
    assert_non_null(found);
    return found;
}

// A switch has a --no- form where the engine's parser makes one of it; what takes words has none. Settings are offered
// under the engine's own name for them, JSON under the name of what it says, and nothing under two.
static void forms_of_vllm(void **state)
{
    (void)state;
    const struct kvb_serve_flag *flag;
    unsigned switches = 0, parts = 0, settings = 0;
    for (unsigned at = 0; (flag = kvb_vllm_flag(at)) != NULL; at++) {
        char values = newest_of(flag->name)->values;
        bool says = flag->kind == KVB_SERVE_SETTING;
        const char *key = says ? kvb_setting_row_of((enum kvb_setting)flag->id)->key : flag->part;
        bool offers =
            says || flag->kind == KVB_SERVE_JSON || flag->kind == KVB_SERVE_LIST || flag->kind == KVB_SERVE_OVERRIDES;
        bool own = offers && strcmp(flag->name, key) == 0;
        bool off = says && own && (values == 'b' || values == 'B');
        if (flag->negatable != off || flag->serve_only == own) {
            fail_msg("%s: %s, and %s", flag->name, off ? "it has a --no- form" : "it has no --no- form",
                     own ? "it is the setting's name" : "it is another name");
        }
        bool plain = flag->kind == KVB_SERVE_NOTHING || flag->kind == KVB_SERVE_SETS || off;
        if (plain != (strchr("0bB", values) != NULL)) {
            fail_msg("%s takes '%c'", flag->name, values);
        }
        assert_true(!says || !own || kvb_vllm_has_flag(flag->id));
        switches += flag->negatable;
        parts += own && !says;
        settings += own && says;
    }
    print_message("%u settings, %u of them switches, %u parts\n", settings, switches, parts);
    assert_true(settings >= 40 && switches >= 12 && parts == 7);
}

// Members of a flag that takes JSON are there with it; what other flags said before has a release of its own.
static void releases_of_members(void **state)
{
    (void)state;
    size_t count;
    unsigned found = 0;
    const struct kvb_setting_part *parts = kvb_vllm_parts(&count);
    for (size_t i = 0; i < count; i++) {
        static const char *const alone[] = {"limit-mm-per-prompt", "mm-processor-kwargs", "cudagraph-capture-sizes",
                                            "kv-transfer-config"};
        for (size_t at = 0; at < sizeof alone / sizeof alone[0]; at++) {
            unsigned matches;
            if (strcmp(parts[i].flag, alone[at]) == 0) {
                assert_non_null(kvb_flag_of(alone[at], strlen(alone[at]), parts[i].since, &matches));
                assert_null(kvb_flag_of(alone[at], strlen(alone[at]), parts[i].since - 1, &matches));
                found++;
            }
        }
    }
    assert_int_equal(found, 6);
    // cudagraph_mode: config/compilation.py v0.10.1, not in v0.10.0; the others were flags of their own first
    static const struct {
        const char *key, *flag;
        uint32_t since;
    } early[] = {{"cudagraph_mode", NULL, KVB_RELEASE(0, 10, 1)},
                 {"method", "speculative-model", 0},
                 {"num_speculative_tokens", "num-speculative-tokens", 0}};
    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0; at < sizeof early / sizeof early[0]; at++) {
            if (parts[i].key != NULL && strcmp(parts[i].key, early[at].key) == 0) {
                unsigned matches;
                uint32_t since = parts[i].since;
                const char *flag = early[at].flag;
                assert_true(flag != NULL || since == early[at].since);
                assert_true(flag == NULL || kvb_flag_of(flag, strlen(flag), since, &matches) != NULL);
                assert_true(flag == NULL || kvb_flag_of(flag, strlen(flag), since - 1, &matches) == NULL);
                found++;
            }
        }
    }
    assert_int_equal(found, 9);
}

static void releases_of_sglang(void **state)
{
    (void)state;
    const struct kvb_serve_flag *flag;
    for (unsigned at = 0; (flag = kvb_sgl_flag(at)) != NULL; at++) {
        struct known known = {0};
        for (size_t i = 0; i < kvb_sgl_known_flag_count; i++) {
            if (strcmp(flag->name, kvb_sgl_known_flags[i].name) == 0) {
                add(&known, kvb_sgl_known_flags[i].since, kvb_sgl_known_flags[i].until);
            }
        }
        if (known.any) {
            check_row(flag, &known, 0);
        } else { // the beginnings of tp-size, pp-size and dp-size that people write
            assert_int_equal(strlen(flag->name), 2);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(releases_of_vllm), cmocka_unit_test(forms_of_vllm),
              cmocka_unit_test(releases_of_members), cmocka_unit_test(releases_of_sglang))
