// Figures of a row of a sweep: by name, as text, in conditions, and which rows nothing else beats.
#include <kvbudget/sweep.h>

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "answer/sweep_values.h"
#include "base/text.h"

enum unit { UNIT_VERDICT, UNIT_COUNT, UNIT_HUNDREDTHS, UNIT_BYTES };

static const struct {
    const char *name;
    enum unit unit;
} figures[KVB_SWEEP_FIGURE_COUNT] = {
    [KVB_SWEEP_FIGURE_VERDICT] = {"verdict", UNIT_VERDICT},
    [KVB_SWEEP_FIGURE_TOKENS] = {"tokens", UNIT_COUNT},
    [KVB_SWEEP_FIGURE_CONCURRENCY] = {"concurrency", UNIT_HUNDREDTHS},
    [KVB_SWEEP_FIGURE_POOL] = {"pool", UNIT_BYTES},
    [KVB_SWEEP_FIGURE_SLACK] = {"slack", UNIT_BYTES},
    [KVB_SWEEP_FIGURE_LENGTH] = {"length", UNIT_COUNT},
    [KVB_SWEEP_FIGURE_BALANCE] = {"balance", UNIT_BYTES},
    [KVB_SWEEP_FIGURE_GPUS] = {"gpus", UNIT_COUNT},
};

static const char *const verdicts[] = {"no", "tight", "fits"};

const char *kvb_sweep_figure_name(enum kvb_sweep_figure figure)
{
    return (unsigned)figure < KVB_SWEEP_FIGURE_COUNT ? figures[figure].name : NULL;
}

bool kvb_sweep_figure_find(const char *name, enum kvb_sweep_figure *figure)
{
    for (unsigned i = 0; i < KVB_SWEEP_FIGURE_COUNT; i++) {
        if (strcmp(figures[i].name, name) == 0) {
            *figure = (enum kvb_sweep_figure)i;
            return true;
        }
    }
    return false;
}

int64_t kvb_sweep_figure_of(const struct kvb_sweep_row *row, enum kvb_sweep_figure figure)
{
    switch (figure) {
    case KVB_SWEEP_FIGURE_TOKENS:
        return (int64_t)row->tokens;
    case KVB_SWEEP_FIGURE_CONCURRENCY:
        return (int64_t)row->max_concurrency_hundredths;
    case KVB_SWEEP_FIGURE_POOL:
        return row->kv_cache_bytes;
    case KVB_SWEEP_FIGURE_SLACK:
        return row->slack_bytes;
    case KVB_SWEEP_FIGURE_LENGTH:
        return (int64_t)row->max_model_len_that_fits;
    case KVB_SWEEP_FIGURE_BALANCE:
        return row->balance_bytes;
    case KVB_SWEEP_FIGURE_GPUS:
        return (int64_t)row->gpus;
    default:
        return row->verdict == KVB_FITS ? 2 : row->verdict == KVB_TIGHT ? 1 : 0;
    }
}

char *kvb_sweep_figure_format(char out[48], enum kvb_sweep_figure figure, int64_t number)
{
    char text[32];
    switch (figures[figure].unit) {
    case UNIT_VERDICT:
        (void)snprintf(out, 48, "%s", verdicts[number]);
        break;
    case UNIT_COUNT:
        (void)snprintf(out, 48, "%s", kvb_format_count(text, (uint64_t)number));
        break;
    case UNIT_HUNDREDTHS:
        (void)snprintf(out, 48, "%s.%02u", kvb_format_count(text, (uint64_t)number / 100), (unsigned)(number % 100));
        break;
    case UNIT_BYTES:
        (void)snprintf(out, 48, "%s", kvb_format_gib(text, number, 2));
        break;
    }
    return out;
}

static bool read_number(enum kvb_sweep_figure figure, const char *text, int64_t *number)
{
    uint64_t whole = 0;
    uint32_t ppm = 0;
    bool read = false;
    switch (figures[figure].unit) {
    case UNIT_VERDICT:
        for (unsigned i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
            if (strcmp(text, verdicts[i]) == 0) {
                whole = i;
                read = true;
            }
        }
        break;
    case UNIT_COUNT:
        read = kvb_parse_count(text, &whole);
        break;
    case UNIT_HUNDREDTHS:
        read = kvb_parse_ppm(text, UINT32_MAX, &ppm);
        whole = ppm / KVB_HUNDREDTH_PPM;
        break;
    case UNIT_BYTES:
        read = text[0] == '0' && text[1] == '\0';
        read = read || kvb_parse_bytes(text, &whole);
        break;
    }
    *number = (int64_t)whole;
    return read;
}

bool kvb_sweep_condition_parse(const char *text, struct kvb_sweep_condition *condition, char why[256])
{
    static const char expected[] = "expected such as 'concurrency >= 8', 'pool > 12GiB' or 'verdict = fits'";
    char name[32];
    size_t length = strcspn(text, " <>=!");
    const char *sign = text + length + strspn(text + length, " ");
    size_t signs = strspn(sign, "<>=!");
    const char *number = sign + signs + strspn(sign + signs, " ");
    if (length == 0 || length >= sizeof name || signs == 0 || signs > 2) {
        kvb_sweep_why(why, "'%.60s' is no condition; %s", text, expected);
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    memcpy(condition->sign, sign, signs);
    condition->sign[signs] = '\0';
    bool known = kvb_sweep_figure_find(name, &condition->figure);
    static const char *const all[] = {"<", ">", "=", "<=", ">=", "!=", "=="};
    bool signed_well = false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        signed_well = signed_well || strcmp(all[i], condition->sign) == 0;
    }
    if (!known || !signed_well || !read_number(condition->figure, number, &condition->number)) {
        kvb_sweep_why(why, "'%.60s' is no condition; %s", text, expected);
        return false;
    }
    return true;
}

bool kvb_sweep_condition_holds(const struct kvb_sweep_condition *condition, const struct kvb_sweep_row *row)
{
    int64_t figure = kvb_sweep_figure_of(row, condition->figure);
    const char *sign = condition->sign;
    bool equal = figure == condition->number;
    if (sign[0] == '!') {
        return !equal;
    }
    bool either = sign[1] == '=' || sign[0] == '=';
    return (equal && either) || (sign[0] == '<' && figure < condition->number) ||
           (sign[0] == '>' && figure > condition->number);
}

static bool varies_length(const struct kvb_sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        if (sweep->axes[i].kind == KVB_SWEEP_SETTING && sweep->axes[i].setting == KVB_SET_MAX_MODEL_LEN) {
            return true;
        }
    }
    return false;
}

bool kvb_sweep_beats(const struct kvb_sweep *sweep, const struct kvb_sweep_row *a, const struct kvb_sweep_row *b)
{
    if (sweep->axis_count > 0 && sweep->axes[0].kind == KVB_SWEEP_MODEL &&
        kvb_sweep_digit(sweep, 0, a->index) != kvb_sweep_digit(sweep, 0, b->index)) {
        return false; // another model is another thing
    }
    bool asked = varies_length(sweep);
    uint64_t length_a = asked ? a->max_model_len : a->max_model_len_that_fits;
    uint64_t length_b = asked ? b->max_model_len : b->max_model_len_that_fits;
    bool no_worse =
        a->gpus <= b->gpus && length_a >= length_b && a->max_concurrency_hundredths >= b->max_concurrency_hundredths;
    bool better =
        a->gpus < b->gpus || length_a > length_b || a->max_concurrency_hundredths > b->max_concurrency_hundredths;
    return no_worse && better;
}
