// Cards as people buy them: the size a card is sold as, by the memory CUDA sees of it (from nvidia-smi of public logs,
// less than the size on the box but for rounding), and how many of it stand in one machine.
#include <string.h>

#include <kvbudget/units.h>

#include "answer/card_rows.h"
#include "unit/test.h"

#define MIB (UINT64_C(1) << 20)

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *card;
        uint64_t mib; // nvidia-smi's total
        uint32_t class_gigabytes;
    } rows[] = {
        {"RTX 3070", 8192, 8},       {"RTX 3060", 12288, 12}, {"Tesla T4", 15360, 16}, {"RTX 4090", 24564, 24},
        {"L4", 23034, 24},           {"RTX 5090", 32607, 32}, {"V100-32", 32768, 32},  {"A100-40", 40960, 48},
        {"L40S", 46068, 48},         {"A100-80", 81920, 80},  {"H100", 81559, 80},     {"H100 NVL", 95830, 96},
        {"RTX PRO 6000", 97887, 96}, {"H200", 143771, 141},   {"B200", 183359, 180},   {"MI300X", 196592, 192},
        {"MI355X", 294896, 288},     {"larger", 600000, 288},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_card_class(rows[i].mib * MIB) != rows[i].class_gigabytes) {
            fail_msg("%s: %u", rows[i].card, (unsigned)kvb_card_class(rows[i].mib * MIB));
        }
    }
    // A twentieth more is still the same size: of 16 GiB 16.8.
    assert_int_equal(kvb_card_class(16 * KVB_GIB + 16 * KVB_GIB / 20), 16);
    assert_int_equal(kvb_card_class(16 * KVB_GIB + 16 * KVB_GIB / 20 + 1), 24);
}

// Boards with one GPU beside one CPU, cards of desktops, and server parts, which come in eights; GB200 NVL4 in fours.
static void machines(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        bool unified;
        uint32_t most;
    } rows[] = {
        {"jetson-orin-64", false, 1},
        {"strix-halo", false, 1},
        {"gb10", false, 1},
        {"gh200-96", false, 1},
        {"gb200", false, 4},
        {"gb300", false, 4},
        {"titan-rtx", false, 4},
        {"rtx-a6000", false, 4},
        {"quadro-rtx-8000", false, 4},
        {"w7900", false, 4},
        {"r9700", false, 4},
        {"arc-a770", false, 4},
        {"rx7900xtx", false, 4},
        {"rx9070xt", false, 4},
        {"rtx4090", false, 4},
        {"h100-sxm", false, 8},
        {"mi300x", false, 8},
        {"rtx-pro-6000-ws", false, 4},
        {"rtx-pro-6000-server", false, 8},
        {"rtx4090-laptop", false, 1},
        {"h100-sxm", true, 1},
        {"l4", false, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_gpu gpu = {.unified_memory = rows[i].unified};
        if (kvb_card_most(rows[i].id, &gpu) != rows[i].most) {
            fail_msg("%s: %u", rows[i].id, (unsigned)kvb_card_most(rows[i].id, &gpu));
        }
    }
    assert_false(kvb_card_runs("gaudi3"));
    assert_true(kvb_card_runs("l4"));
    assert_true(kvb_card_rank("rtx4060") < kvb_card_rank("l4"));
    assert_true(kvb_card_rank("mi325x") < kvb_card_rank("nothing"));
    assert_int_equal(kvb_card_rank("nothing"), kvb_card_rank("rtx2080")); // neither is common
}

KVB_TEST_MAIN(cmocka_unit_test(sizes), cmocka_unit_test(machines))
