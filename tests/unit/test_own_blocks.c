// The blocks that a DeepSeek V4 drafts with: how many, how wide, and which models have none.
#include <string.h>

#include "model/own_blocks.h"
#include "unit/test.h"

static struct kvb_model target, blocks;

static void make(const char *architecture, uint32_t layers, uint32_t hidden)
{
    memset(&target, 0, sizeof target);
    memset(&blocks, 0, sizeof blocks);
    strcpy(target.architecture, architecture);
    target.mtp_layers = layers;
    target.mtp_kind = 1;
    target.layer_count = 43;
    target.hidden_size = hidden;
    target.vocabulary_size = 129280;
}

// Configs of deepseek-ai: ranks of 256 for Flash, whose states are 4096 wide, and 512 for Pro; three layers, unless the
// config has a number of its own.
static void shapes(void **state)
{
    (void)state;
    static const struct {
        uint32_t stated, layers, hidden;
        uint64_t rank;
    } rows[] = {{1, 3, 4096, 256}, {3, 3, 4096, 256}, {1, 3, 7168, 512}, {2, 2, 7168, 512}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make("DeepseekV4ForCausalLM", rows[i].stated, rows[i].hidden);
        assert_true(kvb_own_blocks(&target, &blocks));
        assert_int_equal(blocks.layer_count, rows[i].layers);
        assert_int_equal(blocks.kind_of_layer[rows[i].layers - 1], 1);
        assert_int_equal(blocks.extra_count, 3);
        assert_int_equal(blocks.extras[0].columns, 3 * rows[i].hidden);
        assert_int_equal(blocks.extras[2].rows, 129280);
        assert_int_equal(blocks.extras[2].columns, rows[i].rank);
        assert_int_equal(target.layer_count, 43);
    }
}

static void of_the_model_itself(void **state)
{
    (void)state;
    make("DeepseekV4ForCausalLM", 1, 4096);
    assert_true(kvb_own_blocks(&target, &target));
    assert_string_equal(target.architecture, "DSparkDeepseekV4ForCausalLM");
    assert_int_equal(target.layer_count, 3);
    assert_int_equal(target.mtp_layers, 0);
    assert_false(kvb_own_blocks(&target, &blocks)); // they have none of their own
}

static void models_without(void **state)
{
    (void)state;
    make("DeepseekV3ForCausalLM", 1, 7168);
    assert_false(kvb_own_blocks(&target, &blocks));
    make("DeepseekV4ForCausalLM", 0, 4096);
    assert_false(kvb_own_blocks(&target, &blocks));
    assert_int_equal(blocks.layer_count, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(shapes), cmocka_unit_test(of_the_model_itself), cmocka_unit_test(models_without))
