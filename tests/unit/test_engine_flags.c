// The tables of flags of every engine: each flag finds itself, means a setting that exists, and reads what it writes.
#include <stdio.h>
#include <string.h>

#include "command/setting_flag.h"
#include "engines/flags.h"
#include "unit/test.h"

#define EACH_ENGINE(engine)                                                                                            \
    size_t engine_count;                                                                                               \
    const struct kvb_engine_rows *const *engines = kvb_engines(&engine_count);                                         \
    for (size_t e = 0; e < engine_count; e++)                                                                          \
        for (const struct kvb_engine_rows *engine = engines[e]; engine != NULL; engine = NULL)

static bool says_setting(const struct kvb_serve_flag *flag)
{
    return flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS;
}

static void every_flag_finds_itself(void **state)
{
    (void)state;
    EACH_ENGINE(engine)
    {
        const struct kvb_serve_flag *flag, *found;
        for (unsigned i = 0; (flag = engine->flag(i)) != NULL; i++) {
            size_t used;
            assert_true(flag->name != NULL || flag->short_name != NULL);
            if (flag->name != NULL) {
                assert_int_equal(kvb_serve_flag_find(engine, flag->name, strlen(flag->name), &found), KVB_SERVE_MATCH);
                assert_string_equal(found->name, flag->name);
            }
            if (flag->short_name != NULL) {
                found = kvb_serve_short_find(engine, flag->short_name, strlen(flag->short_name), &used);
                assert_non_null(found);
                assert_string_equal(found->short_name, flag->short_name);
            }
            assert_true(flag->until == 0 || flag->since <= flag->until);
        }
    }
}

static void every_flag_is_whole(void **state)
{
    (void)state;
    EACH_ENGINE(engine)
    {
        const struct kvb_serve_flag *flag;
        for (unsigned i = 0; (flag = engine->flag(i)) != NULL; i++) {
            bool part = flag->kind == KVB_SERVE_JSON || flag->kind == KVB_SERVE_LIST ||
                        flag->kind == KVB_SERVE_OVERRIDES || flag->kind == KVB_SERVE_CONFIG_KEY;
            assert_true(!says_setting(flag) || flag->id < KVB_SETTING_COUNT);
            assert_true(!part || flag->part != NULL);
            assert_true(flag->kind != KVB_SERVE_OWN || flag->read != NULL);
            assert_true(part || says_setting(flag) || flag->serve_only || flag->help != NULL ||
                        flag->kind >= KVB_SERVE_CONFIG_FILE || flag->kind == KVB_SERVE_MODEL ||
                        flag->kind == KVB_SERVE_REVISION);
            assert_int_equal(flag->words != NULL, flag->word_count > 0);
            for (uint32_t w = 0; w < flag->word_count; w++) {
                uint64_t number;
                char why[256];
                assert_int_equal(kvb_serve_value_read(flag, flag->words[w].text, &number, why), KVB_OK);
                bool free = flag->words[w].number == KVB_WORD_AUTO;
                assert_true(number == (free ? KVB_AUTO : flag->words[w].number));
            }
        }
    }
}

// What the line to paste says is read back as the same setting.
static void what_is_written_is_read(void **state)
{
    (void)state;
    EACH_ENGINE(engine)
    {
        const struct kvb_serve_flag *flag;
        for (unsigned i = 0; (flag = engine->flag(i)) != NULL; i++) {
            char text[KVB_FLAG_CAPACITY], name[KVB_FLAG_CAPACITY];
            if (!says_setting(flag) || flag->serve_only) {
                continue;
            }
            const struct kvb_setting_row *row = kvb_setting_row_of((enum kvb_setting)flag->id);
            uint64_t number = flag->kind == KVB_SERVE_SETS    ? flag->number
                              : flag->words != NULL           ? flag->words[0].number
                              : row->kind == KVB_VALUE_SWITCH ? 1
                                                              : row->minimum;
            const struct kvb_serve_flag *back = kvb_serve_flag_of(engine, (enum kvb_setting)flag->id, number);
            assert_non_null(back);
            kvb_setting_flag_of(text, engine, (enum kvb_setting)flag->id, number);
            kvb_serve_flag_name(name, back);
            assert_memory_equal(text, name, strlen(name));
        }
    }
}

// A rung tries a setting, and the advice says it: the engine has a way to.
static void every_rung_can_be_said(void **state)
{
    (void)state;
    EACH_ENGINE(engine)
    {
        size_t count;
        uint32_t since, until;
        const struct kvb_rung *rungs = engine->rungs(&count);
        for (size_t i = 0; i < count; i++) {
            assert_true(kvb_engine_has(engine, rungs[i].setting, &since, &until));
        }
    }
}

