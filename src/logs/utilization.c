// The arithmetic of raising and lowering utilization.
#include "logs/utilization.h"

#include <kvbudget/units.h>

#include "base/checked.h"

#define STEP_PPM 10000 // 0.01 of utilization

bool kvb_utilization_exists(const struct kvb_reckoning *r)
{
    return r->engine != NULL && r->facts.takes_share;
}

int64_t kvb_utilization_up(int64_t ppm)
{
    return (ppm + 999) / 1000 * 1000;
}

static int64_t typed_down(int64_t ppm)
{
    return ppm / 1000 * 1000;
}

int64_t kvb_utilization_highest(const struct kvb_reckoning *r)
{
    if (r->free.known && r->total.known) {
        return (int64_t)kvb_min((uint64_t)typed_down(kvb_share_ppm(r->free.value, r->total.value, false)), KVB_PPM);
    }
    return KVB_PPM;
}

struct kvb_remedy_text kvb_utilization_text(const struct kvb_reckoning *r)
{
    struct kvb_remedy_text none = {""};
    return r->utilization.known ? kvb_remedy_fraction(r->utilization.value) : none;
}

void kvb_utilization_raise_for(struct kvb_reckoning *r, int64_t wanted)
{
    struct kvb_remedy_text from = kvb_utilization_text(r);
    int64_t least = kvb_utilization_up(kvb_share_ppm(r->other_than_pool.value + wanted, r->total.value, true));
    int64_t most = kvb_utilization_highest(r);
    if (least <= most) {
        kvb_remedy_add(r, "gpu-memory-utilization", from.text, kvb_remedy_fraction(least).text, true,
                       "(%s GiB in use besides + %s GiB of KV cache) / %s GiB; each 0.01 is %s GiB",
                       kvb_remedy_gib(r->other_than_pool.value).text, kvb_remedy_gib(wanted).text,
                       kvb_remedy_gib(r->total.value).text, kvb_remedy_gib(kvb_scale(r->total.value, STEP_PPM)).text);
        return;
    }
    int64_t best = kvb_scale(r->total.value, most) - r->other_than_pool.value;
    kvb_remedy_add(r, "gpu-memory-utilization", from.text, kvb_remedy_fraction(most).text, false,
                   "even %s, the most this card %s, makes the KV cache %s GiB; %s%s needed",
                   kvb_remedy_fraction(most).text, r->free.known ? "had free" : "has", kvb_remedy_gib(best).text,
                   r->needed.known ? kvb_remedy_gib(wanted).text : "more than nothing",
                   r->needed.known ? " GiB are" : " is");
}

bool kvb_utilization_bound(struct kvb_reckoning *r, int64_t missing)
{
    int64_t left = KVB_PPM - r->utilization.value;
    if (r->total.known || !r->utilization.known || left <= 0 || missing <= 0 || missing > INT64_C(1) << 42) {
        return false;
    }
    int64_t least =
        (missing / left * KVB_PPM + missing % left * KVB_PPM / left + (int64_t)KVB_GIB - 1) / (int64_t)KVB_GIB;
    kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text, "higher", true,
                   "helps only on a card of %lld GiB or more: the deficit is %s GiB and %s of the card is left",
                   (long long)least, kvb_remedy_gib(missing).text, kvb_remedy_fraction(left).text);
    return true;
}

void kvb_utilization_warn_lowering(struct kvb_reckoning *r)
{
    int64_t lower = r->utilization.value - 100000;
    if (!r->utilization.known || lower <= 0) {
        kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text, "lower", false,
                       "makes the KV cache smaller still: it is what the request leaves after everything else");
        return;
    }
    struct kvb_remedy_text from = kvb_remedy_fraction(r->utilization.value);
    struct kvb_remedy_text to = kvb_remedy_fraction(lower);
    if (!r->total.known) {
        kvb_remedy_add(r, "gpu-memory-utilization", from.text, to.text, false,
                       "makes the KV cache smaller by a tenth of the card; the message asks for more, not less");
        return;
    }
    int64_t lost = kvb_scale(r->total.value, 100000);
    if (r->pool.known) {
        kvb_remedy_add(r, "gpu-memory-utilization", from.text, to.text, false,
                       "makes the KV cache %s GiB smaller: %s GiB", kvb_remedy_gib(lost).text,
                       kvb_remedy_gib(r->pool.value - lost).text);
    } else {
        kvb_remedy_add(r, "gpu-memory-utilization", from.text, to.text, false, "makes the KV cache %s GiB smaller",
                       kvb_remedy_gib(lost).text);
    }
}

