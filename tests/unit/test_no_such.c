// Numbers that are no kind, as a caller from outside may pass them: none has a name, and none is read behind its table.
#include <kvbudget/checkpoint.h>
#include <kvbudget/input.h>
#include <kvbudget/models.h>
#include <kvbudget/sweep.h>

#include "model/checkpoint/gguf.h"
#include "model/checkpoint/safetensors.h"
#include "unit/test.h"

static void none_has_a_name(void **state)
{
    (void)state;
    struct kvb_profile_key key;
    assert_null(kvb_sweep_figure_name(KVB_SWEEP_FIGURE_COUNT));
    assert_null(kvb_task_name(KVB_TASK_COUNT));
    assert_string_equal(kvb_element_name(KVB_ELEMENT_COUNT), "unknown");
    assert_int_equal(kvb_element_bits(KVB_ELEMENT_COUNT), 0);
    assert_string_equal(kvb_gguf_key_name(GGUF_KEY_COUNT), "unknown");
    assert_string_equal(kvb_profile_kind_name(KVB_PROFILE_KIND_COUNT), "unknown");
    assert_false(kvb_profile_key_at(KVB_PROFILE_KIND_COUNT, 0, &key));
}

KVB_TEST_MAIN(cmocka_unit_test(none_has_a_name))
