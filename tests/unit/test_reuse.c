// Results kept by the bytes they were worked out from: found again for these bytes alone.
#include <string.h>

#include "budget/reuse.h"
#include "unit/test.h"

static struct kvb_reuse reuse;

static struct kvb_reuse_slot *find(const char *text, size_t bytes)
{
    return kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, text, bytes);
}

static void found_for_the_same_bytes(void **state)
{
    (void)state;
    kvb_reuse_clear(&reuse);
    struct kvb_reuse_slot *slot = find("twelve bytes and these", 12);
    assert_non_null(slot);
    assert_false(slot->used);
    kvb_reuse_keep(slot, "value", 6);
    for (char behind[] = "twelve bytesAAAA"; behind[12] <= 'Z'; behind[12]++) { // which is no part of the key
        reuse.latest[KVB_REUSE_WEIGHTS] = (uint8_t)(slot == &reuse.slots[0]); // not by being the latest
        assert_ptr_equal(find(behind, 12), slot);
        assert_true(slot->used);
    }
    assert_int_equal(slot->value_bytes, 6);
    assert_string_equal((const char *)slot->value, "value");
    assert_false(find("twelve byteZ", 12)->used);
}

static void of_another_kind_or_length_is_another(void **state)
{
    (void)state;
    for (char key[] = "a0"; key[1] <= '9'; key[1]++) {
        kvb_reuse_clear(&reuse);
        kvb_reuse_keep(find(key, 2), key, 3);
        assert_true(find(key, 2)->used);
        assert_string_equal((const char *)find(key, 2)->value, key);
        assert_false(kvb_reuse_find(&reuse, KVB_REUSE_FLAGS, key, 2)->used);
        assert_false(find(key, 1)->used);
    }
}

// Two keys of one slot: the later one stands there, and the earlier one is worked out anew.
static void the_latest_key_wins(void **state)
{
    (void)state;
    kvb_reuse_clear(&reuse);
    uint32_t first = 0, second = 1;
    struct kvb_reuse_slot *slot = kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, &first, sizeof first);
    kvb_reuse_keep(slot, "first", 6);
    while (kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, &second, sizeof second) != slot) {
        second++;
    }
    assert_false(slot->used);
    kvb_reuse_keep(slot, "second", 7);
    assert_true(kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, &second, sizeof second)->used);
    assert_false(kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, &first, sizeof first)->used);
    // the same bytes under the other kind, put into the same slot by hand, are not taken for these
    kvb_reuse_keep(slot, "first", 6);
    slot->kind = KVB_REUSE_FLAGS;
    assert_false(kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, &first, sizeof first)->used);
    kvb_reuse_keep(slot, "first", 6); // nor are more bytes that begin with these
    slot->key_bytes = sizeof first + 1;
    assert_false(kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, &first, sizeof first)->used);
}

// Numbers of plans share places: what another one put there is not taken.
static void a_length_is_known_for_its_plans_alone(void **state)
{
    (void)state;
    static struct kvb_known_length lengths[KVB_KNOWN_LENGTHS];
    kvb_reuse_clear(&reuse);
    assert_null(kvb_reuse_length(NULL));
    reuse.lengths = NULL;
    reuse.apart_from_length = 7;
    assert_null(kvb_reuse_length(&reuse)); // nowhere to keep it
    reuse.lengths = lengths;
    struct kvb_known_length *length = kvb_reuse_length(&reuse);
    assert_false(length->known);
    *length = (struct kvb_known_length){7, 4096, true};
    assert_ptr_equal(kvb_reuse_length(&reuse), length);
    assert_true(length->known);
    reuse.apart_from_length = 7 + KVB_KNOWN_LENGTHS;
    assert_ptr_equal(kvb_reuse_length(&reuse), length);
    assert_false(length->known);
    reuse.apart_from_length = 0;
    assert_null(kvb_reuse_length(&reuse)); // which plans these are is not known
}

static void what_is_too_long_is_not_kept(void **state)
{
    (void)state;
    static const unsigned char bytes[KVB_REUSE_KEY_BYTES + 1];
    kvb_reuse_clear(&reuse);
    assert_null(kvb_reuse_find(NULL, KVB_REUSE_WEIGHTS, "a", 1));
    assert_null(kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, bytes, sizeof bytes));
    struct kvb_reuse_slot *slot = kvb_reuse_find(&reuse, KVB_REUSE_WEIGHTS, bytes, KVB_REUSE_KEY_BYTES);
    assert_non_null(slot);
    kvb_reuse_keep(slot, bytes, KVB_REUSE_VALUE_BYTES + 1);
    assert_false(slot->used);
    kvb_reuse_keep(slot, bytes, KVB_REUSE_VALUE_BYTES);
    assert_true(slot->used);
    kvb_reuse_keep(NULL, bytes, 1);
}

KVB_TEST_MAIN(cmocka_unit_test(a_length_is_known_for_its_plans_alone), cmocka_unit_test(found_for_the_same_bytes),
              cmocka_unit_test(of_another_kind_or_length_is_another), cmocka_unit_test(the_latest_key_wins),
              cmocka_unit_test(what_is_too_long_is_not_kept))