// Utilization far below what any model needs: the message was answered the wrong way round.
static void explain_lowered(struct kvb_reckoning *r)
{
    struct kvb_remedy_text from = kvb_remedy_fraction(r->utilization.value);
    if (r->total.known) {
        bool below = r->weights.known && r->requested.value < r->weights.value;
        kvb_remedy_add(r, "gpu-memory-utilization", from.text, "higher", true,
                       "%s of %s GiB is %s GiB, %s%s%s; utilization was lowered although the message asks for more",
                       from.text, kvb_remedy_gib(r->total.value).text, kvb_remedy_gib(r->requested.value).text,
                       below ? "below the weights alone (" : "which must hold weights, peak and cache",
                       below ? kvb_remedy_gib(r->weights.value).text : "", below ? " GiB)" : "");
    } else {
        kvb_remedy_add(
            r, "gpu-memory-utilization", from.text, "higher", true,
            "weights, peak and KV cache must all fit into this share; utilization was lowered although the message "
            "asks for more");
    }
}

static int64_t smallest_pool_wanted(const struct kvb_reckoning *r)
{
    return r->needed.known ? r->needed.value : INT64_C(1) << 20;
}

void kvb_utilization_raise(struct kvb_reckoning *r)
{
    if (!kvb_utilization_exists(r)) {
        return;
    }
    if (r->other_than_pool.known && r->total.known) {
        kvb_utilization_raise_for(r, smallest_pool_wanted(r));
    } else if (r->utilization.known && r->utilization.value < 300000) {
        explain_lowered(r);
    } else if (!r->pool.known || !kvb_utilization_bound(r, smallest_pool_wanted(r) - r->pool.value)) {
        int64_t most = kvb_utilization_highest(r);
        kvb_remedy_add(
            r, "gpu-memory-utilization", kvb_utilization_text(r).text,
            most < KVB_PPM ? kvb_remedy_fraction(most).text : "higher", true,
            "the KV cache is what the request leaves after weights and peak: only a larger request or smaller terms "
            "help%s",
            r->total.known ? "" : "; give --gpu-memory for the arithmetic");
    }
    kvb_utilization_warn_lowering(r);
}

void kvb_utilization_lower_for(struct kvb_reckoning *r, int64_t missing)
{
    if (!r->total.known) {
        kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text, "lower", true,
                       "the KV cache shrinks and leaves memory for what comes after it");
        return;
    }
    int64_t step = kvb_utilization_up(kvb_share_ppm(missing + KVB_REMEDY_HEADROOM_BYTES, r->total.value, true));
    if (!r->utilization.known) {
        kvb_remedy_add(r, "gpu-memory-utilization", "", "lower", true,
                       "by %s: %s GiB were missing, plus 0.15 GiB, of %s GiB", kvb_remedy_fraction(step).text,
                       kvb_remedy_gib(missing).text, kvb_remedy_gib(r->total.value).text);
        return;
    }
    int64_t to = typed_down(r->utilization.value - step);
    kvb_remedy_add(r, "gpu-memory-utilization", kvb_remedy_fraction(r->utilization.value).text,
                   kvb_remedy_fraction(to).text, to > 0,
                   "frees at least the %s GiB that were missing and 0.15 GiB more; the KV cache shrinks by %s GiB",
                   kvb_remedy_gib(missing).text, kvb_remedy_gib(kvb_scale(r->total.value, step)).text);
}