// A setting that no engine can be given is no setting; what is shared is the first engine's too.
static void every_setting_is_some_engines(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        unsigned having = 0;
        uint32_t since, until;
        EACH_ENGINE(engine)
        {
            having += kvb_engine_has(engine, (enum kvb_setting)i, &since, &until);
        }
        assert_true(having > 0);
        assert_true(!kvb_setting_row_of(i)->own || having < engine_count);
    }
}
static void programs_and_variables_are_whole(void **state)
{
    (void)state;
    EACH_ENGINE(engine)
    {
        size_t count = 0;
        const struct kvb_serve_program *programs = engine->programs != NULL ? engine->programs(&count) : NULL;
        assert_int_equal(engine->serve_command != NULL, programs != NULL);
        assert_true(count == 0 || programs[0].usage != NULL); // a line found in a file is read as one that begins so
        count = 0;
        const struct kvb_variable_row *variables = engine->variables != NULL ? engine->variables(&count) : NULL;
        for (size_t i = 0; i < count; i++) {
            assert_non_null(variables[i].name);
            assert_non_null(variables[i].read);
            assert_non_null(variables[i].expected);
        }
    }
}

// The generic engine has its own words for the elements of a cache.
static void an_engine_spells_its_own_words(void **state)
{
    (void)state;
    const struct kvb_engine_rows *generic = kvb_engine_find("generic"), *vllm = kvb_engine_find("vllm");
    const struct kvb_serve_flag *flag = kvb_serve_flag_of(generic, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    char text[KVB_FLAG_CAPACITY], why[256];
    uint64_t number;
    assert_string_equal(kvb_setting_flag_of(text, generic, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT),
                        "--kv-cache-dtype 16bit");
    assert_string_equal(kvb_setting_flag_of(text, vllm, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT),
                        "--kv-cache-dtype bfloat16");
    assert_int_equal(kvb_serve_value_read(flag, "nvfp4", &number, why), KVB_BAD_TYPE);
    assert_string_equal(why, "'nvfp4' is not known; expected one of auto, 16bit, fp8");
    assert_null(kvb_serve_flag_of(generic, KVB_SET_MAX_NUM_SEQS, 1));
    assert_ptr_equal(kvb_engine_said("generic@1.0"), generic);
    assert_ptr_equal(kvb_engine_said("./an-engine.yaml"), vllm);
}

// What an engine shows are the settings that are nobody's own and those that it can be given.
static void an_engine_shows_what_it_has(void **state)
{
    (void)state;
    EACH_ENGINE(engine)
    {
        bool shown[KVB_SETTING_COUNT];
        uint32_t since, until;
        kvb_engine_shown(engine, shown);
        for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
            assert_int_equal(shown[i], !kvb_setting_row_of((enum kvb_setting)i)->own ||
                                           kvb_engine_has(engine, (enum kvb_setting)i, &since, &until));
        }
    }
}

// A name of no letters is no flag; a short form takes what follows only where it may: digits where the parser takes
// abbreviations, anything where the flag says so.
static void short_forms_and_what_follows(void **state)
{
    (void)state;
    const struct kvb_engine_rows *vllm = kvb_engine_find("vllm");
    const struct kvb_serve_flag *flag = NULL;
    size_t used = 7;
    assert_int_equal(kvb_serve_flag_find(vllm, "", 0, &flag), KVB_SERVE_NO_MATCH);
    assert_null(flag);
    assert_string_equal(kvb_serve_short_find(vllm, "-tp4", 4, &used)->name, "tensor_parallel_size");
    assert_int_equal(used, 3);
    assert_null(kvb_serve_short_find(vllm, "-tpx", 4, &used));
    assert_int_equal(used, 0);
    assert_string_equal(kvb_serve_short_find(vllm, "-O3", 3, &used)->short_name, "-O");
    assert_string_equal(kvb_serve_short_find(vllm, "-Oxyz", 5, &used)->short_name, "-O");
    assert_int_equal(used, 2);
}

// Names of all, in the table's order; titles of those that take commands; each name finds its engine.
static void the_table_names_its_engines(void **state)
{
    (void)state;
    char text[KVB_ENGINE_NAMES_CAPACITY], said[64];
    struct kvb_plan nobody = {.engine.name = "nobody"};
    assert_string_equal(kvb_engine_names(text), "vllm, sglang, generic, llama.cpp or ollama");
    assert_string_equal(kvb_engine_titles(text), "vLLM, SGLang, llama.cpp or Ollama");
    EACH_ENGINE(engine)
    {
        (void)snprintf(said, sizeof said, "%s 0.1", engine->name);
        assert_ptr_equal(kvb_engine_said(said), engine);
        assert_ptr_equal(kvb_engine_find(engine->name), engine);
        for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
            assert_true(kvb_engine_label(engine, (enum kvb_item)i)[0] != '\0');
        }
    }
    assert_ptr_equal(kvb_engine_said("vll"), engines[0]);
    assert_ptr_equal(kvb_engine_said("sglangs"), engines[0]);
    assert_null(kvb_engine_find("vll"));
    assert_ptr_equal(kvb_engine_of(&nobody), engines[0]);
}

KVB_TEST_MAIN(cmocka_unit_test(the_table_names_its_engines), cmocka_unit_test(every_flag_finds_itself),
              cmocka_unit_test(every_flag_is_whole), cmocka_unit_test(what_is_written_is_read),
              cmocka_unit_test(every_rung_can_be_said), cmocka_unit_test(every_setting_is_some_engines),
              cmocka_unit_test(programs_and_variables_are_whole), cmocka_unit_test(an_engine_spells_its_own_words),
              cmocka_unit_test(an_engine_shows_what_it_has), cmocka_unit_test(short_forms_and_what_follows))
